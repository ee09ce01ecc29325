//! What a compiler made of a contract: its name, its ABI and its code, but for the bytes that are only
//! known when it is deployed.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alloy_primitives::hex;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::sanitize::SafeText;

/// Fewer bytes are the code of many contracts.
pub(super) const MIN_CODE_BYTES: usize = 32;
/// Maximum bytes of a code. Nodes without the limit of the protocol run larger ones than 24 kB.
const MAX_CODE_BYTES: usize = 1 << 20;
/// Maximum part of the code that is only known when it is deployed: one third.
const MAX_UNKNOWN_SHARE: usize = 3;

const PUSH20: u8 = 0x73;
const PUSH32: u8 = 0x7f;
/// Code of a library begins with its own address, to refuse calls: `PUSH20 … ADDRESS EQ`.
const LIBRARY_START: [u8; 23] = {
    let mut start = [0; 23];
    (start[0], start[21], start[22]) = (PUSH20, 0x30, 0x14);
    start
};
const ADDRESS_BYTES: usize = 20;
const IMMUTABLE_BYTES: usize = 32;
/// The start of 40 characters in place of the digits of a library's address.
const LINK_MARK: &[u8] = b"__";

#[derive(Debug)]
pub struct Artifact {
    pub name: SafeText,
    pub abi: Arc<RawValue>,
    pub(super) place: ArtifactPlace,
    pub(super) code: Vec<u8>,
    /// The parts of the code that are the same wherever it is deployed.
    fixed: Vec<Range<usize>>,
}

/// The file of an artifact.
#[derive(Debug, Clone)]
pub(super) struct ArtifactPlace {
    /// The folder of the project.
    pub(super) root: Arc<Path>,
    /// The folder in it that the compiler writes into.
    pub(super) output: Arc<Path>,
    pub(super) file: PathBuf,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactFile<'a> {
    #[serde(borrow)]
    abi: Option<&'a RawValue>,
    /// An object as Foundry writes it, or Hardhat's hex.
    #[serde(borrow)]
    deployed_bytecode: Option<&'a RawValue>,
    contract_name: Option<String>,
}

#[derive(Deserialize)]
struct DeployedCode<'a> {
    #[serde(borrow)]
    object: Cow<'a, str>,
}

impl Artifact {
    /// Parses an artifact of Foundry or Hardhat. Interfaces and what is too short to be told apart
    /// are `None`.
    pub(super) fn parse(place: ArtifactPlace, json: &str) -> Result<Option<Self>, SafeText> {
        let invalid = |e: serde_json::Error| SafeText::new(&format!("not an artifact: {e}"));
        let mut file: ArtifactFile<'_> = serde_json::from_str(json).map_err(invalid)?;
        let (Some(abi), Some(code)) = (file.abi, file.deployed_bytecode) else { return Ok(None) };
        let stem = place.file.file_name().unwrap_or_default().to_string_lossy();
        let name = file.contract_name.take();
        let name = name.unwrap_or_else(|| stem.split('.').next().unwrap_or_default().to_owned());
        let object = if code.get().starts_with('{') {
            serde_json::from_str::<DeployedCode<'_>>(code.get()).map_err(invalid)?.object
        } else {
            serde_json::from_str::<Cow<'_, str>>(code.get()).map_err(invalid)?
        };
        if object.len() / 2 > MAX_CODE_BYTES {
            return Err("code is larger than 1 MB".into());
        }
        let (code, unknown) = parse_code(&object).ok_or("code cannot be read")?;
        let fixed = parts_between(&unknown, code.len());
        let fixed_bytes: usize = fixed.iter().map(ExactSizeIterator::len).sum();
        let unknown_bytes = code.len() - fixed_bytes;
        let is_telling =
            fixed_bytes >= MIN_CODE_BYTES && unknown_bytes <= code.len() / MAX_UNKNOWN_SHARE;
        let abi = abi.to_owned().into();
        let artifact = Self { name: SafeText::new(&name), abi, place, code, fixed };
        Ok(is_telling.then_some(artifact))
    }

    pub(super) fn matches(&self, code: &[u8]) -> bool {
        let is_equal = |part: &Range<usize>| code.get(part.clone()) == self.code.get(part.clone());
        code.len() == self.code.len() && self.fixed.iter().all(is_equal)
    }

    /// Returns the file, for the user to find.
    pub fn path(&self) -> SafeText {
        SafeText::new(&self.place.file.display().to_string())
    }

    /// Returns the bytes that are kept of it.
    pub(super) fn kept_bytes(&self) -> usize {
        let ranges = self.fixed.len() * size_of::<Range<usize>>();
        size_of::<Self>() + self.abi.get().len() + self.code.len() + ranges
    }
}

/// Decodes a compiler's code. Returns it with the parts that are filled in when it is deployed, in
/// order: the addresses of libraries, which have placeholders, and immutable values, which are zero.
///
/// The compiler lists these parts too, but not in every artifact. Whatever a file lists, only an
/// operand of `PUSH20` or `PUSH32` can be one.
pub(super) fn parse_code(object: &str) -> Option<(Vec<u8>, Vec<Range<usize>>)> {
    let mut digits = object.trim_start_matches("0x").as_bytes().to_vec();
    let mut unknown = link_addresses(&mut digits);
    let code = hex::decode(digits).ok()?;
    unknown.extend(code.starts_with(&LIBRARY_START).then_some(1..1 + ADDRESS_BYTES));
    unknown.extend(immutable_values(&code));
    unknown.sort_unstable_by_key(|part| part.start);
    Some((code, unknown))
}

/// Replaces the placeholders of addresses by zeros, and returns the places of these in the code.
fn link_addresses(digits: &mut [u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for at in 1..digits.len() / 2 {
        let is_operand = digits[2 * (at - 1)..2 * at] == *b"73";
        let operand = digits.get_mut(2 * at..2 * (at + ADDRESS_BYTES));
        if let Some(operand) = operand.filter(|it| is_operand && it.starts_with(LINK_MARK)) {
            operand.fill(b'0');
            found.push(at..at + ADDRESS_BYTES);
        }
    }
    found
}

fn immutable_values(code: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(push) = code[at..].iter().position(|byte| *byte == PUSH32) {
        at += push + 1;
        let end = at + IMMUTABLE_BYTES;
        if code.get(at..end).is_some_and(|operand| operand.iter().all(|byte| *byte == 0)) {
            found.push(at..end);
            at = end;
        }
    }
    found
}

/// Returns the parts of a code between others, which are in order.
fn parts_between(others: &[Range<usize>], length: usize) -> Vec<Range<usize>> {
    let starts = [0].into_iter().chain(others.iter().map(|other| other.end));
    let ends = others.iter().map(|other| other.start).chain([length]);
    starts.zip(ends).map(|(start, end)| start..end).filter(|part| !part.is_empty()).collect()
}

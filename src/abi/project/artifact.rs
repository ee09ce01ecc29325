//! Artifacts: a contract's name, ABI and code, without the bytes that are filled in on deployment.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use alloy_primitives::{B256, hex, keccak256};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::abi::signatures::{CreationCode, link_addresses};
use crate::disk_cache::DiskCache;
use crate::messages::project::ArtifactError;
use crate::sanitize::SafeText;

/// Minimum length of code that identifies a contract. Many contracts share shorter code.
const MIN_CODE_BYTES: usize = 32;
/// Maximum length of code in bytes. Nodes without the protocol's limit run more than 24 kB.
const MAX_CODE_BYTES: usize = 1 << 20;
/// Divisor of the code's length: at most a third of the code may be filled in on deployment.
const MAX_UNKNOWN_SHARE: usize = 3;

const PUSH20: u8 = 0x73;
const PUSH32: u8 = 0x7f;
/// Start of a library's code, with its own address to refuse calls: `PUSH20 … ADDRESS EQ`.
const LIBRARY_START: [u8; 23] = {
    let mut start = [0; 23];
    (start[0], start[21], start[22]) = (PUSH20, 0x30, 0x14);
    start
};
const ADDRESS_BYTES: usize = 20;
/// The bytes before the hash of the metadata at the end of a code: the key `ipfs` and the type of hash.
const METADATA_MARK: [u8; 9] = alloy_primitives::hex!("646970667358221220");
const METADATA_HASH_BYTES: usize = 32;
const IMMUTABLE_BYTES: usize = 32;

#[derive(Debug, Clone)]
pub struct Artifact {
    pub name: SafeText,
    pub abi: Arc<RawValue>,
    /// `true` if the project was compiled again since, to other code.
    pub is_older_build: bool,
    pub(super) place: ArtifactPlace,
    pub(super) code: Vec<u8>,
    code_hash: OnceLock<B256>,
    /// Ranges of the code that are the same wherever it is deployed.
    pub(super) fixed: Vec<Range<usize>>,
    /// The fixed ranges without the hashes of the metadata, if there is still enough to identify a contract.
    pub(super) executed: Option<Vec<Range<usize>>>,
    pub(super) creation: Option<CreationCode>,
}

/// Path of an artifact.
#[derive(Debug, Clone)]
pub(super) struct ArtifactPlace {
    /// The folder of the project.
    pub(super) root: Arc<Path>,
    /// The compiler's output folder in the project.
    pub(super) output: Arc<Path>,
    pub(super) file: PathBuf,
    /// The cache with compilations of deployed contracts.
    pub(super) cache: Option<Arc<DiskCache>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactFile<'a> {
    #[serde(borrow)]
    abi: Option<&'a RawValue>,
    /// An object in Foundry's artifacts, hex in Hardhat's.
    #[serde(borrow)]
    bytecode: Option<&'a RawValue>,
    #[serde(borrow)]
    deployed_bytecode: Option<&'a RawValue>,
    contract_name: Option<String>,
}

#[derive(Deserialize)]
struct CodeObject<'a> {
    #[serde(borrow)]
    object: Cow<'a, str>,
}

/// Returns the hex digits of a code.
fn code_object(json: &RawValue) -> serde_json::Result<Cow<'_, str>> {
    if json.get().starts_with('{') {
        serde_json::from_str::<CodeObject<'_>>(json.get()).map(|code| code.object)
    } else {
        serde_json::from_str(json.get())
    }
}

impl Artifact {
    /// Parses an artifact of Foundry or Hardhat. Returns `None` for interfaces and for code that is too
    /// short to identify a contract.
    pub(super) fn parse(place: ArtifactPlace, json: &str) -> Result<Option<Self>, ArtifactError> {
        let invalid = |e: serde_json::Error| ArtifactError::Invalid(e.to_string().into());
        let mut file: ArtifactFile<'_> = serde_json::from_str(json).map_err(invalid)?;
        let (Some(abi), Some(code)) = (file.abi, file.deployed_bytecode) else { return Ok(None) };
        let stem = place.file.file_name().unwrap_or_default().to_string_lossy();
        let name = file
            .contract_name
            .take()
            .unwrap_or_else(|| stem.split('.').next().unwrap_or_default().to_owned());
        let object = code_object(code).map_err(invalid)?;
        if object.len() / 2 > MAX_CODE_BYTES {
            return Err(ArtifactError::LargeCode);
        }
        let (code, unknown) = parse_code(&object).ok_or(ArtifactError::UnreadableCode)?;
        let fixed = parts_between(&unknown, code.len());
        if !is_telling(&fixed, code.len()) {
            return Ok(None);
        }
        let mut unknown = unknown;
        unknown.extend(metadata_hashes(&code));
        unknown.sort_unstable_by_key(|part| part.start);
        let executed = parts_between(&unknown, code.len());
        let executed = Some(executed).filter(|executed| is_telling(executed, code.len()));
        let created_by = file.bytecode.and_then(|code| code_object(code).ok());
        let small = created_by.filter(|object| object.len() / 2 <= MAX_CODE_BYTES);
        let creation = small.and_then(|object| CreationCode::parse(&object));
        let named = (SafeText::new(&name), abi.to_owned().into());
        Ok(Some(Self::new(place, named, (code, creation), fixed, executed)))
    }

    pub(super) fn new(
        place: ArtifactPlace,
        (name, abi): (SafeText, Arc<RawValue>),
        (code, creation): (Vec<u8>, Option<CreationCode>),
        fixed: Vec<Range<usize>>,
        executed: Option<Vec<Range<usize>>>,
    ) -> Self {
        let (is_older_build, code_hash) = Default::default();
        Self { name, abi, is_older_build, place, code, code_hash, fixed, executed, creation }
    }

    pub(super) fn matches(&self, code: &[u8]) -> bool {
        self.is_equal_in(&self.fixed, code)
    }

    /// Returns `true` for a code that does the same, compiled of sources with other comments.
    pub(super) fn matches_executed(&self, code: &[u8]) -> bool {
        self.executed.as_ref().is_some_and(|executed| self.is_equal_in(executed, code))
    }

    fn is_equal_in(&self, parts: &[Range<usize>], code: &[u8]) -> bool {
        code.len() == self.code.len()
            && parts.iter().all(|part| code.get(part.clone()) == self.code.get(part.clone()))
    }

    /// Returns `true` for a library with functions of its own.
    pub fn is_library(&self) -> bool {
        self.code.starts_with(&LIBRARY_START)
    }

    /// Returns the instruction at a position of the deployed code.
    pub fn instruction(&self, position: usize) -> Option<u8> {
        self.code.get(position).copied()
    }

    /// Returns `true` for the creation of the contract with any arguments.
    pub(super) fn is_created_by(&self, init_code: &[u8]) -> bool {
        self.creation.as_ref().is_some_and(|creation| creation.arguments(init_code).is_some())
    }

    /// Returns the key of the compilation in the cache.
    pub(super) fn cache_key(&self) -> String {
        let hash = self.code_hash.get_or_init(|| keccak256(&self.code));
        format!("build:{hash}:{}", self.place.root.display())
    }

    /// Returns the path for display.
    pub fn path(&self) -> SafeText {
        SafeText::new(&self.place.file.display().to_string())
    }

    /// Returns the bytes of memory that the artifact takes.
    pub(super) fn kept_bytes(&self) -> usize {
        let parts = self.fixed.len() + self.executed.as_ref().map_or(0, Vec::len);
        let ranges = parts * size_of::<Range<usize>>();
        let links = self.creation.as_ref().map_or(0, CreationCode::heap_bytes);
        size_of::<Self>() + self.abi.get().len() + self.code.len() + ranges + links
    }
}

/// Decodes a compiler's code. Returns it with the ranges that are filled in on deployment, in order:
/// library addresses, which have placeholders, and immutable values, which are zero.
///
/// The compiler lists these ranges too, but not in every artifact. Whatever a file lists, only an
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

/// Returns `true` if parts of a code are enough to identify a contract.
fn is_telling(parts: &[Range<usize>], length: usize) -> bool {
    let known: usize = parts.iter().map(ExactSizeIterator::len).sum();
    known >= MIN_CODE_BYTES && length - known <= length / MAX_UNKNOWN_SHARE
}

/// Returns the ranges of the hashes of metadata, also of contracts that the code creates.
fn metadata_hashes(code: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let marks = code.windows(METADATA_MARK.len()).enumerate();
    let starts = marks.filter(|(_, bytes)| **bytes == METADATA_MARK);
    let hashes = starts.map(|(at, _)| {
        let start = at + METADATA_MARK.len();
        start..start + METADATA_HASH_BYTES
    });
    hashes.filter(|hash| hash.end <= code.len())
}

/// Returns the ranges of a code between others, which are in order.
fn parts_between(others: &[Range<usize>], length: usize) -> Vec<Range<usize>> {
    let starts = [0].into_iter().chain(others.iter().map(|other| other.end));
    let ends = others.iter().map(|other| other.start).chain([length]);
    starts.zip(ends).map(|(start, end)| start..end).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_identifies_a_contract_if_a_word_and_two_thirds_are_known() {
        for (parts, length, expected) in [
            (vec![0..20, 20..32], 48, true),
            (vec![0..20, 20..32], 49, false),
            (vec![0..20, 20..31], 31, false),
            (vec![0..20, 40..60], 60, true),
            (vec![0..20, 41..60], 60, false),
        ] {
            assert_eq!(is_telling(&parts, length), expected, "{parts:?} of {length}");
        }
    }
}

//! What a compiler made of a contract: its name, its ABI and its code, but for the bytes that are only
//! known when it is deployed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alloy_primitives::hex;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::build_info::BuildInfos;
use super::compiler_output::{ByContract, CodeSpan, ImmutableSpans};
use crate::sanitize::SafeText;

/// Fewer bytes are the code of many contracts.
pub(super) const MIN_CODE_BYTES: usize = 32;
/// Code of a library begins with its own address, to refuse calls: `PUSH20 … ADDRESS EQ`.
const LIBRARY_START: [u8; 23] = {
    let mut start = [0; 23];
    (start[0], start[21], start[22]) = (0x73, 0x30, 0x14);
    start
};
const LIBRARY_ADDRESS: Range<usize> = 1..21;

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

/// Where the code has the addresses of libraries.
type LinkSpans = ByContract<Vec<CodeSpan>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactFile<'a> {
    #[serde(borrow)]
    abi: Option<&'a RawValue>,
    /// An object as Foundry writes it, or Hardhat's hex.
    #[serde(borrow)]
    deployed_bytecode: Option<&'a RawValue>,
    contract_name: Option<String>,
    source_name: Option<String>,
    #[serde(default)]
    deployed_link_references: LinkSpans,
    /// Missing in artifacts of Hardhat 2.
    immutable_references: Option<ImmutableSpans>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DeployedCode<'a> {
    #[serde(borrow)]
    object: Cow<'a, str>,
    #[serde(default)]
    link_references: LinkSpans,
    #[serde(default)]
    immutable_references: ImmutableSpans,
}

impl Artifact {
    /// Parses an artifact of Foundry or Hardhat. Interfaces and what is too short to be told apart
    /// are `None`.
    pub(super) fn parse(
        place: ArtifactPlace,
        json: &str,
        build_infos: &mut BuildInfos,
    ) -> Result<Option<Self>, SafeText> {
        let invalid = |e: serde_json::Error| SafeText::new(&format!("not an artifact: {e}"));
        let mut file: ArtifactFile<'_> = serde_json::from_str(json).map_err(invalid)?;
        let (Some(abi), Some(code)) = (file.abi, file.deployed_bytecode) else { return Ok(None) };
        let stem = place.file.file_name().unwrap_or_default().to_string_lossy();
        let name = file.contract_name.take();
        let name = name.unwrap_or_else(|| stem.split('.').next().unwrap_or_default().to_owned());
        let code = if code.get().starts_with('{') {
            serde_json::from_str(code.get()).map_err(invalid)?
        } else {
            let source = file.source_name.unwrap_or_default();
            let immutables = file.immutable_references;
            DeployedCode {
                object: serde_json::from_str(code.get()).map_err(invalid)?,
                link_references: file.deployed_link_references,
                immutable_references: immutables
                    .or_else(|| build_infos.immutables(&place.file, &source, &name))
                    .unwrap_or_default(),
            }
        };
        let (code, fixed) = code.mask().ok_or("code cannot be read")?;
        let fixed_bytes: usize = fixed.iter().map(ExactSizeIterator::len).sum();
        let abi = abi.to_owned().into();
        let artifact = Self { name: SafeText::new(&name), abi, place, code, fixed };
        Ok((fixed_bytes >= MIN_CODE_BYTES).then_some(artifact))
    }

    pub(super) fn matches(&self, code: &[u8]) -> bool {
        let is_equal = |part: &Range<usize>| code.get(part.clone()) == self.code.get(part.clone());
        code.len() == self.code.len() && self.fixed.iter().all(is_equal)
    }
}

impl DeployedCode<'_> {
    /// Returns the code and the parts that do not depend on where it is deployed.
    fn mask(&self) -> Option<(Vec<u8>, Vec<Range<usize>>)> {
        let range = |span: &CodeSpan| Some(span.start..span.start.checked_add(span.length)?);
        let links = self.link_references.values().flat_map(HashMap::values).flatten();
        let links: Vec<_> = links.map(range).collect::<Option<_>>()?;
        let immutables = self.immutable_references.values().flatten();
        let mut masked: Vec<_> = immutables.map(range).collect::<Option<_>>()?;

        let mut digits = self.object.trim_start_matches("0x").as_bytes().to_vec();
        for link in &links {
            // A placeholder, which is not hex.
            digits.get_mut(link.start.checked_mul(2)?..link.end.checked_mul(2)?)?.fill(b'0');
        }
        let code = hex::decode(digits).ok()?;
        masked.extend(links);
        masked.extend(code.starts_with(&LIBRARY_START).then_some(LIBRARY_ADDRESS));
        masked.sort_unstable_by_key(|range| range.start);
        masked.push(code.len()..code.len());

        let mut fixed = Vec::new();
        let mut at = 0;
        for range in masked {
            if range.end > code.len() {
                return None;
            }
            fixed.extend((at < range.start).then_some(at..range.start));
            at = at.max(range.end);
        }
        Some((code, fixed))
    }
}

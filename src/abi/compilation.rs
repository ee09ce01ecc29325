//! What a contract of a project was compiled from, and how: read again when it is asked for, as the
//! sources of a whole project would fill the memory.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path};
use std::sync::Arc;

use alloy_primitives::{B256, keccak256};
use serde::{Deserialize, Serialize};

use super::artifact::Artifact;
use super::build_info::{self, BuildInfos};
use super::json_files::MAX_FILE_BYTES;
use crate::sanitize::SafeText;
use crate::secure_fs;

const MAX_SOURCE_BYTES: u64 = 1 << 20;
/// Bytes and number of files of a contract that are enough.
const MAX_TOTAL_BYTES: usize = 16 << 20;
const MAX_SOURCES: usize = 1_000;
/// Missing files that are named. Libraries that are gone have dozens.
const MAX_PROBLEMS: usize = 5;

/// What a contract was compiled from, and how, as far as it is known. Its JSON is part of the API's
/// object of a contract.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct ContractSource {
    pub language: Option<Box<str>>,
    pub compiler_version: Option<Box<str>>,
    pub evm_version: Option<Box<str>>,
    pub optimization_enabled: Option<bool>,
    pub optimization_runs: Option<u64>,
    pub license_type: Option<Box<str>>,
    pub file_path: Option<Box<str>>,
    pub source_code: Option<Box<str>>,
    pub additional_sources: Vec<AdditionalSource>,
    /// Why files are missing. Explorers have no such field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source_problems: Vec<SafeText>,
}

#[derive(Debug, Deserialize, Serialize)]
pub struct AdditionalSource {
    pub file_path: Box<str>,
    pub source_code: Box<str>,
}

/// What the compiler was given for a contract.
struct Compilation {
    metadata: CompilerMetadata,
    texts: SourceTexts,
}

/// Where the texts of the sources are.
enum SourceTexts {
    /// In the project, perhaps changed since.
    Project(Arc<Path>),
    Recorded(HashMap<String, InputSource>),
}

#[derive(Deserialize)]
struct CompilerMetadata {
    compiler: CompilerVersion,
    language: String,
    settings: CompilerSettings,
    sources: BTreeMap<String, SourceMetadata>,
}

#[derive(Deserialize)]
struct CompilerVersion {
    version: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CompilerSettings {
    /// The name of the contract, by the path of its file.
    compilation_target: BTreeMap<String, String>,
    evm_version: Option<String>,
    #[serde(default)]
    optimizer: OptimizerSettings,
}

#[derive(Default, Deserialize)]
struct OptimizerSettings {
    enabled: Option<bool>,
    runs: Option<u64>,
}

#[derive(Deserialize)]
struct SourceMetadata {
    keccak256: Option<B256>,
    license: Option<String>,
    content: Option<String>,
}

/// The fields of an artifact that tell what it is from.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactOrigin {
    /// Only in artifacts of Foundry.
    metadata: Option<CompilerMetadata>,
    contract_name: Option<String>,
    source_name: Option<String>,
    /// Only in artifacts of Hardhat 3: the source in the compiler's words.
    input_source_name: Option<String>,
    build_info_id: Option<String>,
}

#[derive(Deserialize)]
struct BuildInput {
    input: CompilerInput,
}

#[derive(Deserialize)]
struct CompilerInput {
    sources: HashMap<String, InputSource>,
}

#[derive(Deserialize)]
struct InputSource {
    content: Option<String>,
}

#[derive(Deserialize)]
struct BuildOutput {
    output: ContractOutputs,
}

#[derive(Deserialize)]
struct ContractOutputs {
    /// By source and name.
    contracts: HashMap<String, HashMap<String, ContractOutput>>,
}

#[derive(Deserialize)]
struct ContractOutput {
    metadata: Option<String>,
}

impl Artifact {
    /// Returns what the contract was compiled from, as far as the project still has it.
    pub fn source(&self) -> ContractSource {
        match Compilation::read(self) {
            Ok(compilation) => compilation.source(),
            Err(why) => ContractSource { source_problems: vec![why], ..ContractSource::default() },
        }
    }
}

impl Compilation {
    fn read(artifact: &Artifact) -> Result<Self, SafeText> {
        let place = &artifact.place;
        let json = secure_fs::read_text(&place.file, MAX_FILE_BYTES)
            .map_err(|error| SafeText::new(&format!("cannot read the artifact: {error}")))?;
        let mut build_infos = BuildInfos::in_folder(&place.output);
        let now = Artifact::parse(place.clone(), &json, &mut build_infos)?;
        if now.is_none_or(|now| now.code != artifact.code) {
            return Err("no source: the project was compiled anew since".into());
        }
        let origin: ArtifactOrigin = serde_json::from_str(&json)
            .map_err(|error| SafeText::new(&format!("cannot read the artifact: {error}")))?;
        if let Some(metadata) = origin.metadata {
            return Ok(Self { metadata, texts: SourceTexts::Project(Arc::clone(&place.root)) });
        }
        let folder = place.output.join(build_info::FOLDER);
        Self::from_build(&place.file, &folder, &origin)
            .ok_or_else(|| "no source: the artifact has no metadata, nor has build-info".into())
    }

    fn from_build(artifact: &Path, folder: &Path, origin: &ArtifactOrigin) -> Option<Self> {
        let names = build_info::file_names(artifact, origin.build_info_id.as_deref())?;
        let [input, output] = names.map(|name| build_info::read(&folder.join(name)));
        let source = origin.input_source_name.as_ref().or(origin.source_name.as_ref())?;
        let output: BuildOutput = serde_json::from_str(&output?).ok()?;
        let contract = output.output.contracts.get(source)?.get(origin.contract_name.as_ref()?)?;
        let metadata = serde_json::from_str(contract.metadata.as_ref()?).ok()?;
        let input: BuildInput = serde_json::from_str(&input?).ok()?;
        Some(Self { metadata, texts: SourceTexts::Recorded(input.input.sources) })
    }

    /// Returns the path of the contract's own file.
    fn own_path(&self) -> Option<&str> {
        self.metadata.settings.compilation_target.keys().next().map(|path| &**path)
    }

    fn source(self) -> ContractSource {
        let own = self.own_path();
        let others = self.metadata.sources.keys().map(|path| &**path).filter(|it| Some(*it) != own);
        let (mut texts, mut problems) = (Vec::new(), Vec::new());
        let mut left = MAX_TOTAL_BYTES;
        for path in own.into_iter().chain(others) {
            let is_full = left == 0 || texts.len() == MAX_SOURCES;
            let text = if is_full { Err("is one file too many") } else { self.text(path) };
            match text {
                Ok(text) => {
                    left = left.saturating_sub(text.len());
                    let (file_path, source_code) = (path.into(), text.into());
                    texts.push(AdditionalSource { file_path, source_code });
                }
                Err(why) => problems.push(SafeText::new(&format!("{path} {why}"))),
            }
        }
        let more = problems.len().saturating_sub(MAX_PROBLEMS);
        if more > 0 {
            problems.truncate(MAX_PROBLEMS);
            problems
                .push(SafeText::new(&format!("{more} more files are not as they were compiled")));
        }
        let has_own = texts.first().is_some_and(|first| Some(&*first.file_path) == own);
        let source_code = has_own.then(|| texts.remove(0).source_code);
        let license = own.and_then(|own| self.metadata.sources.get(own)?.license.as_deref());
        let CompilerSettings { evm_version, optimizer, .. } = &self.metadata.settings;
        ContractSource {
            language: Some(self.metadata.language.to_lowercase().into()),
            compiler_version: Some(format!("v{}", self.metadata.compiler.version).into()),
            evm_version: evm_version.as_deref().map(Into::into),
            optimization_enabled: optimizer.enabled,
            optimization_runs: optimizer.runs,
            license_type: license.map(Into::into),
            file_path: own.map(Into::into),
            source_code,
            additional_sources: texts,
            source_problems: problems,
        }
    }

    /// Returns the text of a file as it was compiled, or what is wrong with the file.
    fn text(&self, path: &str) -> Result<String, &'static str> {
        let source = self.metadata.sources.get(path).ok_or("is not in the metadata")?;
        if let Some(content) = &source.content {
            return Ok(content.clone());
        }
        match &self.texts {
            SourceTexts::Project(root) => read_source(root, path, source.keccak256),
            SourceTexts::Recorded(sources) => {
                let content = sources.get(path).and_then(|source| source.content.clone());
                content.ok_or("is not in the compiler's input")
            }
        }
    }
}

/// Reads a source that is in the project, also behind links, and has the hash that the compiler saw.
fn read_source(root: &Path, path: &str, hash: Option<B256>) -> Result<String, &'static str> {
    let is_relative = Path::new(path).components().all(|it| matches!(it, Component::Normal(_)));
    let file = root.join(path).canonicalize().ok().filter(|_| is_relative);
    let root = root.canonicalize().ok();
    let file = file.zip(root).filter(|(file, root)| file.starts_with(root)).map(|(file, _)| file);
    let text = secure_fs::read_text(&file.ok_or("is not in the project")?, MAX_SOURCE_BYTES);
    let text = text.map_err(|_| "is not a text of at most 1 MB")?;
    if Some(keccak256(&text)) == hash { Ok(text) } else { Err("changed since it was compiled") }
}

//! Sources and settings of one compiled contract.
//!
//! They are read from the project's files again for each request, as the sources of a whole project
//! would fill the memory.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::error::Error;
use std::io::ErrorKind;
use std::path::{Component, Path};
use std::rc::Rc;

use alloy_primitives::{B256, keccak256};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::artifact::{Artifact, ArtifactPlace, parse_code};
use super::build_info;
use super::compiler_output::{BuildOutput, CodeOutput, CompilerOutput, SourceNumbers, few_entries};
use super::definitions::ParsedSource;
use super::source_frames;
use super::source_map::{SourceMap, line_of};
use crate::abi::json_files::MAX_FILE_BYTES;
use crate::messages::project::{SourceError, SourceFileError};
use crate::sanitize::SafeText;
use crate::secure_fs;

const MAX_SOURCE_BYTES: u64 = 1 << 20;
/// Maximum bytes and number of a contract's sources.
const MAX_TOTAL_BYTES: usize = 16 << 20;
const MAX_SOURCES: usize = 1_000;
/// Maximum missing files that are named. Deleted libraries have dozens.
const MAX_PROBLEMS: usize = 5;
/// Lines of context before and after a source line.
const LINES_AROUND: usize = 2;
/// The start of Hardhat 3's names for files of the project.
const HARDHAT_3_PREFIX: &str = "project/";

/// A contract's sources and compiler settings, as far as they are known. Its JSON is part of the API's
/// contract object.
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
    /// Reasons for missing files. Explorers have no such field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source_problems: Vec<SafeText>,
}

#[derive(Debug, Deserialize, Serialize)]
pub struct AdditionalSource {
    pub file_path: Box<str>,
    pub source_code: Box<str>,
}

/// A line of a source, with its context.
#[derive(Debug, Serialize)]
pub struct SourceLine {
    pub file_path: String,
    pub line: usize,
    /// `false` if this line is only near the actual one: optimized code has no location for much of its
    /// source.
    pub is_exact: bool,
    pub first_line: usize,
    pub source_code: String,
    /// The function, modifier or constructor around the line, with its contract.
    pub definition: Option<String>,
    /// Lines of the functions of the same code that called the one of this line, the outermost first.
    pub callers: Vec<SourceLine>,
}

impl SourceLine {
    /// Returns the text of the line itself.
    pub fn text(&self) -> Option<&str> {
        self.source_code.lines().nth(self.line.checked_sub(self.first_line)?)
    }
}

/// The compiler's input for a contract, and the source range of each instruction.
struct Compilation {
    metadata: CompilerMetadata,
    files: SourceFiles,
    creation: CodeOutput,
    deployed: CodeOutput,
}

/// Location of the sources, and their numbers in source maps.
enum SourceFiles {
    /// In the project, perhaps changed since. Only the number of the contract's own file is known.
    Project(ArtifactPlace, Option<u32>),
    Recorded {
        sources: HashMap<String, InputSource>,
        numbers: SourceNumbers,
        is_hardhat_3: bool,
    },
}

/// A compilation with the texts of its sources in the metadata, as the disk cache has it.
#[derive(Deserialize, Serialize)]
pub(super) struct CachedCompilation {
    metadata: CompilerMetadata,
    numbers: SourceNumbers,
    is_hardhat_3: bool,
    creation: CodeOutput,
    deployed: CodeOutput,
    pub(super) storage_layout: Option<Box<RawValue>>,
}

/// The compiler's metadata, or the same facts from its input: Hardhat 3 requests no metadata by
/// default.
#[derive(Deserialize, Serialize)]
struct CompilerMetadata {
    compiler: CompilerVersion,
    language: String,
    settings: CompilerSettings,
    #[serde(deserialize_with = "few_entries")]
    sources: BTreeMap<String, SourceMetadata>,
}

#[derive(Deserialize, Serialize)]
struct CompilerVersion {
    version: String,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct CompilerSettings {
    /// The name of the contract, by the path of its file.
    #[serde(default, deserialize_with = "few_entries")]
    compilation_target: BTreeMap<String, String>,
    evm_version: Option<String>,
    #[serde(default)]
    optimizer: OptimizerSettings,
}

#[derive(Default, Deserialize, Serialize)]
struct OptimizerSettings {
    enabled: Option<bool>,
    runs: Option<u64>,
}

#[derive(Deserialize, Serialize)]
struct SourceMetadata {
    keccak256: Option<B256>,
    license: Option<String>,
    content: Option<String>,
}

/// The fields of an artifact that identify its compilation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactOrigin<'a> {
    /// Only in artifacts of Foundry.
    metadata: Option<CompilerMetadata>,
    contract_name: Option<String>,
    source_name: Option<String>,
    /// Only in artifacts of Hardhat 3: the compiler's name of the source.
    input_source_name: Option<String>,
    build_info_id: Option<String>,
    /// The number of the source, in artifacts of Foundry.
    id: Option<u32>,
    /// An object with a source map in artifacts of Foundry, else hex.
    #[serde(borrow)]
    bytecode: Option<&'a RawValue>,
    #[serde(borrow)]
    deployed_bytecode: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BuildInput {
    solc_long_version: Option<String>,
    input: CompilerInput,
}

#[derive(Deserialize)]
struct CompilerInput {
    language: Option<String>,
    settings: Option<CompilerSettings>,
    #[serde(deserialize_with = "few_entries")]
    sources: HashMap<String, InputSource>,
}

#[derive(Deserialize)]
struct InputSource {
    content: Option<String>,
}

impl Artifact {
    /// Returns the contract's sources and settings, as far as the project still has them.
    pub fn source(&self) -> ContractSource {
        match Compilation::read(self) {
            Ok(compilation) => compilation.source(),
            Err(why) => ContractSource {
                source_problems: vec![why.to_string().into()],
                ..ContractSource::default()
            },
        }
    }

    /// Returns the source line at which a run of the deployed code ended, or the reason why it is
    /// unknown. `steps` are positions in the code.
    pub fn line_of_end(&self, steps: &[usize]) -> Result<SourceLine, SourceError> {
        let compilation = Compilation::read(self)?;
        compilation.line_of_end(&compilation.deployed, &self.code, steps)
    }

    /// Returns the source line at which the creation of the contract ended.
    pub fn line_of_creation_end(&self, steps: &[usize]) -> Result<SourceLine, SourceError> {
        let compilation = Compilation::read(self)?;
        let code = compilation.creation.object.as_deref().and_then(parse_code);
        let (code, _) = code.ok_or(SourceError::NotCompiled)?;
        compilation.line_of_end(&compilation.creation, &code, steps)
    }

    /// Returns the compilation with all sources that the project has as they were compiled.
    pub(super) fn compilation_to_cache(
        &self,
        storage_layout: Option<Box<RawValue>>,
    ) -> Option<CachedCompilation> {
        Compilation::in_project(self).ok().map(|found| found.into_cached(storage_layout))
    }

    /// Returns the compilation in the cache, if it was kept.
    pub(super) fn cached_compilation(&self) -> Option<CachedCompilation> {
        let cached = self.place.cache.as_ref()?.read(&self.cache_key())?;
        serde_json::from_slice(&cached).ok()
    }
}

impl From<CachedCompilation> for Compilation {
    fn from(cached: CachedCompilation) -> Self {
        let CachedCompilation { metadata, numbers, is_hardhat_3, creation, deployed, .. } = cached;
        let sources = HashMap::new();
        let files = SourceFiles::Recorded { sources, numbers, is_hardhat_3 };
        Self { metadata, files, creation, deployed }
    }
}

impl Compilation {
    /// Reads the compilation of an artifact in the project, or else in the cache.
    fn read(artifact: &Artifact) -> Result<Self, SourceError> {
        Self::in_project(artifact)
            .or_else(|error| artifact.cached_compilation().map(Self::from).ok_or(error))
    }

    fn in_project(artifact: &Artifact) -> Result<Self, SourceError> {
        let unreadable = |error: &dyn Error| SourceError::Artifact(error.to_string().into());
        let place = &artifact.place;
        let json = secure_fs::read_own_text(&place.file, MAX_FILE_BYTES)
            .map_err(|error| unreadable(&error))?;
        let now = Artifact::parse(place.clone(), &json).map_err(|error| unreadable(&error))?;
        if now.is_none_or(|now| now.code != artifact.code) {
            return Err(SourceError::Recompiled);
        }
        let mut origin: ArtifactOrigin<'_> =
            serde_json::from_str(&json).map_err(|error| unreadable(&error))?;
        if let Some(metadata) = origin.metadata.take() {
            let code = |json: Option<&RawValue>| {
                let code = json.and_then(|json| serde_json::from_str(json.get()).ok());
                code.unwrap_or_default()
            };
            let files = SourceFiles::Project(place.clone(), origin.id);
            let (creation, deployed) = (code(origin.bytecode), code(origin.deployed_bytecode));
            return Ok(Self { metadata, files, creation, deployed });
        }
        Self::from_build(artifact, &origin).ok_or(SourceError::NoMetadata)
    }

    /// Reads the compiler's input, if its output is the code of the artifact.
    fn from_build(artifact: &Artifact, origin: &ArtifactOrigin<'_>) -> Option<Self> {
        let place = &artifact.place;
        let folder = place.output.join(build_info::FOLDER);
        let [input, output] = build_info::file_names(&place.file, origin.build_info_id.as_deref())?;
        let source = origin.input_source_name.as_ref().or(origin.source_name.as_ref())?;
        let output_json = build_info::read(&folder.join(&output))?;
        let input_json = if input == output {
            output_json.clone()
        } else {
            build_info::read(&folder.join(&input))?
        };
        let BuildOutput { output } = serde_json::from_str(&output_json).ok()?;
        let contract = output.contract(source, origin.contract_name.as_ref()?)?;
        let (code, _) = parse_code(contract.evm.deployed_bytecode.object.as_deref()?)?;
        if code != artifact.code {
            return None;
        }
        let mut input: BuildInput = serde_json::from_str(&input_json).ok()?;
        let metadata = match &contract.metadata {
            Some(metadata) => serde_json::from_str(metadata).ok()?,
            None => input.take_metadata(&output, source)?,
        };
        let is_hardhat_3 = origin.input_source_name.is_some();
        Some(Self {
            metadata,
            files: SourceFiles::Recorded {
                sources: input.input.sources,
                numbers: output.source_numbers(),
                is_hardhat_3,
            },
            creation: contract.evm.bytecode,
            deployed: contract.evm.deployed_bytecode,
        })
    }

    /// Returns the line at which the steps end, with the lines of the internal calls around it.
    fn line_of_end(
        &self,
        mapped: &CodeOutput,
        code: &[u8],
        steps: &[usize],
    ) -> Result<SourceLine, SourceError> {
        let numbers = self.source_numbers();
        let files = numbers.keys().copied().collect();
        let map = mapped.source_map.as_deref().ok_or(SourceError::NoMap)?;
        let map = SourceMap::new(map, code, &files).ok_or(SourceError::UnreadableMap)?;
        if !steps.iter().all(|position| map.has_instruction(*position)) {
            return Err(SourceError::OtherSteps);
        }
        let sources = RefCell::new(HashMap::new());
        let path_of = |file: u32| numbers.get(&file).map_or("", |path| &**path);
        let parse = |file| Some(Rc::new(ParsedSource::new(self.text(path_of(file)).ok()?.into())));
        let source_of = |file: u32| -> Option<Rc<ParsedSource>> {
            sources.borrow_mut().entry(file).or_insert_with(|| parse(file)).clone()
        };
        let found = map.end_of(steps, |range| {
            source_of(range.file).is_some_and(|source| is_contract(&source.text, range.start))
        });
        let (range, is_exact) = found.ok_or(SourceError::NoStep)?;
        let line_at = |file: u32, byte, is_exact| {
            let source = source_of(file)?;
            self.line_at(path_of(file), &source, byte, is_exact)
        };
        let Some(line) = line_at(range.file, range.start, is_exact) else {
            let path = path_of(range.file);
            let why = self.text(path).err().map(|why| self.file_error(path, why));
            return Err(why.unwrap_or(SourceError::OtherSource));
        };
        let places = source_frames::callers(&map, steps, range, &source_of).into_iter();
        let callers = places.filter_map(|(file, at)| line_at(file, at, true));
        Ok(SourceLine { callers: callers.collect(), ..line })
    }

    /// Returns the line of a byte in a file, with the lines around it.
    fn line_at(
        &self,
        path: &str,
        source: &ParsedSource,
        byte: usize,
        is_exact: bool,
    ) -> Option<SourceLine> {
        let line = line_of(&source.text, byte)?;
        let first_line = line.saturating_sub(LINES_AROUND).max(1);
        let lines =
            source.text.lines().skip(first_line - 1).take(line - first_line + 1 + LINES_AROUND);
        let source_code = lines.collect::<Vec<_>>().join("\n");
        let file_path = self.project_path(path).to_owned();
        let definition = source.definition_at(byte).map(|found| source.qualified_name(found));
        let callers = Vec::new();
        Some(SourceLine { file_path, line, is_exact, first_line, source_code, definition, callers })
    }

    /// Returns the path in the project of a file that the compiler may know by another name.
    fn project_path<'a>(&self, path: &'a str) -> &'a str {
        match self.files {
            SourceFiles::Recorded { is_hardhat_3: true, .. } => {
                path.strip_prefix(HARDHAT_3_PREFIX).unwrap_or(path)
            }
            SourceFiles::Recorded { .. } | SourceFiles::Project(..) => path,
        }
    }

    fn source(self) -> ContractSource {
        let own = self.metadata.own_path();
        let others =
            self.metadata.sources.keys().map(|path| &**path).filter(|path| Some(*path) != own);
        let (mut texts, mut problems) = (Vec::new(), Vec::new());
        let mut left = MAX_TOTAL_BYTES;
        for path in own.into_iter().chain(others) {
            let is_full = left == 0 || texts.len() == MAX_SOURCES;
            let text = if is_full { Err(SourceFileError::OverLimit) } else { self.text(path) };
            match text {
                Ok(text) => {
                    left = left.saturating_sub(text.len());
                    let file_path = self.project_path(path).into();
                    texts.push(AdditionalSource { file_path, source_code: text.into() });
                }
                Err(why) => problems.push(self.file_error(path, why)),
            }
        }
        let more = problems.len().saturating_sub(MAX_PROBLEMS);
        if more > 0 {
            problems.truncate(MAX_PROBLEMS);
            problems.push(SourceError::MoreFiles(more));
        }
        let own_path = own.map(|own| self.project_path(own));
        let has_own = texts.first().is_some_and(|first| Some(&*first.file_path) == own_path);
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
            file_path: own_path.map(Into::into),
            source_code,
            additional_sources: texts,
            source_problems: problems.iter().map(|why| why.to_string().into()).collect(),
        }
    }

    fn file_error(&self, path: &str, why: SourceFileError) -> SourceError {
        SourceError::File { path: self.project_path(path).into(), why }
    }

    /// Returns the text of a file as it was compiled, or the problem of the file.
    fn text(&self, path: &str) -> Result<String, SourceFileError> {
        let source = self.metadata.sources.get(path).ok_or(SourceFileError::NoMetadata)?;
        let hash = source.keccak256.ok_or(SourceFileError::NoHash)?;
        let text = match (&source.content, &self.files) {
            (Some(content), _) => content.clone(),
            (None, SourceFiles::Project(place, _)) => read_source(&place.root, path)?,
            (None, SourceFiles::Recorded { sources, .. }) => {
                let content = sources.get(path).and_then(|source| source.content.clone());
                content.ok_or(SourceFileError::NoInput)?
            }
        };
        let is_compiled = keccak256(&text) == hash;
        is_compiled.then_some(text).ok_or(SourceFileError::Changed)
    }

    fn into_cached(mut self, storage_layout: Option<Box<RawValue>>) -> CachedCompilation {
        let numbers = self.source_numbers().into_owned();
        let paths = self.metadata.sources.keys();
        let texts: Vec<_> = paths.map(|path| self.text(path).ok()).collect();
        for (source, text) in self.metadata.sources.values_mut().zip(texts) {
            source.content = text;
        }
        let Self { metadata, files, creation, deployed } = self;
        let is_hardhat_3 = matches!(files, SourceFiles::Recorded { is_hardhat_3: true, .. });
        CachedCompilation { metadata, numbers, is_hardhat_3, creation, deployed, storage_layout }
    }

    fn source_numbers(&self) -> Cow<'_, SourceNumbers> {
        match &self.files {
            SourceFiles::Recorded { numbers, .. } => Cow::Borrowed(numbers),
            SourceFiles::Project(place, own) => {
                let own = own.zip(self.metadata.own_path());
                let numbers = own.map(|own| foundry_numbers(&self.metadata, own, place));
                Cow::Owned(numbers.unwrap_or_default())
            }
        }
    }
}

impl BuildInput {
    /// Takes the facts that metadata would have of the contract in a source.
    fn take_metadata(
        &mut self,
        output: &CompilerOutput<'_>,
        source: &str,
    ) -> Option<CompilerMetadata> {
        let imported = output.with_imports(source).into_iter();
        let sources = imported
            .filter_map(|path| {
                let content = self.input.sources.get(path)?.content.as_ref()?;
                let license = output.license(path).map(ToOwned::to_owned);
                let keccak256 = Some(keccak256(content));
                Some((path.to_owned(), SourceMetadata { keccak256, license, content: None }))
            })
            .collect();
        let mut settings = self.input.settings.take()?;
        settings.compilation_target.insert(source.to_owned(), String::new());
        let compiler = CompilerVersion { version: self.solc_long_version.take()? };
        let language = self.input.language.take()?;
        Some(CompilerMetadata { compiler, language, settings, sources })
    }
}

impl CompilerMetadata {
    /// Returns the path of the contract's own file.
    fn own_path(&self) -> Option<&str> {
        self.settings.compilation_target.keys().next().map(|path| &**path)
    }
}

/// Returns the source numbers in the run of Foundry's compiler that made an artifact. It has all
/// sources of the artifact, and the same number for the contract's own file. A number in which several
/// such runs differ is unknown.
fn foundry_numbers(
    metadata: &CompilerMetadata,
    (own_number, own_path): (u32, &str),
    place: &ArtifactPlace,
) -> SourceNumbers {
    let mut agreed: Option<SourceNumbers> = None;
    for mut run in build_info::foundry_runs(&place.output) {
        for path in run.values_mut() {
            let relative = Path::new(path).strip_prefix(&place.root).ok().and_then(Path::to_str);
            if let Some(relative) = relative.map(ToOwned::to_owned) {
                *path = relative;
            }
        }
        let paths: HashSet<&String> = run.values().collect();
        let is_of_artifact = run.get(&own_number).is_some_and(|path| path == own_path)
            && metadata.sources.keys().all(|source| paths.contains(source));
        match &mut agreed {
            _ if !is_of_artifact => {}
            Some(agreed) => agreed.retain(|number, path| run.get(number) == Some(path)),
            None => agreed = Some(run),
        }
    }
    let mut agreed = agreed.unwrap_or_default();
    agreed.retain(|_, path| metadata.sources.contains_key(path));
    agreed.insert(own_number, own_path.to_owned());
    agreed
}

/// Returns `true` if a contract begins at a byte of a source.
fn is_contract(text: &str, start: usize) -> bool {
    let rest = text.get(start..).unwrap_or_default();
    ["contract ", "abstract ", "library ", "interface "].iter().any(|word| rest.starts_with(word))
}

/// Reads a source inside the project, also behind links.
fn read_source(root: &Path, path: &str) -> Result<String, SourceFileError> {
    let is_relative = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let resolved = root.join(path).canonicalize().ok().filter(|_| is_relative);
    let file = resolved.filter(|file| file.starts_with(root)).ok_or(SourceFileError::Outside)?;
    secure_fs::read_own_text(&file, MAX_SOURCE_BYTES).map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => SourceFileError::OtherOwner,
        _ => SourceFileError::Unreadable,
    })
}

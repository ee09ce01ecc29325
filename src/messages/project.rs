//! Problems of a project's artifacts and sources.

use crate::sanitize::SafeText;

super::sentences! {
    OTHER_OWNER = "not read: the project belongs to another user";
}

/// A file of the project that names no contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactError {
    #[error("not an artifact: {0}")]
    Invalid(SafeText),
    #[error("code is larger than 1 MB")]
    LargeCode,
    #[error("code cannot be read")]
    UnreadableCode,
    #[error("skipped: the contracts before take 64 MB")]
    MemoryLimit,
    #[error("more than 10,000 entries")]
    TooManyEntries,
}

/// A source, or a line of it, that is unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    #[error("not compiled in this project")]
    NotCompiled,
    #[error("cannot read the artifact: {0}")]
    Artifact(SafeText),
    #[error("no source: the project was compiled again since")]
    Recompiled,
    #[error("no source: the artifact has neither metadata nor build-info")]
    NoMetadata,
    #[error("the artifact has no source map")]
    NoMap,
    #[error("the source map cannot be read")]
    UnreadableMap,
    #[error("the node's steps do not fit this code")]
    OtherSteps,
    #[error("no step of the call is from a source")]
    NoStep,
    #[error("the source map does not fit the source")]
    OtherSource,
    #[error("{path} {why}")]
    File { path: SafeText, why: SourceFileError },
    #[error("{0} more files are missing")]
    MoreFiles(usize),
}

/// A source file that is not the one that was compiled. The message follows its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SourceFileError {
    #[error("is beyond the limit of files")]
    OverLimit,
    #[error("is not in the metadata")]
    NoMetadata,
    #[error("has no hash in the metadata")]
    NoHash,
    #[error("is not in the compiler's input")]
    NoInput,
    #[error("changed since it was compiled")]
    Changed,
    #[error("is not in the project")]
    Outside,
    #[error("belongs to another user")]
    OtherOwner,
    #[error("is not a text of at most 1 MB")]
    Unreadable,
}

//! Problems of this machine: files, programs, the clipboard.

use std::io;

use crate::sanitize::SafeText;

super::sentences! {
    NO_PROGRAM = "no program to open it";
    FILE_EXISTS = "the file exists";
    PERMISSION_DENIED = "permission denied";
    NO_FOLDER = "no such directory";
    NO_CONFIG_FOLDER = "no configuration directory";
    NO_STATE_FOLDER = "no state directory";
    NOT_PRIVATE = "not a private directory";
    LOCKED = "another program holds the lock";
    NOT_SAVED_IN_TIME = "cannot save labels and visits in time";
    RECORDING_ENDED = "the recording has ended";
}

/// A file of the user that cannot be read or written.
#[derive(Debug, strum::Display)]
pub enum UserFileProblem<'a> {
    #[strum(to_string = "cannot load labels: {why}")]
    LabelsNotLoaded { why: &'a str },
    #[strum(to_string = "cannot save labels: {why}")]
    LabelsNotSaved { why: &'a str },
    #[strum(to_string = "{why} · {path}")]
    AtPath { why: &'a str, path: &'a str },
    #[strum(to_string = "recent/{key}: {why}")]
    Recents { key: &'a str, why: &'a str },
    #[strum(to_string = "it would be larger than {megabytes} MB")]
    TooLarge { megabytes: u64 },
    /// A file whose name may contain a key.
    #[strum(to_string = "cannot rename the file that is now {name}")]
    NotRenamed { name: &'a str },
    #[strum(to_string = "signature kept for this session only: {path}: {why}")]
    SignatureNotSaved { path: &'a str, why: &'a str },
}

impl From<UserFileProblem<'_>> for SafeText {
    fn from(problem: UserFileProblem<'_>) -> Self {
        Self::new(&problem.to_string())
    }
}

/// A program of the user, or the terminal, that does not take a text or a URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    #[error("cannot start {name}: {why}")]
    NotStarted { name: String, why: String },
    #[error("{name} failed: {status}")]
    Failed { name: String, status: String },
    #[error("{name}: {why}")]
    NotWaitedFor { name: String, why: String },
    #[error("unmatched quote in ${variable}")]
    UnmatchedQuote { variable: &'static str },
    #[error("{bytes} bytes are too long for OSC 52")]
    LongText { bytes: usize },
    #[error("cannot open {scheme} URLs")]
    Scheme { scheme: String },
}

impl From<ProgramError> for SafeText {
    fn from(error: ProgramError) -> Self {
        Self::new(&error.to_string())
    }
}

/// The outcome of writing a file that the user has named.
#[derive(Debug, strum::Display)]
pub enum FileOutcome<'a> {
    #[strum(to_string = "wrote {path} ({what})")]
    Written { path: &'a str, what: &'a SafeText },
    #[strum(to_string = "{path}: {why}")]
    NotWritten { path: &'a str, why: &'a str },
}

impl From<FileOutcome<'_>> for SafeText {
    fn from(outcome: FileOutcome<'_>) -> Self {
        Self::new(&outcome.to_string())
    }
}

/// A recording that cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("not a chainglass recording")]
    NotARecording,
    #[error("recording version {found} cannot be read, only {supported}")]
    UnsupportedVersion { found: u32, supported: u32 },
    #[error("line {0} is incomplete or invalid")]
    InvalidLine(usize),
}

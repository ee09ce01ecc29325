//! Problems of a file of labels.

use crate::chain::Address;
use crate::sanitize::SafeText;

/// A line of a label file, or the file, that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LabelFileError {
    #[error("{0} is already listed above")]
    Duplicate(Address),
    #[error("no column `{0}` in the header")]
    NoColumn(&'static str),
    #[error("not valid CSV")]
    InvalidCsv,
    #[error("line break in a field (unclosed quote?)")]
    LineBreak,
    #[error("label is longer than {max} characters")]
    LongName { max: usize },
    #[error("address checksum does not match (mistyped digit?)")]
    Checksum,
    #[error("no address (0x and 40 hex digits)")]
    NoAddress,
    #[error("`watch` must be yes or no")]
    InvalidFlag,
}

impl From<LabelFileError> for SafeText {
    fn from(error: LabelFileError) -> Self {
        error.to_string().into()
    }
}

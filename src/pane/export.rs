//! Files of a pane for external programs and for the command line.

use std::fmt;

use crate::api::Query;
use crate::sanitize::SafeText;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// File name, with an extension for the content.
    pub name: String,
    pub lines: Vec<String>,
}

impl Export {
    pub fn new(name: impl Into<String>, lines: impl IntoIterator<Item = impl ToString>) -> Self {
        let lines = lines.into_iter().map(|line| line.to_string()).collect();
        Self { name: name.into(), lines }
    }
}

/// The state of a pane that a command line can express.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewParams {
    pub query: Option<Query>,
    /// The path of the selected call of a trace.
    pub node: Vec<u32>,
    /// The place in a contract's source that is shown. No command line has it.
    pub source: Option<SourcePlace>,
}

/// A place in the source of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourcePlace {
    /// The definition of a function, an event or an error, by its name, or a function's selector.
    Definition(SafeText),
    /// A line of a file, counted from 1.
    Line(SafeText, u64),
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Definition(name) => write!(f, "{name}"),
            Self::Line(file, line) => write!(f, "{file}:{line}"),
        }
    }
}

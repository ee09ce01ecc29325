//! What a pane hands to external programs and to the command line.

use crate::api::Query;
use crate::sanitize::SafeText;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// Its name. The extension says what it contains.
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
    /// The function whose definition is shown. No command line has it.
    pub function: SafeText,
}

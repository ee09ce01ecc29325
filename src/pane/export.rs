//! What a pane shows, as a file for a program of the user's; and what of it a command line can say.

use crate::api::Query;

/// A file to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// What it is called: its ending says what is in it.
    pub name: String,
    /// Its lines.
    pub lines: Vec<String>,
}

impl Export {
    /// A file of these lines.
    pub fn new(name: impl Into<String>, lines: impl IntoIterator<Item = impl ToString>) -> Self {
        let lines = lines.into_iter().map(|line| line.to_string()).collect();
        Self { name: name.into(), lines }
    }
}

/// What of a pane a command line can say, beyond which pane it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewParams {
    /// What a list asks for, with its filters.
    pub query: Option<Query>,
    /// The selected call of a trace, by its path.
    pub node: Vec<u32>,
}

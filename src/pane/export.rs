//! Contents of a pane as a file for external programs, and its state as arguments of a command line.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use strum::{EnumString, IntoStaticStr, VariantNames};

use super::{Command, ListView, PanePrompt};
use crate::api::Query;
use crate::app_message::{Effect, ExternalTool};
use crate::messages::export::ExportNote;
use crate::messages::list;
use crate::sanitize::SafeText;

/// Destination of exported lines.
#[derive(Debug)]
pub enum ExportDestination {
    File(PathBuf),
    /// An external program, which gets a file of this name.
    Program(ExternalTool, String),
}

impl ExportDestination {
    /// Returns the command that writes the lines there. `what` describes them.
    pub fn write(self, lines: Vec<String>, what: SafeText) -> Command {
        Command::Effect(match self {
            Self::File(path) => Effect::Save { path, lines, what },
            Self::Program(viewer, name) => Effect::OpenExternal { viewer, name, lines },
        })
    }

    /// Returns the command that gives the reason why no calls of a trace are written there.
    pub fn refuse(&self, why: &str) -> Command {
        let why = ExportNote::Failed { why }.to_string().into();
        match self {
            Self::File(_) => Command::RefusePrompt(PanePrompt::ExportTrace, why),
            Self::Program(..) => Command::Notify(why),
        }
    }
}

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

    /// Returns the command that opens the file in an external program.
    pub fn open(self, viewer: ExternalTool) -> Command {
        ExportDestination::Program(viewer, self.name).write(self.lines, SafeText::default())
    }
}

/// The state of a pane that a command line can express.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewParams {
    pub query: Option<Query>,
    /// The search that hides other rows or calls.
    pub filter: Option<SafeText>,
    pub sort: Option<RowSort>,
    /// The path of the selected call of a trace.
    pub node: Vec<u32>,
    /// The number of the selected event of a trace, from 1.
    pub event: Option<usize>,
    /// The number of the selected row, from 1, of a list whose rows stay, or of the accounts of a trace.
    pub row: Option<usize>,
    /// The view of a trace, if it is not the tree.
    pub chart: Option<TraceChart>,
    /// The path of the call at the top of an icicle. Empty for the whole trace.
    pub zoom: Vec<u32>,
    /// The layout of cards, if it is not the usual one.
    pub layout: Option<ListView>,
    /// The place in a contract's source that is shown. No command line has it.
    pub source: Option<SourcePlace>,
}

impl ViewParams {
    /// Returns the arguments for the filter, the order, the place in a trace and the layout.
    pub fn view_args(&self) -> Vec<String> {
        let path = |call: &[u32]| {
            let path: Vec<String> = call.iter().map(u32::to_string).collect();
            (!path.is_empty()).then(|| path.join("."))
        };
        let args = [
            ("--matching", self.filter.as_ref().map(SafeText::to_string)),
            ("--sort", self.sort.as_ref().map(RowSort::to_string)),
            ("--chart", self.chart.map(|chart| <&str>::from(chart).to_owned())),
            ("--zoom", path(&self.zoom)),
            ("--node", path(&self.node)),
            ("--event", self.event.map(|number| number.to_string())),
            ("--row", self.row.map(|number| number.to_string())),
            ("--layout", self.layout.map(|layout| <&str>::from(layout).to_owned())),
        ];
        let given = args.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value?]));
        given.flatten().collect()
    }
}

/// A view of a trace other than the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum TraceChart {
    Icicle,
    Functions,
    Balances,
}

/// The column by which rows or siblings are sorted, by its name in CSV or its title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowSort {
    pub column: SafeText,
    pub descending: bool,
}

impl fmt::Display for RowSort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.column, if self.descending { "desc" } else { "asc" })
    }
}

impl FromStr for RowSort {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (column, direction) = text.rsplit_once(':').unwrap_or((text, "desc"));
        let descending = match direction {
            "desc" => true,
            "asc" => false,
            _ => return Err(list::EXPECTED_SORT),
        };
        Ok(Self { column: column.into(), descending })
    }
}

/// Returns a word as a shell reads it.
pub fn shell_quote(word: &str) -> String {
    if word.chars().all(|c: char| c.is_ascii_alphanumeric() || "-_.,:".contains(c)) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
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

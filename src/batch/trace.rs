//! A call trace for scripts: fetched whole, then printed in one of its forms.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::time::{Duration, Instant};

use crossterm::style::{Attribute, ContentStyle};
use ratatui::backend::IntoCrossterm;
use ratatui::style::{Modifier, Style};

use super::{CliError, ignore_broken_pipe, with_progress};
use crate::abi::SignatureDb;
use crate::api::Query;
use crate::chain::TxHash;
use crate::chain::amount::{Unit, group_digits};
use crate::chain::network::Network;
use crate::msg::Priority;
use crate::name_cache::NameCache;
use crate::net::provider::Provider;
use crate::pane::trace::call_labels::CallFormatter;
use crate::pane::trace::diagnostics::{RecoveryHints, no_calls_message, problems};
use crate::pane::trace::row::outcome_role;
use crate::pane::trace::transfer_matching::TransferMap;
use crate::sanitize::sanitize;
use crate::trace::export::{ExportScope, TraceExport, TraceExportFormat};
use crate::trace::tree::format_path;
use crate::trace::{CallOutcome, CallTree, TraceParser};
use crate::ui::ascii;
use crate::ui::theme::Styles;

/// How long an explorer may think about a trace: its node replays the transaction.
const TRACE_TIMEOUT: Duration = Duration::from_mins(1);
/// Bytes that one part of a body covers at most.
const MAX_CHUNK_BYTES: usize = 4 << 20;
/// How often the progress is written anew.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Text attributes that a theme may use.
const ATTRIBUTES: [(Modifier, Attribute); 5] = [
    (Modifier::BOLD, Attribute::Bold),
    (Modifier::DIM, Attribute::Dim),
    (Modifier::ITALIC, Attribute::Italic),
    (Modifier::UNDERLINED, Attribute::Underlined),
    (Modifier::REVERSED, Attribute::Reverse),
];

/// What is asked for.
#[derive(Debug, Clone)]
pub struct TraceOutputOptions {
    /// Whose trace.
    pub transaction: TxHash,
    /// In which form.
    pub format: TraceExportFormat,
    /// From which call on.
    pub node: Option<Vec<u32>>,
    /// How many levels below that.
    pub max_depth: Option<u16>,
    /// How large the answer may be.
    pub max_bytes: u64,
    /// The styles where they can be seen; none, if no colours are wanted.
    pub styles: Option<Styles>,
    /// Whether a tree has only ASCII.
    pub ascii: bool,
}

/// What is known before the trace is asked for.
#[derive(Debug)]
pub struct TraceContext<'a> {
    /// The chain.
    pub network: &'a Network,
    /// Signatures.
    pub book: &'a SignatureDb,
    /// What the user says of addresses.
    pub seen: &'a NameCache,
}

/// Prints a transaction's call trace. A closed pipe ends it quietly.
pub async fn print_trace(
    source: &Provider,
    known: TraceContext<'_>,
    wanted: &TraceOutputOptions,
) -> Result<(), CliError> {
    let mut progress = TraceProgress { last_shown: Instant::now(), shown: false };
    let fetched = fetch(source, wanted, &mut progress).await;
    progress.clear();
    let tree = fetched?;
    if tree.is_empty() {
        return Err(CliError::Runtime(describe_empty(&tree, wanted.transaction)));
    }
    let scope = match &wanted.node {
        Some(path) => ExportScope::subtree(&tree, find_call(&tree, path)?),
        None => ExportScope::all(&tree),
    };
    let scope = scope.levels(wanted.max_depth);
    let overlay = TransferMap::default();
    let TraceContext { network, book, seen } = known;
    let (tree, transaction, overlay, unit) = (&tree, None, &overlay, Unit::Coin);
    let names = CallFormatter {
        tree,
        signatures: book,
        name_cache: seen,
        network,
        transaction,
        transfers: overlay,
        unit,
    };
    print(names, &scope, wanted).or_else(|e| ignore_broken_pipe(&e))?;
    check_complete(tree)
}

/// Reads the whole answer. What comes after the limit is not waited for, and nothing is printed then.
async fn fetch(
    source: &Provider,
    wanted: &TraceOutputOptions,
    progress: &mut TraceProgress,
) -> Result<CallTree, CliError> {
    let query = Query::RawTrace(wanted.transaction);
    let mut body =
        with_progress(source, source.open_stream(&query, TRACE_TIMEOUT, Priority::Interactive))
            .await?;
    if let Some(all) = body.expected_bytes.filter(|all| *all > wanted.max_bytes) {
        return Err(too_large_error(&format!(
            "the trace has {} bytes",
            group_digits(&all.to_string())
        )));
    }
    let (mut reader, mut tree) = (TraceParser::default(), CallTree::default());
    let mut received = 0_u64;
    while let Some(chunk) = body.chunk().await? {
        received = received.saturating_add(chunk.len() as u64);
        if received > wanted.max_bytes {
            let bytes = group_digits(&received.to_string());
            return Err(too_large_error(&format!("{bytes} bytes came, and there is more")));
        }
        reader.feed(chunk);
        while let Some(part) = reader.next_chunk(MAX_CHUNK_BYTES) {
            tree.apply_chunk(part);
        }
        progress.update(received, &tree);
    }
    tree.apply_chunk(reader.finish(None));
    Ok(tree)
}

fn too_large_error(what: &str) -> CliError {
    CliError::Runtime(format!("{what}: --max-bytes N allows more"))
}

/// Why there is nothing to print.
fn describe_empty(tree: &CallTree, transaction: TxHash) -> String {
    let raw = format!("`chainglass get raw-trace {transaction}`");
    let again = "repeat the command to retry";
    let reason = no_calls_message(
        tree.format(),
        RecoveryHints { retry: again, retry_longer: again, raw_view: &raw },
    );
    match tree.summary().and_then(|ending| ending.error.as_ref()) {
        Some(broken) => format!("{reason} ({broken})"),
        None => reason,
    }
}

/// The call at a path; if there is none, how far the path goes.
fn find_call(tree: &CallTree, path: &[u32]) -> Result<u32, CliError> {
    if let Some(node) = tree.find(path) {
        return Ok(node);
    }
    let above = (0..path.len()).rev().filter_map(|levels| path.get(..levels));
    let deepest = above.into_iter().find_map(|above| Some((above, tree.find(above)?)));
    let (there, calls) = match deepest {
        Some((above, node)) => (format_path(above), tree.children(node).count()),
        None => return Err(CliError::Runtime("this trace has no root".into())),
    };
    let calls = match calls {
        0 => "no call".into(),
        1 => "1 call".into(),
        n => format!("{} calls", group_digits(&n.to_string())),
    };
    let path = format_path(path);
    Err(CliError::Runtime(format!("no call is at {path}: {there} is there, with {calls} in it")))
}

fn print(
    names: CallFormatter<'_>,
    scope: &ExportScope,
    wanted: &TraceOutputOptions,
) -> io::Result<()> {
    let styles = wanted.styles.as_ref().filter(|_| io::stdout().is_terminal());
    let style = |outcome, line: &str| style_line(outcome, line, styles, wanted.ascii);
    let (tree, transaction) = (names.tree, wanted.transaction);
    let export = TraceExport { tree, names: &names, transaction, scope, line_style: Some(&style) };
    let notes = problems(tree).into_iter().chain(export.warning(wanted.format));
    for note in notes {
        let _ = writeln!(io::stderr(), "{}", sanitize(&note)); // nobody reads it
    }
    let mut out = BufWriter::new(io::stdout().lock());
    export.write(wanted.format, &mut out)?;
    out.flush()
}

/// Styles a line of the tree format for the terminal. Calls that succeeded are plain, so that the
/// others stand out.
pub fn style_line(
    outcome: CallOutcome,
    line: &str,
    styles: Option<&Styles>,
    ascii: bool,
) -> String {
    let line = if ascii { ascii::to_ascii(line) } else { line.into() };
    match styles.filter(|_| outcome != CallOutcome::Succeeded) {
        Some(styles) => terminal_style(styles.of(outcome_role(outcome))).apply(line).to_string(),
        None => line.into_owned(),
    }
}

fn terminal_style(style: Style) -> ContentStyle {
    let mut styled = ContentStyle::new();
    styled.foreground_color = style.fg.map(IntoCrossterm::into_crossterm);
    styled.background_color = style.bg.map(IntoCrossterm::into_crossterm);
    for (modifier, attribute) in ATTRIBUTES {
        if style.add_modifier.contains(modifier) {
            styled.attributes.set(attribute);
        }
    }
    styled
}

/// What was printed is not the whole trace if the body was not whole.
fn check_complete(tree: &CallTree) -> Result<(), CliError> {
    match tree.summary().and_then(|ending| ending.error.as_ref()) {
        Some(_) => Err(CliError::Runtime("the trace is incomplete".into())),
        None => Ok(()),
    }
}

/// How far it is, on a terminal; what is there at once needs none.
struct TraceProgress {
    last_shown: Instant,
    shown: bool,
}

impl TraceProgress {
    fn update(&mut self, received: u64, tree: &CallTree) {
        if self.last_shown.elapsed() >= PROGRESS_INTERVAL && io::stderr().is_terminal() {
            let (bytes, calls) = (received.to_string(), tree.len().to_string());
            let line = format!("\r{} bytes, {} calls…", group_digits(&bytes), group_digits(&calls));
            let _ = write!(io::stderr(), "{line}"); // nobody reads it
            (self.last_shown, self.shown) = (Instant::now(), true);
        }
    }

    fn clear(&self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\x1b[K"); // nobody reads it
        }
    }
}

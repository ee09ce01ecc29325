//! A call trace for scripts: fetched whole, then printed in one of its forms.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::time::{Duration, Instant};

use super::{Failure, patiently, quiet};
use crate::abi::Book;
use crate::api::Query;
use crate::chain::TxHash;
use crate::chain::amount::{Unit, grouped};
use crate::chain::network::Network;
use crate::msg::Why;
use crate::name_cache::Seen;
use crate::net::provider::Source;
use crate::pane::trace::call_labels::Names;
use crate::pane::trace::copy::dotted;
use crate::pane::trace::diagnostics::{Advice, troubles, without_calls};
use crate::pane::trace::export::{Export, Format, Scope};
use crate::pane::trace::transfer_matching::Overlay;
use crate::sanitize::clean;
use crate::trace::{Reader, Tree};
use crate::ui::theme::Styles;

/// How long an explorer may think about a trace: its node replays the transaction.
const PATIENCE: Duration = Duration::from_mins(1);
/// Bytes that one part of a body covers at most.
const PART: usize = 4 << 20;
/// How often the progress is written anew.
const APART: Duration = Duration::from_millis(100);

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Whose trace.
    pub transaction: TxHash,
    /// In which form.
    pub format: Format,
    /// From which call on.
    pub node: Option<Vec<u32>>,
    /// How many levels below that.
    pub levels: Option<u16>,
    /// How large the answer may be.
    pub most: u64,
    /// The styles where they can be seen; none, if no colours are wanted.
    pub styles: Option<Styles>,
    /// Whether a tree has only ASCII.
    pub ascii: bool,
}

/// What is known before the trace is asked for.
#[derive(Debug)]
pub struct Known<'a> {
    /// The chain.
    pub network: &'a Network,
    /// Signatures.
    pub book: &'a Book,
    /// What the user says of addresses.
    pub seen: &'a Seen,
}

/// Prints a transaction's call trace. A closed pipe ends it quietly.
pub async fn trace(source: &Source, known: Known<'_>, wanted: &Wanted) -> Result<(), Failure> {
    let mut progress = Progress { told: Instant::now(), shown: false };
    let fetched = fetch(source, wanted, &mut progress).await;
    progress.clear();
    let tree = fetched?;
    if tree.is_empty() {
        return Err(Failure::Answer(reason(&tree, wanted.transaction)));
    }
    let scope = match &wanted.node {
        Some(path) => Scope::below(&tree, find(&tree, path)?),
        None => Scope::all(&tree),
    };
    let scope = scope.levels(wanted.levels);
    let overlay = Overlay::default();
    let Known { network, book, seen } = known;
    let (tree, transaction, overlay, unit) = (&tree, None, &overlay, Unit::Coin);
    let names = Names { tree, book, seen, network, transaction, overlay, unit };
    print(names, &scope, wanted).or_else(|e| quiet(&e))?;
    complete(tree)
}

/// Reads the whole answer. What comes after the limit is not waited for, and nothing is printed then.
async fn fetch(source: &Source, wanted: &Wanted, progress: &mut Progress) -> Result<Tree, Failure> {
    let query = Query::RawTrace(wanted.transaction);
    let mut body = patiently(source, source.open(&query, PATIENCE, Why::Asked)).await?;
    if let Some(all) = body.expected.filter(|all| *all > wanted.most) {
        return Err(too_large(&format!("the trace has {} bytes", grouped(&all.to_string()))));
    }
    let (mut reader, mut tree) = (Reader::default(), Tree::default());
    let mut received = 0_u64;
    while let Some(chunk) = body.chunk().await? {
        received = received.saturating_add(chunk.len() as u64);
        if received > wanted.most {
            let bytes = grouped(&received.to_string());
            return Err(too_large(&format!("{bytes} bytes came, and there is more")));
        }
        reader.feed(chunk);
        while let Some(part) = reader.part(PART) {
            tree.grow(part);
        }
        progress.tell(received, &tree);
    }
    tree.grow(reader.finish(None));
    Ok(tree)
}

fn too_large(what: &str) -> Failure {
    Failure::Answer(format!("{what}: --max-bytes N allows more"))
}

/// Why there is nothing to print.
fn reason(tree: &Tree, transaction: TxHash) -> String {
    let raw = format!("`chainglass get raw-trace {transaction}`");
    let again = "the same command asks again";
    let reason = without_calls(tree.dialect(), Advice { again, longer: again, raw: &raw });
    match tree.ending().and_then(|ending| ending.broken.as_ref()) {
        Some(broken) => format!("{reason} ({broken})"),
        None => reason,
    }
}

/// The call at a path; if there is none, how far the path goes.
fn find(tree: &Tree, path: &[u32]) -> Result<u32, Failure> {
    if let Some(node) = tree.find(path) {
        return Ok(node);
    }
    let above = (0..path.len()).rev().filter_map(|levels| path.get(..levels));
    let deepest = above.into_iter().find_map(|above| Some((above, tree.find(above)?)));
    let (there, calls) = match deepest {
        Some((above, node)) => (dotted(above), tree.children(node).count()),
        None => return Err(Failure::Answer("this trace has no root".into())),
    };
    let calls = match calls {
        0 => "no call".into(),
        1 => "1 call".into(),
        n => format!("{} calls", grouped(&n.to_string())),
    };
    let path = dotted(path);
    Err(Failure::Answer(format!("no call is at {path}: {there} is there, with {calls} in it")))
}

fn print(names: Names<'_>, scope: &Scope, wanted: &Wanted) -> io::Result<()> {
    let styles = wanted.styles.as_ref().filter(|_| io::stdout().is_terminal());
    let (transaction, ascii) = (wanted.transaction, wanted.ascii);
    let export = Export { names, transaction, scope, styles, ascii };
    let notes = troubles(names.tree).into_iter().chain(export.shortcoming(wanted.format));
    for note in notes {
        let _ = writeln!(io::stderr(), "{}", clean(&note)); // nobody reads it
    }
    let mut out = BufWriter::new(io::stdout().lock());
    export.write(wanted.format, &mut out)?;
    out.flush()
}

/// What was printed is not the whole trace if the body was not whole.
fn complete(tree: &Tree) -> Result<(), Failure> {
    match tree.ending().and_then(|ending| ending.broken.as_ref()) {
        Some(_) => Err(Failure::Answer("the trace is incomplete".into())),
        None => Ok(()),
    }
}

/// How far it is, on a terminal; what is there at once needs none.
struct Progress {
    told: Instant,
    shown: bool,
}

impl Progress {
    fn tell(&mut self, received: u64, tree: &Tree) {
        if self.told.elapsed() >= APART && io::stderr().is_terminal() {
            let (bytes, calls) = (received.to_string(), tree.len().to_string());
            let line = format!("\r{} bytes, {} calls…", grouped(&bytes), grouped(&calls));
            let _ = write!(io::stderr(), "{line}"); // nobody reads it
            (self.told, self.shown) = (Instant::now(), true);
        }
    }

    fn clear(&self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\x1b[K"); // nobody reads it
        }
    }
}

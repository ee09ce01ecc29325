//! The vocabulary: what happens ([`Msg`]), what the user wants ([`Action`]), and what the app asks of
//! the outside ([`Effect`]).

mod action;
mod mouse;
mod network_event;

use std::path::PathBuf;
use std::time::Duration;

pub use action::Action;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
pub use mouse::{MouseInput, MouseKind};
pub use network_event::{ConnectionStatus, NetworkEvent, Priority, RequestLogEntry, RetryProgress};
use ratatui::layout::Size;

use url::Url;

use crate::abi::SignatureDb;
use crate::api::{ApiError, Cursor, Query, Reply};
use crate::chain::network::Network;
use crate::chain::{Timestamp, TxHash};
use crate::sanitize::SafeText;
use crate::trace;
use crate::user_data::labels::{LabelEdit, Labels};
use crate::user_data::recents::{Recents, RecentsChange};

/// Names one pane of one place for as long as the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PaneId(pub u32);

/// Names one of the chains that were looked at, for as long as the program runs: the first is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ChainIndex(pub usize);

/// Says who asked, and when: an answer to an older epoch is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ticket {
    /// The chain that is asked about.
    pub chain: ChainIndex,
    /// The pane that asked.
    pub pane: PaneId,
    /// Its count of fresh starts when it asked.
    pub epoch: u32,
}

/// A key press. Shift is in the character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key.
    pub code: KeyCode,
    /// Whether Ctrl was held.
    pub ctrl: bool,
    /// Whether Alt was held, or Esc pressed just before: a terminal sends the same for both.
    pub alt: bool,
}

impl Key {
    /// The Esc key.
    pub const ESC: Self = Self { code: KeyCode::Esc, ctrl: false, alt: false };

    /// A press of `event`'s key; none for releases.
    pub fn from_event(event: KeyEvent) -> Option<Self> {
        let held = event.modifiers;
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let code = match event.code {
            // Some terminals report the letter below and Shift beside it (csvlens met them too).
            KeyCode::Char(c) if held.contains(KeyModifiers::SHIFT) => {
                KeyCode::Char(c.to_uppercase().next().unwrap_or(c))
            }
            code => code,
        };
        let (ctrl, alt) = (held.contains(KeyModifiers::CONTROL), held.contains(KeyModifiers::ALT));
        Some(Self { code, ctrl, alt })
    }
}

/// Something that happened.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// Something was done with the mouse.
    Mouse(MouseInput),
    /// Text was pasted in one piece.
    Paste(String),
    /// The terminal has this size now.
    Resized(Size),
    /// The clock.
    Tick(Timestamp),
    /// The terminal told its background.
    Background(Background),
    /// The pause after which this was to be thought of is over.
    TimerFired(Timer),
    /// A question was answered, or failed.
    Fetched {
        /// Who asked.
        ticket: Ticket,
        /// What was asked.
        query: Query,
        /// The answer.
        reply: Result<Reply, ApiError>,
    },
    /// A trace that is being fetched goes on.
    TraceUpdate {
        /// Who asked.
        ticket: Ticket,
        /// What is heard of it.
        news: TraceEvent,
    },
    /// Something was heard of the requests themselves, to this chain's explorer.
    Network(ChainIndex, NetworkEvent),
    /// The explorer of a chain can be asked from now on, or not.
    Connected {
        /// Which chain.
        chain: ChainIndex,
        /// What is to be said of it, if anything; or why it cannot be asked.
        ready: Result<Option<SafeText>, SafeText>,
    },
    /// The user's ABI files were read.
    AbisLoaded {
        /// What is in them.
        book: Box<SignatureDb>,
        /// What is wrong with those that could not be read.
        problems: Vec<SafeText>,
    },
    /// The user's labels of a chain were read, after a change or without one; or not.
    LabelsLoaded {
        /// The chain's key.
        key: String,
        /// What is in the file.
        labels: Result<Box<Labels>, SafeText>,
    },
    /// The places of a chain that were visited lately were read, or cannot be kept.
    RecentsLoaded {
        /// The chain's key.
        key: String,
        /// What is in the file.
        visits: Result<Recents, SafeText>,
    },
    /// A file is being written: lines so far, of so many.
    SaveProgress(usize, usize),
    /// A file was written, or not.
    Saved(Result<SafeText, SafeText>),
    /// A web address was handed to the browser, or not.
    BrowserOpened(Result<(), SafeText>),
    /// A pager or an editor was left, or why there was nothing to see in it.
    ViewerClosed(Result<(), SafeText>),
    /// Something was copied, this way.
    Copied {
        /// What it was.
        what: &'static str,
        /// Where it went.
        way: CopyOutcome,
    },
}

/// What is heard of a trace that is being fetched.
#[derive(Debug)]
pub enum TraceEvent {
    /// The explorer has begun to answer.
    Started {
        /// How long its answer is, in bytes; none when it does not say, or sends it compressed.
        expected: Option<u64>,
    },
    /// More of it. The last part has an ending.
    Chunk {
        /// What is new.
        part: Box<trace::TraceChunk>,
        /// What the body is, as far as it is known.
        dialect: trace::TraceFormat,
        /// How far it has come.
        progress: FetchProgress,
    },
    /// So much is here, and no more is read until it is allowed.
    Paused(FetchProgress),
    /// It ended badly. What came before stays; if that was anything, a last part with a broken ending
    /// says so first.
    Failed(ApiError),
}

/// How far a fetch has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FetchProgress {
    /// Bytes read, after decompression.
    pub received: u64,
    /// Bytes in all, if the explorer says.
    pub expected: Option<u64>,
    /// Since it was asked for.
    pub elapsed: Duration,
}

/// How a trace is to be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceOptions {
    /// How long to wait until the answer begins: a node may have to run the transaction again first.
    pub timeout: Duration,
    /// How many bytes may be read before it pauses.
    pub max_bytes: u64,
    /// Why.
    pub priority: Priority,
}

/// What is thought of after a pause. The number tells a newer one from older ones, which are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timer {
    /// How the keys pressed so far may go on.
    WhichKey(u32),
    /// What stands beside the list follows the selected row.
    Preview(u32),
}

/// What a terminal writes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// Darker than what is written on it.
    Dark,
    /// Lighter.
    Light,
}

/// How a text reached the clipboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyOutcome {
    /// The desktop's clipboard took it.
    Clipboard,
    /// It was sent through the terminal (OSC 52), which does not say whether it was taken.
    Terminal(Multiplexer),
    /// It went nowhere.
    Failed(SafeText),
}

/// What stands between the program and the terminal that it sends something through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multiplexer {
    /// Nothing that is known.
    None,
    /// tmux.
    Tmux,
    /// GNU screen.
    Screen,
}

/// A program of the user's that shows a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExternalTool {
    /// One to read in.
    Pager,
    /// One to work in.
    Editor,
}

/// Something that the runtime does for one pane. The pane returns it without a ticket; the app
/// stamps that on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaneRequest {
    /// Send a query to the explorer.
    Fetch {
        /// The query.
        query: Query,
        /// The page; the first one if `None`.
        cursor: Option<Cursor>,
        /// When it may be sent, relative to other requests.
        priority: Priority,
    },
    /// Stream the raw trace of a transaction.
    FetchTrace {
        /// The transaction.
        transaction: TxHash,
        /// Its timeout, size limit and priority.
        options: TraceOptions,
    },
    /// Let a paused trace go on, up to this many bytes in total.
    RaiseTraceLimit(u64),
    /// Cancel all requests of the pane.
    Cancel,
}

/// Something the app wants done outside. Plain data, so that a test can compare it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Make ready to ask a chain's explorer. What it is asked then names the chain.
    Connect {
        /// Which chain.
        chain: ChainIndex,
        /// Who it is.
        network: Network,
    },
    /// Run a request for a pane. Its result comes back with the same ticket.
    Request {
        /// The pane, and its epoch when it asked.
        ticket: Ticket,
        /// The request.
        request: PaneRequest,
    },
    /// Ring after a pause.
    StartTimer(Timer, Duration),
    /// Ask the terminal for its background.
    QueryBackground,
    /// Keep a signature that was typed, for the next time.
    SaveSignature(SafeText),
    /// Read the user's labels of the chain with this key.
    LoadLabels(String),
    /// Change the file of labels of a chain.
    EditLabel {
        /// The chain's key.
        key: String,
        /// What is different.
        change: LabelEdit,
    },
    /// Read which places of the chain with this key were visited lately.
    LoadRecents(String),
    /// Keep, or forget, that a place of a chain was visited.
    UpdateRecents {
        /// The chain's key.
        key: String,
        /// Which.
        step: RecentsChange,
    },
    /// Put a text on the clipboard.
    Copy {
        /// What it is, for the notice.
        what: &'static str,
        /// The text, in full.
        text: SafeText,
    },
    /// Open a web address in the browser.
    OpenBrowser(Url),
    /// Write lines to a new file.
    Save {
        /// Where.
        path: PathBuf,
        /// The lines.
        lines: Vec<String>,
        /// What they are, for the notice.
        what: SafeText,
    },
    /// Show lines in a program of the user's, which has the terminal until it ends.
    OpenExternal {
        /// Which program.
        viewer: ExternalTool,
        /// What the file is called: its ending says what is in it.
        name: String,
        /// The lines.
        lines: Vec<String>,
    },
    /// Hear of the mouse from now on, or leave it to the terminal.
    CaptureMouse(bool),
    /// Stop writing, also what is to be shown in another program.
    StopSaving,
    /// Give the terminal back to the shell until the user returns.
    Suspend,
    /// Draw everything again.
    Redraw,
    /// End the program.
    Quit,
}

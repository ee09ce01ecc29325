//! The messages between runtime and app: events ([`Msg`]), the user's intentions
//! ([`Action`](crate::action::Action)), and work for the runtime ([`Effect`]).
//!
//! The runtime turns terminal events, timers and replies into messages; `App::update` handles one at a
//! time and returns effects. The effect of a request carries a [`RequestId`], and so does the message
//! with its result: results of requests that the app has cancelled are dropped.

mod mouse;
mod network_event;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
pub use mouse::{MouseInput, MouseKind};
pub use network_event::{ConnectionStatus, NetworkEvent, Priority, RequestLogEntry, RetryProgress};
use ratatui::layout::Size;
use strum::{EnumString, VariantNames};
use url::Url;

use crate::abi::{SignatureDb, SignatureHash};
use crate::api::{ApiError, Cursor, Query, ReplyResult};
use crate::chain::network::{FormerStorageKey, Network};
use crate::chain::{Timestamp, TxHash};
use crate::picture::{
    Picture, PictureAnswer, PictureFetch, PictureKey, PictureMode, PictureRequest,
};
use crate::sanitize::SafeText;
use crate::trace;
use crate::user_data::labels::{LabelEdit, Labels};
use crate::user_data::recents::{Recents, RecentsChange};

/// Identifies a chain that was opened, for as long as the program runs. The first is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ChainIndex(pub usize);

/// Identifies a request or a timer that is in flight. No id is used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId(pub u64);

/// A key press. Shift is part of the character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    pub code: KeyCode,
    pub ctrl: bool,
    /// `true` if Alt was held, or Esc pressed just before: terminals send the same for both.
    pub alt: bool,
}

impl Key {
    pub const ESC: Self = Self { code: KeyCode::Esc, ctrl: false, alt: false };
    pub const TAB: Self = Self { code: KeyCode::Tab, ctrl: false, alt: false };

    /// Converts a terminal event. Returns `None` for releases.
    pub fn from_event(event: KeyEvent) -> Option<Self> {
        let held = event.modifiers;
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let code = match event.code {
            // Some terminals report the lower-case letter and Shift (csvlens works around them too).
            KeyCode::Char(c) if held.contains(KeyModifiers::SHIFT) => {
                KeyCode::Char(c.to_uppercase().next().unwrap_or(c))
            }
            code => code,
        };
        let (ctrl, alt) = (held.contains(KeyModifiers::CONTROL), held.contains(KeyModifiers::ALT));
        Some(Self { code, ctrl, alt })
    }
}

/// Signatures found in a signature database, by hash.
pub type FoundSignatures = HashMap<SignatureHash, Vec<SafeText>>;

#[derive(Debug)]
pub enum Msg {
    Key(Key),
    Mouse(MouseInput),
    Paste(String),
    Resized(Size),
    /// `true` if the terminal has the focus now.
    FocusChanged(bool),
    Tick(Timestamp),
    Background(Background),
    TimerFired(RequestId),
    Fetched {
        id: RequestId,
        query: Query,
        reply: ReplyResult,
    },
    /// A trace that is being streamed has progressed.
    TraceUpdate {
        id: RequestId,
        event: TraceEvent,
    },
    Network(ChainIndex, NetworkEvent),
    /// The provider of a chain can take requests, or could not be created.
    ProviderOpened {
        chain: ChainIndex,
        /// A warning for the user, or the reason of the failure.
        outcome: Result<Option<SafeText>, SafeText>,
    },
    /// The project's contracts for a chain are loaded, or were compiled again.
    ProjectLoaded {
        chain: ChainIndex,
        signatures: Arc<SignatureDb>,
    },
    /// The signature database has answered, or failed.
    SignaturesFound {
        hashes: Vec<SignatureHash>,
        outcome: Result<FoundSignatures, SafeText>,
    },
    AbisLoaded {
        abis: Box<SignatureDb>,
        /// The problems of files that could not be read.
        problems: Vec<SafeText>,
    },
    /// The labels of a chain were loaded, possibly after a change.
    LabelsLoaded {
        /// The storage key of the chain.
        key: String,
        labels: Result<Arc<Labels>, SafeText>,
    },
    /// A change of the labels of a chain could not be saved.
    LabelNotSaved {
        key: String,
        why: SafeText,
    },
    /// The recents of a chain were loaded, or cannot be stored.
    RecentsLoaded {
        key: String,
        /// The recents, or the reason why they cannot be stored.
        recents: Result<Recents, SafeText>,
    },
    /// A picture was decoded, or cannot be.
    PictureDecoded {
        key: PictureKey,
        outcome: Result<Arc<Picture>, SafeText>,
    },
    /// The picture behind a URL was fetched, or has moved.
    PictureFetched {
        url: Url,
        outcome: Result<PictureAnswer, SafeText>,
    },
    /// The terminal has a graphics protocol.
    Graphics(PictureMode),
    /// The chains of the nodes that answer on this machine.
    LocalNodesFound(Vec<Network>),
    /// The free memory in bytes.
    FreeMemory(u64),
    SaveProgress {
        written: usize,
        total: usize,
    },
    /// A file was written: its contents in words, or the error.
    Saved(Result<SafeText, SafeText>),
    BrowserOpened(Result<(), SafeText>),
    /// The pager or the editor was closed, or could not be started.
    ViewerClosed(Result<(), SafeText>),
    Copied {
        /// Name of the text in the notification.
        what: &'static str,
        outcome: CopyOutcome,
    },
}

/// Progress of a trace that is being streamed.
#[derive(Debug)]
pub enum TraceEvent {
    Started {
        /// The size in bytes. `None` if the explorer does not send it, or compresses the body.
        expected: Option<u64>,
    },
    /// The next chunk. The last one has a summary.
    Chunk { chunk: Box<trace::TraceChunk>, format: trace::TraceFormat, progress: FetchProgress },
    /// Nothing more is read until the user continues.
    Paused {
        progress: FetchProgress,
        /// Estimated memory of the rest. `None` if its size is unknown.
        needed_bytes: Option<u64>,
        free_bytes: u64,
    },
    /// The stream failed. If chunks came before, the last of them marks the trace as incomplete.
    Failed(ApiError),
    /// The stream ended without a failure.
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FetchProgress {
    /// Bytes read, after decompression.
    pub received: u64,
    /// The size in bytes, if the explorer sends it.
    pub expected: Option<u64>,
    pub elapsed: Duration,
}

/// Time that a trace's response may take to begin: the node replays the transaction first.
pub const TRACE_TIMEOUT: Duration = Duration::from_mins(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceOptions {
    /// Time to wait for the response, first `TRACE_TIMEOUT`.
    pub timeout: Duration,
    pub priority: Priority,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    Dark,
    Light,
}

/// Destination of a copied text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyOutcome {
    Clipboard,
    /// Through the terminal (OSC 52), which does not confirm it.
    Terminal(Multiplexer),
    Failed(SafeText),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multiplexer {
    None,
    Tmux,
    Screen,
}

/// The way to notify the user of new rows at watched addresses. The variants' comments are part of
/// `--help`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum NotificationMethod {
    /// None
    #[default]
    Off,
    /// The terminal's bell
    Bell,
    /// A desktop notification of iTerm2, `WezTerm`, kitty, Ghostty or Windows Terminal
    Osc9,
    /// A desktop notification of foot, rxvt, VTE, `WezTerm` or Ghostty
    Osc777,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExternalTool {
    /// `$PAGER`.
    Pager,
    /// `$VISUAL` or `$EDITOR`.
    Editor,
}

/// A request to the explorer or the node of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChainRequest {
    Fetch {
        query: Query,
        /// The page; the first one if `None`.
        cursor: Option<Cursor>,
        priority: Priority,
    },
    FetchTrace {
        transaction: TxHash,
        options: TraceOptions,
    },
}

impl ChainRequest {
    pub fn priority(&self) -> Priority {
        match self {
            Self::Fetch { priority, .. } => *priority,
            Self::FetchTrace { options, .. } => options.priority,
        }
    }

    /// Lowers its priority, for what the user may only pass by.
    #[must_use]
    pub fn into_prefetch(mut self) -> Self {
        let priority = match &mut self {
            Self::Fetch { priority, .. } => priority,
            Self::FetchTrace { options, .. } => &mut options.priority,
        };
        *priority = (*priority).max(Priority::Prefetch);
        self
    }
}

/// Work on the file of a chain's labels or recents, by the storage key of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserDataJob {
    /// Rename the files of a chain whose names may contain a key.
    RenameFormer(FormerStorageKey),
    LoadLabels(String),
    EditLabel {
        key: String,
        change: LabelEdit,
    },
    LoadRecents(String),
    UpdateRecents {
        key: String,
        change: RecentsChange,
    },
}

/// Work for the runtime. Plain data, so that tests can compare it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Create the provider of a chain, which connects with its first request. Requests refer to it by `chain`.
    OpenProvider {
        chain: ChainIndex,
        network: Network,
    },
    /// Run a request. Its result comes back with the same id.
    Request {
        id: RequestId,
        chain: ChainIndex,
        request: ChainRequest,
    },
    /// Continue a paused trace.
    ContinueTrace(RequestId),
    /// Cancel requests.
    Cancel(Vec<RequestId>),
    StartTimer(RequestId, Duration),
    QueryBackground,
    QueryGraphics,
    /// Decode these pictures, instead of those that are still waiting.
    DecodePictures(Vec<PictureRequest>),
    /// Let the project name the contracts of a chain.
    AllowProject(ChainIndex),
    /// Fetch a picture, whose host the user has confirmed.
    FetchPicture(PictureFetch),
    SaveSignature(SafeText),
    LookUpSignatures(Vec<SignatureHash>),
    UserData(UserDataJob),
    Copy {
        /// Name of the text in the notification.
        what: &'static str,
        text: SafeText,
    },
    OpenBrowser(Url),
    /// Notify the user by the terminal.
    NotifyUser {
        method: NotificationMethod,
        text: SafeText,
    },
    Save {
        path: PathBuf,
        lines: Vec<String>,
        /// Name of the rows in the notification.
        what: SafeText,
    },
    /// Show lines in an external program, which has the terminal until it ends.
    OpenExternal {
        viewer: ExternalTool,
        /// The name of the file, with an extension for the program.
        name: String,
        lines: Vec<String>,
    },
    /// Find the nodes on this machine.
    FindLocalNodes,
    /// Measure the free memory.
    MeasureMemory,
    CaptureMouse(bool),
    /// Stop writing files, including those for external programs.
    StopSaving,
    Suspend,
    Redraw,
    Quit,
}

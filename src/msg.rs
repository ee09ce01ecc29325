//! The vocabulary: what happens ([`Msg`]), what the user wants ([`Action`]), and what the app asks of
//! the outside ([`Effect`]).

use std::path::PathBuf;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Size;
use serde::Deserialize;
use strum::{EnumIter, IntoStaticStr, VariantNames};

use url::Url;

use crate::api::{ApiError, Cursor, Query, Reply};
use crate::chain::Timestamp;
use crate::text::Text;

/// Names one pane of one place for as long as the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PaneId(pub u32);

/// Says who asked, and when: an answer to an older epoch is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ticket {
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
    pub fn pressed(event: KeyEvent) -> Option<Self> {
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
    /// Text was pasted in one piece.
    Paste(String),
    /// The terminal has this size now.
    Resized(Size),
    /// The clock.
    Tick(Timestamp),
    /// A question was answered, or failed.
    Fetched {
        /// Who asked.
        ticket: Ticket,
        /// What was asked.
        query: Query,
        /// The answer.
        reply: Result<Reply, ApiError>,
    },
    /// A file is being written: lines so far, of so many.
    Saving(usize, usize),
    /// A file was written, or not.
    Saved(Result<Text, Text>),
    /// A web address was handed to the browser, or not.
    Opened(Result<(), Text>),
    /// Something was copied, this way.
    Copied {
        /// What it was.
        what: &'static str,
        /// Where it went.
        way: CopyWay,
    },
}

/// How a text reached the clipboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyWay {
    /// The desktop's clipboard took it.
    Clipboard,
    /// It was sent through the terminal (OSC 52), which does not say whether it was taken.
    Terminal,
    /// It went nowhere.
    Failed(Text),
}

/// Something the app wants done outside. Plain data, so that a test can compare it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Ask the explorer.
    Fetch {
        /// Who asks.
        ticket: Ticket,
        /// What.
        query: Query,
        /// Which page.
        cursor: Option<Cursor>,
    },
    /// End whatever this pane has under way.
    Cancel(PaneId),
    /// Put a text on the clipboard.
    Copy {
        /// What it is, for the notice.
        what: &'static str,
        /// The text, in full.
        text: Text,
    },
    /// Open a web address in the browser.
    Open(Url),
    /// Write lines to a new file.
    Save {
        /// Where.
        path: PathBuf,
        /// The lines.
        lines: Vec<String>,
        /// What they are, for the notice.
        what: Text,
    },
    /// Stop writing.
    StopSaving,
    /// Give the terminal back to the shell until the user returns.
    Suspend,
    /// Draw everything again.
    Redraw,
    /// End the program.
    Quit,
}

/// Something the user can do. The keys are in `assets/keymap.toml`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, EnumIter, IntoStaticStr, VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[expect(missing_docs, reason = "`about` says what each does, to the user as well")]
pub enum Action {
    NextRow,
    PreviousRow,
    HalfPageDown,
    HalfPageUp,
    PageDown,
    PageUp,
    First,
    Last,
    PreviousCell,
    NextCell,
    Open,
    InFull,
    Back,
    Toggle,
    Help,
    #[serde(rename = "tab_1")]
    #[strum(serialize = "tab_1")]
    Tab1,
    #[serde(rename = "tab_2")]
    #[strum(serialize = "tab_2")]
    Tab2,
    #[serde(rename = "tab_3")]
    #[strum(serialize = "tab_3")]
    Tab3,
    #[serde(rename = "tab_4")]
    #[strum(serialize = "tab_4")]
    Tab4,
    #[serde(rename = "tab_5")]
    #[strum(serialize = "tab_5")]
    Tab5,
    NextTab,
    PreviousTab,
    HistoryBack,
    HistoryForward,
    GoTo,
    GoToHex,
    Instances,
    Transfers,
    Refresh,
    Follow,
    Filters,
    Search,
    NextMatch,
    PreviousMatch,
    FilterRows,
    CopyCell,
    CopyHash,
    CopyAddress,
    CopyToken,
    CopyBlock,
    CopyMethod,
    CopyValue,
    CopyJson,
    CopyRow,
    Provenance,
    OpenWeb,
    Export,
    Close,
    Interrupt,
    Suspend,
    Redraw,
    Quit,
}

/// What is said of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// One or two words for the footer; empty when it is not shown there.
    pub hint: &'static str,
    /// A sentence for the help.
    pub sentence: &'static str,
}

impl Action {
    /// What the footer and the help say of it.
    pub fn about(self) -> About {
        let (hint, sentence) = match self {
            Self::NextRow => ("", "next row"),
            Self::PreviousRow => ("", "previous row"),
            Self::HalfPageDown => ("", "half a page down"),
            Self::HalfPageUp => ("", "half a page up"),
            Self::PageDown => ("", "a page down"),
            Self::PageUp => ("", "a page up"),
            Self::First => ("", "first row"),
            Self::Last => {
                ("", "last loaded row; again: load page after page to the end (Esc stops)")
            }
            Self::PreviousCell => ("", "previous cell of the row; in a detail: fold"),
            Self::NextCell => ("", "next cell of the row; in a detail: unfold"),
            Self::Open => ("open", "follow what is under the cursor"),
            Self::InFull => ("fields", "the row with every field that the server sent"),
            Self::Back => ("back", "close what is on top, stop loading, or go back"),
            Self::Toggle => ("fold", "fold or unfold"),
            Self::Tab1 => ("", "first tab"),
            Self::Tab2 => ("", "second tab"),
            Self::Tab3 => ("", "third tab"),
            Self::Tab4 => ("", "fourth tab"),
            Self::Tab5 => ("", "fifth tab"),
            Self::NextTab => ("", "next tab"),
            Self::PreviousTab => ("", "previous tab"),
            Self::HistoryBack => ("", "back in the history, cursor and scroll as they were"),
            Self::HistoryForward => ("forward", "forward in the history"),
            Self::GoTo => ("go to", "go to an address, a transaction or an explorer's web address"),
            Self::GoToHex => ("", "the same, with the 0 of 0x… typed already (or just paste)"),
            Self::Instances => ("", "the instances of the token that this address is"),
            Self::Transfers => ("", "all token transfers of the chain"),
            Self::Refresh => ("refresh", "ask again; after a failure: try the same page again"),
            Self::Follow => ("", "follow a list: ask for new rows every ten seconds, or stop that"),
            Self::Filters => {
                ("filters", "the server's filters of this list, and the request they make")
            }
            Self::Search => ("search", "look for a text in the loaded rows"),
            Self::NextMatch => ("", "next row that holds it"),
            Self::PreviousMatch => ("", "previous row that holds it"),
            Self::FilterRows => ("", "show only the loaded rows that hold a text"),
            Self::CopyCell => ("copy", "copy what is under the cursor, in full"),
            Self::CopyHash => ("hash", "copy the transaction hash"),
            Self::CopyAddress => ("address", "copy the address: the cell's, or the other side's"),
            Self::CopyToken => ("token", "copy the token's contract address"),
            Self::CopyBlock => ("block", "copy the block number"),
            Self::CopyMethod => ("method", "copy the method"),
            Self::CopyValue => ("value", "copy the value, undivided (wei)"),
            Self::CopyJson => ("JSON", "copy the original JSON, on one line"),
            Self::CopyRow => ("row", "copy the row as CSV"),
            Self::Provenance => ("", "where the value of this cell comes from"),
            Self::OpenWeb => ("", "open the web explorer's page of this row (shown first)"),
            Self::Export => ("", "write the rows as shown to a file, CSV or JSON Lines"),
            Self::Help => ("help", "this help"),
            Self::Close => ("close", "close this view; at the first one, quit"),
            Self::Interrupt => ("", "stop what is loading; twice: quit"),
            Self::Suspend => ("", "back to the shell (fg returns)"),
            Self::Redraw => ("", "draw the screen again"),
            Self::Quit => ("quit", "quit at once"),
        };
        About { hint, sentence }
    }
}

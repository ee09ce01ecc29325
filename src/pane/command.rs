//! Commands of panes to the app.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Route;
use super::export::SourcePlace;
use crate::abi::SignatureHash;
use crate::api::{Cursor, Query};
use crate::app_message::{ChainRequest, Effect, Priority};
use crate::calls::trace_contracts::UnknownContracts;
use crate::chain::{Address, TxHash};
use crate::messages::prompt;
use crate::route::DiffBaseline;
use crate::safety::address_poisoning::Evidence;
use crate::sanitize::SafeText;
use crate::trace::CallTree;
use crate::user_data::labels::LabelEdit;
use crate::user_data::recents::RecentEntry;

#[derive(Debug, Clone)]
pub enum Command {
    /// Run a request; its result comes back to this pane.
    Request(ChainRequest),
    /// Fetch a page of data that the pane can do without. It is not busy meanwhile.
    Background(Query, Option<Cursor>),
    /// Continue a paused trace.
    ContinueTrace,
    /// Cancel everything that is in flight for this pane.
    Cancel,
    /// Send it [`PaneEvent::Woken`](super::PaneEvent::Woken) after a while.
    Wake(Duration),
    /// Carry out an effect that does not depend on the pane.
    Effect(Effect),
    Navigate(Route),
    /// Open a page on Ethereum, from the demo chain.
    OpenOnEthereum(Route),
    /// Open the prompt for a target.
    GoTo,
    /// Show a call in the trace of a transaction, by its path from the root.
    OpenCall(TxHash, Vec<u32>),
    /// Open the source of a contract, at a place.
    OpenSource(Address, Option<SourcePlace>),
    Notify(SafeText),
    /// Show a notice of something that failed or was refused.
    Warn(SafeText),
    /// Show a notification that may name keys, as in
    /// [`KeyPlaceholders::expand`](crate::keymap::key_placeholders::KeyPlaceholders::expand).
    NotifyKeys(&'static str),
    /// Show something, and carry out an effect if the user confirms it.
    Confirm(Confirmation),
    Prompt(PromptRequest),
    /// Open a prompt again, with its text and the reason why that was refused.
    RefusePrompt(PanePrompt, SafeText),
    /// Open the filter menu, with the token of the selected row.
    Filters(Query, Option<(Address, SafeText)>),
    /// Record evidence for addresses, to detect look-alikes.
    RecordEvidence(Vec<(Address, Evidence)>),
    /// Request the data of the header again, after the page has changed.
    RefreshHeader,
    /// Show what is below the header again, after that has changed.
    RefreshBody,
    /// Show the preview again, of which more is known.
    RefreshPreview,
    SetDiffBaseline(DiffBaseline),
    /// Keep a complete trace for other panes, if it is small.
    KeepTrace(TxHash, Arc<CallTree>),
    AddSignature(SafeText),
    /// Look signatures up in the signature database.
    LookUp(Vec<SignatureHash>),
    /// Ask for the names and ABIs of contracts, in the background.
    FetchContractNames(UnknownContracts),
    EditLabel(LabelEdit),
    RemoveRecent(RecentEntry),
    /// Show rows as cards instead, or cards as rows, in all lists that have both.
    ToggleGallery,
}

impl Command {
    pub fn fetch(query: Query, cursor: Option<Cursor>, priority: Priority) -> Self {
        Self::Request(ChainRequest::Fetch { query, cursor, priority })
    }

    pub fn notify(message: &dyn fmt::Display) -> Self {
        Self::Notify(SafeText::new(&message.to_string()))
    }

    pub fn copy(what: &'static str, text: SafeText) -> Self {
        Self::Effect(Effect::Copy { what, text })
    }
}

/// Lines to read, and an effect to confirm, if any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    /// The title, which may name keys, as in
    /// [`KeyPlaceholders::expand`](crate::keymap::key_placeholders::KeyPlaceholders::expand).
    pub title: &'static str,
    pub lines: Vec<SafeText>,
    /// Columns of labels at the start of each line, which stay free below them.
    pub indent: usize,
    pub effect: Option<Effect>,
}

impl Confirmation {
    /// Requires a confirmation before `url` is opened in the browser. The host is on a line of its own.
    pub fn open(url: url::Url) -> Self {
        let host = url.host_str().unwrap_or_default().to_owned();
        Self {
            title: prompt::OPEN_IN_BROWSER,
            lines: vec![SafeText::new(&format!("host: {host}")), SafeText::new(url.as_str())],
            indent: 0,
            effect: Some(Effect::OpenBrowser(url)),
        }
    }
}

/// A prompt to open.
#[derive(Debug, Clone)]
pub struct PromptRequest {
    pub prompt: PanePrompt,
    /// The initial text.
    pub text: SafeText,
    /// Title of the prompt, if the kind does not determine it.
    pub title: Option<SafeText>,
    /// Lines of help, if the kind does not determine them.
    pub help: Vec<SafeText>,
}

impl From<PanePrompt> for PromptRequest {
    fn from(prompt: PanePrompt) -> Self {
        Self { prompt, text: SafeText::default(), title: None, help: Vec::new() }
    }
}

impl PanePrompt {
    /// Returns `true` if the text is looked for in the page.
    pub fn is_search(self) -> bool {
        matches!(self, Self::Search | Self::SearchText | Self::SearchCalls)
    }

    /// Returns `true` if only the rows or calls that match the text stay.
    pub fn is_filter(self) -> bool {
        matches!(self, Self::Filter | Self::FilterCalls)
    }

    pub fn with_text(self, text: SafeText) -> PromptRequest {
        PromptRequest { text, ..self.into() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanePrompt {
    Search,
    SearchText,
    Filter,
    Export,
    SearchCalls,
    FilterCalls,
    Signature,
    ExportTrace,
    /// An argument of a function.
    Argument,
    /// A storage slot.
    Slot,
    /// The block after which state is read.
    Block,
}

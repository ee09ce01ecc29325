//! What a pane wants from the app.

use super::Route;
use crate::api::{Cursor, Query};
use crate::chain::Address;
use crate::msg::{Effect, PaneRequest, Priority};
use crate::route::DiffBaseline;
use crate::safety::address_poisoning::{KnownAddresses, OutgoingTransfer};
use crate::sanitize::SafeText;
use crate::user_data::labels::LabelEdit;
use crate::user_data::recents::RecentEntry;

/// Something a pane wants.
#[derive(Debug, Clone)]
pub enum Command {
    /// Run a request; its result comes back to this pane.
    Request(PaneRequest),
    /// Carry out an effect that does not depend on the pane.
    Effect(Effect),
    /// Go somewhere.
    Navigate(Route),
    /// Tell the user.
    Notify(SafeText),
    /// Tell the user in a sentence that may name keys, as in [`Keys::sentence`](crate::keymap::key_hints::Keys::sentence).
    NotifyKeys(&'static str),
    /// Show something, and do something if the user says so.
    Confirm(Confirmation),
    /// Let the user type.
    Prompt(PanePrompt, SafeText),
    /// Let the user choose filters; the row's token stands beside them.
    Filters(Query, Option<(Address, SafeText)>),
    /// The viewed address has sent something to these.
    RecordCounterparties(Vec<OutgoingTransfer>),
    /// Keep a trace, to compare others with it.
    SetDiffBaseline(DiffBaseline),
    /// Learn a signature that was typed.
    AddSignature(SafeText),
    /// Change what the user says of an address.
    EditLabel(LabelEdit),
    /// Forget that a place was visited.
    RemoveRecent(RecentEntry),
}

impl Command {
    /// Sends a query to the explorer.
    pub fn fetch(query: Query, cursor: Option<Cursor>, priority: Priority) -> Self {
        Self::Request(PaneRequest::Fetch { query, cursor, priority })
    }

    /// Cancels all requests of the pane.
    pub fn cancel() -> Self {
        Self::Request(PaneRequest::Cancel)
    }

    /// Copies `text`, which the notification calls `what`.
    pub fn copy(what: &'static str, text: SafeText) -> Self {
        Self::Effect(Effect::Copy { what, text })
    }
}

/// Something to be seen before it is done; or only to be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    /// What it is about, and which keys answer, as in [`Keys::sentence`](crate::keymap::key_hints::Keys::sentence).
    pub title: &'static str,
    /// What is to be seen.
    pub lines: Vec<SafeText>,
    /// What Enter does.
    pub effect: Option<Effect>,
}

/// What the user is asked to type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanePrompt {
    /// A text to look for in the loaded rows.
    Search,
    /// A text that the rows shown must hold.
    Filter,
    /// The name of a file to write.
    Export,
    /// Words that calls must hold.
    SearchCalls,
    /// Words that the calls shown must hold.
    FilterCalls,
    /// The signature of a function or an error.
    Signature,
    /// The name of a file to write a trace to.
    ExportTrace,
}

/// Copying a text: an address that looks like another, or stands in a row that warns of something,
/// takes a second key.
pub fn copy_or_confirm(
    what: &'static str,
    text: SafeText,
    known: &KnownAddresses,
    warnings: &[SafeText],
) -> Command {
    let Ok(address) = text.parse::<Address>() else { return Command::copy(what, text) };
    let resemblance = known.find_lookalike(&address);
    let mut lines: Vec<SafeText> = Vec::new();
    if let Some(resemblance) = &resemblance {
        lines.extend(resemblance.comparison(&address).iter().map(|line| SafeText::new(line)));
        lines.push(SafeText::new(&resemblance.describe()));
    } else if !warnings.is_empty() {
        lines.push(text.clone());
        lines.extend(warnings.iter().cloned());
    } else {
        return Command::copy(what, text);
    }
    let title = match resemblance {
        Some(_) => "Looks like another: {open} copies it",
        None => "In a suspicious row: {open} copies it",
    };
    Command::Confirm(Confirmation { title, lines, effect: Some(Effect::Copy { what, text }) })
}

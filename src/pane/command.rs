//! What a pane wants from the app.

use std::path::PathBuf;

use super::Link;
use super::diff_baseline::Marked;
use crate::api::{Cursor, Query};
use crate::chain::{Address, TxHash};
use crate::msg::{Effect, Terms, Why};
use crate::safety::address_poisoning::{Known, Sent};
use crate::sanitize::Text;
use crate::user_data::labels::Change;
use crate::user_data::recents::Visit;

/// Something a pane wants.
#[derive(Debug, Clone)]
pub enum Want {
    /// Ask the explorer.
    Ask(Query, Option<Cursor>, Why),
    /// Fetch a transaction's raw trace, piece by piece.
    Trace(TxHash, Terms),
    /// Let it go on, up to so many bytes in all.
    Allow(u64),
    /// Drop what was asked before.
    Drop,
    /// Go somewhere.
    Follow(Link),
    /// Copy a text.
    Copy(&'static str, Text),
    /// Tell the user.
    Say(Text),
    /// Tell the user in a sentence that may name keys, as in [`Keys::sentence`](crate::keymap::key_hints::Keys::sentence).
    Tell(&'static str),
    /// Show something, and do something if the user says so.
    Confirm(Confirm),
    /// Let the user type.
    Prompt(Prompt, Text),
    /// Let the user choose filters; the row's token stands beside them.
    Filters(Query, Option<(Address, Text)>),
    /// The viewed address has sent something to these.
    Met(Vec<Sent>),
    /// Keep a trace, to compare others with it.
    Mark(Marked),
    /// Learn a signature that was typed.
    Learn(Text),
    /// Change what the user says of an address.
    Label(Change),
    /// Forget that a place was visited.
    Forget(Visit),
    /// Write lines to a file; what they are.
    Save(PathBuf, Vec<String>, Text),
}

/// Something to be seen before it is done; or only to be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirm {
    /// What it is about, and which keys answer, as in [`Keys::sentence`](crate::keymap::key_hints::Keys::sentence).
    pub title: &'static str,
    /// What is to be seen.
    pub lines: Vec<Text>,
    /// What Enter does.
    pub effect: Option<Effect>,
}

/// What the user is asked to type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompt {
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
pub fn guarded(what: &'static str, text: Text, known: &Known, warnings: &[Text]) -> Want {
    let Ok(address) = text.parse::<Address>() else { return Want::Copy(what, text) };
    let resemblance = known.resembles(&address);
    let mut lines: Vec<Text> = Vec::new();
    if let Some(resemblance) = &resemblance {
        lines.extend(resemblance.comparison(&address).iter().map(|line| Text::new(line)));
        lines.push(Text::new(&resemblance.words()));
    } else if !warnings.is_empty() {
        lines.push(text.clone());
        lines.extend(warnings.iter().cloned());
    } else {
        return Want::Copy(what, text);
    }
    let title = match resemblance {
        Some(_) => "Looks like another: {open} copies it",
        None => "In a suspicious row: {open} copies it",
    };
    Want::Confirm(Confirm { title, lines, effect: Some(Effect::Copy { what, text }) })
}

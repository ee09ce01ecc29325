//! A box with a line to type in: where to go, what to look for, what to call a file.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::text_input::TextInput;
use crate::chain::Address;
use crate::chain::abbreviate::abbreviate;
use crate::chain::target::{ParseTargetError, TargetOrName};
use crate::keymap::key_hints::KeyHints;
use crate::msg::{Effect, Key, PaneRequest, Ticket};
use crate::pane::PanePrompt;
use crate::sanitize::SafeText;
use crate::ui::format::cut;
use crate::ui::popup::Popup;
use crate::ui::theme::{Role, Styles};

/// What is typed, and what for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PromptKind {
    /// A target.
    GoTo,
    /// What to call an address.
    Label(Address),
    /// What a pane asked for.
    Pane(PanePrompt),
}

impl PromptKind {
    /// The title, and a sentence that may name keys.
    fn title_and_help(self) -> (Cow<'static, str>, &'static str) {
        let (title, note) = match self {
            Self::Label(address) => {
                let title = format!("Your name for {}", abbreviate(&address));
                return (title.into(), "it counts more than any other; empty: none");
            }
            Self::GoTo => (
                "Go to",
                "an address, a transaction hash, an explorer's web address of one, or a \
                             name (alice.eth, a token's symbol), which the explorer is asked for",
            ),
            Self::Pane(PanePrompt::Search) => (
                "Search the loaded rows",
                "{next_match} goes to the next match, {previous_match} to the one before",
            ),
            Self::Pane(PanePrompt::Filter) => (
                "Show only loaded rows that hold",
                "rows that are not loaded yet are not searched; empty shows all",
            ),
            Self::Pane(PanePrompt::SearchCalls) => (
                "Search calls",
                "words, also to: from: fn: sel: err: val:>0 gas:>100k at:0.3.1, or re:pattern",
            ),
            Self::Pane(PanePrompt::FilterCalls) => {
                ("Show only paths to calls with", "as for a search ({search}); empty shows all")
            }
            Self::Pane(PanePrompt::Signature) => (
                "Signature",
                "transfer(address to, uint256 amount) returns (bool), or error Foo(uint256)",
            ),
            Self::Pane(PanePrompt::ExportTrace) => (
                "Write the trace to",
                "a new file; .txt is a tree, .folded for flame graphs, .speedscope.json, .jsonl",
            ),
            Self::Pane(PanePrompt::Export) => (
                "Write the rows as shown to",
                "a new file; .csv has full values, .jsonl what the server sent",
            ),
        };
        (title.into(), note)
    }
}

/// The box and what is typed in it.
#[derive(Debug)]
pub(super) struct PromptState {
    pub(super) kind: PromptKind,
    input: TextInput,
    error: Option<SafeText>,
    /// What was asked of the explorer and has no answer yet.
    pending: Option<Ticket>,
}

impl PromptState {
    /// With some text in it already.
    pub(super) fn new(purpose: PromptKind, text: &str) -> Self {
        let mut field =
            Self { kind: purpose, input: TextInput::default(), error: None, pending: None };
        field.paste(text);
        field
    }

    /// What is typed so far.
    pub(super) fn text(&self) -> &str {
        self.input.text()
    }

    /// Adds pasted text where the cursor is.
    pub(super) fn paste(&mut self, text: &str) {
        self.error = None;
        self.input.paste(text);
    }

    /// Takes a key that is bound to nothing.
    pub(super) fn type_key(&mut self, key: Key) {
        self.error = None;
        self.input.type_key(key);
    }

    /// What the text points at, or why it points at nothing.
    pub(super) fn parse_target(&self) -> Result<TargetOrName, SafeText> {
        self.text().parse().map_err(|e: ParseTargetError| SafeText::new(&e.to_string()))
    }

    /// Shows why the text was not followed.
    pub(super) fn show_error(&mut self, why: SafeText) {
        self.pending = None;
        self.error = Some(why);
    }

    /// Shows that the explorer was asked what the text is.
    pub(super) fn await_resolution(&mut self, ticket: Ticket) {
        self.error = None;
        self.pending = Some(ticket);
    }

    /// Whether it is this answer that it waits for.
    pub(super) fn is_awaiting(&self, ticket: Ticket) -> bool {
        self.pending == Some(ticket)
    }

    /// Waits no more; for what it has waited.
    pub(super) fn cancel_resolution(&mut self) -> Option<Effect> {
        let request = PaneRequest::Cancel;
        self.pending.take().map(|ticket| Effect::Request { ticket, request })
    }

    /// Draws the box over the place; returns where the cursor is.
    pub(super) fn view(
        &self,
        screen: Rect,
        buf: &mut Buffer,
        styles: &Styles,
        keys: KeyHints<'_>,
    ) -> (u16, u16) {
        let (title, note) = self.kind.title_and_help();
        let note = keys.expand(note);
        let inner = Popup::centered(screen, 76, 5).title(&title).draw(buf, styles);
        let cursor = self.input.view(inner, buf, styles);
        let (words, role) = match &self.error {
            _ if self.pending.is_some() => ("asking the explorer…", Role::Dim),
            Some(why) => (&**why, Role::Failed),
            None => (&*note, Role::Dim),
        };
        for (n, part) in wrap_two_lines(words, usize::from(inner.width)).into_iter().enumerate() {
            let y = inner.y + 1 + u16::try_from(n).unwrap_or(0);
            if y < inner.bottom() {
                buf.set_string(inner.x, y, cut(part, usize::from(inner.width)), styles.of(role));
            }
        }
        cursor
    }
}

/// A sentence on two lines, broken at a space.
fn wrap_two_lines(words: &str, width: usize) -> [&str; 2] {
    if words.len() <= width {
        return [words, ""];
    }
    let fits = words.char_indices().take_while(|(at, _)| *at <= width);
    match fits.filter(|(_, c)| *c == ' ').last() {
        Some((space, _)) => [&words[..space], &words[space + 1..]],
        None => [words, ""],
    }
}

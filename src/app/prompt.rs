//! A box with a line to type in: where to go, what to look for, what to call a file.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Widget};

use super::text_input::Line;
use crate::chain::Address;
use crate::chain::target::{Goal, NotATarget};
use crate::keymap::key_hints::Keys;
use crate::msg::{Key, PaneId, Ticket};
use crate::pane::Prompt;
use crate::sanitize::Text;
use crate::ui::format::{cut, short_address};
use crate::ui::theme::{Role, Styles};

/// What is typed, and what for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A target.
    GoTo,
    /// What to call an address.
    Label(Address),
    /// What a pane asked for.
    Pane(Prompt),
}

impl Purpose {
    /// The title, and a sentence that may name keys.
    fn words(self) -> (Cow<'static, str>, &'static str) {
        let (title, note) = match self {
            Self::Label(address) => {
                let title = format!(" Your name for {} ", short_address(&address));
                return (title.into(), "it counts more than any other; empty: none");
            }
            Self::GoTo => (
                " Go to ",
                "an address, a transaction hash, an explorer's web address of one, or a \
                             name (alice.eth, a token's symbol), which the explorer is asked for",
            ),
            Self::Pane(Prompt::Search) => (
                " Search the loaded rows ",
                "{next_match} goes to the next match, {previous_match} to the one before",
            ),
            Self::Pane(Prompt::Filter) => (
                " Show only loaded rows that hold ",
                "rows that are not loaded yet are not searched; empty shows all",
            ),
            Self::Pane(Prompt::SearchCalls) => (
                " Search calls ",
                "words, also to: from: fn: sel: err: val:>0 gas:>100k at:0.3.1, or re:pattern",
            ),
            Self::Pane(Prompt::FilterCalls) => {
                (" Show only paths to calls with ", "as for a search ({search}); empty shows all")
            }
            Self::Pane(Prompt::Signature) => (
                " Signature ",
                "transfer(address to, uint256 amount) returns (bool), or error Foo(uint256)",
            ),
            Self::Pane(Prompt::ExportTrace) => (
                " Write the trace to ",
                "a new file; .txt is a tree, .folded for flame graphs, .speedscope.json, .jsonl",
            ),
            Self::Pane(Prompt::Export) => (
                " Write the rows as shown to ",
                "a new file; .csv has full values, .jsonl what the server sent",
            ),
        };
        (title.into(), note)
    }
}

/// The box and what is typed in it.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) purpose: Purpose,
    line: Line,
    refused: Option<Text>,
    /// What was asked of the explorer and has no answer yet.
    asked: Option<Ticket>,
}

impl Field {
    /// With some text in it already.
    pub(super) fn new(purpose: Purpose, text: &str) -> Self {
        let mut field = Self { purpose, line: Line::default(), refused: None, asked: None };
        field.paste(text);
        field
    }

    /// What is typed so far.
    pub(super) fn text(&self) -> &str {
        self.line.text()
    }

    /// Adds pasted text where the cursor is.
    pub(super) fn paste(&mut self, text: &str) {
        self.refused = None;
        self.line.paste(text);
    }

    /// Takes a key that is bound to nothing.
    pub(super) fn type_key(&mut self, key: Key) {
        self.refused = None;
        self.line.type_key(key);
    }

    /// What the text points at, or why it points at nothing.
    pub(super) fn goal(&self) -> Result<Goal, Text> {
        self.text().parse().map_err(|e: NotATarget| Text::new(&e.to_string()))
    }

    /// Shows why the text was not followed.
    pub(super) fn refuse(&mut self, why: Text) {
        self.asked = None;
        self.refused = Some(why);
    }

    /// Shows that the explorer was asked what the text is.
    pub(super) fn wait_for(&mut self, ticket: Ticket) {
        self.refused = None;
        self.asked = Some(ticket);
    }

    /// Whether it is this answer that it waits for.
    pub(super) fn waits_for(&self, ticket: Ticket) -> bool {
        self.asked == Some(ticket)
    }

    /// Waits no more; for what it has waited.
    pub(super) fn give_up(&mut self) -> Option<PaneId> {
        self.asked.take().map(|ticket| ticket.pane)
    }

    /// Draws the box over the place; returns where the cursor is.
    pub(super) fn view(
        &self,
        screen: Rect,
        buf: &mut Buffer,
        styles: &Styles,
        keys: Keys<'_>,
    ) -> (u16, u16) {
        let width = screen.width.min(76);
        let area = Rect::new(
            screen.x + (screen.width - width) / 2,
            screen.y + screen.height / 4,
            width,
            5.min(screen.height),
        )
        .intersection(screen);
        Clear.render(area, buf);
        let (title, note) = self.purpose.words();
        let note = keys.sentence(note);
        let block = Block::bordered().title(title).border_style(styles.of(Role::Accent));
        let inner = block.inner(area);
        block.render(area, buf);
        let cursor = self.line.view(inner, buf, styles);
        let (words, role) = match &self.refused {
            _ if self.asked.is_some() => ("asking the explorer…", Role::Dim),
            Some(why) => (&**why, Role::Failed),
            None => (&*note, Role::Dim),
        };
        for (n, part) in halves(words, usize::from(inner.width)).into_iter().enumerate() {
            let y = inner.y + 1 + u16::try_from(n).unwrap_or(0);
            if y < inner.bottom() {
                buf.set_string(inner.x, y, cut(part, usize::from(inner.width)), styles.of(role));
            }
        }
        cursor
    }
}

/// A sentence on two lines, broken at a space.
fn halves(words: &str, width: usize) -> [&str; 2] {
    if words.len() <= width {
        return [words, ""];
    }
    let fits = words.char_indices().take_while(|(at, _)| *at <= width);
    match fits.filter(|(_, c)| *c == ' ').last() {
        Some((space, _)) => [&words[..space], &words[space + 1..]],
        None => [words, ""],
    }
}

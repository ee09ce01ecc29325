//! A box with a line to type in: where to go, what to look for, what to call a file.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Widget};
use tui_input::{Input, InputRequest};

use crate::chain::Address;
use crate::chain::network::Network;
use crate::chain::subject::Target;
use crate::msg::Key;
use crate::pane::Prompt;
use crate::text::Text;
use crate::ui::format::cut;
use crate::ui::theme::{Role, Styles};

/// Nothing that is asked for is longer; a paste may be anything.
const LONGEST: usize = 500;

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
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::GoTo => {
                (" Go to ", "an address, a transaction hash, or an explorer's web address of one")
            }
            Self::Label(_) => {
                (" Your name for this address ", "it counts more than any other; empty: none")
            }
            Self::Pane(Prompt::Search) => {
                (" Search the loaded rows ", "n goes to the next match, N to the one before")
            }
            Self::Pane(Prompt::Filter) => (
                " Show only loaded rows that hold ",
                "rows that are not loaded yet are not searched; empty shows all",
            ),
            Self::Pane(Prompt::SearchCalls) => (
                " Search calls ",
                "words, also to: from: fn: sel: err: val:>0 gas:>100k at:0.3.1, or re:pattern",
            ),
            Self::Pane(Prompt::FilterCalls) => {
                (" Show only paths to calls with ", "as for a search (/); empty shows all")
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
        }
    }
}

/// The box and what is typed in it.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) purpose: Purpose,
    input: Input,
    refused: Option<Text>,
}

impl Field {
    /// With some text in it already.
    pub(super) fn new(purpose: Purpose, text: &str) -> Self {
        let mut field = Self { purpose, input: Input::default(), refused: None };
        field.paste(text);
        field
    }

    /// What is typed so far.
    pub(super) fn text(&self) -> &str {
        self.input.value()
    }

    /// Adds pasted text where the cursor is.
    pub(super) fn paste(&mut self, text: &str) {
        self.refused = None;
        let room = LONGEST.saturating_sub(self.input.value().chars().count());
        for c in Text::new(text.trim()).chars().take(room) {
            self.input.handle(InputRequest::InsertChar(c));
        }
    }

    /// Takes a key that is bound to nothing.
    pub(super) fn type_key(&mut self, key: Key) {
        self.refused = None;
        let request = match (key.code, key.ctrl) {
            (KeyCode::Char('u'), true) => InputRequest::DeleteLine,
            (KeyCode::Char('w'), true) => InputRequest::DeletePrevWord,
            (KeyCode::Char('a'), true) | (KeyCode::Home, _) => InputRequest::GoToStart,
            (KeyCode::Char('e'), true) | (KeyCode::End, _) => InputRequest::GoToEnd,
            (KeyCode::Char(c), false) if self.input.value().len() < LONGEST => {
                InputRequest::InsertChar(c)
            }
            (KeyCode::Backspace, _) => InputRequest::DeletePrevChar,
            (KeyCode::Delete, _) => InputRequest::DeleteNextChar,
            (KeyCode::Left, _) => InputRequest::GoToPrevChar,
            (KeyCode::Right, _) => InputRequest::GoToNextChar,
            _ => return,
        };
        self.input.handle(request);
    }

    /// What the text points at on this chain, or why it points at nothing.
    pub(super) fn target(&self, network: &Network) -> Result<Target, Text> {
        let target: Target = self.input.value().parse().map_err(|e| Text::new(&format!("{e}")))?;
        match &target.explorer {
            Some(explorer) if !network.is_at(explorer) => {
                Err(Text::new(&format!("that is another explorer: start with --chain {explorer}")))
            }
            _ => Ok(target),
        }
    }

    /// Shows why the text was not followed.
    pub(super) fn refuse(&mut self, why: Text) {
        self.refused = Some(why);
    }

    /// Draws the box over the place; returns where the cursor is.
    pub(super) fn view(&self, screen: Rect, buf: &mut Buffer, styles: &Styles) -> (u16, u16) {
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
        let block = Block::bordered().title(title).border_style(styles.of(Role::Accent));
        let inner = block.inner(area);
        block.render(area, buf);
        let room = usize::from(inner.width.saturating_sub(1)).max(1);
        let scroll = self.input.visual_scroll(room);
        let shown: String = self.input.value().chars().skip(scroll).take(room).collect();
        buf.set_stringn(inner.x, inner.y, &shown, room, styles.of(Role::Plain));
        let (words, role) = match &self.refused {
            Some(why) => (&**why, Role::Failed),
            None => (note, Role::Dim),
        };
        for (n, part) in halves(words, usize::from(inner.width)).into_iter().enumerate() {
            let y = inner.y + 1 + u16::try_from(n).unwrap_or(0);
            if y < inner.bottom() {
                buf.set_string(inner.x, y, cut(part, usize::from(inner.width)), styles.of(role));
            }
        }
        let at = self.input.visual_cursor().saturating_sub(scroll);
        (inner.x + u16::try_from(at).unwrap_or(0), inner.y)
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

//! How the keys pressed so far may go on: a box at the bottom, after a pause.

use std::borrow::Cow;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::App;
use crate::keymap::Chord;
use crate::msg::{Effect, Timer};
use crate::ui::format::{cut, width};
use crate::ui::popup::Popup;
use crate::ui::theme::{Role, Styles};

/// Who knows the chord has pressed its next key by then.
const HINT_DELAY: Duration = Duration::from_millis(300);
/// A column is not narrower than this where sentences must be cut.
const MIN_COLUMN_WIDTH: usize = 26;

/// Keys, and what they do.
type KeyHelpLines = [(String, Cow<'static, str>)];

/// Whether the box is shown.
#[derive(Debug, Default)]
pub(super) struct WhichKey {
    /// Chords begun so far: the pause of an older one tells nothing.
    generation: u32,
    is_shown: bool,
}

impl App {
    /// A chord has begun, or goes on.
    pub(super) fn begin_chord(&mut self) -> Vec<Effect> {
        self.which_key.generation = self.which_key.generation.wrapping_add(1);
        vec![Effect::StartTimer(Timer::WhichKey(self.which_key.generation), HINT_DELAY)]
    }

    /// The chord is complete, or was none.
    pub(super) fn end_chord(&mut self) -> Chord {
        self.which_key.is_shown = false;
        Chord(std::mem::take(&mut self.pending_keys))
    }

    /// The pause after a chord's key is over.
    pub(super) fn on_which_key_timer(&mut self, begun: u32) -> Vec<Effect> {
        self.which_key.is_shown |=
            begun == self.which_key.generation && !self.pending_keys.is_empty();
        Vec::new()
    }

    /// The keys that may follow, and what each then does; those of nearer contexts first.
    fn next_keys(&self) -> Vec<(String, Cow<'static, str>)> {
        let mut found: Vec<(String, Cow<'static, str>)> = Vec::new();
        for binding in self.key_contexts().iter().flat_map(|context| self.keymap.bindings(*context))
        {
            let rest = binding.chord.0.strip_prefix(self.pending_keys.as_slice());
            let Some(rest) = rest.filter(|rest| !rest.is_empty()) else { continue };
            let keys = Chord(rest.to_vec()).to_string();
            if !found.iter().any(|(known, _)| *known == keys) {
                found.push((keys, self.active_keys().expand(binding.action.info().description)));
            }
        }
        found
    }

    /// Draws the box above the footer, if it is time for it.
    pub(super) fn draw_which_key(&self, above: Rect, buf: &mut Buffer) {
        if !self.which_key.is_shown {
            return;
        }
        let title = format!("{} … (Esc ends it)", Chord(self.pending_keys.clone()));
        draw_box(&title, &self.next_keys(), above, buf, &self.styles);
    }
}

/// How many rows the columns have, so that as many stand side by side as are not too wide together,
/// and how wide each is; on a low screen they are of one width, and sentences are cut.
fn layout_columns(lines: &KeyHelpLines, inside: usize, most: usize) -> (usize, Vec<usize>) {
    let needs = |(keys, words): &(String, Cow<'static, str>)| width(keys) + 2 + width(words) + 2;
    for rows in 1..=lines.len().min(most) {
        let columns = lines.chunks(rows);
        let widths: Vec<usize> =
            columns.map(|column| column.iter().map(needs).max().unwrap_or(0)).collect();
        if widths.iter().sum::<usize>() <= inside + 2 {
            return (rows, widths);
        }
    }
    let columns = lines.len().div_ceil(most).min(inside / MIN_COLUMN_WIDTH).max(1);
    let rows = lines.len().div_ceil(columns).min(most);
    (rows.max(1), vec![inside / columns; columns])
}

/// Draws a box at the bottom of `room`, its columns from top to bottom.
fn draw_box(title: &str, lines: &KeyHelpLines, room: Rect, buf: &mut Buffer, styles: &Styles) {
    let most = usize::from(room.height.saturating_sub(2)).max(1);
    let (rows, widths) = layout_columns(lines, usize::from(room.width.saturating_sub(2)), most);
    let height = u16::try_from(rows + 2).unwrap_or(u16::MAX);
    let mut popup = Popup::at_bottom(room, height).title(title);
    let left = lines.len().saturating_sub(rows * widths.len());
    if left > 0 {
        popup = popup.footer(format!(" and {left} more "));
    }
    let inner = popup.draw(buf, styles);
    let mut x = inner.x;
    for (column, width) in lines.chunks(rows).zip(widths) {
        let width = u16::try_from(width).unwrap_or(u16::MAX);
        let room = Rect { x, width, ..inner }.intersection(inner);
        draw_column(column, room, buf, styles);
        x = x.saturating_add(width);
    }
}

fn draw_column(lines: &KeyHelpLines, area: Rect, buf: &mut Buffer, styles: &Styles) {
    let keys = lines.iter().map(|(keys, _)| width(keys)).max().unwrap_or(0);
    let indent = u16::try_from(keys + 2).unwrap_or(u16::MAX);
    for ((key, words), line) in lines.iter().zip(area.rows()) {
        buf.set_stringn(line.x, line.y, key, keys, styles.of(Role::Accent));
        let words = cut(words, usize::from(line.width.saturating_sub(indent)));
        buf.set_string(line.x.saturating_add(indent), line.y, words, styles.of(Role::Plain));
    }
}

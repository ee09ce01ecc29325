//! The which-key box: the possible continuations of the chord typed so far.

use std::borrow::Cow;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::dim_page;
use crate::app::App;
use crate::keymap::Chord;
use crate::messages::prompt::OverlayText;
use crate::pane::Availability;
use crate::ui::format::{cut, width};
use crate::ui::popup::Popup;
use crate::ui::theme::{Role, Styles};

/// Delay after the first key of a chord: users who know the chord are faster.
pub(in crate::app) const HINT_DELAY: Duration = Duration::from_millis(300);
/// Least width of a column whose descriptions are cut.
const MIN_COLUMN_WIDTH: usize = 26;

type KeyHelpLines = [(String, Cow<'static, str>)];

impl App {
    /// Returns the possible next keys with their actions, in order of precedence.
    fn next_keys(&self) -> Vec<(String, Cow<'static, str>)> {
        let mut found: Vec<(String, Cow<'static, str>)> = Vec::new();
        let keymap = &self.input.keymap;
        let availability_of = self.availabilities();
        for binding in self.key_contexts().iter().flat_map(|context| keymap.bindings(*context)) {
            let rest = binding.chord.0.strip_prefix(self.input.pending());
            let Some(rest) = rest.filter(|rest| !rest.is_empty()) else { continue };
            let keys = Chord(rest.to_vec()).to_string();
            let works = availability_of(binding.action) == Availability::Enabled;
            if works && !found.iter().any(|(known, _)| *known == keys) {
                found.push((keys, self.active_keys().expand(binding.action.description())));
            }
        }
        found
    }

    pub(in crate::app) fn draw_which_key(&self, area: Rect, buf: &mut Buffer) {
        if self.input.shows_which_key {
            let keys = &Chord(self.input.pending().to_vec()).to_string();
            let title = OverlayText::PendingKeys { keys }.to_string();
            dim_page(area, buf, &self.display.styles);
            draw_box(&title, &self.next_keys(), area, buf, &self.display.styles);
        }
    }
}

/// Returns the number of rows and the widths of the columns: as few rows as the width allows, unless
/// the last column has less than half of them. If even `most` rows do not fit, the columns have one
/// width and descriptions are cut.
fn layout_columns(lines: &KeyHelpLines, inside: usize, most: usize) -> (usize, Vec<usize>) {
    let needs = |(keys, words): &(String, Cow<'static, str>)| width(keys) + 2 + width(words) + 2;
    for rows in 1..=lines.len().min(most) {
        let in_last = (lines.len() - 1) % rows + 1;
        if in_last * 2 < rows {
            continue;
        }
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

fn draw_box(title: &str, lines: &KeyHelpLines, space: Rect, buf: &mut Buffer, styles: &Styles) {
    let most = usize::from(space.height.saturating_sub(2)).max(1);
    let (rows, widths) = layout_columns(lines, usize::from(space.width.saturating_sub(4)), most);
    let height = u16::try_from(rows + 2).unwrap_or(u16::MAX);
    let mut popup = Popup::at_bottom(space, height).title(title);
    let left = lines.len().saturating_sub(rows * widths.len());
    if left > 0 {
        popup = popup.footer(format!(" and {left} more "));
    }
    let inner = popup.draw(buf, styles);
    let mut x = inner.x;
    for (column, width) in lines.chunks(rows).zip(widths) {
        let width = u16::try_from(width).unwrap_or(u16::MAX);
        let space = Rect { x, width, ..inner }.intersection(inner);
        draw_column(column, space, buf, styles);
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

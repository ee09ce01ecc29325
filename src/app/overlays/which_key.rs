//! The which-key box: the possible continuations of the chord typed so far.

use std::borrow::Cow;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::dim_page;
use crate::action::Action;
use crate::app::App;
use crate::chain::hash_abbreviation::{ABBREVIATED_WIDTH, ADDRESS_WIDTH, keep_ends};
use crate::columns::CopyValue;
use crate::keymap::Chord;
use crate::messages::prompt::OverlayText;
use crate::pane::Availability;
use crate::sanitize::SafeText;
use crate::ui::format::{cut, width};
use crate::ui::popup::Popup;
use crate::ui::text::draw_pieces;
use crate::ui::theme::{Role, Styles};

/// Delay after the first key of a chord: users who know the chord are faster.
pub(in crate::app) const HINT_DELAY: Duration = Duration::from_millis(300);
/// Least width of a column whose descriptions are cut.
const MIN_COLUMN_WIDTH: usize = 26;

/// Keys that continue a chord, and their action.
struct KeyHelp {
    chord: Chord,
    keys: String,
    words: Cow<'static, str>,
    /// The text that it would copy.
    value: SafeText,
    action: Action,
}

/// The box with the area of each line that fits.
struct WhichKeyBox<'a> {
    popup: Popup<'a>,
    lines: Vec<(Rect, &'a KeyHelp)>,
    /// Lines of a column.
    rows: usize,
}

impl App {
    /// Returns the possible next keys with their actions, in order of precedence.
    fn next_keys(&self) -> Vec<KeyHelp> {
        let mut found: Vec<KeyHelp> = Vec::new();
        let keymap = &self.input.keymap;
        let availability_of = self.availabilities();
        for binding in self.key_contexts().iter().flat_map(|context| keymap.bindings(*context)) {
            let rest = binding.chord.0.strip_prefix(self.input.pending());
            let Some(rest) = rest.filter(|rest| !rest.is_empty()) else { continue };
            let chord = Chord(rest.to_vec());
            let keys = chord.to_string();
            let works = availability_of(binding.action) == Availability::Enabled;
            if works && !found.iter().any(|known| known.keys == keys) {
                let copied = self.copied(binding.action);
                if copied.as_ref().is_some_and(|value| value.text.is_none()) {
                    continue;
                }
                let description = match &copied {
                    Some(value) => OverlayText::Copies { label: value.label }.to_string().into(),
                    None => self.active_keys().expand(binding.action.description()),
                };
                let value = copied.and_then(|value| value.text).unwrap_or_default();
                found.push(KeyHelp {
                    chord,
                    keys,
                    words: description,
                    value,
                    action: binding.action,
                });
            }
        }
        join_cell(&mut found);
        found
    }

    /// Returns the value that an action would copy, of JSON only the beginning: it may be long.
    fn copied(&self, action: Action) -> Option<CopyValue> {
        let (tab, cx) = self.pane(self.nav.focused_slot())?;
        if action == Action::CopyJson {
            return Some(CopyValue::new(action, "JSON", Some(tab.pane.json_start()?)));
        }
        tab.pane.copied_value(action, &cx)
    }

    pub(in crate::app) fn draw_which_key(&self, area: Rect, buf: &mut Buffer) {
        if self.input.shows_which_key {
            let keys = &Chord(self.input.pending().to_vec()).to_string();
            let mut next = self.next_keys();
            let title = match take_common_verb(&mut next) {
                Some(verb) => OverlayText::PendingVerb { keys, verb: &verb }.to_string(),
                None => OverlayText::PendingKeys { keys }.to_string(),
            };
            dim_page(area, buf, &self.display.styles);
            let space = (area, self.covered_lines());
            WhichKeyBox::new(&title, &next, space).draw(buf, &self.display.styles);
        }
    }

    /// Returns the keys of a line of the box.
    pub(in crate::app) fn which_key_at(&self, at: Position, area: Rect) -> Option<Chord> {
        let mut keys = self.next_keys();
        take_common_verb(&mut keys);
        let shown = self
            .input
            .shows_which_key
            .then(|| WhichKeyBox::new("", &keys, (area, self.covered_lines())))?;
        shown.lines.iter().find(|(line, _)| line.contains(at)).map(|(_, help)| help.chord.clone())
    }
}

/// Joins the line of the cell with the line that copies the same text and names it better.
fn join_cell(lines: &mut Vec<KeyHelp>) {
    let Some(at) = lines.iter().position(|line| line.action == Action::CopyCell) else { return };
    let value = lines.get(at).map(|cell| cell.value.clone()).filter(|value| !value.is_empty());
    let same =
        |line: &KeyHelp| line.action != Action::CopyCell && Some(&line.value) == value.as_ref();
    let Some(other) = lines.iter().position(same) else { return };
    let KeyHelp { keys, words, .. } = lines.remove(other);
    if let Some(cell) = lines.get_mut(at - usize::from(other < at)) {
        cell.keys = format!("{} {keys}", cell.keys);
        cell.words = words;
    }
}

/// Returns a value in some columns: whole, or the ends of a hash or of an address.
fn copied_text(value: &str, space: usize) -> String {
    let is_hash = value.len() >= ADDRESS_WIDTH
        && value.strip_prefix("0x").is_some_and(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
    match value {
        hash if is_hash && hash.len() > space => {
            let ends = space.max(ABBREVIATED_WIDTH) - 1;
            keep_ends(hash, ends - ends / 2, ends / 2)
        }
        value => cut(value, space).into_owned(),
    }
}

/// Removes the first word of all descriptions, if they have the same: the title says it once.
fn take_common_verb(lines: &mut [KeyHelp]) -> Option<String> {
    let (first, _) = lines.first().filter(|_| lines.len() > 1)?.words.split_once(' ')?;
    let verb = format!("{first} ");
    if lines.iter().any(|line| !line.words.starts_with(&verb)) {
        return None;
    }
    for line in lines {
        line.words = line.words.get(verb.len()..).unwrap_or_default().to_owned().into();
    }
    Some(verb.trim_end().to_owned())
}

/// Returns the number of rows and the widths of the columns: one column with values, or else as few rows
/// as the width allows, unless the last column has less than half of them. If even `most` rows do not
/// fit, the columns have one width and descriptions are cut.
fn layout_columns(lines: &[KeyHelp], inside: usize, most: usize) -> (usize, Vec<usize>) {
    if lines.len() <= most && lines.iter().any(|help| !help.value.is_empty()) {
        return (lines.len(), vec![inside]);
    }
    let needs = |help: &KeyHelp| width(&help.keys) + 2 + width(&help.words) + 2;
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

impl<'a> WhichKeyBox<'a> {
    fn new(title: &str, lines: &'a [KeyHelp], (space, covered_lines): (Rect, u16)) -> Self {
        let most = usize::from(space.height.saturating_sub(2)).max(1);
        let (rows, widths) =
            layout_columns(lines, usize::from(space.width.saturating_sub(4)), most);
        let height = u16::try_from(rows + 2).unwrap_or(u16::MAX).max(covered_lines);
        let mut popup = Popup::at_bottom(space, height).title(title);
        let left = lines.len().saturating_sub(rows * widths.len());
        if left > 0 {
            popup = popup.footer(format!(" and {left} more "));
        }
        let inner = popup.inner();
        let mut x = inner.x;
        let mut places = Vec::new();
        for (column, width) in lines.chunks(rows).zip(widths) {
            let width = u16::try_from(width).unwrap_or(u16::MAX);
            places.extend(Rect { x, width, ..inner }.intersection(inner).rows().zip(column));
            x = x.saturating_add(width);
        }
        Self { popup, lines: places, rows }
    }

    fn draw(self, buf: &mut Buffer, styles: &Styles) {
        self.popup.draw(buf, styles);
        for column in self.lines.chunks(self.rows) {
            let keys = column.iter().map(|(_, help)| width(&help.keys)).max().unwrap_or(0);
            let words = column.iter().map(|(_, help)| width(&help.words)).max().unwrap_or(0);
            for (line, help) in column {
                let columns = usize::from(line.width);
                let description = cut(&help.words, columns.saturating_sub(keys + 2));
                let space = columns.saturating_sub(keys + words + 4);
                let pieces = [
                    (format!("{:<keys$}  ", help.keys), Role::Accent),
                    (format!("{description:<words$}  "), Role::Plain),
                    (copied_text(&help.value, space), Role::Dim),
                ];
                draw_pieces(buf, *line, pieces.map(|(text, role)| (text, styles.of(role))));
            }
        }
    }
}

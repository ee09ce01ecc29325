//! Finds rows of a frame that the terminal can move instead of drawing them again.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::Range;

use ratatui::buffer::{Buffer, Cell};

/// Minimum number of rows that moved.
const MIN_MOVED_ROWS: usize = 4;
/// Minimum number of cells that are not drawn because their row was moved.
const MIN_SAVED_CELLS: usize = 100;
/// One of this many cells is compared for that.
const CELLS_PER_SAMPLE: usize = 4;
/// Factor of the hash of a text (FNV-1a).
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// Rows of which most moved by the same number of lines. Rows that come in at one end are blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScrolledRows {
    pub(super) rows: Range<usize>,
    lines: usize,
    is_down: bool,
}

impl ScrolledRows {
    /// Compares the texts of rows: styles, such as the selected row's, change with little output. The
    /// left halves decide, since there may be another pane on the right. `changed` has the rows that
    /// differ.
    pub(super) fn find(shown: &Buffer, next: &Buffer, changed: &[usize]) -> Option<Self> {
        let width = usize::from(next.area.width).max(1);
        let [old, new]: [Vec<&[Cell]>; 2] =
            [shown, next].map(|frame| frame.content.chunks(width).collect());
        let hashed = changed
            .iter()
            .filter_map(|y| Some((*y, text_hash(old.get(*y)?), text_hash(new.get(*y)?))));
        let changed: Vec<(usize, u64, u64)> = hashed.filter(|(_, old, new)| old != new).collect();
        if changed.len() < MIN_MOVED_ROWS {
            return None;
        }
        let mut moves: BTreeMap<(bool, usize), (usize, Range<usize>)> = BTreeMap::new();
        for (from, old_hash, _) in &changed {
            for (to, ..) in changed.iter().filter(|(.., new_hash)| new_hash == old_hash) {
                let (first, end) = (*from.min(to), from.max(to) + 1);
                let (count, rows) =
                    moves.entry((to > from, from.abs_diff(*to))).or_insert((0, first..end));
                *count += 1;
                *rows = rows.start.min(first)..rows.end.max(end);
            }
        }
        let ((is_down, lines), (count, rows)) =
            moves.into_iter().max_by_key(|(_, (count, _))| *count)?;
        let found = Self { rows, lines, is_down };
        (count >= MIN_MOVED_ROWS && found.saves_cells(&old, &new)).then_some(found)
    }

    /// Returns `true` if fewer cells have to be drawn after the rows have moved.
    fn saves_cells(&self, old: &[&[Cell]], new: &[&[Cell]]) -> bool {
        let blank = vec![Cell::EMPTY; old.first().map_or(0, |row| row.len())];
        let source = |y: usize| {
            let origin =
                if self.is_down { y.checked_sub(self.lines) } else { Some(y + self.lines) };
            let from = origin.filter(|from| self.rows.contains(from));
            from.and_then(|from| old.get(from)).copied().unwrap_or(&blank)
        };
        let count = |from: &[Cell], to: &[Cell]| {
            from.iter().zip(to).step_by(CELLS_PER_SAMPLE).filter(|(a, b)| a != b).count()
        };
        let rows =
            self.rows.clone().zip(self.rows.clone().filter_map(|y| old.get(y).zip(new.get(y))));
        let (in_place, moved) = rows.fold((0, 0), |(in_place, moved), (y, (old, new))| {
            (in_place + count(old, new), moved + count(source(y), new))
        });
        in_place >= moved + MIN_SAVED_CELLS / CELLS_PER_SAMPLE
    }

    /// Changes the shown frame as the terminal does.
    pub(super) fn apply(&self, shown: &mut Buffer) {
        let width = usize::from(shown.area.width);
        let cells = self.rows.start * width..self.rows.end * width;
        let Some(cells) = shown.content.get_mut(cells) else { return };
        let moved = (self.lines * width).min(cells.len());
        let rest = cells.len() - moved;
        let blank = if self.is_down {
            cells.rotate_right(moved);
            0..moved
        } else {
            cells.rotate_left(moved);
            rest..cells.len()
        };
        cells.get_mut(blank).unwrap_or_default().fill(Cell::EMPTY);
    }

    /// Inserts or deletes lines within margins, which all terminals can since the VT102.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let (top, bottom, lines) = (self.rows.start + 1, self.rows.end, self.lines);
        let command = if self.is_down { 'L' } else { 'M' };
        // Writing to a vector cannot fail.
        let _ = write!(out, "\x1b[{top};{bottom}r\x1b[{top}H\x1b[{lines}{command}\x1b[r");
    }
}

/// Returns a hash of the left half of a row.
fn text_hash(row: &[Cell]) -> u64 {
    let left = row.iter().take(row.len().div_ceil(2));
    let bytes = left.flat_map(|cell| cell.symbol().bytes());
    bytes.fold(0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds rows in frames with these letters, repeated, in their rows.
    fn found(shown: &str, next: &str) -> Option<(Range<usize>, usize, bool)> {
        let frame = |letters: &str| {
            Buffer::with_lines(letters.chars().map(|letter| String::from(letter).repeat(40)))
        };
        let all: Vec<usize> = (0..shown.len()).collect();
        let found = ScrolledRows::find(&frame(shown), &frame(next), &all);
        found.map(|found| (found.rows, found.lines, found.is_down))
    }

    #[test]
    fn rows_between_others_are_found() {
        assert_eq!(found("-123456=", "-234567="), Some((1..7, 1, false)));
        assert_eq!(found("-234567=", "-123456="), Some((1..7, 1, true)));
        assert_eq!(found("-1234567=", "-3456789="), Some((1..8, 2, false)));
    }

    #[test]
    fn rows_are_left_where_moving_them_saves_little() {
        assert_eq!(found("12345678", "12345678"), None);
        assert_eq!(found("12345678", "abcdefgh"), None);
        assert_eq!(found("12345678", "234defgh"), None);
        assert_eq!(found("1x2y3z4x", "2x3y4z5x"), None, "others would move along");
        assert_eq!(found("11111111", "11111111"), None);
    }

    #[test]
    fn shown_rows_move_as_on_the_terminal() {
        let mut shown = Buffer::with_lines(["a", "b", "c", "d"]);
        let up = ScrolledRows { rows: 1..4, lines: 1, is_down: false };
        up.apply(&mut shown);
        assert_eq!(shown, Buffer::with_lines(["a", "c", "d", " "]));
        let down = ScrolledRows { rows: 0..3, lines: 2, is_down: true };
        down.apply(&mut shown);
        assert_eq!(shown, Buffer::with_lines([" ", " ", "a", " "]));
        let mut out = Vec::new();
        up.write(&mut out);
        assert_eq!(out, b"\x1b[2;4r\x1b[2H\x1b[1M\x1b[r");
    }
}

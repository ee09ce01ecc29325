//! Keeps symbols within their cells on terminals that disagree about widths.

use std::fmt::Write;
use std::num::NonZeroU16;

use compact_str::CompactString;
use ratatui::buffer::{Buffer, Cell, CellDiffOption};

use crate::sanitize::width;

/// Makes a terminal draw each symbol that is not ASCII, and the text after it, in its place: the
/// columns of a wide one are blanked, and the cursor is put back after a narrow one. (The backend moves
/// it after a wide one.)
///
/// Must be the last change of a frame.
pub fn confine_symbols(frame: &mut Buffer) {
    let (left, mut y) = (frame.area.x + 1, frame.area.y); // terminals count from 1
    for row in frame.content.chunks_mut(usize::from(frame.area.width).max(1)) {
        let (mut x, mut rest) = (left, row);
        y += 1;
        while let Some((cell, after)) = rest.split_first_mut() {
            let columns = if cell.symbol().is_ascii() { 1 } else { confine(cell, after, (x, y)) };
            rest = after.get_mut(usize::from(columns) - 1..).unwrap_or_default();
            x += columns;
        }
    }
}

/// Confines a symbol that is not ASCII to its cell and to the cells in `after` that it covers. Returns
/// the number of columns.
fn confine(cell: &mut Cell, after: &mut [Cell], (x, y): (u16, u16)) -> u16 {
    let columns = u16::try_from(width(cell.symbol())).ok().and_then(NonZeroU16::new);
    let columns = columns.unwrap_or(NonZeroU16::MIN);
    let covered = after.get_mut(..usize::from(columns.get()) - 1);
    let Some(covered) = covered.filter(|cells| cells.iter().all(|cell| cell.symbol() == " "))
    else {
        cell.set_symbol(" "); // something is drawn over a part of it
        return 1;
    };
    let symbol = cell.symbol();
    let mut output = CompactString::default();
    // Writing to a string cannot fail.
    let _ = match covered.len() {
        0 => write!(output, "{symbol}\x1b[{y};{}H", x + 1),
        more => write!(output, "{:1$}\x1b[{y};{x}H{symbol}", "", more + 1),
    };
    for part in covered {
        part.set_symbol(""); // not blank: the next frame must draw a blank that follows
    }
    cell.set_symbol(&output).set_diff_option(CellDiffOption::ForcedWidth(columns));
    columns.get()
}

//! Keeps symbols within their cells on terminals that disagree about widths.

use ratatui::buffer::Cell;

use crate::sanitize::width;

/// Empties the cells of a row that a wide symbol covers, which are not drawn, and leaves out a symbol of which
/// another covers a part.
///
/// Must be the last change of a row.
pub(super) fn confine_symbols(row: &mut [Cell]) {
    let mut rest = row;
    while let Some((cell, after)) = rest.split_first_mut() {
        let covered = if cell.symbol().len() == 1 { 0 } else { confine(cell, after) };
        rest = after.get_mut(covered..).unwrap_or_default();
    }
}

/// Confines a symbol that is not ASCII to its cell and to the cells in `after` that it covers. Returns
/// their number.
fn confine(cell: &mut Cell, after: &mut [Cell]) -> usize {
    let covered = after.get_mut(..width(cell.symbol()).saturating_sub(1));
    let Some(covered) = covered.filter(|cells| cells.iter().all(|cell| cell.symbol() == " "))
    else {
        cell.set_symbol(" "); // something is drawn over a part of it
        return 0;
    };
    for part in &mut *covered {
        part.set_symbol(""); // not blank: the next frame must draw a blank that follows
    }
    covered.len()
}

//! Draws pictures as half blocks, or as placeholders that the terminal fills.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use crate::picture::{MIN_OPACITY, Picture, PictureImage, Pixels};

/// Placeholder for a cell of a picture in Kitty's graphics protocol. Its colour is the picture's id,
/// and a mark gives the row.
const PLACEHOLDER: char = '\u{10eeee}';
/// Marks of the rows.
#[rustfmt::skip]
const ROW_MARKS: [char; 64] = [
    '\u{305}', '\u{30d}', '\u{30e}', '\u{310}', '\u{312}', '\u{33d}', '\u{33e}', '\u{33f}',
    '\u{346}', '\u{34a}', '\u{34b}', '\u{34c}', '\u{350}', '\u{351}', '\u{352}', '\u{357}',
    '\u{35b}', '\u{363}', '\u{364}', '\u{365}', '\u{366}', '\u{367}', '\u{368}', '\u{369}',
    '\u{36a}', '\u{36b}', '\u{36c}', '\u{36d}', '\u{36e}', '\u{36f}', '\u{483}', '\u{484}',
    '\u{485}', '\u{486}', '\u{487}', '\u{592}', '\u{593}', '\u{594}', '\u{595}', '\u{597}',
    '\u{598}', '\u{599}', '\u{59c}', '\u{59d}', '\u{59e}', '\u{59f}', '\u{5a0}', '\u{5a1}',
    '\u{5a8}', '\u{5a9}', '\u{5ab}', '\u{5ac}', '\u{5af}', '\u{5c4}', '\u{610}', '\u{611}',
    '\u{612}', '\u{613}', '\u{614}', '\u{615}', '\u{616}', '\u{617}', '\u{657}', '\u{658}',
];

/// Draws a picture in the middle of an area that it fits into.
pub fn draw_picture(buf: &mut Buffer, area: Rect, id: u32, picture: &Picture, truecolor: bool) {
    let size = picture.size;
    let left = area.x + area.width.saturating_sub(size.width) / 2;
    let top = area.y + area.height.saturating_sub(size.height) / 2;
    let area = Rect { x: left, y: top, width: size.width, height: size.height }.intersection(area);
    match &picture.image {
        PictureImage::Pixels(pixels) => draw_blocks(buf, area, pixels, truecolor),
        PictureImage::Payload(..) => draw_placeholders(buf, area, id),
    }
}

fn draw_blocks(buf: &mut Buffer, area: Rect, pixels: &Pixels, truecolor: bool) {
    for position in area.positions() {
        let (x, y) = (u32::from(position.x - area.x), u32::from(position.y - area.y));
        let color = |y| {
            let [red, green, blue, _] =
                pixels.at(x, y).filter(|[.., opacity]| *opacity >= MIN_OPACITY)?;
            Some(if truecolor { Color::Rgb(red, green, blue) } else { nearest([red, green, blue]) })
        };
        let (symbol, style) = match (color(2 * y), color(2 * y + 1)) {
            (Some(top), Some(bottom)) => ("▀", Style::new().fg(top).bg(bottom)),
            (Some(top), None) => ("▀", Style::new().fg(top)),
            (None, Some(bottom)) => ("▄", Style::new().fg(bottom)),
            (None, None) => continue,
        };
        if let Some(cell) = buf.cell_mut(position) {
            cell.set_symbol(symbol).set_style(style);
        }
    }
}

/// Returns the nearest of the 216 colours of the terminals' cube.
fn nearest(rgb: [u8; 3]) -> Color {
    let [red, green, blue] = rgb.map(|channel| match channel {
        0..48 => 0,
        48..115 => 1,
        _ => (channel - 35) / 40,
    });
    Color::Indexed(16 + 36 * red + 6 * green + blue)
}

fn draw_placeholders(buf: &mut Buffer, area: Rect, id: u32) {
    for (row, mark) in area.rows().zip(ROW_MARKS) {
        for position in row.positions() {
            if let Some(cell) = buf.cell_mut(position) {
                cell.set_symbol(&String::from_iter([PLACEHOLDER, mark]))
                    .set_fg(Color::from_u32(id));
            }
        }
    }
}

/// Returns the picture and its row, if a cell is a placeholder.
pub fn placeholder(cell: &Cell) -> Option<(u32, u16)> {
    let mut symbol = cell.symbol().chars();
    let mark = symbol.next().filter(|c| *c == PLACEHOLDER).and_then(|_| symbol.next())?;
    let row = ROW_MARKS.iter().position(|m| *m == mark)?;
    let Color::Rgb(red, green, blue) = cell.fg else { return None };
    Some((u32::from_be_bytes([0, red, green, blue]), u16::try_from(row).ok()?))
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Size;

    use super::*;

    #[test]
    fn half_blocks_show_two_pixels() {
        let rgba = [[255, 0, 0, 255], [0, 0, 0, 0], [0, 0, 255, 255], [9, 9, 9, 255]].concat();
        let image = PictureImage::Pixels(Pixels { width: 2, height: 2, rgba });
        let picture = Picture { size: Size::new(2, 1), image };
        let mut buf = Buffer::empty(Rect::new(0, 0, 4, 1));
        let area = buf.area;
        draw_picture(&mut buf, area, 1, &picture, true);
        let cells: Vec<_> =
            buf.content.iter().map(|cell| (cell.symbol(), cell.fg, cell.bg)).collect();
        let blank = (" ", Color::Reset, Color::Reset);
        let whole = ("▀", Color::Rgb(255, 0, 0), Color::Rgb(0, 0, 255));
        assert_eq!(cells, [blank, whole, ("▄", Color::Rgb(9, 9, 9), Color::Reset), blank]);
        draw_picture(&mut buf, area, 1, &picture, false);
        assert_eq!((buf[(1, 0)].fg, buf[(1, 0)].bg), (Color::Indexed(196), Color::Indexed(21)));
    }

    #[test]
    fn placeholders_name_the_picture_and_the_row() {
        let mut buf = Buffer::empty(Rect::new(0, 0, 3, 2));
        draw_placeholders(&mut buf, Rect::new(1, 0, 2, 2), 0x01_02_03);
        assert_eq!(placeholder(&buf[(0, 0)]), None);
        assert_eq!(placeholder(&buf[(2, 1)]), Some((0x01_02_03, 1)));
        assert_eq!(crate::sanitize::width(buf[(2, 1)].symbol()), 1);
    }
}

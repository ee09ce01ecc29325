//! Sends pictures to terminals with a graphics protocol, where a frame has placeholders for them.

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Write};
use std::mem::take;

use crossterm::cursor::MoveTo;
use crossterm::queue;
use crossterm::style::{Attribute, Print, SetAttribute};
use parking_lot::Mutex;
use ratatui::buffer::{Buffer, CellDiffOption};
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::Color;

use crate::picture::{GraphicsProtocol, Picture, PictureImage};
use crate::ui::picture::placeholder;

/// Maximum bytes of one of Kitty's sequences.
const MAX_CHUNK_BYTES: usize = 4_096;

/// Pictures stored in the terminal, which are deleted when it is restored, from wherever that happens.
static STORED: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// The pictures on the screen.
#[derive(Debug, Default)]
pub(super) struct GraphicsLayer {
    protocol: Option<GraphicsProtocol>,
    shown: Vec<(u32, Rect)>,
    /// Pictures stored in the terminal.
    sent: HashSet<u32>,
}

impl GraphicsLayer {
    pub(super) fn set_protocol(&mut self, protocol: GraphicsProtocol) {
        self.protocol = Some(protocol);
    }

    pub(super) fn shows_pictures(&self) -> bool {
        !self.shown.is_empty()
    }

    /// Resets the state after the screen was cleared. Returns the sequence that deletes Kitty's
    /// pictures, which some versions keep.
    pub(super) fn reset(&mut self) -> String {
        self.shown.clear();
        self.sent.clear();
        delete_stored()
    }

    /// Returns the pictures of a frame. If the terminal does not fill placeholders, they are whole
    /// pictures, and other placeholders become blank.
    pub(super) fn find<'a>(
        &self,
        frame: &mut Buffer,
        picture: impl Fn(u32) -> Option<&'a Picture>,
    ) -> Vec<(u32, Rect)> {
        let mut found: Vec<(u32, Rect)> = Vec::new();
        let Some(protocol) = self.protocol else { return found };
        for position in frame.area.positions() {
            let Some((id, row)) = frame.cell(position).and_then(placeholder) else { continue };
            if protocol == GraphicsProtocol::Kitty {
                let anywhere = (id, Rect::default());
                if !found.contains(&anywhere) {
                    found.push(anywhere);
                }
            } else if !found.iter().any(|(_, area)| area.contains(position)) {
                let size = picture(id).map(|picture| picture.size).filter(|_| row == 0);
                let area = size.map(|size| Rect::from((position, size)));
                match area.filter(|area| is_whole(frame, id, *area)) {
                    Some(area) => found.push((id, area)),
                    None => blank(frame, position),
                }
            }
        }
        found
    }

    /// Sends the pictures that are new on the screen.
    pub(super) fn send<'a>(
        &mut self,
        out: &mut impl Write,
        pictures: Vec<(u32, Rect)>,
        picture: impl Fn(u32) -> Option<&'a Picture>,
    ) -> io::Result<()> {
        if pictures != self.shown {
            let places_again = self.protocol == Some(GraphicsProtocol::KittyAtCursor);
            if places_again && !self.shown.is_empty() {
                // Pictures stay above any text drawn there.
                write!(out, "\x1b_Ga=d,d=a,q=2\x1b\\")?;
            }
            for (id, area) in &pictures {
                if (places_again || !self.shown.contains(&(*id, *area)))
                    && let Some(picture) = picture(*id)
                {
                    self.send_one(out, *id, *area, picture)?;
                }
            }
            self.shown = pictures;
        }
        let dropped: Vec<u32> =
            self.sent.iter().copied().filter(|id| picture(*id).is_none()).collect();
        for id in dropped {
            self.sent.remove(&id);
            STORED.lock().remove(&id);
            out.write_all(delete(id).as_bytes())?;
        }
        Ok(())
    }

    fn send_one(
        &mut self,
        out: &mut impl Write,
        id: u32,
        area: Rect,
        picture: &Picture,
    ) -> io::Result<()> {
        let PictureImage::Payload(protocol, payload) = &picture.image else { return Ok(()) };
        let Size { width, height } = picture.size;
        let mut is_new = || {
            STORED.lock().insert(id);
            self.sent.insert(id)
        };
        match protocol {
            GraphicsProtocol::Kitty => {
                if is_new() {
                    let control = format!("a=T,U=1,q=2,f=100,i={id},c={width},r={height},");
                    send_to_kitty(out, control, payload)?;
                }
            }
            GraphicsProtocol::KittyAtCursor => {
                if is_new() {
                    send_to_kitty(out, format!("a=t,q=2,f=100,i={id},"), payload)?;
                }
                clear(out, area)?;
                write!(out, "\x1b_Ga=p,q=2,C=1,i={id},c={width},r={height}\x1b\\")?;
            }
            GraphicsProtocol::Iterm2 | GraphicsProtocol::Sixel => {
                clear(out, area)?;
                out.write_all(payload.as_bytes())?;
            }
        }
        Ok(())
    }
}

/// Keeps the frame from being drawn over pictures, unless the terminal draws them in its cells.
pub(super) fn protect(frame: &mut Buffer, pictures: &[(u32, Rect)]) {
    for position in pictures.iter().flat_map(|(_, area)| area.positions()) {
        if let Some(cell) = frame.cell_mut(position) {
            cell.set_diff_option(CellDiffOption::Skip);
        }
    }
}

/// Returns `true` if all of a picture is in the frame, and nothing covers it.
fn is_whole(frame: &Buffer, id: u32, area: Rect) -> bool {
    let mut positions = area.positions();
    positions.all(|at| frame.cell(at).and_then(placeholder) == Some((id, at.y - area.y)))
}

fn blank(frame: &mut Buffer, position: Position) {
    if let Some(cell) = frame.cell_mut(position) {
        cell.set_symbol(" ").set_fg(Color::Reset);
    }
}

/// Clears an area, whose blanks are visible where a picture is transparent, and moves the cursor there.
fn clear(out: &mut impl Write, area: Rect) -> io::Result<()> {
    queue!(out, SetAttribute(Attribute::Reset))?;
    for row in area.rows() {
        queue!(out, MoveTo(row.x, row.y), Print(" ".repeat(usize::from(row.width))))?;
    }
    queue!(out, MoveTo(area.x, area.y))
}

fn send_to_kitty(out: &mut impl Write, mut control: String, payload: &str) -> io::Result<()> {
    let mut rest = payload;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at_checked(MAX_CHUNK_BYTES).unwrap_or((rest, ""));
        write!(out, "\x1b_G{control}m={};{chunk}\x1b\\", u8::from(!after.is_empty()))?;
        control.clear();
        rest = after;
    }
    Ok(())
}

fn delete(id: u32) -> String {
    format!("\x1b_Ga=d,d=I,i={id},q=2\x1b\\")
}

/// Returns the sequence that deletes the stored pictures.
pub(super) fn delete_stored() -> String {
    let stored = take(&mut *STORED.lock());
    stored.into_iter().map(delete).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::picture::draw_picture;

    const SIZE: Size = Size::new(3, 2);

    fn picture(protocol: GraphicsProtocol) -> Picture {
        let image = PictureImage::Payload(protocol, "x".repeat(5_000));
        Picture { size: SIZE, image }
    }

    /// Draws pictures at these columns. Returns the sent bytes.
    fn draw(
        layer: &mut GraphicsLayer,
        columns: &[u16],
        cover: Option<u16>,
        known: &Picture,
    ) -> String {
        let mut frame = Buffer::empty(Rect::new(0, 0, 20, 4));
        for (id, x) in (1..).zip(columns) {
            draw_picture(&mut frame, Rect::new(*x, 1, 3, 2), id, known, true);
        }
        if let Some(x) = cover {
            frame[(x, 1)].set_symbol("#");
        }
        let picture = |id| (id < 100).then_some(known);
        let found = layer.find(&mut frame, picture);
        protect(&mut frame, &found);
        let mut out = Vec::new();
        layer.send(&mut out, found, picture).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn kitty_gets_each_picture_once() {
        let known = picture(GraphicsProtocol::Kitty);
        let mut layer = GraphicsLayer::default();
        assert_eq!(draw(&mut layer, &[1], None, &known), "", "no protocol");
        layer.set_protocol(GraphicsProtocol::Kitty);
        let sent = draw(&mut layer, &[1, 6], None, &known);
        assert_eq!(sent.matches("\x1b_Ga=T,U=1,q=2,f=100,i=").count(), 2);
        assert_eq!((sent.matches("m=1;").count(), sent.matches("m=0;").count()), (2, 2));
        assert_eq!(draw(&mut layer, &[2, 7], Some(3), &known), "", "its cells moved");
        layer.sent.insert(100);
        assert_eq!(draw(&mut layer, &[2], None, &known), "\x1b_Ga=d,d=I,i=100,q=2\x1b\\");
        layer.reset();
        assert!(!draw(&mut layer, &[2], None, &known).is_empty());
    }

    #[test]
    fn other_protocols_draw_at_each_new_place() {
        let known = picture(GraphicsProtocol::Sixel);
        let mut layer = GraphicsLayer::default();
        layer.set_protocol(GraphicsProtocol::Sixel);
        let count = |sent: String| sent.matches("xxx").count() / 1_666;
        assert_eq!(count(draw(&mut layer, &[1, 6], None, &known)), 2);
        assert_eq!(draw(&mut layer, &[1, 6], None, &known), "");
        assert_eq!(count(draw(&mut layer, &[1, 7], None, &known)), 1);
        assert_eq!(count(draw(&mut layer, &[1, 7], Some(8), &known)), 0, "partly covered");
        assert_eq!(count(draw(&mut layer, &[1, 7], None, &known)), 1);
    }

    #[test]
    fn kitty_without_placeholders_gets_all_places_again_after_a_change() {
        let known = picture(GraphicsProtocol::KittyAtCursor);
        let mut layer = GraphicsLayer::default();
        layer.set_protocol(GraphicsProtocol::KittyAtCursor);
        let count = |sent: &str| {
            ["a=t,", "a=p,q=2,C=1,i=", "a=d,d=a,"].map(|control| sent.matches(control).count())
        };
        let first = draw(&mut layer, &[1, 6], None, &known);
        assert_eq!(count(&first), [2, 2, 0], "{first:?}");
        assert!(first.contains("\x1b[2;7H\x1b_Ga=p,q=2,C=1,i=2,c=3,r=2\x1b\\"), "{first:?}");
        assert_eq!(draw(&mut layer, &[1, 6], None, &known), "");
        let scrolled = draw(&mut layer, &[2, 7], None, &known);
        assert_eq!(count(&scrolled), [0, 2, 1]);
        assert!(scrolled.starts_with("\x1b_Ga=d,d=a,q=2\x1b\\"), "{scrolled:?}");
        assert_eq!(count(&draw(&mut layer, &[2, 7], Some(8), &known)), [0, 1, 1], "covered");
        assert_eq!(count(&draw(&mut layer, &[2], None, &known)), [0, 0, 0], "no longer there");
        assert_eq!(count(&draw(&mut layer, &[], None, &known)), [0, 0, 1]);
        layer.reset();
        assert_eq!(count(&draw(&mut layer, &[2], None, &known)), [1, 1, 0]);
    }

    #[test]
    fn covered_picture_leaves_no_placeholders() {
        let known = picture(GraphicsProtocol::Sixel);
        let mut layer = GraphicsLayer::default();
        layer.set_protocol(GraphicsProtocol::Sixel);
        for corner in [(0, 0), (2, 0), (0, 1), (2, 1)] {
            let mut frame = Buffer::empty(Rect::new(0, 0, 20, 4));
            draw_picture(&mut frame, Rect::new(0, 0, 3, 2), 1, &known, true);
            frame[corner].set_symbol("#");
            assert_eq!(layer.find(&mut frame, |_| Some(&known)), [], "{corner:?}");
            let text: String = frame.content.iter().map(ratatui::buffer::Cell::symbol).collect();
            assert_eq!(text.trim(), "#", "{corner:?}");
        }
    }

    #[test]
    fn frame_is_not_drawn_over_a_picture() {
        let known = picture(GraphicsProtocol::Iterm2);
        let mut layer = GraphicsLayer::default();
        layer.set_protocol(GraphicsProtocol::Iterm2);
        let mut frame = Buffer::empty(Rect::new(0, 0, 20, 4));
        let blank = frame.clone();
        draw_picture(&mut frame, Rect::new(0, 0, 3, 2), 1, &known, true);
        let found = layer.find(&mut frame, |_| Some(&known));
        assert_eq!(found, [(1, Rect::new(0, 0, 3, 2))]);
        protect(&mut frame, &found);
        assert_eq!(blank.diff(&frame).len(), 0);
        assert_eq!(frame.diff(&blank).len(), 6, "blanks erase it");
    }
}

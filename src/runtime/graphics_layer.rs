//! Sends pictures to terminals with a graphics protocol, where a frame has placeholders for them.

use std::collections::HashSet;
use std::io::{self, Write};

use crossterm::cursor::MoveTo;
use crossterm::queue;
use crossterm::style::{Attribute, Print, SetAttribute};
use ratatui::buffer::{Buffer, CellDiffOption};
use ratatui::layout::{Position, Rect, Size};

use crate::picture::{GraphicsProtocol, Picture, PictureImage};
use crate::ui::picture::placeholder;

/// Maximum bytes of one of Kitty's sequences.
const MAX_CHUNK_BYTES: usize = 4_096;

/// The pictures on the screen.
#[derive(Debug, Default)]
pub(super) struct GraphicsLayer {
    protocol: Option<GraphicsProtocol>,
    shown: Vec<(u32, Rect)>,
    /// The pictures that the terminal stores.
    sent: HashSet<u32>,
}

impl GraphicsLayer {
    pub(super) fn set_protocol(&mut self, protocol: GraphicsProtocol) {
        self.protocol = Some(protocol);
    }

    /// Forgets what is on the screen after it was cleared.
    pub(super) fn reset(&mut self) {
        self.shown.clear();
        self.sent.clear();
    }

    /// Returns the pictures of a frame.
    pub(super) fn find(&self, frame: &Buffer) -> Vec<(u32, Rect)> {
        if self.protocol.is_none() {
            return Vec::new();
        }
        let place = |x, y| frame.cell(Position { x, y }).and_then(placeholder);
        let mut found = Vec::new();
        for Position { x, y } in frame.area.positions() {
            let Some((id, 0)) = place(x, y) else { continue };
            if x > frame.area.x && place(x - 1, y) == Some((id, 0)) {
                continue;
            }
            let width =
                (x..frame.area.right()).take_while(|x| place(*x, y) == Some((id, 0))).count();
            let rows = (y..frame.area.bottom()).zip(0..);
            let height = rows.take_while(|(y, row)| place(x, *y) == Some((id, *row))).count();
            let [width, height] = [width, height].map(|n| u16::try_from(n).unwrap_or(u16::MAX));
            found.push((id, Rect { x, y, width, height }));
        }
        found
    }

    /// Keeps the frame from being drawn over pictures, unless the terminal draws them in its cells.
    pub(super) fn protect(&self, frame: &mut Buffer, pictures: &[(u32, Rect)]) {
        if self.protocol == Some(GraphicsProtocol::Kitty) {
            return;
        }
        for position in pictures.iter().flat_map(|(_, area)| area.positions()) {
            if let Some(cell) = frame.cell_mut(position) {
                cell.set_diff_option(CellDiffOption::Skip);
            }
        }
    }

    /// Sends the pictures that are new on the screen.
    pub(super) fn send<'a>(
        &mut self,
        out: &mut impl Write,
        pictures: Vec<(u32, Rect)>,
        picture: impl Fn(u32) -> Option<&'a Picture>,
    ) -> io::Result<()> {
        for (id, area) in pictures.iter().filter(|shown| !self.shown.contains(shown)) {
            let Some(Picture { size, image: PictureImage::Payload(protocol, payload) }) =
                picture(*id)
            else {
                continue;
            };
            if *protocol != GraphicsProtocol::Kitty {
                // A part of one that something else covers cannot be drawn.
                place(out, *area, payload, *size == area.as_size())?;
            } else if self.sent.insert(*id) {
                send_to_kitty(out, *id, *size, payload)?;
            }
        }
        let dropped: Vec<u32> =
            self.sent.iter().copied().filter(|id| picture(*id).is_none()).collect();
        for id in dropped {
            self.sent.remove(&id);
            write!(out, "\x1b_Ga=d,d=I,i={id},q=2\x1b\\")?;
        }
        self.shown = pictures;
        Ok(())
    }
}

/// Draws a picture over blanks, which show where it is transparent.
fn place(out: &mut impl Write, area: Rect, payload: &str, is_whole: bool) -> io::Result<()> {
    queue!(out, SetAttribute(Attribute::Reset))?;
    for row in area.rows() {
        queue!(out, MoveTo(row.x, row.y), Print(" ".repeat(usize::from(row.width))))?;
    }
    queue!(out, MoveTo(area.x, area.y))?;
    if is_whole { out.write_all(payload.as_bytes()) } else { Ok(()) }
}

fn send_to_kitty(out: &mut impl Write, id: u32, size: Size, payload: &str) -> io::Result<()> {
    let (columns, rows) = (size.width, size.height);
    let mut control = format!("a=T,U=1,q=2,f=100,i={id},c={columns},r={rows},");
    let mut rest = payload;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at_checked(MAX_CHUNK_BYTES).unwrap_or((rest, ""));
        write!(out, "\x1b_G{control}m={};{chunk}\x1b\\", u8::from(!after.is_empty()))?;
        control.clear();
        rest = after;
    }
    Ok(())
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

    /// Draws pictures at these columns. Returns what is sent.
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
        let found = layer.find(&frame);
        layer.protect(&mut frame, &found);
        let mut out = Vec::new();
        layer.send(&mut out, found, |id| (id < 100).then_some(known)).unwrap();
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
    fn frame_is_not_drawn_over_a_picture() {
        let known = picture(GraphicsProtocol::Iterm2);
        let mut layer = GraphicsLayer::default();
        layer.set_protocol(GraphicsProtocol::Iterm2);
        let mut frame = Buffer::empty(Rect::new(0, 0, 20, 4));
        let blank = frame.clone();
        draw_picture(&mut frame, Rect::new(0, 0, 3, 2), 1, &known, true);
        let found = layer.find(&frame);
        assert_eq!(found, [(1, Rect::new(0, 0, 3, 2))]);
        layer.protect(&mut frame, &found);
        assert_eq!(blank.diff(&frame).len(), 0);
        assert_eq!(frame.diff(&blank).len(), 6, "blanks erase it");
    }
}

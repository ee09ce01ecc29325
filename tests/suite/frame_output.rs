//! Bytes for the terminal: they draw every frame, and are few for a key.

use std::num::NonZero;

use chainglass::test_api::runtime::FrameWriter;
use chainglass::test_api::ui::{Appearance, ColorDepth, TerminalEnv, ThemePreferences};
use proptest::prelude::*;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Rect, Size};
use ratatui::style::{Color, Modifier, Style};

use super::session::{ALICE, Session, size};

/// Maximum bytes for the next row of a list.
const MAX_KEY_BYTES: usize = 2_048;

/// A terminal with a writer.
struct Output {
    writer: FrameWriter,
    terminal: vt100::Parser,
}

impl Output {
    fn new(area: Rect) -> Self {
        let cells = |n| NonZero::new(n).unwrap();
        let terminal = vt100::Parser::new(cells(area.height), cells(area.width), 0);
        Self { writer: FrameWriter::new(area), terminal }
    }

    /// Shows a frame, checks that the terminal does, and returns the output.
    #[track_caller]
    fn show(&mut self, frame: &Buffer) -> Vec<u8> {
        let mut out = Vec::new();
        self.writer.write(&mut frame.clone(), false, &mut out);
        self.terminal.process(&out);
        let screen = self.terminal.screen();
        for (n, cell) in frame.content.iter().enumerate() {
            let (x, y) = frame.pos_of(n);
            let shown = screen.cell(y, x).unwrap();
            if !shown.is_wide_continuation() {
                assert_eq!(look_of_shown(shown), look(cell), "{x} {y}\n{}", screen.contents());
            }
        }
        out
    }
}

type Look = (String, vt100::Color, vt100::Color, [bool; 5]);

fn look_of_shown(cell: &vt100::Cell) -> Look {
    let modifiers = [cell.bold(), cell.dim(), cell.italic(), cell.underline(), cell.inverse()];
    let text = if cell.has_contents() { cell.contents() } else { " " };
    seen((text.to_owned(), cell.fgcolor(), cell.bgcolor(), modifiers))
}

/// Returns a look without what is not seen of a blank.
fn seen((text, foreground, background, modifiers): Look) -> Look {
    match modifiers {
        [.., false, false] if text == " " => (text, vt100::Color::Default, background, [false; 5]),
        _ => (text, foreground, background, modifiers),
    }
}

fn look(cell: &Cell) -> Look {
    let all =
        [Modifier::BOLD, Modifier::DIM, Modifier::ITALIC, Modifier::UNDERLINED, Modifier::REVERSED];
    let modifiers = all.map(|modifier| cell.modifier.contains(modifier));
    seen((cell.symbol().to_owned(), color(cell.fg), color(cell.bg), modifiers))
}

fn color(color: Color) -> vt100::Color {
    match color {
        Color::Reset => vt100::Color::Default,
        Color::Rgb(r, g, b) => vt100::Color::Rgb(r, g, b),
        Color::Indexed(index) => vt100::Color::Idx(index),
        Color::Red => vt100::Color::Idx(1),
        Color::Blue => vt100::Color::Idx(4),
        other => panic!("{other} is not in these frames"),
    }
}

fn appearance() -> Appearance {
    let env = TerminalEnv { color: true, depth: ColorDepth::Truecolor, ..TerminalEnv::default() };
    let preferences = ThemePreferences { theme: Some("dark"), ..ThemePreferences::default() };
    Appearance::new(preferences, env).unwrap()
}

/// Presses keys one by one in a list, and returns the bytes written for each.
async fn bytes_of_keys(size: Size, setup: &str, keys: impl Iterator<Item = &str>) -> Vec<usize> {
    let mut session = Session::with_snapshot_keys(size, ALICE, appearance()).await;
    session.keys(setup).await;
    let mut output = Output::new(Rect::from((ratatui::layout::Position::ORIGIN, size)));
    output.show(&session.buffer());
    let mut bytes = Vec::new();
    for key in keys {
        session.keys(key).await;
        bytes.push(output.show(&session.buffer()).len());
    }
    bytes
}

#[tokio::test]
async fn next_row_is_written_in_few_bytes_even_if_the_list_scrolls() {
    // Without a preview, which is another page for each row.
    for size in [size(120, 40), size(150, 60)] {
        for list in ["1", "2", "3", "6"] {
            let down = std::iter::repeat_n("j", 70);
            let mut bytes = bytes_of_keys(size, list, down.chain(["k"; 30])).await;
            bytes.sort_unstable();
            let (median, most) = (bytes[bytes.len() / 2], bytes[bytes.len() - 1]);
            assert!(median < MAX_KEY_BYTES, "{list} {size:?}: {median}, at most {most}");
        }
    }
}

#[tokio::test]
async fn terminal_shows_the_frame_after_every_key() {
    let keys = "j ctrl-d j ctrl-d k ctrl-u G k g g j l l j j h 3 j j ? j esc enter j j esc V j j V 2 ctrl-f \
        j k ctrl-b 5 V j j j V / a enter n n esc";
    bytes_of_keys(size(120, 40), "1", keys.split_whitespace()).await;
    bytes_of_keys(size(170, 24), "V", keys.split_whitespace()).await;
}

#[test]
fn frame_that_is_shown_is_not_written() {
    let frame = Buffer::with_lines(["→ a", "b 美", "c"]);
    let mut output = Output::new(frame.area);
    assert_ne!(output.show(&frame), b"");
    assert_eq!(output.show(&frame), b"");
}

#[test]
fn line_is_written_with_few_moves() {
    let frame = Buffer::with_lines([format!("├{}┤", "─".repeat(98))]);
    let mut output = Output::new(frame.area);
    let written = String::from_utf8(output.show(&frame)).unwrap();
    let moves = written.matches('\x1b').count();
    assert!(moves < 12, "{moves} moves: {written:?}");
}

#[test]
fn text_that_goes_is_erased_at_once() {
    let area = Rect::new(0, 0, 80, 2);
    let mut output = Output::new(area);
    let text = Buffer::with_lines(["a".repeat(80), "b".repeat(80)]);
    assert!(output.show(&text).len() > 160);
    let edges = Buffer::with_lines([format!("{:79}|", "a"), " ".repeat(80)]);
    let written = output.show(&edges);
    assert!(written.len() < 40, "{:?}", String::from_utf8_lossy(&written));
    // Not every terminal erases with a background.
    let mut blue = Buffer::empty(area);
    blue.set_style(area, Style::new().on_blue());
    assert!(output.show(&blue).len() > 160);
}

/// Lines of a few kinds, so that frames have rows in common.
fn line() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "one",
        "two",
        "美 three",
        "4 → four",
        "a美b",
        "0123456789",
        "─────",
    ])
}

fn styled_frame() -> impl Strategy<Value = Buffer> {
    let styles = prop::sample::select(vec![
        Style::new(),
        Style::new().fg(Color::Red),
        Style::new().bg(Color::Rgb(1, 2, 3)).add_modifier(Modifier::BOLD),
        Style::new().bg(Color::Blue).add_modifier(Modifier::DIM | Modifier::ITALIC),
        Style::new().add_modifier(Modifier::REVERSED | Modifier::UNDERLINED),
    ]);
    prop::collection::vec((line(), styles), 12).prop_map(|lines| {
        let mut frame = Buffer::empty(Rect::new(0, 0, 10, 12));
        for (y, (line, style)) in (0..).zip(lines) {
            frame.set_string(0, y, line, style);
        }
        frame
    })
}

/// Moves rows of a frame, as scrolling does.
fn scrolled(frame: &Buffer, by: usize) -> Buffer {
    let mut frame = frame.clone();
    let width = usize::from(frame.area.width);
    frame.content[2 * width..11 * width].rotate_left(by * width);
    frame
}

proptest! {
    #[test]
    fn terminal_shows_any_frame(frames in prop::collection::vec((styled_frame(), 0_usize..9), 1..6)) {
        let mut output = Output::new(frames[0].0.area);
        for (frame, by) in frames {
            output.show(&frame);
            output.show(&scrolled(&frame, by));
        }
    }
}

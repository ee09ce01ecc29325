//! Writes a screenshot of the demo chain to stdout, as SVG.
//!
//! `cargo run --example screenshot > assets/screen.svg`

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::Context;
use chainglass::test_api::abi::SignatureDb;
use chainglass::test_api::app::{App, Setup};
use chainglass::test_api::chain::Chains;
use chainglass::test_api::chain::Network;
use chainglass::test_api::keymap::{Chord, Keymap};
use chainglass::test_api::msg::{Effect, Msg, PaneRequest};
use chainglass::test_api::net::Provider;
use chainglass::test_api::net::trace_stream::{self, PauseControl};
use chainglass::test_api::ui::FormatOptions;
use chainglass::test_api::ui::Styles;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Size;
use ratatui::style::{Color, Modifier};
use tokio::sync::mpsc;

const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const SIZE: Size = Size { width: 120, height: 28 };
/// Width and height of a cell in pixels.
const CELL: (usize, usize) = (8, 17);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let network = Network::demo();
    let source = Provider::new(&network);
    // Minutes after the chain's last block, to make the screenshot reproducible.
    let now = "2023-11-15T00:00:00Z".parse()?;
    let mut app = App::new(Setup {
        network,
        chains: Chains::default(),
        appearance: Styles::new(true).into(),
        format: FormatOptions::default(),
        keymap: Keymap::embedded()?,
        signature_db: SignatureDb::builtin(),
        now,
        problems: Vec::new(),
        split: true,
        records_recents: false,
        mouse: false,
        pictures: chainglass::test_api::picture::PictureOptions::default(),
    });
    let mut args = std::env::args().skip(1).peekable();
    let size =
        args.next_if(|arg| !arg.starts_with("0x")).map_or(Some(SIZE), |arg| parse_size(&arg));
    let size = size.context("a size looks like 120x28")?;
    let target = args.next().unwrap_or_else(|| ALICE.to_owned());
    let effects = app.start(size, target.parse().ok());
    settle(&mut app, &source, effects).await;
    for key in args {
        let chord: Chord = key.parse()?;
        for key in chord.0 {
            let effects = app.update(Msg::Key(key));
            settle(&mut app, &source, effects).await;
        }
    }
    let mut terminal = Terminal::new(TestBackend::new(size.width, size.height))?;
    terminal.draw(|frame| app.view(frame))?;
    let screenshot = svg(terminal.backend().buffer());
    Ok(std::io::stdout().write_all(screenshot.as_bytes())?)
}

fn parse_size(text: &str) -> Option<Size> {
    let (width, height) = text.split_once('x')?;
    Some(Size { width: width.parse().ok()?, height: height.parse().ok()? })
}

async fn settle(app: &mut App, source: &Provider, effects: Vec<Effect>) {
    let mut queue = VecDeque::from(effects);
    while let Some(effect) = queue.pop_front() {
        match effect {
            Effect::Request { ticket, request: PaneRequest::Fetch { query, cursor, priority } } => {
                let reply = source.fetch(&query, cursor.as_ref(), priority).await;
                queue.extend(app.update(Msg::Fetched { ticket, query, reply }));
            }
            Effect::Request {
                ticket,
                request: PaneRequest::FetchTrace { transaction, options },
            } => {
                let (_sender, continues) = mpsc::unbounded_channel();
                let mut events = Vec::new();
                let send = |event| events.push(event);
                let pause = PauseControl { max_bytes: u64::MAX, continues };
                trace_stream::fetch(source, transaction, &options, pause, send).await;
                for event in events {
                    queue.extend(app.update(Msg::TraceUpdate { ticket, event }));
                }
            }
            // Timers fire immediately.
            Effect::StartTimer(alarm, _) => queue.extend(app.update(Msg::TimerFired(alarm))),
            _ => {}
        }
    }
}

fn svg(buffer: &Buffer) -> String {
    let columns = usize::from(buffer.area.width);
    let (width, height) = (columns * CELL.0, usize::from(buffer.area.height) * CELL.1);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#11151c\"/>\n"
    );
    for (y, cells) in buffer.content().chunks(columns).enumerate() {
        for (x, run) in runs(cells) {
            write_run(&mut out, x * CELL.0, y * CELL.1, run);
        }
    }
    out + "</svg>\n"
}

/// Runs of cells with one style, each with its first column.
fn runs(cells: &[Cell]) -> Vec<(usize, &[Cell])> {
    let mut at = 0;
    cells
        .chunk_by(|a, b| a.style() == b.style())
        .map(|run| {
            at += run.len();
            (at - run.len(), run)
        })
        .collect()
}

fn write_run(out: &mut String, x: usize, y: usize, run: &[Cell]) {
    let Some(first) = run.first() else { return };
    let text: String = run.iter().map(Cell::symbol).collect();
    let reversed = first.modifier.contains(Modifier::REVERSED);
    let (mut ink, paper) = (color(first.fg), "#d5d9e0");
    let width = run.len() * CELL.0;
    if reversed {
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\" fill=\"{paper}\"/>",
            CELL.1
        );
        ink = "#11151c";
    }
    let bold = if first.modifier.contains(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
    let underlined = first.modifier.contains(Modifier::UNDERLINED);
    let line = if underlined { " text-decoration=\"underline\"" } else { "" };
    let baseline = y + 13;
    // Each word is placed separately, because fonts differ in width.
    for (at, word) in words(&text) {
        let (x, width) = (x + at * CELL.0, word.chars().count() * CELL.0);
        let word = word.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            out,
            "<text x=\"{x}\" y=\"{baseline}\" textLength=\"{width}\" fill=\"{ink}\"{bold}{line}>{word}</text>"
        );
    }
}

/// The words of a run, each with its first column.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut at = 0;
    let mut words = Vec::new();
    for part in text.split(' ') {
        if !part.is_empty() {
            words.push((at, part));
        }
        at += part.chars().count() + 1;
    }
    words
}

fn color(color: Color) -> &'static str {
    match color {
        Color::Cyan => "#2bb3d6",
        Color::Green => "#37c26b",
        Color::Red | Color::LightRed => "#f0616d",
        Color::Yellow => "#e0b43c",
        Color::Blue | Color::LightBlue => "#5b9bff",
        Color::DarkGray => "#7a8290",
        _ => "#d5d9e0",
    }
}

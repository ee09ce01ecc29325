//! Writes a screenshot of the demo chain to stdout, as SVG, or a recording with a picture after each key.
//! In `tests/nodes/run devnet` it is of the same chain on an anvil, and in `tests/nodes/run anvil` of the
//! small world, in the project of their contracts.
//!
//! `cargo run --example dev_tools -- screenshot > assets/screen.svg`
//! `cargo run --example dev_tools -- screenshot animate 100x30 j enter 2 > assets/tour.svg`

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use chainglass::test_api::abi::{Project, ProjectContracts};
use chainglass::test_api::app::{App, Setup};
use chainglass::test_api::app_message::{ChainIndex, ChainRequest, Effect, Msg, NetworkEvent};
use chainglass::test_api::chain::Chains;
use chainglass::test_api::chain::Network;
use chainglass::test_api::config::AppSettings;
use chainglass::test_api::keymap::Chord;
use chainglass::test_api::net::trace_stream::{self, MemoryLimit, PauseControl};
use chainglass::test_api::net::{Provider, ProviderOptions};
use chainglass::test_api::ui::{Appearance, ColorDepth, TerminalEnv, ThemePreferences};
use flate2::read::MultiGzDecoder;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::{Color, Modifier};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::line_art::{CELL, Paint, shape};

const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const SIZE: Size = Size { width: 120, height: 28 };
const INK: &str = "#d5d9e0";
const PAPER: &str = "#0f131a";
/// Time for which a recording shows each picture, in tenths of a second.
const TENTHS_PER_PICTURE: usize = 12;

#[tokio::main]
pub async fn run(args: Vec<String>) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let url = |node| std::env::var(node).ok();
    let (network, options) = match (url("DEVNET_URL"), url("ANVIL_URL")) {
        (Some(url), _) => (anvil(&url)?, in_project(folder.path(), "foundry", "foundry.toml")?),
        (_, Some(url)) => {
            (anvil(&url)?, in_project(folder.path(), "hardhat3", "hardhat.config.ts")?)
        }
        _ => (Network::demo(), ProviderOptions::default()),
    };
    let source = Provider::with_options(&network, options);
    // Minutes after the chain's last block, to make the screenshot reproducible.
    let now = "2023-11-15T00:00:00Z".parse()?;
    let mut app = App::new(Setup {
        network,
        appearance: appearance()?,
        now,
        settings: AppSettings { remembers_recents: false, ..AppSettings::default() },
        ..Setup::default()
    });
    let mut args = args.into_iter().peekable();
    let is_animated = args.next_if(|arg| arg == "animate").is_some();
    let size =
        args.next_if(|arg| !arg.starts_with("0x")).map_or(Some(SIZE), |arg| parse_size(&arg));
    let size = size.context("a size looks like 120x28")?;
    let target = args.next_if(|arg| arg.starts_with("0x") || !is_animated);
    let target = target.or_else(|| (!is_animated).then(|| ALICE.to_owned()));
    let effects = app.start(size, target.and_then(|target| target.parse().ok()));
    settle(&mut app, &source, effects).await;
    read_chain(&mut app, &source).await;
    if let Some(signatures) = source.take_project_signatures().await {
        let effects = app.update(Msg::ProjectLoaded { chain: ChainIndex::default(), signatures });
        settle(&mut app, &source, effects).await;
    }
    let mut pictures = vec![picture(&app, size)];
    for key in args {
        let chord: Chord = key.parse()?;
        for key in chord.0 {
            let effects = app.update(Msg::Key(key));
            settle(&mut app, &source, effects).await;
        }
        pictures.push(picture(&app, size));
    }
    if !is_animated {
        pictures.drain(..pictures.len() - 1);
    }
    Ok(std::io::stdout().write_all(svg(&pictures, size).as_bytes())?)
}

fn appearance() -> anyhow::Result<Appearance> {
    let env = TerminalEnv { color: true, depth: ColorDepth::Truecolor, ..TerminalEnv::default() };
    let preferences = ThemePreferences { theme: Some("dark"), ..ThemePreferences::default() };
    Ok(Appearance::new(preferences, env)?)
}

/// Returns the lines of the screen, as SVG.
fn picture(app: &App, size: Size) -> Vec<String> {
    let mut frame = Buffer::empty(Rect::from((Position::ORIGIN, size)));
    app.view(&mut frame);
    svg_lines(&frame)
}

fn parse_size(text: &str) -> Option<Size> {
    let (width, height) = text.split_once('x')?;
    Some(Size { width: width.parse().ok()?, height: height.parse().ok()? })
}

/// The chain of an anvil, by the name that it has on its usual port.
fn anvil(url: &str) -> anyhow::Result<Network> {
    let port = url.rsplit(':').next().unwrap_or_default();
    let network = Chains::default().resolve(&format!("anvil:{port}"))?;
    Ok(Network { name: "anvil".into(), ..network })
}

/// Writes a recorded project to a folder.
fn in_project(folder: &Path, name: &str, config: &str) -> anyhow::Result<ProviderOptions> {
    let artifacts =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/node/artifacts.jsonl.gz");
    for line in BufReader::new(MultiGzDecoder::new(File::open(artifacts)?)).lines() {
        let artifact: Value = serde_json::from_str(&line?)?;
        let path = artifact["path"].as_str().and_then(|path| path.strip_prefix(name));
        let Some(path) = path.map(|path| folder.join(path.trim_start_matches('/'))) else {
            continue;
        };
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, artifact["json"].to_string())?;
    }
    fs::write(folder.join(config), "")?;
    let project = Project::find(folder).map(ProjectContracts::new).map(Arc::new);
    Ok(ProviderOptions { project, ..ProviderOptions::default() })
}

/// Waits until all blocks of a node's chain are read. The demo chain has nothing to wait for.
async fn read_chain(app: &mut App, source: &Provider) {
    let (sender, mut events) = mpsc::unbounded_channel();
    let watched = source.clone();
    let report = move |event| drop(sender.send(event));
    tokio::spawn(async move { watched.watch_index(report).await });
    while let Some(event) = events.recv().await {
        let is_read = matches!(&event, NetworkEvent::Index(progress)
            if progress.coverage.as_ref().is_some_and(|blocks| blocks.unindexed == 0));
        let effects = app.update(Msg::Network(ChainIndex::default(), event));
        settle(app, source, effects).await;
        if is_read {
            return;
        }
    }
}

async fn settle(app: &mut App, source: &Provider, effects: Vec<Effect>) {
    let mut queue = VecDeque::from(effects);
    while let Some(effect) = queue.pop_front() {
        match effect {
            Effect::Request {
                id,
                request: ChainRequest::Fetch { query, cursor, priority },
                ..
            } => {
                let reply = source.fetch(&query, cursor.as_ref(), priority).await;
                queue.extend(app.update(Msg::Fetched { id, query, reply }));
            }
            Effect::Request {
                id,
                request: ChainRequest::FetchTrace { transaction, options },
                ..
            } => {
                let (_sender, continues) = mpsc::unbounded_channel();
                let mut events = Vec::new();
                let send = |event| events.push(event);
                let pause = PauseControl { limit: MemoryLimit { max_bytes: u64::MAX }, continues };
                trace_stream::fetch(source, transaction, options, pause, send).await;
                for event in events {
                    queue.extend(app.update(Msg::TraceUpdate { id, event }));
                }
            }
            // Timers fire immediately.
            Effect::StartTimer(alarm, _) => queue.extend(app.update(Msg::TimerFired(alarm))),
            _ => {}
        }
    }
}

/// Returns the pictures one after the other, in an endless loop. A line that several pictures in a row
/// have is there once.
fn svg(pictures: &[Vec<String>], size: Size) -> String {
    let (width, height) = (usize::from(size.width) * CELL.0, usize::from(size.height) * CELL.1);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{PAPER}\"/>\n"
    );
    let (mut styles, mut lines) = (BTreeSet::new(), String::new());
    for y in 0..usize::from(size.height) {
        let line =
            |n: usize| pictures.get(n).and_then(|picture| picture.get(y)).map(String::as_str);
        let mut first = 0;
        for end in 1..=pictures.len() {
            if end < pictures.len() && line(end) == line(first) {
                continue;
            }
            let text = line(first).unwrap_or_default();
            let _ = if first == 0 && end == pictures.len() {
                writeln!(lines, "{text}")
            } else {
                styles.insert((first, end));
                writeln!(lines, "<g class=\"p{first}-{end}\">{text}</g>")
            };
            first = end;
        }
    }
    let _ = writeln!(out, "<style>{}</style>", key_frames(&styles, pictures.len()));
    out + &lines + "</svg>\n"
}

/// Returns a class for each range of pictures, visible while they are shown.
fn key_frames(ranges: &BTreeSet<(usize, usize)>, all: usize) -> String {
    let (tenths, mut out) = (all * TENTHS_PER_PICTURE, String::new());
    for (first, end) in ranges {
        let percent = |n: usize| format!("{}.{:02}%", n * 100 / all, n * 10_000 / all % 100);
        let (from, to) = (percent(*first), percent(*end));
        let seconds = format!("{}.{}s", tenths / 10, tenths % 10);
        let _ = write!(
            out,
            ".p{first}-{end}{{visibility:hidden;animation:k{first}-{end} {seconds} step-end infinite}}\
             @keyframes k{first}-{end}{{0%{{visibility:hidden}}{from}{{visibility:visible}}\
             {to}{{visibility:hidden}}}}"
        );
    }
    out
}

fn svg_lines(buffer: &Buffer) -> Vec<String> {
    let lines = buffer.content().chunks(usize::from(buffer.area.width)).enumerate();
    let line = |(y, cells): (usize, &[Cell])| {
        let mut out = String::new();
        for (x, run) in runs(cells) {
            write_run(&mut out, x * CELL.0, y * CELL.1, run);
        }
        out
    };
    lines.map(line).collect()
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
    let reversed = first.modifier.contains(Modifier::REVERSED);
    let (mut ink, mut paper) = (color(first.fg, INK), color(first.bg, PAPER));
    if reversed {
        std::mem::swap(&mut ink, &mut paper);
    }
    let width = run.len() * CELL.0;
    if paper != PAPER {
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\" fill=\"{paper}\"/>",
            CELL.1
        );
    }
    let text = write_shapes(out, x, y, run, &ink);
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

/// Draws the frames and bars of a run, neighbours of one kind as one path. Returns the run with spaces in
/// their place.
fn write_shapes(out: &mut String, x: usize, y: usize, run: &[Cell], ink: &str) -> String {
    let shapes = (0..).zip(run).map(|(n, cell)| shape(cell.symbol(), x + n * CELL.0, y));
    let shapes: Vec<_> = shapes.collect();
    let drawn: Vec<_> = shapes.iter().flatten().collect();
    for alike in drawn.chunk_by(|one, next| one.paint == next.paint) {
        let path: String = alike.iter().map(|shape| shape.path.as_str()).collect();
        let _ = match alike.first().map(|shape| shape.paint) {
            Some(Paint::Stroke(width)) => writeln!(
                out,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"{width}\"/>"
            ),
            Some(Paint::Fill(100)) => writeln!(out, "<path d=\"{path}\" fill=\"{ink}\"/>"),
            Some(Paint::Fill(percent)) => {
                writeln!(out, "<path d=\"{path}\" fill=\"{ink}\" fill-opacity=\".{percent}\"/>")
            }
            None => Ok(()),
        };
    }
    let text = run.iter().zip(&shapes).map(|(cell, shape)| match shape {
        Some(_) => " ",
        None => cell.symbol(),
    });
    text.collect()
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

fn color(color: Color, default: &str) -> String {
    match color {
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        _ => default.to_owned(),
    }
}

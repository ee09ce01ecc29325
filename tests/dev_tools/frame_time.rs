//! Prints the CPU time from a key to its frame, which other programs do not lengthen: in a list of the demo
//! chain, with the bytes written to the terminal, and in a large trace, with the time until the key's work is
//! done and the longest that other keys wait for it.
//!
//! Then it streams hostile traces into the app, and prints the longest time that it took for one message
//! and for one frame, and the median and the longest time from a key to its frame.
//!
//! `cargo run --release --example dev_tools -- frame-time [CALLS]`, of the trace: 1,000,000 otherwise.

use std::io::Write as _;
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use chainglass::test_api::app::{App, Setup};
use chainglass::test_api::app_message::{
    ChainRequest, Effect, FetchProgress, Msg, RequestId, TraceEvent,
};
use chainglass::test_api::config::AppSettings;
use chainglass::test_api::keymap::Chord;
use chainglass::test_api::runtime::FrameWriter;
use chainglass::test_api::trace::TraceParser;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use super::list_cost::cpu_time;
use super::session::{ALICE, Session};
use super::synthetic;

const SIZE: Size = Size { width: 200, height: 60 };
const NOW: &str = "2023-11-15T00:00:00Z";
const TRACE: &str = "0x1111111111111111111111111111111111111111111111111111111111111111";
/// A page down and lines up, with a fold.
const KEYS: &str = "ctrl-d j j k space space G g g ctrl-f";
/// Keys whose work is proportional to the size of a trace.
const TRACE_KEYS: [&str; 14] =
    ["f", "f", "V", "V", "i", "i", "z R", "*", "g h", "y T", "z p", "z s", "z e", "z M"];
const LIST_KEYS: usize = 300;
const BODY_BYTES: usize = 60 << 20;
const NETWORK_CHUNK_BYTES: usize = 64 << 10;

/// A piece of a trace as often as it takes, between a start and an end.
const SHAPES: [(&str, [&str; 3]); 6] = [
    ("calls without fields", [r#"{"calls":["#, "{},", "{}]}"]),
    ("calls with a value", [r#"{"calls":["#, r#"{"value":1,"error":1},"#, "{}]}"]),
    ("nested calls", ["", r#"{"type":"CALL","calls":["#, "{}"]),
    ("entries in order", [r#"[{"action":{}}"#, r#",{"traceAddress":[0],"error":1}"#, "]"]),
    ("entries out of order", [r#"[{"action":{}}"#, r#",{"traceAddress":[1,1]}"#, "]"]),
    (
        "calls as short as allowed",
        [
            r#"{"calls":["#,
            r#"{"type":"CALL","to":"0x0000000000000000000000000000000000000001","input":"0x0000000000000000000000000000000000000000000000000000000000000000"},"#,
            "{}]}",
        ],
    ),
];

pub fn run(args: &[String]) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for size in [Size { width: 120, height: 40 }, SIZE] {
        runtime.block_on(time_list(size))?;
    }
    let calls = args.first().map_or(Ok(1_000_000), |calls| calls.parse())?;
    time_trace_keys(synthetic::trace(calls))?;
    for (name, [start, piece, end]) in SHAPES {
        let body = start.to_owned() + &piece.repeat(BODY_BYTES / piece.len()) + end;
        let [message, frame, median, key] = times(body.into())?;
        let frames = format!("message {message:.1?}, frame {frame:.1?}");
        writeln!(std::io::stdout(), "{name}: {frames}, key {median:.1?}, at most {key:.1?}")?;
    }
    Ok(())
}

/// Times the way down a list.
async fn time_list(size: Size) -> anyhow::Result<()> {
    let mut session = Session::demo(size, ALICE).await;
    let area = Rect::from((Position::ORIGIN, size));
    // Two buffers for all frames, as in the program: a new one is mapped and cleared by the kernel.
    let (mut writer, mut next) = (FrameWriter::new(area), Buffer::empty(area));
    session.app.view(&mut next);
    writer.write(&mut next, false, &mut Vec::new());
    let (mut times, mut bytes) = (Vec::new(), Vec::new());
    for _ in 0..LIST_KEYS {
        let mut out = Vec::new();
        let started = cpu_time()?;
        let effects = session.press("j");
        next.reset();
        session.app.view(&mut next);
        writer.write(&mut next, false, &mut out);
        times.push(cpu_time()?.saturating_sub(started));
        bytes.push(out.len());
        session.settle(effects).await;
    }
    times.sort_unstable();
    bytes.sort_unstable();
    let [middle, late, last] = [LIST_KEYS / 2, LIST_KEYS * 99 / 100, LIST_KEYS - 1];
    let Size { width, height } = size;
    let [median, p99, most] = [middle, late, last].map(|n| times[n]);
    let key = format!("{median:.1?}, p99 {p99:.1?}, at most {most:.1?}");
    let written = format!("{} bytes, at most {}", bytes[middle], bytes[last]);
    writeln!(std::io::stdout(), "list at {width}x{height}: key {key}; {written}")?;
    Ok(())
}

/// Times keys that have to do with every call. Their work is done in slices, between which other keys
/// are handled.
fn time_trace_keys(body: Vec<u8>) -> anyhow::Result<()> {
    let (mut app, id) = app_with_trace()?;
    for event in events(body.into()) {
        app.update(Msg::TraceUpdate { id, event });
    }
    for keys in TRACE_KEYS {
        let started = cpu_time()?;
        for key in keys.parse::<Chord>()?.0 {
            app.update(Msg::Key(key));
        }
        draw(&app);
        let first = cpu_time()?.saturating_sub(started);
        let mut longest = first;
        while app.tick_interval() == Some(Duration::ZERO) {
            let started = cpu_time()?;
            app.update(Msg::Tick(NOW.parse()?));
            draw(&app);
            longest = longest.max(cpu_time()?.saturating_sub(started));
        }
        let all = cpu_time()?.saturating_sub(started);
        let times = format!("shown after {first:.1?}, done after {all:.1?}");
        writeln!(std::io::stdout(), "{keys}: {times}, other keys wait at most {longest:.1?}")?;
    }
    Ok(())
}

/// Returns an app that waits for a trace.
fn app_with_trace() -> anyhow::Result<(App, RequestId)> {
    let mut app = App::new(Setup {
        now: NOW.parse()?,
        settings: AppSettings { remembers_recents: false, ..AppSettings::default() },
        ..Setup::default()
    });
    let mut effects = app.start(SIZE, TRACE.parse().ok());
    for key in "2".parse::<Chord>()?.0 {
        effects.extend(app.update(Msg::Key(key)));
    }
    let id = effects.iter().find_map(trace_request).context("no trace requested")?;
    Ok((app, id))
}

fn times(body: Bytes) -> anyhow::Result<[Duration; 4]> {
    let (mut app, id) = app_with_trace()?;
    let (mut message, mut frame) = (Duration::ZERO, Duration::ZERO);
    for event in events(body) {
        let started = cpu_time()?;
        app.update(Msg::TraceUpdate { id, event });
        message = message.max(cpu_time()?.saturating_sub(started));
        let started = cpu_time()?;
        draw(&app);
        frame = frame.max(cpu_time()?.saturating_sub(started));
    }
    let mut keys = Vec::new();
    for key in KEYS.parse::<Chord>()?.0.into_iter().cycle().take(200) {
        let started = cpu_time()?;
        app.update(Msg::Key(key));
        draw(&app);
        keys.push(cpu_time()?.saturating_sub(started));
    }
    keys.sort_unstable();
    let [median, last] = [keys.len() / 2, keys.len() - 1].map(|n| keys[n]);
    Ok([message, frame, median, last])
}

fn draw(app: &App) -> Buffer {
    let mut frame = Buffer::empty(Rect::from((Position::ORIGIN, SIZE)));
    app.view(&mut frame);
    frame
}

fn trace_request(effect: &Effect) -> Option<RequestId> {
    match effect {
        Effect::Request { id, request: ChainRequest::FetchTrace { .. }, .. } => Some(*id),
        _ => None,
    }
}

/// Returns the events that a download would send.
fn events(mut body: Bytes) -> impl Iterator<Item = TraceEvent> {
    let mut parser = Some(TraceParser::default());
    std::iter::from_fn(move || {
        loop {
            if let Some(chunk) = parser.as_mut()?.next_chunk(4 << 20) {
                return Some(chunk);
            }
            if body.is_empty() {
                return parser.take().map(|parser| parser.finish(None));
            }
            let len = body.len().min(NETWORK_CHUNK_BYTES);
            parser.as_mut()?.feed(body.split_to(len));
        }
    })
    .map(|chunk| TraceEvent::Chunk {
        format: chunk.summary.as_ref().map_or_else(Default::default, |last| last.format.clone()),
        chunk: Box::new(chunk),
        progress: FetchProgress::default(),
    })
}

//! Streams hostile traces into the app, and prints the longest time that it took for one message and for
//! one frame, then the median and the longest time from a key to its frame.
//!
//! `cargo run --release --example dev_tools -- frame-time`

use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use bytes::Bytes;
use chainglass::test_api::app::{App, Setup};
use chainglass::test_api::config::AppSettings;
use chainglass::test_api::keymap::Chord;
use chainglass::test_api::msg::{ChainRequest, Effect, FetchProgress, Msg, RequestId, TraceEvent};
use chainglass::test_api::trace::TraceParser;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

const SIZE: Size = Size { width: 200, height: 60 };
const TRACE: &str = "0x1111111111111111111111111111111111111111111111111111111111111111";
/// A page down and lines up, with a fold.
const KEYS: &str = "ctrl-d j j k space space G g g ctrl-f";
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

pub fn run() -> anyhow::Result<()> {
    for (name, [start, piece, end]) in SHAPES {
        let body = start.to_owned() + &piece.repeat(BODY_BYTES / piece.len()) + end;
        let [message, frame, median, key] = times(body.into())?;
        let frames = format!("message {message:.1?}, frame {frame:.1?}");
        writeln!(std::io::stdout(), "{name}: {frames}, key {median:.1?}, at most {key:.1?}")?;
    }
    Ok(())
}

fn times(body: Bytes) -> anyhow::Result<[Duration; 4]> {
    let mut app = App::new(Setup {
        now: "2023-11-15T00:00:00Z".parse()?,
        settings: AppSettings { remembers_recents: false, ..AppSettings::default() },
        ..Setup::default()
    });
    let mut effects = app.start(SIZE, TRACE.parse().ok());
    for key in "2".parse::<Chord>()?.0 {
        effects.extend(app.update(Msg::Key(key)));
    }
    let id = effects.iter().find_map(trace_request).context("no trace requested")?;
    let (mut message, mut frame) = (Duration::ZERO, Duration::ZERO);
    for event in events(body) {
        let started = Instant::now();
        app.update(Msg::TraceUpdate { id, event });
        message = message.max(started.elapsed());
        let started = Instant::now();
        draw(&app);
        frame = frame.max(started.elapsed());
    }
    let mut keys = Vec::new();
    for key in KEYS.parse::<Chord>()?.0.into_iter().cycle().take(200) {
        let started = Instant::now();
        app.update(Msg::Key(key));
        draw(&app);
        keys.push(started.elapsed());
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

//! Streaming of traces from faulty servers, over real sockets.

use std::time::Duration;

use chainglass::test_api::api::{ApiError, Client, Query, TransactionQuery};
use chainglass::test_api::app_message::{Priority, TraceEvent, TraceOptions};
use chainglass::test_api::chain::{Chains, TxHash};
use chainglass::test_api::net::trace_stream::{self, MemoryLimit, PauseControl};
use chainglass::test_api::net::{Provider, ProviderOptions};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::fake_server::{
    Behavior, FakeServer, gzip, gzip_response, json, response_head, scripted, with_type,
};

const TIMEOUT: Duration = Duration::from_mins(1);
const ENTRY: &str = r#"{"action":{"callType":"call","from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x1","input":"0x","to":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","value":"0x0"},"result":{"gasUsed":"0x0","output":"0x"},"subtraces":0,"traceAddress":[],"type":"call"}"#;

/// A trace download and its events.
struct Download {
    events: mpsc::UnboundedReceiver<TraceEvent>,
    continues: mpsc::UnboundedSender<()>,
    task: JoinHandle<()>,
}

fn fetch(server: &FakeServer, timeout: Duration, limit: u64) -> Download {
    fetch_with(ProviderOptions::default(), server, timeout, limit)
}

fn fetch_with(
    provider: ProviderOptions,
    server: &FakeServer,
    timeout: Duration,
    limit: u64,
) -> Download {
    let source = Provider::with_options(&Chains::default().network_at(&server.base()), provider);
    let (continue_sender, continues) = mpsc::unbounded_channel();
    let options = TraceOptions { timeout, priority: Priority::Interactive };
    let (events_tx, events) = mpsc::unbounded_channel();
    let task = tokio::spawn(async move {
        let send = |events| drop(events_tx.send(events));
        let pause = PauseControl { limit: MemoryLimit { max_bytes: limit }, continues };
        trace_stream::fetch(&source, TxHash::ZERO, options, pause, send).await;
    });
    Download { events, continues: continue_sender, task }
}

/// An event as one line with the bytes received so far.
fn describe(events: &TraceEvent) -> String {
    match events {
        TraceEvent::Started { expected } => format!("started, {expected:?}"),
        TraceEvent::Chunk { chunk: part, progress, .. } => match &part.summary {
            None => format!("part, {}", progress.received),
            Some(ending) => format!("last, {}, {:?}", progress.received, ending.error),
        },
        TraceEvent::Paused { progress, .. } => format!("paused, {}", progress.received),
        TraceEvent::Failed(error) => format!("failed: {error}"),
        TraceEvent::Ended => "ended".to_owned(),
    }
}

impl Download {
    /// The next event, without chunks before the last.
    async fn next(&mut self) -> Option<TraceEvent> {
        loop {
            match self.events.recv().await? {
                TraceEvent::Chunk { chunk: part, .. } if part.summary.is_none() => {}
                other => return Some(other),
            }
        }
    }

    async fn all(mut self) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(events) = self.next().await {
            all.push(describe(&events));
        }
        all
    }
}

async fn open(behavior: Behavior) -> ApiError {
    let server = scripted([behavior]);
    let query = Query::Transaction(TxHash::ZERO, TransactionQuery::RawTrace);
    Client::new(&server.base()).unwrap().open_stream(&query, TIMEOUT).await.body.unwrap_err()
}

/// A chunked response without its end.
fn chunked(body: &str) -> Vec<u8> {
    let json = [("content-type", "application/json"), ("transfer-encoding", "chunked")];
    [&response_head(200, &json)[..], format!("{:x}\r\n{body}\r\n", body.len()).as_bytes()].concat()
}

#[tokio::test]
async fn trace_streams_from_start_to_end() {
    let body = format!("[{ENTRY}]");
    let length = body.len();
    let download = fetch(&scripted([json(200, &body)]), TIMEOUT, u64::MAX).all().await;
    let started = format!("started, Some({length})");
    assert_eq!(download, [started, format!("last, {length}, None"), "ended".to_owned()]);
}

#[tokio::test]
async fn stream_pauses_at_its_limit_and_resumes() {
    let body = format!("[{}]", vec![ENTRY; 4000].join(","));
    let length = body.len() as u64;
    let server = scripted([json(200, &body)]);
    let mut download = fetch(&server, TIMEOUT, 300_000);
    assert_eq!(describe(&download.next().await.unwrap()), format!("started, Some({length})"));
    let Some(TraceEvent::Paused { progress, needed_bytes, free_bytes }) = download.next().await
    else {
        panic!("paused")
    };
    let rest = length - progress.received;
    assert!(progress.received > 200_000 && rest > 0, "the rest is not downloaded: {progress:?}");
    assert!(needed_bytes.is_some_and(|needed| needed > rest) && free_bytes > 0);
    download.continues.send(()).unwrap();
    assert_eq!(download.all().await, [format!("last, {length}, None"), "ended".to_owned()]);
}

#[tokio::test]
async fn calls_count_as_memory_however_short_they_are() {
    let body = format!(r#"{{"type":"CALL","calls":[{}]}}"#, vec!["{}"; 200_000].join(","));
    let server = scripted([json(200, &body)]);
    let mut download = fetch(&server, TIMEOUT, 1_000_000);
    assert!(matches!(download.next().await, Some(TraceEvent::Started { .. })));
    let paused = download.next().await;
    let Some(TraceEvent::Paused { needed_bytes: Some(needed), .. }) = paused else {
        panic!("{paused:?}")
    };
    assert!(needed > 10_000_000, "{needed}");
}

#[tokio::test]
async fn trace_ending_at_its_limit_does_not_pause() {
    let body = format!("[{ENTRY}]");
    let length = body.len() as u64;
    let download = fetch(&scripted([json(200, &body)]), TIMEOUT, length).all().await;
    let started = format!("started, Some({length})");
    assert_eq!(download, [started, format!("last, {length}, None"), "ended".to_owned()]);
}

#[tokio::test]
async fn dropped_trace_closes_the_connection() {
    for (behavior, allowed) in [
        (Behavior::Stall(Vec::new()), u64::MAX),
        (Behavior::Stall(chunked("[")), u64::MAX),
        (Behavior::Stall(chunked("[")), 1),
        (
            Behavior::Endless(
                response_head(200, &[("content-type", "application/json")]),
                vec![b' '; 1 << 16],
            ),
            1,
        ),
    ] {
        let server = scripted([behavior]);
        let download = fetch(&server, TIMEOUT, allowed);
        server.until_requested(1).await;
        download.task.abort();
        server.until_closed(1).await;
    }
}

#[tokio::test]
async fn dropped_sender_of_continues_ends_the_stream() {
    let server = scripted([Behavior::Stall(chunked("["))]);
    let Download { mut events, continues, .. } = fetch(&server, TIMEOUT, 1);
    drop(continues);
    while events.recv().await.is_some() {}
    server.until_closed(1).await;
}

#[tokio::test]
async fn calls_before_an_interruption_are_kept() {
    let whole = format!("[{ENTRY},{ENTRY}");
    let length = whole.len();
    let short = || {
        let json = [("content-type", "application/json"), ("content-length", "9999")];
        [&response_head(200, &json)[..], whole.as_bytes()].concat()
    };
    for behavior in [Behavior::Respond(short()), Behavior::Respond(chunked(&whole))] {
        let download = fetch(&scripted([behavior]), TIMEOUT, u64::MAX).all().await;
        assert_eq!(download.len(), 3, "{download:?}");
        assert!(
            download[1].starts_with(&format!("last, {length}, Some(\"the response was cut off"))
        );
        assert!(download[2].starts_with("failed: the response was cut off: "), "{download:?}");
    }
}

#[tokio::test]
async fn connection_reset_is_a_failure() {
    // A reset can discard data in flight, so the number of received bytes varies.
    let download = fetch(&scripted([Behavior::Reset(chunked("["))]), TIMEOUT, u64::MAX).all().await;
    assert!(download.last().unwrap().starts_with("failed: "), "{download:?}");
}

#[tokio::test]
async fn timeout_before_the_response_starts() {
    let server = scripted([Behavior::Stall(Vec::new())]);
    let download = fetch(&server, Duration::from_millis(50), u64::MAX).all().await;
    assert_eq!(download, ["failed: no response within 0 s"]);
    server.until_closed(1).await;
}

#[tokio::test]
async fn silence_mid_stream_times_out() {
    let server = scripted([Behavior::Stall(chunked("["))]);
    let mut download = fetch(&server, TIMEOUT, 1);
    assert_eq!(describe(&download.next().await.unwrap()), "started, None");
    assert_eq!(describe(&download.next().await.unwrap()), "paused, 1");
    // A paused clock jumps to the next deadline when all tasks are idle.
    tokio::time::pause();
    download.continues.send(()).unwrap();
    let download = download.all().await;
    assert!(download[0].starts_with("last, 1, Some(\"no response within 30 s"), "{download:?}");
    assert_eq!(download[1], "failed: no response within 30 s");
}

#[tokio::test]
async fn byte_now_and_then_does_not_keep_a_stream_open() {
    let head = chunked("[");
    let server = scripted([Behavior::Endless(head, b"1\r\n \r\n".to_vec())]);
    let mut options = ProviderOptions::default();
    options.transport.stream_timeout = Duration::from_millis(20);
    let download = fetch_with(options, &server, TIMEOUT, 16 << 20).all().await;
    assert_eq!(
        download.last().unwrap(),
        "failed: the response was cut off: not complete within 0 s"
    );
    server.until_closed(1).await;
}

#[tokio::test]
async fn refusals_precede_any_chunk() {
    for (status, body, message) in [
        (404, r#"{"message":"Not found"}"#, "404: Not found"),
        (422, r#"{"message":"Invalid parameter(s)"}"#, "422: Invalid parameter(s)"),
        (500, r#""Internal server error""#, "500: Internal server error"),
        (500, r#""out of \u001b[2J""#, "500: out of ␛[2J"),
    ] {
        let error = open(json(status, body)).await;
        assert_eq!(error.to_string(), format!("the explorer answered {message}"));
    }
    for (behavior, status, what) in [
        (with_type(200, "text/html", "<html>"), 200, "text/html"),
        (with_type(200, "text/html", " \n<html>"), 200, "text/html"),
        (with_type(200, "text/plain", ""), 200, "text/plain"),
        (with_type(502, "text/html", "<html>"), 502, "text/html"),
    ] {
        assert_eq!(open(behavior).await, ApiError::NotJson { status, what: what.into() });
    }
    let endless = Behavior::Endless(
        response_head(200, &[("content-type", "text/plain")]),
        vec![b' '; 1 << 16],
    );
    assert_eq!(open(endless).await, ApiError::NotJson { status: 200, what: "text/plain".into() });
}

#[tokio::test]
async fn json_with_another_content_type_is_accepted() {
    let after_mark = format!("\u{feff} \n[{ENTRY}]");
    // More than one piece of it is read before the first character.
    let after_blanks = format!("{}[{ENTRY}]", " ".repeat(60_000));
    let in_pieces = |behavior| match behavior {
        Behavior::Respond(bytes) => Behavior::Trickle(bytes),
        other => other,
    };
    let plain = |body: &str| with_type(200, "text/plain", body);
    for (body, behavior) in [
        (&after_mark, plain(&after_mark)),
        (&after_mark, in_pieces(plain(&after_mark))),
        (&after_blanks, plain(&after_blanks)),
    ] {
        let server = scripted([behavior]);
        let query = Query::Transaction(TxHash::ZERO, TransactionQuery::RawTrace);
        let mut streamed =
            Client::new(&server.base()).unwrap().open_stream(&query, TIMEOUT).await.body.unwrap();
        assert_eq!(streamed.expected_bytes, Some(body.len() as u64));
        let mut whole = Vec::new();
        while let Some(chunk) = streamed.chunk().await.unwrap() {
            whole.extend_from_slice(&chunk);
        }
        assert_eq!(whole, body.as_bytes());
    }
}

#[tokio::test]
async fn progress_counts_decompressed_bytes() {
    let body = format!("[{}]", [ENTRY; 50].join(","));
    let zipped = gzip(body.as_bytes());
    let download = fetch(&scripted([gzip_response(&zipped)]), TIMEOUT, u64::MAX).all().await;
    let last = format!("last, {}, None", body.len());
    assert_eq!(download, ["started, None", &*last, "ended"]);
}

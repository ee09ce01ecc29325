//! Traces that come piece by piece, over real sockets, from a server that misbehaves.

use std::time::Duration;

use chainglass::api::{ApiError, Query, client::Client};
use chainglass::chain::{TxHash, chains::Chains};
use chainglass::msg::{Priority, TraceEvent};
use chainglass::net::{provider::Provider, trace_stream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use crate::rogue::{Act, Rogue, gzip, gzipped, head, in_turn, json, typed};

const PATIENCE: Duration = Duration::from_mins(1);
const ENTRY: &str = r#"{"action":{"callType":"call","from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x1","input":"0x","to":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","value":"0x0"},"result":{"gasUsed":"0x0","output":"0x"},"subtraces":0,"traceAddress":[],"type":"call"}"#;

/// A trace under way, and what is heard of it.
struct Heard {
    news: mpsc::UnboundedReceiver<TraceEvent>,
    limit: watch::Sender<u64>,
    task: JoinHandle<()>,
}

fn fetch(rogue: &Rogue, patience: Duration, allowed: u64) -> Heard {
    let source = Provider::new(&Chains::default().network_at(&rogue.base()));
    let (limit, limits) = watch::channel(allowed);
    let (outbox, news) = mpsc::unbounded_channel();
    let task = tokio::spawn(async move {
        let tell = |news| drop(outbox.send(news));
        trace_stream::fetch(&source, TxHash::ZERO, (patience, Priority::Interactive), limits, tell)
            .await;
    });
    Heard { news, limit, task }
}

/// What was heard, in one line: the bytes received by then, and how it went on.
fn told(news: &TraceEvent) -> String {
    match news {
        TraceEvent::Started { expected } => format!("begun, {expected:?}"),
        TraceEvent::Chunk { part, progress, .. } => match &part.summary {
            None => format!("part, {}", progress.received),
            Some(ending) => format!("last, {}, {:?}", progress.received, ending.error),
        },
        TraceEvent::Paused(progress) => format!("paused, {}", progress.received),
        TraceEvent::Failed(error) => format!("failed: {error}"),
    }
}

impl Heard {
    /// The next news that is no part but the last.
    async fn next(&mut self) -> Option<TraceEvent> {
        loop {
            match self.news.recv().await? {
                TraceEvent::Chunk { part, .. } if part.summary.is_none() => {}
                other => return Some(other),
            }
        }
    }

    async fn all(mut self) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(news) = self.next().await {
            all.push(told(&news));
        }
        all
    }
}

async fn open(act: Act) -> ApiError {
    let rogue = in_turn([act]);
    let query = Query::RawTrace(TxHash::ZERO);
    Client::new(&rogue.base()).unwrap().open_stream(&query, PATIENCE).await.body.unwrap_err()
}

/// A body in one chunk of HTTP, which does not say how long it is in all.
fn chunked(body: &str) -> Vec<u8> {
    let json = [("content-type", "application/json"), ("transfer-encoding", "chunked")];
    [&head(200, &json)[..], format!("{:x}\r\n{body}\r\n", body.len()).as_bytes()].concat()
}

#[tokio::test]
async fn a_trace_is_told_from_its_beginning_to_its_end() {
    let body = format!("[{ENTRY}]");
    let length = body.len();
    let heard = fetch(&in_turn([json(200, &body)]), PATIENCE, u64::MAX).all().await;
    assert_eq!(heard, [format!("begun, Some({length})"), format!("last, {length}, None")]);
}

#[tokio::test]
async fn it_pauses_at_its_limit_and_goes_on_when_it_may() {
    let body = format!("[{}]", vec![ENTRY; 4000].join(","));
    let length = body.len() as u64;
    let rogue = in_turn([json(200, &body)]);
    let mut heard = fetch(&rogue, PATIENCE, 1000);
    assert_eq!(told(&heard.next().await.unwrap()), format!("begun, Some({length})"));
    let mut before = 0;
    for limit in [1000, 300_000, 600_000] {
        heard.limit.send_replace(limit);
        let Some(TraceEvent::Paused(progress)) = heard.next().await else { panic!("paused") };
        assert!(progress.received >= limit && progress.received > before, "{progress:?}");
        assert!(progress.received < length, "the rest is not read: {progress:?}");
        before = progress.received;
        // What does not raise the limit above what is here lets nothing go on.
        heard.limit.send_replace(before);
    }
    heard.limit.send_replace(u64::MAX);
    assert_eq!(told(&heard.next().await.unwrap()), format!("last, {length}, None"));
    assert!(heard.next().await.is_none());
}

#[tokio::test]
async fn a_trace_that_ends_at_its_limit_does_not_pause() {
    let body = format!("[{ENTRY}]");
    let length = body.len() as u64;
    let heard = fetch(&in_turn([json(200, &body)]), PATIENCE, length).all().await;
    assert_eq!(heard, [format!("begun, Some({length})"), format!("last, {length}, None")]);
}

#[tokio::test]
async fn a_trace_dropped_is_hung_up_on_the_wire() {
    for (act, allowed) in [
        (Act::Stall(Vec::new()), u64::MAX),
        (Act::Stall(chunked("[")), u64::MAX),
        (Act::Stall(chunked("[")), 1),
        (Act::Endless(head(200, &[("content-type", "application/json")]), vec![b' '; 1 << 16]), 1),
    ] {
        let rogue = in_turn([act]);
        let heard = fetch(&rogue, PATIENCE, allowed);
        rogue.asked(1).await;
        heard.task.abort();
        rogue.left(1).await;
    }
}

#[tokio::test]
async fn nobody_who_could_allow_more_ends_it() {
    let rogue = in_turn([Act::Stall(chunked("["))]);
    let Heard { mut news, limit, .. } = fetch(&rogue, PATIENCE, 1);
    drop(limit);
    while news.recv().await.is_some() {}
    rogue.left(1).await;
}

#[tokio::test]
async fn what_came_before_a_break_stays() {
    let whole = format!("[{ENTRY},{ENTRY}");
    let length = whole.len();
    let short = || {
        let json = [("content-type", "application/json"), ("content-length", "9999")];
        [&head(200, &json)[..], whole.as_bytes()].concat()
    };
    for act in [Act::Say(short()), Act::Say(chunked(&whole))] {
        let heard = fetch(&in_turn([act]), PATIENCE, u64::MAX).all().await;
        assert_eq!(heard.len(), 3, "{heard:?}");
        assert!(heard[1].starts_with(&format!("last, {length}, Some(\"the answer was cut off")));
        assert!(heard[2].starts_with("failed: the answer was cut off: "), "{heard:?}");
    }
}

#[tokio::test]
async fn a_reset_is_a_failure_and_never_an_end() {
    // What the reset overtakes on the wire may be lost, so how much came is not said.
    let heard = fetch(&in_turn([Act::Reset(chunked("["))]), PATIENCE, u64::MAX).all().await;
    assert!(heard.last().unwrap().starts_with("failed: "), "{heard:?}");
}

#[tokio::test]
async fn patience_ends_before_the_answer_begins() {
    let rogue = in_turn([Act::Stall(Vec::new())]);
    let heard = fetch(&rogue, Duration::from_millis(50), u64::MAX).all().await;
    assert_eq!(heard, ["failed: no answer within 0 s"]);
    rogue.left(1).await;
}

#[tokio::test]
async fn silence_in_the_middle_times_out() {
    let rogue = in_turn([Act::Stall(chunked("["))]);
    let mut heard = fetch(&rogue, PATIENCE, 1);
    assert_eq!(told(&heard.next().await.unwrap()), "begun, None");
    assert_eq!(told(&heard.next().await.unwrap()), "paused, 1");
    // With nothing left to happen, a stopped clock jumps to the next deadline.
    tokio::time::pause();
    heard.limit.send_replace(u64::MAX);
    let heard = heard.all().await;
    assert!(heard[0].starts_with("last, 1, Some(\"no answer within 30 s"), "{heard:?}");
    assert_eq!(heard[1], "failed: no answer within 30 s");
}

#[tokio::test]
async fn refusals_come_before_any_piece() {
    for (status, body, words) in [
        (404, r#"{"message":"Not found"}"#, "404: Not found"),
        (422, r#"{"message":"Invalid parameter(s)"}"#, "422: Invalid parameter(s)"),
        (500, r#""Internal server error""#, "500: Internal server error"),
        (500, r#""out of \u001b[2J""#, "500: out of ␛[2J"),
    ] {
        let error = open(json(status, body)).await;
        assert_eq!(error.to_string(), format!("the explorer answered {words}"));
    }
    for (act, status, what) in [
        (typed(200, "text/html", "<html>"), 200, "text/html"),
        (typed(200, "text/html", " \n<html>"), 200, "text/html"),
        (typed(200, "text/plain", ""), 200, "text/plain"),
        (typed(502, "text/html", "<html>"), 502, "text/html"),
    ] {
        assert_eq!(open(act).await, ApiError::NotJson { status, what: what.into() });
    }
    let endless = Act::Endless(head(200, &[("content-type", "text/plain")]), vec![b' '; 1 << 16]);
    assert_eq!(open(endless).await, ApiError::NotJson { status: 200, what: "text/plain".into() });
}

#[tokio::test]
async fn json_under_another_name_is_taken_whole() {
    let body = format!("\u{feff} \n[{ENTRY}]");
    let rogue = in_turn([typed(200, "text/plain", &body)]);
    let query = Query::RawTrace(TxHash::ZERO);
    let mut streamed =
        Client::new(&rogue.base()).unwrap().open_stream(&query, PATIENCE).await.body.unwrap();
    assert_eq!(streamed.expected_bytes, Some(body.len() as u64));
    let mut whole = Vec::new();
    while let Some(chunk) = streamed.chunk().await.unwrap() {
        whole.extend_from_slice(&chunk);
    }
    assert_eq!(whole, body.as_bytes());
}

#[tokio::test]
async fn what_is_counted_is_what_was_compressed() {
    let body = format!("[{}]", [ENTRY; 50].join(","));
    let zipped = gzip(body.as_bytes());
    let heard = fetch(&in_turn([gzipped(&zipped)]), PATIENCE, u64::MAX).all().await;
    assert_eq!(heard, ["begun, None".to_owned(), format!("last, {}, None", body.len())]);
}

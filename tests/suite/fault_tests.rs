//! Runs every fault case: the message, what stays usable, and the recovery once the server works.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use chainglass::test_api::api::{
    AddressQuery, BatchQuery, BlockQuery, ChainQuery, Client, InstanceQuery, Query, TokenQuery,
    TransactionQuery,
};
use chainglass::test_api::app_message::Effect;
use strum::VariantNames;

use crate::fake_server::{Behavior, FakeServer, fake_server, json, page, response_head};
use crate::fault_cases::{
    Expected, FaultCase, ROW, ROW_TEXT, fault_cases, queries, query_kind, quick_faults,
};
use crate::session::{ALICE, Session};
use crate::simulated_user::SimulatedUser;

/// Start of the hashes of `FIRST_PAGE_ROWS`.
const ROWS: [&str; 2] = ["0xaaaa", "0xbbbb"];

#[track_caller]
fn assert_shows(session: &Session, fault: &FaultCase, message: &[&str]) {
    let screen = session.screen();
    for word in message {
        assert!(screen.contains(word), "{}: {word:?} is missing\n{screen}", fault.name);
    }
}

/// Checks that another tab works, and returns.
async fn check_other_tab(session: &mut Session, fault: &FaultCase) {
    session.keys("4").await;
    assert_shows(session, fault, &["Sound", "of 1 ─╯"]);
    session.keys("1").await;
}

/// The number of attempts before the error is shown.
fn expected_attempts(fault: &FaultCase) -> usize {
    let busy = ["502", "503", "504", "429"];
    let broken = ["cannot reach", "cut off"];
    match fault.message {
        _ if fault.name == "a redirect loop" => 6,
        _ if fault.name == "an error in broken JSON" => 3,
        says if says.starts_with("no response") => 1,
        says if says.starts_with("500") => 2,
        says if busy.iter().chain(&broken).any(|word| says.contains(word)) => 3,
        _ => 1,
    }
}

/// Returns `true` if the fault may pass by itself: the page is requested again when it is shown again.
fn is_retried(session: &Session) -> bool {
    session.screen().contains("retrying in ")
}

#[tokio::test]
async fn fault_on_the_first_page_is_reported_and_recovers() {
    for fault in fault_cases() {
        let mut user = SimulatedUser::new(&fault, 0);
        let mut session = user.open(ALICE).await;
        assert_shows(&session, &fault, &[fault.message]);
        assert_eq!(user.attempts(), expected_attempts(&fault), "{}", fault.name);
        user.with_fast_clock(check_other_tab(&mut session, &fault)).await;
        assert_shows(&session, &fault, &[fault.message]);
        let shown = 1 + usize::from(is_retried(&session));
        assert_eq!(user.attempts(), shown * expected_attempts(&fault), "{}", fault.name);
        if fault.expected == Expected::Error {
            assert_shows(&session, &fault, &["✗ "]);
            user.fix_server();
            session.keys("r").await;
            assert_shows(&session, &fault, &[ROW_TEXT, "of 1 ─╯"]);
        }
    }
}

#[tokio::test]
async fn fault_on_the_second_page_keeps_the_first() {
    for fault in fault_cases() {
        let mut user = SimulatedUser::new(&fault, 1);
        let mut session = user.open(ALICE).await;
        user.with_fast_clock(session.keys("j")).await;
        assert_shows(&session, &fault, &ROWS);
        assert_shows(&session, &fault, &[fault.message]);
        user.with_fast_clock(check_other_tab(&mut session, &fault)).await;
        assert_shows(&session, &fault, &ROWS);
        let shown = 1 + usize::from(is_retried(&session));
        assert_eq!(user.attempts(), 1 + shown * expected_attempts(&fault), "{}", fault.name);
        if fault.expected == Expected::Error {
            user.fix_server();
            session.keys("r").await;
            assert_shows(&session, &fault, &ROWS);
            assert_shows(&session, &fault, &[ROW_TEXT, "of 3 ─╯"]);
        }
    }
}

#[test]
fn fault_names_are_unique() {
    let names: std::collections::HashSet<&str> =
        fault_cases().iter().map(|fault| fault.name).collect();
    assert!(names.len() > 50 && names.len() == fault_cases().len(), "{}", names.len());
}

#[tokio::test]
async fn every_query_survives_every_fault() {
    let queries = queries();
    let names: HashSet<String> = queries.iter().map(|(query, _)| query_kind(query)).collect();
    for (subject, variants) in [
        ("Address", AddressQuery::VARIANTS),
        ("Batch", BatchQuery::VARIANTS),
        ("Block", BlockQuery::VARIANTS),
        ("Chain", ChainQuery::VARIANTS),
        ("Instance", InstanceQuery::VARIANTS),
        ("Token", TokenQuery::VARIANTS),
        ("Transaction", TransactionQuery::VARIANTS),
    ] {
        for name in variants {
            assert!(
                names.contains(&format!("{subject} {name}")),
                "no fault cases for {subject} {name}"
            );
        }
    }
    let subjects: HashSet<&str> = queries.iter().map(|(query, _)| query.into()).collect();
    for name in Query::VARIANTS {
        assert!(subjects.contains(name), "no fault cases for {name}");
    }
    let behavior = Arc::new(Mutex::new(Behavior::Respond(Vec::new())));
    let current = Arc::clone(&behavior);
    let server = fake_server(move |_, _| current.lock().unwrap().clone());
    let client = Client::new(&server.base()).unwrap();
    for (query, body) in &queries {
        for fault in quick_faults(body) {
            *behavior.lock().unwrap() = fault.behavior.clone();
            let exchange = client.fetch(query, None).await;
            let reply = exchange.body.and_then(|body| query.decode(&body, None));
            let case = format!("{query:?}, {}", fault.name);
            match (reply, fault.expected) {
                (Ok(_), Expected::Rows) => {}
                (Err(error), Expected::Error) => {
                    let shown = error.with_hint(None);
                    assert!(shown.contains(fault.message), "{case}: {shown}");
                }
                (other, _) => panic!("{case}: {other:?}"),
            }
        }
    }
}

/// Runs the program with limited memory; returns its exit status and stderr.
fn run_cli(fault: &FaultCase, args: &[&str]) -> (Option<i32>, String) {
    let user = SimulatedUser::new(fault, 0);
    let mut program = std::process::Command::new("sh");
    // 300 MB of data: a growing body of 64 MB, and what the allocator keeps.
    program.args(["-c", "ulimit -d 300000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_chainglass")]);
    program.args(["--chain", user.server.base().as_str()]).args(args);
    program.env_remove("CHAINGLASS_CHAIN").env("XDG_CONFIG_HOME", "/nonexistent");
    program.env("XDG_STATE_HOME", crate::session::UNUSABLE_DIR);
    program.env("XDG_CACHE_HOME", crate::session::UNUSABLE_DIR);
    let output = program.stdin(std::process::Stdio::null()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn cli_reports_each_fault_in_one_line() {
    let is_case = |(n, fault): &(usize, FaultCase)| {
        // A stalled server would take its full timeout: another process's clock cannot be paused.
        let hangs = matches!(fault.behavior, Behavior::Stall(_));
        !hangs && (fault.message.contains("64 MB") || n % 4 == 0)
    };
    let cases: Vec<_> = fault_cases().into_iter().enumerate().filter(is_case).collect();
    assert!(cases.len() > 15);
    // In parallel, because some are retried after a delay.
    std::thread::scope(|scope| {
        for (_, fault) in &cases {
            scope.spawn(|| check_cli(fault));
        }
    });
}

#[track_caller]
fn check_cli(fault: &FaultCase) {
    let (status, stderr) = run_cli(fault, &["get", "transactions", ALICE, "--format", "csv"]);
    if fault.expected == Expected::Rows {
        return assert!(status.is_some_and(|status| status < 2), "{}: {stderr}", fault.name);
    }
    assert_eq!((status, stderr.lines().count()), (Some(1), 1), "{}: {stderr}", fault.name);
    assert!(stderr.starts_with("chainglass: "), "{}: {stderr}", fault.name);
    assert!(stderr.contains(fault.message), "{}: {stderr}", fault.name);
}

/// A call of a Parity trace.
const TRACE_ENTRY: &str = r#"{"action":{"callType":"call","from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x1","input":"0x","to":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","value":"0x0"},"result":{"gasUsed":"0x0","output":"0x"},"subtraces":0,"traceAddress":[],"type":"call"}"#;
const HASH: &str = "0x1111111111111111111111111111111111111111111111111111111111111111";

/// A server with one transaction and a faulty trace.
fn trace_server(behavior: Behavior) -> FakeServer {
    fake_server(move |request, _| match request.path() {
        path if path.ends_with("/raw-trace") => behavior.clone(),
        path if path.ends_with("/internal-transactions") => page("", "null"),
        _ => json(200, ROW.replace('}', ",\"status\":\"ok\",\"block_number\":7}")),
    })
}

#[tokio::test]
async fn fault_on_a_trace_is_reported() {
    for fault in fault_cases().iter().filter(|fault| fault.expected == Expected::Error) {
        // An array without readable calls is an empty trace, which has its own message.
        let is_json = matches!(&fault.behavior, Behavior::Respond(bytes) if bytes.starts_with(b"HTTP/1.1 200"));
        let is_large = matches!(&fault.behavior, Behavior::Flood(..) | Behavior::Endless(..));
        if is_json || is_large {
            continue;
        }
        let mut user = SimulatedUser::at(trace_server(fault.behavior.clone()));
        let mut session = user.open(HASH).await;
        user.with_fast_clock(session.keys("2")).await;
        let message = fault
            .message
            .replace("40 s", if fault.name.contains("body") { "30 s" } else { "60 s" });
        assert_shows(&session, fault, &[&message]);
        session.keys("1").await;
        assert_shows(&session, fault, &[HASH]);
        assert_eq!(session.press("Q"), [Effect::Quit], "{}", fault.name);
    }
}

#[tokio::test]
async fn interrupted_trace_keeps_its_calls() {
    let kind = ("content-type", "application/json");
    let whole = format!("[{TRACE_ENTRY},{}", TRACE_ENTRY.replace("[]", "[0]"));
    let begun =
        [&response_head(200, &[kind, ("content-length", "9999")])[..], whole.as_bytes()].concat();
    let chunk = format!("{:x}\r\n{whole}\r\n", whole.len());
    let chunk =
        [&response_head(200, &[kind, ("transfer-encoding", "chunked")])[..], chunk.as_bytes()]
            .concat();
    for (behavior, message) in [
        (Behavior::Respond(begun.clone()), "✗ incomplete: 2 calls"),
        (Behavior::Respond(chunk.clone()), "✗ incomplete: 2 calls"),
        (Behavior::Respond([&chunk[..], b"zz\r\n"].concat()), "✗ incomplete: 2 calls"),
        (Behavior::Stall(begun.clone()), "no response within 30 s · retrying in 5 s"),
        (
            Behavior::Trickle([&response_head(200, &[kind])[..], whole.as_bytes(), b"]"].concat()),
            "2 calls",
        ),
    ] {
        let mut user = SimulatedUser::at(trace_server(behavior));
        let mut session = user.open(HASH).await;
        user.with_fast_clock(session.keys("2")).await;
        let screen = session.screen();
        assert!(screen.contains(message), "{message}:\n{screen}");
        assert!(screen.matches("0xf39F…2266").count() >= 2, "{message}: the calls stay\n{screen}");
    }
}

//! Every fault of the catalogue, played to a user: what the screen says, what stays, what still
//! works, and that all is well again when the server is.

use chainglass::msg::Effect;

use crate::catalogue::{End, Fault, ROW, SHOWN, faults};
use crate::player::Patient;
use crate::rogue::{Act, Rogue, head, json, page, rogue};
use crate::session::{ALICE, Session};

/// The rows of `player::BEFORE` on the screen.
const ROWS: [&str; 2] = ["0xaaaa…0001", "0xbbbb…0002"];

#[track_caller]
fn sees(session: &Session, fault: &Fault, words: &[&str]) {
    let screen = session.screen();
    for word in words {
        assert!(screen.contains(word), "{}: {word:?} is missing\n{screen}", fault.name);
    }
}

/// Goes to another tab, sees that it works, and comes back.
async fn the_others_work(session: &mut Session, fault: &Fault) {
    session.keys("4").await;
    sees(session, fault, &["Sound", "end of list, 1 row"]);
    session.keys("1").await;
}

/// How often a server is asked for a page before the user is told: again where that may help.
fn tries(fault: &Fault) -> usize {
    let busy = ["HTTP 502", "HTTP 503", "HTTP 504", "429"];
    let broken = ["cannot reach", "cut off"];
    match fault.says {
        _ if fault.name == "a redirect loop" => 6,
        _ if fault.name == "an error in broken JSON" => 3,
        says if says.starts_with("500") => 2,
        says if busy.iter().chain(&broken).any(|word| says.contains(word)) => 3,
        _ => 1,
    }
}

#[tokio::test]
async fn a_first_page_that_does_not_come() {
    for fault in faults() {
        let mut patient = Patient::new(&fault, 0);
        let mut session = patient.visited(ALICE).await;
        sees(&session, &fault, &[fault.says]);
        assert_eq!(patient.tries(), tries(&fault), "{}", fault.name);
        the_others_work(&mut session, &fault).await;
        sees(&session, &fault, &[fault.says]);
        assert_eq!(patient.tries(), tries(&fault), "{}: not again by itself", fault.name);
        if fault.end == End::Failed {
            sees(&session, &fault, &["✗ failed, r to retry: "]);
            patient.recovers();
            session.keys("r").await;
            sees(&session, &fault, &[SHOWN, "end of list, 1 row"]);
        }
    }
}

#[tokio::test]
async fn a_second_page_that_does_not_come() {
    for fault in faults() {
        let mut patient = Patient::new(&fault, 1);
        let mut session = patient.visited(ALICE).await;
        patient.patiently(session.keys("j")).await;
        sees(&session, &fault, &ROWS);
        sees(&session, &fault, &[fault.says]);
        the_others_work(&mut session, &fault).await;
        sees(&session, &fault, &ROWS);
        assert_eq!(patient.tries(), 1 + tries(&fault), "{}", fault.name);
        if fault.end == End::Failed {
            patient.recovers();
            session.keys("r").await;
            sees(&session, &fault, &ROWS);
            sees(&session, &fault, &[SHOWN, "end of list, 3 rows"]);
        }
    }
}

#[test]
fn there_are_many_and_each_has_a_name() {
    let names: std::collections::HashSet<&str> = faults().iter().map(|fault| fault.name).collect();
    assert!(names.len() > 50 && names.len() == faults().len(), "{}", names.len());
}

/// What the program itself ends with, and says in one line, when its memory is bounded.
fn one_shot(fault: &Fault, args: &[&str]) -> (Option<i32>, String) {
    let patient = Patient::new(fault, 0);
    let mut program = std::process::Command::new("sh");
    // Data of 300 MB: a body of 64 MB is held while it grows, and the allocator keeps some.
    program.args(["-c", "ulimit -d 300000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_chainglass")]);
    program.args(["--chain", patient.rogue.base().as_str()]).args(args);
    program.env_remove("CHAINGLASS_CHAIN").env("XDG_CONFIG_HOME", "/nonexistent");
    program.env("XDG_STATE_HOME", crate::session::NOWHERE);
    program.env("XDG_CACHE_HOME", crate::session::NOWHERE);
    let output = program.stdin(std::process::Stdio::null()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn the_program_itself_ends_with_a_status_and_one_line() {
    let is_played = |(n, fault): &(usize, Fault)| {
        // What hangs takes as long as it takes: nobody can stop the clock of another process.
        let hangs = matches!(fault.act, Act::Stall(_));
        !hangs && (fault.says.contains("64 MB") || n % 4 == 0)
    };
    let played: Vec<_> = faults().into_iter().enumerate().filter(is_played).collect();
    assert!(played.len() > 15);
    // At once, because some are tried again after a pause.
    std::thread::scope(|scope| {
        for (_, fault) in &played {
            scope.spawn(|| ends_well(fault));
        }
    });
}

#[track_caller]
fn ends_well(fault: &Fault) {
    let (status, said) = one_shot(fault, &["get", "transactions", ALICE, "--format", "csv"]);
    if fault.end == End::Rows {
        return assert!(status.is_some_and(|status| status < 2), "{}: {said}", fault.name);
    }
    assert_eq!((status, said.lines().count()), (Some(1), 1), "{}: {said}", fault.name);
    assert!(said.starts_with("chainglass: "), "{}: {said}", fault.name);
    assert!(said.contains(fault.says), "{}: {said}", fault.name);
}

/// An entry of a trace.
const ENTRY: &str = r#"{"action":{"callType":"call","from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x1","input":"0x","to":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","value":"0x0"},"result":{"gasUsed":"0x0","output":"0x"},"subtraces":0,"traceAddress":[],"type":"call"}"#;
const HASH: &str = "0x1111111111111111111111111111111111111111111111111111111111111111";

/// A server of one transaction whose trace is at fault.
fn tracing(act: Act) -> Rogue {
    rogue(move |request, _| match request.path() {
        path if path.ends_with("/raw-trace") => act.clone(),
        path if path.ends_with("/internal-transactions") => page("", "null"),
        _ => json(200, ROW.replace('}', ",\"status\":\"ok\",\"block_number\":7}")),
    })
}

#[tokio::test]
async fn a_trace_that_does_not_come() {
    for fault in faults().iter().filter(|fault| fault.end == End::Failed) {
        // An array of nothing readable is a trace of no calls, and that has words of its own.
        let is_json = matches!(&fault.act, Act::Say(bytes) if bytes.starts_with(b"HTTP/1.1 200"));
        let is_large = matches!(&fault.act, Act::Flood(..) | Act::Endless(..));
        if is_json || is_large {
            continue;
        }
        let mut patient = Patient::of(tracing(fault.act.clone()));
        let mut session = patient.visited(HASH).await;
        patient.patiently(session.keys("2")).await;
        let words =
            fault.says.replace("40 s", if fault.name.contains("body") { "30 s" } else { "60 s" });
        sees(&session, fault, &[&words]);
        session.keys("1").await;
        sees(&session, fault, &[HASH]);
        assert_eq!(session.press("Q"), [Effect::Quit], "{}", fault.name);
    }
}

#[tokio::test]
async fn a_trace_that_breaks_off_keeps_its_calls() {
    let kind = ("content-type", "application/json");
    let whole = format!("[{ENTRY},{}", ENTRY.replace("[]", "[0]"));
    let begun = [&head(200, &[kind, ("content-length", "9999")])[..], whole.as_bytes()].concat();
    let chunk = format!("{:x}\r\n{whole}\r\n", whole.len());
    let chunk =
        [&head(200, &[kind, ("transfer-encoding", "chunked")])[..], chunk.as_bytes()].concat();
    for (act, words) in [
        (Act::Say(begun.clone()), "✗ broke off: 2 calls"),
        (Act::Say(chunk.clone()), "✗ broke off: 2 calls"),
        (Act::Say([&chunk[..], b"zz\r\n"].concat()), "✗ broke off: 2 calls"),
        (Act::Stall(begun.clone()), "no answer within 30 s · r asks again"),
        (Act::Trickle([&head(200, &[kind])[..], whole.as_bytes(), b"]"].concat()), "2 calls"),
    ] {
        let mut patient = Patient::of(tracing(act));
        let mut session = patient.visited(HASH).await;
        patient.patiently(session.keys("2")).await;
        let screen = session.screen();
        assert!(screen.contains(words), "{words}:\n{screen}");
        assert!(screen.matches("0xf39F…2266").count() >= 2, "{words}: the calls stay\n{screen}");
    }
}

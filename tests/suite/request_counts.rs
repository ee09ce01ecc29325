//! The requests that actions cost a public explorer: their number and order, and how many are at the
//! server at once.

use std::time::Duration;

use chainglass::test_api::app_message::{Effect, Msg};
use chainglass::test_api::keymap::Chord;

use crate::public_explorer::{PublicExplorer, answered_twice, max_at_server};
use crate::session::{ALICE, size};
use crate::timed_session::TimedSession;

/// A transaction with 26 calls of ten contracts.
const SWAP: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";
/// Requests a second that the explorer answers.
const MAX_RATE: usize = 8;
/// Longer than anything is on its way.
const UNTIL_DONE: Duration = Duration::from_secs(8);

/// Shortens a path for the table: hashes to six characters, and without its cursor.
fn short(path: &str) -> String {
    let path = path.split('?').next().unwrap_or(path);
    let path = path.strip_prefix("/api/v2/").unwrap_or(path);
    let parts = path.split('/').map(|part| if part.starts_with("0x") { &part[..6] } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// Something that a user does.
enum Step {
    /// Presses keys at this interval in milliseconds.
    Press(&'static str, u64),
    /// Presses a key a number of times, at this interval in milliseconds.
    Repeat(&'static str, usize, u64),
    Paste(&'static str),
}
use Step::{Paste, Press, Repeat};

async fn take(session: &mut TimedSession, step: &Step) {
    let keys = match step {
        Press(keys, millis) => keys.split(' ').map(|key| (key, millis)).collect(),
        Repeat(key, times, millis) => vec![(*key, millis); *times],
        Paste(text) => return session.update(Msg::Paste((*text).to_owned())),
    };
    for (key, millis) in keys {
        session.press(key);
        session.wait(Duration::from_millis(*millis)).await;
    }
}

/// Requests that an action may cost.
enum Cost {
    /// Exactly these, in this order.
    Paths(&'static [&'static str]),
    AtMost(usize),
}
use Cost::{AtMost, Paths};

struct PricedAction {
    name: &'static str,
    target: &'static str,
    width: u16,
    height: u16,
    /// Steps before those that are counted.
    before: &'static [Step],
    steps: &'static [Step],
    cost: Cost,
    /// Maximum requests for the tokens of the rows on the screen.
    max_tokens: usize,
    /// Text on the screen at the end.
    shows: &'static str,
}

/// The page of an address, loaded, where nothing happens.
const AT_ADDRESS: PricedAction = PricedAction {
    name: "rest",
    target: ALICE,
    width: 120,
    height: 40,
    before: &[Press("esc", 6000)],
    steps: &[],
    cost: Paths(&[]),
    max_tokens: 0,
    shows: "9,999,999.38 ETH",
};
const AT_BLOCK: PricedAction =
    PricedAction { target: "https://explorer.example.com/block/100", ..AT_ADDRESS };
const AT_SWAP: PricedAction = PricedAction { target: SWAP, ..AT_ADDRESS };

const ACTIONS: &[PricedAction] = &[
    PricedAction {
        name: "start page",
        target: "",
        before: &[],
        cost: Paths(&["blocks", "transactions", "stats", "stats/charts/transactions"]),
        shows: "│   333 ",
        max_tokens: 6,
        ..AT_ADDRESS
    },
    PricedAction { name: "address", before: &[], cost: AtMost(4), max_tokens: 11, ..AT_ADDRESS },
    PricedAction { name: "address at rest", ..AT_ADDRESS },
    PricedAction {
        name: "twenty rows of a list",
        steps: &[Repeat("j", 20, 33)],
        cost: Paths(&["addresses/0xf39F/transactions"]),
        shows: "21 of 826",
        ..AT_ADDRESS
    },
    PricedAction {
        name: "paste",
        steps: &[Paste(ALICE)],
        cost: AtMost(4),
        max_tokens: 11,
        ..AT_BLOCK
    },
    PricedAction {
        name: "back in the history",
        before: &[Press("3 enter", 6000)],
        steps: &[Press("H", 3000)],
        shows: "Transfers",
        ..AT_ADDRESS
    },
    PricedAction {
        name: "ten blocks",
        steps: &[Repeat(">", 10, 200)],
        cost: AtMost(4),
        shows: "block 110  2023",
        max_tokens: 5,
        ..AT_BLOCK
    },
    PricedAction {
        name: "next block, held for three seconds",
        steps: &[Repeat(">", 90, 33)],
        cost: AtMost(4),
        shows: "block 190  2023",
        max_tokens: 5,
        ..AT_BLOCK
    },
    PricedAction {
        name: "fifty previews",
        width: 170,
        steps: &[Repeat("j", 50, 200)],
        cost: AtMost(4),
        shows: "✓ ok",
        max_tokens: 9,
        ..AT_ADDRESS
    },
    PricedAction {
        name: "transaction on a large screen",
        width: 200,
        height: 60,
        before: &[],
        cost: AtMost(13),
        shows: "─ Calls · gas ─",
        ..AT_SWAP
    },
    PricedAction {
        name: "address on a large screen",
        width: 200,
        height: 60,
        before: &[],
        cost: AtMost(7),
        max_tokens: 24,
        shows: "0x733a…6d39",
        ..AT_ADDRESS
    },
    PricedAction {
        name: "transaction on a small screen",
        before: &[],
        cost: Paths(&["transactions/0x0bbc", "transactions/0x0bbc/internal-transactions"]),
        shows: "5 Internal 25",
        ..AT_SWAP
    },
    PricedAction {
        name: "trace with names",
        steps: &[Press("2", 0)],
        cost: AtMost(13),
        shows: "emit Transfer",
        ..AT_SWAP
    },
    PricedAction {
        name: "logs and internal transactions after the trace",
        before: &[Press("esc", 6000), Press("2", 9000)],
        steps: &[Press("4 5", 3000)],
        shows: "static",
        ..AT_SWAP
    },
    PricedAction {
        name: "seven tabs",
        steps: &[Press("2 3 4 5 6 7 8", 150)],
        cost: AtMost(8),
        shows: "Balance",
        ..AT_ADDRESS
    },
    PricedAction {
        name: "seven tabs again",
        before: &[Press("esc", 6000), Press("2 3 4 5 6 7 8", 150), Press("esc", 8000)],
        steps: &[Press("2 3 4 5 6 7 8", 150)],
        shows: "Balance",
        ..AT_ADDRESS
    },
    PricedAction {
        name: "paste over the names of a trace",
        before: &[Press("esc", 6000), Press("2", 1200)],
        steps: &[Paste(ALICE)],
        cost: AtMost(6),
        max_tokens: 7,
        ..AT_SWAP
    },
];

#[tokio::test(start_paused = true)]
async fn actions_cost_no_more_than_they_need() {
    let mut failures = Vec::new();
    for action in ACTIONS {
        if let Err(why) = check(action).await {
            failures.push(format!("{}: {why}", action.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

async fn check(action: &PricedAction) -> Result<(), String> {
    let explorer = PublicExplorer::new(MAX_RATE);
    let mut session =
        TimedSession::open(&explorer.network(), size(action.width, action.height), action.target);
    for step in action.before {
        take(&mut session, step).await;
    }
    let before = explorer.requests().len();
    for step in action.steps {
        take(&mut session, step).await;
    }
    session.wait(UNTIL_DONE).await;
    let requests = explorer.requests();
    if let Some(path) = answered_twice(&requests) {
        return Err(format!("asked again: {path}"));
    }
    let requests = &requests[before..];
    let all = requests.iter().map(|request| short(&request.path));
    let (tokens, paths): (Vec<String>, Vec<String>) =
        all.partition(|path| path.starts_with("tokens/"));
    let is_cheap = match action.cost {
        Paths(expected) => paths == expected,
        AtMost(most) => paths.len() <= most,
    };
    let screen = session.screen();
    match max_at_server(requests) {
        _ if !is_cheap => Err(format!("{} requests: {paths:?}", paths.len())),
        _ if tokens.len() > action.max_tokens => {
            Err(format!("{} tokens: {tokens:?}", tokens.len()))
        }
        _ if requests.iter().any(|r| r.status == 429) => Err("above the rate".to_owned()),
        most @ 4.. => Err(format!("{most} at the server at once: {paths:?}")),
        _ if !screen.contains(action.shows) => Err(screen),
        _ => Ok(()),
    }
}

/// A list is loaded at the pace that the server has shown.
#[tokio::test(start_paused = true)]
async fn rate_limit_is_met_once() {
    let explorer = PublicExplorer::new(1);
    let mut session = TimedSession::open(&explorer.network(), size(120, 40), ALICE);
    session.wait(UNTIL_DONE).await;
    let before = explorer.requests().len();
    for key in ["G", "G"] {
        session.press(key);
        session.wait(Duration::from_secs(1)).await;
    }
    session.wait(Duration::from_secs(40)).await;
    assert!(session.screen().contains("826 of 826"), "{}", session.screen());
    let refused = explorer.requests().into_iter().skip(before).filter(|r| r.status == 429).count();
    assert_eq!(refused, 0);
}

#[tokio::test(start_paused = true)]
async fn preview_of_the_first_row_delays_no_tab() {
    let explorer = PublicExplorer::new(MAX_RATE);
    let mut session = TimedSession::open(&explorer.network(), size(200, 60), ALICE);
    for _ in 0..1_000 {
        session.wait(Duration::from_millis(5)).await;
        if session.screen().contains("0xf839") {
            break;
        }
    }
    let chord: Chord = "7".parse().unwrap();
    let effects = session.app.update(Msg::Key(chord.0[0]));
    let is_request = |effect: &Effect| matches!(effect, Effect::Request { .. });
    assert!(effects.iter().any(is_request), "{effects:?}\n{}", session.screen());
}

//! Faults that pass: nothing is lost, and nothing is asked twice.

use std::time::Duration;

use chainglass::test_api::api::ApiError;

use crate::public_explorer::{PublicExplorer, rate_limited};
use crate::session::{ALICE, size};
use crate::simulated_network::SimulatedAnswer;
use crate::timed_session::TimedSession;

/// Requests a second that the explorer answers.
const MAX_RATE: usize = 8;
/// Longer than any retry.
const UNTIL_DONE: Duration = Duration::from_secs(70);

/// A page, and the keys that lead to its parts.
const PAGES: [(&str, &str); 5] = [
    (ALICE, "j 3"),
    (ALICE, "i"),
    ("https://explorer.example.com/block/327", "2 4"),
    ("0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5", "2 4 5"),
    ("0x5FbDB2315678afecb367f032d93F642f64180aa3", "G"),
];

fn faults() -> [(&'static str, SimulatedAnswer); 4] {
    [
        ("reset", SimulatedAnswer::failed(ApiError::Interrupted { why: "reset".into() })),
        ("bad gateway", SimulatedAnswer::refused(502)),
        ("unavailable", SimulatedAnswer::refused(503)),
        ("rate limit", rate_limited()),
    ]
}

/// Visits a page and its parts, and returns the lines of all screens.
async fn visit(explorer: &PublicExplorer, (target, keys): (&str, &str)) -> Vec<String> {
    let mut session = TimedSession::open(&explorer.network(), size(170, 40), target);
    let mut lines = Vec::new();
    for key in ["esc"].into_iter().chain(keys.split(' ')) {
        session.press(key);
        session.wait(UNTIL_DONE).await;
        session.tick();
        lines.extend(session.screen().lines().map(str::to_owned));
    }
    lines
}

/// Returns the paths that were answered, other than with the fault, in alphabetic order.
fn answered(explorer: &PublicExplorer) -> Vec<String> {
    let requests = explorer.requests();
    let answered = requests.into_iter().filter(|request| matches!(request.status, 200 | 404));
    let mut paths: Vec<String> = answered.map(|request| request.path).collect();
    paths.sort();
    paths
}

#[tokio::test(start_paused = true)]
async fn fault_of_every_first_attempt_changes_nothing() {
    for page in PAGES {
        let quiet = PublicExplorer::new(MAX_RATE);
        let expected = visit(&quiet, page).await;
        for (name, fault) in faults() {
            let faulty = PublicExplorer::new(MAX_RATE)
                .with_fault(move |_, earlier| (earlier == 0).then(|| fault.clone()));
            let lines = visit(&faulty, page).await;
            let mut changes = lines.iter().zip(&expected).filter(|(line, before)| line != before);
            assert_eq!(changes.next(), None, "{page:?}, {name}");
            assert_eq!(answered(&faulty), answered(&quiet), "{page:?}, {name}");
        }
    }
}

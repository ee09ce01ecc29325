//! Two panes abreast: what stands beside a list follows its selected row, asks little, and is never of
//! another row.

use chainglass::api::{ApiError, Cursor, Query};
use chainglass::msg::{Alarm, Effect, Msg};
use insta::assert_snapshot;
use ratatui::layout::Size;

use super::session::{ALICE, Session, size};

const WIDE: Size = size(200, 60);

/// What stands beside the list: everything right of the rule.
fn beside(session: &Session) -> String {
    let screen = session.screen();
    let right = screen.lines().filter_map(|line| line.split_once('│')).map(|(_, right)| right);
    right.collect::<Vec<_>>().join("\n")
}

fn title(session: &Session) -> String {
    beside(session).lines().next().unwrap_or_default().to_owned()
}

/// The requests among effects.
fn requests(effects: &[Effect]) -> usize {
    let is_request =
        |effect: &&Effect| matches!(effect, Effect::Fetch { .. } | Effect::Trace { .. });
    effects.iter().filter(is_request).count()
}

fn alarms(effects: &[Effect]) -> Vec<Alarm> {
    let alarm = |effect: &Effect| match effect {
        Effect::Ring(alarm, _) => Some(*alarm),
        _ => None,
    };
    effects.iter().filter_map(alarm).collect()
}

/// A name for the picture, where to start, and what to press.
const PICTURES: [(&str, &str, &str); 9] = [
    ("transaction", ALICE, "j j"),
    ("transaction_entered", ALICE, "j j tab j j"),
    ("trace", ALICE, "j j j j j tab 2 tab tab"),
    ("trace_entered", ALICE, "j j j j j tab 2 j"),
    ("trace_detail", ALICE, "j j j j j tab 2 tab j"),
    ("transfer", ALICE, "3 j"),
    ("token", ALICE, "4 j"),
    ("collection_entered", ALICE, "5 & P A N E enter tab j"),
    ("instance", ALICE, "5 & P A N E enter enter j"),
];

#[tokio::test]
async fn pictures() {
    for (width, height) in [(160, 40), (200, 60)] {
        for (name, target, keys) in PICTURES {
            let mut session = Session::demo(size(width, height), target).await;
            session.keys(keys).await;
            assert_snapshot!(format!("{name}_{width}x{height}"), session.screen());
        }
    }
}

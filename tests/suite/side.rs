//! Two panes abreast: what stands beside a list follows its selected row, asks little, and is never of
//! another row.

use chainglass::api::{ApiError, Cursor, Query};
use chainglass::msg::{Effect, Msg, Timer};
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

/// Whether it is what only the pane beside a list asks here.
fn is_single(query: &Query) -> bool {
    matches!(query, Query::Transaction(_) | Query::RawTrace(_) | Query::Instances { .. })
}

/// The requests among effects that are not a list's next page.
fn requests(effects: &[Effect]) -> usize {
    let is_request = |effect: &&Effect| match effect {
        Effect::Fetch { query, .. } => is_single(query),
        effect => matches!(effect, Effect::FetchTrace { .. }),
    };
    effects.iter().filter(is_request).count()
}

fn alarms(effects: &[Effect]) -> Vec<Timer> {
    let alarm = |effect: &Effect| match effect {
        Effect::StartTimer(alarm, _) => Some(*alarm),
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

/// The chain's token transfers: of their transactions nothing is known yet.
async fn feed(size: Size) -> Session {
    let mut session = Session::demo(size, "").await;
    session.keys("T").await;
    session
}

/// How often the pane beside the list has asked.
fn asked(session: &Session) -> usize {
    session.asked.iter().filter(|(query, _)| is_single(query)).count()
}

#[tokio::test]
async fn a_key_that_is_held_asks_nothing_and_the_last_pause_alone_counts() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("G G g g tab 2 esc").await;
    let held: Vec<Effect> = (0..200).flat_map(|_| session.press("j")).collect();
    assert_eq!((requests(&held), alarms(&held).len()), (0, 200));
    let first = beside(&session);
    assert_eq!(first.lines().nth(1), Some("…"), "nothing is shown until the pause is over");
    let selected = session.copied_row().await;
    let rung = |alarm| session.app.update(Msg::TimerFired(alarm));
    let asked: Vec<Effect> = alarms(&held).into_iter().flat_map(rung).collect();
    let [Effect::FetchTrace { transaction, .. }, Effect::Fetch { .. }] = &asked[..] else {
        panic!("{asked:?}")
    };
    assert!(selected.contains(&transaction.to_string()), "{selected}");
}

#[tokio::test]
async fn what_the_list_has_is_shown_at_once_and_nobody_is_asked() {
    let mut session = Session::demo(WIDE, ALICE).await;
    let held = session.press("j");
    assert_eq!((requests(&held), alarms(&held).len()), (0, 0));
    assert!(title(&session).contains("transaction 0x2372…ef66"), "{}", title(&session));
    assert!(beside(&session).contains("0x2372279e72bdf95d08074873a3dd62b7956a732d3dbd27a539710"));
    session.keys("3 j 4 j").await;
    assert_eq!(asked(&session), 0, "transfers of transactions that were seen");
    session.keys("5").await;
    assert_eq!(asked(&session), 1, "the instances of a collection");
}

#[tokio::test]
async fn an_answer_that_nobody_waits_for_any_more_is_not_shown() {
    let mut session = feed(WIDE).await;
    let moved = session.press("j");
    let late = alarms(&moved).into_iter().flat_map(|a| session.app.update(Msg::TimerFired(a)));
    let late: Vec<Effect> = late.collect();
    let [Effect::Fetch { ticket, .. }] = late[..] else { panic!("{late:?}") };
    let left = (0..3).flat_map(|_| session.press("j")).collect::<Vec<_>>();
    assert!(left.contains(&Effect::Cancel(ticket.pane)), "{left:?}");
    assert!(title(&session).contains("0xdd81…aaaf"), "{}", title(&session));
    session.settle(late).await;
    assert_eq!(beside(&session).lines().nth(1), Some("…"));
    session.settle(left).await;
    assert!(beside(&session).lines().nth(1).unwrap().contains("0xdd81"), "{}", beside(&session));
    assert!(!beside(&session).contains("0x2372279e"));
}

#[tokio::test]
async fn nothing_is_fetched_that_nobody_looks_at() {
    for (size, key) in [(size(159, 40), "j"), (WIDE, "|")] {
        let mut session = feed(size).await;
        session.keys(key).await;
        let before = asked(&session);
        session.keys("j j j j r").await;
        assert_eq!(asked(&session), before);
        assert_eq!(beside(&session), "");
    }
}

#[tokio::test]
async fn rows_of_one_transaction_are_one_question() {
    let mut session = feed(WIDE).await;
    session.keys("j").await;
    let before = asked(&session);
    session.keys("j j").await;
    assert_eq!(asked(&session), before, "0x2372…ef66 stands in three rows");
    session.keys("r k F").await;
    assert_eq!(asked(&session), before, "and neither a refresh nor following asks again");
    assert!(title(&session).contains("0x2372…ef66"), "{}", title(&session));
}

#[tokio::test]
async fn the_keys_go_to_one_of_the_two() {
    let mut session = Session::demo(WIDE, ALICE).await;
    assert!(session.screen().contains("1/50+"));
    session.keys("tab").await;
    assert!(title(&session).starts_with("▌transaction 0xf839…70ca"), "{}", title(&session));
    session.keys("j").await;
    let footer = session.screen().lines().last().unwrap().to_owned();
    assert!(footer.contains("Tab list") && footer.contains("Esc list"), "{footer}");
    assert!(footer.contains("from the list, r: in full"), "{footer}");
    session.keys("y y").await;
    assert_eq!(session.copied(), Some("ok"), "the second line of the detail");
    for back in ["tab", "esc"] {
        session.keys(back).await;
        assert!(title(&session).starts_with(" transaction 0xf839"), "{}", title(&session));
        session.keys("tab").await;
    }
    session.keys("r").await;
    assert_eq!(asked(&session), 1, "r in the detail is the detail's");
    session.keys("tab j").await;
    assert!(session.screen().contains("2/100+"), "{}", session.screen());
    session.keys("3 tab").await;
    let footer = session.screen().lines().last().unwrap().to_owned();
    assert!(title(&session).starts_with("▌transaction 0xf839…70ca"), "{}", title(&session));
    assert!(footer.contains("lines 1–") && !footer.contains("from the list"), "{footer}");
    assert_eq!(asked(&session), 1, "it is known in full");
}

#[tokio::test]
async fn in_a_trace_tab_goes_to_its_detail_and_on_to_the_list() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("j j j j j tab 2").await;
    let footer = |session: &Session| session.screen().lines().last().unwrap().to_owned();
    assert!(footer(&session).contains("Tab detail, list"), "{}", footer(&session));
    assert!(!footer(&session).contains("Tab list"), "{}", footer(&session));
    session.keys("tab j j j j j y y").await;
    assert_eq!(session.copied(), Some("0xCE3478A9E0167a6Bc5716DC39DbbbfAc38F27623"), "its detail");
    session.keys("tab j").await;
    assert!(footer(&session).ends_with("7/100+"), "the list: {}", footer(&session));
    session.keys("k tab tab esc j").await;
    assert!(footer(&session).ends_with("0 2/8"), "from the detail to the tree");
    session.keys("esc").await;
    assert!(footer(&session).ends_with("6/100+"), "{}", footer(&session));
}

#[tokio::test]
async fn the_tab_that_was_chosen_last_is_the_tab_of_the_next_row() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("tab } esc j j j j j").await;
    assert!(beside(&session).contains("8 calls · Parity array"), "{}", beside(&session));
    session.keys("3").await;
    assert!(title(&session).contains("0xf839"), "in the list they are the list's tabs");
    assert!(beside(&session).contains("trace"), "{}", beside(&session));
    session.keys("tab { 4").await;
    assert!(session.screen().contains("there is no such tab here"));
    session.keys("tab j").await;
    assert!(beside(&session).contains("confirmations"), "{}", beside(&session));
}

#[tokio::test]
async fn a_narrower_screen_takes_it_away_and_a_wider_one_brings_it_back() {
    let mut session = Session::demo(size(160, 40), ALICE).await;
    session.keys("j tab").await;
    assert!(title(&session).starts_with('▌'));
    session.resize(size(159, 40)).await;
    assert_eq!(beside(&session), "");
    session.keys("j").await;
    assert!(session.screen().contains("3/100+"), "the keys are the list's");
    session.keys("|").await;
    assert!(session.screen().contains("a second pane needs 160 columns: here are 159"));
    session.keys("tab").await;
    assert!(session.screen().contains("a second pane needs 160 columns"));
    session.resize(size(160, 40)).await;
    assert!(title(&session).starts_with(" transaction 0x04ec…3c92"), "{}", title(&session));
    session.keys("| tab").await;
    assert!(session.screen().contains("one pane: | shows a second one beside lists"));
    session.keys("|").await;
    assert!(title(&session).contains("0x04ec…3c92"));
}

#[tokio::test]
async fn a_question_of_the_pane_goes_with_it() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("5 & P A N E enter tab").await;
    session.keys("& 1 2 9 enter").await;
    assert!(session.screen().contains("[&129] 1/1 of 50"), "{}", session.screen());
    session.press("&");
    session.resize(size(120, 40)).await;
    session.keys("j").await;
    assert!(session.screen().contains("[&pane] 1/1 of"), "{}", session.screen());
}

#[tokio::test]
async fn no_row_nothing_beside_it() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("& q q q enter").await;
    assert_eq!(beside(&session).lines().nth(1), Some("no row is selected"));
    session.keys("tab").await;
    assert!(session.screen().contains("nothing stands beside this"));
    session.keys("Z").await;
    assert!(session.screen().contains("nothing stands beside this"));
    session.keys("esc").await;
    assert!(title(&session).contains("0xf839…70ca"), "{}", title(&session));
}

#[tokio::test]
async fn it_is_there_again_when_one_comes_back() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("j j j j j tab 2 j esc").await;
    let (before, shown) = (asked(&session), beside(&session));
    session.keys("l l l l enter esc").await;
    assert_eq!((asked(&session), beside(&session)), (before, shown), "it was complete");
    session.press("j");
    session.keys("enter esc").await;
    assert!(title(&session).contains("0xbe6b…069e"), "{}", title(&session));
    assert!(beside(&session).contains("call"), "asked for in the end: {}", beside(&session));
}

#[tokio::test]
async fn links_in_it_are_followed_and_it_becomes_a_place_of_its_own() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("j j j j j tab 2 j").await;
    let before = asked(&session);
    session.keys("tab tab Z").await;
    assert_eq!(asked(&session), before, "as it is");
    let screen = session.screen();
    assert!(screen.contains(" demo  transaction 0x772f…560e"), "{screen}");
    assert!(screen.contains("8 calls · Parity array") && screen.ends_with("0 2/8"), "{screen}");
    session.keys("esc tab enter").await;
    let screen = session.screen();
    assert!(screen.contains(" demo  address 0xCE34…7623"), "{screen}");
    session.keys("esc").await;
    assert!(title(&session).starts_with("▌transaction 0x772f"), "{}", title(&session));
}

#[tokio::test]
async fn what_is_suggested_of_a_place_is_of_the_pane_with_the_keys() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("5 & P A N E enter tab i").await;
    let screen = session.screen();
    assert!(screen.contains(" demo  instances of 0x948B…4F8F "), "{screen}");
}

/// A list of one transaction, whose status is told when it is asked for again.
fn ending() -> impl FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError> {
    let mut times = 0;
    move |query, _| {
        let hash = format!("0x{:064x}", 7);
        match query {
            Query::Transactions { .. } => {
                times += 1;
                let end = if times == 1 { "null" } else { r#""ok""# };
                Ok(format!(
                    r#"{{"items":[{{"hash":"{hash}","status":{end},"result":"success",
                       "confirmations":{times}}}],"next_page_params":null}}"#
                ))
            }
            _ => Err(ApiError::from_error_body(404, b"")),
        }
    }
}

#[tokio::test]
async fn a_transaction_that_was_pending_is_shown_with_its_end() {
    let mut session = Session::canned(WIDE, ALICE, ending()).await;
    let before = beside(&session);
    session.keys("r").await;
    let after = beside(&session);
    assert_ne!(before, after);
    assert!(after.lines().any(|line| line.starts_with("status ") && line.ends_with(" ok")));
    session.keys("r").await;
    assert_eq!(beside(&session), after, "one more confirmation is no news");
}

#[tokio::test]
async fn a_row_that_cannot_be_read_says_why() {
    let answer = |query: &Query, _: Option<&Cursor>| match query {
        Query::Transactions { .. } => {
            Ok(r#"{"items":[{"hash":7}],"next_page_params":null}"#.to_owned())
        }
        _ => Err(ApiError::from_error_body(404, b"")),
    };
    let session = Session::canned(WIDE, ALICE, answer).await;
    assert!(title(&session).contains("unreadable row"), "{}", title(&session));
    assert!(beside(&session).lines().nth(1).unwrap().starts_with("unreadable"), "why");
}

#[tokio::test]
async fn moving_on_stops_what_was_asked_and_so_does_an_interrupt() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("tab 2 esc").await;
    for stop in ["j", "ctrl-c"] {
        let moved = session.press("j");
        let rung = alarms(&moved).into_iter().flat_map(|a| session.app.update(Msg::TimerFired(a)));
        let rung: Vec<Effect> = rung.collect();
        let [Effect::FetchTrace { ticket, .. }, Effect::Fetch { .. }] = rung[..] else {
            panic!("{rung:?}")
        };
        assert!(beside(&session).contains("waiting for the explorer's node"));
        let stopped = session.press(stop);
        assert!(stopped.contains(&Effect::Cancel(ticket.pane)), "{stop}: {stopped:?}");
        session.settle(rung).await;
        assert!(!beside(&session).contains("Parity array"), "{stop}: {}", beside(&session));
    }
}

//! The split view: the preview follows the selected row, sends few requests, and is never stale.

use chainglass::test_api::api::{
    AddressQuery, ApiError, Cursor, Query, TokenQuery, TransactionQuery,
};
use chainglass::test_api::app_message::{ChainRequest, Effect, Msg, RequestId};
use insta::assert_snapshot;
use ratatui::layout::Size;
use ratatui::style::Color;

use super::session::{ALICE, Session, cancels, size};

const WIDE: Size = size(200, 60);

/// The preview's title, and the text inside its frame.
fn preview(session: &Session) -> String {
    let screen = session.screen();
    let corner = |line: &str| {
        let at = ["┬┬", "╮╭"].into_iter().find_map(|corners| line.find(corners))?;
        Some(line[..at].chars().count() + 1)
    };
    let Some((y, x)) = (0..).zip(screen.lines()).find_map(|(y, line)| Some((y, corner(line)?)))
    else {
        return String::new();
    };
    let lines = screen.lines().skip(y).enumerate().map(|(n, line)| {
        let inside: String = line.chars().skip(x + if n == 0 { 2 } else { 1 }).collect();
        inside.trim_end_matches(['│', '┃', '┤', '╮', '─']).trim_end().to_owned()
    });
    lines.take_while(|line| !line.contains('╯')).collect::<Vec<_>>().join("\n")
}

fn title(session: &Session) -> String {
    preview(session).lines().next().unwrap_or_default().to_owned()
}

/// Returns whether only the preview sends this query.
fn is_preview_query(query: &Query) -> bool {
    matches!(
        query,
        Query::Transaction(_, TransactionQuery::Details | TransactionQuery::RawTrace)
            | Query::Token(_, TokenQuery::Instances { .. })
    )
}

/// The number of requests for the preview among these effects.
fn count_requests(effects: &[Effect]) -> usize {
    let is_request = |effect: &&Effect| match effect {
        Effect::Request { request: ChainRequest::Fetch { query, .. }, .. } => {
            is_preview_query(query)
        }
        effect => {
            matches!(effect, Effect::Request { request: ChainRequest::FetchTrace { .. }, .. })
        }
    };
    effects.iter().filter(is_request).count()
}

fn timers(effects: &[Effect]) -> Vec<RequestId> {
    let alarm = |effect: &Effect| match effect {
        Effect::StartTimer(alarm, _) => Some(*alarm),
        _ => None,
    };
    effects.iter().filter_map(alarm).collect()
}

/// A name for the snapshot, the target, and the keys to press.
pub(crate) const SCREENS: [(&str, &str, &str); 7] = [
    ("transaction", ALICE, "j j"),
    ("transaction_entered", ALICE, "j j tab j j"),
    ("trace", ALICE, "j j j j j tab 2 tab tab"),
    ("trace_detail", ALICE, "j j j j j tab 2 tab j"),
    ("transfer", ALICE, "3 j"),
    ("collection_entered", ALICE, "5 & P A N E enter tab j"),
    ("instance", ALICE, "5 & P A N E enter enter j"),
];

#[tokio::test]
async fn split_views_match_their_snapshots() {
    for (name, target, keys) in SCREENS {
        let mut session = Session::demo(size(160, 40), target).await;
        session.keys(keys).await;
        assert_snapshot!(format!("{name}_160x40"), session.screen());
    }
}

/// The chain's token transfers, whose transactions are not known yet.
async fn feed(size: Size) -> Session {
    let mut session = Session::demo(size, "").await;
    session.keys("T").await;
    session
}

/// The number of requests for the preview so far.
fn preview_requests(session: &Session) -> usize {
    session.requests.iter().filter(|(query, _)| is_preview_query(query)).count()
}

#[tokio::test]
async fn held_key_fetches_only_the_first_and_the_last_preview() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("G G g g tab 2 esc").await;
    let held: Vec<Effect> = (0..200).flat_map(|_| session.press("j")).collect();
    assert_eq!((count_requests(&held), timers(&held).len()), (2, 200));
    let last = preview(&session);
    assert_eq!(last.lines().nth(1).map(str::trim), Some("⠋ loading…"), "during the delay");
    let selected = session.copied_row().await;
    let fired = |alarm| session.app.update(Msg::TimerFired(alarm));
    let asked: Vec<Effect> = timers(&held).into_iter().flat_map(fired).collect();
    let [
        Effect::Request { request: ChainRequest::FetchTrace { transaction, .. }, .. },
        Effect::Request { request: ChainRequest::Fetch { .. }, .. },
    ] = &asked[..]
    else {
        panic!("{asked:?}")
    };
    assert!(selected.contains(&transaction.to_string()), "{selected}");
}

#[tokio::test]
async fn row_is_previewed_before_its_transaction_is_loaded() {
    let mut session = Session::demo(WIDE, ALICE).await;
    let held = session.press("j");
    assert_eq!((count_requests(&held), timers(&held).len()), (1, 1));
    assert!(title(&session).contains("0x2372…ef66"), "{}", title(&session));
    assert!(preview(&session).contains("0x2372279e72bdf95d08074873a3dd62b7956a732d3dbd27a539710"));
    assert!(preview(&session).contains("not loaded, nor are transfers ("), "{}", preview(&session));
    assert!(!preview(&session).contains("─ Balance changes"), "{}", preview(&session));
    session.settle(held).await;
    assert!(preview(&session).contains("1 ◇▲ alice.eth → "), "{}", preview(&session));
    let complete = preview_requests(&session);
    let held = session.press("k");
    assert_eq!((count_requests(&held), timers(&held).len()), (0, 0));
    session.keys("j").await;
    assert_eq!(preview_requests(&session), complete, "both are complete");
    session.keys("5").await;
    assert_eq!(preview_requests(&session), complete + 1, "the instances of a collection");
}

#[tokio::test]
async fn stale_preview_is_dropped() {
    let mut session = feed(WIDE).await;
    let moved = session.press("j");
    let [
        ..,
        Effect::Request { id, request: ChainRequest::Fetch { .. }, .. },
        Effect::StartTimer(..),
    ] = moved[..]
    else {
        panic!("{moved:?}")
    };
    let left = (0..3).flat_map(|_| session.press("j")).collect::<Vec<_>>();
    assert!(left.iter().any(|effect| cancels(effect, id)), "{left:?}");
    assert!(title(&session).contains("0xdd81…aaaf"), "{}", title(&session));
    session.settle(moved).await;
    // Known from the start page.
    assert!(preview(&session).contains("block 331"), "{}", preview(&session));
    session.settle(left).await;
    assert!(preview(&session).contains("hash          0xdd81"), "{}", preview(&session));
    assert!(!preview(&session).contains("0x2372279e"));
}

#[tokio::test]
async fn hidden_preview_fetches_nothing() {
    for (size, key) in [(size(159, 40), "j"), (WIDE, "|")] {
        let mut session = feed(size).await;
        session.keys(key).await;
        let before = preview_requests(&session);
        session.keys("j j j j r").await;
        assert_eq!(preview_requests(&session), before);
        assert_eq!(preview(&session), "");
    }
}

#[tokio::test]
async fn rows_of_one_transaction_share_a_preview() {
    let mut session = feed(WIDE).await;
    session.keys("j").await;
    let before = preview_requests(&session);
    session.keys("j j").await;
    assert_eq!(preview_requests(&session), before, "three rows have the transaction 0x2372…ef66");
    session.keys("r k F").await;
    assert_eq!(preview_requests(&session), before, "refresh and live mode send no preview request");
    assert!(title(&session).contains("0x2372…ef66"), "{}", title(&session));
}

#[tokio::test]
async fn keys_go_to_the_focused_pane() {
    let mut session = Session::demo(WIDE, ALICE).await;
    assert!(session.screen().contains("1 of 826"));
    session.keys("tab").await;
    assert!(title(&session).starts_with("▌0xf839…70ca"), "{}", title(&session));
    session.keys("j").await;
    let footer = session.screen().lines().last().unwrap().to_owned();
    assert!(footer.contains("Tab list"), "{footer}");
    assert!(!footer.contains("partial"), "{footer}");
    assert_eq!(preview_requests(&session), 1, "it is asked for in full");
    session.keys("y y").await;
    let copied = session.copied().unwrap_or_default();
    let sentence = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 → 0xC09fc05Ab2a9847c8EE64d5638061860A9a8D20a.transfer(";
    assert!(copied.starts_with(sentence), "the second line of the detail: {copied}");
    for back in ["tab", "esc"] {
        session.keys(back).await;
        assert!(title(&session).starts_with(" 0xf839"), "{}", title(&session));
        session.keys("tab").await;
    }
    session.keys("r").await;
    assert_eq!(preview_requests(&session), 2, "r refreshes the focused detail");
    session.keys("tab j").await;
    assert!(session.screen().contains("2 of 826"), "{}", session.screen());
    session.keys("3 tab").await;
    assert!(title(&session).starts_with("▌0xf839…70ca"), "{}", title(&session));
    let screen = session.screen();
    assert!(screen.contains("▸ JSON") && !screen.contains("partial"), "{screen}");
    assert_eq!(preview_requests(&session), 3, "the full transaction is cached");
}

#[tokio::test]
async fn tab_key_cycles_list_trace_and_detail() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("j j j j j tab 2").await;
    let footer = |session: &Session| session.screen().lines().last().unwrap().to_owned();
    assert!(footer(&session).contains("Tab detail, list"), "{}", footer(&session));
    assert!(!footer(&session).contains("Tab list"), "{}", footer(&session));
    session.keys("tab j j j j y y").await;
    assert_eq!(
        session.copied(),
        Some("0x5FbDB2315678afecb367f032d93F642f64180aa3"),
        "the call's detail"
    );
    session.keys("tab j").await;
    assert!(session.screen().contains("7 of 826"), "the list: {}", session.screen());
    session.keys("k tab tab esc j").await;
    assert!(session.screen().contains("call 2 of 8"), "from the detail to the tree");
    session.keys("esc").await;
    assert!(session.screen().contains("6 of 826"), "{}", session.screen());
}

#[tokio::test]
async fn preview_keeps_its_tab_for_the_next_row() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("tab } esc j j j j j").await;
    assert!(preview(&session).contains("8 calls ·"), "{}", preview(&session));
    session.keys("3").await;
    assert!(title(&session).contains("0xf839"), "with the list focused, 3 selects its tab");
    assert!(preview(&session).contains("2 calls ·"), "{}", preview(&session));
    session.keys("tab { 8").await;
    assert!(session.screen().contains("no such tab here"));
    session.keys("tab j").await;
    assert!(preview(&session).contains("confirmed"), "{}", preview(&session));
}

#[tokio::test]
async fn preview_hides_below_160_columns() {
    let mut session = Session::demo(size(160, 40), ALICE).await;
    session.keys("j tab").await;
    let footer = |session: &Session| session.screen().lines().last().unwrap().to_owned();
    assert!(footer(&session).contains("Tab list"), "{}", footer(&session));
    session.resize(size(159, 40)).await;
    assert_eq!(preview(&session), "");
    session.keys("j").await;
    assert!(session.screen().contains("3 of 826"), "keys go to the list");
    session.keys("|").await;
    assert!(session.screen().contains("the split view needs 160 columns"));
    session.keys("tab y y").await;
    assert_eq!(session.copied(), Some(ALICE), "the header has the focus instead");
    session.keys("tab").await;
    session.resize(size(160, 40)).await;
    let tabs = " Overview ─ Trace ─ Transfers ─ Logs ─ Internal ─ State ─ Raw";
    assert_eq!(title(&session), tabs, "all of the line, as fewer would fit after a title");
    assert!(preview(&session).contains("0x04ec44973cddb660"), "{}", preview(&session));
    session.keys("| tab").await;
    assert!(session.screen().contains("the split view is off (| on)"));
    session.keys("|").await;
    assert!(preview(&session).contains("0x04ec44973cddb660"), "{}", preview(&session));
}

#[tokio::test]
async fn preview_prompt_closes_with_the_preview() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("5 & P A N E enter tab").await;
    session.keys("& 1 2 9 enter").await;
    assert!(session.screen().contains("[&129] 1 of 1 · 50 loaded"), "{}", session.screen());
    session.press("&");
    session.resize(size(120, 40)).await;
    session.keys("j").await;
    assert!(session.screen().contains("[&PANE] 1 of 1 · "), "{}", session.screen());
}

#[tokio::test]
async fn list_has_the_width_without_anything_to_preview() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("& q q q enter").await;
    assert_eq!(preview(&session), "");
    session.keys("Z").await;
    assert!(session.screen().contains("no preview here"));
    session.keys("esc").await;
    assert!(title(&session).contains("0xf839…70ca"), "{}", title(&session));
    let mut session = Session::demo(WIDE, "0x5FbDB2315678afecb367f032d93F642f64180aa3").await;
    session.keys("i 2").await;
    assert_eq!(preview(&session), "", "the row says all\n{}", session.screen());
}

#[tokio::test]
async fn preview_of_a_token_has_its_transfers_and_that_of_a_verified_contract_its_code() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("4").await;
    assert!(title(&session).contains("Wrapped Thing"), "{}", title(&session));
    assert!(preview(&session).contains("swapExac"), "{}", preview(&session));
    assert!(!title(&session).contains("NFTs"), "an ERC-20 has none: {}", title(&session));
    session.keys("g l v e r i enter").await;
    assert!(preview(&session).contains("verified · Solidity"), "{}", preview(&session));
}

#[tokio::test]
async fn preview_of_a_block_has_its_transactions_or_else_its_details() {
    let mut session = Session::demo(WIDE, "").await;
    session.keys("B").await;
    let screen = session.screen();
    assert!(preview(&session).contains("fee recipient"), "an empty block: {screen}");
    assert!(screen.contains(" 1 of 100+ ") && !screen.contains(" loads"), "it is full: {screen}");
    let newest = screen.lines().find(|line| line.starts_with("│   334 ")).unwrap();
    let words: Vec<_> = newest.split_whitespace().collect();
    assert_eq!(words[3..6], ["0", "0", "0%"], "{newest}");
    let fullest = screen.lines().find(|line| line.starts_with("│   330 ")).unwrap();
    assert!(fullest.contains(" ━━━━━━━━━━━━━━"), "{fullest}");
    session.keys("j").await;
    assert!(preview(&session).contains(" # ↑   method "), "{}", preview(&session));
}

#[tokio::test]
async fn preview_is_restored_by_history_back() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("j j j j j tab 2 j esc").await;
    let (before, shown) = (preview_requests(&session), preview(&session));
    session.keys("l l l l enter esc").await;
    assert_eq!(
        (preview_requests(&session), preview(&session)),
        (before + 1, shown),
        "the page asks for the transaction, the preview was complete"
    );
    session.press("j");
    session.keys("enter esc").await;
    assert!(title(&session).contains("0xbe6b…069e"), "{}", title(&session));
    assert!(
        preview(&session).contains("call"),
        "the trace is fetched eventually: {}",
        preview(&session)
    );
}

#[tokio::test]
async fn preview_opens_links_and_zooms() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("j j j j j tab 2 j").await;
    let before = preview_requests(&session);
    session.keys("tab tab Z").await;
    assert_eq!(preview_requests(&session), before, "zooming sends no request");
    let screen = session.screen();
    assert!(screen.contains(" ◆ demo › alice.eth › swapExactIn 0x772f…560e"), "{screen}");
    assert!(screen.contains("8 calls ·") && screen.contains("call 2 of 8"), "{screen}");
    session.keys("esc tab enter").await;
    let screen = session.screen();
    assert!(screen.contains("› Router "), "{screen}");
    session.keys("esc").await;
    assert!(title(&session).starts_with("▌0x772f"), "{}", title(&session));
}

#[tokio::test]
async fn prompt_default_comes_from_the_focused_pane() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("5 & P A N E enter tab i").await;
    let screen = session.screen();
    assert!(screen.contains("› Glass Panes "), "{screen}");
}

/// A list with one transaction, which is pending in the first response.
fn pending_then_final() -> impl FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError> {
    let mut times = 0;
    move |query, _| {
        let hash = format!("0x{:064x}", 7);
        match query {
            Query::Address(_, AddressQuery::Transactions { .. }) => {
                times += 1;
                let end = if times == 1 { "null" } else { r#""ok""# };
                Ok(format!(
                    r#"{{"items":[{{"hash":"{hash}","status":{end},"result":"success",
                       "confirmations":{times}}}],"next_page_params":null}}"#
                ))
            }
            _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
        }
    }
}

#[tokio::test]
async fn preview_updates_a_pending_transaction() {
    let mut session = Session::canned(WIDE, ALICE, pending_then_final()).await;
    let before = preview(&session);
    session.keys("r").await;
    let after = preview(&session);
    assert_ne!(before, after);
    assert!(after.lines().any(|line| line.trim_start().starts_with("✓ ok")));
    session.keys("r").await;
    assert_eq!(preview(&session), after, "a new confirmation does not change the preview");
}

#[tokio::test]
async fn preview_explains_an_unreadable_row() {
    let answer = |query: &Query, _: Option<&Cursor>| match query {
        Query::Address(_, AddressQuery::Transactions { .. }) => {
            Ok(r#"{"items":[{"hash":7}],"next_page_params":null}"#.to_owned())
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let session = Session::canned(WIDE, ALICE, answer).await;
    assert!(title(&session).contains("unreadable row"), "{}", title(&session));
    assert!(
        preview(&session).lines().nth(1).unwrap().trim_start().starts_with("unreadable"),
        "why"
    );
}

#[tokio::test]
async fn moving_or_interrupting_cancels_the_preview() {
    let mut session = Session::demo(WIDE, ALICE).await;
    session.keys("tab 2 esc").await;
    for stop in ["j", "ctrl-c"] {
        let moved = session.press("j");
        let [
            ..,
            Effect::Request { id, request: ChainRequest::FetchTrace { .. }, .. },
            Effect::Request { request: ChainRequest::Fetch { .. }, .. },
            Effect::StartTimer(..),
        ] = moved[..]
        else {
            panic!("{moved:?}")
        };
        assert!(preview(&session).contains("waiting for the explorer's node"));
        let stopped = session.press(stop);
        assert!(stopped.iter().any(|effect| cancels(effect, id)), "{stop}: {stopped:?}");
        session.settle(moved).await;
        assert!(!preview(&session).contains("Parity array"), "{stop}: {}", preview(&session));
        session.settle(stopped).await;
    }
}

#[tokio::test]
async fn approvals_with_their_details_are_next_to_the_preview() {
    let mut session = Session::demo(size(200, 60), ALICE).await;
    session.keys(":").await;
    session.type_text("approvals").await;
    let screen = session.screen();
    assert!(screen.contains("┬┬─ 0x63f2…c31a ─ Overview ─"), "{screen}");
    assert!(screen.contains("at least $3.15B at risk"), "{screen}");
    assert!(screen.contains("│ may take "), "the list has its details: {screen}");
    assert!(screen.contains(" 0x4171…5791 "), "short: {screen}");
}

#[tokio::test]
async fn details_of_inner_calls_are_whole_where_there_is_space() {
    let mut session = Session::demo(size(200, 60), ALICE).await;
    session.keys("2").await;
    for (width, height) in [(200, 60), (120, 40)] {
        session.resize(size(width, height)).await;
        let screen = session.screen();
        for line in
            ["tx      0x2e53", "status  ✓ ok · block 323", "trace   call #3 · gas limit 202,811"]
        {
            assert!(screen.contains(&format!("│ {line}")), "{line}: {screen}");
        }
        assert!(screen.lines().nth(4).unwrap().contains("gas limit"), "a column: {screen}");
    }
}

#[tokio::test]
async fn few_transactions_of_a_block_stand_above_their_preview() {
    let session = Session::demo(WIDE, "30").await;
    let screen = session.screen();
    let below = |line: &str| line.starts_with("╭─ 0x1638…836a ─ Overview ─"); // a frame of its own
    assert!(screen.lines().any(below), "{screen}");
    assert!(
        screen.contains("│ balances  not computed: over 500 inner calls (see Trace)"),
        "{screen}"
    );
    assert!(screen.contains("1 of 1,026 calls failed, in Recursor"), "{screen}");
    let status = screen.lines().find(|line| line.contains("1 of 1,026 calls failed")).unwrap();
    for stated in ["block 30", "fee ", " UTC"] {
        assert!(!status.contains(stated), "the page and the row have it: {screen}");
    }
    assert_eq!(screen.matches(" depth 1,025 ").count(), 1, "{screen}");
    assert!(screen.contains("base fee  "), "{screen}");
    let lines = screen.lines().enumerate();
    let (y, line) = { lines }.find(|(_, line)| line.contains("not computed: over 500")).unwrap();
    let x = line.split("not computed").next().unwrap().chars().count();
    let cell = &session.buffer()[(u16::try_from(x).unwrap(), u16::try_from(y).unwrap())];
    assert_eq!(cell.fg, Color::Yellow, "unknown is a warning");
    assert!(screen.contains("Calls · gas"), "the demo chain's traces cost nothing: {screen}");
    let calls: Vec<_> = screen.lines().skip_while(|line| !line.contains("Calls · gas")).collect();
    assert!(calls[2].contains("Recursor.bottom()  → 1,023"), "{screen}");
    assert!(calls[3].contains("… 1,023 more calls with the same input"), "{screen}");
    assert!(calls[4].contains("! ◇■ Recursor.bottom()"), "the call that failed: {screen}");
    assert!(!screen.contains("─ Balance changes"), "{screen}");
}

#[tokio::test]
async fn preview_with_failed_inner_calls_has_the_key_that_loads_them() {
    for size in [size(80, 24), size(120, 40)] {
        let mut session = Session::demo(size, "30").await;
        let screen = session.screen();
        assert!(screen.contains("✓ ok · ! inner calls failed (Enter shows which)"), "{screen}");
        session.keys("enter esc").await;
        let screen = session.screen();
        assert!(
            screen.contains("! 1 of 1,026 calls failed, in Recursor: Call too deep"),
            "{screen}"
        );
    }
}

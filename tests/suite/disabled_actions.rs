//! Availability: in every view, every action either acts or gives a reason why not.

use chainglass::test_api::action::Action;
use chainglass::test_api::api::{ApiError, Cursor, Query, TransactionQuery};
use chainglass::test_api::app_message::{Key, Msg};
use chainglass::test_api::chain::Network;
use chainglass::test_api::keymap::Keymap;
use chainglass::test_api::net::Provider;
use crossterm::event::KeyCode;
use ratatui::buffer::{Buffer, Cell};
use strum::IntoEnumIterator;

use super::demo_items::{DEEP_ERROR, NEVER_USED, RECURSOR, SWAP};
use super::session::{ALICE, Session, setup, size};

const WIDTH: usize = 200;
const HEIGHT: usize = 30;

/// The default keys plus one for each action in all contexts.
fn keymap() -> Keymap {
    let bound = Action::iter().enumerate();
    let more =
        bound.map(|(n, action)| format!("\"{}\" = {:?}\n", test_key(n), <&str>::from(action)));
    let all = ["[everywhere]\n".to_owned()].into_iter().chain(more).collect::<String>();
    let keys = include_str!("../../assets/keymap.toml").replace("[everywhere]\n", &all);
    Keymap::parse(&keys).unwrap()
}

/// A character that no default key uses, one column wide.
fn test_key(n: usize) -> char {
    char::from_u32(0x1401 + u32::try_from(n).unwrap()).unwrap()
}

/// Splits a screen into the footer and everything above it.
fn split_footer(screen: &Buffer) -> (&[Cell], String) {
    let (above, bottom) = screen.content().split_at(WIDTH * (HEIGHT - 1));
    (above, bottom.iter().map(Cell::symbol).collect())
}

/// The title and the tabs.
fn title_and_tabs(screen: &Buffer) -> &[Cell] {
    screen.content().split_at(WIDTH * 4).0
}

/// Returns whether an action can be a silent no-op: it moves up to an edge, or sets a state that may
/// be set already.
fn can_be_silent(action: Action) -> bool {
    let name = <&str>::from(action);
    let parts = ["_cell", "fold_", "depth_", "scroll_"];
    action.row_delta(9_usize).is_some() || parts.iter().any(|part| name.contains(part))
}

/// Performs an action. Returns its problem, if any, and the screen once all its requests are done.
async fn press(
    session: &mut Session,
    n: usize,
    action: Action,
    before: &Buffer,
) -> (Option<String>, Buffer) {
    let why = session.app.disabled_reason(action);
    let key = Key { code: KeyCode::Char(test_key(n)), ctrl: false, alt: false };
    let effects = session.app.update(Msg::Key(key));
    let after = session.buffer();
    let ((above, _), (above_then, message)) = (split_footer(before), split_footer(&after));
    let acted = above != above_then || !effects.is_empty();
    let notice = session.app.notice();
    let is_silent = notice.is_none_or(|message| message.contains("not available here"));
    let problem = match (acted, why) {
        (true, Some(why)) => Some(format!("acts in spite of {why:?}")),
        (false, Some(why)) if !message.contains(&*why) => {
            Some(format!("{why:?} is not {message:?}"))
        }
        (false, None) if is_silent && !can_be_silent(action) => Some("is silent".to_owned()),
        _ => None,
    };
    if effects.is_empty() {
        return (problem, after);
    }
    session.settle(effects).await;
    (problem, session.buffer())
}

async fn start(source: &Provider, target: &str, keys: &str, keymap: &Keymap) -> Session {
    let mut session = Session::with_keymap(source, size(200, 30), target, keymap.clone()).await;
    session.keys(keys).await;
    session
}

/// The problems of all actions in a view.
async fn problems(name: &str, target: &str, keys: &str) -> Vec<String> {
    let source = Provider::new(&Network::demo());
    let keymap = keymap();
    let mut problems = Vec::new();
    let mut kept: Option<(Session, Buffer)> = None;
    for (n, action) in Action::iter().enumerate() {
        if kept.is_none() {
            let session = start(&source, target, keys, &keymap).await;
            let looks = session.buffer();
            kept = Some((session, looks));
        }
        let (mut session, before) = kept.take().unwrap();
        let (problem, mut after) = press(&mut session, n, action, &before).await;
        problems.extend(problem.map(|problem| format!("{name}: {action:?} {problem}")));
        if !can_be_silent(action) && split_footer(&after).0 != split_footer(&before).0 {
            session.keys("esc").await;
            after = session.buffer();
        }
        // Another row of the same view is fine; if Esc does not lead back, start a new session.
        let is_same = name != "icicle" || split_footer(&after).0 == split_footer(&before).0;
        kept = (is_same && title_and_tabs(&after) == title_and_tabs(&before))
            .then_some((session, after));
    }
    problems
}

/// Makes a test for each kind of view: a name, the target, and the keys to press.
macro_rules! every_action_acts_or_gives_a_reason {
    ($($name:ident: $target:expr, $keys:literal;)*) => {
        mod every_action_acts_or_gives_a_reason {
            use super::*;

            $(#[tokio::test]
            async fn $name() {
                let problems = problems(stringify!($name), $target, $keys).await;
                assert!(problems.is_empty(), "{}", problems.join("\n"));
            })*
        }
    };
}

every_action_acts_or_gives_a_reason! {
    start_page: "", "j";
    transactions: ALICE, "j j";
    internal_transactions: RECURSOR, "2 j j";
    tokens: ALICE, "4 j j";
    nft_collections: ALICE, "5 j";
    empty_list: NEVER_USED, "2";
    blocks: "", "B j j";
    block: "13", "j j";
    block_transactions: "13", "2 j j";
    block_internals: "13", "3 j j";
    no_withdrawals: "13", "4";
    token_transfers: "", "T j j";
    all_tokens: "", "g i j j";
    all_activity: "", "g a j j";
    no_pending: "", "g l p e n d enter";
    top_accounts: "", "g l t o p enter j j";
    verified_contracts: "", "g l v e r i enter j";
    chain_internals: "", "g l i n t e r n a l enter j j";
    hidden_tab: SWAP, ": b l o b s enter";
    instances: ALICE, "5 enter j";
    transfers_of_token: ALICE, "5 enter i j";
    holders: ALICE, "5 enter i 2 j";
    balance: ALICE, "8 j j";
    instance: ALICE, "5 enter enter j";
    instance_holders: ALICE, "5 enter enter 3 j";
    raw_instance: ALICE, "5 enter enter 4 j";
    raw_row: ALICE, "d j j j";
    approvals: ALICE, "9 j";
    decoded_data: "", "s f ( ) enter j";
    transaction: SWAP, "j j j";
    trace: DEEP_ERROR, "2 j j j";
    icicle: DEEP_ERROR, "2 i j";
    raw_trace: DEEP_ERROR, "7 j j j";
    logs: SWAP, "4 j j";
    contract: RECURSOR, "7 j j j";
    log: SWAP, "4 enter j";
    diff: SWAP, "2 m m H T enter 2 D";
}

#[tokio::test]
async fn unbound_key_names_help_only_if_it_has_a_key() {
    let mut setup = setup(Network::demo());
    setup.keymap.apply_user_keymap("[everywhere]\n\"?\" = false\n");
    let mut session = Session::demo_with(setup, size(80, 24), "").await;
    session.keys("X").await;
    let message = "X is not bound here (keymap.toml leaves help no key)";
    assert!(session.screen().contains(message), "{}", session.screen());
}

#[tokio::test]
async fn unbound_key_is_reported() {
    for (keys, message) in [
        ("X", "X is not bound here (? for help)"),
        ("z R", "zR: only in call traces"),
        ("g h", "gh: only in call traces"),
        ("g x", "gx is not bound here (? for help)"),
        ("f X", "X is not bound here (Esc to close)"),
        ("? X", "X is not bound here (the keys are listed here)"),
    ] {
        let mut session = Session::demo(size(80, 24), ALICE).await;
        session.keys(keys).await;
        assert!(session.screen().contains(message), "{keys}: {}", session.screen());
    }
    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.keys("j y esc").await;
    let screen = session.screen();
    assert!(
        !screen.contains("nothing") && screen.contains(" 2 of 826"),
        "Esc ends a chord: {screen}"
    );
}

#[tokio::test]
async fn pending_transaction_has_no_trace() {
    let hash = SWAP.to_owned();
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => {
            Ok(format!(r#"{{"hash":"{hash}","status":null,"result":"pending"}}"#))
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let mut session = Session::canned(size(100, 24), SWAP, answer).await;
    session.keys("2 ] x").await;
    let message = "pending: not executed yet, no trace";
    assert!(session.screen().contains(message), "{}", session.screen());
}

/// The default key map with every action on a character that no default key uses.
fn all_rebound() -> Keymap {
    let mut keys = String::new();
    let mut done = Vec::new();
    for line in include_str!("../../assets/keymap.toml").lines() {
        let Some((_, name)) = line.split_once(" = ") else {
            done.clear();
            keys.extend([line, "\n"]);
            continue;
        };
        let name = name.trim_matches('"');
        let n = Action::iter().position(|action| <&str>::from(action) == name).unwrap();
        if !done.contains(&n) {
            done.push(n);
            keys.extend([format!("\"{}\" = \"{name}\"\n", test_key(n))]);
        }
    }
    Keymap::parse(&keys).unwrap()
}

#[tokio::test]
async fn messages_name_only_bound_keys() {
    use Action::{
        CopyCell, Export, FilterRows, Filters, Help, Icicle, Mark, Mouse, NextMatch, OpenWeb,
        Provenance, Requests, Search, SortSiblings, Tab2, ZoomOut,
    };
    let source = Provider::new(&Network::demo());
    let keymap = all_rebound();
    let named = ["Esc", "Enter", "Tab", "Space", "^c", "r", "j", "k", "G", "n", "N", "T", "w", "o"];
    let lists = [Help, Search, Filters, Requests, Provenance, NextMatch, OpenWeb, Mouse, CopyCell];
    let trace = [Help, Search, FilterRows, Mark, ZoomOut, SortSiblings, Icicle, Export, NextMatch];
    for (target, to, actions) in [
        ("", Action::First, &lists[..]),
        (ALICE, Action::NextRow, &lists),
        (NEVER_USED, Tab2, &lists),
        (DEEP_ERROR, Tab2, &trace),
        (SWAP, Action::NextRow, &lists),
    ] {
        for action in actions {
            let mut session =
                Session::with_keymap(&source, size(200, 30), target, keymap.clone()).await;
            for action in [to, *action] {
                let n = Action::iter().position(|other| other == action).unwrap();
                let key = Key { code: KeyCode::Char(test_key(n)), ctrl: false, alt: false };
                let effects = session.app.update(Msg::Key(key));
                session.settle(effects).await;
            }
            let screen = session.screen();
            let ends = |c: char| c.is_whitespace() || "():;,.·".contains(c);
            let stale = screen.split(ends).find(|word| named.contains(word));
            assert_eq!(stale, None, "{target} {action:?}\n{screen}");
        }
    }
}

#[tokio::test]
async fn keys_of_other_lists_say_where_they_work() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    for (key, why) in [
        ("e", "only on approvals, which have past events"),
        ("@", "only on the tokens of an address and the code of a contract"),
    ] {
        session.keys(key).await;
        assert!(session.screen().contains(why), "{}", session.screen());
    }
}

#[tokio::test]
async fn overview_of_a_transaction_says_where_its_balance_changes_are() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("V").await;
    let screen = session.screen();
    assert!(screen.contains("balance changes are in the trace: 2 opens it"), "{screen}");
}

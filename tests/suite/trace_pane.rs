//! The trace pane on the demo chain: snapshots of notable transactions, and its keys.

use chainglass::test_api::abi::SignatureDb;
use chainglass::test_api::api::{ApiError, Cursor, Query, TransactionQuery};
use chainglass::test_api::app_message::{ChainRequest, Effect, FetchProgress, Msg, TraceEvent};
use chainglass::test_api::chain::Bytes;
use chainglass::test_api::trace::TraceParser;

use crate::demo_items::{REENTRANCY, SWAP, TREE_11_2};
use crate::session::{ALICE, Session, size};

/// Notable transactions of the demo chain.
const NAMED: [(&str, &str); 8] = [
    ("swallow_all", "0x8fead60105b67d1c1d4cb7f34bae2f09bfb9b852a282ba481e2084b7ae7ca89f"),
    ("multicall_partial", "0x20337b4229c894f9ab51ba87ade1e4ff5dbfd4f4448c164aa8eba54c34daf47b"),
    ("multicall_strict", "0xab63ed8c33e594f9459b0de86c602823e0901a558435f1005bc7e53f6b2b2d3c"),
    ("swap_slippage", "0xc2b74c678eae4d24d74793fbfeb9759e925965b6ccb9a6349091a6bb7c1b0abe"),
    ("deep_wrapped", "0x71fb78a39596352559c92818f2dddfb2e604bebea82745ce71d6c1ee4af5482d"),
    ("create_and_destroy", "0x55b0dc4f6de7e3fc16c629b1d866c7877fcbacdd7200d08f70c46daa8a128522"),
    ("reentrancy", REENTRANCY),
    ("tree_11_2", TREE_11_2),
];

const SWALLOW_ALL: &str = NAMED[0].1;
const DEEP_WRAPPED: &str = NAMED[4].1;
const DEEP_REVERT: &str = "0xdfb1e46155218dee231ecdef3b29a02bcbcbc2f1b216450885f79f4a0c28166c";

/// Tokens of one account for nine others.
const AIRDROP: &str = "0x545d68a6af4f7337f1eed01fe24cba8f42cdad0b3ff5c541ffb990948fc16ae8";

/// Opens a transaction's trace with its key.
async fn trace(columns: u16, rows: u16, transaction: &str) -> Session {
    let mut session = Session::demo(size(columns, rows), transaction).await;
    session.keys("2").await;
    session
}

#[tokio::test]
async fn demo_traces_match_their_snapshots() {
    for (name, hash) in NAMED {
        let session = trace(120, 40, hash).await;
        insta::assert_snapshot!(format!("trace_{name}_120x40"), session.screen());
    }
}

#[tokio::test]
async fn icicle_balance_changes_and_detail_match_their_snapshots() {
    let mut session = trace(120, 40, REENTRANCY).await;
    session.keys("i").await;
    insta::assert_snapshot!("trace_icicle_120x40", session.screen());
    session.keys("V").await;
    insta::assert_snapshot!("trace_balance_changes_120x40", session.screen());
    session.keys("V Z").await;
    insta::assert_snapshot!("trace_detail_zoomed_120x40", session.screen());
}

#[tokio::test]
async fn calls_that_moved_coin_have_their_depths() {
    let mut session = trace(80, 24, REENTRANCY).await;
    session.keys("V").await;
    let screen = session.screen();
    for depth in ["2", "12"] {
        assert!(screen.contains(&format!("{depth} withdrawAll? → receive?")), "{screen}");
    }
}

#[tokio::test]
async fn selected_call_of_an_icicle_is_always_drawn() {
    let mut session = trace(80, 24, REENTRANCY).await;
    session.keys("i").await;
    assert!(session.screen().contains('▶'), "{}", session.screen());
    let mut deep = trace(80, 12, REENTRANCY).await;
    deep.keys("i").await;
    assert!(deep.screen().contains("deeper calls: j goes down"), "{}", deep.screen());
    deep.keys("j l").await;
    for depth in 1..=10 {
        assert!(deep.screen().contains('▶'), "depth {depth}: {}", deep.screen());
        deep.keys("j").await;
    }
    assert!(!deep.screen().contains("deeper calls"), "{}", deep.screen());
}

#[tokio::test]
async fn balance_changes_of_an_asset_have_a_bar_for_each_account() {
    for (transaction, accounts) in [(AIRDROP, 10), (SWAP, 0)] {
        let mut session = trace(120, 40, transaction).await;
        session.keys("V").await;
        let screen = session.screen();
        let bars = screen.lines().filter(|line| line.contains("██"));
        assert_eq!(bars.count(), accounts, "{screen}");
        assert!(screen.contains("account 1 of") && !screen.contains("call 1 of"), "{screen}");
    }
}

#[tokio::test]
async fn burnt_amounts_are_of_no_account() {
    let transaction = "0xfd4040e8754edcae37a177972db73c652998fcc783216a6a6c9bae0a8b42d65d";
    let mut session = trace(120, 40, transaction).await;
    session.keys("V").await;
    let screen = session.screen();
    assert!(screen.contains("account 1 of 4") && screen.contains("burnt"), "{screen}");
    assert!(screen.contains("→ burn "), "{screen}");
}

#[tokio::test]
async fn copies_from_balance_changes_are_of_the_selected_account() {
    let mut session = trace(120, 40, SWAP).await;
    session.keys("V y a").await;
    assert_eq!(session.copied(), Some("0x70997970C51812dc3A010C7d01b50e0d17dc79C8"));
    session.keys("j y a").await;
    assert_eq!(session.copied(), Some("0xCba6b9A951749B8735C603e7fFC5151849248772"));
    session.keys("/").await;
    assert!(session.screen().contains("tree view only"), "{}", session.screen());
}

#[tokio::test]
async fn transfers_of_the_coin_are_listed_with_their_calls() {
    let mut session = trace(120, 40, REENTRANCY).await;
    session.keys("V").await;
    let screen = session.screen();
    let title =
        screen.lines().position(|line| line.contains("Coin and token transfers, as they happened"));
    let listed: Vec<&str> = screen.lines().skip(title.unwrap() + 1).take(9).collect();
    assert!(listed.iter().all(|line| line.contains(" → ") && line.contains(" ETH ")), "{screen}");
    assert!(
        listed[1].contains("1 ETH ($2,500)       1  0x1624…1AdF.0x64dd891a → Bank.deposit"),
        "{screen}"
    );
}

#[tokio::test]
async fn transfers_without_space_are_counted() {
    let transaction = "0x4ad4e1722f11f8205b4640d18c8fcd965b12f05d9860564e021277ccd751f6ec";
    let mut session = trace(120, 40, transaction).await;
    session.keys("V").await;
    let screen = session.screen();
    let title = screen.lines().position(|line| line.contains("─ transfers of ")).unwrap();
    let listed = screen.lines().skip(title + 1).take_while(|line| line.contains('→'));
    let hidden = format!("… {} more", 75 - listed.count());
    assert!(screen.contains(&hidden), "{hidden}\n{screen}");
}

#[tokio::test]
async fn failure_jumps_and_revert_origin_work() {
    let mut session = trace(120, 40, SWALLOW_ALL).await;
    session.keys("] x").await;
    assert!(session.screen().contains("call 2 of 11"), "{}", session.screen());
    session.keys("] x ] x [ x").await;
    assert!(session.screen().contains("call 3 of 11"), "{}", session.screen());
    let mut session = trace(120, 40, DEEP_WRAPPED).await;
    session.keys("g r").await;
    let screen = session.screen();
    assert!(screen.contains("0.0.0.0.0") && screen.contains("passed up wrapped"), "{screen}");
    for hash in [SWALLOW_ALL, DEEP_WRAPPED] {
        let mut session = trace(120, 40, hash).await;
        session.keys("1 g r").await;
        assert!(session.screen().contains("revert starts here"), "{}", session.screen());
    }
}

#[tokio::test]
async fn failed_call_of_the_overview_leads_to_it_in_the_trace() {
    let mut session = Session::demo(size(120, 40), SWALLOW_ALL).await;
    let screen = session.screen();
    let title =
        screen.lines().position(|line| line.contains("─ Inner calls that failed ·")).unwrap();
    // Each line of the document is a step.
    let keys = vec!["j"; title + 1].join(" ");
    session.keys(&format!("{keys} enter")).await;
    let screen = session.screen();
    assert!(screen.contains("of 11 · depth 1"), "{screen}");
}

#[tokio::test]
async fn overview_has_the_path_to_the_revert() {
    let mut session = Session::demo(size(120, 40), DEEP_REVERT).await;
    let screen = session.screen();
    let title = screen.lines().position(|line| line.contains("─ Path to the revert ─")).unwrap();
    let path: Vec<&str> = screen.lines().skip(title + 1).take(8).collect();
    assert!(path[0].contains("│ ▼▲ DeepThrower."), "{screen}");
    assert!(path[7].contains("└─◆◇ Thrower.") && path[7].contains("◀ origin"), "{screen}");
    assert!(path[..7].iter().all(|line| !line.contains("origin")), "{screen}");
    session.keys("6").await;
    session.keys("1").await;
    assert!(session.screen().contains("Path to the revert"), "{}", session.screen());
}

#[tokio::test]
async fn source_of_a_failure_is_four_keys_away() {
    for (hash, line) in [(DEEP_REVERT, "function errorString("), (DEEP_WRAPPED, "function custom(")]
    {
        let mut session = Session::demo(size(120, 40), hash).await;
        session.keys("g r g d").await;
        let screen = session.screen();
        assert!(screen.contains(line), "{screen}");
    }
}

#[tokio::test]
async fn hits_are_counted_while_a_search_is_typed() {
    let mut session = trace(120, 40, REENTRANCY).await;
    let before = session.screen();
    session.keys("/ a t : 1 . 0").await;
    assert!(session.screen().contains(" 1 found ─╯"), "{}", session.screen());
    session.keys("esc").await;
    assert_eq!(session.screen(), before);
}

#[tokio::test]
async fn earlier_searches_return_with_an_arrow() {
    let mut session = trace(120, 40, REENTRANCY).await;
    for text in ["fn:withdraw", "at:1.0"] {
        session.keys("/").await;
        session.type_text(text).await;
    }
    for (keys, shown) in [
        ("/", None),
        ("up", Some("at:1.0")),
        ("up", Some("fn:withdraw")),
        ("up", Some("fn:withdraw")),
    ] {
        session.keys(keys).await;
        let screen = session.screen();
        let typed = ["at:1.0", "fn:withdraw"]
            .into_iter()
            .find(|text| screen.contains(&format!("│ > {text} ")));
        assert_eq!(typed, shown, "{keys}: {screen}");
    }
    session.keys("down down").await;
    assert!(session.screen().contains("│ Words, to: from:"), "{}", session.screen());
    session.keys("t o up down").await;
    assert!(session.screen().contains("│ > to "), "the draft: {}", session.screen());
    session.keys("esc &").await;
    session.type_text("metod:swap").await;
    let screen = session.screen();
    assert!(
        screen.contains("│ > metod:swap ") && screen.contains("no metod:, only to:"),
        "{screen}"
    );
}

#[tokio::test]
async fn folded_call_summarizes_and_search_unfolds() {
    let mut session = trace(120, 40, REENTRANCY).await;
    let before = session.screen();
    session.keys("space").await;
    let folded = session.screen();
    assert!(folded.contains("  +14 calls · "), "{folded}");
    session.keys("space").await;
    assert_eq!(session.screen(), before);
    session.keys("z M /").await;
    session.type_text("at:1.0").await;
    let found = session.screen();
    assert!(found.contains("/at:1.0 1/1") && found.contains(" [1.0] "), "{found}");
    session.keys("esc").await;
    assert!(!session.screen().contains("/at:1.0"), "{}", session.screen());
}

/// A flat trace of calls with different calldata.
fn flat_trace(calls: usize) -> String {
    let entry = |n: usize| {
        let path = if n == 0 { String::new() } else { (n - 1).to_string() };
        format!(
            r#"{{"action":{{"callType":"call","from":"0x{:040x}","to":"0x{n:040x}","gas":"0x10",
            "value":"0x0","input":"0xdeadbeef{n:064x}"}},"result":{{"gasUsed":"0x8","output":"0x"}},
            "traceAddress":[{path}],"type":"call"}}"#,
            1
        )
    };
    format!("[{}]", (0..calls).map(entry).collect::<Vec<_>>().join(","))
}

/// Calls that each send coin to another account.
fn payouts(calls: usize) -> String {
    let mut n = 0;
    let values =
        flat_trace(calls + 1).split(r#""value":"0x0""#).map(str::to_owned).collect::<Vec<_>>();
    let paid = values.into_iter().reduce(|before, rest| {
        n += 1;
        let value = if n == 1 { 0 } else { n };
        format!(r#"{before}"value":"0x{value:x}"{rest}"#)
    });
    paid.unwrap()
}

async fn payout_session(calls: usize) -> Session {
    let body = payouts(calls);
    let answer = move |query: &Query, _: Option<&_>| match query {
        Query::Transaction(_, TransactionQuery::RawTrace) => Ok(body.clone()),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let mut session = Session::canned(size(200, 60), REENTRANCY, answer).await;
    session.keys("2 V").await;
    session
}

fn is_transfer(line: &&str) -> bool {
    line.contains(" wei      1 ")
}

#[tokio::test]
async fn transfers_of_more_calls_than_a_frame_looks_at_are_counted_at_least() {
    let screen = payout_session(2_100).await.screen();
    let hidden = 2_000 - screen.lines().filter(is_transfer).count();
    assert!(screen.contains(&format!("… 1,{:03}+ more", hidden - 1_000)), "{screen}");
}

#[tokio::test]
async fn reasons_are_whole_where_the_detail_leaves_space() {
    let mut session = trace(200, 60, SWALLOW_ALL).await;
    session.keys("2").await;
    let screen = session.screen();
    let reasons: Vec<&str> = screen.lines().filter(|line| line.contains("─· ! ")).collect();
    assert_eq!(reasons.len(), 9, "{screen}");
    for line in reasons {
        let row = line.split('│').nth(1).unwrap();
        assert!(!row.contains('…') && row.ends_with(' '), "{line}");
    }
    assert!(screen.contains("something went wrong, because of reasons "), "{screen}");
}

#[tokio::test]
async fn overview_has_the_reason_of_a_caught_failure() {
    let screen =
        Session::demo(size(120, 40), crate::theme_styles::MULTICALL_PARTIAL).await.screen();
    let reason = "! 1 of 24 calls failed, in Router: 0x964d8dc0 (68 bytes)";
    assert!(screen.contains(reason), "{screen}");
}

#[tokio::test]
async fn only_reason_of_a_caught_failure_is_not_repeated_by_the_calls() {
    let high = size(160, 80);
    let screen = Session::demo(high, crate::theme_styles::MULTICALL_PARTIAL).await.screen();
    assert!(screen.contains("─ Calls · gas ─") && screen.contains(" ! delegate "), "{screen}");
    assert_eq!(screen.matches("0x964d8dc0 (68 bytes)").count(), 1, "{screen}");
}

#[tokio::test]
async fn transfers_of_many_calls_are_listed_or_counted() {
    let mut session = payout_session(300).await;
    let screen = session.screen();
    let shown = screen.lines().filter(is_transfer).count();
    assert!(shown > 20 && screen.contains(&format!("… {} more", 300 - shown)), "{screen}");
    // The last call of all, to the account that gained most.
    session.keys("j").await;
    let screen = session.screen();
    assert!(screen.contains("    1  ← ▼■ 0x0000…0001  +301 wei    +301 wei"), "{screen}");
}

async fn flat_session(calls: usize) -> Session {
    let body = flat_trace(calls);
    let answer = move |query: &Query, _: Option<&_>| match query {
        Query::Transaction(_, TransactionQuery::RawTrace) => Ok(body.clone()),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let mut session = Session::canned(size(120, 40), REENTRANCY, answer).await;
    session.keys("2").await;
    session
}

#[tokio::test]
async fn calls_are_found_by_gas_and_by_likeness() {
    let mut session = flat_session(500).await;
    for position in ["call 2 of 500", "call 3 of 500"] {
        session.keys("g h").await;
        assert!(session.screen().contains(position), "{}", session.screen());
    }
    session.keys("*").await;
    assert!(session.screen().contains("no other call to this target below"));
    session.keys("#").await;
    assert!(session.screen().contains("no other call to this target above"));
}

#[tokio::test]
async fn functions_are_listed_by_their_self_gas() {
    let mut session = trace(120, 40, SWAP).await;
    session.keys("f").await;
    let screen = session.screen();
    let rows: Vec<&str> = screen.lines().skip_while(|line| !line.contains("self gas")).collect();
    let root = "38,050  18.6%      1            0.0057075   □● Router.swapExactIn ";
    let swap = "16,894   8.3%      1            0.0025341   ▼● Pool·Cba6.0x6d069a67        ████";
    assert!(rows[1].contains(root) && rows[2].contains(swap), "{screen}");
    assert!(screen.contains("   1,104   0.5%      2       552  "), "gas of each call: {screen}");
    let bar = rows[1].matches(['█', '▓']).count();
    assert_eq!(bar, 30, "no longer than that: {screen}");
    assert!(rows[0].contains("  fee ETH  "), "{screen}");
    assert!(rows[1].ends_with('┃'), "11 of 23 functions: a scrollbar\n{screen}");
    session.keys("G k k k").await;
    let screen = session.screen();
    let calls = screen.lines().skip_while(|line| !line.contains(".balanceOf"));
    let calls: Vec<&str> =
        calls.filter(|line| line.contains("552 ") && line.contains("  balanceOf")).collect();
    assert_eq!(calls.len(), 2, "the calls of the selected function\n{screen}");
    session.keys("g g j j j j j enter").await;
    let screen = session.screen();
    let is_call =
        |line: &str| line.contains("├─▾ ") && line.contains(" Glass Dollar.transferFrom?");
    assert!(screen.lines().any(is_call) && screen.contains("call 2 of 26"));
    session.keys("f f").await;
    assert!(session.screen().lines().any(is_call));
    session.keys("f").await;
    session.resize(size(100, 40)).await;
    let screen = session.screen();
    assert!(screen.contains("  per call  ") && !screen.contains("fee ETH"), "{screen}");
}

#[tokio::test]
async fn keys_without_effect_say_why() {
    let mut session = trace(120, 40, SWAP).await;
    let rows = |session: &Session| session.screen().lines().skip(8).take(26).collect::<String>();
    let before = rows(&session);
    for (keys, reason) in [
        ("z e", "no failed call"),
        ("z R", "all calls are unfolded"),
        ("e", "this call and its siblings are unfolded"),
        ("g h", "this is the call with the most gas of its own"),
    ] {
        session.keys(keys).await;
        assert!(session.screen().contains(reason), "{}", session.screen());
        assert_eq!(rows(&session), before, "{keys}");
    }
    session.keys("&").await;
    session.type_text("no such call").await;
    assert!(session.screen().contains("no match"), "{}", session.screen());
    assert_eq!(rows(&session), before);
}

#[tokio::test]
async fn calls_are_searched_again_when_names_arrive() {
    let mut session = flat_session(20).await;
    session.keys("/").await;
    session.type_text("vault").await;
    assert!(session.screen().contains("/vault –/0"), "{}", session.screen());
    session.keys("j a").await;
    session.type_text("Vault").await;
    let screen = session.screen();
    assert!(screen.contains("/vault 2/20"), "{screen}");
    assert!(screen.contains("call 2 of 20"), "the selection stays\n{screen}");
}

#[tokio::test]
async fn saved_trace_tells_its_number_of_calls() {
    let mut session = trace(120, 40, SWAP).await;
    session.keys("x").await;
    let name = "chainglass-trace-0x0bbc-b5e5-demo.txt";
    assert!(session.screen().contains(name), "{}", session.screen());
    session.keys("enter").await;
    let Some(Effect::Save { what, .. }) = session.effects.pop() else {
        panic!("{}", session.screen())
    };
    assert_eq!(&*what, "26 calls");
}

#[tokio::test]
async fn exported_trees_have_addresses_in_full_beside_their_names() {
    let mut session = trace(120, 40, SWAP).await;
    assert!(session.screen().contains(" Glass Dollar.transferFrom?(bob.eth, "));
    session.keys("x enter").await;
    let Some(Effect::Save { lines, .. }) = session.effects.pop() else {
        panic!("{}", session.screen())
    };
    session.keys("y T").await;
    let copied = session.copied().unwrap().to_owned();
    session.keys("v").await;
    let Some(Effect::OpenExternal { lines: viewed, .. }) = session.effects.pop() else {
        panic!("{}", session.screen())
    };
    for tree in [lines.join("\n"), copied, viewed.join("\n")] {
        let names = ["Glass Dollar [0x", "].transferFrom?(bob.eth [0x"];
        assert!(names.iter().all(|name| tree.contains(name)) && !tree.contains('…'), "{tree}");
    }
}

#[tokio::test]
async fn filter_of_a_trace_fills_the_screen() {
    let mut session = flat_session(500).await;
    session.keys("z R G &").await;
    session.type_text("to:00f").await;
    let screen = session.screen();
    let rows = ["├─· ", "└─· "].map(|branch| screen.matches(branch).count());
    assert_eq!(rows, [16, 1], "{screen}");
}

/// Printed lines are found by what they say, though a search decodes few calls.
#[tokio::test]
async fn printed_lines_are_found() {
    let call = |path: &str, input: &str| {
        format!(
            r#"{{"action":{{"callType":"staticcall","from":"0x{:040x}","gas":"0xff",
            "to":"0x000000000000000000636F6E736F6C652e6c6f67","input":"0x{input}","value":"0x0"}},
            "result":{{"gasUsed":"0x0","output":"0x"}},"traceAddress":[{path}],"type":"call"}}"#,
            7
        )
    };
    let text = format!("{:064x}{:064x}{:0<64}", 0x20, 7, "6120070a2d3e62");
    let calls = [call("", ""), call("0", &format!("41304fac{text}")), call("1", "deadbeef")];
    let mut session = canned(format!("[{}]", calls.join(","))).await;
    let row = "console.log: a ␇␊->b";
    assert!(session.screen().contains(row), "{}", session.screen());
    session.keys("/").await;
    session.type_text("fn:console.log").await;
    assert!(session.screen().contains("/fn:console.log 1/1"), "{}", session.screen());
    session.keys("esc &").await;
    session.type_text("->b").await;
    assert!(session.screen().contains("1 match for"), "{}", session.screen());
    assert!(session.screen().contains(row), "{}", session.screen());
    session.keys("esc Z").await;
    let detail = session.screen();
    assert!(detail.contains("prints") && detail.contains("log(string)"), "{detail}");
}

#[tokio::test]
async fn searches_of_large_traces_do_not_block_keys() {
    let mut session = flat_session(500).await;
    session.keys("g g /").await;
    let mut effects = Vec::new();
    for c in r"re:(a|b|c)+x(d|e|f)+y".chars() {
        effects.extend(session.press(&c.to_string()));
    }
    effects.extend(session.press("enter"));
    let searching = session.screen();
    assert!(searching.contains("% searched)"), "{searching}");
    session.press("j");
    assert!(session.screen().contains("call 2 of 500"), "{}", session.screen());
    session.settle(effects).await;
    assert!(session.screen().contains("no match"), "{}", session.screen());
    assert_ne!(session.app.tick_interval(), Some(std::time::Duration::ZERO), "it is done");
    session.keys("&").await;
    session.type_text("0x00000000000000000000000000000000000000fa").await;
    assert!(session.screen().contains("1 match for"), "{}", session.screen());
    session.keys("esc /").await;
    session.type_text("deadbeef").await;
    assert!(session.screen().contains("/deadbeef 1/500"), "{}", session.screen());
}

#[tokio::test]
async fn trace_copies_hold_full_values() {
    let mut session = trace(80, 24, SWALLOW_ALL).await;
    session.keys("j y o").await;
    let data: Bytes = session.copied().unwrap().parse().unwrap();
    assert!(data.len() > 68, "Error(string)");
    session.keys("Y").await;
    let command = session.copied().unwrap();
    assert_eq!(command, format!("chainglass --chain demo {SWALLOW_ALL} --tab trace --node 0"));
    session.keys("y T").await;
    let tree = session.copied().unwrap();
    assert_eq!(tree.lines().count(), 11);
    assert!(tree.contains("├─ ! stat"), "{tree}");
    session.keys("y y").await;
    assert_eq!(session.copied().unwrap().len(), 42);
}

#[tokio::test]
async fn copied_tree_is_written_between_keys_and_cut_after_its_last_line() {
    let mut session = canned(format!(r#"{{"calls":[{}{{}}]}}"#, "{},".repeat(20_000))).await;
    let effects = session.press("y T");
    let is_copied = effects.iter().any(|effect| matches!(effect, Effect::Copy { .. }));
    let interval = session.app.tick_interval();
    assert_eq!((is_copied, interval), (false, Some(std::time::Duration::ZERO)), "still written");
    session.settle(effects).await;
    let copied = session.copied().unwrap();
    assert_eq!(copied.lines().count(), 20_001);
    assert!(copied.ends_with("… (x exports all of it)"), "{:?}", copied.lines().last());
}

#[tokio::test]
async fn typed_signature_names_the_call_immediately() {
    let selector = SignatureDb::default().add_signature("answer(uint256 to)").unwrap();
    let selector = u32::from_be_bytes(selector);
    let input = format!("{selector:#010x}{:064x}", 42);
    let body = format!(
        r#"[{{"action":{{"callType":"call","from":"0x00000000000000000000000000000000000000aa",
        "to":"0x00000000000000000000000000000000000000bb","gas":"0x10","value":"0x0",
        "input":"{input}"}},"result":{{"gasUsed":"0x8","output":"0x"}},"subtraces":0,
        "traceAddress":[],"type":"call"}}]"#
    );
    let mut session = canned(body).await;
    assert!(session.screen().contains(&format!("{selector:#010x}(32 bytes)")));
    session.keys("S").await;
    session.type_text("answer(uint256 to").await;
    let screen = session.screen();
    assert!(screen.contains("answer(uint256 to "), "the text can be corrected\n{screen}");
    session.type_text(")").await;
    assert!(session.screen().contains(".answer(42)"), "{}", session.screen());
    assert!(
        session.effects.iter().any(|e| matches!(e, Effect::SaveSignature(_))),
        "the signature is saved"
    );
}

async fn canned(body: String) -> Session {
    let hash = SWALLOW_ALL;
    let mut session = Session::canned(size(120, 40), hash, move |query, _| match query {
        Query::Transaction(_, TransactionQuery::RawTrace) => Ok(body.clone()),
        _ => Err(ApiError::TimedOut { seconds: 1 }),
    })
    .await;
    session.keys("2").await;
    session
}

#[tokio::test]
async fn responses_without_calls_are_explained() {
    for (body, message) in [
        ("[]", "pruned by the node"),
        ("null", "sent `null`"),
        (
            r#"{"gas":1,"failed":false,"returnValue":"","structLogs":[{"pc":0,"op":"STOP"}]}"#,
            "opcodes, not calls",
        ),
        (r#"{"gas":1,"structLogs":[]}"#, "Raw trace shows the response"),
        (r#""execution timeout""#, "“execution timeout”"),
        (r#"{"hello":1}"#, "unknown trace format"),
    ] {
        let screen = canned(body.to_owned()).await.screen();
        assert!(screen.contains(message), "{body}: {screen}");
        assert!(screen.contains("not available either"), "{screen}");
    }
}

#[tokio::test]
async fn inferred_gas_is_marked_in_the_row_and_the_detail() {
    let body = r#"[{"action":{"callType":"call","from":"0x00000000000000000000000000000000000000aa",
        "to":"0x00000000000000000000000000000000000000bb","gas":"0x15f90","value":"0x0",
        "input":"0x"},"error":"Bad jump destination","result":null,"traceAddress":[],"type":"call"}]"#;
    let mut session = canned(body.to_owned()).await;
    let screen = session.screen();
    for shown in ["≈90,000", "≈90,000 (self ≈90,000) (inferred: this failure burns the limit)"]
    {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    assert!(session.content().contains("✗ failed\n"), "a root has no caller: {screen}");
    session.keys("g r").await;
    assert!(session.screen().contains("revert starts here"), "{}", session.screen());
    assert!(!session.screen().contains("passed up"), "{}", session.screen());
}

/// The answer of Geth's tracer in anvil 1.7.1.
#[tokio::test]
async fn gas_above_the_limit_is_named_as_the_nodes() {
    let body = r#"{"error":"execution reverted","from":"0x976ea74026e726554db657fa54763abd0c3a0aa9",
        "gas":"0x6c79a","gasUsed":"0x4ced09","input":"0x60","type":"CREATE","value":"0x0"}"#;
    let transaction = format!(
        r#"{{"hash":"{SWALLOW_ALL}","status":"error","gas_used":"55950","gas_limit":"500000"}}"#
    );
    let mut session = Session::canned(size(120, 40), SWALLOW_ALL, move |query, _| match query {
        Query::Transaction(_, TransactionQuery::RawTrace) => Ok(body.to_owned()),
        Query::Transaction(_, TransactionQuery::Details) => Ok(transaction.clone()),
        _ => Err(ApiError::TimedOut { seconds: 1 }),
    })
    .await;
    session.keys("2").await;
    let screen = session.screen();
    assert!(screen.contains("55,950 gas (? in calls)"), "{screen}");
    assert!(!screen.contains("refunded") && !screen.contains("100%"), "{screen}");
    let named = "impossible gas from the node: 5,041,417 used of 444,314";
    assert_eq!(screen.matches(named).count(), 2, "above the calls and in the detail: {screen}");
}

/// A trace of a failed call, as `callTracer` sends it.
fn failed_call(input: &str) -> String {
    let to = "0x976ea74026e726554db657fa54763abd0c3a0aa9";
    format!(
        r#"{{"type":"CALL","from":"{to}","to":"{to}","gas":"0x10","gasUsed":"0x1","input":"{input}",
        "error":"execution reverted","value":"0x0","output":"0x"}}"#
    )
}

#[tokio::test]
async fn undone_events_of_a_node_are_refreshed_with_the_trace() {
    let log = r#"{"items":[{"address":{"hash":"0x976ea74026e726554db657fa54763abd0c3a0aa9"},
        "topics":[],"data":"0x","is_undone":true,"trace_address":[],"call_position":0}],
        "next_page_params":null}"#;
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::RawTrace) => Ok(failed_call("0x")),
        Query::Transaction(_, TransactionQuery::UndoneLogs) => Ok(log.to_owned()),
        Query::Transaction(_, TransactionQuery::LogsInCalls) => {
            Ok(r#"{"items":[],"next_page_params":null}"#.to_owned())
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let mut session = Session::node(size(120, 40), SWALLOW_ALL, answer).await;
    session.keys("2").await;
    let before = session.screen();
    assert_eq!(before.matches("undone").count(), 1, "{before}");
    for _ in 0..3 {
        session.keys("r").await;
        assert_eq!(session.screen().matches("undone").count(), 1, "{}", session.screen());
        assert!(session.app.is_idle());
    }
}

#[tokio::test]
async fn copied_command_has_no_text_of_the_node() {
    let mut session = canned(failed_call("0xab; reboot #")).await;
    session.keys("y k").await;
    assert_eq!(session.copied(), None, "{}", session.screen());
    let mut session = canned(failed_call("0xAB")).await;
    session.keys("y k").await;
    let copied = session.copied().unwrap();
    assert!(copied.contains(" --data 0xab --from 0x976EA7"), "{copied}");
}

#[tokio::test]
async fn copied_command_has_the_arguments_if_they_are_all_of_the_calldata() {
    let to = "70997970c51812dc3a010c7d01b50e0d17dc79c8";
    let calldata = format!("a9059cbb{to:0>64}{:064x}", 2500);
    for (rest, expected) in [
        (
            "",
            Some(
                " 'transfer(address,uint256)' 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 2500 --from ",
            ),
        ),
        ("00", None),
    ] {
        let body = format!(
            r#"{{"type":"CALL","from":"0x{to}","to":"0x{to}","gasUsed":"0x1","input":"0x{calldata}{rest}"}}"#
        );
        let mut session = canned(body).await;
        session.keys("y K").await;
        let copied = session.copied();
        assert_eq!(copied.is_some(), expected.is_some(), "{copied:?}");
        assert!(expected.is_none_or(|part| copied.unwrap().contains(part)), "{copied:?}");
    }
}

#[tokio::test]
async fn known_selector_without_its_arguments_has_its_name() {
    let body = r#"[{"action":{"callType":"call","from":"0x00000000000000000000000000000000000000aa",
        "to":"0x00000000000000000000000000000000000000bb","gas":"0x10","input":"0xa9059cbb",
        "value":"0x0"},"result":{"gasUsed":"0x1","output":"0x"},"subtraces":0,"traceAddress":[],
        "type":"call"}]"#;
    let session = canned(body.to_owned()).await;
    assert!(session.screen().contains(".transfer?(0 bytes)"), "{}", session.screen());
}

#[tokio::test]
async fn selfdestruct_to_itself_says_what_cannot_be_told() {
    let body = r#"[{"action":{"address":"0x00000000000000000000000000000000000000aa",
        "refundAddress":"0x00000000000000000000000000000000000000aa","balance":"0x29a2241af62c0000"},
        "result":null,"subtraces":0,"traceAddress":[],"type":"suicide"}]"#;
    let mut session = canned(body.to_owned()).await;
    let screen = session.screen();
    assert!(screen.contains("3 ETH (to itself: destroyed if created here, or before"), "{screen}");
    session.keys("V").await;
    let screen = session.screen();
    assert!(screen.contains(" or −3 ETH"), "{screen}");
    assert!(screen.contains("? 3 ETH selfdestructed to itself (burnt before"), "{screen}");
}

#[tokio::test]
async fn last_function_has_the_total_below_it() {
    let mut session = Session::demo(size(80, 12), SWAP).await;
    session.keys("2 f").await;
    let has_total = |screen: &str| {
        screen.lines().any(|line| line.contains(" 100% ") && line.trim_end().ends_with(" total"))
    };
    assert!(!has_total(&session.screen()), "{}", session.screen());
    session.keys("G").await;
    assert!(has_total(&session.screen()), "{}", session.screen());
}

#[tokio::test]
async fn selfdestruct_has_the_mark_of_its_contract() {
    let call = |place: &str, to: &str| {
        format!(
            r#"{{"action":{{"callType":"call","from":"0x{:040x}","to":"0x{to:0>40}","gas":"0x10",
            "input":"0x01020304","value":"0x0"}},"result":{{"gasUsed":"0x1","output":"0x"}},
            "traceAddress":[{place}],"type":"call"}}"#,
            0xcc
        )
    };
    let end = format!(
        r#"{{"action":{{"address":"0x{:0>40}","refundAddress":"0x{:0>40}","balance":"0x1"}},
        "result":null,"traceAddress":[1],"type":"suicide"}}"#,
        "aa", "bb"
    );
    let body = format!("[{},{},{end}]", call("", "aa"), call("0", "bb"));
    let screen = canned(body).await.screen();
    let mark = |function: &str| {
        let line = screen.lines().find(|line| line.contains(function)).expect(&screen);
        let before: Vec<char> = line.split("0x0000").next().unwrap().chars().collect();
        before[before.len() - 3..].iter().collect::<String>()
    };
    let [contract, heir] = ["00AA.0x", "00bb.0x"].map(mark);
    assert_eq!(mark("selfdestruct("), contract, "{screen}");
    assert_ne!(heir, contract, "{screen}");
}

/// Besu's array, and the callTracer of zkSync.
#[tokio::test]
async fn reasons_in_revert_reason_alone_are_shown() {
    let besu = r#"[{"action":{"callType":"call","gas":"0x10","input":"0x","value":"0x0"},
        "result":null,"error":"Reverted","revertReason":"0xdb42144d000000000000000000000000a0ee7a142d267c1f36714e4a8f75612f20a79720000000000000000000000000000000000000000000000000000000e8d495cdc00000000000000000000000000000000000000000000000000de0b6b3a7640000",
        "traceAddress":[],"type":"call"}]"#;
    let zksync = r#"{"type":"Call","gas":"0x10","gasUsed":"0x1","value":"0x0","output":"0x",
        "error":null,"revertReason":"balance too low","calls":[]}"#;
    for (body, reason) in [(besu, "✗ 0xdb42144d (100 bytes)"), (zksync, "✗ balance too low")] {
        let screen = canned(body.to_owned()).await.screen();
        assert!(screen.contains(reason) && screen.contains("1 call, 1 failed"), "{screen}");
    }
}

#[tokio::test]
async fn internal_transactions_replace_a_missing_trace() {
    let internals = r#"{"items":[
        {"block_number":9,"created_contract":null,"error":null,"from":{"hash":"0x00000000000000000000000000000000000000aa"},
         "gas_limit":"1000","index":1,"success":true,"to":{"hash":"0x00000000000000000000000000000000000000bb","name":"Vault"},
         "transaction_hash":"0x8fead60105b67d1c1d4cb7f34bae2f09bfb9b852a282ba481e2084b7ae7ca89f","type":"call","value":"1500000000000000000"},
        {"block_number":9,"created_contract":null,"error":"Reverted","from":{"hash":"0x00000000000000000000000000000000000000bb"},
         "gas_limit":"900","index":2,"success":false,"to":{"hash":"0x00000000000000000000000000000000000000cc"},
         "transaction_hash":"0x8fead60105b67d1c1d4cb7f34bae2f09bfb9b852a282ba481e2084b7ae7ca89f","type":"call","value":"7"}],
        "next_page_params":null}"#;
    let mut session = Session::canned(size(100, 24), SWALLOW_ALL, move |query, _| match query {
        Query::Transaction(_, TransactionQuery::InternalTransactions) => Ok(internals.to_owned()),
        Query::Transaction(_, TransactionQuery::RawTrace) => {
            Err(ApiError::from_error_body(500, b"\"Error while raw trace fetching\""))
        }
        _ => Err(ApiError::TimedOut { seconds: 1 }),
    })
    .await;
    session.keys("2").await;
    insta::assert_snapshot!("trace_substitute_100x24", session.screen());
    let asked = session.requests.len();
    session.keys("V").await;
    let flow = session.screen();
    assert!(flow.contains("happened · 1 ") && flow.contains("1 rolled back"), "{flow}");
    session.keys("esc r").await;
    assert_eq!(session.requests.len(), asked + 2, "the trace and the transaction");
    // The list of calls does not take the substitute for the trace.
    let trace = Query::Transaction(SWALLOW_ALL.parse().unwrap(), TransactionQuery::RawTrace);
    let traces = |session: &Session| session.requests.iter().filter(|(q, _)| *q == trace).count();
    let asked = traces(&session);
    session.keys("5").await;
    assert_eq!(traces(&session), asked + 1);
}

#[tokio::test]
async fn losses_that_only_events_say_are_marked_with_what_the_balances_say() {
    let [from, to, token] = [0xaa, 0xbb, 0xcc].map(|n| format!("0x{n:040x}"));
    let coin =
        format!(r#"{{"address_hash":"{token}","symbol":"FUSD","decimals":"0","type":"ERC-20"}}"#);
    let transaction = format!(
        r#"{{"hash":"{SWALLOW_ALL}","status":"ok","result":"success","token_transfers_overflow":false,
            "token_transfers":[{{"transaction_hash":"{SWALLOW_ALL}","log_index":0,"from":{{"hash":"{from}"}},
            "to":{{"hash":"{to}"}},"token":{coin},"total":{{"value":"400","decimals":"0"}}}}]}}"#
    );
    let change = |holder: &str, before: u64, after: u64, change: &str| {
        format!(
            r#"{{"type":"token","address":{{"hash":"{holder}"}},"token":{coin},"balance_before":"{before}",
                "balance_after":"{after}","change":"{change}"}}"#
        )
    };
    // The events are right of one of them.
    let changes = [change(&from, 600, 600, "-400"), change(&to, 0, 400, "400")].join(",");
    let changes = format!(r#"{{"items":[{changes}],"next_page_params":null}}"#);
    let trace = format!(
        r#"[{{"action":{{"callType":"call","from":"{from}","to":"{token}","gas":"0x10","input":"0x",
            "value":"0x0"}},"result":{{"gasUsed":"0x1","output":"0x"}},"subtraces":0,"traceAddress":[],
            "type":"call"}}]"#
    );
    let mut failures = [()].into_iter();
    let mut session = Session::canned(size(110, 24), SWALLOW_ALL, move |query, _| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(transaction.clone()),
        Query::Transaction(_, TransactionQuery::RawTrace) => Ok(trace.clone()),
        Query::Transaction(_, TransactionQuery::StateChanges) => match failures.next() {
            Some(()) => Err(ApiError::TimedOut { seconds: 40 }),
            None => Ok(changes.clone()),
        },
        _ => Err(ApiError::TimedOut { seconds: 1 }),
    })
    .await;
    session.keys("2").await;
    let asked = |session: &Session| {
        session
            .requests
            .iter()
            .filter(|asked| {
                matches!(asked.0, Query::Transaction(_, TransactionQuery::StateChanges))
            })
            .count()
    };
    assert_eq!(asked(&session), 0, "the calls alone need no balances");
    session.keys("V").await;
    let screen = session.screen();
    assert!(screen.contains("balances not checked: no response within 40 s"), "{screen}");
    session.keys("r").await;
    let screen = session.screen();
    assert!(!screen.contains("not checked"), "{screen}");
    assert!(screen.contains("!−400 FUSD (balance: ±0 FUSD)"), "{screen}");
    assert!(screen.contains(" +400 FUSD") && !screen.contains("!+400"), "{screen}");
    assert_eq!(asked(&session), 2);
}

#[tokio::test]
async fn unknown_transaction_is_fetched_once() {
    let mut session = Session::canned(size(100, 24), SWALLOW_ALL, |_, _| {
        Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#))
    })
    .await;
    session.keys("2").await;
    assert!(session.screen().contains("✗"), "{}", session.screen());
    let internals = |asked: &(Query, _)| {
        matches!(asked.0, Query::Transaction(_, TransactionQuery::InternalTransactions))
    };
    assert!(!session.requests.iter().any(internals));
}

/// A server without raw traces answers 404 for a transaction that it knows.
#[tokio::test]
async fn missing_raw_trace_of_a_known_transaction_has_the_fallback() {
    let transaction = format!(r#"{{"hash":"{SWALLOW_ALL}","status":"ok","result":"success"}}"#);
    let mut session = Session::canned(size(100, 24), SWALLOW_ALL, move |query, _| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(transaction.clone()),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    })
    .await;
    session.keys("2").await;
    let internals = |asked: &&(Query, _)| {
        matches!(asked.0, Query::Transaction(_, TransactionQuery::InternalTransactions))
    };
    assert_eq!(session.requests.iter().filter(internals).count(), 1, "{}", session.screen());
}

#[tokio::test]
async fn unknown_kind_of_a_call_is_the_word_that_was_sent() {
    let transaction = format!(r#"{{"hash":"{SWALLOW_ALL}","status":"ok","result":"success"}}"#);
    let calls = ["call", "eofcreate"].map(|kind| {
        format!(
            r#"{{"type":"{kind}","success":true,"value":"0","transaction_hash":"{SWALLOW_ALL}",
            "from":{{"hash":"{ALICE}"}},"to":{{"hash":"{ALICE}"}}}}"#
        )
    });
    let page = format!(r#"{{"items":[{}],"next_page_params":null}}"#, calls.join(","));
    let mut session = Session::canned(size(120, 24), SWALLOW_ALL, move |query, _| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(transaction.clone()),
        Query::Transaction(_, TransactionQuery::InternalTransactions) => Ok(page.clone()),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    })
    .await;
    session.keys("2").await;
    let screen = session.screen();
    assert!(screen.contains(" eofcreate ") && !screen.contains("unknown kind"), "{screen}");
}

#[tokio::test]
async fn trace_looks_the_same_however_it_was_opened() {
    let mut quick = Session::demo(size(120, 40), "").await;
    let effects = quick.app.update(Msg::Paste(SWAP.into()));
    quick.settle(effects).await;
    quick.keys("2").await;
    // Another tab is selected before the transaction has loaded.
    let mut hurried = Session::demo(size(120, 40), "").await;
    let mut effects = hurried.app.update(Msg::Paste(SWAP.into()));
    effects.extend(hurried.press("2"));
    hurried.settle(effects).await;
    // Without the title and the key hints, which depend on the history, and the tabs, which the
    // overview counts once it was shown.
    let body = |session: &Session| {
        session.screen().lines().skip(2).take(37).collect::<Vec<_>>().join("\n")
    };
    assert!(
        body(&quick).contains("Glass Dollar.transferFrom?(bob.eth, Pool·Cba6, 2,500 GLD)"),
        "{}",
        body(&quick)
    );
    assert_eq!(body(&hurried), body(&quick));
}

#[tokio::test]
async fn long_trace_is_browsable_while_streaming_and_pauses() {
    let mut session =
        Session::canned(size(110, 24), SWALLOW_ALL, |_, _| Err(ApiError::TimedOut { seconds: 1 }))
            .await;
    let effects = session.press("2");
    let [
        Effect::Request { id, request: ChainRequest::FetchTrace { .. }, .. },
        Effect::Request { request: ChainRequest::Fetch { .. }, .. },
        Effect::StartTimer(..),
    ] = effects[..]
    else {
        panic!("{effects:?}")
    };
    let mut reader = chainglass::test_api::trace::TraceParser::default();
    let hear =
        |session: &mut Session, events| session.app.update(Msg::TraceUpdate { id, event: events });
    hear(&mut session, TraceEvent::Started { expected: Some(200_000_000) });
    let entry = |path: &str, to: u8| {
        format!(
            r#"{{"action":{{"callType":"call","from":"0x{:040x}","to":"0x{to:040x}","gas":"0x9","input":"0x","value":"0x0"}},"result":{{"gasUsed":"0x8","output":"0x"}},"subtraces":0,"traceAddress":[{path}],"type":"call"}}"#,
            0xaa
        )
    };
    reader.feed(format!("[{},{},", entry("", 0xbb), entry("0", 0xcc)).into());
    let (expected, elapsed) = (Some(200_000_000), std::time::Duration::from_secs(2));
    let progress = |received| FetchProgress { received, expected, elapsed };
    let chunk = Box::new(reader.next_chunk(1 << 20).unwrap());
    let chunk =
        TraceEvent::Chunk { chunk, format: reader.format(), progress: progress(50_000_000) };
    hear(&mut session, chunk);
    let reading = session.screen();
    assert!(
        reading.contains("loading: 2 calls · 50.0 MB of 200.0 MB (25%) · 25.0 MB/s"),
        "{reading}"
    );
    session.press("j");
    assert!(session.screen().contains("call 2 of 2"), "it is browsable");
    let paused = TraceEvent::Paused {
        progress: progress(67_000_000),
        needed_bytes: Some(166_200_000),
        free_bytes: 2_500_000_000,
    };
    hear(&mut session, paused);
    let paused = session.screen();
    assert!(
        paused.contains("paused: 2 calls")
            && paused.contains("(needs 166.2 MB more memory, 2.5 GB free)"),
        "{paused}"
    );
    let effects = session.press("u");
    assert!(matches!(effects[..], [Effect::ContinueTrace(_)]), "{effects:?}");
    let effects = session.press("esc");
    assert!(matches!(effects[..], [Effect::Cancel(_)]), "{effects:?}");
    assert!(session.screen().contains("stopped: 2 calls"), "{}", session.screen());
}

#[tokio::test]
async fn names_that_come_while_a_trace_streams_are_found() {
    let failing = |_: &Query, _: Option<&_>| Err(ApiError::TimedOut { seconds: 1 });
    let mut session = Session::canned(size(120, 24), SWALLOW_ALL, failing).await;
    let effects = session.press("2");
    let [Effect::Request { id, .. }, ..] = effects[..] else { panic!("{effects:?}") };
    let signature = "answer(uint256)";
    let selector = SignatureDb::default().add_signature(signature).unwrap();
    let input = format!("{:#010x}{:064x}", u32::from_be_bytes(selector), 42);
    let entry = |path: &str, input: &str| {
        format!(
            r#"{{"action":{{"callType":"call","from":"0x{:040x}","to":"0x{:040x}","gas":"0x9",
            "input":"{input}","value":"0x0"}},"result":{{"gasUsed":"0x8","output":"0x"}},
            "traceAddress":[{path}],"type":"call"}}"#,
            0xaa, 0xbb
        )
    };
    let mut parser = TraceParser::default();
    let mut receive = |session: &mut Session, text: String| {
        parser.feed(text.into());
        let chunk = Box::new(parser.next_chunk(1 << 20).unwrap());
        let event = TraceEvent::Chunk {
            chunk,
            format: parser.format(),
            progress: FetchProgress::default(),
        };
        session.app.update(Msg::TraceUpdate { id, event })
    };
    receive(&mut session, format!("[{},{},", entry("", "0x"), entry("0", &input)));
    session.keys("/").await;
    session.type_text("answer").await;
    assert!(session.screen().contains("no match"), "{}", session.screen());
    session.keys("j S").await;
    session.type_text(signature).await;
    let effects = receive(&mut session, format!("{},", entry("1", &input)));
    session.settle(effects).await;
    assert!(session.screen().contains("/answer 1/2"), "{}", session.screen());
}

#[tokio::test]
async fn balance_changes_name_the_calls_of_transfers() {
    let mut session = trace(120, 40, SWAP).await;
    session.keys("V").await;
    let screen = session.screen();
    let moved = screen.lines().find(|line| line.contains("2,500 GLD ($2,501)      1 ")).unwrap();
    assert!(moved.contains("swapExactIn → ") && moved.contains("transferFrom"), "{screen}");
}

#[tokio::test]
async fn events_stand_at_their_calls() {
    let mut session = trace(120, 40, SWAP).await;
    let event = "└─· emit Transfer(from bob.eth · to Pool·Cba6 · value 2,500 GLD)";
    let screen = session.screen();
    assert!(screen.contains(event) && screen.contains("14 events"), "{screen}");
    session.keys("j j").await;
    let screen = session.screen();
    assert!(screen.contains("event 1 of 14") && screen.contains("topics"), "{screen}");
    for (keys, copied) in [
        ("y y", "Transfer(from 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 · to 0xCba6"),
        ("y a", "0x5FbDB2315678afecb367f032d93F642f64180aa3"),
        ("y s", "0xddf252ad"),
    ] {
        session.keys(keys).await;
        assert!(session.copied().unwrap().starts_with(copied), "{:?}", session.copied());
    }
    session.keys("h").await;
    assert!(session.screen().contains("call 2 of 26"), "its call\n{}", session.screen());
    session.keys("space").await;
    let folded = session.screen();
    assert!(folded.contains("2,500 GLD)  +1 event") && !folded.contains(event), "{folded}");
    session.keys("l l enter").await;
    assert!(session.screen().contains(" ›  log") || session.screen().contains("› log"));
    session.keys("H z l").await;
    let hidden = session.screen();
    assert!(!hidden.contains("emit ") && hidden.contains("events hidden (zl shows"), "{hidden}");
    let asked = session.requests.len();
    session.keys("z l").await;
    assert!(session.screen().contains(event), "{}", session.screen());
    assert_eq!(session.requests.len(), asked, "they are asked for once");
    session.keys("/").await;
    session.type_text("Sync").await;
    assert!(session.screen().contains("/Sync 1/4"), "{}", session.screen());
    session.keys("esc &").await;
    session.type_text("Routed hops").await;
    assert!(session.screen().contains("1 match for"), "{}", session.screen());
}

/// A page of logs that two calls can have emitted.
fn page_of_logs(from: u64, next: bool) -> String {
    let log = |n: u64| {
        format!(
            r#"{{"index":{n},"address":{{"hash":"0x{:040x}"}},"topics":[],"data":"0x",
            "decoded":{{"method_call":"Odd\u001b[31m(string a)","parameters":[
            {{"name":"a","type":"string","value":"\u202e{n}"}}]}}}}"#,
            1
        )
    };
    let items: Vec<String> = (from..from + 50).map(log).collect();
    let next = if next { format!(r#"{{"index":{}}}"#, from + 49) } else { "null".to_owned() };
    format!(r#"{{"items":[{}],"next_page_params":{next}}}"#, items.join(","))
}

#[tokio::test]
async fn events_of_unknown_calls_are_listed_apart_and_page_by_page() {
    let body = flat_trace(3).replace(&format!("{:040x}", 2), &format!("{:040x}", 1));
    let answer = move |query: &Query, cursor: Option<&_>| match query {
        Query::Transaction(_, TransactionQuery::RawTrace) => Ok(body.clone()),
        Query::Transaction(_, TransactionQuery::LogsInCalls) => {
            let from: u64 = cursor.map_or(0, |cursor: &chainglass::test_api::api::Cursor| {
                let text = format!("{cursor:?}");
                let digits: String = text.chars().filter(char::is_ascii_digit).collect();
                digits.parse::<u64>().unwrap() + 1
            });
            Ok(page_of_logs(from, from < 250))
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let mut session = Session::canned(size(120, 40), REENTRANCY, answer).await;
    session.keys("2").await;
    let screen = session.screen();
    assert!(screen.contains("▸ 200 events (call unclear)"), "{screen}");
    assert!(screen.contains("the first 200 events · u loads more"), "{screen}");
    session.keys("u G space j").await;
    let screen = session.screen();
    assert!(screen.contains("▾ 300 events (call unclear)"), "{screen}");
    assert!(
        screen.contains("  emit 0x0000…0001.“Odd␛[31m(string a)”(a ")
            && !screen.contains('\u{202e}')
    );
    assert!(screen.contains("event 1 of 300") && !screen.contains("u loads more"), "{screen}");
    session.keys("h h").await;
    assert!(session.screen().contains("▸ 300 events"), "{}", session.screen());
}

#[tokio::test]
async fn events_stand_where_the_node_says() {
    let body = flat_trace(3).replace(&format!("{:040x}", 2), &format!("{:040x}", 1));
    let answer = move |query: &Query, _: Option<&_>| match query {
        Query::Transaction(_, TransactionQuery::RawTrace) => Ok(body.clone()),
        Query::Transaction(_, TransactionQuery::LogsInCalls) => Ok(format!(
            r#"{{"items":[{{"index":7,"address":{{"hash":"0x{:040x}"}},"topics":[],"data":"0x12",
            "trace_address":[1],"call_position":0}}],"next_page_params":null}}"#,
            1
        )),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let mut session = Session::canned(size(120, 40), REENTRANCY, answer).await;
    session.keys("2").await;
    let screen = session.screen();
    let calls = screen.lines().skip_while(|line| !line.contains("└─▾ ")).nth(1).unwrap();
    assert!(calls.contains("└─· emit anonymous(1 byte)"), "{screen}");
}

#[tokio::test]
async fn events_that_were_left_loading_are_asked_for_again() {
    let answer = move |query: &Query, _: Option<&_>| match query {
        Query::Transaction(_, TransactionQuery::RawTrace) => Ok(flat_trace(3)),
        Query::Transaction(_, TransactionQuery::LogsInCalls) => Ok(page_of_logs(0, false)),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let mut session = Session::canned(size(120, 40), REENTRANCY, answer).await;
    session.keys("2 z l r").await;
    // They are asked for without an answer.
    assert!(!session.press("z l").is_empty() && !session.screen().contains("emit "));
    session.keys("1 2").await;
    assert!(session.screen().contains("emit "), "{}", session.screen());
    session.keys("z l r").await;
    session.press("z l");
    session.keys("ctrl-c").await;
    let screen = session.screen();
    assert!(!screen.contains("stopped: ") && !screen.contains("emit "), "{screen}");
}

#[tokio::test]
async fn invalid_cursor_is_not_the_end_of_the_events() {
    let answer =
        move |query: &Query, _: Option<&_>| match query {
            Query::Transaction(_, TransactionQuery::RawTrace) => Ok(flat_trace(3)),
            Query::Transaction(_, TransactionQuery::LogsInCalls) => Ok(page_of_logs(0, false)
                .replace(r#""next_page_params":null"#, r#""next_page_params":7"#)),
            _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
        };
    let mut session = Session::canned(size(160, 40), REENTRANCY, answer).await;
    session.keys("2").await;
    assert!(session.screen().contains("cannot load more events: "), "{}", session.screen());
}

#[tokio::test]
async fn server_without_logs_costs_a_line() {
    let screen = flat_session(3).await.screen();
    let calls = screen.matches("├─· ").count() + screen.matches("└─· ").count();
    assert!(screen.matches("cannot load events: ").count() == 1 && calls == 2, "{screen}");
}

#[tokio::test]
async fn letters_and_guesses_among_the_calls_are_explained() {
    let narrow = trace(80, 24, SWAP).await.screen();
    let titles = narrow.lines().find(|line| line.contains("gas █self ░inner")).unwrap();
    assert!(titles.contains("s static · ─? place guessed · name? guessed"), "{narrow}");
    assert!(!titles.contains("d delegate"), "no such call: {narrow}");
    let wide = trace(120, 40, SWAP).await.screen();
    let titles = wide.lines().find(|line| line.contains("self     %")).unwrap();
    assert!(titles.contains("─? place guessed") && !titles.contains("s static"), "{wide}");
    assert!(wide.contains("├─? emit Swap("), "{wide}");
}

#[tokio::test]
async fn counts_of_a_trace_are_on_every_tab_of_the_transaction() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    assert!(!session.screen().contains("4 Logs 14"), "{}", session.screen());
    session.keys("2 V V V 1").await;
    let screen = session.screen();
    for tab in ["3 Token transfers 5", "4 Logs 14", "5 Internal 25", "6 State 12"] {
        assert!(screen.contains(tab), "{tab}: {screen}");
    }
}

#[tokio::test]
async fn overview_has_the_first_calls_where_there_is_space() {
    let session = Session::demo(size(200, 60), SWAP).await;
    let screen = session.screen();
    let reserves = " → 5,000,000 WTH, 5,000,000 SAT";
    for text in ["┼─ Calls · gas ─", " static ▼● Pool·Cba6.getReserves", reserves] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    assert!(!screen.contains("more calls in the trace"), "{screen}");
    // The call and its data are next to all calls.
    let line = |text: &str| screen.lines().find(|line| line.contains(text)).unwrap();
    assert!(line("│ call  ").contains("│ 204,681  □● Router."), "{screen}");
    assert!(line("   96 0000000000").contains("│ "), "{screen}");
    assert_eq!(screen.matches(" 0000000000000000000000005fbdb2").count(), 1, "{screen}");
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("2 1").await;
    assert!(!session.screen().contains("─ Calls · gas ─"), "it is full: {}", session.screen());
}

#[tokio::test]
async fn detail_in_full_leads_to_the_calls_around() {
    let mut session = trace(200, 50, SWAP).await;
    let calls = |screen: &str| {
        let line = screen.lines().find_map(|line| line.split_once("│ signature "));
        line.unwrap_or_else(|| panic!("{screen}")).0.to_owned()
    };
    let tree = calls(&session.screen());
    session.keys("Z").await;
    let screen = session.screen();
    // The calls stay at the left.
    assert!(screen.contains("├─▾ ◆▲ Glass Dollar.transferFrom?("), "{screen}");
    assert_eq!(calls(&screen), tree, "a detail with space for data keeps its columns: {screen}");
    assert!(!screen.contains("called by"), "the outermost call: {screen}");
    session.keys("G enter").await;
    let screen = session.screen();
    assert!(screen.contains(" call 23 of 26 ─"), "{screen}");
    assert!(screen.contains("│ called by  call #1 Router."), "{screen}");
}

#[tokio::test]
async fn detail_below_an_icicle_has_two_columns() {
    let mut session = trace(200, 60, SWAP).await;
    session.keys("i").await;
    let screen = session.screen();
    let outcome = screen.lines().find(|line| line.contains("│ outcome ")).unwrap();
    assert!(outcome.contains(" 0 0000000000000000"), "the data are next to the fields: {screen}");
}

#[tokio::test]
async fn balance_changes_show_net_worth_and_a_block_for_the_selected_account() {
    let mut session = trace(120, 40, REENTRANCY).await;
    session.keys("V").await;
    let screen = session.screen();
    let line = |name: &str| screen.lines().find(|line| line.contains(name)).unwrap().to_owned();
    assert!(line("account  ").contains(" net "), "{screen}");
    assert!(line("▲○ Exploiter  ").contains("+$12,487"), "{screen}");
    assert!(line("◆▲ Bank  ").contains("−$12,501"), "{screen}");
    assert!(line("±").contains("1AdF    ") && line("±").contains("±0 ETH"), "{screen}");
    for (keys, shown, left_out) in [
        ("k", "─ ▲○ Exploiter 0xcd3B", "─ ◆▲ Bank 0xA791"),
        ("j", "─ ◆▲ Bank 0xA791", "─ ▲○ Exploiter 0xcd3B"),
        ("j", "─ ●▽ 0x162459Bb429a", "─ ◆▲ Bank 0xA791"),
    ] {
        session.keys(keys).await;
        let screen = session.screen();
        assert!(screen.contains(shown) && !screen.contains(left_out), "{screen}");
    }
    let mut narrow = trace(80, 30, SWAP).await;
    narrow.keys("V").await;
    let screen = narrow.screen();
    assert!(!screen.contains("net +$7") || screen.contains("net +$7.85M"), "{screen}");
}

#[tokio::test]
async fn enlarged_detail_leaves_lines_to_the_calls() {
    let mut session = trace(120, 40, SWAP).await;
    session.keys("j Z").await;
    let screen = session.screen();
    for text in ["─▾ ◆▲ Glass Dollar.transferFrom", "│ ▾ input ", "│ ▾ output ", "│ called by "]
    {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    // The calls of a long one have none.
    session.resize(size(80, 24)).await;
    let screen = session.screen();
    assert!(!screen.contains("─▾ ◆▲ G"), "{screen}");
}

#[tokio::test]
async fn wide_detail_of_a_call_has_its_json_in_free_lines() {
    let mut session = trace(200, 60, SWALLOW_ALL).await;
    session.keys("j").await;
    let screen = session.screen();
    for text in ["│ ▾ JSON ", "│   ▾ action "] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    let narrow = trace(120, 60, SWALLOW_ALL).await.screen();
    assert!(!narrow.contains("▾ JSON "), "{narrow}");
}

#[tokio::test]
async fn balance_changes_have_columns_of_all_gains_and_losses() {
    for (columns, is_wide) in [(120, true), (80, false)] {
        let mut session = trace(columns, 24, REENTRANCY).await;
        session.keys("V").await;
        let screen = session.screen();
        let line = |name: &str| screen.lines().find(|line| line.contains(name)).unwrap().to_owned();
        let own = line("▲○ Exploiter  ");
        assert_eq!(own.contains("+$12,487      1 ETH     6 ETH"), is_wide, "{screen}");
        assert_eq!(line("account  ").contains(" total out  total in"), is_wide, "{screen}");
        assert_eq!(screen.contains("out 1 ETH · in 6 ETH"), !is_wide, "{screen}");
        let legend = if is_wide { "─ name? guessed ─┤" } else { "─ ? guess ─┤" };
        assert!(screen.contains(legend), "{screen}");
    }
}

#[tokio::test]
async fn fee_has_a_column_of_its_own_from_100_columns() {
    for (columns, has_column) in [(200, true), (120, true), (100, true), (99, false), (80, false)] {
        let mut session = trace(columns, 24, REENTRANCY).await;
        session.keys("V").await;
        let screen = session.screen();
        let line = |name: &str| screen.lines().find(|line| line.contains(name)).unwrap().to_owned();
        let (titles, own) = (line("account  "), line("−0.00573073 ETH"));
        assert_eq!(titles.contains("  fee "), has_column, "{screen}");
        assert_eq!(own.contains("−0.00573073 ETH fee"), !has_column, "{screen}");
        assert_eq!(titles.contains("  net out, fee  "), !has_column, "{screen}");
        assert!(own.contains("▲○ Exploiter") && own.contains("  +$12,487"), "{screen}");
    }
}

/// Opens the balance changes of a named payer of a fee, and of a value that others move.
async fn payer_of_a_fee(columns: u16, name: &str, [value, fee]: [u128; 2]) -> Session {
    let call = |from, to, value, path| {
        format!(
            r#"{{"action":{{"callType":"call","from":"0x{from:040x}","to":"0x{to:040x}","gas":"0x10",
            "input":"0x","value":"{value:#x}"}},"result":{{"gasUsed":"0x1","output":"0x"}},
            "traceAddress":[{path}],"type":"call"}}"#
        )
    };
    let body = format!("[{},{}]", call(10, 11, 0, ""), call(11, 12, value, "0"));
    let details = format!(
        r#"{{"hash":"{SWALLOW_ALL}","status":"ok","block_number":9,"value":"0","raw_input":"0x",
        "from":{{"hash":"0x{:040x}","name":"{name}"}},"exchange_rate":"3000",
        "fee":{{"type":"actual","value":"{fee}"}}}}"#,
        10
    );
    let mut session =
        Session::canned(size(columns, 24), SWALLOW_ALL, move |query, _| match query {
            Query::Transaction(_, TransactionQuery::RawTrace) => Ok(body.clone()),
            Query::Transaction(_, TransactionQuery::Details) => Ok(details.clone()),
            _ => Err(ApiError::TimedOut { seconds: 1 }),
        })
        .await;
    session.keys("2 V").await;
    session
}

#[tokio::test]
async fn column_of_the_fee_leaves_addresses_whole() {
    let amount = 123_456_123_456 * 10_u128.pow(12);
    for (columns, has_column) in [(154, false), (200, true)] {
        let screen = payer_of_a_fee(columns, "Payer with a name of thirty columns", [amount; 2])
            .await
            .screen();
        let titles = screen.lines().find(|line| line.contains("account  ")).unwrap();
        assert_eq!(titles.contains("  fee "), has_column, "{columns}: {screen}");
        let whole = format!("0x{:040X}  ", 10);
        assert!(screen.contains(&whole), "{columns}: {screen}");
    }
}

#[tokio::test]
async fn payer_of_the_fee_alone_has_a_line() {
    let screen = payer_of_a_fee(120, "", [10_u128.pow(18), 2 * 10_u128.pow(15)]).await.screen();
    let rows: Vec<&str> =
        screen.lines().skip_while(|line| !line.contains("account  ")).take(4).collect();
    let [titles, payer, sender, recipient] = rows[..] else { panic!("{screen}") };
    assert!(titles.contains("  fee "), "{screen}");
    assert!(payer.contains("0x0000…000A  ") && payer.contains("  −0.002 ETH"), "{screen}");
    assert!(sender.contains(" −1 ETH ") && recipient.contains(" +1 ETH "), "{screen}");
}

#[tokio::test]
async fn balance_changes_have_whole_addresses_and_the_transfers_of_an_account() {
    for columns in [120, 200] {
        let mut session = trace(columns, 60, REENTRANCY).await;
        session.keys("V").await;
        let screen = session.screen();
        let whole = "│ ▲○ Exploiter 0xcd3B766CCDd6AE721141F452C550Ca635964ce71  ";
        assert_eq!(screen.contains(whole), columns == 200, "{screen}");
        for text in [
            "─ ▲○ Exploiter 0xcd3B766CCDd6AE721141F452C550Ca635964ce71 · net +$12,487 ─",
            "depth  from or to        amount  net so far",
            "    0  → ●▽ 0x1624…1AdF  −1 ETH      −1 ETH",
            "    1  ← ●▽ 0x1624…1AdF  +6 ETH      +5 ETH",
        ] {
            assert!(screen.contains(text), "{text}: {screen}");
        }
        assert_eq!(screen.contains("─ Gas of all calls ─"), columns == 200, "{screen}");
        session.keys("j j").await;
        let screen = session.screen();
        let sums = screen.lines().filter(|line| line.contains("  +1 ETH  ")).count();
        assert_eq!(sums, 7, "of the contract between both: {screen}");
    }
}

#[tokio::test]
async fn lines_below_few_calls_have_an_icicle() {
    let title = "─ Gas of all calls ─";
    for keys in ["k", "f"] {
        let mut session = trace(200, 60, SWALLOW_ALL).await;
        session.keys(keys).await;
        let screen = session.screen();
        let rule = screen.lines().position(|line| line.contains(title)).unwrap();
        let below: Vec<&str> = screen.lines().skip(rule).collect();
        assert!(below.iter().any(|line| line.contains(" Thrower")), "{keys}: {screen}");
    }
    let narrow = trace(120, 60, SWALLOW_ALL).await;
    assert!(!narrow.screen().contains(title), "{}", narrow.screen());
}

#[tokio::test]
async fn overview_has_an_icicle_of_its_calls_where_there_is_space() {
    let title = "─ Gas of all calls ─";
    let mut session = Session::demo(size(200, 45), SWALLOW_ALL).await;
    let screen = session.screen();
    let below: Vec<&str> = screen.lines().skip_while(|line| !line.contains(title)).collect();
    assert!(below.iter().any(|line| line.contains("100% · 181,684 gas")), "{screen}");
    assert!(!below.iter().any(|line| line.contains('▶')), "nothing is selected: {screen}");
    let last = below[below.len() - 3];
    assert!(last.contains("───"), "bars end above the frame: {screen}");
    session.keys("G enter").await;
    let unfolded = session.screen();
    assert!(!unfolded.contains(title), "the JSON takes the space: {unfolded}");
}

#[tokio::test]
async fn overview_of_a_chain_of_calls_has_json_instead_of_an_icicle() {
    let mut session = Session::demo(size(120, 60), DEEP_REVERT).await;
    let screen = session.screen();
    assert!(!screen.contains("─ Gas of all calls ─"), "{screen}");
    let json = screen.lines().skip_while(|line| !line.contains("▾ JSON")).collect::<Vec<_>>();
    assert!(json.iter().any(|line| line.contains("▸ from ")), "a tree that folds: {screen}");
    session.keys("j").await;
    assert!(session.screen().contains("▾ JSON"), "{}", session.screen());
    let shallow = Session::demo(size(120, 60), SWALLOW_ALL).await.screen();
    assert!(shallow.contains("─ Gas of all calls ─") && shallow.contains("▸ JSON"), "{shallow}");
}

#[tokio::test]
async fn trace_that_comes_after_a_key_unfolds_the_json_once() {
    // Without free lines it is not requested.
    let mut session = Session::demo(size(200, 24), DEEP_REVERT).await;
    session.keys("j").await;
    session.resize(size(200, 60)).await;
    assert!(session.screen().contains("▾ JSON"), "{}", session.screen());
    session.keys("G k h").await;
    for height in [61, 24, 60] {
        session.resize(size(200, height)).await;
        session.keys("G").await;
        assert!(session.screen().contains("▸ JSON"), "a fold stays: {}", session.screen());
    }
}

#[tokio::test]
async fn unfolded_json_folds_again_without_its_space() {
    let mut session = Session::demo(size(200, 60), DEEP_REVERT).await;
    session.keys("j").await;
    for (height, mark) in [(60, "▾ JSON"), (24, "▸ JSON"), (60, "▾ JSON")] {
        session.resize(size(200, height)).await;
        session.keys("G").await;
        let screen = session.screen();
        assert!(screen.contains(mark), "{height}: {screen}");
    }
    session.resize(size(200, 24)).await;
    session.keys("enter").await;
    session.resize(size(200, 25)).await;
    let screen = session.screen();
    assert!(screen.contains("▾ JSON"), "the user has unfolded it: {screen}");
}

#[tokio::test]
async fn narrow_bar_of_a_failure_has_one_sign() {
    let screen = trace(200, 60, DEEP_REVERT).await.screen();
    let origin = screen.lines().find(|line| line.contains(" · 1%  ◀ origin"));
    let origin = origin.unwrap_or_else(|| panic!("{screen}"));
    assert!(origin.contains("✗ Thrower") && !origin.contains("✗ ✗"), "{screen}");
}

#[tokio::test]
async fn narrow_bars_have_their_names_next_to_them() {
    let mut session = trace(120, 40, SWAP).await;
    session.keys("i").await;
    let screen = session.screen();
    assert_eq!(screen.matches("│ 2 calls ").count(), 4, "below each pool: {screen}");
    session.resize(size(200, 60)).await;
    let wide = session.screen();
    assert_eq!(wide.matches(" 2 calls ").count(), 4, "also of two bars: {wide}");
}

#[tokio::test]
async fn icicle_of_all_calls_says_that_it_lacks_some() {
    let mut count = 0;
    for height in 24..60 {
        let session = Session::demo(size(200, height), REENTRANCY).await;
        let screen = session.screen();
        let Some((_, chart)) = screen.split_once("─ Gas of all calls ─") else { continue };
        count += usize::from(chart.contains("▾ deeper calls"));
    }
    assert!(count > 0);
}

#[tokio::test]
async fn lists_of_a_transaction_have_whole_addresses_where_there_is_space() {
    let bob = "bob.eth 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 ";
    let pool = "▼● Pool 0xCba6b9A951749B8735C603e7fFC5151849248772 ";
    for (key, named) in [("3", [bob, pool]), ("4", [pool, pool]), ("6", [bob, pool])] {
        for (columns, are_whole) in [(200, true), (120, false)] {
            let mut session = Session::demo(size(columns, 60), SWAP).await;
            session.keys(key).await;
            let screen = session.screen();
            let table = screen.lines().take(12).collect::<Vec<_>>().join("\n");
            for text in named {
                assert_eq!(table.contains(text), are_whole, "{key}: {screen}");
            }
        }
    }
}

#[tokio::test]
async fn values_of_state_changes_in_dollars_have_signs() {
    let mut session = Session::demo(size(200, 60), SWAP).await;
    session.keys("6").await;
    let screen = session.screen();
    for text in [" USD now ", " −<$0.01 ", " +<$0.01 ", " +$2,501 ", " −$85.70 "] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    assert!(!screen.contains(" → $"), "equal but for cents: {screen}");
}

#[tokio::test]
async fn functions_have_the_marks_of_their_contracts() {
    let mut session = trace(80, 24, SWAP).await;
    session.keys("f").await;
    let screen = session.screen();
    assert!(screen.contains("  □● Router.swapExactIn  "), "{screen}");
}

#[tokio::test]
async fn enlarged_detail_unfolds_what_fits() {
    let mut session = trace(120, 40, SWAP).await;
    session.keys("j Z").await;
    let screen = session.screen();
    assert!(screen.contains("▾ input ") && screen.contains("▾ output "), "{screen}");
}

#[tokio::test]
async fn calls_of_a_raw_trace_name_the_function_of_the_transaction() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("7").await;
    let screen = session.screen();
    assert!(screen.contains(" Router.swapExactIn([GLD → WTH → … → NIL], "), "{screen}");
    session.keys("z R").await;
    let unfolded = session.screen();
    let selector = unfolded.lines().find(|line| line.contains("selector ")).unwrap();
    assert!(selector.contains("0x203b4e79"), "{unfolded}");
    assert!(
        unfolded.contains(" 0 0000000000000000000000000000000000000000000000000000000000000080")
    );
    session.keys("4").await;
    let log = session.screen();
    assert!(log.contains("uint256 value 2,500 GLD raw 2,500,000,000"), "{log}");
}

#[tokio::test]
async fn overview_has_the_key_of_folds_and_both_prices() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("j").await;
    let screen = session.screen();
    assert!(screen.contains("ETH then  $2,011.05 · now $2,500.17"), "{screen}");
    assert!(screen.lines().last().unwrap().contains("Space fold"), "{screen}");
}

/// The explorer names a proxy after its implementation of today.
#[tokio::test]
async fn proxy_of_a_former_implementation_has_its_own_name() {
    let [proxy, now, former] = ["a", "b", "c"].map(|digit| format!("0x{}", digit.repeat(40)));
    let details = format!(
        r#"{{"hash":"{REENTRANCY}","status":"ok","result":"success","raw_input":"0x12345678","to":{{"hash":"{proxy}",
            "name":"Proxy","implementations":[{{"address_hash":"{now}","name":"VaultV2"}}]}}}}"#
    );
    for (code, shown) in [(&now, "Proxy › VaultV2"), (&former, "Proxy.")] {
        let call = |kind: &str, to: &str, calls: &str| {
            format!(
                r#"{{"type":"{kind}","from":"{proxy}","to":"{to}","gas":"0x9","gasUsed":"0x9","input":"0x12345678","calls":[{calls}]}}"#
            )
        };
        let body = call("CALL", &proxy, &call("DELEGATECALL", code, ""));
        let details = details.clone();
        let session = Session::canned(size(120, 40), REENTRANCY, move |query, _| match query {
            Query::Transaction(_, TransactionQuery::Details) => Ok(details.clone()),
            Query::Transaction(_, TransactionQuery::RawTrace) => Ok(body.clone()),
            _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
        });
        let mut session = session.await;
        session.keys("2").await;
        let screen = session.screen();
        assert!(screen.contains(shown), "{shown}: {screen}");
        assert_eq!(screen.contains("› VaultV2"), code == &now, "{screen}");
        session.keys("y T").await;
        let copied = session.copied().unwrap_or_default();
        assert!(copied.contains(&format!("{} [0x", shown.trim_end_matches('.'))), "{copied}");
    }
}

#[tokio::test]
async fn reasons_of_failures_take_space_from_bars_and_kinds() {
    let mut session = trace(120, 40, SWALLOW_ALL).await;
    session.keys("z R").await;
    let screen = session.screen();
    for reason in ["because of reasons  ", "arithmetic overflow or underflow  ", "s static"] {
        assert!(screen.contains(reason), "{reason}: {screen}");
    }
}

//! The comparison of two traces of the demo chain.

use chainglass::test_api::api::{ApiError, Cursor, Query, TransactionQuery};
use insta::assert_snapshot;
use ratatui::layout::Size;

use super::demo_items::{SWAP, SWAP_SLIPPAGE};
use super::layout::check_other_sizes;
use super::session::{ALICE, Session, size};

/// Calls of one contract into another and back.
const REENTRANCY: &str = "0xae67d57a8f9c1ec28c8ce9e5e30a00d9a62b2858e99bd1299bc6f8222d477efa";
/// A transfer of coin to Alice.
const SEND: &str = "0x7b3ea21d872f869bed3aac4a1a0a06a1136ee63a68d0a756ff5b9c11d50f90e3";
const ONE_HOP: &str = "0x7a658eb95e5bc1572352aba171557a918b974dc97f34147372e577ceb93f0cb7";

async fn compare(left: &str, right: &str) -> Session {
    compare_at(size(120, 40), left, right).await
}

async fn compare_at(size: Size, left: &str, right: &str) -> Session {
    let mut session = Session::demo(size, left).await;
    session.keys("2 m m s").await;
    session.type_text(right).await;
    session.keys("2 D").await;
    session
}

#[tokio::test]
async fn failed_and_successful_swap_match_their_snapshots() {
    let mut session = compare(SWAP_SLIPPAGE, SWAP).await;
    assert_snapshot!("diff_120x40", session.screen());
    session.keys("z R").await;
    assert_snapshot!("diff_unfolded_120x40", session.screen());
    check_other_sizes(&mut session).await;
}

#[tokio::test]
async fn one_and_four_pool_swaps_match_their_snapshots() {
    let mut session = compare(ONE_HOP, SWAP).await;
    assert_snapshot!("diff_hops_120x40", session.screen());
    session.keys("] x ] x").await;
    assert_snapshot!("diff_hops_next_120x40", session.screen());
    check_other_sizes(&mut session).await;
}

#[tokio::test]
async fn low_comparison_has_its_differences_on_a_line() {
    let mut session = compare(ONE_HOP, SWAP).await;
    session.resize(size(80, 24)).await;
    let screen = session.screen();
    let line = "│ 18 added, 0 removed, 1 with other gas · calls 66,540 → 204,681 (+138,141)";
    assert!(screen.contains(line) && !screen.contains("self of common"), "{screen}");
    assert!(screen.contains("~ differs · s static"), "{screen}");
    let rows = screen.lines().take_while(|line| !line.starts_with('├')).count();
    assert!(rows >= 15, "most lines are of the rows: {screen}");
}

#[tokio::test]
async fn amounts_of_two_functions_have_their_tokens() {
    let mut session = compare(SWAP, REENTRANCY).await;
    session.resize(size(200, 60)).await;
    let screen = session.screen();
    let root = screen.lines().find(|line| line.contains("│ ~ ")).unwrap();
    assert!(root.contains(", 2,500 GLD, 0, bob.eth)") && root.contains("→ 2,464 NIL"), "{screen}");
    // Each field that one trace lacks has a sign there.
    let line = |text: &str| screen.lines().find(|line| line.contains(text)).unwrap();
    for field in ["│   address[] path ", "│   uint256 amt "] {
        assert!(line(field).contains(" — "), "{field}: {screen}");
    }
}

#[tokio::test]
async fn first_screen_of_two_functions_has_calls_of_both() {
    for (size, is_joined) in [(size(80, 24), true), (size(120, 40), false), (size(200, 60), false)]
    {
        let mut session = compare_at(size, SWAP, REENTRANCY).await;
        let screen = session.screen();
        let rows = screen.lines().filter(|line| line.starts_with("│ + ")).count();
        assert!(rows >= 2 && screen.contains("│ − "), "{screen}");
        assert_eq!(screen.contains("more calls only in A"), is_joined, "{screen}");
        assert!(screen.contains("call different contracts or functions"), "{screen}");
        session.keys("z R").await;
        assert!(!session.screen().contains(" ▸ "), "{}", session.screen());
    }
}

#[tokio::test]
async fn difference_in_a_run_of_one_trace_is_revealed() {
    let mut session = compare_at(size(80, 24), SWAP, REENTRANCY).await;
    session.keys("] x ] x ] x ] x").await;
    assert!(session.screen().contains("▾ 22 more calls only in A"), "{}", session.screen());
}

#[tokio::test]
async fn reason_of_a_failure_names_its_trace() {
    for (left, right, side) in [(SWAP_SLIPPAGE, SWAP, "A ✗"), (SWAP, SWAP_SLIPPAGE, "B ✗")] {
        let session = compare(left, right).await;
        assert!(session.screen().contains(&format!("  {side} ")), "{}", session.screen());
    }
}

#[tokio::test]
async fn gas_of_a_root_that_has_the_intrinsic_gas_is_not_split() {
    let answer = |query: &Query, _: Option<&Cursor>| {
        let missing = Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#));
        let Query::Transaction(hash, part) = query else { return missing };
        let gas = if hash.to_string() == ONE_HOP { 120_000 } else { 140_000 };
        match part {
            TransactionQuery::Details => {
                Ok(format!(r#"{{"hash":"{hash}","status":"ok","gas_used":"{gas}"}}"#))
            }
            TransactionQuery::RawTrace => Ok(format!(
                r#"[{{"action":{{"callType":"call","from":"{ALICE}","to":"{ALICE}","gas":"0x30d40",
                "value":"0x0","input":"0x01020304"}},"result":{{"gasUsed":"{gas:#x}","output":"0x"}},
                "traceAddress":[],"type":"call"}}]"#
            )),
            _ => missing,
        }
    };
    let mut session = Session::canned(size(120, 40), ONE_HOP, answer).await;
    session.keys("2 m m s").await;
    session.type_text(SWAP).await;
    session.keys("2 D").await;
    let screen = session.screen();
    let is_whole = screen.contains("gas 120,000 → 140,000 (+20,000)");
    assert!(is_whole && !screen.contains("intrinsic"), "{screen}");
}

#[tokio::test]
async fn calls_of_a_wide_comparison_are_side_by_side() {
    let mut session = Session::demo(size(200, 60), ONE_HOP).await;
    session.keys("2 m m s").await;
    session.type_text(SEND).await;
    session.keys("2 D").await;
    let screen = session.screen();
    let send = "send 1 ETH → alice.eth";
    let has_fields = |line: &str| line.contains("│ call ");
    assert!(!screen.lines().any(has_fields), "the lines above name the outermost call: {screen}");
    assert_eq!(screen.matches(send).count(), 2, "in the header and in the row: {screen}");
    assert!(!screen.contains("(self 0)") && !screen.contains("▸ input"), "{screen}");
    for line in ["     calls  outside calls  total gas ", "   −66,540         −1,740    −68,280 "]
    {
        assert!(screen.contains("uint256 ") && screen.contains(line), "{line}: {screen}");
    }
}

#[tokio::test]
async fn calls_of_a_narrow_comparison_are_below_each_other_and_scroll() {
    let mut session = Session::demo(size(80, 24), ONE_HOP).await;
    session.keys("2 m m s").await;
    session.type_text(SEND).await;
    session.keys("2 D").await;
    let screen = session.screen();
    assert!(screen.contains("│ outcome ") && screen.contains("  AB  ✓ ok"), "{screen}");
    assert!(screen.contains("GLD.transferFrom?(bob.eth, Pool, 1,000 GLD)"), "symbols: {screen}");
    assert!(!screen.contains("call differs ·"), "the line below says it: {screen}");
    let position = |session: &Session| session.screen().contains("line 1 of 8");
    session.keys("tab j j j j").await;
    let scrolled = session.screen();
    assert!(!scrolled.contains("│ outcome  ") && position(&session), "{scrolled}");
    assert!(scrolled.contains("Esc calls"), "{scrolled}");
    session.keys("esc j").await;
    let next = session.screen();
    assert!(next.contains("line 2 of 8") && next.contains("B   not in B"), "{next}");
    session.keys("k tab").await;
    session.resize(size(80, 12)).await;
    session.keys("j").await;
    let screen = session.screen();
    assert!(screen.contains("line 2 of 8"), "the details have no space, the rows move: {screen}");
    session.keys("tab").await;
    assert!(session.screen().contains("no space for the details"), "{}", session.screen());
}

#[tokio::test]
async fn outermost_calls_that_are_cut_above_have_an_entry() {
    for (columns, label, has_entry) in [(80, "│ call ", false), (60, "│call ", true)] {
        let mut session = Session::demo(size(columns, 24), ONE_HOP).await;
        session.keys("2 m m s").await;
        session.type_text(SEND).await;
        session.keys("2 D").await;
        let screen = session.screen();
        assert_eq!(screen.contains(label), has_entry, "{screen}");
    }
}

#[tokio::test]
async fn call_of_one_trace_has_its_tokens_and_its_result() {
    let screen = compare(SWAP, SEND).await.screen();
    for text in ["transfer?(Pool·cf27, 2,481.56 SAT)  → true", "  → 2,481.56 SAT"] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
}

#[tokio::test]
async fn words_of_compared_data_are_whole() {
    let mut session = compare(SWAP, SEND).await;
    session.keys("tab G").await;
    let screen = session.screen();
    let word = "0000000000000000000000009fe46736679d2d9a65f0992f2272de9f3c7fa6e0";
    assert!(screen.contains(word), "{screen}");
}

#[tokio::test]
async fn wide_data_of_one_trace_have_its_letter() {
    for (left, right, letter) in [(SWAP, SEND, "A"), (SEND, SWAP, "B")] {
        let mut session = compare(left, right).await;
        session.keys("tab").await;
        let is_letter = |line: &str| line.trim_matches(['│', '█', '┃', ' ']) == letter;
        let has_letter = |screen: &str| {
            let lines = || screen.lines().zip(screen.lines().skip(1));
            lines().any(|(line, data)| is_letter(line) && data.contains(" 0 000000"))
        };
        let mut lines_left = 30;
        while !has_letter(&session.screen()) && lines_left > 0 {
            session.keys("j").await;
            lines_left -= 1;
        }
        assert!(lines_left > 0, "{letter}: {}", session.screen());
    }
}

#[tokio::test]
async fn identical_traces_have_no_difference() {
    let session = compare(SWAP_SLIPPAGE, SWAP_SLIPPAGE).await;
    let screen = session.screen();
    assert!(screen.contains("no difference: "), "{screen}");
    assert!(screen.contains("│ call "), "no line above names the outermost call: {screen}");
}

#[tokio::test]
async fn difference_jumps_and_folds_work() {
    let mut session = compare(ONE_HOP, SWAP).await;
    session.keys("] x").await;
    let first = session.screen();
    session.keys("] x [ x").await;
    assert_eq!(session.screen(), first, "next and previous difference");
    session.keys("z M").await;
    let folded = session.screen();
    session.keys("z R").await;
    assert_ne!(session.screen(), folded);
    session.keys("y T").await;
    let text = session.copied().unwrap();
    assert_snapshot!("diff_text", text);
    session.keys("D").await;
    assert!(session.screen().contains("26 calls"), "D returns to the trace: {}", session.screen());
}

#[tokio::test]
async fn both_results_and_names_of_a_call_are_shown() {
    let screen = compare(SWAP_SLIPPAGE, SWAP).await.screen();
    let row = screen.lines().find(|line| line.contains("✗→✓")).unwrap();
    assert!(row.contains("  A ✗ ") && row.contains(".swapExactIn(…, 1e30 → 0, …)"), "{row}");
    let mut session = compare(SWAP, SWAP_SLIPPAGE).await;
    session.keys("y T").await;
    let text = session.copied().unwrap();
    let root = text.lines().find(|line| line.contains(".swapExactIn(…, 0 → 1000")).unwrap();
    assert!(root.contains("0, …)") && root.contains(" B ✗ "), "{root}");
    assert!(root.contains(" · A →"), "{root}");
}

#[tokio::test]
async fn removed_call_is_of_the_first_transaction() {
    let mut session = compare(SWAP, ONE_HOP).await;
    for (keys, transaction) in [("] x y h", SWAP), ("g g y h", ONE_HOP)] {
        session.keys(keys).await;
        assert_eq!(session.copied(), Some(transaction), "{keys}");
    }
}

#[tokio::test]
async fn key_that_folds_leads_to_the_root() {
    let mut session = compare(ONE_HOP, SWAP).await;
    session.keys("] x").await;
    for _ in 0..20 {
        session.keys("h").await;
    }
    let root = session.screen();
    session.keys("g g").await;
    assert_eq!(session.screen(), root);
}

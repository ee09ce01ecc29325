//! The plain-text view, the command that `Y` copies, and what pagers and editors receive.

use chainglass::test_api::api::{AddressQuery, Direction, Query};
use chainglass::test_api::app::Location;
use chainglass::test_api::app_message::{CopyOutcome, Effect, ExternalTool, Msg};
use chainglass::test_api::pane::ViewParams;
use chainglass::test_api::pane::{PaneKind, Route};

use super::address_poisoning::{POISON, poisoned_transfers};
use super::demo_items::{SWAP, TREE_11_2};
use super::session::{ALICE, Session, size};

impl Session {
    /// The path of the selected call, from the command that `Y` copies.
    fn selected_path(&mut self) -> Vec<u32> {
        let copied = self.press("Y").into_iter().find_map(|effect| match effect {
            Effect::Copy { text, .. } => text.rsplit(' ').next().map(str::to_owned),
            _ => None,
        });
        copied.unwrap().split('.').map(|part| part.parse().unwrap()).collect()
    }
}

async fn demo(target: &str) -> Session {
    Session::demo(size(80, 24), target).await
}

#[tokio::test]
async fn plain_text_view_shows_the_full_text() {
    let mut session = demo(ALICE).await;
    session.keys("y j").await;
    let json = session.copied().unwrap().to_owned();
    session.keys("p").await;
    let screen = session.screen();
    assert!(screen.contains("JSON: select with the mouse"), "{screen}");
    // The screen text has no trailing spaces.
    let bare = |text: &str| text.replace(' ', "");
    let shown: String = screen.lines().skip(2).take(21).collect();
    assert!(bare(&json).starts_with(&bare(&shown)), "{screen}");
    session.keys("ctrl-f").await;
    assert_ne!(session.screen(), screen, "long text scrolls");
    session.keys("esc").await;
    assert!(session.screen().contains("1 of 826"), "{}", session.screen());
}

#[tokio::test]
async fn plain_text_view_shows_the_selected_cell() {
    let mut session = demo(ALICE).await;
    session.keys("p").await;
    let screen = session.screen();
    let hash = screen.lines().find(|line| line.starts_with("0x")).unwrap().to_owned();
    assert_eq!(hash.len(), 66, "alone on its line, at the end of the page: {screen}");
    assert_eq!(session.copied(), None);
    session.keys("p y y").await;
    assert_eq!(session.copied(), Some(&*hash), "p closes it too");
}

#[tokio::test]
async fn plain_text_view_releases_the_mouse() {
    let mut session = demo(ALICE).await;
    session.keys("M p esc M").await;
    let expected: Vec<bool> = [true, false, true, false].into();
    let effects = session.effects.iter().filter_map(|effect| match effect {
        Effect::CaptureMouse(captured) => Some(*captured),
        _ => None,
    });
    assert_eq!(effects.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn copied_amounts_are_named_as_copied() {
    for (tab, names) in [
        ("1", &["amount or id", "fee in wei"][..]),
        ("2", &["value in wei"]),
        ("3", &["recipient's address", "raw amount"]),
        ("4", &["raw balance", "raw supply"]),
    ] {
        let mut session = Session::demo(size(300, 30), ALICE).await;
        session.keys(tab).await;
        for _ in 0..16 {
            session.keys("y y l").await;
        }
        let is_copied = |name| {
            let copies =
                |effect: &Effect| matches!(effect, Effect::Copy { what, .. } if *what == name);
            session.effects.iter().any(copies)
        };
        assert!(names.iter().all(|name| is_copied(*name)), "{tab}: {:?}", session.effects);
        assert!(!is_copied("value") && !is_copied("fee") && !is_copied("balance"), "{tab}");
    }
}

#[tokio::test]
async fn computed_cells_are_copied_as_they_are_shown() {
    for (tab, name, value) in [("3", "USD now", "$"), ("5", "method", "transferFrom")] {
        let mut session = Session::demo(size(300, 30), SWAP).await;
        session.keys(tab).await;
        for _ in 0..16 {
            session.keys("y y l").await;
        }
        let is_copied = session.effects.iter().any(|effect| {
            matches!(effect, Effect::Copy { what, text, .. } if *what == name && text.contains(value))
        });
        assert!(is_copied, "{name}: {:?}", session.effects);
    }
}

#[tokio::test]
async fn parts_of_a_transaction_are_copied_from_its_page() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("y i").await;
    let input = session.copied().unwrap().to_owned();
    assert!(input.starts_with("0x203b4e79") && input.len() > 500, "{input}");
    // The first line of the balance changes: bob.eth lost 2,500 GLD and gained NIL.
    session.keys("j j y a").await;
    assert_eq!(session.copied(), Some("0x70997970C51812dc3A010C7d01b50e0d17dc79C8"));
    session.keys("y v").await;
    let lost = session.copied().unwrap().to_owned();
    session.keys("l l y v").await;
    let gained = session.copied().unwrap();
    assert!(lost.starts_with("2500") && gained != lost, "{lost} {gained}");
    session.keys("g g y v").await;
    assert_eq!(session.copied(), Some("0"), "the value of the transaction");
}

#[tokio::test]
async fn reason_and_call_of_a_transaction_are_copied_in_full() {
    const DEEP_REVERT: &str = "0xdfb1e46155218dee231ecdef3b29a02bcbcbc2f1b216450885f79f4a0c28166c";
    let mut session = Session::demo(size(120, 40), DEEP_REVERT).await;
    session.keys("y e").await;
    let reason = session.copied().unwrap().to_owned();
    let mut copied = Vec::new();
    for _ in 0..5 {
        session.keys("j y y").await;
        copied.push(session.copied().unwrap().to_owned());
    }
    assert!(copied.contains(&reason), "{reason:?} {copied:?}");
    let call = copied.iter().find(|text| text.contains(" → ")).unwrap();
    let (from, to) = call.split_once(" → ").unwrap();
    let (to, arguments) = to.split_once('.').unwrap();
    assert!([from, to].iter().all(|address| address.len() == 42), "{call}");
    assert!(arguments.starts_with("deep(6, ") && !arguments.contains('…'), "{call}");
}

#[tokio::test]
async fn calldata_and_reason_are_copied_in_lists() {
    let mut session = demo(ALICE).await;
    session.keys("y i").await;
    assert!(session.copied().unwrap().starts_with("0x"), "{}", session.screen());
    session.keys("y e").await;
    let message = "no reason of a failure to copy here";
    assert!(session.screen().contains(message), "{}", session.screen());
    session.keys("esc g t &").await;
    session.type_text("Panic").await;
    session.keys("y e").await;
    assert_eq!(session.copied(), Some("Panic(0x01): assertion failed"), "{}", session.screen());
}

#[tokio::test]
async fn menu_of_copies_has_only_values_of_the_row() {
    let mut session = demo(ALICE).await;
    session.keys("&").await;
    session.type_text("safeBatchTransferFrom").await;
    session.keys("y").await;
    assert!(session.screen().contains("transaction hash"), "{}", session.screen());
    assert!(!session.screen().contains("single id"), "{}", session.screen());
}

#[tokio::test]
async fn copied_start_row_is_named_by_its_kind() {
    let mut session = demo("").await;
    for _ in chainglass::test_api::demo_server::HIGHLIGHTS {
        session.keys("y y").await;
        let Some(Effect::Copy { what, text }) = session.effects.last() else { panic!() };
        assert_eq!(*what, if text.len() == 42 { "address" } else { "hash" }, "{text:?}");
        session.keys("j").await;
    }
}

#[tokio::test]
async fn failed_copy_opens_the_plain_text_view() {
    let mut session = demo(ALICE).await;
    session.keys("y h").await;
    let hash = session.copied().unwrap().to_owned();
    let way = CopyOutcome::Failed("80000 bytes are too many".into());
    session.app.update(Msg::Copied { what: "transaction hash", outcome: way });
    let screen = session.screen();
    assert!(screen.lines().any(|line| line == hash), "{screen}");
    assert!(screen.contains("cannot copy the transaction hash: 80000 bytes"), "{screen}");
}

#[tokio::test]
async fn lookalike_address_needs_confirmation_to_print() {
    let mut session = Session::canned(size(140, 30), ALICE, poisoned_transfers("tiny")).await;
    session.keys("3 l l p").await;
    assert!(session.screen().contains("Look-alike address: copy anyway?"), "{}", session.screen());
    session.keys("enter p").await;
    assert!(session.screen().lines().any(|line| line == POISON), "{}", session.screen());
}

#[tokio::test]
async fn copied_command_names_the_view() {
    let mut session = demo("").await;
    let command = async |session: &mut Session| {
        session.keys("Y").await;
        session.copied().unwrap().to_owned()
    };
    assert_eq!(command(&mut session).await, "chainglass --chain demo");
    session.keys("T").await;
    assert_eq!(command(&mut session).await, "chainglass --chain demo --tab transfers");
    let mut session = demo(ALICE).await;
    let alice = format!("chainglass --chain demo {ALICE}");
    assert_eq!(command(&mut session).await, alice);
    session.keys("3 f space enter").await;
    assert_eq!(command(&mut session).await, alice.clone() + " --tab transfers --type ERC-20");
    session.keys("d").await;
    let of_row = command(&mut session).await;
    assert_eq!(
        of_row,
        alice.clone() + " --tab transfers --type ERC-20",
        "the location of the row's list"
    );
    assert!(matches!(
        session.effects.last(),
        Some(Effect::Copy { what: "command for the previous view", .. })
    ));
    let mut session = demo(ALICE).await;
    session.keys("4 @ 1 0 0 enter").await;
    assert_eq!(command(&mut session).await, alice + " --tab tokens --block 100");
    let token = "chainglass --chain demo 0x5FbDB2315678afecb367f032d93F642f64180aa3";
    let mut session = demo("0x5FbDB2315678afecb367f032d93F642f64180aa3").await;
    session.keys("i 3").await;
    assert_eq!(command(&mut session).await, token.to_owned() + " --tab token-contract");
    let mut session = demo(SWAP).await;
    session.keys("2 j j").await;
    let call = command(&mut session).await;
    assert!(
        call.starts_with(&format!("chainglass --chain demo {SWAP} --tab trace --node ")),
        "{call}"
    );
}

#[tokio::test]
async fn copied_command_reopens_the_selected_call() {
    let mut original = demo(SWAP).await;
    original.keys("2 j j j j").await;
    let mut reopened = demo("").await;
    let route = Route::Target(SWAP.parse().unwrap());
    let params = ViewParams { node: original.selected_path(), ..ViewParams::default() };
    let location = Location { route, tab: Some(PaneKind::Trace), params };
    let effects = reopened.app.start_at_location(size(80, 24), location.clone(), false);
    reopened.settle(effects).await;
    assert_eq!(reopened.selected_path(), original.selected_path());
    assert!(reopened.screen().contains("call 4 of 26"), "{}", reopened.screen());
    let params = ViewParams { node: vec![7, 7], ..ViewParams::default() };
    let effects =
        reopened.app.start_at_location(size(80, 24), Location { params, ..location }, false);
    reopened.settle(effects).await;
    assert!(reopened.screen().contains("no call 7.7 in this trace"), "{}", reopened.screen());
    let beyond = reopen(&format!("chainglass --chain demo {SWAP} --tab trace --event 99")).await;
    let notice = "no event 99: this transaction has 14 events";
    assert!(beyond.screen().contains(notice), "{}", beyond.screen());
}

/// Opens the page of a copied command.
async fn reopen(command: &str) -> Session {
    let words = shell_words::split(command).unwrap();
    let value = |name: &str| {
        let at = words.iter().position(|word| word == name)?;
        words.get(at + 1)
    };
    let path = |text: &String| text.split('.').map(|part| part.parse().unwrap()).collect();
    let params = ViewParams {
        filter: value("--matching").map(|text| (&**text).into()),
        sort: value("--sort").map(|text| text.parse().unwrap()),
        chart: value("--chart").map(|text| text.parse().unwrap()),
        zoom: value("--zoom").map(path).unwrap_or_default(),
        node: value("--node").map(path).unwrap_or_default(),
        event: value("--event").map(|text| text.parse().unwrap()),
        row: value("--row").map(|text| text.parse().unwrap()),
        ..ViewParams::default()
    };
    let tab = value("--tab").map(|name| name.parse().unwrap());
    let location = Location { route: Route::Target(words[3].parse().unwrap()), tab, params };
    let mut reopened = demo("").await;
    let effects = reopened.app.start_at_location(size(80, 24), location, false);
    reopened.settle(effects).await;
    reopened
}

#[tokio::test]
async fn copied_command_reopens_what_is_on_the_screen() {
    for (target, keys) in [
        (ALICE, "l l l l o & t r a n s f e r enter"),
        (SWAP, "2 f j"),
        (SWAP, "2 V"),
        (SWAP, "2 V j j"),
        (SWAP, "4 j j j"),
        (SWAP, "3 j l"),
        (SWAP, "2 i j"),
        (SWAP, "2 i j j j + j"),
        (SWAP, "2 & t r a n s f e r enter o"),
        (SWAP, "2 j j j j j j"),
    ] {
        let mut original = demo(target).await;
        original.keys(keys).await;
        original.keys("Y").await;
        let command = original.copied().unwrap().to_owned();
        let shown = original.screen();
        let reopened = reopen(&command).await.screen();
        // The tabs have the counts of other tabs that were open, the details have further names, and the
        // last line the notice of the copy.
        let page = |screen: &str| {
            let lines: Vec<_> = screen.lines().skip(2).take(21).collect();
            [lines[..12].join("\n"), lines[20].to_owned()]
        };
        assert_eq!(page(&reopened), page(&shown), "{command}");
    }
}

#[tokio::test]
async fn selected_row_may_be_on_a_later_page() {
    let mut original = demo(TREE_11_2).await;
    original.keys("5 G j j Y").await;
    let command = original.copied().unwrap().to_owned();
    assert!(command.ends_with(" --tab internal --row 52"), "{command}");
    let screen = reopen(&command).await.screen();
    assert!(screen.contains("─ 52 of "), "{screen}");
}

#[tokio::test]
async fn copied_command_has_no_row_in_an_order_of_loaded_rows() {
    for (keys, option) in [("5 o j Y", " --sort "), ("5 & c a l l enter j Y", " --matching ")] {
        let mut session = demo(TREE_11_2).await;
        session.keys(keys).await;
        let command = session.copied().unwrap();
        assert!(command.contains(option) && !command.contains("--row"), "{command}");
        assert!(session.screen().contains(" 2 of "), "{}", session.screen());
    }
}

#[tokio::test]
async fn copied_command_keeps_unit_and_times() {
    let mut session = demo(ALICE).await;
    session.keys("U A Y").await;
    let command = session.copied().unwrap();
    assert!(command.ends_with(" --unit gwei --times local"), "{command}");
    session.keys("U U A A Y").await;
    assert!(!session.copied().unwrap().contains("--unit"), "as at the start");
}

#[tokio::test]
async fn copied_command_of_an_nft_names_it() {
    let mut session = demo(ALICE).await;
    session.keys("5 enter enter Y").await;
    let command = session.copied().unwrap();
    assert!(command.contains(" --instance "), "{command}\n{}", session.screen());
}

#[tokio::test]
async fn page_of_an_nft_is_copied_as_a_row() {
    let mut session = demo(ALICE).await;
    session.keys("5 enter enter y r").await;
    let row = session.copied().unwrap().to_owned();
    let id = row.split(',').next().unwrap().trim_matches('"');
    session.keys("Y").await;
    assert!(session.copied().unwrap().contains(&format!(" --instance {id}")), "{row}");
}

#[tokio::test]
async fn location_filters_apply_to_the_first_request() {
    let mut session = demo("").await;
    let address = ALICE.parse().unwrap();
    let query =
        Query::Address(address, AddressQuery::Transactions { direction: Some(Direction::To) });
    let location = Location {
        route: Route::Target(ALICE.parse().unwrap()),
        tab: Some(PaneKind::Transactions),
        params: ViewParams { query: Some(query.clone()), ..ViewParams::default() },
    };
    session.requests.clear();
    let effects = session.app.start_at_location(size(80, 24), location, false);
    session.settle(effects).await;
    assert_eq!(session.requests.iter().filter(|(asked, _)| *asked == query).count(), 1);
    assert!(!session.screen().contains("→ "), "{}", session.screen());
}

fn opened_file(session: &Session) -> (ExternalTool, &str, &[String]) {
    match session.effects.last() {
        Some(Effect::OpenExternal { viewer, name, lines }) => (*viewer, name, lines),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn pager_gets_columns_and_editor_gets_jsonl() {
    let mut session = demo(ALICE).await;
    session.keys("v").await;
    let (viewer, name, lines) = opened_file(&session);
    assert_eq!((viewer, name, lines.len()), (ExternalTool::Pager, "transactions.txt", 51));
    assert!(lines[0].contains("tx") && lines[1].contains("0x"), "{lines:?}");
    assert!(lines[1].split_whitespace().any(|word| word.len() == 66), "{}", lines[1]);
    session.keys("g e").await;
    let (viewer, name, lines) = opened_file(&session);
    assert_eq!((viewer, name, lines.len()), (ExternalTool::Editor, "transactions.jsonl", 50));
    assert!(lines.iter().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
}

#[tokio::test]
async fn documents_and_traces_open_in_pager_and_editor() {
    let mut session = demo(SWAP).await;
    session.keys("v").await;
    let (_, name, lines) = opened_file(&session);
    assert!(name == "object.txt" && lines.iter().any(|line| line.contains("confirmed")));
    assert!(lines.iter().any(|line| line.contains("     0 ")), "folded lines are included");
    session.keys("g e").await;
    let (_, name, lines) = opened_file(&session);
    let json: serde_json::Value = serde_json::from_str(&lines.join("\n")).unwrap();
    assert_eq!((name, json["hash"].as_str()), ("object.json", Some(SWAP)));
    session.keys("2 v").await;
    let (_, name, lines) = opened_file(&session);
    assert!(name == "trace.txt" && lines.iter().any(|line| line.contains("├─")), "{lines:?}");
    session.keys("g e").await;
    let (_, name, lines) = opened_file(&session);
    assert!(name == "trace.jsonl" && lines[0].starts_with('{'), "{lines:?}");
    session.keys("7 g e").await;
    let (_, name, lines) = opened_file(&session);
    serde_json::from_str::<serde_json::Value>(&lines.join("\n")).unwrap();
    assert_eq!(name, "object.json");
}

#[tokio::test]
async fn view_without_content_says_so() {
    let mut session = demo("").await;
    session.keys("v").await;
    assert!(session.screen().contains("nothing here to show in another"), "{}", session.screen());
    session.app.update(Msg::ViewerClosed(Err("cannot start less: not found".into())));
    assert!(session.screen().contains("cannot start less"), "{}", session.screen());
}

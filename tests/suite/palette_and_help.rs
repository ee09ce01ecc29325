//! The palette, the which-key popup and the help.

use chainglass::test_api::app_message::{Effect, Msg};
use chainglass::test_api::ui::Styles;
use chainglass::test_api::user_data::Labels;
use insta::assert_snapshot;

use super::demo_items::{DEEP_ERROR, SWAP};
use super::session::{ALICE, Session, size};

/// A name for the snapshot, the target, and the keys to press.
pub(crate) const SCREENS: [(&str, &str, &str); 6] = [
    ("palette", ALICE, ": d e m o down"),
    ("palette_cop", ALICE, ": c o p"),
    ("which_y", DEEP_ERROR, "2 y"),
    ("which_z", DEEP_ERROR, "2 z"),
    ("help_trace", DEEP_ERROR, "2 ?"),
    ("help_searched", DEEP_ERROR, "2 ? / r e v e r t"),
];

#[tokio::test]
async fn palette_which_key_and_help_match_their_snapshots() {
    for (name, target, keys) in SCREENS {
        let look = Styles::new(true).into();
        let mut session = Session::with_snapshot_keys(size(120, 40), target, look).await;
        session.keys(keys).await;
        assert_snapshot!(format!("{name}_120x40"), session.screen());
    }
}

#[tokio::test]
async fn palette_runs_actions() {
    let mut session = Session::demo(size(100, 30), ALICE).await;
    session.keys("j y h").await;
    let copied = session.copied().unwrap().to_owned();
    session.effects.clear();
    session.keys(":").await;
    session.type_text("copy hash").await;
    assert_eq!(session.copied(), Some(&*copied));
    assert!(session.screen().contains(" 2 of 826"), "the palette is closed: {}", session.screen());
    session.keys(":").await;
    let first = session.screen().lines().nth(5).unwrap().to_owned();
    assert!(first.contains("copy hash"), "the last used command is first: {first}");
    session.keys("esc :").await;
    session.type_text("revert origin").await;
    assert!(session.screen().contains("only in call traces"), "{}", session.screen());
}

#[tokio::test]
async fn palette_runs_actions_of_the_trace_on_other_tabs() {
    for (text, shown) in [
        ("icicle", "i tree"),
        ("hide static", "static calls hidden (zs shows them)"),
        ("diff", "no trace is marked · mm marks this one"),
    ] {
        let mut session = Session::demo(size(120, 40), SWAP).await;
        session.keys(":").await;
        session.type_text(text).await;
        let screen = session.screen();
        assert!(screen.contains("26 calls") && screen.contains(shown), "{text}: {screen}");
    }
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys(": i c").await;
    let first = session.screen().lines().nth(5).unwrap().to_owned();
    assert!(first.contains("icicle") && first.contains("key 2, then i"), "{first}");
}

#[tokio::test]
async fn palette_begins_with_what_one_does_on_the_page() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("2 :").await;
    let screen = session.screen();
    let row = |text: &str| screen.lines().position(|line| line.contains(&format!("│   {text} ")));
    let [icicle, search, fold] = ["icicle", "search", "fold all"].map(row);
    assert!(icicle < search && search < fold && fold.is_some(), "{screen}");
    assert_eq!(row("next failure"), None, "jumps are after all else: {screen}");
    for keys in ["2 :", "1 :"] {
        let mut session = Session::demo(size(120, 40), SWAP).await;
        session.keys(keys).await;
        session.keys("z o o m").await;
        let screen = session.screen();
        assert_eq!(screen.matches("not now: icicle view only (i)").count(), 2, "{keys}: {screen}");
    }
}

#[tokio::test]
async fn coin_balance_finds_the_tab_of_balances() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys(":").await;
    session.type_text("coin balance").await;
    assert!(session.screen().contains("last 50 changes"), "{}", session.screen());
}

#[tokio::test]
async fn page_is_pushed_below_the_palette() {
    for width in [80, 94] {
        let mut session = Session::demo(size(width, 40), SWAP).await;
        let page = session.screen();
        session.keys(": i c").await;
        let screen = session.screen();
        let box_end = screen.lines().position(|line| line.starts_with('╰')).unwrap();
        let top = page.lines().skip(1).take(20);
        assert!(screen.lines().skip(box_end + 1).take(20).eq(top), "{width}: {screen}");
        let frame_end = screen.lines().rfind(|line| line.starts_with('╰'));
        assert_eq!(frame_end, page.lines().rfind(|line| line.starts_with('╰')), "{width}");
    }
}

#[tokio::test]
async fn palette_is_over_the_middle_of_a_wide_page() {
    let mut session = Session::demo(size(200, 40), SWAP).await;
    let page = session.screen();
    session.keys(": i c").await;
    let screen = session.screen();
    let left = |screen: &str| {
        let lines = screen.lines().take(39).map(|line| line.chars().take(40).collect::<String>());
        lines.collect::<Vec<_>>()
    };
    assert_eq!(left(&screen), left(&page), "{screen}");
    assert!(screen.contains("╭─ Commands and places ─"), "{screen}");
}

#[tokio::test]
async fn keys_of_the_palette_are_next_to_the_names() {
    for width in [80, 120, 200] {
        let mut session = Session::demo(size(width, 40), SWAP).await;
        session.keys("2 : r e f r e s h").await;
        let screen = session.screen();
        assert!(screen.contains("│   refresh  r  fetch again, or retry "), "{screen}");
        session.keys("esc : d u s k").await;
        let screen = session.screen();
        assert!(screen.contains("│   theme dusk  colours of the screen "), "{screen}");
    }
}

#[tokio::test]
async fn help_lists_pairs_of_keys_on_one_line_in_two_columns() {
    let mut session = Session::demo(size(80, 24), SWAP).await;
    session.keys("2 ?").await;
    let screen = session.screen();
    let line = screen.lines().find(|line| line.contains("next, previous match")).unwrap();
    assert!(line.contains("n N "), "{screen}");
    assert!(!screen.contains("  previous match"), "{screen}");
    let footer = screen.lines().find(|line| line.contains("lines 1–20 of")).unwrap();
    let (_, all) = footer.split_once(" of ").unwrap();
    let lines: usize = all.split(' ').next().unwrap().parse().unwrap();
    assert!(lines <= 140, "{lines}: {screen}");
}

#[tokio::test]
async fn texts_of_the_help_have_one_line_at_80_columns() {
    let mut session = Session::demo(size(80, 24), SWAP).await;
    session.keys("2 ?").await;
    let mut before = String::new();
    while before != session.screen() {
        before = session.screen();
        for line in before.lines().skip(2).take(20) {
            let columns: Vec<char> = line.chars().collect();
            let starts = [2, 40].map(|at| columns[at..at + 4].iter().collect::<String>());
            let texts = [2, 40].map(|at| columns[at..at + 36].iter().collect::<String>());
            for (start, text) in starts.iter().zip(texts) {
                let is_continued = start.trim().is_empty() && !text.trim().is_empty();
                assert!(!is_continued, "{text}: {before}");
            }
        }
        session.keys("ctrl-f").await;
    }
}

#[tokio::test]
async fn key_of_the_next_tab_goes_to_the_next_section_of_the_help() {
    let mut session = Session::demo(size(80, 24), SWAP).await;
    session.keys("2 ?").await;
    let footer = session.screen().lines().last().unwrap_or_default().to_owned();
    assert!(footer.contains("} section"), "{footer}");
    let begins = |session: &Session, title: &str| {
        let screen = session.screen();
        screen.lines().nth(2).unwrap().contains(title)
    };
    for (key, title) in [("}", "Call trace"), ("}", "Call trace: fold"), ("{", "Call trace")] {
        session.keys(key).await;
        assert!(begins(&session, title), "{key} {title}: {}", session.screen());
    }
}

#[tokio::test]
async fn hosts_have_the_space_of_other_names_in_the_list_of_chains() {
    for (columns, hosts) in [
        (80, [" arbitrum.blockscout.com ", " worldchain-mainnet.exp"]),
        (120, [" t  arbitrum-sepolia.blockscout.com ", " also called "]),
    ] {
        let mut session = Session::demo(size(columns, 40), "").await;
        session.keys("g c").await;
        let screen = session.screen();
        assert!(hosts.iter().all(|host| screen.contains(host)), "{screen}");
    }
}

#[tokio::test]
async fn palette_runs_no_action_that_merely_has_the_letters() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys(": f o o").await;
    assert!(session.screen().contains("follow"), "{}", session.screen());
    session.keys("enter").await;
    assert!(session.screen().contains(" 0 of "), "still open: {}", session.screen());
    session.keys("j").await;
    session.keys("esc : i c enter").await;
    assert!(session.screen().contains("only in call traces"), "{}", session.screen());
}

#[tokio::test]
async fn first_entry_of_the_palette_leads_elsewhere() {
    let mut session = Session::demo(size(100, 30), ALICE).await;
    session.keys("4").await;
    let before = session.screen();
    session.keys(": enter").await;
    assert_ne!(session.screen(), before);
}

#[tokio::test]
async fn palette_finds_names_seen_before() {
    let mut session = Session::demo(size(120, 30), ALICE).await;
    session.keys("4 ctrl-p").await;
    session.type_text("addr gld").await;
    assert!(session.screen().contains("› Glass Dollar"), "{}", session.screen());
    session.keys(":").await;
    session.type_text("go alice").await;
    assert!(session.screen().contains("› alice.eth "), "{}", session.screen());
    session.keys("enter H H :").await;
    session.type_text("go 0x5fbd…").await;
    assert!(session.screen().contains("nothing found"), "{}", session.screen());
}

#[tokio::test]
async fn palette_finds_actions_by_any_word_of_theirs() {
    for (word, action) in [
        ("go", "go to"),
        ("tx", "go to"),
        ("addr", "go to"),
        ("gas", "hottest call"),
        ("gas", "icicle"),
    ] {
        let mut session = Session::demo(size(120, 40), ALICE).await;
        session.keys(":").await;
        for c in word.chars() {
            session.press(&c.to_string());
        }
        let screen = session.screen();
        assert!(screen.contains(&format!("│   {action} ")), "{word}: {screen}");
    }
}

#[tokio::test]
async fn palette_offers_a_typed_target_first() {
    for text in [SWAP.to_owned(), format!("tx {SWAP}"), format!("go {SWAP}"), format!(":tx {SWAP}")]
    {
        let mut session = Session::demo(size(120, 30), "").await;
        session.keys(":").await;
        session.type_text(&text).await;
        assert!(session.screen().contains("› swapExactIn 0x0bbc"), "{text}: {}", session.screen());
    }
    let mut session = Session::demo(size(120, 30), "").await;
    session.connect_error = Some("not here");
    session.keys(":").await;
    session
        .type_text("https://elsewhere.example/address/0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")
        .await;
    let screen = session.screen();
    assert!(screen.contains("cannot open elsewhere.example: not here"), "{screen}");
}

#[tokio::test]
async fn which_key_popup_appears_after_a_delay() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    let asked = session.press("y");
    let [Effect::StartTimer(first, _)] = asked.as_slice() else { panic!("{asked:?}") };
    let rung = Effect::StartTimer(*first, std::time::Duration::ZERO);
    let box_is_shown = |session: &Session| session.screen().contains("h  the transaction hash");
    assert!(!box_is_shown(&session));
    session.settle(vec![rung.clone()]).await;
    assert!(box_is_shown(&session));
    session.press("esc");
    assert!(!box_is_shown(&session));
    session.press("y");
    session.settle(vec![rung]).await;
    assert!(!box_is_shown(&session), "the timer of an older chord is ignored");
    session.press("h");
    let asked = session.press("y");
    session.press("h");
    session.settle(asked).await;
    assert!(!box_is_shown(&session), "the chord is complete");
}

#[tokio::test]
async fn copy_keys_show_what_they_copy() {
    let popup = async |size, target| {
        let mut session = Session::demo(size, target).await;
        session.keys("y").await;
        let screen = session.screen();
        let lines = screen.lines().filter(|line| line.contains(" the "));
        lines.map(|line| line.trim_matches(['│', ' ']).to_owned()).collect::<Vec<_>>()
    };
    let short = popup(size(80, 24), ALICE).await;
    let hash = "y h  the transaction hash    0xf839164045a00fbb386c8…dea8545911dbb3dd94870ca";
    assert!(short.iter().any(|line| line == hash), "once, as long as it fits: {short:?}");
    assert!(short.iter().any(|line| line.contains("the JSON  ") && line.contains("{\"hash\"")));
    let has_address =
        |line: &String| line.ends_with("  0xC09fc05Ab2a9847c8EE64d5638061860A9a8D20a");
    assert!(short.iter().any(has_address), "an address in full: {short:?}");
    let wide = popup(size(160, 40), ALICE).await;
    let whole = "y h  the transaction hash    0xf839164045a00fbb386c84a766fab5c86029b6b00dea8545911dbb3dd94870ca";
    assert!(wide.iter().any(|line| line == whole), "{wide:?}");
    let start = popup(size(80, 24), "").await;
    assert!(start.iter().any(|line| line.ends_with(&format!("  {ALICE}"))), "{start:?}");
    assert!(!start.iter().any(|line| line.contains("transaction hash")), "{start:?}");
    let mut session = Session::demo(size(120, 40), "").await;
    session.keys("g").await;
    let hash = session.screen().matches("0xf39F").count();
    assert_eq!(hash, 1, "only in the row below, of keys that open pages\n{}", session.screen());
}

#[tokio::test]
async fn help_search_filters_keys() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.keys("? / c s v").await;
    let screen = session.screen();
    assert!(screen.contains("copy the row as CSV") && !screen.contains("one row down"), "{screen}");
    session.keys("enter j esc").await;
    assert!(session.screen().contains("one row down"), "Esc clears the search");
    session.keys("esc").await;
    assert!(!session.screen().contains("one row down"), "then it closes the help");
    session.keys("? / x x x").await;
    assert!(session.screen().contains("No match"), "{}", session.screen());
}

#[tokio::test]
async fn help_lists_a_key_of_other_pages_once() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.keys("? / l e v e l").await;
    let screen = session.screen();
    assert_eq!(screen.matches("top level only, every level").count(), 1, "{screen}");
}

#[tokio::test]
async fn help_says_once_how_to_close_a_view() {
    let mut session = Session::demo(size(200, 60), SWAP).await;
    session.keys("2 ?").await;
    let screen = session.screen();
    assert_eq!(screen.matches("close, cancel or go back").count(), 1, "{screen}");
}

#[tokio::test]
async fn palette_takes_the_height_of_the_screen() {
    let mut session = Session::demo(size(200, 60), ALICE).await;
    session.keys(":").await;
    let screen = session.screen();
    let top = screen.lines().nth(3).unwrap();
    let (before, _) = top.split_once("╭─ Commands and places").expect(&screen);
    let left = before.chars().count();
    let edge = |line: usize| screen.lines().nth(line).unwrap().chars().nth(left);
    assert_eq!([50, 58].map(edge), [Some('│'), Some('╰')], "{screen}");
}

#[tokio::test]
async fn help_begins_with_the_basics_and_the_keys_of_the_screen() {
    for (screen, target, keys, second) in [
        (size(80, 24), ALICE, "?", "List"),
        (size(120, 40), ALICE, "?", "List"),
        (size(120, 40), DEEP_ERROR, "2 ?", "Call trace"),
    ] {
        let mut session = Session::demo(screen, target).await;
        session.keys(keys).await;
        let help = session.screen();
        let top = help.lines().nth(2).unwrap();
        assert!(top.starts_with("│ Basics "), "{help}");
        let own = help.lines().position(|line| line.starts_with(&format!("│ {second} ")));
        assert!(own.is_some_and(|line| line < 15), "{help}");
        let has_columns = top.trim_end_matches('│').trim_end().len() > "│ Basics".len();
        assert!(has_columns, "columns: {help}");
        let foot = help.lines().nth_back(2).unwrap();
        for heading in ["Move", "Open and go to", "Search and filter", "Copy", "Display"] {
            assert!(
                !foot.split("  ").any(|part| part.trim_matches(['│', ' ']) == heading),
                "{help}"
            );
        }
    }
}

#[tokio::test]
async fn help_splits_no_entry_and_has_its_position() {
    let mut session = Session::demo(size(120, 24), ALICE).await;
    session.keys("?").await;
    for _ in 0..3 {
        let screen = session.screen();
        let top: Vec<char> = screen.lines().nth(2).unwrap().chars().collect();
        assert!(top[2] != ' ' && top[40] != ' ', "a column begins within an entry: {screen}");
        session.keys("ctrl-f").await;
    }
    session.keys("g g").await;
    assert!(session.screen().contains(" lines 1–20 of "), "{}", session.screen());
}

#[tokio::test]
async fn help_lists_no_key_that_the_view_has_for_something_else() {
    let mut session = Session::demo(size(120, 40), DEEP_ERROR).await;
    session.keys("2 ? / t o k e n").await;
    let screen = session.screen();
    assert!(!screen.contains("token page, or"), "`i` is the icicle: {screen}");
}

#[tokio::test]
async fn palette_offers_a_typed_block_number() {
    let mut session = Session::demo(size(120, 30), ALICE).await;
    session.keys(": 1 3").await;
    let first = session.screen().lines().nth(5).unwrap().to_owned();
    assert!(first.contains("go to 13") && first.contains("block"), "{first}");
    session.keys("enter").await;
    assert!(session.screen().contains("› block 13"), "{}", session.screen());
}

#[tokio::test]
async fn selected_theme_is_previewed_until_escape() {
    let mut session = Session::demo(size(120, 30), "").await;
    let accent = |session: &Session| session.buffer()[(1, 0)].fg;
    let before = accent(&session);
    session.keys(": t h e m e space c a t").await;
    let preview = accent(&session);
    assert_ne!(preview, before, "{}", session.screen());
    session.keys("esc").await;
    assert_eq!(accent(&session), before, "undone");
    session.keys(": t h e m e space c a t enter").await;
    assert_eq!(accent(&session), preview);
    assert!(session.screen().contains("theme catppuccin; to keep it"), "{}", session.screen());
}

#[tokio::test]
async fn palette_opens_with_places_and_finds_them_by_name() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys(":").await;
    let screen = session.screen();
    let at = |words: &str| screen.find(words);
    let [tabs, filters, places] = ["│   Internal ", "│   filters ", "│   Alice "].map(at);
    assert!(tabs.is_some() && tabs < filters && filters < places, "{screen}");
    assert!(!screen.contains("│   next row "), "{screen}");
    session.type_text("tab tokens").await;
    assert!(session.screen().contains("GLD"), "{}", session.screen());
    session.keys(":").await;
    session.type_text("reentrancy").await;
    assert!(session.screen().contains("0xae67…7efa"), "{}", session.screen());
}

#[tokio::test]
async fn all_of_many_labels_are_found() {
    let mut session = Session::demo(size(100, 30), "").await;
    let rows = (1..=9_000).map(|n| format!("0x{n:040x},Friend {n}x\n"));
    let last = "0x00c0ffee00000000000000000000000000000000,Cafe\n";
    let file = format!("address,name\n{}{last}", rows.collect::<String>());
    let labels = Ok(Labels::from_csv(&file).into());
    session.app.update(Msg::LabelsLoaded { key: "demo".into(), labels });
    session.keys(":").await;
    for (typed, found) in [
        ("8 9 9 9 x", "«Friend 8999x»"),
        ("f r i e n d space 1 7 x", "«Friend 17x»"),
        ("c 0 f f e", "«Cafe»"),
        ("0 x 0 0 c 0", "«Cafe»"),
    ] {
        session.keys(typed).await;
        let screen = session.screen();
        assert!(screen.contains(found), "{screen}");
        for _ in 0..20 {
            session.press("backspace");
        }
    }
}

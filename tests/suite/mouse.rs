//! The mouse: rows, cells, tabs, folds, hints and the wheel.

use std::time::Duration;

use chainglass::test_api::app_message::{
    ChainIndex, Effect, MouseInput, MouseKind, Msg, NetworkEvent, Priority, RequestLogEntry,
};
use chainglass::test_api::sanitize::SafeText;
use chainglass::test_api::ui::Styles;
use ratatui::layout::Position;

use super::demo_items::SWAP;
use super::session::{ALICE, Session, now, size};

impl Session {
    /// Performs a mouse gesture on the first occurrence of `text` on the screen.
    async fn mouse(&mut self, text: &str, gesture: MouseKind) {
        let at = self.find(text);
        let effects = self.app.update(Msg::Mouse(MouseInput { at, kind: gesture }));
        self.settle(effects).await;
    }

    async fn click(&mut self, text: &str) {
        self.mouse(text, MouseKind::Click).await;
    }

    fn find(&self, text: &str) -> Position {
        let screen = self.screen();
        let found =
            (0..).zip(screen.lines()).find_map(|(y, line)| Some((line.find(text)?, y, line)));
        let (at, y, line) = found.unwrap_or_else(|| panic!("{text} is not on\n{screen}"));
        Position::new(u16::try_from(line[..at].chars().count()).unwrap(), y)
    }

    /// The changes of mouse capture so far.
    fn captures(&self) -> Vec<bool> {
        let captures = self.effects.iter().filter_map(|effect| match effect {
            Effect::CaptureMouse(captured) => Some(*captured),
            _ => None,
        });
        captures.collect()
    }

    /// The position in the lower edge of the frame.
    fn status(&self) -> String {
        let screen = self.screen();
        let edge = screen.lines().nth_back(1).unwrap_or_default();
        edge.trim_end_matches(['─', '╯', ' ']).rsplit("─ ").next().unwrap_or_default().to_owned()
    }
}

async fn with_mouse(width: u16, height: u16, target: &str) -> Session {
    let mut session = Session::demo(size(width, height), target).await;
    session.keys("M").await;
    assert_eq!(session.captures(), [true]);
    session
}

#[tokio::test]
async fn mouse_is_off_by_default() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    let before = session.screen();
    session.click("Transfers").await;
    assert_eq!(session.screen(), before, "mouse input is ignored while the mouse is off");
    session.keys("M").await;
    assert!(session.screen().contains("hold Shift"), "{}", session.screen());
    assert_eq!(session.app.tick_interval(), None, "nothing needs a timer");
    session.keys("M").await;
    assert_eq!(session.captures(), [true, false]);
}

#[tokio::test]
async fn click_selects_and_second_click_opens() {
    let mut session = with_mouse(120, 40, ALICE).await;
    session.keys("j").await;
    let third = session.screen().lines().nth(7).unwrap().to_owned();
    let hash = third.split_whitespace().find(|word| word.starts_with("0x")).unwrap().to_owned();
    session.click(&hash).await;
    assert!(session.status().starts_with("3 of"), "{}", session.screen());
    session.click(&hash).await;
    assert!(session.screen().contains("confirmed"), "{}", session.screen());
}

#[tokio::test]
async fn click_on_another_column_selects_its_cell() {
    let mut session = with_mouse(120, 40, ALICE).await;
    let head = session.find("method");
    let at = Position::new(head.x, head.y + 2);
    session.app.update(Msg::Mouse(MouseInput { at, kind: MouseKind::Click }));
    assert!(session.status().starts_with("2 of"), "{}", session.screen());
    session.keys("I").await;
    assert!(session.screen().contains("column  method"), "{}", session.screen());
}

#[tokio::test]
async fn tabs_and_key_hints_are_clickable() {
    let mut session = with_mouse(120, 40, ALICE).await;
    session.click("4 Tokens").await;
    assert!(session.screen().contains("contract"), "{}", session.screen());
    session.click("filters").await;
    assert!(session.screen().contains("Space toggle"), "{}", session.screen());
    session.click("ERC-721").await;
    assert!(session.screen().contains("[x] ERC-721"), "{}", session.screen());
    session.click("Enter apply  Esc").await; // on the footer: Enter
    assert!(session.screen().contains("[ERC-721]"), "{}", session.screen());
    session.click("copy").await;
    session.click("the JSON").await; // in the box of the keys that may follow
    assert!(session.copied().unwrap().starts_with('{'));
}

#[tokio::test]
async fn wheel_scrolls_three_rows_with_the_cursor() {
    let mut session = with_mouse(120, 40, ALICE).await;
    let row = |session: &Session, n| {
        let line = session.screen().lines().nth(n).unwrap().to_owned();
        line.trim_matches(['│', '┃']).to_owned()
    };
    let fourth = row(&session, 8);
    session.mouse(&fourth, MouseKind::WheelDown).await;
    assert_eq!(row(&session, 5), fourth, "{}", session.screen());
    assert!(session.status().starts_with("4 of"), "{}", session.screen());
    session.mouse(&fourth, MouseKind::WheelUp).await;
    assert!(session.status().starts_with("4 of"), "{}", session.screen());
    assert_eq!(row(&session, 8), fourth);
}

#[tokio::test]
async fn wheel_scrolls_the_overlay() {
    let mut session = with_mouse(80, 24, ALICE).await;
    session.keys("?").await;
    let line = session.screen().lines().nth(5).unwrap().to_owned();
    session.mouse("Keys", MouseKind::WheelDown).await;
    assert_eq!(session.screen().lines().nth(2), Some(&*line), "{}", session.screen());
    session.keys("esc s").await;
    session.mouse("Go to", MouseKind::WheelDown).await;
    assert!(session.screen().contains("hex to decode"), "the prompt stays open");
}

#[tokio::test]
async fn document_folds_and_links_are_clickable() {
    let mut session = with_mouse(120, 40, SWAP).await;
    session.click("▸ input").await;
    assert!(session.screen().contains("▾ input"), "{}", session.screen());
    session.click("▾ input").await;
    assert!(session.screen().contains("▸ input"), "{}", session.screen());
    session.click("from  ").await;
    assert!(session.screen().contains("input"), "selected only");
    session.click("from  ").await;
    assert!(session.screen().contains("› bob.eth "), "{}", session.screen());
}

#[tokio::test]
async fn calls_are_clickable() {
    let mut session = with_mouse(120, 40, SWAP).await;
    session.click("2 Trace").await;
    assert!(session.status().ends_with("call 1 of 26"), "{}", session.screen());
    let all = session.screen().matches('▾').count();
    session.click("▾").await;
    assert!(session.screen().matches('▾').count() < all, "{}", session.screen());
    session.click("▸").await;
    let screen = session.screen();
    let static_call = screen.lines().find(|line| line.contains("stat")).unwrap();
    let static_call = static_call.trim_matches(['│', '┃']).to_owned();
    session.click(&static_call).await;
    assert!(!session.status().ends_with("call 1 of 26"), "{}", session.screen());
    session.click(&static_call).await;
    assert!(session.screen().contains("› swapExactIn 0x0bbc…b5e5 › "), "{}", session.screen());
    session.keys("H i").await;
    let icicle = session.screen();
    session.click("Pool·e4EB").await;
    assert_ne!(session.screen(), icicle, "icicle segments are clickable");
}

#[tokio::test]
async fn titles_and_functions_of_a_trace_are_clickable() {
    let mut session = with_mouse(120, 40, SWAP).await;
    session.keys("2").await;
    session.click("self  ").await;
    assert!(session.screen().contains("↓self") && session.screen().contains("sorted by self gas"));
    session.click("%").await;
    assert!(session.screen().contains("% ↑"), "{}", session.screen());
    session.click("inner   call").await;
    assert!(!session.screen().contains("↓self"), "{}", session.screen());
    session.keys("f").await;
    session.click("Glass Dollar.transferFrom?").await;
    assert!(session.screen().contains(" function 6 of "), "{}", session.screen());
    session.click("Glass Dollar.transferFrom?").await;
    let is_call =
        |line: &str| line.contains("├─▾ ") && line.contains(" Glass Dollar.transferFrom?");
    assert!(session.screen().lines().any(is_call), "the tree");
}

#[tokio::test]
async fn start_screen_rows_are_clickable() {
    let mut session = with_mouse(120, 40, "").await;
    session.click("Try these").await;
    let line = session.find("Try these");
    let third = Position::new(4, line.y + 3);
    for _ in 0..2 {
        let effects =
            session.app.update(Msg::Mouse(MouseInput { at: third, kind: MouseKind::Click }));
        session.settle(effects).await;
    }
    assert!(!session.screen().contains("Try these"), "{}", session.screen());
}

#[tokio::test]
async fn rows_of_the_start_feed_are_clickable() {
    for (row, page) in [("333  ", "› block 333"), ("3 ids", "Overview")] {
        let mut session = with_mouse(80, 24, "").await;
        session.click(row).await;
        assert!(session.screen().contains("Latest blocks"), "selected only");
        session.click(row).await;
        assert!(session.screen().contains(page), "{}", session.screen());
    }
}

#[tokio::test]
async fn request_log_rows_are_clickable() {
    let mut session = with_mouse(120, 40, ALICE).await;
    for n in 0..3 {
        let sent = RequestLogEntry {
            method: "GET",
            url: SafeText::new(&format!("https://eth.blockscout.com/api/v2/number/{n}")),
            status: Some(200),
            error: None,
            time: now(),
            elapsed: Duration::ZERO,
            bytes: 1,
            attempt: 1,
            from_cache: false,
            priority: Priority::Interactive,
        };
        session
            .app
            .update(Msg::Network(ChainIndex::default(), NetworkEvent::Request(Box::new(sent))));
    }
    session.keys("!").await;
    session.click("number/1").await;
    session.keys("y").await;
    assert!(session.copied().unwrap().ends_with("number/1'"), "the second newest");
}

#[tokio::test]
async fn clicks_anywhere_do_not_panic() {
    for keys in ["j", "?", "!", "s", "f", "p", "4", "O", "T", "y y"] {
        let mut session = with_mouse(80, 24, ALICE).await;
        session.keys(keys).await;
        for y in 0..30 {
            for (x, gesture) in
                [(0, MouseKind::Click), (40, MouseKind::WheelUp), (79, MouseKind::WheelDown)]
            {
                let at = Position::new(x, y);
                let effects = session.app.update(Msg::Mouse(MouseInput { at, kind: gesture }));
                session.settle(effects).await;
                session.screen();
            }
        }
    }
}

#[tokio::test]
async fn click_on_a_title_sorts() {
    let mut session = with_mouse(120, 40, ALICE).await;
    session.click("fee ETH").await;
    assert!(session.screen().contains("fee ETH ↓"), "{}", session.screen());
    session.click("fee ETH").await;
    assert!(session.screen().contains("fee ETH ↑"), "{}", session.screen());
    session.click("fee ETH").await;
    assert!(session.screen().contains("in the original order"), "{}", session.screen());
}

#[tokio::test]
async fn click_on_the_scrollbar_scrolls() {
    let mut session = with_mouse(120, 40, ALICE).await;
    let rule = session.find("tx      0x").y - 1;
    for (y, is_top) in [(rule - 1, false), (5, true)] {
        let input = MouseInput { at: Position::new(119, y), kind: MouseKind::Click };
        let effects = session.app.update(Msg::Mouse(input));
        session.settle(effects).await;
        assert_eq!(session.screen().contains(" 333 "), is_top, "{}", session.screen());
    }
}

#[tokio::test]
async fn click_selects_a_card_and_then_opens_it() {
    let look = Styles::new(true).into();
    let mut session = Session::with_pictures(size(80, 24), ALICE, look).await;
    session.keys("M 5").await;
    session.click("12 × CP47").await;
    assert_eq!(session.status(), "pictures first · 2 of 50+");
    session.click("12 × CP47").await;
    assert!(session.screen().contains("› CP47 of alice.eth"), "{}", session.screen());
}

/// A token with a plain source.
const TOKEN: &str = "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0";

#[tokio::test]
async fn source_beside_a_contract_scrolls_and_takes_the_focus() {
    let mut session = Session::demo(size(120, 40), TOKEN).await;
    session.keys("M 7").await;
    let source = session.status();
    session.mouse("contract Token20", MouseKind::WheelDown).await;
    let screen = session.screen();
    assert!(!screen.contains("// SPDX") && screen.contains("│ ▾ read "), "{screen}");
    assert_ne!(session.status(), source, "the functions stay");
    session.click("    function mint(").await;
    assert!(session.screen().contains("Tab functions"), "{}", session.screen());
    session.click("totalSupply()").await;
    assert!(session.screen().contains("Tab whole source"), "{}", session.screen());
}

#[tokio::test]
async fn click_on_go_to_opens_the_prompt() {
    let mut session = with_mouse(120, 40, "").await;
    session.click("⌕").await;
    session.keys("3 3 3 enter").await;
    assert!(session.screen().contains("› block 333"), "{}", session.screen());
}

#[tokio::test]
async fn lines_of_the_second_column_of_fields_are_selected() {
    let mut session = with_mouse(200, 60, ALICE).await;
    session.keys("d").await;
    session.click("exchange_rate  ").await;
    session.keys("y y").await;
    assert_eq!(session.copied(), Some("2500.17"));
    let above = session.find("│ hash ");
    session.keys("g g").await;
    assert_eq!(session.find("│ hash "), above, "nothing has moved");
}

//! Display settings: ASCII, units, times and the light theme.

use chainglass::test_api::app::{App, Setup};
use chainglass::test_api::app_message::{Background, Effect, Msg};
use chainglass::test_api::ui::{Appearance, Styles, TerminalEnv, ThemePreferences};
use insta::assert_snapshot;
use ratatui::style::Color;

use super::demo_items::{CREATE_AND_DESTROY, DEEP_ERROR, SWAP};
use super::layout::{all_screens, check_other_sizes};
use super::session::{ALICE, Session, size};

fn ascii() -> Appearance {
    Appearance { ascii: true, ..Styles::new(true).into() }
}

#[tokio::test]
async fn every_screen_works_in_ascii_without_colour() {
    let wishes = ThemePreferences { ascii: Some(true), ..ThemePreferences::default() };
    let look = Appearance::new(wishes, TerminalEnv::default()).unwrap();
    for (width, height) in [(40, 10), (120, 40)] {
        for (name, target, keys) in all_screens() {
            let mut session =
                Session::with_appearance(look.clone(), size(width, height), target).await;
            session.keys(keys).await;
            for cell in &session.buffer().content {
                let is_one_column = matches!(cell.symbol().as_bytes(), [b' '..=b'~']);
                assert!(is_one_column, "{name}: {:?}", cell.symbol());
                assert_eq!([cell.fg, cell.bg], [Color::Reset; 2], "{name}");
            }
        }
    }
}

#[tokio::test]
async fn call_outcomes_differ_in_ascii() {
    let mut session = Session::with_appearance(ascii(), size(120, 40), DEEP_ERROR).await;
    session.keys("2 j").await;
    assert_snapshot!("trace_ascii_120x40", session.screen());
}

#[tokio::test]
async fn list_units_and_times_match_their_snapshots() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("U A").await;
    assert_snapshot!("gwei_and_local_120x40", session.screen());
    check_other_sizes(&mut session).await;
    session.keys("U A").await;
    assert_snapshot!("wei_and_utc_120x40", session.screen());
    check_other_sizes(&mut session).await;
    session.keys("U").await;
    let dates = session.screen();
    assert!(dates.contains(" UTC ") && dates.contains(" 11-14 23:53:16 "), "{dates}");
}

#[tokio::test]
async fn unit_and_time_keys_cycle_and_notify() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    let first = session.screen();
    for (key, message) in [
        ("U", "amounts are in gwei"),
        ("U", "amounts are in wei"),
        ("U", "amounts are in ETH"),
        ("A", "times are local: UTC-05:00 now"),
        ("A", "times are in UTC"),
        ("A", "times are ages"),
    ] {
        session.keys(key).await;
        assert!(session.screen().contains(message), "{message}: {}", session.screen());
    }
    session.keys("j k").await;
    assert_eq!(session.screen(), first);
}

#[tokio::test]
async fn narrow_list_has_times_without_a_year() {
    let mut session = Session::demo(size(40, 10), ALICE).await;
    let head = |session: &Session| session.screen().lines().nth(4).unwrap_or_default().to_owned();
    assert!(head(&session).contains("age"), "{}", session.screen());
    session.keys("A").await;
    assert!(head(&session).contains("local time"), "{}", session.screen());
    assert!(session.screen().contains("11-14 18:53"), "{}", session.screen());
}

#[tokio::test]
async fn detail_and_trace_follow_unit_and_time_settings() {
    let mut session = Session::demo(size(120, 60), SWAP).await;
    let (fee, time) = ("0.000", "UTC (");
    assert!(session.screen().contains(fee) && session.screen().contains(time));
    session.keys("U A").await;
    let screen = session.content();
    let line = |label: &str| screen.lines().find(|line| line.starts_with(label)).unwrap_or("");
    // The gas is in the column on the right.
    let mut right = screen.lines().filter_map(|line| Some(line.split_once("│ ")?.1));
    assert!(
        right.any(|fact| fact.starts_with("gas price ") && fact.ends_with(" gwei")),
        "{screen}"
    );
    assert!(right.any(|fact| fact.starts_with("fee ") && fact.contains(" gwei")), "{screen}");
    assert!(line("value").contains(" gwei ") && screen.contains(" -05:00 ("), "{screen}");

    // Text formatted before the change is formatted again when it becomes visible.
    let mut session = Session::demo(size(120, 40), CREATE_AND_DESTROY).await;
    session.keys("2").await;
    assert!(session.screen().contains(" ETH"), "{}", session.screen());
    session.keys("U").await;
    assert!(session.screen().contains(" gwei") && !session.screen().contains(" ETH"));
    session.keys("V").await;
    assert!(session.screen().contains(" gwei") && !session.screen().contains(" ETH"));
    session.keys("U 1").await;
    let screen = session.content();
    let amounts = screen.replace(" ETH then ", " ").replace(" ETH now ", " ");
    assert!(amounts.contains(" wei\n") && !amounts.contains(" ETH"), "{screen}");
}

#[tokio::test]
async fn copies_ignore_display_settings() {
    let mut session = Session::demo(size(120, 40), CREATE_AND_DESTROY).await;
    session.keys("2 y T").await;
    let tree = session.copied().unwrap().to_owned();
    assert!(tree.contains("{1 ETH}"), "{tree}");
    session.keys("U A y T").await;
    assert_eq!(session.copied(), Some(&*tree));

    let mut session = Session::demo(size(120, 40), ALICE).await;
    let row = session.copied_row().await;
    session.keys("U A").await;
    assert_eq!(session.copied_row().await, row);
}

#[tokio::test]
async fn light_terminal_gets_the_light_theme() {
    let there = TerminalEnv { color: true, ..TerminalEnv::default() };
    let auto = Appearance::new(ThemePreferences::default(), there).unwrap();
    let colors = |session: &Session| -> Vec<Color> {
        session.buffer().content.iter().map(|cell| cell.fg).collect()
    };
    let setup = Setup { appearance: auto.clone(), ..Setup::default() };
    let effects = App::new(setup).start(size(80, 24), ALICE.parse().ok());
    let first = effects.first();
    assert_eq!(first, Some(&Effect::QueryBackground), "the reply arrives while requests are sent");
    let mut session = Session::with_appearance(auto.clone(), size(80, 24), ALICE).await;
    let unknown = colors(&session);
    assert!(unknown.iter().all(|color| *color == Color::Reset), "on any background");
    assert_eq!(session.app.update(Msg::Background(Background::Dark)), []);
    assert!(colors(&session).contains(&Color::LightBlue));

    let mut session = Session::with_appearance(auto, size(80, 24), ALICE).await;
    assert_eq!(session.app.update(Msg::Background(Background::Light)), []);
    assert!(!colors(&session).contains(&Color::LightBlue));

    let chosen = Session::demo(size(80, 24), ALICE).await;
    assert!(!chosen.effects.contains(&Effect::QueryBackground), "the background does not matter");
}

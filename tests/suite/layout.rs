//! Properties of every screen at every size: nothing panics, frames are whole, and no text is cut
//! where it has space.

use chainglass::test_api::api::{ApiError, Cursor, Query};
use ratatui::buffer::Cell;
use ratatui::layout::Size;

use super::demo_items::{NEVER_USED, SWAP};
use super::session::{ALICE, Session, size};
use super::{palette_and_help, screens, split_view};

/// Sizes on both sides of every change of layout, large to small and back.
const SIZES: [Size; 8] = [
    size(250, 70),
    size(160, 40),
    size(159, 40),
    size(100, 24),
    size(80, 24),
    size(60, 15),
    size(40, 10),
    size(120, 40),
];

/// Texts that end in `…` because something is in progress.
const IN_PROGRESS: [&str; 2] = ["loading…", "refreshing…"];

/// Columns that may stay blank after a cut text, because columns grow in steps.
const MAX_UNUSED_COLUMNS: usize = 8;

/// A text of a line that is cut although blank space follows up to the edge of its region.
fn cut_early(line: &str) -> Option<&str> {
    let mut regions = line.split(['│', '┃', '╮', '╯', '┤', '┐', '┘', '▐']);
    regions.find(|region| {
        let unused = region.chars().rev().take_while(|c| *c == ' ').count();
        let text = region.trim_end();
        // After a blank or a bracket it stands for something that is left out whole.
        let is_whole = [" …", "(…", "[…"].iter().any(|end| text.ends_with(end));
        let is_cut = text.ends_with('…') && !is_whole && text != "…";
        let is_in_progress = IN_PROGRESS.iter().any(|end| text.ends_with(end));
        is_cut && !is_in_progress && unused > MAX_UNUSED_COLUMNS
    })
}

fn check(name: &str, session: &Session, size: Size) {
    let buffer = session.buffer();
    assert_eq!(buffer.area.as_size(), size, "{name}");
    let rows = buffer.content().chunks(usize::from(size.width));
    let lines: Vec<String> = rows.map(|cells| cells.iter().map(Cell::symbol).collect()).collect();
    for line in [&lines[0], lines.last().unwrap()] {
        assert!(!line.trim().is_empty(), "{name} at {size}: no title or footer");
    }
    // These are grids, so blank space can belong to their next column.
    let is_grid = name.starts_with("which_") || name.starts_with("help");
    // Of the activity, only parts of a transaction have amounts.
    let has_parts = lines.iter().any(|line| line.contains('└'));
    if !is_grid && !has_parts {
        let cut = lines.iter().find_map(|line| cut_early(line));
        assert_eq!(cut, None, "{name} at {size}\n{}", lines.join("\n"));
    }
}

#[tokio::test]
async fn active_tab_is_shown_whole() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.keys("7").await;
    assert!(session.screen().contains(" 7 Code "), "{}", session.screen());
    session.keys("1").await;
    assert!(session.screen().contains(" 1 Tx "), "{}", session.screen());
}

#[tokio::test]
async fn columns_without_values_give_their_width_to_others() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("4").await;
    let screen = session.screen();
    assert!(!screen.contains("Wrapped T…") && !screen.contains(" id "), "{screen}");
    session.keys("5").await;
    assert!(session.screen().contains("Clone Pics 47 "), "{}", session.screen());
}

#[tokio::test]
async fn json_is_open_next_to_the_fields_and_folded_below_them() {
    let mut session = Session::demo(size(160, 30), SWAP).await;
    session.keys("3").await;
    // The preview is next to the list, or below it.
    for (height, is_folded) in [(30, true), (40, false), (30, true), (40, false)] {
        session.resize(size(160, height)).await;
        let screen = session.screen();
        assert!(screen.contains("JSON"), "{height}: {screen}");
        assert_eq!(screen.contains("▸ JSON"), is_folded, "{height}: {screen}");
    }
}

/// Checks a session at all sizes, and leaves it at 120x40.
pub(crate) async fn check_other_sizes(session: &mut Session) {
    check_sizes("other sizes", session).await;
    session.resize(size(120, 40)).await;
}

async fn check_sizes(name: &str, session: &mut Session) {
    for size in SIZES {
        session.resize(size).await;
        check(name, session, size);
    }
}

async fn check_screens(screens: impl IntoIterator<Item = Screen>) {
    for (name, target, keys) in screens {
        let mut session = Session::demo(size(120, 40), target).await;
        session.keys(keys).await;
        check_sizes(name, &mut session).await;
    }
}

/// A name, the target, and the keys to press.
type Screen = (&'static str, &'static str, &'static str);

/// The screens of all snapshots.
pub(crate) fn all_screens() -> impl Iterator<Item = Screen> {
    screens::SCREENS.into_iter().chain(palette_and_help::SCREENS).chain(split_view::SCREENS)
}

#[tokio::test]
async fn screens_fit_every_size() {
    check_screens(screens::SCREENS).await;
}

#[tokio::test]
async fn palette_and_help_fit_every_size() {
    check_screens(palette_and_help::SCREENS).await;
}

#[tokio::test]
async fn split_views_fit_every_size() {
    check_screens(split_view::SCREENS).await;
}

#[tokio::test]
async fn empty_and_failed_lists_fit_every_size() {
    let refuse = |_: &Query, _: Option<&Cursor>| {
        Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#))
    };
    for tab in ["1", "2", "3", "4", "5"] {
        let mut empty = Session::demo(size(120, 40), NEVER_USED).await;
        empty.keys(tab).await;
        check_sizes("empty list", &mut empty).await;
        let mut failed = Session::canned(size(120, 40), ALICE, refuse).await;
        failed.keys(tab).await;
        check_sizes("failed list", &mut failed).await;
    }
}

//! Themes: one table of roles and styles, and the role of each text on a few screens.

use std::fmt::Write;

use chainglass::test_api::ui::{Appearance, ColorDepth, Role, TerminalEnv, ThemePreferences};
use insta::assert_snapshot;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Style};
use strum::IntoEnumIterator;

use super::demo_items::SWAP;
use super::session::{ALICE, Session, size};

const THEMES: [&str; 9] = [
    "dark",
    "light",
    "mono",
    "high-contrast",
    "dusk",
    "catppuccin",
    "gruvbox",
    "nord",
    "tokyo-night",
];

pub(crate) const MULTICALL_PARTIAL: &str =
    "0x20337b4229c894f9ab51ba87ade1e4ff5dbfd4f4448c164aa8eba54c34daf47b";

/// A name for the snapshot, the target, and the keys to press.
const SCREENS: [(&str, &str, &str); 3] =
    [("start", "", "j"), ("split", ALICE, "j j j"), ("help", ALICE, "?")];

fn appearance(theme: &str, user_theme: Option<&str>, depth: ColorDepth) -> Appearance {
    let env = TerminalEnv { color: true, depth, ..TerminalEnv::default() };
    let preferences =
        ThemePreferences { theme: Some(theme), user_theme, ..ThemePreferences::default() };
    Appearance::new(preferences, env).unwrap()
}

fn describe(style: Style) -> String {
    let color = |color: Option<Color>| color.map_or("-".to_owned(), |color| color.to_string());
    format!("{} on {} {:?}", color(style.fg), color(style.bg), style.add_modifier)
}

#[test]
fn themes_match_their_snapshot() {
    let mut table = String::new();
    let sixteen = THEMES[..5].iter().map(|theme| (*theme, ColorDepth::Sixteen));
    let others = [("dark", ColorDepth::Truecolor), ("dark", ColorDepth::Indexed)];
    for (theme, depth) in sixteen.chain(others) {
        writeln!(table, "{theme}, {depth:?}").unwrap();
        let styles = appearance(theme, None, depth).styles;
        for role in Role::iter() {
            let name = <&str>::from(role);
            writeln!(table, "  {name:<18} {}", describe(styles.of(role))).unwrap();
        }
    }
    assert_snapshot!("role_styles", table);
}

/// A theme that gives each role a colour of its own: the text's as its foreground, the selection's
/// as its background.
fn role_theme() -> String {
    let line = |(n, role): (usize, Role)| {
        let ground = if is_background(role) { "bg" } else { "fg" };
        format!("{} = {{ {ground} = \"#0000{n:02x}\" }}\n", <&str>::from(role))
    };
    Role::iter().enumerate().map(line).collect()
}

fn is_background(role: Role) -> bool {
    use Role::{Cell, Highlight, Selection, SelectionInactive};
    matches!(role, Selection | SelectionInactive | Cell | Highlight)
}

/// The roles that give a cell its style in [`role_theme`].
fn roles(cell: &Cell) -> String {
    let role = |color| match color {
        Color::Rgb(0, 0, n) => Role::iter().nth(n.into()).map(<&str>::from),
        _ => None,
    };
    let roles = [role(cell.fg).filter(|role| *role != "plain"), role(cell.bg)];
    roles.into_iter().flatten().collect::<Vec<_>>().join("+")
}

/// The text of a screen with `{role}` before each change of role; lines start with plain text.
fn with_roles(screen: &Buffer) -> String {
    let lines = screen.content().chunks(usize::from(screen.area.width)).map(|cells| {
        let (mut line, mut current) = (String::new(), String::new());
        for cell in cells {
            let roles = roles(cell);
            if roles != current {
                write!(line, "{{{roles}}}").unwrap();
                current = roles;
            }
            line += cell.symbol();
        }
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn roles_on_screens_match_their_snapshots() {
    let theme = role_theme();
    for (name, target, keys) in SCREENS {
        let appearance = appearance("roles", Some(&theme), ColorDepth::Truecolor);
        let mut session = Session::with_snapshot_keys(size(160, 30), target, appearance).await;
        session.keys(keys).await;
        assert_snapshot!(format!("roles_{name}_160x30"), with_roles(&session.buffer()));
    }
}

fn symbols(screen: &Buffer) -> Vec<&str> {
    screen.content().iter().map(Cell::symbol).collect()
}

#[tokio::test]
async fn themes_change_only_styles() {
    for (name, target, keys) in SCREENS {
        let mut expected = Session::demo(size(160, 30), target).await;
        expected.keys(keys).await;
        let expected = expected.buffer();
        for theme in THEMES {
            let appearance = appearance(theme, None, ColorDepth::Truecolor);
            let mut session = Session::with_appearance(appearance, size(160, 30), target).await;
            session.keys(keys).await;
            assert_eq!(symbols(&session.buffer()), symbols(&expected), "{theme}: {name}");
        }
    }
}

/// Returns the first and the last background below each occurrence of a text.
fn backgrounds(screen: &Buffer, text: &str) -> Vec<[Color; 2]> {
    let rows = screen.content().chunks(usize::from(screen.area.width));
    let found = rows.flat_map(|cells| {
        let width = text.chars().count();
        let is_text = |cells: &&[Cell]| {
            cells.iter().map(Cell::symbol).eq(text.split("").filter(|c| !c.is_empty()))
        };
        let found = cells.windows(width).filter(is_text);
        found.map(|cells| [cells[0].bg, cells[width - 1].bg]).collect::<Vec<_>>()
    });
    found.collect()
}

#[tokio::test]
async fn label_of_an_icicle_stands_on_one_shade() {
    let dark = appearance("dark", None, ColorDepth::Truecolor);
    let mut session = Session::with_appearance(dark, size(120, 40), SWAP).await;
    session.keys("2 i").await;
    for text in ["Pool·Cba6", "15% · 30,613", "self 8%"] {
        let found = backgrounds(&session.buffer(), text);
        assert!(!found.is_empty(), "{text}: {}", session.screen());
        assert!(found.iter().all(|[first, last]| first == last), "{text}: {found:?}");
    }
}

#[tokio::test]
async fn calls_of_a_contract_have_one_colour_in_an_icicle() {
    let dark = appearance("dark", None, ColorDepth::Truecolor);
    let mut session = Session::with_appearance(dark, size(120, 40), MULTICALL_PARTIAL).await;
    session.keys("2 i").await;
    let screen = session.buffer();
    let [router, pool, other] =
        ["Router.", "Pool·Cba6", "Pool·e4EB"].map(|name| backgrounds(&screen, name));
    assert!(router.len() > 2 && router[1] == router[2], "{router:?} {}", session.screen());
    assert!(pool.len() > 1 && pool[0] == pool[1], "{pool:?} {}", session.screen());
    assert!(pool[0] != other[0] && pool[0] != router[1], "{}", session.screen());
}

#[tokio::test]
async fn mono_theme_marks_states_without_colour() {
    let appearance = appearance("mono", None, ColorDepth::Sixteen);
    let mut session = Session::with_appearance(appearance, size(200, 60), ALICE).await;
    session.keys("j").await;
    let list_focused = session.buffer();
    session.keys("tab").await;
    assert_ne!(session.buffer(), list_focused, "the focused pane is marked");
    let is_coloured = |cell: &Cell| cell.fg != Color::Reset || cell.bg != Color::Reset;
    assert!(!session.buffer().content().iter().any(is_coloured));
}

#[tokio::test]
async fn legend_is_in_the_order_of_calls_before_the_edge_of_failures() {
    let swallowing = "0x8fead60105b67d1c1d4cb7f34bae2f09bfb9b852a282ba481e2084b7ae7ca89f";
    for (transaction, keys, legend) in [
        (
            SWAP,
            "2 i",
            "│   Router     GLD     Pool·Cba6     WTH     Pool·e4EB     SAT     Pool·cf27",
        ),
        (swallowing, "2 z R", "│   DeepThrower     Thrower  ▌ failed "),
    ] {
        let look = appearance("dark", None, ColorDepth::Truecolor);
        let mut session = Session::with_appearance(look, size(200, 60), transaction).await;
        session.keys(keys).await;
        let screen = session.screen();
        assert!(screen.contains(legend), "{legend}: {screen}");
    }
}

#[tokio::test]
async fn legend_has_no_edge_of_a_failure_that_is_selected() {
    let look = appearance("dark", None, ColorDepth::Truecolor);
    let mut session = Session::with_appearance(look, size(200, 60), MULTICALL_PARTIAL).await;
    for (keys, has_edge) in [("2 i", true), ("] x", false)] {
        session.keys(keys).await;
        let screen = session.screen();
        assert_eq!(screen.contains("▌ failed"), has_edge, "{keys}: {screen}");
    }
}

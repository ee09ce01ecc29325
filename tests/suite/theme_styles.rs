//! Pictures of the screens of every day in each theme, with their styles.

use chainglass::ui::theme::{Appearance, TerminalEnv, ThemePreferences};
use insta::assert_snapshot;
use ratatui::buffer::{Buffer, Cell};

use super::session::{ALICE, Session, size};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];
const THEMES: [&str; 4] = ["dark", "light", "mono", "high-contrast"];

/// A name for the picture, where to start, and what to press.
const SCREENS: [(&str, &str, &str); 5] = [
    ("start", "", "j"),
    ("help", ALICE, "?"),
    ("palette", ALICE, ": c o p"),
    ("chains", ALICE, "g c"),
    ("side", ALICE, "j j j"),
];

/// How a theme looks on a terminal of sixteen colours.
fn look(theme: &str) -> Appearance {
    let surroundings = TerminalEnv { color: true, ..TerminalEnv::default() };
    Appearance::new(
        ThemePreferences { theme: Some(theme), ..ThemePreferences::default() },
        surroundings,
    )
    .unwrap()
}

/// A screen's lines, with `{n}` where the nth style begins, and what these styles are. A line begins in
/// style 0, which is none.
fn painted(screen: &Buffer) -> String {
    let mut styles = vec![Cell::default().style()];
    let mut lines = Vec::new();
    for cells in screen.content().chunks(usize::from(screen.area.width)) {
        let (mut line, mut now) = (String::new(), 0);
        for cell in cells {
            let known = styles.iter().position(|style| *style == cell.style());
            let style = known.unwrap_or_else(|| {
                styles.push(cell.style());
                styles.len() - 1
            });
            if style != now {
                line.extend(["{", &style.to_string(), "}"]);
                now = style;
            }
            line += cell.symbol();
        }
        lines.push(line.trim_end().to_owned());
    }
    let legend = styles.iter().enumerate().skip(1).map(|(n, style)| {
        let part =
            |color: Option<ratatui::style::Color>| color.map_or("—".into(), |c| c.to_string());
        format!("{{{n}}} {} on {} {:?}", part(style.fg), part(style.bg), style.add_modifier)
    });
    lines.into_iter().chain(legend).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn themes_match_their_snapshot() {
    for theme in THEMES {
        for (width, height) in SIZES {
            for (name, target, keys) in SCREENS {
                let mut session =
                    Session::with_appearance(look(theme), size(width, height), target).await;
                session.keys(keys).await;
                let name = format!("{theme}_{name}_{width}x{height}");
                assert_snapshot!(name, painted(&session.buffer()));
            }
        }
    }
}

/// What is selected, what failed and what has the keys is seen without colours too.
#[tokio::test]
async fn mono_theme_marks_states_without_colour() {
    let mut session = Session::with_appearance(look("mono"), size(200, 60), ALICE).await;
    session.keys("j").await;
    let list = painted(&session.buffer());
    session.keys("tab").await;
    assert_ne!(painted(&session.buffer()), list, "which pane has the keys");
    let colored = |cell: &Cell| {
        let plain = ratatui::style::Color::Reset;
        cell.fg != plain || cell.bg != plain
    };
    assert!(!session.buffer().content().iter().any(colored), "mono has a colour");
}

//! Roles of text and their styles. Nothing relies on colour alone.
//!
//! A widget names a [`Role`], never a colour. A theme file gives each role a style for true colour and
//! one for sixteen colours; roles that it leaves out are taken from its base theme, or from an older role.

mod appearance;
mod color;
mod style_pair;
mod theme_file;

use ratatui::style::{Color, Modifier, Style};
use strum::{EnumCount, EnumIter, EnumString, IntoStaticStr, VariantNames};

pub use appearance::{Appearance, BackgroundStyles, TerminalEnv, ThemePreferences};
pub use color::ColorDepth;
pub use theme_file::{Theme, built_in_names, load_theme};

/// The meaning of a piece of text, which determines its style.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    EnumCount,
    EnumIter,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Role {
    #[default]
    Plain,
    Dim,
    Title,
    /// The name of the current page, and keys.
    Accent,
    Ok,
    Failed,
    /// An amount that an account lost.
    Loss,
    Warning,
    /// An amount that is not zero.
    Value,
    Link,
    /// A delegated call: code that runs as another contract.
    Delegate,
    Match,
    /// The selected row or tab. Applied over other styles.
    Selection,
    /// The selected row of a pane without focus.
    SelectionInactive,
    /// The selected cell of the selected row.
    Cell,
    Border,
    BorderFocused,
    /// A short fixed word next to the text that it qualifies, such as the kind of a call or a count.
    Badge,
    /// The coloured mark of an address. Its hues come from the address and are as light as this colour;
    /// without a colour the marks differ by shape alone.
    Mark,
    /// The address under the cursor, in its other places.
    Highlight,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Styles {
    roles: [Style; Role::COUNT],
    unfocused: bool,
}

pub const HUE_COUNT: usize = 12;
/// Hues that are easily distinguished.
const HUES: [[u8; 3]; HUE_COUNT] = [
    [229, 72, 77],
    [222, 120, 40],
    [200, 160, 0],
    [120, 175, 30],
    [45, 175, 95],
    [20, 165, 150],
    [30, 150, 200],
    [60, 120, 250],
    [110, 100, 235],
    [160, 85, 235],
    [210, 70, 200],
    [230, 65, 130],
];
const ANSI_HUES: [Color; 6] =
    [Color::Red, Color::Yellow, Color::Green, Color::Cyan, Color::Blue, Color::Magenta];

/// Hues of filled blocks: none that looks like a failure.
const FILL_HUES: &[[u8; 3]] = HUES.split_at(1).1.split_at(FILL_HUE_COUNT).0;
pub const FILL_HUE_COUNT: usize = 10;
/// Colours that are light in all usual palettes.
const ANSI_FILLS: [Color; 5] =
    [Color::Cyan, Color::LightYellow, Color::LightGreen, Color::LightMagenta, Color::LightCyan];
const LIGHT_TEXT: Color = Color::Rgb(240, 243, 248);
const DARK_TEXT: Color = Color::Rgb(22, 26, 32);

/// The shade of a filled block among others of its hue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillShade {
    /// The part of a block that is made up of the blocks below it.
    Inner,
    /// The same part of a block above or below one that is [`Inner`](Self::Inner).
    OddInner,
    /// The part that is the block's own, in a stronger shade.
    Own,
    /// The selected block: the brightest on a dark ground, and the darkest on a light one.
    Selected,
    SelectedOwn,
}

impl FillShade {
    /// Returns a gray that is as light as the shade on a dark ground.
    fn on_dark(self) -> [u8; 3] {
        [match self {
            Self::Inner => 52,
            Self::OddInner => 44,
            Self::Own => 86,
            Self::Selected => 150,
            Self::SelectedOwn => 190,
        }; 3]
    }

    fn on_light(self) -> [u8; 3] {
        [match self {
            Self::Inner => 214,
            Self::OddInner => 222,
            Self::Own => 182,
            Self::Selected => 82,
            Self::SelectedOwn => 60,
        }; 3]
    }

    fn is_selected(self) -> bool {
        matches!(self, Self::Selected | Self::SelectedOwn)
    }
}

/// The ground of a theme, as far as filled blocks depend on it.
enum Ground {
    Dark,
    Light,
    Sixteen,
    Colorless,
}

/// Returns the perceived lightness of a colour, from 0 to 255.
fn lightness([r, g, b]: [u8; 3]) -> u32 {
    (299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b)) / 1_000
}

/// Mixes a colour with black or white until it is as light as another.
fn with_lightness(color: [u8; 3], like: [u8; 3]) -> Color {
    let [from, to] = [color, like].map(lightness);
    let [r, g, b] = color.map(|part| {
        let part = u32::from(part);
        let mixed = match to.checked_sub(from) {
            Some(up) => part + (255 - part) * up / (255 - from).max(1),
            None => part * to / from.max(1),
        };
        u8::try_from(mixed).unwrap_or(u8::MAX)
    });
    Color::Rgb(r, g, b)
}

impl Styles {
    /// Returns the styles of the `dark` theme in sixteen colours, on the terminal's own background, or
    /// of `mono`.
    pub fn new(color: bool) -> Self {
        let theme = load_theme(if color { "dark" } else { "mono" }, None);
        // A test parses all built-in themes, so this does not fail.
        let plain = Self { roles: [Style::new(); Role::COUNT], unfocused: false };
        theme.map_or(plain, |theme| theme.styles(ColorDepth::Sixteen).in_terminal_colors())
    }

    /// Leaves plain text and the background to the terminal.
    #[must_use]
    pub fn in_terminal_colors(mut self) -> Self {
        self.roles[Role::Plain as usize] = Style::new();
        self
    }

    #[must_use]
    pub fn unfocused(&self) -> Self {
        Self { unfocused: true, ..self.clone() }
    }

    pub fn is_focused(&self) -> bool {
        !self.unfocused
    }

    pub fn of(&self, role: Role) -> Style {
        self.roles.get(role as usize).copied().unwrap_or_default()
    }

    /// Returns one of the hues of [`Role::Mark`], or no colour if that has none.
    pub fn mark_hue(&self, number: usize) -> Style {
        let mark = self.of(Role::Mark);
        match mark.fg {
            None | Some(Color::Reset) => mark,
            Some(Color::Rgb(r, g, b)) => {
                mark.fg(with_lightness(HUES[number % HUES.len()], [r, g, b]))
            }
            Some(_) => mark.fg(ANSI_HUES[number % ANSI_HUES.len()]),
        }
    }

    /// Returns the style of the selected row.
    pub fn selection(&self) -> Style {
        self.of(if self.unfocused { Role::SelectionInactive } else { Role::Selection })
    }

    /// Returns the style of a block filled with one of the hues, on which text is readable. Without
    /// colours all blocks are alike, but for the selected one.
    pub fn hue_fill(&self, number: usize, shade: FillShade) -> Style {
        let ansi = ANSI_FILLS[number % ANSI_FILLS.len()];
        self.fill(FILL_HUES[number % FILL_HUES.len()], ansi, shade)
    }

    fn fill(&self, hue: [u8; 3], ansi: Color, shade: FillShade) -> Style {
        let text = |style: Style| if shade.is_selected() { style.bold() } else { style };
        text(match self.ground() {
            Ground::Colorless | Ground::Sixteen if shade.is_selected() => {
                self.of(Role::Plain).reversed()
            }
            Ground::Colorless => self.of(Role::Plain),
            Ground::Sixteen => Style::new().fg(Color::Black).bg(ansi),
            Ground::Dark => {
                let color = if shade.is_selected() { DARK_TEXT } else { LIGHT_TEXT };
                Style::new().fg(color).bg(with_lightness(hue, shade.on_dark()))
            }
            Ground::Light => {
                let color = if shade.is_selected() { LIGHT_TEXT } else { DARK_TEXT };
                Style::new().fg(color).bg(with_lightness(hue, shade.on_light()))
            }
        })
    }

    /// Returns the style of a line that separates filled blocks, drawn over their own style.
    pub fn fill_edge(&self) -> Style {
        match self.ground() {
            Ground::Colorless | Ground::Sixteen => Style::new(),
            Ground::Dark => Style::new().fg(Color::Rgb(15, 19, 26)),
            Ground::Light => Style::new().fg(Color::Rgb(255, 255, 255)),
        }
    }

    /// Returns the style of a cell below a popup: its colours halfway to black or white, or dim
    /// text on a terminal of few colours.
    pub fn below_popup(&self, cell: Style) -> Style {
        let dim = self.of(Role::Dim);
        let fade = |color| match (color, self.ground()) {
            (Color::Rgb(r, g, b), Ground::Dark) => Some(Color::Rgb(r / 2, g / 2, b / 2)),
            (Color::Rgb(r, g, b), Ground::Light) => {
                let [r, g, b] = [r, g, b].map(|part| 255 - (255 - part) / 2);
                Some(Color::Rgb(r, g, b))
            }
            _ => None,
        };
        // Text in the terminal's own colour is lighter than dim text.
        let plain = dim.fg.and_then(fade).or(dim.fg);
        let text = cell.fg.and_then(fade).or(plain);
        let below = Style { fg: text.or(cell.fg), bg: cell.bg.and_then(fade).or(cell.bg), ..dim };
        below.remove_modifier(Modifier::BOLD)
    }

    /// Returns a fill in the colour of a role that is weaker than its text, if there are such shades.
    pub fn weak_fill(&self, role: Role) -> Option<Color> {
        let weaken = |ground: u8, part: u8| {
            let mixed = (u16::from(ground) * 7 + u16::from(part) * 3) / 10;
            u8::try_from(mixed).unwrap_or(part)
        };
        match (self.of(role).fg?, self.ground()) {
            (Color::Rgb(r, g, b), Ground::Dark) => {
                Some(Color::Rgb(weaken(15, r), weaken(19, g), weaken(26, b)))
            }
            (Color::Rgb(r, g, b), Ground::Light) => {
                Some(Color::Rgb(weaken(255, r), weaken(255, g), weaken(255, b)))
            }
            _ => None,
        }
    }

    /// Returns `true` if parts of filled blocks differ from the rest.
    pub fn has_shades(&self) -> bool {
        matches!(self.ground(), Ground::Dark | Ground::Light)
    }

    /// Returns the style of lines in one of the hues of [`hue_fill`](Self::hue_fill).
    pub fn fill_hue(&self, number: usize) -> Style {
        self.mark_hue(number % FILL_HUE_COUNT + 1)
    }

    fn ground(&self) -> Ground {
        match self.of(Role::Mark).fg {
            None | Some(Color::Reset) => Ground::Colorless,
            // A mark is light on a dark ground, and dark on a light one.
            Some(Color::Rgb(r, g, b)) if lightness([r, g, b]) > 127 => Ground::Dark,
            Some(Color::Rgb(..)) => Ground::Light,
            Some(_) => Ground::Sixteen,
        }
    }

    /// Returns the style of text in a frame, without the frame's own style.
    pub fn in_frame(&self, role: Role) -> Style {
        Style::reset().patch(self.of(Role::Plain)).patch(self.of(role))
    }

    /// Returns the style of a frame.
    pub fn border(&self) -> Style {
        self.of(if self.unfocused { Role::Border } else { Role::BorderFocused })
    }
}

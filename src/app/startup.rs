//! The app as it starts.

use ratatui::layout::Size;

use super::App;
use super::chain_switching::Visited;
use super::mouse::Pointer;
use super::request_log::Requests;
use super::split_view::state::Habit;
use super::which_key::Hinting;
use crate::abi::Book;
use crate::chain::Timestamp;
use crate::chain::chains::Chains;
use crate::chain::network::Network;
use crate::chain::target::Goal;
use crate::keymap::Keymap;
use crate::msg::Effect;
use crate::pane::Link;
use crate::sanitize::Text;
use crate::ui::number_format::Notation;
use crate::ui::theme::Look;

/// What the app starts with.
#[derive(Debug)]
pub struct Setup {
    /// The chain that is looked at first.
    pub network: Network,
    /// The chains that can be named.
    pub chains: Chains,
    /// How everything looks.
    pub look: Look,
    /// How amounts of the coin and times are written.
    pub notation: Notation,
    /// What keys do.
    pub keymap: Keymap,
    /// Known signatures.
    pub book: Book,
    /// The time.
    pub now: Timestamp,
    /// What is wrong with the user's settings.
    pub problems: Vec<Text>,
    /// What a list's selected row leads to stands beside it, on a screen of 160 columns or more.
    pub side: bool,
    /// Whether it is remembered which places were visited.
    pub recent: bool,
    /// Whether the mouse is heard from the start.
    pub mouse: bool,
}

impl App {
    /// The app before it has been shown; [`App::start`] opens the first place.
    pub fn new(setup: Setup) -> Self {
        let Setup { network, chains, look, notation, keymap, book, .. } = setup;
        let Setup { now, problems, side, recent, mouse, .. } = setup;
        let Look { styles, light, ascii } = look;
        Self {
            visited: Visited::new(network, &book),
            chains,
            awaited: None,
            styles,
            light,
            ascii,
            notation,
            keymap,
            size: Size::default(),
            now,
            places: Vec::new(),
            at: 0,
            overlay: None,
            pending: Vec::new(),
            hinting: Hinting::default(),
            notice: complaint(&problems),
            requests: Requests::default(),
            used: Vec::new(),
            panes: 0,
            interrupted: false,
            beside: Habit::new(side),
            recent,
            copied: None,
            pointer: Pointer::new(mouse),
        }
    }

    /// Opens the first place: the target's, or the start screen, where a name is asked for.
    pub fn start(&mut self, size: Size, goal: Option<Goal>) -> Vec<Effect> {
        self.size = size;
        let mut effects = match goal {
            Some(Goal::Target(target)) => [self.read_own(), self.visit_target(target)].concat(),
            Some(Goal::Name(name)) => self.start_with_name(name),
            None => self.visit(Link::Start),
        };
        self.begin(&mut effects);
        effects
    }

    /// What is wanted from the terminal at the start.
    pub(super) fn begin(&mut self, effects: &mut Vec<Effect>) {
        effects.extend(self.light.as_ref().map(|_| Effect::AskBackground));
        self.capture(effects);
    }
}

/// What is said of the user's settings at the start.
fn complaint(problems: &[Text]) -> Option<Text> {
    let (first, rest) = problems.split_first()?;
    let more = match rest.len() {
        0 => String::new(),
        more => format!(" (and {more} more: chainglass config --check)"),
    };
    Some(Text::new(&format!("{first}{more}")))
}

//! The app as it starts.

use ratatui::layout::Size;

use super::App;
use super::chain_switching::ChainSessions;
use super::mouse::MouseState;
use super::request_log::RequestLog;
use super::split_view::state::SplitSettings;
use super::which_key::WhichKey;
use crate::abi::SignatureDb;
use crate::chain::Timestamp;
use crate::chain::chains::Chains;
use crate::chain::network::Network;
use crate::chain::target::TargetOrName;
use crate::keymap::Keymap;
use crate::msg::Effect;
use crate::pane::Route;
use crate::sanitize::SafeText;
use crate::ui::number_format::FormatOptions;
use crate::ui::theme::Appearance;

/// What the app starts with.
#[derive(Debug)]
pub struct Setup {
    /// The chain that is looked at first.
    pub network: Network,
    /// The chains that can be named.
    pub chains: Chains,
    /// How everything looks.
    pub appearance: Appearance,
    /// How amounts of the coin and times are written.
    pub format: FormatOptions,
    /// What keys do.
    pub keymap: Keymap,
    /// Known signatures.
    pub signature_db: SignatureDb,
    /// The time.
    pub now: Timestamp,
    /// What is wrong with the user's settings.
    pub problems: Vec<SafeText>,
    /// What a list's selected row leads to stands beside it, on a screen of 160 columns or more.
    pub split: bool,
    /// Whether it is remembered which places were visited.
    pub records_recents: bool,
    /// Whether the mouse is heard from the start.
    pub mouse: bool,
}

impl App {
    /// The app before it has been shown; [`App::start`] opens the first place.
    pub fn new(setup: Setup) -> Self {
        let Setup {
            network,
            chains,
            appearance: look,
            format: notation,
            keymap,
            signature_db: book,
            ..
        } = setup;
        let Setup { now, problems, split: side, records_recents: recent, mouse, .. } = setup;
        let Appearance { styles, light_styles: light, ascii } = look;
        Self {
            sessions: ChainSessions::new(network, &book),
            chains,
            pending_route: None,
            styles,
            light_styles: light,
            ascii,
            format: notation,
            keymap,
            size: Size::default(),
            now,
            history: Vec::new(),
            current: 0,
            overlay: None,
            pending_keys: Vec::new(),
            which_key: WhichKey::default(),
            notice: startup_notice(&problems),
            request_log: RequestLog::default(),
            palette_history: Vec::new(),
            next_pane_id: 0,
            was_interrupted: false,
            split_settings: SplitSettings::new(side),
            records_recents: recent,
            last_copied: None,
            mouse: MouseState::new(mouse),
        }
    }

    /// Opens the first place: the target's, or the start screen, where a name is asked for.
    pub fn start(&mut self, size: Size, goal: Option<TargetOrName>) -> Vec<Effect> {
        self.size = size;
        let mut effects = match goal {
            Some(TargetOrName::Target(target)) => {
                [self.load_user_data(), self.open_target(target)].concat()
            }
            Some(TargetOrName::Name(name)) => self.start_with_name(name),
            None => self.navigate(Route::Start),
        };
        self.init_terminal(&mut effects);
        effects
    }

    /// What is wanted from the terminal at the start.
    pub(super) fn init_terminal(&mut self, effects: &mut Vec<Effect>) {
        effects.extend(self.light_styles.as_ref().map(|_| Effect::QueryBackground));
        self.sync_mouse_capture(effects);
    }
}

/// What is said of the user's settings at the start.
fn startup_notice(problems: &[SafeText]) -> Option<SafeText> {
    let (first, rest) = problems.split_first()?;
    let more = match rest.len() {
        0 => String::new(),
        more => format!(" (and {more} more: chainglass config --check)"),
    };
    Some(SafeText::new(&format!("{first}{more}")))
}

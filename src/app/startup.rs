//! Creates the app and opens its first page.

use std::collections::{HashSet, VecDeque};

use ratatui::layout::Size;

use super::App;
use super::input::Input;
use super::navigation::Navigation;
use super::overlays::Overlays;
use super::overlays::request_log::RequestLog;
use super::requests::ledger::Ledger;
use super::requests::recovery::Recovery;
use super::screen::display_settings::DisplaySettings;
use super::sessions::ChainSessions;
use crate::abi::SignatureDb;
use crate::app_message::Effect;
use crate::chain::Timestamp;
use crate::chain::chains::Chains;
use crate::chain::network::Network;
use crate::chain::target::TargetOrName;
use crate::config::AppSettings;
use crate::keymap::Keymap;
use crate::messages::Count;
use crate::messages::notice::{AppNotice, Notice, NoticeKind};
use crate::pane::Route;
use crate::picture::PictureOptions;
use crate::sanitize::SafeText;
use crate::ui::format_options::FormatOptions;
use crate::ui::theme::{Appearance, Styles};

#[derive(Debug, Clone)]
pub struct Setup {
    pub network: Network,
    pub chains: Chains,
    pub appearance: Appearance,
    pub format: FormatOptions,
    pub keymap: Keymap,
    pub signature_db: SignatureDb,
    pub now: Timestamp,
    pub problems: Vec<SafeText>,
    pub settings: AppSettings,
    pub pictures: PictureOptions,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            network: Network::demo(),
            chains: Chains::default(),
            appearance: Styles::new(true).into(),
            format: FormatOptions::default(),
            keymap: Keymap::embedded().unwrap_or_default(),
            signature_db: SignatureDb::builtin(),
            now: Timestamp::default(),
            problems: Vec::new(),
            settings: AppSettings::default(),
            pictures: PictureOptions::default(),
        }
    }
}

impl App {
    pub fn new(setup: Setup) -> Self {
        let settings = &setup.settings;
        Self {
            sessions: ChainSessions::new(
                setup.network,
                &setup.signature_db,
                settings.remembers_recents,
            ),
            chains: setup.chains,
            nav: Navigation::new(settings.split_view),
            ledger: Ledger::default(),
            known_replies: VecDeque::new(),
            recovery: Recovery::default(),
            input: Input::new(setup.keymap, settings.mouse),
            overlays: Overlays::default(),
            display: DisplaySettings::new(
                setup.appearance,
                setup.format,
                setup.settings,
                setup.now,
                setup.pictures,
            ),
            notice: startup_notice(&setup.problems),
            request_log: RequestLog::default(),
            looked_up: HashSet::default(),
        }
    }

    /// Opens the first page: the target, or the start page, where a name is resolved.
    pub fn start(&mut self, size: Size, goal: Option<TargetOrName>) -> Vec<Effect> {
        self.display.size = size;
        let mut effects = match goal {
            Some(TargetOrName::Target(target)) => {
                [self.load_user_data(), self.open_target(&target)].concat()
            }
            Some(TargetOrName::Name(name)) => self.start_with_name(&name),
            None => self.navigate(Route::Start),
        };
        self.init_terminal(&mut effects);
        effects
    }

    /// Adds the effects that set up the terminal. They come first: its reply arrives while the others
    /// are executed.
    pub(super) fn init_terminal(&mut self, effects: &mut Vec<Effect>) {
        let background = self.display.background_styles.as_ref().map(|_| Effect::QueryBackground);
        let asks_terminal = self.display.pictures.options().asks_terminal;
        let graphics = asks_terminal.then_some(Effect::QueryGraphics);
        let mut setup: Vec<Effect> = background.into_iter().chain(graphics).collect();
        self.sync_mouse_capture(&mut setup);
        effects.splice(..0, setup);
    }
}

fn startup_notice(problems: &[SafeText]) -> Option<Notice> {
    let (first, problems) = (problems.first()?, Count(problems.len(), "problem"));
    let text = SafeText::new(&AppNotice::SettingsProblems { problems, first }.to_string());
    Some(Notice { text, kind: NoticeKind::Failure })
}

//! Creates the app and opens its first page.

use std::collections::HashSet;

use ratatui::layout::Size;

use super::App;
use super::input::Input;
use super::navigation::Navigation;
use super::overlays::Overlays;
use super::overlays::request_log::RequestLog;
use super::requests::ledger::Ledger;
use super::screen::display_settings::DisplaySettings;
use super::sessions::ChainSessions;
use crate::abi::SignatureDb;
use crate::chain::Timestamp;
use crate::chain::chains::Chains;
use crate::chain::network::Network;
use crate::chain::target::TargetOrName;
use crate::keymap::Keymap;
use crate::messages::notice::{AppNotice, Notice};
use crate::msg::Effect;
use crate::pane::Route;
use crate::picture::PictureOptions;
use crate::sanitize::SafeText;
use crate::ui::number_format::FormatOptions;
use crate::ui::theme::Appearance;

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct Setup {
    pub network: Network,
    pub chains: Chains,
    pub appearance: Appearance,
    pub format: FormatOptions,
    pub keymap: Keymap,
    pub signature_db: SignatureDb,
    pub now: Timestamp,
    pub problems: Vec<SafeText>,
    /// `true` if lists have a preview on screens of at least 160 columns.
    pub split: bool,
    /// `true` if opened routes are added to the recents.
    pub records_recents: bool,
    pub mouse: bool,
    pub pictures: PictureOptions,
    /// `true` if the names of the contracts in traces are fetched.
    pub fetches_contract_names: bool,
    /// `true` if there is a database for unknown signatures.
    pub looks_signatures_up: bool,
}

impl App {
    pub fn new(setup: Setup) -> Self {
        Self {
            sessions: ChainSessions::new(setup.network, &setup.signature_db, setup.records_recents),
            chains: setup.chains,
            nav: Navigation::new(setup.split),
            ledger: Ledger::default(),
            input: Input::new(setup.keymap, setup.mouse),
            overlays: Overlays::default(),
            display: DisplaySettings::new(
                setup.appearance,
                setup.format,
                setup.now,
                setup.pictures,
            ),
            notice: startup_notice(&setup.problems).map(Notice::from),
            request_log: RequestLog::default(),
            fetches_contract_names: setup.fetches_contract_names,
            looks_signatures_up: setup.looks_signatures_up,
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
            Some(TargetOrName::Name(name)) => self.start_with_name(name),
            None => self.navigate(Route::Start),
        };
        self.init_terminal(&mut effects);
        effects
    }

    pub(super) fn init_terminal(&mut self, effects: &mut Vec<Effect>) {
        effects.extend(self.display.background_styles.as_ref().map(|_| Effect::QueryBackground));
        let asks_terminal = self.display.pictures.options().asks_terminal;
        effects.extend(asks_terminal.then_some(Effect::QueryGraphics));
        self.sync_mouse_capture(effects);
    }
}

fn startup_notice(problems: &[SafeText]) -> Option<SafeText> {
    let (first, rest) = problems.split_first()?;
    Some(match rest.len() {
        0 => first.clone(),
        more => SafeText::new(&AppNotice::SettingsProblems { first, more }.to_string()),
    })
}

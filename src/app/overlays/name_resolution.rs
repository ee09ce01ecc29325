//! Resolves names and times: an input that is neither an address nor a hash is sent to the explorer,
//! while the prompt stays open.

use std::fmt::Display;
use std::sync::Arc;

use super::palette::target_picker;
use super::prompt::{PromptKind, PromptState};
use crate::abi::DataMeaning;
use crate::api::{Query, ReplyResult, block_at_time, latest_block, resolved_target};
use crate::app::requests::ledger::Owner;
use crate::app::{App, Overlay};
use crate::app_message::{ChainIndex, ChainRequest, Effect, Priority};
use crate::chain::data_input::{DataInput, GoToError, GoToInput};
use crate::chain::target::{ParseTargetError, Target, TargetKind, TargetOrName};
use crate::chain::time_input::TimeInput;
use crate::chain::{Address, Bytes};
use crate::messages::api_error::{BlockTimeError, NameSearchError};
use crate::messages::notice::AppNotice;
use crate::messages::prompt::{self, OverlayText};
use crate::pane::Route;
use crate::sanitize::SafeText;
use crate::ui::age::AgeClock;

impl App {
    pub(in crate::app) fn go_to(&mut self, mut prompt: PromptState) -> Vec<Effect> {
        match prompt.parse_goal() {
            Ok(GoToInput::Place(TargetOrName::Target(target))) => match self.known_word(&target) {
                Some(word) => self.open_data(word, prompt),
                None => self.go_to_target(&target),
            },
            Ok(GoToInput::Place(TargetOrName::Name(name))) => self.resolve_name(name, prompt),
            Ok(GoToInput::LatestBlock) => self.ask_for_target(Query::LatestBlocks, prompt),
            Ok(GoToInput::Time(time)) => self.find_block(time, prompt),
            Ok(GoToInput::Data(input)) => self.open_data(input, prompt),
            Err(GoToError::Target(ParseTargetError::Unclear(found))) => match &found[..] {
                [one] => self.go_to_target(one),
                _ => self.open_overlay(target_picker(found)),
            },
            Err(error) => {
                prompt.show_error(SafeText::new(&error.to_string()));
                self.open_overlay(Overlay::Prompt(prompt))
            }
        }
    }

    /// Opens the pasted text. A name, or a hash in a text, is not sent before the user confirms it: it
    /// may be anything from the clipboard.
    pub(in crate::app) fn go_to_pasted(&mut self, text: &str) -> Vec<Effect> {
        let prompt = PromptState::new(PromptKind::GoTo, text);
        match prompt.parse_goal() {
            Ok(GoToInput::Place(TargetOrName::Name(_))) => {
                self.open_overlay(Overlay::Prompt(prompt))
            }
            Err(GoToError::Target(ParseTargetError::Unclear(found))) => {
                self.open_overlay(target_picker(found))
            }
            _ => self.go_to(prompt),
        }
    }

    /// Returns a hash as data if it has a meaning that no transaction's hash has: a known topic or slot, a
    /// number or an address.
    fn known_word(&self, target: &Target) -> Option<DataInput> {
        let TargetKind::Transaction(hash) = &target.kind else { return None };
        let word = DataInput::Bytes(Bytes::copy_from_slice(hash.as_slice()));
        let meanings = self.session().signature_db.meanings(&word, None, &|_| Vec::new()).ok()?;
        let is_known = !matches!(meanings.first(), None | Some(DataMeaning::Hash(_)));
        (is_known && target.chain.is_none()).then_some(word)
    }

    /// Opens the page of data, unless a signature has a mistake. Calldata is decoded for the contract
    /// of the page below.
    fn open_data(&mut self, input: DataInput, mut prompt: PromptState) -> Vec<Effect> {
        let contract = self.viewed_contract();
        let session = self.session();
        if let Err(why) = session.signature_db.meanings(&input, contract, &|_| Vec::new()) {
            prompt.show_error(SafeText::new(&why.to_string()));
            return self.open_overlay(Overlay::Prompt(prompt));
        }
        self.navigate(Route::Decoded { input: Arc::new(input), contract })
    }

    /// Returns the contract that the page is about.
    fn viewed_contract(&self) -> Option<Address> {
        let TargetKind::Address(address) = self.nav.focused_route()?.target()? else {
            return None;
        };
        let has_code = self.session().name_cache.has_code(&address) == Some(true);
        has_code.then_some(address)
    }

    /// Opens a target, on the chain that its link is about.
    pub(super) fn go_to_target(&mut self, target: &Target) -> Vec<Effect> {
        let linked = target.chain.as_ref().filter(|c| !self.session().network.is_linked_by(c));
        let Some(linked) = linked else { return self.open_target(target) };
        if let Some(network) = self.chains.linked_network(linked) {
            self.warn_checksum(target.checksum_mismatch);
            return self.open_on_chain(network, Route::from(target));
        }
        let chain = linked.to_string();
        let effects = self.open_target(target);
        self.warn(&AppNotice::UnknownExplorer { chain: &chain });
        effects
    }

    pub(in crate::app) fn start_with_name(&mut self, name: &str) -> Vec<Effect> {
        let prompt = PromptState::new(PromptKind::GoTo, name);
        [self.navigate(Route::Start), self.go_to(prompt)].concat()
    }

    /// Opens the address with a label, or asks the explorer for the name.
    fn resolve_name(&mut self, name: SafeText, prompt: PromptState) -> Vec<Effect> {
        if let Some(address) = self.labelled_address(&name) {
            return self.navigate(Route::Target(TargetKind::Address(address)));
        }
        self.ask_for_target(Query::Redirect(name), prompt)
    }

    /// Asks for the block of a time, relative to the clock of the chain.
    fn find_block(&mut self, time: TimeInput, mut prompt: PromptState) -> Vec<Effect> {
        let now = AgeClock::new(&self.session().network, self.display.now).now();
        let why = match time.resolve(now) {
            Some(time) if time <= now => {
                return self.ask_for_target(Query::BlockByTime(time), prompt);
            }
            Some(_) => BlockTimeError::Future,
            None => BlockTimeError::BeforeCalendar,
        };
        prompt.show_error(SafeText::new(&why.to_string()));
        self.open_overlay(Overlay::Prompt(prompt))
    }

    fn ask_for_target(&mut self, query: Query, mut prompt: PromptState) -> Vec<Effect> {
        let cancel = self.cancel(Owner::GoTo);
        prompt.clear_error();
        self.open_overlay(Overlay::Prompt(prompt));
        let priority = Priority::Interactive;
        let request = ChainRequest::Fetch { query, cursor: None, priority };
        let request = self.request(Owner::GoTo, self.nav.chain(), request);
        cancel.into_iter().chain([request]).collect()
    }

    /// Repeats the request of the prompt.
    pub(in crate::app) fn ask_prompt_again(&mut self, was_resolving: bool) -> Vec<Effect> {
        match self.overlays.top.take_if(|_| was_resolving) {
            Some(Overlay::Prompt(prompt)) => self.go_to(prompt),
            _ => self.on_prompt_edited(),
        }
    }

    /// Opens the target of the name, or the block of the time, in the prompt.
    pub(in crate::app) fn on_target_found(
        &mut self,
        chain: ChainIndex,
        query: &Query,
        reply: &ReplyResult,
    ) -> Vec<Effect> {
        let host = self.sessions.at(chain).network.endpoint.host();
        let chain_name = self.sessions.at(chain).network.name.clone();
        let keys = self.pane_keys().expand(prompt::ASKS_AGAIN).into_owned();
        let Some(Overlay::Prompt(prompt)) = &mut self.overlays.top else { return Vec::new() };
        let again = |failure: &dyn Display| SafeText::new(&format!("{failure} · {keys}"));
        let no_block = |reason| match reason {
            BlockTimeError::Explorer(failure) => again(&failure),
            reason => SafeText::new(&reason.to_string()),
        };
        let found = match query {
            Query::LatestBlocks => latest_block(reply, host.as_deref()).map_err(no_block),
            Query::BlockByTime(time) => {
                block_at_time(reply, *time, host.as_deref()).map_err(no_block)
            }
            _ => match resolved_target(prompt.text().trim(), reply, host.as_deref()) {
                Err(why @ NameSearchError::NotFound { .. }) => {
                    let (why, chain_name) = (&why.to_string(), &chain_name);
                    let text = OverlayText::NotOnChain { why, chain: chain_name }.to_string();
                    return self.on_unknown_name(text.into());
                }
                Err(why @ NameSearchError::TooShort) => {
                    return self.on_unknown_name(why.into());
                }
                found => found.map_err(|reason| match reason {
                    NameSearchError::Explorer(failure) => again(&failure),
                    reason => reason.into(),
                }),
            },
        };
        match found {
            Ok(target) => {
                self.overlays.top = None;
                self.navigate_on(chain, Route::Target(target))
            }
            Err(reason) => {
                prompt.show_error(reason);
                Vec::new()
            }
        }
    }

    /// Opens hex without `0x`, which might have been a name, or else leaves the choice among the results of
    /// the search to the user.
    fn on_unknown_name(&mut self, why: SafeText) -> Vec<Effect> {
        let Some(Overlay::Prompt(mut prompt)) = self.overlays.top.take() else { return Vec::new() };
        if let Ok(data @ DataInput::Bytes(_)) = prompt.text().parse() {
            return self.open_data(data, prompt);
        }
        if !prompt.search.has_results() {
            prompt.show_error(why);
        }
        let is_searched = prompt.search.has_begun();
        self.overlays.top = Some(Overlay::Prompt(prompt));
        // A name of the command line is not searched for as it is typed.
        let effects = if is_searched { Vec::new() } else { self.on_prompt_edited() };
        if let Some(prompt) = self.go_to_prompt() {
            prompt.search.select_first();
        }
        effects
    }
}

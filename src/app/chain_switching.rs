//! Going from one chain to another, and the events of connections.

use super::sessions::ChainSession;
use super::{App, Overlay};
use crate::app_message::{ChainIndex, Effect, NetworkEvent};
use crate::chain::network::Network;
use crate::messages::notice::{AppNotice, Notice};
use crate::pane::Route;
use crate::sanitize::SafeText;

/// The id of Ethereum. A chain of the user with this id comes first.
const ETHEREUM: &str = "1";

impl App {
    pub(super) fn session(&self) -> &ChainSession {
        self.sessions.at(self.nav.chain())
    }

    pub(super) fn session_mut(&mut self) -> &mut ChainSession {
        self.sessions.at_mut(self.nav.chain())
    }

    /// Opens the start page of a chain, unless it is the current one.
    pub fn switch_chain(&mut self, network: Network) -> Vec<Effect> {
        if self.session().is_at(&network.endpoint) {
            return self.notify(&AppNotice::AlreadyOnChain { chain: &network.to_string() });
        }
        self.notice = None;
        self.open_on_chain(network, Route::Start)
    }

    /// Opens a route on a chain, once it has a provider.
    pub(super) fn open_on_chain(&mut self, network: Network, route: Route) -> Vec<Effect> {
        let chain = self.sessions.find_or_add(network);
        let session = self.sessions.at(chain);
        if session.has_provider {
            return self.navigate_on(chain, route);
        }
        let network = session.network.clone();
        self.sessions.pending = Some((chain, route));
        vec![Effect::OpenProvider { chain, network }]
    }

    pub(super) fn open_on_ethereum(&mut self, route: Route) -> Vec<Effect> {
        match self.chains.resolve(ETHEREUM) {
            Ok(network) => self.open_on_chain(network, route),
            Err(why) => self.warn(&why),
        }
    }

    pub(super) fn on_network_event(
        &mut self,
        chain: ChainIndex,
        event: NetworkEvent,
    ) -> Vec<Effect> {
        match event {
            NetworkEvent::Decided(network) => return self.on_decided(chain, *network),
            NetworkEvent::Index(progress) => return self.on_index_progress(chain, &progress),
            NetworkEvent::ProjectFound(root) => return self.on_project_found(chain, root),
            NetworkEvent::Status(status) => self.sessions.set_connection(chain, status),
            NetworkEvent::Request(entry) => {
                self.request_log.add(*entry);
                if let Some(Overlay::RequestLog(view)) = &mut self.overlays.top {
                    view.on_entry_added(&self.request_log);
                }
            }
        }
        Vec::new()
    }

    /// Goes to the route that waits for a provider. Without one, the page stays.
    pub(super) fn on_provider_opened(
        &mut self,
        chain: ChainIndex,
        outcome: Result<Option<SafeText>, SafeText>,
    ) -> Vec<Effect> {
        let pending = self.sessions.pending.take_if(|(waiting, _)| *waiting == chain);
        let session = self.sessions.at_mut(chain);
        match outcome {
            Ok(warning) => {
                session.has_provider = true;
                let warning = warning.map(Notice::from);
                let Some((_, route)) = pending else {
                    self.notice = warning.or(self.notice.take());
                    return Vec::new();
                };
                // The overlay was opened on another chain, and the last notice was about that.
                self.overlays.top = None;
                self.notice = warning;
                let mut effects = Vec::new();
                // The start page loads the user's data itself.
                if !matches!(route, Route::Start) {
                    effects.extend(self.sessions.load_user_data(chain));
                }
                effects.extend(self.navigate_on(chain, route));
                effects
            }
            Err(why) => {
                let chain = session.network.to_string();
                self.report_failure(&AppNotice::ChainFailed { chain: &chain, why: &why })
            }
        }
    }
}

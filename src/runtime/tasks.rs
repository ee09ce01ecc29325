//! Tasks in the background, and requests.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::task::{AbortHandle, JoinSet, spawn_blocking};
use tokio::time::sleep;
use url::Url;

use super::{Outbox, external_program, file_tasks, spawn};
use crate::abi::SignatureHash;
use crate::app_message::{
    ChainIndex, ChainRequest, ExternalTool, Msg, NetworkEvent, RequestId, TraceOptions,
};
use crate::chain::TxHash;
use crate::chain::network::Network;
use crate::memory_limit::free_memory_bytes;
use crate::messages::system::ProgramError;
use crate::net::local_nodes::find_local_nodes;
use crate::net::picture_fetch::{AddressPolicy, fetch_picture};
use crate::net::provider::Provider;
use crate::net::providers::{OpenedProvider, ProviderFactory, Providers};
use crate::net::signature_lookup::SignatureDatabase;
use crate::net::trace_stream::{self, PauseControl};
use crate::picture::PictureFetch;
use crate::sanitize::SafeText;

/// Runs tasks, and cancels requests. Cancelling saves the server work, but a response may be on its way
/// already, so the app ignores replies to cancelled requests.
pub(super) struct Tasks<'a> {
    providers: HashMap<ChainIndex, Provider>,
    create_provider: Box<ProviderFactory<'a>>,
    outbox: Outbox,
    running: HashMap<RequestId, AbortHandle>,
    /// Continue paused traces.
    paused_traces: HashMap<RequestId, UnboundedSender<()>>,
    /// Write files for the user.
    saving: JoinSet<()>,
    signatures: Option<SignatureDatabase>,
}

impl<'a> Tasks<'a> {
    pub(super) fn new(providers: Providers<'a>, outbox: Outbox) -> Self {
        let mut tasks = Self {
            providers: HashMap::new(),
            create_provider: providers.create,
            outbox,
            running: HashMap::new(),
            paused_traces: HashMap::new(),
            saving: JoinSet::new(),
            signatures: providers.signatures,
        };
        tasks.log_signature_requests();
        tasks.add_provider(ChainIndex::default(), providers.first);
        tasks
    }

    pub(super) fn open_provider(&mut self, chain: ChainIndex, network: &Network) {
        let ready = match (self.create_provider)(network) {
            Ok(OpenedProvider { provider, warning }) => {
                self.add_provider(chain, provider);
                Ok(warning)
            }
            Err(error) => Err(SafeText::new(&format!("{error:#}"))),
        };
        self.outbox.send(Msg::ProviderOpened { chain, outcome: ready });
    }

    /// Adds the provider of a chain and forwards its events.
    fn add_provider(&mut self, chain: ChainIndex, provider: Provider) {
        let mut events = provider.subscribe();
        let outbox = self.outbox.clone();
        let report = move |event| outbox.send(Msg::Network(chain, event));
        let (report_progress, project) = (report.clone(), self.project_loader(chain, &provider));
        // A node may start after the program, and the project may be compiled again.
        let report_index = move |event| {
            let is_read =
                matches!(&event, NetworkEvent::Index(progress) if progress.error.is_none());
            report_progress(event);
            if is_read {
                project();
            }
        };
        let watched = provider.clone();
        spawn(async move { watched.watch_index(report_index).await });
        spawn(async move {
            while let Some(event) = events.recv().await {
                report(event);
            }
        });
        self.project_loader(chain, &provider)();
        self.providers.insert(chain, provider);
    }

    pub(super) fn start(&mut self, id: RequestId, chain: ChainIndex, request: ChainRequest) {
        let Some(provider) = self.providers.get(&chain).cloned() else { return };
        match request {
            ChainRequest::Fetch { query, cursor, priority } => {
                let outbox = self.outbox.clone();
                self.spawn_for(id, async move {
                    let reply = provider.fetch(&query, cursor.as_ref(), priority).await;
                    outbox.send(Msg::Fetched { id, query, reply });
                });
            }
            ChainRequest::FetchTrace { transaction, options } => {
                self.project_loader(chain, &provider)();
                self.fetch_trace(id, provider, transaction, options);
            }
        }
    }

    fn fetch_trace(
        &mut self,
        id: RequestId,
        provider: Provider,
        transaction: TxHash,
        options: TraceOptions,
    ) {
        let outbox = self.outbox.clone();
        let (continue_sender, continues) = mpsc::unbounded_channel();
        self.paused_traces.retain(|_, sender| !sender.is_closed());
        self.paused_traces.insert(id, continue_sender);
        let pause = PauseControl::for_free_memory(continues);
        let send = move |event| outbox.send(Msg::TraceUpdate { id, event });
        self.spawn_for(id, async move {
            trace_stream::fetch(&provider, transaction, options, pause, send).await;
        });
    }

    pub(super) fn continue_trace(&self, id: RequestId) {
        if let Some(continues) = self.paused_traces.get(&id) {
            // Fails if the trace has ended.
            continues.send(()).ok();
        }
    }

    pub(super) fn allow_project(&self, chain: ChainIndex) {
        if let Some(provider) = self.providers.get(&chain) {
            provider.allow_project();
            self.project_loader(chain, provider)();
        }
    }

    /// Returns the function that loads the contracts that are compiled in the project, if they are new:
    /// for failures in lists, and for traces.
    fn project_loader(
        &self,
        chain: ChainIndex,
        provider: &Provider,
    ) -> impl Fn() + Send + 'static + use<> {
        let (outbox, provider) = (self.outbox.clone(), provider.clone());
        move || {
            let (outbox, provider) = (outbox.clone(), provider.clone());
            spawn(async move {
                if let Some(signatures) = provider.take_project_signatures().await {
                    outbox.send(Msg::ProjectLoaded { chain, signatures });
                }
            });
        }
    }

    /// Runs a task that [`Self::cancel`] ends.
    fn spawn_for(&mut self, id: RequestId, work: impl Future<Output = ()> + Send + 'static) {
        self.running.retain(|_, task| !task.is_finished());
        if let Some(task) = spawn_begun(work) {
            self.running.insert(id, task);
        }
    }

    pub(super) fn cancel(&mut self, requests: &[RequestId]) {
        for id in requests {
            self.paused_traces.remove(id);
            if let Some(task) = self.running.remove(id) {
                task.abort();
            }
        }
    }

    pub(super) fn find_local_nodes(&self) {
        let outbox = self.outbox.clone();
        spawn(async move { outbox.send(Msg::LocalNodesFound(find_local_nodes().await)) });
    }

    pub(super) fn measure_memory(&self) {
        let outbox = self.outbox.clone();
        spawn_blocking(move || outbox.send(Msg::FreeMemory(free_memory_bytes())));
    }

    pub(super) fn save(&mut self, path: PathBuf, lines: Vec<String>, what: SafeText) {
        self.spawn_saving(file_tasks::save(path, lines, what, self.outbox.clone()));
    }

    pub(super) fn open_external(&mut self, tool: ExternalTool, name: String, lines: Vec<String>) {
        let outbox = self.outbox.clone();
        self.spawn_saving(external_program::write_document(tool, name, lines, outbox));
    }

    fn spawn_saving(&mut self, work: impl Future<Output = ()> + Send + 'static) {
        while self.saving.try_join_next().is_some() {} // frees the finished ones
        self.saving.spawn(work.boxed());
    }

    pub(super) fn stop_saving(&mut self) {
        self.saving.abort_all();
    }

    pub(super) fn save_signature(&self, signature: SafeText) {
        spawn(file_tasks::append_signature(signature, self.outbox.clone()));
    }

    pub(super) fn look_up_signatures(&self, hashes: Vec<SignatureHash>) {
        let Some(signatures) = self.signatures.clone() else { return };
        let outbox = self.outbox.clone();
        spawn(async move {
            let outcome = signatures.look_up(&hashes).await;
            outbox.send(Msg::SignaturesFound { hashes, outcome });
        });
    }

    /// Forwards the requests to the signature database to the request log.
    fn log_signature_requests(&self) {
        let Some(mut events) = self.signatures.as_ref().map(SignatureDatabase::subscribe) else {
            return;
        };
        let outbox = self.outbox.clone();
        spawn(async move {
            while let Some(event) = events.recv().await {
                if let NetworkEvent::Request(_) = event {
                    outbox.send(Msg::Network(ChainIndex::default(), event));
                }
            }
        });
    }

    pub(super) fn open_browser(&self, url: &Url) {
        let opened = match url.scheme() {
            "http" | "https" => {
                open::that_detached(url.as_str()).map_err(|e| SafeText::new(&e.to_string()))
            }
            other => Err(ProgramError::Scheme { scheme: other.into() }.into()),
        };
        self.outbox.send(Msg::BrowserOpened(opened));
    }

    pub(super) fn fetch_picture(&self, fetch: PictureFetch) {
        let outbox = self.outbox.clone();
        spawn(async move {
            let outcome = fetch_picture(&fetch, AddressPolicy::PUBLIC).await;
            outbox.send(Msg::PictureFetched { url: fetch.url, outcome });
        });
    }

    pub(super) fn start_timer(&self, timer: RequestId, delay: Duration) {
        let outbox = self.outbox.clone();
        spawn(async move {
            sleep(delay).await;
            outbox.send(Msg::TimerFired(timer));
        });
    }
}

/// Spawns a task after its first step, so that requests queue in the order in which they are started,
/// whichever worker continues them. Returns `None` if that step was the last.
fn spawn_begun(work: impl Future<Output = ()> + Send + 'static) -> Option<AbortHandle> {
    let mut work = work.boxed();
    match work.as_mut().now_or_never() {
        Some(()) => None,
        None => Some(spawn(work).abort_handle()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tokio::task::yield_now;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn tasks_begin_in_the_order_of_their_calls() {
        let begun = Arc::new(Mutex::new(Vec::new()));
        let (sender, mut ended) = mpsc::unbounded_channel();
        for number in 0..100 {
            let (begun, sender) = (begun.clone(), sender.clone());
            let task = spawn_begun(async move {
                begun.lock().unwrap().push(number);
                yield_now().await;
                sender.send(number).unwrap();
            });
            assert!(task.is_some());
        }
        assert!(begun.lock().unwrap().iter().copied().eq(0..100));
        drop(sender);
        let mut count = 0;
        while ended.recv().await.is_some() {
            count += 1;
        }
        assert_eq!(count, 100, "each continues");
    }
}

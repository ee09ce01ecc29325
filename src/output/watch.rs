//! Lines about new rows at addresses, for as long as the program runs.

use std::borrow::Cow;
use std::future::pending;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use clap::ValueEnum;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::Notify;
use tokio::time::sleep;

use super::{CliError, OutputStyle, ignore_broken_pipe, learn_from_node, print_note};
use crate::abi::SignatureDb;
use crate::api::token_transfers::TokenTransfer;
use crate::api::{ApiError, Field};
use crate::app_message::{NotificationMethod, Priority};
use crate::chain::amount::Grouped;
use crate::chain::network::{Endpoint, Network};
use crate::chain::{Address, Timestamp};
use crate::columns::Row;
use crate::messages::failed_refresh::DataAge;
use crate::messages::index::Rollback;
use crate::messages::watch::{self, WatchNote};
use crate::name_cache::NameCache;
use crate::net::provider::Provider;
use crate::runtime::notification;
use crate::sanitize::{SafeText, json_line, sanitize};
use crate::ui::ascii;
use crate::watch::address_watch::{AddressWatch, Arrivals, WatchedList};
use crate::watch::arrival::{Arrival, party_name};
use crate::watch::arrival_format::ArrivalFormat;

/// Time after a change of a node's chain, in which further ones come.
const CHANGE_PAUSE: Duration = Duration::from_millis(100);
/// Maximum time between two looks while an explorer does not work, unless the interval is longer.
const MAX_BACKOFF: Duration = Duration::from_mins(1);

#[derive(Debug, Clone)]
pub struct WatchOptions {
    pub format: WatchFormat,
    /// The first block. `None` for the next one.
    pub since: Option<u64>,
    /// Time between two looks at an explorer.
    pub interval: Duration,
    pub notification: NotificationMethod,
    pub style: OutputStyle,
}

/// The output format of `watch`. The variants' comments are part of `--help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WatchFormat {
    /// Time, direction, amount, counterparty and hash
    Text,
    /// An object with these, and with the row as sent by the explorer
    Jsonl,
}

/// Prints new rows at addresses, for ever. A closed pipe ends it, and the demo chain, which has nothing new.
pub async fn watch_addresses(
    provider: &Provider,
    addresses: &[Address],
    (names, signatures): (NameCache, SignatureDb),
    options: &WatchOptions,
) -> Result<(), CliError> {
    let changed = Notify::new();
    let following = async {
        provider.watch_index(|_| changed.notify_one()).await;
        pending().await
    };
    let addresses = addresses.iter().map(|address| WatchedAddress {
        watch: AddressWatch::new(*address, options.since),
        rollback: None,
    });
    let mut watcher = Watcher {
        provider,
        addresses: addresses.collect(),
        printer: ArrivalPrinter { network: provider.network().clone(), names, signatures, options },
        has_begun: false,
        rollback: None,
        answered_at: None,
        failures: 0,
    };
    tokio::select! {
        result = watcher.run(&changed) => result,
        never = following => never,
    }
}

/// An address, and the last rollback that its watch knows of.
struct WatchedAddress {
    watch: AddressWatch,
    rollback: Option<Rollback>,
}

struct Watcher<'a> {
    provider: &'a Provider,
    addresses: Vec<WatchedAddress>,
    printer: ArrivalPrinter<'a>,
    /// `true` once all lists were read.
    has_begun: bool,
    /// The last rollback that was reported.
    rollback: Option<Rollback>,
    answered_at: Option<Timestamp>,
    /// Failed looks in a row.
    failures: u32,
}

impl Watcher<'_> {
    async fn run(&mut self, changed: &Notify) -> Result<(), CliError> {
        while !is_stdout_closed() {
            let looked = match self.look().await {
                Ok(looked) => looked,
                Err(error) => return ignore_broken_pipe(error),
            };
            self.report_rollback();
            self.report(looked)?;
            if self.is_on_demo_chain() && self.has_begun {
                return Ok(());
            }
            tokio::select! {
                () = sleep(pause(self.printer.options.interval, self.failures)) => {}
                () = changed.notified() => sleep(CHANGE_PAUSE).await,
            }
        }
        Ok(())
    }

    /// Reads the lists of all addresses, and prints the new rows. Returns the failure of a list. After an
    /// outage the next look begins with another address.
    async fn look(&mut self) -> io::Result<Result<(), ApiError>> {
        let mut looked = Ok(());
        let mut visited = 0;
        for watched in &mut self.addresses {
            visited += 1;
            let mut arrivals = Vec::new();
            for list in WatchedList::ALL {
                match read(self.provider, watched, list, &mut self.printer.names).await {
                    Ok(found) => arrivals.extend(note_gaps(watched.watch.address, found)),
                    Err(error) => looked = Err(error),
                }
            }
            arrivals.sort_by_key(Arrival::order);
            if arrivals.iter().any(|arrival| arrival.transaction().is_some())
                && let Some(project) = self.provider.take_project_signatures().await
            {
                self.printer.signatures.share_project_abis(&project);
            }
            learn_from_node(&mut self.printer.network, self.provider);
            self.printer.print(watched.watch.address, &arrivals)?;
            if looked.as_ref().is_err_and(ApiError::is_transient) {
                break;
            }
        }
        self.addresses.rotate_left(visited);
        Ok(looked)
    }

    fn report_rollback(&mut self) {
        let rollback = self.provider.index_progress().and_then(|progress| progress.rollback);
        if let Some(new) = rollback.filter(|new| self.rollback != Some(*new)) {
            print_note(&new.to_string());
        }
        self.rollback = rollback;
    }

    /// Prints the beginning and the end of an outage. A refusal at the beginning ends the program.
    fn report(&mut self, looked: Result<(), ApiError>) -> Result<(), CliError> {
        let outage = self.provider.index_progress().and_then(|progress| progress.error);
        let failure = match looked {
            Err(error) if !self.has_begun && is_final(&error) => {
                return Err(CliError::from_api(&error, self.provider.network()));
            }
            Err(ApiError::Node { why, .. }) => Some(why.to_string()),
            Err(error) => Some(error.with_hint(self.provider.network().endpoint.host().as_deref())),
            Ok(()) => outage.map(|outage| outage.to_string()),
        };
        let now = self.provider.now();
        if let Some(why) = failure {
            if self.failures == 0 {
                print_note(&sanitize(&WatchNote::Outage { why: &why }.to_string()));
            }
            self.failures = self.failures.saturating_add(1);
            return Ok(());
        }
        let has_begun = self.addresses.iter().all(|watched| watched.watch.has_begun());
        if !std::mem::replace(&mut self.has_begun, has_begun) && has_begun {
            self.note_beginning();
        } else if let Some(answered_at) = self.answered_at.filter(|_| self.failures > 0) {
            let age = DataAge::between(answered_at, now);
            print_note(&WatchNote::Recovered { age }.to_string());
        }
        self.failures = 0;
        self.answered_at = Some(now);
        Ok(())
    }

    fn is_on_demo_chain(&self) -> bool {
        self.provider.network().endpoint == Endpoint::Embedded
    }

    fn note_beginning(&self) {
        let chain = &self.provider.network().to_string();
        if self.is_on_demo_chain() {
            print_note(watch::NOTHING_NEW_ON_DEMO);
        } else {
            print_note(&sanitize(&WatchNote::Watching { chain }.to_string()));
        }
    }
}

/// Returns the time until the next look after so many failed ones in a row.
fn pause(interval: Duration, failures: u32) -> Duration {
    let longer = interval.saturating_mul(1 << failures.min(6));
    longer.min(MAX_BACKOFF).max(interval)
}

/// Reads the new rows of a list. Of a chain that was rolled back in the meantime, it is read again.
async fn read(
    provider: &Provider,
    watched: &mut WatchedAddress,
    list: WatchedList,
    names: &mut NameCache,
) -> Result<Arrivals, ApiError> {
    let WatchedAddress { watch, rollback } = watched;
    loop {
        let query = list.query(watch.address);
        let reply = provider.fetch(&query, watch.cursor(list), Priority::Refresh).await;
        let current = provider.index_progress().and_then(|progress| progress.rollback);
        if let Some(new) = current.filter(|new| rollback.replace(*new) != Some(*new)) {
            watch.roll_back(new.last_block);
            continue;
        }
        let found = match reply {
            Ok(reply) => {
                names.ingest(&query, &reply);
                watch.receive(list, &reply)
            }
            Err(error) => Some(watch.fail(list, &error).ok_or(error)?),
        };
        if let Some(found) = found {
            return Ok(found);
        }
    }
}

/// Prints a note of missing rows to stderr, and returns the others.
fn note_gaps(address: Address, found: Arrivals) -> Vec<Arrival> {
    if found.is_cut {
        let rows = Grouped(found.rows.len());
        print_note(&WatchNote::LeftOut { address, rows }.to_string());
    }
    if let Some(why) = found.unreadable {
        print_note(&WatchNote::UnreadableRow { address, why: &why }.to_string());
    }
    found.rows
}

/// Returns `true` if a request will not succeed later, without anything done here.
fn is_final(error: &ApiError) -> bool {
    match error {
        ApiError::Refused { status, .. } => (400..500).contains(status) && *status != 429,
        ApiError::NotJson { .. } => !error.is_transient(),
        ApiError::OutOfCredits
        | ApiError::ChainNotServed { .. }
        | ApiError::Unidentified { .. }
        | ApiError::NotRecorded { .. } => true,
        _ => false,
    }
}

/// Returns `true` if the reader of a pipe has gone.
#[cfg(unix)]
fn is_stdout_closed() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = io::stdout();
    let mut polled = [PollFd::new(&stdout, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let is_polled = poll(&mut polled, Some(&at_once)).is_ok();
    is_polled && polled.iter().any(|stdout| stdout.revents().contains(PollFlags::ERR))
}

#[cfg(not(unix))]
fn is_stdout_closed() -> bool {
    false
}

struct ArrivalPrinter<'a> {
    network: Network,
    names: NameCache,
    signatures: SignatureDb,
    options: &'a WatchOptions,
}

/// An arrival as JSON. Unknown and absent values are null.
#[derive(Serialize)]
struct ArrivalLine<'a> {
    address: String,
    address_name: Option<String>,
    list: &'static str,
    direction: &'static str,
    timestamp: Option<String>,
    block_number: Option<u64>,
    transaction_hash: Option<String>,
    /// The reason of a failed transaction.
    failure: Option<SafeText>,
    counterparty: Option<String>,
    counterparty_name: Option<SafeText>,
    method: Option<SafeText>,
    value: Option<String>,
    decimals: Option<u8>,
    symbol: Option<&'a str>,
    token: Option<String>,
    token_id: Option<String>,
    item: &'a RawValue,
}

impl ArrivalPrinter<'_> {
    /// Prints a line for each arrival at an address, at once.
    fn print(&self, watched: Address, arrivals: &[Arrival]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        for arrival in arrivals {
            let line = match self.options.format {
                WatchFormat::Text => self.text_line(watched, arrival),
                WatchFormat::Jsonl => self.json_line(watched, arrival),
            };
            writeln!(out, "{line}")?;
            out.flush()?;
        }
        drop(out);
        self.notify(watched, arrivals);
        Ok(())
    }

    /// Notifies the user of the arrivals at an address, once for all that came since the last look.
    fn notify(&self, watched: Address, arrivals: &[Arrival]) {
        let method = self.options.notification;
        let mut terminal = io::stderr();
        let is_wanted = method != NotificationMethod::Off && terminal.is_terminal();
        if is_wanted && !arrivals.is_empty() {
            let text = self.format().notification(watched, arrivals);
            notification::notify(method, &text, &mut terminal);
        }
    }

    fn format(&self) -> ArrivalFormat<'_> {
        let unit = self.options.style.format.unit;
        let Self { network, names, signatures, .. } = self;
        ArrivalFormat { unit, network, names, signatures }
    }

    fn text_line(&self, watched: Address, arrival: &Arrival) -> String {
        let written = arrival.timestamp().map(|then| self.options.style.format.date_time(then));
        let time = written.unwrap_or_else(|| "?".to_owned());
        let format = self.format();
        let (own, movement) = (format.own_name(watched), format.movement(watched, arrival));
        let method = method(arrival).map(|method| format!("  {method}")).unwrap_or_default();
        let failure = format.failure(arrival).map(|why| format!("  ✗ {why}")).unwrap_or_default();
        let hash = arrival.transaction_hash().map_or("—".into(), |hash| hash.to_string());
        let line = format!("{time}  {own}  {movement}{method}{failure}  {hash}");
        if self.options.style.ascii { ascii::to_ascii(&line).into_owned() } else { line }
    }

    fn json_line(&self, watched: Address, arrival: &Arrival) -> String {
        let transfer = arrival.token_transfer();
        let token = transfer.and_then(Row::token);
        let total = transfer.and_then(|transfer| transfer.total.value());
        let coin = arrival.coin_amount();
        let party = arrival.counterparty(watched);
        let value = coin.or_else(|| Some(&total?.value));
        let line = ArrivalLine {
            address: watched.to_string(),
            address_name: self.names.short_name(&watched).map(Cow::into_owned),
            list: arrival.list_name(),
            direction: arrival.direction(watched).word(),
            timestamp: arrival.timestamp().map(|then| then.to_string()),
            block_number: arrival.block_number(),
            transaction_hash: arrival.transaction_hash().map(|hash| hash.to_string()),
            failure: self.format().failure(arrival),
            counterparty: party.map(|party| party.hash.to_string()),
            counterparty_name: party.and_then(|party| party_name(party, &self.names)),
            method: method(arrival),
            value: value.and_then(Field::value).map(ToString::to_string),
            decimals: transfer.map_or(Some(self.network.decimals), TokenTransfer::decimals),
            symbol: match token {
                Some(token) => token.symbol.value().map(|symbol| &**symbol),
                None => self.network.symbol.as_deref().filter(|_| coin.is_some()),
            },
            token: token.and_then(|token| Some(token.address.value()?.to_string())),
            token_id: total.and_then(|total| Some(total.token_id.value()?.to_string())),
            item: arrival.raw(),
        };
        // A struct of texts and numbers.
        json_line(&serde_json::to_string(&line).unwrap_or_default())
    }
}

/// Returns the method that an arrival's transaction called.
fn method(arrival: &Arrival) -> Option<SafeText> {
    let transaction = arrival.transaction();
    let called = transaction.and_then(|called| called.known_method().value().cloned());
    let method = called.or_else(|| arrival.token_transfer()?.method.value().cloned());
    method.map(|method| method.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_looks_are_further_apart_up_to_a_minute() {
        let seconds = |interval, failures| pause(Duration::from_secs(interval), failures).as_secs();
        assert_eq!([0, 1, 2, 3, 4, u32::MAX].map(|n| seconds(5, n)), [5, 10, 20, 40, 60, 60]);
        assert_eq!([seconds(1, 9), seconds(300, 2)], [60, 300]);
    }
}

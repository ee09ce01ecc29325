//! Storage slots of a contract.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Value, json};

use super::super::address_arg::{AddressArg, BlockArg, has_block};
use crate::abi::{
    MAX_PLAIN_SLOTS, PROXY_SLOTS, PlainSlots, SlotExpression, StorageLayout, StoredVariable,
    known_slot, known_slot_name, proxy_address,
};
use crate::api::contract::Contract;
use crate::api::state_reads::{
    StateResponse, StorageBatch, StorageRead, StorageResponse, StorageWord, StorageWords,
};
use crate::api::{Query, Reply, ReplyResult};
use crate::app_message::Priority;
use crate::chain::amount::Grouped;
use crate::chain::network::Endpoint;
use crate::chain::{Address, B256, BlockId, U256};
use crate::messages::abi::SlotError;
use crate::messages::export::ExportNote;
use crate::messages::page::{self, PageMessage};
use crate::net::provider::Provider;
use crate::output::{self, CliError, print_note, with_progress};

/// Maximum number of implementations whose layouts are requested.
const MAX_IMPLEMENTATIONS: usize = 8;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct StorageArgs {
    /// Contract, link to one, or name
    pub(super) address: AddressArg,
    /// Slots: 0, 0x…, eip1967.proxy.admin, a mapping's value 3[0x…], or a variable of the layout, such as
    /// `positions[0x…][0].amount` [default: the parts of a proxy and the variables of the layout, without mappings, 64 slots of each]
    slots: Vec<String>,
    /// Block after which they are read: its number (also 0x…), "latest" or time of UTC [default: the newest]
    #[arg(long)]
    block: Option<BlockArg>,
}

/// Prints the slots, each as a line of JSON.
pub(super) async fn print_storage(args: StorageArgs, provider: &Provider) -> Result<(), CliError> {
    let address = args.address.resolve(provider).await?;
    // A bare URL may turn out to be a node's.
    let is_explorer =
        matches!(provider.network().endpoint, Endpoint::Embedded | Endpoint::Remote(_));
    let reply = if is_explorer && !args.slots.is_empty() {
        None
    } else {
        match fetch_contract(address, provider).await {
            // Without it, there is nothing to read.
            Err(error) if args.slots.is_empty() && !error.is_missing() => {
                return Err(CliError::from_api(&error, provider.network()));
            }
            reply => reply.ok(),
        }
    };
    let contract = reply.as_ref().and_then(contract_in);
    let layout = match contract.filter(|_| provider.is_node()) {
        Some(contract) => storage_layout(contract, provider).await,
        None => None,
    };
    let parsed: Vec<_> = if args.slots.is_empty() {
        let known = known_slots(contract, layout.as_ref())?;
        known.into_iter().map(|(text, slot)| (text, Ok(slot))).collect()
    } else {
        let names = addresses_in_keys(&args.slots, provider).await;
        let parse = |text: String| {
            let slot = SlotExpression::with_addresses(&text, |name| names.get(name).copied());
            let slot = SlotExpression::parse(&slot, layout.as_ref());
            (text, slot)
        };
        args.slots.into_iter().map(parse).collect()
    };
    let block = match args.block {
        Some(block) => Some(block.resolve(provider).await?),
        None => None,
    };
    let mut failure = None;
    for (text, slot) in parsed {
        match slot {
            Ok(slot) => {
                let read = SlotOfLine { address, slot, block };
                output::print_lines(&read.line(&text, layout.as_ref(), provider).await?)?;
            }
            // The others are printed all the same.
            Err(why) => {
                if let Some(earlier) = failure.replace(slot_problem(&text, &why)) {
                    print_note(&earlier);
                }
            }
        }
    }
    failure.map_or(Ok(()), |why| Err(CliError::Usage(why)))
}

/// A slot that is printed as a line.
struct SlotOfLine {
    address: Address,
    slot: SlotExpression,
    block: Option<u64>,
}

impl SlotOfLine {
    /// Reads the slot, and returns its line.
    async fn line(
        self,
        text: &str,
        layout: Option<&StorageLayout>,
        provider: &Provider,
    ) -> Result<String, CliError> {
        let Self { address, slot: SlotExpression { slot, preimages }, block } = self;
        let word = read(StorageRead { address, slot, block }, provider).await?.0;
        let number = B256::from(slot);
        let name = known_slot_name(number);
        let variables = match (name.filter(|name| PROXY_SLOTS.contains(name)), layout) {
            (Some(name), _) => vec![proxy_part(name, word)],
            (None, Some(layout)) => {
                let parts = layout.text_slots(slot, word, &preimages);
                let mut words =
                    read_all(StorageBatch { address, slots: parts, block }, provider).await;
                words.insert(slot, word);
                let stored = layout.stored_variables(slot, &words, &preimages);
                stored.iter().map(variable_json).collect()
            }
            (None, None) => Vec::new(),
        };
        let line = json!({
            "slot": text, "number": number, "name": name, "block": block,
            "word": B256::from(word), "variables": variables,
        });
        Ok(line.to_string())
    }
}

fn slot_problem(text: &str, why: &SlotError) -> String {
    match why {
        // It names the text, or the wrong part of it.
        SlotError::Invalid(_) => why.to_string(),
        _ => format!("{text}: {why}"),
    }
}

/// Returns the addresses of the labels among the keys of slots, and on a node of the names too: on a public chain anyone
/// can take any name.
async fn addresses_in_keys(slots: &[String], provider: &Provider) -> HashMap<String, Address> {
    let mut found = HashMap::new();
    let names: BTreeSet<&str> =
        slots.iter().flat_map(|slot| SlotExpression::names_in_keys(slot)).collect();
    if names.is_empty() {
        return found;
    }
    let labels = output::load_labels(provider.network());
    for name in names {
        let address = match labels.labels().addresses_named(name)[..] {
            [one] => Some(one),
            [] if provider.is_node() => match name.parse::<AddressArg>() {
                Ok(arg) => arg.resolve(provider).await.ok(),
                Err(_) => None,
            },
            _ => None,
        };
        found.extend(address.map(|address| (name.to_owned(), address)));
    }
    found
}

/// Returns the slots of a proxy's parts, and the slots of a layout's variables.
fn known_slots(
    contract: Option<&Contract>,
    layout: Option<&StorageLayout>,
) -> Result<Vec<(String, SlotExpression)>, CliError> {
    let is_proxy = contract.is_some_and(Contract::has_proxy_slots);
    let of_proxy = PROXY_SLOTS.into_iter().filter(|_| is_proxy);
    let PlainSlots { slots, cut } = layout.map(StorageLayout::plain_slots).unwrap_or_default();
    for variable in cut {
        print_note(&ExportNote::MoreSlots { variable, slots: MAX_PLAIN_SLOTS }.to_string());
    }
    let known: Vec<_> = of_proxy
        .filter_map(|name| Some((known_slot(name)?, name.to_owned())))
        .chain(slots)
        .map(|(slot, text)| (text, SlotExpression { slot, preimages: Vec::new() }))
        .collect();
    if known.is_empty() { Err(CliError::Usage(page::NO_LAYOUT.into())) } else { Ok(known) }
}

/// Returns the address in the slot of a proxy's part, `null` if there is none, or a word that is no address.
fn proxy_part(name: &str, word: U256) -> Value {
    match proxy_address(word) {
        None if !word.is_zero() => {
            json!({ "name": name, "type": "bytes32", "value": B256::from(word) })
        }
        address => {
            let address = address.map(|address| address.to_string());
            json!({ "name": name, "type": "address", "value": address })
        }
    }
}

/// Returns a variable, a text without the quotes that it has on the screen. A text that was not read is `null`, and one
/// that is no UTF-8 has `bytes` instead.
fn variable_json(variable: &StoredVariable) -> Value {
    let StoredVariable { path, type_name, value, is_read } = variable;
    let (name, kind) = (&**path, &**type_name);
    if !is_read {
        return json!({ "name": name, "type": kind, "value": null });
    }
    if kind != "string" {
        return json!({ "name": name, "type": kind, "value": value });
    }
    match value.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(text) => json!({ "name": name, "type": kind, "value": text }),
        None => json!({ "name": name, "type": kind, "value": null, "bytes": value }),
    }
}

/// Returns the layout of a contract's storage, or of its implementation's, which only the server of a node
/// may have.
async fn storage_layout(contract: &Contract, provider: &Provider) -> Option<StorageLayout> {
    let mut found = layout_of(contract);
    for implementation in contract.implementation_addresses().into_iter().take(MAX_IMPLEMENTATIONS)
    {
        if found.is_some() {
            break;
        }
        let reply = fetch_contract(implementation, provider).await;
        found = reply.ok().as_ref().and_then(contract_in).and_then(layout_of);
    }
    found
}

fn layout_of(contract: &Contract) -> Option<StorageLayout> {
    StorageLayout::parse(contract.storage_layout.value()?.0.get())
}

async fn fetch_contract(address: Address, provider: &Provider) -> ReplyResult {
    let query = Query::Contract(address);
    let reply = provider.fetch(&query, None, Priority::Interactive);
    with_progress(provider, reply).await
}

fn contract_in(reply: &Reply) -> Option<&Contract> {
    reply.item::<Contract>()?.parsed.as_ref().ok()
}

/// Returns the words of some slots, as far as they can be read.
async fn read_all(batch: StorageBatch, provider: &Provider) -> BTreeMap<U256, U256> {
    let slots = batch.slots.clone();
    if slots.is_empty() {
        return BTreeMap::new();
    }
    let query = Query::StorageWords(batch);
    let reply = provider.fetch(&query, None, Priority::Interactive);
    let reply = with_progress(provider, reply).await.ok();
    let read = reply.as_ref().and_then(|reply| reply.get::<StorageWords>());
    let words = read.map(|words| &*words.0).unwrap_or_default();
    let pairs = slots.into_iter().zip(words).filter_map(|(slot, word)| match word {
        StateResponse::Returned(word) => Some((slot, word.0)),
        StateResponse::Failed(..) => None,
    });
    pairs.collect()
}

async fn read(request: StorageRead, provider: &Provider) -> Result<StorageWord, CliError> {
    let block = request.block;
    let query = Query::Storage(request);
    let reply = with_progress(provider, provider.fetch(&query, None, Priority::Interactive))
        .await
        .map_err(|error| CliError::from_api(&error, provider.network()))?;
    match (reply.get::<StorageResponse>(), block) {
        (Some(StateResponse::Returned(word)), _) => Ok(*word),
        (Some(response), Some(block)) if response.lacks_state() => {
            let is_known = has_block(BlockId::Number(block), provider).await?;
            let block = Grouped(block);
            Err(if is_known {
                CliError::Runtime(PageMessage::NoState { block }.to_string())
            } else {
                CliError::NotFound(PageMessage::NoBlock { block }.to_string())
            })
        }
        (Some(StateResponse::Failed(why, _)), _) => Err(CliError::Runtime(why.to_string())),
        (None, _) => Err(CliError::Runtime(page::NOT_AN_ANSWER.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_that_is_no_address_is_no_part_of_a_proxy() {
        let word = U256::MAX >> 1;
        let part = proxy_part("eip1967.proxy.admin", word);
        assert_eq!(part["value"], json!(B256::from(word)));
        assert_eq!(part["type"], "bytes32");
        assert_eq!(proxy_part("eip1967.proxy.admin", U256::ZERO)["value"], Value::Null);
        assert_eq!(proxy_part("eip1967.proxy.admin", U256::ONE)["type"], "address");
    }

    #[test]
    fn texts_that_were_not_read_are_no_texts() {
        let json = |value: &str, is_read| {
            let (path, type_name) = ("title".into(), "string".into());
            variable_json(&StoredVariable { path, type_name, value: value.into(), is_read })
        };
        assert_eq!(json("\"40 bytes\"", true)["value"], "40 bytes");
        assert_eq!(json("40 bytes", false)["value"], Value::Null);
        let bytes = json("0xff", true);
        assert_eq!((&bytes["value"], &bytes["bytes"]), (&Value::Null, &"0xff".into()));
    }
}

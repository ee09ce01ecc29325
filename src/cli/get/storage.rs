//! Storage slots of a contract.

use serde_json::json;

use super::super::address_arg::{AddressArg, BlockArg, has_block};
use crate::abi::{MAX_PLAIN_SLOTS, PlainSlots, SlotExpression, StorageLayout, known_slot_name};
use crate::api::Query;
use crate::api::contract::Contract;
use crate::api::state_reads::{StateResponse, StorageRead, StorageResponse, StorageWord};
use crate::app_message::Priority;
use crate::chain::amount::Grouped;
use crate::chain::network::Endpoint;
use crate::chain::{Address, B256, BlockId};
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
    /// `positions[0x…][0].amount` [default: the variables of the layout, without mappings, 64 slots of each]
    slots: Vec<String>,
    /// Block after which they are read: its number (also 0x…), "latest" or time of UTC [default: the newest]
    #[arg(long)]
    block: Option<BlockArg>,
}

/// Prints the slots, each as a line of JSON.
pub(super) async fn print_storage(args: StorageArgs, provider: &Provider) -> Result<(), CliError> {
    let address = args.address.resolve(provider).await?;
    let layout = storage_layout(address, provider).await;
    let parse = |text: &String| match SlotExpression::parse(text, layout.as_ref()) {
        Ok(slot) => Ok((text.clone(), slot)),
        // It names the text, or the wrong part of it.
        Err(why @ SlotError::Invalid(_)) => Err(CliError::Usage(why.to_string())),
        Err(why) => Err(CliError::Usage(format!("{text}: {why}"))),
    };
    let slots = if args.slots.is_empty() {
        let known = layout.as_ref().ok_or_else(|| CliError::Usage(page::NO_LAYOUT.into()))?;
        let PlainSlots { slots, cut } = known.plain_slots();
        for variable in cut {
            print_note(&ExportNote::MoreSlots { variable, slots: MAX_PLAIN_SLOTS }.to_string());
        }
        let of_slot = |(slot, text)| (text, SlotExpression { slot, preimages: Vec::new() });
        slots.into_iter().map(of_slot).collect()
    } else {
        args.slots.iter().map(parse).collect::<Result<Vec<_>, _>>()?
    };
    let block = match args.block {
        Some(block) => Some(block.resolve(provider).await?),
        None => None,
    };
    for (text, slot) in slots {
        let word = read(StorageRead { address, slot: slot.slot, block }, provider).await?;
        let variables = layout
            .as_ref()
            .map(|layout| layout.stored_variables(slot.slot, word.0, &slot.preimages))
            .into_iter()
            .flatten()
            .map(|variable| {
                json!({ "name": &*variable.path, "type": &*variable.type_name,
                "value": &*variable.value })
            });
        let number = B256::from(slot.slot);
        let line = json!({
            "slot": text, "number": number, "name": known_slot_name(number), "block": block,
            "word": B256::from(word.0), "variables": variables.collect::<Vec<_>>(),
        });
        output::print_lines(&line.to_string())?;
    }
    Ok(())
}

/// Returns the layout of a contract's storage, or of its implementation's, which only the server of a node
/// may have.
async fn storage_layout(address: Address, provider: &Provider) -> Option<StorageLayout> {
    // A bare URL may turn out to be a node's.
    if let Endpoint::Embedded | Endpoint::Remote(_) = provider.network().endpoint {
        return None;
    }
    let (layout, implementations) = fetch_layout(address, provider).await?;
    if !provider.is_node() {
        return None;
    }
    let mut found = layout;
    for implementation in implementations.into_iter().take(MAX_IMPLEMENTATIONS) {
        if found.is_some() {
            break;
        }
        found = fetch_layout(implementation, provider).await.and_then(|(layout, _)| layout);
    }
    found
}

/// Fetches the layout of a contract itself, and the addresses of its implementations.
async fn fetch_layout(
    address: Address,
    provider: &Provider,
) -> Option<(Option<StorageLayout>, Vec<Address>)> {
    let query = Query::Contract(address);
    let reply = provider.fetch(&query, None, Priority::Interactive);
    let reply = with_progress(provider, reply).await.ok()?;
    let contract = reply.item::<Contract>()?.parsed.as_ref().ok()?;
    let sent = contract.storage_layout.value();
    let layout = sent.and_then(|layout| StorageLayout::parse(layout.0.get()));
    Some((layout, contract.implementation_addresses()))
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

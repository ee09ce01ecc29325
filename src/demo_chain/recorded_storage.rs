//! Storage of contracts: every word that a transaction of the chain wrote. Words that none wrote are zero.

use std::collections::HashMap;

use alloy_primitives::{Address, U256};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::archive::DemoArchive;
use crate::store::{StoreResult, serde_util};

#[derive(Deserialize)]
struct StorageMember {
    #[serde(with = "serde_util::text")]
    address: Address,
    slots: Box<RawValue>,
}

/// The words of the slots after the blocks that changed them, in the order of the blocks.
type SlotWords<'a> = HashMap<&'a str, Vec<(u64, &'a str)>>;

/// Returns a word of storage after a block.
pub(super) fn word_after(
    archive: &DemoArchive,
    contract: Address,
    slot: U256,
    block: u64,
) -> StoreResult<U256> {
    let mut found = None;
    archive.read_lines("storage.jsonl", |row: StorageMember| {
        if row.address == contract {
            found = Some(row.slots);
        }
    })?;
    let Some(slots) = found else { return Ok(U256::ZERO) };
    let slots: SlotWords<'_> = serde_json::from_str(slots.get()).map_err(anyhow::Error::from)?;
    let words = slots.get(&*format!("{slot:#x}")).into_iter().flatten();
    let last = words.take_while(|(changed, _)| *changed <= block).last();
    Ok(last.and_then(|(_, word)| word.parse().ok()).unwrap_or_default())
}

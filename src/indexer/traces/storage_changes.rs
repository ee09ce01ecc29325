//! The storage that a transaction changed, with the inputs of the hashes by which it found slots.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;

use crate::abi::StorageShift;
use crate::chain::{Address, Bytes, U256};
use crate::rpc::wire::struct_log::RpcStructLogs;
use crate::rpc::{BlockTag, RpcClient, RpcError, RpcRequest};

use super::evm_step::EvmStep;

/// Maximum slots of a transaction whose words are asked for, each before and after the block.
pub(in crate::indexer) const MAX_WRITTEN_SLOTS: usize = 2_000;
/// Maximum bytes of a preimage: a key and a slot, or a string and a slot.
const MAX_PREIMAGE_BYTES: usize = 1_024;
const MAX_PREIMAGES: usize = 50_000;

/// The words of slots before and after a block, of those that differ.
type ChangedWords = BTreeMap<Address, BTreeMap<U256, StorageShift>>;

/// Asks for the words in slots before and after a block. On ganache the word of an empty slot is `0x`.
pub(in crate::indexer) async fn changed_words(
    client: &RpcClient,
    slots: &BTreeSet<(Address, U256)>,
    block: u64,
) -> Result<ChangedWords, RpcError> {
    let blocks = [block.saturating_sub(1), block].map(BlockTag::Number);
    let requests: Vec<RpcRequest> = slots
        .iter()
        .flat_map(|(address, slot)| {
            blocks.map(|block| RpcRequest::storage(*address, (*slot).into(), block))
        })
        .collect();
    let answers = client.batch(&requests).await?.into_iter();
    let words: Vec<U256> =
        answers.map(|word| client.decode::<U256>(&word?)).collect::<Result<_, _>>()?;
    let (pairs, _) = words.as_chunks();
    let mut changed = ChangedWords::new();
    for ((address, slot), [before, after]) in slots.iter().zip(pairs) {
        if before != after {
            let shift = StorageShift { before: *before, after: *after };
            changed.entry(*address).or_default().insert(*slot, shift);
        }
    }
    Ok(changed)
}

/// Returns the inputs of hashes in steps with memory, as far as they can be read.
pub(in crate::indexer) fn hash_preimages(struct_logs: &RawValue) -> Vec<Bytes> {
    let Ok(logs) = serde_json::from_str::<RpcStructLogs<'_>>(struct_logs.get()) else {
        return Vec::new();
    };
    let steps = logs.struct_logs.into_iter().filter_map(EvmStep::parse);
    let inputs = steps.filter_map(|step| step.bytes(step.hashed()?, MAX_PREIMAGE_BYTES));
    let distinct: BTreeSet<Vec<u8>> = inputs.take(MAX_PREIMAGES).collect();
    distinct.into_iter().map(Bytes::from).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn inputs_of_hashes_are_read_from_memory() {
        let step = |op: &str, stack: [&str; 2], memory: &[String]| {
            json!({ "pc": 0, "op": op, "depth": 1, "gas": 9, "gasCost": 1, "stack": stack,
                "memory": memory })
        };
        let memory = ["11".repeat(32), "22".repeat(32)];
        let logs = json!({ "structLogs": [
            step("KECCAK256", ["0x40", "0x0"], &memory),
            step("SHA3", ["20", "20"], &memory),
            step("KECCAK256", ["0x40", "0x0"], &memory),
            step("KECCAK256", ["0xffffff", "0x0"], &memory),
            step("ADD", ["0x40", "0x0"], &memory),
        ] });
        let logs = RawValue::from_string(logs.to_string()).unwrap();
        let expected = [[[0x11; 32], [0x22; 32]].concat(), vec![0x22; 32]];
        assert_eq!(hash_preimages(&logs), expected.map(Bytes::from));
    }
}

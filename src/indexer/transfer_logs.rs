//! Reads token transfers from logs, by the events of the token standards.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::chain::token_standard::TokenStandard;
use crate::chain::{Address, B256, U256, WORD_BYTES};
use crate::rpc::wire::receipt::{RpcLog, RpcReceipt};
use crate::store::TransferLog;

/// Address of the logs of coin transfers (EIP-7708), as if it were a token.
const COIN_TRANSFER_LOGGER: Address =
    alloy_primitives::address!("fffffffffffffffffffffffffffffffffffffffe");
/// Maximum instances of one event that are listed one by one: as many as known contracts mint at once.
const MAX_CONSECUTIVE_IDS: u64 = 5_000;

/// The topics of the events that move tokens.
struct TransferTopics {
    transfer: B256,
    transfer_single: B256,
    transfer_batch: B256,
    consecutive: B256,
    deposit: B256,
    withdrawal: B256,
    erc404_amount: B256,
    erc404_id: B256,
    confidential: B256,
}

static TOPICS: LazyLock<TransferTopics> = LazyLock::new(|| {
    let topic = |event: &str| alloy_primitives::keccak256(event);
    TransferTopics {
        transfer: topic("Transfer(address,address,uint256)"),
        transfer_single: topic("TransferSingle(address,address,address,uint256,uint256)"),
        transfer_batch: topic("TransferBatch(address,address,address,uint256[],uint256[])"),
        consecutive: topic("ConsecutiveTransfer(uint256,uint256,address,address)"),
        deposit: topic("Deposit(address,uint256)"),
        withdrawal: topic("Withdrawal(address,uint256)"),
        erc404_amount: topic("ERC20Transfer(address,address,uint256)"),
        erc404_id: topic("ERC721Transfer(address,address,uint256)"),
        confidential: topic("ConfidentialTransfer(address,address,bytes32)"),
    }
});

/// Number of instances that the consecutive transfers of a block may list one by one.
pub(super) const MAX_CONSECUTIVE_IDS_IN_BLOCK: u64 = 20_000;

/// Returns the topics of the logs that may move tokens of an address: those with the address in their
/// first, their second and their third argument. Tokens from before the standard have no such topics.
pub(super) fn transfer_filters(party: Address) -> [Value; 3] {
    let topic = party.into_word();
    let singles = [TOPICS.transfer, TOPICS.erc404_amount, TOPICS.erc404_id, TOPICS.confidential];
    let wraps = [TOPICS.deposit, TOPICS.withdrawal];
    let batches = [TOPICS.transfer_single, TOPICS.transfer_batch, TOPICS.consecutive];
    [
        json!([([singles.as_slice(), &wraps].concat()), topic]),
        json!([([singles.as_slice(), &batches].concat()), null, topic]),
        json!([batches, null, null, topic]),
    ]
}

/// Returns the transfers in the logs of a transaction, in their order. `first_log_index` is the number
/// of logs before it in the block: some nodes count from zero in each transaction. `unlisted_ids` is the
/// number of instances that consecutive transfers may still list.
pub(super) fn transfer_logs(
    receipt: &RpcReceipt,
    block_number: u64,
    first_log_index: u32,
    unlisted_ids: &mut u64,
) -> Vec<TransferLog> {
    let logs = (first_log_index..).zip(&receipt.logs);
    let moved: Vec<_> =
        logs.filter_map(|(index, log)| Some((index, log, MovedTokens::read(log)?))).collect();
    // Some contracts that wrap the coin emit a transfer too.
    let mut transfers: HashMap<_, usize> = HashMap::new();
    for (_, log, moved) in moved.iter().filter(|(_, log, _)| !is_wrap(log)) {
        *transfers.entry(moved.amount_key(log.address)).or_default() += 1;
    }
    let mut is_repeated = |log: &RpcLog, moved: &MovedTokens| {
        let count = transfers.get_mut(&moved.amount_key(log.address)).filter(|_| is_wrap(log));
        let unmatched = count.filter(|count| **count > 0);
        unmatched.map(|count| *count -= 1).is_some()
    };
    let rows = moved.into_iter().filter(|(_, log, moved)| !is_repeated(log, moved)).map(
        |(log_index, log, moved)| {
            let MovedTokens { standard, from, to, ids, amount, amounts } =
                moved.listed(unlisted_ids);
            TransferLog {
                block_number,
                log_index,
                transaction_hash: receipt.transaction_hash,
                token: log.address,
                standard,
                from,
                to,
                ids,
                amount,
                amounts,
            }
        },
    );
    rows.collect()
}

/// Returns `true` for the events of a contract that wraps the coin.
fn is_wrap(log: &RpcLog) -> bool {
    log.topics.first().is_some_and(|event| [TOPICS.deposit, TOPICS.withdrawal].contains(event))
}

/// Asset, amount and parties of an event.
#[derive(Debug)]
struct MovedTokens {
    standard: TokenStandard,
    from: Address,
    to: Address,
    ids: Option<Vec<U256>>,
    amount: Option<U256>,
    amounts: Option<Vec<U256>>,
}

impl MovedTokens {
    /// Returns `None` for logs of other events, and for a layout that the standard does not allow.
    fn read(log: &RpcLog) -> Option<Self> {
        use TokenStandard::{Erc20, Erc404, Erc721, Erc1155, Erc7984};
        if log.address == COIN_TRANSFER_LOGGER {
            return None;
        }
        let [event, topics @ ..] = &*log.topics else { return None };
        let words: Vec<U256> = log.data.chunks_exact(WORD_BYTES).map(U256::from_be_slice).collect();
        let topics: Vec<U256> = topics.iter().map(|topic| (*topic).into()).collect();
        let amount = |standard, from, to, amount| Self::new(standard, from, to).amount(amount);
        let one_id = |standard, from, to, id| Self::new(standard, from, to).ids(vec![id]);
        Some(match (&topics[..], &words[..]) {
            (&[from, to], &[value]) if *event == TOPICS.transfer => amount(Erc20, from, to, value),
            (&[from, to, id], _) if *event == TOPICS.transfer => one_id(Erc721, from, to, id),
            // Tokens from before the standard index nothing.
            (&[], &[from, to, id]) if *event == TOPICS.transfer => one_id(Erc721, from, to, id),
            (&[_, from, to], &[id, value]) if *event == TOPICS.transfer_single => {
                one_id(Erc1155, from, to, id).amount(value)
            }
            (&[_, from, to], _) if *event == TOPICS.transfer_batch => {
                let (ids, amounts) = (array(&words, 0)?, array(&words, 1)?);
                if ids.is_empty() || ids.len() != amounts.len() {
                    return None;
                }
                let moved = Self::new(Erc1155, from, to).ids(ids);
                Self { amounts: Some(amounts), ..moved }
            }
            // ERC-2309. The number of instances is kept until it is known whether they are listed.
            (&[first, from, to], &[last]) if *event == TOPICS.consecutive => {
                let count = last.checked_sub(first)?.checked_add(U256::ONE)?;
                one_id(Erc721, from, to, first).amount(count)
            }
            (&[to], &[value]) if *event == TOPICS.deposit => amount(Erc20, U256::ZERO, to, value),
            (&[from], &[value]) if *event == TOPICS.withdrawal => {
                amount(Erc20, from, U256::ZERO, value)
            }
            (&[from, to], &[value]) if *event == TOPICS.erc404_amount => {
                amount(Erc404, from, to, value)
            }
            (&[from, to, id], _) if *event == TOPICS.erc404_id => one_id(Erc404, from, to, id),
            // The amount is encrypted.
            (&[from, to, _], _) if *event == TOPICS.confidential => Self::new(Erc7984, from, to),
            _ => return None,
        })
    }

    fn new(standard: TokenStandard, from: U256, to: U256) -> Self {
        let (from, to) = (Address::from_word(from.into()), Address::from_word(to.into()));
        Self { standard, from, to, ids: None, amount: None, amounts: None }
    }

    /// Lists the instances of a consecutive transfer, unless they are too many: then the ids are
    /// unknown, and their number is the amount.
    fn listed(self, unlisted_ids: &mut u64) -> Self {
        let (TokenStandard::Erc721, Some(count), Some(&[first])) =
            (self.standard, self.amount, self.ids.as_deref())
        else {
            return self;
        };
        let most = MAX_CONSECUTIVE_IDS.min(*unlisted_ids);
        let Some(count) = u64::try_from(count).ok().filter(|count| *count <= most) else {
            return Self { ids: None, ..self };
        };
        *unlisted_ids -= count;
        let ids = (0..count).map(|n| first.saturating_add(U256::from(n))).collect();
        Self { ids: Some(ids), amount: None, ..self }
    }

    fn amount_key(&self, token: Address) -> (Address, Address, Address, Option<U256>) {
        (token, self.from, self.to, self.amount)
    }

    fn amount(self, amount: U256) -> Self {
        Self { amount: Some(amount), ..self }
    }

    fn ids(self, ids: Vec<U256>) -> Self {
        Self { ids: Some(ids), ..self }
    }
}

/// Reads the dynamic array whose offset is the word at `index`.
fn array(words: &[U256], index: usize) -> Option<Vec<U256>> {
    let offset = usize::try_from(*words.get(index)?).ok()? / WORD_BYTES;
    let length = usize::try_from(*words.get(offset)?).ok()?;
    let end = offset.checked_add(1)?.checked_add(length)?;
    Some(words.get(offset + 1..end)?.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: Address = Address::repeat_byte(7);

    fn word(n: u64) -> String {
        format!("{n:064x}")
    }

    fn log(event: B256, topics: &[u64], data: &[u64]) -> Value {
        let topics = topics.iter().map(|n| format!("0x{}", word(*n)));
        let topics: Vec<String> = [event.to_string()].into_iter().chain(topics).collect();
        let data: String = data.iter().map(|n| word(*n)).collect();
        json!({ "address": TOKEN, "topics": topics, "data": format!("0x{data}") })
    }

    fn read(logs: &[Value], unlisted_ids: &mut u64) -> Vec<TransferLog> {
        let receipt = json!({ "transactionHash": B256::ZERO, "logs": logs });
        transfer_logs(&serde_json::from_value(receipt).unwrap(), 1, 0, unlisted_ids)
    }

    fn row(log: &TransferLog) -> (u32, U256, U256, Option<u64>) {
        let [from, to] =
            [log.from, log.to].map(|address| U256::from_be_bytes(address.into_word().0));
        (log.log_index, from, to, log.amount.map(|amount| amount.to()))
    }

    #[test]
    fn log_of_a_coin_transfer_moves_no_token() {
        let mut coin = log(TOPICS.transfer, &[5, 6], &[9]);
        assert_eq!(read(&[coin.clone()], &mut 0).len(), 1);
        coin["address"] = COIN_TRANSFER_LOGGER.to_string().into();
        assert!(read(&[coin], &mut 0).is_empty());
    }

    #[test]
    fn wrapped_coin_is_minted_and_burnt_once() {
        let (deposit, withdrawal) = (TOPICS.deposit, TOPICS.withdrawal);
        let rows = read(
            &[
                log(deposit, &[5], &[100]),
                log(withdrawal, &[5], &[40]),
                // One that emits a transfer too.
                log(deposit, &[6], &[9]),
                log(TOPICS.transfer, &[0, 6], &[9]),
                // Another of the same amount, without a transfer.
                log(deposit, &[6], &[9]),
                // Of another layout, as of a vault.
                log(deposit, &[5, 6], &[100]),
                log(deposit, &[], &[5, 100]),
            ],
            &mut 0,
        );
        let of = |n: u64| U256::from(n);
        let expected = [
            (0, of(0), of(5), Some(100)),
            (1, of(5), of(0), Some(40)),
            (3, of(0), of(6), Some(9)),
            (4, of(0), of(6), Some(9)),
        ];
        assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn batch_has_an_amount_of_each_id_and_old_tokens_index_nothing() {
        let batch = |amounts: &[u64]| {
            let data = [&[64, 160, 2, 8, 9][..], amounts].concat();
            log(TOPICS.transfer_batch, &[1, 0, 5], &data)
        };
        let rows = read(
            &[
                batch(&[2, 30, 40]),
                batch(&[1, 30]),
                batch(&[0]),
                log(TOPICS.transfer, &[], &[5, 6, 7]),
            ],
            &mut 0,
        );
        let found: Vec<_> = rows.iter().map(|row| (row.log_index, row.ids.clone())).collect();
        let ids = |ids: &[u64]| Some(ids.iter().map(|id| U256::from(*id)).collect());
        assert_eq!(found, [(0, ids(&[8, 9])), (3, ids(&[7]))]);
        assert_eq!(rows[0].amounts, ids(&[30, 40]));
    }

    #[test]
    fn consecutive_transfer_lists_its_ids_unless_they_are_too_many() {
        let minted = |first, last| log(TOPICS.consecutive, &[first, 0, 5], &[last]);
        let mut unlisted = 12;
        let rows = read(&[minted(3, 7), minted(10, 17), minted(20, 26)], &mut unlisted);
        let ids: Vec<Option<Vec<u64>>> = rows
            .iter()
            .map(|row| row.ids.as_ref().map(|ids| ids.iter().map(|id| id.to()).collect()))
            .collect();
        assert_eq!(ids, [Some((3..=7).collect()), None, Some((20..=26).collect())]);
        let amounts: Vec<_> = rows.iter().map(|transfer| row(transfer).3).collect();
        assert_eq!((amounts, unlisted), (vec![None, Some(8), None], 0));
        let rows = read(&[minted(0, MAX_CONSECUTIVE_IDS), minted(9, 8)], &mut 1_000_000);
        assert_eq!((rows.len(), &rows[0].ids), (1, &None));
    }
}

//! Reads token transfers from logs, by the events of the token standards.

use std::sync::LazyLock;

use crate::chain::{Address, B256, U256};
use crate::rpc::wire::receipt::{RpcLog, RpcReceipt};
use crate::store::{TokenStandard, TransferLog};

/// Where EIP-7708 logs transfers of the coin, as if it were a token.
const COIN_TRANSFER_LOGGER: Address =
    alloy_primitives::address!("fffffffffffffffffffffffffffffffffffffffe");
const WORD_BYTES: usize = 32;

/// The topics of the events that move tokens.
struct TransferTopics {
    transfer: B256,
    transfer_single: B256,
    transfer_batch: B256,
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
        erc404_amount: topic("ERC20Transfer(address,address,uint256)"),
        erc404_id: topic("ERC721Transfer(address,address,uint256)"),
        confidential: topic("ConfidentialTransfer(address,address,bytes32)"),
    }
});

/// Returns the transfers that the logs of a transaction tell of, in their order. `first_log_index` is
/// the number of logs before it in the block: some nodes count anew in each transaction.
pub(super) fn transfer_logs(
    receipt: &RpcReceipt,
    block_number: u64,
    first_log_index: u32,
) -> impl Iterator<Item = TransferLog> {
    let logs = (first_log_index..).zip(&receipt.logs);
    logs.filter_map(move |(log_index, log)| {
        let MovedTokens { standard, from, to, ids, amount, amounts } = MovedTokens::read(log)?;
        Some(TransferLog {
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
        })
    })
}

/// What an event moves, and between whom.
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
    /// Returns `None` for logs of other events, and for those that are not laid out as the standard
    /// says.
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
        let address = |word: U256| Address::from_word(word.into());
        let (from, to) = (address(from), address(to));
        Self { standard, from, to, ids: None, amount: None, amounts: None }
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

//! The endpoints of a block, and the withdrawals in it.

use strum::{IntoStaticStr, VariantNames};

use super::{ApiEndpoint, item, page};
use crate::api::ReplyResult;
use crate::api::address::AddressRef;
use crate::api::beacon_deposits::BeaconDeposit;
use crate::api::endpoints::subject::Subject;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::json_fields::{ExtraFields, Field, json_object};
use crate::api::reply::reply_data;
use crate::api::transactions::Transaction;
use crate::chain::percent::Percent;
use crate::chain::target::TargetKind;
use crate::chain::{B256, BlockId, Timestamp, U256};
use crate::messages::api_error::BlockTimeError;
use crate::sanitize::SafeText;

/// A query for a block, or for something in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, IntoStaticStr, VariantNames)]
pub enum BlockQuery {
    Details,
    Transactions,
    InternalTransactions,
    Withdrawals,
    BeaconDeposits,
}

impl BlockQuery {
    pub(super) fn endpoint(&self, id: BlockId) -> ApiEndpoint {
        let row = |path, decode| ApiEndpoint::new(Subject::Block(id), path, decode);
        match self {
            Self::Details => row("", item::<Block>),
            Self::Transactions => row("transactions", page::<Transaction>),
            Self::InternalTransactions => row("internal-transactions", page::<InternalTransaction>),
            Self::Withdrawals => row("withdrawals", page::<Withdrawal>),
            Self::BeaconDeposits => row("beacon/deposits", page::<BeaconDeposit>),
        }
    }
}

/// Returns the newest block in the list of the latest ones, from the server at a host.
pub fn latest_block(reply: &ReplyResult, host: Option<&str>) -> Result<TargetKind, BlockTimeError> {
    let reply = reply.as_ref().map_err(|error| BlockTimeError::Explorer(error.with_host(host)))?;
    let page = reply.page::<Block>().ok_or(BlockTimeError::Unreadable)?;
    let newest = page.parsed().filter_map(|block| block.number.value()).max();
    match newest {
        Some(number) => Ok(TargetKind::Block(BlockId::Number(*number))),
        None if page.items.is_empty() => Err(BlockTimeError::NoBlocks),
        None => Err(BlockTimeError::Unreadable),
    }
}

json_object! {
    pub struct Block {
        pub number: Field<u64> = "height" | "number",
        pub hash: Field<B256>,
        pub parent_hash: Field<B256>,
        pub timestamp: Field<Timestamp>,
        pub miner: Field<AddressRef>,
        /// `block`, `uncle` or `reorg`.
        pub kind: Field<SafeText> = "type",
        pub transactions_count: Field<u64> =
            "transactions_count" | "transaction_count" | "tx_count",
        /// Absent in lists, and while the server has not fetched the calls.
        pub internal_transactions_count: Field<u64>,
        pub withdrawals_count: Field<u64>,
        pub beacon_deposits_count: Field<u64>,
        pub gas_used: Field<u64>,
        pub gas_limit: Field<u64>,
        /// In wei per unit of gas. Absent before EIP-1559.
        pub base_fee: Field<U256> = "base_fee_per_gas",
        /// Sum of the transactions' fees, the producer's part, and the burnt part.
        pub fees: Field<U256> = "transaction_fees" | "tx_fees",
        pub priority_fee: Field<U256>,
        pub burnt_fees: Field<U256>,
        /// In bytes.
        pub size: Field<u64>,
        pub difficulty: Field<U256>,
        pub total_difficulty: Field<U256>,
        pub nonce: Field<SafeText>,
        /// Rewards, uncles, and fields of one kind of chain only or of newer servers.
        pub extra_fields: ExtraFields,
    }
}

reply_data!(Block: miner);

json_object! {
    /// A payment of the consensus layer to an address.
    pub struct Withdrawal {
        pub index: Field<u64>,
        pub validator_index: Field<u64>,
        pub block_number: Field<u64> = "block_number" | "block",
        pub timestamp: Field<Timestamp>,
        pub receiver: Field<AddressRef>,
        /// In wei.
        pub amount: Field<U256>,
    }
}

reply_data!(Withdrawal: receiver);

impl Block {
    /// Returns `true` if transactions used gas in the block, but the server lists none: it was replaced
    /// in a reorganization.
    pub fn has_unlisted_transactions(&self) -> bool {
        self.transactions_count.value() == Some(&0)
            && self.gas_used.value().is_some_and(|gas| *gas > 0)
    }

    /// Returns the used part of the gas limit.
    pub fn gas_percent(&self) -> Option<Percent> {
        Percent::of(*self.gas_used.value()?, *self.gas_limit.value()?)
    }
}

//! The endpoints of an address, and its holdings.

use serde_json::value::RawValue;

use super::{ApiEndpoint, Decoder, EndpointPath, activity, object, page, readable_item};
use crate::api::account_abstraction::{OPERATIONS_PATH, UserOperation};
use crate::api::activity::ActivityFilter;
use crate::api::address::AddressRef;
use crate::api::approvals::{Approval, CallWords};
use crate::api::balance_history::{CoinBalanceChange, DailyBalances};
use crate::api::beacon_deposits::BeaconDeposit;
use crate::api::endpoints::block::{Block, Withdrawal};
use crate::api::endpoints::subject::Subject;
use crate::api::eth_logs::LogFilter;
use crate::api::filters::{Direction, FilterSlots};
use crate::api::internal_transactions::InternalTransaction;
use crate::api::json_fields::{Field, RawObject, json_object};
use crate::api::logs::Log;
use crate::api::nft_instances::TokenInstance;
use crate::api::page::cursor::Cursor;
use crate::api::page::{Next, Page};
use crate::api::reply::{NamedPart, Reply, ReplyData, own_parts};
use crate::api::token::Token;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::chain::token_standard::TokenStandard;
use crate::chain::{Address, B256, TxHash, U256};
use crate::sanitize::SafeText;
use strum::{IntoStaticStr, VariantNames};

/// A query for an address, or for something of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, IntoStaticStr, VariantNames)]
pub enum AddressQuery {
    Details,
    Counters,
    TabCounters,
    Transactions {
        direction: Option<Direction>,
    },
    /// Its transactions that are in no block, which come before the others.
    Pending,
    InternalTransactions {
        direction: Option<Direction>,
    },
    TokenTransfers {
        direction: Option<Direction>,
        /// Only these standards; all if empty.
        types: Vec<TokenStandard>,
        token: Option<Address>,
    },
    Tokens {
        types: Vec<TokenStandard>,
    },
    /// Its tokens with what it had of each after a block, put together of several answers.
    PastTokens {
        types: Vec<TokenStandard>,
        block: u64,
    },
    Collections {
        types: Vec<TokenStandard>,
    },
    Logs,
    /// The logs with a topic.
    Events {
        topic: B256,
    },
    /// Permissions to spend its tokens, put together of several answers: the last one of each spender
    /// for each token, or the history of all.
    Approvals {
        is_history: bool,
    },
    /// Transactions, internal transactions and token transfers in one list.
    Activity(Box<ActivityFilter>),
    /// The coin balance after each block that changed it.
    BalanceHistory,
    /// The coin balance at the end of each of the latest days.
    DailyBalances,
    Withdrawals,
    /// The blocks that it validated, or mined.
    Blocks,
    BeaconDeposits,
    /// The operations of a smart account.
    UserOperations,
}

impl AddressQuery {
    pub(super) fn endpoint(&self, address: Address) -> ApiEndpoint {
        let row = |path, decode| ApiEndpoint::new(Subject::Address(address), path, decode);
        match self {
            Self::Details => row("", readable_item::<AddressInfo>),
            Self::Counters => row("counters", object::<AddressCounters>),
            Self::TabCounters => row("tabs-counters", object::<AddressTabCounters>),
            Self::Transactions { .. } => transactions(address, page::<Transaction>),
            Self::Pending => {
                ApiEndpoint { words: "pending-transactions", ..transactions(address, pending_page) }
            }
            Self::InternalTransactions { .. } => {
                row("internal-transactions", page::<InternalTransaction>)
            }
            Self::TokenTransfers { .. } => row("token-transfers", page::<TokenTransfer>),
            Self::Tokens { .. } | Self::PastTokens { .. } => ApiEndpoint {
                accepts_null: |key| matches!(key, "fiat_value" | "value"),
                ..row("tokens", page::<TokenBalance>)
            },
            Self::Collections { .. } => row("nft/collections", page::<Collection>),
            Self::Logs => row("logs", page::<Log>),
            Self::Events { topic } => ApiEndpoint {
                params: vec![("topic", topic.to_string())],
                ..row("logs", page::<Log>)
            },
            Self::Approvals { .. } => {
                let logs = LogFilter::approvals(address, None);
                row("approvals", page::<Approval>).asked((&logs).into())
            }
            Self::Activity(filter) => activity(Some(address), filter),
            Self::BalanceHistory => row("coin-balance-history", page::<CoinBalanceChange>),
            Self::DailyBalances => row("coin-balance-history-by-day", object::<DailyBalances>),
            Self::Withdrawals => row("withdrawals", page::<Withdrawal>),
            Self::Blocks => row("blocks-validated", page::<Block>),
            Self::BeaconDeposits => row("beacon/deposits", page::<BeaconDeposit>),
            Self::UserOperations => ApiEndpoint {
                path: EndpointPath::OfChain(OPERATIONS_PATH),
                params: vec![("sender", address.to_string())],
                ..row("user-operations", page::<UserOperation>)
            },
        }
    }

    pub(super) fn filter_slots(&mut self) -> FilterSlots<'_> {
        match self {
            Self::Transactions { direction } | Self::InternalTransactions { direction } => {
                FilterSlots { direction: Some(direction), ..FilterSlots::default() }
            }
            Self::TokenTransfers { direction, types, token } => FilterSlots {
                direction: Some(direction),
                types: Some((&TokenStandard::COMMON, types)),
                token: Some(token),
                ..FilterSlots::default()
            },
            Self::Activity(filter) => filter.slots(),
            Self::Tokens { types } | Self::PastTokens { types, .. } => {
                FilterSlots::of_types(&TokenStandard::COMMON, types)
            }
            Self::Collections { types } => {
                FilterSlots::of_types(&TokenStandard::COMMON[1..], types)
            }
            _ => FilterSlots::default(),
        }
    }
}

fn transactions(address: Address, decode: Decoder) -> ApiEndpoint {
    ApiEndpoint {
        accepts_null: |key| matches!(key, "block_number" | "index" | "value"),
        ..ApiEndpoint::new(Subject::Address(address), "transactions", decode)
    }
}

/// Decodes the transactions before the first one that is in a block, which ends the list.
fn pending_page(json: &RawValue, sent: Option<&Cursor>) -> Result<Reply, SafeText> {
    // A node may not list its pool.
    if let Field::Present(why) = RawObject::parse(json)?.field(&["pool_failure"]) {
        return Err(why);
    }
    let mut page = Page::<Transaction>::from_json(json, sent)?;
    if let Some(end) = page.items.iter().position(|item| {
        item.parsed.as_ref().is_ok_and(|transaction| transaction.block_number.value().is_some())
    }) {
        page.items.truncate(end);
        (page.next, page.left_out) = (Next::End, 0);
    }
    page.coverage = None;
    Ok(Reply::new(page))
}

json_object! {
    /// An address by itself (`/addresses/{hash}`).
    pub struct AddressInfo {
        /// The balance in wei, as of a recent block.
        pub coin_balance: Field<U256>,
        /// The price of the coin in US dollars, decimal.
        pub exchange_rate: Field<SafeText>,
        pub creator: Field<Address> = "creator_address_hash",
        pub creation_transaction: Field<TxHash> = "creation_transaction_hash" | "creation_tx_hash",
        pub token: Field<Token>,
        /// The file of a project with its code, only from the server of a node.
        pub compiled_artifact: Field<SafeText>,
        pub filecoin: Field<FilecoinAddress>,
        pub address: AddressRef,
    }
}

json_object! {
    /// The forms of an address that Filecoin's own tools use.
    pub struct FilecoinAddress {
        /// `f02977693`.
        pub id: Field<SafeText>,
        /// `f410f…`.
        pub robust: Field<SafeText>,
    }
}

impl AddressInfo {
    /// Returns `true` if code was deployed here, which an account that delegates to a contract
    /// (EIP-7702) has not.
    pub fn is_contract(&self) -> bool {
        let is_account = self.address.proxy_type.value().is_some_and(|kind| kind == "eip7702");
        self.address.is_contract.value() == Some(&true) && !is_account
    }
}

impl ReplyData for AddressInfo {
    fn parties(&self) -> Vec<&AddressRef> {
        vec![&self.address]
    }
}

json_object! {
    /// The counters of an address (`/addresses/{hash}/counters`). The server computes each by itself,
    /// on the first request, whose response can be too small.
    pub struct AddressCounters {
        /// Transactions that are from, to or create the address.
        pub transactions: Field<u64> = "transactions_count",
        pub gas_used: Field<u64> = "gas_usage_count",
        pub token_transfers: Field<u64> = "token_transfers_count",
    }
}

impl ReplyData for AddressCounters {}

json_object! {
    /// The rows of the lists of an address (`/addresses/{hash}/tabs-counters`), each counted to
    /// [`MAX_TAB_COUNT`]. A server leaves out what takes it too long to count.
    pub struct AddressTabCounters {
        pub transactions: Field<u64> = "transactions_count",
        pub internal_transactions: Field<u64>
            = "internal_transactions_count" | "internal_txs_count",
        pub token_transfers: Field<u64> = "token_transfers_count",
        pub token_balances: Field<u64> = "token_balances_count",
        pub logs: Field<u64> = "logs_count",
        pub withdrawals: Field<u64> = "withdrawals_count",
        pub blocks: Field<u64> = "validations_count",
        pub beacon_deposits: Field<u64> = "beacon_deposits_count",
    }
}

/// Maximum count of a list's rows, which may be more.
pub const MAX_TAB_COUNT: u64 = 51;

impl ReplyData for AddressTabCounters {}

json_object! {
    /// The balance of a token: one per contract for ERC-20 and ERC-721 (where the value is the number
    /// of items), one per id for ERC-1155 and ERC-404.
    pub struct TokenBalance {
        /// The amount in the smallest unit, or the number of items.
        pub value: Field<U256>,
        /// The id, if the balance is of one id.
        pub token_id: Field<U256>,
        pub token: Field<Token>,
        /// The NFT, if the balance is of one id.
        pub token_instance: Field<Box<TokenInstance>>,
        /// Answer of the contract for an older block, if it was asked.
        pub balance_at_block: Field<CallWords>,
    }
}

impl ReplyData for TokenBalance {
    fn token_field(&self) -> &Field<Token> {
        &self.token
    }

    fn named_parts(&self) -> Vec<NamedPart<'_>> {
        let instance = self.token_instance.value().into_iter();
        let parts = instance.flat_map(|instance| instance.named_parts());
        own_parts(self).into_iter().chain(parts).collect()
    }
}

json_object! {
    /// A collection with the first items that an address holds.
    pub struct Collection {
        pub token: Field<Token>,
        /// The number of items held; for ERC-1155 the number of ids, not of units.
        pub amount: Field<U256>,
        /// At most nine of the items held.
        pub instances: Field<Vec<TokenInstance>> = "token_instances",
    }
}

impl ReplyData for Collection {
    fn token_field(&self) -> &Field<Token> {
        &self.token
    }

    fn named_parts(&self) -> Vec<NamedPart<'_>> {
        let instances = self.instances.value().into_iter().flatten();
        let parts = instances.flat_map(ReplyData::named_parts);
        own_parts(self).into_iter().chain(parts).collect()
    }
}

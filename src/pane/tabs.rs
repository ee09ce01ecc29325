//! The table of panes: which tabs a route has, and which pane each shows.

use strum::{EnumIter, EnumMessage, IntoEnumIterator, IntoStaticStr};

use super::address_header::AddressHeader;
use super::balance::BalancePane;
use super::block_header::BlockHeader;
use super::detail::{DetailPane, LoadedDetail};
use super::diff::DiffPane;
use super::list::ListPane;
use super::nft_instance::InstanceDetail;
use super::start::StartPane;
use super::token_header::TokenHeader;
use super::trace::TracePane;
use super::{Pane, block, contract, log, nft_instance, raw_json, transaction};
use crate::api::blocks::{Block, Withdrawal};
use crate::api::holders::Holder;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::logs::Log;
use crate::api::nft_collections::Collection;
use crate::api::nft_instances::TokenInstance;
use crate::api::state_changes::StateChange;
use crate::api::token::Token;
use crate::api::token_balances::TokenBalance;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::api::{InstanceKey, Query};
use crate::chain::target::TargetKind;
use crate::chain::{Address, BlockId, TxHash};
use crate::columns::ListRow;
use crate::route::Route;

/// The tabs of a transaction, in their order.
const TRANSACTION_TABS: [PaneKind; 7] = [
    PaneKind::Transaction,
    PaneKind::Trace,
    PaneKind::TokenTransfers,
    PaneKind::Logs,
    PaneKind::InternalTransactions,
    PaneKind::StateChanges,
    PaneKind::RawTrace,
];

/// A kind of pane, in the order of the tabs. Each has a title, and a name for command lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, EnumMessage, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum PaneKind {
    #[strum(message = "Start")]
    Start,
    /// The header of an address, above its tabs.
    #[strum(message = "Overview", serialize = "overview")]
    AddressHeader,
    /// The header of a token, above its tabs.
    #[strum(message = "Token", serialize = "token")]
    TokenHeader,
    /// The header of a block, above its tabs.
    #[strum(message = "Block", serialize = "block-header")]
    BlockHeader,
    #[strum(message = "Blocks")]
    Blocks,
    #[strum(message = "Overview", serialize = "instance")]
    TokenInstance,
    #[strum(message = "Transactions")]
    Transactions,
    #[strum(message = "Internal", serialize = "internal")]
    InternalTransactions,
    #[strum(message = "Withdrawals")]
    Withdrawals,
    /// All that is known of a block.
    #[strum(message = "Details")]
    Block,
    /// The token transfers of an address, of a transaction, or of the whole chain.
    #[strum(message = "Transfers", serialize = "transfers")]
    TokenTransfers,
    #[strum(message = "Transfers", serialize = "token-transfers")]
    TransfersOfToken,
    #[strum(message = "Tokens", serialize = "tokens")]
    TokenBalances,
    #[strum(message = "NFTs", serialize = "nfts")]
    NftCollections,
    #[strum(message = "Logs")]
    Logs,
    #[strum(message = "Holders", serialize = "holders")]
    Holders,
    #[strum(message = "Contract", serialize = "contract")]
    Contract,
    /// The last tab of a token's page. It is removed if the token turns out to have no instances.
    #[strum(message = "Instances", serialize = "instances")]
    TokenInstances,
    #[strum(message = "Balance")]
    Balance,
    #[strum(message = "Overview", serialize = "transaction")]
    Transaction,
    #[strum(message = "Trace")]
    Trace,
    #[strum(message = "State", serialize = "state")]
    StateChanges,
    #[strum(message = "Raw", serialize = "raw")]
    RawTrace,
    #[strum(message = "Comparison", serialize = "comparison")]
    Diff,
    #[strum(message = "Log")]
    Log,
    /// One row as the server sent it.
    #[strum(message = "Fields", serialize = "row")]
    RawRow,
}

impl PaneKind {
    pub fn title(self) -> &'static str {
        self.get_message().unwrap_or_default()
    }

    /// Returns `true` if it is above the tabs.
    pub fn is_header(self) -> bool {
        self.header_height() > 0
    }

    /// The lines that it takes above the tabs.
    pub fn header_height(self) -> u16 {
        match self {
            Self::AddressHeader | Self::TokenHeader => 2,
            Self::BlockHeader => 3,
            _ => 0,
        }
    }

    /// Returns its name on command lines.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Creates the pane of this kind that shows a route. Returns `None` if the route has none.
    pub fn create(self, route: &Route) -> Option<Box<dyn Pane>> {
        Some(match (self, route) {
            (Self::Start, Route::Start) => Box::new(StartPane::default()),
            (Self::Transaction, Route::Target(TargetKind::Transaction(hash))) => {
                Box::new(transaction::from_hash(*hash))
            }
            (Self::Transaction, Route::Transaction(item)) => Box::new(transaction::from_item(item)),
            (Self::Blocks, Route::Blocks) => list::<Block>(Query::Blocks),
            (Self::Transactions, Route::Transactions) => {
                list::<Transaction>(Query::ChainTransactions)
            }
            (Self::TokenTransfers, Route::Transfers) => {
                list::<TokenTransfer>(Query::token_transfers(None))
            }
            (Self::TokenBalances, Route::Tokens) => {
                list::<Token>(Query::ChainTokens { types: Vec::new() })
            }
            (Self::TokenInstances, Route::Instances { token, holder }) => {
                list::<TokenInstance>(Query::Instances { token: *token, holder: Some(*holder) })
            }
            (_, Route::Token(token)) => return self.create_for_token(*token),
            (Self::TokenInstance, Route::Instance { instance, token }) => {
                let piece = InstanceDetail::new(instance.clone(), token.as_deref());
                let loaded = LoadedDetail { source: Ok(Box::new(piece)), raw: None };
                Box::new(DetailPane::from_loaded(loaded, None))
            }
            (_, Route::Instance { instance, token }) => {
                let token = instance.token.value().or(token.as_deref())?;
                let (token, id) = (*token.address.value()?, *instance.id.value()?);
                return self.create_for_instance(InstanceKey { token, id });
            }
            (Self::TokenInstance, Route::LinkedInstance(key)) => {
                Box::new(nft_instance::from_key(*key))
            }
            (_, Route::LinkedInstance(key)) => return self.create_for_instance(*key),
            (Self::Log, Route::Log(item)) => Box::new(log::pane(item)),
            (Self::Diff, Route::Diff(two)) => Box::new(DiffPane::new(two)),
            (Self::RawRow, Route::Row(raw)) => Box::new(raw_json::row(raw)),
            (Self::RawRow, Route::Unreadable { why, raw }) => {
                let loaded = LoadedDetail { source: Err(why.clone()), raw: Some(raw.clone()) };
                Box::new(DetailPane::from_loaded(loaded, None))
            }
            _ => match route.target()? {
                TargetKind::Address(address) => return self.create_for_address(address),
                TargetKind::Transaction(hash) => return self.create_for_transaction(hash),
                TargetKind::Block(id) => return self.create_for_block(id),
            },
        })
    }

    fn create_for_transaction(self, hash: TxHash) -> Option<Box<dyn Pane>> {
        Some(match self {
            Self::Trace => Box::new(TracePane::new(hash)),
            Self::TokenTransfers => list::<TokenTransfer>(Query::TransactionTransfers(hash)),
            Self::Logs => list::<Log>(Query::TransactionLogs(hash)),
            Self::InternalTransactions => {
                list::<InternalTransaction>(Query::TransactionInternals(hash))
            }
            Self::StateChanges => list::<StateChange>(Query::StateChanges(hash)),
            Self::RawTrace => Box::new(raw_json::trace(hash)),
            _ => return None,
        })
    }

    fn create_for_address(self, address: Address) -> Option<Box<dyn Pane>> {
        let (direction, types) = (None, Vec::new());
        Some(match self {
            Self::AddressHeader => Box::new(AddressHeader::new(address)),
            Self::Transactions => list::<Transaction>(Query::Transactions { address, direction }),
            Self::InternalTransactions => {
                list::<InternalTransaction>(Query::InternalTransactions { address, direction })
            }
            Self::TokenTransfers => list::<TokenTransfer>(Query::token_transfers(Some(address))),
            Self::TokenBalances => list::<TokenBalance>(Query::Tokens { address, types }),
            Self::Balance => Box::new(BalancePane::new(address)),
            Self::NftCollections => list::<Collection>(Query::Collections { address, types }),
            Self::Logs => list::<Log>(Query::AddressLogs(address)),
            Self::Contract => Box::new(contract::from_address(address)),
            _ => return None,
        })
    }

    fn create_for_token(self, token: Address) -> Option<Box<dyn Pane>> {
        Some(match self {
            Self::TokenHeader => Box::new(TokenHeader::new(token)),
            Self::TransfersOfToken => list::<TokenTransfer>(Query::TransfersOfToken(token)),
            Self::Holders => list::<Holder>(Query::Holders(token)),
            Self::Contract => Box::new(contract::from_address(token)),
            Self::TokenInstances => list::<TokenInstance>(Query::Instances { token, holder: None }),
            _ => return None,
        })
    }

    fn create_for_instance(self, key: InstanceKey) -> Option<Box<dyn Pane>> {
        Some(match self {
            Self::TransfersOfToken => list::<TokenTransfer>(Query::InstanceTransfers(key)),
            Self::Holders => list::<Holder>(Query::InstanceHolders(key)),
            Self::RawTrace => Box::new(raw_json::instance(key)),
            _ => return None,
        })
    }

    fn create_for_block(self, id: BlockId) -> Option<Box<dyn Pane>> {
        Some(match self {
            Self::BlockHeader => Box::new(BlockHeader::new(id)),
            Self::Block => Box::new(block::from_id(id)),
            Self::Transactions => list::<Transaction>(Query::BlockTransactions(id)),
            Self::InternalTransactions => list::<InternalTransaction>(Query::BlockInternals(id)),
            Self::Withdrawals => list::<Withdrawal>(Query::BlockWithdrawals(id)),
            _ => return None,
        })
    }

    pub fn create_all(route: &Route) -> Vec<(Self, Box<dyn Pane>)> {
        let kinds = match route.target() {
            Some(TargetKind::Transaction(_)) => TRANSACTION_TABS.to_vec(),
            _ => Self::iter().collect(),
        };
        kinds.into_iter().filter_map(|kind| Some((kind, kind.create(route)?))).collect()
    }
}

fn list<T: ListRow>(query: Query) -> Box<dyn Pane> {
    Box::new(ListPane::new(T::KIND, query))
}

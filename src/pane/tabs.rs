//! The table of panes: which tabs a route has, and which pane each shows.

use strum::{EnumIter, IntoEnumIterator};

use super::address_header::AddressHeader;
use super::detail::{DetailPane, LoadedDetail};
use super::diff::DiffPane;
use super::list::ListPane;
use super::nft_instance::InstanceDetail;
use super::start::StartPane;
use super::trace::TracePane;
use super::{Pane, raw_json, transaction};
use crate::api::Query;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::nft_collections::Collection;
use crate::api::nft_instances::TokenInstance;
use crate::api::token_balances::TokenBalance;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::chain::Address;
use crate::chain::target::TargetKind;
use crate::route::Route;

/// A kind of pane. The order is that of the tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter)]
pub enum PaneKind {
    Start,
    /// The header of an address, above its tabs.
    AddressHeader,
    Transactions,
    InternalTransactions,
    /// An address's token transfers, or the whole chain's.
    TokenTransfers,
    TokenBalances,
    NftCollections,
    TokenInstances,
    Transaction,
    Trace,
    RawTrace,
    Diff,
    TokenInstance,
    /// One row as the server sent it.
    RawRow,
}

impl PaneKind {
    pub fn title(self) -> &'static str {
        match self {
            Self::Start => "Start",
            Self::AddressHeader => "Overview",
            Self::Transactions => "Transactions",
            Self::InternalTransactions => "Internal",
            Self::TokenTransfers => "Transfers",
            Self::TokenBalances => "Tokens",
            Self::NftCollections => "NFTs",
            Self::TokenInstances => "Instances",
            Self::Transaction => "Transaction",
            Self::Trace => "Trace",
            Self::RawTrace => "Raw JSON",
            Self::Diff => "Comparison",
            Self::TokenInstance => "Instance",
            Self::RawRow => "Row",
        }
    }

    /// What a command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::AddressHeader => "overview",
            Self::Transactions => "transactions",
            Self::InternalTransactions => "internal",
            Self::TokenTransfers => "transfers",
            Self::TokenBalances => "tokens",
            Self::NftCollections => "nfts",
            Self::TokenInstances => "instances",
            Self::Transaction => "transaction",
            Self::Trace => "trace",
            Self::RawTrace => "raw",
            Self::Diff => "comparison",
            Self::TokenInstance => "instance",
            Self::RawRow => "row",
        }
    }

    /// Creates the pane of this kind that shows a route. Returns `None` if the route has none.
    pub fn create(self, route: &Route) -> Option<Box<dyn Pane>> {
        Some(match route {
            Route::Start => match self {
                Self::Start => Box::new(StartPane::default()),
                _ => return None,
            },
            Route::Target(TargetKind::Address(address)) => {
                return self.create_for_address(*address);
            }
            Route::Target(TargetKind::Transaction(hash)) => match self {
                Self::Transaction => Box::new(transaction::from_hash(*hash)),
                Self::Trace => Box::new(TracePane::new(*hash)),
                Self::RawTrace => Box::new(raw_json::trace(*hash)),
                _ => return None,
            },
            Route::Transaction(item) => match self {
                Self::Transaction => Box::new(transaction::from_item(item)),
                Self::Trace => Box::new(TracePane::new(item.parsed.as_ref().ok()?.hash)),
                Self::RawTrace => Box::new(raw_json::trace(item.parsed.as_ref().ok()?.hash)),
                _ => return None,
            },
            Route::Transfers if self == Self::TokenTransfers => {
                Box::new(ListPane::<TokenTransfer>::new(Query::token_transfers(None)))
            }
            Route::Instances { token, holder } if self == Self::TokenInstances => {
                let query = Query::Instances { token: *token, holder: *holder };
                Box::new(ListPane::<TokenInstance>::new(query))
            }
            Route::Instance { instance, token } if self == Self::TokenInstance => {
                let piece = InstanceDetail::new(instance.clone(), token.as_deref());
                Box::new(DetailPane::from_loaded(
                    LoadedDetail { source: Ok(Box::new(piece)), raw: None },
                    None,
                ))
            }
            Route::Diff(two) if self == Self::Diff => Box::new(DiffPane::new(two)),
            Route::Row(raw) if self == Self::RawRow => Box::new(raw_json::row(raw)),
            Route::Unreadable { why, raw } if self == Self::RawRow => {
                Box::new(DetailPane::from_unreadable(why.clone(), raw))
            }
            _ => return None,
        })
    }

    fn create_for_address(self, address: Address) -> Option<Box<dyn Pane>> {
        let (direction, types) = (None, Vec::new());
        Some(match self {
            Self::AddressHeader => Box::new(AddressHeader::new(address)),
            Self::Transactions => {
                Box::new(ListPane::<Transaction>::new(Query::Transactions { address, direction }))
            }
            Self::InternalTransactions => {
                let query = Query::InternalTransactions { address, direction };
                Box::new(ListPane::<InternalTransaction>::new(query))
            }
            Self::TokenTransfers => {
                Box::new(ListPane::<TokenTransfer>::new(Query::token_transfers(Some(address))))
            }
            Self::TokenBalances => {
                Box::new(ListPane::<TokenBalance>::new(Query::Tokens { address, types }))
            }
            Self::NftCollections => {
                Box::new(ListPane::<Collection>::new(Query::Collections { address, types }))
            }
            _ => return None,
        })
    }

    pub fn create_all(route: &Route) -> Vec<(Self, Box<dyn Pane>)> {
        Self::iter().filter_map(|kind| Some((kind, kind.create(route)?))).collect()
    }
}

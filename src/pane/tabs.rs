//! The table of panes: which tabs a route has, and which pane each shows.

use strum::{EnumIter, EnumMessage, EnumString, IntoStaticStr};

use super::balance_history::BalanceHistoryPane;
use super::decoded_data::DataOnPage;
use super::detail::{DetailPane, LoadedDetail};
use super::diff::DiffPane;
use super::header::address::AddressHeader;
use super::header::block::BlockHeader;
use super::header::token::TokenHeader;
use super::list::ListPane;
use super::log::{self, LogDisplay};
use super::nft::instance;
use super::start::StartPane;
use super::trace::TracePane;
use super::{Pane, batch, block, contract, decoded_data, raw_json, transaction, transaction_part};
use crate::api::account_abstraction::{
    AbstractionParty, OperationBundle, SmartAccount, UserOperation,
};
use crate::api::accounts::{HotContract, RankedAccount, VerifiedContract};
use crate::api::activity::{Activity, ActivityFilter};
use crate::api::approvals::Approval;
use crate::api::beacon_deposits::BeaconDeposit;
use crate::api::console_lines::ConsoleLine;
use crate::api::endpoints::address::{Collection, TokenBalance};
use crate::api::endpoints::batch::BatchQuery;
use crate::api::endpoints::block::{Block, Withdrawal};
use crate::api::endpoints::token::Holder;
use crate::api::endpoints::transaction::{Blob, ExternalTransaction};
use crate::api::internal_transactions::InternalTransaction;
use crate::api::logs::Log;
use crate::api::nft_instances::TokenInstance;
use crate::api::optimism::{
    DisputeGame, OptimismBatch, OptimismDeposit, OptimismWithdrawal, OutputRoot,
};
use crate::api::state_changes::StateChange;
use crate::api::token::Token;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::api::{
    AddressQuery, BlockQuery, ChainQuery, InstanceKey, InstanceQuery, Query, TokenQuery,
    TransactionQuery,
};
use crate::chain::target::TargetKind;
use crate::chain::{Address, BlockId, TxHash};
use crate::columns::ListRow;
use crate::columns::table::any_row::RowKind;
use crate::messages::page;
use crate::route::Route;

/// A kind of pane, with its title and its name on command lines, which list kinds in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, EnumMessage, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum PaneKind {
    #[strum(message = "Start")]
    Start,
    /// A list of the whole chain, with the name of the list.
    #[strum(message = "List")]
    List,
    /// The header of an address, above its tabs.
    #[strum(message = "Overview", serialize = "overview")]
    AddressHeader,
    /// The header of a token, above its tabs.
    #[strum(message = "Token", serialize = "token")]
    TokenHeader,
    /// The header of a block, above its tabs.
    #[strum(message = "Block", serialize = "block-header")]
    BlockHeader,
    /// All that is known of a block.
    #[strum(message = "Details")]
    Block,
    #[strum(message = "Blocks")]
    Blocks,
    #[strum(message = "Transactions")]
    Transactions,
    #[strum(message = "Pending")]
    Pending,
    #[strum(message = "Internal", serialize = "internal")]
    InternalTransactions,
    #[strum(message = "Withdrawals")]
    Withdrawals,
    #[strum(message = "Deposits", serialize = "beacon-deposits")]
    BeaconDeposits,
    #[strum(message = "User ops", serialize = "user-operations")]
    UserOperations,
    #[strum(message = "Blobs")]
    Blobs,
    #[strum(message = "External", serialize = "external-transactions")]
    ExternalTransactions,
    /// The token transfers of an address, of a transaction, or of the whole chain.
    #[strum(message = "Token transfers", serialize = "transfers")]
    TokenTransfers,
    #[strum(message = "Transfers", serialize = "token-transfers")]
    TransfersOfToken,
    #[strum(message = "Tokens", serialize = "tokens")]
    TokenBalances,
    #[strum(message = "NFTs", serialize = "nfts")]
    NftCollections,
    #[strum(message = "Logs")]
    Logs,
    #[strum(message = "Approvals", serialize = "approvals")]
    Approvals,
    #[strum(message = "Balance")]
    Balance,
    /// Transactions, internal transactions and token transfers.
    #[strum(message = "Activity")]
    Activity,
    #[strum(message = "Holders", serialize = "holders")]
    Holders,
    #[strum(message = "Code", serialize = "contract")]
    Contract,
    #[strum(message = "Code", serialize = "token-contract")]
    ContractOfToken,
    /// The last tab of a token's page. It is removed if the token turns out to have no instances.
    #[strum(message = "NFTs", serialize = "instances")]
    TokenInstances,
    #[strum(message = "Overview", serialize = "transaction")]
    Transaction,
    #[strum(message = "Trace")]
    Trace,
    #[strum(message = "State", serialize = "state")]
    StateChanges,
    #[strum(message = "Raw trace", serialize = "raw")]
    RawTrace,
    /// An NFT as the explorer sent it.
    #[strum(message = "All fields", serialize = "fields")]
    RawInstance,
    #[strum(message = "Overview", serialize = "instance")]
    TokenInstance,
    #[strum(message = "Comparison", serialize = "comparison")]
    Diff,
    #[strum(message = "Log")]
    Log,
    /// A token transfer, a call or a state change of a transaction.
    #[strum(message = "Details", serialize = "part")]
    Part,
    #[strum(message = "Operation", serialize = "user-operation")]
    UserOperation,
    #[strum(message = "Batch")]
    Batch,
    /// Data that was typed or pasted.
    #[strum(message = "Decoded")]
    Decoded,
    /// One row as the explorer sent it.
    #[strum(message = "All fields", serialize = "row")]
    RawRow,
}

/// Number of rows in a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowCount {
    Exactly(u64),
    MoreThan(u64),
}

/// A list of a page.
#[derive(Debug)]
pub struct PageList {
    pub kind: PaneKind,
    pub rows: &'static RowKind,
    pub query: Query,
}

impl PageList {
    pub fn into_pane(self) -> PaneOfKind {
        pane(self.kind, ListPane::new(self.rows, self.query))
    }
}

/// A pane with its kind.
pub type PaneOfKind = (PaneKind, Box<dyn Pane>);

impl PaneKind {
    pub fn title(self) -> &'static str {
        self.get_message().unwrap_or_default()
    }

    /// Returns further words that find it.
    pub fn keywords(self) -> &'static str {
        match self {
            Self::Balance => page::BALANCE_HISTORY,
            _ => "",
        }
    }

    /// Returns its title among other tabs, and a short one for less space.
    pub fn tab_titles(self) -> [&'static str; 2] {
        match self {
            Self::Transactions => ["Tx"; 2],
            Self::RawTrace => ["Raw trace", "Raw"],
            Self::TokenTransfers => [self.title(), "Transfers"],
            _ => [self.title(); 2],
        }
    }

    /// Returns its title on a page, which may be a list of the whole chain.
    pub fn title_on(self, page: &Route) -> &'static str {
        match (self, page) {
            (Self::List, Route::List(list)) => list.entry().heading,
            _ => self.title(),
        }
    }

    /// Returns its title on the page of a token's contract, whose holdings are not the token's transfers
    /// and NFTs.
    pub fn own_title(self) -> Option<&'static str> {
        (self == Self::TokenTransfers).then_some("Own transfers")
    }

    /// Returns `true` if it is above the tabs.
    pub fn is_header(self) -> bool {
        self.header_height() > 0
    }

    /// Returns `true` if its tab shows the number of its rows, once that is known.
    pub fn is_counted(self) -> bool {
        let is_other = matches!(
            self,
            Self::Start
                | Self::Block
                | Self::Balance
                | Self::Contract
                | Self::ContractOfToken
                | Self::Transaction
                | Self::Trace
                | Self::RawTrace
                | Self::RawInstance
                | Self::TokenInstance
                | Self::Diff
                | Self::Log
                | Self::Part
                | Self::Decoded
                | Self::UserOperation
                | Self::Batch
                | Self::RawRow
        );
        !is_other && !self.is_header()
    }

    /// Returns `true` if a page's header may count its rows before it is opened.
    pub fn is_counted_unopened(self) -> bool {
        self.is_counted()
            && !matches!(self, Self::NftCollections | Self::Approvals | Self::Activity)
    }

    /// Returns `true` if its rows can be cards.
    pub fn has_cards(self) -> bool {
        matches!(self, Self::NftCollections | Self::TokenInstances)
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

    /// Returns its name on the command line of a page, which may be a list of the whole chain.
    pub fn name_on(self, page: &Route) -> &'static str {
        match (self, page) {
            (Self::List, Route::List(list)) => list.name(),
            _ => self.name(),
        }
    }

    /// Returns `true` if a command line can name it. Other panes are headers, open from rows or data, or have the
    /// name of their list.
    pub fn is_openable(self) -> bool {
        let has_no_name = matches!(
            self,
            Self::List
                | Self::Diff
                | Self::Log
                | Self::Part
                | Self::RawRow
                | Self::Decoded
                | Self::UserOperation
                | Self::Batch
        );
        self != Self::Start && !self.is_header() && !has_no_name
    }

    /// Creates the panes of a page: its header, if it has one, and its tabs in their order.
    pub fn create_all(route: &Route) -> Vec<PaneOfKind> {
        match route {
            Route::Start => vec![pane(Self::Start, StartPane::default())],
            Route::List(query) => {
                let list = Query::Chain(query.clone());
                vec![pane(Self::List, ListPane::new(rows_of_chain(query), list))]
            }
            Route::Batch(number) => batch_panes(*number),
            Route::UserOperation(hash) => {
                vec![pane(Self::UserOperation, raw_json::user_operation(*hash))]
            }
            Route::Target(TargetKind::Address(address)) => address_panes(*address),
            Route::Target(TargetKind::Block(id)) => block_panes(*id),
            Route::Target(TargetKind::Transaction(hash)) => {
                transaction_panes(transaction::from_hash(*hash), Some(*hash))
            }
            Route::Transaction(item) => {
                let hash = item.parsed.as_ref().ok().map(|transaction| transaction.hash);
                transaction_panes(transaction::from_item(item), hash)
            }
            Route::Token(token) => token_panes(*token),
            Route::Instances { token, holder } => {
                let query = Query::Token(*token, TokenQuery::Instances { holder: Some(*holder) });
                vec![list::<TokenInstance>(Self::TokenInstances, query)]
            }
            Route::Instance { instance, token } => {
                let detail = instance::from_row(instance, token.as_deref(), route.instance());
                instance_panes(detail, route.instance())
            }
            Route::LinkedInstance(key) => instance_panes(instance::from_key(*key), Some(*key)),
            Route::Log(item) => vec![pane(Self::Log, log::pane(item, LogDisplay::Alone))],
            Route::Part { transaction, part } => {
                vec![pane(Self::Part, transaction_part::pane(*transaction, part))]
            }
            Route::Diff(two) => vec![pane(Self::Diff, DiffPane::new(two))],
            Route::Decoded { input, contract } => {
                let data = DataOnPage { input: input.clone(), contract: *contract };
                vec![pane(Self::Decoded, decoded_data::pane(&data))]
            }
            Route::Row { raw, name, page } => {
                vec![pane(Self::RawRow, raw_json::row(raw, name, page.as_deref()))]
            }
            Route::Unreadable { why, raw } => {
                let loaded = LoadedDetail { source: Err(why.clone()), raw: Some(raw.clone()) };
                vec![pane(Self::RawRow, DetailPane::from_loaded(loaded, None))]
            }
        }
    }
}

fn transaction_panes(detail: DetailPane, hash: Option<TxHash>) -> Vec<PaneOfKind> {
    let first = pane(PaneKind::Transaction, detail);
    let Some(hash) = hash else { return vec![first] };
    let query = |query| Query::Transaction(hash, query);
    let internal = query(TransactionQuery::InternalTransactions);
    vec![
        first,
        pane(PaneKind::Trace, TracePane::new(hash)),
        list::<TokenTransfer>(PaneKind::TokenTransfers, query(TransactionQuery::TokenTransfers)),
        list::<Log>(PaneKind::Logs, query(TransactionQuery::Logs)),
        list::<InternalTransaction>(PaneKind::InternalTransactions, internal),
        list::<StateChange>(PaneKind::StateChanges, query(TransactionQuery::StateChanges)),
        pane(PaneKind::RawTrace, raw_json::trace(hash)),
    ]
}

fn address_panes(address: Address) -> Vec<PaneOfKind> {
    let query = |query| Query::Address(address, query);
    let (direction, types) = (None, Vec::new());
    let transactions = query(AddressQuery::Transactions { direction });
    let internal = query(AddressQuery::InternalTransactions { direction });
    let tokens = query(AddressQuery::Tokens { types: types.clone() });
    let collections = query(AddressQuery::Collections { types });
    let activity = Query::activity(Some(address), ActivityFilter::default());
    vec![
        pane(PaneKind::AddressHeader, AddressHeader::new(address)),
        list::<Transaction>(PaneKind::Transactions, transactions),
        list::<InternalTransaction>(PaneKind::InternalTransactions, internal),
        list::<TokenTransfer>(PaneKind::TokenTransfers, Query::token_transfers(Some(address))),
        list::<TokenBalance>(PaneKind::TokenBalances, tokens),
        list::<Collection>(PaneKind::NftCollections, collections),
        list::<Log>(PaneKind::Logs, query(AddressQuery::Logs)),
        pane(PaneKind::Contract, contract::from_address(address)),
        pane(PaneKind::Balance, BalanceHistoryPane::new(address)),
        list::<Approval>(PaneKind::Approvals, query(AddressQuery::Approvals { is_history: false })),
        list::<Activity>(PaneKind::Activity, activity),
    ]
}

fn token_panes(token: Address) -> Vec<PaneOfKind> {
    let query = |query| Query::Token(token, query);
    let instances = query(TokenQuery::Instances { holder: None });
    vec![
        pane(PaneKind::TokenHeader, TokenHeader::new(token)),
        list::<TokenTransfer>(PaneKind::TransfersOfToken, query(TokenQuery::Transfers)),
        list::<Holder>(PaneKind::Holders, query(TokenQuery::Holders)),
        pane(PaneKind::ContractOfToken, contract::from_address(token)),
        list::<TokenInstance>(PaneKind::TokenInstances, instances),
    ]
}

fn instance_panes(detail: DetailPane, key: Option<InstanceKey>) -> Vec<PaneOfKind> {
    let first = pane(PaneKind::TokenInstance, detail);
    let Some(key) = key else { return vec![first] };
    let query = |query| Query::Instance(key, query);
    vec![
        first,
        list::<TokenTransfer>(PaneKind::TransfersOfToken, query(InstanceQuery::Transfers)),
        list::<Holder>(PaneKind::Holders, query(InstanceQuery::Holders)),
        pane(PaneKind::RawInstance, raw_json::instance(key)),
    ]
}

fn block_panes(id: BlockId) -> Vec<PaneOfKind> {
    let query = |query| Query::Block(id, query);
    let internal = query(BlockQuery::InternalTransactions);
    vec![
        pane(PaneKind::BlockHeader, BlockHeader::new(id)),
        list::<Transaction>(PaneKind::Transactions, query(BlockQuery::Transactions)),
        list::<InternalTransaction>(PaneKind::InternalTransactions, internal),
        list::<Withdrawal>(PaneKind::Withdrawals, query(BlockQuery::Withdrawals)),
        pane(PaneKind::Block, block::from_id(id)),
    ]
}

fn batch_panes(number: u64) -> Vec<PaneOfKind> {
    let query = |query| Query::Batch(number, query);
    vec![
        pane(PaneKind::Batch, batch::from_number(number)),
        list::<Block>(PaneKind::Blocks, query(BatchQuery::Blocks)),
        list::<Transaction>(PaneKind::Transactions, query(BatchQuery::Transactions)),
    ]
}

fn pane(kind: PaneKind, pane: impl Pane + 'static) -> PaneOfKind {
    (kind, Box::new(pane))
}

fn list<T: ListRow>(kind: PaneKind, query: Query) -> PaneOfKind {
    page_list::<T>(kind, query).into_pane()
}

fn page_list<T: ListRow>(kind: PaneKind, query: Query) -> PageList {
    PageList { kind, rows: T::KIND, query }
}

/// Returns the lists of a page whose tabs are hidden at first.
pub fn hidden_lists(route: &Route) -> Vec<PageList> {
    match route.target() {
        Some(TargetKind::Address(address)) => {
            let query = |query| Query::Address(address, query);
            vec![
                page_list::<Transaction>(PaneKind::Pending, query(AddressQuery::Pending)),
                page_list::<Withdrawal>(PaneKind::Withdrawals, query(AddressQuery::Withdrawals)),
                page_list::<Block>(PaneKind::Blocks, query(AddressQuery::Blocks)),
                page_list::<BeaconDeposit>(
                    PaneKind::BeaconDeposits,
                    query(AddressQuery::BeaconDeposits),
                ),
                page_list::<UserOperation>(
                    PaneKind::UserOperations,
                    query(AddressQuery::UserOperations),
                ),
            ]
        }
        Some(TargetKind::Transaction(hash)) => {
            let query = |query| Query::Transaction(hash, query);
            vec![
                page_list::<Blob>(PaneKind::Blobs, query(TransactionQuery::Blobs)),
                page_list::<UserOperation>(
                    PaneKind::UserOperations,
                    query(TransactionQuery::UserOperations),
                ),
                page_list::<BeaconDeposit>(
                    PaneKind::BeaconDeposits,
                    query(TransactionQuery::BeaconDeposits),
                ),
                page_list::<ExternalTransaction>(
                    PaneKind::ExternalTransactions,
                    query(TransactionQuery::ExternalTransactions),
                ),
            ]
        }
        Some(TargetKind::Block(id)) => {
            let query = Query::Block(id, BlockQuery::BeaconDeposits);
            vec![page_list::<BeaconDeposit>(PaneKind::BeaconDeposits, query)]
        }
        None => Vec::new(),
    }
}

/// Returns the kind of the rows in a list of the whole chain.
pub fn rows_of_chain(list: &ChainQuery) -> &'static RowKind {
    use ChainQuery as Of;
    match list {
        Of::Blocks => Block::KIND,
        Of::Transactions | Of::Pending => Transaction::KIND,
        Of::Transfers { .. } => TokenTransfer::KIND,
        Of::Tokens { .. } => Token::KIND,
        Of::Activity(_) => Activity::KIND,
        Of::Console => ConsoleLine::KIND,
        Of::InternalTransactions => InternalTransaction::KIND,
        Of::Accounts => RankedAccount::KIND,
        Of::VerifiedContracts => VerifiedContract::KIND,
        Of::HotContracts => HotContract::KIND,
        Of::Withdrawals => Withdrawal::KIND,
        Of::BeaconDeposits => BeaconDeposit::KIND,
        Of::UserOperations => UserOperation::KIND,
        Of::Bundles => OperationBundle::KIND,
        Of::SmartAccounts => SmartAccount::KIND,
        Of::Bundlers | Of::Factories | Of::Paymasters => AbstractionParty::KIND,
        Of::OptimismBatches => OptimismBatch::KIND,
        Of::OptimismDeposits => OptimismDeposit::KIND,
        Of::OptimismWithdrawals => OptimismWithdrawal::KIND,
        Of::DisputeGames => DisputeGame::KIND,
        Of::OutputRoots => OutputRoot::KIND,
    }
}

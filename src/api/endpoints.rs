//! The endpoints of an explorer: a row for each query, with path, parameters and the type of the response.
//!
//! The rows of [`Query::endpoint`] are about a contract, for the start page, or no lists.
//! Every other subject has a file with its queries, their rows, and the items that no other subject has; the paths of
//! its rows begin with the path of the subject (`subject`).

pub mod address;
pub mod batch;
pub mod block;
pub mod chain;
pub mod instance;
pub(super) mod subject;
pub mod token;
pub mod transaction;

use std::sync::Arc;

use serde_json::value::RawValue;
use strum::{IntoStaticStr, VariantNames};

use super::account_abstraction::OPERATIONS_PATH;
use super::activity::{Activity, ActivityFilter};
use super::block_by_time::{self, BlockByTime};
use super::contract::Contract;
use super::eth_logs::{EthLog, LogFilter, LogTimes};
use super::exchange::{Params, RequestText};
use super::failure_line::{FailureLine, FailureQuery};
use super::filters::FilterSlots;
use super::json_fields::FromJson;
use super::page::cursor::Cursor;
use super::page::{Item, Page, parse_single};
use super::reply::{Reply, ReplyData};
use super::search_redirect::SearchRedirect;
use super::search_results::SearchResult;
use super::state_reads::{
    CallResponse, EthCall, NodeRequest, StorageBatch, StorageRead, StorageResponse, StorageWords,
};
use super::stats::{DailyTransactions, Stats};
use super::transactions::Transaction;
use super::web_config::WebConfig;
use crate::chain::{Address, B256, BlockId, Timestamp, TxHash};
use crate::messages::page::LATEST_BLOCKS;
use crate::sanitize::SafeText;
use address::AddressQuery;
use batch::BatchQuery;
use block::{Block, BlockQuery};
use chain::ChainQuery;
use instance::InstanceQuery;
use subject::{InstanceKey, Subject};
use token::TokenQuery;
use transaction::TransactionQuery;

/// A query to an explorer. Some servers do not support `Redirect` and `Details` of an address or a
/// transaction.
#[derive(Debug, Clone, PartialEq, Eq, Hash, IntoStaticStr, VariantNames)]
pub enum Query {
    Address(Address, AddressQuery),
    /// Of an Optimism chain.
    Batch(u64, BatchQuery),
    Block(BlockId, BlockQuery),
    Chain(ChainQuery),
    Instance(InstanceKey, InstanceQuery),
    Token(Address, TokenQuery),
    Transaction(TxHash, TransactionQuery),
    Contract(Address),
    Call(EthCall),
    Storage(StorageRead),
    /// Only this program's own server is asked for several words at once.
    StorageWords(StorageBatch),
    /// Logs by contract and topics.
    Logs(LogFilter),
    LogTimes(LogTimes),
    /// The line of the source that a failed call ended at. Only this program's own server knows it.
    FailureLine(FailureQuery),
    /// The target of a name.
    Redirect(SafeText),
    /// Whatever a text is found in.
    Search(SafeText),
    /// The number of the newest block that is not newer than a time.
    BlockByTime(Timestamp),
    /// A user operation by itself.
    UserOperation(B256),
    /// A few of the newest blocks, for the start page.
    LatestBlocks,
    /// A few of the newest transactions, for the start page.
    LatestTransactions,
    Stats,
    DailyTransactions,
    /// The configuration of the explorer's web pages.
    WebConfig,
}

/// Decodes JSON. Takes the cursor of the request.
type Decoder = fn(&RawValue, Option<&Cursor>) -> Result<Reply, SafeText>;

/// A path, which is put together when it is sent: the checksum of an address in it takes a hash.
enum EndpointPath {
    OfSubject(&'static str),
    OfChain(&'static str),
    /// A user operation, below the list of them.
    Operation(B256),
    /// Something of this number, below a list of the chain.
    Numbered(&'static str, u64),
    /// A path below the base URL.
    Whole(&'static str),
}

/// The request for a query, and the type of its reply.
pub(super) struct ApiEndpoint {
    pub(super) subject: Subject,
    path: EndpointPath,
    /// Name of the items of a list. Empty if the response is the subject itself.
    pub(super) words: &'static str,
    /// The address that the response is about, if any.
    pub(super) viewed: Option<Address>,
    /// Parameters of the first page besides filters.
    pub(super) params: Params,
    /// Body to post, and the URL's fragment. Other requests have none.
    pub(super) post: Option<NodeRequest>,
    /// Returns `true` if a null key of a cursor is sent as the word `null`: some lists begin again
    /// without it. Other keys are refused with 422 in that form, and left out.
    pub(super) accepts_null: fn(&str) -> bool,
    pub(super) decode: Decoder,
}

impl ApiEndpoint {
    /// Creates the endpoint at `path` below the subject's. It describes the response by the path's end.
    fn new(subject: Subject, path: &'static str, decode: Decoder) -> Self {
        Self {
            subject,
            path: EndpointPath::OfSubject(path),
            words: path.rsplit('/').next().unwrap_or_default(),
            viewed: subject.address(),
            params: Vec::new(),
            post: None,
            accepts_null: |_| false,
            decode,
        }
    }

    /// Asks the node of the explorer, through JSON-RPC.
    fn asked(self, request: NodeRequest) -> Self {
        Self { path: EndpointPath::Whole("api/eth-rpc"), post: Some(request), ..self }
    }

    /// Returns the path below the base URL.
    pub(super) fn path(&self) -> RequestText {
        match self.path {
            EndpointPath::OfSubject(part) => self.subject.path(part),
            EndpointPath::OfChain(part) => Subject::Chain.path(part),
            EndpointPath::Operation(hash) => {
                Subject::Chain.path(&format!("{OPERATIONS_PATH}/{hash}"))
            }
            EndpointPath::Numbered(list, number) => {
                Subject::Chain.path(&format!("{list}/{number}"))
            }
            EndpointPath::Whole(path) => path.into(),
        }
    }
}

impl Query {
    /// Returns the endpoint: its subject, its path below the subject's, and its data.
    pub(super) fn endpoint(&self) -> ApiEndpoint {
        let row = |path, decode| ApiEndpoint::new(Subject::Chain, path, decode);
        match self {
            Self::Address(address, query) => query.endpoint(*address),
            Self::Batch(number, query) => query.endpoint(*number),
            Self::Block(id, query) => query.endpoint(*id),
            Self::Chain(query) => query.endpoint(),
            Self::Instance(key, query) => query.endpoint(*key),
            Self::Token(token, query) => query.endpoint(*token),
            Self::Transaction(hash, query) => query.endpoint(*hash),
            Self::Contract(address) => {
                ApiEndpoint::new(Subject::Contract(*address), "", item::<Contract>)
            }
            Self::Call(call) => row("", object::<CallResponse>).asked(call.into()),
            Self::Storage(read) => row("", object::<StorageResponse>).asked(read.into()),
            Self::StorageWords(batch) => row("", object::<StorageWords>).asked(batch.into()),
            Self::Logs(filter) => logs(filter),
            Self::LogTimes(times) => ApiEndpoint {
                path: EndpointPath::Whole("api"),
                params: times.params(),
                ..row("log-times", rpc_page::<EthLog>)
            },
            Self::FailureLine(call) => {
                let subject = Subject::Transaction(call.transaction);
                let row = ApiEndpoint::new(subject, "failure-line", object::<FailureLine>);
                ApiEndpoint { params: call.params(), ..row }
            }
            Self::Redirect(text) => ApiEndpoint {
                params: vec![("q", text.to_string())],
                ..row("search/check-redirect", object::<SearchRedirect>)
            },
            Self::Search(text) => search(text),
            Self::BlockByTime(time) => ApiEndpoint {
                path: EndpointPath::Whole("api"),
                params: block_by_time::params(*time),
                ..row("block-by-time", object::<BlockByTime>)
            },
            Self::UserOperation(hash) => user_operation(*hash),
            Self::LatestBlocks => {
                ApiEndpoint { words: LATEST_BLOCKS, ..row("main-page/blocks", array::<Block>) }
            }
            Self::LatestTransactions => row("main-page/transactions", array::<Transaction>),
            Self::Stats => row("stats", object::<Stats>),
            Self::DailyTransactions => {
                row("stats/charts/transactions", object::<DailyTransactions>)
            }
            Self::WebConfig => ApiEndpoint {
                path: EndpointPath::Whole("node-api/config"),
                ..row("web-config", object::<WebConfig>)
            },
        }
    }

    /// Returns the filters of the list, to read or to set.
    pub(super) fn filter_slots(&mut self) -> FilterSlots<'_> {
        match self {
            Self::Address(_, query) => query.filter_slots(),
            Self::Chain(query) => query.filter_slots(),
            _ => FilterSlots::default(),
        }
    }
}

/// Returns the endpoint of a user operation, which a service next to the explorer has.
fn user_operation(hash: B256) -> ApiEndpoint {
    let path = EndpointPath::Operation(hash);
    ApiEndpoint { path, ..ApiEndpoint::new(Subject::Chain, "user-operation", raw_json) }
}

fn logs(filter: &LogFilter) -> ApiEndpoint {
    let subject = filter.contract.map_or(Subject::Chain, Subject::Contract);
    ApiEndpoint::new(subject, "logs", rpc_page::<EthLog>).asked(filter.into())
}

fn search(text: &str) -> ApiEndpoint {
    ApiEndpoint {
        params: vec![("q", text.to_owned())],
        // Keys of each kind of result, such as `token[fiat_value]`.
        accepts_null: |key| key.ends_with(']'),
        ..ApiEndpoint::new(Subject::Chain, "search", page::<SearchResult>)
    }
}

/// Returns the endpoint for the activity of an address, or of the whole chain.
fn activity(address: Option<Address>, filter: &ActivityFilter) -> ApiEndpoint {
    ApiEndpoint {
        words: "activity",
        viewed: address,
        params: filter.params(address),
        // Without one of them the list begins again.
        accepts_null: |key| key.ends_with("_index"),
        ..ApiEndpoint::new(Subject::Chain, "advanced-filters", page::<Activity>)
    }
}

/// Decodes raw JSON, which stays as it is.
#[expect(clippy::unnecessary_wraps, reason = "a decoder may fail")]
fn raw_json(json: &RawValue, _: Option<&Cursor>) -> Result<Reply, SafeText> {
    Ok(Reply::new(Arc::<RawValue>::from(json.to_owned())))
}

fn page<T: FromJson + ReplyData>(
    json: &RawValue,
    sent: Option<&Cursor>,
) -> Result<Reply, SafeText> {
    Page::<T>::from_json(json, sent).map(Reply::new)
}

/// Decodes the answer of a node.
fn rpc_page<T: FromJson + ReplyData>(
    json: &RawValue,
    sent: Option<&Cursor>,
) -> Result<Reply, SafeText> {
    Page::<T>::from_rpc(json, sent).map(Reply::new)
}

fn array<T: FromJson + ReplyData>(json: &RawValue, _: Option<&Cursor>) -> Result<Reply, SafeText> {
    Page::<T>::from_array(json).map(Reply::new)
}

#[expect(clippy::unnecessary_wraps, reason = "a decoder may fail")]
fn item<T: FromJson + ReplyData>(json: &RawValue, _: Option<&Cursor>) -> Result<Reply, SafeText> {
    Ok(Reply::new(Arc::new(Item::<T>::from_json(json))))
}

/// Decodes an item that has to be readable.
fn readable_item<T: FromJson + ReplyData>(
    json: &RawValue,
    _: Option<&Cursor>,
) -> Result<Reply, SafeText> {
    let item = Item::<T>::from_json(json);
    match &item.parsed {
        Ok(_) => Ok(Reply::new(Arc::new(item))),
        Err(why) => Err(why.clone()),
    }
}

fn object<T: FromJson + ReplyData>(json: &RawValue, _: Option<&Cursor>) -> Result<Reply, SafeText> {
    parse_single::<T>(json).map(Reply::new)
}

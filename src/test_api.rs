//! The internals used by the integration suite, the benchmarks and the fuzz targets.
//!
//! The modules have the names of the internals that they re-export. Nothing here is stable: the product
//! is the program, not a library.

pub mod abi {
    pub use crate::abi::{
        Artifact, ArtifactIndex, ChangedVariable, DecodedCall, DecodedRevert, Project,
        ProjectContracts, SignatureDb, SignatureHash, SignatureSource, StorageLayout, StorageShift,
        ValueFormat, ValueLine,
    };
}
pub mod action {
    pub use crate::action::Action;
}
pub mod api {
    pub use crate::api::account_abstraction::{
        AbstractionParty, OperationBundle, SmartAccount, UserOperation,
    };
    pub use crate::api::accounts::{HotContract, RankedAccount, VerifiedContract};
    pub use crate::api::activity::Activity;
    pub use crate::api::approvals::Approval;
    pub use crate::api::balance_history::CoinBalanceChange;
    pub use crate::api::beacon_deposits::BeaconDeposit;
    pub use crate::api::block_by_time::BlockByTime;
    pub use crate::api::client::Client;
    pub use crate::api::client::api_key::ApiKey;
    pub use crate::api::console_lines::ConsoleLine;
    pub use crate::api::contract::Contract;
    pub use crate::api::endpoints::address::{AddressInfo, Collection, TokenBalance};
    pub use crate::api::endpoints::batch::BatchQuery;
    pub use crate::api::endpoints::block::{Block, Withdrawal};
    pub use crate::api::endpoints::token::Holder;
    pub use crate::api::endpoints::transaction::{Blob, ExternalTransaction};
    pub use crate::api::eth_logs::{EthLog, LogFilter, LogTimes};
    pub use crate::api::failure_line::{FailureLine, FailureQuery};
    pub use crate::api::internal_transactions::InternalTransaction;
    pub use crate::api::logs::Log;
    pub use crate::api::nft_instances::TokenInstance;
    pub use crate::api::optimism::{
        DisputeGame, OptimismBatch, OptimismDeposit, OptimismWithdrawal, OutputRoot,
    };
    pub use crate::api::search_redirect::SearchRedirect;
    pub use crate::api::search_results::SearchResult;
    pub use crate::api::state_changes::StateChange;
    pub use crate::api::state_reads::{
        CallResponse, EthCall, StorageBatch, StorageRead, StorageResponse,
    };
    pub use crate::api::token::Token;
    pub use crate::api::token_transfers::TokenTransfer;
    pub use crate::api::transactions::Transaction;
    pub use crate::api::{
        AddressQuery, ApiError, BlockQuery, ChainQuery, Cursor, Direction, InstanceKey,
        InstanceQuery, Item, ListAccess, ListEntry, Next, Page, Query, Reply, ReplyData,
        TokenQuery, TransactionQuery, decode,
    };
    pub mod exchange {
        pub use crate::api::exchange::{Exchange, GET, RateLimit};
    }
}
pub mod app {
    pub use crate::app::{App, Location, Setup};
}
pub mod output {
    pub use crate::output::trace::style_line;
}
pub mod chain {
    pub use crate::chain::amount::{Grouped, Unit};
    pub use crate::chain::chains::Chains;
    pub use crate::chain::chains::custom_chain::CustomChain;
    pub use crate::chain::chains::endpoint::EndpointReason;
    pub use crate::chain::chains::unknown_chain::UnknownChainError;
    pub use crate::chain::coverage::{BlockCoverage, MissingBlocks};
    pub use crate::chain::data_input::{DataInput, DataInputError, GoToInput};
    pub use crate::chain::decimal::Decimal;
    pub use crate::chain::network::{Endpoint, Network};
    pub use crate::chain::node_url::NodeUrl;
    pub use crate::chain::percent::Percent;
    pub use crate::chain::target::{LinkedChain, Target, TargetKind, TargetOrName};
    pub use crate::chain::token_standard::TokenStandard;
    pub use crate::chain::{Address, BlockId, Bytes, Timestamp, TxHash, U256};
}
pub mod columns {
    pub use crate::columns::table::csv::csv_row;
    pub use crate::columns::{ListRow, RowContext, warnings};
}
pub mod config {
    pub use crate::config::{AppSettings, parse};
}
pub mod demo_server {
    pub use crate::api_server::{ApiServer, ApiServerOptions};
    pub use crate::demo_chain::{DemoChain, HIGHLIGHTS};
}
pub mod indexer {
    pub use crate::indexer::{
        IndexCoverage, IndexLimits, IndexProgress, IndexWatch, NodeChain, TransactionInBlock,
    };
}
pub mod keymap {
    pub use crate::keymap::{Chord, KeyContext, Keymap, Lookup};
}
pub mod messages {
    pub use crate::messages::*;
}
pub mod app_message {
    pub use crate::app_message::{
        Background, ChainIndex, ChainRequest, ConnectionStatus, CopyOutcome, Effect, ExternalTool,
        FetchProgress, Key, MouseInput, MouseKind, Msg, Multiplexer, NetworkEvent,
        NotificationMethod, Priority, RequestId, RequestLogEntry, RetryProgress, TraceEvent,
        TraceOptions, UserDataJob,
    };
}
pub mod name_cache {
    pub use crate::name_cache::NameCache;
}
pub mod net {
    pub use crate::net::cache::ResponseCache;
    pub use crate::net::local_nodes;
    pub use crate::net::picture_fetch::{AddressPolicy, fetch_picture};
    pub use crate::net::provider::{Provider, ProviderOptions};
    pub use crate::net::recording::{Recorder, RecordingMode, Replay};
    pub use crate::net::response_body::ResponseBody;
    pub use crate::net::response_source::ResponseSource;
    pub use crate::net::signature_lookup::SignatureDatabase;
    pub mod trace_stream {
        pub use crate::memory_limit::MemoryLimit;
        pub use crate::net::trace_stream::{PauseControl, fetch};
    }
}
pub mod picture {
    pub use crate::picture::{
        DecoderProcess, PictureAnswer, PictureFetch, PictureMode, PictureOptions, decode,
    };
}
pub mod pane {
    pub use crate::calls::formatter::CallFormatter;
    pub use crate::calls::search::CallSearch;
    pub use crate::calls::trace_contracts::MAX_NAMED_CONTRACTS;
    pub use crate::calls::transfer_matching::TransferMap;
    pub use crate::pane::export::ViewParams;
    pub use crate::pane::list::rows::matcher::RowMatcher;
    pub use crate::pane::{PaneKind, Route};
}
pub mod http {
    pub use crate::http::TransportConfig;
    pub use crate::http::host_client::LivenessLimits;
    pub use crate::http::suspend::{SuspendWatch, WallClock};
}
pub mod rpc {
    pub use crate::rpc::wire::block::RpcBlock;
    pub use crate::rpc::wire::call::{RpcCall, RpcCalls};
    pub use crate::rpc::wire::receipt::{RpcLog, RpcReceipt};
    pub use crate::rpc::wire::transaction::RpcTransaction;
    pub use crate::rpc::{
        CallSource, CallSupport, ForkedNetwork, NodeCapabilities, NodeIdentity, RpcClient,
        RpcError, RpcRequest, RunIdentity,
    };
}
pub mod runtime {
    pub use crate::runtime::frame_writer::FrameWriter;
    pub use crate::runtime::{Program, run};
}
pub mod safety {
    pub use crate::safety::address_poisoning::{Evidence, KnownAddresses};
    pub use crate::safety::url_policy::UntrustedUrl;
}
pub mod sanitize {
    pub use crate::sanitize::{SafeText, json_line, json_pretty, sanitize, width};
}
pub mod store {
    pub use crate::store::{ServedChain, Snapshot};
}
pub mod trace {
    pub use crate::trace::export::{
        ExportScope, ExportSteps, LineStyle, TraceExport, TraceExportFormat,
    };
    pub use crate::trace::log_places::{EmittedLog, place_logs};
    pub use crate::trace::{
        CallFrame, CallKind, CallTree, TraceFormat, TraceParser, VisibleFrames,
    };
    pub mod parser {
        pub use crate::trace::parser::parse_trace;
    }
}
pub mod ui {
    pub mod json_view {
        pub use crate::ui::json_view::json_entries;
    }
    pub use crate::ui::format_options::FormatOptions;
    pub use crate::ui::theme::{
        Appearance, ColorDepth, Role, Styles, TerminalEnv, Theme, ThemePreferences,
    };
}
pub mod user_data {
    pub use crate::user_data::labels::{LabelEdit, Labels, apply_edit};
    pub use crate::user_data::recents::{RecentEntry, Recents, RecentsChange};
}

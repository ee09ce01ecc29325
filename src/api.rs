//! The endpoints of the Blockscout API: their paths, parameters and responses.
//!
//! A [`Query`] has a row in [`endpoints`], with its path, its parameters and the type of its response. [`client`]
//! sends it, once. [`decode`] converts the body into a [`Reply`]: an object, or a [`page`] of items, each with its
//! JSON. The other files have the objects, by subject. [`json_fields`] reads them field by field, so that a field
//! that cannot be read costs no more than itself.
//!
//! A new endpoint is a variant of the [`Query`] of its subject with a row, in a file under `api/endpoints`,
//! and its item, which is a [`ReplyData`].

#![deny(clippy::disallowed_types)]

pub mod account_abstraction;
pub mod accounts;
pub mod activity;
pub mod address;
pub mod approvals;
pub mod balance_history;
pub mod beacon_deposits;
pub mod block_by_time;
pub mod client;
pub mod console_lines;
pub mod contract;
pub mod decoded_input;
pub mod endpoints;
pub mod error;
pub mod eth_logs;
pub mod exchange;
pub mod failure_line;
mod filters;
pub mod internal_transactions;
pub mod json;
pub mod json_fields;
pub mod logs;
pub mod nft_instances;
pub mod optimism;
pub mod page;
mod query;
mod reply;
pub mod search_redirect;
pub mod search_results;
pub mod state_changes;
pub mod state_reads;
pub mod stats;
pub mod token;
pub mod token_transfers;
pub mod transactions;
pub mod web_config;

pub use block_by_time::block_at_time;
pub use endpoints::Query;
pub use endpoints::address::AddressQuery;
pub use endpoints::block::{BlockQuery, latest_block};
pub use endpoints::chain::{ChainQuery, ListAccess, ListEntry};
pub use endpoints::instance::InstanceQuery;
pub use endpoints::subject::{InstanceKey, ListSubject};
pub use endpoints::token::TokenQuery;
pub use endpoints::transaction::TransactionQuery;
pub use error::ApiError;
pub use filters::{ActivityKind, Direction, Filter, FilterOption};
pub use json_fields::Field;
pub use page::cursor::Cursor;
pub use page::{Item, Next, Page};
pub use query::decode;
pub use reply::{NamedPart, Reply, ReplyData};
pub use search_redirect::resolved_target;

/// Reply to a query, or the reason why there is none.
pub type ReplyResult = Result<Reply, ApiError>;

//! Queries to an explorer: their requests, filters and responses, all from the row of the query in
//! [`endpoints`](super::endpoints).

use bytes::Bytes;
use serde_json::value::RawValue;
use strum::VariantArray;

use super::activity::{ActivityBounds, ActivityFilter};
use super::endpoints::address::{AddressInfo, AddressQuery};
use super::endpoints::block::Block;
use super::endpoints::chain::ChainQuery;
use super::endpoints::subject::ListSubject;
use super::endpoints::transaction::TransactionQuery;
use super::endpoints::{ApiEndpoint, Query};
use super::error::ApiError;
use super::exchange::{Params, RequestText};
use super::filters::{ActivityKind, Direction, Filter, FilterOption, FilterSlots};
use super::internal_transactions::InternalTransaction;
use super::json_fields::Field;
use super::logs::Log;
use super::nft_instances::TokenInstance;
use super::page::Page;
use super::page::cursor::Cursor;
use super::reply::{Reply, ReplyData};
use super::token::Token;
use super::token_transfers::TokenTransfer;
use super::transactions::Transaction;
use super::{ReplyResult, exchange, json};
use crate::chain::{Address, BlockId, TxHash};
use crate::messages::api_error::OTHER_OBJECT;
use crate::sanitize::SafeText;

/// Maximum size of a body that is decoded on the asynchronous worker.
const MAX_INLINE_DECODE_BYTES: usize = 256 << 10;
const BOTH_DIRECTIONS: [Direction; 2] = [Direction::To, Direction::From];

impl Query {
    /// Creates an unfiltered query for the token transfers of an address, or of the whole chain.
    pub fn token_transfers(address: Option<Address>) -> Self {
        let types = Vec::new();
        match address {
            Some(address) => {
                let of_address =
                    AddressQuery::TokenTransfers { direction: None, types, token: None };
                Self::Address(address, of_address)
            }
            None => Self::Chain(ChainQuery::Transfers { types }),
        }
    }

    /// Creates a query for the activity of an address, or of the whole chain.
    pub fn activity(address: Option<Address>, filter: ActivityFilter) -> Self {
        let filter = Box::new(filter);
        match address {
            Some(address) => Self::Address(address, AddressQuery::Activity(filter)),
            None => Self::Chain(ChainQuery::Activity(filter)),
        }
    }

    /// Returns `true` for a list of activity.
    pub fn is_activity(&self) -> bool {
        use Query::{Address, Chain};
        matches!(self, Address(_, AddressQuery::Activity(_)) | Chain(ChainQuery::Activity(_)))
    }

    /// Returns the path below the base URL.
    pub fn path(&self) -> RequestText {
        self.endpoint().path()
    }

    pub fn method(&self) -> &'static str {
        if self.body().is_some() { exchange::POST } else { exchange::GET }
    }

    /// Returns the body to post. Other queries are requests without one.
    pub(super) fn body(&self) -> Option<RequestText> {
        self.endpoint().post.map(|post| post.body)
    }

    /// Returns the part of the URL that distinguishes posted queries, which is not sent.
    pub(super) fn fragment(&self) -> Option<RequestText> {
        self.endpoint().post.map(|post| post.fragment)
    }

    /// Returns the request for the first page as it is shown: `GET /api/v2/…?type=ERC-20`.
    pub fn request_line(&self) -> SafeText {
        let params: Vec<_> = self.params().iter().map(|(k, v)| format!("{k}={v}")).collect();
        let mark = if params.is_empty() { "" } else { "?" };
        SafeText::new(&format!("{} /{}{mark}{}", self.method(), self.path(), params.join("&")))
    }

    /// Describes the response, as the source of a name: `logs of 0xf39F…2266`.
    pub fn describe(&self) -> SafeText {
        let ApiEndpoint { subject, words, .. } = self.endpoint();
        subject.describe(&words.replace('-', " "))
    }

    /// Returns the address that the response is about, if any.
    pub fn viewed_address(&self) -> Option<Address> {
        self.endpoint().viewed
    }

    /// Returns the query for the transaction of whose parts this is a list.
    pub fn details_of_transaction(&self) -> Option<Self> {
        match self {
            Self::Transaction(_, TransactionQuery::Details) => None,
            Self::Transaction(hash, _) => Some(Self::Transaction(*hash, TransactionQuery::Details)),
            _ => None,
        }
    }

    /// Returns the subject of the response's list, if it is neither an address nor the chain.
    pub fn subject(&self) -> ListSubject {
        match self {
            Self::Chain(ChainQuery::Pending) | Self::Address(_, AddressQuery::Pending) => {
                ListSubject::Pool
            }
            Self::Address(_, AddressQuery::PastTokens { .. }) => ListSubject::Past,
            query if query.is_history() => ListSubject::History,
            _ => self.endpoint().subject.list_subject(),
        }
    }

    /// Returns the parameters of the first page.
    pub fn params(&self) -> Params {
        let mut params = self.endpoint().params;
        if !self.is_activity() && !matches!(self, Self::Token(..)) {
            params.extend(self.filter_options());
        }
        params
    }

    /// Returns the options of a command line for the filters, which are parameters of most lists.
    pub fn filter_options(&self) -> Params {
        let mut params = match self {
            Self::Token(..) => self.endpoint().params,
            _ => Params::new(),
        };
        let mut query = self.clone();
        let FilterSlots { direction, kinds, types, token } = query.filter_slots();
        let standards = types.into_iter().flat_map(|(_, types)| types);
        let names: Vec<&str> = kinds
            .into_iter()
            .flatten()
            .map(|kind| (*kind).into())
            .chain(standards.map(|standard| (*standard).into()))
            .collect();
        if !names.is_empty() {
            params.push(("type", names.join(",")));
        }
        if let Some(Some(direction)) = direction {
            params.push(("filter", <&str>::from(*direction).into()));
        }
        if let Some(Some(token)) = token {
            params.push(("token", token.to_string()));
        }
        params
    }

    /// Returns the filters that the server offers for this list. `token` is offered as a token to
    /// filter by, unless one is set.
    pub fn filters(&self, token: Option<Address>) -> Vec<FilterOption> {
        let mut query = self.clone();
        let slots = query.filter_slots();
        let mut options = Vec::new();
        let mut add = |filter, is_set| options.push(FilterOption { filter, is_set });
        if let Some(set) = slots.kinds {
            for kind in ActivityKind::VARIANTS {
                add(Filter::Kind(*kind), set.contains(kind));
            }
        }
        if let Some((offered, set)) = slots.types {
            for kind in offered {
                add(Filter::Type(*kind), set.contains(kind));
            }
        }
        if let Some(set) = slots.direction {
            for one in BOTH_DIRECTIONS {
                add(Filter::Direction(one), *set == Some(one));
            }
        }
        if let Some(set) = slots.token
            && let Some(token) = set.or(token)
        {
            add(Filter::Token(token), set.is_some());
        }
        options
    }

    /// Returns `true` for a list of all events instead of what is left of them.
    pub fn is_history(&self) -> bool {
        matches!(self, Self::Address(_, AddressQuery::Approvals { is_history: true }))
    }

    /// Returns `true` for approvals as they are now, which put balances at risk.
    pub fn has_risks(&self) -> bool {
        self.other_events().is_some() && !self.is_history()
    }

    /// Returns the list of all events, or back to what is left of them, if the list has both.
    pub fn other_events(&self) -> Option<Self> {
        let Self::Address(owner, AddressQuery::Approvals { is_history }) = self else {
            return None;
        };
        Some(Self::Address(*owner, AddressQuery::Approvals { is_history: !is_history }))
    }

    /// Returns the list with what was so after a block, or `None` for now, if the list has both.
    pub fn at_block(&self, block: Option<u64>) -> Option<Self> {
        let Self::Address(owner, query) = self else { return None };
        let (AddressQuery::Tokens { types } | AddressQuery::PastTokens { types, .. }) = query
        else {
            return None;
        };
        let types = types.clone();
        let query = match block {
            Some(block) => AddressQuery::PastTokens { types, block },
            None => AddressQuery::Tokens { types },
        };
        Some(Self::Address(*owner, query))
    }

    /// Returns the block after which the list has balances, if that is not the newest.
    pub fn past_block(&self) -> Option<u64> {
        match self {
            Self::Address(_, AddressQuery::PastTokens { block, .. }) => Some(*block),
            _ => None,
        }
    }

    /// Returns the query for rows within bounds, if servers take these for its list.
    #[must_use]
    pub fn within(mut self, bounds: ActivityBounds) -> Self {
        if let Self::Address(_, AddressQuery::Activity(filter))
        | Self::Chain(ChainQuery::Activity(filter)) = &mut self
        {
            filter.bounds = bounds;
        }
        self
    }

    /// Sets a filter. One that is set stays.
    #[must_use]
    pub fn filtered(self, filter: Filter) -> Self {
        let is_set = self.filters(None).contains(&FilterOption { filter, is_set: true });
        if is_set { self } else { self.toggled(filter) }
    }

    #[must_use]
    pub fn toggled(mut self, filter: Filter) -> Self {
        let FilterSlots { direction, kinds, types, token } = self.filter_slots();
        match filter {
            Filter::Direction(value) => direction.into_iter().for_each(|set| toggle(set, value)),
            Filter::Token(value) => token.into_iter().for_each(|set| toggle(set, value)),
            Filter::Kind(kind) => kinds.into_iter().for_each(|set| toggle_one(set, kind)),
            Filter::Type(kind) => {
                if let Some((_, set)) = types {
                    toggle_one(set, kind);
                }
            }
        }
        self
    }

    /// Decodes a response. `sent` is the cursor of the request.
    pub fn decode(&self, body: &[u8], sent: Option<&Cursor>) -> ReplyResult {
        let json: &RawValue = serde_json::from_slice(json::strip_bom(body))
            .map_err(|e| ApiError::InvalidResponse { why: SafeText::new(&e.to_string()) })?;
        (self.endpoint().decode)(json, sent).map_err(|why| ApiError::InvalidResponse { why })
    }

    /// Returns `true` for the reply to another query, as a cache in front of the explorer may give: one that names
    /// another object than the requested one.
    fn is_of_another(&self, reply: &Reply) -> bool {
        use super::endpoints::address::AddressQuery::Details as AddressDetails;
        use super::endpoints::block::BlockQuery::Details as BlockDetails;
        use super::endpoints::instance::InstanceQuery::Details as InstanceDetails;
        use super::endpoints::token::TokenQuery::Details as TokenDetails;
        match self {
            Self::Address(address, AddressDetails) => {
                let info = reply.parsed_item::<AddressInfo>();
                info.is_some_and(|info| info.address.hash != *address)
            }
            Self::Block(id, BlockDetails) => {
                let block = reply.parsed_item::<Block>();
                block.is_some_and(|block| match id {
                    BlockId::Number(number) => is_other(&block.number, number),
                    BlockId::Hash(hash) => is_other(&block.hash, hash),
                })
            }
            Self::Instance(key, InstanceDetails) => {
                let instance = reply.parsed_item::<TokenInstance>();
                instance.is_some_and(|instance| {
                    let token = instance.token.value();
                    is_other(&instance.id, &key.id)
                        || token.is_some_and(|token| is_other(&token.address, &key.token))
                })
            }
            Self::Token(address, TokenDetails) => {
                let token = reply.parsed_item::<Token>();
                token.is_some_and(|token| is_other(&token.address, address))
            }
            Self::Transaction(hash, TransactionQuery::Details) => {
                let transaction = reply.parsed_item::<Transaction>();
                transaction.is_some_and(|transaction| transaction.hash != *hash)
            }
            Self::Transaction(hash, _) => {
                has_other(reply, |row: &InternalTransaction| &row.transaction_hash, hash)
                    || has_other(reply, |row: &Log| &row.transaction_hash, hash)
                    || has_other(reply, |row: &TokenTransfer| &row.transaction_hash, hash)
            }
            _ => false,
        }
    }
}

fn is_other<T: PartialEq>(field: &Field<T>, requested: &T) -> bool {
    field.value().is_some_and(|value| value != requested)
}

/// Returns `true` for a page of such rows with one of another transaction.
fn has_other<T: ReplyData>(
    reply: &Reply,
    transaction: fn(&T) -> &Field<TxHash>,
    requested: &TxHash,
) -> bool {
    let page = reply.get::<Page<T>>();
    page.is_some_and(|page| page.parsed().any(|row| is_other(transaction(row), requested)))
}

fn toggle_one<T: PartialEq>(set: &mut Vec<T>, value: T) {
    match set.iter().position(|known| *known == value) {
        Some(at) => drop(set.remove(at)),
        None => set.push(value),
    }
}

fn toggle<T: PartialEq>(set: &mut Option<T>, value: T) {
    *set = if set.as_ref() == Some(&value) { None } else { Some(value) };
}

/// Decodes a body, a large one off the asynchronous workers. A reply about another object is invalid.
pub async fn decode(query: &Query, body: Bytes, cursor: Option<&Cursor>) -> ReplyResult {
    let reply = if body.len() < MAX_INLINE_DECODE_BYTES {
        query.decode(&body, cursor)
    } else {
        let (query, cursor) = (query.clone(), cursor.cloned());
        let decoded = tokio::task::spawn_blocking(move || query.decode(&body, cursor.as_ref()));
        decoded
            .await
            .unwrap_or_else(|e| Err(ApiError::Interrupted { why: SafeText::new(&e.to_string()) }))
    };
    match reply {
        Ok(reply) if query.is_of_another(&reply) => {
            Err(ApiError::InvalidResponse { why: OTHER_OBJECT.into() })
        }
        reply => reply,
    }
}

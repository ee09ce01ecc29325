//! The activity of the chain, newest first: of each transaction itself, then its token transfers, then
//! its internal transactions, both backwards as in Blockscout. All filters are parameters, of which unknown values are
//! left out.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use alloy_primitives::{Address, U256, U512, hex};
use jiff::Timestamp;
use serde::Serialize;

use super::{ITEMS_COUNT_PARAM, ListEnd, NULLABLE_DIGITS, PageResponse, read_page};
use crate::api_server::{
    cursor::NextPageParams,
    query_params::{ParamRule, ParamSpec, QueryParams, parse_address},
    request::{JsonResult, RequestContext, to_json},
    responses::{self, ActivityPart},
};
use crate::chain::decimal::Decimal;
use crate::store::{Snapshot, StoreResult, TokenRecord, TransactionRecord};

pub(crate) const PARAMETERS: &[ParamSpec] = &[
    ("transaction_types", ParamRule::Text),
    ("methods", ParamRule::Text),
    ("methods_names", ParamRule::Text),
    ("age_from", ParamRule::Text),
    ("age_to", ParamRule::Text),
    ("from_address_hashes_to_include", ParamRule::Text),
    ("from_address_hashes_to_exclude", ParamRule::Text),
    ("to_address_hashes_to_include", ParamRule::Text),
    ("to_address_hashes_to_exclude", ParamRule::Text),
    ("address_relation", ParamRule::Text),
    ("amount_from", ParamRule::Text),
    ("amount_to", ParamRule::Text),
    ("token_contract_address_hashes_to_include", ParamRule::Text),
    ("token_contract_address_hashes_to_exclude", ParamRule::Text),
    ("token_contract_symbols_to_include", ParamRule::Text),
    ("token_contract_symbols_to_exclude", ParamRule::Text),
    ("block_number", ParamRule::Digits),
    ("transaction_index", ParamRule::Digits),
    ("internal_transaction_index", NULLABLE_DIGITS),
    ("token_transfer_index", NULLABLE_DIGITS),
    ("token_transfer_batch_index", NULLABLE_DIGITS),
    ITEMS_COUNT_PARAM,
];

/// The greatest number of methods, and of tokens, that have an effect.
const MAX_LISTED: usize = 20;
const COIN_DECIMALS: u64 = 18;
const NATIVE: &str = "native";

/// A row: a transaction and a part of it.
type ActivityRow<'a> = (&'a TransactionRecord, ActivityPart<'a>);

/// The kind of a row, in the order of the rows of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RowStage {
    Whole,
    Transfer,
    Call,
}

/// The place of a row in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ListPlace {
    block: Reverse<u64>,
    transaction: Reverse<u32>,
    stage: RowStage,
    index: Reverse<u32>,
    batch_index: Reverse<u32>,
}

impl ListPlace {
    fn of((transaction, part): ActivityRow<'_>) -> Self {
        let (stage, index, batch_index) = match part {
            ActivityPart::Whole => (RowStage::Whole, 0, 0),
            ActivityPart::Transfer(row) => {
                (RowStage::Transfer, row.position.log_index, row.position.index_in_batch)
            }
            ActivityPart::Call(call) => (RowStage::Call, call.index, 0),
        };
        Self {
            block: Reverse(transaction.block_number),
            transaction: Reverse(transaction.index),
            stage,
            index: Reverse(index),
            batch_index: Reverse(batch_index),
        }
    }

    /// Reads the place of the last row. Without all its keys the list begins again, as Blockscout's.
    fn from_cursor(params: &QueryParams) -> Option<Self> {
        let nullable = |name| params.raw(name).map(|_| params.get::<u32>(name));
        let (log, call) =
            (nullable("token_transfer_index")?, nullable("internal_transaction_index")?);
        let batch_index = nullable("token_transfer_batch_index")?;
        let (stage, index) = match (log, call) {
            (Some(log), _) => (RowStage::Transfer, log),
            (None, Some(call)) => (RowStage::Call, call),
            (None, None) => (RowStage::Whole, 0),
        };
        Some(Self {
            block: Reverse(params.get("block_number")?),
            transaction: Reverse(params.get("transaction_index")?),
            stage,
            index: Reverse(index),
            batch_index: Reverse(batch_index.unwrap_or(0)),
        })
    }

    fn add_to(self, next: NextPageParams) -> NextPageParams {
        let at = |stage, index: Reverse<u32>| (self.stage == stage).then_some(index.0);
        next.with("block_number", self.block.0)
            .with("transaction_index", self.transaction.0)
            .with("internal_transaction_index", at(RowStage::Call, self.index))
            .with("token_transfer_index", at(RowStage::Transfer, self.index))
            .with("token_transfer_batch_index", at(RowStage::Transfer, self.batch_index))
    }
}

/// The values of a parameter that includes rows, and of one that excludes them.
#[derive(Debug)]
struct Choice<T> {
    included: Option<Vec<T>>,
    excluded: Vec<T>,
}

impl<T: PartialEq> Choice<T> {
    fn parse(params: &QueryParams, name: [&str; 2], parse: impl Fn(&str) -> Option<T>) -> Self {
        let [included, excluded] = name.map(|name| {
            let values = params.raw(name)?.split(',').filter_map(&parse).take(MAX_LISTED);
            Some(values.collect::<Vec<T>>()).filter(|values| !values.is_empty())
        });
        Self { included, excluded: excluded.unwrap_or_default() }
    }

    fn is_set(&self) -> bool {
        self.included.is_some() || !self.excluded.is_empty()
    }

    fn admits(&self, value: &T) -> bool {
        self.included.as_ref().is_none_or(|included| included.contains(value))
            && !self.excluded.contains(value)
    }
}

#[derive(Debug)]
struct AdvancedFilter {
    types: Vec<String>,
    methods: Vec<String>,
    times: [Option<Timestamp>; 2],
    from: Choice<Address>,
    to: Choice<Address>,
    needs_both: bool,
    amounts: [Option<Decimal>; 2],
    tokens: Choice<Option<Address>>,
}

/// Returns the words of a parameter, in lower case.
fn words(params: &QueryParams, name: &str) -> impl Iterator<Item = String> {
    let words = params.raw(name).unwrap_or_default().split(',');
    words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase)
}

impl AdvancedFilter {
    fn new(params: &QueryParams) -> Self {
        let token = |text: &str| {
            if text.eq_ignore_ascii_case(NATIVE) {
                Some(None)
            } else {
                parse_address(text).map(Some)
            }
        };
        let side = |names| Choice::parse(params, names, parse_address);
        Self {
            types: words(params, "transaction_types").collect(),
            methods: words(params, "methods").take(MAX_LISTED).collect(),
            times: [params.get("age_from"), params.get("age_to")],
            from: side(["from_address_hashes_to_include", "from_address_hashes_to_exclude"]),
            to: side(["to_address_hashes_to_include", "to_address_hashes_to_exclude"]),
            needs_both: params
                .raw("address_relation")
                .is_some_and(|r| !r.eq_ignore_ascii_case("or")),
            amounts: [params.get("amount_from"), params.get("amount_to")],
            tokens: Choice::parse(
                params,
                [
                    "token_contract_address_hashes_to_include",
                    "token_contract_address_hashes_to_exclude",
                ],
                token,
            ),
        }
    }

    fn admits_transaction(&self, snapshot: &Snapshot, row: &TransactionRecord) -> bool {
        let is_called = self.methods.is_empty()
            || self.methods.contains(&hex::encode_prefixed(row.input.get(..4).unwrap_or_default()));
        let [from, to] = self.times;
        let time = snapshot.block_time(row.block_number).ok().flatten();
        let is_within = from.is_none_or(|from| time.is_some_and(|time| time >= from))
            && to.is_none_or(|to| time.is_some_and(|time| time <= to));
        is_called && is_within
    }

    fn admits(&self, snapshot: &Snapshot, row: ActivityRow<'_>) -> StoreResult<bool> {
        let (transaction, part) = row;
        let kind = responses::activity_kind(transaction, part).to_ascii_lowercase();
        let (from, to, token, value) = match part {
            ActivityPart::Whole => {
                let to = transaction.to.or(transaction.created_contract);
                (transaction.from, to, None, Some(transaction.value))
            }
            ActivityPart::Transfer(row) => {
                (row.from, Some(row.to), Some(row.token), row.value.or(Some(U256::ONE)))
            }
            ActivityPart::Call(call) => {
                (call.from, call.to.or(call.created_contract), None, call.sent_value())
            }
        };
        if !(self.types.is_empty() || self.types.contains(&kind))
            || !self.tokens.admits(&token)
            || !self.admits_parties(from, to)
        {
            return Ok(false);
        }
        let [None, None] = self.amounts else {
            let token = token.map(|token| snapshot.state.token(token)).transpose()?;
            let decimals = match token.flatten() {
                Some(token) => token.decimals.as_deref().and_then(|d| d.parse().ok()).unwrap_or(0),
                None => COIN_DECIMALS,
            };
            return Ok(value.is_some_and(|value| self.admits_amount(value, decimals)));
        };
        Ok(true)
    }

    fn admits_parties(&self, from: Address, to: Option<Address>) -> bool {
        let is_from = self.from.admits(&from);
        let is_to = to.map_or(self.to.included.is_none(), |to| self.to.admits(&to));
        match (self.from.is_set(), self.to.is_set()) {
            (true, true) if !self.needs_both => is_from || is_to,
            _ => is_from && is_to,
        }
    }

    fn admits_amount(&self, value: U256, decimals: u64) -> bool {
        let decimals = usize::try_from(decimals).unwrap_or(usize::MAX);
        let amount = Decimal::new(U512::from(value), decimals);
        let [least, most] = self.amounts;
        least.is_none_or(|least| amount >= least) && most.is_none_or(|most| amount <= most)
    }
}

/// Tokens of the filters by their addresses, and names of methods, which are left out.
#[derive(Debug, Serialize)]
struct SearchParamsResponse<'a> {
    methods: BTreeMap<String, String>,
    tokens: BTreeMap<String, &'a TokenRecord>,
}

#[derive(Debug, Serialize)]
struct ActivityPageResponse<'a> {
    #[serde(flatten)]
    page: PageResponse<responses::ActivityResponse<'a>>,
    search_params: SearchParamsResponse<'a>,
}

pub(crate) fn list(request: &RequestContext<'_>) -> JsonResult {
    let RequestContext { snapshot, params, .. } = *request;
    let filter = AdvancedFilter::new(params);
    let after = ListPlace::from_cursor(params);
    let mut failure = Ok(());
    let transactions = snapshot.transactions(after.map_or(u64::MAX, |after| after.block.0))?;
    let nested = transactions
        .filter(|row| filter.admits_transaction(snapshot, row))
        .map_while(|row| keep(parts(snapshot, row), &mut failure));
    let mut refused = Ok(());
    let rows = nested
        .flatten()
        .filter(|row| after.is_none_or(|after| ListPlace::of(*row) > after))
        .map_while(|row| Some((row, keep(filter.admits(snapshot, row), &mut refused)?)))
        .filter_map(|(row, is_listed)| is_listed.then_some(row));
    let page = read_page(
        request,
        rows,
        ListEnd::INDEXED,
        |last, next| ListPlace::of(*last).add_to(next),
        |(row, part)| responses::activity(snapshot, row, part),
    )?;
    refused.and(failure)?;
    let mut tokens = BTreeMap::new();
    let named = filter.tokens.included.iter().chain([&filter.tokens.excluded]).flatten();
    for address in named.copied().flatten() {
        if let Some(token) = snapshot.state.token(address)? {
            tokens.insert(address.to_string(), token);
        }
    }
    let search_params = SearchParamsResponse { methods: BTreeMap::new(), tokens };
    to_json(&ActivityPageResponse { page, search_params })
}

/// Returns the value, or notes the failure that ends the list.
fn keep<T>(result: StoreResult<T>, failure: &mut StoreResult<()>) -> Option<T> {
    result.map_err(|error| *failure = Err(error)).ok()
}

/// Returns a transaction, its transfers and its internal transactions, each newest first.
fn parts<'a>(
    snapshot: &'a Snapshot,
    transaction: &'a TransactionRecord,
) -> StoreResult<Vec<ActivityRow<'a>>> {
    let transfers = snapshot
        .transfers_in(transaction.block_number)?
        .filter(|row| row.transaction_hash == transaction.hash);
    let calls = snapshot.internal_transactions_of(transaction.position())?;
    let parts = [ActivityPart::Whole]
        .into_iter()
        .chain(transfers.map(ActivityPart::Transfer))
        // The first call is the transaction itself.
        .chain(calls.filter(|call| call.index > 0).map(ActivityPart::Call));
    Ok(parts.map(|part| (transaction, part)).collect())
}

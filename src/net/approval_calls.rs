//! The calls that the rows of a page of approvals need, made in one: what is allowed now, and what the
//! tokens are called.

use std::collections::{BTreeSet, HashMap};

use serde_json::json;

use crate::abi::returned_text;
use crate::api::approvals::{Approval, Grant};
use crate::api::state_reads::EthCall;
use crate::api::{ApiError, Query, TokenQuery};
use crate::chain::{Address, Bytes, U256, WORD_BYTES};

/// `name()`, `symbol()` and `decimals()`
const NAME: [u8; 4] = [0x06, 0xfd, 0xde, 0x03];
const SYMBOL: [u8; 4] = [0x95, 0xd8, 0x9b, 0x41];
const DECIMALS: [u8; 4] = [0x31, 0x3c, 0xe5, 0x67];
/// Maximum bytes of a name.
const MAX_NAME_BYTES: usize = 1_024;

/// The answers for the rows of a page. The same token or spender is asked for once.
pub(super) type Answers = HashMap<Query, Result<bytes::Bytes, ApiError>>;

/// Distinct calls, in the order of their rows.
pub(super) struct ApprovalCalls(pub(super) Vec<EthCall>);

/// Return data of the calls that succeeded.
pub(super) type ReturnedData = HashMap<EthCall, Bytes>;

impl ApprovalCalls {
    pub(super) fn new(rows: &[&Approval], is_history: bool) -> Self {
        let own =
            rows.iter().filter(|_| !is_history).flat_map(|row| row.calls()).map(|(_, call)| call);
        let names = contracts(rows)
            .into_iter()
            .flat_map(|contract| [NAME, SYMBOL, DECIMALS].map(|function| call(contract, function)));
        let mut calls = Vec::new();
        for call in own.chain(names) {
            if !calls.contains(&call) {
                calls.push(call);
            }
        }
        Self(calls)
    }
}

/// Returns the answers for the rows. Tokens of which something may be at risk are left out: their price
/// matters, which only the explorer knows.
pub(super) fn answers_together(
    rows: &[&Approval],
    is_history: bool,
    returned: &ReturnedData,
) -> Answers {
    let own =
        rows.iter().filter(|_| !is_history).flat_map(|row| row.calls()).filter_map(|(_, call)| {
            let body = json!({ "result": returned.get(&call)? }).to_string();
            Some((Query::Call(call), Ok(body.into())))
        });
    let mut answers: Answers = own.collect();
    for contract in contracts(rows) {
        let mut own = rows.iter().filter(|row| row.contract == contract);
        let needs_price = own.clone().any(|row| !is_history && may_be_at_risk(row, returned));
        let needs_decimals = own.any(|row| has_amounts(row));
        let token = named_token(contract, returned, needs_decimals);
        if let Some(token) = token.filter(|_| !needs_price) {
            answers.insert(Query::Token(contract, TokenQuery::Details), Ok(token));
        }
    }
    answers
}

fn contracts(rows: &[&Approval]) -> BTreeSet<Address> {
    rows.iter().map(|row| row.contract).collect()
}

fn call(to: Address, function: [u8; 4]) -> EthCall {
    EthCall { to, data: Bytes::copy_from_slice(&function), block: None }
}

/// Returns `false` if nothing is allowed or there is nothing to take, and for NFTs, which have no price.
fn may_be_at_risk(row: &Approval, returned: &ReturnedData) -> bool {
    let is_zero = |call: &EthCall| {
        returned.get(call).and_then(|data| first_word(data)).is_some_and(|word| word.is_zero())
    };
    has_amounts(row) && !row.calls().iter().any(|(_, call)| is_zero(call))
}

fn has_amounts(row: &Approval) -> bool {
    matches!(row.grant, Grant::Amount(_) | Grant::Permit2 { .. })
}

fn first_word(data: &[u8]) -> Option<U256> {
    data.get(..WORD_BYTES).map(U256::from_be_slice)
}

/// Returns the JSON of a token as far as its contract describes it. An NFT has no decimals.
fn named_token(
    contract: Address,
    returned: &ReturnedData,
    needs_decimals: bool,
) -> Option<bytes::Bytes> {
    let text = |function| {
        let text = returned_text(returned.get(&call(contract, function))?)?;
        Some(text).filter(|text| text.len() <= MAX_NAME_BYTES)
    };
    let (name, symbol) = (text(NAME)?, text(SYMBOL)?);
    let decimals = returned
        .get(&call(contract, DECIMALS))
        .and_then(|data| first_word(data))
        .map(|decimals| decimals.to_string());
    if needs_decimals && decimals.is_none() {
        return None;
    }
    let token = json!({
        "address_hash": contract, "name": name, "symbol": symbol, "decimals": decimals,
    });
    Some(token.to_string().into())
}

//! Token balances of an address with what it had of each after a block: the explorer's list, and the answers of the
//! contracts for its rows. They are one request where Multicall3 was at that block.
//!
//! The JSON of a row is what the explorer sent, after the answer as the member `balance_at_block`.

use std::collections::HashMap;
use std::sync::Arc;

use alloy_primitives::hex;
use futures_util::future::join_all;
use serde_json::json;
use serde_json::value::RawValue;

use crate::abi::{MULTICALL3, decode_results, encode_calls};
use crate::api::endpoints::address::TokenBalance;
use crate::api::state_reads::{CallResponse, EthCall};
use crate::api::{ApiError, Item, Page, Query, Reply, decode};
use crate::chain::amount::Grouped;
use crate::chain::{Address, Bytes, U256, WORD_BYTES};
use crate::messages::page::{self, PageMessage};
use crate::sanitize::SafeText;

/// `balanceOf(address)`
const BALANCE_OF: [u8; 4] = hex!("70a08231");
/// `balanceOf(address,uint256)`
const BALANCE_OF_ID: [u8; 4] = hex!("00fdd58e");

/// The balances to ask for.
#[derive(Debug, Clone, Copy)]
pub(super) struct PastBalanceRequest {
    pub(super) owner: Address,
    pub(super) block: u64,
    /// `false` if contracts are not asked one by one: a public explorer limits requests.
    pub(super) may_ask_each: bool,
}

/// The reason why a balance is unknown.
#[derive(Debug, Clone, thiserror::Error)]
enum BalanceError {
    /// The node lacks the state after the block, which is so for all balances.
    #[error("{}", PageMessage::NoState { block: Grouped(*block) })]
    NoState { block: u64 },
    #[error("{0}")]
    Other(SafeText),
}

type BalanceAnswers = HashMap<EthCall, Result<Bytes, BalanceError>>;

/// Adds the balances after a block to a page. `ask` sends a query and returns the body of its response.
pub(super) async fn with_balances<A: Future<Output = Result<bytes::Bytes, ApiError>>>(
    page: Page<TokenBalance>,
    request: PastBalanceRequest,
    ask: impl Fn(Query) -> A,
) -> Reply {
    let PastBalanceRequest { owner, block, may_ask_each } = request;
    let call_of = |item: &Item<TokenBalance>| {
        item.parsed.as_ref().ok().and_then(|balance| balance_call(balance, owner, block))
    };
    let mut calls: Vec<EthCall> = page.items.iter().filter_map(|item| call_of(item)).collect();
    calls.sort_unstable_by_key(|call| (call.to, call.data.clone()));
    calls.dedup();
    let mut answers = call_together(&calls, block, &ask).await;
    let rest: Vec<EthCall> = calls.into_iter().filter(|call| !answers.contains_key(call)).collect();
    if may_ask_each || rest.len() < 2 {
        let asked = rest.into_iter().map(|call| {
            let answer = call_alone(call.clone(), block, &ask);
            async { (call, answer.await) }
        });
        answers.extend(join_all(asked).await);
    } else {
        let why = PageMessage::NoMulticall { block: Grouped(block) }.to_string();
        let failed = || BalanceError::Other(why.as_str().into());
        answers.extend(rest.into_iter().map(|call| (call, Err(failed()))));
    }
    let items = page
        .items
        .iter()
        .map(|item| {
            let answer = call_of(item).and_then(|call| answers.get(&call));
            answer.and_then(|answer| with_answer(item, answer)).unwrap_or_else(|| Arc::clone(item))
        })
        .collect();
    Reply::new(Page { items, ..page })
}

/// Returns the call for a balance; the id is needed for a token of many kinds.
fn balance_call(balance: &TokenBalance, owner: Address, block: u64) -> Option<EthCall> {
    let token = balance.token.value()?;
    let is_multi_token = token.kind.value().is_some_and(|kind| kind == "ERC-1155");
    let id = balance.token_id.value().filter(|_| is_multi_token);
    let selector = if id.is_some() { BALANCE_OF_ID } else { BALANCE_OF };
    let word = id.map(U256::to_be_bytes::<WORD_BYTES>).unwrap_or_default();
    let argument = if id.is_some() { &word[..] } else { &[] };
    let data = [&selector[..], &owner.into_word()[..], argument].concat();
    Some(EthCall { to: *token.address.value()?, data: data.into(), block: Some(block) })
}

/// Returns the answers to the calls in one of Multicall3, if that is there.
async fn call_together<A: Future<Output = Result<bytes::Bytes, ApiError>>>(
    calls: &[EthCall],
    block: u64,
    ask: impl Fn(Query) -> A,
) -> BalanceAnswers {
    if calls.len() < 2 {
        return BalanceAnswers::new();
    }
    let data = encode_calls(calls.iter().map(|call| (call.to, &call.data)));
    let call = EthCall { to: MULTICALL3, data, block: Some(block) };
    match call_alone(call, block, ask).await {
        Ok(returned) => {
            let results = decode_results(&returned, calls.len());
            let answers = calls.iter().zip(results.into_iter().flatten());
            let failed = || BalanceError::Other(page::CALL_FAILED.into());
            answers.map(|(call, data)| (call.clone(), data.ok_or_else(failed))).collect()
        }
        Err(why @ BalanceError::NoState { .. }) => {
            calls.iter().map(|call| (call.clone(), Err(why.clone()))).collect()
        }
        Err(BalanceError::Other(_)) => BalanceAnswers::new(),
    }
}

async fn call_alone<A: Future<Output = Result<bytes::Bytes, ApiError>>>(
    call: EthCall,
    block: u64,
    ask: impl Fn(Query) -> A,
) -> Result<Bytes, BalanceError> {
    let query = Query::Call(call);
    let failed = |error: ApiError| BalanceError::Other(SafeText::new(&error.to_string()));
    let body = ask(query.clone()).await.map_err(failed)?;
    let reply = decode(&query, body, None).await.map_err(failed)?;
    match reply.get::<CallResponse>() {
        Some(CallResponse::Returned(data)) => Ok(data.clone()),
        Some(response) if response.lacks_state() => Err(BalanceError::NoState { block }),
        Some(CallResponse::Failed(why, _)) => Err(BalanceError::Other(why.clone())),
        None => Err(BalanceError::Other(page::NOT_AN_ANSWER.into())),
    }
}

/// Adds an answer to a row, or the reason why there is none.
fn with_answer(
    item: &Item<TokenBalance>,
    answer: &Result<Bytes, BalanceError>,
) -> Option<Arc<Item<TokenBalance>>> {
    let failed = |why: &str| json!({ "error": { "message": why } });
    let member = match answer {
        Ok(data) if data.len() == WORD_BYTES => json!({ "result": hex::encode_prefixed(data) }),
        Ok(data) if data.is_empty() => failed(page::NO_CONTRACT_THEN),
        Ok(_) => failed(page::NOT_A_BALANCE),
        Err(why) => failed(&why.to_string()),
    };
    let members = item.raw.get().trim_start().strip_prefix('{')?;
    let comma = if members.trim_start().starts_with('}') { "" } else { "," };
    let json = format!("{{\"balance_at_block\":{member}{comma}{members}");
    let json = RawValue::from_string(json).ok()?;
    Some(Arc::new(Item::of_list(&json)))
}

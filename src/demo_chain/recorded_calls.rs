//! Answers of view functions, as far as the tables have them.

use alloy_dyn_abi::DynSolValue;
use alloy_primitives::{Address, B256, U256, b256, hex};

use crate::store::{ChainState, Snapshot, StoreResult, TokenHolding, TokenRecord};

const NAME: [u8; 4] = hex!("06fdde03");
const SYMBOL: [u8; 4] = hex!("95d89b41");
const DECIMALS: [u8; 4] = hex!("313ce567");
const TOTAL_SUPPLY: [u8; 4] = hex!("18160ddd");
/// `balanceOf(address)`
const BALANCE_OF: [u8; 4] = hex!("70a08231");
/// `balanceOf(address,uint256)`
const BALANCE_OF_ID: [u8; 4] = hex!("00fdd58e");
const OWNER_OF: [u8; 4] = hex!("6352211e");
/// `allowance(address,address)`
const ALLOWANCE: [u8; 4] = hex!("dd62ed3e");
/// `Approval(address,address,uint256)`
const APPROVAL: B256 = b256!("8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925");

/// Returns the encoded answer, or `None` if nothing is recorded.
pub(super) fn recorded_answer(
    snapshot: &Snapshot,
    to: Address,
    data: &[u8],
) -> StoreResult<Option<Vec<u8>>> {
    let Some((selector, arguments)) = data.split_first_chunk::<4>() else { return Ok(None) };
    let state = &snapshot.state;
    let Some(token) = state.token(to)? else { return Ok(None) };
    let mut words = arguments.chunks_exact(32).map(U256::from_be_slice);
    let answer = match (*selector, words.next(), words.next()) {
        (BALANCE_OF, Some(holder), None) => balance(state, to, holder, None)?,
        (BALANCE_OF_ID, Some(holder), Some(id)) => balance(state, to, holder, Some(id))?,
        (ALLOWANCE, Some(owner), Some(spender)) => {
            Some(uint(allowance(snapshot, to, [owner, spender])?))
        }
        (OWNER_OF, Some(id), None) => {
            let owner = state.instance(to, id)?.and_then(|instance| instance.owner);
            owner.map(DynSolValue::Address)
        }
        (selector, None, None) => attribute(token, selector),
        _ => None,
    };
    Ok(answer.map(|value| DynSolValue::Tuple(vec![value]).abi_encode_params()))
}

/// Returns the encoded answer about a balance after a block, or `None` if it is unknown.
pub(super) fn balance_after(
    snapshot: &Snapshot,
    to: Address,
    data: &[u8],
    block: u64,
) -> StoreResult<Option<Vec<u8>>> {
    let Some((selector, arguments)) = data.split_first_chunk::<4>() else { return Ok(None) };
    if snapshot.state.token(to)?.is_none() {
        return Ok(None);
    }
    let mut words = arguments.chunks_exact(32).map(U256::from_be_slice);
    let (holder, id) = match (*selector, words.next(), words.next()) {
        (BALANCE_OF, Some(holder), None) => (holder, None),
        (BALANCE_OF_ID, Some(holder), Some(id)) => (holder, Some(id)),
        _ => return Ok(None),
    };
    let holding = TokenHolding { holder: Address::from_word(holder.into()), token: to, id };
    let balance = snapshot.balance_after_block(&holding, block)?;
    Ok(balance.map(|balance| balance.to_be_bytes_vec()))
}

fn attribute(token: &TokenRecord, selector: [u8; 4]) -> Option<DynSolValue> {
    let text = |text: &Option<Box<str>>| Some(DynSolValue::String(text.as_deref()?.to_owned()));
    let number = |digits: &Option<Box<str>>| digits.as_deref()?.parse().ok().map(uint);
    match selector {
        NAME => text(&token.name),
        SYMBOL => text(&token.symbol),
        DECIMALS => number(&token.decimals),
        TOTAL_SUPPLY => number(&token.total_supply),
        _ => None,
    }
}

/// Returns a balance. A holder without a row has none.
fn balance(
    state: &ChainState,
    token: Address,
    holder: U256,
    id: Option<U256>,
) -> StoreResult<Option<DynSolValue>> {
    let mut rows = state.balances(Address::from_word(holder.into()))?;
    let row = rows.find(|row| row.token == token && row.token_id == id);
    Ok(row.map_or(Some(U256::ZERO), |row| row.value).map(uint))
}

/// Returns the amount of the last approval. Of those with a limit, none was spent on this chain.
fn allowance(snapshot: &Snapshot, token: Address, pair: [U256; 2]) -> StoreResult<U256> {
    let [owner, spender] = pair.map(B256::from);
    let mut logs = snapshot.logs(u64::MAX)?;
    let last = logs.find(|log| log.address == token && *log.topics == [APPROVAL, owner, spender]);
    Ok(last.map_or(U256::ZERO, |log| U256::try_from_be_slice(&log.data).unwrap_or_default()))
}

fn uint(number: U256) -> DynSolValue {
    DynSolValue::Uint(number, 256)
}

//! The gas of calls that are reconstructed from steps, which nodes do not report: what a call was given,
//! and what it used.

use super::evm_step::{AskedCall, EvmStep, Halt};
use crate::abi::precompile_number;
use crate::chain::{U256, WORD_BYTES};
use crate::store::TransactionRecord;

/// Additional gas of a call with value.
const STIPEND: u64 = 2_300;
const WARM_ACCESS_GAS: u64 = 100;
/// Gas of a transaction without code, additional gas of a creation, and maximum gas per byte of input.
const INTRINSIC_GAS: u64 = 21_000;
const CREATION_GAS: u64 = 32_000;
const MAX_INPUT_GAS: u64 = 42;

/// Returns the maximum gas of a transaction that calls no code.
pub(super) fn max_gas_without_code(tx: &TransactionRecord) -> u64 {
    /// Envelopes with access lists or authorizations.
    const LISTING_ENVELOPES: [u8; 2] = [1, 4];
    if LISTING_ENVELOPES.contains(&tx.envelope) {
        return u64::MAX;
    }
    let creation = if tx.to.is_none() { CREATION_GAS } else { 0 };
    INTRINSIC_GAS + creation + MAX_INPUT_GAS * tx.input.len() as u64
}

/// Returns the gas that a call without steps was given, and the gas that it used: none, or the price of
/// a precompile.
pub(super) fn gas_without_steps(
    last: &EvmStep<'_>,
    step: &EvmStep<'_>,
    asked: AskedCall,
) -> (Option<u64>, Option<u64>) {
    let pays = !asked.kind.creates() && asked.value.is_some_and(|value| !value.is_zero());
    let stipend = if pays { STIPEND } else { 0 };
    let spent = last.gas().zip(step.gas()).and_then(|(before, after)| before.checked_sub(after));
    let (cost, used) = if asked.to.as_ref().and_then(precompile_number).is_some() {
        let expansion = expansion_gas(last.memory_words(), step.memory_words());
        let cost = expansion.filter(|_| !pays).map(|gas| gas + WARM_ACCESS_GAS);
        (cost, spent.zip(cost).and_then(|(spent, cost)| spent.checked_sub(cost)))
    } else {
        (spent.and_then(|spent| spent.checked_add(stipend)), Some(0))
    };
    let left = last.gas().zip(cost).and_then(|(gas, cost)| gas.checked_sub(cost));
    // A call keeps a 64th.
    let given = left.map(|left| left - left / 64).map(|all| {
        let asked = asked.gas.map(|gas| gas.saturating_to::<u64>());
        asked.map_or(all, |asked| asked.min(all))
    });
    (given.and_then(|given| given.checked_add(stipend)), used)
}

/// Returns the gas that a call used, without the deposit of created code.
pub(super) fn gas_used(given: u64, last: &EvmStep<'_>, halt: Halt, is_failed: bool) -> Option<u64> {
    let cost = match halt {
        Halt::Return(range) | Halt::Revert(range) => {
            let before = last.memory_words()?;
            let end = range.offset.checked_add(range.length)?;
            let after = end.div_ceil(U256::from(WORD_BYTES)).try_into().ok()?;
            let is_empty = range.length.is_zero();
            expansion_gas(Some(before), Some(if is_empty { before } else { before.max(after) }))?
        }
        Halt::Stop => 0,
        // Ganache does not report it.
        Halt::SelfDestruct(_) if !is_failed => last.gas_cost().filter(|cost| *cost > 0)?,
        _ if is_failed => return Some(given),
        Halt::SelfDestruct(_) | Halt::Other => last.gas_cost()?,
    };
    given.checked_sub(last.gas()?.checked_sub(cost)?)
}

fn expansion_gas(before: Option<usize>, after: Option<usize>) -> Option<u64> {
    let gas = |words: usize| {
        let words = u64::try_from(words).ok()?;
        words.checked_mul(3)?.checked_add(words.checked_mul(words)? / 512)
    };
    gas(after?)?.checked_sub(gas(before?)?)
}

//! The gas of a call in two traces, and its changes, as text.

use crate::chain::amount::Grouped;
use crate::trace::diff::{DiffRow, exact_own_gas, gas_delta};
use crate::trace::{CallFrame, CallTree};

/// The gas of a call in both traces.
pub(super) struct RowGas<'a> {
    /// The call, unless the trace does not have it.
    pub(super) left: Option<&'a CallFrame>,
    pub(super) right: Option<&'a CallFrame>,
    /// Its change, where an absent call counts as 0.
    pub(super) delta: Option<i128>,
    /// The change of the self gas.
    pub(super) own_delta: Option<i128>,
}

impl<'a> RowGas<'a> {
    pub(super) fn of(row: &DiffRow, left: &'a CallTree, right: &'a CallTree) -> Self {
        let left = row.left.and_then(|frame| left.get(frame));
        let right = row.right.and_then(|frame| right.get(frame));
        let delta_of = |gas: fn(&CallFrame) -> Option<u64>| {
            gas_delta(left.map_or(Some(0), gas), right.map_or(Some(0), gas))
        };
        Self {
            left,
            right,
            delta: delta_of(CallFrame::gas_used),
            own_delta: delta_of(exact_own_gas),
        }
    }
}

/// Formats the gas of a call, `—` without one.
pub(super) fn format_gas(call: Option<&CallFrame>, format: impl Fn(u64) -> String) -> String {
    call.map_or("—".into(), |call| call.format_gas_used(format))
}

/// Formats a change as `+6,908`, `−12`, `0` or `?`.
pub(super) fn format_delta(delta: Option<i128>) -> String {
    format_delta_with(delta, |gas| Grouped(gas).to_string())
}

pub(super) fn format_delta_with(delta: Option<i128>, format: impl Fn(u128) -> String) -> String {
    let Some(delta) = delta else { return "?".into() };
    let sign = match delta {
        1.. => "+",
        0 => "",
        ..0 => "−",
    };
    sign.to_owned() + &format(delta.unsigned_abs())
}

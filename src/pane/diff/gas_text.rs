//! The gas of a call in two traces, and its changes, as text.

use crate::chain::amount::Grouped;
use crate::trace::diff::{DiffRow, exact_own_gas, gas_delta};
use crate::trace::{CallFrame, CallTree};

/// The gas of a call in one of the traces.
#[derive(Clone, Copy)]
pub(super) enum GasUsed {
    /// The trace does not have the call.
    Absent,
    Unknown,
    Known(u64),
    Inferred(u64),
}

impl GasUsed {
    pub(super) fn of(frame: Option<&CallFrame>) -> Self {
        let Some(frame) = frame else { return Self::Absent };
        match frame.gas_used() {
            None => Self::Unknown,
            Some(gas) if frame.is_gas_inferred() => Self::Inferred(gas),
            Some(gas) => Self::Known(gas),
        }
    }
}

pub(super) struct RowGas {
    pub(super) left: GasUsed,
    pub(super) right: GasUsed,
    /// Its change, where an absent call counts as 0.
    pub(super) delta: Option<i128>,
    /// The change of the self gas.
    pub(super) own_delta: Option<i128>,
}

impl RowGas {
    pub(super) fn of(row: &DiffRow, left: &CallTree, right: &CallTree) -> Self {
        let left = row.left.and_then(|frame| left.get(frame));
        let right = row.right.and_then(|frame| right.get(frame));
        let delta_of = |gas: fn(&CallFrame) -> Option<u64>| {
            gas_delta(left.map_or(Some(0), gas), right.map_or(Some(0), gas))
        };
        Self {
            left: GasUsed::of(left),
            right: GasUsed::of(right),
            delta: delta_of(CallFrame::gas_used),
            own_delta: delta_of(exact_own_gas),
        }
    }
}

/// Formats gas, `?` if it is unknown and `—` if there is no call.
pub(super) fn format_gas(gas: GasUsed, format: impl Fn(u64) -> String) -> String {
    match gas {
        GasUsed::Absent => "—".into(),
        GasUsed::Unknown => "?".into(),
        GasUsed::Known(gas) => format(gas),
        GasUsed::Inferred(gas) => ["≈", &format(gas)].concat(),
    }
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

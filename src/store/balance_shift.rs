//! A balance before and after a transaction or a block.

use alloy_primitives::aliases::{I512, U512};
use alloy_primitives::{Address, U256};

/// A balance before and after a transaction. Two unknown ones may have a known difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BalanceShift {
    pub before: Option<U256>,
    pub after: Option<U256>,
    pub change: I512,
}

/// A balance before and after a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockBalance {
    pub before: U256,
    pub after: U256,
}

/// A balance of a token: of all its instances together, or of an id of a multi-token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenHolding {
    pub holder: Address,
    pub token: Address,
    pub id: Option<U256>,
}

impl BalanceShift {
    /// Creates a shift from the balances before and after it.
    pub fn between(before: U256, after: U256) -> Self {
        let change = signed(after) - signed(before);
        Self { before: Some(before), after: Some(after), change }
    }

    /// Creates a shift from the balance at the head, and what newer transactions changed of it.
    pub(super) fn before_newer(head: Option<U256>, newer: I512, change: I512) -> Self {
        let after = head.map(|head| signed(head) - newer);
        Self {
            before: after.and_then(|after| unsigned(after - change)),
            after: after.and_then(unsigned),
            change,
        }
    }
}

pub(super) fn signed(value: U256) -> I512 {
    I512::from_raw(U512::from(value))
}

pub(super) fn unsigned(value: I512) -> Option<U256> {
    U256::checked_from_limbs_slice(value.into_raw().as_limbs())
}

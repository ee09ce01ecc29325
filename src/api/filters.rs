//! The filters of lists that servers offer.

use strum::{EnumString, IntoStaticStr, VariantArray, VariantNames};

use crate::chain::Address;
use crate::chain::token_standard::TokenStandard;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    Direction(Direction),
    Kind(ActivityKind),
    Type(TokenStandard),
    Token(Address),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterOption {
    pub filter: Filter,
    pub is_set: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Direction {
    To,
    From,
}

/// A kind of activity besides token transfers, with its name on command lines.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString, VariantNames, VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum ActivityKind {
    Coin,
    Call,
    Creation,
}

impl ActivityKind {
    pub(super) fn parameter(self) -> &'static str {
        match self {
            Self::Coin => "COIN_TRANSFER",
            Self::Call => "CONTRACT_INTERACTION",
            Self::Creation => "CONTRACT_CREATION",
        }
    }
}

/// The filters of a list, as they are set. `None` if the list does not have them.
#[derive(Default)]
pub(super) struct FilterSlots<'a> {
    pub(super) direction: Option<&'a mut Option<Direction>>,
    pub(super) kinds: Option<&'a mut Vec<ActivityKind>>,
    /// The offered standards, and those that are set.
    pub(super) types: Option<(&'static [TokenStandard], &'a mut Vec<TokenStandard>)>,
    pub(super) token: Option<&'a mut Option<Address>>,
}

impl<'a> FilterSlots<'a> {
    /// Creates the filters of a list that is only filtered by standard.
    pub(super) fn of_types(
        offered: &'static [TokenStandard],
        set: &'a mut Vec<TokenStandard>,
    ) -> Self {
        Self { types: Some((offered, set)), ..Self::default() }
    }
}

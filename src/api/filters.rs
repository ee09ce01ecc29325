//! The filters of lists that servers offer.

use strum::{EnumString, IntoStaticStr, VariantNames};

use crate::chain::Address;
use crate::chain::token_standard::TokenStandard;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    Direction(Direction),
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

/// The filters of a list, as they are set. `None` if the list does not have them.
#[derive(Default)]
pub(super) struct FilterSlots<'a> {
    pub(super) direction: Option<&'a mut Option<Direction>>,
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

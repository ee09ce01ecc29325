//! The filters of lists that servers offer.

use strum::{EnumString, IntoStaticStr, VariantNames};

use crate::chain::Address;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    Direction(Direction),
    Type(TokenType),
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString, VariantNames)]
#[strum(ascii_case_insensitive)]
pub enum TokenType {
    #[strum(serialize = "ERC-20")]
    Erc20,
    #[strum(serialize = "ERC-721")]
    Erc721,
    /// Multi-token: an amount of each id.
    #[strum(serialize = "ERC-1155")]
    Erc1155,
    #[strum(serialize = "ERC-404")]
    Erc404,
    /// Confidential. Known to servers since version 10.
    #[strum(serialize = "ERC-7984")]
    Erc7984,
}

/// The filters of a list, as they are set. `None` if the list does not have them.
#[derive(Default)]
pub(super) struct FilterSlots<'a> {
    pub(super) direction: Option<&'a mut Option<Direction>>,
    /// The offered standards, and those that are set.
    pub(super) types: Option<(&'static [TokenType], &'a mut Vec<TokenType>)>,
    pub(super) token: Option<&'a mut Option<Address>>,
}

impl<'a> FilterSlots<'a> {
    /// Creates the filters of a list that is only filtered by standard.
    pub(super) fn of_types(offered: &'static [TokenType], set: &'a mut Vec<TokenType>) -> Self {
        Self { types: Some((offered, set)), ..Self::default() }
    }
}

impl TokenType {
    /// The types that every server knows.
    pub const COMMON: [Self; 4] = [Self::Erc20, Self::Erc721, Self::Erc1155, Self::Erc404];
}

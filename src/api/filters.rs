//! The filters of lists that the server offers.

use super::query::{Direction, Query, TokenType};
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

#[derive(Default)]
pub(super) struct FilterValues<'a> {
    pub(super) direction: Option<Direction>,
    pub(super) types: &'a [TokenType],
    pub(super) token: Option<Address>,
    pub(super) holder: Option<Address>,
}

impl Query {
    pub(super) fn filter_values(&self) -> FilterValues<'_> {
        let none = FilterValues::default();
        match self {
            Self::Transactions { direction, .. } | Self::InternalTransactions { direction, .. } => {
                FilterValues { direction: *direction, ..none }
            }
            Self::TokenTransfers { direction, types, token, .. } => {
                FilterValues { direction: *direction, types, token: *token, ..none }
            }
            Self::Tokens { types, .. }
            | Self::Collections { types, .. }
            | Self::ChainTokens { types } => FilterValues { types, ..none },
            Self::Instances { holder, .. } => FilterValues { holder: *holder, ..none },
            _ => none,
        }
    }

    /// Returns the filters that the server offers for this list. `token` is offered as a token to
    /// filter by, unless one is set.
    pub fn filters(&self, token: Option<Address>) -> Vec<FilterOption> {
        let values = self.filter_values();
        let types = match self {
            Self::TokenTransfers { .. } | Self::Tokens { .. } | Self::ChainTokens { .. } => {
                &TokenType::COMMON[..]
            }
            Self::Collections { .. } => &TokenType::COMMON[1..],
            _ => &[],
        };
        let directions = match self {
            Self::Transactions { .. }
            | Self::InternalTransactions { .. }
            | Self::TokenTransfers { address: Some(_), .. } => {
                &[Direction::To, Direction::From][..]
            }
            _ => &[],
        };
        let token = match self {
            Self::TokenTransfers { address: Some(_), .. } => values.token.or(token),
            _ => None,
        };
        let types = types.iter().map(|kind| FilterOption {
            filter: Filter::Type(*kind),
            is_set: values.types.contains(kind),
        });
        let directions = directions.iter().map(|direction| FilterOption {
            filter: Filter::Direction(*direction),
            is_set: values.direction == Some(*direction),
        });
        let token = token.map(|token| FilterOption {
            filter: Filter::Token(token),
            is_set: values.token == Some(token),
        });
        types.chain(directions).chain(token).collect()
    }

    #[must_use]
    pub fn toggled(mut self, filter: Filter) -> Self {
        match (&mut self, filter) {
            (
                Self::Transactions { direction, .. }
                | Self::InternalTransactions { direction, .. }
                | Self::TokenTransfers { direction, .. },
                Filter::Direction(value),
            ) => toggle(direction, value),
            (
                Self::TokenTransfers { types, .. }
                | Self::Tokens { types, .. }
                | Self::Collections { types, .. }
                | Self::ChainTokens { types },
                Filter::Type(kind),
            ) => match types.iter().position(|t| *t == kind) {
                Some(at) => drop(types.remove(at)),
                None => types.push(kind),
            },
            (Self::TokenTransfers { token, .. }, Filter::Token(value)) => toggle(token, value),
            _ => {}
        }
        self
    }
}

fn toggle<T: PartialEq>(set: &mut Option<T>, value: T) {
    *set = if set.as_ref() == Some(&value) { None } else { Some(value) };
}

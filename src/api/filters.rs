//! The filters of lists that the server offers.

use super::query::{Direction, Query, TokenType};
use crate::chain::Address;

const BOTH_DIRECTIONS: [Direction; 2] = [Direction::To, Direction::From];

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
        let (types, directions, token): (&[TokenType], &[Direction], _) = match self {
            Self::TokenTransfers { address: Some(_), .. } => {
                (&TokenType::COMMON, &BOTH_DIRECTIONS, values.token.or(token))
            }
            Self::TokenTransfers { address: None, .. }
            | Self::Tokens { .. }
            | Self::ChainTokens { .. } => (&TokenType::COMMON, &[], None),
            Self::Collections { .. } => (&TokenType::COMMON[1..], &[], None),
            Self::Transactions { .. } | Self::InternalTransactions { .. } => {
                (&[], &BOTH_DIRECTIONS, None)
            }
            _ => (&[], &[], None),
        };
        let types = types.iter().map(|kind| (Filter::Type(*kind), values.types.contains(kind)));
        let directions = directions.iter();
        let directions = directions
            .map(|direction| (Filter::Direction(*direction), values.direction == Some(*direction)));
        let token = token.map(|address| (Filter::Token(address), values.token == Some(address)));
        let all = types.chain(directions).chain(token);
        all.map(|(filter, is_set)| FilterOption { filter, is_set }).collect()
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

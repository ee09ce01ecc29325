//! The endpoints of a token, and its holders.

use strum::{IntoStaticStr, VariantNames};

use super::{ApiEndpoint, object, page, readable_item};
use crate::api::address::AddressRef;
use crate::api::endpoints::subject::Subject;
use crate::api::json_fields::{Field, json_object};
use crate::api::nft_instances::TokenInstance;
use crate::api::reply::{ReplyData, reply_data};
use crate::api::token::Token;
use crate::api::token_transfers::TokenTransfer;
use crate::chain::{Address, U256};

/// A query for a token, or for something of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, IntoStaticStr, VariantNames)]
pub enum TokenQuery {
    Details,
    Counters,
    Transfers,
    Holders,
    Instances { holder: Option<Address> },
}

impl TokenQuery {
    pub(super) fn endpoint(&self, token: Address) -> ApiEndpoint {
        let row = |path, decode| ApiEndpoint::new(Subject::Token(token), path, decode);
        match self {
            Self::Details => row("", readable_item::<Token>),
            Self::Counters => row("counters", object::<TokenCounters>),
            Self::Transfers => ApiEndpoint {
                words: "token transfers",
                viewed: None,
                ..row("transfers", page::<TokenTransfer>)
            },
            Self::Holders => {
                ApiEndpoint { accepts_null: |key| key == "value", ..row("holders", page::<Holder>) }
            }
            Self::Instances { holder } => ApiEndpoint {
                viewed: *holder,
                params: Vec::from_iter(
                    holder.map(|holder| ("holder_address_hash", holder.to_string())),
                ),
                ..row("instances", page::<TokenInstance>)
            },
        }
    }
}

json_object! {
    /// The counters of a token (`/tokens/{hash}/counters`).
    pub struct TokenCounters {
        pub holders: Field<u64> = "token_holders_count",
        pub transfers: Field<u64> = "transfers_count",
    }
}

impl ReplyData for TokenCounters {}

json_object! {
    /// A holder with its balance: one per contract, or one per id of an ERC-1155.
    pub struct Holder {
        pub address: Field<AddressRef>,
        /// The id, if the balance is of one id.
        pub token_id: Field<U256>,
        /// The amount in the smallest unit, or the number of items.
        pub value: Field<U256>,
        /// The token. Sent by servers before version 6.
        pub token: Field<Token>,
    }
}

reply_data!(Holder: address; token);

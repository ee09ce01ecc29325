//! Holders of a token, or of one of its instances.

use super::address::AddressRef;
use super::json_fields::{Field, json_object};
use super::reply::{NamedPart, ReplyData, named_parts};
use super::token::Token;
use crate::chain::U256;

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

impl ReplyData for Holder {
    fn named_parts(&self) -> Vec<NamedPart<'_>> {
        named_parts([&self.address], [&self.token])
    }
}

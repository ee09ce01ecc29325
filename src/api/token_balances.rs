//! Token balances of an address.

use super::json_fields::{Field, json_object};
use super::nft_instances::TokenInstance;
use super::reply::{NamedPart, ReplyData, named_parts};
use super::token::Token;
use crate::chain::U256;

json_object! {
    /// The balance of a token: one per contract for ERC-20 and ERC-721 (where the value is the number
    /// of items), one per id for ERC-1155 and ERC-404.
    pub struct TokenBalance {
        /// The amount in the smallest unit, or the number of items.
        pub value: Field<U256>,
        /// The id, if the balance is of one id.
        pub token_id: Field<U256>,
        pub token: Field<Token>,
        /// The NFT, if the balance is of one id.
        pub token_instance: Field<Box<TokenInstance>>,
    }
}

impl ReplyData for TokenBalance {
    fn named_parts(&self) -> Vec<NamedPart<'_>> {
        let instance = self.token_instance.value().into_iter();
        let parts = instance.flat_map(|instance| instance.named_parts());
        named_parts([], [&self.token]).into_iter().chain(parts).collect()
    }
}

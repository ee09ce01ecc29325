//! NFT collections by holder.

use super::json_fields::{Field, json_object};
use super::nft_instances::TokenInstance;
use super::reply::{NamedPart, ReplyData, named_parts};
use super::token::Token;
use crate::chain::U256;

json_object! {
    /// A collection with the first items that an address holds.
    pub struct Collection {
        pub token: Field<Token>,
        /// The number of items held; for ERC-1155 the number of ids, not of units.
        pub amount: Field<U256>,
        /// At most nine of the items held.
        pub instances: Field<Vec<TokenInstance>> = "token_instances",
    }
}

impl ReplyData for Collection {
    fn named_parts(&self) -> Vec<NamedPart<'_>> {
        let instances = self.instances.value().into_iter().flatten();
        let parts = instances.flat_map(ReplyData::named_parts);
        named_parts([], [&self.token]).into_iter().chain(parts).collect()
    }
}

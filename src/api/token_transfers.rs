//! Token transfers: of an address, of the chain, and within a transaction.

use std::collections::HashSet;

use super::address::AddressRef;
use super::decoded_input::AbiIdentifier;
use super::json_fields::{Field, json_object};
use super::nft_instances::TokenInstance;
use super::reply::{NamedPart, ReplyData, own_parts};
use super::token::Token;
use crate::chain::{Address, B256, Timestamp, TxHash, U256};
use crate::sanitize::SafeText;

json_object! {
    /// A token transfer. A batch of an ERC-1155 is listed as one per id.
    pub struct TokenTransfer {
        /// The hash of the transaction. Absent on some chains.
        pub transaction_hash: Field<TxHash> = "transaction_hash" | "tx_hash",
        /// The index of the log in the block.
        pub log_index: Field<u64>,
        pub block_number: Field<u64> = "block_number" | "block",
        pub block_hash: Field<B256>,
        pub timestamp: Field<Timestamp>,
        /// The sender; the zero address for a mint.
        pub from: Field<AddressRef>,
        /// The recipient; the zero address for a burn.
        pub to: Field<AddressRef>,
        /// The token. Absent until the server has indexed it.
        pub token: Field<Token>,
        /// The standard of the transfer. Sent by servers since version 9.1.
        pub token_type: Field<SafeText>,
        /// The amount, or the token id.
        pub total: Field<TransferAmount>,
        /// `token_transfer`, `token_minting`, `token_burning`, `token_spawning`: an open set.
        pub kind: Field<SafeText> = "type",
        /// The method of the transaction: a name or a selector.
        pub method: Field<AbiIdentifier>,
    }
}

impl ReplyData for TokenTransfer {
    fn parties(&self) -> Vec<&AddressRef> {
        [&self.from, &self.to].into_iter().filter_map(Field::value).collect()
    }

    fn token_field(&self) -> &Field<Token> {
        &self.token
    }

    fn named_parts(&self) -> Vec<NamedPart<'_>> {
        parts_of_transfer(self, &self.total)
    }
}

/// Log, id and amount, and parties: the transfers of a batch share the log.
pub type TransferPlace = (u64, [Option<U256>; 2], [Option<Address>; 2]);

impl TokenTransfer {
    /// Returns its identity among the transfers of its transaction, or `None` without the index of its log.
    pub fn place(&self) -> Option<TransferPlace> {
        let total = self.total.value();
        let id = total.and_then(|total| total.token_id.value()).copied();
        let amount = total.and_then(|total| total.value.value()).copied();
        Some((*self.log_index.value()?, [id, amount], [self.from.hash(), self.to.hash()]))
    }

    /// Returns the index of its log with its transaction, which not all servers send.
    pub(super) fn log(&self) -> Option<(u64, Option<TxHash>)> {
        Some((*self.log_index.value()?, self.transaction_hash.value().copied()))
    }
}

/// Returns the transfers of a transaction, each once: servers repeat rows while they index.
pub fn without_repeats<'a>(
    transfers: impl IntoIterator<Item = &'a TokenTransfer>,
) -> Vec<&'a TokenTransfer> {
    let mut known = HashSet::new();
    let mut is_new = |transfer: &TokenTransfer| transfer.place().is_none_or(|at| known.insert(at));
    transfers.into_iter().filter(|transfer| is_new(transfer)).collect()
}

/// Orders transfers of a transaction as they happened: servers list the logs in their order, but each batch from its
/// end.
pub(super) fn order_batches<T, L: PartialEq>(items: &mut [T], log: impl Fn(&T) -> Option<L>) {
    for batch in items.chunk_by_mut(|one, next| log(one).is_some() && log(one) == log(next)) {
        batch.reverse();
    }
}

/// Returns the named parts of an item, and of the instance that it transferred.
pub(super) fn parts_of_transfer<'a, T: ReplyData>(
    item: &'a T,
    total: &'a Field<TransferAmount>,
) -> Vec<NamedPart<'a>> {
    let instance = total.value().and_then(|total| total.token_instance.value());
    let parts = instance.into_iter().flat_map(|instance| instance.named_parts());
    own_parts(item).into_iter().chain(parts).collect()
}

json_object! {
    /// The amount of a transfer: ERC-20 has `value` and `decimals`, ERC-721 `token_id`, ERC-1155 all
    /// three, a confidential transfer none.
    pub struct TransferAmount {
        /// The amount in the smallest unit.
        pub value: Field<U256>,
        pub decimals: Field<u8>,
        pub token_id: Field<U256>,
        /// The NFT. Sent by servers since version 7.
        pub token_instance: Field<Box<TokenInstance>>,
    }
}

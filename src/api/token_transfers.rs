//! Token transfers: of an address, of the whole chain, and inside a transaction.

use serde_json::value::RawValue;

use super::address::AddressRef;
use super::json_fields::{Field, FromJson, RawObject};
use super::token::Token;
use super::token_instances::TokenInstance;
use crate::chain::{B256, Timestamp, TxHash, U256};
use crate::sanitize::SafeText;

/// One token transfer. A batch of an ERC-1155 is listed as one of these for each id.
#[derive(Debug, Clone)]
pub struct TokenTransfer {
    /// The transaction it happened in. Absent on some chains.
    pub transaction_hash: Field<TxHash>,
    /// Its log's place in the block.
    pub log_index: Field<u64>,
    /// The block.
    pub block_number: Field<u64>,
    /// The block's hash.
    pub block_hash: Field<B256>,
    /// When that block was made.
    pub timestamp: Field<Timestamp>,
    /// Who gave. The zero address for a mint.
    pub from: Field<AddressRef>,
    /// Who got. The zero address for a burn.
    pub to: Field<AddressRef>,
    /// The token. Absent until the server has indexed it.
    pub token: Field<Token>,
    /// The standard the transfer follows: servers since 9.1.
    pub token_type: Field<SafeText>,
    /// How much, or which.
    pub total: Field<TransferAmount>,
    /// `token_transfer`, `token_minting`, `token_burning`, `token_spawning`: an open set.
    pub kind: Field<SafeText>,
    /// The transaction's method: a name, or a selector.
    pub method: Field<SafeText>,
    /// Fields this build does not know.
    pub extra_fields: Vec<(SafeText, SafeText)>,
}

/// How much was transferred, or which token: an ERC-20 has `value` and `decimals`, an ERC-721
/// `token_id`, an ERC-1155 all three, a confidential transfer none.
#[derive(Debug, Clone)]
pub struct TransferAmount {
    /// In the smallest unit.
    pub value: Field<U256>,
    /// How many of its digits stand after the point.
    pub decimals: Field<u8>,
    /// Which one.
    pub token_id: Field<U256>,
    /// The NFT itself: servers since 7.
    pub token_instance: Field<Box<TokenInstance>>,
}

impl FromJson for TokenTransfer {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
        Ok(Self {
            transaction_hash: object.field(&["transaction_hash", "tx_hash"]),
            log_index: object.field(&["log_index"]),
            block_number: object.field(&["block_number", "block"]),
            block_hash: object.field(&["block_hash"]),
            timestamp: object.field(&["timestamp"]),
            from: object.field(&["from"]),
            to: object.field(&["to"]),
            token: object.field(&["token"]),
            token_type: object.field(&["token_type"]),
            total: object.field(&["total"]),
            kind: object.field(&["type"]),
            method: object.field(&["method"]),
            extra_fields: object.extra_fields(),
        })
    }
}

impl FromJson for TransferAmount {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
        Ok(Self {
            value: object.field(&["value"]),
            decimals: object.field(&["decimals"]),
            token_id: object.field(&["token_id"]),
            token_instance: object.field(&["token_instance"]),
        })
    }
}

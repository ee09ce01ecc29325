//! Requests to a node: a method with its parameters.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::chain::{Address, B256};

#[derive(Debug, Clone, PartialEq)]
pub struct RpcRequest {
    pub method: &'static str,
    /// An array.
    pub params: Value,
}

/// The block that a request is about, or after which it reads the state.
#[derive(Debug, Clone, Copy)]
pub enum BlockTag {
    Latest,
    Number(u64),
}

impl From<Option<u64>> for BlockTag {
    /// Returns the tag of a block, or of the newest.
    fn from(block: Option<u64>) -> Self {
        block.map_or(Self::Latest, Self::Number)
    }
}

impl Serialize for BlockTag {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Latest => to.serialize_str("latest"),
            Self::Number(number) => to.collect_str(&format_args!("{number:#x}")),
        }
    }
}

impl RpcRequest {
    pub fn new(method: &'static str, params: Value) -> Self {
        Self { method, params }
    }

    /// Requests a block with its transactions.
    pub fn block(number: u64) -> Self {
        Self::new("eth_getBlockByNumber", json!([BlockTag::Number(number), true]))
    }

    /// Requests a block with the hashes of its transactions.
    pub fn block_header(number: u64) -> Self {
        Self::new("eth_getBlockByNumber", json!([BlockTag::Number(number), false]))
    }

    pub fn code(address: Address, block: BlockTag) -> Self {
        Self::new("eth_getCode", json!([address, block]))
    }

    pub fn balance(address: Address, block: BlockTag) -> Self {
        Self::new("eth_getBalance", json!([address, block]))
    }

    /// Requests a word of storage. Some nodes refuse slots with leading zeros, others all that are not whole
    /// words.
    pub fn storage(address: Address, slot: B256, block: BlockTag) -> Self {
        Self::new("eth_getStorageAt", json!([address, slot, block]))
    }
}

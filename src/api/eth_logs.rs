//! Logs by contract and topics, through the JSON-RPC that explorers offer.
//!
//! Blockscout answers with the oldest logs first, at most [`MAX_LOGS`]. Further ones are those after the
//! position of the last.

use jiff::Timestamp;
use serde_json::json;
use serde_json::value::to_raw_value;

use super::exchange::Params;
use super::json::{Json, scalar, type_error};
use super::json_fields::{Field, FromJson, json_object};
use super::logs::LogTopics;
use super::page::Next;
use super::page::cursor::Cursor;
use super::reply::ReplyData;
use super::state_reads::NodeRequest;
use crate::chain::{Address, B256, Bytes, TxHash};
use crate::sanitize::SafeText;

/// Maximum number of logs of an answer.
pub const MAX_LOGS: usize = 1_000;

/// The logs to list: of a contract, or of the whole chain.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LogFilter {
    pub contract: Option<Address>,
    /// Alternatives for each topic, the first topic first.
    pub topics: Vec<Vec<B256>>,
    /// Only logs after this one.
    pub after: Option<LogPosition>,
}

/// The block of a log, and its index in that. Newer positions are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LogPosition {
    pub block_number: u64,
    pub index: u64,
}

impl LogPosition {
    /// Reads the position of the last row of a page.
    pub fn from_cursor(cursor: &Cursor) -> Option<Self> {
        let (block_number, index) = (cursor.number("block_number")?, cursor.number("index")?);
        Some(Self { block_number, index })
    }

    /// Returns the cursor of the page after a row.
    pub fn next_page(self) -> Next {
        let Self { block_number, index } = self;
        let json = json!({ "block_number": block_number, "index": index });
        let cursor = to_raw_value(&json)
            .map_err(|error| SafeText::new(&error.to_string()))
            .and_then(|json| Cursor::from_json(&json, None));
        cursor.map_or_else(Next::Invalid, Next::Page)
    }
}

/// The times of logs with two topics in some blocks, which the older API of explorers has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LogTimes {
    pub topics: [B256; 2],
    pub first_block: u64,
    pub last_block: u64,
}

impl LogTimes {
    pub(super) fn params(&self) -> Params {
        let Self { topics: [first, second], first_block, last_block } = self;
        vec![
            ("module", "logs".to_owned()),
            ("action", "getLogs".to_owned()),
            ("fromBlock", first_block.to_string()),
            ("toBlock", last_block.to_string()),
            ("topic0", first.to_string()),
            ("topic1", second.to_string()),
            ("topic0_1_opr", "and".to_owned()),
        ]
    }
}

impl From<&LogFilter> for NodeRequest {
    /// Positions are hex digits without `0x`: Blockscout refuses others.
    fn from(LogFilter { contract, topics, after }: &LogFilter) -> Self {
        let mut filter = json!({ "fromBlock": "0x0", "toBlock": "latest", "topics": topics });
        if let Some(contract) = contract {
            filter["address"] = json!(contract);
        }
        if let Some(LogPosition { block_number, index }) = after {
            filter["paging_options"] = json!({
                "blockNumber": format!("{block_number:x}"),
                "logIndex": format!("{index:x}"),
            });
        }
        let body =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_getLogs", "params": [filter] });
        Self { body: body.to_string(), fragment: format!("eth_getLogs,{filter}") }
    }
}

json_object! {
    /// A log as nodes send it.
    pub struct EthLog {
        pub contract: Field<Address> = "address",
        pub topics: Field<LogTopics>,
        pub data: Field<Bytes>,
        pub block_number: Field<HexNumber> = "blockNumber",
        pub index: Field<HexNumber> = "logIndex",
        pub transaction_hash: Field<TxHash> = "transactionHash",
        /// Seconds since 1970. Sent by nodes, and by the older API of explorers.
        pub timestamp: Field<HexNumber> = "blockTimestamp" | "timeStamp",
    }
}

impl ReplyData for EthLog {}

impl EthLog {
    pub fn position(&self) -> Option<LogPosition> {
        let (block, index) = (self.block_number.value()?, self.index.value()?);
        Some(LogPosition { block_number: block.0, index: index.0 })
    }

    /// Returns the topic of this number, if the log has it.
    pub fn topic(&self, number: usize) -> Option<B256> {
        self.topics.value()?.0.get(number).copied()
    }

    pub fn time(&self) -> Option<Timestamp> {
        Timestamp::from_second(i64::try_from(self.timestamp.value()?.0).ok()?).ok()
    }
}

/// A number in hex digits after `0x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HexNumber(pub u64);

impl FromJson for HexNumber {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let text = scalar(json).unwrap_or_default();
        let digits = text.strip_prefix("0x").filter(|digits| !digits.starts_with('+'));
        let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        number.map(Self).ok_or_else(|| type_error("0x and at most 16 hex digits", json))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_prefix_and_no_sign() {
        let number = |text: &str| {
            let json = to_raw_value(text).unwrap();
            HexNumber::from_json((&*json).into()).ok().map(|number| number.0)
        };
        assert_eq!(["0x1f", "0x", "1f", "0x+1"].map(number), [Some(31), None, None, None]);
    }
}

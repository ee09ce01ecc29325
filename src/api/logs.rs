//! Event logs: of a transaction, and of the contract that emitted them.

use super::address::AddressRef;
use super::decoded_input::DecodedInput;
use super::json::{Json, for_each_element, type_error};
use super::json_fields::{Field, FromJson, json_object};
use super::reply::reply_data;
use crate::chain::{B256, Bytes, Timestamp, TxHash};
use crate::sanitize::SafeText;

json_object! {
    pub struct Log {
        pub transaction_hash: Field<TxHash> = "transaction_hash" | "tx_hash",
        /// The index in the block.
        pub index: Field<u64>,
        pub block_number: Field<u64> = "block_number" | "block",
        /// Absent on older servers.
        pub timestamp: Field<Timestamp> = "block_timestamp",
        /// The contract that emitted it.
        pub address: Field<AddressRef>,
        pub topics: Field<LogTopics>,
        pub data: Field<Bytes>,
        /// The event, if the explorer knows the contract's ABI.
        pub decoded: Field<DecodedInput>,
        /// The path of the call that emitted it, and the number of calls that it had made before. Only
        /// servers of nodes report it.
        pub trace_address: Field<Vec<u64>>,
        pub call_position: Field<u64>,
        /// `true` for a log of a call that failed, which is in no block and has no index.
        pub is_undone: Field<bool>,
    }
}

reply_data!(Log: address);

/// Up to four topics. Servers send `null` for those that a log does not have.
#[derive(Debug, Clone)]
pub struct LogTopics(pub Vec<B256>);

const MAX_TOPICS: usize = 4;

impl FromJson for LogTopics {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let mut sent = Vec::new();
        for_each_element(json, |topic| {
            sent.extend((sent.len() <= MAX_TOPICS).then_some(topic));
        })?;
        while sent.pop_if(|topic| topic.get() == "null").is_some() {}
        if sent.len() > MAX_TOPICS {
            return Err(type_error("at most 4 topics", json));
        }
        sent.into_iter()
            .map(|topic| B256::from_json(json.part(topic)))
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::api::Item;

    #[test]
    fn more_than_four_topics_are_invalid() {
        let topics = |count| {
            let sent = vec![format!("\"{}\"", B256::ZERO); count].join(",");
            let log = RawValue::from_string(format!("{{\"topics\":[{sent},null]}}")).unwrap();
            Item::<Log>::from_json(&log).parsed.unwrap().topics
        };
        assert_eq!(topics(4).value().map(|topics| topics.0.len()), Some(4));
        assert!(matches!(topics(5), Field::Invalid(_)));
    }
}

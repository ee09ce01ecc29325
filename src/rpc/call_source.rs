//! Sources of a transaction's calls.

use serde_json::json;

use super::request::{BlockTag, RpcRequest};
use crate::chain::B256;

/// Ways to request the calls of transactions, the cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallSource {
    /// `trace_block`
    TraceBlock,
    /// `debug_traceTransaction` with flatCallTracer.
    FlatCallTracer,
    /// `debug_traceTransaction` with callTracer.
    CallTracer,
    /// `debug_traceTransaction` without a tracer, whose opcodes have to be replayed.
    StructLogs,
}

/// Returns the request for the calls of a transaction with the logs between them.
pub fn calls_with_logs(transaction: B256) -> RpcRequest {
    let options = json!({ "tracer": "callTracer", "tracerConfig": { "withLog": true } });
    RpcRequest::new("debug_traceTransaction", json!([transaction, options]))
}

impl CallSource {
    /// Returns the request for the calls of one transaction. The calls of its whole block are cheaper for
    /// each transaction, but not for one.
    pub fn request_for_one(self, block: u64, transaction: B256) -> RpcRequest {
        match self {
            Self::TraceBlock => RpcRequest::new("trace_transaction", json!([transaction])),
            _ => self.request(block, transaction),
        }
    }

    /// Returns the request for the calls of a transaction, or of its whole block.
    pub fn request(self, block: u64, transaction: B256) -> RpcRequest {
        let options = match self {
            Self::TraceBlock => {
                return RpcRequest::new("trace_block", json!([BlockTag::Number(block)]));
            }
            // Hardhat leaves calls to precompiles out otherwise.
            Self::FlatCallTracer => {
                json!({ "tracer": "flatCallTracer", "tracerConfig": { "includePrecompiles": true } })
            }
            Self::CallTracer => json!({ "tracer": "callTracer" }),
            Self::StructLogs => json!({ "disableStorage": true, "enableMemory": true }),
        };
        RpcRequest::new("debug_traceTransaction", json!([transaction, options]))
    }
}

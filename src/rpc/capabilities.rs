//! Properties and abilities of a node, determined by requests. A response counts by its content: nodes
//! send `{}` or made-up struct logs for tracers that they lack. The version is for display only.

use std::iter;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};

use super::call_source::CallSource;
use super::client::RpcClient;
use super::error::RpcError;
use super::request::{BlockTag, RpcRequest};
use super::wire::block::RpcBlock;
use super::wire::call::{RpcCall, RpcCalls};
use super::wire::receipt::RpcReceipt;
use super::wire::state_diff::RpcStateDiff;
use super::wire::transaction::RpcTransaction;
use super::wire::wire_object;
use crate::chain::{B256, Bytes};
use crate::messages::chain_data::TracerError;
use crate::sanitize::SafeText;

/// Default ids of development nodes' chains.
const DEVELOPMENT_CHAIN_IDS: [u64; 2] = [1_337, 31_337];

/// Maximum transactions tried until one calls code.
const MAX_CANDIDATES: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeIdentity {
    pub chain_id: u64,
    /// For display only.
    pub client_version: Option<SafeText>,
    pub run: Option<RunIdentity>,
}

wire_object! {
    /// The run of a development node: another instance, or another after a reset, may have other
    /// blocks.
    #[derive(PartialEq, Eq)]
    pub struct RunIdentity {
        pub instance_id: B256,
        #[serde(default)]
        pub forked_network: Option<ForkedNetwork>,
    } or unknown {
    }
}

wire_object! {
    /// The chain and the block that a development node started from. What is up to that block must
    /// not be asked for: the node would fetch it from elsewhere.
    #[derive(Copy, PartialEq, Eq)]
    pub struct ForkedNetwork {
        pub fork_block_number: u64,
    } or unknown {
        pub chain_id: u64,
    }
}

impl NodeIdentity {
    /// Returns `true` for the chain of a development node, also if that has the id of the chain that
    /// it forked.
    pub fn is_development(&self) -> bool {
        self.run.is_some() || DEVELOPMENT_CHAIN_IDS.contains(&self.chain_id)
    }

    pub fn fork(&self) -> Option<ForkedNetwork> {
        self.run.as_ref()?.forked_network
    }

    pub async fn ask(client: &RpcClient) -> Result<Self, RpcError> {
        let chain_id = client.quantity("eth_chainId", json!([])).await?;
        let client_version = ask_for(client, "web3_clientVersion", json!([])).await?.ok();
        Ok(Self { chain_id, client_version, run: RunIdentity::ask(client).await? })
    }

    /// Adds abilities found on the same node before: it may refuse later.
    #[must_use]
    pub fn or_known(self, known: &Self) -> Self {
        let is_same_version =
            self.client_version.is_none() || self.client_version == known.client_version;
        if self.chain_id != known.chain_id || !is_same_version {
            return self;
        }
        Self { run: self.run.or_else(|| known.run.clone()), ..known.clone() }
    }
}

impl RunIdentity {
    /// Returns the request, by the method that anvil has too.
    pub fn request() -> RpcRequest {
        RpcRequest::new("hardhat_metadata", json!([]))
    }

    /// Returns `None` if the node has no such identity.
    pub async fn ask(client: &RpcClient) -> Result<Option<Self>, RpcError> {
        let RpcRequest { method, params } = Self::request();
        Ok(ask_for(client, method, params).await?.ok())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallSupport {
    Supported(CallSource),
    Unsupported {
        /// The last method that was tried, and the node's answer to it.
        why: TracerError,
    },
    /// The transaction decided nothing: it may run no code, or the node has no state of its block.
    Undecided,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeCapabilities {
    /// `true` if there is `eth_getBlockReceipts`.
    pub block_receipts: bool,
    pub calls: CallSupport,
    /// `true` if there is prestateTracer with `diffMode`.
    pub state_diff: bool,
    /// `true` if the requested transaction called code. Others cannot show that the node lacks
    /// something.
    pub judged_by_code: bool,
}

impl NodeCapabilities {
    /// Returns `true` if the node lists the calls of a transaction. Struct logs have to be replayed.
    pub fn lists_calls(&self) -> bool {
        match self.calls {
            CallSupport::Supported(source) => source != CallSource::StructLogs,
            CallSupport::Unsupported { .. } | CallSupport::Undecided => false,
        }
    }

    /// Returns `true` if the node has everything that is used: receipts by block, calls and states.
    pub fn is_complete(&self) -> bool {
        self.block_receipts && self.lists_calls() && self.state_diff
    }

    /// Finds out what the node can do about `block` and one of its transactions. Returns `None` if
    /// the block has none; fails if the node cannot be reached.
    pub async fn find(
        client: &RpcClient,
        block: &RpcBlock<RpcTransaction>,
    ) -> Result<Option<Self>, RpcError> {
        let probe = CapabilityProbe::new(client, iter::once(block)).await?;
        let Some(probe) = probe else { return Ok(None) };
        probe.run().await.map(Some)
    }
}

/// The transaction that a node is asked about, and its block.
pub struct CapabilityProbe<'a> {
    client: &'a RpcClient,
    pub block: &'a RpcBlock<RpcTransaction>,
    number: u64,
    transaction: &'a RpcTransaction,
    /// `true` if it is known to call code: a contract's, or its own that creates one.
    pub calls_code: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StructLogs {
    struct_logs: Vec<IgnoredAny>,
}

impl<'a> CapabilityProbe<'a> {
    /// Takes the newest of some blocks, the oldest of which is first, that has a transaction which
    /// calls code, or any. Returns `None` if they have no transactions.
    pub async fn new(
        client: &'a RpcClient,
        blocks: impl DoubleEndedIterator<Item = &'a RpcBlock<RpcTransaction>>,
    ) -> Result<Option<Self>, RpcError> {
        let blocks = blocks.rev().filter_map(|block| Some((block, block.number?)));
        let mut candidates: Vec<Self> = blocks
            .flat_map(|(block, number)| {
                block.transactions.iter().map(move |transaction| Self {
                    client,
                    block,
                    number,
                    transaction,
                    calls_code: transaction.to.is_none() && transaction.input_len() > 0,
                })
            })
            .collect();
        candidates.sort_by_key(|candidate| candidate.transaction.input_len() == 0);
        candidates.truncate(MAX_CANDIDATES);
        let code = |candidate: &Self| {
            let to = candidate.transaction.to.unwrap_or_default();
            RpcRequest::code(to, BlockTag::Number(candidate.number))
        };
        let codes = client.batch(&candidates.iter().map(code).collect::<Vec<_>>()).await;
        let codes = match codes {
            Err(error) if error.is_refusal() => Vec::new(),
            codes => codes?,
        };
        for (candidate, code) in candidates.iter_mut().zip(codes) {
            let code = code.and_then(|code| client.decode::<Bytes>(&code));
            candidate.calls_code |= code.is_ok_and(|code| !code.is_empty());
        }
        let calling = candidates.iter().position(|candidate| candidate.calls_code);
        Ok(candidates.into_iter().nth(calling.unwrap_or_default()))
    }

    /// Finds out what the node can do. Fails if it cannot be reached.
    pub async fn run(&self) -> Result<NodeCapabilities, RpcError> {
        Ok(NodeCapabilities {
            block_receipts: self.has_block_receipts().await?,
            calls: self.find_call_source().await?,
            state_diff: self.has_state_diff().await?,
            judged_by_code: self.calls_code,
        })
    }

    async fn has_block_receipts(&self) -> Result<bool, RpcError> {
        let receipts: Result<Vec<RpcReceipt>, _> =
            ask_for(self.client, "eth_getBlockReceipts", json!([BlockTag::Number(self.number)]))
                .await?;
        let hashes = self.block.transactions.iter().map(|transaction| transaction.hash);
        Ok(receipts
            .is_ok_and(|list| list.iter().map(|receipt| receipt.transaction_hash).eq(hashes)))
    }

    async fn find_call_source(&self) -> Result<CallSupport, RpcError> {
        for source in [CallSource::TraceBlock, CallSource::FlatCallTracer, CallSource::CallTracer] {
            let RpcRequest { method, params } = source.request(self.number, self.transaction.hash);
            let traced: Result<RpcCalls, _> = ask_for(self.client, method, params).await?;
            if traced.is_ok_and(|RpcCalls(calls)| self.is_traced(source, &calls)) {
                return Ok(CallSupport::Supported(source));
            }
        }
        self.find_struct_logs().await
    }

    fn is_traced(&self, source: CallSource, calls: &[RpcCall]) -> bool {
        let RpcTransaction { hash, from, .. } = self.transaction;
        match source {
            CallSource::TraceBlock => calls.iter().any(|call| call.transaction_hash == Some(*hash)),
            _ => calls.first().is_some_and(|root| root.from == Some(*from)),
        }
    }

    async fn find_struct_logs(&self) -> Result<CallSupport, RpcError> {
        let options =
            json!({ "disableStorage": true, "disableMemory": true, "disableStack": true });
        let logs: Result<StructLogs, _> = self.trace(options).await?;
        Ok(match logs {
            Ok(logs) if !logs.struct_logs.is_empty() => {
                CallSupport::Supported(CallSource::StructLogs)
            }
            Ok(_) if self.calls_code => CallSupport::Unsupported { why: TracerError::NoSteps },
            Ok(_) | Err(RpcError::Pruned { .. } | RpcError::TooLarge { .. }) => {
                CallSupport::Undecided
            }
            Err(RpcError::Unsupported) => {
                CallSupport::Unsupported { why: TracerError::Unsupported }
            }
            Err(error) => CallSupport::Unsupported { why: TracerError::Failed(error) },
        })
    }

    async fn has_state_diff(&self) -> Result<bool, RpcError> {
        let options = json!({ "tracer": "prestateTracer", "tracerConfig": { "diffMode": true } });
        Ok(self.trace::<RpcStateDiff>(options).await?.is_ok())
    }

    async fn trace<T>(&self, options: Value) -> Result<Result<T, RpcError>, RpcError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let params = json!([self.transaction.hash, options]);
        ask_for(self.client, "debug_traceTransaction", params).await
    }
}

/// Asks for a `T`. The inner error is a refusal, or an answer that is not one.
async fn ask_for<T>(
    client: &RpcClient,
    method: &'static str,
    params: Value,
) -> Result<Result<T, RpcError>, RpcError>
where
    T: DeserializeOwned + Send + 'static,
{
    match client.call(method, params).await {
        Err(error) if !error.is_refusal() => Err(error),
        result => Ok(result),
    }
}

//! Transactions in a node's pool.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::json;

use crate::chain::{Address, B256};
use crate::rpc::wire::transaction::RpcTransaction;
use crate::rpc::{RpcClient, RpcError, RpcRequest};
use crate::store::TransactionRecord;

use super::block_rows::{authorizations, pending_layer_costs};

/// The response to `txpool_content`: transactions by sender and nonce.
#[derive(Deserialize)]
struct PoolContent {
    pending: PooledTransactions,
    queued: PooledTransactions,
}

/// The response to `txpool_contentFrom`: transactions by nonce.
#[derive(Deserialize)]
struct SenderPool {
    pending: HashMap<String, RpcTransaction>,
    queued: HashMap<String, RpcTransaction>,
}

type PooledTransactions = HashMap<String, HashMap<String, RpcTransaction>>;

/// Returns a transaction that is in no block up to the head of the index. A fork is asked for its pool:
/// it would look for the hash in the chain that it forked.
pub(super) async fn pending_transaction(
    client: &RpcClient,
    hash: B256,
    head: Option<u64>,
    is_fork: bool,
) -> Result<Option<TransactionRecord>, RpcError> {
    let sent = if is_fork {
        match read_pool(client).await {
            Err(error) if error.is_refusal() => None,
            pool => pool?.into_iter().find(|sent| sent.hash == hash),
        }
    } else {
        match client.call("eth_getTransactionByHash", json!([hash])).await {
            Err(error) if error.is_refusal() => None,
            sent => sent?,
        }
    };
    Ok(sent.filter(|sent| sent.hash == hash && is_pending(sent, head)).and_then(record))
}

/// Returns the transactions that are in no block up to the head of the index, the highest nonces first.
/// Of a sender, they are asked for alone.
pub(super) async fn pool(
    client: &RpcClient,
    sender: Option<Address>,
    head: Option<u64>,
) -> Result<Vec<TransactionRecord>, RpcError> {
    let pool = match sender {
        Some(sender) => {
            let own: SenderPool = client.call("txpool_contentFrom", json!([sender])).await?;
            own.pending.into_values().chain(own.queued.into_values()).collect()
        }
        None => read_pool(client).await?,
    };
    let pooled = pool.into_iter().filter(|sent| is_pending(sent, head));
    let mut records: Vec<TransactionRecord> = pooled.filter_map(record).collect();
    records.sort_unstable_by(|a, b| b.nonce.cmp(&a.nonce).then(a.hash.cmp(&b.hash)));
    records.dedup_by_key(|record| record.hash);
    Ok(records)
}

fn is_pending(sent: &RpcTransaction, head: Option<u64>) -> bool {
    sent.block_number.map_or(sent.block_hash.is_none(), |number| Some(number) > head)
}

/// Returns all transactions in the pool, by the method that the node has.
async fn read_pool(client: &RpcClient) -> Result<Vec<RpcTransaction>, RpcError> {
    let requests = ["txpool_content", "eth_pendingTransactions"]
        .map(|method| RpcRequest::new(method, json!([])));
    let mut results = client.batch(&requests).await?.into_iter();
    let mut next = || results.next().unwrap_or(Err(RpcError::Unanswered));
    let content = next().and_then(|json| client.decode::<PoolContent>(&json));
    let listed = next().and_then(|json| client.decode::<Vec<RpcTransaction>>(&json));
    let content = match content {
        Err(error) if listed.is_err() => return Err(error),
        content => content.ok(),
    };
    let pools = content.into_iter().flat_map(|pool| [pool.pending, pool.queued]);
    let pooled = pools.flat_map(HashMap::into_values).flat_map(HashMap::into_values);
    Ok(pooled.chain(listed.into_iter().flatten()).collect())
}

/// Returns the record of a transaction that would use all of its gas at its maximum price.
fn record(sent: RpcTransaction) -> Option<TransactionRecord> {
    let authorizations = authorizations(&sent);
    let layer_costs = pending_layer_costs(&sent);
    let max_fee_per_gas = sent.max_fee_per_gas.and_then(|price| price.try_into().ok());
    let gas_price = sent.gas_price.and_then(|price| price.try_into().ok());
    Some(TransactionRecord {
        hash: sent.hash,
        block_number: u64::MAX,
        index: 0,
        from: sent.from,
        to: sent.to,
        created_contract: None,
        value: sent.value?,
        gas_price: max_fee_per_gas.or(gas_price)?,
        envelope: sent.kind.unwrap_or_default().try_into().ok()?,
        gas_used: sent.gas?,
        gas_limit: sent.gas?,
        max_fee_per_gas,
        max_priority_fee_per_gas: sent
            .max_priority_fee_per_gas
            .and_then(|price| price.try_into().ok()),
        base_fee_per_gas: None,
        nonce: sent.nonce?,
        input: sent.input.or(sent.data)?,
        error: None,
        has_unknown_outcome: false,
        revert_data: None,
        has_internal_error: None,
        authorizations,
        layer_costs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks for a transaction that the node has in block 5.
    async fn ask(head: Option<u64>) -> Option<TransactionRecord> {
        let url: url::Url = "http://127.0.0.1:1".parse().unwrap();
        let client = RpcClient::new(url.try_into().unwrap()).unwrap().simulated(|_| {
            let sent = json!({
                "hash": B256::ZERO, "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
                "nonce": "0x7", "gas": "0x5208", "value": "0x5", "input": "0x",
                "gasPrice": "0x3", "maxFeePerGas": "0x9", "blockNumber": "0x5",
            });
            json!({ "jsonrpc": "2.0", "id": 1, "result": sent }).to_string().into_bytes()
        });
        pending_transaction(&client, B256::ZERO, head, false).await.unwrap()
    }

    #[test]
    fn blobs_of_a_pending_transaction_cost_their_maximum() {
        let fee = |hashes: serde_json::Value, price: &str| {
            let sent = json!({
                "hash": B256::ZERO, "from": Address::ZERO, "nonce": "0x7", "gas": "0x2", "value": "0x5",
                "input": "0x", "gasPrice": "0x3", "type": "0x3", "maxFeePerBlobGas": price,
                "blobVersionedHashes": hashes,
            });
            let record = record(serde_json::from_value(sent).unwrap()).unwrap();
            assert_eq!(record.blobs().unwrap().fee, None);
            record.fee().map(|fee| fee.to_string())
        };
        let blob = B256::ZERO;
        assert_eq!(fee(json!([blob, blob]), "0x2").as_deref(), Some("524294"));
        assert_eq!((fee(json!(null), "0x2"), fee(json!([blob]), "?")), (None, None));
    }

    #[tokio::test]
    async fn transaction_after_the_head_is_pending_and_would_pay_its_maximum() {
        assert_eq!(ask(Some(4)).await.map(|record| record.gas_price), Some(9));
        assert!(ask(None).await.is_some());
        assert!(ask(Some(5)).await.is_none() && ask(Some(6)).await.is_none());
    }
}

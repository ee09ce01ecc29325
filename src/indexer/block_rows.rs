//! Converts the answers of a node about a block into rows.
//!
//! The rows of a block are made apart and added whole, or not at all: a block with a missing field is
//! added as an unreadable one, and so is one whose receipts are missing or of other transactions as often as
//! it is read.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::api::internal_transactions::PARENT_REVERTED;
use crate::chain::call_kind::CallKind;
use crate::chain::raw_transaction::{SenderError, authority};
use crate::chain::{Address, B256, Bytes, TRANSFER_GAS, Timestamp, U256};
use crate::messages::chain_data::BlockError;
use crate::rpc::wire::block::{RpcBlock, RpcWithdrawal};
use crate::rpc::wire::call::RpcCall;
use crate::rpc::wire::receipt::RpcReceipt;
use crate::rpc::wire::transaction::{RpcAuthorization, RpcTransaction};
use crate::store::{
    BlobCosts, BlockNumHash, BlockRecord, ConsoleLineRecord, InternalTransactionRecord, LayerCosts,
    LogRecord, TransactionPosition, TransactionRecord, TransferRecord, UNTRACED_ERROR,
    UnreadableBlock, WithdrawalRecord, Withdrawals, expand_batch,
};

use super::console_lines::console_lines;
use super::failed_calls::FailedCalls;
use super::transfer_logs::{MAX_CONSECUTIVE_IDS_IN_BLOCK, transfer_logs};

const WEI_PER_GWEI: U256 = U256::from_limbs([1_000_000_000, 0, 0, 0]);
/// The EIP-2718 type of a transaction with blobs.
const BLOB_TYPE: u64 = 3;
/// Gas of a blob (EIP-4844).
const GAS_PER_BLOB: u32 = 1 << 17;
/// The first EIP-2718 type of rollups: Ethereum counts up from 0.
pub(super) const FIRST_ROLLUP_TYPE: u64 = 0x64;

/// Parts of a block that a node sends.
pub(super) struct BlockAnswer {
    pub(super) id: BlockNumHash,
    pub(super) block: RpcBlock<RpcTransaction>,
    pub(super) receipts: Vec<RpcReceipt>,
    /// The calls of each transaction, unknown if the node does not trace.
    pub(super) calls: Option<HashMap<B256, Vec<RpcCall>>>,
}

/// The rows of a block, oldest first.
#[derive(Default)]
pub(super) struct BlockRows {
    pub(super) blocks: Vec<BlockRecord>,
    pub(super) transactions: Vec<TransactionRecord>,
    pub(super) internal_transactions: Vec<InternalTransactionRecord>,
    pub(super) console_lines: Vec<ConsoleLineRecord>,
    pub(super) transfers: Vec<TransferRecord>,
    pub(super) logs: Vec<LogRecord>,
    /// Blocks without rows.
    pub(super) unreadable: Vec<UnreadableBlock>,
}

impl BlockRows {
    /// Adds the rows of a block, or the block without rows if a field of it is missing or its error is
    /// accepted.
    pub(super) fn add(
        &mut self,
        answer: Result<BlockAnswer, UnreadableBlock>,
        is_accepted: impl Fn(BlockError) -> bool,
    ) -> Result<(), BlockError> {
        let read = answer.map(|answer| (answer.id, Self::of_block(answer)));
        match read {
            Ok((_, Ok(rows))) => self.append(rows),
            Ok((block, Err(error))) => {
                if !matches!(error, BlockError::MissingField(_)) && !is_accepted(error) {
                    return Err(error);
                }
                self.unreadable.push(UnreadableBlock { block, why: error.describe() });
            }
            Err(unreadable) => self.unreadable.push(unreadable),
        }
        Ok(())
    }

    fn append(&mut self, mut newer: Self) {
        self.blocks.append(&mut newer.blocks);
        self.transactions.append(&mut newer.transactions);
        self.internal_transactions.append(&mut newer.internal_transactions);
        self.console_lines.append(&mut newer.console_lines);
        self.transfers.append(&mut newer.transfers);
        self.logs.append(&mut newer.logs);
        self.unreadable.append(&mut newer.unreadable);
    }

    fn of_block(answer: BlockAnswer) -> Result<Self, BlockError> {
        let BlockAnswer { id: BlockNumHash { number, hash }, block, receipts, mut calls } = answer;
        let timestamp = timestamp(block.timestamp)?;
        match receipts.len().cmp(&block.transactions.len()) {
            Ordering::Less => return Err(BlockError::NoReceipts),
            Ordering::Equal => {}
            Ordering::Greater => return Err(BlockError::WrongReceipts),
        }
        let mut rows = Self::default();
        let mut log_count = 0;
        let mut unlisted_ids = MAX_CONSECUTIVE_IDS_IN_BLOCK;
        for (index, (sent, receipt)) in (0..).zip(block.transactions.iter().zip(&receipts)) {
            if !receipt.is_of(sent.hash, hash) {
                return Err(BlockError::WrongReceipts);
            }
            let own = calls.as_mut().map(|all| all.remove(&sent.hash).unwrap_or_default());
            let base_fee_per_gas = block.base_fee_per_gas;
            let is_on_rollup = block.is_of_rollup();
            let mined =
                MinedTransaction { base_fee_per_gas, is_on_rollup, number, index, sent, receipt };
            rows.transactions.push(mined.record(own.as_deref())?);
            let position = TransactionPosition { block_number: number, index };
            let calls = own.unwrap_or_default();
            rows.internal_transactions.extend(internal_records(position, &calls));
            rows.console_lines.extend(console_lines(position, &calls));
            for log in transfer_logs(receipt, number, log_count, &mut unlisted_ids) {
                rows.transfers.extend(expand_batch(&log));
            }
            rows.logs.extend(mined.logs(log_count));
            log_count += u32::try_from(receipt.logs.len()).unwrap_or(u32::MAX);
        }
        rows.blocks.push(BlockRecord {
            number,
            hash,
            timestamp,
            parent_hash: block.parent_hash,
            miner: block.miner,
            size: block.size,
            gas_limit: block.gas_limit,
            gas_used: block.gas_used,
            base_fee_per_gas: block.base_fee_per_gas.and_then(to_u128),
            withdrawals: Withdrawals(block.withdrawals.as_deref().and_then(withdrawal_records)),
        });
        Ok(rows)
    }

    /// Adds a transaction that a node listed without its block, of which only the names are known, with
    /// its calls if they are.
    pub(super) fn add_listed(
        &mut self,
        sent: &RpcTransaction,
        receipt: &RpcReceipt,
        calls: Option<&[RpcCall]>,
    ) -> Result<(), BlockError> {
        let missing = BlockError::MissingField;
        let number = sent.block_number.ok_or(missing("blockNumber"))?;
        let index = sent
            .transaction_index
            .and_then(|index| index.try_into().ok())
            .ok_or(missing("transactionIndex"))?;
        let hash = sent.block_hash.ok_or(missing("blockHash"))?;
        if !receipt.is_of(sent.hash, hash) {
            return Err(BlockError::WrongReceipts);
        }
        let mined = MinedTransaction {
            base_fee_per_gas: None,
            is_on_rollup: false,
            number,
            index,
            sent,
            receipt,
        };
        self.transactions.push(mined.record(calls)?);
        let position = TransactionPosition { block_number: number, index };
        self.internal_transactions.extend(internal_records(position, calls.unwrap_or_default()));
        let first_log = receipt.logs.first().and_then(|log| log.log_index?.try_into().ok());
        let mut unlisted_ids = MAX_CONSECUTIVE_IDS_IN_BLOCK;
        for log in transfer_logs(receipt, number, first_log.unwrap_or(0), &mut unlisted_ids) {
            self.transfers.extend(expand_batch(&log));
        }
        if self.blocks.is_empty() {
            self.blocks.push(BlockRecord {
                number,
                hash,
                timestamp: timestamp(receipt.timestamp)?,
                parent_hash: None,
                miner: None,
                size: None,
                gas_limit: None,
                gas_used: None,
                base_fee_per_gas: None,
                withdrawals: Withdrawals(None),
            });
        }
        Ok(())
    }

    /// Returns about how many bytes of memory the rows take.
    pub(super) fn bytes(&self) -> usize {
        let inputs: usize = self.transactions.iter().map(|row| row.input.len()).sum();
        inputs
            + self.blocks.iter().map(block_bytes).sum::<usize>()
            + size_of_val(&*self.transactions)
            + size_of_val(&*self.internal_transactions)
            + self.console_lines.iter().map(console_line_bytes).sum::<usize>()
            + size_of_val(&*self.transfers)
            + self.logs.iter().map(log_bytes).sum::<usize>()
            + self
                .unreadable
                .iter()
                .map(|block| size_of_val(block) + block.why.len())
                .sum::<usize>()
    }
}

fn timestamp(seconds: Option<u64>) -> Result<Timestamp, BlockError> {
    let seconds = seconds.and_then(|seconds| i64::try_from(seconds).ok());
    let timestamp = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
    timestamp.ok_or(BlockError::MissingField("timestamp"))
}

/// Returns `None` if a number is unknown.
fn withdrawal_records(sent: &[RpcWithdrawal]) -> Option<Box<[WithdrawalRecord]>> {
    sent.iter()
        .map(|sent| {
            Some(WithdrawalRecord {
                index: sent.index?,
                validator_index: sent.validator_index?,
                receiver: sent.address,
                amount: sent.amount?.checked_mul(WEI_PER_GWEI)?,
            })
        })
        .collect()
}

/// Returns about how many bytes of memory a block takes without its transactions.
fn block_bytes(block: &BlockRecord) -> usize {
    size_of_val(block) + block.withdrawals.0.as_deref().map_or(0, size_of_val)
}

/// Returns about how many bytes of memory a line of the console takes.
fn console_line_bytes(line: &ConsoleLineRecord) -> usize {
    size_of_val(line) + line.text.len()
}

/// Returns about how many bytes of memory a log takes.
fn log_bytes(log: &LogRecord) -> usize {
    size_of_val(log) + size_of_val(&*log.topics) + log.data.len()
}

/// A transaction with its receipt and its place.
#[derive(Clone, Copy)]
struct MinedTransaction<'a> {
    base_fee_per_gas: Option<U256>,
    /// `true` if its block shows it.
    is_on_rollup: bool,
    number: u64,
    index: u32,
    sent: &'a RpcTransaction,
    receipt: &'a RpcReceipt,
}

impl MinedTransaction<'_> {
    fn record(&self, calls: Option<&[RpcCall]>) -> Result<TransactionRecord, BlockError> {
        let Self { sent, receipt, .. } = self;
        let missing = BlockError::MissingField;
        let root = calls.and_then(<[RpcCall]>::first);
        // Receipts have a status since Byzantium. Before, the calls alone say whether it failed.
        let is_ok = match receipt.status {
            Some(0) => Some(false),
            Some(1) => Some(true),
            _ => root.map(|root| root.error.is_none()),
        };
        let has_failed = is_ok == Some(false);
        let error = has_failed.then(|| root.and_then(|root| root.error.as_deref()));
        let gas_price = receipt.effective_gas_price.or(sent.gas_price).and_then(to_u128);
        let nonce = sent.nonce.ok_or(missing("nonce"))?;
        let input = sent.input.as_ref().or(sent.data.as_ref());
        Ok(TransactionRecord {
            hash: sent.hash,
            block_number: self.number,
            index: self.index,
            from: sent.from,
            to: sent.to,
            created_contract: if sent.to.is_none() && is_ok == Some(true) {
                let computed = (!receipt.has_contract_field()).then(|| sent.from.create(nonce));
                receipt.created_contract().or(computed)
            } else {
                None
            },
            value: sent.value.ok_or(missing("value"))?,
            gas_price: gas_price.ok_or(missing("gasPrice"))?,
            envelope: sent.kind.unwrap_or_default().try_into().map_err(|_| missing("type"))?,
            gas_used: receipt.gas_used.ok_or(missing("gasUsed"))?,
            gas_limit: sent.gas.ok_or(missing("gas"))?,
            max_fee_per_gas: sent.max_fee_per_gas.and_then(to_u128),
            max_priority_fee_per_gas: sent.max_priority_fee_per_gas.and_then(to_u128),
            base_fee_per_gas: self.base_fee_per_gas.and_then(to_u128),
            nonce,
            input: input.ok_or(missing("input"))?.clone(),
            error: error.map(|error| error.unwrap_or(UNTRACED_ERROR).into()),
            has_unknown_outcome: is_ok.is_none(),
            revert_data: root.filter(|_| has_failed).and_then(revert_data),
            has_internal_error: match calls {
                // As explorers do, without the transaction's own call: what is inside a failed one has failed.
                Some(calls) => {
                    Some(calls.iter().skip(1).any(|call| has_failed || call.error.is_some()))
                }
                None => (receipt.gas_used == Some(TRANSFER_GAS)).then_some(false),
            },
            authorizations: authorizations(sent),
            layer_costs: self.layer_costs(),
        })
    }

    /// Returns `None` for a transaction that pays for nothing but its gas.
    fn layer_costs(&self) -> Option<Box<LayerCosts>> {
        let Self { sent, receipt, .. } = self;
        let is_rollup = self.is_on_rollup
            || sent.kind.is_some_and(|kind| kind >= FIRST_ROLLUP_TYPE)
            || receipt.is_of_rollup();
        let blobs = blob_costs(sent, receipt.blob_gas_used, receipt.blob_gas_price);
        if !is_rollup && blobs.is_none() {
            return None;
        }
        let blob_fee = blobs.as_ref().map_or(Some(U256::ZERO), |blobs| blobs.fee);
        let lacks_fee = receipt.l1_fee.is_none() && receipt.l1_gas_used.is_some();
        let has_operator_fee = [receipt.operator_fee_scalar, receipt.operator_fee_constant]
            .iter()
            .any(|part| part.is_some_and(|part| !part.is_zero()));
        let l1_fee = receipt.l1_fee.unwrap_or_default();
        let data_fee = blob_fee.and_then(|fee| fee.checked_add(l1_fee));
        Some(Box::new(LayerCosts {
            data_fee: data_fee.filter(|_| !lacks_fee && !has_operator_fee),
            minted: sent.mint.unwrap_or_default(),
            is_rollup,
            blobs,
        }))
    }

    /// Returns the logs, numbered through the block: some nodes count from zero in each transaction.
    fn logs(&self, first_index: u32) -> impl Iterator<Item = LogRecord> {
        let logs = (first_index..).zip(&self.receipt.logs);
        logs.map(|(index, log)| LogRecord {
            block_number: self.number,
            transaction_index: self.index,
            index,
            address: log.address,
            topics: log.topics.as_slice().into(),
            data: log.data.clone(),
        })
    }
}

/// Returns the blobs of a transaction of their type, with the gas and the price that are known.
fn blob_costs(
    sent: &RpcTransaction,
    gas_used: Option<U256>,
    gas_price: Option<U256>,
) -> Option<BlobCosts> {
    (sent.kind == Some(BLOB_TYPE)).then(|| BlobCosts {
        hashes: sent.blob_versioned_hashes.as_deref().map(Into::into),
        gas_used,
        gas_price,
        max_gas_price: sent.max_fee_per_blob_gas,
        fee: gas_used.zip(gas_price).and_then(|(gas, price)| gas.checked_mul(price)),
    })
}

/// Returns the most that the blobs of a pending transaction cost. `None` for a transaction without any.
pub(super) fn pending_layer_costs(sent: &RpcTransaction) -> Option<Box<LayerCosts>> {
    let blobs = blob_costs(sent, None, None)?;
    let gas = blobs.hashes.as_ref().map(|all| U256::from(all.len()) * U256::from(GAS_PER_BLOB));
    let data_fee = gas.zip(blobs.max_gas_price).and_then(|(gas, price)| gas.checked_mul(price));
    let (minted, is_rollup) = (U256::ZERO, false);
    Some(Box::new(LayerCosts { data_fee, minted, is_rollup, blobs: Some(blobs) }))
}

/// Returns the calls of the transaction at a place.
pub(super) fn internal_records(
    TransactionPosition { block_number, index: transaction_index }: TransactionPosition,
    calls: &[RpcCall],
) -> Vec<InternalTransactionRecord> {
    let failed = FailedCalls::new(calls);
    // Rewards are no calls of a transaction.
    let calls = (0..).zip(calls).filter(|(_, call)| call.kind != CallKind::Reward);
    let rows = calls.filter_map(|(index, call)| {
        let parent_error = || failed.contain(call).then_some(PARENT_REVERTED);
        let creates = matches!(call.kind, CallKind::Create | CallKind::Create2);
        Some(InternalTransactionRecord {
            from: call.from?,
            to: call.to.filter(|_| !creates),
            created_contract: call.to.filter(|_| creates),
            kind: call.kind,
            value: call.value,
            // As in Blockscout.
            gas_limit: call.gas.or((call.kind == CallKind::SelfDestruct).then_some(0)),
            error: call.error.as_deref().or_else(parent_error).map(Into::into),
            transaction_index,
            block_number,
            index,
        })
    });
    rows.collect()
}

/// Returns the revert data of a call, if they are known. Failures other than a `REVERT` have none.
pub(super) fn revert_data(call: &RpcCall) -> Option<Bytes> {
    call.output.clone().filter(|_| call.has_reverted())
}

/// Returns the authorizations as the API shows them. Who signed them is unknown without a recovery
/// of their signatures.
pub(super) fn authorizations(sent: &RpcTransaction) -> Box<RawValue> {
    let number = |number: Option<U256>| number.map(|number| number.to_string());
    let authorizations: Vec<_> = sent
        .authorization_list
        .iter()
        .flatten()
        .zip(0..)
        .map(|(authorization, index)| {
            let signer = signer_of(authorization);
            let mut shown = json!({
                "address_hash": authorization.address.map(|address| address.to_string()),
                "chain_id": number(authorization.chain_id),
                "nonce": authorization.nonce.map(|nonce| nonce.to_string()),
                "r": number(authorization.r),
                "s": number(authorization.s),
                "v": authorization.y_parity,
                "authority": signer.and_then(Result::ok).map(|signer| signer.to_string()),
            });
            let defect = authorization_defect(authorization, signer, (sent, index));
            if let Some(defect) = defect {
                shown["status"] = defect.into();
            }
            shown
        })
        .collect();
    to_raw_value(&authorizations).unwrap_or_default()
}

/// Returns the reason for which a chain skips an authorization at an index of its transaction's list, in Blockscout's
/// words. Without one, the nonce of the account decides, which is known of the transaction's sender only.
fn authorization_defect(
    authorization: &RpcAuthorization,
    signer: Option<Result<Address, SenderError>>,
    (sent, index): (&RpcTransaction, u64),
) -> Option<&'static str> {
    let RpcAuthorization { chain_id: signed_for, nonce, .. } = authorization;
    let is_other =
        |id: U256| !id.is_zero() && sent.chain_id.is_some_and(|chain| id != U256::from(chain));
    // The sender's nonce grows by the transaction, then by each of its authorizations that takes effect.
    let next =
        sent.nonce.filter(|_| signer == Some(Ok(sent.from))).and_then(|own| own.checked_add(1));
    let is_other_nonce =
        |nonce: u64| next.is_some_and(|next| !(next..=next.saturating_add(index)).contains(&nonce));
    if signed_for.is_some_and(is_other) {
        Some("invalid_chain_id")
    } else if nonce.is_some_and(|nonce| nonce == u64::MAX || is_other_nonce(nonce)) {
        Some("invalid_nonce")
    } else if signer.is_some_and(|signer| signer.is_err()) {
        Some("invalid_signature")
    } else {
        None
    }
}

/// Recovers the account that signed, which nodes do not report. Returns `None` if a field is unknown.
fn signer_of(authorization: &RpcAuthorization) -> Option<Result<Address, SenderError>> {
    let RpcAuthorization { chain_id, address, nonce, r, s, y_parity } = *authorization;
    Some(authority((chain_id?, address?, nonce?), y_parity?, [r?, s?]))
}

fn to_u128(number: U256) -> Option<u128> {
    number.try_into().ok()
}

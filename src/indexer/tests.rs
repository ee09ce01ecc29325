//! Rows, tokens and holders of made-up blocks.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::block_reader::BlockReader;
use super::block_rows::{BlockAnswer, BlockRows, internal_records};
use super::contract_reader::ContractReader;
use super::progress::IndexProgress;
use super::segment_list::{IndexLimits, IndexedSegment, SegmentList};
use super::state_reader::StateReader;
use super::state_reader::deployed_contracts::creations;
use super::state_reader::holder_candidates::{MAX_CANDIDATES, holder_candidates};
use super::state_reader::token_index::{TokenIndex, ids, received_tokens};
use super::traces::transaction_steps::TransactionInclusion;
use crate::chain::call_kind::CallKind;
use crate::chain::token_standard::TokenStandard::{self, Erc20, Erc721, Erc1155};
use crate::chain::{Address, B256, Bytes, U256};
use crate::messages::chain_data::{BlockError, ReadError};
use crate::messages::transaction::ALL_GAS_USED;
use crate::rpc::RpcClient;
use crate::rpc::wire::call::{RpcCall, RpcCalls};
use crate::store::{
    BlockBalance, BlockNumHash, BlockRecord, ChainState, InternalTransactionRecord, LogRecord,
    Snapshot, StateKey, TokenHolding, TransactionFailure, TransactionPosition, TransactionRecord,
    TransferLog, TransferRecord, UNTRACED_ERROR, Withdrawals, expand_batch,
};

const TOKEN: Address = Address::repeat_byte(0x70);
const OTHER_TOKEN: Address = Address::repeat_byte(0x71);
const ALICE: Address = Address::repeat_byte(0xa1);
const BOB: Address = Address::repeat_byte(0xb0);
const CAROL: Address = Address::repeat_byte(0xca);

/// The chain of a block with these rows.
pub(super) fn snapshot(rows: BlockRows) -> Snapshot {
    snapshot_of(B256::ZERO, rows)
}

pub(super) fn block_record(number: u64, hash: B256) -> BlockRecord {
    BlockRecord {
        number,
        hash,
        timestamp: Timestamp::default(),
        parent_hash: None,
        miner: None,
        size: None,
        gas_limit: None,
        gas_used: None,
        base_fee_per_gas: None,
        withdrawals: Withdrawals::default(),
    }
}

pub(super) fn snapshot_of(hash: B256, rows: BlockRows) -> Snapshot {
    let block = block_record(1, hash);
    let mut segments = SegmentList::new(IndexLimits::default());
    segments.append(IndexedSegment::new(BlockRows { blocks: vec![block], ..rows }, None));
    let state = Arc::new(ChainState::partial(HashSet::new()));
    let histories = Arc::default();
    Snapshot { segments: segments.to_published(), histories, coverage: None, state }
}

/// Transfers of one unit, or of the NFT with the number, in the order of their logs.
fn transfers(moved: &[(Address, TokenStandard, Address, Address, u64)]) -> Vec<TransferRecord> {
    let logs = (0..).zip(moved).map(|(log_index, &(token, standard, from, to, id))| TransferLog {
        block_number: 1,
        log_index,
        transaction_hash: B256::ZERO,
        token,
        standard,
        from,
        to,
        ids: (standard != Erc20).then(|| vec![U256::from(id)]),
        amount: (standard != Erc721).then_some(U256::ONE),
        amounts: None,
    });
    logs.flat_map(|log| expand_batch(&log)).collect()
}

fn chain_of_transfers(moved: &[(Address, TokenStandard, Address, Address, u64)]) -> Snapshot {
    snapshot(BlockRows { transfers: transfers(moved), ..BlockRows::default() })
}

fn word(address: Address) -> String {
    alloy_primitives::hex::encode(address.into_word())
}

pub(super) fn transaction(index: u32, more: Value) -> TransactionRecord {
    let mut record = json!({
        "hash": B256::with_last_byte(1), "block_number": 1, "position": index, "value": "0",
        "gas_price": "1", "from": ALICE.to_string(), "to": null, "created_contract": null, "type": 2,
        "gas_used": "50000", "gas_limit": "90000", "max_fee_per_gas": null,
        "max_priority_fee_per_gas": null, "base_fee_per_gas": null, "nonce": 0, "raw_input": "0x",
        "result": "success", "revert_reason": null, "has_error_in_internal_transactions": false,
        "authorization_list": [],
    });
    let Value::Object(more) = more else { panic!("{more}") };
    record.as_object_mut().unwrap().extend(more);
    serde_json::from_str(&record.to_string()).unwrap()
}

/// A creation inside of the first transaction.
fn creation(from: Address, created: Address) -> InternalTransactionRecord {
    InternalTransactionRecord {
        from,
        to: None,
        created_contract: Some(created),
        kind: CallKind::Create,
        value: None,
        gas_limit: None,
        error: None,
        transaction_index: 0,
        block_number: 1,
        index: 1,
    }
}

#[test]
fn contracts_created_in_the_first_block_that_is_searched_are_found() {
    let sent = transaction(0, json!({ "created_contract": TOKEN.to_string() }));
    let chain = snapshot(BlockRows {
        transactions: vec![sent],
        internal_transactions: vec![creation(TOKEN, OTHER_TOKEN)],
        ..BlockRows::default()
    });
    let found = |first_block| creations(&chain, first_block).unwrap();
    let both = vec![TOKEN, OTHER_TOKEN];
    assert_eq!([0, 1, 2].map(found), [both.clone(), both, vec![]]);
}

#[test]
fn token_is_of_the_highest_standard_that_it_logged() {
    let chain = chain_of_transfers(&[
        (TOKEN, Erc20, ALICE, BOB, 0),
        (OTHER_TOKEN, Erc721, Address::ZERO, ALICE, 7),
        (TOKEN, Erc721, ALICE, BOB, 5),
        (OTHER_TOKEN, Erc1155, ALICE, BOB, 8),
        (TOKEN, Erc20, ALICE, BOB, 0),
    ]);
    let index = TokenIndex::new(&chain).unwrap();
    let standards: Vec<_> = index.iter().collect();
    assert_eq!(standards, [(TOKEN, Erc721), (OTHER_TOKEN, Erc1155)], "in the order of their logs");
    assert_eq!(index.possible_nfts(), [(TOKEN, U256::from(5))], "an ERC-1155 event settles it");
    assert!(index.is_unique(TOKEN) && !index.is_unique(OTHER_TOKEN));
}

#[test]
fn ids_belong_to_their_last_receiver_unless_they_are_burnt() {
    let chain = chain_of_transfers(&[
        (TOKEN, Erc721, Address::ZERO, ALICE, 1),
        (TOKEN, Erc721, ALICE, BOB, 1),
        (TOKEN, Erc721, Address::ZERO, ALICE, 2),
        (TOKEN, Erc721, ALICE, Address::ZERO, 2),
        (OTHER_TOKEN, Erc1155, Address::ZERO, ALICE, 3),
    ]);
    let [one, two, three] = [1_u64, 2, 3].map(U256::from);
    assert_eq!(ids(&chain, TOKEN).unwrap(), BTreeMap::from([(one, Some(BOB)), (two, None)]));
    assert_eq!(ids(&chain, OTHER_TOKEN).unwrap(), BTreeMap::from([(three, None)]));
    let received = |holder| received_tokens(&chain, holder).unwrap();
    assert_eq!(received(ALICE)[&TOKEN], BTreeSet::from([one, two]));
    assert_eq!(received(BOB)[&TOKEN], BTreeSet::from([one]));
    assert_eq!(received(Address::ZERO)[&TOKEN], BTreeSet::from([two]), "not what it sent");
}

#[test]
fn holders_are_sought_in_transfers_logs_calls_and_creations() {
    let account = Address::repeat_byte;
    let in_data = alloy_primitives::hex::decode(format!("{:064x}{}", 5, word(account(3)))).unwrap();
    let log = LogRecord {
        block_number: 1,
        transaction_index: 0,
        index: 1,
        address: TOKEN,
        topics: [1, 2].map(|n| account(n).into_word()).into(),
        data: in_data.into(),
    };
    let called = |to: u8| format!("0x01020304{}", word(account(to)));
    let created = format!("0x{}{}{}", word(account(7)), "0".repeat(18 * 64), word(account(8)));
    let mut transactions = vec![
        transaction(0, json!({ "to": TOKEN.to_string(), "raw_input": called(4) })),
        transaction(
            1,
            json!({ "to": TOKEN.to_string(), "raw_input": called(5), "result": "failed" }),
        ),
        transaction(2, json!({ "created_contract": TOKEN.to_string(), "raw_input": created })),
    ];
    transactions[1].from = account(6);
    let chain = snapshot(BlockRows {
        transfers: transfers(&[(TOKEN, Erc20, Address::ZERO, BOB, 0)]),
        logs: vec![log],
        transactions,
        internal_transactions: vec![creation(account(9), TOKEN)],
        ..BlockRows::default()
    });
    let mut found = holder_candidates(&chain, &HashSet::from([TOKEN])).unwrap();
    let mut candidates = found.remove(&TOKEN).unwrap();
    let accounts: BTreeSet<Address> =
        candidates.accounts(Erc20).into_iter().map(|(account, _)| account).collect();
    let expected = [ALICE, BOB, TOKEN, account(2), account(3), account(4), account(8), account(9)];
    assert_eq!(accounts, BTreeSet::from(expected));
    assert!(candidates.is_in_transfers(BOB) && !candidates.is_in_transfers(ALICE));
    candidates.add((1..=6_000_u64).map(|n| Address::from_word(U256::from(n).into())));
    assert_eq!(candidates.accounts(Erc20).len(), MAX_CANDIDATES);
}

#[test]
fn calls_in_a_failed_call_have_failed_and_what_is_no_call_is_left_out() {
    let call = |kind: &str, more: Value| {
        let mut call = json!({ "type": kind, "from": ALICE, "to": BOB, "gas": "0x9" });
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    let inner = [
        call("CREATE", json!({ "to": CAROL })),
        json!({ "type": "SELFDESTRUCT", "from": ALICE, "to": BOB }),
        call("REWARD", json!({})),
    ];
    let failed = call("CALL", json!({ "error": "out of gas", "calls": inner }));
    let root = call("CALL", json!({ "calls": [failed, call("STATICCALL", json!({}))] }));
    let calls: RpcCalls = serde_json::from_str(&root.to_string()).unwrap();
    let place = TransactionPosition { block_number: 1, index: 0 };
    let rows = internal_records(place, &calls.0);
    let shown: Vec<_> = rows
        .iter()
        .map(|row| (row.index, row.to, row.created_contract, row.gas_limit, row.error.as_deref()))
        .collect();
    let expected = [
        (0, Some(BOB), None, Some(9), None),
        (1, Some(BOB), None, Some(9), Some("out of gas")),
        (2, None, Some(CAROL), Some(9), Some("Parent reverted")),
        (3, Some(BOB), None, Some(0), Some("Parent reverted")),
        (5, Some(BOB), None, Some(9), None),
    ];
    assert_eq!(shown, expected);
}

/// A block with a failed creation, and two transactions with a log each.
fn block_answer() -> BlockAnswer {
    let hash = B256::with_last_byte;
    let sent = |n: u8, to: Option<Address>| {
        json!({ "hash": hash(n), "from": ALICE, "to": to, "nonce": "0x0", "value": "0x0",
            "gas": "0x9", "gasPrice": "0x9", "input": "0x" })
    };
    let receipt = |n: u8, status: &str, logs: Value| {
        json!({ "transactionHash": hash(n), "status": status, "gasUsed": "0x9", "logs": logs,
            "effectiveGasPrice": "0x3", "blockHash": hash(9) })
    };
    let log = || json!([{ "address": TOKEN, "topics": [], "data": "0x" }]);
    let block = json!({ "hash": hash(9), "number": "0x1", "timestamp": "0x1",
        "transactions": [sent(1, None), sent(2, Some(BOB)), sent(3, Some(BOB))] });
    let receipts =
        json!([receipt(1, "0x0", json!([])), receipt(2, "0x1", log()), receipt(3, "0x1", log())]);
    let root = json!({ "type": "CREATE", "from": ALICE, "error": "out of gas", "output": "0x01" });
    let RpcCalls(calls) = serde_json::from_str(&root.to_string()).unwrap();
    BlockAnswer {
        id: BlockNumHash { number: 1, hash: hash(9) },
        block: serde_json::from_value(block).unwrap(),
        receipts: serde_json::from_value(receipts).unwrap(),
        calls: Some([(hash(1), calls)].into()),
    }
}

#[test]
fn rows_of_a_block_agree_with_its_receipts() {
    let mut rows = BlockRows::default();
    rows.add(Ok(block_answer()), |_| false).unwrap();
    let [failed, first, _] = &rows.transactions[..] else { panic!("three transactions") };
    assert_eq!(failed.created_contract, None, "a creation that failed created nothing");
    assert_eq!((failed.error.as_deref(), &failed.revert_data), (Some("out of gas"), &None));
    let inner = [failed, first].map(|row| row.has_internal_error);
    assert_eq!(inner, [Some(false); 2], "its own call is no inner one");
    assert_eq!((failed.gas_price, first.gas_price), (3, 3), "as paid, not as offered");
    let indices: Vec<_> = rows.logs.iter().map(|log| (log.transaction_index, log.index)).collect();
    assert_eq!(indices, [(1, 0), (2, 1)], "logs count through the block");
}

#[test]
fn calls_of_an_untraced_block_may_have_failed() {
    let mut answer = block_answer();
    answer.calls = None;
    answer.receipts[1].gas_used = Some(21_000);
    let mut rows = BlockRows::default();
    rows.add(Ok(answer), |_| false).unwrap();
    let errors: Vec<_> = rows.transactions.iter().map(|row| row.has_internal_error).collect();
    assert_eq!(errors, [None, Some(false), None], "a transfer of coin runs no code");
}

#[test]
fn receipt_before_byzantium_has_the_outcome_of_its_calls() {
    let mut answer = block_answer();
    for receipt in &mut answer.receipts {
        receipt.status = None;
    }
    let mut rows = BlockRows::default();
    rows.add(Ok(answer), |_| false).unwrap();
    let outcomes: Vec<_> = rows
        .transactions
        .iter()
        .map(|row| (row.error.as_deref(), row.has_unknown_outcome))
        .collect();
    assert_eq!(outcomes, [(Some("out of gas"), false), (None, true), (None, true)]);
}

#[test]
fn listed_transaction_before_byzantium_has_the_outcome_of_its_calls() {
    let BlockAnswer { mut block, mut receipts, calls: Some(traced), .. } = block_answer() else {
        panic!("calls")
    };
    let (mut sent, mut receipt) = (block.transactions.swap_remove(0), receipts.swap_remove(0));
    (sent.block_number, sent.transaction_index) = (Some(1), Some(0));
    sent.block_hash = receipt.block_hash;
    (receipt.status, receipt.timestamp) = (None, Some(1));
    let outcome = |calls: Option<&[RpcCall]>| {
        let mut rows = BlockRows::default();
        rows.add_listed(&sent, &receipt, calls).unwrap();
        rows.transactions[0].error.as_deref().map(ToOwned::to_owned)
    };
    assert_eq!(outcome(traced.get(&sent.hash).map(Vec::as_slice)).as_deref(), Some("out of gas"));
    assert_eq!(outcome(None), None);
}

/// The costs of the second transaction of a block with these fields and receipt.
fn costs(sent: Value, received: Value) -> TransactionRecord {
    let mut answer = block_answer();
    let merge = |json: &mut Value, more: Value| {
        json.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    };
    let mut transaction = json!({ "hash": B256::with_last_byte(2), "from": ALICE, "to": BOB,
        "nonce": "0x0", "value": "0x0", "gas": "0x9", "gasPrice": "0x9", "input": "0x",
        "maxFeePerGas": "0x9" });
    merge(&mut transaction, sent);
    let mut receipt = json!({ "transactionHash": B256::with_last_byte(2), "status": "0x1",
        "gasUsed": "0x9", "logs": [], "effectiveGasPrice": "0x3" });
    merge(&mut receipt, received);
    answer.block.base_fee_per_gas = Some(U256::ONE);
    answer.block.transactions[1] = serde_json::from_value(transaction).unwrap();
    answer.receipts[1] = serde_json::from_value(receipt).unwrap();
    let mut rows = BlockRows::default();
    rows.add(Ok(answer), |_| false).unwrap();
    rows.transactions.swap_remove(1)
}

#[test]
fn fee_has_the_parts_for_blobs_and_for_the_chain_below() {
    let fees = |sent: Value, received: Value| {
        let row = costs(sent, received);
        let text = |amount: Option<U256>| amount.map(|amount| amount.to_string());
        (text(row.fee()), text(row.burnt_fee()), row.minted().to_string())
    };
    let expected = |fee: Option<&str>, burnt: Option<&str>, minted: &str| {
        (fee.map(Into::into), burnt.map(Into::into), minted.to_owned())
    };
    let plain = fees(json!({ "type": "0x2" }), json!({}));
    assert_eq!(plain, expected(Some("27"), Some("9"), "0"));
    let blobs = json!({ "blobGasUsed": "0x20000", "blobGasPrice": "0x2" });
    let footprint = fees(json!({ "type": "0x2" }), blobs.clone());
    assert_eq!(footprint, expected(Some("27"), Some("9"), "0"), "a rollup's size of other data");
    let paid = fees(json!({ "type": "0x3" }), blobs);
    assert_eq!(paid, expected(Some("262171"), Some("9"), "0"));
    assert_eq!(fees(json!({ "type": "0x3" }), json!({})), expected(None, Some("9"), "0"));
    let optimism = json!({ "l1Fee": "0x64", "l1GasUsed": "0x5", "operatorFeeScalar": "0x0" });
    assert_eq!(fees(json!({ "type": "0x2" }), optimism), expected(Some("127"), Some("0"), "0"));
    for unknown in [
        json!({ "l1GasUsed": "0x5" }),
        json!({ "l1Fee": "all", "l1GasUsed": "0x5" }),
        json!({ "l1Fee": "0x64", "operatorFeeConstant": "0x1" }),
    ] {
        assert_eq!(fees(json!({ "type": "0x2" }), unknown), expected(None, Some("0"), "0"));
    }
    let deposit = fees(json!({ "type": "0x7e", "mint": "0x7" }), json!({}));
    assert_eq!(deposit, expected(Some("27"), Some("0"), "7"));
    for arbitrum in [json!({ "gasUsedForL1": "0x3" }), json!({ "l1BlockNumber": "0x3" })] {
        let legacy = json!({ "type": "0x0", "maxFeePerGas": null });
        assert_eq!(fees(legacy, arbitrum), expected(Some("27"), Some("0"), "0"));
    }
}

#[test]
fn block_of_a_rollup_burns_nothing_whatever_its_receipts_have() {
    let burnt = |l1_block_number: Option<U256>| {
        let mut answer = block_answer();
        answer.block.base_fee_per_gas = Some(U256::ONE);
        answer.block.l1_block_number = l1_block_number;
        let mut rows = BlockRows::default();
        rows.add(Ok(answer), |_| false).unwrap();
        rows.transactions.iter().all(|row| row.burnt_fee() == Some(U256::ZERO))
    };
    assert_eq!([burnt(Some(U256::ONE)), burnt(None)], [true, false]);
}

#[test]
fn nonce_of_the_sender_decides_its_own_authorizations() {
    let statuses = |from: &str, nonces: [u64; 2]| {
        let signed = nonces.map(|nonce| {
            json!({ "chainId": "0x1", "address": BOB, "nonce": format!("{nonce:#x}"), "r": "0x1",
                "s": "0x2", "yParity": "0x0" })
        });
        let sent =
            json!({ "from": from, "nonce": "0x7", "chainId": "0x1", "authorizationList": signed });
        let row = costs(sent, json!({}));
        let shown: Value = serde_json::from_str(row.authorizations.get()).unwrap();
        [0, 1].map(|at| {
            (shown[at]["authority"].as_str().unwrap().to_owned(), shown[at]["status"].clone())
        })
    };
    let alice = ALICE.to_string();
    let [(signer_of_8, _), (signer_of_9, _)] = statuses(&alice, [8, 9]);
    let status = |from: &str, nonces, at: usize| statuses(from, nonces)[at].1.clone();
    assert_eq!(status(&signer_of_8, [8, 8], 0), Value::Null);
    assert_eq!(status(&signer_of_8, [8, 8], 1), Value::Null, "if the one before took no effect");
    assert_eq!(status(&signer_of_9, [9, 9], 0), "invalid_nonce");
    assert_eq!(status(&signer_of_9, [9, 9], 1), Value::Null);
    for used in [6, 7, 10] {
        let [_, (signer, _)] = statuses(&alice, [8, used]);
        assert_eq!(status(&signer, [8, used], 1), "invalid_nonce", "{used}");
        assert_eq!(status(&alice, [8, used], 1), Value::Null, "the nonce of another account");
    }
}

#[test]
fn authorization_that_no_chain_accepts_has_its_defect() {
    let status = |more: Value| {
        let mut signed = json!({ "chainId": "0x1", "address": BOB, "nonce": "0x1", "r": "0x1",
            "s": "0x2", "yParity": "0x0" });
        signed.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let row = costs(json!({ "chainId": "0x1", "authorizationList": [signed] }), json!({}));
        let shown: Value = serde_json::from_str(row.authorizations.get()).unwrap();
        shown[0]["status"].clone()
    };
    for valid in [json!({}), json!({ "chainId": "0x0" }), json!({ "yParity": "?", "r": "0x5" })] {
        assert_eq!(status(valid), Value::Null, "its nonce decides");
    }
    assert_eq!(status(json!({ "chainId": "0x63" })), "invalid_chain_id");
    assert_eq!(status(json!({ "nonce": "0xffffffffffffffff" })), "invalid_nonce");
    let order = U256::from_be_bytes(alloy_primitives::hex!(
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
    ));
    assert_eq!(status(json!({ "s": order >> 1 })), Value::Null, "the highest");
    for signature in [
        json!({ "s": (order >> 1) + U256::ONE }),
        json!({ "s": format!("0x{}", "f".repeat(64)) }),
        json!({ "r": "0x0" }),
        json!({ "r": "0x5" }), // of no point of the curve
        json!({ "yParity": "0x2" }),
    ] {
        assert_eq!(status(signature.clone()), "invalid_signature", "{signature}");
    }
}

#[test]
fn transaction_in_another_block_before_the_index_is_another_inclusion() {
    let inclusion = |block: u64| {
        TransactionInclusion::new(&transaction(0, json!({ "block_number": block })), None)
    };
    assert_eq!(inclusion(1), inclusion(1));
    assert_ne!(inclusion(1), inclusion(2));
}

#[test]
fn created_contract_is_computed_only_if_the_receipt_has_no_such_field() {
    for (field, created) in [
        (json!({}), Some(ALICE.create(0))),
        (json!({ "contractAddress": BOB }), Some(BOB)),
        (json!({ "contractAddress": null }), None),
        (json!({ "contractAddress": "0x" }), None),
    ] {
        assert_eq!(costs(json!({ "to": null }), field).created_contract, created);
    }
}

#[test]
fn block_without_its_receipts_is_unreadable_if_that_is_accepted() {
    type Damage = fn(&mut BlockAnswer);
    let cases: [(Damage, BlockError); 6] = [
        (|answer| answer.receipts[1].block_hash = Some(B256::ZERO), BlockError::WrongReceipts),
        (|answer| answer.receipts.swap(0, 1), BlockError::WrongReceipts),
        (|answer| answer.receipts.extend_from_within(..1), BlockError::WrongReceipts),
        (|answer| answer.receipts.truncate(2), BlockError::NoReceipts),
        (|answer| answer.receipts[1].logs[0].removed = Some(true), BlockError::WrongReceipts),
        (
            |answer| answer.receipts[1].logs[0].transaction_hash = Some(B256::ZERO),
            BlockError::WrongReceipts,
        ),
    ];
    for (damage, error) in cases {
        let add = |is_accepted| {
            let mut answer = block_answer();
            damage(&mut answer);
            let mut rows = BlockRows::default();
            (rows.add(Ok(answer), |_| is_accepted), rows)
        };
        assert_eq!(add(false).0, Err(error));
        let (added, rows) = add(true);
        assert_eq!(added, Ok(()));
        assert_eq!((rows.blocks.len(), &rows.unreadable[0].why), (0, &error.describe()));
    }
}

#[test]
fn revert_data_is_that_of_a_revert() {
    let mut answer = block_answer();
    let root = json!({ "type": "CREATE", "from": ALICE, "error": "execution reverted",
        "output": "0x0102" });
    let RpcCalls(calls) = serde_json::from_str(&root.to_string()).unwrap();
    answer.calls = Some([(B256::with_last_byte(1), calls)].into());
    let mut rows = BlockRows::default();
    rows.add(Ok(answer), |_| false).unwrap();
    assert_eq!(rows.transactions[0].revert_data, Some(Bytes::from_static(&[1, 2])));
}

/// A node that answers requests by their method and parameters.
pub(super) fn client(answer: fn(&str, &Value) -> Value) -> RpcClient {
    let url: url::Url = "http://127.0.0.1:1".parse().unwrap();
    let respond = move |request: &Value| {
        let result = answer(request["method"].as_str().unwrap(), &request["params"]);
        json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })
    };
    RpcClient::new(url.try_into().unwrap()).unwrap().simulated(move |body| {
        let sent: Value = serde_json::from_slice(body).unwrap();
        let batch = sent.as_array().map(|batch| batch.iter().map(respond).collect());
        batch.unwrap_or_else(|| respond(&sent)).to_string().into_bytes()
    })
}

#[tokio::test]
async fn blocks_have_their_numbers_and_follow_one_another() {
    // No block names its parent, and instead of block 6 comes block 7.
    let client = client(|_, params| {
        let number = if params[0] == json!("0x6") { "0x7" } else { params[0].as_str().unwrap() };
        let hash = format!("0x{:0>64}", number.trim_start_matches("0x"));
        json!({ "number": number, "hash": hash, "parentHash": B256::ZERO, "timestamp": "0x1",
            "transactions": [] })
    });
    let reader = BlockReader { client: &client, capabilities: None };
    let parent = |hash| Some(BlockNumHash { number: 4, hash: B256::with_last_byte(hash) });
    let read = reader.blocks(5..=5, parent(4), false).await;
    assert!(read.is_ok_and(|blocks| blocks[0].id.hash == B256::with_last_byte(5)));
    let other_parent = reader.blocks(5..=5, parent(9), false).await.err();
    assert!(
        matches!(other_parent, Some(ReadError::Block(BlockError::Inconsistent))),
        "{other_parent:?}"
    );
    let other_block = reader.blocks(5..=6, None, false).await.err();
    assert!(matches!(other_block, Some(ReadError::Block(BlockError::Absent))), "{other_block:?}");
}

#[test]
fn memory_of_contracts_ends_with_their_chain() {
    let reader = ContractReader::new(client(|_, _| Value::Null));
    let chain = |hash| snapshot_of(B256::with_last_byte(hash), BlockRows::default());
    let remembers = |chain: Snapshot| {
        reader.note_head(&chain).unwrap();
        reader.memory.lock().standards.insert(TOKEN, Some(Erc20)).is_some()
    };
    assert!(!remembers(chain(1)) && remembers(chain(1)));
    assert!(!remembers(chain(2)), "another block is in its place");
}

#[tokio::test]
async fn token_has_no_balances_before_it_is_created() {
    // At block 5 all tokens have 7; before, only one has code.
    let client = client(|method, params| match (method, params[1].as_str().unwrap()) {
        ("eth_call", "0x5") => json!(format!("{:#066x}", U256::from(7))),
        ("eth_getCode", _) if params[0] == json!(OTHER_TOKEN) => json!("0x01"),
        _ => json!("0x"),
    });
    let reader = ContractReader::new(client);
    let holding = |token, holder| TokenHolding { holder, token, id: None };
    let holdings =
        [holding(TOKEN, ALICE), holding(OTHER_TOKEN, ALICE), holding(TOKEN, Address::ZERO)];
    let balances = reader.block_balances(5, &holdings).await.unwrap();
    let minted = BlockBalance { before: U256::ZERO, after: U256::from(7) };
    assert_eq!(balances, [Some(minted), None, None]);
    assert_eq!(reader.block_balances(0, &holdings).await.unwrap(), [None; 3]);
}

#[tokio::test]
async fn state_has_the_owner_of_a_unique_id_and_the_creator_of_a_contract() {
    // All contracts say that an id is Alice's.
    let client = client(|method, params| {
        let data = params[0]["data"].as_str().unwrap_or_default();
        match method {
            "eth_call" if data.starts_with("0x01ffc9a7") => json!(format!("{:#066x}", U256::ONE)),
            "eth_call" if data.starts_with("0x6352211e") => json!(ALICE.into_word()),
            "eth_getBalance" => json!("0x9"),
            "eth_getCode" if params[0] == json!(TOKEN) => json!("0x01"),
            "eth_getStorageAt" => json!(B256::ZERO),
            _ => json!("0x"),
        }
    });
    let [unique, shared] = [5_u64, 8].map(U256::from);
    let chain = snapshot(BlockRows {
        transfers: transfers(&[
            (TOKEN, Erc721, Address::ZERO, ALICE, 5),
            (OTHER_TOKEN, Erc1155, Address::ZERO, ALICE, 8),
        ]),
        transactions: vec![transaction(0, json!({ "created_contract": TOKEN.to_string() }))],
        ..BlockRows::default()
    });
    let parts = [
        StateKey::Instance(TOKEN, unique),
        StateKey::Instance(OTHER_TOKEN, shared),
        StateKey::Account(TOKEN),
        StateKey::AccountDetail(TOKEN),
        StateKey::AccountDetail(BOB),
    ];
    let reader = StateReader::new(client, None);
    let state = reader
        .load(&chain, parts.into(), &IndexProgress::default(), HashMap::new())
        .await
        .unwrap()
        .state;
    let owner = |token, id| state.instance(token, id).unwrap().unwrap().owner;
    assert_eq!((owner(TOKEN, unique), owner(OTHER_TOKEN, shared)), (Some(ALICE), None));
    let account = |address| {
        let account = state.account_detail(address).unwrap().unwrap();
        (account.creator, account.coin_balance.as_deref().map(str::to_owned))
    };
    assert_eq!(account(TOKEN), (Some(ALICE), Some("9".to_owned())));
    assert_eq!(account(BOB), (None, Some("9".to_owned())));
}

#[tokio::test]
async fn holders_have_a_balance_and_are_counted() {
    // Alice has 5, all others nothing.
    let client = client(|method, params| {
        let data = params[0]["data"].as_str().unwrap_or_default();
        let balance = if data.ends_with(&word(ALICE)) { U256::from(5) } else { U256::ZERO };
        match method {
            "eth_call" if data.starts_with("0x70a08231") => json!(format!("{balance:#066x}")),
            _ => json!("0x"),
        }
    });
    let chain = chain_of_transfers(&[
        (TOKEN, Erc20, Address::ZERO, ALICE, 0),
        (TOKEN, Erc20, ALICE, BOB, 0),
    ]);
    let reader = StateReader::new(client, None);
    let load = async |parts: &[StateKey]| {
        let parts = parts.iter().copied().collect();
        reader.load(&chain, parts, &IndexProgress::default(), HashMap::new()).await.unwrap().state
    };
    let holders = |state: &ChainState| -> Vec<Address> {
        state.balances.get().unwrap().iter().map(|balance| balance.address).collect()
    };
    assert_eq!(
        holders(&*load(&[StateKey::Balances(ALICE), StateKey::Balances(BOB)]).await),
        [ALICE]
    );
    let state = load(&[StateKey::Token(TOKEN), StateKey::Holders(TOKEN)]).await;
    assert_eq!(holders(&state), [ALICE]);
    assert_eq!(state.tokens.get().unwrap()[&TOKEN].holders_count.as_deref(), Some("1"));
}

#[tokio::test]
async fn holders_of_several_tokens_are_sought_among_a_thousand_accounts() {
    let zero = |_: &str, _: &Value| json!(format!("{:#066x}", U256::ZERO));
    // Of each token, the owner is the zero address.
    for (others, is_asked) in [(598, true), (599, false)] {
        let receivers = |count: u64| (1..=count).map(|n| Address::from_word(U256::from(n).into()));
        let moved =
            |token, count| receivers(count).map(move |to| (token, Erc20, Address::ZERO, to, 0));
        let all: Vec<_> = moved(TOKEN, 400).chain(moved(OTHER_TOKEN, others)).collect();
        let parts = [StateKey::Holders(TOKEN), StateKey::Holders(OTHER_TOKEN)];
        let reader = StateReader::new(client(zero), None);
        let chain = chain_of_transfers(&all);
        let state = reader
            .load(&chain, parts.into(), &IndexProgress::default(), HashMap::new())
            .await
            .unwrap()
            .state;
        let unasked: Vec<_> = state.unasked_holders.iter().collect();
        assert_eq!(unasked.is_empty(), is_asked, "{unasked:?}");
        assert!(!unasked.contains(&&TOKEN), "the token with fewer accounts is asked");
    }
}

#[test]
fn failure_without_calls_names_the_gas_if_all_was_used() {
    let state = ChainState::partial(HashSet::new());
    for (gas_used, error) in [("90000", ALL_GAS_USED), ("89999", UNTRACED_ERROR)] {
        let sent = json!({ "result": UNTRACED_ERROR, "gas_used": gas_used });
        assert_eq!(state.failure(&transaction(0, sent)).unwrap().error, Some(error));
    }
}

#[test]
fn failure_that_is_still_read_has_no_error_yet() {
    let failed = transaction(0, json!({ "result": UNTRACED_ERROR }));
    let named = TransactionFailure { error: "Out of gas".into(), revert_data: None };
    for (failures, error) in [
        (HashMap::new(), Some(UNTRACED_ERROR)),
        (HashMap::from([(failed.hash, None)]), None),
        (HashMap::from([(failed.hash, Some(named))]), Some("Out of gas")),
    ] {
        let state = ChainState { failures, ..ChainState::partial(HashSet::new()) };
        assert_eq!(state.failure(&failed).unwrap().error, error);
    }
}

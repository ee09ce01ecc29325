//! The response to each query: decoded, cached and displayed. The first byte selects the query.
#![no_main]

mod sanitized;

use std::sync::Arc;

use chainglass::test_api::abi::SignatureDb;
use chainglass::test_api::api::{
    AbstractionParty, Activity, AddressQuery, ApiError, Approval, BatchQuery, BeaconDeposit, Blob,
    Block, BlockByTime, BlockQuery, CallResponse, ChainQuery, CoinBalanceChange, Collection,
    ConsoleLine, Contract, Cursor, DisputeGame, EthCall, ExternalTransaction, FailureLine, Holder,
    HotContract, InternalTransaction, Log, LogFilter, LogTimes, Next, OperationBundle,
    OptimismBatch, OptimismDeposit, OptimismWithdrawal, OutputRoot, Page, Query, RankedAccount,
    Reply, SearchRedirect, SmartAccount, StateChange, StorageBatch, StorageRead, StorageResponse,
    Token, TokenBalance, TokenInstance, TokenQuery, TokenTransfer, Transaction, TransactionQuery,
    UserOperation, VerifiedContract, Withdrawal,
};
use chainglass::test_api::chain::{Address, BlockId, Bytes, Timestamp, TxHash, U256};
use chainglass::test_api::columns::{ListRow, RowContext, csv_row, warnings};
use chainglass::test_api::name_cache::NameCache;
use chainglass::test_api::safety::KnownAddresses;
use chainglass::test_api::sanitize::json_line;
use chainglass::test_api::ui::json_view;
use sanitized::assert_sanitized;
use serde_json::value::RawValue;

const ALICE: Address = Address::repeat_byte(0xa1);

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((which, body)) = data.split_first() else { return };
    let query = query(*which);
    assert_sanitized(&ApiError::from_error_body(400 + u16::from(*which), body).to_string());
    if let Some(cursor) = read(&query, body, None) {
        read(&query, body, Some(&cursor));
    }
});

/// A query of each kind: `a` to `z` and further ones, then repeated.
fn query(which: u8) -> Query {
    let (address, hash) = (ALICE, TxHash::repeat_byte(0xa1));
    match which.wrapping_sub(b'a') % 50 {
        0 => Query::Address(address, AddressQuery::Details),
        1 => Query::Address(address, AddressQuery::Counters),
        2 => Query::Transaction(hash, TransactionQuery::Details),
        3 => Query::Transaction(hash, TransactionQuery::InternalTransactions),
        4 => Query::Transaction(hash, TransactionQuery::RawTrace),
        5 => Query::Address(address, AddressQuery::Transactions { direction: None }),
        6 => Query::Address(address, AddressQuery::InternalTransactions { direction: None }),
        7 => Query::token_transfers(Some(address)),
        8 => Query::Address(address, AddressQuery::Tokens { types: Vec::new() }),
        9 => Query::Address(address, AddressQuery::Collections { types: Vec::new() }),
        10 => Query::Token(address, TokenQuery::Instances { holder: None }),
        11 => Query::Redirect("alice.eth".into()),
        12 => Query::Transaction(hash, TransactionQuery::Logs),
        13 => Query::Transaction(hash, TransactionQuery::StateChanges),
        14 => Query::Block(BlockId::Hash(hash), BlockQuery::Details),
        15 => Query::Chain(ChainQuery::Blocks),
        16 => Query::Block(BlockId::Hash(hash), BlockQuery::Withdrawals),
        17 => Query::Contract(address),
        18 => Query::Call(EthCall { to: address, data: Bytes::new(), block: None }),
        19 => Query::LatestBlocks,
        20 => Query::Stats,
        21 => Query::DailyTransactions,
        22 => Query::Token(address, TokenQuery::Details),
        23 => Query::Token(address, TokenQuery::Holders),
        24 => Query::Address(address, AddressQuery::BalanceHistory),
        25 => Query::Chain(ChainQuery::Console),
        26 => Query::BlockByTime(Timestamp::UNIX_EPOCH),
        27 => Query::Storage(StorageRead { address, slot: U256::ZERO, block: Some(1) }),
        28 => Query::Address(address, AddressQuery::Approvals { is_history: false }),
        29 => Query::Logs(LogFilter { contract: Some(address), topics: Vec::new(), after: None }),
        30 => Query::Chain(ChainQuery::Accounts),
        31 => Query::Chain(ChainQuery::VerifiedContracts),
        32 => Query::Chain(ChainQuery::HotContracts),
        33 => Query::Chain(ChainQuery::BeaconDeposits),
        34 => Query::Chain(ChainQuery::UserOperations),
        35 => Query::Chain(ChainQuery::Paymasters),
        36 => Query::Chain(ChainQuery::OptimismWithdrawals),
        37 => Query::Chain(ChainQuery::DisputeGames),
        38 => Query::Transaction(hash, TransactionQuery::Blobs),
        39 => Query::Transaction(hash, TransactionQuery::ExternalTransactions),
        40 => Query::activity(None, <_>::default()),
        41 => Query::Address(address, AddressQuery::Pending),
        42 => Query::Address(address, AddressQuery::DailyBalances),
        43 => Query::Chain(ChainQuery::Bundles),
        44 => Query::Chain(ChainQuery::SmartAccounts),
        45 => Query::Chain(ChainQuery::OptimismBatches),
        46 => Query::Chain(ChainQuery::OptimismDeposits),
        47 => Query::Chain(ChainQuery::OutputRoots),
        48 => Query::Batch(7, BatchQuery::Details),
        49 => Query::StorageWords(StorageBatch { address, slots: vec![U256::ZERO], block: None }),
        _ => Query::LogTimes(LogTimes { topics: [hash; 2], first_block: 1, last_block: 7 }),
    }
}

/// Decodes a response and returns the cursor of the next page.
fn read(query: &Query, body: &[u8], sent: Option<&Cursor>) -> Option<Cursor> {
    let reply = match query.decode(body, sent) {
        Ok(reply) => reply,
        Err(error) => {
            assert_sanitized(&error.to_string());
            return None;
        }
    };
    let mut name_cache = NameCache::default();
    name_cache.ingest(query, &reply);
    name_cache.ingest(query, &reply);
    show_object(&reply);
    macro_rules! of_types {
        ($($item:ident),* $(,)?) => {$(
            if let Some(page) = reply.page::<$item>() {
                return list(page);
            }
        )*};
    }
    of_types!(
        AbstractionParty,
        Activity,
        Approval,
        BeaconDeposit,
        Blob,
        Block,
        CoinBalanceChange,
        Collection,
        ConsoleLine,
        DisputeGame,
        ExternalTransaction,
        Holder,
        HotContract,
        InternalTransaction,
        Log,
        OperationBundle,
        OptimismBatch,
        OptimismDeposit,
        OptimismWithdrawal,
        OutputRoot,
        RankedAccount,
        SmartAccount,
        StateChange,
        Token,
        TokenBalance,
        TokenInstance,
        TokenTransfer,
        Transaction,
        UserOperation,
        VerifiedContract,
        Withdrawal,
    );
    None
}

fn show_object(reply: &Reply) {
    if let Some(item) = reply.item::<Contract>() {
        item.parsed.iter().for_each(|contract| assert_sanitized(&format!("{contract:?}")));
    } else if let Some(line) = reply.get::<FailureLine>() {
        assert_sanitized(&format!("{line:?}"));
    } else if let Some(outcome) = reply.get::<CallResponse>() {
        assert_sanitized(&format!("{outcome:?}"));
    } else if let Some(BlockByTime::Refused(why)) = reply.get::<BlockByTime>() {
        assert_sanitized(why);
    } else if let Some(outcome) = reply.get::<StorageResponse>() {
        assert_sanitized(&format!("{outcome:?}"));
    } else if let Some(raw) = reply.get::<Arc<RawValue>>() {
        for entry in json_view::json_entries("trace", raw, &|_| None) {
            entry.copy_text().split('\n').for_each(assert_sanitized);
        }
    } else if let Some(redirect) = reply.get::<SearchRedirect>() {
        redirect.target().err().iter().for_each(|why| assert_sanitized(&why.to_string()));
    }
}

fn list<T: ListRow>(page: Page<T>) -> Option<Cursor> {
    for item in &page.items {
        assert_sanitized(&json_line(item.raw.get()));
        match &item.parsed {
            Ok(row) => show(row),
            Err(why) => assert_sanitized(why),
        }
    }
    match page.next {
        Next::End => None,
        Next::Page(cursor) => Some(cursor),
        Next::Invalid(why) => {
            assert_sanitized(&why);
            None
        }
    }
}

/// Formats a row as CSV, as cells of several widths, and as detail lines.
fn show<T: ListRow>(row: &T) {
    let mut known = KnownAddresses::new(Some(ALICE));
    for (address, evidence) in row.evidence(Some(ALICE)) {
        known.add(address, evidence);
    }
    let signatures = &SignatureDb::builtin();
    let cx = RowContext {
        viewed: Some(ALICE),
        known_addresses: &known,
        signatures,
        ..RowContext::blank()
    };
    let _ = (row.id(), row.addresses());
    assert_sanitized(&csv_row(row, &cx));
    for column in T::COLUMNS {
        assert_sanitized(&(column.full_value)(row));
        assert_sanitized(&(column.provenance)(row, &cx));
        for width in [0, 1, 9, 40] {
            assert_sanitized(&(column.cell)(row, &cx, width).text);
        }
    }
    row.detail_lines(&cx).iter().for_each(|(_, text)| assert_sanitized(text));
    warnings(row, &cx).iter().for_each(|text| assert_sanitized(text));
}

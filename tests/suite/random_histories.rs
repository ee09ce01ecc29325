//! Random histories of a node: what was followed equals what is read afresh.
//!
//! They are the same each time, or other ones if there is a number:
//! `CHAINGLASS_HISTORIES=10000 cargo test --release --test suite random_histories` runs them all.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chainglass::test_api::indexer::{IndexLimits, NodeChain};
use chainglass::test_api::store::Snapshot;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use tokio::time::timeout;

use crate::changing_node::{Lie, NodeOperation, Personality, SimulatedChain, client_of};

/// Number of histories that run without `CHAINGLASS_HISTORIES`.
const HISTORIES: u32 = 100;
/// Time of the simulation: requests are the clock of a history.
const TIMEOUT: Duration = Duration::from_hours(2);

fn operation() -> impl Strategy<Value = NodeOperation> {
    use NodeOperation::{
        Forget, Fork, Lie as Lies, Mine, MineMany, Replace, Reset, Restart, Revert,
    };
    let lie = prop_oneof![
        Just(Lie::Null),
        Just(Lie::EmptyObject),
        Just(Lie::EmptyList),
        Just(Lie::OtherBlock),
        Just(Lie::Refusal),
    ];
    prop_oneof![
        8 => (0_u8..5).prop_map(Mine),
        2 => (2_u8..70).prop_map(MineMany),
        2 => Just(NodeOperation::Snapshot),
        3 => (0_u8..3).prop_map(Revert),
        3 => (1_u8..8).prop_map(Replace),
        1 => Just(Reset),
        1 => any::<bool>().prop_map(|same_genesis| Restart { same_genesis }),
        1 => (0_u8..90).prop_map(Fork),
        1 => (1_u8..9).prop_map(Forget),
        3 => lie.prop_map(Lies),
    ]
}

fn personality() -> impl Strategy<Value = Personality> {
    prop_oneof![
        3 => Just(Personality::Anvil),
        2 => Just(Personality::Hardhat3),
        1 => Just(Personality::Hardhat2),
        1 => Just(Personality::Ganache),
        1 => Just(Personality::Geth),
    ]
}

/// The rows from a block on, newest first, as text. Those that the node does not tell are `None`.
pub(crate) fn rows(snapshot: &Snapshot, first: u64) -> [Option<Vec<String>>; 5] {
    let of = |number: u64, row: &dyn std::fmt::Debug| (number >= first).then(|| format!("{row:?}"));
    let blocks =
        snapshot.segments.iter().rev().flat_map(|it| it.blocks.get().unwrap().iter().rev());
    let transactions = snapshot.transactions(u64::MAX).unwrap();
    let has_any = snapshot.transactions(u64::MAX).unwrap().any(|it| it.block_number >= first);
    let (calls, end) = snapshot.internal_transactions(u64::MAX);
    let transfers = snapshot.transfers(u64::MAX).unwrap();
    let logs = snapshot.segments.iter().rev().flat_map(|it| it.logs.get().unwrap());
    [
        Some(blocks.filter_map(|it| of(it.number, it)).collect()),
        Some(transactions.filter_map(|it| of(it.block_number, it)).collect()),
        (end.is_ok() || !has_any).then(|| calls.filter_map(|it| of(it.block_number, it)).collect()),
        Some(transfers.filter_map(|it| of(it.position.block_number, it)).collect()),
        Some(logs.filter_map(|it| of(it.block_number, it)).collect()),
    ]
}

/// Waits until the chain is read up to its head.
pub(crate) async fn settled(index: &mut NodeChain, chain: &Mutex<SimulatedChain>) -> Snapshot {
    let settled = async {
        loop {
            let changed = timeout(Duration::from_millis(100), index.changed()).await;
            assert!(changed.unwrap_or(true), "the follower has panicked");
            let (progress, snapshot) = (index.progress(), index.published());
            let head = snapshot.as_ref().and_then(|it| it.head().unwrap());
            let head = head.map(|block| block.hash.to_string());
            let is_whole = progress.coverage.as_ref().is_some_and(|it| it.unindexed == 0);
            let chain = chain.lock().unwrap();
            // A revert may lead to a block that the node has forgotten.
            let has_none = chain.has_forgotten_head()
                && progress.coverage.is_some_and(|it| {
                    it.first_block > it.last_block && Some(it.last_block) == chain.head_number()
                });
            let is_head = has_none || head.as_deref() == chain.head_hash();
            let is_settled = chain.is_over() && is_whole && is_head;
            if let Some(snapshot) = snapshot.filter(|_| is_settled) {
                return snapshot;
            }
        }
    };
    let settled = timeout(TIMEOUT, settled).await;
    settled.unwrap_or_else(|_| panic!("{:?} {:?}", index.progress(), chain.lock().unwrap()))
}

async fn check_history(
    personality: Personality,
    history: Vec<(u8, NodeOperation)>,
    limit: usize,
) -> Result<(), TestCaseError> {
    let chain = SimulatedChain::new(personality, VecDeque::from(history));
    let chain = Arc::new(Mutex::new(chain));
    let limits = IndexLimits { transactions: limit, ..IndexLimits::default() };
    let mut followed = NodeChain::follow(client_of(&chain), limits);
    chain.lock().unwrap().watch = Some(followed.watch());
    let ours = settled(&mut followed, &chain).await;
    drop(followed);
    chain.lock().unwrap().watch = None;
    let mut fresh = NodeChain::follow(client_of(&chain), limits);
    let fresh = settled(&mut fresh, &chain).await;

    let chain = chain.lock().unwrap();
    prop_assert!(chain.violations.is_empty(), "{:#?}", chain.violations);
    let first = |it: &Snapshot| it.segments.first().map_or(u64::MAX, |it| it.first_block);
    // Rows that the node has forgotten since are kept. At the limit segments are dropped whole.
    let first = first(&fresh).max(if limit < 100 { first(&ours) } else { 0 });
    prop_assert_eq!(rows(&ours, first), rows(&fresh, first));
    Ok(())
}

/// A runtime whose time is that of the simulation.
fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().start_paused(true).build().unwrap()
}

/// The calls were taken for untold, as other things had gone wrong before.
#[test]
fn one_lie_after_a_fork_leaves_no_calls_untold() {
    use NodeOperation::{Fork, Lie as Lies, Mine, MineMany, Snapshot};
    let operations = [
        Mine(1),
        Mine(0),
        Mine(0),
        Snapshot,
        MineMany(37),
        Mine(0),
        Mine(0),
        Fork(0),
        Mine(1),
        Mine(0),
        Lies(Lie::Null),
    ];
    for waits in [[10, 0, 16, 3, 9, 12, 8, 2, 12, 10, 1], [5, 2, 18, 15, 1, 7, 0, 3, 1, 19, 17]] {
        let history = waits.into_iter().zip(operations).collect();
        runtime().block_on(check_history(Personality::Anvil, history, 100_000)).unwrap();
    }
}

/// It was taken for a node that traces nothing.
#[test]
fn one_lie_about_what_a_node_can_do_is_not_believed() {
    use NodeOperation::{Lie as Lies, Mine};
    let history = [(0, Lies(Lie::OtherBlock)), (2, Mine(1)), (14, Lies(Lie::Null))];
    runtime().block_on(check_history(Personality::Geth, history.into(), 100_000)).unwrap();
}

/// It was taken for the forgotten one, as it has its number.
#[test]
fn block_in_place_of_a_forgotten_one_is_read() {
    use NodeOperation::{Forget, Mine, Replace, Revert, Snapshot};
    let forgotten = [Mine(1), Snapshot, Mine(1), Mine(1), Forget(1), Revert(0)].map(|it| (0, it));
    let history = forgotten.into_iter().chain([(60, Replace(1))]).collect();
    runtime().block_on(check_history(Personality::Anvil, history, 100_000)).unwrap();
}

#[test]
fn followed_chains_equal_those_read_afresh() {
    let histories = std::env::var("CHAINGLASS_HISTORIES").ok().and_then(|it| it.parse().ok());
    let cases = histories.unwrap_or(HISTORIES);
    let config = ProptestConfig { max_shrink_iters: 500, ..ProptestConfig::with_cases(cases) };
    // Without a number they are always the same.
    let mut runner = match histories {
        Some(_) => TestRunner::new(config),
        None => TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)),
    };
    let history = prop::collection::vec((0_u8..20, operation()), 1..20);
    let limit = prop_oneof![4 => Just(100_000_usize), 1 => 1_usize..20];
    let runtime = runtime();
    let result = runner.run(&(personality(), history, limit), |(personality, history, limit)| {
        runtime.block_on(check_history(personality, history, limit))
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

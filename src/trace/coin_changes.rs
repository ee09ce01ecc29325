//! Sums up the movements of the native coin in a trace.

use std::collections::HashSet;

use super::balance_changes::{Asset, BalanceLedger};
use super::tree::FrameClass;
use super::{CallFrame, CallKind, CallTree};
use crate::chain::{Address, U256};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CoinChanges {
    /// Gains and losses from calls whose effects last, and from other movements that were added.
    pub ledger: BalanceLedger,
    /// The coin of contracts that selfdestructed to themselves and may have been created in another
    /// transaction: its fate depends on the fork, which the trace does not contain.
    pub uncertain: U256,
    /// Number of calls with value whose effects last.
    pub transfers: usize,
    /// Number of calls with value that failed or were rolled back.
    pub rolled_back: usize,
    /// Number of transfers that are left out because their amount or address could not be parsed.
    pub unreadable: usize,
}

/// Adds up the calls, creations, selfdestructs and rewards whose effects last. Delegatecalls, callcodes
/// and staticcalls repeat the value of the call that they run in, and are left out.
#[derive(Debug, Default)]
pub struct CoinChangeSum {
    flow: CoinChanges,
    created: Option<HashSet<Address>>,
    /// Number of calls with value that were added.
    added: usize,
}

impl CoinChangeSum {
    /// Adds the next call with value. Returns `false` if there is none.
    pub fn add_next(&mut self, tree: &CallTree) -> bool {
        let number = tree.frames_of(FrameClass::WithValue).get(self.added);
        let Some((number, frame)) = number.and_then(|number| Some((*number, tree.get(*number)?)))
        else {
            return false;
        };
        self.added += 1;
        if frame.kind.moves_value() || frame.kind == CallKind::Reward {
            self.add(number, frame, tree);
        }
        true
    }

    fn add(&mut self, number: u32, frame: &CallFrame, tree: &CallTree) {
        let Self { flow, created, .. } = self;
        if !frame.is_committed() {
            flow.rolled_back += 1;
            return;
        }
        let (from, to) = (tree.address(frame.from), tree.address(frame.to));
        match (frame.kind, from, to, tree.value(number)) {
            (CallKind::Reward, _, Some(to), Some(value)) => {
                flow.ledger.mint(Asset::Coin, to, value);
                flow.transfers += 1;
            }
            (CallKind::SelfDestruct, Some(from), Some(to), Some(value)) if from == to => {
                if created.get_or_insert_with(|| created_contracts(tree)).contains(&from) {
                    flow.ledger.burn(Asset::Coin, from, value);
                } else {
                    flow.ledger.doubt(from, value);
                    flow.uncertain = flow.uncertain.saturating_add(value);
                }
            }
            (_, Some(from), Some(to), Some(value)) => {
                flow.ledger.transfer(Asset::Coin, from, to, value);
                flow.transfers += 1;
            }
            _ => flow.unreadable += 1,
        }
    }

    pub fn finish(self) -> CoinChanges {
        self.flow
    }
}

fn created_contracts(tree: &CallTree) -> HashSet<Address> {
    let frames = tree.frames_of(FrameClass::Creation).iter().filter_map(|n| tree.get(*n));
    frames.filter_map(|frame| tree.address(frame.to)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trace::balance_changes::BalanceChange;
    use crate::trace::test_util::{SampleCall, calls_by_level_ups, sample_tree};

    fn coin_changes(tree: &CallTree) -> CoinChanges {
        let mut sum = CoinChangeSum::default();
        while sum.add_next(tree) {}
        sum.finish()
    }

    fn account(n: u64) -> Address {
        Address::from_word(U256::from(n).into())
    }

    fn change(flow: &CoinChanges, n: u64) -> BalanceChange {
        let found =
            flow.ledger.accounts(None).into_iter().find(|changes| changes.account == account(n));
        found.map(|found| found.changes[0].1).unwrap_or_default()
    }

    fn net(flow: &CoinChanges, n: u64) -> (bool, u64) {
        let (gained, net) = change(flow, n).net();
        (gained, net.to())
    }

    #[test]
    fn call_that_only_revert_reason_fails_moves_nothing() {
        let party = "0x00000000000000000000000000000000000000aa";
        let body = format!(
            r#"{{"type":"Call","calls":[{{"type":"Call","from":"{party}","to":"{party}",
                 "value":"0x1","error":null,"revertReason":"too low"}}]}}"#
        );
        let flow = coin_changes(&crate::trace::parser::parse_trace(body.into()));
        assert_eq!((flow.transfers, flow.rolled_back), (0, 1));
    }

    #[test]
    fn only_committed_transfers_count() {
        let flow = coin_changes(&sample_tree(&[
            SampleCall::at(&[]).moves(1, 2, 100),
            SampleCall::at(&[0]).kind("delegatecall").moves(2, 3, 100),
            SampleCall::at(&[1]).kind("callcode").moves(2, 3, 9),
            SampleCall::at(&[2]).moves(2, 3, 30).failed("0x"),
            SampleCall::at(&[2, 0]).moves(3, 4, 5),
            SampleCall::at(&[3]).kind("create").moves(2, 5, 20),
            SampleCall::at(&[3, 0]).kind("suicide").moves(5, 6, 20),
        ]));
        assert_eq!((flow.transfers, flow.rolled_back, flow.unreadable), (3, 2, 0));
        assert_eq!(net(&flow, 1), (false, 100));
        assert_eq!(net(&flow, 2), (true, 80));
        assert_eq!((net(&flow, 5), net(&flow, 6)), ((true, 0), (true, 20)));
        assert_eq!(change(&flow, 3), BalanceChange::default());
    }

    #[test]
    fn selfdestruct_to_itself_destroys_the_coin_of_a_new_contract_or_is_uncertain() {
        let flow = coin_changes(&sample_tree(&[
            SampleCall::at(&[]).moves(1, 2, 100),
            SampleCall::at(&[0]).kind("suicide").moves(2, 2, 100),
            SampleCall::at(&[1]).kind("create").moves(3, 4, 7),
            SampleCall::at(&[1, 0]).kind("suicide").moves(4, 4, 7),
        ]));
        let destroyed = flow.ledger.burnt[&Asset::Coin];
        assert_eq!((destroyed.to::<u64>(), flow.uncertain.to::<u64>()), (7, 100));
        assert_eq!((flow.transfers, net(&flow, 2), net(&flow, 4)), (2, (true, 100), (true, 0)));
        assert_eq!(change(&flow, 2).without_uncertain().net(), (true, U256::ZERO));
    }

    #[test]
    fn rewards_are_minted() {
        let reward = SampleCall::at(&[]).kind("reward").moves(0, 7, 50);
        let flow = coin_changes(&sample_tree(&[SampleCall::at(&[]).moves(1, 2, 3), reward]));
        assert_eq!((flow.ledger.minted[&Asset::Coin].to::<u64>(), net(&flow, 7)), (50, (true, 50)));
    }

    proptest! {
        #[test]
        fn net_changes_sum_to_zero(
            ups in prop::collection::vec(0usize..4, 0..40),
            moves in prop::collection::vec((0u64..5, 0u64..5, 0u64..1000, any::<bool>()), 41),
        ) {
            let calls = calls_by_level_ups(&ups).into_iter().zip(moves).map(|(call, (from, to, value, fails))| {
                let call = call.moves(from, to, value);
                if fails { call.failed("0x") } else { call }
            });
            let flow = coin_changes(&sample_tree(&calls.collect::<Vec<_>>()));
            let accounts = flow.ledger.accounts(None);
            let sum = accounts.iter().fold(0_i128, |sum, account| {
                let (gained, net) = account.changes[0].1.net();
                let net: i128 = net.to::<u64>().into();
                if gained { sum + net } else { sum - net }
            });
            prop_assert_eq!(sum, 0);
        }
    }
}

//! Sums up the balance changes of the native coin in a trace.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::tree::FrameClass;
use super::{CallFrame, CallKind, CallTree};
use crate::chain::{Address, U256};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BalanceChange {
    pub gained: U256,
    pub lost: U256,
    /// The coin of selfdestructs to itself: destroyed before Cancun, kept since.
    pub uncertain: U256,
}

impl BalanceChange {
    /// Returns whether the net change is a gain, and its amount.
    pub fn net(&self) -> (bool, U256) {
        match self.gained.checked_sub(self.lost) {
            Some(net) => (true, net),
            None => (false, self.lost.saturating_sub(self.gained)),
        }
    }

    /// Returns the change if the uncertain coin is destroyed.
    #[must_use]
    pub fn without_uncertain(&self) -> Self {
        Self { lost: self.lost.saturating_add(self.uncertain), ..*self }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BalanceChanges {
    /// Accounts by net change, largest first.
    pub accounts: Vec<(Address, BalanceChange)>,
    /// Block rewards, which no account pays: the net changes sum up to this.
    pub minted: U256,
    /// Coin destroyed by selfdestructs of contracts to themselves in the transaction that created them.
    pub destroyed: U256,
    /// The coin of other selfdestructs of contracts to themselves. The trace does not tell the fork.
    pub uncertain: U256,
    /// Number of calls that moved value for good.
    pub transfers: usize,
    /// Number of calls with value that failed or were rolled back.
    pub rolled_back: usize,
    /// Number of transfers whose amount or address could not be parsed and that are left out.
    pub unreadable: usize,
}

/// Sums up the calls, creations, selfdestructs and rewards that moved value for good. Delegatecalls,
/// callcodes and staticcalls repeat the value of the call that they run in, and are left out.
#[derive(Debug, Default)]
pub struct BalanceSum {
    changes: BalanceChanges,
    accounts: HashMap<Address, BalanceChange>,
    created: Option<HashSet<Address>>,
    /// The number of calls with value that were added.
    added: usize,
}

impl BalanceSum {
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
        let Self { changes, accounts, created, .. } = self;
        if !frame.is_committed() {
            changes.rolled_back += 1;
            return;
        }
        let (from, to) = (tree.address(frame.from), tree.address(frame.to));
        match (frame.kind, from, to, tree.value(number)) {
            (CallKind::Reward, _, Some(to), Some(value)) => {
                credit(accounts, to, value);
                changes.minted = changes.minted.saturating_add(value);
                changes.transfers += 1;
            }
            (CallKind::SelfDestruct, Some(from), Some(to), Some(value)) if from == to => {
                let account = accounts.entry(from).or_default();
                if created.get_or_insert_with(|| created_contracts(tree)).contains(&from) {
                    account.lost = account.lost.saturating_add(value);
                    changes.destroyed = changes.destroyed.saturating_add(value);
                } else {
                    account.uncertain = account.uncertain.saturating_add(value);
                    changes.uncertain = changes.uncertain.saturating_add(value);
                }
            }
            (_, Some(from), Some(to), Some(value)) => {
                let payer = accounts.entry(from).or_default();
                payer.lost = payer.lost.saturating_add(value);
                credit(accounts, to, value);
                changes.transfers += 1;
            }
            _ => changes.unreadable += 1,
        }
    }

    pub fn finish(self) -> BalanceChanges {
        let mut accounts: Vec<_> = self.accounts.into_iter().collect();
        accounts.sort_by_key(|(address, account)| (Reverse(account.net().1), *address));
        BalanceChanges { accounts, ..self.changes }
    }
}

fn created_contracts(tree: &CallTree) -> HashSet<Address> {
    let frames = tree.frames_of(FrameClass::Creation).iter().filter_map(|n| tree.get(*n));
    frames.filter_map(|frame| tree.address(frame.to)).collect()
}

fn credit(accounts: &mut HashMap<Address, BalanceChange>, to: Address, value: U256) {
    let payee = accounts.entry(to).or_default();
    payee.gained = payee.gained.saturating_add(value);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trace::test_util::{SampleCall, calls_by_level_ups, sample_tree};

    fn balance_changes(tree: &CallTree) -> BalanceChanges {
        let mut sum = BalanceSum::default();
        while sum.add_next(tree) {}
        sum.finish()
    }

    fn account(n: u64) -> Address {
        Address::from_word(U256::from(n).into())
    }

    fn net(flow: &BalanceChanges, n: u64) -> (bool, u64) {
        let found = flow.accounts.iter().find(|(address, _)| *address == account(n));
        let (gained, net) = found.unwrap().1.net();
        (gained, net.to())
    }

    #[test]
    fn call_that_only_revert_reason_fails_moves_nothing() {
        let party = "0x00000000000000000000000000000000000000aa";
        let body = format!(
            r#"{{"type":"Call","calls":[{{"type":"Call","from":"{party}","to":"{party}",
                 "value":"0x1","error":null,"revertReason":"too low"}}]}}"#
        );
        let flow = balance_changes(&crate::trace::parser::parse_trace(body.into()));
        assert_eq!((flow.transfers, flow.rolled_back), (0, 1));
    }

    #[test]
    fn only_committed_transfers_count() {
        let flow = balance_changes(&sample_tree(&[
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
        assert!(!flow.accounts.iter().any(|(address, _)| *address == account(3)));
    }

    #[test]
    fn selfdestruct_to_itself_destroys_the_coin_of_a_new_contract_or_is_uncertain() {
        let flow = balance_changes(&sample_tree(&[
            SampleCall::at(&[]).moves(1, 2, 100),
            SampleCall::at(&[0]).kind("suicide").moves(2, 2, 100),
            SampleCall::at(&[1]).kind("create").moves(3, 4, 7),
            SampleCall::at(&[1, 0]).kind("suicide").moves(4, 4, 7),
        ]));
        assert_eq!((flow.destroyed.to::<u64>(), flow.uncertain.to::<u64>()), (7, 100));
        assert_eq!((flow.transfers, net(&flow, 2), net(&flow, 4)), (2, (true, 100), (true, 0)));
        let old = flow.accounts.iter().find(|(address, _)| *address == account(2)).unwrap().1;
        assert_eq!(old.without_uncertain().net(), (true, U256::ZERO));
    }

    #[test]
    fn rewards_are_minted() {
        let reward = SampleCall::at(&[]).kind("reward").moves(0, 7, 50);
        let flow = balance_changes(&sample_tree(&[SampleCall::at(&[]).moves(1, 2, 3), reward]));
        assert_eq!((flow.minted.to::<u64>(), net(&flow, 7)), (50, (true, 50)));
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
            let flow = balance_changes(&sample_tree(&calls.collect::<Vec<_>>()));
            let sum = flow.accounts.iter().fold(0_i128, |sum, (_, account)| {
                let (gained, net) = account.net();
                let net: i128 = net.to::<u64>().into();
                if gained { sum + net } else { sum - net }
            });
            prop_assert_eq!(sum, 0);
        }
    }
}

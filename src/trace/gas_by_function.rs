//! Sums up the self gas of a trace by called function.

use std::cmp::Reverse;
use std::collections::HashMap;

use foldhash::quality::RandomState;

use super::CallTree;
use super::tree::to_index;
use crate::chain::Address;

/// Calls of a function that are kept.
const MAX_FIRST_CALLS: usize = 5;

/// The calls of one function of one contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionGas {
    /// The call with the most self gas.
    pub hottest: u32,
    pub calls: u32,
    pub own_gas: u64,
    /// `false` if the gas of a call is unknown or an upper bound.
    pub is_exact: bool,
    hottest_gas: u64,
    /// The first calls.
    first_calls: [u32; MAX_FIRST_CALLS],
}

impl FunctionGas {
    /// Returns the first calls, in their order.
    pub fn first_calls(&self) -> &[u32] {
        self.first_calls.get(..to_index(self.calls)).unwrap_or(&self.first_calls)
    }
}

/// A contract and a selector. All creations count as one function.
type FunctionKey = Option<(Option<Address>, Option<[u8; 4]>)>;

#[derive(Debug, Default)]
pub struct FunctionGasSum {
    /// Places in `sums`: small entries, so that a key does not wait while the map grows.
    places: HashMap<FunctionKey, u32, RandomState>,
    sums: Vec<FunctionGas>,
    added: u32,
}

impl FunctionGasSum {
    /// Adds the next call. Returns `false` if there is none.
    pub fn add_next(&mut self, tree: &CallTree) -> bool {
        let Some(frame) = tree.get(self.added) else { return false };
        let number = self.added;
        self.added += 1;
        let called = || (tree.target_address(number), tree.selector(number));
        let key = (!frame.kind.creates()).then(called);
        let (own_gas, is_exact) = frame.own_gas().unwrap_or((0, false));
        let first_calls = [number; MAX_FIRST_CALLS];
        let new = FunctionGas {
            hottest: number,
            calls: 0,
            own_gas: 0,
            is_exact: true,
            hottest_gas: 0,
            first_calls,
        };
        let next = u32::try_from(self.sums.len()).unwrap_or(u32::MAX);
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.sums.push(new);
        }
        let Some(function) = self.sums.get_mut(to_index(place)) else { return true };
        if let Some(kept) = function.first_calls.get_mut(to_index(function.calls)) {
            *kept = number;
        }
        function.calls += 1;
        function.own_gas = function.own_gas.saturating_add(own_gas);
        function.is_exact &= is_exact && !frame.is_own_gas_inferred();
        if own_gas > function.hottest_gas {
            (function.hottest, function.hottest_gas) = (number, own_gas);
        }
        true
    }

    /// Returns the functions by self gas, largest first.
    pub fn finish(self) -> Vec<FunctionGas> {
        let mut functions = self.sums;
        functions.sort_unstable_by_key(|function| (Reverse(function.own_gas), function.hottest));
        functions
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trace::frame::CallFrame;
    use crate::trace::test_util::{SampleCall, calls_by_level_ups, sample_tree};

    fn by_function(tree: &CallTree) -> Vec<FunctionGas> {
        let mut sum = FunctionGasSum::default();
        while sum.add_next(tree) {}
        sum.finish()
    }

    #[test]
    fn calls_of_a_function_add_up() {
        let call =
            |path: &[u32], to, gas| SampleCall { gas, ..SampleCall::at(path).moves(1, to, 0) };
        // Self gas: 30, 30, 25, 15.
        let calls = [call(&[], 2, 100), call(&[0], 3, 30), call(&[1], 4, 40), call(&[1, 0], 3, 15)];
        let functions = by_function(&sample_tree(&calls));
        let shown: Vec<_> = functions.iter().map(|f| (f.hottest, f.calls, f.own_gas)).collect();
        assert_eq!(shown, [(1, 2, 45), (0, 1, 30), (2, 1, 25)]);
        assert_eq!(
            (functions[0].first_calls(), functions[1].first_calls()),
            (&[1, 3][..], &[0][..])
        );
    }

    proptest! {
        #[test]
        fn self_gas_of_all_functions_is_that_of_the_roots(
            ups in prop::collection::vec(0usize..4, 0..40),
        ) {
            let mut calls = calls_by_level_ups(&ups);
            for (n, call) in calls.iter_mut().enumerate() {
                call.gas = 1_000_000 >> call.path.len().min(19) >> n.min(3);
            }
            let tree = sample_tree(&calls);
            let functions = by_function(&tree);
            let own = tree.frames().iter().filter_map(CallFrame::own_gas);
            let own: u64 = own.map(|(gas, _)| gas).sum();
            prop_assert_eq!(functions.iter().map(|f| f.own_gas).sum::<u64>(), own);
            let calls: u32 = functions.iter().map(|f| f.calls).sum();
            prop_assert_eq!(calls, tree.len());
        }
    }
}

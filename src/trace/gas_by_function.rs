//! Sums up the self gas of a trace by called function.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;

use foldhash::quality::RandomState;

use super::CallTree;
use super::tree::to_index;
use crate::chain::Address;

/// Calls of a function that are kept.
const MAX_FIRST_CALLS: usize = 5;
/// Number of maps that the functions are spread over, so that a key does not wait while one grows.
const MAPS: usize = 64;

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

    /// Compares by self gas, the most first.
    pub fn order(&self, other: &Self) -> Ordering {
        let key = |function: &Self| (Reverse(function.own_gas), function.hottest);
        key(self).cmp(&key(other))
    }
}

/// A contract and a selector. All creations count as one function.
type FunctionKey = Option<(Option<Address>, Option<[u8; 4]>)>;

#[derive(Debug)]
pub struct FunctionGasSum {
    /// Places in `sums`, in one of the maps.
    places: Vec<HashMap<FunctionKey, u32, RandomState>>,
    sums: Vec<FunctionGas>,
    total: u64,
    added: u32,
}

impl Default for FunctionGasSum {
    fn default() -> Self {
        Self { places: vec![HashMap::default(); MAPS], sums: Vec::new(), total: 0, added: 0 }
    }
}

/// Returns the number of the map that has a function.
fn map_of(key: FunctionKey) -> usize {
    let (address, selector) = key.unwrap_or_default();
    let low = |bytes: Option<&u8>| usize::from(bytes.copied().unwrap_or_default());
    let address = low(address.as_ref().and_then(|address| address.0.last()));
    (address ^ low(selector.as_ref().and_then(|selector| selector.last()))) % MAPS
}

impl FunctionGasSum {
    /// Adds the next call. Returns `false` if there is none.
    pub fn add_next(&mut self, tree: &CallTree) -> bool {
        let Some(frame) = tree.get(self.added) else { return false };
        let number = self.added;
        self.added += 1;
        let key =
            (!frame.kind.creates()).then(|| (tree.target_address(number), tree.selector(number)));
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
        let Some(places) = self.places.get_mut(map_of(key)) else { return true };
        let place = *places.entry(key).or_insert(next);
        if place == next {
            self.sums.push(new);
        }
        let Some(function) = self.sums.get_mut(to_index(place)) else { return true };
        if let Some(kept) = function.first_calls.get_mut(to_index(function.calls)) {
            *kept = number;
        }
        function.calls += 1;
        function.own_gas = function.own_gas.saturating_add(own_gas);
        self.total = self.total.saturating_add(own_gas);
        function.is_exact &= is_exact && !frame.is_own_gas_inferred();
        if own_gas > function.hottest_gas {
            (function.hottest, function.hottest_gas) = (number, own_gas);
        }
        true
    }

    /// Returns the functions by their first calls, and the self gas of all.
    pub fn finish(self) -> (Vec<FunctionGas>, u64) {
        (self.sums, self.total)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::trace::frame::CallFrame;
    use crate::trace::test_util::{SampleCall, calls_by_level_ups, sample_tree};

    fn by_function(tree: &CallTree) -> Vec<FunctionGas> {
        let mut sum = FunctionGasSum::default();
        while sum.add_next(tree) {}
        let (mut functions, total) = sum.finish();
        assert_eq!(total, functions.iter().map(|function| function.own_gas).sum::<u64>());
        functions.sort_unstable_by(FunctionGas::order);
        functions
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

    #[test]
    fn creations_are_one_function() {
        let create = |path: &[u32], to| SampleCall::at(path).moves(1, to, 0).kind("create");
        let calls = [SampleCall::at(&[]), create(&[0], 3), create(&[1], 4)];
        let functions = by_function(&sample_tree(&calls));
        let mut counts: Vec<u32> = functions.iter().map(|function| function.calls).collect();
        counts.sort_unstable();
        assert_eq!(counts, [1, 2]);
    }

    #[test]
    fn first_of_equal_calls_is_the_hottest() {
        let call =
            |path: &[u32], to, gas| SampleCall { gas, ..SampleCall::at(path).moves(1, to, 0) };
        let calls = [call(&[], 2, 100), call(&[0], 3, 30), call(&[1], 3, 30)];
        let functions = by_function(&sample_tree(&calls));
        let shown: Vec<_> = functions.iter().map(|f| (f.hottest, f.calls)).collect();
        assert_eq!(shown, [(1, 2), (0, 1)]);
    }

    #[test]
    fn functions_are_spread_over_the_maps() {
        let one = |address: u8, selector: u8| {
            map_of(Some((Some(Address::repeat_byte(address)), Some([selector; 4]))))
        };
        let of_address: HashSet<usize> = (0..=u8::MAX).map(|n| one(7, n)).collect();
        let of_selector: HashSet<usize> = (0..=u8::MAX).map(|n| one(n, 7)).collect();
        assert_eq!((of_address.len(), of_selector.len()), (MAPS, MAPS));
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

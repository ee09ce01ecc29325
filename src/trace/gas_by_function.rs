//! Sums up the self gas of a trace by called function.

use std::cmp::Reverse;
use std::collections::HashMap;

use foldhash::quality::RandomState;

use super::tree::to_index;
use super::{CallFrame, CallTree};
use crate::chain::Address;

/// Calls of a function that are kept.
const MAX_FIRST_CALLS: usize = 5;
/// Maximum functions with a sum of their own, so that no key waits for them. Most traces have a few hundred.
const MAX_FUNCTIONS: usize = 32_768;

/// The relation of a sum of gas to the gas that was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GasBound {
    Exact,
    /// Some gas is inferred from a limit.
    Inferred,
    /// Inner calls with unknown gas have a part of it.
    AtMost,
    /// The gas of some calls is unknown.
    AtLeast,
    /// Several of these, or the gas of all calls is unknown.
    Unknown,
}

impl GasBound {
    pub fn of_own_gas(frame: &CallFrame) -> Self {
        match frame.own_gas() {
            None => Self::AtLeast,
            Some((_, is_exact)) => match (is_exact, frame.is_own_gas_inferred()) {
                (true, false) => Self::Exact,
                (true, true) => Self::Inferred,
                (false, false) => Self::AtMost,
                (false, true) => Self::Unknown,
            },
        }
    }

    /// Returns the relation of a sum of both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        match (self, other) {
            (bound, Self::Exact) | (Self::Exact, bound) => bound,
            (bound, other) if bound == other => bound,
            _ => Self::Unknown,
        }
    }
}

/// The calls of one function of one contract, or of all functions beyond the maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionGas {
    /// The call with the most self gas.
    pub hottest: u32,
    pub calls: u32,
    /// The sum of the self gas that is known.
    pub own_gas: u64,
    pub gas_bound: GasBound,
    pub is_of_others: bool,
    hottest_gas: u64,
    /// The first calls.
    first_calls: [u32; MAX_FIRST_CALLS],
}

impl FunctionGas {
    /// Returns the length of its bar: none of gas that is unknown.
    pub fn known_gas(&self) -> u64 {
        if self.gas_bound == GasBound::Unknown { 0 } else { self.own_gas }
    }

    /// Returns the first calls, in their order.
    pub fn first_calls(&self) -> &[u32] {
        self.first_calls.get(..to_index(self.calls)).unwrap_or(&self.first_calls)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum FunctionKey {
    /// A contract and a selector.
    Function(Option<Address>, Option<[u8; 4]>),
    Creations,
    Others,
}

#[derive(Debug, Default)]
pub struct FunctionGasSum {
    functions: HashMap<FunctionKey, FunctionGas, RandomState>,
    added: u32,
}

impl FunctionGasSum {
    /// Adds the next call. Returns `false` if there is none.
    pub fn add_next(&mut self, tree: &CallTree) -> bool {
        let Some(frame) = tree.get(self.added) else { return false };
        let number = self.added;
        self.added += 1;
        let key = if frame.kind.creates() {
            FunctionKey::Creations
        } else {
            FunctionKey::Function(tree.target_address(number), tree.selector(number))
        };
        let has_space = self.functions.len() < MAX_FUNCTIONS;
        let is_own = has_space || self.functions.contains_key(&key);
        let own_gas = frame.own_gas().map_or(0, |(gas, _)| gas);
        let key = if is_own { key } else { FunctionKey::Others };
        let function = self.functions.entry(key).or_insert(FunctionGas {
            hottest: number,
            calls: 0,
            own_gas: 0,
            gas_bound: GasBound::Exact,
            is_of_others: !is_own,
            hottest_gas: 0,
            first_calls: [number; MAX_FIRST_CALLS],
        });
        if let Some(kept) = function.first_calls.get_mut(to_index(function.calls)) {
            *kept = number;
        }
        function.calls += 1;
        function.own_gas = function.own_gas.saturating_add(own_gas);
        function.gas_bound = function.gas_bound.with(GasBound::of_own_gas(frame));
        if own_gas > function.hottest_gas {
            (function.hottest, function.hottest_gas) = (number, own_gas);
        }
        true
    }

    /// Returns the functions by their self gas, the most first.
    pub fn finish(self) -> Vec<FunctionGas> {
        let mut functions: Vec<_> = self.functions.into_values().collect();
        for function in &mut functions {
            // At least nothing.
            if function.gas_bound == GasBound::AtLeast && function.own_gas == 0 {
                function.gas_bound = GasBound::Unknown;
            }
        }
        functions.sort_unstable_by_key(|function| (Reverse(function.own_gas), function.hottest));
        functions
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trace::parser::parse_trace;
    use crate::trace::test_util::{SampleCall, calls_by_level_ups, sample_tree};

    fn by_function(tree: &CallTree) -> Vec<FunctionGas> {
        let mut sum = FunctionGasSum::default();
        while sum.add_next(tree) {}
        sum.finish()
    }

    /// Returns the hottest call, the gas and the bound of each function. A call is its path, its gas and its contract.
    fn bounds(calls: &[(&str, Option<u64>, u64)], error: &str) -> Vec<(u32, u64, GasBound)> {
        let entry = |(path, gas, to): &(&str, Option<u64>, u64)| {
            let rest = match gas {
                Some(gas) => format!(r#""result":{{"gasUsed":"{gas:#x}"}}"#),
                None => format!(r#""result":null,"error":"{error}""#),
            };
            format!(
                r#"{{"action":{{"gas":"0x40","callType":"call","to":"0x{to:040x}"}},{rest},
                    "traceAddress":[{path}],"type":"call"}}"#
            )
        };
        let entries: Vec<String> = calls.iter().map(entry).collect();
        let functions = by_function(&parse_trace(format!("[{}]", entries.join(",")).into()));
        functions.iter().map(|f| (f.hottest, f.own_gas, f.gas_bound)).collect()
    }

    #[test]
    fn sum_with_unknown_gas_is_no_upper_bound() {
        let calls = [("", Some(60), 2), ("0", None, 3), ("1", Some(20), 3), ("2", None, 4)];
        assert_eq!(
            bounds(&calls, "Reverted"),
            [(0, 40, GasBound::AtMost), (2, 20, GasBound::AtLeast), (3, 0, GasBound::Unknown)]
        );
        let recursive = [("", Some(60), 2), ("0", None, 2)];
        assert_eq!(bounds(&recursive, "Reverted"), [(0, 60, GasBound::Unknown)]);
        // The failure burns its limit.
        assert_eq!(bounds(&recursive, "Out of gas"), [(1, 64, GasBound::Inferred)]);
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
    fn functions_beyond_the_maximum_have_one_sum() {
        let last = u32::try_from(MAX_FUNCTIONS).unwrap() + 1;
        let call = |n: u32| SampleCall { gas: 1, ..SampleCall::at(&[n]).moves(1, n.into(), 0) };
        let root = SampleCall { gas: last.into(), ..SampleCall::at(&[]).moves(1, last.into(), 0) };
        let known = SampleCall { path: vec![last], ..call(0) };
        let calls = [vec![root], (0..last).map(call).collect(), vec![known]].concat();
        let functions = by_function(&sample_tree(&calls));
        assert_eq!(functions.len(), MAX_FUNCTIONS + 1);
        let of = |call: u32| functions.iter().find(|f| f.first_calls().contains(&call)).unwrap();
        let others = of(last);
        assert!(others.is_of_others && others.first_calls() == [last - 1, last]);
        assert_eq!(of(1).first_calls(), [1, last + 1], "a function that was known before");
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

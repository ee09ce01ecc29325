//! Places logs in a call tree: at the only call that can have emitted them.
//!
//! A log is emitted by a call that runs as its address: a call to it or its creation, or a delegatecall
//! below. Static calls emit nothing, and failed calls lose their logs. The order of the logs and of the
//! calls rules out others. If one call is left, the log is placed there, as late among its children as
//! the following logs allow, but if that is unclear, before failed ones and in a delegatecall that has
//! just ended that runs the same code.
//!
//! A delegatecall emits as the address of its caller, so a call with one leaves the code unclear. The code
//! of a known proxy emits nothing in a call that it forwards: the log is in the delegatecall. Logs on both
//! sides from below a delegatecall place it there too. Any other place next to a delegatecall is a guess.

use std::collections::HashMap;

use super::{CallFrame, CallKind, CallTree};
use crate::chain::Address;

/// Maximum calls of a trace whose logs are placed.
const MAX_PLACED_CALLS: u32 = 100_000;
/// Maximum calls tried for all logs together; beyond it logs are not placed.
const MAX_PLACING_STEPS: u64 = 10_000_000;
/// Maximum rounds in which placed logs narrow down the others.
const MAX_ROUNDS: usize = 4;

/// A log with its emitter, and its call if known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EmittedLog {
    pub emitter: Option<Address>,
    /// The emitting call, if it is known.
    pub call: Option<u32>,
    /// `true` if the emitter is known as a proxy.
    pub is_proxy: bool,
    /// `true` if the event is the one with which a proxy takes its code.
    pub is_upgrade: bool,
}

/// Certainty of a log's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceCertainty {
    Certain,
    /// The trace leaves several places in the call, of which this is the last that follows no failed call.
    Call,
    /// A delegatecall may have emitted the log instead, or its caller.
    Guess,
}

/// Position of a log in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogPlace {
    pub call: u32,
    /// Frame that follows the log in call order: a child of the call, or the first frame after all of
    /// them.
    pub before: u32,
    pub certainty: PlaceCertainty,
}

impl LogPlace {
    pub fn is_certain(&self) -> bool {
        self.certainty == PlaceCertainty::Certain
    }

    /// Returns `true` if the call emitted the log, at this place or another.
    pub fn is_call_certain(&self) -> bool {
        self.certainty != PlaceCertainty::Guess
    }
}

/// Position of a log as reported by a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedPlace {
    pub emitter: Address,
    pub path: Vec<u32>,
    /// Number of calls that the call made before.
    pub position: u64,
}

/// Calls that can have emitted a log.
#[derive(Debug, Clone, Copy)]
struct Emitters<'a> {
    calls: &'a [u32],
    /// Frame after whose start the calls end.
    after: u32,
    /// Frame before which the calls begin.
    before: u32,
}

impl Emitters<'_> {
    fn fitting<'a>(&'a self, tree: &'a CallTree) -> impl Iterator<Item = u32> + 'a {
        let begun = self.calls.iter().copied().take_while(|call| *call < self.before);
        begun.filter(|call| tree.end(*call) > self.after)
    }

    fn only(&self, tree: &CallTree) -> Option<u32> {
        let mut fitting = self.fitting(tree);
        fitting.next().filter(|_| fitting.next().is_none())
    }
}

/// Returns the place of each log, if it is certain. The logs are in the order of emission.
pub fn place_logs(tree: &CallTree, logs: &[EmittedLog]) -> Vec<Option<LogPlace>> {
    let count = logs.len() as u64;
    let is_too_long = u64::from(tree.len()).max(count) * count > MAX_PLACING_STEPS;
    if logs.is_empty() || tree.len() > MAX_PLACED_CALLS || is_too_long || !is_whole(tree) {
        return vec![None; logs.len()];
    }
    let calls = emitting_calls(tree, logs);
    let emitters = |log: &EmittedLog| {
        let all = log
            .emitter
            .and_then(|emitter| calls.get(&emitter))
            .map(Vec::as_slice)
            .unwrap_or_default();
        let known = log.call.and_then(|call| all.binary_search(&call).ok());
        let calls = known.and_then(|known| all.get(known..=known)).unwrap_or(all);
        Emitters { calls, after: 0, before: u32::MAX }
    };
    let mut emitters: Vec<Emitters<'_>> = logs.iter().map(emitters).collect();
    for _ in 0..MAX_ROUNDS {
        narrow(tree, &mut emitters);
    }
    let calls: Vec<Option<u32>> = emitters.iter().map(|emitters| emitters.only(tree)).collect();
    (0..calls.len()).map(|log| place(tree, &calls, logs, log)).collect()
}

/// The children of calls, listed once for each: a walk over siblings for each log would take the square
/// of their number.
struct ChildLists<'a> {
    tree: &'a CallTree,
    children: HashMap<u32, Vec<u32>>,
}

impl<'a> ChildLists<'a> {
    fn new(tree: &'a CallTree) -> Self {
        Self { tree, children: HashMap::new() }
    }

    fn get(&mut self, call: u32) -> &[u32] {
        self.children.entry(call).or_insert_with(|| self.tree.children(call).collect())
    }

    /// Returns the call at a path.
    fn find(&mut self, path: &[u32]) -> Option<u32> {
        let tree = self.tree;
        path.iter().try_fold(tree.roots().next()?, |call, index| {
            let children = self.get(call);
            let child_index = |child: &u32| tree.get(*child).map(|frame| frame.child_index);
            let place = children.binary_search_by_key(&Some(*index), child_index).ok()?;
            children.get(place).copied()
        })
    }

    fn find_place(&mut self, log: &StatedPlace, is_committed: bool) -> Option<LogPlace> {
        let tree = self.tree;
        let call = self.find(&log.path)?;
        let mut callers = std::iter::once(call).chain(tree.ancestors(call));
        let runs_as = callers.find(|frame| tree.get(*frame).is_some_and(has_own_address))?;
        let fits = tree.get(call)?.is_committed() == is_committed
            && tree.target_address(runs_as) == Some(log.emitter);
        let next = usize::try_from(log.position).ok().and_then(|n| self.get(call).get(n).copied());
        let before = next.unwrap_or(tree.end(call));
        fits.then_some(LogPlace { call, before, certainty: PlaceCertainty::Certain })
    }
}

/// Returns the reported places, unless one of them is not in a call of the log's contract: then paths
/// differ between the node and the trace.
pub fn find_stated_places(tree: &CallTree, logs: &[StatedPlace]) -> Option<Vec<Option<LogPlace>>> {
    let mut children = ChildLists::new(tree);
    logs.iter().map(|log| children.find_place(log, true).map(Some)).collect()
}

/// Returns the reported places of logs of calls whose effects were undone.
pub fn find_undone_places(tree: &CallTree, logs: &[Option<StatedPlace>]) -> Vec<Option<LogPlace>> {
    let mut children = ChildLists::new(tree);
    logs.iter().map(|log| children.find_place(log.as_ref()?, false)).collect()
}

/// Returns `true` if no call is missing.
pub fn is_whole(tree: &CallTree) -> bool {
    tree.orphan_count() == 0
        && tree.summary().is_some_and(|summary| {
            summary.error.is_none()
                && summary.unreadable == 0
                && summary.child_count_mismatches == 0
        })
}

/// Returns the calls that run as each of the logs' addresses, without calls that cannot emit.
fn emitting_calls(tree: &CallTree, logs: &[EmittedLog]) -> HashMap<Address, Vec<u32>> {
    let emitters = logs.iter().filter_map(|log| log.emitter);
    let mut calls: HashMap<Address, Vec<u32>> =
        emitters.map(|emitter| (emitter, Vec::new())).collect();
    let mut number = 0;
    while let Some(frame) = tree.get(number) {
        if frame.failed() || frame.kind == CallKind::StaticCall {
            number = tree.end(number);
            continue;
        }
        let runs_as = tree.address(frame.to).filter(|_| has_own_address(frame));
        if let Some(calls) = runs_as.and_then(|address| calls.get_mut(&address)) {
            calls.push(number);
        }
        number += 1;
    }
    calls
}

/// Returns `true` if a call runs as the address that it calls or creates.
fn has_own_address(frame: &CallFrame) -> bool {
    matches!(frame.kind, CallKind::Call | CallKind::Create | CallKind::Create2 | CallKind::Other)
}

/// Rules out calls that end before an earlier log can have been emitted, or begin after a later one.
fn narrow(tree: &CallTree, logs: &mut [Emitters<'_>]) {
    let mut after = 0;
    for log in logs.iter_mut() {
        log.after = after;
        after = log.fitting(tree).next().unwrap_or(0).max(after);
    }
    let mut before = u32::MAX;
    for log in logs.iter_mut().rev() {
        log.before = before;
        before = log.fitting(tree).map(|call| tree.end(call)).max().unwrap_or(before).min(before);
    }
}

/// Places a log in its call, before the child that emitted the next log below the call.
fn place(
    tree: &CallTree,
    calls: &[Option<u32>],
    logs: &[EmittedLog],
    log: usize,
) -> Option<LogPlace> {
    let mut call = (*calls.get(log)?)?;
    let EmittedLog { emitter, is_proxy, is_upgrade, .. } = *logs.get(log)?;
    let (earlier, later) = calls.split_at_checked(log)?;
    let mut is_code_known = true;
    let before = loop {
        if let Some(code) = forwarded_call(tree, call) {
            is_code_known &= is_proxy && tree.target_address(call) == emitter;
            call = code;
            continue;
        }
        let is_below = |frame: &u32| *frame > call && *frame < tree.end(call);
        let Some(next) = later.iter().flatten().copied().filter(is_below).min() else {
            break tree.end(call);
        };
        let mut above = std::iter::once(next).chain(tree.ancestors(next));
        let child = above.find(|frame| tree.parent(*frame) == Some(call))?;
        let began = |frame: &u32| *frame > child && *frame < tree.end(child);
        if !is_delegated(tree, child) || !earlier.iter().flatten().any(began) {
            break child;
        }
        (call, is_code_known) = (child, true);
    };
    Some(match certainty(tree, earlier.iter().flatten(), call, before) {
        PlaceCertainty::Certain if is_code_known => {
            LogPlace { call, before, certainty: PlaceCertainty::Certain }
        }
        PlaceCertainty::Call if is_code_known => {
            let before = before_failed(tree, call, before);
            LogPlace { call, before, certainty: PlaceCertainty::Call }
        }
        _ => {
            // A constructor takes the code before it runs its initializer.
            let is_first = is_upgrade && tree.get(call)?.kind.creates();
            let initializer = tree.children(call).find(|child| is_delegated(tree, *child));
            let (call, before) = match initializer.filter(|_| is_first) {
                Some(initializer) => (call, initializer),
                None => in_last_delegate(tree, emitter, call, before_failed(tree, call, before)),
            };
            LogPlace { call, before, certainty: PlaceCertainty::Guess }
        }
    })
}

fn is_delegated(tree: &CallTree, call: u32) -> bool {
    tree.get(call).is_some_and(|frame| frame.kind.is_delegated())
}

/// Returns the delegatecall to which a call leaves its calldata as its last step, as a proxy does. Static calls
/// before it ask for the code.
fn forwarded_call(tree: &CallTree, call: u32) -> Option<u32> {
    let is_static =
        |child: &u32| tree.get(*child).is_some_and(|child| child.kind == CallKind::StaticCall);
    let code = tree.children(call).find(|child| !is_static(child))?;
    let (caller, frame) = (tree.get(call)?, tree.get(code)?);
    let is_last = tree.end(code) == tree.end(call);
    let is_forwarded = is_last
        && frame.kind == CallKind::DelegateCall
        && frame.is_committed()
        && !caller.kind.creates()
        && frame.input.len() == caller.input.len()
        && tree.body.bytes(frame.input) == tree.body.bytes(caller.input);
    is_forwarded.then_some(code)
}

/// Returns the first of the failed children directly before a place in a call, or the place. They emitted
/// nothing: an event after one would look like an outcome of it.
fn before_failed(tree: &CallTree, call: u32, place: u32) -> u32 {
    let children = tree.children(call).take_while(|child| *child < place);
    let first = children.fold(None, |first, child| {
        tree.get(child).filter(|frame| frame.failed()).and(first.or(Some(child)))
    });
    first.unwrap_or(place)
}

/// Returns the end of the delegated call that has just ended at a place in a call, or the place. Code that calls
/// its own functions in this way emits at their ends rather than between them, and a constructor leaves the
/// first events to an initializer; other code, such as a library's, may emit nothing.
fn in_last_delegate(
    tree: &CallTree,
    emitter: Option<Address>,
    mut call: u32,
    mut place: u32,
) -> (u32, u32) {
    let ended = |call: u32, place: u32| {
        let last = tree.children(call).take_while(|child| *child < place).last()?;
        let frame = tree.get(last)?;
        let code = tree.target_address(last);
        let is_likely = code == tree.target_address(call)
            || code == emitter
            || forwarded_call(tree, call) == Some(last)
            || tree.get(call)?.kind.creates();
        (is_likely && frame.kind.is_delegated() && frame.is_committed()).then_some(last)
    };
    while let Some(last) = ended(call, place) {
        (call, place) = (last, tree.end(last));
    }
    (call, place)
}

/// Returns the certainty of a place: no call may lie between it and the last of the earlier logs below the
/// call, and no delegatecall that may have emitted the log.
fn certainty<'a>(
    tree: &CallTree,
    earlier: impl Iterator<Item = &'a u32>,
    call: u32,
    before: u32,
) -> PlaceCertainty {
    let is_below = |frame: &u32| *frame > call && *frame < tree.end(call);
    let last = earlier.copied().filter(is_below).max().unwrap_or(call);
    let around = tree.children(call).skip_while(|child| tree.end(*child) <= last);
    let near: Vec<u32> = around.take_while(|child| *child <= before).collect();
    let can_emit = |child: &u32| {
        is_delegated(tree, *child) && tree.get(*child).is_some_and(CallFrame::is_committed)
    };
    if near.iter().any(can_emit) {
        PlaceCertainty::Guess
    } else if near.iter().any(|child| *child > last && *child < before) {
        PlaceCertainty::Call
    } else {
        PlaceCertainty::Certain
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;
    use crate::chain::U256;
    use crate::trace::test_util::{SampleCall, calls_by_level_ups, sample_tree};

    fn account(n: u64) -> Address {
        Address::from_word(U256::from(n).into())
    }

    fn call(path: &[u32], to: u64) -> SampleCall {
        SampleCall::at(path).moves(0xa, to, 0)
    }

    /// Returns the call of each log, with the frame that follows the log.
    fn places(calls: &[SampleCall], emitters: &[u64]) -> Vec<Option<(u32, u32)>> {
        let log = |n: &u64| EmittedLog { emitter: Some(account(*n)), ..EmittedLog::default() };
        let logs: Vec<_> = emitters.iter().map(log).collect();
        let places = place_logs(&sample_tree(calls), &logs);
        places.into_iter().map(|place| place.map(|place| (place.call, place.before))).collect()
    }

    #[test]
    fn logs_stand_before_the_calls_of_later_ones() {
        let calls = [call(&[], 1), call(&[0], 2), call(&[1], 3), call(&[2], 4)];
        assert_eq!(
            places(&calls, &[2, 1, 4, 1, 9]),
            [Some((1, 2)), Some((0, 3)), Some((3, 4)), Some((0, 4)), None]
        );
    }

    #[test]
    fn place_is_certain_if_the_trace_leaves_no_other() {
        let is_certain = |calls: &[SampleCall], emitters: &[u64]| {
            let log = |n: &u64| EmittedLog { emitter: Some(account(*n)), ..EmittedLog::default() };
            let logs: Vec<_> = emitters.iter().map(log).collect();
            let places = place_logs(&sample_tree(calls), &logs);
            places.into_iter().map(|place| place.unwrap().is_certain()).collect::<Vec<_>>()
        };
        let calls = [call(&[], 1), call(&[0], 2), call(&[1], 3)];
        assert_eq!(is_certain(&calls, &[1]), [false], "before, between or after its calls");
        assert_eq!(is_certain(&calls, &[1, 2, 1, 3, 1]), [true; 5]);
        let failed =
            [call(&[], 1), call(&[0], 2), call(&[1], 3).failed("0x"), call(&[2], 3).failed("0x")];
        assert_eq!(is_certain(&failed, &[2, 1]), [true, false]);
        assert_eq!(
            places(&failed, &[2, 1]),
            [Some((1, 2)), Some((0, 2))],
            "not after a failed call"
        );
        let delegated = [call(&[], 1), call(&[0], 1).kind("delegatecall"), call(&[1], 3)];
        assert_eq!(is_certain(&delegated, &[1, 3]), [false, true], "or in the delegatecall");
        assert_eq!(is_certain(&delegated[..2], &[1]), [false], "or in its only delegatecall");
    }

    #[test]
    fn event_of_code_stands_in_the_delegatecall_of_its_proxy() {
        use PlaceCertainty::{Call, Certain, Guess};
        let place = |calls: &[SampleCall], is_proxy| {
            let log = EmittedLog { emitter: Some(account(1)), is_proxy, ..EmittedLog::default() };
            let place = place_logs(&sample_tree(calls), &[log])[0].unwrap();
            (place.call, place.before, place.certainty)
        };
        let code = || call(&[0], 5).kind("delegatecall");
        let proxy = [call(&[], 1), code()];
        assert_eq!(place(&proxy, true), (1, 2, Certain));
        assert_eq!(place(&proxy, false), (1, 2, Guess), "its own code may emit too");
        let working = [call(&[], 1), code(), call(&[0, 0], 2)];
        assert_eq!(place(&working, true), (1, 3, Call));
        let beacon =
            [call(&[], 1), call(&[0], 4).kind("staticcall"), call(&[1], 5).kind("delegatecall")];
        assert_eq!(place(&beacon, true), (2, 3, Certain));
        let library = [call(&[], 1), code().input("0x12345678")];
        assert_eq!(place(&library, true), (0, 2, Guess), "after it, more likely");
        let own_function = [call(&[], 1), call(&[0], 1).kind("delegatecall").input("0x12345678")];
        assert_eq!(place(&own_function, false), (1, 2, Guess));
        let failed = [call(&[], 1), code().failed("0x")];
        assert_eq!(place(&failed, true).0, 0);
    }

    #[test]
    fn constructor_takes_its_code_before_it_runs_the_initializer() {
        let calls =
            [call(&[], 1).kind("create"), call(&[0], 5).kind("delegatecall").input("0x12345678")];
        let log = EmittedLog { emitter: Some(account(1)), ..EmittedLog::default() };
        let logs = [EmittedLog { is_upgrade: true, ..log }, log];
        let places = place_logs(&sample_tree(&calls), &logs);
        let places = places.into_iter().flatten().map(|place| (place.call, place.before));
        assert_eq!(places.collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    }

    #[test]
    fn static_and_failed_calls_emit_nothing() {
        let calls = [
            call(&[], 1),
            call(&[0], 2).kind("staticcall"),
            call(&[0, 0], 2),
            call(&[1], 2).failed("0x"),
            call(&[1, 0], 2),
            call(&[2], 2),
        ];
        assert_eq!(places(&calls, &[2]), [Some((5, 6))]);
    }

    #[test]
    fn two_calls_that_may_have_emitted_a_log_leave_it_unplaced_unless_its_order_shows() {
        let calls = [call(&[], 1), call(&[0], 2), call(&[1], 3), call(&[2], 2)];
        assert_eq!(places(&calls, &[2]), [None]);
        assert_eq!(places(&calls, &[2, 3]), [Some((1, 2)), Some((2, 3))]);
        assert_eq!(places(&calls, &[3, 2]), [Some((2, 3)), Some((3, 4))]);
    }

    #[test]
    fn proxies_emit_what_their_implementation_emits() {
        let proxy =
            [call(&[], 1), call(&[0], 5).kind("delegatecall"), call(&[0, 0], 2), call(&[0, 1], 3)];
        assert_eq!(places(&proxy, &[1]), [Some((1, 4))]);
        let within = [Some((2, 3)), Some((1, 3)), Some((3, 4))];
        assert_eq!(places(&proxy, &[2, 1, 3]), within, "it was emitted below the delegatecall");
    }

    #[test]
    fn stated_places_are_taken_if_all_fit() {
        let calls =
            [call(&[], 1), call(&[0], 2), call(&[1], 5).kind("delegatecall"), call(&[2], 2)];
        let tree = sample_tree(&calls);
        let stated = |emitter: u64, path: &[u32], position: u64| StatedPlace {
            emitter: account(emitter),
            path: path.to_vec(),
            position,
        };
        let logs = [stated(1, &[], 0), stated(2, &[0], 0), stated(1, &[1], 0), stated(1, &[], 9)];
        let places: Vec<_> = find_stated_places(&tree, &logs)
            .unwrap()
            .into_iter()
            .flatten()
            .map(|place| (place.call, place.before))
            .collect();
        assert_eq!(places, [(0, 1), (1, 2), (2, 3), (0, 4)]);
        for wrong in [stated(2, &[1], 0), stated(2, &[3], 0), stated(3, &[2], 0)] {
            assert_eq!(find_stated_places(&tree, &[stated(1, &[], 0), wrong]), None);
        }
    }

    #[test]
    fn undone_logs_are_placed_in_failed_calls_only() {
        let calls = [call(&[], 1), call(&[0], 2).failed("0x"), call(&[0, 0], 3), call(&[1], 2)];
        let tree = sample_tree(&calls);
        let place = |emitter, path: &[u32], position| {
            let stated = StatedPlace { emitter: account(emitter), path: path.to_vec(), position };
            let place = find_undone_places(&tree, &[Some(stated)])[0];
            place.map(|place| (place.call, place.before))
        };
        assert_eq!(place(2, &[0], 0), Some((1, 2)));
        assert_eq!(place(2, &[0], 1), Some((1, 3)));
        assert_eq!(place(3, &[0, 0], 0), Some((2, 3)), "the call around it failed");
        assert_eq!([place(1, &[], 0), place(2, &[1], 0), place(9, &[0], 0)], [None; 3]);
    }

    #[test]
    fn time_of_stated_places_grows_with_their_number_only() {
        const CALLS: u32 = 30_000;
        let root = call(&[], 1).failed("0x");
        let calls = (0..CALLS).map(|n| call(&[n], 2));
        let tree = sample_tree(&[root].into_iter().chain(calls).collect::<Vec<_>>());
        let in_child = |n| Some(StatedPlace { emitter: account(2), path: vec![n], position: 0 });
        let at_root =
            |n| Some(StatedPlace { emitter: account(1), path: vec![], position: u64::from(n) });
        let logs: Vec<_> = (0..CALLS).flat_map(|n| [in_child(n), at_root(n)]).collect();
        let started = Instant::now();
        let places = find_undone_places(&tree, &logs);
        assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
        let certain = |call, before| LogPlace { call, before, certainty: PlaceCertainty::Certain };
        assert_eq!(places[2 * 7_000], Some(certain(7_001, 7_002)));
        assert_eq!(places[2 * 7_000 + 1], Some(certain(0, 7_001)));
    }

    #[test]
    fn too_many_logs_are_not_placed() {
        let calls = [call(&[], 1)];
        assert!(places(&calls, &vec![1; 3_000]).iter().all(Option::is_some));
        assert!(places(&calls, &vec![1; 4_000]).iter().all(Option::is_none));
    }

    #[test]
    fn incomplete_trace_places_nothing() {
        let calls = [call(&[], 1), call(&[0, 0], 2)];
        assert_eq!(places(&calls, &[1, 2]), [None, None], "a call is missing");
    }

    proptest! {
        /// Each log was emitted at a time between the beginnings of two calls.
        #[test]
        fn placed_logs_stand_at_their_calls(
            ups in prop::collection::vec(0usize..4, 0..30),
            targets in prop::collection::vec(1u64..6, 31),
            kinds in prop::collection::vec(0u8..12, 31),
            emitted in prop::collection::vec((0usize..31, 0usize..4), 0..20),
        ) {
            let calls: Vec<SampleCall> = calls_by_level_ups(&ups).into_iter().zip(&targets).zip(&kinds).map(|((call, to), kind)| {
                let call = call.moves(0xa, *to, 0);
                match kind {
                    0 => call.failed("0x"),
                    1 => call.kind("staticcall"),
                    2 | 3 => call.kind("delegatecall"),
                    _ => call,
                }
            }).collect();
            let tree = sample_tree(&calls);
            let context = |call: u32| {
                let own = |frame: &u32| !tree.get(*frame).unwrap().kind.is_delegated();
                std::iter::once(call).chain(tree.ancestors(call)).find(own)
            };
            let can_emit = |start: u32| std::iter::once(start).chain(tree.ancestors(start)).all(|call| {
                let frame = tree.get(call).unwrap();
                !frame.failed() && frame.kind != CallKind::StaticCall
            });
            // The emitting call is the innermost one at that time, or one of its ancestors.
            let mut logs: Vec<(u32, u32)> = emitted.iter().filter_map(|(time, up)| {
                let time = u32::try_from(*time).unwrap() % tree.len();
                let call = std::iter::once(time).chain(tree.ancestors(time)).nth(*up)?;
                (can_emit(call) && context(call).is_some()).then_some((time, call))
            }).collect();
            // If several end at the same time, inner calls come first.
            logs.sort_by_key(|(time, call)| (*time, std::cmp::Reverse(*call)));
            let sent: Vec<EmittedLog> = logs.iter().map(|(_, call)| EmittedLog {
                emitter: context(*call).and_then(|runs_as| tree.target_address(runs_as)),
                is_proxy: call % 2 == 0,
                ..EmittedLog::default()
            }).collect();
            let placed = place_logs(&tree, &sent);
            prop_assert_eq!(placed.len(), logs.len());
            for ((time, call), place) in logs.iter().zip(placed) {
                let Some(place) = place else { continue };
                prop_assert_eq!(context(place.call), context(*call), "the wrong call at {}", time);
                prop_assert!(can_emit(place.call));
                prop_assert!(place.before > place.call && place.before <= tree.end(place.call));
                prop_assert!(place.before == tree.end(place.call) || tree.parent(place.before) == Some(place.call));
            }
        }
    }
}

//! Folds, hidden calls and the order of siblings.

use std::cmp::Reverse;

use super::TracePane;
use crate::action::Action;
use crate::calls::search::CallSearch;
use crate::messages::trace;
use crate::pane::Command;
use crate::pane::export::RowSort;
use crate::trace::log_rows::TraceRow;
use crate::trace::tree::{FrameClass, to_index};
use crate::trace::{CallFrame, CallKind, CallTree, VisibleFrames};

/// Failed calls, and calls with value, whose ancestors are expanded initially; more would expand everything.
const MAX_INITIAL_PATHS: usize = 200;

/// Size above which traces are not sorted: every fold would sort again.
const MAX_SORTED_CALLS: u32 = 100_000;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum SiblingOrder {
    #[default]
    Call,
    Gas,
    OwnGas,
    Value,
}

impl SiblingOrder {
    fn next(self) -> Self {
        match self {
            Self::Call => Self::Gas,
            Self::Gas => Self::OwnGas,
            Self::OwnGas => Self::Value,
            Self::Value => Self::Call,
        }
    }

    /// The orders that a command line can name.
    const NAMED: [(Self, &str); 3] =
        [(Self::Gas, "gas"), (Self::OwnGas, "self"), (Self::Value, "value")];

    pub(super) fn as_sort(self) -> Option<RowSort> {
        let (_, column) = Self::NAMED.into_iter().find(|(order, _)| *order == self)?;
        Some(RowSort { column: column.into(), descending: true })
    }

    pub(super) fn from_sort(sort: &RowSort) -> Option<Self> {
        let mut orders = Self::NAMED.into_iter().map(|(order, _)| order);
        orders.find(|order| order.as_sort().as_ref() == Some(sort))
    }

    pub(super) fn names() -> Vec<&'static str> {
        Self::NAMED.map(|(_, name)| name).into()
    }

    /// Returns a note about the order, unless it is the call order.
    pub(super) fn label(self) -> Option<&'static str> {
        match self {
            Self::Call => None,
            Self::Gas => Some(trace::SORTED_BY_GAS),
            Self::OwnGas => Some(trace::SORTED_BY_SELF_GAS),
            Self::Value => Some(trace::SORTED_BY_VALUE),
        }
    }

    fn sort_keys(self, tree: &CallTree) -> Option<Vec<u128>> {
        // Saturating is enough for sorting.
        let value = |number| tree.value(number).map_or(0, |wei| wei.saturating_to());
        let key = |(number, frame): (u32, &CallFrame)| match self {
            Self::Call => 0,
            Self::Gas => frame.gas_used().unwrap_or(0).into(),
            Self::OwnGas => frame.own_gas().map_or(0, |(own, _)| own).into(),
            Self::Value => value(number),
        };
        (self != Self::Call).then(|| (0..).zip(tree.frames()).map(key).collect())
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct HiddenCalls {
    pub(super) static_calls: bool,
    pub(super) proxies: bool,
    pub(super) all_but_failures: bool,
}

impl HiddenCalls {
    /// Describes the hidden calls, and the key that shows them.
    pub(super) fn describe(self) -> &'static str {
        match (self.static_calls, self.all_but_failures) {
            (_, true) => trace::FAILED_ONLY,
            (true, _) => trace::STATIC_HIDDEN,
            _ if self.proxies => trace::PROXIES_MERGED,
            _ => trace::ALL_SHOWN,
        }
    }
}

/// Folding of the rows of calls: expanded, hidden, and sorted.
#[derive(Debug, Default)]
pub(super) struct CallFolding {
    pub(super) visible: VisibleFrames,
    pub(super) hidden: HiddenCalls,
    pub(super) order: SiblingOrder,
    /// The calls behind proxies, if they were searched in the whole trace: each is compared with its proxy.
    pub(super) proxied: Option<Vec<u32>>,
}

impl TracePane {
    /// Folds, hides or sorts calls. Returns the resulting commands, or `None` for other actions.
    pub(super) fn fold(&mut self, action: Action) -> Option<Vec<Command>> {
        let at = self.cursor.call;
        let mut notice = None;
        match action {
            Action::Toggle | Action::NextCell | Action::PreviousCell
                if self.cursor.log_row.is_some() =>
            {
                self.fold_at_log(action);
            }
            Action::Toggle => self.set_open(at, !self.folding.visible.is_expanded(at)),
            Action::NextCell => self.expand_or_enter(),
            Action::PreviousCell => self.collapse_or_leave(),
            Action::FoldSiblings => self.set_open_each(self.siblings(), false),
            Action::FoldSiblingsDeep => self.set_open_each(self.siblings_with_inner(), false),
            Action::UnfoldSiblings => notice = self.unfold_each(self.siblings()),
            Action::UnfoldSiblingsDeep => notice = self.unfold_each(self.siblings_with_inner()),
            Action::FoldAll => {
                self.list_unplaced(false);
                self.set_all_open(|_| false);
            }
            Action::UnfoldAll => notice = self.unfold_all(),
            Action::HideStatic => {
                notice = Some(self.change_hidden(|hidden| hidden.static_calls ^= true));
            }
            Action::MergeProxies => {
                notice = Some(self.change_hidden(|hidden| hidden.proxies ^= true));
            }
            Action::OnlyFailures => notice = Some(self.toggle_only_failures()),
            Action::SortSiblings => notice = Some(self.sort_siblings(self.folding.order.next())),
            _ => self.open_to_depth(depth_of_action(action)?),
        }
        Some(notice.into_iter().collect())
    }

    fn set_open(&mut self, number: u32, open: bool) {
        self.folding.visible.set_expanded(&self.tree, number, open);
    }

    /// Lists the logs without a place, or leaves the log under the cursor for its call or its heading.
    fn fold_at_log(&mut self, action: Action) {
        let is_listed = self.logs.lists_unplaced;
        match (self.cursor.log_row, action) {
            (Some(TraceRow::Unplaced), Action::Toggle) => self.list_unplaced(!is_listed),
            (Some(TraceRow::Unplaced), _) => self.list_unplaced(action == Action::NextCell),
            (Some(TraceRow::Log(log)), Action::PreviousCell) => {
                let is_placed = self.logs.place(log).is_some();
                self.cursor.log_row = (!is_placed).then_some(TraceRow::Unplaced);
            }
            _ => {}
        }
    }

    /// Expands the selected call, or selects its first row.
    fn expand_or_enter(&mut self) {
        if self.folding.visible.is_expanded(self.cursor.call) {
            let next = self.cursor_row() + 1;
            let calls = self.tree.subtree(self.cursor.call);
            let is_inside = match self.logs.rows.get(&self.folding.visible, next) {
                Some(TraceRow::Call(child)) => calls.contains(&child),
                Some(TraceRow::Log(log)) => {
                    self.logs.place(log).is_some_and(|place| calls.contains(&place.call))
                }
                _ => false,
            };
            if is_inside {
                self.select_row(next);
            }
        } else {
            self.set_open(self.cursor.call, true);
        }
    }

    /// Collapses the selected call, or selects its parent.
    fn collapse_or_leave(&mut self) {
        if !self.is_leaf(self.cursor.call) && self.folding.visible.is_expanded(self.cursor.call) {
            self.set_open(self.cursor.call, false);
            return;
        }
        let is_visible = |call: &u32| self.folding.visible.is_visible(*call);
        let parent = self.tree.ancestors(self.cursor.call).find(is_visible);
        if let Some(parent) = parent {
            self.select(parent);
        }
    }

    /// Returns the calls of the same caller as the selected one, and that one.
    fn siblings(&self) -> Vec<u32> {
        match self.tree.parent(self.cursor.call) {
            Some(parent) => self.tree.children(parent).collect(),
            None => self.tree.roots().collect(),
        }
    }

    /// Returns the siblings of the selected call with all calls inside.
    fn siblings_with_inner(&self) -> Vec<u32> {
        match self.tree.parent(self.cursor.call) {
            Some(parent) => (parent + 1..self.tree.end(parent)).collect(),
            None => self.tree.subtree(self.cursor.call).collect(),
        }
    }

    fn set_open_each(&mut self, calls: Vec<u32>, open: bool) {
        self.folding.visible.set_many(&self.tree, calls.into_iter().map(|call| (call, open)));
    }

    /// Unfolds calls. Returns a notice if they were.
    fn unfold_each(&mut self, calls: Vec<u32>) -> Option<Command> {
        let is_open = |call: &u32| self.folding.visible.is_expanded(*call) || self.is_leaf(*call);
        let are_open = calls.iter().all(is_open);
        self.set_open_each(calls, true);
        are_open.then_some(Command::NotifyKeys(trace::SIBLINGS_UNFOLDED))
    }

    /// Returns `true` if a call contains neither calls nor events.
    pub(super) fn is_leaf(&self, call: u32) -> bool {
        let calls = self.tree.subtree(call);
        calls.len() <= 1 && !self.logs.are_in(&calls)
    }

    fn set_all_open(&mut self, open: impl Fn(u32) -> bool) {
        self.folding.visible.set_all(&self.tree, open);
        self.select_visible_ancestor();
    }

    /// Unfolds all calls. Returns a notice if they were.
    fn unfold_all(&mut self) -> Option<Command> {
        let before = (self.folding.visible.rows().len(), self.logs.lists_unplaced);
        self.list_unplaced(self.logs.unplaced_count() > 0);
        self.set_all_open(|_| true);
        let after = (self.folding.visible.rows().len(), self.logs.lists_unplaced);
        (after == before).then_some(Command::NotifyKeys(trace::ALL_UNFOLDED))
    }

    fn open_to_depth(&mut self, depth: u16) {
        let tree = self.tree.clone();
        self.set_all_open(|number| tree.get(number).is_some_and(|frame| frame.depth + 1 < depth));
    }

    /// Selects the nearest visible ancestor if the selected call is hidden.
    pub(super) fn select_visible_ancestor(&mut self) {
        if !self.folding.visible.is_visible(self.cursor.call) {
            let row = self.folding.visible.row_of(self.cursor.call);
            self.select(self.folding.visible.rows().get(row).copied().unwrap_or(self.cursor.call));
        }
    }

    fn toggle_only_failures(&mut self) -> Command {
        let has_failures = !self.tree.frames_of(FrameClass::Failed).is_empty();
        if !self.folding.hidden.all_but_failures && !has_failures {
            return Command::NotifyKeys(trace::NO_FAILED_CALL);
        }
        self.change_hidden(|hidden| hidden.all_but_failures ^= true)
    }

    /// Changes which calls are hidden. Returns a notice that names them.
    fn change_hidden(&mut self, change: impl FnOnce(&mut HiddenCalls)) -> Command {
        change(&mut self.folding.hidden);
        self.apply_hidden();
        Command::NotifyKeys(self.folding.hidden.describe())
    }

    /// Hides calls according to the settings and the filter.
    pub(super) fn apply_hidden(&mut self) {
        let hidden = self.folding.hidden;
        let known = self.folding.proxied.take();
        let proxied = hidden.proxies.then(|| known.unwrap_or_else(|| proxied_calls(&self.tree)));
        let hits = self.finding.filter.as_ref().map(CallSearch::hits);
        let mask = hidden_mask(&self.tree, hidden, proxied.as_deref(), hits);
        self.folding.proxied = proxied.filter(|_| self.tree.summary().is_some());
        self.folding.visible.arrange(&self.tree, mask, self.folding.order.sort_keys(&self.tree));
        self.select_visible_ancestor();
    }

    /// Keeps the order of calls in a trace that is too large to be sorted.
    pub(super) fn limit_sorting(&mut self) {
        if self.tree.len() > MAX_SORTED_CALLS {
            self.folding.order = SiblingOrder::Call;
        }
    }

    /// Sorts siblings. Returns a notice with the order, or the reason why they are not sorted.
    pub(super) fn sort_siblings(&mut self, order: SiblingOrder) -> Command {
        if self.tree.len() > MAX_SORTED_CALLS {
            return Command::NotifyKeys(trace::TOO_MANY_TO_SORT);
        }
        self.folding.order = order;
        self.folding.visible.sort_siblings(&self.tree, order.sort_keys(&self.tree));
        Command::NotifyKeys(order.label().unwrap_or("call order"))
    }

    /// Expands everything if the trace fits on two screens; else two levels and the paths to failures,
    /// to calls with value and to the hottest call.
    pub(super) fn apply_initial_folds(&mut self, height: u16) {
        if self.tree.len() <= u32::from(height) * 2 {
            return;
        }
        let open = initial_folds(&self.tree);
        self.folding
            .visible
            .set_all(&self.tree, |number| open.get(to_index(number)).copied().unwrap_or_default());
        self.select_visible_ancestor();
    }
}

fn depth_of_action(action: Action) -> Option<u16> {
    // z1 shows one level below the root.
    (2..).zip(Action::DEPTHS).find(|(_, depth)| *depth == action).map(|(n, _)| n)
}

fn initial_folds(tree: &CallTree) -> Vec<bool> {
    let mut open: Vec<bool> = tree.frames().iter().map(|frame| frame.depth < 2).collect();
    let hot = hottest_call(tree, None, |_| true);
    let sorts = [FrameClass::Failed, FrameClass::WithValue].into_iter();
    let ends = sorts
        .flat_map(|sort| tree.frames_of(sort).iter().take(MAX_INITIAL_PATHS))
        .copied()
        .chain(hot);
    for end in ends {
        for above in tree.ancestors(end) {
            if let Some(place) = usize::try_from(above).ok().and_then(|n| open.get_mut(n)) {
                *place = true;
            }
        }
    }
    open
}

/// Returns the shown call with the most self gas, or the next one after `last`.
pub(super) fn hottest_call(
    tree: &CallTree,
    last: Option<u32>,
    is_shown: impl Fn(u32) -> bool,
) -> Option<u32> {
    let heat = |number: u32| {
        let (own, _) = tree.get(number)?.own_gas().filter(|(own, _)| *own > 0)?;
        Some((own, Reverse(number)))
    };
    let heat_of_last = last.and_then(heat);
    let heats = (0..tree.len()).filter_map(heat);
    let is_later = |heat: &(u64, Reverse<u32>)| heat_of_last.is_none_or(|last| *heat < last);
    let later = heats.filter(|heat| is_later(heat) && is_shown(heat.1.0));
    later.max().map(|(_, Reverse(number))| number)
}

/// Returns the delegatecall of a proxy: its only child, with the same calldata.
fn proxied_call(tree: &CallTree, number: u32) -> Option<u32> {
    let frame =
        tree.get(number).filter(|f| matches!(f.kind, CallKind::Call | CallKind::StaticCall))?;
    let only = number.saturating_add(1);
    let child = tree.get(only).filter(|f| f.kind == CallKind::DelegateCall)?;
    let alone = tree.parent(only) == Some(number) && tree.end(only) == tree.end(number);
    let same = || {
        child.input.len() == frame.input.len()
            && tree.body.bytes(child.input) == tree.body.bytes(frame.input)
    };
    (alone && same()).then_some(only)
}

fn proxied_calls(tree: &CallTree) -> Vec<u32> {
    let delegated = tree.frames_of(FrameClass::Delegated).iter().copied();
    let is_proxied =
        |call: &u32| call.checked_sub(1).and_then(|proxy| proxied_call(tree, proxy)) == Some(*call);
    delegated.filter(is_proxied).collect()
}

/// Returns `true` for each hidden frame; the list is empty if there is none.
fn hidden_mask(
    tree: &CallTree,
    hidden: HiddenCalls,
    proxied: Option<&[u32]>,
    hits: Option<&[u32]>,
) -> Vec<bool> {
    if hidden == HiddenCalls::default() && hits.is_none() {
        return Vec::new();
    }
    let mut out = vec![false; to_index(tree.len())];
    if hidden.all_but_failures {
        hide_all_but(tree, tree.frames_of(FrameClass::Failed), &mut out);
    }
    if let Some(hits) = hits {
        hide_all_but(tree, hits, &mut out);
    }
    if hidden.static_calls {
        hide_static(tree, &mut out);
    }
    for call in proxied.unwrap_or_default() {
        if let Some(place) = out.get_mut(to_index(*call)) {
            *place = true;
        }
    }
    out
}

/// Hides static calls in which nothing failed.
fn hide_static(tree: &CallTree, out: &mut [bool]) {
    let mut failed = tree.frames_of(FrameClass::Failed).iter().peekable();
    let mut hidden_until = 0;
    for call in tree.frames_of(FrameClass::Static) {
        if *call < hidden_until {
            continue;
        }
        let end = tree.end(*call);
        while failed.next_if(|failed| *failed < call).is_some() {}
        if failed.peek().is_none_or(|failed| **failed >= end) {
            out.get_mut(to_index(*call)..to_index(end)).unwrap_or_default().fill(true);
            hidden_until = end;
        }
    }
}

/// Hides everything but some frames and their ancestors.
fn hide_all_but(tree: &CallTree, kept: &[u32], out: &mut [bool]) {
    let mut keep = vec![false; out.len()];
    for number in kept {
        for above in std::iter::once(*number).chain(tree.ancestors(*number)) {
            match keep.get_mut(to_index(above)) {
                Some(place) if !*place => *place = true,
                // Its ancestors were kept before.
                _ => break,
            }
        }
    }
    for (out, keep) in out.iter_mut().zip(keep) {
        *out |= !keep;
    }
}

/// Returns `true` if a frame is drawn in the row of its proxy.
pub(super) fn is_merged_into_proxy(
    visible: &VisibleFrames,
    tree: &CallTree,
    hidden: HiddenCalls,
    number: u32,
) -> bool {
    hidden.proxies
        && visible.is_hidden(number)
        && tree.parent(number).and_then(|parent| proxied_call(tree, parent)) == Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::test_util::{SampleCall, sample_tree};

    #[test]
    fn hottest_calls_have_the_most_gas_of_their_own() {
        let call = |path: &[u32], gas| SampleCall { gas, ..SampleCall::at(path) };
        // Their own: 5, 10, 50, 35, 0.
        let calls =
            [call(&[], 100), call(&[0], 60), call(&[0, 0], 50), call(&[1], 35), call(&[2], 0)];
        let tree = sample_tree(&calls);
        let mut order = vec![hottest_call(&tree, None, |_| true)];
        while let Some(last) = order.last().copied().flatten() {
            order.push(hottest_call(&tree, Some(last), |_| true));
        }
        assert_eq!(order, [Some(2), Some(3), Some(1), Some(0), None]);
        assert_eq!(hottest_call(&tree, None, |number| number != 2), Some(3));
    }
}

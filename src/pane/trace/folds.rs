//! What is folded and what is left out.

use super::Trace;
use crate::msg::Action;
use crate::pane::Want;
use crate::trace::tree::{Sort, at};
use crate::trace::{Frame, Kind, Outline, Tree};

/// Paths of this many frames of a sort are opened at the start; more would open everything.
const PATHS: usize = 200;

/// Longer traces are not sorted: every fold would sort them again.
const SORTED: u32 = 100_000;

/// How siblings stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Order {
    #[default]
    Called,
    Gas,
    OwnGas,
    Value,
}

impl Order {
    fn next(self) -> Self {
        match self {
            Self::Called => Self::Gas,
            Self::Gas => Self::OwnGas,
            Self::OwnGas => Self::Value,
            Self::Value => Self::Called,
        }
    }

    /// The order, where it is not that of the calls.
    pub(super) fn words(self) -> Option<&'static str> {
        match self {
            Self::Called => None,
            Self::Gas => Some("⇅ siblings by gas ({sort_siblings})"),
            Self::OwnGas => Some("⇅ siblings by own gas ({sort_siblings})"),
            Self::Value => Some("⇅ siblings by value ({sort_siblings})"),
        }
    }

    fn keys(self, tree: &Tree) -> Option<Vec<u128>> {
        // More than fits is as good as most: it only sorts.
        let value = |number| tree.value(number).map_or(0, |wei| wei.saturating_to());
        let key = |(number, frame): (u32, &Frame)| match self {
            Self::Called => 0,
            Self::Gas => frame.used().unwrap_or(0).into(),
            Self::OwnGas => frame.own().map_or(0, |(own, _)| own).into(),
            Self::Value => value(number),
        };
        (self != Self::Called).then(|| (0..).zip(tree.frames()).map(key).collect())
    }
}

/// Which calls are left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) static_calls: bool,
    pub(super) proxies: bool,
    pub(super) but_failures: bool,
}

impl Left {
    /// What is left out, and how to get it back.
    pub(super) fn words(self) -> &'static str {
        match (self.static_calls, self.but_failures) {
            (_, true) => "only paths to failed calls ({only_failures}: all)",
            (true, _) => "static calls hidden ({hide_static}: show)",
            _ if self.proxies => "proxies in one row ({merge_proxies}: two)",
            _ => "every call is shown",
        }
    }
}

impl Trace {
    pub(super) fn fold(&mut self, action: Action) -> bool {
        let at = self.selected;
        match action {
            Action::Toggle => self.set_open(at, !self.outline.is_open(at)),
            Action::NextCell => self.step_in(),
            Action::PreviousCell => self.step_out(),
            Action::FoldSiblings => self.set_siblings(false, false),
            Action::FoldSiblingsDeep => self.set_siblings(false, true),
            Action::UnfoldSiblings => self.set_siblings(true, false),
            Action::UnfoldSiblingsDeep => self.set_siblings(true, true),
            Action::FoldAll => self.set_all(|_| false),
            Action::UnfoldAll => self.set_all(|_| true),
            Action::HideStatic => self.leave_out(|left| left.static_calls ^= true),
            Action::MergeProxies => self.leave_out(|left| left.proxies ^= true),
            Action::OnlyFailures => self.leave_out(|left| left.but_failures ^= true),
            Action::SortSiblings => self.sort_otherwise(),
            _ => match depth_of(action) {
                Some(depth) => self.set_depth(depth),
                None => return false,
            },
        }
        true
    }

    fn set_open(&mut self, number: u32, open: bool) {
        self.outline.set_open(&self.tree, number, open);
    }

    /// Unfolds, or goes to the first child.
    fn step_in(&mut self) {
        if self.outline.is_open(self.selected) {
            let next = self.outline.row(self.selected) + 1;
            let child = self.outline.rows().get(next).copied();
            let below = self.tree.subtree(self.selected);
            self.selected = child.filter(|child| below.contains(child)).unwrap_or(self.selected);
        } else {
            self.set_open(self.selected, true);
        }
    }

    /// Folds, or goes to the caller.
    fn step_out(&mut self) {
        let hides = self.tree.end(self.selected) > self.selected.saturating_add(1);
        if hides && self.outline.is_open(self.selected) {
            self.set_open(self.selected, false);
        } else if let Some(parent) =
            self.tree.above(self.selected).find(|f| self.outline.is_in_sight(*f))
        {
            self.selected = parent;
        }
    }

    fn set_siblings(&mut self, open: bool, deep: bool) {
        let frames: Vec<(u32, bool)> = match (self.tree.parent(self.selected), deep) {
            (Some(parent), true) => {
                (parent + 1..self.tree.end(parent)).map(|f| (f, open)).collect()
            }
            (Some(parent), false) => self.tree.children(parent).map(|f| (f, open)).collect(),
            (None, true) => self.tree.subtree(self.selected).map(|f| (f, open)).collect(),
            (None, false) => self.tree.roots().map(|f| (f, open)).collect(),
        };
        self.outline.set_many(&self.tree, frames);
    }

    fn set_all(&mut self, open: impl Fn(u32) -> bool) {
        self.outline.set_all(&self.tree, open);
        self.stay_in_sight();
    }

    fn set_depth(&mut self, depth: u16) {
        let tree = self.tree.clone();
        self.set_all(|number| tree.get(number).is_some_and(|frame| frame.depth + 1 < depth));
    }

    /// If the selected call is hidden now, what hides it is selected.
    pub(super) fn stay_in_sight(&mut self) {
        if !self.outline.is_in_sight(self.selected) {
            let row = self.outline.row(self.selected);
            self.selected = self.outline.rows().get(row).copied().unwrap_or(self.selected);
        }
    }

    fn leave_out(&mut self, change: impl FnOnce(&mut Left)) {
        change(&mut self.left);
        self.apply_left();
        self.said = Some(Want::Tell(self.left.words()));
    }

    /// Leaves out what the settings say, and what a filter does not match.
    pub(super) fn apply_left(&mut self) {
        self.sort();
        let mask =
            mask(&self.tree, self.left, self.filter.as_ref().map(super::search::Search::hits));
        self.outline.leave_out(&self.tree, mask);
        self.stay_in_sight();
    }

    /// The next order of siblings.
    fn sort_otherwise(&mut self) {
        if self.tree.len() > SORTED {
            self.said = Some(Want::Tell("too many calls to sort: they stand as they were called"));
            return;
        }
        self.order = self.order.next();
        self.sort();
        self.said =
            Some(Want::Tell(self.order.words().unwrap_or("calls stand as they were called")));
    }

    fn sort(&mut self) {
        let keys = self.order.keys(&self.tree);
        self.outline.sort(&self.tree, keys);
    }

    /// The folds of a trace that has just become complete: everything is open on up to two screens;
    /// else two levels, and the ways to failures, to values and to the hottest call.
    pub(super) fn fold_at_first(&mut self, height: u16) {
        if self.tree.len() <= u32::from(height) * 2 {
            return;
        }
        let open = first_folds(&self.tree);
        self.outline
            .set_all(&self.tree, |number| open.get(at(number)).copied().unwrap_or_default());
        self.stay_in_sight();
    }
}

fn depth_of(action: Action) -> Option<u16> {
    use Action as A;
    let depths = [
        A::Depth1,
        A::Depth2,
        A::Depth3,
        A::Depth4,
        A::Depth5,
        A::Depth6,
        A::Depth7,
        A::Depth8,
        A::Depth9,
    ];
    // z1 shows one level below the root.
    (2..).zip(depths).find(|(_, depth)| *depth == action).map(|(n, _)| n)
}

fn first_folds(tree: &Tree) -> Vec<bool> {
    let mut open: Vec<bool> = tree.frames().iter().map(|frame| frame.depth < 2).collect();
    let hot = hot_path(tree, 0).last().copied();
    let sorts = [Sort::Failed, Sort::Valued].into_iter();
    let ends = sorts.flat_map(|sort| tree.all(sort).into_iter().take(PATHS)).chain(hot);
    for end in ends {
        for above in tree.above(end) {
            if let Some(place) = usize::try_from(above).ok().and_then(|n| open.get_mut(n)) {
                *place = true;
            }
        }
    }
    open
}

/// From a call down to the child that used most, until one used more itself than any of its children.
pub(super) fn hot_path(tree: &Tree, from: u32) -> Vec<u32> {
    let used =
        |number: &u32| tree.get(*number).and_then(crate::trace::frame::Frame::used).unwrap_or(0);
    let mut path = vec![from];
    let mut at = from;
    while let Some(hottest) = tree.children(at).max_by_key(|child| (used(child), u32::MAX - child))
    {
        let own = tree.get(at).and_then(crate::trace::frame::Frame::own).map_or(0, |(own, _)| own);
        if own > used(&hottest) {
            break;
        }
        path.push(hottest);
        at = hottest;
    }
    path
}

/// The delegatecall that a proxy does nothing else than make: its only child, with the same calldata.
pub(super) fn behind_proxy(tree: &Tree, number: u32) -> Option<u32> {
    let frame = tree.get(number).filter(|f| matches!(f.kind, Kind::Call | Kind::StaticCall))?;
    let only = number.saturating_add(1);
    let child = tree.get(only).filter(|f| f.kind == Kind::DelegateCall)?;
    let alone = tree.parent(only) == Some(number) && tree.end(only) == tree.end(number);
    let same = || {
        child.input.len() == frame.input.len()
            && tree.body.bytes(child.input) == tree.body.bytes(frame.input)
    };
    (alone && same()).then_some(only)
}

/// Which frames are left out; empty when none is.
fn mask(tree: &Tree, left: Left, hits: Option<&[u32]>) -> Vec<bool> {
    if left == Left::default() && hits.is_none() {
        return Vec::new();
    }
    let mut out = vec![false; at(tree.len())];
    if left.but_failures {
        keep_only(tree, &tree.all(Sort::Failed), &mut out);
    }
    if let Some(hits) = hits {
        keep_only(tree, hits, &mut out);
    }
    let mut number = 0;
    while number < tree.len() {
        let is_static = tree.get(number).is_some_and(|f| f.kind == Kind::StaticCall);
        if left.static_calls && is_static && !tree.sum(number).failed.gt(&0) {
            let end = tree.end(number);
            out.get_mut(at(number)..at(end)).unwrap_or_default().fill(true);
            number = end;
            continue;
        }
        if left.proxies
            && let Some(behind) = behind_proxy(tree, number)
            && let Some(place) = out.get_mut(at(behind))
        {
            *place = true;
        }
        number += 1;
    }
    out
}

/// Leaves out everything but some frames and what is above them.
fn keep_only(tree: &Tree, kept: &[u32], out: &mut [bool]) {
    let mut keep = vec![false; out.len()];
    for number in kept {
        for above in std::iter::once(*number).chain(tree.above(*number)) {
            match keep.get_mut(at(above)) {
                Some(place) if !*place => *place = true,
                // Whatever is above it was kept before.
                _ => break,
            }
        }
    }
    for (out, keep) in out.iter_mut().zip(keep) {
        *out |= !keep;
    }
}

/// Whether a frame stands in the row of its proxy.
pub(super) fn is_merged(outline: &Outline, tree: &Tree, left: Left, number: u32) -> bool {
    left.proxies
        && outline.is_left_out(number)
        && tree.parent(number).and_then(|parent| behind_proxy(tree, parent)) == Some(number)
}

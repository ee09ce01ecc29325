//! The expanded and collapsed nodes of a tree whose nodes are numbered in pre-order.

use super::tree::to_index;

/// `true` for each expanded node; nodes beyond the end are expanded.
#[derive(Debug, Clone, Default)]
pub struct FoldState(Vec<bool>);

impl FoldState {
    /// Creates the state of a tree with `len` nodes, all of them expanded or collapsed.
    pub fn uniform(len: u32, expanded: bool) -> Self {
        Self(vec![expanded; to_index(len)])
    }

    pub fn len(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    /// Adds expanded nodes up to `len`.
    pub fn extend_to(&mut self, len: u32) {
        self.0.resize(to_index(len), true);
    }

    #[inline]
    pub fn is_expanded(&self, node: u32) -> bool {
        self.0.get(to_index(node)).copied().unwrap_or(true)
    }

    pub fn set(&mut self, node: u32, expanded: bool) {
        if let Some(state) = self.0.get_mut(to_index(node)) {
            *state = expanded;
        }
    }

    pub fn collapsed(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.0).filter(|(_, expanded)| !**expanded).map(|(node, _)| node)
    }

    /// Returns the next visible node after a visible one, where `end` is one past its subtree.
    #[inline]
    pub fn next_visible(&self, node: u32, end: impl FnOnce() -> u32) -> u32 {
        if self.is_expanded(node) { node + 1 } else { end() }
    }
}

impl FromIterator<bool> for FoldState {
    fn from_iter<I: IntoIterator<Item = bool>>(expanded: I) -> Self {
        Self(expanded.into_iter().collect())
    }
}

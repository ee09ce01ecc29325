//! The views of a trace: the tree, and those that take its place.
//!
//! Functions and balance changes are computed when they are opened. The icicle is the one of other pages too;
//! [`transfer_list`] is next to the [`balance_changes`], and [`account_blocks`] below them. The selected call stays
//! the one of the tree.

mod account_blocks;
mod account_moves;
pub mod balance_changes;
mod balance_table;
pub mod function_gas;
pub mod transfer_list;

use balance_changes::BalanceChangesView;
use function_gas::FunctionGasView;

use crate::pane::export::TraceChart;

#[derive(Debug, Default)]
pub enum TraceView {
    #[default]
    Tree,
    /// The gas of this call and its descendants.
    Icicle(u32),
    Functions(FunctionGasView),
    BalanceChanges(Box<BalanceChangesView>),
}

impl TraceView {
    pub fn chart(&self) -> Option<TraceChart> {
        match self {
            Self::Tree => None,
            Self::Icicle(_) => Some(TraceChart::Icicle),
            Self::Functions(_) => Some(TraceChart::Functions),
            Self::BalanceChanges(_) => Some(TraceChart::Balances),
        }
    }
}

//! The views of a trace: the tree, and those that take its place.

pub mod balance_changes;
pub mod function_gas;
pub mod icicle;

use balance_changes::BalanceChangesView;
use function_gas::FunctionGasView;

#[derive(Debug, Default)]
pub enum TraceView {
    #[default]
    Tree,
    /// The gas of this call and its descendants.
    Icicle(u32),
    Functions(FunctionGasView),
    BalanceChanges(Box<BalanceChangesView>),
}

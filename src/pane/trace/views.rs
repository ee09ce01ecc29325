//! The views of a trace: the tree, and those that take its place.

pub mod function_gas;
pub mod icicle;
pub mod value_flow;

use function_gas::FunctionGasView;
use value_flow::ValueFlowView;

#[derive(Debug, Default)]
pub enum TraceView {
    #[default]
    Tree,
    /// The gas of this call and its descendants.
    Icicle(u32),
    Functions(FunctionGasView),
    ValueFlow(Box<ValueFlowView>),
}

//! A terminal explorer for EVM chains.

pub mod explorer;

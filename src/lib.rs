//! A terminal explorer for EVM chains.

pub mod api;
pub mod chain;
pub mod text;

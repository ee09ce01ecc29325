//! A terminal explorer for EVM chains.

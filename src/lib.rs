//! A terminal explorer for EVM chains.

pub mod abi;
pub mod api;
pub mod app;
pub mod chain;
pub mod cli;
pub mod config;
pub mod explorer;
pub mod keymap;
pub mod msg;
pub mod oneshot;
pub mod pane;
pub mod runtime;
pub mod seen;
pub mod sheet;
pub mod text;
pub mod trace;
pub mod ui;

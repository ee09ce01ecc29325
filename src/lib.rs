//! A terminal explorer for EVM chains.

pub mod abi;
pub mod api;
pub mod app;
pub mod batch;
pub mod chain;
pub mod cli;
pub mod columns;
pub mod config;
pub mod csv_output;
pub mod demo_server;
pub mod keymap;
pub mod msg;
pub mod name_cache;
pub mod net;
pub mod pane;
pub mod route;
pub mod runtime;
pub mod safety;
pub mod sanitize;
pub mod secure_fs;
pub mod toml_reader;
pub mod trace;
pub mod ui;
pub mod user_data;

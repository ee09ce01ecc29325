//! A terminal explorer for EVM chains.
//!
//! `cli` reads the arguments and starts either `output`, which prints for scripts, or the screen: `runtime` has the
//! event loop, `app` the state and its one function that changes it, `pane` the parts of a page. Both get their data
//! from `net`, through the endpoints of `api`: from an explorer, or from `api_server`, which serves the bundled
//! `demo_chain` or a bare node that `indexer` reads. Modules import from lower layers only (see CONTRIBUTING.md).

/// Implements `Debug` for the objects of a trait by its name. As a supertrait, the derived code of each type
/// would be in its vtable, and so in the program: 0.4 MB for four such traits.
macro_rules! opaque_debug {
    ($object:ident) => {
        impl std::fmt::Debug for dyn $object {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(stringify!($object))
            }
        }
    };
}

mod abi;
mod action;
mod api;
mod api_server;
mod app;
mod app_message;
mod calls;
mod chain;
mod cli;
mod columns;
mod config;
mod csv_record;
mod demo_chain;
mod disk_cache;
mod http;
mod indexer;
mod keymap;
mod memory_limit;
mod messages;
mod name_cache;
mod net;
mod output;
mod pane;
mod picture;
mod route;
mod rpc;
mod runtime;
mod safety;
mod sanitize;
mod search_terms;
mod secure_fs;
mod store;
#[doc(hidden)]
pub mod test_api;
mod time_slice;
mod toml_reader;
mod trace;
mod ui;
mod user_data;
mod watch;

pub use cli::main;

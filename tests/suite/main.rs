//! The integration tests. They are one binary because each file in `tests/` would be linked
//! separately.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod abi_decoding;
mod address_poisoning;
mod api_keys;
mod api_samples;
mod architecture;
mod artifacts;
mod blocks;
mod chain_selection;
mod chain_switching;
mod cli_programs;
mod clipboard_and_save;
mod coin_balances;
mod contracts;
mod demo_api;
mod demo_items;
mod demo_server_client;
mod devnet_node;
mod disabled_actions;
mod display_options;
mod external_programs;
mod fake_node;
mod fake_server;
mod fault_cases;
mod fault_tests;
mod filters;
mod golden_responses;
mod http_client;
mod index_coverage;
mod indexing_server;
mod large_values;
mod layout;
mod list_panes;
mod malformed_rows;
mod memory_bounds;
mod mouse;
mod name_resolution;
mod navigation;
mod node_capabilities;
mod node_chain;
mod node_faults;
mod node_lies;
mod node_records;
mod node_screens;
mod node_secrets;
mod packaging;
mod pagination;
mod palette_and_help;
mod pictures;
mod poisoning_corpus;
mod pro_api;
mod random_histories;
mod readme_tour;
mod real_responses;
mod recordings;
mod response_cache;
mod response_decoding;
mod rpc;
mod running_anvil;
mod sanitization;
mod scheduling;
mod screens;
mod session;
mod settings;
mod simulated_node;
mod simulated_user;
mod split_view;
mod state_changes;
mod terminal;
mod terminal_widths;
mod theme_styles;
mod tokens;
mod trace_command;
mod trace_diff;
mod trace_export;
mod trace_pane;
mod trace_parsing;
mod trace_streaming;
mod user_data;
mod wording;

//! One integration binary: each extra file in `tests/` would link the world again.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod abi;
mod cache;
mod calls;
mod catalogue;
mod chains;
mod commands;
mod decode;
mod diff;
mod exports;
mod faults;
mod filters;
mod golden;
mod guests;
mod hands;
mod http;
mod keys;
mod labels;
mod layers;
mod lists;
mod looks;
mod manners;
mod mouse;
mod names;
mod packaging;
mod palette;
mod peer;
mod player;
mod pro;
mod programs;
mod pty;
mod reasons;
mod recordings;
mod rogue;
mod samples;
mod screens;
mod service;
mod session;
mod settings;
mod shapes;
mod side;
mod sinks;
mod streams;
mod switching;
mod themes;
mod traces;
mod walk;
mod walks;

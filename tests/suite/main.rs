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
mod layers;
mod lists;
mod manners;
mod mouse;
mod peer;
mod player;
mod programs;
mod pty;
mod recordings;
mod rogue;
mod samples;
mod screens;
mod service;
mod session;
mod shapes;
mod sinks;
mod streams;
mod traces;
mod walk;
mod walks;

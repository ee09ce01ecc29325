//! Calls of a trace in words, for the trace pane, the comparison of traces and output without a screen.
//!
//! [`identity`] finds the function of a call, by known ABIs, signatures and decodings. [`formatter`]
//! writes it on one line with its target and its arguments ([`values`]), and [`results`] its return
//! values, transfers or failure; [`failing_source`] has the places in the source that failed calls ended
//! at. [`search`] looks for words in these lines; its [`prefilter`] rules out
//! most calls before they are decoded. If a node has no trace, [`fallback`] builds one from the
//! internal transactions. [`placed_logs`] finds the calls that emitted logs. Nothing here draws or makes a request.

pub mod diagnostics;
mod exported_names;
pub mod failing_source;
pub mod fallback;
pub mod formatter;
pub mod gas;
pub mod identity;
pub mod placed_logs;
mod prefilter;
pub mod results;
pub mod search;
pub mod trace_contracts;
pub mod transfer_matching;
pub mod values;

//! The traces of single transactions, which are read for a response and not kept with the blocks.
//!
//! A node that lists calls sends them with their logs: `flat_trace` and `log_origins` convert those, and `undone_logs`
//! has the logs of failed calls. Other nodes send the steps of the EVM, also of a transaction that they repeat
//! (`transaction_steps`). `call_replay` makes calls of steps (`evm_step`), with `replayed_gas` where these have no gas;
//! `transaction_failures` finds reasons in them, `storage_changes` the changed slots, and `failed_steps` the steps of
//! one failed call.

pub(super) mod call_replay;
mod evm_step;
pub(super) mod failed_steps;
pub(super) mod flat_trace;
pub(super) mod log_origins;
mod replayed_gas;
pub(super) mod storage_changes;
pub(super) mod transaction_failures;
pub(super) mod transaction_steps;
pub(super) mod undone_logs;

//! The objects of the API. Each borrows its record and adds fields from other tables.
//!
//! The snapshot notes the parts of the state that they look up in vain. These are loaded then, and the
//! response is made again (see [`routes`](super::routes)).

mod activity;
mod address;
mod block;
mod console_line;
mod contract;
mod decoded_call;
mod failure_cause;
mod failure_line;
mod internal_transaction;
mod log;
mod nft_instance;
mod state_change;
mod storage_change;
mod tab_counters;
mod token;
mod token_transfer;
mod transaction;

pub(crate) use activity::{ActivityPart, ActivityResponse, activity, activity_kind};
pub(crate) use address::{
    AddressResponse, address, address_counters, address_detail, created_contract, is_verified,
    optional_address, tagged_address,
};
pub(crate) use block::{basis_points, block, block_detail, percentage, withdrawal};
pub(crate) use console_line::console_line;
pub(crate) use contract::contract;
use decoded_call::{decoded_input, decoded_revert, function_name, method, special_function};
pub(crate) use failure_line::{FAILURE_LINE_PARAMETERS, failure_line, failure_stack};
pub(crate) use internal_transaction::internal_transaction;
pub(crate) use log::{log, undone_log};
pub(crate) use nft_instance::{
    HoldingResponse, InstanceResponse, instance, instance_detail, nested_instance, preview,
};
pub(crate) use state_change::{ChangedBalance, StateChangeResponse, state_change};
pub(crate) use storage_change::{
    ChangedSlot, StorageChangeResponse, changed_slots, storage_change,
};
pub(crate) use tab_counters::address_tab_counters;
pub(crate) use token::{token, token_counters};
pub(crate) use token_transfer::{TransferResponse, nested_transfer, transfer};
pub(crate) use transaction::{
    RevertReasonResponse, TransactionResponse, listed_pending, lost_transaction,
    pending_transaction, revert_reason, transaction, transaction_detail, transfers_in,
};

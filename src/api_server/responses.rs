//! The objects of the API. Each borrows its record and adds fields from other tables.

mod address;
mod contract;
mod decoded_call;
mod instance;
mod internal;
mod transaction;
mod transfer;

pub(crate) use address::{
    AddressResponse, address, address_counters, address_detail, created_contract, tagged_address,
};
pub(crate) use contract::contract;
use decoded_call::{decoded_input, decoded_revert, method};
pub(crate) use instance::{HoldingResponse, InstanceResponse, instance, nested_instance, preview};
pub(crate) use internal::internal_transaction;
pub(crate) use transaction::{transaction, transaction_detail};
pub(crate) use transfer::{TransferResponse, nested_transfer, transfer};

//! The objects of the API. Each borrows its record and adds fields from other tables.

mod address;
mod contract;
mod instance;
mod internal;
mod transaction;
mod transfer;

pub(crate) use address::{
    AddressResponse, address, address_counters, address_detail, tagged_address,
};
pub(crate) use contract::contract;
pub(crate) use instance::{InstanceResponse, instance, nested_instance};
pub(crate) use internal::internal_transaction;
pub(crate) use transaction::{transaction, transaction_detail};
pub(crate) use transfer::{TransferResponse, nested_transfer, transfer};

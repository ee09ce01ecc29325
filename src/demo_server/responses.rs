//! Records rendered as the objects of the API, field for field.
//!
//! A shape borrows its record and adds what other tables know about it.

mod address;
mod instance;
mod internal;
mod transaction;
mod transfer;

pub(crate) use address::{
    AddressResponse, address, address_counters, address_detail, tagged_address,
};
pub(crate) use instance::{InstanceResponse, instance, nested_instance};
pub(crate) use internal::{InternalTransactionResponse, internal_transaction};
pub(crate) use transaction::{TransactionResponse, transaction, transaction_detail};
pub(crate) use transfer::{TransferResponse, transfer};

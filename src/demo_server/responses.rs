//! Records rendered as the objects of the API, field for field.
//!
//! A shape borrows its record and adds what other tables know about it.

mod address;
mod instance;
mod internal;
mod transaction;
mod transfer;

pub(crate) use address::{Address, address, counters, detail, tagged_address};
pub(crate) use instance::{Instance, instance, instance_part};
pub(crate) use internal::{Internal, internal};
pub(crate) use transaction::{Transaction, full_transaction, transaction};
pub(crate) use transfer::{Transfer, transfer};

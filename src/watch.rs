//! New rows at watched addresses, for `chainglass watch` and the marks of the start page.
//!
//! An [`AddressWatch`](address_watch::AddressWatch) reads the lists of an address again and again: the caller sends the
//! requests that it names, and passes it the replies. [`NewRows`](new_rows::NewRows) decides for each list which rows are
//! new, and pages back until it meets the rows that it knows. An [`Arrival`](arrival::Arrival) is a new row, with its
//! facts for a line of output. [`WatchedAddresses`](watched_addresses::WatchedAddresses) are the watch list of the app,
//! with the rows that are unread.

pub mod address_watch;
pub mod arrival;
pub mod arrival_format;
pub mod new_rows;
pub mod watched_addresses;

#[cfg(test)]
mod tests;

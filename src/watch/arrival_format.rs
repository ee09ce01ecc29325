//! The words of an arrival: which address, what was moved, and from where or where to.

use std::borrow::Cow;

use super::arrival::{Arrival, party_name};
use crate::abi::SignatureDb;
use crate::chain::Address;
use crate::chain::amount::Unit;
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::network::Network;
use crate::columns::cells::TransferDirection;
use crate::columns::cells::failure_reason::FailureReason;
use crate::messages::Count;
use crate::messages::watch::WatchNote;
use crate::name_cache::NameCache;
use crate::sanitize::SafeText;

#[derive(Debug, Clone, Copy)]
pub struct ArrivalFormat<'a> {
    pub unit: Unit,
    pub network: &'a Network,
    pub names: &'a NameCache,
    pub signatures: &'a SignatureDb,
}

impl ArrivalFormat<'_> {
    pub fn own_name(&self, watched: Address) -> String {
        self.names.short_name(&watched).map_or_else(|| watched.to_string(), Cow::into_owned)
    }

    /// Describes what an arrival moved, and from where or where to.
    pub fn movement(&self, watched: Address, arrival: &Arrival) -> String {
        let amount = arrival.amount(self.unit, self.network);
        let direction = match arrival.direction(watched) {
            TransferDirection::In => "←",
            TransferDirection::Out => "→",
            TransferDirection::ToSelf => "↔",
            TransferDirection::Other => "·",
        };
        let party = arrival.counterparty(watched).map_or("—".to_owned(), |party| {
            let name = party_name(party, self.names);
            name.map_or(String::new(), |name| format!("{name} ")) + &party.hash.to_string()
        });
        format!("{amount}  {direction} {party}")
    }

    /// Returns the reason why a transaction failed, as lists have it.
    pub fn failure(&self, arrival: &Arrival) -> Option<SafeText> {
        let reason = FailureReason::of(arrival.transaction()?, self.names, self.signatures)?;
        let short_name = |address: &Address| {
            self.names.short_name(address).map_or_else(|| abbreviate(address), Cow::into_owned)
        };
        Some(SafeText::new(&reason.text(short_name)))
    }

    /// Describes the arrivals at an address in a notification.
    pub fn notification(&self, watched: Address, arrivals: &[Arrival]) -> String {
        let own = self.own_name(watched);
        let [arrival] = arrivals else {
            let rows = Count(arrivals.len(), "new row");
            return WatchNote::NewRows { address: &own, rows }.to_string();
        };
        let failure = self.failure(arrival).map(|why| format!("  ✗ {why}")).unwrap_or_default();
        format!("{own}  {}{failure}", self.movement(watched, arrival))
    }
}

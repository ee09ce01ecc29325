//! Completes the input of the prompt for a page: from recent places, labels, and names in responses.

use crate::app::requests::ledger::Owner;
use crate::app::{App, Overlay};
use crate::app_message::Effect;
use crate::chain::Address;
use crate::sanitize::SafeText;

/// Maximum completions of an input: who has more types on.
const MAX_COMPLETIONS: usize = 200;

/// A place whose name or hash begins as the input does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::app) struct Completion {
    pub(in crate::app) hash: SafeText,
    /// Its name, or its kind.
    pub(in crate::app) name: SafeText,
}

impl App {
    /// Completes the input of the open prompt.
    pub(in crate::app) fn complete_input(&mut self) -> Vec<Effect> {
        let Some(Overlay::Prompt(mut prompt)) = self.overlays.top.take() else {
            return Vec::new();
        };
        let cancel = self.cancel(Owner::GoTo);
        prompt.complete(|typed| self.completions(typed));
        self.overlays.top = Some(Overlay::Prompt(prompt));
        cancel.into_iter().collect()
    }

    /// Returns the places that match `typed`: recent ones, then labels, then names, without duplicates.
    pub(in crate::app) fn completions(&self, typed: &str) -> Vec<Completion> {
        let (recents, names) = (&self.session().recents, &self.session().name_cache);
        let name_of =
            |address: &Address| names.short_name(address).map(|name| SafeText::new(&name));
        let recent = recents.entries().iter().map(|entry| {
            let name = entry.address().and_then(|address| name_of(&address));
            (entry.hash(), name.unwrap_or_else(|| entry.kind().into()))
        });
        let own = self.labelled_addresses(typed).into_iter().filter_map(|address| {
            Some((address.to_string(), names.labels().decorated_name(&address)?.into()))
        });
        let mut seen: Vec<_> = names
            .addresses()
            .filter_map(|(address, _)| Some((address, name_of(address)?)))
            // A checksum for each of thousands would take too long.
            .filter(|(address, name)| {
                begins(&format!("{address:#x}"), typed) || begins_name(name, typed)
            })
            .map(|(address, name)| (address.to_string(), name))
            .collect();
        // The cache is a hash map: sort for a stable order.
        seen.sort_unstable_by(|(_, one): &(String, SafeText), (_, other)| one.cmp(other));
        let mut found: Vec<Completion> = Vec::new();
        for (hash, name) in recent.chain(own).chain(seen) {
            if found.len() == MAX_COMPLETIONS {
                break;
            }
            let is_new = !found.iter().any(|known| *known.hash == *hash);
            if is_new && (begins(&hash, typed) || begins_name(&name, typed)) {
                found.push(Completion { hash: hash.into(), name });
            }
        }
        found
    }

    /// Returns the only address with a label.
    pub(super) fn labelled_address(&self, label: &str) -> Option<Address> {
        let labels = self.session().name_cache.labels();
        let lower = label.to_lowercase();
        let mut labelled = labels.containing(&lower).filter(|address| {
            labels.name(address).is_some_and(|name| name.to_lowercase() == lower)
        });
        labelled.next().filter(|_| labelled.next().is_none()).copied()
    }

    /// Returns the labelled addresses with names that begin with `typed`, then those that begin so
    /// themselves.
    fn labelled_addresses(&self, typed: &str) -> Vec<Address> {
        let labels = self.session().name_cache.labels();
        let lower = typed.to_lowercase();
        let named = labels
            .containing(&lower)
            .filter(|address| labels.name(address).is_some_and(|name| begins(name, typed)));
        let digits = Some(&lower).filter(|typed| begins("0x", typed) || begins(typed, "0x"));
        let by_digits = digits.into_iter().flat_map(|digits| labels.with_digits(digits));
        named.chain(by_digits).take(MAX_COMPLETIONS).copied().collect()
    }
}

fn begins_name(name: &str, typed: &str) -> bool {
    begins(name.trim_start_matches('«'), typed)
}

fn begins(text: &str, typed: &str) -> bool {
    text.get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed))
}

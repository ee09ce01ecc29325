//! The user's labels of addresses, and the watch list.
//!
//! They are one CSV file a chain, which other programs may edit: `file` changes single lines and keeps
//! the rest as it is. In memory they are found by address, by the digits of an address, and by a part of
//! a name.

mod file;
mod name_text;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;

use alloy_primitives::hex;
use memchr::memmem::Finder;

use crate::chain::Address;
use crate::safety::address_poisoning::{Evidence, KnownAddresses};
use crate::safety::name_marks::decorate;
use crate::sanitize::SafeText;
pub use file::apply_edit;
use name_text::NameText;

pub const MAX_LABEL_CHARS: usize = 64;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Label {
    /// The name, or `None` if the address is only watched.
    pub name: Option<SafeText>,
    pub watched: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelEdit {
    pub address: Address,
    pub field: LabelField,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelField {
    /// The name; `None` removes it.
    Name(Option<SafeText>),
    Watched(bool),
}

/// The labels of one chain, in the order of the file. Indexed for drawing: there can be 100,000.
#[derive(Debug, Clone, Default)]
pub struct Labels {
    /// The label of an address is empty once it was removed.
    all: Vec<(Address, Label)>,
    /// Position of each address in `all`.
    index: HashMap<Address, usize>,
    /// The names for searches.
    names: NameText,
    /// Number of addresses with each name.
    name_counts: BTreeMap<SafeText, usize>,
    /// Positions of the watched addresses.
    watched: BTreeSet<usize>,
    /// The addresses that others may imitate.
    known_addresses: KnownAddresses,
    problems: Vec<SafeText>,
}

impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        self.labelled().eq(other.labelled()) && self.problems == other.problems
    }
}

impl Label {
    fn set(&mut self, field: &LabelField) {
        match field {
            LabelField::Name(name) => self.name.clone_from(name),
            LabelField::Watched(watched) => self.watched = *watched,
        }
    }

    fn is_empty(&self) -> bool {
        self.name.is_none() && !self.watched
    }
}

impl Labels {
    /// Returns the addresses with a name, in upper or lower case.
    pub fn addresses_named(&self, name: &str) -> Vec<Address> {
        let is_named = |address: &&Address| {
            self.name(address).is_some_and(|own| own.eq_ignore_ascii_case(name))
        };
        self.all().map(|(address, _)| address).filter(is_named).copied().collect()
    }

    /// Parses a label file. Rows that cannot be parsed are listed in [`Labels::problems`].
    pub fn from_csv(text: &str) -> Self {
        file::parse(text)
    }

    fn labelled(&self) -> impl Iterator<Item = &(Address, Label)> {
        self.all.iter().filter(|(_, label)| !label.is_empty())
    }

    pub fn get(&self, address: &Address) -> Option<&Label> {
        self.all.get(*self.index.get(address)?).map(|(_, label)| label)
    }

    /// Returns the label of an address, without the marks.
    pub fn name(&self, address: &Address) -> Option<&SafeText> {
        self.get(address)?.name.as_ref()
    }

    /// Returns the label of an address for display: `«Alice»`.
    pub fn decorated_name(&self, address: &Address) -> Option<String> {
        self.name(address).map(|name| decorate(name))
    }

    pub fn has_unique_name(&self, address: &Address) -> bool {
        self.name(address).is_some_and(|name| self.name_counts.get(name) == Some(&1))
    }

    /// Returns the addresses that are labelled or watched, which others may imitate.
    pub fn known_addresses(&self) -> &KnownAddresses {
        &self.known_addresses
    }

    /// Returns every labelled address.
    pub fn addresses(&self) -> impl Iterator<Item = &Address> {
        self.all.iter().filter(|(_, label)| label.name.is_some()).map(|(address, _)| address)
    }

    /// Returns every labelled address, with its label for display.
    pub fn all(&self) -> impl Iterator<Item = (&Address, String)> {
        self.all.iter().filter_map(|(address, _)| Some((address, self.decorated_name(address)?)))
    }

    /// Returns the addresses whose labels contain a text in lower case.
    pub fn containing<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a Address> {
        self.names.containing(text).into_iter().filter_map(move |at| {
            let (address, label) = self.all.get(at)?;
            // The label may have changed.
            label.name.as_ref().filter(|name| name.to_lowercase().contains(text)).map(|_| address)
        })
    }

    /// Returns the labelled addresses that contain a text in lower case: digits, or `0x` and the first ones.
    pub fn with_digits(&self, text: &str) -> impl Iterator<Item = &Address> {
        let finder = Finder::new(text).into_owned();
        self.addresses().filter(move |address| {
            finder.find(hex::Buffer::<20, true>::new().format(&address.0).as_bytes()).is_some()
        })
    }

    pub fn is_unique_prefix(&self, prefix: &str) -> bool {
        let names = self
            .name_counts
            .range::<str, _>((Bound::Included(prefix), Bound::Unbounded))
            .take_while(|(name, _)| name.starts_with(prefix));
        let mut counts = names.map(|(_, count)| *count).filter(|count| *count > 0);
        (counts.next(), counts.next()) == (Some(1), None)
    }

    pub fn is_watched(&self, address: &Address) -> bool {
        self.get(address).is_some_and(|label| label.watched)
    }

    pub fn watched(&self) -> impl Iterator<Item = Address> {
        self.watched.iter().filter_map(|at| Some(self.all.get(*at)?.0))
    }

    /// Returns the problems of rows that cannot be parsed, with their line numbers.
    pub fn problems(&self) -> &[SafeText] {
        &self.problems
    }

    pub fn add_problem(&mut self, problem: SafeText) {
        self.problems.push(problem);
    }

    pub fn apply(&mut self, edit: &LabelEdit) {
        let mut label = self.get(&edit.address).cloned().unwrap_or_default();
        label.set(&edit.field);
        self.set(edit.address, label);
    }

    fn set(&mut self, address: Address, label: Label) {
        self.forget(address);
        if label.is_empty() {
            self.index.remove(&address);
            return;
        }
        if let Some(name) = label.name.clone() {
            *self.name_counts.entry(name).or_default() += 1;
        }
        self.known_addresses.add(address, Evidence::Labelled);
        let at = *self.index.entry(address).or_insert(self.all.len());
        self.watched.extend(label.watched.then_some(at));
        if let Some(name) = &label.name {
            self.names.add(at, name);
        }
        match self.all.get_mut(at) {
            Some((_, place)) => *place = label,
            None => self.all.push((address, label)),
        }
    }

    /// Empties the label of an address. The positions of the others stay.
    fn forget(&mut self, address: Address) {
        let Some(at) = self.index.get(&address) else { return };
        let label = self.all.get_mut(*at).map(|(_, label)| std::mem::take(label));
        let name = label.and_then(|label| label.name);
        if let Some(count) = name.and_then(|name| self.name_counts.get_mut(&name)) {
            *count -= 1;
        }
        self.watched.remove(at);
        self.known_addresses.remove(&address);
    }
}

impl LabelEdit {
    /// Creates an edit that labels an address; an empty name removes the label. Returns `None` if the
    /// name is longer than `MAX_LABEL_CHARS`.
    pub fn name(address: Address, typed: &str) -> Option<Self> {
        let name = parse_name(typed);
        let fits = name.as_ref().is_none_or(|name| name.chars().count() <= MAX_LABEL_CHARS);
        fits.then_some(Self { address, field: LabelField::Name(name) })
    }

    pub fn watch(address: Address, watched: bool) -> Self {
        Self { address, field: LabelField::Watched(watched) }
    }
}

/// Sanitizes and trims a name. Returns `None` if nothing is left.
fn parse_name(text: &str) -> Option<SafeText> {
    let name = SafeText::new(SafeText::new(text).trim());
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests;

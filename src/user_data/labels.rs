//! The user's labels of addresses, and the watch list.

mod file;

use std::collections::HashMap;

use crate::chain::Address;
use crate::safety::name_marks::decorate;
use crate::sanitize::SafeText;
pub use file::apply_edit;

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

/// The labels of one chain, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    all: Vec<(Address, Label)>,
    /// Position of each address in `all`.
    index: HashMap<Address, usize>,
    problems: Vec<SafeText>,
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
    /// Parses a label file. Rows that cannot be parsed are listed in [`Labels::problems`].
    pub fn from_csv(text: &str) -> Self {
        file::parse(text)
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
        let same =
            |label: &Label| label.name.is_some() && label.name.as_ref() == self.name(address);
        self.all.iter().filter(|(_, label)| same(label)).take(2).count() == 1
    }

    /// Returns every address that is labelled or watched.
    pub fn addresses(&self) -> impl Iterator<Item = Address> {
        self.all.iter().map(|(address, _)| *address)
    }

    /// Returns every labelled address, with its label for display.
    pub fn all(&self) -> impl Iterator<Item = (&Address, String)> {
        self.all.iter().filter_map(|(address, _)| Some((address, self.decorated_name(address)?)))
    }

    pub fn is_unique_prefix(&self, prefix: &str) -> bool {
        let starts =
            |label: &Label| label.name.as_ref().is_some_and(|name| name.starts_with(prefix));
        self.all.iter().filter(|(_, label)| starts(label)).take(2).count() == 1
    }

    pub fn is_watched(&self, address: &Address) -> bool {
        self.get(address).is_some_and(|label| label.watched)
    }

    pub fn watched(&self) -> impl Iterator<Item = Address> {
        self.all.iter().filter(|(_, label)| label.watched).map(|(address, _)| *address)
    }

    /// Returns the problems of rows that cannot be parsed, with their line numbers.
    pub fn problems(&self) -> &[SafeText] {
        &self.problems
    }

    pub fn apply(&mut self, edit: &LabelEdit) {
        let mut label = self.get(&edit.address).cloned().unwrap_or_default();
        label.set(&edit.field);
        match self.index.get(&edit.address).copied() {
            None if label.is_empty() => {}
            None => self.add(edit.address, label),
            Some(at) if label.is_empty() => {
                self.all.remove(at);
                let positions = self.all.iter().enumerate();
                self.index = positions.map(|(at, (address, _))| (*address, at)).collect();
            }
            Some(at) => {
                if let Some((_, known)) = self.all.get_mut(at) {
                    *known = label;
                }
            }
        }
    }

    fn add(&mut self, address: Address, label: Label) {
        self.index.insert(address, self.all.len());
        self.all.push((address, label));
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

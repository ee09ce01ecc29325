//! The user's own names for addresses, and which of them are watched.

mod file;

use std::collections::HashMap;

use crate::chain::Address;
use crate::sanitize::SafeText;
pub use file::apply_edit;

/// A name has no more characters.
pub const MAX_LABEL_CHARS: usize = 64;
/// Between these stands what the user calls an address; nobody else's name has them.
const LABEL_MARKS: [char; 2] = ['«', '»'];
/// What stands for them in the names that others gave.
const MARK_REPLACEMENTS: [char; 2] = ['‹', '›'];

/// What the user says of an address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Label {
    /// Its name; none for one that is only watched.
    pub name: Option<SafeText>,
    /// Whether it stands in the watch list.
    pub watched: bool,
}

/// What is to be different about one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelEdit {
    /// Which.
    pub address: Address,
    /// What.
    pub field: LabelField,
}

/// A part of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelField {
    /// The name; none takes it away.
    Name(Option<SafeText>),
    /// Whether it is watched.
    Watched(bool),
}

/// The labels of one chain, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    all: Vec<(Address, Label)>,
    /// Where in `all` an address is.
    index: HashMap<Address, usize>,
    /// What is wrong with rows that could not be read.
    problems: Vec<SafeText>,
}

impl Label {
    fn set(&mut self, to: &LabelField) {
        match to {
            LabelField::Name(name) => self.name.clone_from(name),
            LabelField::Watched(watched) => self.watched = *watched,
        }
    }

    fn is_empty(&self) -> bool {
        self.name.is_none() && !self.watched
    }
}

impl Labels {
    /// Reads the file. Rows that cannot be read are named in [`Labels::problems`].
    pub fn from_csv(text: &str) -> Self {
        file::read(text)
    }

    /// What the user says of an address.
    pub fn of(&self, address: &Address) -> Option<&Label> {
        self.all.get(*self.index.get(address)?).map(|(_, label)| label)
    }

    /// What the user calls an address, without the marks.
    pub fn name(&self, address: &Address) -> Option<&SafeText> {
        self.of(address)?.name.as_ref()
    }

    /// What the user calls an address, as it is shown: `«Alice»`.
    pub fn decorated_name(&self, address: &Address) -> Option<String> {
        self.name(address).map(|name| decorate(name))
    }

    /// Whether no other address has its name, so that the name alone says which one is meant.
    pub fn has_unique_name(&self, address: &Address) -> bool {
        let same =
            |label: &Label| label.name.is_some() && label.name.as_ref() == self.name(address);
        self.all.iter().filter(|(_, label)| same(label)).take(2).count() == 1
    }

    /// Every address with a name, and that name as it is shown.
    pub fn all(&self) -> impl Iterator<Item = (&Address, String)> {
        self.all.iter().filter_map(|(address, _)| Some((address, self.decorated_name(address)?)))
    }

    /// Whether no other address has a name that begins so.
    pub fn is_unique_prefix(&self, beginning: &str) -> bool {
        let begins =
            |label: &Label| label.name.as_ref().is_some_and(|name| name.starts_with(beginning));
        self.all.iter().filter(|(_, label)| begins(label)).take(2).count() == 1
    }

    /// Whether an address is watched.
    pub fn is_watched(&self, address: &Address) -> bool {
        self.of(address).is_some_and(|label| label.watched)
    }

    /// The watch list.
    pub fn watched(&self) -> impl Iterator<Item = Address> {
        self.all.iter().filter(|(_, label)| label.watched).map(|(address, _)| *address)
    }

    /// What is wrong with rows that could not be read, with their lines.
    pub fn problems(&self) -> &[SafeText] {
        &self.problems
    }

    /// Takes a change in.
    pub fn apply(&mut self, change: &LabelEdit) {
        let mut label = self.of(&change.address).cloned().unwrap_or_default();
        label.set(&change.field);
        match self.index.get(&change.address).copied() {
            None if label.is_empty() => {}
            None => self.add(change.address, label),
            Some(at) if label.is_empty() => {
                self.all.remove(at);
                let places = self.all.iter().enumerate();
                self.index = places.map(|(at, (address, _))| (*address, at)).collect();
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
    /// Naming an address; an empty name takes its name away. None for a name that is too long.
    pub fn name(address: Address, typed: &str) -> Option<Self> {
        let name = name(typed);
        let fits = name.as_ref().is_none_or(|name| name.chars().count() <= MAX_LABEL_CHARS);
        fits.then_some(Self { address, field: LabelField::Name(name) })
    }

    /// Watching an address, or not.
    pub fn watch(address: Address, watched: bool) -> Self {
        Self { address, field: LabelField::Watched(watched) }
    }
}

/// A name from outside; none when it says nothing.
fn name(from_outside: &str) -> Option<SafeText> {
    let name = SafeText::new(SafeText::new(from_outside).trim());
    (!name.is_empty()).then_some(name)
}

/// What the user calls something, told apart from what others call it.
pub fn decorate(name: &str) -> String {
    let [open, close] = LABEL_MARKS;
    format!("{open}{name}{close}")
}

/// A name that somebody else gave: it cannot pass for the user's.
pub fn escape_label_marks(name: SafeText) -> SafeText {
    if !name.contains(LABEL_MARKS) {
        return name;
    }
    let marks = LABEL_MARKS.into_iter().zip(MARK_REPLACEMENTS);
    let plain = |name: String, (mark, instead)| name.replace(mark, &String::from(instead));
    marks.fold(name.to_string(), plain).into()
}

#[cfg(test)]
mod tests;

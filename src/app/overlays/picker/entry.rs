//! An entry of a picker: a name, a detail, and words by which it is found.

use alloy_primitives::hex;

use crate::app::overlays::name_match::NameMatch;
use crate::chain::Address;
use crate::sanitize::SafeText;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::app) struct PickerEntry {
    /// A character before the name.
    pub(in crate::app) sign: &'static str,
    pub(in crate::app) name: SafeText,
    /// A detail. Matched by whole terms.
    pub(in crate::app) detail: EntryDetail,
    /// A key, an id or a kind, at the right.
    pub(in crate::app) right: SafeText,
    /// `true` if a key is at the right.
    pub(in crate::app) has_key: bool,
    /// `true` if the entry is dimmed and comes after the others.
    pub(in crate::app) dim: bool,
    /// Not shown, but matched like the detail.
    pub(in crate::app) keywords: SafeText,
    /// Other names, matched like the name.
    pub(in crate::app) aliases: Vec<SafeText>,
}

impl PickerEntry {
    /// Returns the best place of a text, in lower case, in the names.
    pub(super) fn find_in_names(&self, typed: &str) -> Option<NameMatch> {
        let aliases = self.aliases.iter().filter_map(|alias| NameMatch::find(alias, typed));
        aliases.chain(NameMatch::find(&self.name, typed)).max()
    }
}

/// An address is written out where it is drawn: a checksum for each of thousands would take too long.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::app) enum EntryDetail {
    Text(SafeText),
    Address(Address),
    /// Cells of columns. The last ones are left out where there is no space.
    Cells(Vec<SafeText>),
}

impl EntryDetail {
    pub(super) fn text(&self) -> SafeText {
        match self {
            Self::Text(text) => text.clone(),
            Self::Address(address) => address.to_string().into(),
            Self::Cells(cells) => {
                let texts: Vec<&str> = cells.iter().map(|text| &**text).collect();
                SafeText::new(texts.join("  ").trim())
            }
        }
    }

    /// Calls a function with the text in any case.
    pub(super) fn with_text<T>(&self, call: impl FnOnce(&str) -> T) -> T {
        match self {
            Self::Text(text) => call(text),
            Self::Address(address) => call(hex::Buffer::<20, true>::new().format(&address.0)),
            Self::Cells(_) => call(&self.text()),
        }
    }
}

impl Default for EntryDetail {
    fn default() -> Self {
        Self::Text(SafeText::default())
    }
}

impl From<&str> for EntryDetail {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

//! The names of functions, errors and events.

use crate::safety::name_marks::guard_identifier;
use crate::sanitize::SafeText;

/// A name as it is shown, and as it is hashed: an ABI can have any text for a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AbiName {
    /// The name, quoted and cut if it is no identifier.
    pub(super) shown: SafeText,
    /// The name if it is no identifier.
    raw: Option<Box<str>>,
}

impl AbiName {
    pub(super) fn new(name: &str) -> Self {
        let shown = guard_identifier(name);
        let raw = (*shown != *name).then(|| name.into());
        Self { shown, raw }
    }

    /// Returns the name that selectors and topics are made from.
    pub(super) fn hashed(&self) -> &str {
        self.raw.as_deref().unwrap_or(&self.shown)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.shown.len() + self.raw.as_ref().map_or(0, |name| name.len())
    }
}

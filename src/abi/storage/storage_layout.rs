//! A contract's variables and their types, by the compiler's `storageLayout`.

use std::collections::{BTreeMap, HashMap};

use alloy_primitives::U256;
use serde::Deserialize;

use crate::chain::WORD_BYTES;
use crate::sanitize::SafeText;

/// Maximum slots of a variable that are read without a request for them.
pub const MAX_PLAIN_SLOTS: usize = 64;
/// Encoding of an array whose elements are behind the hash of its slot.
pub(super) const DYNAMIC_ARRAY: &str = "dynamic_array";

/// Layout of a contract's storage.
#[derive(Debug, Deserialize)]
pub struct StorageLayout {
    pub(super) storage: Vec<StorageVariable>,
    /// `null` without variables.
    types: Option<HashMap<String, StorageType>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct StorageVariable {
    pub(super) label: String,
    pub(super) offset: usize,
    /// Decimal.
    pub(super) slot: U256,
    #[serde(rename = "type")]
    pub(super) kind: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StorageType {
    pub(super) encoding: String,
    pub(super) label: String,
    /// Decimal.
    pub(super) number_of_bytes: U256,
    pub(super) base: Option<String>,
    pub(super) key: Option<String>,
    pub(super) value: Option<String>,
    pub(super) members: Option<Vec<StorageVariable>>,
    /// Names of an enum's values. The compiler has them elsewhere.
    pub(super) enum_members: Option<Vec<String>>,
}

impl StorageType {
    /// Returns the name of an enum's value: `Side.Sell`.
    pub(super) fn member(&self, value: U256) -> Option<String> {
        let index = usize::try_from(value).ok()?;
        let name = self.enum_members.as_ref()?.get(index)?;
        let own = self.label.rsplit(['.', ' ']).next().unwrap_or_default();
        Some([own, ".", name].concat())
    }
}

/// The slots of the variables of a layout.
#[derive(Debug, Default)]
pub struct PlainSlots {
    /// The expression of each: `prices+1`.
    pub slots: BTreeMap<U256, String>,
    /// Variables with more than [`MAX_PLAIN_SLOTS`].
    pub cut: Vec<SafeText>,
}

impl StorageLayout {
    /// Parses a layout that has variables.
    pub fn parse(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok().filter(|layout: &Self| !layout.storage.is_empty())
    }

    /// Returns the variables with their types, in the order of the layout.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        let type_of = |kind| self.type_of(kind).map_or("?", |ty| &*ty.label);
        self.storage.iter().map(move |variable| (&*variable.label, type_of(&variable.kind)))
    }

    /// Returns the slots of the variables themselves, with the first variable in each, without what is behind
    /// the hash of a slot.
    pub fn plain_slots(&self) -> PlainSlots {
        let mut plain = PlainSlots::default();
        for StorageVariable { label, slot, kind, .. } in &self.storage {
            let Some(ty) = self.type_of(kind).filter(|ty| ty.encoding != "mapping") else {
                continue;
            };
            let bytes = usize::try_from(ty.number_of_bytes).unwrap_or(usize::MAX);
            let count = bytes.div_ceil(WORD_BYTES);
            if count > MAX_PLAIN_SLOTS {
                plain.cut.push(SafeText::new(label));
            }
            for n in 0..count.min(MAX_PLAIN_SLOTS) {
                let expression = if n == 0 { label.clone() } else { format!("{label}+{n}") };
                plain.slots.entry(slot.wrapping_add(U256::from(n))).or_insert(expression);
            }
        }
        plain
    }

    /// Returns a variable. If several have the name, as in a contract and its parents, it is none.
    pub(super) fn variable(&self, label: &str) -> Option<&StorageVariable> {
        let mut named = self.storage.iter().filter(|variable| variable.label == label);
        named.next().filter(|_| named.next().is_none())
    }

    pub(super) fn type_of(&self, kind: &str) -> Option<&StorageType> {
        self.types.as_ref()?.get(kind)
    }
}

/// Returns the number of elements in the name of a type: `int16[5]`.
pub(super) fn array_length(label: &str) -> Option<U256> {
    label.strip_suffix(']')?.rsplit_once('[')?.1.parse().ok()
}

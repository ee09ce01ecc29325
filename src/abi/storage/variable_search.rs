//! The variables of changed slots.
//!
//! A slot belongs to a variable by its number, or by a hash of what is known: elements of arrays and
//! long strings are behind the hash of their slot, values of mappings behind the hash of key and slot.
//! Only keys that the EVM is known to have hashed count, so that none is a guess. A slot without a
//! variable stays a number with its words.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use alloy_primitives::{U256, hex, keccak256};

use super::storage_layout::{
    DYNAMIC_ARRAY, StorageLayout, StorageType, StorageVariable, array_length,
};
use super::stored_values::{content_text, text_length, value_text};
use crate::chain::{Bytes, WORD_BYTES};
use crate::sanitize::SafeText;

/// Maximum parts of variables that are looked at.
const MAX_PLACES: usize = 20_000;
const MAX_DEPTH: usize = 16;
/// Maximum slots behind a hash, and maximum bytes of a string.
const MAX_ARRAY_SLOTS: u64 = 1 << 40;
const MAX_TEXT_BYTES: u64 = 4_096;

/// A slot's words before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageShift {
    pub before: U256,
    pub after: U256,
}

/// A variable, or a part of one, that is in a changed slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedVariable {
    pub slot: U256,
    /// `accounts[0x…][5].memo`
    pub path: SafeText,
    pub type_name: SafeText,
    pub before: SafeText,
    pub after: SafeText,
    /// `false` if the value after it is a text in slots that were not read: `after` has its length.
    pub is_read: bool,
}

/// A variable, or a part of one, in a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVariable {
    pub path: SafeText,
    pub type_name: SafeText,
    pub value: SafeText,
    /// `false` if the value is a text in slots that were not read: `value` has its length.
    pub is_read: bool,
}

impl From<ChangedVariable> for StoredVariable {
    fn from(changed: ChangedVariable) -> Self {
        let ChangedVariable { path, type_name, after, is_read, .. } = changed;
        Self { path, type_name, value: after, is_read }
    }
}

/// The changed variables, and the slots in which more changed than these.
#[derive(Debug, Default)]
pub struct ChangedStorage {
    /// In the order of the layout.
    pub variables: Vec<ChangedVariable>,
    pub unnamed: BTreeSet<U256>,
}

impl StorageLayout {
    /// Returns the variables in changed slots. `preimages` are inputs of hashes.
    pub fn changed_variables(
        &self,
        slots: &BTreeMap<U256, StorageShift>,
        preimages: &[Bytes],
    ) -> ChangedStorage {
        self.search(slots, preimages).finish()
    }

    fn search<'a>(
        &'a self,
        slots: &'a BTreeMap<U256, StorageShift>,
        preimages: &'a [Bytes],
    ) -> VariableSearch<'a> {
        let mut search = VariableSearch::new(self, slots, preimages);
        for variable in &self.storage {
            search.visit(&variable.label, &variable.kind, (variable.slot, variable.offset), 0);
        }
        search
    }

    /// Returns the variables in a slot, with their values. `words` has the word of the slot and, if they are known, the
    /// words of its [`text_slots`](Self::text_slots); `preimages` are inputs of hashes.
    pub fn stored_variables(
        &self,
        slot: U256,
        words: &BTreeMap<U256, U256>,
        preimages: &[Bytes],
    ) -> Vec<StoredVariable> {
        let found = self.changed_variables(&inverted(words), preimages).variables.into_iter();
        found.filter(|variable| variable.slot == slot).map(StoredVariable::from).collect()
    }

    /// Returns the slots with the content of a long text whose length is in a word.
    pub fn text_slots(&self, slot: U256, word: U256, preimages: &[Bytes]) -> Vec<U256> {
        self.search(&inverted(&BTreeMap::from([(slot, word)])), preimages).unread
    }

    /// Returns the parts of each variable that are in some words, in the order of [`variables`](Self::variables).
    pub fn values(&self, words: &BTreeMap<U256, U256>) -> Vec<Vec<StoredVariable>> {
        let slots = inverted(words);
        let parts = |variable: &StorageVariable| {
            let mut search = VariableSearch::new(self, &slots, &[]);
            search.visit(&variable.label, &variable.kind, (variable.slot, variable.offset), 0);
            search.found.into_iter().map(StoredVariable::from).collect()
        };
        self.storage.iter().map(parts).collect()
    }
}

/// Returns words as changes: against its inverse every variable in a word counts as changed.
fn inverted(words: &BTreeMap<U256, U256>) -> BTreeMap<U256, StorageShift> {
    let shift =
        |(slot, word): (&U256, &U256)| (*slot, StorageShift { before: !*word, after: *word });
    words.iter().map(shift).collect()
}

/// Slots of an array's elements.
struct ArrayExtent {
    start: U256,
    end: U256,
    /// Maximum number of elements.
    length: U256,
}

/// A slot and a byte in it.
type StoragePlace = (U256, usize);

struct VariableSearch<'a> {
    layout: &'a StorageLayout,
    slots: &'a BTreeMap<U256, StorageShift>,
    /// Keys and hashes by the slot at the end of the preimage.
    keys: HashMap<U256, Vec<(&'a [u8], U256)>>,
    /// Slots that changed or were hashed: of arrays, only these elements are looked at.
    touched: BTreeSet<U256>,
    found: Vec<ChangedVariable>,
    /// The bits of each slot that belong to a found variable.
    named: BTreeMap<U256, U256>,
    /// Slots of texts that are not among the slots.
    unread: Vec<U256>,
    places_left: usize,
}

impl<'a> VariableSearch<'a> {
    fn new(
        layout: &'a StorageLayout,
        slots: &'a BTreeMap<U256, StorageShift>,
        preimages: &'a [Bytes],
    ) -> Self {
        let mut keys: HashMap<U256, Vec<(&[u8], U256)>> = HashMap::new();
        let mut touched: BTreeSet<U256> = slots.keys().copied().collect();
        let distinct: BTreeSet<&[u8]> = preimages.iter().map(|bytes| &bytes[..]).collect();
        for preimage in distinct {
            let Some((key, slot)) = preimage.split_last_chunk::<WORD_BYTES>() else { continue };
            let slot = U256::from_be_bytes(*slot);
            touched.insert(slot);
            if !key.is_empty() {
                let hash = U256::from_be_bytes(keccak256(preimage).0);
                keys.entry(slot).or_default().push((key, hash));
            }
        }
        let (found, named, unread) = (Vec::new(), BTreeMap::new(), Vec::new());
        Self { layout, slots, keys, touched, found, named, unread, places_left: MAX_PLACES }
    }

    fn visit(&mut self, path: &str, kind: &str, (slot, offset): StoragePlace, depth: usize) {
        let layout = self.layout;
        let Some(ty) = layout.type_of(kind).filter(|_| depth < MAX_DEPTH) else { return };
        let Some(left) = self.places_left.checked_sub(1) else { return };
        self.places_left = left;
        match (&*ty.encoding, &ty.members, &ty.base) {
            ("mapping", ..) => self.visit_mapping(path, ty, slot, depth),
            (DYNAMIC_ARRAY, _, Some(base)) => {
                self.add_word(&format!("{path}.length"), "uint256", slot);
                let start = hash_of(slot);
                let end = start.saturating_add(U256::from(MAX_ARRAY_SLOTS));
                let length = U256::MAX;
                self.visit_elements(path, base, &ArrayExtent { start, end, length }, depth);
            }
            ("bytes", ..) => self.add_text(path, ty, slot),
            (_, Some(members), _) => {
                for member in members {
                    let path = format!("{path}.{}", member.label);
                    let slot = slot.wrapping_add(member.slot);
                    self.visit(&path, &member.kind, (slot, member.offset), depth + 1);
                }
            }
            (_, _, Some(base)) => {
                let slots = ty.number_of_bytes.div_ceil(U256::from(WORD_BYTES));
                let length = array_length(&ty.label).unwrap_or(U256::MAX);
                let end = slot.saturating_add(slots);
                let extent = ArrayExtent { start: slot, end, length };
                self.visit_elements(path, base, &extent, depth);
            }
            _ => self.add_value(path, kind, ty, (slot, offset)),
        }
    }

    fn visit_mapping(&mut self, path: &str, ty: &StorageType, slot: U256, depth: usize) {
        let (Some(key_kind), Some(value)) = (&ty.key, &ty.value) else { return };
        let Some(key_type) = self.layout.type_of(key_kind) else { return };
        for (key, hash) in self.keys.get(&slot).cloned().unwrap_or_default() {
            if let Some(key) = key_text(key_kind, key_type, key) {
                self.visit(&format!("{path}[{key}]"), value, (hash, 0), depth + 1);
            }
        }
    }

    /// Visits the elements of an array that are in touched slots between two.
    fn visit_elements(&mut self, path: &str, base: &str, extent: &ArrayExtent, depth: usize) {
        let ArrayExtent { start, end, length } = *extent;
        let Some(size) = self.layout.type_of(base).map(|base| base.number_of_bytes) else { return };
        let touched: Vec<U256> = self.touched.range(start..end).copied().collect();
        let mut places = BTreeMap::new();
        for slot in touched {
            let distance = slot - start;
            if let Ok(bytes @ 1..=16) = usize::try_from(size) {
                let in_slot = WORD_BYTES / bytes;
                for n in 0..in_slot {
                    let index = distance.saturating_mul(U256::from(in_slot)) + U256::from(n);
                    places.insert(index, (slot, n * bytes));
                }
            } else {
                let slots = size.div_ceil(U256::from(WORD_BYTES)).max(U256::ONE);
                let index = distance / slots;
                places.insert(index, (start + index * slots, 0));
            }
        }
        for (index, place) in places.into_iter().filter(|(index, _)| *index < length) {
            self.visit(&format!("{path}[{index}]"), base, place, depth + 1);
        }
    }

    fn add_word(&mut self, path: &str, type_name: &str, slot: U256) {
        let Some(StorageShift { before, after }) = self.slots.get(&slot).copied() else { return };
        self.named.insert(slot, U256::MAX);
        self.push(path, type_name, slot, [before.to_string(), after.to_string()]);
    }

    fn add_value(&mut self, path: &str, kind: &str, ty: &StorageType, place: StoragePlace) {
        let (slot, offset) = place;
        let Some(StorageShift { before, after }) = self.slots.get(&slot).copied() else { return };
        let Ok(bytes @ 1..=WORD_BYTES) = usize::try_from(ty.number_of_bytes) else { return };
        if offset.saturating_add(bytes) > WORD_BYTES {
            return;
        }
        let mask = U256::MAX >> (8 * (WORD_BYTES - bytes));
        let [before, after] = [before, after].map(|word| (word >> (8 * offset)) & mask);
        if before != after {
            *self.named.entry(slot).or_default() |= mask << (8 * offset);
            let texts = [before, after]
                .map(|value| ty.member(value).unwrap_or_else(|| value_text(kind, value, bytes)));
            self.push(path, &ty.label, slot, texts);
        }
    }

    /// Adds a string or bytes: short ones are in their slot, long ones behind its hash.
    fn add_text(&mut self, path: &str, ty: &StorageType, slot: U256) {
        let start = hash_of(slot);
        let end = start.saturating_add(U256::from(MAX_TEXT_BYTES / 32));
        let parts: Vec<U256> = self.slots.range(start..end).map(|(part, _)| *part).collect();
        let is_string = ty.label == "string";
        if let Some(StorageShift { before, after }) = self.slots.get(&slot).copied() {
            let mut text = |word, word_of: fn(&StorageShift) -> U256| match text_length(word) {
                Ok(length) => match self.long_text(start, length, is_string, word_of) {
                    Some(text) => (text, true),
                    None => (format!("{length} bytes"), false),
                },
                Err(bytes) => (content_text(bytes, is_string), true),
            };
            let (before, _) = text(before, |shift| shift.before);
            let (after, is_read) = text(after, |shift| shift.after);
            self.named.insert(slot, U256::MAX);
            self.named.extend(parts.into_iter().map(|part| (part, U256::MAX)));
            let changed = changed_variable(path, &ty.label, slot, [before, after]);
            self.found.push(ChangedVariable { is_read, ..changed });
            return;
        }
        for part in parts {
            let Some(StorageShift { before, after }) = self.slots.get(&part).copied() else {
                continue;
            };
            let first = (part - start).saturating_mul(U256::from(WORD_BYTES));
            let last = first + U256::from(WORD_BYTES - 1);
            self.named.insert(part, U256::MAX);
            let texts = [before, after].map(|word| hex::encode_prefixed(word.to_be_bytes::<32>()));
            self.push(&format!("{path}[{first}–{last}]"), &ty.label, part, texts);
        }
    }

    /// Returns a long text before or after the transaction if all of its slots changed: others are unknown.
    fn long_text(
        &mut self,
        start: U256,
        length: U256,
        is_string: bool,
        word_of: fn(&StorageShift) -> U256,
    ) -> Option<String> {
        let length = u64::try_from(length).ok().filter(|length| *length <= MAX_TEXT_BYTES)?;
        let parts = 0..length.div_ceil(WORD_BYTES as u64);
        let (mut content, known) = (Vec::new(), self.unread.len());
        for slot in parts.map(|part| start.wrapping_add(U256::from(part))) {
            match self.slots.get(&slot) {
                Some(shift) => content.extend(word_of(shift).to_be_bytes::<WORD_BYTES>()),
                None => self.unread.push(slot),
            }
        }
        if self.unread.len() > known {
            return None;
        }
        content.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        Some(content_text(content, is_string))
    }

    fn push(&mut self, path: &str, type_name: &str, slot: U256, [before, after]: [String; 2]) {
        self.found.push(changed_variable(path, type_name, slot, [before, after]));
    }

    fn finish(self) -> ChangedStorage {
        let is_unnamed = |(slot, shift): &(&U256, &StorageShift)| {
            let named = self.named.get(*slot).copied().unwrap_or_default();
            !((shift.before ^ shift.after) & !named).is_zero()
        };
        let unnamed = self.slots.iter().filter(is_unnamed).map(|(slot, _)| *slot).collect();
        ChangedStorage { variables: self.found, unnamed }
    }
}

fn changed_variable(
    path: &str,
    type_name: &str,
    slot: U256,
    [before, after]: [String; 2],
) -> ChangedVariable {
    ChangedVariable {
        slot,
        path: SafeText::new(path),
        type_name: SafeText::new(type_name),
        before: SafeText::new(&before),
        after: SafeText::new(&after),
        is_read: true,
    }
}

/// Returns the first slot behind a slot's hash.
fn hash_of(slot: U256) -> U256 {
    U256::from_be_bytes(keccak256(slot.to_be_bytes::<WORD_BYTES>()).0)
}

/// Returns the key of a mapping. Returns `None` if it cannot be one of its type.
fn key_text(kind: &str, ty: &StorageType, key: &[u8]) -> Option<String> {
    if ty.encoding == "bytes" {
        return Some(content_text(key.to_vec(), ty.label == "string"));
    }
    let word = U256::from_be_bytes::<WORD_BYTES>(key.try_into().ok()?);
    let bytes =
        usize::try_from(ty.number_of_bytes).ok().filter(|bytes| (1..=32).contains(bytes))?;
    if kind.starts_with("t_bytes") {
        // Shorter bytes are at the left of their word.
        let (value, rest) = key.split_at(bytes);
        return rest.iter().all(|byte| *byte == 0).then(|| hex::encode_prefixed(value));
    }
    let mask = U256::MAX >> (256 - 8 * bytes);
    let is_signed = kind.starts_with("t_int");
    let is_padded = word & !mask == U256::ZERO || is_signed && word | mask == U256::MAX;
    is_padded.then(|| value_text(kind, word & mask, bytes))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::storage_layout::{MAX_PLAIN_SLOTS, PlainSlots};
    use super::*;
    use crate::abi::SlotExpression;
    use crate::chain::Address;

    /// Types as the compiler describes them.
    fn types() -> Value {
        let value = |bytes: usize, label: &str| json!({ "encoding": "inplace", "label": label, "numberOfBytes": bytes.to_string() });
        let mut types = json!({
            "t_bool": value(1, "bool"),
            "t_address": value(20, "address"),
            "t_bytes32": value(32, "bytes32"),
            "t_string_storage": { "encoding": "bytes", "label": "string", "numberOfBytes": "32" },
            "t_mapping(t_address,t_uint256)": { "encoding": "mapping", "key": "t_address",
                "label": "mapping(address => uint256)", "numberOfBytes": "32", "value": "t_uint256" },
            "t_mapping(t_string_memory_ptr,t_struct)": { "encoding": "mapping",
                "key": "t_string_storage", "label": "mapping(string => struct Account)",
                "numberOfBytes": "32", "value": "t_struct" },
            "t_mapping(t_address,t_mapping)": { "encoding": "mapping", "key": "t_address",
                "label": "", "numberOfBytes": "32", "value": "t_mapping(t_string_memory_ptr,t_struct)" },
            "t_struct": { "encoding": "inplace", "label": "struct Account", "numberOfBytes": "96",
                "members": [
                    { "label": "balance", "offset": 0, "slot": "0", "type": "t_uint128" },
                    { "label": "open", "offset": 16, "slot": "0", "type": "t_bool" },
                    { "label": "memo", "offset": 0, "slot": "1", "type": "t_string_storage" },
                    { "label": "owner", "offset": 0, "slot": "2", "type": "t_address" }] },
            "t_array(t_uint32)dyn_storage": { "encoding": "dynamic_array", "base": "t_uint32",
                "label": "uint32[]", "numberOfBytes": "32" },
            "t_array(t_struct)dyn_storage": { "encoding": "dynamic_array", "base": "t_struct",
                "label": "struct Account[]", "numberOfBytes": "32" },
            "t_array(t_int16)5_storage": { "encoding": "inplace", "base": "t_int16",
                "label": "int16[5]", "numberOfBytes": "32" },
            "t_array(t_uint256)66_storage": { "encoding": "inplace", "base": "t_uint256",
                "label": "uint256[66]", "numberOfBytes": "2112" },
        });
        for bytes in 1..=32 {
            types[format!("t_uint{}", 8 * bytes)] = value(bytes, &format!("uint{}", 8 * bytes));
            types[format!("t_int{}", 8 * bytes)] = value(bytes, &format!("int{}", 8 * bytes));
        }
        types
    }

    /// A layout of variables with label, type, slot and offset.
    fn layout(variables: &[(&str, &str, u64, usize)]) -> StorageLayout {
        let variable = |(label, kind, slot, offset): &(&str, &str, u64, usize)| json!({ "label": label, "type": kind, "slot": slot.to_string(), "offset": offset });
        let storage: Vec<Value> = variables.iter().map(variable).collect();
        let layout = json!({ "storage": storage, "types": types() });
        StorageLayout::parse(&layout.to_string()).unwrap()
    }

    fn changed(
        layout: &StorageLayout,
        slots: &[(U256, U256, U256)],
        preimages: &[Vec<u8>],
    ) -> (Vec<String>, usize) {
        let preimages: Vec<Bytes> = preimages.iter().cloned().map(Bytes::from).collect();
        let slots = slots
            .iter()
            .map(|(slot, before, after)| (*slot, StorageShift { before: *before, after: *after }))
            .collect();
        let ChangedStorage { variables, unnamed } = layout.changed_variables(&slots, &preimages);
        let text = |one: ChangedVariable| format!("{} {} → {}", one.path, one.before, one.after);
        (variables.into_iter().map(text).collect(), unnamed.len())
    }

    fn preimage(key: &[u8], slot: U256) -> (Vec<u8>, U256) {
        let bytes = [key, &slot.to_be_bytes::<32>()].concat();
        let hash = U256::from_be_bytes(keccak256(&bytes).0);
        (bytes, hash)
    }

    fn word(n: u64) -> U256 {
        U256::from(n)
    }

    #[test]
    fn plain_slots_are_named_as_they_are_typed() {
        let layout = layout(&[
            ("owner", "t_address", 0, 0),
            ("open", "t_bool", 0, 20),
            ("balances", "t_mapping(t_address,t_uint256)", 1, 0),
            ("prices", "t_array(t_uint256)66_storage", 2, 0),
            ("total", "t_uint256", 68, 0),
        ]);
        let PlainSlots { slots, cut } = layout.plain_slots();
        let texts: Vec<&str> = slots.values().map(String::as_str).collect();
        assert_eq!(texts[..3], ["owner", "prices", "prices+1"]);
        assert_eq!(texts[MAX_PLAIN_SLOTS..], ["prices+63", "total"]);
        for (slot, text) in &slots {
            assert_eq!(SlotExpression::parse(text, Some(&layout)).unwrap().slot, *slot);
        }
        assert_eq!(cut, ["prices"]);
    }

    #[test]
    fn mapping_is_named_only_with_a_known_key() {
        let layout = layout(&[("balances", "t_mapping(t_address,t_uint256)", 2, 0)]);
        let holder = Address::repeat_byte(0x11);
        let (known, slot) = preimage(&holder.into_word()[..], word(2));
        let slots = [(slot, word(1), word(5))];
        let named = format!("balances[{holder}] 1 → 5");
        assert_eq!(changed(&layout, &slots, &[known]), (vec![named], 0));
        assert_eq!(changed(&layout, &slots, &[]), (vec![], 1));
        // A preimage of another slot, and a key that is no address.
        let (other, _) = preimage(&holder.into_word()[..], word(3));
        assert_eq!(changed(&layout, &slots, &[other]), (vec![], 1));
        let (large, slot) = preimage(&[0xff; 32], word(2));
        assert_eq!(changed(&layout, &[(slot, word(0), word(5))], &[large]), (vec![], 1));
    }

    #[test]
    fn nested_mappings_have_fields_of_their_structs() {
        let layout = layout(&[("accounts", "t_mapping(t_address,t_mapping)", 3, 0)]);
        let holder = Address::repeat_byte(0x22);
        let (first, inner) = preimage(&holder.into_word()[..], word(3));
        let (second, account) = preimage(b"savings", inner);
        let open = U256::ONE << 128;
        let short = U256::from_be_slice(b"hi") << 240 | word(4);
        let slots = [
            (account, word(7), open + word(9)),
            (account + word(1), word(0), short),
            (account + word(9), word(0), word(1)),
        ];
        let path = format!("accounts[{holder}][\"savings\"]");
        let expected = [
            format!("{path}.balance 7 → 9"),
            format!("{path}.open false → true"),
            format!("{path}.memo \"\" → \"hi\""),
        ];
        assert_eq!(changed(&layout, &slots, &[first, second]), (expected.to_vec(), 1));
    }

    #[test]
    fn elements_of_arrays_are_numbered() {
        let layout = layout(&[
            ("small", "t_array(t_uint32)dyn_storage", 5, 0),
            ("list", "t_array(t_struct)dyn_storage", 6, 0),
            ("ints", "t_array(t_int16)5_storage", 8, 0),
        ]);
        let (small, list) = (hash_of(word(5)), hash_of(word(6)));
        let slots = [
            (word(5), word(9), word(10)),
            (small + word(1), U256::ZERO, word(4) << 32),
            (list + word(5), U256::ZERO, word(0xab)),
            (word(8), U256::ZERO, U256::from(0xfffb) << 48 | word(1) << 80),
        ];
        let owner = Address::from_word(word(0xab).into());
        let zero = Address::ZERO;
        let expected = [
            "small.length 9 → 10".to_owned(),
            "small[9] 0 → 4".to_owned(),
            format!("list[1].owner {zero} → {owner}"),
            "ints[3] 0 → -5".to_owned(),
        ];
        // The last bits of the slot are beyond the array.
        assert_eq!(changed(&layout, &slots, &[]), (expected.to_vec(), 1));
    }

    #[test]
    fn strings_are_whole_or_a_length() {
        let layout = layout(&[("title", "t_string_storage", 6, 0)]);
        let start = hash_of(word(6));
        let desk = U256::from_be_slice(b"Desk") << 224 | word(8);
        let part = |text: &[u8]| U256::from_be_slice(text) << (256 - 8 * text.len());
        let text = b"a title that is longer than thirty-one";
        let long = [
            (word(6), desk, word(2 * text.len() as u64 + 1)),
            (start, U256::ZERO, part(&text[..32])),
            (start + word(1), U256::ZERO, part(&text[32..])),
        ];
        let whole = "title \"Desk\" → \"a title that is longer than thirty-one\"";
        assert_eq!(changed(&layout, &long, &[]), (vec![whole.to_owned()], 0));
        // An unchanged slot of it is unknown.
        let (found, _) = changed(&layout, &long[..2], &[]);
        assert_eq!(found, ["title \"Desk\" → 38 bytes"]);
        let (found, unnamed) = changed(&layout, &long[2..], &[]);
        assert!(found[0].starts_with("title[32–63] 0x00") && unnamed == 0, "{found:?}");
    }

    #[test]
    fn word_of_a_slot_is_read_as_its_variables() {
        let layout = layout(&[
            ("open", "t_bool", 0, 0),
            ("owner", "t_address", 0, 1),
            ("title", "t_string_storage", 1, 0),
            ("list", "t_array(t_uint32)dyn_storage", 2, 0),
            ("balances", "t_mapping(t_address,t_uint256)", 3, 0),
        ]);
        let read = |slot, word: U256, preimages: &[Bytes]| {
            let words = BTreeMap::from([(slot, word)]);
            let stored = layout.stored_variables(slot, &words, preimages).into_iter();
            stored.map(|one| format!("{} {}", one.path, one.value)).collect::<Vec<_>>()
        };
        let owner = Address::repeat_byte(0x11);
        let packed = U256::from_be_bytes(owner.into_word().0) << 8;
        assert_eq!(read(word(0), packed, &[]), ["open false".to_owned(), format!("owner {owner}")]);
        assert_eq!(read(word(1), word(0), &[]), ["title \"\""]);
        assert_eq!(read(word(1), word(81), &[]), ["title 40 bytes"], "which are in other slots");
        let parts = layout.text_slots(word(1), word(81), &[]);
        let text = U256::from_be_bytes([b'a'; WORD_BYTES]);
        let words = parts.iter().map(|slot| (*slot, text)).chain([(word(1), word(81))]).collect();
        let whole = layout.stored_variables(word(1), &words, &[]);
        assert_eq!((parts.len(), &*whole[0].value), (2, &*format!("\"{}\"", "a".repeat(40))));
        let part = layout.stored_variables(word(1), &BTreeMap::from([(word(1), word(81))]), &[]);
        assert_eq!((whole[0].is_read, part[0].is_read), (true, false));
        assert!(layout.text_slots(word(1), word(0), &[]).is_empty(), "the word has all of it");
        assert_eq!(read(word(2), word(4), &[]), ["list.length 4"]);
        let (known, slot) = preimage(&owner.into_word()[..], word(3));
        let named = format!("balances[{owner}] 5");
        assert_eq!(read(slot, word(5), &[known.into()]), [named]);
        assert_eq!(read(slot, word(5), &[]), <[String; 0]>::default());
        assert_eq!(read(word(9), word(5), &[]), <[String; 0]>::default());
    }

    #[test]
    fn hostile_layouts_end() {
        let endless = json!({ "storage": [{ "label": "x", "type": "t", "slot": "0", "offset": 0 }],
            "types": { "t": { "encoding": "inplace", "label": "x", "numberOfBytes": "0",
                "members": [{ "label": "y", "type": "t", "slot": "0", "offset": 99 },
                    { "label": "z", "type": "t", "slot": "1", "offset": 0 }] } } });
        let layout = StorageLayout::parse(&endless.to_string()).unwrap();
        assert_eq!(changed(&layout, &[(word(0), word(0), word(1))], &[]), (vec![], 1));
        let huge = json!({ "storage": [{ "label": "x", "type": "t", "slot": "1", "offset": 40 }],
            "types": { "t": { "encoding": "inplace", "label": "uint8[9]", "base": "t",
                "numberOfBytes": U256::MAX.to_string() } } });
        let layout = StorageLayout::parse(&huge.to_string()).unwrap();
        assert_eq!(changed(&layout, &[(word(9), word(0), word(1))], &[]), (vec![], 1));
    }

    proptest! {
        /// Variables are packed as the compiler packs them: in order, none across two slots.
        #[test]
        fn packed_variables_are_found_where_they_are(
            parts in vec((1_usize..=32, any::<[u8; 32]>(), any::<[u8; 32]>()), 1..12),
        ) {
            let (mut slot, mut offset) = (0_u64, 0_usize);
            let (mut variables, mut slots) = (Vec::new(), BTreeMap::new());
            let mut expected = Vec::new();
            for (n, (bytes, before, after)) in parts.iter().enumerate() {
                if offset + bytes > WORD_BYTES {
                    (slot, offset) = (slot + 1, 0);
                }
                let mask = U256::MAX >> (8 * (WORD_BYTES - bytes));
                let [before, after] = [before, after].map(|word| U256::from_be_bytes(*word) & mask);
                variables.push((format!("v{n}"), format!("t_uint{}", 8 * bytes), slot, offset));
                let words = slots.entry(slot).or_insert((U256::ZERO, U256::ZERO));
                words.0 |= before << (8 * offset);
                words.1 |= after << (8 * offset);
                if before != after {
                    expected.push(format!("v{n} {before} → {after}"));
                }
                offset += bytes;
            }
            let variables: Vec<_> = variables
                .iter()
                .map(|(label, kind, slot, offset)| (&**label, &**kind, *slot, *offset))
                .collect();
            let slots: Vec<_> = slots
                .into_iter()
                .filter(|(_, (before, after))| before != after)
                .map(|(slot, (before, after))| (word(slot), before, after))
                .collect();
            prop_assert_eq!(changed(&layout(&variables), &slots, &[]), (expected, 0));
        }
    }
}

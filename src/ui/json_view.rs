//! JSON of any shape as a tree of document entries.
//!
//! NFT metadata is untrusted: deep nesting, images as strings of megabytes, repeated or empty keys. The
//! text is scanned once without recursion and stored once; every entry copies from it.

mod attributes;
mod scanner;
mod values;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::document::{CopyText, DocumentEntry, EntryValue};
use super::format::width;
use super::theme::Role;
use crate::chain::amount::Grouped;
use crate::chain::hash_abbreviation::{ADDRESS_WIDTH, abbreviate};
use crate::chain::{Address, Bytes};
use crate::messages::page::PageMessage;
use crate::sanitize::SafeText;
pub use attributes::nft_attributes;
use scanner::{JsonScanner, JsonToken, copy_text, unquote};
use values::{
    MAX_NAME_CHARS, MAX_STRING_CHARS, compact_entry, data_entries, display_name, long_data, quoted,
    scalar_entry,
};

/// Size of a tree in bytes beyond which strings are cut like names: every fold lays all of it out
/// again.
const CROWDED_TREE_BYTES: usize = 2 << 20;
/// Maximum depth of entries. Deeper values are shown as a line of JSON.
const MAX_DEPTH: usize = 30;
/// Maximum entries. Further values are only counted.
const MAX_ENTRIES: usize = 20_000;
/// Longer arrays have an entry for each item.
const MAX_SHORT_ARRAY_BYTES: usize = 60;
/// Maximum columns of the values of an object that stand next to its name.
const MAX_SUMMARY_COLUMNS: usize = 60;
/// A value that a summary begins with.
const ERROR_KEY: &str = "error";
const MAX_SUMMARY_VALUE_COLUMNS: usize = 24;
/// Maximum values in a summary besides an error.
const MAX_SUMMARY_VALUES: usize = 3;
/// Keys of the values that a summary begins with otherwise.
const TYPE_KEYS: [&str; 2] = ["type ", CALL_TYPE];
const CALL_TYPE: &str = "callType ";
/// Levels that are unfolded at first.
const OPEN_LEVELS: usize = 2;

/// Returns an entry for each value, deeper than its object or array.
///
/// The `attributes` of the outermost object are a table: an item with a `trait_type` is one entry of
/// that name. Every entry copies its value in full, objects and arrays as JSON. The words about an item
/// of a list have addresses by name, where `name` knows one.
pub fn json_entries(
    label: &str,
    json: &RawValue,
    name: &dyn Fn(&Address) -> Option<String>,
) -> Vec<DocumentEntry> {
    tree_entries((label, false), json, name)
}

/// Like [`json_entries`], with texts in quotes: next to other fields they could pass for what the program says.
pub fn quoted_json_entries(
    label: &str,
    json: &RawValue,
    name: &dyn Fn(&Address) -> Option<String>,
) -> Vec<DocumentEntry> {
    tree_entries((label, true), json, name)
}

fn tree_entries(
    (label, has_quotes): (&str, bool),
    json: &RawValue,
    name: &dyn Fn(&Address) -> Option<String>,
) -> Vec<DocumentEntry> {
    let json: Arc<str> = json.get().into();
    let mut tree = JsonTree {
        json: &json,
        root: label,
        name,
        has_quotes,
        stack: Vec::new(),
        entries: Vec::new(),
        shown_bytes: 0,
        omitted: 0,
    };
    let mut scan = JsonScanner { json: &json, at: 0 };
    while let Some(token) = scan.next() {
        match token {
            JsonToken::Open { object, at } => tree.open(object, at, &mut scan),
            JsonToken::Close => tree.close(scan.at),
            JsonToken::Scalar(part) => tree.scalar(part),
        }
    }
    tree.finish()
}

impl OpenContainer {
    fn add_to_summary(&mut self, words: &str) {
        let used: usize = self.summary.iter().map(|words| width(words) + " · ".len()).sum();
        let fits = used + width(words) <= MAX_SUMMARY_COLUMNS;
        // Items of a list show the same values, not each those that happen to be short.
        self.is_summary_full |= !fits || self.summary.len() == MAX_SUMMARY_VALUES;
        if !self.is_summary_full {
            self.summary.push(words.to_owned());
        }
    }

    /// Returns the error, then the type, then the other short values.
    fn summary_text(&mut self) -> String {
        let is_type = |words: &str| TYPE_KEYS.iter().any(|key| words.starts_with(key));
        self.summary.sort_by_key(|words| !is_type(words));
        // The kind of a call needs no name.
        let summary =
            self.summary.iter().map(|words| words.strip_prefix(CALL_TYPE).unwrap_or(words));
        let words: Vec<&str> = self.error.iter().map(|words| &**words).chain(summary).collect();
        words.join(" · ")
    }
}

/// The entries so far, and the objects and arrays that are still open.
struct JsonTree<'a> {
    json: &'a Arc<str>,
    root: &'a str,
    name: &'a dyn Fn(&Address) -> Option<String>,
    /// `true` if texts are in quotes.
    has_quotes: bool,
    stack: Vec<OpenContainer>,
    entries: Vec<DocumentEntry>,
    shown_bytes: usize,
    /// Number of values without an entry.
    omitted: u64,
}

struct OpenContainer {
    entry: Option<usize>,
    start: usize,
    object: bool,
    /// `true` if the items are attributes of an NFT.
    attributes: bool,
    members: u64,
    /// Key of the next value.
    key: Option<Range<usize>>,
    /// Its short values in a few words.
    summary: Vec<String>,
    /// `true` once a value did not fit.
    is_summary_full: bool,
    /// An error among its values, before the other words.
    error: Option<String>,
}

impl<'a> JsonTree<'a> {
    fn source(&self, part: &Range<usize>) -> &'a str {
        self.json.get(part.clone()).unwrap_or_default()
    }

    /// Returns the label of the next value: its key, or its number.
    fn next_label(&mut self) -> Cow<'a, str> {
        let Some(frame) = self.stack.last_mut() else { return Cow::Borrowed(self.root) };
        let number = frame.members;
        frame.members += 1;
        match frame.key.take() {
            Some(key) => display_name(self.source(&key)),
            None => format!("#{number}").into(),
        }
    }

    /// Adds an entry and returns its index, or counts the value if there are too many.
    fn push(&mut self, entry: impl FnOnce(&Self) -> DocumentEntry) -> Option<usize> {
        if self.entries.len() >= MAX_ENTRIES {
            self.omitted += 1;
            return None;
        }
        let level = u8::try_from(self.stack.len()).unwrap_or(u8::MAX);
        let entry = entry(self).at_level(level);
        if let EntryValue::Text(text) = &entry.value {
            self.shown_bytes = self.shown_bytes.saturating_add(text.len());
        }
        self.entries.push(entry);
        Some(self.entries.len() - 1)
    }

    fn scalar(&mut self, part: Range<usize>) {
        if let Some(frame) = self.stack.last_mut()
            && frame.object
            && frame.key.is_none()
        {
            frame.key = Some(part);
            return;
        }
        let label = self.next_label();
        self.summarize(&label, &part);
        if let Some(data) = self.long_data(&part) {
            let (size, hex) = data_entries(&label, data);
            self.push(|view| size.copy_part(view.json, part, copy_text));
            if let Some(hex) = hex {
                let level = u8::try_from(self.stack.len() + 1).unwrap_or(u8::MAX);
                self.entries.push(hex.at_level(level));
            }
            return;
        }
        self.push(|tree| tree.scalar_entry(&label, part));
    }

    /// Adds a short value to the words about its object.
    fn summarize(&mut self, label: &str, part: &Range<usize>) {
        let json = self.source(part);
        let Some(frame) = self.stack.last_mut().filter(|frame| frame.object) else { return };
        let text = unquote(json);
        let address = text.parse::<Address>().ok().filter(|_| text.len() == ADDRESS_WIDTH);
        let value = match address {
            Some(address) => (self.name)(&address).unwrap_or_else(|| abbreviate(&address)).into(),
            // Numbers and data say little without the rest.
            None if text.len() > MAX_SUMMARY_VALUE_COLUMNS || text.starts_with("0x") => return,
            None if json == "null" => return,
            None => SafeText::new(&text),
        };
        if label == ERROR_KEY {
            frame.error = Some(format!("{label} {value}"));
            return;
        }
        frame.add_to_summary(&format!("{label} {value}"));
    }

    /// Returns data of more than a word, if there is space to show it in lines.
    fn long_data(&self, part: &Range<usize>) -> Option<Bytes> {
        let has_space = !self.is_crowded() && self.entries.len() + 2 < MAX_ENTRIES;
        has_space.then(|| long_data(self.source(part))).flatten()
    }

    fn is_crowded(&self) -> bool {
        self.shown_bytes >= CROWDED_TREE_BYTES
    }

    fn scalar_entry(&self, label: &str, part: Range<usize>) -> DocumentEntry {
        let max_chars = if self.is_crowded() { MAX_NAME_CHARS } else { MAX_STRING_CHARS };
        let entry = scalar_entry(self.json, label, part.clone(), max_chars);
        if self.has_quotes { quoted(entry, self.json, part, max_chars) } else { entry }
    }

    fn open(&mut self, object: bool, start: usize, scan: &mut JsonScanner<'a>) {
        let label = self.next_label();
        if self.stack.len() >= MAX_DEPTH {
            scan.skip_container();
            let part = start..scan.at;
            self.push(|tree| compact_entry(tree.json, &label, part, MAX_NAME_CHARS));
            return;
        }
        let is_in_table = self.stack.last().is_some_and(|above| above.attributes && !above.object);
        let attribute = (is_in_table && object).then(|| self.parse_attribute(scan)).flatten();
        if let Some((attribute, after)) = attribute {
            *scan = after;
            self.push(|tree| tree.attribute_entry(&label, attribute));
            return;
        }
        let attributes =
            label == "attributes" && matches!(&*self.stack, [OpenContainer { object: true, .. }]);
        if let Some(part) = (!object).then(|| self.short_array(start)).flatten() {
            scan.skip_container();
            self.push(|tree| compact_entry(tree.json, &label, part, MAX_NAME_CHARS));
            return;
        }
        let is_item = self.stack.len() == 1 && self.is_list();
        // Of a list, the first item shows its parts, the others are a line each.
        let is_further_item = is_item && self.stack.first().is_some_and(|list| list.members > 1);
        let open = self.stack.len() < OPEN_LEVELS + usize::from(self.is_list()) && !is_further_item;
        let entry = self.push(|_| DocumentEntry::text(&label, "").fold(open));
        self.stack.push(OpenContainer {
            entry,
            start,
            object,
            attributes,
            members: 0,
            key: None,
            summary: Vec::new(),
            is_summary_full: false,
            error: None,
        });
    }

    /// Returns `true` if the outermost value is an array: its items are opened like objects alone.
    fn is_list(&self) -> bool {
        self.stack.first().is_some_and(|outermost| !outermost.object)
    }

    /// Returns the place of an array of a few numbers.
    fn short_array(&self, start: usize) -> Option<Range<usize>> {
        let rest = self.json.as_bytes().get(start..)?;
        let length = rest.iter().take(MAX_SHORT_ARRAY_BYTES).position(|byte| *byte == b']')?;
        let items = rest.get(1..length)?;
        let is_flat = !items.iter().any(|byte| matches!(byte, b'[' | b'{' | b'"'));
        let has_items = items.iter().any(|byte| !byte.is_ascii_whitespace());
        (is_flat && has_items).then_some(start..start + length + 1)
    }

    fn close(&mut self, end: usize) {
        let Some(mut frame) = self.stack.pop() else { return };
        let is_item = self.stack.len() == 1 && self.is_list();
        let item = self.stack.get_mut(1).filter(|item| frame.object && item.object);
        if let Some(item) = item {
            frame.summary.iter().for_each(|words| item.add_to_summary(words));
        }
        let Some(entry) = frame.entry.and_then(|at| self.entries.get_mut(at)) else { return };
        let is_empty = frame.members == 0;
        let (kind, member) = match (frame.attributes, frame.object) {
            (true, _) => ("", "attribute"),
            (false, true) => ("object, ", "field"),
            (false, false) => ("array, ", "item"),
        };
        let number = Grouped(frame.members).to_string();
        let plural = if frame.members == 1 { "" } else { "s" };
        let mut text = match (is_empty, frame.object) {
            (true, true) => "{}".to_owned(),
            (true, false) => "[]".to_owned(),
            (false, _) => format!("{kind}{number} {member}{plural}"),
        };
        let has_error = frame.error.is_some() && is_item;
        let summary = frame.summary_text();
        if frame.object && !summary.is_empty() && !frame.attributes && is_item {
            text = summary;
        }
        entry.value = EntryValue::Text(SafeText::new(&text));
        entry.role = if has_error { Role::Failed } else { Role::Dim };
        let text = Arc::clone(self.json);
        entry.copy = Some(CopyText::Part { text, at: frame.start..end, read: copy_text });
        if is_empty {
            entry.open = None;
        }
    }

    fn finish(mut self) -> Vec<DocumentEntry> {
        if self.omitted > 0 {
            // Replace the last entry by the count.
            self.entries.truncate(MAX_ENTRIES - 1);
            let more = PageMessage::MoreValues { values: Grouped(self.omitted + 1) };
            let entry = DocumentEntry::text("more", more.to_string());
            let all = 0..self.json.len();
            self.entries.push(entry.role(Role::Warning).copy_part(self.json, all, copy_text));
        }
        self.entries
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::sanitize::json_line;

    pub(super) fn parse(json: &str) -> Vec<DocumentEntry> {
        let json = RawValue::from_string(json.to_owned()).unwrap();
        json_entries("metadata", &json, &|_| None)
    }

    /// Returns the tree as indented text.
    pub(super) fn shown(json: &str) -> String {
        let mut out = String::new();
        for entry in parse(json) {
            let mark = match entry.open {
                Some(true) => "▾ ",
                Some(false) => "▸ ",
                None => "",
            };
            let indent = usize::from(entry.level) * 2;
            writeln!(out, "{:indent$}{mark}{}: {}", "", entry.label, body(&entry)).unwrap();
        }
        out
    }

    pub(super) fn body(entry: &DocumentEntry) -> &str {
        match &entry.value {
            EntryValue::Text(text) => text,
            other => panic!("{other:?} in JSON"),
        }
    }

    fn copy(entries: &[DocumentEntry], label: &str) -> SafeText {
        entries.iter().find(|entry| &*entry.label == label).unwrap().copy_text()
    }

    #[test]
    fn containers_are_folded_below_the_second_level() {
        let json = r#"{ "name": "Glass #1", "files": [ { "uri": "ipfs://x", "size": 1.50e3 }, [] ],
            "ok": true, "none": null, "empty": {}, "one": [""] }"#;
        assert_eq!(
            shown(json),
            "▾ metadata: object, 6 fields
  name: Glass #1
  ▾ files: array, 2 items
    ▸ #0: object, 2 fields
      uri: ipfs://x
      size: 1.50e3
    #1: []
  ok: true
  none: null
  empty: {}
  ▾ one: array, 1 item
    #0: \"\"
"
        );
        let entries = parse(json);
        assert_eq!(&*copy(&entries, "files"), r#"[{"uri":"ipfs://x","size":1.50e3},[]]"#);
        assert_eq!(&*copy(&entries, "size"), "1.50e3");
        assert_eq!(&*entries.last().unwrap().copy_text(), "");
    }

    #[test]
    fn a_scalar_is_one_entry() {
        for (json, text, copied) in [
            ("7", "7", "7"),
            ("-0.0E+1", "-0.0E+1", "-0.0E+1"),
            (" \"a\\nb\\u0041\" ", "a␊bA", "a␊bA"),
            ("\"null\"", "null", "null"),
            ("\"  \"", "\"  \"", "  "),
            (r#""half \ud800 a pair""#, r"half \ud800 a pair", r"half \ud800 a pair"),
        ] {
            let entries = parse(json);
            assert_eq!((entries.len(), body(&entries[0])), (1, text), "{json}");
            assert_eq!(&*entries[0].copy_text(), copied, "{json}");
        }
    }

    #[test]
    fn texts_are_in_quotes_as_in_json() {
        let address = format!("0x{:040x}", 0xabcd);
        let json = format!(
            r#"{{"name":"Bank","odd":"ok\" true","true":true,"word":"true","n":"12","data":"0x00ab",
                "from":"{address}","like":"0x{}","none":null,"blank":" ","long":"{}"}}"#,
            "z".repeat(40),
            "a".repeat(3_000)
        );
        let json = RawValue::from_string(json).unwrap();
        let entries = quoted_json_entries("row", &json, &|_| None);
        let text = |label: &str| body(entries.iter().find(|e| &*e.label == label).unwrap());
        for (label, shown) in [
            ("name", "\"Bank\""),
            ("odd", r#""ok\" true""#),
            ("true", "true"),
            ("word", "\"true\""),
            ("n", "12"),
            ("data", "0x00ab"),
            ("none", "null"),
            ("blank", "\" \""),
        ] {
            assert_eq!(text(label), shown, "{label}");
        }
        assert!(text("from").starts_with("0x") && text("like").starts_with("\"0xzz"));
        assert!(text("long").starts_with("\"aaa") && text("long").ends_with("a… (3,002 bytes)"));
        assert_eq!(&*copy(&entries, "odd"), "ok\" true", "copied as it is");
        assert_eq!(&*copy(&entries, "name"), "Bank");
    }

    #[test]
    fn quantities_are_decimal_too_and_long_data_is_folded() {
        let entries = parse(&format!(
            r#"{{"gas":"0x1e1634","input":"0xa9059cbb","value":"0x0","topic":"0x{:064x}",
                "short":"0x{}","long":"0x{}","from":"0x{:040x}"}}"#,
            7,
            "ab".repeat(96),
            "ab".repeat(97),
            0xabcd
        ));
        let text = |label: &str| {
            let entry = entries.iter().find(|entry| *entry.label == *label).unwrap();
            match &entry.value {
                EntryValue::Hex(bytes) => format!("{} bytes in lines", bytes.len()),
                _ => body(entry).to_owned(),
            }
        };
        assert_eq!(text("gas"), "0x1e1634 = 1,971,764");
        assert_eq!([text("input"), text("value")], ["0xa9059cbb", "0x0"], "a selector, a zero");
        assert!(text("topic").starts_with("0x000"), "a word is no quantity");
        assert_eq!(text("short"), "96 bytes in lines");
        assert_eq!((text("long"), text("")), ("97 bytes".into(), "97 bytes in lines".into()));
        assert!(
            copy(&entries, "long").starts_with("0xabab") && copy(&entries, "gas") == "0x1e1634"
        );
        assert!(text("from").ends_with("ABcD"), "with its checksum: {}", text("from"));
        assert!(copy(&entries, "from").ends_with("abcd"), "as it was sent");
    }

    #[test]
    fn items_of_a_list_are_a_line_with_their_values() {
        let item = r#"{"action":{"callType":"call","to":"0x00000000000000000000000000000000000000aa"},"type":"call"}"#;
        assert_eq!(
            shown(&format!("[{item},{item}]")),
            "▾ metadata: array, 2 items
  ▾ #0: call · type call · to 0x0000…00AA
    ▾ action: object, 2 fields
      callType: call
      to: 0x00000000000000000000000000000000000000AA
    type: call
  ▸ #1: call · type call · to 0x0000…00AA
    ▾ action: object, 2 fields
      callType: call
      to: 0x00000000000000000000000000000000000000AA
    type: call
"
        );
    }

    #[test]
    fn short_arrays_of_numbers_are_a_line() {
        assert_eq!(
            shown(r#"[{ "at": [0, 12], "no": [], "texts": ["a"], "deep": [[1]] }]"#),
            "▾ metadata: array, 1 item
  ▾ #0: object, 4 fields
    at: [0,12]
    no: []
    ▾ texts: array, 1 item
      #0: a
    ▾ deep: array, 1 item
      #0: [1]
"
        );
    }

    #[test]
    fn keys_are_sanitized_and_cut() {
        let key = "k".repeat(1 << 20);
        let entries =
            parse(&format!(r#"{{"":1," ":2,"a":3,"a":4,"\u001b[31m\u202e":5,"{key}":6}}"#));
        let labels: Vec<&str> = entries.iter().map(|entry| &*entry.label).collect();
        assert_eq!(labels[1..6], ["\"\"", "\" \"", "a", "a", "␛[31m␦"]);
        assert_eq!(labels[6].chars().count(), MAX_NAME_CHARS + 1);
    }

    #[test]
    fn long_strings_are_cut_and_copied_in_full() {
        let picture = format!("data:image/svg+xml;base64,{}", "QUJD".repeat(1 << 18));
        let (story, number) = ("s".repeat(1 << 20), "1".repeat(MAX_STRING_CHARS + 1));
        let json = format!(r#"{{"image":"{picture}","story":"{story}","n":{number}}}"#);
        let entries = parse(&json);
        let [_, image, text, number] = &entries[..] else { panic!("{entries:?}") };
        assert_eq!(body(image), "data:image/svg+xml, 786.4 kB", "named, not shown");
        assert_eq!(*image.copy_text(), *picture);
        assert!(body(text).ends_with("… (1,048,576 bytes)"));
        assert_eq!(
            body(text).chars().count(),
            MAX_STRING_CHARS + "… (1,048,576 bytes)".chars().count()
        );
        assert_eq!(*text.copy_text(), *story);
        assert!(body(number).ends_with("… (2,001 bytes)"));
        assert_eq!(number.copy_text().len(), MAX_STRING_CHARS + 1);
        assert_eq!(
            body(&parse(&format!("\"{}\"", "é".repeat(MAX_STRING_CHARS)))[0]).chars().count(),
            MAX_STRING_CHARS
        );
    }

    #[test]
    fn deep_nesting_becomes_a_line() {
        let json = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let entries = parse(&json);
        assert_eq!(entries.len(), MAX_DEPTH + 1);
        let last = entries.last().unwrap();
        assert_eq!(usize::from(last.level), MAX_DEPTH);
        assert_eq!(body(last), format!("{}… (199,940 bytes)", "[".repeat(MAX_NAME_CHARS)));
        assert_eq!(*entries[0].copy_text(), *json);
        let objects = parse(&format!("{}1{}", r#"{"a":"#.repeat(10_000), "}".repeat(10_000)));
        assert_eq!(objects.len(), MAX_DEPTH + 1);
    }

    #[test]
    fn excess_values_are_counted() {
        let json = format!("[[{}0],{{\"last\":[]}}]", "0,".repeat(99_999));
        let entries = parse(&json);
        assert_eq!(entries.len(), MAX_ENTRIES);
        assert_eq!(body(&entries[0]), "array, 2 items");
        assert_eq!(body(&entries[1]), "array, 100,000 items");
        let last = entries.last().unwrap();
        assert_eq!(body(last), "80,005 more values, only in the JSON");
        assert_eq!(*last.copy_text(), *json);
        let all = parse(&format!("[{}0]", "0,".repeat(MAX_ENTRIES - 2)));
        assert_eq!((all.len(), body(all.last().unwrap())), (MAX_ENTRIES, "0"));
    }

    #[test]
    fn strings_of_a_large_tree_are_cut_shorter() {
        let string = format!("\"{}\"", "x".repeat(MAX_STRING_CHARS));
        let entries = parse(&format!("[{}]", vec![string; 2_000].join(",")));
        assert_eq!(body(&entries[1]).len(), MAX_STRING_CHARS);
        let last = entries.last().unwrap();
        assert!(body(last).ends_with("x… (2,000 bytes)") && body(last).len() < 300);
        assert_eq!(last.copy_text().len(), MAX_STRING_CHARS);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        let key = prop_oneof![
            Just("attributes".to_owned()),
            Just("value".to_owned()),
            Just("trait_type".to_owned()),
            any::<String>(),
        ];
        leaf.prop_recursive(5, 60, 6, move |inner| {
            prop_oneof![
                // With a text, so that none is a line.
                prop::collection::vec(inner.clone(), 0..6).prop_map(|mut items| {
                    items.extend((!items.is_empty()).then(|| Value::from("text")));
                    Value::from(items)
                }),
                prop::collection::hash_map(key.clone(), inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    fn values(json: &Value) -> usize {
        match json {
            Value::Array(items) => 1 + items.iter().map(values).sum::<usize>(),
            Value::Object(fields) => 1 + fields.values().map(values).sum::<usize>(),
            _ => 1,
        }
    }

    proptest! {
        #[test]
        fn every_value_has_an_entry(json in any_json()) {
            // In an array, so that nothing is a table.
            let json = Value::from(vec![json, Value::from("text")]);
            let entries = parse(&serde_json::to_string_pretty(&json).unwrap());
            prop_assert_eq!(entries.len(), values(&json));
            let clean = |text: &str| !text.chars().any(char::is_control);
            prop_assert!(entries.iter().all(|e| clean(&e.label) && clean(body(e))));
        }

        #[test]
        fn root_copies_the_source(json in any_json()) {
            let text = json.to_string();
            // Sanitizing drops excess combining marks.
            prop_assume!(SafeText::new(&json_line(&text)) == SafeText::from(json_line(&text)));
            let entries = parse(&text);
            if json.is_object() || json.is_array() {
                prop_assert_eq!(entries[0].copy_text(), SafeText::new(&json_line(&text)));
            }
        }
    }
}

//! The attributes of an NFT as the rows of a table.

use std::ops::Range;

use serde_json::value::RawValue;

use super::scanner::{JsonScanner, JsonToken, unquote};
use super::values::display_name;
use super::{JsonTree, json_entries};
use crate::ui::document::DocumentEntry;
use crate::ui::theme::Role;

/// Returns the attributes of metadata in a few words each: `Eyes Green`.
pub fn nft_attributes(metadata: &RawValue) -> Vec<String> {
    let all = json_entries("", metadata, &|_| None);
    let is_table = |entry: &DocumentEntry| entry.level == 1 && entry.label == "attributes";
    let mut entries = all.iter().skip_while(|entry| !is_table(entry));
    let Some(table) = entries.next() else { return Vec::new() };
    if table.open.is_none() && table.role != Role::Dim {
        return vec![table.copy_text().to_string()];
    }
    let items = entries.take_while(|entry| entry.level > 1).filter(|entry| entry.level == 2);
    items
        .map(|entry| match entry.open {
            Some(_) => format!("{} …", entry.label),
            None => format!("{} {}", entry.label, entry.copy_text()),
        })
        .collect()
}

/// An item of `attributes`: the ranges of its fields.
#[derive(Default)]
pub(super) struct NftAttribute {
    name: Option<Range<usize>>,
    value: Option<Range<usize>>,
    display_type: Option<Range<usize>>,
    max_value: Option<Range<usize>>,
}

impl<'a> JsonTree<'a> {
    /// Parses the object that has just begun as an attribute. Returns `None` if it contains anything
    /// that a row of the table does not show.
    pub(super) fn parse_attribute(
        &self,
        scan: &JsonScanner<'a>,
    ) -> Option<(NftAttribute, JsonScanner<'a>)> {
        let mut scan = scan.clone();
        let mut attribute = NftAttribute::default();
        loop {
            let key = match scan.next()? {
                JsonToken::Close => break,
                JsonToken::Open { .. } => return None,
                JsonToken::Scalar(part) => self.source(&part),
            };
            let JsonToken::Scalar(part) = scan.next()? else { return None };
            let field = match &*unquote(key) {
                "trait_type" => &mut attribute.name,
                "value" => &mut attribute.value,
                "display_type" => &mut attribute.display_type,
                "max_value" => &mut attribute.max_value,
                _ => return None,
            };
            if field.replace(part).is_some() {
                return None;
            }
        }
        attribute.value.is_some().then_some((attribute, scan))
    }

    /// Returns the entry of an attribute, called `label` if it has no name.
    pub(super) fn attribute_entry(&self, label: &str, attribute: NftAttribute) -> DocumentEntry {
        let known = |part: &Option<Range<usize>>| {
            let json = part.as_ref().map(|part| self.source(part));
            json.filter(|json| *json != "null").map(display_name)
        };
        let label = known(&attribute.name).unwrap_or(label.into());
        let entry = self.scalar_entry(&label, attribute.value.unwrap_or_default());
        let most = known(&attribute.max_value).map(|most| format!("of {most}"));
        let kind = known(&attribute.display_type)
            .filter(|kind| !kind.ends_with("number"))
            .map(|kind| format!("[{kind}]"));
        match [most, kind].into_iter().flatten().collect::<Vec<_>>().join(" ") {
            none if none.is_empty() => entry,
            note => entry.side_note(&note),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{body, parse, shown};

    #[test]
    fn attributes_are_a_table() {
        let json = r#"{"attributes":[
            {"trait_type":"Eyes","value":"Green"},
            {"display_type":"boost_number","trait_type":"Power","value":40,"max_value":100},
            {"value":"Happy","trait_type":null},
            {"trait_type":"Rare","value":true,"display_type":null},
            {"trait_type":"Stats","value":{"hp":1}},
            {"trait_type":"Twice","value":1,"value":2},
            {"trait_type":"Born","value":1546360800,"display_type":"date","rarity":0.1},
            "plain", 5]}"#;
        assert_eq!(
            shown(json),
            "▾ metadata: object, 1 field
  ▾ attributes: 9 attributes
    Eyes: Green
    Power: 40 of 100
    #2: Happy
    Rare: true
    ▸ #4: object, 2 fields
      trait_type: Stats
      ▸ value: object, 1 field
        hp: 1
    ▸ #5: object, 3 fields
      trait_type: Twice
      value: 1
      value: 2
    ▸ #6: object, 4 fields
      trait_type: Born
      value: 1546360800
      display_type: date
      rarity: 0.1
    #7: plain
    #8: 5
"
        );
        let power = parse(json).into_iter().find(|e| &*e.label == "Power").unwrap();
        assert_eq!((&*power.copy_text(), power.side_note), ("40", "of 100".len()));
    }

    #[test]
    fn attributes_in_a_few_words() {
        for (json, words) in [
            (
                r#"{"attributes":[{"trait_type":"Power","value":40,"max_value":100},{"value":"x"}]}"#,
                vec!["Power 40", "#1 x"],
            ),
            (
                r#"{"attributes":{"Eyes":"Green","hp":{"a":1}},"b":{"c":2}}"#,
                vec!["Eyes Green", "hp …"],
            ),
            (r#"{"attributes":"none"}"#, vec!["none"]),
            (r#"{"attributes":null}"#, vec![]),
            (r#"{"attributes":[]}"#, vec![]),
            (r#"{"a":{"attributes":["b"]}}"#, vec![]),
        ] {
            let json = serde_json::value::RawValue::from_string(json.to_owned()).unwrap();
            assert_eq!(super::nft_attributes(&json), words, "{json}");
        }
    }

    #[test]
    fn attributes_may_have_other_shapes() {
        assert_eq!(
            shown(r#"{"attributes":{"Eyes":"Green","":7,"attributes":[{"value":1}]}}"#),
            "▾ metadata: object, 1 field
  ▾ attributes: 3 attributes
    Eyes: Green
    \"\": 7
    ▸ attributes: array, 1 item
      ▸ #0: object, 1 field
        value: 1
"
        );
        for (json, text) in [
            (r#"{"attributes":"none"}"#, "none"),
            (r#"{"attributes":[]}"#, "[]"),
            (r#"{"attributes":["a"]}"#, "1 attribute"),
            (r#"{"a":0,"attributes":{}}"#, "{}"),
        ] {
            let entries = parse(json);
            let entry = entries.iter().find(|entry| &*entry.label == "attributes").unwrap();
            assert_eq!(body(entry), text, "{json}");
        }
    }
}

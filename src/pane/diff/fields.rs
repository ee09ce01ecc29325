//! The fields of a call in two traces, paired by their names.

use std::collections::HashMap;

use crate::sanitize::SafeText;
use crate::ui::document::{DocumentEntry, EntryValue};
use crate::ui::theme::Role;

/// A field of the detail of a call, with its value in each trace that has it.
#[derive(Debug)]
pub(super) struct ComparedField {
    pub(super) level: u8,
    pub(super) label: SafeText,
    pub(super) sides: [Option<DocumentEntry>; 2],
    /// `true` if both traces have it, with one value.
    pub(super) is_same: bool,
    /// `true` if the traces have different values, or only one has the field.
    pub(super) differs: bool,
}

/// The label of the field around a field, its own label, and its number among fields with the same labels: tuples
/// have several.
type FieldKey = (SafeText, SafeText, usize);

/// Pairs the fields of two calls in the order in which they have them. Values that differ get the colour of a change.
pub(super) fn pair_fields(
    [left, right]: [Vec<DocumentEntry>; 2],
    compares: bool,
) -> Vec<ComparedField> {
    let [left_keys, right_keys] = [field_keys(&left), field_keys(&right)];
    let places: HashMap<&FieldKey, usize> =
        right_keys.iter().enumerate().map(|(place, key)| (key, place)).collect();
    let mut right: Vec<Option<DocumentEntry>> = right.into_iter().map(Some).collect();
    let mut fields = Vec::new();
    let mut next = 0;
    for (entry, key) in left.into_iter().zip(&left_keys) {
        let same = places.get(key).copied().filter(|place| *place >= next);
        if let Some(place) = same {
            let skipped = right.get_mut(next..place).unwrap_or_default();
            fields.extend(
                skipped.iter_mut().filter_map(Option::take).map(|entry| [None, Some(entry)]),
            );
            next = place + 1;
        }
        let other = same.and_then(|place| right.get_mut(place)?.take());
        fields.push([Some(entry), other]);
    }
    fields.extend(right.into_iter().flatten().map(|entry| [None, Some(entry)]));
    fields.into_iter().filter_map(|sides| field(sides, compares)).collect()
}

fn field_keys(entries: &[DocumentEntry]) -> Vec<FieldKey> {
    let mut around: Vec<&DocumentEntry> = Vec::new();
    let mut counts: HashMap<(SafeText, SafeText), usize> = HashMap::new();
    let keys = entries.iter().map(|entry| {
        around.retain(|outer| outer.level < entry.level);
        let outer = around.last().map(|outer| outer.label.clone()).unwrap_or_default();
        around.push(entry);
        let count = counts.entry((outer.clone(), entry.label.clone())).or_default();
        *count += 1;
        (outer, entry.label.clone(), *count)
    });
    keys.collect()
}

/// Returns the field of two values, or `None` of bytes that do not differ: their size is above.
fn field(mut sides: [Option<DocumentEntry>; 2], compares: bool) -> Option<ComparedField> {
    let first = sides.iter().flatten().next()?;
    let (level, label) = (first.level, first.label.clone());
    let is_same = match &sides {
        [Some(left), Some(right)] => compares && left.copy_text() == right.copy_text(),
        _ => false,
    };
    let differs = compares && !is_same;
    let is_hex = |entry: &DocumentEntry| matches!(entry.value, EntryValue::Hex(_));
    if !differs && sides.iter().flatten().any(is_hex) {
        return None;
    }
    // The other side of a value alone is empty.
    let stands_out = differs && sides.iter().all(Option::is_some);
    for entry in sides.iter_mut().flatten() {
        // The list has the label, its indent and no folds.
        *entry =
            DocumentEntry { level: 0, open: None, label: SafeText::default(), ..entry.clone() };
        if stands_out {
            entry.role = Role::Warning;
        }
    }
    Some(ComparedField { level, label, sides, is_same, differs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Bytes;

    fn shown(sides: [Vec<DocumentEntry>; 2]) -> Vec<String> {
        let text = |side: &Option<DocumentEntry>| match side {
            Some(entry) => entry.copy_text().to_string(),
            None => "-".to_owned(),
        };
        let line = |field: &ComparedField| {
            let [left, right] = field.sides.each_ref().map(text);
            format!("{} {left} {right}{}", field.label, if field.differs { " differs" } else { "" })
        };
        pair_fields(sides, true).iter().map(line).collect()
    }

    #[test]
    fn fields_of_one_name_are_on_one_line() {
        let left = [("call", "f"), ("reason", "no"), ("from", "A"), ("input", "7")];
        let right = [("call", "f"), ("from", "B"), ("to", "C"), ("input", "7")];
        let side =
            |fields: [(&str, &str); 4]| fields.map(|(l, v)| DocumentEntry::text(l, v)).to_vec();
        let expected =
            ["call f f", "reason no - differs", "from A B differs", "to - C differs", "input 7 7"];
        assert_eq!(shown([side(left), side(right)]), expected);
    }

    #[test]
    fn values_of_one_label_are_compared_by_their_place() {
        let side =
            |values: [&str; 2]| values.map(|text| DocumentEntry::text("address", text)).to_vec();
        let expected = ["address A A", "address B C differs"];
        assert_eq!(shown([side(["A", "B"]), side(["A", "C"])]), expected);
    }

    #[test]
    fn only_values_that_differ_stand_out() {
        let side = |fields: &[[&str; 2]]| {
            fields.iter().map(|[label, text]| DocumentEntry::text(label, *text)).collect()
        };
        let sides = [side(&[["gas", "1"], ["to", "A"]]), side(&[["gas", "2"], ["from", "B"]])];
        let stands_out = |field: &ComparedField| {
            field.sides.iter().flatten().any(|entry| entry.role == Role::Warning)
        };
        let fields = pair_fields(sides, true);
        let shown: Vec<_> = fields.iter().filter(|field| stands_out(field)).collect();
        assert_eq!(shown.iter().map(|field| &*field.label).collect::<Vec<_>>(), ["gas"]);
        assert!(fields.iter().all(|field| field.differs), "{fields:?}");
    }

    #[test]
    fn bytes_of_one_field_are_shown_if_they_differ() {
        let bytes = |label: &str, byte: u8| {
            let hex = DocumentEntry::new("", EntryValue::Hex(Bytes::from(vec![byte]))).at_level(1);
            [DocumentEntry::text(label, "1 byte").fold(false), hex]
        };
        let left = [bytes("input", 1), bytes("revert data", 2)].concat();
        let right = [bytes("input", 1), bytes("output", 3)].concat();
        let expected = [
            "input 1 byte 1 byte",
            "revert data 1 byte - differs",
            " 0x02 - differs",
            "output - 1 byte differs",
            " - 0x03 differs",
        ];
        assert_eq!(shown([left, right]), expected);
        let sides = [bytes("input", 1).to_vec(), bytes("input", 2).to_vec()];
        assert_eq!(shown(sides), ["input 1 byte 1 byte", " 0x01 0x02 differs"]);
    }
}

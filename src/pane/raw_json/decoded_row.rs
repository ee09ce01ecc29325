//! Parameters of a call or an event that the explorer has decoded, in the JSON of a row.

use std::borrow::Cow;

use crate::chain::amount::group_whole_integer;
use crate::chain::{Address, TxHash, U256};
use crate::columns::cells::token_amount::{known_token_amount, moved_amount, raw_note};
use crate::pane::PaneContext;
use crate::sanitize::SafeText;
use crate::ui::document::{DocumentEntry, EntryValue, MIN_WIDE_COLUMNS};
use crate::ui::format::cut;
use crate::ui::theme::Role;

/// Fields with a decoding by the explorer.
pub(super) const DECODINGS: [&str; 2] = ["decoded", "decoded_input"];
/// Level of the parameters of a decoding.
const PARAMETER_LEVEL: u8 = 3;
/// Maximum columns of a parameter's value on the line of the parameter.
const MAX_PARAMETER_COLUMNS: usize = 200;

/// Returns a parameter of a decoding on one line: its name, its value and its type. What a line lacks of a long
/// value follows.
pub(super) fn parameter_entries(
    entry: &DocumentEntry,
    fields: &[DocumentEntry],
) -> Option<Vec<DocumentEntry>> {
    let is_parameter = entry.level == PARAMETER_LEVEL && entry.label.starts_with('#');
    let is_own = |field: &DocumentEntry| field.level == PARAMETER_LEVEL + 1;
    let place = |name: &str| fields.iter().position(|field| is_own(field) && field.label == name);
    let field = |name: &str| fields.get(place(name)?);
    let (name, value) = (field("name").filter(|_| is_parameter)?.copy_text(), field("value")?);
    let kind = field("type").map(DocumentEntry::copy_text).unwrap_or_default();
    let is_indexed = field("indexed").is_some_and(|field| *field.copy_text() == *"true");
    let parts = fields.iter().skip(place("value")? + 1).take_while(|field| !is_own(field));
    let is_data = parts.clone().any(|part| matches!(part.value, EntryValue::Hex(_)));
    let whole = match &value.value {
        EntryValue::Text(shown) if value.open.is_none() || is_data => shown.clone(),
        _ if value.open.is_none() || kind.contains("string") => value.copy_text(),
        _ => SafeText::new(&value.copy_text().replace('"', "").replace(',', ", ")),
    };
    let line = cut(&whole, MAX_PARAMETER_COLUMNS);
    let has_more = is_data || *line != *whole;
    let label = if name.trim().is_empty() { entry.label.clone() } else { name };
    let shown = DocumentEntry::text(&label, SafeText::new(&line)).copy(value.copy_text());
    let indexed = if is_indexed { " indexed" } else { "" };
    let noted = shown.at_level(PARAMETER_LEVEL).side_note(&format!("{kind}{indexed}"));
    let head = if has_more { noted.fold(false) } else { noted };
    let inside = parts.filter(|_| has_more).map(|part| part.clone().at_level(part.level - 1));
    Some([head].into_iter().chain(inside).collect())
}

/// Facts in a decoded row that give its parameters their tokens.
#[derive(Debug, Default)]
pub(super) struct DecodedRow {
    transaction: Option<TxHash>,
    /// The contract of an event with an amount of itself.
    token: Option<Address>,
    /// The name of the event.
    pub(super) event: Option<SafeText>,
}

impl DecodedRow {
    pub(super) fn new(entries: &[DocumentEntry]) -> Self {
        let text = |level: u8, label: &str| {
            let mut all = entries.iter();
            all.find(|entry| entry.level == level && &*entry.label == label)
        };
        let mut hashes = ["transaction_hash", "hash"].into_iter().filter_map(|name| text(1, name));
        let transaction = hashes.next().and_then(|entry| entry.copy_text().parse().ok());
        let declared = text(2, "method_call").map(DocumentEntry::copy_text);
        let event = declared.and_then(|declared| Some(declared.split_once('(')?.0.into()));
        let is_token =
            event.as_deref().is_some_and(|name| ["Transfer", "Approval"].contains(&name));
        let is_emitter = |entry: &&DocumentEntry| entry.level == 1 && &*entry.label == "address";
        let inside = entries.iter().skip_while(|entry| !is_emitter(entry)).skip(1);
        let mut fields = inside.take_while(|entry| entry.level > 1);
        let emitter = fields.find(|field| &*field.label == "hash").filter(|_| is_token);
        let token = emitter.and_then(DocumentEntry::address);
        Self { transaction, token, event }
    }

    pub(super) fn is_parameter(entry: &DocumentEntry, parent: &str) -> bool {
        entry.level == PARAMETER_LEVEL && DECODINGS.contains(&parent)
    }

    /// Describes a parameter before its type: the name of an address; the amount that a number is of a token, before
    /// the exact number; other numbers in groups of digits.
    pub(super) fn describe_parameter(
        &self,
        entry: DocumentEntry,
        cx: &PaneContext<'_>,
    ) -> DocumentEntry {
        let (EntryValue::Text(text), noted) = (&entry.value, entry.side_note) else { return entry };
        let kind = text.get(text.len() - noted..).filter(|kind| !kind.is_empty());
        // The declaration above has it too.
        let is_wide = cx.area.width >= MIN_WIDE_COLUMNS;
        let type_note = kind.filter(|_| is_wide).map(|kind| format!("· {kind}"));
        let bare = entry.clone().without_side_note();
        let (shown, note) = match &bare.value {
            EntryValue::Text(text) => {
                let of_type = |name: &str| kind.is_some_and(|kind| kind.starts_with(name));
                let address = text.parse().ok().filter(|_| of_type("address"));
                let is_number = of_type("uint") || of_type("int");
                let number = is_number.then(|| self.parameter_number(text, cx)).flatten();
                match (address, number) {
                    (Some(address), _) => {
                        let name = cx.name_cache.short_name(&address).map(Cow::into_owned);
                        (bare.link_address(address), name)
                    }
                    (_, Some((value, note))) => {
                        (DocumentEntry { value, ..bare }.role(Role::Value), Some(note))
                    }
                    _ => (bare, None),
                }
            }
            _ => (bare, None),
        };
        let before_type = note.filter(|note| !note.is_empty());
        let words: Vec<String> = before_type.into_iter().chain(type_note).collect();
        shown.side_note(&words.join(" "))
    }

    /// Returns a number among the parameters as the amount that it is of a token, with a note of the exact number,
    /// or with its digits in groups.
    fn parameter_number(&self, digits: &str, cx: &PaneContext<'_>) -> Option<(EntryValue, String)> {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number: U256 = is_number.then(|| digits.parse().ok()).flatten()?;
        let of_token =
            self.token.and_then(|token| known_token_amount(cx.name_cache, &token, number));
        let amount = of_token.or_else(|| moved_amount(cx.name_cache, &self.transaction?, number));
        let exact = group_whole_integer(digits);
        let value = |text: &str| EntryValue::Text(text.into());
        Some(match amount {
            Some(amount) => (value(&amount), raw_note(&amount, &exact)),
            None => (value(&exact), String::new()),
        })
    }
}

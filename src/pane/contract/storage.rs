//! The storage of a contract: variables of its layout, slots of proxies, and slots that were read.

use std::iter;

use crate::abi::{
    PROXY_SLOTS, StorageLayout, StoredVariable, known_slot, known_slot_name, proxy_address,
};
use crate::api::state_reads::{StateResponse, StorageWord};
use crate::chain::amount::{Grouped, group_whole_integer};
use crate::chain::hash_abbreviation::{ADDRESS_WIDTH, abbreviate};
use crate::chain::{Address, B256, U256};
use crate::messages::page::PageMessage;
use crate::messages::{Count, contract};
use crate::pane::PaneContext;
use crate::pane::detail::{SlotRead, StateReads, VariableWords};
use crate::sanitize::SafeText;
use crate::ui::document::{DocumentEntry, EntryLink};
use crate::ui::format::width;
use crate::ui::theme::Role;

use super::functions::block_note;

/// Maximum variables that are listed.
const MAX_VARIABLES: usize = 200;
/// Columns between a name and a value.
const NAME_GAP: usize = 2;
/// Columns of the indent of a slot.
const SLOT_INDENT: usize = 2;
/// Maximum columns of a value that others are aligned with.
const MAX_VALUE_COLUMNS: usize = 42;
/// Maximum parts of a variable in its row.
const MAX_PARTS: usize = 8;

/// Returns the variables and slots in some columns, each with its word or its value if that was read. The layout may
/// not be valid at the block.
pub(super) fn storage(
    reads: &StateReads,
    layout: Option<(&StorageLayout, bool)>,
    has_proxy_slots: bool,
    columns: u16,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let valid = layout.filter(|(_, is_valid)| *is_valid).map(|(layout, _)| layout);
    let words = reads.variables.as_ref().map(VariableWords::words);
    let read = words.as_ref().zip(valid);
    let values = read.map(|(words, layout)| layout.values(words)).unwrap_or_default();
    let mut offered: Vec<OfferedSlot> = Vec::new();
    if has_proxy_slots {
        let word = |name| words.as_ref()?.get(&known_slot(name)?).copied();
        offered.extend(PROXY_SLOTS.map(|name| OfferedSlot {
            value: word(name).map(proxy_part),
            ..OfferedSlot::new(name, "address", &[])
        }));
    }
    let variables = layout.into_iter().flat_map(|(layout, _)| layout.variables()).enumerate();
    let offer = |(n, (label, ty)): (usize, (&str, &str))| {
        OfferedSlot::new(label, ty, values.get(n).map(Vec::as_slice).unwrap_or_default())
    };
    offered.extend(variables.map(offer).take(MAX_VARIABLES));
    let rows = offered.iter().map(OfferedSlot::row).collect::<Vec<_>>();
    let table = RowColumns::new(&rows, usize::from(columns).saturating_sub(SLOT_INDENT));
    let space = usize::from(columns);
    let typed = reads
        .slots
        .iter()
        .filter(|read| !offered.iter().any(|slot| slot.text == read.text))
        .flat_map(|read| {
            let slot = OfferedSlot::typed(&read.text);
            iter::once(slot.entry(Some(read), &table)).chain(answer(read, valid, space))
        });
    let listed = offered.iter().flat_map(|slot| {
        let read = reads.slots.iter().find(|read| read.text == slot.text);
        let answer = read.map(|read| answer(read, valid, space));
        iter::once(slot.entry(read, &table)).chain(answer.into_iter().flatten())
    });
    let problem = reads
        .variables
        .as_ref()
        .and_then(problem)
        .map(|why| DocumentEntry::text("", why).role(Role::Failed).at_level(1));
    let entries: Vec<DocumentEntry> = typed.chain(listed).collect();
    let count = match entries.iter().filter(|entry| entry.level == 1).count() {
        0 => contract::NO_SLOT.into(),
        count => Count(count, "slot").to_string(),
    };
    let block = block_note(reads.block).map(|block| format!(" {block}")).unwrap_or_default();
    let heading = DocumentEntry::text("storage", count + &block)
        .side_note(&cx.keys.expand(contract::SLOT_HINT));
    let heading = if entries.is_empty() { heading } else { heading.fold(true) };
    [heading].into_iter().chain(problem).chain(entries).collect()
}

/// Returns the reason why variables were not read.
fn problem(read: &VariableWords) -> Option<SafeText> {
    let words = match &read.outcome {
        Ok(words) => words,
        Err(why) => return Some(why.clone()),
    };
    let failed = words.0.iter().find_map(|word| match word {
        StateResponse::Failed(why, _) => Some((word, why)),
        StateResponse::Returned(_) => None,
    });
    failed.map(|(word, why)| match read.request.block.filter(|_| word.lacks_state()) {
        Some(block) => PageMessage::NoState { block: Grouped(block) }.to_string().into(),
        None => why.clone(),
    })
}

/// A slot that can be read.
struct OfferedSlot {
    /// The slot as it is typed.
    text: SafeText,
    /// Type of the variable in it. Unknown for a typed slot.
    ty: Option<SafeText>,
    /// Value of the variable, if that was read.
    value: Option<SafeText>,
}

impl OfferedSlot {
    fn new(text: &str, ty: &str, parts: &[StoredVariable]) -> Self {
        Self {
            text: SafeText::new(text),
            ty: Some(SafeText::new(ty)),
            value: variable_value(text, ty, parts),
        }
    }

    fn typed(text: &SafeText) -> Self {
        Self { text: text.clone(), ty: None, value: None }
    }
}

/// Returns the address in a slot of a proxy, or `—` if that is empty.
fn proxy_part(word: U256) -> SafeText {
    match proxy_address(word) {
        Some(address) => address.to_string().into(),
        None if word.is_zero() => "—".into(),
        None => B256::from(word).to_string().into(),
    }
}

/// Returns the value of a variable from its parts: `[10, 20, 30]` for an array, `cap 5, open true` for a struct.
fn variable_value(name: &str, ty: &str, parts: &[StoredVariable]) -> Option<SafeText> {
    let below = |part: &StoredVariable| part.path.strip_prefix(name).unwrap_or_default().to_owned();
    let shown = parts.iter().take(MAX_PARTS);
    let text = match parts {
        [] => return None,
        [one] if *one.path == *name => return Some(one.value.clone()),
        [one] if below(one) == ".length" => {
            let length: usize = one.value.parse().ok()?;
            return Some(Count(length, "item").to_string().into());
        }
        _ if parts.iter().all(|part| is_element(&below(part))) => {
            shown.map(|part| group_whole_integer(&part.value).into_owned()).collect::<Vec<_>>()
        }
        _ => shown
            .map(|part| {
                let value = group_whole_integer(&part.value);
                format!("{} {value}", below(part).trim_start_matches('.'))
            })
            .collect(),
    };
    let more = if parts.len() > MAX_PARTS { ", …" } else { "" };
    let joined = text.join(", ");
    Some(if ty.ends_with(']') { format!("[{joined}{more}]") } else { joined + more }.into())
}

/// Returns `true` for the path of a plain element: `[3]`.
fn is_element(path: &str) -> bool {
    let index = path.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    index.is_some_and(|index| !index.contains(['[', ']']))
}

impl OfferedSlot {
    /// Returns its name, its value and its type, with digits in groups.
    fn row(&self) -> SlotRow {
        let is_number = self.text.starts_with(|first: char| first.is_ascii_digit());
        let name = if is_number { format!("slot {}", self.text) } else { self.text.to_string() };
        let value = self.value.as_ref().map(|value| group_whole_integer(value).into_owned());
        let ty = self.ty.as_ref().map(SafeText::to_string).unwrap_or_default();
        SlotRow { name, value: value.unwrap_or_default(), ty }
    }

    /// Returns the slot, with the name of a known one.
    fn entry(&self, read: Option<&SlotRead>, table: &RowColumns) -> DocumentEntry {
        let Self { text, ty, value } = self;
        let known = read.and_then(|read| known_slot_name(B256::from(read.request.slot)));
        let row = match known.filter(|name| ty.is_none() && **name != **text) {
            Some(name) => SlotRow { ty: name.to_owned(), ..self.row() },
            None => self.row(),
        };
        // A mapping has no word of its own, only its keys lead to some.
        let is_mapping = ty.as_ref().is_some_and(|ty| ty.starts_with("mapping("));
        let link = if is_mapping { format!("{text}[").into() } else { text.clone() };
        let entry = table.entry(row).copy(value.clone().unwrap_or_else(|| text.clone()));
        entry.at_level(1).link(EntryLink::Slot(link))
    }
}

/// Name, value and type of a variable. The value may be unknown.
struct SlotRow {
    name: String,
    value: String,
    ty: String,
}

/// Columns of names and of values, after which the types begin.
struct RowColumns {
    name: usize,
    value: usize,
    all: usize,
}

impl RowColumns {
    fn new(rows: &[SlotRow], all: usize) -> Self {
        let names = rows.iter().map(|row| width(&row.name));
        let name = names.filter(|columns| *columns <= all / 3).max().unwrap_or_default();
        let own = Self { name, value: 0, all };
        let values = rows.iter().filter(|row| own.fits(row)).map(|row| width(&row.value));
        let value = values.max().unwrap_or_default();
        Self { value, ..own }
    }

    /// Returns the column where the value of a row begins.
    fn value_column(&self, row: &SlotRow) -> usize {
        width(&row.name).max(self.name) + NAME_GAP
    }

    /// Returns `true` if a row has space on a line.
    fn fits(&self, row: &SlotRow) -> bool {
        let value = width(&row.value).max(self.value);
        self.value_column(row) + value + 1 + width(&row.ty) <= self.all
    }

    /// Returns the row as far as it has space: an address or a hash that does not fit is abbreviated, not broken.
    fn fitting(&self, row: SlotRow) -> SlotRow {
        let is_hash = row.value.starts_with("0x") && row.value.len() >= ADDRESS_WIDTH;
        let is_broken = width(&row.name) + NAME_GAP + width(&row.value) > self.all;
        let value = if is_hash && is_broken { abbreviate(&row.value) } else { row.value };
        SlotRow { value, ..row }
    }

    /// Returns a row. One with a value that leaves no space for the type has none: a type on a line of its own would
    /// look like a variable.
    fn entry(&self, row: SlotRow) -> DocumentEntry {
        let row = self.fitting(row);
        let SlotRow { name, value, ty } = &row;
        let needed = self.value_column(&row) + width(value);
        let name_columns = if needed > self.all { width(name) } else { self.name };
        let padded = |text: &str, columns: usize| {
            [text, &" ".repeat(columns.saturating_sub(width(text)))].concat()
        };
        // The blank before a side note is the other column of the gap.
        let gap = if value.is_empty() { NAME_GAP - 1 } else { NAME_GAP };
        let start = padded(name, name_columns) + &" ".repeat(gap);
        let has_type = value.is_empty() || self.fits(&row);
        let text = if value.is_empty() {
            start
        } else if has_type {
            start + &padded(value, self.value)
        } else {
            start + value
        };
        let entry =
            DocumentEntry { head: name.len(), ..DocumentEntry::text("", SafeText::new(&text)) };
        if has_type { entry.side_note(ty) } else { entry }
    }
}

/// Returns the name of a variable below the slot that it is in: `.amount` in `positions[0xf39F…2266]`. Another one has
/// the ends of the addresses and hashes in its keys, and a long one loses its beginning, never its member.
fn name_below(slot: &str, path: &str, columns: usize) -> String {
    // Hexadecimal keys are of any case, names are not.
    let variable = slot.split('[').next().unwrap_or_default();
    if let Some((start, rest)) = path.split_at_checked(slot.len())
        && start.eq_ignore_ascii_case(slot)
        && start.starts_with(variable)
        && rest.starts_with(['.', '['])
    {
        return rest.to_owned();
    }
    let short = |part: &str| match part.strip_suffix(']') {
        Some(key) if key.len() >= ADDRESS_WIDTH && key.starts_with("0x") => abbreviate(&key) + "]",
        _ => part.to_owned(),
    };
    let whole: String = path.split_inclusive(['[', ']']).map(short).collect();
    let mut end = whole.char_indices().rev().skip(columns.saturating_sub(1));
    match end.next().and_then(|(at, cut)| whole.get(at + cut.len_utf8()..)) {
        Some(end) if width(&whole) > columns => ["…", end].concat(),
        _ => whole,
    }
}

/// Returns the word of a slot, and the variables in it in some columns.
fn answer(read: &SlotRead, layout: Option<&StorageLayout>, columns: usize) -> Vec<DocumentEntry> {
    let entry = |label: &str, text: SafeText| DocumentEntry::text(label, text).at_level(2);
    let word = match &read.outcome {
        None => return vec![entry("→", "…".into()).role(Role::Dim)],
        Some(Err(why) | Ok(StateResponse::Failed(why, _))) => {
            return vec![entry("✗", why.clone()).role(Role::Failed)];
        }
        Some(Ok(StateResponse::Returned(StorageWord(word)))) => *word,
    };
    let slot = B256::from(read.request.slot);
    let block = block_note(read.request.block).unwrap_or_default();
    let shown = entry("→", B256::from(word).to_string().into()).role(Role::Value);
    let mut entries = vec![if block.is_empty() { shown } else { shown.side_note(&block) }];
    let is_proxy_part = known_slot_name(slot).is_some_and(|name| PROXY_SLOTS.contains(&name));
    if let Some(address) = proxy_address(word).filter(|_| is_proxy_part) {
        entries.push(entry("address", address.to_string().into()).link_address(address));
    }
    let variables: Vec<StoredVariable> = layout
        .map(|layout| {
            let words = [(read.request.slot, word)].into();
            layout.stored_variables(read.request.slot, &words, &read.preimages)
        })
        .unwrap_or_default();
    let values: Vec<_> = variables.iter().map(|one| group_whole_integer(&one.value)).collect();
    let widths = values.iter().map(|value| width(value));
    let widest = widths.filter(|columns| *columns <= MAX_VALUE_COLUMNS).max().unwrap_or_default();
    let name = |one: &StoredVariable| name_below(&read.text, &one.path, columns / 2);
    let label_width = variables.iter().map(|one| width(&name(one))).max().unwrap_or_default();
    entries.extend(variables.iter().zip(&values).map(|(variable, value)| {
        // Labels of one width, as a word that takes all columns lets each value follow its own.
        let label = format!("{:<label_width$}", name(variable));
        let padded = SafeText::new(&format!("{value:<widest$}"));
        let line = entry(&label, padded).copy(variable.value.clone());
        let typed = line.side_note(&variable.type_name);
        match variable.value.parse::<Address>() {
            Ok(address) if &*variable.type_name == "address" => typed.link_address(address),
            _ => typed.role(Role::Value),
        }
    }));
    if !read.preimages.is_empty() {
        entries.push(entry("slot", slot.to_string().into()).role(Role::Dim));
    }
    entries
}

//! The storage of a contract: variables of its layout, slots of proxies, and slots that were read.

use crate::abi::{PROXY_SLOTS, StorageLayout, StoredVariable, known_slot_name};
use crate::api::state_reads::{StateResponse, StorageWord};
use crate::chain::amount::Grouped;
use crate::chain::{Address, B256};
use crate::messages::page::PageMessage;
use crate::messages::{Count, contract};
use crate::pane::PaneContext;
use crate::pane::detail::{SlotRead, StateReads, VariableWords};
use crate::sanitize::SafeText;
use crate::ui::document::{DocumentEntry, EntryLink};
use crate::ui::theme::Role;

use super::functions::block_note;

/// Maximum variables that are listed.
const MAX_VARIABLES: usize = 200;
/// Maximum parts of a variable in its row.
const MAX_PARTS: usize = 8;

/// Returns the variables and slots, each with its word or its value if that was read. The layout may not be
/// valid at the block.
pub(super) fn storage(
    reads: &StateReads,
    layout: Option<(&StorageLayout, bool)>,
    has_proxy_slots: bool,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let valid = layout.filter(|(_, is_valid)| *is_valid).map(|(layout, _)| layout);
    let read_words = reads.variables.as_ref().zip(valid);
    let values = read_words.map(|(read, layout)| layout.values(&read.words())).unwrap_or_default();
    let mut offered: Vec<OfferedSlot> = Vec::new();
    if has_proxy_slots {
        let offer = |name: &str| OfferedSlot::new(name, "address", &[]);
        offered.extend(PROXY_SLOTS.map(offer));
    }
    let variables = layout.into_iter().flat_map(|(layout, _)| layout.variables()).enumerate();
    let offer = |(n, (label, ty)): (usize, (&str, &str))| {
        OfferedSlot::new(label, ty, values.get(n).map(Vec::as_slice).unwrap_or_default())
    };
    offered.extend(variables.map(offer).take(MAX_VARIABLES));
    let typed = reads
        .slots
        .iter()
        .filter(|read| !offered.iter().any(|slot| slot.text == read.text))
        .flat_map(|read| slot_entries(&OfferedSlot::typed(&read.text), Some(read), valid));
    let listed = offered.iter().flat_map(|slot| {
        let read = reads.slots.iter().find(|read| read.text == slot.text);
        slot_entries(slot, read, valid)
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
            shown.map(|part| part.value.to_string()).collect::<Vec<_>>()
        }
        _ => shown
            .map(|part| format!("{} {}", below(part).trim_start_matches('.'), part.value))
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

/// Returns a slot with its word, and with the variables in it.
fn slot_entries(
    OfferedSlot { text, ty, value }: &OfferedSlot,
    read: Option<&SlotRead>,
    layout: Option<&StorageLayout>,
) -> Vec<DocumentEntry> {
    let known = read.and_then(|read| known_slot_name(B256::from(read.request.slot)));
    let name = known.filter(|name| **name != **text);
    let note = ty.as_deref().or(name).unwrap_or_default();
    // A mapping has no word of its own, only its keys lead to some.
    let is_mapping = ty.as_ref().is_some_and(|ty| ty.starts_with("mapping("));
    let link = if is_mapping { format!("{text}[").into() } else { text.clone() };
    let is_number = text.starts_with(|first: char| first.is_ascii_digit());
    let shown = if is_number { format!("slot {text}").into() } else { text.clone() };
    let named = match value {
        Some(value) => DocumentEntry::valued(&shown, value).copy(value.clone()),
        None => DocumentEntry::named(&shown).copy(text.clone()),
    };
    let row = named.side_note(note).at_level(1).link(EntryLink::Slot(link));
    let Some(read) = read else { return vec![row] };
    [vec![row], answer(read, layout)].concat()
}

fn answer(read: &SlotRead, layout: Option<&StorageLayout>) -> Vec<DocumentEntry> {
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
    if is_proxy_part && word.bit_len() <= 160 && !word.is_zero() {
        let address = Address::from_word(word.into());
        entries.push(entry("address", address.to_string().into()).link_address(address));
    }
    let variables =
        layout.map(|layout| layout.stored_variables(read.request.slot, word, &read.preimages));
    entries.extend(variables.into_iter().flatten().map(|variable| {
        let label = format!("{} {}", variable.type_name, variable.path);
        let value = entry(&label, variable.value.clone());
        match variable.value.parse::<Address>() {
            Ok(address) if &*variable.type_name == "address" => value.link_address(address),
            _ => value.role(Role::Value),
        }
    }));
    if !read.preimages.is_empty() {
        entries.push(entry("slot", slot.to_string().into()).role(Role::Dim));
    }
    entries
}

//! The storage of a contract: variables of its layout, slots of proxies, and slots that were read.

use crate::abi::{PROXY_SLOTS, StorageLayout, known_slot_name};
use crate::api::state_reads::{StateResponse, StorageWord};
use crate::chain::{Address, B256};
use crate::messages::Count;
use crate::messages::contract;
use crate::pane::PaneContext;
use crate::pane::detail::{SlotRead, StateReads};
use crate::sanitize::SafeText;
use crate::ui::document::{DocumentEntry, EntryLink};
use crate::ui::theme::Role;

use super::functions::block_note;

/// Maximum variables that are listed.
const MAX_VARIABLES: usize = 200;

/// Returns the variables and slots, each with its word if that was read.
pub(super) fn storage(
    reads: &StateReads,
    layout: Option<&StorageLayout>,
    has_proxy_slots: bool,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let mut offered: Vec<(SafeText, SafeText)> = Vec::new();
    if has_proxy_slots {
        offered.extend(PROXY_SLOTS.map(|name| (name.into(), "address".into())));
    }
    let variables = layout
        .into_iter()
        .flat_map(StorageLayout::variables)
        .map(|(label, ty)| (SafeText::new(label), SafeText::new(ty)));
    offered.extend(variables.take(MAX_VARIABLES));
    let typed = reads
        .slots
        .iter()
        .filter(|read| !offered.iter().any(|(text, _)| *text == read.text))
        .flat_map(|read| slot_entries(&read.text, None, Some(read), layout));
    let listed = offered.iter().flat_map(|(text, ty)| {
        let read = reads.slots.iter().find(|read| read.text == *text);
        slot_entries(text, Some(ty), read, layout)
    });
    let entries: Vec<DocumentEntry> = typed.chain(listed).collect();
    let count = match entries.iter().filter(|entry| entry.level == 1).count() {
        0 => contract::NO_SLOT.into(),
        count => Count(count, "slot").to_string(),
    };
    let block = block_note(reads.block).map(|block| format!(" {block}")).unwrap_or_default();
    let heading = DocumentEntry::text("storage", count + &block)
        .side_note(&cx.keys.expand(contract::SLOT_HINT));
    let heading = if entries.is_empty() { heading } else { heading.fold(true) };
    [vec![heading], entries].concat()
}

/// Returns a slot with its word, and with the variables in it.
fn slot_entries(
    text: &SafeText,
    ty: Option<&SafeText>,
    read: Option<&SlotRead>,
    layout: Option<&StorageLayout>,
) -> Vec<DocumentEntry> {
    let known = read.and_then(|read| known_slot_name(B256::from(read.request.slot)));
    let name = known.filter(|name| **name != **text);
    let note = ty.map(|ty| &**ty).or(name).unwrap_or_default();
    // A mapping has no word of its own, only its keys lead to some.
    let is_mapping = ty.is_some_and(|ty| ty.starts_with("mapping("));
    let link = if is_mapping { format!("{text}[").into() } else { text.clone() };
    let is_number = text.starts_with(|first: char| first.is_ascii_digit());
    let shown = if is_number { format!("slot {text}").into() } else { text.clone() };
    let row = DocumentEntry::named(&shown)
        .copy(text.clone())
        .side_note(note)
        .at_level(1)
        .link(EntryLink::Slot(link));
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

//! The lines of a call, an event, an error, words and signatures on a page of data.

use alloy_primitives::hex;

use crate::abi::{
    self, DeclarationKind, DeclaredSignature, DecodedCall, DecodedEvent, DecodedRevert,
};
use crate::chain::amount::Grouped;
use crate::chain::{Address, B256, Bytes, U256};
use crate::messages::Count;
use crate::messages::decoded;
use crate::pane::detail::value_entries::{argument_entries, bytes_entries, calldata_entries};
use crate::sanitize::SafeText;
use crate::ui::document::DocumentEntry;
use crate::ui::theme::Role;

pub(super) fn address_entry(label: &str, address: Address) -> DocumentEntry {
    DocumentEntry::text(label, address.to_string()).link_address(address)
}

/// Returns the signature of a call or an error, and its arguments.
pub(super) fn call_entries(label: &str, call: &DecodedCall) -> Vec<DocumentEntry> {
    let header = DocumentEntry::text(label, call.signature.clone())
        .role(Role::Title)
        .side_note(&format!("({})", call.source.describe()));
    let others: Vec<&str> = call.alternatives.iter().map(|other| &**other).collect();
    let others = (!others.is_empty())
        .then(|| DocumentEntry::text("or", others.join(" or ")).role(Role::Warning).at_level(1));
    let trailing = (call.trailing_bytes > 0).then(|| {
        let size = Count(call.trailing_bytes, "byte").to_string();
        let text = crate::messages::call::CallNote::TrailingBytes { size: &size }.to_string();
        DocumentEntry::note("more", &text).at_level(1)
    });
    let is_foldable = !call.arguments.is_empty() || others.is_some() || trailing.is_some();
    let header = if is_foldable { header.fold(true) } else { header };
    let arguments = argument_entries(&call.arguments);
    [header].into_iter().chain(others).chain(arguments).chain(trailing).collect()
}

pub(super) fn log_entries(event: &DecodedEvent) -> Vec<DocumentEntry> {
    let source = event.source.describe();
    let other = if event.is_guess() { decoded::OTHERS_INDEXED } else { "" };
    let header = DocumentEntry::text("log", event.signature.clone())
        .role(Role::Title)
        .side_note(format!("({source}) {other}").trim_end())
        .fold(!event.arguments.is_empty());
    let arguments: Vec<_> = event.arguments.iter().map(|one| one.argument.clone()).collect();
    [header].into_iter().chain(argument_entries(&arguments)).collect()
}

pub(super) fn revert_entries(revert: &DecodedRevert) -> Vec<DocumentEntry> {
    match revert {
        DecodedRevert::Custom(error) => call_entries("revert data", error),
        revert => vec![DocumentEntry::text("revert data", revert.describe()).role(Role::Failed)],
    }
}

/// Returns a line for each signature with the same hash.
pub(super) fn list_entries(label: &str, found: &[SafeText]) -> Vec<DocumentEntry> {
    let entries = found.iter().enumerate().map(|(n, declaration)| {
        let label = if n == 0 { label } else { "or" };
        let role = if n == 0 { Role::Title } else { Role::Warning };
        DocumentEntry::text(label, declaration.clone()).role(role)
    });
    entries.collect()
}

pub(super) fn word_entries(words: &[B256]) -> Vec<DocumentEntry> {
    let count = Count(words.len(), "word").to_string();
    let header = DocumentEntry::text("words", count).copy("").role(Role::Title).fold(true);
    let words = words.iter().enumerate().map(|(n, word)| {
        let entry = DocumentEntry::text(&format!("{:#x}", n * 32), word.to_string());
        let number = U256::from_be_bytes(word.0);
        match u64::try_from(number) {
            Ok(small) => entry.side_note(&Grouped(small).to_string()),
            Err(_) => match abi::likely_address(number) {
                Some(address) => entry.copy(word.to_string()).link_address(address),
                None => entry,
            },
        }
        .at_level(1)
    });
    [header].into_iter().chain(words).collect()
}

pub(super) fn declaration_entries(declared: &DeclaredSignature) -> Vec<DocumentEntry> {
    let selector = DocumentEntry::text("selector", hex::encode_prefixed(declared.selector()));
    let topic = DocumentEntry::text("topic", declared.hash.to_string());
    let title = DocumentEntry::text("signature", declared.canonical.clone()).role(Role::Title);
    let hashes = match declared.kind {
        DeclarationKind::Call => vec![selector],
        DeclarationKind::Event => vec![topic],
        DeclarationKind::Any => vec![selector, topic],
    };
    [title].into_iter().chain(hashes).collect()
}

/// Returns the size of bytes and, folded, all of them.
pub(super) fn raw_entries(label: &str, bytes: &Bytes) -> Vec<DocumentEntry> {
    let mut entries = bytes_entries(label, bytes.clone());
    if let Some(first) = entries.first_mut().filter(|entry| entry.open.is_some()) {
        let size = Count(bytes.len(), "byte").to_string();
        *first = DocumentEntry::text(label, size).copy(bytes.to_string()).fold(false);
        entries.truncate(1);
        entries.extend(calldata_entries(bytes));
    }
    entries
}

//! Facts about a contract on one line: the compilation of its source, or that it has none; and its
//! implementations.

use crate::api::Field;
use crate::api::contract::{Contract, HexDigits, licence_name, usual_spelling};
use crate::chain::Address;
use crate::chain::amount::Grouped;
use crate::messages::contract::{ContractNote, SOURCE_OF_TWIN, UNKNOWN_FUNCTIONS};
use crate::pane::PaneContext;
use crate::pane::detail::field_entries::{display_entry, field_entry};
use crate::safety::name_marks::guard_name;
use crate::sanitize::SafeText;
use crate::ui::document::{DocumentEntry, EntryCell, fact_lines};
use crate::ui::theme::Role;

pub(super) fn facts(contract: &Contract, columns: u16, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
    let name = fact("name", &contract.name, |name| {
        EntryCell::new(guard_name(name.clone()), Role::Accent).copy(name.clone())
    });
    let is_known = contract.source_code.value().is_some() || contract.abi.value().is_some();
    let facts = if is_known {
        let language = fact("language", &contract.language, |language| {
            EntryCell::new(usual_spelling(language), Role::Plain).copy(language.clone())
        });
        let compiler = fact("compiler", &contract.compiler_version, plain);
        let evm = fact("EVM", &contract.evm_version, |version| {
            EntryCell::new(format!("EVM {}", usual_spelling(version)), Role::Plain)
                .copy(version.clone())
        });
        let licence = fact("licence", &contract.license_type, |licence| {
            let text = match licence_name(licence) {
                name if name == &**licence => format!("licence {name}"),
                name => name.to_owned(),
            };
            EntryCell::new(text, Role::Plain).copy(licence.clone())
        });
        vec![language, compiler, optimization(contract), evm, licence]
    } else {
        let size = fact("code", &contract.deployed_bytecode, |HexDigits(bytes)| {
            let note = ContractNote::CodeSize { bytes: Grouped(bytes.len()) };
            EntryCell::new(note.to_string(), Role::Plain).copy(bytes.len().to_string())
        });
        vec![size]
    };
    let facts = [name, Some(verification(contract, cx))].into_iter().chain(facts);
    fact_lines(facts.flatten(), columns).collect()
}

/// Returns nothing for an absent field, and `?` for an invalid one.
fn fact<T>(what: &str, field: &Field<T>, show: impl FnOnce(&T) -> EntryCell) -> Option<EntryCell> {
    match field {
        Field::Absent => None,
        Field::Present(value) => Some(show(value)),
        Field::Invalid(_) => Some(EntryCell::new(format!("{what} ?"), Role::Warning).copy("")),
    }
}

fn plain(text: &SafeText) -> EntryCell {
    EntryCell::new(text.clone(), Role::Plain).copy(text.clone())
}

fn optimization(contract: &Contract) -> Option<EntryCell> {
    fact("optimization", &contract.optimization_enabled, |is_on| {
        let text = match (is_on, &contract.optimization_runs) {
            (false, _) => "not optimized".to_owned(),
            (true, Field::Absent) => "optimized".to_owned(),
            (true, Field::Invalid(_)) => "optimized, ? runs".to_owned(),
            (true, Field::Present(runs)) => {
                format!("optimized, {} runs", Grouped(runs))
            }
        };
        EntryCell::new(&*text, Role::Plain).copy(text)
    })
}

fn verification(contract: &Contract, cx: &PaneContext<'_>) -> EntryCell {
    if let Some(artifact) = contract.compiled_artifact.value() {
        return EntryCell::new("compiled here", Role::Plain).copy(artifact.clone());
    }
    let (text, role) = match (&contract.is_verified, contract.is_partially_verified.value()) {
        (Field::Absent, _) if cx.network.endpoint.is_node() => ("verified ?", Role::Dim),
        // Servers leave it out of contracts without a source.
        (Field::Absent | Field::Present(false), _) => ("not verified", Role::Warning),
        (Field::Present(true), Some(true)) => ("partly verified", Role::Ok),
        (Field::Present(true), _) => ("verified", Role::Ok),
        (Field::Invalid(_), _) => ("verified ?", Role::Warning),
    };
    match contract.verified_at.value().filter(|_| role == Role::Ok) {
        Some(since) => {
            let text = format!("{text} {}", cx.past_time(*since));
            EntryCell::new(text, role).copy(since.to_string())
        }
        None => EntryCell::new(text, role).copy(text),
    }
}

/// Returns the file of the project that the code is from.
pub(super) fn artifact(contract: &Contract) -> Option<DocumentEntry> {
    let path = contract.compiled_artifact.value()?;
    Some(DocumentEntry::text("artifact", path.clone()))
}

/// Returns the kind of a proxy and its implementations, of which some have no ABI.
pub(super) fn implementations(contract: &Contract, without_abi: &[Address]) -> Vec<DocumentEntry> {
    let behind = contract.implementations.value().map_or(&[][..], Vec::as_slice);
    if contract.proxy_type.value().is_none() && behind.is_empty() {
        return Vec::new();
    }
    let kind = display_entry("proxy", &contract.proxy_type);
    let runs = behind.iter().map(|one| {
        let is_unknown = one.address.value().is_some_and(|at| without_abi.contains(at));
        let notes =
            [one.own_name.value().map(|name| &**name), is_unknown.then_some(UNKNOWN_FUNCTIONS)];
        let note = notes.into_iter().flatten().collect::<Vec<_>>().join(" · ");
        linked_entry("runs", &one.address, &Field::Present(SafeText::new(&note)))
    });
    [kind].into_iter().chain(runs).collect()
}

/// Returns the libraries that the code is linked with, and the contract that its source is from.
pub(super) fn linked_contracts(contract: &Contract) -> Vec<DocumentEntry> {
    let linked = contract.libraries.value().into_iter().flatten();
    let libraries = linked.map(|one| linked_entry("library", &one.address, &one.name));
    let twin = (contract.twin != Field::Absent)
        .then(|| linked_entry(SOURCE_OF_TWIN, &contract.twin, &Field::Absent));
    libraries.chain(twin).collect()
}

fn linked_entry(label: &str, address: &Field<Address>, name: &Field<SafeText>) -> DocumentEntry {
    field_entry(label, address, |address| {
        let entry = DocumentEntry::text(label, address.to_string()).link_address(*address);
        match name.value() {
            Some(name) => entry.side_note(name),
            None => entry,
        }
    })
}

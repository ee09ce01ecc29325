//! The functions, events and errors of an ABI, and the results of calls.

use alloy_primitives::hex;

use crate::abi::{
    AbiFunction, AbiKind, ContractAbi, Selector, SignatureDb, SignatureHash, code_selectors,
};
use crate::api::contract::{Contract, HexDigits};
use crate::api::eth_call::CallResponse;
use crate::chain::amount::{Grouped, format_exact};
use crate::chain::{Bytes, U256};
use crate::messages::contract::{self, ContractNote};
use crate::name_cache::TokenMetadata;
use crate::pane::PaneContext;
use crate::pane::arguments::argument_entries;
use crate::pane::detail::FunctionCall;
use crate::sanitize::SafeText;
use crate::ui::document::{DocumentEntry, EntryLink};
use crate::ui::theme::Role;

/// Functions of ERC-20 tokens that return an amount.
const AMOUNT_FUNCTIONS: [&str; 3] = ["balanceOf", "totalSupply", "allowance"];

/// The calls that were made, and the token that the contract is.
#[derive(Clone, Copy)]
pub(super) struct ShownCalls<'a> {
    pub(super) calls: &'a [FunctionCall],
    pub(super) token: Option<&'a TokenMetadata>,
}

impl ShownCalls<'_> {
    /// Adds the amount in the token's unit to the integer that was returned.
    fn note_amount(self, function: &AbiFunction, answer: &mut [DocumentEntry]) {
        let Some(TokenMetadata {
            standard: Some(standard), decimals: Some(decimals), symbol, ..
        }) = self.token
        else {
            return;
        };
        let is_amount = AMOUNT_FUNCTIONS.contains(&&**function.name()) && **standard == *"ERC-20";
        if let Some(last) = answer.last_mut().filter(|_| is_amount)
            && let Ok(value) = last.copy_text().parse::<U256>()
        {
            let symbol = symbol.as_deref().unwrap_or_default();
            let amount = format!("= {} {symbol}", format_exact(value, *decimals));
            *last = last.clone().side_note(&format!("({})", amount.trim_end()));
        }
    }
}

/// Returns the entries of several ABIs by their kinds. Those that are not the contract's own have
/// names.
pub(super) fn functions(
    abis: &[(Option<&SafeText>, &ContractAbi)],
    calls: ShownCalls<'_>,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let mut entries = Vec::new();
    for kind in [AbiKind::Read, AbiKind::Write, AbiKind::Events, AbiKind::Errors] {
        let mut first = 0;
        for (name, abi) in abis {
            let listed = entries_of_kind(kind, abi, first, calls, cx);
            entries.extend(section(kind, *name, listed, cx));
            first += abi.functions.len();
        }
    }
    entries.extend(abis.iter().filter_map(|(_, abi)| abi.problem.as_ref()).map(|why| {
        let note = ContractNote::UnreadableEntries { why };
        DocumentEntry::text("ABI", note.to_string()).role(Role::Warning)
    }));
    entries
}

/// Returns the events or the functions of a kind with the results of their calls. `first` is the number
/// of the ABI's first function.
fn entries_of_kind(
    kind: AbiKind,
    abi: &ContractAbi,
    first: usize,
    calls: ShownCalls<'_>,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    if kind == AbiKind::Events {
        let event = |event| DocumentEntry::declaration(event).at_level(1);
        return abi.events.iter().map(event).collect();
    }
    let listed = abi.functions.iter().enumerate().filter(|(_, function)| function.kind == kind);
    let listed = listed.flat_map(|(n, function)| {
        let n = first + n;
        let call = calls.calls.iter().find(|call| call.function == n);
        let mut answer = call.map_or(Vec::new(), |call| answer(function, call, cx.signature_db));
        calls.note_amount(function, &mut answer);
        [vec![function_entry(n, function)], answer].concat()
    });
    listed.collect()
}

fn section(
    kind: AbiKind,
    name: Option<&SafeText>,
    listed: Vec<DocumentEntry>,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    if listed.is_empty() {
        return listed;
    }
    let count = listed.iter().filter(|entry| entry.level == 1).count();
    let suffix = name.map(|name| format!(" of {name}")).unwrap_or_default();
    let count = Grouped(count).to_string();
    let mut heading = DocumentEntry::text(kind.into(), count + &suffix);
    if kind == AbiKind::Read {
        heading = heading.side_note(&cx.keys.expand(contract::CALL_HINT));
    }
    [vec![heading.fold(kind == AbiKind::Read)], listed].concat()
}

fn function_entry(number: usize, function: &AbiFunction) -> DocumentEntry {
    let selector = hex::encode_prefixed(function.selector());
    let entry = DocumentEntry::declaration(&function.declaration());
    let entry = entry.side_note(&format!(" {selector}")).at_level(1);
    match function.kind {
        AbiKind::Read => entry.link(EntryLink::Function(number)),
        _ => entry,
    }
}

pub(super) fn selectors(contract: &Contract, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
    let Some(HexDigits(code)) = contract.deployed_bytecode.value() else { return Vec::new() };
    let found = code_selectors(code);
    let heading = DocumentEntry::text("selectors", Grouped(found.len()).to_string());
    let mut entries: Vec<_> =
        found.into_iter().map(|selector| selector_entry(selector, cx.signature_db)).collect();
    let has_unknown = entries.iter().any(|entry| entry.link.is_some());
    let hint = if has_unknown { cx.keys.expand(contract::LOOK_UP_HINT) } else { "".into() };
    entries.insert(0, heading.side_note(&hint).fold(true));
    entries
}

/// Returns the possible functions of a selector, or a link that looks it up.
fn selector_entry(selector: Selector, signatures: &SignatureDb) -> DocumentEntry {
    let hex = hex::encode_prefixed(selector);
    let known = signatures.declarations(selector);
    let entry = match &known[..] {
        [] => DocumentEntry::text("", hex)
            .side_note(" unknown")
            .link(EntryLink::Signature(SignatureHash::Selector(selector))),
        [one] => {
            let note = ContractNote::BySelector { selector: &hex };
            DocumentEntry::declaration(one).side_note(&format!(" {note}"))
        }
        all => {
            let all: Vec<&str> = all.iter().map(|one| &**one).collect();
            let all = DocumentEntry::declaration(&all.join(" or ").into());
            let note = ContractNote::PerhapsBySelector { selector: &hex };
            all.side_note(&format!(" {note}"))
        }
    };
    entry.at_level(1)
}

/// Returns the arguments of a call, and its return values or the reason of its failure.
fn answer(
    function: &AbiFunction,
    call: &FunctionCall,
    signatures: &SignatureDb,
) -> Vec<DocumentEntry> {
    let arguments: Vec<&str> = call.arguments.iter().map(|argument| &**argument).collect();
    let failed = |why: SafeText| vec![DocumentEntry::text("✗", why).role(Role::Failed).at_level(2)];
    let mut entries = Vec::new();
    if !arguments.is_empty() {
        entries.push(DocumentEntry::text("of", arguments.join(", ")).at_level(2));
    }
    entries.extend(match &call.outcome {
        None => vec![DocumentEntry::text("→", "…").role(Role::Dim).at_level(2)],
        Some(Err(why)) => failed(why.clone()),
        Some(Ok(CallResponse::Failed(message, data))) if data.is_empty() => failed(message.clone()),
        Some(Ok(CallResponse::Failed(_, data))) => {
            failed(signatures.revert_reason(data).describe())
        }
        Some(Ok(CallResponse::Returned(data))) => returned(function, data),
    });
    entries
}

fn returned(function: &AbiFunction, data: &Bytes) -> Vec<DocumentEntry> {
    let values = match function.decode_output(data) {
        Some(values) if values.is_empty() && data.is_empty() => {
            return vec![DocumentEntry::text("→", "nothing").role(Role::Dim).at_level(2)];
        }
        Some(values) if !values.is_empty() => values,
        _ => {
            let text =
                if data.is_empty() { contract::EMPTY_RESULT.into() } else { data.to_string() };
            let entry = DocumentEntry::text("→", text).role(Role::Warning);
            return vec![entry.side_note(contract::NOT_OF_ABI).at_level(2)];
        }
    };
    let mut entries = argument_entries(&values);
    for entry in &mut entries {
        entry.level = entry.level.saturating_add(1);
        entry.label = format!("→ {}", entry.label).into();
        if entry.role == Role::Plain {
            entry.role = Role::Value;
        }
    }
    entries
}

//! The functions, events and errors of an ABI, and the results of calls.

use alloy_primitives::hex;

use crate::abi::{
    AbiEvent, AbiFunction, AbiKind, ContractAbi, Selector, SignatureDb, SignatureHash,
    code_selectors,
};
use crate::api::contract::{Contract, HexDigits};
use crate::api::state_reads::CallResponse;
use crate::chain::amount::{Grouped, format_exact};
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::{Bytes, U256};
use crate::messages::contract::{self, ContractNote};
use crate::messages::page::PageMessage;
use crate::name_cache::TokenMetadata;
use crate::pane::PaneContext;
use crate::pane::detail::arguments::argument_entries;
use crate::pane::detail::{FunctionCall, StateReads};
use crate::sanitize::SafeText;
use crate::ui::document::{DocumentEntry, EntryLink, EntryValue};
use crate::ui::theme::Role;

/// Functions of ERC-20 tokens that return an amount.
const AMOUNT_FUNCTIONS: [&str; 3] = ["balanceOf", "totalSupply", "allowance"];

/// Maximum characters of an answer in the row of its function.
const MAX_ROW_ANSWER_CHARS: usize = 44;

/// The calls that were made, and the token that the contract is.
#[derive(Clone, Copy)]
pub(super) struct ShownCalls<'a> {
    pub(super) reads: &'a StateReads,
    pub(super) token: Option<&'a TokenMetadata>,
    /// `true` if the code behind a proxy was installed after the block of the calls.
    pub(super) is_later_code: bool,
}

impl ShownCalls<'_> {
    /// Returns a function with the answer of its call: in its row if that is short, else below.
    fn answered(
        self,
        function: (usize, &AbiFunction),
        call: &FunctionCall,
        cx: &PaneContext<'_>,
    ) -> Vec<DocumentEntry> {
        let (number, function) = function;
        let mut answers = self.answer(function, call, cx);
        let short = match &answers[..] {
            [
                DocumentEntry {
                    value: EntryValue::Text(text), role: Role::Value, link: None, ..
                },
            ] => Some(text.clone()),
            _ => None,
        };
        let note = [self.amount_note(function, &answers), block_note(call.call.block)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" · ");
        let arguments: Vec<&str> = call.arguments.iter().map(|argument| &**argument).collect();
        let arguments = DocumentEntry::text("of", arguments.join(", ")).at_level(2);
        let arguments = (!call.arguments.is_empty()).then_some(arguments);
        if let Some(value) = short.filter(|text| text.chars().count() <= MAX_ROW_ANSWER_CHARS) {
            let exact = answers.first().map(DocumentEntry::copy_text).unwrap_or_default();
            let row =
                DocumentEntry::declaration(&format!("{} = {value}", function.declaration()).into())
                    .copy(exact)
                    .side_note(&note)
                    .at_level(1)
                    .link(EntryLink::Function(number));
            return [row].into_iter().chain(arguments).collect();
        }
        let is_value = |entry: &&mut DocumentEntry| entry.role != Role::Failed && !note.is_empty();
        if let Some(first) = answers.first_mut().filter(is_value) {
            *first = first.clone().side_note(&note);
        }
        [function_entry(number, function)].into_iter().chain(arguments).chain(answers).collect()
    }

    /// Returns the return values of a call, or the reason of its failure.
    fn answer(
        self,
        function: &AbiFunction,
        call: &FunctionCall,
        cx: &PaneContext<'_>,
    ) -> Vec<DocumentEntry> {
        let failed = |why: SafeText| DocumentEntry::text("✗", why).role(Role::Failed).at_level(2);
        match &call.outcome {
            None => vec![DocumentEntry::text("→", "…").role(Role::Dim).at_level(2)],
            Some(Err(why)) => vec![failed(why.clone())],
            Some(Ok(CallResponse::Failed(message, data))) if data.is_empty() => {
                let note = if self.is_later_code { contract::MAY_LACK_FUNCTION } else { "" };
                vec![failed(message.clone()).side_note(note)]
            }
            Some(Ok(CallResponse::Failed(_, data))) => {
                let reason = cx.signature_db.revert_reason(data);
                let shown = SafeText::new(&cx.values().revert_text(&reason));
                vec![failed(shown).copy(reason.describe())]
            }
            Some(Ok(CallResponse::Returned(data))) => returned(function, data),
        }
    }

    /// Returns the amount in the token's unit that an integer means.
    fn amount_note(self, function: &AbiFunction, answers: &[DocumentEntry]) -> Option<String> {
        let Some(TokenMetadata {
            standard: Some(standard), decimals: Some(decimals), symbol, ..
        }) = self.token
        else {
            return None;
        };
        let is_amount = AMOUNT_FUNCTIONS.contains(&&**function.name()) && standard == "ERC-20";
        let value: U256 = answers.last().filter(|_| is_amount)?.copy_text().parse().ok()?;
        let symbol = symbol.as_deref().unwrap_or_default();
        let amount = format!("= {} {symbol}", format_exact(value, *decimals));
        Some(format!("({})", amount.trim_end()))
    }
}

pub(super) fn block_note(block: Option<u64>) -> Option<String> {
    block.map(|block| PageMessage::AtBlock { block: Grouped(block) }.to_string())
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
        for (n, (name, abi)) in abis.iter().enumerate() {
            let before = abis.get(..n).unwrap_or_default();
            if !before.iter().any(|(_, other)| has_all_of(other, abi)) {
                let is_later_code = calls.is_later_code && name.is_some();
                let calls = ShownCalls { is_later_code, ..calls };
                let listed = entries_of_kind(kind, abi, first, calls, cx);
                entries.extend(section(kind, *name, listed, calls, cx));
            }
            first += abi.functions.len();
        }
    }
    entries.extend(abis.iter().filter_map(|(_, abi)| abi.problem.as_ref()).map(|why| {
        let note = ContractNote::UnreadableEntries { why };
        DocumentEntry::text("ABI", note.to_string()).role(Role::Warning)
    }));
    entries
}

/// Returns `true` if an ABI has all functions and events of another one.
fn has_all_of(abi: &ContractAbi, other: &ContractAbi) -> bool {
    other.functions.iter().all(|function| {
        abi.functions.iter().any(|known| known.declaration() == function.declaration())
    }) && other.events.iter().all(|event| abi.events.contains(event))
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
        let event = |event: &AbiEvent| {
            let topic = event.topic.as_ref().map(abbreviate).unwrap_or_default();
            DocumentEntry::declaration(&event.declaration).at_level(1).labelled(&topic)
        };
        return abi.events.iter().map(event).collect();
    }
    let listed =
        abi.functions.iter().enumerate().filter(|(_, function)| function.kind == kind).flat_map(
            |(n, function)| {
                let n = first + n;
                match calls.reads.calls.iter().find(|call| call.function == n) {
                    Some(call) => calls.answered((n, function), call, cx),
                    None => vec![function_entry(n, function)],
                }
            },
        );
    listed.collect()
}

fn section(
    kind: AbiKind,
    name: Option<&SafeText>,
    listed: Vec<DocumentEntry>,
    calls: ShownCalls<'_>,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    if listed.is_empty() {
        return listed;
    }
    let count = listed.iter().filter(|entry| entry.level == 1).count();
    let mut suffix = name.map(|name| format!(" of {name}")).unwrap_or_default();
    if calls.is_later_code {
        suffix = [&suffix, contract::INSTALLED_LATER].join(" ");
    }
    let note = block_note(calls.reads.block).filter(|_| kind == AbiKind::Read);
    let at_block = note.map(|note| format!(" {note}")).unwrap_or_default();
    let mut heading =
        DocumentEntry::text(kind.into(), format!("{}{suffix}{at_block}", Grouped(count)));
    if kind == AbiKind::Read {
        heading = heading.side_note(&cx.keys.expand(contract::CALL_HINT));
    }
    [vec![heading.fold(kind == AbiKind::Read)], listed].concat()
}

fn function_entry(number: usize, function: &AbiFunction) -> DocumentEntry {
    let entry = DocumentEntry::declaration(&function.declaration())
        .labelled(&hex::encode_prefixed(function.selector()))
        .at_level(1);
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

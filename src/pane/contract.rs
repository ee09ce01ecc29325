//! The pane of a contract: what its source is compiled with, its functions, its files and its code.

mod definition;
mod functions;

use std::sync::Arc;

use alloy_primitives::hex;

use super::PaneContext;
use super::arguments::argument_entries;
use super::detail::{
    CallableFunction, DetailPane, DetailRequest, DetailSource, FunctionCall, LoadedDetail,
};
use super::export::SourcePlace;
use crate::abi::{AbiFunction, ContractAbi, Selector, SignatureDb, SignatureHash, code_selectors};
use crate::action::Action;
use crate::api::address::ProxyImplementation;
use crate::api::contract::{Contract, HexDigits, SourceCode};
use crate::api::{ApiError, Cursor, Field, Item, Query, Reply};
use crate::chain::Address;
use crate::chain::amount::group_digits;
use crate::columns::CopyValue;
use crate::safety::name_marks::guard_name;
use crate::sanitize::SafeText;
use crate::ui::document::{CodeLine, DocumentEntry, EntryLink, EntryValue};
use crate::ui::theme::Role;

use definition::find_definition;
use functions::{ShownCalls, functions};

/// Lines of sources that are shown: every fold lays all of them out again.
const MAX_SOURCE_LINES: usize = 20_000;
const MAX_PROBLEMS: usize = 10;
/// A diamond has dozens.
const MAX_IMPLEMENTATIONS: usize = 8;

pub fn from_address(address: Address) -> DetailPane {
    let request = DetailRequest { query: Query::Contract(address), load };
    DetailPane::from_query(request, format!("contract {address}").into())
}

fn load(reply: Reply) -> Option<LoadedDetail> {
    let Reply::Contract(address, item) = reply else { return None };
    let raw = Some(item.raw.clone());
    let source = item.parsed.as_ref().map(ContractDetail::abi_of).map_err(Clone::clone);
    let source = source.map(|abi| Box::new(ContractDetail::new(address, item, abi)) as _);
    Some(LoadedDetail { source, raw })
}

#[derive(Debug)]
struct ContractDetail {
    item: Arc<Item<Contract>>,
    address: Address,
    /// The ABI, if there is one, or why it cannot be read.
    abi: Option<Result<ContractAbi, SafeText>>,
    /// The ABIs of what runs in its place, with their names.
    behind: Vec<(SafeText, ContractAbi)>,
    /// The queries for these that were answered.
    answered: Vec<Query>,
    /// The last call of each function that was called.
    calls: Vec<FunctionCall>,
}

impl ContractDetail {
    fn new(
        address: Address,
        item: Arc<Item<Contract>>,
        abi: Option<Result<ContractAbi, SafeText>>,
    ) -> Self {
        Self { item, address, abi, behind: Vec::new(), answered: Vec::new(), calls: Vec::new() }
    }

    fn own_abi(&self) -> Option<&ContractAbi> {
        self.abi.as_ref()?.as_ref().ok()
    }

    /// Returns the ABIs whose functions can be called, with the names of those that are not its own.
    fn abis(&self) -> impl Iterator<Item = (Option<&SafeText>, &ContractAbi)> {
        let behind = self.behind.iter().map(|(name, abi)| (Some(name), abi));
        self.own_abi().map(|abi| (None, abi)).into_iter().chain(behind)
    }

    fn abi_of(contract: &Contract) -> Option<Result<ContractAbi, SafeText>> {
        contract.abi.value().map(|json| ContractAbi::parse(json.0.get()))
    }
}

impl DetailSource for ContractDetail {
    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let Ok(contract) = &self.item.parsed else { return Vec::new() };
        let abi = self.own_abi();
        let mut entries = compilation(contract, cx);
        entries.extend(implementations(contract));
        entries.extend(constructor(contract, abi));
        match &self.abi {
            Some(Ok(_)) => {}
            Some(Err(why)) => {
                entries.push(DocumentEntry::text("ABI", format!("? ({why})")).role(Role::Warning));
            }
            None => entries.push(DocumentEntry::missing("ABI", &contract.abi)),
        }
        let mut first = 0;
        let token = cx.name_cache.name(&self.address).and_then(|name| name.token.as_ref());
        let calls = ShownCalls { calls: &self.calls, token };
        for (name, abi) in self.abis() {
            entries.extend(functions(abi, name, first, calls, cx));
            first += abi.functions.len();
        }
        if abi.is_none() {
            entries.extend(selectors(contract, cx));
        }
        entries.extend(files(contract));
        entries.extend(code("code", &contract.deployed_bytecode));
        entries.extend(code("creation code", &contract.creation_bytecode));
        entries
    }

    fn copy_value(&self, _: Action, _: Option<Address>) -> Option<CopyValue> {
        None
    }

    fn missing(&self, _: &PaneContext<'_>) -> Vec<Query> {
        let behind = self.item.parsed.as_ref().map(Contract::implementation_addresses);
        let behind = behind.unwrap_or_default().into_iter().take(MAX_IMPLEMENTATIONS);
        let queries = behind.map(Query::Contract);
        queries.filter(|query| !self.answered.contains(query)).collect()
    }

    fn add(&mut self, query: &Query, reply: Result<Reply, ApiError>) -> Option<Cursor> {
        self.answered.push(query.clone());
        if let Ok(Reply::Contract(_, item)) = &reply
            && let Ok(contract) = &item.parsed
            && let Some((name, json)) = contract.named_abi()
            && let Ok(abi) = ContractAbi::parse(json.get())
        {
            self.behind.push((guard_name(name.clone()), abi));
        }
        None
    }

    fn callable(&self, function: usize) -> Option<CallableFunction<'_>> {
        let function = self.abis().flat_map(|(_, abi)| &abi.functions).nth(function)?;
        Some(CallableFunction { at: self.address, function })
    }

    fn code_line(&self, place: &SourcePlace) -> Option<usize> {
        let contract = self.item.parsed.as_ref().ok()?;
        let function = match place {
            SourcePlace::Function(function) => &**function,
            SourcePlace::Line(file, line) => return line_of_all(contract, file, *line),
        };
        let sources = sources(contract).filter_map(|(_, source)| source.value());
        let lines = sources.flat_map(|SourceCode(lines)| lines.iter().map(|line| &**line));
        let lines: Vec<&str> = lines.take(MAX_SOURCE_LINES).collect();
        let name = contract.name.value().map_or("", |name| &**name);
        // A trace that does not know the ABI has the selector.
        let has_selector = |it: &&AbiFunction| hex::encode_prefixed(it.selector()) == function;
        let known = self.own_abi().and_then(|abi| abi.functions.iter().find(has_selector));
        find_definition(&lines, name, known.map_or(function, |it| it.name()))
    }

    fn show_call(&mut self, call: FunctionCall) {
        self.calls.retain(|before| before.function != call.function);
        self.calls.push(call);
    }

    fn warnings(&self) -> Vec<SafeText> {
        let changed = self.item.parsed.as_ref().map(|it| it.is_changed_bytecode.value());
        let is_changed = changed == Ok(Some(&true));
        let changed = is_changed.then(|| "the code is no longer that of the source".into());
        let problems = self.item.parsed.as_ref().ok().and_then(|it| it.source_problems.value());
        let problems = problems.into_iter().flatten().take(MAX_PROBLEMS).cloned();
        changed.into_iter().chain(problems).collect()
    }
}

fn compilation(contract: &Contract, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
    let yes_or_no = |is: bool| if is { "yes" } else { "no" };
    let verified = match (&contract.is_verified, contract.is_partially_verified.value()) {
        // Servers leave it out of contracts without a source.
        (Field::Absent, _) => DocumentEntry::text("verified", "no"),
        (Field::Present(true), Some(true)) => DocumentEntry::text("verified", "in part"),
        (is, _) => DocumentEntry::field("verified", is, |is| {
            DocumentEntry::text("verified", yes_or_no(*is))
        }),
    };
    if contract.source_code.value().is_none() && contract.abi.value().is_none() {
        return vec![verified];
    }
    let optimization = DocumentEntry::field("optimization", &contract.optimization_enabled, |is| {
        let runs = contract.optimization_runs.value().filter(|_| *is);
        let runs = runs.map(|runs| format!(", {} runs", group_digits(&runs.to_string())));
        DocumentEntry::text("optimization", yes_or_no(*is).to_owned() + &runs.unwrap_or_default())
    });
    vec![
        DocumentEntry::field("name", &contract.name, |name| {
            DocumentEntry::text("name", guard_name(name.clone())).role(Role::Accent)
        }),
        verified,
        DocumentEntry::field("since", &contract.verified_at, |then| {
            DocumentEntry::text("since", cx.format.full_time(*then, cx.ages()))
                .copy(then.to_string())
        }),
        DocumentEntry::from_display("language", &contract.language),
        DocumentEntry::from_display("compiler", &contract.compiler_version),
        optimization,
        DocumentEntry::from_display("EVM version", &contract.evm_version),
        DocumentEntry::from_display("licence", &contract.license_type),
    ]
}

fn implementations(contract: &Contract) -> Vec<DocumentEntry> {
    let behind = contract.implementations.value().map_or(&[][..], Vec::as_slice);
    if contract.proxy_type.value().is_none() && behind.is_empty() {
        return Vec::new();
    }
    let implementation = |one: &ProxyImplementation| {
        DocumentEntry::field("runs", &one.address, |address| {
            let entry = DocumentEntry::text("runs", address.to_string()).link_address(*address);
            match one.name.value() {
                Some(name) => entry.side_note(name),
                None => entry,
            }
        })
    };
    let kind = DocumentEntry::from_display("proxy", &contract.proxy_type);
    [kind].into_iter().chain(behind.iter().map(implementation)).collect()
}

fn constructor(contract: &Contract, abi: Option<&ContractAbi>) -> Vec<DocumentEntry> {
    let bytes = [&contract.constructor_args, &contract.creation_bytecode];
    let Some(HexDigits(bytes)) = bytes.into_iter().find_map(Field::value) else {
        return Vec::new();
    };
    let arguments = abi.and_then(|abi| abi.constructor_arguments(bytes));
    match (arguments, &contract.constructor_args) {
        (Some((start, arguments)), _) => {
            let encoded = bytes.slice(start..).to_string();
            let count = format!("{} arguments", arguments.len());
            let heading = DocumentEntry::text("constructor", count).fold(true).copy(encoded);
            [vec![heading], argument_entries(&arguments)].concat()
        }
        (None, Field::Present(HexDigits(bytes))) if !bytes.is_empty() => {
            vec![DocumentEntry::text("constructor", bytes.to_string())]
        }
        _ => Vec::new(),
    }
}

fn selectors(contract: &Contract, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
    let Some(HexDigits(code)) = contract.deployed_bytecode.value() else { return Vec::new() };
    let found = code_selectors(code);
    let heading = DocumentEntry::text("selectors", group_digits(&found.len().to_string()));
    let mut entries: Vec<_> =
        found.into_iter().map(|selector| selector_entry(selector, cx.signature_db)).collect();
    let has_unknown = entries.iter().any(|entry| entry.link.is_some());
    let hint = if has_unknown {
        cx.keys.expand("({look_up} looks the unknown ones up)")
    } else {
        "".into()
    };
    entries.insert(0, heading.side_note(&hint).fold(true));
    entries
}

/// Returns what a selector may be of, or a link that looks it up.
fn selector_entry(selector: Selector, signatures: &SignatureDb) -> DocumentEntry {
    let label = hex::encode_prefixed(selector);
    let known = signatures.declarations(selector);
    let entry = match &known[..] {
        [] => DocumentEntry::text(&label, "unknown")
            .role(Role::Dim)
            .link(EntryLink::Signature(SignatureHash::Selector(selector))),
        [one] => DocumentEntry::text(&label, one.clone()).side_note("(by its selector)"),
        all => {
            let all: Vec<&str> = all.iter().map(|one| &**one).collect();
            DocumentEntry::text(&label, all.join(" or ")).side_note("(by its selector?)")
        }
    };
    entry.at_level(1)
}

/// Returns the paths and the texts of all files.
fn sources(contract: &Contract) -> impl Iterator<Item = (&Field<SafeText>, &Field<SourceCode>)> {
    let more = contract.additional_sources.value().into_iter().flatten();
    let first = (&contract.file_path, &contract.source_code);
    [first].into_iter().chain(more.map(|file| (&file.file_path, &file.source_code)))
}

/// Returns the number of a line of a file among those of all files.
fn line_of_all(contract: &Contract, file: &SafeText, line: u64) -> Option<usize> {
    let mut before = 0;
    for (path, source) in sources(contract) {
        let Some(SourceCode(lines)) = source.value() else { continue };
        if path.value() == Some(file) {
            let line = usize::try_from(line).ok()?.checked_sub(1)?;
            return Some(before + line).filter(|all| line < lines.len() && *all < MAX_SOURCE_LINES);
        }
        before += lines.len();
    }
    None
}

fn files(contract: &Contract) -> Vec<DocumentEntry> {
    let mut left = MAX_SOURCE_LINES;
    let mut entries = Vec::new();
    for (path, source) in sources(contract) {
        let path = path.value().map_or("source", |path| &**path);
        match source {
            Field::Absent => {}
            Field::Present(source) => entries.extend(file(path, source, &mut left)),
            Field::Invalid(_) => entries.push(DocumentEntry::missing(path, source)),
        }
    }
    entries
}

fn file(path: &str, SourceCode(lines): &SourceCode, left: &mut usize) -> Vec<DocumentEntry> {
    let count = group_digits(&lines.len().to_string());
    let plural = if lines.len() == 1 { "" } else { "s" };
    let heading = DocumentEntry::text("file", format!("{path} · {count} line{plural}"));
    let shown = CodeLine::of_file(lines).take(*left);
    let line = |line| DocumentEntry::new("", EntryValue::Code(line)).at_level(1);
    let mut entries: Vec<_> = [heading.fold(false)].into_iter().chain(shown.map(line)).collect();
    if lines.len() > *left {
        let more = group_digits(&(lines.len() - *left).to_string());
        let more = DocumentEntry::text("", format!("{more} more lines, only in the JSON"));
        entries.push(more.role(Role::Warning).at_level(1));
    }
    *left -= lines.len().min(*left);
    entries
}

fn code(label: &str, code: &Field<HexDigits>) -> Vec<DocumentEntry> {
    let Field::Present(HexDigits(bytes)) = code else {
        return vec![DocumentEntry::missing(label, code)];
    };
    if bytes.is_empty() {
        return vec![DocumentEntry::text(label, "0x (empty)").copy("0x").role(Role::Dim)];
    }
    let size = format!("{} bytes", group_digits(&bytes.len().to_string()));
    vec![
        DocumentEntry::text(label, size).fold(false).copy(bytes.to_string()),
        DocumentEntry::new("", EntryValue::Hex(bytes.clone())).at_level(1),
    ]
}

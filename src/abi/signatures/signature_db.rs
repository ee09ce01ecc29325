//! Known signatures: the user's ABIs and typed signatures, the explorer's ABIs, the built-in table and
//! the signature database.
//!
//! A look-up goes from the scope that says most about the called contract to the one that says least
//! ([`LookupScope`]): an ABI for its address, for its name, a typed signature, the explorer's ABI of it, and at last
//! whatever has the same selector. Several signatures of one scope are candidates; the calldata decide.

use std::collections::{BTreeMap, HashMap, HashSet, btree_map};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use strum::VariantArray;

use super::abi_json::{self, ParsedAbi};
use super::creations::{CreationCode, CreationIndex};
use super::database_signatures::{DatabaseSignatures, SignatureHash};
use super::event::{
    DecodedEvent, EventIndex, EventSignature, LogEmitter, decode_event, event_declarations,
};
use super::lazy_signature::LazySignature;
use super::signature::{CONTRACT_SOURCES, Candidate, OTHER_SOURCES, Signature, SignatureKind};
use super::signature_table::BUILTIN_SIGNATURES;
use crate::abi::decode::decode;
use crate::abi::selector::{Selector, SpecialFunctions};
use crate::abi::value::{Argument, DecodedCall};
use crate::chain::{Address, B256};
use crate::messages::abi::{AbiError, SignatureError, SignatureSource};
use crate::safety::name_marks::guard_name;
use crate::sanitize::SafeText;

/// Maximum memory in bytes of all ABIs of the user, of a project, or of an explorer. Large projects
/// take some 10 MB.
const MAX_KEPT_BYTES: usize = 64 << 20;

/// Scopes in the order of look-up. The first scope with a signature that fits decides.
#[derive(Debug, Clone, Copy, VariantArray)]
pub(in crate::abi) enum LookupScope {
    Address,
    ContractNames,
    User,
    Explorer,
    Selector,
}

#[derive(Debug, Clone, Copy, Default)]
pub(in crate::abi) struct CallTarget<'a> {
    pub(in crate::abi) address: Option<Address>,
    pub(in crate::abi) names: &'a [&'a str],
}

/// Signatures by selector, and by their order among those with the same selector.
#[derive(Debug, Default, Clone)]
pub(super) struct SignatureIndex {
    signatures: BTreeMap<(Selector, u32), IndexedSignature>,
    /// The functions of a contract's ABI that have no selector.
    special: SpecialFunctions,
}

#[derive(Debug, Clone)]
struct IndexedSignature {
    signature: Arc<LazySignature>,
    /// The contract or file that the signature is from.
    origin: Arc<SafeText>,
}

impl IndexedSignature {
    fn new(signature: Signature, origin: &Arc<SafeText>) -> Self {
        let signature = Arc::new(LazySignature::new(signature));
        Self { signature, origin: Arc::clone(origin) }
    }
}

impl SignatureIndex {
    fn with_selector(
        &self,
        selector: Selector,
    ) -> btree_map::Range<'_, (Selector, u32), IndexedSignature> {
        self.signatures.range((selector, 0)..=(selector, u32::MAX))
    }

    /// Inserts a signature and removes an equal one, whose parameters may have other names.
    fn insert(&mut self, selector: Selector, new: IndexedSignature) {
        let mut same = self.with_selector(selector);
        let order = same.clone().next_back().map_or(0, |((_, last), _)| last.saturating_add(1));
        let equal = same.find(|(_, known)| known.signature.is_same(&new.signature));
        if let Some((&key, _)) = equal {
            self.signatures.remove(&key);
        }
        self.signatures.insert((selector, order), new);
    }

    pub(super) fn special(&self) -> SpecialFunctions {
        self.special
    }

    pub(super) fn signatures(&self) -> impl Iterator<Item = Arc<Signature>> {
        self.signatures.values().filter_map(|known| known.signature.parse())
    }

    /// Returns the selectors of the functions that `wanted` accepts.
    fn functions(&self, wanted: impl Fn(&str, bool) -> bool) -> impl Iterator<Item = Selector> {
        let functions =
            self.signatures.iter().filter(move |(_, known)| known.signature.is_function(&wanted));
        functions.map(|((selector, _), _)| *selector)
    }

    fn find<'a>(
        &'a self,
        selector: Selector,
        source: impl Fn(&SafeText) -> SignatureSource + 'a,
    ) -> impl Iterator<Item = Candidate> + 'a {
        self.with_selector(selector).filter_map(move |(_, known)| {
            let signature = known.signature.get()?;
            Some(Candidate { signature, source: source(&known.origin) })
        })
    }
}

#[derive(Debug, Default, Clone)]
pub struct SignatureDb {
    /// The added ABIs. Shared, because an index of thousands takes long to copy.
    pub(super) abis: Arc<AbiIndex>,
    /// The ABIs of a project, shared with the database of its compilation.
    project_abis: Arc<AbiIndex>,
    by_explorer: ExplorerAbis,
    user_signatures: SignatureIndex,
    from_database: DatabaseSignatures,
    includes_builtin: bool,
}

/// ABIs of files.
#[derive(Debug, Default, Clone)]
pub(super) struct AbiIndex {
    by_address: HashMap<Address, SignatureIndex>,
    pub(super) by_contract_name: HashMap<String, SignatureIndex>,
    /// Signatures of all ABIs, for contracts without an ABI.
    all: SignatureIndex,
    pub(super) events: EventIndex,
    creations: CreationIndex,
    /// Approximate memory in bytes.
    kept_bytes: usize,
}

/// ABIs and implementations of contracts, as reported by the explorer.
#[derive(Debug, Default, Clone)]
struct ExplorerAbis {
    contracts: HashMap<Address, SignatureIndex>,
    /// Contracts that take no calls of other functions than their ABI has.
    closed: HashSet<Address>,
    /// Implementations by proxy.
    implementations: HashMap<Address, Vec<Address>>,
    /// Signatures of all contracts: an error may come from any contract that is called, and contracts
    /// of the same code share their functions.
    all: SignatureIndex,
    /// Events of all contracts. The explorer decodes a contract's own.
    events: EventIndex,
    kept_bytes: usize,
}

impl ExplorerAbis {
    /// Returns the ABI of a contract and the ABIs of its implementations.
    fn abis(&self, address: Address) -> impl Iterator<Item = &SignatureIndex> {
        let behind = self.implementations.get(&address).into_iter().flatten();
        [address].into_iter().chain(behind.copied()).filter_map(|at| self.contracts.get(&at))
    }
}

impl AbiIndex {
    fn add(&mut self, address: Option<Address>, name: &str, abi: ParsedAbi) {
        let origin = Arc::new(SafeText::new(name));
        self.events.add_contract(address, &origin, abi.events);
        let of_contract = match address {
            Some(address) => self.by_address.entry(address).or_default(),
            None => self.by_contract_name.entry(name.to_owned()).or_default(),
        };
        of_contract.special = of_contract.special.union(abi.special);
        for signature in abi.signatures {
            let selector = signature.selector();
            let new = IndexedSignature::new(signature, &origin);
            of_contract.insert(selector, new.clone());
            self.all.insert(selector, new);
        }
    }
}

impl SignatureDb {
    /// Creates a database with the built-in table, which is indexed at the first look-up.
    pub fn builtin() -> Self {
        Self { includes_builtin: true, ..Self::default() }
    }

    /// Adds an ABI file: a bare array, or an artifact of Foundry or Hardhat. A file named `0x….json` is
    /// the ABI of that address, any other name is the name of its contracts. The error is the first
    /// problem of the file; its other entries are added anyway.
    pub fn add_abi(&mut self, path: &Path, json: &str) -> Result<(), AbiError> {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = file.split('.').next().unwrap_or_default();
        self.add_contract_abi(address_from_file_name(name), name, json)
    }

    /// Adds the ABI of a contract, or without an address, of all contracts with its name.
    pub fn add_contract_abi(
        &mut self,
        address: Option<Address>,
        name: &str,
        json: &str,
    ) -> Result<(), AbiError> {
        let mut abi = abi_json::parse(json)?;
        let problem = abi.first_problem.take();
        self.add_parsed_abi(address, name, abi)?;
        problem.map_or(Ok(()), Err)
    }

    /// Adds the ABI of a compiled contract, and its constructor by the creation code.
    pub(in crate::abi) fn add_compiled(
        &mut self,
        name: &SafeText,
        json: &str,
        creation: Option<&CreationCode>,
    ) -> Result<(), AbiError> {
        let mut abi = abi_json::parse(json)?;
        let inputs = std::mem::take(&mut abi.constructor);
        let constructor = Signature::new(SignatureKind::Function, name, inputs, None);
        self.add_parsed_abi(None, name, abi)?;
        if let (Some(code), Ok(constructor)) = (creation, constructor) {
            let index = Arc::make_mut(&mut self.abis);
            index.kept_bytes += constructor.kept_bytes();
            index.creations.insert(code.clone(), constructor);
        }
        Ok(())
    }

    /// Adds a function of a compiled library whose selector is not the hash of its declaration.
    pub(in crate::abi) fn add_library_function(
        &mut self,
        library: &SafeText,
        selector: Selector,
        declaration: &str,
    ) {
        let Ok(signature) = Signature::parse(declaration) else { return };
        let index = Arc::make_mut(&mut self.abis);
        let kept_bytes = index.kept_bytes.saturating_add(signature.kept_bytes());
        if kept_bytes <= MAX_KEPT_BYTES {
            index.kept_bytes = kept_bytes;
            let new = IndexedSignature::new(signature, &Arc::new(library.clone()));
            let of_library = index.by_contract_name.entry(library.to_string()).or_default();
            of_library.insert(selector, new.clone());
            index.all.insert(selector, new);
        }
    }

    /// Returns the constructor of a project's contract by its init code, and the arguments in it.
    pub(in crate::abi) fn find_creation<'a>(
        &self,
        init_code: &'a [u8],
    ) -> Option<(Candidate, &'a [u8])> {
        self.indexes().into_iter().find_map(|abis| abis.creations.find(init_code))
    }

    pub(super) fn add_parsed_abi(
        &mut self,
        address: Option<Address>,
        name: &str,
        abi: ParsedAbi,
    ) -> Result<(), AbiError> {
        let index = Arc::make_mut(&mut self.abis);
        index.kept_bytes = keep(index.kept_bytes, &abi)?;
        index.add(address, name, abi);
        Ok(())
    }

    /// Shares the added ABIs of another database, in place of own ones.
    pub fn share_abis(&mut self, other: &Self) {
        self.abis = Arc::clone(&other.abis);
    }

    /// Shares the ABIs of a project's database, in place of the ABIs of an earlier compilation.
    pub fn share_project_abis(&mut self, project: &Self) {
        self.project_abis = Arc::clone(&project.abis);
    }

    fn indexes(&self) -> [&AbiIndex; 2] {
        [&*self.abis, &*self.project_abis]
    }

    /// Adds the explorer's ABI of a contract. All are dropped when the next one would exceed the limit.
    pub fn add_explorer_abi(
        &mut self,
        address: Address,
        name: &SafeText,
        json: &str,
    ) -> Result<(), AbiError> {
        let abi = abi_json::parse(json)?;
        let kept_bytes = keep(self.by_explorer.kept_bytes, &abi).unwrap_or_else(|_| {
            self.forget_explorer_abis();
            abi.kept_bytes
        });
        self.by_explorer.kept_bytes = kept_bytes;
        if abi.first_problem.is_none() && !abi.special.has_fallback {
            self.by_explorer.closed.insert(address);
        } else {
            self.by_explorer.closed.remove(&address);
        }
        let of_contract = self.by_explorer.contracts.entry(address).or_default();
        of_contract.special = abi.special;
        let origin = Arc::new(guard_name(name.clone()));
        self.by_explorer.events.add_contract(None, &origin, abi.events);
        for signature in abi.signatures {
            let selector = signature.selector();
            let new = IndexedSignature::new(signature, &origin);
            self.by_explorer.all.insert(selector, new.clone());
            of_contract.insert(selector, new);
        }
        Ok(())
    }

    /// Adds an event that the explorer decoded, of the contract with that name: others may have it too.
    pub fn add_explorer_event(&mut self, declaration: &str, contract: &SafeText) {
        let explorer = &mut self.by_explorer;
        let Ok(event) = EventSignature::parse(declaration) else { return };
        let kept_bytes = explorer.kept_bytes.saturating_add(event.kept_bytes());
        if kept_bytes <= MAX_KEPT_BYTES
            && explorer.events.add_contract(None, &guard_name(contract.clone()), vec![event])
        {
            explorer.kept_bytes = kept_bytes;
        }
    }

    /// Returns `true` if a contract has no function with a selector, and no fallback, by the explorer's ABI.
    pub fn lacks_function(&self, contract: Address, selector: Selector) -> bool {
        let ExplorerAbis { contracts, closed, implementations, .. } = &self.by_explorer;
        let has_function = |abi: &SignatureIndex| abi.with_selector(selector).next().is_some();
        closed.contains(&contract)
            && implementations.get(&contract).is_some_and(Vec::is_empty)
            && contracts.get(&contract).is_some_and(|abi| !has_function(abi))
    }

    /// Sets the implementations of a proxy.
    pub fn set_implementations(&mut self, proxy: Address, behind: Vec<Address>) {
        self.by_explorer.implementations.insert(proxy, behind);
    }

    /// Drops the explorer's ABIs: after a restart of the chain, other contracts have the same
    /// addresses.
    pub fn forget_explorer_abis(&mut self) {
        self.by_explorer = ExplorerAbis::default();
    }

    /// Adds a typed signature: `transfer(address to, uint256 amount) returns (bool)`. Without
    /// `function` or `error` in front it counts as both.
    pub fn add_signature(&mut self, text: &str) -> Result<Selector, SignatureError> {
        let signature = Signature::parse(text)?;
        let selector = signature.selector();
        self.user_signatures.insert(selector, IndexedSignature::new(signature, &Arc::default()));
        Ok(selector)
    }

    /// Adds the signatures received from a signature database for a hash, and returns those that have
    /// this hash.
    pub fn add_database_signatures(
        &mut self,
        hash: SignatureHash,
        sent: &[SafeText],
    ) -> Vec<SafeText> {
        self.from_database.insert(hash, sent)
    }

    /// Returns the likely name of a function by its selector alone, with its source: for rows, and for
    /// calldata that is too long to be decoded while drawing.
    pub fn function_name(
        &self,
        to: Option<Address>,
        names: &[&str],
        selector: Selector,
    ) -> Option<(SafeText, SignatureSource)> {
        let target = CallTarget { address: to, names };
        let mut candidates = LookupScope::VARIANTS
            .iter()
            .flat_map(|scope| self.candidates(*scope, SignatureKind::Function, target, selector));
        let Candidate { signature, source } = candidates.next()?;
        Some((signature.name.shown.clone(), source))
    }

    /// Returns the functions without a selector that the ABIs of a contract declare, or `None` if none of
    /// its ABIs is known.
    pub fn special_functions(&self, to: Address, names: &[&str]) -> Option<SpecialFunctions> {
        let added = self.indexes().into_iter().flat_map(|abis| {
            let others = names.iter().filter_map(|name| abis.by_contract_name.get(*name));
            abis.by_address.get(&to).into_iter().chain(others)
        });
        let all = added.chain(self.by_explorer.abis(to));
        all.map(|abi| abi.special).reduce(SpecialFunctions::union)
    }

    /// Returns the functions with a selector, the likeliest first.
    pub fn declarations(&self, selector: Selector) -> Vec<SafeText> {
        self.declarations_of(SignatureKind::Function, selector)
    }

    /// Returns the errors with a selector, the likeliest first. Signatures that may be of either are
    /// counted as functions.
    pub fn error_declarations(&self, selector: Selector) -> Vec<SafeText> {
        let mut errors = self.declarations_of(SignatureKind::Error, selector);
        let functions = self.declarations(selector);
        errors.retain(|error| !functions.contains(error));
        errors
    }

    fn declarations_of(&self, kind: SignatureKind, selector: Selector) -> Vec<SafeText> {
        let target = CallTarget::default();
        let scopes = LookupScope::VARIANTS.iter();
        let mut found: Vec<Arc<Signature>> = Vec::new();
        for candidate in scopes.flat_map(|scope| self.candidates(*scope, kind, target, selector)) {
            let canonical = candidate.signature.canonical();
            if !found.iter().any(|known| known.canonical() == canonical) {
                found.push(candidate.signature);
            }
        }
        found.iter().map(|signature| signature.declaration()).collect()
    }

    /// Returns the events with a topic, the likeliest first.
    pub fn event_declarations(&self, topic: B256) -> Vec<SafeText> {
        let indexes = self.indexes().map(|abis| &abis.events);
        let mut found = event_declarations(&indexes, topic, self.includes_builtin);
        if found.is_empty() {
            found.extend(self.from_database.event_declarations(topic));
        }
        found
    }

    /// Returns the selectors of the known functions that `wanted` accepts by name, and by whether an
    /// argument is dynamic.
    pub fn functions(&self, wanted: impl Fn(&str, bool) -> bool) -> HashSet<Selector> {
        let indexes = self
            .indexes()
            .map(|abis| &abis.all)
            .into_iter()
            .chain([&self.user_signatures])
            .chain([&self.by_explorer.all]);
        let added = indexes.flat_map(|index| index.functions(&wanted));
        let builtin = self.includes_builtin.then(|| BUILTIN_SIGNATURES.signatures());
        let others = self.from_database.functions().chain(builtin.into_iter().flatten());
        let others = others.filter(|(_, signature)| {
            signature.kind != SignatureKind::Error
                && wanted(signature.name.hashed(), signature.has_dynamic_input())
        });
        added.chain(others.map(|(selector, _)| selector)).collect()
    }

    /// Decodes a log by the ABI of its contract, else by another ABI with the event.
    pub fn decode_event(
        &self,
        emitter: LogEmitter<'_>,
        topics: &[B256],
        data: &[u8],
    ) -> Option<DecodedEvent> {
        let indexes = self.indexes().map(|abis| &abis.events);
        let known = decode_event(&indexes, emitter, topics, data, self.includes_builtin);
        known
            .or_else(|| {
                let emitter = LogEmitter { names: &[], ..emitter };
                decode_event(&[&self.by_explorer.events], emitter, topics, data, false)
            })
            .or_else(|| self.from_database.decode_event(topics, data))
    }

    /// Decodes the output of a call, and in it the outputs of carried calls. Returns `None` if the
    /// signature has no outputs or the data does not fit.
    pub fn decode_output(&self, call: &DecodedCall, output: &[u8]) -> Option<Vec<Argument>> {
        let outputs = call.outputs.as_deref().unwrap_or_default();
        let decoded = decode(outputs, output).filter(|decoded| decoded.trailing_bytes == 0)?;
        let mut values = Argument::from_values(outputs, decoded.values);
        self.decode_carried_outputs(call, &mut values);
        Some(values)
    }

    pub(in crate::abi) fn candidates(
        &self,
        scope: LookupScope,
        kind: SignatureKind,
        target: CallTarget<'_>,
        selector: Selector,
    ) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = match scope {
            LookupScope::Address => target
                .address
                .into_iter()
                .flat_map(|address| {
                    let source = move |_: &SafeText| SignatureSource::Address(address);
                    self.indexes()
                        .into_iter()
                        .filter_map(move |abis| abis.by_address.get(&address))
                        .flat_map(move |abi| abi.find(selector, source))
                })
                .collect(),
            LookupScope::ContractNames => {
                let abis = target
                    .names
                    .iter()
                    .flat_map(|name| {
                        let named = self.indexes().map(|abis| abis.by_contract_name.get(*name));
                        named.into_iter().zip(CONTRACT_SOURCES)
                    })
                    .filter_map(|(abi, source)| Some((abi?, source)));
                abis.flat_map(|(abi, source)| {
                    abi.find(selector, |origin| source(origin.clone())).collect::<Vec<_>>()
                })
                .collect()
            }
            LookupScope::User => {
                self.user_signatures.find(selector, |_| SignatureSource::User).collect()
            }
            LookupScope::Explorer => {
                let source = |origin: &SafeText| SignatureSource::Explorer(origin.clone());
                let abis = target.address.into_iter().flat_map(|at| self.by_explorer.abis(at));
                abis.flat_map(|abi| abi.find(selector, source)).collect()
            }
            LookupScope::Selector => self.of_any_contract(kind, selector),
        };
        found.retain(|candidate| {
            candidate.signature.kind == kind || candidate.signature.kind == SignatureKind::Any
        });
        found
    }

    /// Returns the signatures with a selector of any contract, and of databases.
    fn of_any_contract(&self, kind: SignatureKind, selector: Selector) -> Vec<Candidate> {
        let builtin = self.includes_builtin.then(|| BUILTIN_SIGNATURES.find(selector));
        // Callers pass errors on: whatever contract declares one, the name is known.
        let is_error = kind == SignatureKind::Error;
        let sources = if is_error { CONTRACT_SOURCES } else { OTHER_SOURCES };
        let abis = self.indexes().into_iter().zip(sources).flat_map(|(abis, source)| {
            abis.all.find(selector, move |origin| source(origin.clone()))
        });
        let of_explorer =
            if is_error { SignatureSource::Explorer } else { SignatureSource::OtherAbi };
        let explorer_abis = &self.by_explorer.all;
        let by_explorer = explorer_abis.find(selector, move |origin| of_explorer(origin.clone()));
        // Any contract may have given the arguments of a well-known function its own names.
        let known = abis.chain(builtin.into_iter().flatten()).chain(by_explorer);
        known.chain(self.from_database.find(selector)).collect()
    }
}

/// Returns the memory of the ABIs including another one, or an error if it exceeds the limit.
fn keep(kept_bytes: usize, more: &ParsedAbi) -> Result<usize, AbiError> {
    let sum = kept_bytes.saturating_add(more.kept_bytes);
    (sum <= MAX_KEPT_BYTES).then_some(sum).ok_or(AbiError::MemoryLimit)
}

fn address_from_file_name(name: &str) -> Option<Address> {
    let is_address = name.starts_with("0x") && name.len() == 42;
    is_address.then(|| Address::from_str(name).ok())?
}

//! What the Solidity compiler writes for each contract, as build tools keep it.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct CodeSpan {
    pub(super) start: usize,
    pub(super) length: usize,
}

/// Where the code has the immutable values, by the number of each in the compiler.
pub(super) type ImmutableSpans = HashMap<String, Vec<CodeSpan>>;
/// By source and name, as the compiler writes it.
pub(super) type ByContract<T> = HashMap<String, HashMap<String, T>>;
/// The numbers that the compiler gave to the sources of one run, which source maps have.
pub(super) type SourceNumbers = HashMap<u32, String>;

#[derive(Deserialize)]
pub(super) struct BuildOutput<'a> {
    #[serde(borrow)]
    pub(super) output: CompilerOutput<'a>,
}

#[derive(Deserialize)]
pub(super) struct CompilerOutput<'a> {
    /// Each is parsed when it is asked for: all of a project's are large.
    #[serde(borrow)]
    contracts: ByContract<&'a RawValue>,
    #[serde(default)]
    sources: HashMap<String, SourceOutput>,
}

#[derive(Deserialize)]
struct SourceOutput {
    id: u32,
}

#[derive(Deserialize)]
pub(super) struct ContractOutput {
    pub(super) metadata: Option<String>,
    pub(super) evm: ContractCodes,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContractCodes {
    #[serde(default)]
    pub(super) bytecode: CodeOutput,
    pub(super) deployed_bytecode: CodeOutput,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeOutput {
    /// Hex digits, and placeholders for the addresses of libraries.
    pub(super) object: Option<String>,
    pub(super) source_map: Option<String>,
    #[serde(default)]
    pub(super) immutable_references: ImmutableSpans,
}

impl CompilerOutput<'_> {
    pub(super) fn contract(&self, source: &str, name: &str) -> Option<ContractOutput> {
        parse_contract(self.contracts.get(source)?.get(name)?)
    }

    /// Returns where all contracts have their immutable values.
    pub(super) fn immutables(self) -> ByContract<ImmutableSpans> {
        let spans = |(name, json): (String, &RawValue)| {
            Some((name, parse_contract(json)?.evm.deployed_bytecode.immutable_references))
        };
        let sources = self.contracts.into_iter();
        sources.map(|(path, all)| (path, all.into_iter().filter_map(spans).collect())).collect()
    }

    pub(super) fn source_numbers(self) -> SourceNumbers {
        self.sources.into_iter().map(|(path, source)| (source.id, path)).collect()
    }
}

fn parse_contract(json: &RawValue) -> Option<ContractOutput> {
    serde_json::from_str(json.get()).ok()
}

//! The Solidity compiler's output for each contract, as build tools keep it.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::ast_layout::AstNode;
use super::library_functions::MethodIdentifiers;
use crate::messages::project::ArtifactError;

/// Maximum entries kept of an object. A project with more sources takes minutes to compile.
const MAX_KEPT_ENTRIES: usize = 10_000;

/// Sources by the number that the compiler gave them in one run. Source maps contain the numbers.
pub(super) type SourceNumbers = HashMap<u32, String>;

#[derive(Deserialize)]
pub(super) struct BuildOutput<'a> {
    #[serde(borrow)]
    pub(super) output: CompilerOutput<'a>,
}

#[derive(Deserialize)]
pub(super) struct CompilerOutput<'a> {
    /// By source and name. Only the requested one is parsed: a project's output is large.
    #[serde(borrow)]
    contracts: &'a RawValue,
    #[serde(default, deserialize_with = "few_entries")]
    sources: HashMap<String, SourceOutput>,
}

#[derive(Deserialize)]
struct SourceOutput {
    id: u32,
    ast: Option<SyntaxTree>,
}

/// The top level of a source's syntax tree.
#[derive(Deserialize)]
struct SyntaxTree {
    license: Option<String>,
    #[serde(default)]
    nodes: Vec<TopLevelNode>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TopLevelNode {
    /// The path of an imported source. Other nodes have none.
    absolute_path: Option<String>,
}

#[derive(Deserialize)]
struct TreesOutput {
    output: TreesOfSources,
}

#[derive(Deserialize)]
struct TreesOfSources {
    #[serde(default, deserialize_with = "few_entries")]
    sources: HashMap<String, SourceTree>,
}

#[derive(Deserialize)]
struct SourceTree {
    ast: Option<AstNode>,
}

/// Returns the syntax trees of all sources in a compiler's output.
pub(super) fn syntax_trees(json: &str) -> Option<HashMap<String, AstNode>> {
    let TreesOutput { output } = serde_json::from_str(json).ok()?;
    Some(
        output.sources.into_iter().filter_map(|(path, source)| Some((path, source.ast?))).collect(),
    )
}

#[derive(Deserialize)]
pub(super) struct ContractOutput {
    pub(super) metadata: Option<String>,
    #[serde(rename = "storageLayout")]
    pub(super) storage_layout: Option<Box<RawValue>>,
    pub(super) evm: ContractCodes,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContractCodes {
    pub(super) method_identifiers: Option<MethodIdentifiers>,
    #[serde(default)]
    pub(super) bytecode: CodeOutput,
    pub(super) deployed_bytecode: CodeOutput,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeOutput {
    /// Hex digits, and placeholders for the addresses of libraries.
    pub(super) object: Option<String>,
    pub(super) source_map: Option<String>,
}

impl CompilerOutput<'_> {
    pub(super) fn contract(&self, source: &str, name: &str) -> Option<ContractOutput> {
        let contract = value_of(value_of(self.contracts, source)?, name)?;
        serde_json::from_str(contract.get()).ok()
    }

    pub(super) fn source_numbers(self) -> SourceNumbers {
        self.sources.into_iter().map(|(path, source)| (source.id, path)).collect()
    }

    /// Returns a source and all that it imports. Without syntax trees, these are all sources.
    pub(super) fn with_imports(&self, source: &str) -> HashSet<&str> {
        let mut found = HashSet::new();
        let mut unread: Vec<&str> =
            self.sources.get_key_value(source).into_iter().map(|(path, _)| &**path).collect();
        while let Some(path) = unread.pop() {
            let Some(output) = self.sources.get(path) else { continue };
            let Some(tree) = &output.ast else {
                return self.sources.keys().map(|path| &**path).collect();
            };
            if found.insert(path) {
                unread.extend(tree.nodes.iter().filter_map(|node| node.absolute_path.as_deref()));
            }
        }
        found
    }

    pub(super) fn license(&self, source: &str) -> Option<&str> {
        self.sources.get(source)?.ast.as_ref()?.license.as_deref()
    }
}

/// Returns the value of a key in a JSON object, without keeping the others.
fn value_of<'a>(object: &'a RawValue, key: &str) -> Option<&'a RawValue> {
    struct KeyVisitor<'a>(&'a str);

    impl<'de> Visitor<'de> for KeyVisitor<'_> {
        type Value = Option<&'de RawValue>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = None;
            while let Some(key) = map.next_key::<String>()? {
                if key == self.0 {
                    found = Some(map.next_value()?);
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(found)
        }
    }

    serde_json::Deserializer::from_str(object.get()).deserialize_map(KeyVisitor(key)).ok()?
}

/// Deserializes an object, unless it has so many entries that they would take much more memory than the
/// file.
pub(super) fn few_entries<'de, D, M, K, V>(deserializer: D) -> Result<M, D::Error>
where
    D: Deserializer<'de>,
    M: Default + Extend<(K, V)> + IntoIterator<Item = (K, V)>,
    K: Deserialize<'de>,
    V: Deserialize<'de>,
{
    struct EntryVisitor<M>(PhantomData<M>);

    impl<'de, M, K, V> Visitor<'de> for EntryVisitor<M>
    where
        M: Default + Extend<(K, V)> + IntoIterator<Item = (K, V)>,
        K: Deserialize<'de>,
        V: Deserialize<'de>,
    {
        type Value = M;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<M, A::Error> {
            let mut entries = M::default();
            for _ in 0..MAX_KEPT_ENTRIES {
                let Some(entry) = map.next_entry()? else { return Ok(entries) };
                entries.extend([entry]);
            }
            Err(Error::custom(ArtifactError::TooManyEntries))
        }
    }

    deserializer.deserialize_map(EntryVisitor(PhantomData))
}

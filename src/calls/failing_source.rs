//! The places in the source that failed calls ended at: file, line, and the lines around it.

use std::collections::BTreeMap;

use crate::abi::SignatureDb;
use crate::api::Field;
use crate::api::contract::SourceCode;
use crate::api::decoded_input::AbiIdentifier;
use crate::api::failure_line::{FailureStack, StackCall};
use crate::chain::Address;
use crate::sanitize::SafeText;
use crate::trace::CallTree;
use crate::trace::revert_origin::find_origin;
use crate::ui::document::{CodeLine, DocumentEntry, EntryValue};
use crate::ui::theme::Role;

/// Source lines as an explorer sends them, with the numbers of the first one and of the failing one.
pub struct FailingSource<'a> {
    pub code: &'a Field<SourceCode>,
    pub first_line: &'a Field<u64>,
    pub line: &'a Field<u64>,
}

impl FailingSource<'_> {
    /// Returns the lines with their numbers.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &SafeText)> {
        let number = |line: &Field<u64>| line.value().and_then(|line| usize::try_from(*line).ok());
        let lines = self.code.value().map_or(&[][..], |code| &*code.0).iter();
        (number(self.first_line).unwrap_or(1)..).zip(lines)
    }

    pub fn is_failing(&self, number: usize) -> bool {
        self.line.value().is_some_and(|line| usize::try_from(*line) == Ok(number))
    }

    /// Returns the text of the failing line.
    pub fn failing_text(&self) -> Option<&str> {
        let mut lines = self.lines();
        lines.find(|(number, _)| self.is_failing(*number)).map(|(_, text)| text.trim())
    }

    pub fn entries(&self) -> impl Iterator<Item = DocumentEntry> {
        self.lines().map(|(number, text)| {
            let line = CodeLine { number, text: text.clone(), is_in_comment: false };
            let role = if self.is_failing(number) { Role::Failed } else { Role::Plain };
            DocumentEntry::new("", EntryValue::Code(line)).role(role)
        })
    }
}

/// A line of a stack: of a call, or of a function around the end of the call in the same contract.
pub struct StackFrame<'a> {
    path: Option<&'a SafeText>,
    is_exact: bool,
    /// The contract of the code. A failed creation has none.
    pub contract: Option<Address>,
    pub source: FailingSource<'a>,
    /// Contract and function: `Desk.go`.
    pub function: String,
}

impl StackFrame<'_> {
    /// Returns the source file and the line.
    pub fn line(&self) -> Option<(&SafeText, u64)> {
        Some((self.path?, *self.source.line.value()?))
    }

    /// Returns the source file and the line as text.
    pub fn place(&self) -> Option<String> {
        self.place_in(self.path?)
    }

    /// Returns the place for reading: of a file in a library, only the package and the name.
    pub fn shown_place(&self) -> Option<String> {
        let path = self.path?;
        self.place_in(&library_path(path).unwrap_or_else(|| path.to_string()))
    }

    /// Returns the name of the file and the line.
    pub fn short_place(&self) -> Option<String> {
        self.place_in(self.path?.rsplit('/').next()?)
    }

    /// Optimized code has no location for much of its source.
    fn place_in(&self, path: &str) -> Option<String> {
        let near = if self.is_exact { "" } else { "near " };
        Some(format!("{near}{path}:{}", self.source.line.value()?))
    }

    /// Returns `true` for a known line of the project's own.
    pub fn is_own(&self) -> bool {
        self.place().is_some() && self.path.is_some_and(|path| library_path(path).is_none())
    }
}

/// Returns the innermost known line: of the project itself, or else of a library.
pub fn failing_frame<'a, 'b>(frames: &'b [StackFrame<'a>]) -> Option<&'b StackFrame<'a>> {
    let own = frames.iter().rfind(|frame| frame.is_own());
    own.or_else(|| frames.iter().rfind(|frame| frame.place().is_some()))
}

/// Returns the package and the name of a file that a package manager has installed.
fn library_path(path: &str) -> Option<String> {
    let installed = path.rsplit_once("node_modules/").map(|(_, file)| file);
    let mut prefixes = ["npm/", "lib/"].into_iter();
    let file = installed
        .or_else(|| prefixes.find_map(|prefix| path.strip_prefix(prefix)))
        .or_else(|| path.starts_with('@').then_some(path))?;
    Some(match (file.split_once('/'), file.rsplit_once('/')) {
        (Some((package, _)), Some((folder, name))) if folder != package => {
            format!("{package}/…/{name}")
        }
        _ => file.to_owned(),
    })
}

impl StackCall {
    /// Returns the source file and the line.
    pub fn place(&self) -> Option<String> {
        self.frame(String::new()).place()
    }

    /// Returns the contract whose code the call ran, unless it is a failed creation.
    fn contract_address(&self) -> Option<Address> {
        self.contract.value().map(|contract| contract.hash)
    }

    fn frame(&self, function: String) -> StackFrame<'_> {
        let Self { source_code: code, first_line, line, .. } = self;
        StackFrame {
            path: self.file_path.value(),
            is_exact: self.is_exact.value() == Some(&true),
            contract: self.contract_address(),
            source: FailingSource { code, first_line, line },
            function,
        }
    }

    /// Returns the lines of the call, the outermost first. `called` is the called contract and its function.
    pub fn frames(&self, called: &str) -> Vec<StackFrame<'_>> {
        let callers = self.callers.value().map(Vec::as_slice).unwrap_or_default();
        let definitions = callers.iter().map(|caller| &caller.definition);
        let names =
            definitions.chain([&self.definition]).enumerate().map(
                |(n, definition)| match definition.value() {
                    Some(definition) if n > 0 || self.contract.value().is_none() => {
                        definition.to_string()
                    }
                    // The functions between are unknown in optimized code.
                    Some(definition) if !self.is_called(definition) => {
                        format!("{called} → {definition}")
                    }
                    _ => called.to_owned(),
                },
            );
        let mut names: Vec<String> = names.collect();
        let own = self.frame(names.pop().unwrap_or_default());
        let outer = callers.iter().zip(names).map(|(caller, function)| StackFrame {
            path: caller.file_path.value(),
            is_exact: true,
            contract: self.contract_address(),
            source: FailingSource {
                code: &caller.source_code,
                first_line: &caller.first_line,
                line: &caller.line,
            },
            function,
        });
        outer.chain([own]).collect()
    }

    /// Returns `true` if a function in the source is the one that was called. A fallback takes calls of any
    /// function.
    fn is_called(&self, definition: &str) -> bool {
        let name = definition.rsplit('.').next().unwrap_or_default();
        let is_same = self.function.value().is_some_and(|function| **function == *name);
        is_same || matches!(name, "fallback" | "receive")
    }

    /// Returns contract and function: `Desk.go`. A function that is only a selector has the likely name of
    /// known signatures: `Desk.transfer?`.
    pub fn qualified_function(
        &self,
        name: impl FnOnce(&Address) -> String,
        signatures: &SignatureDb,
    ) -> String {
        let address = self.contract_address();
        let contract = address.map(|address| name(&address));
        let function = self.function.value().map(|function| {
            let selector = AbiIdentifier(function.clone()).selector();
            let known = selector.and_then(|s| signatures.function_name(address, &[], s));
            known.map_or_else(
                || function.to_string(),
                |(name, source)| {
                    format!("{name}{}", if source.is_selector_only() { "?" } else { "" })
                },
            )
        });
        [contract, function].into_iter().flatten().collect::<Vec<_>>().join(".")
    }
}

/// Places in the source that calls ended at, such as `src/Desk.sol:18`. Most calls have none.
#[derive(Debug, Default)]
pub struct FailurePlaces(BTreeMap<u32, SafeText>);

impl FailurePlaces {
    pub fn get(&self, call: u32) -> Option<&SafeText> {
        self.0.get(&call)
    }
}

/// Returns the places of the calls in a stack, and in the stacks of failures that the transaction survived.
pub fn failure_places(tree: &CallTree, stack: &FailureStack) -> FailurePlaces {
    let caught = stack.caught.value().into_iter().flatten();
    let survived = caught.filter_map(|failure| {
        let address = failure.trace_address.value()?.iter();
        let path: Option<Vec<u32>> = address.map(|index| u32::try_from(*index).ok()).collect();
        Some((tree.find(&path?)?, &failure.calls))
    });
    let stacks = [(0, &stack.calls)].into_iter().chain(survived);
    FailurePlaces(stacks.flat_map(|(call, stack)| stack_places(tree, call, stack)).collect())
}

/// Returns the places of the calls in the stack of a failed call, which are the innermost ones on the way to the
/// origin of its failure.
fn stack_places<'a>(
    tree: &CallTree,
    outermost: u32,
    stack: &'a Field<Vec<StackCall>>,
) -> impl Iterator<Item = (u32, SafeText)> + use<'a> {
    let calls = stack.value().map(Vec::as_slice).unwrap_or_default();
    let path = find_origin(tree, outermost).map(|origin| origin.path).unwrap_or_default();
    let left_out = path.len().saturating_sub(calls.len());
    let in_tree = path.into_iter().skip(left_out).zip(calls);
    in_tree.filter_map(|(call, in_stack)| Some((call, in_stack.place()?.into())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Query, TransactionQuery};
    use crate::chain::TxHash;

    #[test]
    fn files_of_libraries_have_their_package_and_name() {
        for (path, shown) in [
            (
                "npm/@openzeppelin/contracts@5.7.0/token/ERC20.sol",
                Some("@openzeppelin/…/ERC20.sol"),
            ),
            ("/a/node_modules/solmate/src/auth/Auth.sol", Some("solmate/…/Auth.sol")),
            ("lib/forge-std/Vm.sol", Some("forge-std/Vm.sol")),
            ("@ens/ENS.sol", Some("@ens/ENS.sol")),
            ("src/lib/Desk.sol", None),
            ("contracts/Desk.sol", None),
        ] {
            assert_eq!(library_path(path).as_deref(), shown, "{path}");
        }
    }

    #[test]
    fn call_is_a_frame_for_each_of_its_functions() {
        let line = |file: &str, n: u64, definition: &str| {
            serde_json::json!({ "file_path": file, "line": n, "is_exact": true, "first_line": n,
                "source_code": "x", "definition": definition })
        };
        let mut call = line("lib/oz/Own.sol", 7, "Own.check");
        call["callers"] =
            vec![line("src/A.sol", 3, "Base.go"), line("src/A.sol", 5, "Base.only")].into();
        call["contract"] = serde_json::json!({ "hash": Address::ZERO });
        call["function"] = "go".into();
        let mut creation = line("src/B.sol", 1, "B.constructor");
        creation["function"] = "constructor".into();
        let mut merged = call.clone();
        merged["callers"] = serde_json::json!([]);
        let mut paid = line("src/A.sol", 9, "Base.receive");
        (paid["contract"], paid["function"]) = (call["contract"].clone(), "go".into());
        let body = serde_json::json!({ "calls": [call, creation, merged, paid] }).to_string();
        let query = Query::Transaction(TxHash::ZERO, TransactionQuery::FailureStack);
        let reply = query.decode(body.as_bytes(), None).unwrap();
        let stack = reply.get::<FailureStack>().unwrap();
        let calls = stack.calls.value().unwrap();
        let frames = calls[0].frames("desk.go");
        let shown: Vec<String> =
            frames.iter().map(|f| format!("{} {}", f.shown_place().unwrap(), f.function)).collect();
        let expected = ["src/A.sol:3 desk.go", "src/A.sol:5 Base.only", "oz/Own.sol:7 Own.check"];
        assert_eq!(shown, expected);
        assert_eq!(failing_frame(&frames).unwrap().place().unwrap(), "src/A.sol:5");
        assert_eq!(calls[1].frames("constructor")[0].function, "B.constructor");
        // Optimized code lacks the functions between.
        assert_eq!(calls[2].frames("desk.go")[0].function, "desk.go → Own.check");
        assert_eq!(calls[3].frames("desk.go")[0].function, "desk.go", "it takes any call");
    }
}

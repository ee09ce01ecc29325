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

impl StackCall {
    /// Returns the source file and the line.
    pub fn place(&self) -> Option<String> {
        Some(format!("{}{}:{}", self.near(), self.file_path.value()?, self.line.value()?))
    }

    /// Optimized code has no location for much of its source.
    fn near(&self) -> &'static str {
        if self.is_exact.value() == Some(&true) { "" } else { "near " }
    }

    /// Returns the name of the file and the line.
    pub fn short_place(&self) -> Option<String> {
        let path = self.file_path.value()?;
        Some(format!("{}{}:{}", self.near(), path.rsplit('/').next()?, self.line.value()?))
    }

    pub fn source(&self) -> FailingSource<'_> {
        let Self { source_code: code, first_line, line, .. } = self;
        FailingSource { code, first_line, line }
    }

    /// Returns contract and function: `Desk.go`. A function that is only a selector has the likely name of
    /// known signatures: `Desk.transfer?`.
    pub fn qualified_function(
        &self,
        name: impl FnOnce(&Address) -> String,
        signatures: &SignatureDb,
    ) -> String {
        let address = self.contract.value().map(|contract| contract.hash);
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

/// Returns the places of the calls in a stack, which are the innermost ones on the way to the origin of
/// the failure.
pub fn failure_places(tree: &CallTree, stack: &FailureStack) -> FailurePlaces {
    let calls = stack.calls.value().map(Vec::as_slice).unwrap_or_default();
    let path = find_origin(tree, 0).map(|origin| origin.path).unwrap_or_default();
    let left_out = path.len().saturating_sub(calls.len());
    let in_tree = path.into_iter().skip(left_out).zip(calls);
    let places = in_tree.filter_map(|(call, in_stack)| Some((call, in_stack.place()?.into())));
    FailurePlaces(places.collect())
}

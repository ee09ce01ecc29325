//! The folded-stacks format for flame graphs: `outer;inner gas` for every path of names.

use std::collections::HashMap;
use std::io::{self, Write};

use super::frame_names::InternedNames;
use super::gas::{GasEvent, GasWalk};
use super::{ExportScope, TraceExport};
use crate::trace::CallFrame;
use crate::trace::tree::to_index;

/// Stacks that one step writes: a line is as long as a stack is deep.
const STACKS_PER_STEP: usize = 16;

#[derive(Debug)]
struct FoldedStack {
    parent: Option<u32>,
    name: u32,
    own_gas: u64,
}

#[derive(Debug, Default)]
struct StackTable {
    numbers: HashMap<(Option<u32>, u32), u32>,
    stacks: Vec<FoldedStack>,
}

impl StackTable {
    fn intern(&mut self, parent: Option<u32>, name: u32) -> u32 {
        let next = u32::try_from(self.stacks.len()).unwrap_or(u32::MAX);
        *self.numbers.entry((parent, name)).or_insert_with(|| {
            self.stacks.push(FoldedStack { parent, name, own_gas: 0 });
            next
        })
    }

    fn add_gas(&mut self, stack: u32, gas: u64) {
        if let Some(stack) = self.stacks.get_mut(to_index(stack)) {
            stack.own_gas = stack.own_gas.saturating_add(gas);
        }
    }

    /// Returns the names on a path, innermost first.
    fn path<'a>(&'a self, stack: &'a FoldedStack) -> impl Iterator<Item = u32> + 'a {
        std::iter::successors(Some(stack), |stack| self.stacks.get(to_index(stack.parent?)))
            .map(|stack| stack.name)
    }
}

/// The export, written in steps.
#[derive(Debug)]
pub(super) struct FoldedExport {
    walk: GasWalk,
    is_walked: bool,
    names: InternedNames,
    escaped_names: Vec<String>,
    stacks: StackTable,
    /// `true` if the roots used no gas, as a payment, which runs no code. Unknown gas is not zero.
    is_gasless: bool,
    /// The stacks of the open calls.
    open: Vec<u32>,
    /// The number of stacks that were written.
    written: usize,
}

impl FoldedExport {
    pub(super) fn new(scope: &ExportScope) -> Self {
        Self {
            walk: GasWalk::new(scope),
            is_walked: false,
            names: InternedNames::default(),
            escaped_names: Vec::new(),
            stacks: StackTable::default(),
            is_gasless: true,
            open: Vec::new(),
            written: 0,
        }
    }

    pub(super) fn calls_left(&self) -> usize {
        self.walk.calls_left()
    }

    /// Adds some calls to their stacks, or writes some stacks. Returns `true` after the last.
    pub(super) fn step(
        &mut self,
        export: &TraceExport<'_>,
        out: &mut dyn Write,
    ) -> io::Result<bool> {
        if self.is_walked {
            return self.write_stacks(out);
        }
        let Self { walk, names, escaped_names, stacks, is_gasless, open, .. } = self;
        self.is_walked = walk.step(export.tree, export.scope, |event| {
            match event {
                GasEvent::Open { call, .. } => {
                    let gas = export.tree.get(call).and_then(CallFrame::gas_used);
                    *is_gasless &= !open.is_empty() || gas == Some(0);
                    let name = names.intern(export.tree, export.names, call);
                    let new = names.names.iter().skip(escaped_names.len());
                    escaped_names.extend(new.map(|name| escape_frame_name(name)));
                    open.push(stacks.intern(open.last().copied(), name));
                }
                GasEvent::Close { own_gas, .. } => {
                    if let Some(stack) = open.pop() {
                        stacks.add_gas(stack, own_gas);
                    }
                }
            }
            Ok(())
        })?;
        Ok(false)
    }

    fn write_stacks(&mut self, out: &mut dyn Write) -> io::Result<bool> {
        // A file without a line would look like a failure.
        let is_shown_at_zero = |stack: &FoldedStack| self.is_gasless && stack.parent.is_none();
        let next = self.stacks.stacks.iter().skip(self.written).take(STACKS_PER_STEP);
        self.written += next.len();
        for stack in next.filter(|stack| stack.own_gas > 0 || is_shown_at_zero(stack)) {
            let text = |name| self.escaped_names.get(to_index(name)).map(String::as_str);
            let mut path: Vec<&str> = self.stacks.path(stack).filter_map(text).collect();
            path.reverse();
            writeln!(out, "{} {}", path.join(";"), stack.own_gas)?;
        }
        Ok(self.written == self.stacks.stacks.len())
    }
}

/// Replaces the characters that separate names and gas.
fn escape_frame_name(name: &str) -> String {
    name.replace(|c: char| c == ';' || c.is_whitespace(), "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_name_separators_are_escaped() {
        assert_eq!(escape_frame_name("My Token;x.f@0x1\u{3000}"), "My_Token_x.f@0x1_");
    }
}

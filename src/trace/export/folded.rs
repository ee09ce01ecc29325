//! The folded-stacks format for flame graphs: `outer;inner gas` for every path of names.

use std::collections::HashMap;
use std::io::{self, Write};

use super::TraceExport;
use super::frame_names::InternedNames;
use super::gas::{GasEvent, walk_gas};
use crate::trace::tree::to_index;

struct FoldedStack {
    parent: Option<u32>,
    name: u32,
    own_gas: u64,
}

#[derive(Default)]
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
        let parent = |stack: &&'a FoldedStack| self.stacks.get(to_index(stack.parent?));
        std::iter::successors(Some(stack), parent).map(|stack| stack.name)
    }
}

impl TraceExport<'_> {
    pub(super) fn write_folded(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut names = InternedNames::default();
        let mut stacks = StackTable::default();
        let mut open = Vec::new();
        walk_gas(self.tree, self.scope, |event| {
            match event {
                GasEvent::Open { call, .. } => {
                    let name = names.intern(self.tree, self.names, call);
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
        let names: Vec<String> = names.names.iter().map(|name| escape_frame_name(name)).collect();
        stacks.stacks.iter().filter(|stack| stack.own_gas > 0).try_for_each(|stack| {
            let text = |name| names.get(to_index(name)).map(String::as_str);
            let mut path: Vec<&str> = stacks.path(stack).filter_map(text).collect();
            path.reverse();
            writeln!(out, "{} {}", path.join(";"), stack.own_gas)
        })
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

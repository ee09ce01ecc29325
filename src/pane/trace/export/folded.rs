//! Folded stacks: `outer;inner gas` for every path of names, as flame graphs are made of.

use std::collections::HashMap;
use std::io::{self, Write};

use super::TraceExport;
use super::frame_names::InternedNames;
use super::gas::{GasEvent, walk_gas};

/// A path of names: the path it goes on from, the last name, and the gas that was used there.
struct FoldedStack {
    parent: Option<u32>,
    label: u32,
    own_gas: u64,
}

/// Paths of names, each once.
#[derive(Default)]
struct StackTable {
    numbers: HashMap<(Option<u32>, u32), u32>,
    stacks: Vec<FoldedStack>,
}

impl StackTable {
    fn of(&mut self, above: Option<u32>, label: u32) -> u32 {
        let next = u32::try_from(self.stacks.len()).unwrap_or(u32::MAX);
        *self.numbers.entry((above, label)).or_insert_with(|| {
            self.stacks.push(FoldedStack { parent: above, label, own_gas: 0 });
            next
        })
    }

    fn get(&self, stack: u32) -> Option<&FoldedStack> {
        self.stacks.get(usize::try_from(stack).ok()?)
    }

    fn add(&mut self, stack: u32, own: u64) {
        let place = usize::try_from(stack).ok().and_then(|place| self.stacks.get_mut(place));
        if let Some(stack) = place {
            stack.own_gas = stack.own_gas.saturating_add(own);
        }
    }

    /// The numbers of the names on a path, the innermost first.
    fn path<'a>(&'a self, stack: &'a FoldedStack) -> impl Iterator<Item = u32> + 'a {
        let above = |stack: &&'a FoldedStack| self.get(stack.parent?);
        std::iter::successors(Some(stack), above).map(|stack| stack.label)
    }
}

impl TraceExport<'_> {
    /// Writes a line for every path of names that used gas.
    pub(super) fn folded(&self, out: &mut dyn Write) -> io::Result<()> {
        let (mut labels, mut stacks) = (InternedNames::default(), StackTable::default());
        let mut open = Vec::new();
        walk_gas(self.names.tree, self.scope, |step| {
            match step {
                GasEvent::Open { number, .. } => {
                    let label = labels.of(&self.names, number);
                    open.push(stacks.of(open.last().copied(), label));
                }
                GasEvent::Close { own, .. } => {
                    if let Some(stack) = open.pop() {
                        stacks.add(stack, own);
                    }
                }
            }
            Ok(())
        })?;
        let names: Vec<String> =
            labels.names().iter().map(|name| escape_frame_name(name)).collect();
        stacks.stacks.iter().filter(|stack| stack.own_gas > 0).try_for_each(|stack| {
            let name = |label| names.get(usize::try_from(label).ok()?).map(String::as_str);
            let mut path: Vec<&str> = stacks.path(stack).filter_map(name).collect();
            path.reverse();
            writeln!(out, "{} {}", path.join(";"), stack.own_gas)
        })
    }
}

/// A name without what separates names and gas.
fn escape_frame_name(name: &str) -> String {
    name.replace(|c: char| c == ';' || c.is_whitespace(), "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_no_separator() {
        assert_eq!(escape_frame_name("My Token;x.f@0x1\u{3000}"), "My_Token_x.f@0x1_");
    }
}

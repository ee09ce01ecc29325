//! Folded stacks: `outer;inner gas` for every path of names, as flame graphs are made of.

use std::collections::HashMap;
use std::io::{self, Write};

use super::Export;
use super::frame_names::Labels;
use super::gas::{Step, walk};

/// A path of names: the path it goes on from, the last name, and the gas that was used there.
struct Stack {
    above: Option<u32>,
    label: u32,
    own: u64,
}

/// Paths of names, each once.
#[derive(Default)]
struct Stacks {
    found: HashMap<(Option<u32>, u32), u32>,
    all: Vec<Stack>,
}

impl Stacks {
    fn of(&mut self, above: Option<u32>, label: u32) -> u32 {
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        *self.found.entry((above, label)).or_insert_with(|| {
            self.all.push(Stack { above, label, own: 0 });
            next
        })
    }

    fn get(&self, stack: u32) -> Option<&Stack> {
        self.all.get(usize::try_from(stack).ok()?)
    }

    fn add(&mut self, stack: u32, own: u64) {
        let place = usize::try_from(stack).ok().and_then(|place| self.all.get_mut(place));
        if let Some(stack) = place {
            stack.own = stack.own.saturating_add(own);
        }
    }

    /// The numbers of the names on a path, the innermost first.
    fn path<'a>(&'a self, stack: &'a Stack) -> impl Iterator<Item = u32> + 'a {
        let above = |stack: &&'a Stack| self.get(stack.above?);
        std::iter::successors(Some(stack), above).map(|stack| stack.label)
    }
}

impl Export<'_> {
    /// Writes a line for every path of names that used gas.
    pub(super) fn folded(&self, out: &mut dyn Write) -> io::Result<()> {
        let (mut labels, mut stacks) = (Labels::default(), Stacks::default());
        let mut open = Vec::new();
        walk(self.names.tree, self.scope, |step| {
            match step {
                Step::Open { number, .. } => {
                    let label = labels.of(&self.names, number);
                    open.push(stacks.of(open.last().copied(), label));
                }
                Step::Close { own, .. } => {
                    if let Some(stack) = open.pop() {
                        stacks.add(stack, own);
                    }
                }
            }
            Ok(())
        })?;
        let names: Vec<String> = labels.names().iter().map(|name| plain(name)).collect();
        stacks.all.iter().filter(|stack| stack.own > 0).try_for_each(|stack| {
            let name = |label| names.get(usize::try_from(label).ok()?).map(String::as_str);
            let mut path: Vec<&str> = stacks.path(stack).filter_map(name).collect();
            path.reverse();
            writeln!(out, "{} {}", path.join(";"), stack.own)
        })
    }
}

/// A name without what separates names and gas.
fn plain(name: &str) -> String {
    name.replace(|c: char| c == ';' || c.is_whitespace(), "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_no_separator() {
        assert_eq!(plain("My Token;x.f@0x1\u{3000}"), "My_Token_x.f@0x1_");
    }
}

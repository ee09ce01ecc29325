//! The internal functions around the end of a run, from the jumps of a source map.
//!
//! A call counts if it leads to a function that is in the source. The body of a modifier is a part of the code
//! of its function: where the run is in one, the function is at the name of the modifier in its header.

use std::rc::Rc;

use super::definitions::{Definition, DefinitionKind, ParsedSource};
use super::source_map::{SourceMap, SourceRange};

/// Maximum frames around a line, of which the innermost are kept.
const MAX_FRAMES: usize = 12;
/// Maximum calls without a return that are looked at, also of generated code. The innermost are kept.
const MAX_OPEN_CALLS: usize = 100;

/// A file's number and a byte in it.
pub(super) type SourcePosition = (u32, usize);

/// Returns the source of a file by its number, if it is as it was compiled.
pub(super) type ReadSource<'a> = &'a dyn Fn(u32) -> Option<Rc<ParsedSource>>;

/// A function that was entered, and the step of its first instruction.
struct EnteredFunction {
    file: u32,
    start: usize,
    entry: usize,
}

/// Returns the places of the functions around the end of a run, the outermost first: none if the jumps do not
/// balance.
pub(super) fn callers(
    map: &SourceMap<'_>,
    steps: &[usize],
    end: SourceRange,
    source_of: ReadSource<'_>,
) -> Vec<SourcePosition> {
    let calls = map.open_calls(steps).unwrap_or_default();
    let innermost = calls.len().saturating_sub(MAX_OPEN_CALLS);
    let mut entered: Option<EnteredFunction> = None;
    let mut places = Vec::new();
    for call in calls.into_iter().skip(innermost) {
        let range = |step: usize| steps.get(step).and_then(|position| map.range(*position));
        let Some(entry) = range(call.entry).filter(|entry| is_definition(*entry, source_of)) else {
            continue;
        };
        if let Some(site) = range(call.site).filter(|site| is_inside(*site, source_of)) {
            places.extend(around(entered.as_ref(), site, (map, steps), source_of));
            places.push((site.file, site.start));
        }
        entered = Some(EnteredFunction { file: entry.file, start: entry.start, entry: call.entry });
    }
    places.extend(around(entered.as_ref(), end, (map, steps), source_of));
    places.drain(..places.len().saturating_sub(MAX_FRAMES));
    places
}

/// Returns the place in a function's header or body from where the run came to a place outside of it: the name
/// of a modifier, or the last step in the function.
fn around(
    function: Option<&EnteredFunction>,
    place: SourceRange,
    (map, steps): (&SourceMap<'_>, &[usize]),
    source_of: ReadSource<'_>,
) -> Option<SourcePosition> {
    let EnteredFunction { file, start, entry } = *function?;
    let source = source_of(file)?;
    let own = source.definition_at(start)?;
    if place.file == file && own.range.contains(&place.start) {
        return None;
    }
    let other_source = source_of(place.file)?;
    let other = other_source.definition_at(place.start)?;
    let named = (other.kind == DefinitionKind::Modifier)
        .then(|| source.find_in_header(own, other_source.name(other)))
        .flatten();
    let last = || {
        let ranges = steps.get(entry..)?.iter().rev().filter_map(|position| map.range(*position));
        let mut inside = ranges.filter(|range| {
            range.file == file && range.start > start && own.range.contains(&range.start)
        });
        inside.next().map(|range| range.start)
    };
    Some((file, named.or_else(last)?))
}

/// Returns `true` for the range of a whole function in the source.
fn is_definition(range: SourceRange, source_of: ReadSource<'_>) -> bool {
    has_definition(range, source_of, |definition| definition.range.start == range.start)
}

/// Returns `true` for a part of a function.
fn is_inside(range: SourceRange, source_of: ReadSource<'_>) -> bool {
    has_definition(range, source_of, |definition| definition.range.start < range.start)
}

fn has_definition(
    range: SourceRange,
    source_of: ReadSource<'_>,
    is_such: impl FnOnce(&Definition) -> bool,
) -> bool {
    let source = source_of(range.file);
    source.is_some_and(|source| source.definition_at(range.start).is_some_and(is_such))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const SOURCE: &str = "contract A {
    modifier once { require(ok); _; }
    function go() public once { step(); }
    function step() internal { revert(); }
}";
    const JUMP: u8 = 0x56;
    const JUMPDEST: u8 = 0x5b;
    const STOP: u8 = 0x00;
    /// Each instruction is one byte. It has a part of the source, or `None` where the compiler made it.
    const CODE: [(u8, Option<&str>, &str); 8] = [
        (JUMP, None, "i"),
        (JUMPDEST, Some("function go() public once { step(); }"), "-"),
        (STOP, Some("require(ok)"), "-"),
        (JUMP, Some("step();"), "i"),
        (JUMPDEST, Some("step();"), "-"),
        (JUMPDEST, Some("function step() internal { revert(); }"), "-"),
        (STOP, Some("revert()"), "-"),
        (JUMP, Some("function step() internal { revert(); }"), "o"),
    ];

    /// Returns the words of the source at the frames around the last of the steps.
    fn frames(steps: &[usize]) -> Vec<String> {
        let code = CODE.map(|(instruction, ..)| instruction);
        let entry = |(_, part, jump): (u8, Option<&str>, &str)| {
            part.map_or_else(
                || format!("-1:-1:-1:{jump}"),
                |part| format!("{}:{}:0:{jump}", SOURCE.find(part).unwrap(), part.len()),
            )
        };
        let map = SourceMap::new(&CODE.map(entry).join(";"), &code, &HashSet::from([0])).unwrap();
        let source = Rc::new(ParsedSource::new(SOURCE.into()));
        let source_of = |_| Some(Rc::clone(&source));
        let end = map.range(*steps.last().unwrap()).unwrap();
        let words = |(_, at): SourcePosition| {
            let word = SOURCE[at..].split(['(', ' ']).next();
            let definition = source.definition_at(at).unwrap();
            format!("{} in {}", word.unwrap(), source.qualified_name(definition))
        };
        callers(&map, steps, end, &source_of).into_iter().map(words).collect()
    }

    #[test]
    fn caller_of_an_internal_function_is_at_its_call() {
        assert_eq!(frames(&[0, 1, 2, 3, 5, 6]), ["step in A.go"]);
    }

    #[test]
    fn caller_of_a_modifier_is_at_its_name() {
        assert_eq!(frames(&[0, 1, 2]), ["once in A.go"]);
    }

    #[test]
    fn function_that_returned_is_left_out() {
        assert_eq!(frames(&[0, 1, 2, 3, 5, 7, 4]), [""; 0]);
    }

    #[test]
    fn jumps_that_do_not_balance_have_no_callers() {
        assert_eq!(frames(&[0, 1, 2, 3, 5, 7, 2]), [""; 0]);
    }
}

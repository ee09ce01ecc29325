//! The internal functions around the end of a run, from the jumps of a source map.
//!
//! A call counts if it leads to a function that is in the source. The body of a modifier is a part of the code
//! of its function: where the run is in one, the function is at the name of the modifier in its header.

use std::rc::Rc;

use super::definitions::{Definition, DefinitionKind, definition_at, definitions};
use super::source_map::{SourceMap, SourceRange};

/// Maximum frames around a line, of which the innermost are kept.
const MAX_FRAMES: usize = 12;
/// Maximum calls without a return that are looked at, also of generated code. The innermost are kept.
const MAX_OPEN_CALLS: usize = 100;

/// A file's number and a byte in it.
pub(super) type SourcePosition = (u32, usize);

/// Returns the text of a file by its number, if it is as it was compiled.
pub(super) type ReadText<'a> = &'a dyn Fn(u32) -> Option<Rc<str>>;

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
    text_of: ReadText<'_>,
) -> Vec<SourcePosition> {
    let calls = map.open_calls(steps).unwrap_or_default();
    let innermost = calls.len().saturating_sub(MAX_OPEN_CALLS);
    let mut entered: Option<EnteredFunction> = None;
    let mut places = Vec::new();
    for call in calls.into_iter().skip(innermost) {
        let range = |step: usize| steps.get(step).and_then(|position| map.range(*position));
        let Some(entry) = range(call.entry).filter(|entry| is_definition(*entry, text_of)) else {
            continue;
        };
        if let Some(site) = range(call.site).filter(|site| is_inside(*site, text_of)) {
            places.extend(around(entered.as_ref(), site, (map, steps), text_of));
            places.push((site.file, site.start));
        }
        entered = Some(EnteredFunction { file: entry.file, start: entry.start, entry: call.entry });
    }
    places.extend(around(entered.as_ref(), end, (map, steps), text_of));
    places.drain(..places.len().saturating_sub(MAX_FRAMES));
    places
}

/// Returns the place in a function's header or body from where the run came to a place outside of it: the name
/// of a modifier, or the last step in the function.
fn around(
    function: Option<&EnteredFunction>,
    place: SourceRange,
    (map, steps): (&SourceMap<'_>, &[usize]),
    text_of: ReadText<'_>,
) -> Option<SourcePosition> {
    let EnteredFunction { file, start, entry } = *function?;
    let text = text_of(file)?;
    let own = definitions(&text);
    let own = definition_at(&own, start)?;
    if place.file == file && own.range.contains(&place.start) {
        return None;
    }
    let other_text = text_of(place.file)?;
    let others = definitions(&other_text);
    let other = definition_at(&others, place.start)?;
    let named = (other.kind == DefinitionKind::Modifier)
        .then(|| own.find_in_header(&text, other.name))
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
fn is_definition(range: SourceRange, text_of: ReadText<'_>) -> bool {
    has_definition(range, text_of, |definition| definition.range.start == range.start)
}

/// Returns `true` for a part of a function.
fn is_inside(range: SourceRange, text_of: ReadText<'_>) -> bool {
    has_definition(range, text_of, |definition| definition.range.start < range.start)
}

fn has_definition(
    range: SourceRange,
    text_of: ReadText<'_>,
    is_such: impl FnOnce(&Definition<'_>) -> bool,
) -> bool {
    let text = text_of(range.file);
    let found = text.as_deref().map(definitions).unwrap_or_default();
    definition_at(&found, range.start).is_some_and(is_such)
}

//! Source maps: which part of which file each instruction of a contract's code is from.
//!
//! The compiler writes `start:length:file:jump:modifiers` for each instruction, separated by
//! semicolons. A field that is empty or missing is as in the entry before.

use std::collections::HashSet;

const PUSH_1: u8 = 0x60;
const PUSH_32: u8 = 0x7f;
const JUMPDEST: u8 = 0x5b;

/// A part of a source, in bytes. The file is the compiler's number of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SourceRange {
    pub(super) start: usize,
    pub(super) length: usize,
    pub(super) file: u32,
}

/// The source of each instruction.
pub(super) struct SourceMap<'a> {
    code: &'a [u8],
    /// The positions of the instructions in the code.
    starts: Vec<usize>,
    /// `None` for instructions that the compiler made itself.
    ranges: Vec<Option<SourceRange>>,
}

impl<'a> SourceMap<'a> {
    /// Reads the map of a code. What is of other files than these is the compiler's own. Returns
    /// `None` if the text is not a source map.
    pub(super) fn new(map: &str, code: &'a [u8], files: &HashSet<u32>) -> Option<Self> {
        let starts = instruction_starts(code);
        let mut fields = [-1; 3];
        let range = |entry: &str| {
            for (field, text) in fields.iter_mut().zip(entry.split(':')) {
                if !text.is_empty() {
                    *field = text.parse::<i64>().ok()?;
                }
            }
            let [start, length, file] = fields;
            let range = || {
                let (start, length) = (start.try_into().ok()?, length.try_into().ok()?);
                Some(SourceRange { start, length, file: file.try_into().ok()? })
            };
            Some(range().filter(|range| files.contains(&range.file)))
        };
        let ranges = map.split(';').take(starts.len()).map(range).collect::<Option<_>>()?;
        Some(Self { code, starts, ranges })
    }

    /// Returns whether an instruction begins at a position of the code.
    pub(super) fn has_instruction(&self, position: usize) -> bool {
        self.starts.binary_search(&position).is_ok()
    }

    fn step(&self, position: usize) -> SourceStep {
        let range = || *self.ranges.get(self.starts.binary_search(&position).ok()?)?;
        SourceStep { range: range(), is_jump_target: self.code.get(position) == Some(&JUMPDEST) }
    }

    /// Returns the source of the last of some steps, which are positions in the code, and whether
    /// that is certain. Of a step that the compiler made itself, or that is from a whole contract, it
    /// is that of the nearest step before.
    pub(super) fn end_of(
        &self,
        steps: &[usize],
        mut is_contract: impl FnMut(SourceRange) -> bool,
    ) -> Option<(SourceRange, bool)> {
        let steps: Vec<SourceStep> = steps.iter().map(|position| self.step(*position)).collect();
        let mut rest = &*steps;
        let mut of_contract = None;
        while let Some((last, before)) = rest.split_last() {
            match last.range {
                Some(range) if is_contract(range) => {
                    of_contract.get_or_insert((range, false));
                    rest = before;
                }
                Some(range) => match before_copy(rest, &mut is_contract) {
                    Some(original) if of_contract.is_none() => rest = original,
                    _ => return Some((range, of_contract.is_none())),
                },
                None => rest = before,
            }
        }
        of_contract
    }
}

/// A step, by the source of its instruction.
#[derive(Clone, Copy)]
struct SourceStep {
    range: Option<SourceRange>,
    is_jump_target: bool,
}

/// Returns the steps before those of the last block, if the optimizer has merged that with a block of
/// other source: code of the compiler returns to the expression that called it, or else to a copy.
fn before_copy(
    steps: &[SourceStep],
    mut is_contract: impl FnMut(SourceRange) -> bool,
) -> Option<&[SourceStep]> {
    let is_landing = |step: &SourceStep| step.is_jump_target && step.range.is_some();
    let (before, block) = steps.split_at(steps.iter().rposition(is_landing)?);
    if before.last()?.range.is_some() {
        return None;
    }
    let caller = before.iter().rposition(|step| step.range.is_some())?;
    let calling = before.get(caller)?.range.filter(|range| !is_contract(*range))?;
    (block.first()?.range != Some(calling)).then(|| before.get(..=caller))?
}

/// Returns the positions of the instructions, which are not those of the data that `PUSH` has.
fn instruction_starts(code: &[u8]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = 0;
    while let Some(op) = code.get(at) {
        starts.push(at);
        at += match op {
            PUSH_1..=PUSH_32 => usize::from(op - PUSH_1) + 2,
            _ => 1,
        };
    }
    starts
}

/// Returns the number of the line that has a byte of a text, counted from 1.
pub(super) fn line_of(text: &str, byte: usize) -> Option<usize> {
    let before = text.as_bytes().get(..byte)?;
    Some(before.split(|byte| *byte == b'\n').count())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Entry = [i64; 3];

    /// Writes a map as the compiler does: what is as before is left out.
    fn compress(entries: &[Entry]) -> String {
        let mut before: Option<Entry> = None;
        let entries = entries.iter().map(|entry| {
            let fields = entry.iter().enumerate().map(|(n, field)| {
                let is_same = before.is_some_and(|before| before[n] == *field);
                if is_same { String::new() } else { field.to_string() }
            });
            let text = fields.collect::<Vec<_>>().join(":");
            before = Some(*entry);
            text.trim_end_matches(':').to_owned()
        });
        entries.collect::<Vec<_>>().join(";")
    }

    fn range([start, length, file]: Entry) -> Option<SourceRange> {
        let is_known = start >= 0 && length >= 0 && (0..3).contains(&file);
        is_known.then(|| SourceRange {
            start: usize::try_from(start).unwrap(),
            length: usize::try_from(length).unwrap(),
            file: u32::try_from(file).unwrap(),
        })
    }

    fn files() -> HashSet<u32> {
        (0..3).collect()
    }

    proptest! {
        #[test]
        fn a_compressed_map_is_read_as_it_was(
            entries in prop::collection::vec([-1..40_i64, -1..9_i64, -1..5_i64], 1..60),
        ) {
            let code = vec![0x5b; entries.len()];
            let map = SourceMap::new(&compress(&entries), &code, &files()).unwrap();
            let expected: Vec<_> = entries.iter().map(|entry| range(*entry)).collect();
            prop_assert_eq!(map.ranges, expected);
        }

        #[test]
        fn any_text_and_code_are_read(map in "[-0-9:;a-z]{0,80}", code: Vec<u8>, at: usize) {
            if let Some(map) = SourceMap::new(&map, &code, &files()) {
                prop_assert!(map.ranges.len() <= code.len());
                map.end_of(&[at, at / 2, 0], |_| false);
            }
        }
    }

    #[test]
    fn numbers_that_no_file_has_are_refused_or_unknown() {
        let read = |map: &str| SourceMap::new(map, &[0x5b; 4], &files()).map(|map| map.ranges);
        let huge = "9".repeat(40);
        for map in [&*huge, "1:2:x", "0:0:0;-:1", &format!("0:{huge}:0")] {
            assert_eq!(read(map), None, "{map}");
        }
        let far = read("9223372036854775807:9223372036854775807:0:i:9;::7;;::-1;5:1:1").unwrap();
        assert_eq!(far[1..], [None; 3]);
        assert_eq!(line_of("a\nb", far[0].unwrap().start), None);
        assert_eq!(read(""), Some(vec![None]));
    }

    #[test]
    fn data_of_instructions_is_none_itself() {
        let code = [0x60, 0x60, 0x7f, 0x5b, 0x5b];
        assert_eq!(instruction_starts(&code), [0, 2]);
        assert_eq!(instruction_starts(&[0x5f, 0x61, 0, 0, 0xfd]), [0, 1, 4]);
        assert_eq!([line_of("a\nb\n", 0), line_of("a\nb\n", 2)], [Some(1), Some(2)]);
    }

    /// Returns where steps end whose source ranges have these starts: none in the compiler's own
    /// code, 0 in that of the contract. Those from 100 on are jumped to.
    fn end(starts: &[i64]) -> Option<(usize, bool)> {
        let entries: Vec<Entry> = starts.iter().map(|start| [start % 100, 1, 0]).collect();
        let code: Vec<u8> = starts.iter().map(|it| if *it >= 100 { JUMPDEST } else { 0 }).collect();
        let map = SourceMap::new(&compress(&entries), &code, &files()).unwrap();
        let steps: Vec<usize> = (0..starts.len()).collect();
        map.end_of(&steps, |range| range.start == 0)
            .map(|(range, is_exact)| (range.start, is_exact))
    }

    #[test]
    fn steps_end_at_the_nearest_source() {
        for (starts, expected) in [
            (&[5, 6][..], Some((6, true))),
            (&[5, -1, -1], Some((5, true))),
            (&[5, 0, -1, 0], Some((5, false))),
            (&[0, -1, 0], Some((0, false))),
            (&[0, -1, 109], Some((9, true))),
            (&[-1], None),
            (&[], None),
            // It returned to a copy of its caller's code, also twice, or to its caller.
            (&[5, -1, 109, 9], Some((5, true))),
            (&[5, -1, 108, -1, 109, -1], Some((5, true))),
            (&[5, -1, 105, 9], Some((9, true))),
            (&[5, -1, 109, 108], Some((8, true))),
            (&[5, -1, 9], Some((9, true))),
            (&[-1, 109], Some((9, true))),
        ] {
            assert_eq!(end(starts), expected, "{starts:?}");
        }
    }
}

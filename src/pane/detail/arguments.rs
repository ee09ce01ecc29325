//! Decoded arguments as entries of a document.

use crate::abi::{AbiValue, Argument, ValueFormat, ValueLine};
use crate::chain::amount::group_whole_integer;
use crate::sanitize::SafeText;
use crate::ui::document::DocumentEntry;

pub(in crate::pane) fn argument_entry(line: &ValueLine<'_>, format: ValueFormat) -> DocumentEntry {
    let label = match (line.label.is_empty(), line.type_name.is_empty()) {
        (true, _) => line.type_name.to_string(),
        (_, true) => line.label.to_string(),
        _ => format!("{} {}", line.type_name, line.label),
    };
    let level = u8::try_from(line.depth + 1).unwrap_or(u8::MAX);
    let full = line.value.format_full(format);
    let shown = match line.value {
        // A nested call is decoded, unless another format requires its bytes.
        AbiValue::Call(..) if format == ValueFormat::Natural => line.value.summary(),
        AbiValue::Uint(_) | AbiValue::Int(_) if format == ValueFormat::Natural => {
            SafeText::new(&group_whole_integer(&full))
        }
        value => value.format(format),
    };
    let entry = DocumentEntry::text(&label, shown.clone()).at_level(level);
    // Long values are cut on the screen only.
    if full == shown { entry } else { entry.copy(full) }
}

/// Lines of arguments that are shown.
pub(in crate::pane) const MAX_ARGUMENT_LINES: usize = 2_000;

/// Returns the lines of arguments, with links for the addresses among them.
pub(in crate::pane) fn argument_entries(arguments: &[Argument]) -> Vec<DocumentEntry> {
    let lines = ValueLine::of_arguments(arguments, MAX_ARGUMENT_LINES);
    lines
        .iter()
        .map(|line| match line.value {
            AbiValue::Address(address) => {
                argument_entry(line, ValueFormat::Natural).link_address(*address)
            }
            _ => argument_entry(line, ValueFormat::Natural),
        })
        .collect()
}

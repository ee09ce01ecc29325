//! The source files of contracts.

use crate::api::Field;
use crate::api::contract::{Contract, SourceCode, SourceFile};
use crate::chain::amount::Grouped;
use crate::messages::Count;
use crate::messages::contract::ContractNote;
use crate::pane::detail::field_entries::missing_entry;
use crate::sanitize::SafeText;
use crate::ui::document::{CodeLine, DocumentEntry, EntryLink, EntryValue};
use crate::ui::theme::Role;

/// Maximum lines of shown sources: every fold lays all of them out again.
const MAX_SOURCE_LINES: usize = 20_000;

/// Returns the files of a contract.
pub(super) fn sources(contract: &Contract) -> impl Iterator<Item = SourceFile> {
    let (file_path, source_code) = (contract.file_path.clone(), contract.source_code.clone());
    let more = contract.additional_sources.value().into_iter().flatten();
    [SourceFile { file_path, source_code }].into_iter().chain(more.cloned())
}

/// Returns the lines of all files that are shown.
pub(super) fn lines(sources: &[SourceFile]) -> Vec<&str> {
    let codes = sources.iter().filter_map(|file| file.source_code.value());
    let lines = codes.flat_map(|SourceCode(lines)| lines.iter().map(|line| &**line));
    lines.take(MAX_SOURCE_LINES).collect()
}

/// Returns the number of a file's line among the lines of all files.
pub(super) fn line_of_all(sources: &[SourceFile], path: &SafeText, line: u64) -> Option<usize> {
    let mut before = 0;
    for SourceFile { file_path, source_code } in sources {
        let Some(SourceCode(lines)) = source_code.value() else { continue };
        if file_path.value() == Some(path) {
            let line = usize::try_from(line).ok()?.checked_sub(1)?;
            return Some(before + line).filter(|all| line < lines.len() && *all < MAX_SOURCE_LINES);
        }
        before += lines.len();
    }
    None
}

/// Returns the files with their lines.
pub(super) fn files(sources: &[SourceFile], is_open: bool) -> Vec<DocumentEntry> {
    let mut left = MAX_SOURCE_LINES;
    sources
        .iter()
        .flat_map(|SourceFile { file_path, source_code }| match source_code {
            Field::Present(SourceCode(lines)) => {
                let shown = file_lines(lines, left);
                left -= lines.len().min(left);
                [vec![heading(file_path, lines).fold(is_open)], shown].concat()
            }
            source => unreadable(file_path, source).into_iter().collect(),
        })
        .collect()
}

/// Returns the files, each with a link to its first line next to the document.
pub(super) fn file_links(sources: &[SourceFile]) -> Vec<DocumentEntry> {
    let mut before = 0;
    sources
        .iter()
        .filter_map(|SourceFile { file_path, source_code }| match source_code {
            Field::Present(SourceCode(lines)) => {
                let link = EntryLink::CodeLine(before);
                before += lines.len();
                Some(heading(file_path, lines).link(link).role(Role::Link))
            }
            source => unreadable(file_path, source),
        })
        .collect()
}

fn heading(path: &Field<SafeText>, lines: &[SafeText]) -> DocumentEntry {
    let path = path.value().map_or("source", |path| &**path);
    DocumentEntry::text("file", path).side_note(&format!("· {}", Count(lines.len(), "line")))
}

fn unreadable(path: &Field<SafeText>, source: &Field<SourceCode>) -> Option<DocumentEntry> {
    let path = path.value().map_or("source", |path| &**path);
    missing_entry(path, source).filter(|_| matches!(source, Field::Invalid(_)))
}

fn file_lines(lines: &[SafeText], max: usize) -> Vec<DocumentEntry> {
    let mut entries: Vec<_> = CodeLine::of_file(lines)
        .take(max)
        .map(|line| DocumentEntry::new("", EntryValue::Code(line)).at_level(1))
        .collect();
    if lines.len() > max {
        let more = ContractNote::MoreLines { lines: Grouped(lines.len() - max) };
        let more = DocumentEntry::text("", more.to_string());
        entries.push(more.role(Role::Warning).at_level(1));
    }
    entries
}

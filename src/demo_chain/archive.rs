//! The archive with the tables of the demo chain.

use std::cmp::Reverse;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use serde::de::DeserializeOwned;
use zip::{ZipArchive, read::ZipFile};

use crate::store::Table;

/// The tables of the chain; `assets/demo/README.md` describes them.
static CHAIN_ZIP: &[u8] = include_bytes!("../../assets/demo/chain.zip");

/// The table whose members are read one by one.
const TRACES: &str = "raw_traces";

/// Bytes from which a member takes milliseconds to be read.
const LARGE_MEMBER_BYTES: u64 = 500_000;

/// The bundled archive, which is decompressed for each read.
#[derive(Clone, Debug)]
pub(super) struct DemoArchive {
    zip: ZipArchive<Cursor<&'static [u8]>>,
    /// Held while a large member is read, for counts that can wait: the first rows, which are in small ones, have a
    /// processor meanwhile.
    large_read: Arc<Mutex<()>>,
}

impl DemoArchive {
    /// Opens the archive, reading only its directory.
    pub(super) fn open() -> anyhow::Result<Self> {
        let zip = ZipArchive::new(Cursor::new(CHAIN_ZIP))?;
        Ok(Self { zip, large_read: Arc::default() })
    }

    /// Waits until no other large member is read, before a large one.
    fn wait_to_read(&self, bytes: u64) -> Option<MutexGuard<'_, ()>> {
        (bytes >= LARGE_MEMBER_BYTES).then(|| self.large_read.lock())
    }

    /// Calls `visit` with each line of a JSON Lines member, holding one line in memory at a time.
    pub(super) fn read_lines<T: DeserializeOwned>(
        &self,
        member: &str,
        mut visit: impl FnMut(T),
    ) -> anyhow::Result<()> {
        let mut archive = self.zip.clone();
        let member = open_member(&mut archive, member)?;
        let _turn = self.wait_to_read(member.size());
        let mut lines = BufReader::new(member);
        // As text, whose strings need no validation one by one.
        let mut line = String::new();
        while lines.read_line(&mut line)? > 0 {
            visit(serde_json::from_str(&line)?);
            line.clear();
        }
        Ok(())
    }

    /// Returns a table with the rows of a member.
    pub(super) fn table<T: DeserializeOwned + 'static>(&self, member: String) -> Table<Vec<T>> {
        let archive = self.clone();
        Table::new(move || archive.rows(&member))
    }

    /// Returns a table with the rows of a member, the greatest key first.
    pub(super) fn sorted_table<T: DeserializeOwned + 'static, K: Ord + 'static>(
        &self,
        member: String,
        key: fn(&T) -> K,
    ) -> Table<Vec<T>> {
        let archive = self.clone();
        Table::new(move || {
            let mut rows = archive.rows(&member)?;
            rows.sort_unstable_by_key(|row| Reverse(key(row)));
            Ok(rows)
        })
    }

    /// Returns the rows of a member.
    pub(super) fn rows<T: DeserializeOwned>(&self, member: &str) -> anyhow::Result<Vec<T>> {
        let mut rows = Vec::new();
        self.read_lines(member, |row| rows.push(row))?;
        rows.shrink_to_fit();
        Ok(rows)
    }

    /// Returns the first blocks of a table's members, in ascending order.
    pub(super) fn first_blocks(&self, table: &str) -> Vec<u64> {
        let mut first: Vec<_> =
            self.zip.file_names().filter_map(|member| first_block(table, member)).collect();
        first.sort_unstable();
        first
    }

    /// Returns the member with the traces of a block: the last one that begins with it or before it.
    pub(super) fn trace_member(&self, block: u64) -> Option<String> {
        let first = self.first_blocks(TRACES).into_iter().take_while(|first| *first <= block);
        first.last().map(|first| block_member(TRACES, first))
    }

    pub(super) fn read_value<T: DeserializeOwned>(&self, member: &str) -> anyhow::Result<T> {
        let mut archive = self.zip.clone();
        let mut text = Vec::new();
        open_member(&mut archive, member)?.read_to_end(&mut text)?;
        Ok(serde_json::from_slice(&text)?)
    }
}

/// Returns the member with the rows of a table from a block on.
pub(super) fn block_member(table: &str, first_block: u64) -> String {
    format!("{table}/{first_block:04}.jsonl")
}

/// Returns the number in the name of a member of a table.
fn first_block(table: &str, member: &str) -> Option<u64> {
    member.strip_prefix(table)?.strip_prefix('/')?.strip_suffix(".jsonl")?.parse().ok()
}

fn open_member<'a>(
    archive: &'a mut ZipArchive<Cursor<&'static [u8]>>,
    member: &str,
) -> anyhow::Result<ZipFile<'a, Cursor<&'static [u8]>>> {
    Ok(archive.by_name(member)?)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn small_members_are_read_while_a_large_one_is() {
        let archive = DemoArchive::open().unwrap();
        let newest = archive.first_blocks("transactions").pop().unwrap();
        let turn = archive.wait_to_read(LARGE_MEMBER_BYTES).unwrap();
        assert!(archive.clone().large_read.is_locked(), "by all that share the archive");
        for table in ["blocks", "internal_transactions", "token_transfers", "transactions"] {
            archive.read_lines(&block_member(table, newest), |_: Value| ()).unwrap();
        }
        drop(turn);
        archive.read_lines(&block_member("logs", 0), |_: Value| ()).unwrap();
        assert!(!archive.large_read.is_locked());
    }
}

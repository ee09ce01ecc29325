//! The archive with the tables of the demo chain.

use std::cmp::Reverse;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::thread;

use serde::de::DeserializeOwned;
use zip::{ZipArchive, read::ZipFile};

use crate::store::Table;

/// The tables of the chain; `assets/demo/README.md` describes them.
static CHAIN_ZIP: &[u8] = include_bytes!("../../assets/demo/chain.zip");

/// The bundled archive, which is decompressed for each read.
#[derive(Clone, Debug)]
pub(super) struct DemoArchive(ZipArchive<Cursor<&'static [u8]>>);

impl DemoArchive {
    /// Opens the archive, reading only its directory.
    pub(super) fn open() -> anyhow::Result<Self> {
        Ok(Self(ZipArchive::new(Cursor::new(CHAIN_ZIP))?))
    }

    /// Calls `visit` with each line of a JSON Lines member, holding one line in memory at a time.
    pub(super) fn read_lines<T: DeserializeOwned>(
        &self,
        member: &str,
        mut visit: impl FnMut(T),
    ) -> anyhow::Result<()> {
        let mut archive = self.0.clone();
        let mut lines = BufReader::new(open_member(&mut archive, member)?);
        // As text, whose strings need no validation one by one.
        let mut line = String::new();
        while lines.read_line(&mut line)? > 0 {
            visit(serde_json::from_str(&line)?);
            line.clear();
        }
        Ok(())
    }

    /// Returns a table with the rows of a member.
    pub(super) fn table<T: DeserializeOwned + Send + 'static>(
        &self,
        member: &'static str,
    ) -> Table<Vec<T>> {
        let archive = self.clone();
        Table::new(move || archive.rows(member))
    }

    /// Returns a table with the rows of a member, the greatest key first.
    pub(super) fn sorted_table<T: DeserializeOwned + Send + 'static, K: Ord + 'static>(
        &self,
        member: &'static str,
        key: fn(&T) -> K,
    ) -> Table<Vec<T>> {
        let archive = self.clone();
        Table::new(move || {
            let mut rows = archive.rows(member)?;
            rows.sort_unstable_by_key(|row| Reverse(key(row)));
            Ok(rows)
        })
    }

    /// Returns the rows of a member. Half of them are parsed on another thread, since the first page waits
    /// for all.
    fn rows<T: DeserializeOwned + Send>(&self, member: &str) -> anyhow::Result<Vec<T>> {
        let mut archive = self.0.clone();
        let mut text = String::new();
        open_member(&mut archive, member)?.read_to_string(&mut text)?;
        let middle = text.len() / 2;
        let lines = text.as_bytes().iter().skip(middle).position(|byte| *byte == b'\n');
        let (start, end) = text.split_at(lines.map_or(text.len(), |rest| middle + rest));
        thread::scope(|scope| {
            let parsing = thread::Builder::new().spawn_scoped(scope, || parse_lines(end));
            let mut rows = parse_lines(start)?;
            let parsed = parsing.ok().and_then(|parsing| parsing.join().ok());
            rows.append(&mut parsed.unwrap_or_else(|| parse_lines(end))?);
            rows.shrink_to_fit();
            Ok(rows)
        })
    }

    pub(super) fn read_value<T: DeserializeOwned>(&self, member: &str) -> anyhow::Result<T> {
        let mut archive = self.0.clone();
        let mut text = Vec::new();
        open_member(&mut archive, member)?.read_to_end(&mut text)?;
        Ok(serde_json::from_slice(&text)?)
    }
}

/// Parses JSON Lines.
fn parse_lines<T: DeserializeOwned>(text: &str) -> anyhow::Result<Vec<T>> {
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn open_member<'a>(
    archive: &'a mut ZipArchive<Cursor<&'static [u8]>>,
    member: &str,
) -> anyhow::Result<ZipFile<'a, Cursor<&'static [u8]>>> {
    Ok(archive.by_name(member)?)
}

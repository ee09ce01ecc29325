//! Rules rows out of a search by their JSON, without formatting cells.

use std::collections::HashSet;

use alloy_primitives::hex;
use memchr::memmem::{self, Finder};

use crate::api::ListSubject;
use crate::chain::{Address, TxHash};
use crate::columns::RowContext;
use crate::columns::table::any_row::RowKind;
use crate::columns::table::column::{ColumnHead, ColumnKind};

/// Text of cells that is not in the JSON, the signs aside.
const FIXED_WORDS: [&str; 19] = [
    "burn", "calls", "failed", "indexed", "inner", "metadata", "mint", "no", "not", "ok", "out",
    "pending", "reason", "self", "send", "spawn", "transfer", "units", "yet",
];
/// Shorter numbers can be part of a date in another time zone, or of an age.
const MIN_NUMBER_DIGITS: usize = 5;
/// The letters of ages and dates.
const TIME_LETTERS: [char; 8] = ['d', 'h', 'm', 's', 't', 'w', 'y', 'z'];

/// Necessary conditions for a row to match. It may admit rows that do not.
#[derive(Debug)]
pub struct RowPrefilter {
    /// A part of the text that the JSON has in the same form, in lower case.
    part: Finder<'static>,
    /// The addresses that the user has given a matching name.
    labelled: HashSet<Address>,
    /// The transactions whose rows have functions from their traces.
    traced: Vec<TxHash>,
}

impl RowPrefilter {
    pub fn new(text: &str, kind: &RowKind, cx: &RowContext<'_>) -> Option<Self> {
        let searched = || kind.columns.iter().filter(|column| column.is_searched_in(cx.subject));
        let has_own_text = searched().any(ColumnHead::has_own_text);
        if !text.is_ascii() || has_own_text || cx.subject == ListSubject::Pool {
            return None;
        }
        let part = Finder::new(&part_in_json(text)?).into_owned();
        let has_functions = searched().any(|column| column.kind == ColumnKind::TracedFunction);
        Some(Self {
            part,
            labelled: cx.name_cache.labels().containing(text).copied().collect(),
            traced: if has_functions { cx.name_cache.traced_transactions() } else { Vec::new() },
        })
    }

    pub fn admits(&self, row_text: &[u8]) -> bool {
        self.part.find(row_text).is_some()
            || (!self.labelled.is_empty()
                && addresses_in(row_text).any(|address| self.labelled.contains(&address)))
            || self
                .traced
                .iter()
                .any(|hash| memmem::find(row_text, hex::encode(hash).as_bytes()).is_some())
    }
}

/// Returns the addresses in the text of a row.
fn addresses_in(row_text: &[u8]) -> impl Iterator<Item = Address> {
    memmem::find_iter(row_text, "0x").filter_map(|at| {
        let mut address = Address::ZERO;
        hex::decode_to_slice(row_text.get(at + 2..at + 42)?, &mut *address.0).ok()?;
        Some(address)
    })
}

/// Returns the longest part of a text that JSON would have in the same form: amounts are divided and
/// grouped on the screen, and times are ages or dates in another time zone.
fn part_in_json(text: &str) -> Option<String> {
    let is_amount = text.bytes().all(|c| c.is_ascii_digit() || matches!(c, b',' | b'.'));
    let part = if is_amount {
        text.replace([',', '.'], "").trim_start_matches('0').to_owned()
    } else {
        let parts = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let part = parts.max_by_key(|part| part.len()).unwrap_or_default();
        part.strip_prefix("0x").unwrap_or(part).to_owned()
    };
    let number = part.replace(TIME_LETTERS, "");
    let may_be_time =
        number.len() < MIN_NUMBER_DIGITS && number.bytes().all(|c| c.is_ascii_digit());
    let is_fixed = FIXED_WORDS.iter().any(|word| word.contains(&part));
    (!may_be_time && !is_fixed).then_some(part)
}

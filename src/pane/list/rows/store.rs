//! The rows of a list in memory. The last ones loaded are parsed; the others are packed in chunks, each
//! the compressed JSON of some rows and their texts for searches. A row that is needed is parsed again.

use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Write};
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::Range;
use std::sync::Arc;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use lru::LruCache;

use super::matcher::RowMatcher;
use super::text::{RowText, ShownFields, value_position};
use crate::api::page::ItemPage;
use crate::chain::U256;
use crate::columns::RowContext;
use crate::columns::table::any_row::{AnyItem, RowKind, SentRow, row_id};
use crate::columns::table::column::ColumnHead;
use crate::time_slice::TimeSlice;

/// Rows at the end of a list that stay parsed.
const MAX_PARSED_ROWS: usize = 2_000;
/// Bounds of a chunk: one of its rows is read in about 0.1 ms.
const MAX_CHUNK_ROWS: usize = 64;
const MAX_CHUNK_BYTES: usize = 128 << 10;
/// Rows with more JSON stay parsed: packing one would take longer than a frame.
const MAX_PACKED_ROW_BYTES: usize = 512 << 10;
/// Packed rows that are kept parsed after they were read.
const MAX_READ_ROWS: usize = 1_024;
/// Memory of a row besides its content: in the list, and among the identities of all rows.
const LISTED_ROW_BYTES: usize = size_of::<ListedRow>() + 2 * size_of::<RowKey>();

/// Identity of a row in its list: a keyed hash of its id. In a list of a million rows, two share one with
/// a probability of one in thirty million.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RowKey(NonZeroU64);

/// A loaded row.
#[derive(Debug, Clone)]
pub struct ListedRow {
    key: Option<RowKey>,
    content: RowContent,
}

#[derive(Debug, Clone)]
enum RowContent {
    Parsed(Arc<dyn AnyItem>),
    Packed { chunk: Arc<RowChunk>, index: u32 },
}

impl ListedRow {
    pub fn new(item: Arc<dyn AnyItem>, hasher: &RandomState) -> Self {
        let id = row_id(&*item);
        let key =
            id.map(|id| RowKey(NonZeroU64::new(hasher.hash_one(id)).unwrap_or(NonZeroU64::MIN)));
        Self { key, content: RowContent::Parsed(item) }
    }

    pub fn key(&self) -> Option<RowKey> {
        self.key
    }

    pub fn parsed(&self) -> Option<&Arc<dyn AnyItem>> {
        match &self.content {
            RowContent::Parsed(item) => Some(item),
            RowContent::Packed { .. } => None,
        }
    }

    /// Returns the amount of its bar, or the largest of its chunk.
    pub fn bar_amount(&self) -> Option<U256> {
        match &self.content {
            RowContent::Parsed(item) => item.row().ok()?.bar_amount(),
            RowContent::Packed { chunk, .. } => chunk.largest_bar,
        }
    }

    /// Returns the size of its JSON if it can be packed.
    fn packable_bytes(&self) -> Option<usize> {
        let bytes = self.parsed()?.raw().get().len();
        (bytes <= MAX_PACKED_ROW_BYTES).then_some(bytes)
    }
}

/// Some rows in little memory.
#[derive(Debug)]
struct RowChunk {
    /// The JSON of the rows, compressed.
    json: Box<[u8]>,
    /// The texts of the rows.
    texts: Arc<[u8]>,
    /// The ends of each row in the JSON, and in the texts.
    ends: Box<[RowEnds]>,
    /// The largest amount of their bars.
    largest_bar: Option<U256>,
}

#[derive(Debug, Clone, Copy, Default)]
struct RowEnds {
    json: u32,
    values: u32,
    text: u32,
}

impl RowChunk {
    fn pack(rows: &[ListedRow], shown: &ShownFields) -> Option<Self> {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::new(3));
        let (mut json, mut texts, mut ends) = (0, Vec::new(), Vec::new());
        for item in rows.iter().filter_map(ListedRow::parsed) {
            let raw = item.raw().get();
            packed.write_all(raw.as_bytes()).ok()?;
            json += raw.len();
            let values = texts.len() + shown.append_text(&**item, &mut texts);
            let [json, values, text] = [json, values, texts.len()].map(u32::try_from);
            ends.push(RowEnds { json: json.ok()?, values: values.ok()?, text: text.ok()? });
        }
        let json = packed.finish().ok()?.into();
        let largest_bar = rows.iter().filter_map(ListedRow::bar_amount).max();
        Some(Self { json, texts: texts.into(), ends: ends.into(), largest_bar })
    }

    /// Returns the ends of the row before, and of a row.
    fn ends(&self, index: u32) -> [RowEnds; 2] {
        let index = to_index(index);
        let before = index.checked_sub(1).and_then(|before| self.ends.get(before));
        [before, self.ends.get(index)].map(|ends| ends.copied().unwrap_or_default())
    }

    fn text(&self, index: u32) -> RowText<'_> {
        let [before, ends] = self.ends(index);
        let [start, values, end] = [before.text, ends.values, ends.text].map(to_index);
        RowText::new(self.texts.get(start..end).unwrap_or_default(), values.saturating_sub(start))
    }

    fn json_range(&self, index: u32) -> Range<usize> {
        let [before, ends] = self.ends(index);
        to_index(before.json)..to_index(ends.json)
    }

    fn unpack(&self) -> Vec<u8> {
        let len = self.ends.last().map_or(0, |ends| to_index(ends.json));
        let mut json = Vec::with_capacity(len);
        // Written by `pack`, so it cannot fail.
        let _ = DeflateDecoder::new(&*self.json).read_to_end(&mut json);
        json
    }

    fn bytes_per_row(&self) -> usize {
        let bytes = self.json.len() + self.texts.len() + size_of_val(&*self.ends);
        bytes / self.ends.len().max(1)
    }
}

fn to_index(end: u32) -> usize {
    usize::try_from(end).unwrap_or(usize::MAX)
}

/// Packs rows that follow the last packed ones, and counts the memory of all.
#[derive(Debug)]
pub struct RowPacker {
    hasher: RandomState,
    kind: &'static RowKind,
    /// Known once a row is packed.
    shown: Option<ShownFields>,
    /// `true` if all rows are borrowed, as those with pictures are.
    pub stay_parsed: bool,
    /// The number of rows at the start that were packed, or are too large for it.
    done: usize,
    packed_rows: usize,
    packed_bytes: usize,
    /// Number of rows that were parsed so far.
    parsed_rows: usize,
    /// Their memory.
    parsed_bytes: usize,
}

impl RowPacker {
    pub fn new(kind: &'static RowKind) -> Self {
        Self {
            hasher: RandomState::new(),
            kind,
            shown: None,
            stay_parsed: kind.has_cards,
            done: 0,
            packed_rows: 0,
            packed_bytes: 0,
            parsed_rows: 0,
            parsed_bytes: 0,
        }
    }

    /// Returns a page of rows that are parsed.
    pub fn wrap_page(&mut self, page: ItemPage<Arc<dyn AnyItem>>) -> ItemPage<ListedRow> {
        self.parsed_rows += page.items.len();
        self.parsed_bytes += page.bytes;
        page.map(|item| ListedRow::new(item, &self.hasher))
    }

    /// Returns a row that takes the place of another.
    pub fn wrap(&self, item: Arc<dyn AnyItem>) -> ListedRow {
        ListedRow::new(item, &self.hasher)
    }

    /// Takes note that all rows were dropped.
    pub fn reset(&mut self) {
        (self.done, self.packed_rows, self.packed_bytes) = (0, 0, 0);
        (self.parsed_rows, self.parsed_bytes) = (0, 0);
    }

    /// Takes note that rows were put before the others or dropped.
    pub fn recount(&mut self, rows: &[ListedRow]) {
        let packed = rows.iter().filter_map(|row| match &row.content {
            RowContent::Packed { chunk, .. } => Some(chunk.bytes_per_row()),
            RowContent::Parsed(_) => None,
        });
        (self.packed_rows, self.packed_bytes) =
            packed.fold((0, 0), |(rows, bytes), row_bytes| (rows + 1, bytes + row_bytes));
        self.done = 0;
    }

    pub fn held_bytes(&self, rows: &[ListedRow]) -> usize {
        let bytes_per_row = self.parsed_bytes / self.parsed_rows.max(1);
        let held_parsed = rows.len().saturating_sub(self.packed_rows) * bytes_per_row;
        self.packed_bytes + held_parsed + rows.len() * LISTED_ROW_BYTES
    }

    pub fn is_done(&self, rows: &[ListedRow]) -> bool {
        self.stay_parsed || rows.len() < self.done + MAX_CHUNK_ROWS + MAX_PARSED_ROWS
    }

    /// Packs rows while there is time.
    pub fn resume(&mut self, rows: &mut [ListedRow], slice: &TimeSlice) {
        while !self.is_done(rows) && !slice.is_over() {
            self.pack_chunk(rows);
        }
    }

    fn pack_chunk(&mut self, rows: &mut [ListedRow]) {
        let end = rows.len().saturating_sub(MAX_PARSED_ROWS);
        let next = rows.get_mut(self.done..end).unwrap_or_default();
        let large = next.iter().take_while(|row| row.packable_bytes().is_none()).count();
        self.done += large;
        let (mut bytes, mut len) = (0, 0);
        let candidates = next.iter().skip(large).take(MAX_CHUNK_ROWS);
        for row_bytes in candidates.map_while(ListedRow::packable_bytes) {
            bytes += row_bytes;
            len += 1;
            if bytes >= MAX_CHUNK_BYTES {
                break;
            }
        }
        let run = next.get_mut(large..large + len).unwrap_or_default();
        let shown = self.shown.get_or_insert_with(|| ShownFields::new(self.kind));
        let Some(chunk) = RowChunk::pack(run, shown).map(Arc::new) else { return };
        self.done += len;
        self.packed_rows += len;
        self.packed_bytes += chunk.bytes_per_row() * len;
        for (index, row) in (0..).zip(run) {
            row.content = RowContent::Packed { chunk: chunk.clone(), index };
        }
    }
}

/// A row that was parsed again, with its chunk.
type ReadRow = (Arc<RowChunk>, Arc<dyn AnyItem>);

/// Reads rows, and keeps some of those that it had to parse again.
#[derive(Debug)]
pub struct RowReader {
    kind: &'static RowKind,
    /// The chunk that was read last, and its JSON.
    unpacked: Option<(Arc<RowChunk>, Vec<u8>)>,
    /// By the address of the chunk, which is kept with it, and the index of the row.
    recent: LruCache<(usize, u32), ReadRow>,
}

impl RowReader {
    pub fn new(kind: &'static RowKind) -> Self {
        let mut recent = LruCache::unbounded();
        recent.resize(NonZeroUsize::new(MAX_READ_ROWS).unwrap_or(NonZeroUsize::MIN));
        Self { kind, unpacked: None, recent }
    }

    pub fn columns(&self) -> &'static [ColumnHead] {
        self.kind.columns
    }

    /// Returns the whole value of a column in lower case, if that can be read without the row.
    pub fn value<'a>(&self, row: &'a ListedRow, column: usize) -> Option<&'a str> {
        let RowContent::Packed { chunk, index } = &row.content else { return None };
        chunk.text(*index).value(value_position(self.kind.columns, column)?)
    }

    /// Returns a row, which may be needed again soon.
    pub fn read(&mut self, row: &ListedRow) -> Option<Arc<dyn AnyItem>> {
        let (chunk, index) = match &row.content {
            RowContent::Parsed(item) => return Some(item.clone()),
            RowContent::Packed { chunk, index } => (chunk, index),
        };
        let place = (Arc::as_ptr(chunk).addr(), *index);
        if let Some((_, item)) = self.recent.get(&place) {
            return Some(item.clone());
        }
        let parse = self.kind.parse;
        let item = parse(serde_json::from_str(self.json(row)?).ok()?);
        self.recent.put(place, (chunk.clone(), item.clone()));
        Some(item)
    }

    /// Passes one of many rows in their order to `visit`. If fields are named, the others may be missing
    /// from the row.
    pub fn scan<T>(
        &mut self,
        row: &ListedRow,
        fields: Option<&[&str]>,
        visit: impl FnOnce(SentRow<'_>) -> T,
    ) -> Option<T> {
        if let RowContent::Parsed(item) = &row.content {
            return Some(visit((&**item).into()));
        }
        let visit_row = self.kind.visit;
        let json = self.json(row)?;
        let (mut visit, mut result) = (Some(visit), None);
        if fields.is_some() {
            visit_row(json, fields, &mut |sent| {
                result = visit.take_if(|_| sent.row.is_ok()).map(|visit| visit(sent));
            });
        }
        if visit.is_some() {
            visit_row(json, None, &mut |sent| result = visit.take().map(|visit| visit(sent)));
        }
        result
    }

    /// Returns the JSON of one of many rows in their order.
    pub fn json<'a>(&'a mut self, row: &'a ListedRow) -> Option<&'a str> {
        let (chunk, index) = match &row.content {
            RowContent::Parsed(item) => return Some(item.raw().get()),
            RowContent::Packed { chunk, index } => (chunk, *index),
        };
        let is_unpacked = self.unpacked.as_ref().is_some_and(|(last, _)| Arc::ptr_eq(last, chunk));
        if !is_unpacked {
            self.unpacked = Some((chunk.clone(), chunk.unpack()));
        }
        let (_, json) = self.unpacked.as_ref()?;
        std::str::from_utf8(json.get(chunk.json_range(index))?).ok()
    }

    /// Returns `true` if a row matches in the column in which the last one did.
    fn matches_again(
        &mut self,
        row: &ListedRow,
        matcher: &RowMatcher,
        cx: &RowContext<'_>,
    ) -> bool {
        matcher.last_hit().is_some_and(|hit| {
            let is_there = |sent: SentRow<'_>| matcher.matches_again(sent, cx);
            self.scan(row, hit.fields.as_deref(), is_there).unwrap_or(false)
        })
    }

    fn matches_by_cells(
        &mut self,
        row: &ListedRow,
        text: RowText<'_>,
        matcher: &mut RowMatcher,
        cx: &RowContext<'_>,
    ) -> bool {
        let hit = self.scan(row, matcher.fields(), |sent| matcher.hit(text, sent, cx)).flatten();
        matcher.remember(hit);
        hit.is_some()
    }

    /// Returns `true` if a row matches. Its text rules most of them out.
    pub fn matches(
        &mut self,
        row: &ListedRow,
        matcher: &mut RowMatcher,
        cx: &RowContext<'_>,
    ) -> bool {
        match &row.content {
            RowContent::Parsed(item) => matcher.matches(&**item, cx),
            RowContent::Packed { chunk, index } => {
                let text = chunk.text(*index);
                matcher.admits_packed(text, &chunk.texts)
                    && (matcher.has_in_values(text)
                        || self.matches_again(row, matcher, cx)
                        || self.matches_by_cells(row, text, matcher, cx))
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::api::transactions::Transaction;
    use crate::api::{AddressQuery, Query};
    use crate::chain::Address;
    use crate::columns::ListRow;

    const SELECTOR: &str = "0xa9059cbb";

    /// Returns a page of transactions with some texts replaced, and the JSON of each.
    pub fn page(
        from: usize,
        rows: usize,
        changes: &[[&str; 2]],
    ) -> (ItemPage<Arc<dyn AnyItem>>, Vec<String>) {
        let sample = include_str!("../../../../tests/data/golden/transactions_alice.json");
        let start = sample.find("{\"hash\"").unwrap();
        let end = start + sample[start..].find(",{\"hash\"").unwrap();
        let (hash, rest) = sample[start..end].split_at(75);
        assert!(hash.starts_with("{\"hash\":\"0x"));
        let rest =
            changes.iter().fold(rest.to_owned(), |rest, [text, other]| rest.replace(text, other));
        let row = |n| format!("{{\"hash\":\"0x{n:064x}{rest}");
        let rows: Vec<String> = (from..from + rows).map(row).collect();
        let body = format!("{{\"items\":[{}],\"next_page_params\":null}}", rows.join(","));
        let query = Query::Address(Address::ZERO, AddressQuery::Transactions { direction: None });
        let reply = query.decode(body.as_bytes(), None).unwrap();
        ((Transaction::KIND.page)(&reply).unwrap(), rows)
    }

    fn pack_all(packer: &mut RowPacker, rows: &mut [ListedRow]) {
        while !packer.is_done(rows) {
            packer.resume(rows, &TimeSlice::begin());
        }
    }

    #[test]
    fn packed_rows_are_read_as_they_were() {
        let (mut packer, mut rows, mut sent) =
            (RowPacker::new(Transaction::KIND), Vec::new(), Vec::new());
        for from in (0..3_000).step_by(500) {
            let (page, json) = page(from, 500, &[]);
            rows.extend(packer.wrap_page(page).items);
            sent.extend(json);
        }
        let parsed_bytes = packer.held_bytes(&rows);
        pack_all(&mut packer, &mut rows);
        let count = rows.iter().filter(|row| row.parsed().is_none()).count();
        assert!((936..=1_000).contains(&count), "{count}: the last ones stay parsed");
        let saved_bytes = parsed_bytes - packer.held_bytes(&rows);
        assert!(parsed_bytes / rows.len() - saved_bytes / count < 1_000, "{saved_bytes}");
        let mut reader = RowReader::new(Transaction::KIND);
        for (row, json) in rows.iter().zip(&sent).rev() {
            let item = reader.read(row).unwrap();
            assert_eq!(item.raw().get(), json);
            assert_eq!(ListedRow::new(item.clone(), &packer.hasher).key(), row.key());
            let scanned = reader.scan(row, None, |sent| sent.json.to_owned());
            assert_eq!(scanned.as_ref(), Some(json));
        }
        let RowContent::Packed { chunk, index } = &rows[70].content else { panic!("not packed") };
        let mut text = Vec::new();
        let values = ShownFields::new(Transaction::KIND)
            .append_text(&*reader.read(&rows[70]).unwrap(), &mut text);
        assert_eq!(chunk.text(*index).all, text);
        assert_eq!(chunk.text(*index).values, &text[..values]);
        assert!(values > 0);
        let item = reader.read(&rows[70]).unwrap();
        for column in
            (0..reader.columns().len()).filter(|n| value_position(reader.columns(), *n).is_some())
        {
            let value = item.row().unwrap().full_value(column).to_lowercase();
            assert_eq!(reader.value(&rows[70], column), Some(&*value));
        }
        let before = packer.held_bytes(&rows);
        packer.recount(&rows);
        assert_eq!(packer.held_bytes(&rows), before);
        rows.drain(..count);
        packer.recount(&rows);
        assert!(packer.held_bytes(&rows) < before && packer.is_done(&rows));
    }

    #[test]
    fn packed_rows_match_as_parsed_ones_do() {
        let (mut packer, mut rows) = (RowPacker::new(Transaction::KIND), Vec::new());
        // `Error("slippage")`.
        let error = format!("08c379a0{:064x}{:064x}736c697070616765{:048x}", 32, 8, 0);
        let reason = format!("\"revert_reason\":{{\"raw\":\"0x{error}\"}}");
        let failed =
            [["\"status\":\"ok\"", "\"status\":\"error\""], ["\"revert_reason\":null", &*reason]];
        rows.extend(packer.wrap_page(page(0, 90, &[]).0).items);
        rows.extend(packer.wrap_page(page(90, 10, &failed).0).items);
        for from in (100..2_200).step_by(100) {
            rows.extend(packer.wrap_page(page(from, 100, &[]).0).items);
        }
        let parsed = rows.clone();
        pack_all(&mut packer, &mut rows);
        let mut reader = RowReader::new(Transaction::KIND);
        let cx = RowContext::blank();
        let hash = format!("{:064x}", 95);
        let words = [(&*hash, 1), ("slippage", 10), ("transfer", 2_200), ("nowhere", 0)];
        for (word, count) in words {
            let mut matcher = RowMatcher::new(Transaction::KIND, word, &cx).unwrap().unwrap();
            let mut find = |rows: &[ListedRow]| -> Vec<bool> {
                rows.iter().map(|row| reader.matches(row, &mut matcher, &cx)).collect()
            };
            let found = find(&rows);
            assert_eq!(found, find(&parsed), "{word}");
            assert_eq!(found.into_iter().filter(|is_match| *is_match).count(), count, "{word}");
        }
    }

    #[test]
    fn rows_are_looked_at_first_where_the_last_one_matched() {
        let (mut packer, mut rows) = (RowPacker::new(Transaction::KIND), Vec::new());
        let by_name = ["\"name\":\"Clone Coin 31\"", "\"name\":\"Blue vault\""];
        let by_method = ["\"method\":\"transfer\"", "\"method\":\"vaultTransfer\""];
        for (from, changes) in [(0, &[by_name][..]), (100, &[by_method][..]), (200, &[][..])] {
            rows.extend(packer.wrap_page(page(from, 100, changes).0).items);
        }
        for from in (300..2_500).step_by(100) {
            rows.extend(packer.wrap_page(page(from, 100, &[]).0).items);
        }
        pack_all(&mut packer, &mut rows);
        let (mut reader, cx) = (RowReader::new(Transaction::KIND), RowContext::blank());
        let mut matcher = RowMatcher::new(Transaction::KIND, "vault", &cx).unwrap().unwrap();
        let found: Vec<bool> =
            rows.iter().take(300).map(|row| reader.matches(row, &mut matcher, &cx)).collect();
        assert!(found.iter().enumerate().all(|(n, found)| *found == (n < 200)), "{found:?}");
        let mut again = |n: usize, matcher: &RowMatcher| {
            assert!(rows[n].parsed().is_none());
            reader.matches_again(&rows[n], matcher, &cx)
        };
        assert!(!again(150, &matcher), "a whole value is found before any cell");
        assert!(again(50, &matcher) && !again(250, &matcher));
        let hit = matcher.last_hit().and_then(|hit| hit.fields.as_deref()).unwrap();
        assert!(hit.contains(&"to") && !hit.contains(&"method"), "{hit:?}");
    }

    #[test]
    fn large_rows_stay_parsed_and_others_are_packed_around_them() {
        let (mut packer, mut rows) = (RowPacker::new(Transaction::KIND), Vec::new());
        let calldata = format!("0x{}", "ab".repeat(300_000));
        for (from, calldata) in [(0, "0x"), (10, &*calldata), (20, "0x")] {
            rows.extend(packer.wrap_page(page(from, 10, &[[SELECTOR, calldata]]).0).items);
        }
        for from in (30..2_200).step_by(500) {
            rows.extend(packer.wrap_page(page(from, 500, &[[SELECTOR, "0x"]]).0).items);
        }
        pack_all(&mut packer, &mut rows);
        let parsed: Vec<usize> = (0..100).filter(|n| rows[*n].parsed().is_some()).collect();
        assert_eq!(parsed, (10..20).collect::<Vec<_>>());
    }
}

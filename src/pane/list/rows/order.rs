//! The order of sorted rows.

use std::cmp::Ordering;

use super::cell_number::CellNumber;
use super::matcher::{cell_number, cell_text};
use super::merge_sort::MergeSort;
use crate::chain::decimal::sortable_digits;
use crate::columns::RowContext;
use crate::columns::table::any_row::AnyRow;
use crate::columns::table::column::{ColumnHead, ColumnKind, column_fields};
use crate::time_slice::{TimeSlice, free_in_background};
use crate::ui::table::Align;

/// The values by which rows are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortValue {
    Column(usize),
    /// A column by which the list is sorted until the user sorts it.
    UsualColumn(usize),
    /// A picture, which some rows have: the order of a gallery.
    Picture,
    /// The place of the row in the usual order of its list.
    Place,
}

/// Rows are sorted by a value; those without one come last either way.
#[derive(Debug)]
pub struct RowOrder {
    by: SortValue,
    pub descending: bool,
    /// The keys of the shown rows so far, in the order of the server.
    keys: SortKeys,
    sort: MergeSort,
}

/// The values of rows in a column. They are in one string: a million strings take much memory, and are
/// freed more slowly than a frame is drawn.
#[derive(Debug, Default)]
struct SortKeys {
    /// The values as texts in the same order. One that is missing is empty.
    texts: String,
    /// The end of each text.
    ends: Vec<usize>,
}

impl SortKeys {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn push(&mut self, key: &str) {
        self.texts.push_str(key);
        self.ends.push(self.texts.len());
    }

    fn get(&self, number: usize) -> &str {
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before));
        let range = start.copied().unwrap_or_default()..self.ends.get(number).copied().unwrap_or(0);
        self.texts.get(range).unwrap_or_default()
    }

    fn compare(&self, descending: bool, one: usize, other: usize) -> Ordering {
        key_order(descending, self.get(one), self.get(other))
    }
}

/// Compares the keys of two rows. Those without a value, which are empty, come last either way.
pub fn key_order(descending: bool, one: &str, other: &str) -> Ordering {
    let ordering = if descending { other.cmp(one) } else { one.cmp(other) };
    one.is_empty().cmp(&other.is_empty()).then(ordering)
}

/// Returns a value as a text in the same order as the values.
pub fn sort_key(row: &dyn AnyRow, by: SortValue, cx: &RowContext<'_>) -> Option<String> {
    let number = match by {
        SortValue::Column(number) | SortValue::UsualColumn(number) => number,
        SortValue::Picture => return row.card()?.picture.map(|_| "picture".into()),
        SortValue::Place => return row.usual_place(cx),
    };
    let column = row.kind().columns.get(number)?;
    let text = match column.kind {
        ColumnKind::Bar => return Some(sortable_digits(&row.bar_amount()?.to_string())),
        _ if column.is_sorted_by_value => return value_key(column, &row.full_value(number)),
        _ if column.align != Align::Left => {
            return cell_number(row, number, cx).map(CellNumber::sort_key);
        }
        _ => cell_text(row, number, cx).to_lowercase(),
    };
    Some(text).filter(|text| text != "—")
}

/// Returns the key of a whole value, for columns that are sorted by it.
pub fn value_key(column: &ColumnHead, value: &str) -> Option<String> {
    if column.kind == ColumnKind::Time {
        return Some(value.to_ascii_lowercase());
    }
    let is_number = !value.is_empty() && value.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| sortable_digits(value))
}

impl RowOrder {
    pub fn new(column: usize, descending: bool) -> Self {
        Self::by(SortValue::Column(column), descending)
    }

    /// Returns the order of a list until the user sorts it.
    pub fn usual(column: usize, descending: bool) -> Self {
        Self::by(SortValue::UsualColumn(column), descending)
    }

    /// Returns the order of a gallery. Cards with pictures are in the order of the explorer, and so are
    /// the others.
    pub fn pictures_first() -> Self {
        Self::by(SortValue::Picture, false)
    }

    /// Returns the usual order of a list whose rows know their places, from the first or from the last.
    pub fn places(descending: bool) -> Self {
        Self::by(SortValue::Place, descending)
    }

    fn by(by: SortValue, descending: bool) -> Self {
        Self { by, descending, keys: SortKeys::default(), sort: MergeSort::default() }
    }

    pub fn is_pictures_first(&self) -> bool {
        self.by == SortValue::Picture
    }

    /// Returns `true` if the user sorts so.
    pub fn is_chosen(&self) -> bool {
        matches!(self.by, SortValue::Column(_))
    }

    pub fn value(&self) -> SortValue {
        self.by
    }

    /// Returns the sorted column, if its whole values are in the order of its cells.
    pub fn value_column(&self, columns: &'static [ColumnHead]) -> Option<&'static ColumnHead> {
        columns.get(self.column()?).filter(|column| column.is_sorted_by_value)
    }

    /// Returns the fields that the sorted column shows, or `None` if it shows others too.
    pub fn fields(&self, columns: &[ColumnHead]) -> Option<Vec<&'static str>> {
        column_fields(columns, &[self.column()?])
    }

    /// Returns the column that rows are sorted by.
    pub fn column(&self) -> Option<usize> {
        match self.by {
            SortValue::Column(column) | SortValue::UsualColumn(column) => Some(column),
            SortValue::Picture | SortValue::Place => None,
        }
    }

    /// Returns the order after another press on a column: largest, newest or first letter first, then
    /// reversed, then the explorer's.
    pub fn next(now: Option<Self>, column: usize, head: &ColumnHead) -> Option<Self> {
        let is_text = head.align == Align::Left && head.kind != ColumnKind::Bar;
        let (descending, keys) = match now {
            Some(order) if order.column() != Some(column) => {
                free_in_background(order);
                (!is_text, SortKeys::default())
            }
            Some(order) if order.descending == is_text => {
                free_in_background(order);
                return None;
            }
            Some(order) => (is_text, order.keys),
            None => (!is_text, SortKeys::default()),
        };
        let sort = MergeSort::of(keys.len());
        Some(Self { by: SortValue::Column(column), descending, keys, sort })
    }

    pub fn clear(&mut self) {
        let empty = Self::by(self.by, self.descending);
        free_in_background(std::mem::replace(self, empty));
    }

    /// Returns the row at a position, if that is sorted, by its number among the shown rows in the order of
    /// the server.
    pub fn row(&self, position: usize) -> Option<usize> {
        self.sort.get(position)
    }

    /// Returns the rows that are sorted, by such numbers.
    pub fn rows(&self) -> Vec<usize> {
        (0..self.sort.sorted_len()).filter_map(|position| self.sort.get(position)).collect()
    }

    /// Returns the position of the row with such a number, if that is sorted.
    pub fn position(&self, row: usize) -> Option<usize> {
        self.sort.position(row)
    }

    /// Returns the number of shown rows whose keys are known.
    pub fn taken(&self) -> usize {
        self.keys.len()
    }

    /// Returns `true` if all of `len` shown rows are sorted.
    pub fn is_done(&self, len: usize) -> bool {
        self.keys.len() >= len && self.sort.is_done()
    }

    /// Sorts the next of `len` shown rows by their keys while there is time. Returns `true` if rows have
    /// moved.
    pub fn resume(
        &mut self,
        len: usize,
        slice: &mut TimeSlice,
        mut read_key: impl FnMut(usize) -> Option<String>,
    ) -> bool {
        let before = self.sort.sorted_len();
        loop {
            while self.keys.len() < len && self.sort.can_wait() && slice.has_time() {
                let key = read_key(self.keys.len());
                self.keys.push(&key.unwrap_or_default());
                self.sort.push();
            }
            let (keys, descending) = (&self.keys, self.descending);
            let compare = |one, other| keys.compare(descending, one, other);
            if keys.len() >= len {
                self.sort.insert_last(&compare);
            }
            if self.is_done(len) || slice.is_over() {
                break;
            }
            self.sort.step(&compare);
        }
        self.sort.sorted_len() != before
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::{RawValue, to_raw_value};

    use super::*;
    use crate::api::endpoints::block::Block;
    use crate::api::internal_transactions::InternalTransaction;
    use crate::api::transactions::Transaction;
    use crate::columns::ListRow;
    use crate::columns::table::any_row::RowKind;

    /// Compares the orders of whole values and of cells. Returns the number of comparisons.
    fn compare_keys(kind: &'static RowKind, body: &str) -> usize {
        let cx = RowContext { now: "2040-01-01T00:00:00Z".parse().unwrap(), ..RowContext::blank() };
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        let items = body["items"].as_array().unwrap();
        let rows: Vec<Box<RawValue>> =
            items.iter().map(|item| to_raw_value(item).unwrap()).collect();
        let (mut compared, columns) = (0, (0..).zip(kind.columns));
        for (number, head) in columns.filter(|(_, column)| column.is_sorted_by_value) {
            let mut keys = Vec::new();
            for item in &rows {
                (kind.visit)(item.get(), None, &mut |sent| {
                    let row = sent.row.unwrap();
                    let key = sort_key(row, SortValue::Column(number), &cx);
                    keys.push((
                        cell_number(row, number, &cx),
                        key,
                        row.full_value(number).into_owned(),
                    ));
                });
            }
            for (one, key, value) in &keys {
                for (other, other_key, other_value) in &keys {
                    let ordering = match head.kind {
                        ColumnKind::Time => Some(value.cmp(other_value)),
                        _ => one.zip(*other).and_then(|(one, other)| one.partial_cmp(&other)),
                    };
                    let Some(ordering) = ordering else { continue };
                    assert_eq!(key.cmp(other_key), ordering, "{}: {value}", head.title);
                    compared += 1;
                }
            }
        }
        compared
    }

    #[test]
    fn whole_values_are_in_the_order_of_the_cells() {
        let golden = [
            (
                Transaction::KIND,
                include_str!("../../../../tests/data/golden/chain_transactions.json"),
            ),
            (
                InternalTransaction::KIND,
                include_str!("../../../../tests/data/golden/internal_factory.json"),
            ),
            (Block::KIND, include_str!("../../../../tests/data/golden/blocks.json")),
        ];
        for (kind, body) in golden {
            let compared = compare_keys(kind, body);
            assert!(compared >= 300, "{compared} of {}", kind.plural);
        }
    }

    #[test]
    fn value_of_a_delegated_call_is_sorted_last() {
        let columns = InternalTransaction::KIND.columns;
        let values = columns.iter().position(|column| column.title == "value").unwrap();
        let key = |kind: &str| {
            let call = serde_json::json!({ "type": kind, "value": "2000000000000000000" });
            let mut key = None;
            (InternalTransaction::KIND.visit)(
                to_raw_value(&call).unwrap().get(),
                None,
                &mut |sent| {
                    key = sort_key(
                        sent.row.unwrap(),
                        SortValue::Column(values),
                        &RowContext::blank(),
                    );
                },
            );
            key
        };
        assert!(key("call").is_some());
        assert_eq!(key("delegatecall"), None);
    }

    #[test]
    fn bars_are_sorted_by_their_amounts() {
        let columns = Block::KIND.columns;
        let bars = columns.iter().position(|column| column.kind == ColumnKind::Bar).unwrap();
        let key = |gas: serde_json::Value| {
            let block = to_raw_value(&serde_json::json!({ "gas_used": gas })).unwrap();
            let mut key = None;
            (Block::KIND.visit)(block.get(), None, &mut |sent| {
                key = sort_key(sent.row.unwrap(), SortValue::Column(bars), &RowContext::blank());
            });
            key
        };
        assert!(key("9".into()) < key("10".into()));
        assert_eq!(key(serde_json::Value::Null), None);
        let order = RowOrder::next(None, bars, &columns[bars]).unwrap();
        assert!(order.descending, "the longest first");
    }

    #[test]
    fn rows_without_a_value_come_last_either_way() {
        let mut keys = SortKeys::default();
        for text in ["b", "", "aé", "a"] {
            keys.push(text);
        }
        let sorted = |descending| {
            let mut rows = [0, 1, 2, 3];
            rows.sort_by(|one, other| keys.compare(descending, *one, *other));
            rows
        };
        assert_eq!((sorted(false), sorted(true)), ([3, 2, 0, 1], [0, 2, 3, 1]));
    }
}

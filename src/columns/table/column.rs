//! A column: its title, width and cells, and the source of its values.

use std::borrow::Cow;
use std::sync::Arc;

use crate::api::{Item, ListSubject};
use crate::chain::Address;
use crate::chain::amount::Unit;
use crate::columns::RowContext;
use crate::columns::cells::AS_SENT;
use crate::messages::column::{self, ValueOrigin};
use crate::route::Route;
use crate::sanitize::SafeText;
use crate::ui::format::fits;
use crate::ui::format_options::{TIME_WIDTHS, TimeFormat};
use crate::ui::table::{Align, TableCell};
use crate::ui::theme::Role;

/// Returns the route of a cell, seen from the viewed address.
pub type RouteFn<T> = fn(&Arc<Item<T>>, &T, Option<Address>) -> Option<Route>;

/// Describes the processing of a value before it is shown: `divided by 10^6`.
pub type ProvenanceFn<T> = fn(&T, &RowContext<'_>) -> SafeText;

/// Width at which whole values are measured, searched and described. Longer ones are cut.
pub const FULL_CELL_WIDTH: u16 = 200;

/// Range of a column's widths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WidthRange {
    /// Minimum width to which text is cut.
    pub min: u16,
    /// Maximum width. The column is not on the screen if it is 0.
    pub max: u16,
    /// See [`ColumnSize::rank`](crate::ui::table::ColumnSize::rank).
    pub rank: u8,
}

pub const fn text_width(min: u16, max: u16, rank: u8) -> WidthRange {
    WidthRange { min, max, rank }
}

/// Returns the width of a column that is left out rather than cut.
pub const fn number_width(rank: u8) -> WidthRange {
    WidthRange { min: u16::MAX, max: FULL_CELL_WIDTH, rank }
}

/// The lists that have a column on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnUse {
    Always,
    /// In the lists of an address, whose rows have one other party.
    OfAddress,
    /// In all other lists.
    OfChain,
    /// Only where rows are written in full.
    InFull,
    /// In full, and where the coin is worth something: fees of a development node are of no interest.
    ExceptOnDevelopmentNodes,
    /// In lists of a block, and on development nodes in all.
    OfBlocksAndNodes,
    /// In CSV only, where searches do not look.
    InCsv,
    /// In the lists of these subjects.
    In(&'static [ListSubject]),
}

impl ColumnUse {
    pub const EXCEPT_TRANSACTION: Self =
        Self::In(&[ListSubject::Other, ListSubject::Block, ListSubject::Token]);
    /// In the lists whose rows are of several blocks.
    pub const EXCEPT_BLOCK: Self = Self::In(&[ListSubject::Other, ListSubject::Token]);
    pub const EXCEPT_TOKEN: Self =
        Self::In(&[ListSubject::Other, ListSubject::Transaction, ListSubject::Block]);

    /// Returns `true` if the lists of a subject may have the column.
    pub fn includes(self, subject: ListSubject) -> bool {
        match self {
            Self::In(subjects) => subjects.contains(&subject),
            Self::Always
            | Self::OfAddress
            | Self::OfChain
            | Self::InFull
            | Self::InCsv
            | Self::ExceptOnDevelopmentNodes
            | Self::OfBlocksAndNodes => true,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Other,
    /// Addresses, which are abbreviated where they do not fit.
    Address,
    /// Hashes, which are abbreviated too.
    Hash,
    /// Blocks, which have a page other than the row's.
    Block,
    /// Amounts of the chain's coin, in the unit of the user's choice; in wei in CSV.
    Coin,
    /// Times, in the format of the user's choice.
    Time,
    /// Bars, which take the space that the other columns leave.
    Bar,
    /// Functions of calls, from the traces that are known.
    TracedFunction,
    /// Outcomes of transactions or calls: a mark on the screen, a word in CSV.
    Outcome,
}

/// One column. Start from [`Column::TEXT`] or one of the other constants for the usual fields.
pub struct Column<T: 'static> {
    pub title: &'static str,
    /// Name in CSV, or `None` if it only repeats other columns.
    pub csv_name: Option<&'static str>,
    /// Paths of the value in the item's JSON, with older names after `|`.
    pub json_paths: &'static [&'static str],
    /// Describes the processing of the value for the screen.
    pub provenance: ProvenanceFn<T>,
    pub kind: ColumnKind,
    /// `true` if cells have text that is neither in the JSON nor one of a few words.
    pub is_computed: bool,
    /// The fields beyond the paths on which cell and whole value depend, in groups, so that long lists are
    /// sorted without the rest of each row. `None` if they may be any.
    pub other_fields: Option<&'static [&'static [&'static str]]>,
    /// `true` if whole values, times or whole numbers, are in the order of the cells.
    pub is_sorted_by_value: bool,
    /// `true` if a cell is blank below an equal one.
    pub is_grouped: bool,
    /// Text of most cells. A column of nothing else is left out as an empty one.
    pub usual_value: Option<&'static str>,
    pub width: WidthRange,
    pub usage: ColumnUse,
    pub align: Align,
    /// Writes the cell for the screen in a number of columns.
    pub cell: fn(&T, &RowContext<'_>, usize) -> TableCell,
    /// Returns the whole value for CSV and copying, or an empty text.
    pub full_value: fn(&T) -> Cow<'_, str>,
    /// Returns the value for CSV if that is not the whole value, or depends on more than the row.
    pub csv_value: Option<fn(&T, &RowContext<'_>) -> String>,
    /// Name of the whole value in messages, or `None` if it is the title.
    pub value_name: Option<&'static str>,
    pub route: RouteFn<T>,
}

impl<T> Column<T> {
    /// Left-aligned text that is shown as received and has no route.
    pub const TEXT: Self = Self {
        title: "",
        csv_name: None,
        json_paths: &[],
        provenance: |_, _| AS_SENT.into(),
        kind: ColumnKind::Other,
        is_computed: false,
        other_fields: None,
        is_sorted_by_value: false,
        is_grouped: false,
        usual_value: None,
        width: WidthRange { min: 0, max: 0, rank: u8::MAX },
        usage: ColumnUse::Always,
        align: Align::Left,
        cell: |_, _, _| TableCell::new("", Role::Plain),
        full_value: |_| Cow::Borrowed(""),
        csv_value: None,
        value_name: None,
        route: |_, _, _| None,
    };

    pub const NUMBER: Self = Self { align: Align::Right, ..Self::TEXT };

    pub const AMOUNT: Self = Self { align: Align::Point, ..Self::TEXT };

    /// A time in the format of the user's choice.
    pub const TIME: Self =
        Self { kind: ColumnKind::Time, provenance: time_provenance, ..Self::NUMBER };

    pub const COIN: Self =
        Self { kind: ColumnKind::Coin, provenance: coin_provenance, ..Self::AMOUNT };

    pub(in crate::columns) const fn head(&self) -> ColumnHead {
        ColumnHead {
            title: self.title,
            csv_name: self.csv_name,
            json_paths: self.json_paths,
            kind: self.kind,
            is_computed: self.is_computed,
            other_fields: self.other_fields,
            is_sorted_by_value: self.is_sorted_by_value,
            is_grouped: self.is_grouped,
            usual_value: self.usual_value,
            width: self.width,
            usage: self.usage,
            align: self.align,
            value_name: self.value_name,
        }
    }
}

/// A column of a field, which has the same name in the row and in CSV: `count: gas_used`, or with a cell of its own,
/// `AMOUNT: value`. Without a width it is in CSV only.
macro_rules! field {
    (count: $field:ident) => {
        Column {
            other_fields: Some(&[]),
            is_sorted_by_value: true,
            cell: |row, _, _| $crate::columns::cells::count_cell(&row.$field),
            ..field!(NUMBER: $field)
        }
    };
    (number: $field:ident) => {
        Column {
            other_fields: Some(&[]),
            is_sorted_by_value: true,
            cell: |row, _, _| $crate::columns::cells::number_cell(&row.$field),
            ..field!(NUMBER: $field)
        }
    };
    (coin: $field:ident) => {
        Column {
            other_fields: Some(&[]),
            is_sorted_by_value: true,
            cell: |row, cx, _| $crate::columns::cells::coin_cell(&row.$field, cx),
            ..field!(COIN: $field)
        }
    };
    (text: $field:ident) => {
        Column {
            other_fields: Some(&[]),
            cell: |row, _, _| $crate::columns::cells::text_cell(&row.$field),
            ..field!(TEXT: $field)
        }
    };
    (address: $field:ident) => {
        Column {
            other_fields: Some(&[]),
            csv_name: Some(stringify!($field)),
            json_paths: &[
                concat!(stringify!($field), ".hash"),
                concat!(stringify!($field), ".name"),
                concat!(stringify!($field), ".ens_domain_name"),
            ],
            kind: $crate::columns::table::column::ColumnKind::Address,
            cell: |row, cx, width| $crate::columns::cells::address_cell(&row.$field, cx, width),
            full_value: |row| {
                $crate::columns::cells::csv_value_with(&row.$field, |a| a.hash.to_string())
            },
            route: |_, row, _| $crate::columns::cells::address_route(&row.$field),
            ..Column::TEXT
        }
    };
    (time: $field:ident) => {
        Column {
            other_fields: Some(&[]),
            is_sorted_by_value: true,
            cell: |row, cx, width| $crate::columns::cells::time_cell(&row.$field, cx, width),
            ..field!(TIME: $field)
        }
    };
    (block: $field:ident) => {
        Column {
            other_fields: Some(&[]),
            is_sorted_by_value: true,
            kind: $crate::columns::table::column::ColumnKind::Block,
            cell: |row, _, _| $crate::columns::cells::block_cell(&row.$field),
            route: |_, row, _| $crate::columns::cells::block_route(&row.$field),
            ..field!(NUMBER: $field)
        }
    };
    (hash: $field:ident) => {
        Column {
            other_fields: Some(&[]),
            kind: $crate::columns::table::column::ColumnKind::Hash,
            cell: |row, _, width| $crate::columns::cells::hash_cell(&row.$field, width),
            ..field!(TEXT: $field)
        }
    };
    (transaction: $field:ident) => {
        Column {
            route: |_, row, _| $crate::columns::cells::transaction_route(&row.$field),
            ..field!(hash: $field)
        }
    };
    ($base:ident: $field:ident) => {
        Column {
            csv_name: Some(stringify!($field)),
            json_paths: const { &[$crate::api::json_fields::json_names::<Self>(stringify!($field))] },
            full_value: |row| $crate::columns::cells::csv_value(&row.$field),
            ..Column::$base
        }
    };
}
pub(in crate::columns) use field;

/// A [`Column`] without its row type.
#[derive(Debug, Clone, Copy)]
pub struct ColumnHead {
    pub title: &'static str,
    pub csv_name: Option<&'static str>,
    pub json_paths: &'static [&'static str],
    pub kind: ColumnKind,
    pub is_computed: bool,
    pub other_fields: Option<&'static [&'static [&'static str]]>,
    pub is_sorted_by_value: bool,
    pub is_grouped: bool,
    pub usual_value: Option<&'static str>,
    pub width: WidthRange,
    pub usage: ColumnUse,
    pub align: Align,
    pub value_name: Option<&'static str>,
}

impl ColumnHead {
    /// Returns `true` if cells have text that is neither in the JSON nor in a known trace, nor one of a few words.
    pub fn has_own_text(&self) -> bool {
        self.is_computed && self.kind != ColumnKind::TracedFunction
    }

    /// Returns the title, with the unit of amounts if that fits into `width` columns, unless all amounts have
    /// their own. Times have their zone for a title, and signs, where they are words, their name in CSV.
    pub fn header(&self, cx: &RowContext<'_>, width: usize, has_units: bool) -> Cow<'static, str> {
        let [time, _] = TIME_WIDTHS;
        match self.kind {
            ColumnKind::Time if width >= usize::from(time) => {
                cx.format.time_format.column_title().into()
            }
            ColumnKind::Coin if has_units && cx.format.unit == Unit::Coin => self.title.into(),
            ColumnKind::Coin if cx.format.unit != Unit::Coin || cx.network.symbol.is_some() => {
                let with_unit = format!("{} {}", self.title, cx.format.unit.name(cx.network));
                if fits(&with_unit, width) { with_unit.into() } else { self.title.into() }
            }
            _ if self.title.is_empty() && cx.is_in_full() => {
                self.csv_name.unwrap_or_default().into()
            }
            _ => self.title.into(),
        }
    }

    /// Returns `true` if a search of this list looks into the column: of those for pending transactions,
    /// for balances of the past, and for the parts of one transaction, only in their lists.
    pub fn is_searched_in(&self, subject: ListSubject) -> bool {
        use ListSubject::{Past, Pool, Transaction};
        match self.usage {
            ColumnUse::In([own @ (Pool | Past | Transaction)]) => subject == *own,
            ColumnUse::InCsv => false,
            _ => true,
        }
    }

    pub(in crate::columns) fn is_shown(&self, cx: &RowContext<'_>) -> bool {
        self.width.max > 0
            && match self.usage {
                ColumnUse::OfAddress => cx.has_counterparties(),
                ColumnUse::OfChain => !cx.has_counterparties(),
                ColumnUse::InFull => cx.is_in_full(),
                ColumnUse::ExceptOnDevelopmentNodes => {
                    cx.is_in_full() || !cx.network.is_development()
                }
                ColumnUse::OfBlocksAndNodes => {
                    cx.subject == ListSubject::Block || cx.network.is_development()
                }
                usage => usage.includes(cx.subject),
            }
    }
}

/// The field without which a row cannot be read.
const ROW_FIELD: &str = "hash";

/// Returns the names of the fields on which columns depend, or `None` if they may be any.
pub fn column_fields(columns: &[ColumnHead], shown: &[usize]) -> Option<Vec<&'static str>> {
    let mut fields = vec![ROW_FIELD];
    for number in shown {
        let column = columns.get(*number)?;
        let roots = column.json_paths.iter().filter_map(|path| path.split('.').next());
        fields.extend(roots.flat_map(|names| names.split('|')));
        fields.extend(column.other_fields?.iter().copied().flatten());
    }
    Some(fields)
}

fn time_provenance<T>(_: &T, cx: &RowContext<'_>) -> SafeText {
    match cx.format.time_format {
        TimeFormat::Age => cx.ages().describe().into(),
        TimeFormat::Local => column::LOCAL_TIME.into(),
        TimeFormat::Utc => column::TO_THE_SECOND.into(),
    }
}

fn coin_provenance<T>(_: &T, cx: &RowContext<'_>) -> SafeText {
    let unit = cx.format.unit;
    let name = unit.name(cx.network);
    let origin = match (unit, unit.decimals(cx.network.decimals)) {
        (Unit::Coin, decimals) => ValueOrigin::Coin { decimals },
        (_, 0) => ValueOrigin::AsSent { unit: name },
        (_, decimals) => ValueOrigin::CoinUnit { decimals, unit: name },
    };
    SafeText::new(&origin.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::optimism::OptimismBatch;
    use crate::chain::hash_abbreviation::Abbreviator;
    use crate::chain::network::Network;
    use crate::columns::ListRow;

    #[test]
    fn paths_of_a_field_are_its_names_in_the_api() {
        let columns = OptimismBatch::COLUMNS.iter().map(|column| (column.title, column.json_paths));
        for (title, names) in [
            ("batch", "number|internal_id"),
            ("age", "l1_timestamp"),
            ("container", "batch_data_container"),
        ] {
            assert!(columns.clone().any(|column| column == (title, &[names])), "{title}");
        }
    }

    #[test]
    fn times_have_the_title_of_their_form_if_one_fits() {
        let [least, _] = TIME_WIDTHS.map(usize::from);
        let times = Column { title: "at", ..Column::<()>::TIME }.head();
        let title = |width| times.header(&RowContext::blank(), width, false);
        assert_eq!([least, least - 1].map(title), [TimeFormat::Age.column_title(), "at"]);
    }

    #[test]
    fn use_of_a_column_decides_where_it_is() {
        let head =
            |usage| Column { width: text_width(1, 1, 0), usage, ..Column::<()>::TEXT }.head();
        let searched = [ColumnUse::Always, ColumnUse::InCsv]
            .map(|usage| head(usage).is_searched_in(ListSubject::Other));
        assert_eq!(searched, [true, false]);
        let short = Abbreviator::default();
        let shown = [None, Some(Address::ZERO)].map(|viewed| {
            let cx = RowContext { viewed, abbreviator: Some(&short), ..RowContext::blank() };
            [ColumnUse::OfChain, ColumnUse::OfAddress].map(|usage| head(usage).is_shown(&cx))
        });
        assert_eq!(shown, [[true, false], [false, true]]);
    }

    #[test]
    fn title_of_amounts_has_the_coin_if_it_is_known_and_fits() {
        let unnamed = Network { symbol: None, ..Network::demo() };
        let amounts = Column { title: "value", ..Column::<()>::COIN }.head();
        let title = |network, width, has_units| {
            amounts.header(&RowContext { network, ..RowContext::blank() }, width, has_units)
        };
        let demo = &Network::demo();
        assert_eq!([9, 8].map(|width| title(demo, width, false)), ["value ETH", "value"]);
        assert_eq!(title(demo, 9, true), "value", "each amount has its unit");
        assert_eq!(title(&unnamed, 20, false), "value");
    }
}

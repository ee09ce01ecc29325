//! The columns of internal transactions.

use super::cells::called_method::KnownCall;
use super::cells::{
    address_field_line, coin_amount, coin_cell, csv_value, field_cell, inherited_cell,
    inherited_text, outcome_cell, outcome_mark, outcome_word,
};
use super::common::{self, ChainEvent, chain_event};
use super::table::any_row::RowId;
use super::table::column::{Column, ColumnKind, ColumnUse, field, number_width, text_width};
use super::{CopyValue, ListRow, PartRoute, Row, RowContext, RowPreview};
use crate::action::Action;
use crate::api::address::AddressRef;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::transactions::TransactionOutcome;
use crate::api::{Field, ListSubject};
use crate::chain::amount::Grouped;
use crate::chain::call_kind::CallKind;
use crate::chain::fiat_value::FiatValue;
use crate::chain::{Address, amount};
use crate::messages::call::CallNote;
use crate::messages::column;
use crate::name_cache::NameCache;
use crate::route::{Route, TransactionPart};
use crate::sanitize::SafeText;
use crate::ui::format::cut;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

chain_event!(InternalTransaction, |row| &row.from => row.callee());

/// The fields on which the callee depends: a failed creation has no contract.
const CALLEE_FIELDS: &[&str] = &["created_contract", "success"];

impl ListRow for InternalTransaction {
    const LIST_NAME: &'static str = "internal-transactions";
    const PLURAL: &'static str = "internal transactions";
    const SINGULAR: &'static str = "internal transaction";
    const NEWEST_FIRST: bool = true;
    const DETAIL_LINES: u16 = 7;
    const PREVIEW: RowPreview = RowPreview::Transactions;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            json_paths: &["success", "error"],
            other_fields: Some(&[]),
            ..field!(TEXT: error)
        },
        Column {
            csv_name: Some("status"),
            kind: ColumnKind::Outcome,
            json_paths: &["success", "error"],
            other_fields: Some(&[]),
            width: text_width(1, 1, 0),
            full_value: |t| t.outcome().map_or("", outcome_word).into(),
            cell: |t, cx, _| match (t.outcome(), t.error.value()) {
                (None, _) => TableCell::absent(),
                (_, Some(error)) if cx.is_in_full() => {
                    TableCell::new(format!("✗ {error}"), Role::Failed)
                }
                (Some(outcome), _) => outcome_cell(outcome, cx),
            },
            ..Column::TEXT
        },
        Column { is_grouped: true, ..common::age(4) },
        Column { is_grouped: true, ..common::block(10) },
        Column { is_grouped: true, ..common::transaction(8) },
        Column {
            title: "call",
            json_paths: &["index", "transaction_index"],
            other_fields: Some(&[]),
            width: number_width(3),
            provenance: |_, _| column::COUNTED_FROM_ONE.into(),
            cell: |t, _, _| {
                field_cell(&t.index, |index| TableCell::new(call_number(*index), Role::Plain))
            },
            ..field!(NUMBER: index)
        },
        Column {
            title: "depth",
            json_paths: &["index"],
            is_computed: true,
            usage: ColumnUse::In(&[ListSubject::Transaction]),
            usual_value: Some("1"),
            provenance: |_, _| column::DEPTH_IN_TRACE.into(),
            width: number_width(8),
            cell: |t, cx, _| {
                let depth = t.depth(cx.name_cache);
                depth.map_or_else(TableCell::default, |depth| {
                    TableCell::new(depth.to_string(), Role::Dim)
                })
            },
            ..Column::NUMBER
        },
        Column {
            title: "type",
            csv_name: Some("type"),
            usual_value: Some("call"),
            width: text_width(8, 12, 4),
            cell: |t, cx, width| match t.kind.value() {
                // The usual kind is dim, so that the others stand out.
                Some(kind) if kind == "call" && !cx.is_in_full() => {
                    TableCell::new(kind.to_string(), Role::Dim)
                }
                _ => field_cell(&t.kind, |kind| {
                    TableCell::new(kind_in_columns(kind, width).to_owned(), Role::Plain)
                }),
            },
            ..field!(TEXT: kind)
        },
        Column { width: text_width(13, 80, 5), ..common::from(5) },
        Column {
            other_fields: Some(&[CALLEE_FIELDS]),
            width: text_width(18, 80, 2),
            ..common::to("to_or_created", 2)
        },
        Column { other_fields: Some(&[CALLEE_FIELDS]), ..common::party(2) },
        Column { other_fields: Some(&[CALLEE_FIELDS]), ..common::direction() },
        Column {
            title: "method",
            json_paths: &["index"],
            kind: ColumnKind::TracedFunction,
            is_computed: true,
            provenance: |_, _| column::FUNCTION_IN_TRACE.into(),
            width: text_width(12, 40, 5),
            cell: |t, cx, width| {
                let call = t.known_call(cx.name_cache);
                call.and_then(|call| call.function_cell(cx, width)).unwrap_or_default()
            },
            ..Column::TEXT
        },
        Column {
            title: "reason",
            json_paths: &["index", "success", "error"],
            is_computed: true,
            usage: ColumnUse::In(&[ListSubject::Transaction]),
            provenance: |_, _| column::REASON_IN_TRACE.into(),
            width: text_width(16, 60, 6),
            cell: |t, cx, width| {
                let reason = t.reason(cx).unwrap_or_default();
                TableCell::new(cut(&reason, width).into_owned(), Role::Plain)
            },
            ..Column::TEXT
        },
        Column {
            title: "value",
            csv_name: Some("value_wei"),
            other_fields: Some(&[&["type"]]),
            width: number_width(1),
            value_name: Some("value in wei"),
            cell: |t, cx, _| match coin_cell(&t.value, cx) {
                value if t.inherits_value() => inherited_cell(value),
                value => value,
            },
            csv_value: Some(|t, _| {
                if t.inherits_value() { String::new() } else { csv_value(&t.value).into_owned() }
            }),
            // Sorted by its cells: a value in brackets is another call's.
            ..field!(COIN: value)
        },
        Column {
            title: "gas used",
            json_paths: &["index"],
            is_computed: true,
            usage: ColumnUse::In(&[ListSubject::Transaction]),
            provenance: |_, _| column::GAS_IN_TRACE.into(),
            width: number_width(7),
            cell: |t, cx, _| {
                let used = t.gas_used(cx);
                used.map_or_else(TableCell::default, |gas| TableCell::new(gas, Role::Plain))
            },
            ..Column::NUMBER
        },
        // In the feed, next to the transaction's coin, it says nothing.
        Column {
            title: "gas limit",
            width: number_width(9),
            usage: ColumnUse::In(&[
                ListSubject::Transaction,
                ListSubject::Block,
                ListSubject::Other,
            ]),
            ..field!(count: gas_limit)
        },
    ];

    const PART: Option<PartRoute<Self>> = Some(|item, transaction| {
        Some(Route::Part { transaction, part: TransactionPart::Call(item.clone()) })
    });
}

/// Returns a kind of call in words, or in a short one if they do not fit.
fn kind_in_columns(kind: &str, columns: usize) -> &str {
    let words = CallKind::from_name(kind.as_bytes());
    match words {
        CallKind::Other => kind,
        CallKind::StaticCall if columns < words.words().len() => "static",
        CallKind::DelegateCall if columns < words.words().len() => "delegate",
        _ => words.words(),
    }
}

impl Row for InternalTransaction {
    fn id(&self) -> Option<RowId> {
        Some(RowId::Event(*self.transaction_hash.value()?, *self.index.value()?))
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let worth = self.worth_now(cx).map(|worth| format!(" ({} now)", worth.readable()));
        let value = match coin_amount(&self.value, cx) {
            value if self.inherits_value() => inherited_text(&value),
            value => [value, worth.unwrap_or_default()].concat(),
        };
        let gas = self.gas_limit.display_with(|g| amount::format_exact(*g, 0).into());
        let end = match self.outcome() {
            None => "—".to_owned(),
            Some(outcome) => [outcome_mark(outcome), &self.outcome_text()].concat(),
        };
        let callee = if self.creates() { "creates" } else { "to" };
        // The label of a known call has its kind.
        let is_known = self.known_call(cx.name_cache).is_some();
        let kind = self.kind.value().filter(|kind| *kind != "call" && !is_known);
        let number = |index: &u64| CallNote::Number { number: Grouped(index.saturating_add(1)) };
        let place = [match self.known_call(cx.name_cache) {
            Some(call) => call.position(),
            None => self.index.display_with(|at| number(at).to_string().into()).into_owned(),
        }];
        let used = self.gas_used(cx).map(|used| ["gas used ", &used].concat());
        let limit = ["gas limit ", &gas].concat();
        let traced: Vec<String> = place
            .into_iter()
            .chain(kind.map(|kind| kind_in_columns(kind, usize::MAX).to_owned()))
            .chain(used)
            .chain([limit])
            .collect();
        let mut lines = vec![
            ("from", address_field_line(&self.from, cx)),
            (callee, address_field_line(self.callee(), cx)),
            ("value", SafeText::new(&value)),
        ];
        // The page of the transaction has hash, block and time.
        if cx.transaction.is_none() {
            lines.insert(0, ("tx", self.transaction_hash.to_string().into()));
            let status: Vec<String> = [end].into_iter().chain(self.event().place(cx)).collect();
            lines.push(("status", SafeText::new(&status.join(" · "))));
        } else if self.outcome() != Some(TransactionOutcome::Ok) {
            lines.push(("status", SafeText::new(&end)));
        }
        lines.push(("trace", SafeText::new(&traced.join(" · "))));
        lines
    }

    fn known_call<'a>(&self, names: &'a NameCache) -> Option<KnownCall<'a>> {
        KnownCall::find(&self.transaction_hash, &self.index, self.callee().hash(), names)
    }

    fn copy_values(&self, viewed: Option<Address>) -> Vec<CopyValue> {
        let mut values = self.event().copy_values(viewed);
        values.push(CopyValue::new(Action::CopyValue, "value in wei", self.value.value()));
        values
    }
}

impl InternalTransaction {
    fn creates(&self) -> bool {
        self.created_contract.value().is_some()
    }

    fn outcome(&self) -> Option<TransactionOutcome> {
        match (&self.success, &self.error) {
            (_, Field::Present(_)) | (Field::Present(false), _) => Some(TransactionOutcome::Failed),
            (Field::Present(true), _) => Some(TransactionOutcome::Ok),
            (Field::Absent, _) => None,
            (Field::Invalid(_), _) => Some(TransactionOutcome::Unknown),
        }
    }

    /// Returns the worth of the coin that it moves by today's price. A call that failed moves none.
    fn worth_now(&self, cx: &RowContext<'_>) -> Option<FiatValue> {
        if self.outcome() == Some(TransactionOutcome::Failed) || self.inherits_value() {
            return None;
        }
        let value = self.value.value().filter(|wei| !wei.is_zero())?;
        FiatValue::new(*value, cx.network.decimals, cx.name_cache.coin_rate()?)
    }

    /// Returns the number of calls that it is inside of, by the trace.
    fn depth(&self, names: &NameCache) -> Option<u16> {
        let call = self.known_call(names)?;
        Some(call.tree.get(call.number)?.depth)
    }

    /// Returns the gas that the call used by the trace.
    fn gas_used(&self, cx: &RowContext<'_>) -> Option<String> {
        let call = self.known_call(cx.name_cache)?;
        Some(call.tree.get(call.number)?.format_gas_used(|gas| Grouped(gas).to_string()))
    }

    /// Returns the reason of its failure by the trace, or else as the explorer sent it.
    fn reason(&self, cx: &RowContext<'_>) -> Option<SafeText> {
        if self.outcome() != Some(TransactionOutcome::Failed) {
            return None;
        }
        let call = self.known_call(cx.name_cache);
        call.and_then(|call| call.revert_reason(cx)).or_else(|| self.error.value().cloned())
    }

    /// Returns the outcome in the words of transactions, or nothing if it is absent.
    fn outcome_text(&self) -> String {
        match (self.outcome(), self.error.value()) {
            (Some(TransactionOutcome::Failed), Some(error)) => format!("failed: {error}"),
            (Some(TransactionOutcome::Failed), None) => "failed".to_owned(),
            (Some(TransactionOutcome::Ok), _) => "ok".to_owned(),
            (Some(_), _) => "?".to_owned(),
            (None, _) => String::new(),
        }
    }

    /// A failed creation has no contract.
    fn callee(&self) -> &Field<AddressRef> {
        match (self.creates(), self.success.value()) {
            (true, Some(false)) => &Field::Absent,
            (true, _) => &self.created_contract,
            (false, _) => &self.to,
        }
    }
}

/// Returns the number of a call in the trace, where the call of the transaction is the first: `#2`.
fn call_number(index: u64) -> String {
    format!("#{}", index.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::api::{AddressQuery, Item, Query};

    #[test]
    fn calls_that_failed_move_nothing_of_worth() {
        let mut name_cache = NameCache::default();
        let query = Query::Address(Address::ZERO, AddressQuery::Details);
        let details = json!({ "hash": Address::ZERO, "exchange_rate": "2500" }).to_string();
        name_cache.ingest(&query, &query.decode(details.as_bytes(), None).unwrap());
        let cx = RowContext { name_cache: &name_cache, ..RowContext::blank() };
        for (success, worth) in [(true, Some("$12,500")), (false, None)] {
            let json = json!({ "success": success, "value": "5000000000000000000" });
            let row = Item::<InternalTransaction>::from_json(&to_raw_value(&json).unwrap());
            let shown = row.parsed.unwrap().worth_now(&cx).map(FiatValue::readable);
            assert_eq!(shown.as_deref(), worth, "{success}");
        }
    }

    #[test]
    fn delegated_calls_send_nothing() {
        let cx = RowContext::blank();
        let column =
            InternalTransaction::COLUMNS.iter().find(|column| column.title == "value").unwrap();
        let csv_value = column.csv_value.unwrap();
        let sent = "2000000000000000000";
        for (kind, shown, in_csv) in
            [("call", "2", sent), ("delegatecall", "(2)", ""), ("callcode", "(2)", "")]
        {
            let json = json!({ "type": kind, "success": true, "value": sent });
            let row = Item::<InternalTransaction>::from_json(&to_raw_value(&json).unwrap());
            let row = row.parsed.unwrap();
            let cell = (column.cell)(&row, &cx, 20).to_string();
            assert_eq!((&*cell, &*csv_value(&row, &cx)), (shown, in_csv), "{kind}");
            assert_eq!((column.full_value)(&row), sent, "{kind}: to copy");
            let line = row.detail_lines(&cx).into_iter().find(|(label, _)| *label == "value");
            assert_eq!(line.unwrap().1.starts_with('('), in_csv.is_empty(), "{kind}");
        }
    }
}

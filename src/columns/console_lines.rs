//! The columns of console output.

use std::sync::Arc;

use super::cells::{AS_SENT, address_field_line, field_cell};
use super::common::{self, ChainEvent, chain_event};
use super::table::any_row::RowId;
use super::table::column::{Column, ColumnUse, field, text_width};
use super::{CopyValue, ListRow, Row, RowContext};
use crate::action::Action;
use crate::api::console_lines::ConsoleLine;
use crate::api::{Field, Item};
use crate::chain::Address;
use crate::chain::target::TargetKind;
use crate::messages::column;
use crate::route::Route;
use crate::sanitize::SafeText;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

chain_event!(ConsoleLine, |row| &row.contract => &Field::Absent);

impl ListRow for ConsoleLine {
    const LIST_NAME: &'static str = "console";
    const PLURAL: &'static str = "console lines";
    const SINGULAR: &'static str = "console line";
    const NEWEST_FIRST: bool = true;
    const COLUMNS: &'static [Column<Self>] = &[
        common::age(4),
        common::block(10),
        common::transaction(6),
        field!(NUMBER: index),
        Column {
            title: "contract",
            json_paths: &["contract.hash", "contract.name"],
            width: text_width(11, 40, 3),
            usage: ColumnUse::OfChain,
            ..field!(address: contract)
        },
        Column { title: "function", width: text_width(8, 32, 2), ..field!(text: function) },
        Column {
            title: "line",
            width: text_width(20, 4_000, 0),
            provenance: |line, _| match line.is_undone.value() {
                Some(true) => column::PRINTED_BEFORE_REVERT.into(),
                _ => AS_SENT.into(),
            },
            cell: |line, _, _| {
                let role = if line.is_undone() { Role::Warning } else { Role::Plain };
                field_cell(&line.text, |text| TableCell::new(text.to_string(), role))
            },
            ..field!(TEXT: text)
        },
        field!(TEXT: is_undone),
    ];

    fn page(item: &Arc<Item<Self>>) -> Option<Route> {
        let hash = item.parsed.as_ref().ok()?.transaction_hash.value()?;
        Some(Route::Target(TargetKind::Transaction(*hash)))
    }
}

impl Row for ConsoleLine {
    fn id(&self) -> Option<RowId> {
        Some(RowId::Event(*self.transaction_hash.value()?, *self.index.value()?))
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        vec![
            ("line", self.text.to_string().into()),
            ("function", self.function.to_string().into()),
            ("contract", address_field_line(&self.contract, cx)),
            ("tx", self.transaction_hash.to_string().into()),
        ]
    }

    fn copy_values(&self, viewed: Option<Address>) -> Vec<CopyValue> {
        let mut values = self.event().copy_values(viewed);
        values.push(CopyValue::new(Action::CopyMethod, "function", self.function.value()));
        values.push(CopyValue::new(Action::CopyValue, "line", self.text.value()));
        values
    }
}

impl ConsoleLine {
    /// Returns `true` if a call around it failed, which did nothing else.
    pub fn is_undone(&self) -> bool {
        self.is_undone.value() == Some(&true)
    }
}

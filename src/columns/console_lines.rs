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
            is_computed: true,
            cell: |line, cx, _| {
                let role = if line.is_undone() { Role::Warning } else { Role::Plain };
                field_cell(&line.text, |text| TableCell::new(with_names(text, cx), role))
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

/// Puts the names of accounts before their addresses, which are shortened then.
fn with_names(text: &str, cx: &RowContext<'_>) -> String {
    let named = |word: &str| {
        let account: Address = word.parse().ok().filter(|_| !cx.is_in_full())?;
        let name = cx.name_cache.short_name(&account)?;
        Some([&*name, " ", &*cx.short_address(&account)].concat())
    };
    let words = text.split(' ').map(|word| named(word).unwrap_or_else(|| word.to_owned()));
    words.collect::<Vec<_>>().join(" ")
}

impl ConsoleLine {
    /// Returns `true` if a call around it failed, which did nothing else.
    pub fn is_undone(&self) -> bool {
        self.is_undone.value() == Some(&true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::hash_abbreviation::Abbreviator;
    use crate::name_cache::NameCache;
    use crate::user_data::labels::Labels;

    #[test]
    fn accounts_in_a_line_have_their_names() {
        let account = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
        let mut name_cache = NameCache::default();
        name_cache.set_labels(Labels::from_csv(&format!("address,name\n{account},Zoe\n")).into());
        let short = Abbreviator::default();
        let cx = RowContext {
            name_cache: &name_cache,
            abbreviator: Some(&short),
            ..RowContext::blank()
        };
        let text = format!("{account} sent 0x70997970C51812dc3A010C7d01b50e0d17dc79C8  7");
        assert_eq!(
            with_names(&text, &cx),
            "«Zoe» 0xf39F…2266 sent 0x70997970C51812dc3A010C7d01b50e0d17dc79C8  7"
        );
        assert_eq!(with_names(&text, &RowContext { abbreviator: None, ..cx }), text);
    }
}

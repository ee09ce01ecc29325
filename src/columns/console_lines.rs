//! The columns of console output.

use std::sync::Arc;

use alloy_primitives::hex;

use super::cells::failure_reason::{FailureReason, revert_text};
use super::cells::log_argument::short_name;
use super::cells::{AS_SENT, address_field_line, field_cell};
use super::common::{self, ChainEvent, chain_event};
use super::table::any_row::RowId;
use super::table::column::{Column, ColumnUse, field, text_width};
use super::{CopyValue, ListRow, Row, RowContext};
use crate::abi::{DecodedRevert, SELECTOR_BYTES, SignatureDb};
use crate::action::Action;
use crate::api::console_lines::ConsoleLine;
use crate::api::{Field, Item};
use crate::chain::target::TargetKind;
use crate::chain::{Address, WORD_BYTES};
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
            provenance: |line, cx| match (line.is_undone.value(), line.error(cx)) {
                (Some(true), _) => column::PRINTED_BEFORE_REVERT.into(),
                (_, Some(error)) => FailureReason::Data(error).source(&cx.network.endpoint),
                _ => AS_SENT.into(),
            },
            is_computed: true,
            cell: |line, cx, _| {
                let role = if line.is_undone() { Role::Warning } else { Role::Plain };
                let error = line.error(cx).filter(|_| !cx.is_in_full());
                field_cell(&line.text, |text| {
                    let error = error.map(|error| error_text(&error, cx));
                    TableCell::new(error.unwrap_or_else(|| with_names(text, cx)), role)
                })
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
        let error = self.error(cx).map(|error| ("error", SafeText::new(&error_text(&error, cx))));
        let mut lines = vec![("line", self.text.to_string().into())];
        lines.extend(error);
        lines.extend([
            ("function", self.function.to_string().into()),
            ("contract", address_field_line(&self.contract, cx)),
            ("tx", self.transaction_hash.to_string().into()),
        ]);
        lines
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

/// Returns the error in the revert data that a line is, if it is known.
pub fn printed_error(line: &str, signatures: &SignatureDb) -> Option<DecodedRevert> {
    let data = hex::decode(line.strip_prefix("0x")?).ok()?;
    let may_be_error = data.len() % WORD_BYTES == SELECTOR_BYTES;
    let error = may_be_error.then(|| signatures.revert_reason(&data));
    error.filter(|error| {
        use DecodedRevert::{Custom, Message, Panic};
        matches!(error, Message(_) | Panic(_) | Custom(_))
    })
}

/// Writes an error so that a message is no printed text.
fn error_text(error: &DecodedRevert, cx: &RowContext<'_>) -> String {
    match error {
        DecodedRevert::Message(message) => format!("Error(\"{message}\")"),
        error => revert_text(error, &|at| short_name(at, cx)),
    }
}

impl ConsoleLine {
    fn error(&self, cx: &RowContext<'_>) -> Option<DecodedRevert> {
        printed_error(self.text.value()?, cx.signatures)
    }

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
    fn revert_data_in_a_line_is_decoded() {
        let mut signatures = SignatureDb::builtin();
        signatures.add_signature("error TooSmall(uint256 got)").unwrap();
        let short = Abbreviator::default();
        let cx = RowContext {
            signatures: &signatures,
            abbreviator: Some(&short),
            ..RowContext::blank()
        };
        let word = |number: u64| format!("{number:064x}");
        let selector = hex::encode(&alloy_primitives::keccak256("TooSmall(uint256)")[..4]);
        let message = format!("0x08c379a0{}{}6f6f7073{:056}", word(32), word(4), 0);
        for (text, shown) in [
            (format!("0x{selector}{}", word(7)), "TooSmall(7)"),
            (message, "Error(\"oops\")"),
            (format!("0x4e487b71{}", word(0x11)), "arithmetic overflow or underflow"),
        ] {
            let json = serde_json::json!({ "text": text });
            let raw = serde_json::value::to_raw_value(&json).unwrap();
            let line = Item::<ConsoleLine>::from_json(&raw).parsed.unwrap();
            let column = ConsoleLine::COLUMNS.iter().find(|column| column.title == "line").unwrap();
            let cell = |cx: &RowContext<'_>| (column.cell)(&line, cx, usize::MAX).text.into_owned();
            assert!(cell(&cx).contains(shown), "{}", cell(&cx));
            assert_eq!(cell(&RowContext { abbreviator: None, ..cx }), text, "as printed");
            assert!(line.detail_lines(&cx).iter().any(|(label, _)| *label == "error"));
        }
        for other in ["0x08c379a0", "oops", "0x", "0x0000000a"] {
            assert_eq!(printed_error(other, &signatures), None, "{other}");
        }
    }

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

//! The columns of activity: transactions, internal transactions and token transfers in one list.

use super::cells::called_method::{KnownCall, called_line, method_cell, method_source};
use super::cells::token_amount::{
    amount_decimals, decimals_provenance, describe_transferred, token_amount,
    transferred_amount_cell, transferred_id_cell,
};
use super::cells::{
    AS_SENT, address_field_line, amount_line, coin_amount, coin_cell, csv_value, field_cell,
    inherited_cell, inherited_text, outcome_cell, outcome_mark, outcome_word, symbol_cell,
    token_route, token_warnings,
};
use super::common::{self, ChainEvent, chain_event};
use super::table::any_row::RowId;
use super::table::column::{Column, ColumnKind, ColumnUse, field, number_width, text_width};
use super::{CopyValue, ListRow, ListedPart, PartPlace, Row, RowContext};
use crate::action::Action;
use crate::api::Field;
use crate::api::activity::Activity;
use crate::api::address::AddressRef;
use crate::api::transactions::{DEPLOYMENT, PLAIN_SEND, TransactionOutcome};
use crate::chain::amount::Unit;
use crate::chain::{Address, TxHash, U256};
use crate::messages::{column, token};
use crate::name_cache::NameCache;
use crate::sanitize::SafeText;
use crate::ui::format_options::FormatOptions;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

/// Fields of the parts of a transaction.
const PART_FIELDS: &[&str] = &["token_transfer_index", "internal_transaction_index"];
/// Fields on which the method depends.
const METHOD_FIELDS: &[&str] =
    &["token_transfer_index", "internal_transaction_index", "to", "created_contract"];
/// Most columns of a token's symbol after an amount.
const MAX_SYMBOL_WIDTH: usize = 12;

/// Title of the column whose bounds the explorer applies.
pub const VALUE_TITLE: &str = "value";

chain_event!(Activity, |row| &row.from => row.callee());

impl ListRow for Activity {
    const LIST_NAME: &'static str = "activity";
    const PLURAL: &'static str = "activity";
    const SINGULAR: &'static str = "activity";
    const NEWEST_FIRST: bool = true;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            csv_name: Some("status"),
            kind: ColumnKind::Outcome,
            json_paths: &["status"],
            other_fields: Some(&[]),
            width: text_width(1, 1, 0),
            cell: |t, cx, _| match t.outcome() {
                Some(outcome) => outcome_cell(outcome, cx),
                None if cx.is_in_full() => TableCell::absent(),
                None => TableCell::default(),
            },
            full_value: |t| t.outcome().map_or("", outcome_word).into(),
            ..Column::TEXT
        },
        Column {
            csv_name: Some("error"),
            json_paths: &["status"],
            other_fields: Some(&[]),
            full_value: |t| if t.has_failed() { csv_value(&t.status) } else { "".into() },
            ..Column::TEXT
        },
        Column { is_grouped: true, ..common::age(5) },
        Column { is_grouped: true, ..common::block(10) },
        Column { json_paths: &["hash"], is_grouped: true, ..common::transaction(9) },
        Column {
            title: "type",
            other_fields: Some(&[]),
            width: text_width(8, 20, 3),
            usage: ColumnUse::InFull,
            cell: |t, _, _| field_cell(&t.kind, |_| TableCell::new(t.kind_name(), Role::Plain)),
            csv_name: Some("type"),
            ..field!(TEXT: kind)
        },
        Column {
            title: "method",
            json_paths: &["method", "type"],
            other_fields: Some(&[METHOD_FIELDS]),
            kind: ColumnKind::TracedFunction,
            width: text_width(10, 26, 4),
            provenance: |t, cx| match t.shown_method(cx, usize::MAX) {
                Some(_) if t.call_index.value().is_some() => column::FUNCTION_IN_TRACE.into(),
                Some(_) => method_source(&t.method, cx),
                None => AS_SENT.into(),
            },
            cell: |t, cx, width| t.method_cell(cx, width),
            ..field!(TEXT: method)
        },
        common::from(6),
        common::to("to_or_created", 2),
        common::party(2),
        common::direction(),
        Column {
            title: VALUE_TITLE,
            csv_name: Some("value"),
            json_paths: &["value", "total.value", "total.decimals"],
            provenance: |t, cx| {
                if t.is_of_token() {
                    decimals_provenance(t.decimals())
                } else {
                    (Column::<Self>::COIN.provenance)(t, cx)
                }
            },
            width: number_width(0),
            cell: |t, cx, _| t.amount_cell(cx),
            full_value: |t| csv_value(t.amount()),
            csv_value: Some(|t, cx| {
                let is_sent = !t.inherits_value(cx.name_cache);
                if is_sent { csv_value(t.amount()).into_owned() } else { String::new() }
            }),
            value_name: Some("raw amount"),
            route: |_, t, _| token_route(t.token()?, None),
            ..Column::AMOUNT
        },
        Column {
            title: "id",
            csv_name: Some("token_id"),
            json_paths: &["total.token_id"],
            width: number_width(0),
            usage: ColumnUse::InFull,
            cell: |t, cx, _| transferred_id_cell(&t.total, cx),
            full_value: |t| t.total.value().map_or("".into(), |total| csv_value(&total.token_id)),
            value_name: Some("token id"),
            ..Column::NUMBER
        },
        common::csv_token_contract(),
        common::csv_token_decimals(),
        Column {
            is_computed: true,
            usage: ColumnUse::InFull,
            cell: |t, cx, width| match t.token() {
                Some(token) => symbol_cell(token, cx, width),
                None if t.is_of_token() => TableCell::absent(),
                None => TableCell::new(cx.format.unit.name(cx.network).to_owned(), Role::Dim),
            },
            ..common::token_symbol("token", text_width(7, 19, 1), |_, t, _| {
                token_route(t.token()?, None)
            })
        },
        Column {
            title: "fee",
            csv_name: Some("transaction_fee_wei"),
            width: number_width(11),
            usage: ColumnUse::ExceptOnDevelopmentNodes,
            value_name: Some("fee in wei"),
            other_fields: Some(&[PART_FIELDS]),
            cell: |t, cx, _| {
                let is_shown = t.is_transaction() || !cx.is_below_part;
                if is_shown { coin_cell(&t.fee, cx) } else { TableCell::default() }
            },
            ..field!(COIN: fee)
        },
        Column { csv_name: Some("call_index"), ..field!(TEXT: call_index) },
        Column { csv_name: Some("log_index"), ..field!(TEXT: log_index) },
    ];
}

impl Row for Activity {
    fn id(&self) -> Option<RowId> {
        // Servers that do not send the place of the transaction send none inside it either.
        self.transaction_index.value()?;
        let index = match (self.log_index.value(), self.call_index.value()) {
            (Some(log), _) => log.checked_mul(2)?.checked_add(1)?,
            (None, Some(call)) => call.checked_mul(2)?.checked_add(2)?,
            (None, None) => 0,
        };
        let id = self.total.value().and_then(|total| total.token_id.value()).copied();
        let parties = [self.from.hash(), self.callee().hash()];
        let amounts = [id, self.amount().value().copied()];
        Some(RowId::Transfer(Box::new((*self.transaction_hash.value()?, index, amounts, parties))))
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let callee = if self.creates() { "creates" } else { "to" };
        let outcome = self.status.value().map(|status| {
            let mark = self.outcome().map_or("", outcome_mark);
            [mark, &self.outcome_text(status)].concat()
        });
        // Explorers report the outcome of the transaction, in which calls may have failed.
        let is_of_whole = self.call_index.value().is_some() && !self.has_failed();
        let outcome = outcome
            .map(|outcome| if is_of_whole { format!("transaction {outcome}") } else { outcome });
        let status: Vec<String> = outcome.into_iter().chain(self.event().place(cx)).collect();
        let fee = self.fee.value().filter(|_| self.is_transaction());
        let call = called_line(&self.method, cx);
        let mut lines = vec![
            ("tx", self.transaction_hash.to_string().into()),
            ("from", address_field_line(&self.from, cx)),
            (callee, address_field_line(self.callee(), cx)),
        ];
        let described = match self.describe_amount(cx) {
            amount if self.inherits_value(cx.name_cache) => inherited_text(&amount),
            amount => amount,
        };
        let amount = amount_line(&described, self.token());
        match call {
            Some(call) if self.moves_nothing() => lines.push(call),
            // The call of the transaction itself has the coin that it sends, as in the list of transactions.
            Some((label, call)) if self.is_transaction() => {
                lines.push((label, SafeText::new(&format!("{call} with {amount}"))));
            }
            call => lines.extend([(VALUE_TITLE, amount)].into_iter().chain(call)),
        }
        if !status.is_empty() {
            lines.push(("status", SafeText::new(&status.join(" · "))));
        }
        lines.extend(fee.map(|_| ("fee", SafeText::new(&coin_amount(&self.fee, cx)))));
        lines
    }

    fn part_of(&self) -> Option<TxHash> {
        self.transaction_hash.value().copied()
    }

    fn transaction_part(&self) -> Option<ListedPart> {
        let place = match (self.log_index.value(), self.call_index.value()) {
            (Some(log), _) => PartPlace::Transfer(*log),
            (None, Some(call)) => PartPlace::Call(*call),
            (None, None) => PartPlace::Whole,
        };
        let moves_nothing = self.moves_nothing() && !self.creates() && !self.has_failed();
        let transaction = *self.transaction_hash.value()?;
        Some(ListedPart { transaction, place, moves_nothing })
    }

    fn copy_values(&self, viewed: Option<Address>) -> Vec<CopyValue> {
        let contract = self.token().and_then(|token| token.address.value());
        let method = self.method.value().map(|method| &method.0);
        let mut values = self.event().copy_values(viewed);
        values.push(CopyValue::new(Action::CopyToken, "token's contract", contract));
        values.push(CopyValue::new(Action::CopyMethod, "method", method));
        values.push(CopyValue::new(Action::CopyValue, "raw amount", self.amount().value()));
        values
    }

    fn has_computed_text(&self) -> bool {
        self.method.value().is_some_and(|method| method.selector().is_some())
    }

    fn warnings(&self) -> Vec<SafeText> {
        let mut warnings = token_warnings(self.token());
        if self.is_of_token() && self.amount().value() == Some(&U256::ZERO) {
            warnings.push(token::TRANSFER_OF_ZERO.into());
        }
        warnings
    }
}

impl Activity {
    /// Returns `true` for a transaction itself, of which the other rows are parts.
    fn is_transaction(&self) -> bool {
        self.log_index.value().is_none() && self.call_index.value().is_none()
    }

    fn has_failed(&self) -> bool {
        self.outcome() == Some(TransactionOutcome::Failed)
    }

    /// Returns the outcome in the words of transactions.
    fn outcome_text(&self, status: &str) -> String {
        match self.outcome() {
            Some(TransactionOutcome::Ok) => "ok".to_owned(),
            Some(TransactionOutcome::Failed) => format!("failed: {status}"),
            Some(TransactionOutcome::Unknown) => format!("? ({status})"),
            _ => status.to_owned(),
        }
    }

    /// Returns the call inside the transaction, if its trace is known.
    fn known_call<'a>(&self, names: &'a NameCache) -> Option<KnownCall<'a>> {
        let (transaction, number) = (&self.transaction_hash, &self.call_index);
        KnownCall::find(transaction, number, self.callee().hash(), names)
    }

    /// Returns `true` if by its trace the call does not send its value: explorers list it as a transfer.
    fn inherits_value(&self, names: &NameCache) -> bool {
        let frame = self.known_call(names).and_then(|call| call.tree.get(call.number));
        frame.is_some_and(|frame| frame.kind.is_delegated()) && !self.moves_nothing()
    }

    /// Returns the method of the transaction, or the function of a call inside one if its trace is known.
    fn shown_method(&self, cx: &RowContext<'_>, width: usize) -> Option<TableCell> {
        if self.call_index.value().is_some() {
            return self.known_call(cx.name_cache)?.function_cell(cx, width);
        }
        let method = self.method.value().filter(|_| !self.has_no_method());
        method.map(|_| method_cell(&self.method, cx))
    }

    /// Returns the cell of the method, or of the kind of a row without one. A transfer below its transaction has
    /// its kind.
    fn method_cell(&self, cx: &RowContext<'_>, width: usize) -> TableCell {
        let is_part = !self.is_transaction() && cx.is_below_part;
        let has_method = !(is_part && self.is_of_token());
        let method = has_method.then(|| self.shown_method(cx, width)).flatten();
        let kind = || field_cell(&self.kind, |_| TableCell::new(self.kind_name(), Role::Plain));
        let lead = is_part.then_some(("└", Role::Dim));
        TableCell { lead, ..method.unwrap_or_else(kind) }
    }

    /// Returns `true` for coin that is sent, in a transaction or inside one.
    fn has_no_method(&self) -> bool {
        self.kind.value().is_some_and(|kind| kind == "coin_transfer")
    }

    /// Returns `true` for a token transfer.
    fn is_of_token(&self) -> bool {
        self.kind.value().is_some_and(|kind| kind.starts_with("ERC-") || kind.starts_with("ZRC-"))
    }

    /// Returns a short word for the kinds without tokens, or the explorer's own word.
    fn kind_name(&self) -> String {
        let kind = self.kind.value().map_or("", |kind| kind);
        match kind {
            "coin_transfer" | "contract_interaction" if self.call_index.value().is_some() => {
                "internal"
            }
            "coin_transfer" => PLAIN_SEND,
            "contract_interaction" => "call",
            "contract_creation" => DEPLOYMENT,
            other => other,
        }
        .to_owned()
    }

    fn creates(&self) -> bool {
        self.created_contract.value().is_some()
    }

    fn callee(&self) -> &Field<AddressRef> {
        if self.creates() { &self.created_contract } else { &self.to }
    }

    fn decimals(&self) -> Option<u8> {
        amount_decimals(self.token(), self.kind.value(), &self.total.value()?.decimals)
    }

    /// Returns the amount in the smallest unit.
    fn amount(&self) -> &Field<U256> {
        match self.total.value() {
            Some(total) if self.is_of_token() => &total.value,
            _ if self.is_of_token() => &Field::Absent,
            _ => &self.value,
        }
    }

    /// Returns `true` for a call that sends no coin: what it moves is in the rows below.
    fn moves_nothing(&self) -> bool {
        !self.is_of_token() && self.value.value().is_some_and(U256::is_zero)
    }

    /// Returns the amount, on the screen with its unit, and for an NFT its id.
    fn amount_cell(&self, cx: &RowContext<'_>) -> TableCell {
        if self.is_of_token() {
            let cell = transferred_amount_cell(&self.total, self.decimals(), cx);
            return if cx.is_in_full() { cell } else { self.with_token(cell, cx) };
        }
        // The cell of a call is blank: what it moves is in the rows below.
        if self.moves_nothing() && !cx.is_in_full() {
            return TableCell::default();
        }
        let amount = self.coin_cell(cx);
        if self.inherits_value(cx.name_cache) { inherited_cell(amount) } else { amount }
    }

    fn coin_cell(&self, cx: &RowContext<'_>) -> TableCell {
        if cx.is_in_full() {
            return coin_cell(&self.value, cx);
        }
        let unit = self.readable_unit(cx);
        let format = FormatOptions { unit, ..*cx.format };
        let cell = coin_cell(&self.value, &RowContext { format: &format, ..*cx });
        let role = if unit == cx.format.unit { cell.role } else { Role::Dim };
        with_unit(TableCell { role, ..cell }, &[unit.name(cx.network)])
    }

    fn with_token(&self, amount: TableCell, cx: &RowContext<'_>) -> TableCell {
        let symbol = match self.token() {
            Some(token) => symbol_cell(token, cx, MAX_SYMBOL_WIDTH),
            None => TableCell::absent(),
        };
        let id = transferred_id_cell(&self.total, cx);
        let role = match symbol.role {
            Role::Warning => Role::Warning,
            _ if amount.text.is_empty() => Role::Value,
            _ => amount.role,
        };
        // One of an NFT needs no number.
        match (&*id.text, &*amount.text) {
            ("", _) => with_unit(TableCell { role, ..amount }, &[&symbol.text]),
            (id, "" | "1") => with_unit(TableCell::new("", role), &[&symbol.text, id]),
            (id, count) => with_unit(TableCell::new("", role), &[&symbol.text, id, "×", count]),
        }
    }

    /// Returns the unit of an amount of coin for reading: a smaller one if it is too small for the user's choice.
    fn readable_unit(&self, cx: &RowContext<'_>) -> Unit {
        let unit = cx.format.unit;
        self.value.value().map_or(unit, |wei| unit.for_amount(*wei, cx.network))
    }

    fn describe_amount(&self, cx: &RowContext<'_>) -> String {
        if !self.is_of_token() {
            let exact = coin_amount(&self.value, cx);
            return match self.value.value().map(|wei| (*wei, self.readable_unit(cx))) {
                Some((wei, small)) if small != cx.format.unit => {
                    format!("{} ({exact})", small.format_exact(wei, cx.network))
                }
                _ => exact,
            };
        }
        describe_transferred(self.token(), &self.total, self.decimals(), token_amount)
    }
}

/// Returns the cell of an amount that is followed by the words of its unit.
fn with_unit(amount: TableCell, words: &[&str]) -> TableCell {
    let mut text = amount.text.into_owned();
    for word in words.iter().filter(|word| !word.is_empty()) {
        let gap = if text.is_empty() { "" } else { " " };
        text.extend([gap, word]);
    }
    TableCell { has_own_unit: true, ..TableCell::new(text, amount.role) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::{RawValue, to_raw_value};

    use super::*;
    use crate::api::{Item, Query, TransactionQuery};
    use crate::chain::hash_abbreviation::Abbreviator;

    /// Returns the cell below a title on the screen.
    fn cell(title: &str, json: &str, is_below_part: bool) -> String {
        let json = RawValue::from_string(json.to_owned()).unwrap();
        let row = Item::<Activity>::from_json(&json).parsed.unwrap();
        let abbreviator = Abbreviator::new([]);
        let cx =
            RowContext { abbreviator: Some(&abbreviator), is_below_part, ..RowContext::blank() };
        let column = Activity::COLUMNS.iter().find(|column| column.title == title).unwrap();
        (column.cell)(&row, &cx, 20).to_string()
    }

    #[test]
    fn small_amounts_have_one_unit() {
        for (value, amount) in
            [("1000000000", "1 gwei"), ("7", "7 wei"), ("1000000000000000000", "1 ETH")]
        {
            let json = format!(r#"{{"type":"coin_transfer","value":"{value}"}}"#);
            assert_eq!(cell("value", &json, false), amount);
        }
        let token = |total: &str, standard: &str| {
            let json = format!(
                r#"{{"type":"{standard}","token_transfer_index":1,"total":{total},"token":{{"symbol":"GLD"}}}}"#
            );
            cell("value", &json, false)
        };
        assert_eq!(token(r#"{"value":"915","decimals":"2"}"#, "ERC-20"), "9.15 GLD");
        assert_eq!(token(r#"{"token_id":"53"}"#, "ERC-721"), "GLD #53");
        assert_eq!(token(r#"{"value":"1","token_id":"7"}"#, "ERC-1155"), "GLD #7");
        assert_eq!(token(r#"{"value":"2","token_id":"7"}"#, "ERC-1155"), "GLD #7 × 2");
    }

    #[test]
    fn delegated_call_sends_nothing_by_its_trace() {
        let [proxy, code] = [Address::repeat_byte(7), Address::repeat_byte(8)];
        let sent = json!({ "hash": TxHash::ZERO, "type": "coin_transfer", "to": { "hash": code },
            "internal_transaction_index": 1, "value": "2000000000000000000" });
        let row = Item::<Activity>::from_json(&to_raw_value(&sent).unwrap()).parsed.unwrap();
        let delegated = json!({ "type": "DELEGATECALL", "from": proxy, "to": code, "gas": "0x5208",
            "gasUsed": "0x0", "input": "0x", "value": "0x1bc16d674ec80000" });
        let trace = json!({ "type": "CALL", "from": code, "to": proxy, "gas": "0x5208",
            "gasUsed": "0x0", "input": "0x", "value": "0x1bc16d674ec80000", "calls": [delegated] });
        let mut names = NameCache::default();
        let value = |names: &NameCache| {
            let abbreviator = Abbreviator::new([]);
            let abbreviator = Some(&abbreviator);
            row.amount_cell(&RowContext { abbreviator, name_cache: names, ..RowContext::blank() })
                .to_string()
        };
        let column = Activity::COLUMNS.iter().find(|column| column.title == VALUE_TITLE).unwrap();
        let csv_value = column.csv_value.unwrap();
        let in_csv = |names: &NameCache| {
            csv_value(&row, &RowContext { name_cache: names, ..RowContext::blank() })
        };
        assert_eq!((&*value(&names), &*in_csv(&names)), ("2 ETH", "2000000000000000000"));
        let query = Query::Transaction(TxHash::ZERO, TransactionQuery::RawTrace);
        names.ingest(&query, &query.decode(trace.to_string().as_bytes(), None).unwrap());
        assert_eq!((&*value(&names), &*in_csv(&names)), ("(2 ETH)", ""));
    }

    #[test]
    fn parts_hang_below_rows_of_their_transaction() {
        let part = r#"{"type":"ERC-20","token_transfer_index":1,"method":"transfer"}"#;
        assert_eq!(cell("method", part, true), "└ ERC-20");
        assert_eq!(cell("method", part, false), "transfer", "for the transaction");
        let transaction = r#"{"type":"contract_interaction"}"#;
        assert_eq!(cell("method", transaction, true), "call", "another transaction's part");
    }
}

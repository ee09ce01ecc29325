//! The columns of transactions.

use super::cells::called_method::CalledMethod;
use super::cells::failure_reason::FailureReason;
use super::cells::fee::{FEE_TOKEN_FIELDS, exact_fee, fee_cell};
use super::cells::log_argument::short_name;
use super::cells::token_amount::{decimals_provenance, token_decimals};
use super::cells::token_call::{
    TokenCall, called_amount, called_recipient, moved_tokens, moves_tokens, token_recipient,
};
use super::cells::{
    AS_SENT, address_cell, address_field_line, coin_amount, coin_cell, count_cell,
    counterparty_cell, csv_value, field_cell, hash_cell, outcome_cell, outcome_mark, outcome_word,
    text_cell,
};
use super::common::{self, ChainEvent, EventFields};
use super::table::any_row::RowId;
use super::table::column::{
    Column, ColumnHead, ColumnKind, ColumnUse, field, number_width, text_width,
};
use super::table::extent::MAX_UNIT_CELL_WIDTH;
use super::{CopyValue, ListRow, Row, RowContext, RowPreview};
use super::{gas_price_columns, pool_columns};
use crate::action::Action;
use crate::api::address::AddressRef;
use crate::api::transactions::{AWAITING, Transaction, TransactionOutcome};
use crate::api::{Field, ListSubject, ReplyData};
use crate::chain::Address;
use crate::chain::amount::{Grouped, Unit};
use crate::chain::network::Network;
use crate::chain::target::TargetKind;
use crate::messages::column;
use crate::name_cache::NameCache;
use crate::route::Route;
use crate::safety::address_poisoning::Evidence;
use crate::sanitize::SafeText;
use crate::ui::format::{cut, fits};
use crate::ui::table::{LEAD_WIDTH, TableCell};
use crate::ui::theme::Role;

impl ChainEvent for Transaction {
    fn event(&self) -> EventFields<'_> {
        EventFields {
            transaction: Some(&self.hash),
            timestamp: &self.timestamp,
            block_number: &self.block_number,
            from: &self.from,
            to: self.callee(),
        }
    }
}

/// Fields on which outcome and callee depend, with their older names: a failed creation has no contract.
const OUTCOME_FIELDS: &[&str] = &[
    "status",
    "result",
    "has_error_in_internal_transactions",
    "has_error_in_internal_txs",
    "block_number",
    "block",
    "left_pool",
    "created_contract",
];
/// Fields on which the recipient of tokens depends: call and outcome. They are no paths of its column:
/// searches would look into all calldata.
const RECIPIENT_FIELDS: &[&[&str]] = &[&["raw_input", "to", "value"], OUTCOME_FIELDS];
/// Those on which the method depends, where the server does not name it.
const METHOD_FIELDS: &[&str] = &[
    "to",
    "has_error_in_internal_transactions",
    "has_error_in_internal_txs",
    "block_number",
    "block",
    "console_line_count",
];

/// Title of the column of the index in the block.
pub const INDEX_TITLE: &str = "#";
/// Title of the column of those who get the tokens that a call moves: the called contract does not.
const RECIPIENT_TITLE: &str = "recipient";
/// Labels of the value and of the outcome in a row's details.
pub const VALUE_LABEL: &str = "value";
pub const STATUS_LABEL: &str = "status";
const FEE_TITLE: &str = "fee";
/// Title of the column of the reasons of failures.
pub const REASON_TITLE: &str = "reason";

impl ListRow for Transaction {
    const LIST_NAME: &'static str = "transactions";
    const PLURAL: &'static str = "transactions";
    const SINGULAR: &'static str = "transaction";
    const NEWEST_FIRST: bool = true;
    const PREVIEW: RowPreview = RowPreview::Below;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            csv_name: Some("status"),
            kind: ColumnKind::Outcome,
            json_paths: &[
                "status",
                "result",
                "has_error_in_internal_transactions|has_error_in_internal_txs",
            ],
            other_fields: Some(&[OUTCOME_FIELDS]),
            width: text_width(1, 1, 0),
            cell: |t, cx, _| outcome_cell(t.outcome(), cx),
            full_value: |t| outcome_word(t.outcome()).into(),
            ..Column::TEXT
        },
        Column {
            csv_name: Some("error"),
            json_paths: &["result", "last_call_error"],
            other_fields: Some(&[OUTCOME_FIELDS]),
            full_value: |t| t.failure().unwrap_or_default(),
            csv_value: Some(|t, cx| {
                let reason = FailureReason::of(t, cx.name_cache, cx.signatures);
                let exact = reason.and_then(|reason| reason.exact());
                exact
                    .map_or_else(|| t.failure().unwrap_or_default().into(), |text| text.to_string())
            }),
            ..Column::TEXT
        },
        Column {
            csv_name: Some("has_inner_failures"),
            json_paths: &["has_error_in_internal_transactions|has_error_in_internal_txs"],
            usage: ColumnUse::InCsv,
            full_value: |t| csv_value(&t.has_inner_error),
            ..Column::TEXT
        },
        Column {
            title: INDEX_TITLE,
            json_paths: &["position"],
            other_fields: Some(&[]),
            usage: ColumnUse::In(&[ListSubject::Block]),
            width: number_width(3),
            cell: |t, _, _| text_cell(&t.position),
            full_value: |t| csv_value(&t.position),
            is_sorted_by_value: true,
            ..Column::NUMBER
        },
        pool_columns::STATE,
        common::age(4),
        common::block(10),
        Column {
            title: "tx",
            csv_name: Some("transaction_hash"),
            json_paths: &["hash"],
            other_fields: Some(&[]),
            kind: ColumnKind::Hash,
            width: text_width(11, 66, 8),
            cell: |t, _, width| hash_cell(&Field::Present(t.hash), width),
            full_value: |t| t.hash.to_string().into(),
            route: |item, _, _| Some(Route::Transaction(item.clone())),
            ..Column::TEXT
        },
        pool_columns::NONCE,
        Column {
            title: "method",
            csv_name: Some("method"),
            json_paths: &["method", "raw_input"],
            other_fields: Some(&[METHOD_FIELDS]),
            width: text_width(8, 24, 5),
            provenance: |t, cx| match CalledMethod::new(t, cx.name_cache, cx.signatures) {
                Field::Present(method) => method.source,
                _ => AS_SENT.into(),
            },
            cell: |t, cx, _| match t.kind_without_method() {
                Some(kind) => TableCell::new(kind, Role::Dim),
                None => method_cell(t, cx),
            },
            full_value: |t| csv_value(&t.known_method()),
            ..Column::TEXT
        },
        common::from(6),
        Column {
            cell: callee_cell,
            other_fields: Some(&[OUTCOME_FIELDS]),
            ..common::to("to_or_created", 2)
        },
        Column { cell: party_cell, other_fields: Some(&[OUTCOME_FIELDS]), ..common::party(2) },
        Column { other_fields: Some(&[OUTCOME_FIELDS]), ..common::direction() },
        Column {
            title: REASON_TITLE,
            json_paths: &["revert_reason", "result", "last_call_error"],
            other_fields: Some(&[OUTCOME_FIELDS]),
            width: text_width(8, 40, 5),
            provenance: |t, cx| {
                let reason = FailureReason::of(t, cx.name_cache, cx.signatures);
                reason.map_or(AS_SENT.into(), |reason| reason.source(&cx.network.endpoint))
            },
            cell: |t, cx, width| {
                let reason = reason_text(t, cx).unwrap_or_default();
                TableCell::new(cut(&reason, width).into_owned(), Role::Failed)
            },
            ..Column::TEXT
        },
        Column {
            title: VALUE_LABEL,
            csv_name: Some("value_wei"),
            width: number_width(1),
            provenance: |t, cx| {
                if moves_tokens(t, cx.name_cache) {
                    column::ARGUMENT_OF_CALL.into()
                } else {
                    (Column::<Self>::COIN.provenance)(t, cx)
                }
            },
            value_name: Some("value in wei"),
            cell: value_cell,
            ..field!(coin: value)
        },
        Column {
            title: RECIPIENT_TITLE,
            provenance: |_, _| column::ARGUMENT_OF_CALL.into(),
            other_fields: Some(RECIPIENT_FIELDS),
            kind: ColumnKind::Address,
            width: text_width(11, 80, 7),
            cell: recipient_cell,
            full_value: |t| {
                called_recipient(t).map_or("".into(), |recipient| recipient.to_string().into())
            },
            route: |_, t, _| Some(Route::Target(TargetKind::Address(called_recipient(t)?))),
            ..Column::TEXT
        },
        Column {
            title: FEE_TITLE,
            csv_name: Some("fee_wei"),
            json_paths: &["fee.value", "fee.type"],
            other_fields: Some(&[OUTCOME_FIELDS, FEE_TOKEN_FIELDS]),
            width: number_width(9),
            usage: ColumnUse::ExceptOnDevelopmentNodes,
            provenance: |t, cx| match t.fee_token() {
                Some(token) => decimals_provenance(token.value().and_then(|t| token_decimals(t))),
                None => (Column::<Self>::COIN.provenance)(t, cx),
            },
            cell: |t, cx, width| match (t.outcome(), &t.fee) {
                (TransactionOutcome::Dropped, _) => TableCell::absent(),
                (TransactionOutcome::Pending, fee) => {
                    let maximum = field_cell(fee, |fee| fee_cell(fee, cx, width));
                    let value = fee.value().and_then(|fee| fee.value.value());
                    let has_value = value.is_some_and(|value| !value.is_zero());
                    let mark = if has_value { "≤ " } else { "" };
                    let text = [mark, &*maximum.text].concat().into();
                    TableCell { text, role: Role::Dim, ..maximum }
                }
                // The viewed address pays only for its own transactions.
                (_, fee) => field_cell(fee, |fee| {
                    let cell = fee_cell(fee, cx, width);
                    let is_incoming = cx.viewed.is_some() && cx.viewed != t.from.hash();
                    if is_incoming { TableCell { role: Role::Dim, ..cell } } else { cell }
                }),
            },
            full_value: |t| {
                let in_coin = t.paid_fee().filter(|fee| fee.is_in_coin());
                in_coin.map_or("".into(), |fee| csv_value(&fee.value))
            },
            value_name: Some("fee in wei"),
            ..Column::COIN
        },
        gas_price_columns::MAX_PRICE,
        gas_price_columns::PRIORITY_PRICE,
        gas_price_columns::MAX_FEE,
        gas_price_columns::GAS_PRICE,
        Column {
            title: "gas used",
            csv_name: Some("gas_used"),
            json_paths: &["gas_used"],
            other_fields: Some(&[]),
            width: number_width(10),
            usage: ColumnUse::OfBlocksAndNodes,
            cell: |t, _, _| count_cell(&t.gas.used),
            full_value: |t| csv_value(&t.gas.used),
            ..Column::NUMBER
        },
        Column {
            csv_name: Some("fee_token"),
            json_paths: &["fee.token.address_hash"],
            other_fields: Some(&[FEE_TOKEN_FIELDS]),
            full_value: |t| {
                let token = t.fee_token().map(|token| token.as_ref());
                let contract = token.map(|token| token.and_then(|token| token.address.as_ref()));
                contract.map_or("".into(), |contract| csv_value(&contract))
            },
            ..Column::TEXT
        },
        Column {
            csv_name: Some("token_fee"),
            json_paths: &["fee.value", "fee.type"],
            other_fields: Some(&[OUTCOME_FIELDS, FEE_TOKEN_FIELDS]),
            full_value: |t| {
                let in_token = t.paid_fee().filter(|fee| !fee.is_in_coin());
                in_token.map_or("".into(), |fee| csv_value(&fee.value))
            },
            ..Column::NUMBER
        },
    ];
}

impl Row for Transaction {
    fn id(&self) -> Option<RowId> {
        Some(RowId::Hash(self.hash))
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let value = coin_amount(&self.value, cx);
        let callee = if self.creates() { "creates" } else { "to" };
        let mut lines = vec![
            ("tx", self.hash.to_string().into()),
            ("from", address_field_line(&self.from, cx)),
            (callee, address_field_line(self.callee(), cx)),
            (VALUE_LABEL, SafeText::new(&value)),
        ];
        let fee = self.describe_fee(cx);
        // The page of a block has block and time at the top.
        let status = match cx.subject {
            ListSubject::Block => self.marked_outcome(),
            _ => self.describe_status(cx),
        };
        lines.push(("status", SafeText::new(&status)));
        lines.push(("fee", SafeText::new(&fee)));
        lines
    }

    fn addresses(&self) -> Vec<Address> {
        let parties = self.parties().into_iter().map(|party| party.hash);
        parties.chain(called_recipient(self)).collect()
    }

    fn as_transaction(&self) -> Option<&Transaction> {
        Some(self)
    }

    fn copy_values(&self, viewed: Option<Address>) -> Vec<CopyValue> {
        let mut values = self.event().copy_values(viewed);
        values.push(CopyValue::new(
            Action::CopyMethod,
            "method",
            self.known_method().value().map(|method| &method.0),
        ));
        values.push(match called_amount(self) {
            Some((name, amount)) => CopyValue::new(Action::CopyValue, name, amount),
            None => CopyValue::new(Action::CopyValue, "value in wei", self.value.value()),
        });
        let input = self.raw_input.value().filter(|input| !input.is_empty());
        values.push(CopyValue::new(Action::CopyInput, "calldata", input));
        values
    }

    fn shown_value(&self, column: &ColumnHead, names: &NameCache) -> Option<CopyValue> {
        if column.title == FEE_TITLE {
            let fee = self.paid_fee().filter(|fee| !fee.is_in_coin())?;
            return Some(CopyValue::new(Action::CopyCell, column::FEE_IN_TOKEN, fee.value.value()));
        }
        let has_tokens = column.title == VALUE_LABEL && moves_tokens(self, names);
        let (name, amount) = called_amount(self).filter(|_| has_tokens)?;
        Some(CopyValue::new(Action::CopyCell, name, amount))
    }

    fn lacks_reason(&self) -> bool {
        let is_unread = self.result.value().is_none_or(|result| result == AWAITING);
        is_unread && self.outcome() == TransactionOutcome::Failed
    }

    fn has_computed_text(&self) -> bool {
        self.outcome() == TransactionOutcome::Failed
            || self.method_name().is_none() && !self.is_plain_send()
    }

    fn evidence(&self, viewed: Option<Address>) -> Vec<(Address, Evidence)> {
        let mut evidence: Vec<(Address, Evidence)> =
            self.parties().into_iter().map(|party| (party.hash, Evidence::Seen)).collect();
        let signer = self.from.hash().filter(|from| viewed == Some(*from));
        // A signature on a failed transaction is easily obtained.
        let Some(signer) = signer.filter(|_| self.has_succeeded()) else { return evidence };
        if let Some(callee) = self.callee().value() {
            let has_paid = self.value.value().is_some_and(|value| !value.is_zero());
            let how = if has_paid { Evidence::PaidIn } else { Evidence::NamedIn };
            evidence.push((callee.hash, how(self.hash)));
        }
        let recipient = TokenCall::new(self).and_then(|call| call.recipient(signer));
        evidence.extend(recipient.map(|to| (to, Evidence::NamedIn(self.hash))));
        evidence
    }
}

impl Transaction {
    fn creates(&self) -> bool {
        self.to.value().is_none() && self.created_contract.value().is_some()
    }

    /// Describes the outcome, the block and the time.
    fn describe_status(&self, cx: &RowContext<'_>) -> String {
        let outcome = self.marked_outcome();
        [outcome].into_iter().chain(self.event().place(cx)).collect::<Vec<_>>().join(" · ")
    }

    fn marked_outcome(&self) -> String {
        [outcome_mark(self.outcome()), &*self.describe_outcome()].concat()
    }

    /// Describes the fee, the gas and the nonce.
    fn describe_fee(&self, cx: &RowContext<'_>) -> String {
        let fee = self.fee.value().map(|fee| {
            exact_fee(fee, (cx.format.unit, cx.network))
                .unwrap_or_else(|| coin_amount(&fee.value, cx))
        });
        let gas = self.gas.used.value().map(|gas| format!("gas {}", Grouped(gas)));
        let nonce = self.nonce.value().map(|nonce| format!("nonce {nonce}"));
        let parts: Vec<String> = fee.into_iter().chain(gas).chain(nonce).collect();
        if parts.is_empty() { "—".to_owned() } else { parts.join(" · ") }
    }

    /// Returns the called address, or the created contract.
    fn callee(&self) -> &Field<AddressRef> {
        if self.creates() { self.created() } else { &self.to }
    }
}

impl Transaction {
    /// Returns `true` for a mined transaction that was not reverted.
    pub(super) fn has_succeeded(&self) -> bool {
        let is_ok =
            matches!(self.outcome(), TransactionOutcome::Ok | TransactionOutcome::OkInnerFailure);
        is_ok && self.block_number.value().is_some()
    }
}

fn callee_cell(transaction: &Transaction, cx: &RowContext<'_>, width: usize) -> TableCell {
    // There the recipients of tokens have no column of their own.
    let is_of_feed = cx.subject == ListSubject::Feed;
    let recipient = token_recipient(transaction, cx.name_cache).filter(|_| is_of_feed);
    if let Some(recipient) = recipient {
        return common::receiver_cell(&Field::Present(AddressRef::unnamed(recipient)), cx, width);
    }
    if !transaction.creates() {
        return common::receiver_cell(&transaction.to, cx, width);
    }
    let created = address_cell(transaction.created(), cx, width.saturating_sub(LEAD_WIDTH.into()));
    TableCell { lead: Some(("+", Role::Ok)), ..created }
}

fn reason_text(transaction: &Transaction, cx: &RowContext<'_>) -> Option<String> {
    let reason = FailureReason::of(transaction, cx.name_cache, cx.signatures)?;
    Some(reason.text(|at| short_name(at, cx)))
}

/// Returns the sent coin or, if that is none, the tokens that the call moves, with their unit. `None` if the
/// transaction itself moves nothing, as far as is known.
fn moved_value(
    transaction: &Transaction,
    names: &NameCache,
    (unit, network): (Unit, &Network),
) -> Option<String> {
    let sent = transaction.value.value().filter(|wei| !wei.is_zero());
    moved_tokens(transaction, names).or_else(|| Some(unit.describe(*sent?, network)))
}

fn value_cell(transaction: &Transaction, cx: &RowContext<'_>, width: usize) -> TableCell {
    if cx.subject == ListSubject::Feed
        && let Some(reason) = reason_text(transaction, cx)
    {
        let text = cut(&reason, width.min(MAX_UNIT_CELL_WIDTH.into())).into_owned();
        return TableCell { has_own_unit: true, ..TableCell::new(text, Role::Failed) };
    }
    let unit = cx.format.unit;
    let is_coin = transaction.value.value().is_some_and(|wei| !wei.is_zero());
    // The other units have the same number of decimals in all rows, and long numbers.
    let has_name = !is_coin || unit == Unit::Coin;
    let moved = moved_value(transaction, cx.name_cache, (unit, cx.network));
    match moved.filter(|_| has_name && !cx.is_in_full()) {
        Some(moved) if !is_coin || fits(&moved, width.min(MAX_UNIT_CELL_WIDTH.into())) => {
            let text = cut(&moved, width).into_owned();
            TableCell { has_own_unit: true, ..TableCell::new(text, Role::Value) }
        }
        _ => coin_cell(&transaction.value, cx),
    }
}

/// Returns the address that gets the tokens of a call. Blank if the call moves none.
fn recipient_cell(transaction: &Transaction, cx: &RowContext<'_>, width: usize) -> TableCell {
    let moves = moves_tokens(transaction, cx.name_cache);
    match called_recipient(transaction).filter(|_| moves) {
        Some(recipient) => {
            common::receiver_cell(&Field::Present(AddressRef::unnamed(recipient)), cx, width)
        }
        None => TableCell::default(),
    }
}

fn party_cell(transaction: &Transaction, cx: &RowContext<'_>, width: usize) -> TableCell {
    let EventFields { from, to, .. } = transaction.event();
    let cell = counterparty_cell(from, to, cx, width);
    let has_created = transaction.creates() && cell.address == to.hash();
    if has_created { TableCell { lead: Some(("+", Role::Ok)), ..cell } } else { cell }
}

/// Returns the method, with a mark if the transaction printed on the console.
fn method_cell(transaction: &Transaction, cx: &RowContext<'_>) -> TableCell {
    const CONSOLE_MARK: &str = " »";
    let cell = text_cell(&CalledMethod::new(transaction, cx.name_cache, cx.signatures));
    if transaction.console_line_count.value().is_none_or(|lines| *lines == 0) {
        return cell;
    }
    TableCell {
        text: [&*cell.text, CONSOLE_MARK].concat().into(),
        tail: CONSOLE_MARK.len(),
        ..cell
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::api::Item;
    use crate::chain::TxHash;

    #[test]
    fn fee_of_a_pending_transaction_is_a_maximum() {
        let fee = |block: Option<u64>, result: &str, value: &str| {
            let json = json!({
                "hash": TxHash::ZERO, "block_number": block, "result": result,
                "status": block.map(|_| "ok"), "fee": { "type": "maximum", "value": value },
            });
            let row = Item::<Transaction>::from_json(&to_raw_value(&json).unwrap()).parsed.unwrap();
            let column = Transaction::COLUMNS.iter().find(|column| column.title == FEE_TITLE);
            (column.unwrap().cell)(&row, &RowContext::blank(), usize::MAX).text.into_owned()
        };
        assert_eq!(fee(None, "pending", "2000000000000000"), "≤ 0.002");
        assert_eq!(fee(None, "pending", "0"), fee(Some(5), "success", "0"));
        assert_eq!(fee(Some(5), "success", "2000000000000000"), "0.002");
    }

    #[test]
    fn only_a_transaction_with_lines_on_the_console_has_their_mark() {
        for (lines, is_marked) in [(None, false), (Some(0), false), (Some(2), true)] {
            let json = json!({ "hash": TxHash::ZERO, "method": "go", "console_line_count": lines });
            let row = Item::<Transaction>::from_json(&to_raw_value(&json).unwrap()).parsed.unwrap();
            let cell = method_cell(&row, &RowContext::blank());
            assert_eq!(cell.text.ends_with(" »"), is_marked, "{lines:?}: {}", cell.text);
        }
    }
}

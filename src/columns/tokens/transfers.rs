//! The columns of token transfers, of an address or of the whole chain.

use crate::action::Action;
use crate::api::token_transfers::TokenTransfer;
use crate::api::{Field, ListSubject};
use crate::chain::fiat_value::FiatValue;
use crate::chain::{Address, TxHash, U256};
use crate::columns::cells::called_method::{called_line, method_cell, method_source};
use crate::columns::cells::token_amount::{
    WriteAmount, amount_decimals, decimals_provenance, describe_transferred, short_token_amount,
    token_amount, transferred_amount_cell, transferred_id_cell,
};
use crate::columns::cells::{
    address_field_line, amount_line, csv_value, field_cell, token_line, token_route,
    token_warnings, worth_cell,
};
use crate::columns::common::{self, ChainEvent, chain_event};
use crate::columns::table::any_row::RowId;
use crate::columns::table::column::{Column, ColumnUse, field, number_width, text_width};
use crate::columns::{CopyValue, ListRow, PartRoute, Row, RowContext};
use crate::messages::{column, token};
use crate::route::{Route, TransactionPart};
use crate::sanitize::SafeText;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

chain_event!(TokenTransfer, |row| &row.from => &row.to);

/// The id of an NFT, in CSV only: on the screen it is next to the token.
const CSV_TOKEN_ID: Column<TokenTransfer> = Column {
    csv_name: Some("token_id"),
    json_paths: &["total.token_id"],
    full_value: |t| t.total.value().map_or("".into(), |total| csv_value(&total.token_id)),
    ..Column::NUMBER
};

impl ListRow for TokenTransfer {
    const LIST_NAME: &'static str = "token-transfers";
    const PLURAL: &'static str = "token transfers";
    const SINGULAR: &'static str = "token transfer";
    const NEWEST_FIRST: bool = true;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            title: "#",
            json_paths: &["log_index"],
            is_computed: true,
            usage: ColumnUse::In(&[ListSubject::Transaction]),
            provenance: |_, _| column::COUNTED_BY_LOG.into(),
            width: number_width(3),
            cell: |t, cx, _| match t.number(cx) {
                Some(number) => TableCell::new(number.to_string(), Role::Dim),
                None => TableCell::default(),
            },
            ..Column::NUMBER
        },
        Column { is_grouped: true, ..common::age(6) },
        Column { is_grouped: true, ..common::block(10) },
        Column {
            is_grouped: true,
            json_paths: &["transaction_hash|tx_hash", "log_index"],
            ..common::transaction(8)
        },
        Column {
            title: "type",
            csv_name: Some("type"),
            width: text_width(4, 8, 5),
            cell: |t, cx, _| kind_cell(t, cx),
            ..field!(TEXT: kind)
        },
        Column {
            title: "method",
            is_grouped: true,
            width: text_width(8, 24, 7),
            usage: ColumnUse::EXCEPT_TRANSACTION,
            other_fields: Some(&[]),
            provenance: |t, cx| method_source(&t.method, cx),
            cell: |t, cx, _| method_cell(&t.method, cx),
            ..field!(TEXT: method)
        },
        common::from(4),
        common::to("to", 2),
        common::party(2),
        common::direction(),
        Column {
            title: "amount",
            csv_name: Some("value"),
            json_paths: &["total.value", "total.decimals", "token.decimals"],
            provenance: |t, _| decimals_provenance(t.decimals()),
            width: number_width(0),
            cell: |t, cx, _| TableCell {
                // Points of amounts of several tokens have nothing in common: each amount is next to its token.
                has_own_unit: cx.subject == ListSubject::Other,
                ..transferred_amount_cell(&t.total, t.decimals(), cx)
            },
            full_value: |t| t.total.value().map_or("".into(), |total| csv_value(&total.value)),
            value_name: Some("raw amount"),
            ..Column::AMOUNT
        },
        CSV_TOKEN_ID,
        field!(TEXT: log_index),
        Column {
            csv_name: Some("decimals"),
            json_paths: &["total.decimals", "token.decimals"],
            full_value: |t| csv_value(t.sent_decimals()),
            ..Column::TEXT
        },
        common::csv_token_contract(),
        Column {
            usage: ColumnUse::EXCEPT_TOKEN,
            ..common::token_symbol("token", text_width(6, 19, 1), |_, t, _| {
                token_route(t.token()?, None)
            })
        },
        Column {
            title: "id",
            csv_name: None,
            width: number_width(0),
            cell: |t, cx, _| transferred_id_cell(&t.total, cx),
            value_name: Some("token id"),
            route: |_, t, _| t.instance_route(),
            ..CSV_TOKEN_ID
        },
        Column {
            usage: ColumnUse::In(&[ListSubject::Transaction]),
            csv_name: None,
            ..common::token_name(text_width(13, 24, 7), |_, t, _| token_route(t.token()?, None))
        },
        Column {
            title: "USD now",
            json_paths: &["total.value", "token.exchange_rate", "token.decimals"],
            is_computed: true,
            usage: ColumnUse::In(&[ListSubject::Transaction]),
            width: number_width(6),
            cell: |t, cx, _| worth_cell(t.worth_now(), Role::Value, cx),
            ..Column::NUMBER
        },
        Column {
            usage: ColumnUse::EXCEPT_TOKEN,
            csv_name: Some("token_type"),
            json_paths: &["token_type", "token.type"],
            cell: |t, _, _| match t.standard() {
                Some(standard) => TableCell::new(standard.to_string(), Role::Dim),
                None => TableCell::absent(),
            },
            full_value: |t| t.standard().map_or("".into(), |s| s.to_string().into()),
            ..common::token_type(9)
        },
        Column {
            title: "log",
            csv_name: None,
            usage: ColumnUse::In(&[ListSubject::Transaction]),
            width: number_width(8),
            cell: |t, _, _| {
                field_cell(&t.log_index, |log| TableCell::new(log.to_string(), Role::Dim))
            },
            ..field!(NUMBER: log_index)
        },
    ];

    const PART: Option<PartRoute<Self>> = Some(|item, transaction| {
        Some(Route::Part { transaction, part: TransactionPart::Transfer(item.clone()) })
    });
}

impl Row for TokenTransfer {
    fn id(&self) -> Option<RowId> {
        let (hash, (log, amounts, parties)) = (*self.transaction_hash.value()?, self.place()?);
        Some(RowId::Transfer(Box::new((hash, log, amounts, parties))))
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let is_in_transaction = cx.transaction.is_some();
        let tx = (!is_in_transaction).then(|| ("tx", self.transaction_hash.to_string().into()));
        let parties = [("from", &self.from), ("to", &self.to)]
            .map(|(label, party)| (label, address_field_line(party, cx)));
        let mut lines: Vec<_> = tx.into_iter().chain(parties).collect();
        let amount = match self.worth_now() {
            Some(worth) => format!("{} ({} now)", self.describe_amount(), worth.readable()),
            None => self.describe_amount(),
        };
        lines.push((
            "amount",
            match self.token() {
                Some(_) if is_in_transaction => SafeText::new(&amount),
                // The page of a token has it at the top.
                _ if cx.subject == ListSubject::Token => SafeText::new(&amount),
                None => SafeText::new(&format!("{amount} · {}", column::NOT_INDEXED_YET)),
                token => amount_line(&amount, token),
            },
        ));
        let token = self.token().filter(|_| is_in_transaction);
        lines.extend(token.map(|token| ("token", token_line(token))));
        lines.extend(called_line(&self.method, cx));
        let place: Vec<String> = self.event().place(cx).collect();
        if !place.is_empty() && !is_in_transaction {
            lines.push(("status", SafeText::new(&place.join(" · "))));
        }
        lines
    }

    fn part_of(&self) -> Option<TxHash> {
        self.transaction_hash.value().copied()
    }

    fn copy_values(&self, viewed: Option<Address>) -> Vec<CopyValue> {
        let contract = self.token().and_then(|token| token.address.value());
        let total = self.total.value();
        let value = total.and_then(|total| total.value.value().or(total.token_id.value()));
        let mut values = self.event().copy_values(viewed);
        values.push(CopyValue::new(Action::CopyToken, "token's contract", contract));
        values.push(CopyValue::new(
            Action::CopyMethod,
            "method",
            self.method.value().map(|method| &method.0),
        ));
        values.push(CopyValue::new(Action::CopyValue, "raw value", value));
        values
    }

    fn has_computed_text(&self) -> bool {
        self.method.value().is_some_and(|method| method.selector().is_some())
    }

    fn warnings(&self) -> Vec<SafeText> {
        let mut warnings = token_warnings(self.token());
        if self.is_of_nothing() {
            warnings.push(token::TRANSFER_OF_ZERO.into());
        }
        warnings
    }
}

impl TokenTransfer {
    /// Returns its number among the transfers of the transaction whose list has it, in the order of their logs.
    fn number(&self, cx: &RowContext<'_>) -> Option<usize> {
        let all = cx.name_cache.transfers(&cx.transaction?);
        let id = self.id()?;
        let place = all.iter().position(|transfer| transfer.id().as_ref() == Some(&id))?;
        Some(place + 1)
    }

    /// Returns the decimals as they were sent: with the amount, else with the token.
    fn sent_decimals(&self) -> &Field<u8> {
        match self.total.value().map(|total| &total.decimals) {
            None | Some(Field::Absent) => {
                self.token().map_or(&Field::Absent, |token| &token.decimals)
            }
            Some(sent) => sent,
        }
    }

    /// Returns the value of the amount in dollars at today's rate.
    pub fn worth_now(&self) -> Option<FiatValue> {
        let amount = *self.total.value()?.value.value()?;
        FiatValue::new(amount, self.decimals()?, self.token()?.exchange_rate.value()?)
    }

    pub fn decimals(&self) -> Option<u8> {
        amount_decimals(self.token(), self.standard(), &self.total.value()?.decimals)
    }

    fn is_of_nothing(&self) -> bool {
        let total = self.total.value();
        total.is_some_and(|total| total.value.value() == Some(&U256::ZERO))
    }

    pub fn standard(&self) -> Option<&SafeText> {
        self.token_type.value().or_else(|| self.token().and_then(|token| token.kind.value()))
    }

    /// Returns `mint`, `burn`, `transfer`, or the explorer's own word.
    pub fn kind_name(&self) -> &str {
        match self.kind.value().map_or("token_transfer", |kind| kind) {
            "token_minting" => "mint",
            "token_burning" => "burn",
            "token_spawning" => "spawn",
            "token_transfer" => "transfer",
            other => other,
        }
    }

    /// Returns the transferred amount in a few words, with a `!` if the transfer is suspicious: `1,250
    /// USDC`, `mint !0 USDC`.
    pub fn summary(&self) -> String {
        self.summary_with(token_amount)
    }

    /// Returns the summary with the first digits of the amount.
    pub fn short_summary(&self) -> String {
        self.summary_with(short_token_amount)
    }

    fn summary_with(&self, amount: WriteAmount) -> String {
        let word = Some(self.kind_name()).filter(|kind| *kind != "transfer");
        let kind = word.map(|kind| [kind, " "].concat()).unwrap_or_default();
        let mark = if self.warnings().is_empty() { "" } else { "!" };
        [&kind, mark, &self.amount_with(amount)].concat()
    }

    pub fn describe_amount(&self) -> String {
        self.amount_with(token_amount)
    }

    fn amount_with(&self, amount: WriteAmount) -> String {
        describe_transferred(self.token(), &self.total, self.decimals(), amount)
    }

    fn instance_route(&self) -> Option<Route> {
        let instance = self.total.value()?.token_instance.value()?;
        let token = self.token().cloned().map(Box::new);
        Some(Route::Instance { instance: instance.clone(), token })
    }
}

/// Returns a word for everything that is not a plain transfer, or the kind in full.
fn kind_cell(transfer: &TokenTransfer, cx: &RowContext<'_>) -> TableCell {
    field_cell(&transfer.kind, |_| match transfer.kind_name() {
        name @ ("mint" | "spawn") => TableCell::new(name.to_owned(), Role::Ok),
        "burn" => TableCell::new("burn", Role::Warning),
        "transfer" => TableCell::new(if cx.is_in_full() { "transfer" } else { "" }, Role::Dim),
        other => TableCell::new(other.to_owned(), Role::Plain),
    })
}

//! The columns of state changes.

use std::borrow::Cow;

use alloy_primitives::keccak256;

use super::cells::token_amount::{decimals_provenance, token_amount_cell, token_decimals};
use super::cells::{
    address_field_line, csv_value, csv_value_with, field_cell, id_text, name_or_address_cell,
    short_token_line, signed_worth_cell, symbol, symbol_cell, token_route,
};
use super::common;
use super::table::any_row::RowId;
use super::table::column::{Column, ColumnUse, field, number_width, text_width};
use super::{CopyValue, ListRow, PartRoute, Row, RowContext, TitledCell};
use crate::action::Action;
use crate::api::address::AddressRef;
use crate::api::state_changes::{BalanceDelta, StateChange};
use crate::api::transactions::{Transaction, TransactionFee};
use crate::api::{Field, ListSubject};
use crate::chain::decimal::sortable_digits;
use crate::chain::fiat_value::{ExchangeRate, FiatValue};
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::network::Network;
use crate::chain::significant_digits::{
    common_places, format_balances, format_balances_to, format_change, format_with_change,
};
use crate::chain::{Address, U256};
use crate::messages::{column, token};
use crate::route::{Route, TransactionPart};
use crate::sanitize::SafeText;
use crate::ui::address_mark::MARK_WIDTH;
use crate::ui::format::{cut, width as text_columns};
use crate::ui::marked_text::MarkedText;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

/// Maximum transfers in the cell of a change.
const MAX_TRANSFERS: usize = 20;
/// Maximum transfers in the details of a change.
const MAX_TRANSFER_LINES: usize = 8;

impl ListRow for StateChange {
    const LIST_NAME: &'static str = "state-changes";
    const DETAIL_LINES: u16 = 7;
    const PLURAL: &'static str = "state changes";
    const SINGULAR: &'static str = "state change";
    const NEWEST_FIRST: bool = false;
    const LAST_LINE: fn(&RowContext<'_>) -> Vec<TitledCell> = burnt_line;
    const END_NOTE: fn(&Network) -> &'static str =
        |network| if network.endpoint.is_node() { "" } else { column::STORAGE_FROM_NODES };
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            title: "address",
            json_paths: &["address.hash", "address.name", "is_miner"],
            is_computed: true,
            is_grouped: true,
            width: text_width(11, 60, 2),
            cell: |row, cx, width| row.account_cell(cx, width),
            ..field!(address: address)
        },
        Column {
            title: "asset",
            csv_name: Some("asset"),
            json_paths: &[
                "type",
                "token.symbol",
                "token.name",
                "token.address_hash|address",
                "variable",
                "slot",
                "unknown",
            ],
            width: text_width(16, 60, 1),
            cell: |row, cx, width| {
                if row.is_slot() {
                    row.slot_cell(cx, width)
                } else if let Some(why) = row.unknown.value() {
                    let text = column::UnknownStorageError(why).to_string();
                    TableCell::new(cut(&text, width).into_owned(), Role::Warning)
                } else if row.is_coin() {
                    row.coin_unit_cell(cx)
                } else {
                    field_cell(&row.token, |token| symbol_cell(token, cx, width))
                }
            },
            route: |_, row, _| token_route(row.token()?, None),
            ..field!(TEXT: kind)
        },
        common::csv_token_contract(),
        common::csv_token_decimals(),
        Column {
            title: "before",
            json_paths: &["balance_before", "token.decimals", "stored_before", "word_before"],
            provenance: StateChange::provenance,
            width: number_width(4),
            value_name: Some("value before"),
            cell: |row, cx, _| {
                let [before, _] = row.balance_cells(cx);
                before
            },
            ..field!(AMOUNT: balance_before)
        },
        Column {
            title: "after",
            json_paths: &["balance_after", "token.decimals", "stored_after", "word_after"],
            provenance: StateChange::provenance,
            width: number_width(3),
            value_name: Some("value after"),
            cell: |row, cx, _| {
                let [_, after] = row.balance_cells(cx);
                after
            },
            ..field!(AMOUNT: balance_after)
        },
        Column {
            title: "change",
            csv_name: Some("change"),
            json_paths: &["change", "token.decimals", "stored_before", "stored_after"],
            provenance: StateChange::provenance,
            is_computed: true,
            width: number_width(0),
            cell: |row, cx, _| match row.difference_cell(cx) {
                _ if row.is_slot() => row.stored_change_cell(cx),
                cell if row.is_contradicted() => TableCell {
                    text: ["!", &cell.text].concat().into(),
                    role: Role::Warning,
                    ..cell
                },
                cell => cell,
            },
            full_value: |row| csv_value_with(&row.change, BalanceDelta::raw),
            ..Column::AMOUNT
        },
        Column {
            title: "USD now",
            json_paths: &["change", "token.exchange_rate", "token.decimals"],
            cell: |row, cx, _| {
                if row.is_slot() {
                    return TableCell::default();
                }
                let is_loss = matches!(row.change.value(), Some(BalanceDelta::Loss(_)));
                let role = if is_loss { Role::Loss } else { Role::Ok };
                signed_worth_cell(is_loss, row.worth_now(cx), role, cx)
            },
            is_computed: true,
            usage: ColumnUse::In(&[ListSubject::Transaction]),
            width: number_width(5),
            ..Column::NUMBER
        },
        Column {
            title: "transfers",
            provenance: |_, _| column::TRANSFERS_OF_ACCOUNT.into(),
            is_computed: true,
            usage: ColumnUse::In(&[ListSubject::Transaction]),
            width: text_width(24, 90, 10),
            cell: |row, cx, width| row.transfers_cell(cx, width),
            ..Column::TEXT
        },
        Column {
            title: "id",
            json_paths: &["token_id", "change"],
            is_computed: true,
            width: text_width(4, 80, 1),
            cell: |row, cx, width| row.ids_cell(cx, width),
            ..field!(TEXT: token_id)
        },
        field!(TEXT: slot),
        field!(TEXT: variable),
        field!(TEXT: variable_type),
        field!(TEXT: stored_before),
        field!(TEXT: stored_after),
        field!(TEXT: word_before),
        field!(TEXT: word_after),
        field!(TEXT: unknown),
    ];

    const PART: Option<PartRoute<Self>> = Some(|item, transaction| {
        Some(Route::Part { transaction, part: TransactionPart::StateChange(item.clone()) })
    });
}

impl Row for StateChange {
    fn id(&self) -> Option<RowId> {
        if let Some(slot) = self.slot.value() {
            let variable = self.variable.value().map(|path| path.as_bytes()).unwrap_or_default();
            let address = self.address.value()?.hash;
            return Some(RowId::Hash(keccak256(
                [slot.as_slice(), &address[..], variable].concat(),
            )));
        }
        let token = self.token().and_then(|token| token.address.value().copied());
        let id = (self.address.value()?.hash, token, self.token_id.value().copied());
        Some(RowId::StateChange(Box::new(id)))
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        if self.is_slot() {
            return self.slot_lines(cx);
        }
        if let Some(why) = self.unknown.value() {
            return vec![("storage", why.clone())];
        }
        let asset = if self.is_coin() {
            SafeText::new(cx.format.unit.name(cx.network))
        } else {
            self.token().map_or(column::NOT_INDEXED_YET.into(), short_token_line)
        };
        let in_full = RowContext { abbreviator: None, ..*cx };
        let unit = self.unit_name(cx);
        let amount = |cell: TableCell| match &unit {
            Some(unit) if !matches!(cell.role, Role::Dim | Role::Warning) => {
                SafeText::new(&format!("{} {unit}", cell.text))
            }
            _ => SafeText::new(&cell.text),
        };
        let address = address_field_line(&self.address, cx);
        let role = match self.is_miner.value() {
            Some(true) => format!(" ({})", column::FEE_RECIPIENT),
            _ => String::new(),
        };
        let mut lines = vec![
            ("address", SafeText::new(&[&*address, &role].concat())),
            ("asset", asset),
            ("before", amount(self.balance_cell(&self.balance_before, &in_full))),
            ("after", amount(self.balance_cell(&self.balance_after, &in_full))),
            ("change", amount(self.difference_cell(&in_full))),
        ];
        if !self.is_fee_alone(cx) {
            lines.extend(self.fee(cx).map(|fee| {
                let fee = TableCell { text: ["−", &fee.text].concat().into(), ..fee };
                ("fee", amount(fee))
            }));
        } else if let Some((_, change)) = lines.last_mut() {
            *change = SafeText::new(&format!("{change} ({})", column::THE_FEE));
        }
        lines.extend(self.worth(cx).map(|worth| ("worth", worth)));
        lines.extend(self.transfer_lines(cx));
        let ids = self.ids(&in_full);
        lines.extend((!ids.is_empty()).then(|| ("ids", SafeText::new(&ids))));
        let warning = token::CONTRADICTED_BY_BALANCES;
        lines.extend(self.is_contradicted().then(|| ("warning", warning.into())));
        lines
    }

    /// Returns the place of the account in the transfers of the transaction.
    fn usual_place(&self, cx: &RowContext<'_>) -> Option<String> {
        let place = cx.name_cache.account_place(&cx.transaction?, &self.address.value()?.hash)?;
        Some(sortable_digits(&place.to_string()))
    }

    fn copy_values(&self, _: Option<Address>) -> Vec<CopyValue> {
        let address = self.address.hash();
        let contract = self.token().and_then(|token| token.address.value());
        let change = self.change.value().map(BalanceDelta::raw);
        vec![
            CopyValue::new(Action::CopyAddress, "address", address),
            CopyValue::new(Action::CopyToken, "token's contract", contract),
            CopyValue::new(Action::CopyValue, "raw difference", change),
        ]
    }
}

impl StateChange {
    fn is_coin(&self) -> bool {
        self.kind.value().is_some_and(|kind| kind == "coin")
    }

    /// Returns the cell of the address, of the block producer's after its role or, in few columns, the role
    /// alone.
    fn account_cell(&self, cx: &RowContext<'_>, width: usize) -> TableCell {
        let cell = field_cell(&self.address, |address| name_or_address_cell(address, cx, width));
        if self.is_miner.value() != Some(&true) {
            return cell;
        }
        let both = [column::FEE_RECIPIENT, " ", &*cell.text].concat();
        let is_long = text_columns(&both) + usize::from(MARK_WIDTH) > width;
        let text = if is_long { column::FEE_RECIPIENT.to_owned() } else { both };
        TableCell { text: text.into(), ..cell }
    }

    /// Returns the cell of the coin's unit, with a note if the change is the fee or has it in it.
    fn coin_unit_cell(&self, cx: &RowContext<'_>) -> TableCell {
        let unit = MarkedText::new(cx.format.unit.name(cx.network).to_owned(), Role::Plain);
        let note = match (self.is_fee_alone(cx), self.paid_fee(cx)) {
            (true, _) => Some(MarkedText::new(" fee", Role::Dim)),
            (false, Some(_)) => {
                Some(MarkedText::new([" ", column::WITH_THE_FEE].concat(), Role::Dim))
            }
            (false, None) => None,
        };
        TableCell::of_parts([unit].into_iter().chain(note).collect())
    }

    /// Returns `true` if the address lost the fee and nothing else.
    fn is_fee_alone(&self, cx: &RowContext<'_>) -> bool {
        match (self.change.value(), self.paid_fee(cx)) {
            (Some(BalanceDelta::Loss(lost)), Some(fee)) => *lost == fee,
            _ => false,
        }
    }

    /// Returns the unit of the amounts: the coin's or the token's symbol, if the decimals are known.
    fn unit_name(&self, cx: &RowContext<'_>) -> Option<SafeText> {
        if self.is_coin() {
            return Some(SafeText::new(cx.format.unit.name(cx.network)));
        }
        self.decimals()?;
        Some(symbol(self.token()?))
    }

    /// Returns the fee of the transaction if the address paid it.
    fn paid_fee(&self, cx: &RowContext<'_>) -> Option<U256> {
        let transaction = own_transaction(cx).filter(|_| self.is_coin())?;
        let is_payer = transaction.from.hash()? == self.address.hash()?;
        transaction.paid_fee().filter(|_| is_payer)?.wei().copied()
    }

    fn fee(&self, cx: &RowContext<'_>) -> Option<TableCell> {
        let in_full = RowContext { abbreviator: None, ..*cx };
        Some(self.amount_cell(self.paid_fee(cx)?, &in_full))
    }

    /// Returns the value of the change in dollars, at the explorer's rates: of the coin then and now.
    fn worth(&self, cx: &RowContext<'_>) -> Option<SafeText> {
        let (BalanceDelta::Gain(amount) | BalanceDelta::Loss(amount)) = self.change.value()? else {
            return None;
        };
        let worth = |rate: ExchangeRate<'_>, decimals| {
            let time = if rate.is_current { "now" } else { "then" };
            Some(format!("{} {time}", rate.value_alone(*amount, decimals)?))
        };
        if let Some(token) = self.token() {
            let rate = ExchangeRate { dollars: token.exchange_rate.value()?, is_current: true };
            return Some(SafeText::new(&worth(rate, self.decimals()?)?));
        }
        let transaction = own_transaction(cx)?;
        let mut rates: Vec<ExchangeRate<'_>> =
            [transaction.coin_rate(), transaction.current_coin_rate()]
                .into_iter()
                .flatten()
                .collect();
        rates.dedup();
        let values = rates.into_iter().filter_map(|rate| worth(rate, cx.network.decimals));
        let text = values.collect::<Vec<_>>().join(", ");
        (!text.is_empty()).then(|| SafeText::new(&text))
    }

    /// Returns the value of the change in dollars at today's rate.
    fn worth_now(&self, cx: &RowContext<'_>) -> Option<FiatValue> {
        let (BalanceDelta::Gain(amount) | BalanceDelta::Loss(amount)) = self.change.value()? else {
            return None;
        };
        if let Some(token) = self.token() {
            return FiatValue::new(*amount, self.decimals()?, token.exchange_rate.value()?);
        }
        let coin = own_transaction(cx).filter(|_| self.is_coin())?.current_coin_rate();
        let rate = coin.filter(|rate| rate.is_current)?;
        FiatValue::new(*amount, cx.network.decimals, rate.dollars)
    }

    /// Returns the token transfers of the transaction that the change sums up: number and party, and amount.
    fn transfers(&self, cx: &RowContext<'_>) -> Vec<[String; 2]> {
        let account = self.address.value().map(|address| address.hash);
        let token = self.token().and_then(|token| token.address.value());
        let (Some(hash), Some(account), Some(token)) = (cx.transaction, account, token) else {
            return Vec::new();
        };
        let party = |party: &Field<AddressRef>| party.value().map(|party| party.hash);
        let all = (1..).zip(cx.name_cache.transfers(&hash));
        let own = all.filter_map(|(number, moved)| {
            let moved_token = moved.token.value().and_then(|token| token.address.value());
            if moved_token != Some(token) {
                return None;
            }
            let (arrow, other) = match (party(&moved.from), party(&moved.to)) {
                (Some(from), to) if from == account => ("→", to),
                (from, Some(to)) if to == account => ("←", from),
                _ => return None,
            };
            let name = other.map(|other| {
                let name = cx.name_cache.short_name(&other);
                name.map_or_else(|| abbreviate(&other), Cow::into_owned)
            });
            let name = name.unwrap_or_else(|| "?".to_owned());
            Some([format!("#{number} {arrow} {name}"), moved.short_summary()])
        });
        own.take(MAX_TRANSFERS).collect()
    }

    fn transfer_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let labels = std::iter::once("transfers").chain(std::iter::repeat(""));
        let lines = self.transfers(cx).into_iter().take(MAX_TRANSFER_LINES);
        let texts = lines.map(|parts| SafeText::new(&parts.join("  ")));
        labels.zip(texts).collect()
    }

    /// Returns the cell of the transfers that the change sums up, or the part of the fee that it is. The change
    /// is their amount.
    fn transfers_cell(&self, cx: &RowContext<'_>, width: usize) -> TableCell {
        let tip = own_transaction(cx).map(Transaction::fee_parts).map(|[tip, _]| tip);
        if let (Some(BalanceDelta::Gain(gained)), Some(Field::Present(tip))) =
            (self.change.value(), tip)
            && self.is_miner.value() == Some(&true)
            && self.is_coin()
            && *gained == tip
        {
            return TableCell::new(column::THE_TIP, Role::Dim);
        }
        let transfers = self.transfers(cx);
        let parties: Vec<&str> = transfers.iter().map(|[party, _]| &**party).collect();
        let knows_all = cx.transaction.is_some_and(|hash| cx.name_cache.knows_all_transfers(&hash));
        let is_whole = transfers.is_empty() || knows_all && transfers.len() < MAX_TRANSFERS;
        let rest = if is_whole { "" } else { ", …" };
        let text = parties.join(", ") + rest;
        TableCell::new(cut(&text, width).into_owned(), Role::Plain)
    }

    fn decimals(&self) -> Option<u8> {
        self.token().and_then(token_decimals)
    }

    fn provenance(&self, cx: &RowContext<'_>) -> SafeText {
        if self.is_slot() {
            self.stored_provenance(cx)
        } else if self.is_coin() {
            decimals_provenance(Some(cx.format.unit.decimals(cx.network.decimals)))
        } else {
            decimals_provenance(self.decimals())
        }
    }

    fn shown_decimals(&self, cx: &RowContext<'_>) -> Option<u8> {
        let unit = cx.format.unit;
        if self.is_coin() { Some(unit.decimals(cx.network.decimals)) } else { self.decimals() }
    }

    fn amount_cell(&self, value: U256, cx: &RowContext<'_>) -> TableCell {
        token_amount_cell(value, self.shown_decimals(cx), cx)
    }

    /// Returns the cells of what there was before and after: a balance, or a value in storage.
    fn balance_cells(&self, cx: &RowContext<'_>) -> [TableCell; 2] {
        if self.is_slot() {
            return self.stored_cells(cx);
        }
        [&self.balance_before, &self.balance_after].map(|balance| self.balance_cell(balance, cx))
    }

    /// Returns the cell of a balance, with the digits that changed.
    fn balance_cell(&self, balance: &Field<U256>, cx: &RowContext<'_>) -> TableCell {
        // A balance that changed was not absent.
        if matches!(balance, Field::Absent) && self.token().is_some() {
            return TableCell::new("?", Role::Warning);
        }
        field_cell(balance, |value| {
            let decimals = self.shown_decimals(cx).filter(|_| !cx.is_in_full() && !value.is_zero());
            match decimals.and_then(|decimals| self.shown_balance(*value, decimals, cx)) {
                Some(text) => TableCell::new(text, Role::Value),
                None => self.amount_cell(*value, cx),
            }
        })
    }

    /// Returns a balance with the digits that changed.
    fn shown_balance(&self, value: U256, decimals: u8, cx: &RowContext<'_>) -> Option<String> {
        let change = match self.change.value()? {
            BalanceDelta::Gain(change) | BalanceDelta::Loss(change) if !change.is_zero() => *change,
            _ => return None,
        };
        let both = self.balance_before.value().zip(self.balance_after.value());
        let Some((before, after)) =
            both.filter(|(before, after)| before.abs_diff(**after) == change)
        else {
            return Some(format_with_change(value, change, decimals));
        };
        let balances = [*before, *after];
        let places = self.places([change, *before, *after], decimals, cx);
        let shown = format_balances_to(balances, decimals, places);
        let [shown_before, shown_after] =
            shown.unwrap_or_else(|| format_balances(balances, decimals));
        Some(if value == *before { shown_before } else { shown_after })
    }

    /// Returns the number of digits after the point of some amounts, for the coin the same in all rows.
    fn places(&self, amounts: [U256; 3], decimals: u8, cx: &RowContext<'_>) -> usize {
        let least = if self.is_coin() { coin_places(cx) } else { 0 };
        common_places(amounts, decimals).max(least)
    }

    /// Returns the change with as many digits after the point as the balances around it.
    fn shown_change(&self, change: U256, cx: &RowContext<'_>) -> Option<String> {
        let decimals = self.shown_decimals(cx).filter(|_| !cx.is_in_full() && !change.is_zero())?;
        let balance = |field: &Field<U256>| field.value().copied().unwrap_or_default();
        let amounts = [change, balance(&self.balance_before), balance(&self.balance_after)];
        format_change(change, decimals, self.places(amounts, decimals, cx))
    }

    fn difference_cell(&self, cx: &RowContext<'_>) -> TableCell {
        field_cell(&self.change, |change| {
            let (sign, value, role) = match change {
                BalanceDelta::Gain(U256::ZERO) => ("", U256::ZERO, Role::Dim),
                BalanceDelta::Gain(value) => ("+", *value, Role::Ok),
                BalanceDelta::Loss(value) => ("−", *value, Role::Loss),
                BalanceDelta::Instances(moves) => {
                    let gained = moves.iter().filter(|moved| moved.is_gain()).count();
                    let text = match (gained, moves.len() - gained) {
                        (gained, 0) => format!("+{gained}"),
                        (0, lost) => format!("−{lost}"),
                        (gained, lost) => format!("+{gained} −{lost}"),
                    };
                    return TableCell::new(text, Role::Value);
                }
            };
            let cell = self.amount_cell(value, cx);
            let number = self.shown_change(value, cx);
            let text = [sign, number.as_deref().unwrap_or(&cell.text)].concat();
            // In one tone, as the balances around it.
            TableCell { text: text.into(), role, tail: 0, ..cell }
        })
    }

    fn ids(&self, cx: &RowContext<'_>) -> String {
        let moves = match self.change.value() {
            Some(BalanceDelta::Instances(moves)) => moves.as_slice(),
            _ => &[],
        };
        let signed_ids = moves.iter().map(|moved| {
            let field = moved.total.value().map_or(&Field::Absent, |total| &total.token_id);
            let id = field.display_with(|id| id_text(id, cx).into());
            [if moved.is_gain() { "+" } else { "−" }, &id].concat()
        });
        let own = self.token_id.value().map(|id| id_text(id, cx));
        own.into_iter().chain(signed_ids).collect::<Vec<_>>().join(" ")
    }

    fn ids_cell(&self, cx: &RowContext<'_>, width: usize) -> TableCell {
        TableCell::new(cut(&self.ids(cx), width).into_owned(), Role::Value)
    }
}

/// Returns the transaction whose changes are listed.
fn own_transaction<'a>(cx: &RowContext<'a>) -> Option<&'a Transaction> {
    cx.name_cache.transaction(&cx.transaction?)?.parsed.as_ref().ok()
}

/// Returns the number of digits after the point of all amounts of the coin: enough for each part of the fee.
fn coin_places(cx: &RowContext<'_>) -> usize {
    let Some(transaction) = own_transaction(cx) else { return 0 };
    let parts = transaction.fee_parts();
    let parts = parts.iter().filter_map(Field::value).copied();
    let fee = transaction.paid_fee().and_then(TransactionFee::wei).copied();
    common_places(parts.chain(fee), cx.format.unit.decimals(cx.network.decimals))
}

/// Returns the line of the burnt part of the fee, without which the changes of the coin do not add up to zero.
fn burnt_line(cx: &RowContext<'_>) -> Vec<TitledCell> {
    let transaction = own_transaction(cx);
    let rate = transaction.and_then(Transaction::current_coin_rate).filter(|rate| rate.is_current);
    let parts = transaction.map(Transaction::fee_parts);
    let burnt = parts.and_then(|[_, burnt]| burnt.value().copied());
    let Some(burnt) = burnt.filter(|burnt| !burnt.is_zero()) else { return Vec::new() };
    let worth = rate.and_then(|rate| FiatValue::new(burnt, cx.network.decimals, rate.dollars));
    let unit = cx.format.unit;
    let decimals = unit.decimals(cx.network.decimals);
    let places = if cx.is_in_full() { None } else { Some(coin_places(cx)) };
    let shown = places.and_then(|places| format_change(burnt, decimals, places));
    let whole = || token_amount_cell(burnt, Some(decimals), cx).text.into_owned();
    let amount = shown.unwrap_or_else(whole);
    vec![
        ("address", TableCell::new(column::BURNT_FEE, Role::Dim)),
        ("asset", TableCell::new(unit.name(cx.network).to_owned(), Role::Dim)),
        ("change", TableCell::new(["+", &amount].concat(), Role::Dim)),
        ("USD now", signed_worth_cell(false, worth, Role::Dim, cx)),
        ("transfers", TableCell::new(column::BASE_FEE_OF_GAS, Role::Dim)),
    ]
}

impl BalanceDelta {
    /// Returns the change in the smallest unit, or in instances.
    fn raw(&self) -> String {
        match self {
            Self::Gain(value) => value.to_string(),
            Self::Loss(value) => format!("-{value}"),
            Self::Instances(moves) => {
                let ids = moves.iter().map(|moved| {
                    let id = moved.total.value().map_or(&Field::Absent, |total| &total.token_id);
                    let sign = if moved.is_gain() { "+" } else { "-" };
                    // No number to add up.
                    format!("{sign}#{}", csv_value(id))
                });
                ids.collect::<Vec<_>>().join(" ")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json_fields::FromJson;

    #[test]
    fn amounts_of_the_detail_have_their_unit() {
        let token = serde_json::json!({"type": "ERC-20", "symbol": "GLD", "decimals": "6"});
        for (token, unit) in [(serde_json::Value::Null, "ETH"), (token, "GLD")] {
            let kind = if token.is_null() { "coin" } else { "token" };
            let json = serde_json::json!({
                "type": kind, "token": token, "balance_before": "0",
                "balance_after": "2000000000000000000", "change": "2000000000000000000",
            });
            let raw = serde_json::value::to_raw_value(&json).unwrap();
            let row = StateChange::from_json((&*raw).into()).unwrap();
            let lines = row.detail_lines(&RowContext::blank());
            let line = |label| &lines.iter().find(|(own, _)| *own == label).unwrap().1;
            assert_eq!(**line("before"), format!("0 {unit}"));
            assert!(line("after").ends_with(unit), "{}", line("after"));
            assert!(line("change").starts_with('+') && line("change").ends_with(unit));
        }
    }

    #[test]
    fn balances_that_were_not_sent_are_unknown() {
        let token = serde_json::json!({ "type": "ERC-1155", "symbol": "CO" });
        for (kind, token, shown) in [("token", token, "?"), ("coin", serde_json::Value::Null, "—")]
        {
            let json = serde_json::json!({ "type": kind, "token": token, "balance_before": null,
                "balance_after": null, "change": "-4" });
            let raw = serde_json::value::to_raw_value(&json).unwrap();
            let row = StateChange::from_json((&*raw).into()).unwrap();
            let cells = row.balance_cells(&RowContext::blank()).map(|cell| cell.text);
            assert_eq!(cells, [shown; 2]);
        }
    }

    #[test]
    fn words_of_a_changed_slot_look_different() {
        let json = serde_json::json!({
            "type": "storage", "slot": crate::chain::B256::repeat_byte(7),
            "word_before": format!("0x{}", "0".repeat(64)),
            "word_after": format!("0x{:0>64}", "6f05b59d3b20000"),
        });
        let raw = serde_json::value::to_raw_value(&json).unwrap();
        let row = StateChange::from_json((&*raw).into()).unwrap();
        let abbreviator = crate::chain::hash_abbreviation::Abbreviator::default();
        let cx = RowContext { abbreviator: Some(&abbreviator), ..RowContext::blank() };
        let shown = row.balance_cells(&cx).map(|cell| cell.text);
        assert_eq!(shown, ["0x0000…0000…0000", "0x0000…6f05…0000"]);
    }
}

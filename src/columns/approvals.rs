//! The columns of approvals: token, spender, amounts, and their value at risk.

use std::collections::{BTreeMap, BTreeSet};

use alloy_primitives::U512;

use super::cells::token_amount::{decimals_provenance, token_amount_cell, token_decimals};
use super::cells::{
    address_field_line, contract_cell, csv_value, csv_value_with, field_cell, id_text,
    marked_symbol, symbol, symbol_cell, token_line, token_route, zero_cell,
};
use super::common::{self, ChainEvent, chain_event};
use super::table::any_row::RowId;
use super::table::column::{Column, ColumnUse, field, number_width, text_width};
use super::{CopyValue, ListRow, Row, RowContext, RowPreview};
use crate::abi::is_unlimited;
use crate::action::Action;
use crate::api::approvals::{Approval, CallWords, Grant};
use crate::api::{Field, ListSubject};
use crate::chain::decimal::{Decimal, sortable_digits};
use crate::chain::fiat_value::FiatValue;
use crate::chain::{Address, Timestamp, U256};
use crate::messages::approvals;
use crate::messages::column::{self, ValueOrigin};
use crate::messages::token;
use crate::sanitize::SafeText;
use crate::ui::format::cut;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

/// Title of the column by which approvals are sorted at first.
pub const AT_RISK_TITLE: &str = "at risk";
/// Label of the permission in a row's details.
pub const ALLOWED_LABEL: &str = "allowed";
/// The lists whose contracts were asked.
const WITH_ANSWERS: ColumnUse = ColumnUse::In(&[ListSubject::Other]);

/// A permission as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Allowed {
    Nothing,
    Expired,
    Amount(U256),
    Item(U256),
    All,
}

chain_event!(Approval, |row| &Field::Absent => &row.spender);

impl ListRow for Approval {
    const LIST_NAME: &'static str = "approvals";
    const PLURAL: &'static str = "approvals";
    const SINGULAR: &'static str = "approval";
    // A new event replaces an older row.
    const NEWEST_FIRST: bool = false;
    const SCREENS_AHEAD: usize = 0;
    const RANKED_BY: Option<&'static str> = Some(AT_RISK_TITLE);
    const DETAIL_LINES: u16 = 7;
    const PREVIEW: RowPreview = RowPreview::Transactions;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            json_paths: &["timestamp|blockTimestamp"],
            usage: ColumnUse::Always,
            ..common::age(3)
        },
        Column { json_paths: &["blockNumber"], usage: ColumnUse::Always, ..common::block(9) },
        Column {
            json_paths: &["transactionHash"],
            usage: ColumnUse::Always,
            ..common::transaction(8)
        },
        Column {
            title: "token",
            csv_name: Some("token_symbol"),
            json_paths: &["token.symbol", "token.name", "address"],
            is_computed: true,
            width: text_width(6, 19, 1),
            cell: |row, cx, width| match row.token() {
                Some(token) => symbol_cell(token, cx, width),
                None => contract_cell(&row.contract, cx, width),
            },
            full_value: |row| {
                row.token().map_or("".into(), |token| symbol(token).to_string().into())
            },
            route: |_, row, viewed| token_route(row.token()?, viewed),
            ..Column::TEXT
        },
        Column {
            csv_name: Some("token_contract"),
            json_paths: &["address"],
            full_value: |row| row.contract.to_string().into(),
            ..Column::TEXT
        },
        common::token_type(12),
        common::csv_token_type(),
        Column {
            title: "spender",
            json_paths: &["topics", "spender.name", "spender.ens_domain_name"],
            width: text_width(11, 82, 1),
            ..field!(address: spender)
        },
        Column {
            title: "contract",
            csv_name: Some("spender_source"),
            json_paths: &["spender.is_contract", "spender.is_verified"],
            width: number_width(6),
            cell: |row, _, _| {
                field_cell(&row.source(), |source| {
                    let role =
                        if *source == approvals::VERIFIED { Role::Dim } else { Role::Warning };
                    TableCell::new(*source, role)
                })
            },
            full_value: |row| csv_value(&row.source()),
            ..Column::TEXT
        },
        Column {
            title: "approved",
            csv_name: Some("approved"),
            json_paths: &["data", "topics", "token.decimals"],
            provenance: |_, _| approvals::AS_GRANTED.into(),
            width: number_width(8),
            cell: |row, cx, _| {
                let granted = row.allowed_cell(row.granted(), cx);
                match row.is_asked() {
                    true if row.is_still_allowed() && !cx.is_in_full() => TableCell::default(),
                    // What counts is the present answer.
                    true => TableCell { role: Role::Dim, ..granted },
                    false => granted,
                }
            },
            full_value: |row| row.granted().raw().into(),
            ..Column::AMOUNT
        },
        Column {
            title: ALLOWED_LABEL,
            csv_name: Some("allowed"),
            json_paths: &["allowance.result", "token.decimals"],
            provenance: |row, _| match &row.allowance {
                Field::Absent => approvals::NOT_ASKED.into(),
                Field::Present(_) => approvals::AS_ANSWERED.into(),
                Field::Invalid(why) => why.clone(),
            },
            width: number_width(0),
            usage: WITH_ANSWERS,
            cell: |row, cx, _| field_cell(&row.allowed(), |allowed| row.allowed_cell(*allowed, cx)),
            full_value: |row| csv_value_with(&row.allowed(), |allowed| allowed.raw()),
            ..Column::AMOUNT
        },
        Column {
            csv_name: Some("expiration"),
            full_value: |row| row.expiration().map_or("".into(), |time| time.to_string().into()),
            ..Column::TEXT
        },
        Column {
            title: "balance",
            csv_name: Some("balance"),
            json_paths: &["holding.result", "token.decimals"],
            provenance: |row, _| decimals_provenance(row.decimals()),
            width: number_width(9),
            usage: WITH_ANSWERS,
            cell: |row, cx, _| match (row.grant, row.holding.value()) {
                (Grant::Amount(_) | Grant::Permit2 { .. }, Some(words)) => {
                    token_amount_cell(words.first(), row.decimals(), cx)
                }
                _ => TableCell::default(),
            },
            full_value: |row| match row.grant {
                Grant::Item { .. } => "".into(),
                _ => csv_value_with(&row.holding, |words| words.first().to_string()),
            },
            ..Column::AMOUNT
        },
        Column {
            csv_name: Some("decimals"),
            json_paths: &["token.decimals"],
            full_value: |row| {
                row.decimals().map_or("".into(), |decimals| decimals.to_string().into())
            },
            ..Column::TEXT
        },
        Column {
            title: AT_RISK_TITLE,
            csv_name: Some("at_risk_usd"),
            json_paths: &["allowance.result", "holding.result", "token.exchange_rate"],
            provenance: |row, _| match row.at_risk() {
                Field::Present(_) => {
                    let amount = &*decimals_provenance(row.decimals());
                    let origin = ValueOrigin::Dollars { amount }.to_string();
                    SafeText::new(&[approvals::AT_RISK, ": ", &origin].concat())
                }
                Field::Absent => approvals::NOT_ASKED.into(),
                Field::Invalid(why) => why,
            },
            width: number_width(2),
            usage: WITH_ANSWERS,
            cell: |row, cx, width| {
                if row.lacks_price() && !cx.is_in_full() {
                    return row.unpriced_cell(cx, width);
                }
                field_cell(&row.at_risk(), |value| match value {
                    value if cx.is_in_full() => TableCell::new(value.exact(), Role::Value),
                    value if value.is_zero() => zero_cell(),
                    value => TableCell::new(value.readable(), Role::Warning),
                })
            },
            full_value: |row| {
                csv_value_with(&row.at_risk(), |value| value.to_string().replace(',', ""))
            },
            ..Column::NUMBER
        },
    ];
}

impl Row for Approval {
    fn id(&self) -> Option<RowId> {
        Some(RowId::Event(*self.transaction_hash.value()?, self.position.index))
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let full = RowContext { abbreviator: None, ..*cx };
        let at_risk = match self.at_risk() {
            Field::Present(value) => value.exact(),
            Field::Absent => "—".to_owned(),
            Field::Invalid(why) => format!("? ({why})"),
        };
        let allowed = match self.allowed() {
            Field::Present(allowed) => SafeText::new(&self.allowed_cell(allowed, &full).text),
            Field::Absent => "—".into(),
            Field::Invalid(why) => SafeText::new(&format!("? ({why})")),
        };
        let balance = self.balance_line(&full).map(|balance| ("balance", balance));
        let at_risk = (AT_RISK_TITLE, SafeText::new(&at_risk));
        let answers = [Some((ALLOWED_LABEL, allowed)), balance, Some(at_risk)];
        let granted = &self.allowed_cell(self.granted(), &full).text;
        let changed = Some(&**granted).filter(|_| !self.is_still_allowed()).map(str::to_owned);
        let event = self.event();
        let approved: Vec<String> = changed.into_iter().chain(event.place(cx)).collect();
        [
            ("spender", address_field_line(&self.spender, cx)),
            ("token", self.token().map_or_else(|| self.contract.to_string().into(), token_line)),
        ]
        .into_iter()
        .chain(answers.into_iter().flatten().filter(|_| self.is_asked()))
        .chain([("approved", SafeText::new(&approved.join(" · ")))])
        .chain([("tx", self.transaction_hash.to_string().into())])
        .collect()
    }

    /// Returns the place by the value at risk.
    fn usual_place(&self, _: &RowContext<'_>) -> Option<String> {
        self.risk_rank()
    }

    fn copy_values(&self, _: Option<Address>) -> Vec<CopyValue> {
        let allowed = self.allowed();
        vec![
            CopyValue::new(Action::CopyHash, "transaction hash", self.transaction_hash.value()),
            CopyValue::new(Action::CopyAddress, "spender's address", self.spender()),
            CopyValue::new(Action::CopyBlock, "block number", self.block_number.value()),
            CopyValue::new(Action::CopyToken, "token's contract", Some(self.contract)),
            CopyValue::new(Action::CopyValue, "raw amount", allowed.value().map(|one| one.raw())),
        ]
    }

    fn addresses(&self) -> Vec<Address> {
        self.spender().into_iter().chain([self.contract]).collect()
    }
}

impl Approval {
    fn decimals(&self) -> Option<u8> {
        self.token().and_then(token_decimals)
    }

    /// Returns the permission that the event gave.
    fn granted(&self) -> Allowed {
        match self.grant {
            grant if grant.is_revoked() => Allowed::Nothing,
            Grant::Amount(amount) | Grant::Permit2 { amount, .. } => Allowed::Amount(amount),
            Grant::Item { id, .. } => Allowed::Item(id),
            Grant::All(_) => Allowed::All,
        }
    }

    /// Returns the permission that is left now.
    fn allowed(&self) -> Field<Allowed> {
        self.allowance.as_ref().and_then(|answer| {
            Field::Present(match self.grant {
                Grant::Permit2 { .. } if self.is_expired(answer) => Allowed::Expired,
                Grant::All(_) if !answer.first().is_zero() => Allowed::All,
                Grant::Amount(_) | Grant::Permit2 { .. } if !answer.first().is_zero() => {
                    Allowed::Amount(answer.first())
                }
                Grant::Item { id, .. } if Some(answer.address()) == self.spender() => {
                    return self.holding.as_ref().and_then(|owner| {
                        let is_held = owner.address() == self.owner;
                        Field::Present(if is_held { Allowed::Item(id) } else { Allowed::Nothing })
                    });
                }
                _ => Allowed::Nothing,
            })
        })
    }

    /// Returns `true` if all that was granted is allowed now.
    fn is_still_allowed(&self) -> bool {
        self.is_asked() && self.allowed().value() == Some(&self.granted())
    }

    /// Returns `true` if the time of an allowance of Permit2 was over when it was asked for.
    fn is_expired(&self, answer: &CallWords) -> bool {
        let asked_at = self.asked_at.value().map(|time| time.as_second());
        let seconds = asked_at.and_then(|seconds| u64::try_from(seconds).ok()).unwrap_or(0);
        !answer.first().is_zero() && answer.get(1) < U256::from(seconds)
    }

    /// Returns the end of an allowance of Permit2.
    fn expiration(&self) -> Option<Timestamp> {
        let Grant::Permit2 { .. } = self.grant else { return None };
        let seconds = i64::try_from(self.allowance.value()?.get(1)).ok()?;
        Timestamp::from_second(seconds).ok()
    }

    /// Returns `true` if contracts were asked, unlike in a history.
    fn is_asked(&self) -> bool {
        self.asked_at.value().is_some()
    }

    /// Returns the amount of a token within reach of the spender. NFTs have none.
    fn amount_at_risk(&self) -> Field<U256> {
        let limits = [Some(&self.holding), self.is_permit2().then_some(&self.permit2_limit)];
        self.allowed().and_then(|allowed| match allowed {
            Allowed::Amount(allowed) => {
                limits.into_iter().flatten().fold(Field::Present(allowed), |amount, limit| {
                    let limit = limit.as_ref();
                    amount.and_then(|amount| {
                        limit.and_then(|limit| Field::Present(amount.min(limit.first())))
                    })
                })
            }
            Allowed::Nothing | Allowed::Expired => Field::Present(U256::ZERO),
            Allowed::Item(_) | Allowed::All => Field::Invalid(approvals::UNKNOWN_PRICE.into()),
        })
    }

    /// Returns `true` if something is within reach of the spender whose price is unknown.
    fn lacks_price(&self) -> bool {
        let amount = self.amount_at_risk();
        let has_rate = self.token().is_some_and(|token| token.exchange_rate.value().is_some());
        let has_items = matches!(self.allowed().value(), Some(Allowed::Item(_) | Allowed::All));
        has_items || (!has_rate && amount.value().is_some_and(|amount| !amount.is_zero()))
    }

    /// Returns the value within reach of the spender, or an unknown price.
    fn at_risk(&self) -> Field<FiatValue> {
        self.amount_at_risk().and_then(|amount| self.value_of(amount))
    }

    /// Returns the cell of what is within reach of the spender if its value is unknown: an amount, which NFTs lack.
    fn unpriced_cell(&self, cx: &RowContext<'_>, width: usize) -> TableCell {
        match (self.amount_at_risk(), self.token()) {
            (Field::Present(amount), Some(token)) => {
                let amount = token_amount_cell(amount, self.decimals(), cx).text;
                let text = format!("{amount} {}", marked_symbol(token));
                let shown = cut(&text, width).into_owned();
                TableCell { has_own_unit: true, ..TableCell::new(shown, Role::Warning) }
            }
            _ => TableCell::new(token::NO_PRICE, Role::Dim),
        }
    }

    /// Returns the balance of the owner at today's price. Nothing for NFTs.
    fn balance_line(&self, cx: &RowContext<'_>) -> Option<SafeText> {
        let balance = match self.grant {
            Grant::Amount(_) | Grant::Permit2 { .. } => self.holding.value()?.first(),
            Grant::Item { .. } | Grant::All(_) => return None,
        };
        let symbol = self.token().map(|token| symbol(token).to_string()).unwrap_or_default();
        let amount = token_amount_cell(balance, self.decimals(), cx);
        let worth = self.value_of(balance);
        let worth = worth.value().map(|worth| worth.exact());
        let line = approvals::Balance { amount: &amount.text, symbol: &symbol, worth };
        Some(SafeText::new(&line.to_string()))
    }

    /// Describes the token, the permission that is left, and the value within reach of the spender.
    pub fn summary(&self, cx: &RowContext<'_>) -> SafeText {
        let token =
            self.token().map_or_else(|| SafeText::new(&self.contract.to_string()), token_line);
        let permission = self.allowed();
        let allowed = permission.value().map_or("?".into(), |all| self.allowed_cell(*all, cx).text);
        let at_risk = match self.at_risk() {
            Field::Present(value) => value.readable(),
            Field::Absent => "—".to_owned(),
            Field::Invalid(_) => self.unpriced_cell(cx, usize::MAX).text.into_owned(),
        };
        SafeText::new(&[&*token, &*allowed, &*at_risk].join(" · "))
    }

    /// Returns a text that compares with others as the risks do: an unknown value is more than nothing, and less than
    /// any other. Amounts without a price compare by their numbers.
    pub fn risk_rank(&self) -> Option<String> {
        let ranked = |class: &str, number: String| class.to_owned() + &sortable_digits(&number);
        Some(match (self.at_risk(), self.amount_at_risk(), self.decimals()) {
            (Field::Absent, ..) => return None,
            (Field::Present(FiatValue::Cents(U512::ZERO)), ..) => "0".into(),
            (Field::Invalid(_), Field::Present(amount), Some(decimals)) => {
                ranked("2", Decimal::new(amount.to(), decimals.into()).to_string())
            }
            (Field::Invalid(_), ..) => "1".into(),
            (Field::Present(FiatValue::BelowCent), ..) => "3".into(),
            (Field::Present(FiatValue::Cents(cents)), ..) => ranked("4", cents.to_string()),
        })
    }

    /// Returns the value of an amount of the token.
    fn value_of(&self, amount: U256) -> Field<FiatValue> {
        if amount.is_zero() {
            return Field::Present(FiatValue::Cents(U512::ZERO));
        }
        let rate = self.token().and_then(|token| token.exchange_rate.value());
        let Some(rate) = rate else { return Field::Invalid(approvals::UNKNOWN_PRICE.into()) };
        let value = self.decimals().and_then(|decimals| FiatValue::new(amount, decimals, rate));
        value.map_or_else(|| Field::Invalid(column::NOT_COMPUTED.into()), Field::Present)
    }

    /// Describes the code of the spender: verified, unverified or none.
    fn source(&self) -> Field<&'static str> {
        let Some(spender) = self.spender.value() else { return Field::Absent };
        match (spender.is_contract.value(), spender.is_verified.value()) {
            (Some(true), Some(true)) => Field::Present(approvals::VERIFIED),
            (Some(true), Some(false)) => Field::Present(approvals::UNVERIFIED),
            (Some(true), None) => Field::Invalid(approvals::NOT_REPORTED.into()),
            (Some(false), _) => Field::Present(approvals::ACCOUNT),
            (None, _) => Field::Invalid(column::NOT_INDEXED_YET.into()),
        }
    }

    fn allowed_cell(&self, allowed: Allowed, cx: &RowContext<'_>) -> TableCell {
        match allowed {
            Allowed::Nothing if cx.is_in_full() => TableCell::new(approvals::NOTHING, Role::Dim),
            Allowed::Nothing => zero_cell(),
            Allowed::Expired => TableCell::new(approvals::EXPIRED, Role::Dim),
            Allowed::All => TableCell::new(approvals::ALL_NFTS, Role::Warning),
            Allowed::Item(id) => TableCell::new(id_text(&id, cx), Role::Value),
            Allowed::Amount(amount) if is_unlimited(amount) => {
                TableCell::new(approvals::UNLIMITED, Role::Warning)
            }
            Allowed::Amount(amount) => token_amount_cell(amount, self.decimals(), cx),
        }
    }
}

impl Allowed {
    /// Returns the value for CSV and copying, amounts in the smallest unit.
    fn raw(self) -> String {
        match self {
            Self::Nothing | Self::Expired => "0".to_owned(),
            Self::Amount(amount) => amount.to_string(),
            Self::Item(id) => format!("#{id}"),
            Self::All => "all".to_owned(),
        }
    }
}

/// The value within reach of all spenders together.
#[derive(Debug, PartialEq, Eq)]
pub struct SumAtRisk {
    pub dollars: FiatValue,
    /// `true` if the value of a row is not known exactly, for another reason than the price of its token.
    pub has_unknown: bool,
    /// `true` if the value of a token is less than a cent.
    pub has_fractions: bool,
    /// The symbols of tokens without a price, of which something can be taken.
    pub unpriced: BTreeSet<String>,
}

/// Adds up the value within reach of all spenders. The balance of a token can be taken only once.
pub fn total_at_risk<'a>(rows: impl Iterator<Item = &'a Approval>) -> SumAtRisk {
    let mut tokens: BTreeMap<Address, (&Approval, U256)> = BTreeMap::new();
    let mut has_unknown = false;
    for row in rows {
        match (row.amount_at_risk(), row.holding.value()) {
            (Field::Present(amount), _) if amount.is_zero() => {}
            (Field::Present(amount), Some(balance)) => {
                let (_, taken) = tokens.entry(row.contract).or_insert((row, U256::ZERO));
                *taken = taken.saturating_add(amount).min(balance.first());
            }
            _ => has_unknown = true,
        }
    }
    let mut total = U512::ZERO;
    let mut unpriced = BTreeSet::new();
    let mut has_fractions = false;
    for (row, taken) in tokens.into_values() {
        match row.value_of(taken) {
            Field::Present(FiatValue::Cents(cents)) => total = total.saturating_add(cents),
            Field::Present(FiatValue::BelowCent) => has_fractions = true,
            Field::Absent | Field::Invalid(_) => match row.token().filter(|_| row.lacks_price()) {
                Some(token) => drop(unpriced.insert(marked_symbol(token))),
                None => has_unknown = true,
            },
        }
    }
    SumAtRisk { dollars: FiatValue::Cents(total), has_unknown, has_fractions, unpriced }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json_fields::FromJson;

    #[test]
    fn allowance_of_permit2_lasts_through_its_last_second() {
        let is_expired = |end: u64| {
            let [topic, owner, token, spender] = [
                "da9fa7c1b00402c17d0161b249b1ab8bbec047c5a52207b9c112deffd817036b",
                &format!("{:064x}", 1),
                &format!("{:064x}", 2),
                &format!("{:064x}", 3),
            ]
            .map(|digits| format!("0x{digits}"));
            let words = format!("0x{:064x}{end:064x}", 9);
            let json = serde_json::json!({
                "address": "0x000000000022d473030f116ddee9f6b43ac78ba3",
                "topics": [topic, owner, token, spender], "data": words,
                "blockNumber": "0x1", "logIndex": "0x0",
                "asked_at": "1970-01-01T00:01:40Z",
                "allowance": { "jsonrpc": "2.0", "id": 1, "result": words },
            });
            let raw = serde_json::value::to_raw_value(&json).unwrap();
            let approval = Approval::from_json((&*raw).into()).unwrap();
            matches!(approval.allowed().value(), Some(Allowed::Expired))
        };
        assert_eq!([99, 100].map(is_expired), [true, false]);
    }
}

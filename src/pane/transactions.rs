//! The columns and links of an address's transactions.

use std::borrow::Cow;

use super::Link;
use super::row::{
    Column, Row, RowCx, Way, address_cell, address_line, cell, coin_cell, full, no_link,
    to_address, way,
};
use crate::api::transactions::{Outcome, Transaction};
use crate::api::{Page, Reply};
use crate::chain::{TxHash, amount};
use crate::msg::Action;
use crate::text::Text;
use crate::ui::format::{age, short_hash};
use crate::ui::table::{Align, Cell, Width};
use crate::ui::theme::Role;

impl Row for Transaction {
    type Id = TxHash;

    fn columns() -> &'static [Column<Self>] {
        COLUMNS
    }

    fn page(reply: Reply) -> Option<Page<Self>> {
        match reply {
            Reply::Transactions(page) => Some(page),
            _ => None,
        }
    }

    fn id(&self) -> TxHash {
        self.hash
    }

    fn strip(&self, cx: &RowCx<'_>) -> Vec<(&'static str, Text)> {
        let party = |field: &crate::api::Field<_>| {
            field.show(|a| Cow::Owned(address_line(a).to_string())).into_owned()
        };
        let callee = match (self.to.known(), self.created_contract.known()) {
            (None, Some(_)) => ("creates", party(&self.created_contract)),
            _ => ("to", party(&self.to)),
        };
        let symbol = cx.network.symbol.unwrap_or("native");
        let value = self.value.show(|v| amount::exact(*v, cx.network.decimals).into());
        let outcome = self.outcome_words();
        vec![
            ("hash", self.hash.to_string().into()),
            ("from", Text::new(&party(&self.from))),
            (callee.0, Text::new(&callee.1)),
            ("value", Text::new(&format!("{value} {symbol} · {outcome}"))),
        ]
    }

    fn copy(&self, action: Action, cx: &RowCx<'_>) -> Option<(&'static str, Option<Text>)> {
        let text = |s: String| Some(Text::from(s));
        Some(match action {
            Action::CopyHash => ("transaction hash", text(self.hash.to_string())),
            Action::CopyAddress => {
                let party = match way(cx.viewed, &self.from, &self.to) {
                    Way::In => self.from.known(),
                    _ => self.to.known().or(self.created_contract.known()),
                };
                ("address", party.and_then(|a| text(a.hash.to_string())))
            }
            Action::CopyBlock => {
                ("block number", self.block_number.known().and_then(|n| text(n.to_string())))
            }
            Action::CopyMethod => ("method", self.method.known().cloned()),
            Action::CopyValue => {
                ("value in wei", self.value.known().and_then(|v| text(v.to_string())))
            }
            _ => return None,
        })
    }
}

const fn width(min: u16, max: u16, rank: u8) -> Width {
    Width { min, max, rank }
}

const COLUMNS: &[Column<Transaction>] = &[
    Column {
        title: "stat",
        name: Some("status"),
        width: width(4, 9, 1),
        align: Align::Left,
        cell: |t, _, room| outcome(t.outcome(), room),
        full: |t| t.outcome_words(),
        link: no_link,
    },
    Column {
        title: "age",
        name: Some("timestamp"),
        width: width(4, 4, 4),
        align: Align::Right,
        cell: |t, cx, _| cell(&t.timestamp, |then| Cell::new(age(*then, cx.now), Role::Plain)),
        full: |t| full(&t.timestamp, ToString::to_string),
        link: no_link,
    },
    Column {
        title: "block",
        name: Some("block_number"),
        width: width(6, 10, 9),
        align: Align::Right,
        cell: |t, _, _| cell(&t.block_number, |n| Cell::new(n.to_string(), Role::Plain)),
        full: |t| full(&t.block_number, ToString::to_string),
        link: no_link,
    },
    Column {
        title: "hash",
        name: Some("transaction_hash"),
        width: width(11, 66, 8),
        align: Align::Left,
        cell: |t, _, room| Cell::new(hash(&t.hash, room), Role::Link),
        full: |t| t.hash.to_string().into(),
        link: |item| Some(Link::Transaction(item.clone())),
    },
    Column {
        title: "method",
        name: Some("method"),
        width: width(8, 16, 5),
        align: Align::Left,
        cell: |t, _, _| cell(&t.method, |m| Cell::new(m.to_string(), Role::Plain)),
        full: |t| full(&t.method, ToString::to_string),
        link: no_link,
    },
    Column {
        title: "from",
        name: Some("from"),
        width: width(11, 50, 6),
        align: Align::Left,
        cell: |t, cx, room| address_cell(&t.from, cx, room),
        full: |t| full(&t.from, |a| a.hash.to_string()),
        link: |item| item.read.as_ref().ok().and_then(|t| to_address(&t.from)),
    },
    Column {
        title: "",
        name: None,
        width: width(4, 4, 3),
        align: Align::Left,
        cell: |t, cx, _| way(cx.viewed, &t.from, &t.to).cell(),
        full: |_| "".into(),
        link: no_link,
    },
    Column {
        title: "to",
        name: Some("to_or_created"),
        width: width(11, 50, 2),
        align: Align::Left,
        cell: callee,
        full: |t| {
            full(if t.to.known().is_some() { &t.to } else { &t.created_contract }, |a| {
                a.hash.to_string()
            })
        },
        link: |item| {
            let transaction = item.read.as_ref().ok()?;
            to_address(&transaction.to).or_else(|| to_address(&transaction.created_contract))
        },
    },
    Column {
        title: "value",
        name: Some("value_wei"),
        width: width(9, 20, 0),
        align: Align::Right,
        cell: |t, cx, room| coin_cell(&t.value, cx, room),
        full: |t| full(&t.value, ToString::to_string),
        link: no_link,
    },
    Column {
        title: "fee",
        name: Some("fee_wei"),
        width: width(9, 20, 7),
        align: Align::Right,
        cell: |t, cx, room| cell(&t.fee, |fee| coin_cell(&fee.value, cx, room)),
        full: |t| t.fee.known().map_or("".into(), |fee| full(&fee.value, ToString::to_string)),
        link: no_link,
    },
];

fn hash(hash: &TxHash, room: usize) -> String {
    if room < 66 { short_hash(hash) } else { hash.to_string() }
}

/// The called address, or what was created.
fn callee(transaction: &Transaction, cx: &RowCx<'_>, room: usize) -> Cell {
    match (transaction.to.known(), transaction.created_contract.known()) {
        (None, Some(_)) => {
            let created = address_cell(&transaction.created_contract, cx, room.saturating_sub(2));
            Cell::new(format!("+ {}", created.text), created.role)
        }
        _ => address_cell(&transaction.to, cx, room),
    }
}

fn outcome(outcome: Outcome, room: usize) -> Cell {
    let (short, long, role) = match outcome {
        Outcome::Ok => ("ok", "✓ ok", Role::Ok),
        Outcome::OkInnerFailure => ("ok!", "✓ inner ✗", Role::Warning),
        Outcome::Failed => ("fail", "✗ failed", Role::Failed),
        Outcome::Pending => ("pend", "… pending", Role::Dim),
        Outcome::Unknown => ("?", "?", Role::Warning),
    };
    Cell::new(if room < 9 { short } else { long }, role)
}

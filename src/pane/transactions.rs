//! The columns and links of an address's transactions.

use super::Link;
use super::cell_format::{
    Way, address_cell, cell, coin_cell, coin_text, full, hash_cell, other_side, party_line,
    text_cell, to_address, way, width,
};
use super::common_columns::{self, Happened};
use super::row::{Column, Row, RowCx, as_sent, in_coin, no_link};
use crate::api::address::AddressRef;
use crate::api::transactions::{Outcome, Transaction};
use crate::api::{Field, Page, Reply};
use crate::chain::{Address, Timestamp, TxHash};
use crate::msg::Action;
use crate::safety::address_poisoning::Sent;
use crate::sanitize::Text;
use crate::ui::table::{Align, Cell};
use crate::ui::theme::Role;

impl Happened for Transaction {
    fn timestamp(&self) -> &Field<Timestamp> {
        &self.timestamp
    }

    fn block(&self) -> &Field<u64> {
        &self.block_number
    }

    fn sender(&self) -> &Field<AddressRef> {
        &self.from
    }

    fn receiver(&self) -> &Field<AddressRef> {
        self.callee()
    }
}

impl Row for Transaction {
    type Id = TxHash;

    const NAME: &'static str = "transactions";
    const NEWEST_FIRST: bool = true;

    fn columns() -> &'static [Column<Self>] {
        COLUMNS
    }

    fn page(reply: Reply) -> Option<Page<Self>> {
        match reply {
            Reply::Transactions(page) => Some(page),
            _ => None,
        }
    }

    fn id(&self) -> Option<TxHash> {
        Some(self.hash)
    }

    fn strip(&self, cx: &RowCx<'_>) -> Vec<(&'static str, Text)> {
        let value = coin_text(&self.value, cx);
        let outcome = self.outcome_words();
        let callee = if self.creates() { "creates" } else { "to" };
        vec![
            ("hash", self.hash.to_string().into()),
            ("from", party_line(&self.from)),
            (callee, party_line(self.callee())),
            ("value", Text::new(&format!("{value} · {outcome}"))),
        ]
    }

    fn copy(&self, action: Action, cx: &RowCx<'_>) -> Option<(&'static str, Option<Text>)> {
        self.copied(action, cx.viewed)
    }

    fn parties(&self) -> Vec<&AddressRef> {
        [&self.from, &self.to, &self.created_contract]
            .into_iter()
            .filter_map(Field::known)
            .collect()
    }

    fn sent(&self, viewed: Address) -> Option<Sent> {
        let to = self.to.known()?.hash;
        let own = way(Some(viewed), &self.from, &self.to) == Way::Out;
        own.then_some(Sent {
            to,
            transaction: self.hash,
            block: self.block_number.known().copied(),
            signed: true,
        })
    }
}

impl Transaction {
    /// What a copy key means for a transaction, seen from `viewed`.
    pub(super) fn copied(
        &self,
        action: Action,
        viewed: Option<Address>,
    ) -> Option<(&'static str, Option<Text>)> {
        let text = |s: String| Some(Text::from(s));
        Some(match action {
            Action::CopyHash => ("transaction hash", text(self.hash.to_string())),
            Action::CopyAddress => {
                let party = other_side(viewed, &self.from, self.callee());
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

    fn creates(&self) -> bool {
        self.to.known().is_none() && self.created_contract.known().is_some()
    }

    /// The called address, or what was created.
    fn callee(&self) -> &Field<AddressRef> {
        if self.creates() { &self.created_contract } else { &self.to }
    }
}

const COLUMNS: &[Column<Transaction>] = &[
    Column {
        title: "stat",
        name: Some("status"),
        paths: &[
            "status",
            "result",
            "has_error_in_internal_transactions|has_error_in_internal_txs",
        ],
        how: as_sent,
        width: width(4, 9, 1),
        align: Align::Left,
        cell: |t, _, room| outcome(t.outcome(), room),
        full: |t| t.outcome_words(),
        link: no_link,
    },
    common_columns::age(4),
    common_columns::block(9),
    Column {
        title: "hash",
        name: Some("transaction_hash"),
        paths: &["hash"],
        how: as_sent,
        width: width(11, 66, 8),
        align: Align::Left,
        cell: |t, _, room| hash_cell(&Field::Read(t.hash), room),
        full: |t| t.hash.to_string().into(),
        link: |item, _, _| Some(Link::Transaction(item.clone())),
    },
    Column {
        title: "method",
        name: Some("method"),
        paths: &["method"],
        how: as_sent,
        width: width(8, 16, 5),
        align: Align::Left,
        cell: |t, _, _| text_cell(&t.method),
        full: |t| full(&t.method, ToString::to_string),
        link: no_link,
    },
    common_columns::from(6),
    common_columns::direction(3),
    Column {
        title: "to",
        name: Some("to_or_created"),
        paths: &["to.hash", "to.name", "to.ens_domain_name", "created_contract.hash"],
        how: as_sent,
        width: width(11, 50, 2),
        align: Align::Left,
        cell: callee,
        full: |t| full(t.callee(), |a| a.hash.to_string()),
        link: |_, t, _| to_address(t.callee()),
    },
    Column {
        title: "value",
        name: Some("value_wei"),
        paths: &["value"],
        how: in_coin,
        width: width(9, 20, 0),
        align: Align::Right,
        cell: |t, cx, room| coin_cell(&t.value, cx, room),
        full: |t| full(&t.value, ToString::to_string),
        link: no_link,
    },
    Column {
        title: "fee",
        name: Some("fee_wei"),
        paths: &["fee.value", "fee.type"],
        how: in_coin,
        width: width(9, 20, 7),
        align: Align::Right,
        cell: |t, cx, room| cell(&t.fee, |fee| coin_cell(&fee.value, cx, room)),
        full: |t| t.fee.known().map_or("".into(), |fee| full(&fee.value, ToString::to_string)),
        link: no_link,
    },
];

fn callee(transaction: &Transaction, cx: &RowCx<'_>, room: usize) -> Cell {
    if !transaction.creates() {
        return address_cell(&transaction.to, cx, room);
    }
    let created = address_cell(&transaction.created_contract, cx, room.saturating_sub(2));
    Cell::new(format!("+ {}", created.text), created.role)
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

//! The columns and links of token transfers, of an address or of the whole chain.

use super::Link;
use super::cell_format::{
    cell, divided, full, hash_cell, imitation, other_side, party_line, symbol, symbol_cell,
    text_cell, to_token, to_transaction, token_amount, token_line, width,
};
use super::common_columns::{self, Happened, HasToken};
use super::row::{Column, Row, RowCx, as_sent, no_link};
use crate::api::address::AddressRef;
use crate::api::token::Token;
use crate::api::token_transfers::{TokenTransfer, Total};
use crate::api::{Field, Page, Reply};
use crate::chain::{Address, Timestamp, TxHash, U256, amount};
use crate::msg::Action;
use crate::safety::address_poisoning::Sent;
use crate::sanitize::Text;
use crate::ui::table::{Align, Cell};
use crate::ui::theme::Role;

impl Happened for TokenTransfer {
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
        &self.to
    }
}

impl HasToken for TokenTransfer {
    fn of_token(&self) -> Option<&Token> {
        self.token.known()
    }
}

impl Row for TokenTransfer {
    /// A batch repeats transaction and log, with other ids, parties or amounts.
    type Id = (TxHash, u64, [Option<U256>; 2], [Option<Address>; 2]);

    const NAME: &'static str = "token-transfers";
    const NEWEST_FIRST: bool = true;

    fn columns() -> &'static [Column<Self>] {
        COLUMNS
    }

    fn page(reply: Reply) -> Option<Page<Self>> {
        match reply {
            Reply::TokenTransfers(page) => Some(page),
            _ => None,
        }
    }

    fn id(&self) -> Option<Self::Id> {
        let total = self.total.known();
        let id = total.and_then(|t| t.token_id.known()).copied();
        let value = total.and_then(|t| t.value.known()).copied();
        let party = |field: &Field<AddressRef>| field.known().map(|a| a.hash);
        let parties = [party(&self.from), party(&self.to)];
        Some((*self.transaction_hash.known()?, *self.log_index.known()?, [id, value], parties))
    }

    fn strip(&self, _: &RowCx<'_>) -> Vec<(&'static str, Text)> {
        let hash = self.transaction_hash.show(|h| h.to_string().into());
        let token = self.token.known().map_or("not indexed yet".into(), token_line);
        vec![
            ("in", Text::new(&hash)),
            ("from", party_line(&self.from)),
            ("to", party_line(&self.to)),
            ("what", Text::new(&self.what())),
            ("token", token),
        ]
    }

    fn copy(&self, action: Action, cx: &RowCx<'_>) -> Option<(&'static str, Option<Text>)> {
        let text = |s: String| Some(Text::from(s));
        let total = self.total.known();
        Some(match action {
            Action::CopyHash => (
                "transaction hash",
                self.transaction_hash.known().and_then(|h| text(h.to_string())),
            ),
            Action::CopyAddress => {
                let party = other_side(cx.viewed, &self.from, &self.to);
                ("address", party.and_then(|a| text(a.hash.to_string())))
            }
            Action::CopyToken => {
                ("token's contract", self.token().and_then(|t| text(t.0.to_string())))
            }
            Action::CopyBlock => {
                ("block number", self.block_number.known().and_then(|n| text(n.to_string())))
            }
            Action::CopyMethod => ("method", self.method.known().cloned()),
            Action::CopyValue => {
                let value = total.and_then(|t| t.value.known().or(t.token_id.known()));
                ("raw value", value.and_then(|v| text(v.to_string())))
            }
            _ => return None,
        })
    }

    fn parties(&self) -> Vec<&AddressRef> {
        [&self.from, &self.to].into_iter().filter_map(Field::known).collect()
    }

    fn sent(&self, viewed: Address) -> Option<Sent> {
        // Anybody can make a log that says somebody has sent nothing.
        let own = self.from.known().is_some_and(|from| from.hash == viewed);
        let to = self.to.known()?.hash;
        if !own || to == viewed || !self.warnings().is_empty() {
            return None;
        }
        let (transaction, block) = (*self.transaction_hash.known()?, self.block_number.known());
        Some(Sent { to, transaction, block: block.copied(), signed: false })
    }

    fn token(&self) -> Option<(Address, Text)> {
        let token = self.token.known()?;
        Some((*token.address.known()?, symbol(token)))
    }

    fn warnings(&self) -> Vec<Text> {
        let mut warnings: Vec<Text> = imitation(self.token.known()).into_iter().collect();
        if self.is_of_nothing() {
            warnings.push("a transfer of nothing: anybody can make one in anybody's name".into());
        }
        let reputation = self.token.known().and_then(|t| t.reputation.known());
        if reputation.is_some_and(|r| **r == *"scam") {
            warnings.push("the explorer calls this token a scam".into());
        }
        warnings
    }
}

impl TokenTransfer {
    /// The decimals that apply. Pieces with an id have none, unless the transfer itself says so.
    fn decimals(&self) -> Option<u8> {
        let total = self.total.known()?;
        match (&total.decimals, &total.token_id) {
            (Field::Read(decimals), _) => Some(*decimals),
            (_, Field::Read(_)) => Some(0),
            _ => self.token.known().and_then(|t| t.decimals.known()).copied(),
        }
    }

    fn is_of_nothing(&self) -> bool {
        let total = self.total.known();
        total.is_some_and(|t| t.token_id.known().is_none() && t.value.known() == Some(&U256::ZERO))
    }

    /// The standard it follows.
    fn standard(&self) -> Option<&Text> {
        self.token_type.known().or_else(|| self.token.known().and_then(|t| t.kind.known()))
    }

    /// How much of what, in full.
    pub(super) fn what(&self) -> String {
        let symbol = self.token.known().map_or("unknown token".into(), symbol);
        let Some(total) = self.total.known() else {
            return match &self.total {
                Field::Unread(why) => format!("? {symbol} ({why})"),
                _ => format!("— {symbol}"),
            };
        };
        let id = total.token_id.known().map(|id| format!("#{id}"));
        let value = total.value.known().map(|v| token_amount(*v, self.decimals()));
        match (value, id) {
            (Some(value), Some(id)) => format!("{value} × {symbol} {id}"),
            (Some(value), None) => format!("{value} {symbol}"),
            (None, Some(id)) => format!("{symbol} {id}"),
            (None, None) => format!("— {symbol}"),
        }
    }

    /// The amount, or for an NFT its id.
    fn amount_cell(&self, room: usize) -> Cell {
        cell(&self.total, |total| {
            let value = cell(&total.value, |v| value_cell(*v, self.decimals(), room));
            match (&total.value, total.token_id.known()) {
                (Field::Absent, Some(id)) => Cell::new(format!("#{id}"), Role::Value),
                (_, Some(id)) => Cell::new(format!("{} × #{id}", value.text), value.role),
                (_, None) if self.is_of_nothing() => Cell::new("!0", Role::Warning),
                (_, None) => value,
            }
        })
    }
}

/// An amount that is a bare count of units where the contract does not say its decimals.
fn value_cell(value: U256, decimals: Option<u8>, room: usize) -> Cell {
    let role = if value.is_zero() { Role::Dim } else { Role::Value };
    Cell::new(amount::fitted(value, decimals.unwrap_or(0), room), role)
}

fn kind(transfer: &TokenTransfer) -> Cell {
    cell(&transfer.kind, |kind| match &**kind {
        "token_minting" => Cell::new("mint", Role::Ok),
        "token_burning" => Cell::new("burn", Role::Warning),
        "token_spawning" => Cell::new("spawn", Role::Ok),
        "token_transfer" => Cell::new("move", Role::Dim),
        other => Cell::new(other.to_owned(), Role::Plain),
    })
}

fn instance(transfer: &TokenTransfer) -> Option<Link> {
    let total: &Total = transfer.total.known()?;
    let instance = total.token_instance.known()?;
    Some(Link::Instance {
        instance: instance.clone(),
        token: transfer.token.known().cloned().map(Box::new),
    })
}

const COLUMNS: &[Column<TokenTransfer>] = &[
    common_columns::age(6),
    common_columns::block(10),
    Column {
        title: "tx",
        name: Some("transaction_hash"),
        paths: &["transaction_hash|tx_hash", "log_index"],
        how: as_sent,
        width: width(11, 66, 8),
        align: Align::Left,
        cell: |t, _, room| hash_cell(&t.transaction_hash, room),
        full: |t| full(&t.transaction_hash, ToString::to_string),
        link: |_, t, _| to_transaction(&t.transaction_hash),
    },
    Column {
        title: "what",
        name: Some("type"),
        paths: &["type"],
        how: as_sent,
        width: width(5, 8, 5),
        align: Align::Left,
        cell: |t, _, _| kind(t),
        full: |t| full(&t.kind, ToString::to_string),
        link: no_link,
    },
    Column {
        title: "method",
        name: Some("method"),
        paths: &["method"],
        how: as_sent,
        width: width(8, 16, 9),
        align: Align::Left,
        cell: |t, _, _| text_cell(&t.method),
        full: |t| full(&t.method, ToString::to_string),
        link: no_link,
    },
    common_columns::from(4),
    common_columns::direction(3),
    common_columns::to("to", 2),
    Column {
        title: "amount",
        name: Some("value"),
        paths: &["total.value", "total.token_id", "total.decimals", "token.decimals"],
        how: |t, _| divided(t.decimals()),
        width: width(10, 24, 0),
        align: Align::Right,
        cell: |t, _, room| t.amount_cell(room),
        full: |t| {
            t.total.known().map_or("".into(), |total| full(&total.value, ToString::to_string))
        },
        link: |_, t, _| instance(t),
    },
    common_columns::csv_only("token_id", &["total.token_id"], |t| {
        t.total.known().map_or("".into(), |total| full(&total.token_id, ToString::to_string))
    }),
    common_columns::csv_only("log_index", &["log_index"], |t| {
        full(&t.log_index, ToString::to_string)
    }),
    common_columns::csv_only("decimals", &["total.decimals", "token.decimals"], |t| {
        t.decimals().map_or("".into(), |decimals| decimals.to_string().into())
    }),
    common_columns::token_contract(),
    Column {
        title: "token",
        name: Some("token_symbol"),
        paths: &["token.symbol", "token.name", "token.address_hash|address"],
        how: as_sent,
        width: width(7, 14, 1),
        align: Align::Left,
        cell: |t, _, room| symbol_cell(&t.token, room),
        full: |t| full(&t.token, |token: &Token| symbol(token).to_string()),
        link: |_, t, _| t.token.known().and_then(|token| to_token(token, t.standard(), None)),
    },
    Column {
        title: "type",
        name: Some("token_type"),
        paths: &["token_type", "token.type"],
        how: as_sent,
        width: width(8, 8, 7),
        align: Align::Left,
        cell: |t, _, _| {
            t.standard()
                .map_or(Cell::new("—", Role::Dim), |s| Cell::new(s.to_string(), Role::Dim))
        },
        full: |t| t.standard().map_or("".into(), |s| s.to_string().into()),
        link: no_link,
    },
];

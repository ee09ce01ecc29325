//! The columns and links of token transfers, of an address or of the whole chain.

use super::cells::{
    address_field_line, column_width, counterparty, csv_value, decimals_provenance, field_cell,
    hash_cell, spoof_warning, symbol, symbol_cell, text_cell, token_amount, token_line,
    token_route, transaction_route,
};
use super::common::{self, ChainEvent, HasToken};
use super::{Column, Row, RowContext, no_route, unmodified};
use crate::api::address::AddressRef;
use crate::api::token::Token;
use crate::api::token_transfers::{TokenTransfer, TransferAmount};
use crate::api::{Field, Page, Reply};
use crate::chain::{Address, Timestamp, TxHash, U256, amount};
use crate::msg::Action;
use crate::route::Route;
use crate::safety::address_poisoning::OutgoingTransfer;
use crate::sanitize::SafeText;
use crate::ui::table::{Align, TableCell};
use crate::ui::theme::Role;

impl ChainEvent for TokenTransfer {
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
    fn token_info(&self) -> Option<&Token> {
        self.token.value()
    }
}

impl Row for TokenTransfer {
    /// A batch repeats transaction and log, with other ids, parties or amounts.
    type Id = (TxHash, u64, [Option<U256>; 2], [Option<Address>; 2]);

    const LIST_NAME: &'static str = "token-transfers";
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
        let total = self.total.value();
        let id = total.and_then(|t| t.token_id.value()).copied();
        let value = total.and_then(|t| t.value.value()).copied();
        let party = |field: &Field<AddressRef>| field.value().map(|a| a.hash);
        let parties = [party(&self.from), party(&self.to)];
        Some((*self.transaction_hash.value()?, *self.log_index.value()?, [id, value], parties))
    }

    fn detail_lines(&self, _: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let hash = self.transaction_hash.display_with(|h| h.to_string().into());
        let token = self.token.value().map_or("not indexed yet".into(), token_line);
        vec![
            ("in", SafeText::new(&hash)),
            ("from", address_field_line(&self.from)),
            ("to", address_field_line(&self.to)),
            ("what", SafeText::new(&self.what())),
            ("token", token),
        ]
    }

    fn copy(
        &self,
        action: Action,
        cx: &RowContext<'_>,
    ) -> Option<(&'static str, Option<SafeText>)> {
        let text = |s: String| Some(SafeText::from(s));
        let total = self.total.value();
        Some(match action {
            Action::CopyHash => (
                "transaction hash",
                self.transaction_hash.value().and_then(|h| text(h.to_string())),
            ),
            Action::CopyAddress => {
                let party = counterparty(cx.viewed, &self.from, &self.to);
                ("address", party.and_then(|a| text(a.hash.to_string())))
            }
            Action::CopyToken => {
                ("token's contract", self.token().and_then(|t| text(t.0.to_string())))
            }
            Action::CopyBlock => {
                ("block number", self.block_number.value().and_then(|n| text(n.to_string())))
            }
            Action::CopyMethod => ("method", self.method.value().cloned()),
            Action::CopyValue => {
                let value = total.and_then(|t| t.value.value().or(t.token_id.value()));
                ("raw value", value.and_then(|v| text(v.to_string())))
            }
            _ => return None,
        })
    }

    fn parties(&self) -> Vec<&AddressRef> {
        [&self.from, &self.to].into_iter().filter_map(Field::value).collect()
    }

    fn outgoing_transfer(&self, viewed: Address) -> Option<OutgoingTransfer> {
        // Anybody can make a log that says somebody has sent nothing.
        let own = self.from.value().is_some_and(|from| from.hash == viewed);
        let to = self.to.value()?.hash;
        if !own || to == viewed || !self.warnings().is_empty() {
            return None;
        }
        let (transaction, block) = (*self.transaction_hash.value()?, self.block_number.value());
        Some(OutgoingTransfer { to, transaction, block: block.copied(), signed: false })
    }

    fn token(&self) -> Option<(Address, SafeText)> {
        let token = self.token.value()?;
        Some((*token.address.value()?, symbol(token)))
    }

    fn warnings(&self) -> Vec<SafeText> {
        let mut warnings: Vec<SafeText> = spoof_warning(self.token.value()).into_iter().collect();
        if self.is_of_nothing() {
            warnings.push("a transfer of nothing: anybody can make one in anybody's name".into());
        }
        let reputation = self.token.value().and_then(|t| t.reputation.value());
        if reputation.is_some_and(|r| **r == *"scam") {
            warnings.push("the explorer calls this token a scam".into());
        }
        warnings
    }
}

impl TokenTransfer {
    /// The decimals that apply. Pieces with an id have none, unless the transfer itself says so.
    fn decimals(&self) -> Option<u8> {
        let total = self.total.value()?;
        match (&total.decimals, &total.token_id) {
            (Field::Present(decimals), _) => Some(*decimals),
            (_, Field::Present(_)) => Some(0),
            _ => self.token.value().and_then(|t| t.decimals.value()).copied(),
        }
    }

    fn is_of_nothing(&self) -> bool {
        let total = self.total.value();
        total.is_some_and(|t| t.token_id.value().is_none() && t.value.value() == Some(&U256::ZERO))
    }

    /// The standard it follows.
    fn standard(&self) -> Option<&SafeText> {
        self.token_type.value().or_else(|| self.token.value().and_then(|t| t.kind.value()))
    }

    /// How much of what, in full.
    pub fn what(&self) -> String {
        let symbol = self.token.value().map_or("unknown token".into(), symbol);
        let Some(total) = self.total.value() else {
            return match &self.total {
                Field::Invalid(why) => format!("? {symbol} ({why})"),
                _ => format!("— {symbol}"),
            };
        };
        let id = total.token_id.value().map(|id| format!("#{id}"));
        let value = total.value.value().map(|v| token_amount(*v, self.decimals()));
        match (value, id) {
            (Some(value), Some(id)) => format!("{value} × {symbol} {id}"),
            (Some(value), None) => format!("{value} {symbol}"),
            (None, Some(id)) => format!("{symbol} {id}"),
            (None, None) => format!("— {symbol}"),
        }
    }

    /// The amount, or for an NFT its id.
    fn amount_cell(&self, room: usize) -> TableCell {
        field_cell(&self.total, |total| {
            let value = field_cell(&total.value, |v| value_cell(*v, self.decimals(), room));
            match (&total.value, total.token_id.value()) {
                (Field::Absent, Some(id)) => TableCell::new(format!("#{id}"), Role::Value),
                (_, Some(id)) => TableCell::new(format!("{} × #{id}", value.text), value.role),
                (_, None) if self.is_of_nothing() => TableCell::new("!0", Role::Warning),
                (_, None) => value,
            }
        })
    }
}

/// An amount that is a bare count of units where the contract does not say its decimals.
fn value_cell(value: U256, decimals: Option<u8>, room: usize) -> TableCell {
    let role = if value.is_zero() { Role::Dim } else { Role::Value };
    TableCell::new(amount::format_to_width(value, decimals.unwrap_or(0), room), role)
}

fn kind_cell(transfer: &TokenTransfer) -> TableCell {
    field_cell(&transfer.kind, |kind| match &**kind {
        "token_minting" => TableCell::new("mint", Role::Ok),
        "token_burning" => TableCell::new("burn", Role::Warning),
        "token_spawning" => TableCell::new("spawn", Role::Ok),
        "token_transfer" => TableCell::new("move", Role::Dim),
        other => TableCell::new(other.to_owned(), Role::Plain),
    })
}

fn instance_route(transfer: &TokenTransfer) -> Option<Route> {
    let total: &TransferAmount = transfer.total.value()?;
    let instance = total.token_instance.value()?;
    Some(Route::Instance {
        instance: instance.clone(),
        token: transfer.token.value().cloned().map(Box::new),
    })
}

const COLUMNS: &[Column<TokenTransfer>] = &[
    common::age(6),
    common::block(10),
    Column {
        title: "tx",
        csv_name: Some("transaction_hash"),
        json_paths: &["transaction_hash|tx_hash", "log_index"],
        provenance: unmodified,
        width: column_width(11, 66, 8),
        align: Align::Left,
        cell: |t, _, room| hash_cell(&t.transaction_hash, room),
        full_value: |t| csv_value(&t.transaction_hash, ToString::to_string),
        route: |_, t, _| transaction_route(&t.transaction_hash),
    },
    Column {
        title: "what",
        csv_name: Some("type"),
        json_paths: &["type"],
        provenance: unmodified,
        width: column_width(5, 8, 5),
        align: Align::Left,
        cell: |t, _, _| kind_cell(t),
        full_value: |t| csv_value(&t.kind, ToString::to_string),
        route: no_route,
    },
    Column {
        title: "method",
        csv_name: Some("method"),
        json_paths: &["method"],
        provenance: unmodified,
        width: column_width(8, 16, 9),
        align: Align::Left,
        cell: |t, _, _| text_cell(&t.method),
        full_value: |t| csv_value(&t.method, ToString::to_string),
        route: no_route,
    },
    common::from(4),
    common::direction(3),
    common::to("to", 2),
    Column {
        title: "amount",
        csv_name: Some("value"),
        json_paths: &["total.value", "total.token_id", "total.decimals", "token.decimals"],
        provenance: |t, _| decimals_provenance(t.decimals()),
        width: column_width(10, 24, 0),
        align: Align::Right,
        cell: |t, _, room| t.amount_cell(room),
        full_value: |t| {
            t.total.value().map_or("".into(), |total| csv_value(&total.value, ToString::to_string))
        },
        route: |_, t, _| instance_route(t),
    },
    common::csv_only("token_id", &["total.token_id"], |t| {
        t.total.value().map_or("".into(), |total| csv_value(&total.token_id, ToString::to_string))
    }),
    common::csv_only("log_index", &["log_index"], |t| csv_value(&t.log_index, ToString::to_string)),
    common::csv_only("decimals", &["total.decimals", "token.decimals"], |t| {
        t.decimals().map_or("".into(), |decimals| decimals.to_string().into())
    }),
    common::token_contract(),
    Column {
        title: "token",
        csv_name: Some("token_symbol"),
        json_paths: &["token.symbol", "token.name", "token.address_hash|address"],
        provenance: unmodified,
        width: column_width(7, 14, 1),
        align: Align::Left,
        cell: |t, _, room| symbol_cell(&t.token, room),
        full_value: |t| csv_value(&t.token, |token: &Token| symbol(token).to_string()),
        route: |_, t, _| t.token.value().and_then(|token| token_route(token, t.standard(), None)),
    },
    Column {
        title: "type",
        csv_name: Some("token_type"),
        json_paths: &["token_type", "token.type"],
        provenance: unmodified,
        width: column_width(8, 8, 7),
        align: Align::Left,
        cell: |t, _, _| {
            t.standard().map_or(TableCell::new("—", Role::Dim), |s| {
                TableCell::new(s.to_string(), Role::Dim)
            })
        },
        full_value: |t| t.standard().map_or("".into(), |s| s.to_string().into()),
        route: no_route,
    },
];

//! The columns and links of the NFT collections an address holds.

use super::cells::{
    column_width, contract_cell, csv_value, field_cell, instance_label, number_cell, spoof_warning,
    symbol, symbol_cell, token_line,
};
use super::{Column, Row, RowContext, no_route, unmodified};
use crate::api::nft_collections::Collection;
use crate::api::{Field, Page, Reply};
use crate::chain::Address;
use crate::msg::Action;
use crate::route::Route;
use crate::sanitize::SafeText;
use crate::ui::format::cut;
use crate::ui::table::{Align, TableCell};
use crate::ui::theme::Role;

impl Row for Collection {
    type Id = (Address, Option<SafeText>);

    const LIST_NAME: &'static str = "nft-collections";
    const NEWEST_FIRST: bool = false;

    fn columns() -> &'static [Column<Self>] {
        COLUMNS
    }

    fn page(reply: Reply) -> Option<Page<Self>> {
        match reply {
            Reply::Collections(page) => Some(page),
            _ => None,
        }
    }

    fn id(&self) -> Option<Self::Id> {
        let token = self.token.value()?;
        Some((*token.address.value()?, token.kind.value().cloned()))
    }

    fn detail_lines(&self, _: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let amount = self.amount.display_with(|n| n.to_string().into());
        let counts = match self.token.value().and_then(|t| t.kind.value()) {
            Some(kind) if **kind == *"ERC-1155" => "different ids",
            _ => "pieces",
        };
        vec![
            ("holds", SafeText::new(&format!("{amount} {counts}"))),
            ("token", self.token.value().map_or("—".into(), token_line)),
            ("first", self.first().join(" ").into()),
        ]
    }

    fn copy(&self, action: Action, _: &RowContext<'_>) -> Option<(&'static str, Option<SafeText>)> {
        let text = |s: String| Some(SafeText::from(s));
        Some(match action {
            Action::CopyAddress | Action::CopyToken => {
                ("token's contract", self.token().and_then(|t| text(t.0.to_string())))
            }
            Action::CopyValue => ("amount", self.amount.value().and_then(|v| text(v.to_string()))),
            _ => return None,
        })
    }

    fn token(&self) -> Option<(Address, SafeText)> {
        let token = self.token.value()?;
        Some((*token.address.value()?, symbol(token)))
    }

    fn warnings(&self) -> Vec<SafeText> {
        spoof_warning(self.token.value()).into_iter().collect()
    }
}

impl Collection {
    /// The ids of the pieces that came with it.
    fn first(&self) -> Vec<String> {
        let pieces = self.instances.value().into_iter().flatten();
        pieces.map(|piece| instance_label(piece).to_string()).collect()
    }

    fn held_by(&self, holder: Option<Address>) -> Option<Route> {
        Some(Route::Instances { token: *self.token.value()?.address.value()?, holder })
    }
}

const COLUMNS: &[Column<Collection>] = &[
    Column {
        title: "collection",
        csv_name: Some("token_symbol"),
        json_paths: &["token.symbol", "token.name", "token.address_hash|address"],
        provenance: unmodified,
        width: column_width(10, 16, 0),
        align: Align::Left,
        cell: |c, _, room| symbol_cell(&c.token, room),
        full_value: |c| csv_value(&c.token, |token| symbol(token).to_string()),
        route: |_, c, viewed| c.held_by(viewed),
    },
    Column {
        title: "name",
        csv_name: Some("token_name"),
        json_paths: &["token.name"],
        provenance: unmodified,
        width: column_width(12, 36, 4),
        align: Align::Left,
        cell: |c, _, room| {
            field_cell(&c.token, |t| {
                field_cell(&t.name, |n| TableCell::new(cut(n, room).into_owned(), Role::Plain))
            })
        },
        full_value: |c| {
            c.token.value().map_or("".into(), |t| csv_value(&t.name, ToString::to_string))
        },
        route: |_, c, viewed| c.held_by(viewed),
    },
    Column {
        title: "contract",
        csv_name: Some("token_contract"),
        json_paths: &["token.address_hash|address"],
        provenance: unmodified,
        width: column_width(11, 42, 5),
        align: Align::Left,
        cell: |c, cx, room| {
            field_cell(&c.token, |t| field_cell(&t.address, |a| contract_cell(a, cx, room)))
        },
        full_value: |c| {
            c.token.value().map_or("".into(), |t| csv_value(&t.address, ToString::to_string))
        },
        route: |_, c, _| {
            let address = c.token.value()?.address.value()?;
            Some(Route::Target(crate::chain::target::TargetKind::Address(*address)))
        },
    },
    Column {
        title: "type",
        csv_name: Some("token_type"),
        json_paths: &["token.type"],
        provenance: unmodified,
        width: column_width(8, 8, 2),
        align: Align::Left,
        cell: |c, _, _| {
            field_cell(&c.token, |t| {
                field_cell(&t.kind, |k| TableCell::new(k.to_string(), Role::Dim))
            })
        },
        full_value: |c| {
            c.token.value().map_or("".into(), |t| csv_value(&t.kind, ToString::to_string))
        },
        route: no_route,
    },
    Column {
        title: "amount",
        csv_name: Some("amount"),
        json_paths: &["amount"],
        provenance: unmodified,
        width: column_width(6, 8, 1),
        align: Align::Right,
        cell: |c, _, _| number_cell(&c.amount),
        full_value: |c| csv_value(&c.amount, ToString::to_string),
        route: no_route,
    },
    Column {
        title: "first pieces",
        csv_name: None,
        json_paths: &["token_instances"],
        provenance: unmodified,
        width: column_width(12, 80, 3),
        align: Align::Left,
        cell: |c, _, room| match &c.instances {
            Field::Present(_) => {
                TableCell::new(cut(&c.first().join(" "), room).into_owned(), Role::Plain)
            }
            Field::Absent => TableCell::new("—", Role::Dim),
            Field::Invalid(_) => TableCell::new("?", Role::Warning),
        },
        full_value: |c| c.first().join(" ").into(),
        route: no_route,
    },
];

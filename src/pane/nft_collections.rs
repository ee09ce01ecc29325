//! The columns and links of the NFT collections an address holds.

use super::Link;
use super::cell_format::{
    cell, contract_cell, full, imitation, instance_id, number_cell, symbol, symbol_cell,
    token_line, width,
};
use super::row::{Column, Row, RowCx, as_sent, no_link};
use crate::api::nft_collections::Collection;
use crate::api::{Field, Page, Reply};
use crate::chain::Address;
use crate::msg::Action;
use crate::sanitize::Text;
use crate::ui::format::cut;
use crate::ui::table::{Align, Cell};
use crate::ui::theme::Role;

impl Row for Collection {
    type Id = (Address, Option<Text>);

    const NAME: &'static str = "nft-collections";
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
        let token = self.token.known()?;
        Some((*token.address.known()?, token.kind.known().cloned()))
    }

    fn strip(&self, _: &RowCx<'_>) -> Vec<(&'static str, Text)> {
        let amount = self.amount.show(|n| n.to_string().into());
        let counts = match self.token.known().and_then(|t| t.kind.known()) {
            Some(kind) if **kind == *"ERC-1155" => "different ids",
            _ => "pieces",
        };
        vec![
            ("holds", Text::new(&format!("{amount} {counts}"))),
            ("token", self.token.known().map_or("—".into(), token_line)),
            ("first", self.first().join(" ").into()),
        ]
    }

    fn copy(&self, action: Action, _: &RowCx<'_>) -> Option<(&'static str, Option<Text>)> {
        let text = |s: String| Some(Text::from(s));
        Some(match action {
            Action::CopyAddress | Action::CopyToken => {
                ("token's contract", self.token().and_then(|t| text(t.0.to_string())))
            }
            Action::CopyValue => ("amount", self.amount.known().and_then(|v| text(v.to_string()))),
            _ => return None,
        })
    }

    fn token(&self) -> Option<(Address, Text)> {
        let token = self.token.known()?;
        Some((*token.address.known()?, symbol(token)))
    }

    fn warnings(&self) -> Vec<Text> {
        imitation(self.token.known()).into_iter().collect()
    }
}

impl Collection {
    /// The ids of the pieces that came with it.
    fn first(&self) -> Vec<String> {
        let pieces = self.instances.known().into_iter().flatten();
        pieces.map(|piece| instance_id(piece).to_string()).collect()
    }

    fn held_by(&self, holder: Option<Address>) -> Option<Link> {
        Some(Link::Instances { token: *self.token.known()?.address.known()?, holder })
    }
}

const COLUMNS: &[Column<Collection>] = &[
    Column {
        title: "collection",
        name: Some("token_symbol"),
        paths: &["token.symbol", "token.name", "token.address_hash|address"],
        how: as_sent,
        width: width(10, 16, 0),
        align: Align::Left,
        cell: |c, _, room| symbol_cell(&c.token, room),
        full: |c| full(&c.token, |token| symbol(token).to_string()),
        link: |_, c, viewed| c.held_by(viewed),
    },
    Column {
        title: "name",
        name: Some("token_name"),
        paths: &["token.name"],
        how: as_sent,
        width: width(12, 36, 4),
        align: Align::Left,
        cell: |c, _, room| {
            cell(&c.token, |t| cell(&t.name, |n| Cell::new(cut(n, room).into_owned(), Role::Plain)))
        },
        full: |c| c.token.known().map_or("".into(), |t| full(&t.name, ToString::to_string)),
        link: |_, c, viewed| c.held_by(viewed),
    },
    Column {
        title: "contract",
        name: Some("token_contract"),
        paths: &["token.address_hash|address"],
        how: as_sent,
        width: width(11, 42, 5),
        align: Align::Left,
        cell: |c, cx, room| cell(&c.token, |t| cell(&t.address, |a| contract_cell(a, cx, room))),
        full: |c| c.token.known().map_or("".into(), |t| full(&t.address, ToString::to_string)),
        link: |_, c, _| {
            let address = c.token.known()?.address.known()?;
            Some(Link::Subject(crate::chain::target::Subject::Address(*address)))
        },
    },
    Column {
        title: "type",
        name: Some("token_type"),
        paths: &["token.type"],
        how: as_sent,
        width: width(8, 8, 2),
        align: Align::Left,
        cell: |c, _, _| cell(&c.token, |t| cell(&t.kind, |k| Cell::new(k.to_string(), Role::Dim))),
        full: |c| c.token.known().map_or("".into(), |t| full(&t.kind, ToString::to_string)),
        link: no_link,
    },
    Column {
        title: "amount",
        name: Some("amount"),
        paths: &["amount"],
        how: as_sent,
        width: width(6, 8, 1),
        align: Align::Right,
        cell: |c, _, _| number_cell(&c.amount),
        full: |c| full(&c.amount, ToString::to_string),
        link: no_link,
    },
    Column {
        title: "first pieces",
        name: None,
        paths: &["token_instances"],
        how: as_sent,
        width: width(12, 80, 3),
        align: Align::Left,
        cell: |c, _, room| match &c.instances {
            Field::Read(_) => Cell::new(cut(&c.first().join(" "), room).into_owned(), Role::Plain),
            Field::Absent => Cell::new("—", Role::Dim),
            Field::Unread(_) => Cell::new("?", Role::Warning),
        },
        full: |c| c.first().join(" ").into(),
        link: no_link,
    },
];

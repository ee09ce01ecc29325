//! The columns and links of a token contract's instances, and the entries of one in full.

use super::cells::{
    address_cell, address_field_line, address_route, column_width, csv_value, instance_label,
    number_cell, spoof_warning, symbol, symbol_cell, token_line,
};
use super::common::{self, HasToken};
use super::{Column, Row, RowContext, no_route, unmodified};
use crate::api::address::AddressRef;
use crate::api::token::Token;
use crate::api::token_instances::TokenInstance;
use crate::api::{Field, Page, Reply};
use crate::chain::abbreviate::keep_ends;
use crate::chain::target::TargetKind;
use crate::chain::{Address, U256};
use crate::msg::Action;
use crate::route::Route;
use crate::safety::url_policy::UntrustedUrl;
use crate::sanitize::SafeText;
use crate::ui::format::cut;
use crate::ui::table::{Align, TableCell};
use crate::ui::theme::Role;

impl HasToken for TokenInstance {
    fn token_info(&self) -> Option<&Token> {
        self.token.value()
    }
}

impl Row for TokenInstance {
    type Id = U256;

    const LIST_NAME: &'static str = "instances";
    const NEWEST_FIRST: bool = false;

    fn columns() -> &'static [Column<Self>] {
        COLUMNS
    }

    fn page(reply: Reply) -> Option<Page<Self>> {
        match reply {
            Reply::Instances(page) => Some(page),
            _ => None,
        }
    }

    fn id(&self) -> Option<U256> {
        self.id.value().copied()
    }

    fn detail_lines(&self, _: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        vec![
            ("id", self.id.display_with(|id| id.to_string().into()).into_owned().into()),
            ("owner", address_field_line(&self.owner)),
            ("token", self.token.value().map_or("—".into(), token_line)),
            ("media", self.media_line()),
        ]
    }

    fn copy(&self, action: Action, _: &RowContext<'_>) -> Option<(&'static str, Option<SafeText>)> {
        let text = |s: String| Some(SafeText::from(s));
        Some(match action {
            Action::CopyAddress => {
                ("owner", self.owner.value().and_then(|a| text(a.hash.to_string())))
            }
            Action::CopyToken => {
                ("token's contract", self.token().and_then(|t| text(t.0.to_string())))
            }
            Action::CopyValue => ("token id", self.id.value().and_then(|id| text(id.to_string()))),
            _ => return None,
        })
    }

    fn parties(&self) -> Vec<&AddressRef> {
        self.owner.value().into_iter().collect()
    }

    fn token(&self) -> Option<(Address, SafeText)> {
        let token = self.token.value()?;
        Some((*token.address.value()?, symbol(token)))
    }

    fn warnings(&self) -> Vec<SafeText> {
        spoof_warning(self.token.value()).into_iter().collect()
    }
}

impl TokenInstance {
    fn media_line(&self) -> SafeText {
        let media = &self.media;
        let given = [&media.animation_url, &media.image_url, &media.media_url];
        given.into_iter().find_map(Field::value).map_or("—".into(), media_label)
    }

    fn in_full(&self) -> Route {
        let token = self.token.value().cloned().map(Box::new);
        Route::Instance { instance: Box::new(self.clone()), token }
    }

    /// The name its maker gave it, which stands in its metadata.
    fn name(&self) -> Option<SafeText> {
        let object = crate::api::json_fields::RawObject::parse(&self.metadata.value()?.0).ok()?;
        object.field::<SafeText>(&["name"]).value().cloned()
    }
}

const COLUMNS: &[Column<TokenInstance>] = &[
    Column {
        title: "id",
        csv_name: Some("token_id"),
        json_paths: &["id"],
        provenance: unmodified,
        width: column_width(12, 79, 1),
        align: Align::Left,
        cell: |i, _, room| TableCell::new(truncate_middle(&instance_label(i), room), Role::Link),
        full_value: |i| csv_value(&i.id, ToString::to_string),
        route: |_, i, _| Some(i.in_full()),
    },
    Column {
        title: "name",
        csv_name: Some("name"),
        json_paths: &["metadata.name"],
        provenance: unmodified,
        width: column_width(14, 40, 2),
        align: Align::Left,
        cell: |i, _, room| match (i.name(), &i.metadata) {
            (Some(name), _) => TableCell::new(cut(&name, room).into_owned(), Role::Plain),
            (None, Field::Absent) => TableCell::new("no metadata", Role::Dim),
            (None, _) => TableCell::new("—", Role::Dim),
        },
        full_value: |i| i.name().map_or("".into(), |name| name.to_string().into()),
        route: |_, i, _| Some(i.in_full()),
    },
    Column {
        title: "owner",
        csv_name: Some("owner"),
        json_paths: &["owner.hash", "owner.name", "owner.ens_domain_name"],
        provenance: unmodified,
        width: column_width(11, 50, 0),
        align: Align::Left,
        cell: |i, cx, room| address_cell(&i.owner, cx, room),
        full_value: |i| csv_value(&i.owner, |a| a.hash.to_string()),
        route: |_, i, _| address_route(&i.owner),
    },
    Column {
        title: "held",
        csv_name: Some("value"),
        json_paths: &["value"],
        provenance: unmodified,
        width: column_width(5, 12, 4),
        align: Align::Right,
        cell: |i, _, _| number_cell(&i.value),
        full_value: |i| csv_value(&i.value, ToString::to_string),
        route: no_route,
    },
    Column {
        title: "token",
        csv_name: Some("token_symbol"),
        json_paths: &["token.symbol", "token.address_hash|address"],
        provenance: unmodified,
        width: column_width(7, 14, 3),
        align: Align::Left,
        cell: |i, _, room| symbol_cell(&i.token, room),
        full_value: |i| csv_value(&i.token, |token: &Token| symbol(token).to_string()),
        route: |_, i, _| {
            let address = i.token.value()?.address.value()?;
            Some(Route::Target(TargetKind::Address(*address)))
        },
    },
    Column {
        title: "media",
        csv_name: Some("image_url"),
        json_paths: &["image_url", "animation_url", "media_url"],
        provenance: unmodified,
        width: column_width(16, 60, 5),
        align: Align::Left,
        cell: |i, _, room| TableCell::new(cut(&i.media_line(), room).into_owned(), Role::Dim),
        full_value: |i| csv_value(&i.media.image_url, ToString::to_string),
        route: |_, i, _| Some(i.in_full()),
    },
    common::token_contract(),
];

/// Ids of 78 digits often share their first ones: both ends are shown.
pub fn truncate_middle(id: &str, room: usize) -> String {
    let tail = room.saturating_sub(1) / 2;
    keep_ends(id, room.saturating_sub(1) - tail, tail)
}

/// A media address for a line that is drawn again and again: one of megabytes is not read through.
fn media_label(url: &SafeText) -> SafeText {
    if url.len() <= 4_096 {
        return UntrustedUrl::parse(url).display_text();
    }
    SafeText::new(&format!("{} ({} kB)", cut(url, 30), url.len() / 1_000))
}

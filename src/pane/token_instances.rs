//! The columns and links of a token contract's instances, and the entries of one in full.

use std::borrow::Cow;

use super::cell_format::{
    address_cell, full, imitation, instance_id, number_cell, party_line, symbol, symbol_cell,
    to_address, token_line, width,
};
use super::common_columns::{self, HasToken};
use super::detail::Detailed;
use super::row::{Column, Row, RowCx, as_sent, no_link};
use super::{Cx, Link};
use crate::api::address::AddressRef;
use crate::api::token::Token;
use crate::api::token_instances::TokenInstance;
use crate::api::{Field, Page, Reply};
use crate::chain::target::Subject;
use crate::chain::{Address, U256};
use crate::msg::Action;
use crate::safety::url_policy::Media;
use crate::sanitize::Text;
use crate::ui::document::{Entry, Leads};
use crate::ui::format::cut;
use crate::ui::json_view;
use crate::ui::table::{Align, Cell};
use crate::ui::theme::Role;

impl HasToken for TokenInstance {
    fn of_token(&self) -> Option<&Token> {
        self.token.known()
    }
}

impl Row for TokenInstance {
    type Id = U256;

    const NAME: &'static str = "instances";
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
        self.id.known().copied()
    }

    fn strip(&self, _: &RowCx<'_>) -> Vec<(&'static str, Text)> {
        vec![
            ("id", self.id.show(|id| id.to_string().into()).into_owned().into()),
            ("owner", party_line(&self.owner)),
            ("token", self.token.known().map_or("—".into(), token_line)),
            ("media", self.media_line()),
        ]
    }

    fn copy(&self, action: Action, _: &RowCx<'_>) -> Option<(&'static str, Option<Text>)> {
        let text = |s: String| Some(Text::from(s));
        Some(match action {
            Action::CopyAddress => {
                ("owner", self.owner.known().and_then(|a| text(a.hash.to_string())))
            }
            Action::CopyToken => {
                ("token's contract", self.token().and_then(|t| text(t.0.to_string())))
            }
            Action::CopyValue => ("token id", self.id.known().and_then(|id| text(id.to_string()))),
            _ => return None,
        })
    }

    fn parties(&self) -> Vec<&AddressRef> {
        self.owner.known().into_iter().collect()
    }

    fn token(&self) -> Option<(Address, Text)> {
        let token = self.token.known()?;
        Some((*token.address.known()?, symbol(token)))
    }

    fn warnings(&self) -> Vec<Text> {
        imitation(self.token.known()).into_iter().collect()
    }
}

impl TokenInstance {
    fn media_line(&self) -> Text {
        let media = &self.media;
        let given = [&media.animation_url, &media.image_url, &media.media_url];
        given.into_iter().find_map(Field::known).map_or("—".into(), brief)
    }

    fn in_full(&self) -> Link {
        let token = self.token.known().cloned().map(Box::new);
        Link::Instance { instance: Box::new(self.clone()), token }
    }

    /// The name its maker gave it, which stands in its metadata.
    fn name(&self) -> Option<Text> {
        let object = crate::api::json_fields::Object::parse(&self.metadata.known()?.0).ok()?;
        object.field::<Text>(&["name"]).known().cloned()
    }
}

const COLUMNS: &[Column<TokenInstance>] = &[
    Column {
        title: "id",
        name: Some("token_id"),
        paths: &["id"],
        how: as_sent,
        width: width(12, 79, 1),
        align: Align::Left,
        cell: |i, _, room| Cell::new(middle_cut(&instance_id(i), room), Role::Link),
        full: |i| full(&i.id, ToString::to_string),
        link: |_, i, _| Some(i.in_full()),
    },
    Column {
        title: "name",
        name: Some("name"),
        paths: &["metadata.name"],
        how: as_sent,
        width: width(14, 40, 2),
        align: Align::Left,
        cell: |i, _, room| match (i.name(), &i.metadata) {
            (Some(name), _) => Cell::new(cut(&name, room).into_owned(), Role::Plain),
            (None, Field::Absent) => Cell::new("no metadata", Role::Dim),
            (None, _) => Cell::new("—", Role::Dim),
        },
        full: |i| i.name().map_or("".into(), |name| name.to_string().into()),
        link: |_, i, _| Some(i.in_full()),
    },
    Column {
        title: "owner",
        name: Some("owner"),
        paths: &["owner.hash", "owner.name", "owner.ens_domain_name"],
        how: as_sent,
        width: width(11, 50, 0),
        align: Align::Left,
        cell: |i, cx, room| address_cell(&i.owner, cx, room),
        full: |i| full(&i.owner, |a| a.hash.to_string()),
        link: |_, i, _| to_address(&i.owner),
    },
    Column {
        title: "held",
        name: Some("value"),
        paths: &["value"],
        how: as_sent,
        width: width(5, 12, 4),
        align: Align::Right,
        cell: |i, _, _| number_cell(&i.value),
        full: |i| full(&i.value, ToString::to_string),
        link: no_link,
    },
    Column {
        title: "token",
        name: Some("token_symbol"),
        paths: &["token.symbol", "token.address_hash|address"],
        how: as_sent,
        width: width(7, 14, 3),
        align: Align::Left,
        cell: |i, _, room| symbol_cell(&i.token, room),
        full: |i| full(&i.token, |token: &Token| symbol(token).to_string()),
        link: |_, i, _| {
            let address = i.token.known()?.address.known()?;
            Some(Link::Subject(Subject::Address(*address)))
        },
    },
    Column {
        title: "media",
        name: Some("image_url"),
        paths: &["image_url", "animation_url", "media_url"],
        how: as_sent,
        width: width(16, 60, 5),
        align: Align::Left,
        cell: |i, _, room| Cell::new(cut(&i.media_line(), room).into_owned(), Role::Dim),
        full: |i| full(&i.media.image_url, ToString::to_string),
        link: |_, i, _| Some(i.in_full()),
    },
    common_columns::token_contract(),
];

/// Ids of 78 digits often share their first ones: both ends are shown.
fn middle_cut(id: &str, room: usize) -> String {
    if id.len() <= room {
        return id.to_owned();
    }
    let tail = room.saturating_sub(1) / 2;
    let head = room.saturating_sub(1) - tail;
    let end = id.get(id.len().saturating_sub(tail)..).unwrap_or_default();
    [id.get(..head).unwrap_or(id), "…", end].concat()
}

/// One instance, and its token where the instance does not say.
#[derive(Debug)]
pub struct Piece {
    /// The instance.
    pub instance: Box<TokenInstance>,
    /// Its token.
    pub token: Option<Box<Token>>,
}

impl Detailed for Piece {
    fn entries(&self, _: &Cx<'_>) -> Vec<Entry> {
        let instance = &self.instance;
        let token = instance.token.known().or(self.token.as_deref());
        let mut entries = vec![Entry::field("id", &instance.id, |id| {
            Entry::text("id", id.to_string()).role(Role::Accent)
        })];
        entries.push(token.map_or_else(|| Entry::text("token", "—").role(Role::Dim), token_entry));
        entries.push(Entry::field("owner", &instance.owner, owner_entry));
        let unique =
            |u: &bool| Entry::text("unique", if *u { "yes" } else { "no: many share this id" });
        entries.push(Entry::field("unique", &instance.is_unique, unique));
        entries.push(Entry::shown("standard", &instance.token_type));
        entries.push(Entry::shown("held", &instance.value));
        let media = &instance.media;
        for (label, url) in [
            ("image", &media.image_url),
            ("animation", &media.animation_url),
            ("page", &media.external_app_url),
            ("media", &media.media_url),
        ] {
            entries.push(Entry::field(label, url, |url| media_entry(label, url)));
        }
        entries.push(Entry::shown("media type", &media.media_type));
        match &instance.metadata {
            Field::Read(metadata) => entries.extend(json_view::tree("metadata", &metadata.0)),
            other => entries.push(Entry::field("metadata", other, |_| Entry::text("metadata", ""))),
        }
        entries.extend(instance.rest.iter().map(|(name, json)| Entry::text(name, json.clone())));
        entries
    }

    fn copy(&self, action: Action, _: Option<Address>) -> Option<(&'static str, Option<Text>)> {
        let text = |s: String| Some(Text::from(s));
        let token = self.instance.token.known().or(self.token.as_deref());
        Some(match action {
            Action::CopyAddress => {
                ("owner", self.instance.owner.known().and_then(|a| text(a.hash.to_string())))
            }
            Action::CopyToken => (
                "token's contract",
                token.and_then(|t| t.address.known()).and_then(|a| text(a.to_string())),
            ),
            Action::CopyValue => {
                ("token id", self.instance.id.known().and_then(|id| text(id.to_string())))
            }
            _ => return None,
        })
    }

    fn parties(&self) -> Vec<&AddressRef> {
        self.instance.owner.known().into_iter().collect()
    }
}

fn token_entry(token: &Token) -> Entry {
    let entry = Entry::text("token", token_line(token));
    match token.address.known() {
        Some(address) => entry
            .copy(address.to_string())
            .leads(Leads::To(Subject::Address(*address)))
            .role(Role::Link),
        None => entry,
    }
}

fn owner_entry(owner: &AddressRef) -> Entry {
    let line = party_line(&Field::Read(owner.clone()));
    Entry::text("owner", line)
        .copy(owner.hash.to_string())
        .leads(Leads::To(Subject::Address(owner.hash)))
        .role(Role::Link)
}

/// A media address for a line that is drawn again and again: one of megabytes is not read through.
fn brief(url: &Text) -> Text {
    if url.len() <= 4_096 {
        return Media::read(url).shown();
    }
    Text::new(&format!("{} ({} kB)", cut(url, 30), url.len() / 1_000))
}

fn media_entry(label: &str, url: &Text) -> Entry {
    let media = Media::read(url);
    let entry = Entry::text(label, media.shown()).copy(url.clone());
    match media {
        Media::Web(_) => entry.leads(Leads::Web(url.clone())).role(Role::Link),
        _ => entry,
    }
}

/// A piece's name for a title.
pub fn piece_title(instance: &TokenInstance, token: Option<&Token>) -> String {
    let token = instance
        .token
        .known()
        .or(token)
        .map_or(Cow::from("token"), |t| symbol(t).to_string().into());
    format!("{token} {}", middle_cut(&instance_id(instance), 20))
}

//! The columns of the instances (NFTs) of a token contract.

use crate::action::Action;
use crate::api::Field;
use crate::api::nft_instances::{InstanceMetadata, TokenInstance};
use crate::chain::{Address, U256};
use crate::columns::cells::token_amount::{
    amount_decimals, decimals_provenance, token_amount, token_amount_cell,
};
use crate::columns::cells::{
    address_field_line, csv_value, field_cell, instance_label, token_line, token_title,
    truncate_middle,
};
use crate::columns::table::any_row::RowId;
use crate::columns::table::column::{Column, ColumnUse, RouteFn, field, number_width, text_width};
use crate::columns::{Card, CopyValue, ListRow, Row, RowContext, common};
use crate::route::Route;
use crate::safety::name_marks::guard_name;
use crate::safety::url_policy::UntrustedUrl;
use crate::sanitize::SafeText;
use crate::ui::address_mark::AddressMark;
use crate::ui::format::cut;
use crate::ui::json_view::nft_attributes;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

/// Maximum bytes of URLs and metadata parsed for a cell, which is drawn with every frame.
const MAX_PARSED_BYTES: usize = 4_096;
/// Maximum columns of a number below a card's title.
const MAX_NUMBER_COLUMNS: usize = 12;
/// In place of attributes that are not parsed.
const NOT_PARSED: &str = "…";

const DETAIL_ROUTE: RouteFn<TokenInstance> = |_, i, _| {
    let token = i.token().cloned().map(Box::new);
    Some(Route::Instance { instance: Box::new(i.clone()), token })
};

impl ListRow for TokenInstance {
    const LIST_NAME: &'static str = "instances";
    const PLURAL: &'static str = "NFTs";
    const SINGULAR: &'static str = "NFT";
    const NEWEST_FIRST: bool = false;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            title: "id",
            csv_name: Some("token_id"),
            width: text_width(12, 80, 1),
            cell: |i, _, width| {
                TableCell::new(truncate_middle(&instance_label(i), width), Role::Link)
            },
            route: DETAIL_ROUTE,
            ..field!(TEXT: id)
        },
        Column {
            title: "name",
            csv_name: Some("name"),
            json_paths: &["metadata.name"],
            width: text_width(14, 41, 2),
            cell: |i, _, width| match (i.name(), &i.metadata) {
                (Some(name), _) => TableCell::new(cut(&name, width).into_owned(), Role::Plain),
                (None, Field::Absent) => TableCell::new("no metadata", Role::Dim),
                (None, _) => TableCell::absent(),
            },
            full_value: |i| i.name().map_or("".into(), |name| name.to_string().into()),
            route: DETAIL_ROUTE,
            ..Column::TEXT
        },
        Column {
            title: "owner",
            json_paths: &["owner.hash", "owner.name", "owner.ens_domain_name"],
            width: text_width(11, 80, 0),
            // The page names the holder.
            usage: ColumnUse::OfChain,
            ..field!(address: owner)
        },
        Column {
            title: "traits",
            json_paths: &["metadata.attributes"],
            is_computed: true,
            width: text_width(16, 80, 3),
            cell: |i, _, width| field_cell(&i.metadata, |metadata| traits_cell(metadata, width)),
            route: DETAIL_ROUTE,
            ..Column::TEXT
        },
        Column {
            title: "held",
            json_paths: &["value", "token.decimals"],
            width: number_width(4),
            usage: ColumnUse::OfAddress,
            provenance: |i, _| decimals_provenance(i.decimals()),
            cell: |i, cx, _| field_cell(&i.held(), |v| token_amount_cell(*v, i.decimals(), cx)),
            value_name: Some("raw amount"),
            ..field!(AMOUNT: value)
        },
        Column {
            usage: ColumnUse::EXCEPT_TOKEN,
            ..common::token_symbol("token", text_width(7, 19, 6), |_, i, _| {
                Some(Route::Token(*i.token()?.address.value()?))
            })
        },
        Column {
            title: "media",
            csv_name: Some("image_url"),
            json_paths: &["image_url", "animation_url", "media_url"],
            is_computed: true,
            width: text_width(16, 60, 5),
            cell: |i, _, width| match i.media_label() {
                Some(label) => {
                    let label = label.strip_prefix("data:image/").unwrap_or(&label);
                    TableCell::new(cut(label, width).into_owned(), Role::Dim)
                }
                None => TableCell::absent(),
            },
            full_value: |i| csv_value(&i.media.image_url),
            route: DETAIL_ROUTE,
            ..Column::TEXT
        },
        common::csv_token_contract(),
    ];
    const DETAIL_LINES: u16 = 4;
    const CARD: Option<fn(&Self) -> Card<'_>> = Some(|i| {
        let number = truncate_middle(&instance_label(i), MAX_NUMBER_COLUMNS);
        let (title, shared) = match (i.own_name(), i.token()) {
            (Ok(name), _) => (format!("{number} {}", guard_name(name)), None),
            (Err(shared), _) if !shared.is_empty() => (number, Some(guard_name(shared))),
            (Err(_), token) => (number, token.map(token_title)),
        };
        let amount = i.value.value().filter(|held| **held != U256::ONE);
        let held = amount.map(|held| format!("{} held", token_amount(*held, i.decimals())).into());
        Card {
            picture: i.picture(),
            mark: i.mark(),
            title: SafeText::new(&title),
            facts: held
                .into_iter()
                .chain(i.traits_with_words_first())
                .chain(shared)
                .chain(i.standard().cloned())
                .collect(),
        }
    });
}

impl Row for TokenInstance {
    fn id(&self) -> Option<RowId> {
        Some(RowId::Number(*self.id.value()?))
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let media = || self.media_label().unwrap_or_else(|| "—".into());
        let traits = self.metadata.value().and_then(traits_line);
        let description = traits.map_or_else(|| ("media", media()), |line| ("traits", line));
        vec![
            ("id", self.id.to_string().into()),
            ("owner", address_field_line(&self.owner, cx)),
            ("token", self.token().map_or("—".into(), token_line)),
            description,
        ]
    }

    fn copy_values(&self, _: Option<Address>) -> Vec<CopyValue> {
        let owner = self.owner.hash();
        let contract = self.token().and_then(|token| token.address.value());
        vec![
            CopyValue::new(Action::CopyAddress, "owner", owner),
            CopyValue::new(Action::CopyToken, "token's contract", contract),
            CopyValue::new(Action::CopyValue, "token id", self.id.value()),
        ]
    }
}

impl TokenInstance {
    /// Returns the amount held, which is unknown if the owner is.
    fn held(&self) -> Field<U256> {
        match (&self.value, &self.owner) {
            (Field::Absent, Field::Invalid(why)) => Field::Invalid(why.clone()),
            (value, _) => value.clone(),
        }
    }

    /// Returns the decimals of the amount held.
    pub fn decimals(&self) -> Option<u8> {
        amount_decimals(self.token(), self.standard(), &Field::Absent)
    }

    pub fn standard(&self) -> Option<&SafeText> {
        let of_token = self.token().and_then(|token| token.kind.value());
        self.token_type.value().or(of_token)
    }

    /// Returns the mark of the contract.
    pub fn mark(&self) -> Option<AddressMark> {
        self.token()?.address.value().map(AddressMark::new)
    }

    /// Returns the URL of the picture.
    pub fn picture(&self) -> Option<&SafeText> {
        let media = &self.media;
        let is_image = media.media_type.value().is_some_and(|kind| kind.starts_with("image/"));
        media.image_url.value().or_else(|| media.media_url.value().filter(|_| is_image))
    }

    fn media_label(&self) -> Option<SafeText> {
        let media = &self.media;
        let urls = [&media.animation_url, &media.image_url, &media.media_url];
        let url = urls.into_iter().find_map(Field::value)?;
        Some(if url.len() <= MAX_PARSED_BYTES {
            UntrustedUrl::parse(url).display_text()
        } else {
            SafeText::new(&format!("{} ({} kB)", cut(url, 30), url.len() / 1_000))
        })
    }

    /// Returns the name in the metadata.
    pub fn name(&self) -> Option<SafeText> {
        self.metadata.value()?.name.clone()
    }

    /// Returns the attributes in the metadata: `Hue 268`, `Rarity common`.
    fn traits(&self) -> Vec<SafeText> {
        let metadata = self.metadata.value().map(|metadata| &metadata.json);
        let json = metadata.filter(|json| json.get().len() <= MAX_PARSED_BYTES);
        let traits = json.map(|json| nft_attributes(json)).unwrap_or_default();
        traits.iter().map(|text| SafeText::new(text)).collect()
    }

    /// Returns the attributes, those that end with a number last: they differ more, and say less.
    fn traits_with_words_first(&self) -> Vec<SafeText> {
        let mut traits = self.traits();
        traits.sort_by_key(|text| text.ends_with(|c: char| c.is_ascii_digit()));
        traits
    }

    /// Returns the instance's own name. If it is a common prefix and the id, the error is that prefix,
    /// which all instances of the token share.
    fn own_name(&self) -> Result<SafeText, SafeText> {
        let name = self.name().unwrap_or_default();
        let id = self.id.to_string();
        match name.strip_suffix(&*id) {
            Some(shared) if !shared.ends_with(char::is_alphanumeric) => {
                Err(SafeText::new(shared.trim_end_matches([' ', '#'])))
            }
            _ if name.is_empty() => Err(name),
            _ => Ok(name),
        }
    }
}

/// Returns the attributes: `Hue 268 · Rarity common`. Large metadata is not parsed.
fn traits_line(InstanceMetadata { json, .. }: &InstanceMetadata) -> Option<SafeText> {
    if json.get().len() > MAX_PARSED_BYTES {
        return Some(NOT_PARSED.into());
    }
    Some(SafeText::new(&nft_attributes(json).join(" · "))).filter(|line| !line.is_empty())
}

fn traits_cell(metadata: &InstanceMetadata, width: usize) -> TableCell {
    match traits_line(metadata) {
        None => TableCell::absent(),
        Some(line) if &*line == NOT_PARSED => TableCell::new(NOT_PARSED, Role::Dim),
        Some(line) => TableCell::new(cut(&line, width).into_owned(), Role::Plain),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::api::Item;

    #[test]
    fn details_have_traits_or_else_the_media() {
        let large = "x".repeat(MAX_PARSED_BYTES);
        for (value, line) in [
            (Some("red"), ("traits", "Hue red")),
            (Some(&*large), ("traits", "…")),
            (None, ("media", "—")),
        ] {
            let traits = value.map(|value| json!({ "trait_type": "Hue", "value": value }));
            let attributes: Vec<_> = traits.into_iter().collect();
            let row = json!({ "id": "7", "metadata": { "attributes": attributes } });
            let row = Item::<TokenInstance>::from_json(&to_raw_value(&row).unwrap());
            let details = row.parsed.unwrap().detail_lines(&RowContext::blank());
            let (label, text) = details.last().unwrap();
            assert_eq!((*label, &**text), line);
        }
    }

    #[test]
    fn amount_of_an_unknown_owner_is_unknown() {
        for (owner, held) in [(json!({ "hash": null }), "?"), (serde_json::Value::Null, "—")] {
            let row = to_raw_value(&json!({ "id": "7", "owner": owner, "value": null })).unwrap();
            let instance = Item::<TokenInstance>::from_json(&row).parsed.unwrap();
            let column = TokenInstance::COLUMNS.iter().find(|column| column.title == "held");
            let cell = (column.unwrap().cell)(&instance, &RowContext::blank(), 9);
            assert_eq!(&*cell.text, held);
        }
    }
}

//! The pane of one token instance (NFT).

use std::borrow::Cow;

use super::PaneContext;
use super::absent_fields::gather_absent;
use super::detail::{DetailPane, DetailRequest, DetailSource, LoadedDetail};
use super::transaction::{address_entry, token_entry};
use crate::action::Action;
use crate::api::nft_instances::{InstanceMetadata, TokenInstance};
use crate::api::token::Token;
use crate::api::{Field, InstanceKey, Query, Reply};
use crate::chain::Address;
use crate::columns::cells::truncate_middle;
use crate::columns::cells::{instance_label, symbol};
use crate::columns::token_amount::token_amount;
use crate::columns::{CopyValue, Row};
use crate::safety::address_poisoning::Evidence;
use crate::safety::url_policy::UntrustedUrl;
use crate::sanitize::SafeText;
use crate::ui::document::{DocumentEntry, EntryLink};
use crate::ui::json_view;
use crate::ui::theme::Role;

pub fn from_key(key: InstanceKey) -> DetailPane {
    let request = DetailRequest { query: Query::Instance(key), load };
    DetailPane::from_query(request, format!("instance {} of {}", key.id, key.token).into())
}

fn load(reply: Reply) -> Option<LoadedDetail> {
    let Reply::Instance(item) = reply else { return None };
    let instance = item.parsed.as_ref().map_err(Clone::clone);
    let source = instance.map(|it| Box::new(InstanceDetail(Box::new(it.clone()))) as _);
    Some(LoadedDetail { source, raw: None })
}

#[derive(Debug)]
pub struct InstanceDetail(Box<TokenInstance>);

impl InstanceDetail {
    /// Takes an instance, and the token of its list if the instance does not name one.
    pub fn new(mut instance: Box<TokenInstance>, token: Option<&Token>) -> Self {
        if let (None, Some(token)) = (instance.token.value(), token) {
            instance.token = Field::Present(token.clone());
        }
        Self(instance)
    }
}

impl DetailSource for InstanceDetail {
    fn entries(&self, _: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let instance = &self.0;
        let unique =
            |u: &bool| DocumentEntry::text("unique", if *u { "yes" } else { "no, many copies" });
        let (traits, metadata) = instance.metadata.value().map(split_metadata).unwrap_or_default();
        let mut entries = vec![
            DocumentEntry::field("id", &instance.id, |id| {
                DocumentEntry::text("id", id.to_string()).role(Role::Accent)
            }),
            token_entry(instance.token_field()),
            address_entry("owner", &instance.owner),
        ];
        entries.extend(traits);
        entries.extend([
            DocumentEntry::field("unique", &instance.is_unique, unique),
            DocumentEntry::from_display("standard", &instance.token_type),
            DocumentEntry::field("held", &instance.value, |value| {
                DocumentEntry::text("held", token_amount(*value, instance.decimals()))
                    .copy(value.to_string())
            }),
        ]);
        let media = &instance.media;
        for (label, url) in [
            ("image", &media.image_url),
            ("animation", &media.animation_url),
            ("page", &media.external_app_url),
            ("media", &media.media_url),
        ] {
            entries.push(DocumentEntry::field(label, url, |url| media_entry(label, url)));
        }
        entries.push(DocumentEntry::from_display("media type", &media.media_type));
        if instance.metadata.value().is_none() {
            entries.push(DocumentEntry::missing("metadata", &instance.metadata));
        }
        let mut entries = gather_absent(entries);
        entries.extend(metadata);
        let rest = instance.extra_fields.iter();
        entries.extend(rest.map(|(name, json)| DocumentEntry::text(name, json.clone())));
        entries
    }

    fn picture(&self) -> Option<&SafeText> {
        self.0.picture()
    }

    fn copy_value(&self, action: Action, viewed: Option<Address>) -> Option<CopyValue> {
        self.0.copy_value(action, viewed)
    }

    fn warnings(&self) -> Vec<SafeText> {
        self.0.warnings()
    }

    fn evidence(&self, viewed: Option<Address>) -> Vec<(Address, Evidence)> {
        self.0.evidence(viewed)
    }
}

/// Returns the attributes, which are what sets an instance apart, and the rest of the metadata.
fn split_metadata(metadata: &InstanceMetadata) -> (Vec<DocumentEntry>, Vec<DocumentEntry>) {
    let InstanceMetadata(json) = metadata;
    let mut entries = json_view::json_entries("metadata", json);
    let is_attributes = |entry: &DocumentEntry| entry.level == 1 && *entry.label == *"attributes";
    let start = entries.iter().position(is_attributes).unwrap_or(entries.len());
    let below = entries.iter().skip(start + 1).take_while(|entry| entry.level > 1).count();
    let end = entries.len().min(start + 1 + below);
    let mut traits: Vec<DocumentEntry> = entries.drain(start..end).collect();
    for entry in &mut traits {
        entry.level -= 1;
    }
    (traits, entries)
}

fn media_entry(label: &str, url: &SafeText) -> DocumentEntry {
    let media = UntrustedUrl::parse(url);
    let entry = DocumentEntry::text(label, media.display_text()).copy(url.clone());
    match media {
        UntrustedUrl::Web(_) => entry.link(EntryLink::Web(url.clone())).role(Role::Link),
        _ => entry,
    }
}

pub fn instance_title(instance: &TokenInstance, token: Option<&Token>) -> String {
    let token = instance
        .token
        .value()
        .or(token)
        .map_or(Cow::from("token"), |t| symbol(t).to_string().into());
    format!("{token} {}", truncate_middle(&instance_label(instance), 20))
}

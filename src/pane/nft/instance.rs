//! The pane of one token instance (NFT).

use std::borrow::Cow;

use super::transfers::NewestTransfers;
use crate::api::nft_instances::{InstanceMetadata, MediaLinks, TokenInstance};
use crate::api::token::Token;
use crate::api::{
    ApiError, Cursor, Field, InstanceKey, InstanceQuery, Query, Reply, ReplyData, ReplyResult,
};
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::{Address, U256};
use crate::columns::Row;
use crate::columns::cells::token_amount::token_amount;
use crate::columns::cells::{instance_label, symbol, token_title, truncate_middle};
use crate::columns::table::any_row::AnyRow;
use crate::pane::detail::field_entries::{
    address_entry, display_entry, field_entry, gather_absent, is_absent, missing_entry,
};
use crate::pane::detail::{
    DetailPane, DetailRequest, DetailSource, LoadedDetail, columns_next_to_picture,
};
use crate::pane::{PaneContext, PanePlace};
use crate::safety::name_marks::guard_name;
use crate::safety::url_policy::UntrustedUrl;
use crate::sanitize::SafeText;
use crate::ui::address_mark::AddressMark;
use crate::ui::document::{DocumentEntry, EntryCell, EntryLink, fact_lines};
use crate::ui::json_view;
use crate::ui::theme::Role;

pub fn from_key(key: InstanceKey) -> DetailPane {
    DetailPane::from_query(request(key), format!("NFT {} of {}", key.id, key.token).into())
}

/// Creates the pane of an instance in a list, which is requested again by a refresh only.
pub fn from_row(
    instance: &TokenInstance,
    token: Option<&Token>,
    key: Option<InstanceKey>,
) -> DetailPane {
    let detail = InstanceDetail::new(Box::new(instance.clone()), token);
    let loaded = LoadedDetail { source: Ok(Box::new(detail)), raw: None };
    DetailPane::from_loaded(loaded, key.map(request)).complete()
}

fn request(key: InstanceKey) -> DetailRequest {
    DetailRequest { query: Query::Instance(key, InstanceQuery::Details), load }
}

fn load(_: &Query, reply: &Reply, _: &PaneContext<'_>) -> Option<LoadedDetail> {
    let instance = reply.item::<TokenInstance>()?.parsed.as_ref().map_err(Clone::clone);
    let source = instance
        .map(|instance| Box::new(InstanceDetail::new(Box::new(instance.clone()), None)) as _);
    Some(LoadedDetail { source, raw: None })
}

/// Columns of a label, a whole address and a name.
const WHOLE_ADDRESS_COLUMNS: u16 = 75;

#[derive(Debug)]
pub struct InstanceDetail {
    instance: Box<TokenInstance>,
    transfers: NewestTransfers,
}

impl InstanceDetail {
    /// Uses an instance, with the token of its list if the instance does not name one.
    pub fn new(mut instance: Box<TokenInstance>, token: Option<&Token>) -> Self {
        if let (None, Some(token)) = (instance.token.value(), token) {
            instance.token = Field::Present(token.clone());
        }
        Self { instance, transfers: NewestTransfers::default() }
    }

    fn transfers_query(&self) -> Option<Query> {
        let token = *self.instance.token()?.address.value()?;
        let key = InstanceKey { token, id: *self.instance.id.value()? };
        Some(Query::Instance(key, InstanceQuery::Transfers))
    }
}

impl DetailSource for InstanceDetail {
    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let instance = &self.instance;
        let MetadataEntries { traits, description, rest } = MetadataEntries::new(instance);
        let media = media_entries(&instance.media);
        let mut entries = fact_entries(instance, cx);
        entries.extend([
            owner_entry(instance, cx),
            token_entry(instance, cx),
            display_entry("id", &instance.id),
        ]);
        let sections = [("Traits", traits), ("Description", description), ("Media", media)];
        for (title, section) in sections {
            if !section.iter().all(is_absent) {
                entries.push(DocumentEntry::rule(title));
            }
            entries.extend(section);
        }
        entries.extend(rest);
        entries.extend(self.transfers.entries(cx));
        let extra = instance.extra_fields.iter();
        entries.extend(extra.map(|(name, json)| DocumentEntry::text(name, json.clone())));
        gather_absent(entries)
    }

    fn missing(&self, cx: &PaneContext<'_>) -> Vec<Query> {
        // A preview is passed by.
        let is_wanted = self.transfers.is_unasked() && cx.place != PanePlace::Preview;
        self.transfers_query().filter(|_| is_wanted).into_iter().collect()
    }

    fn add(&mut self, _: &Query, reply: ReplyResult, _: &PaneContext<'_>) -> Option<Cursor> {
        self.transfers.add(reply);
        None
    }

    fn failure(&self) -> Option<&ApiError> {
        self.transfers.failure()
    }

    fn forget_failures(&mut self) {
        if self.transfers.failure().is_some() {
            self.transfers = NewestTransfers::default();
        }
    }

    fn picture(&self) -> Option<&SafeText> {
        self.instance.picture()
    }

    fn mark(&self) -> Option<AddressMark> {
        self.instance.mark()
    }

    fn row(&self) -> Option<&dyn AnyRow> {
        Some(&*self.instance)
    }
}

fn has_picture(instance: &TokenInstance, cx: &PaneContext<'_>) -> bool {
    instance.picture().is_some() && cx.pictures.is_on()
}

/// Returns `true` if the document is next to a picture that takes the space of whole addresses.
fn is_short(instance: &TokenInstance, cx: &PaneContext<'_>) -> bool {
    has_picture(instance, cx) && columns_next_to_picture(cx.area) < WHOLE_ADDRESS_COLUMNS
}

fn owner_entry(instance: &TokenInstance, cx: &PaneContext<'_>) -> DocumentEntry {
    if !is_short(instance, cx) {
        return address_entry("owner", &instance.owner, cx);
    }
    field_entry("owner", &instance.owner, |owner| {
        let name = cx.name_cache.short_name(&owner.hash);
        short_address_entry("owner", owner.hash, name.as_deref()).link_address(owner.hash)
    })
}

/// Returns the entry of the token's contract, with the token's name.
fn token_entry(instance: &TokenInstance, cx: &PaneContext<'_>) -> DocumentEntry {
    field_entry("token", instance.token_field(), |token| {
        field_entry("token", &token.address, |address| {
            let title = token_title(token);
            let entry = if is_short(instance, cx) {
                short_address_entry("token", *address, Some(&title))
            } else {
                DocumentEntry::text("token", address.to_string()).side_note(&title)
            };
            entry.link_token(*address)
        })
    })
}

/// Returns an entry for an address that follows its name.
fn short_address_entry(label: &str, address: Address, name: Option<&str>) -> DocumentEntry {
    let short = abbreviate(&address);
    let entry = match name {
        Some(name) => DocumentEntry::text(label, name).side_note(&short),
        None => DocumentEntry::text(label, short),
    };
    entry.copy(address.to_string())
}

fn displayed_title(instance: &TokenInstance) -> SafeText {
    let own_name = instance.name().filter(|name| !name.is_empty()).map(guard_name);
    own_name.unwrap_or_else(|| {
        let token = instance.token().map_or("token".into(), token_title);
        SafeText::new(&format!("{token} {}", instance_label(instance)))
    })
}

/// Returns its title with facts about it, and an entry for each missing one.
fn fact_entries(instance: &TokenInstance, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
    let token = instance.token();
    let title = displayed_title(instance);
    // The title of most begins with it.
    let name = token.map(token_title).filter(|name| !title.starts_with(&**name));
    let symbol = token.map(symbol).filter(|symbol| name.as_ref() != Some(symbol));
    let standard = instance.standard();
    let unique = |is: &bool| if *is { "unique" } else { "many copies" }.into();
    let held = |held: &U256| format!("{} held", token_amount(*held, instance.decimals())).into();
    // A unique item is held once.
    let is_one = instance.is_unique.value() == Some(&true);
    let facts = [
        name,
        symbol,
        standard.cloned(),
        instance.is_unique.value().map(unique),
        instance.value.value().filter(|_| !is_one).map(held),
    ];
    let facts = facts.into_iter().flatten().map(|fact| EntryCell::new(fact, Role::Dim));
    let title_cell = EntryCell::new(title.clone(), Role::Accent).copy(title);
    let columns =
        if has_picture(instance, cx) { columns_next_to_picture(cx.area) } else { cx.area.width };
    let mut entries: Vec<_> = fact_lines([title_cell].into_iter().chain(facts), columns).collect();
    entries.extend(missing_entry("standard", &instance.token_type).filter(|_| standard.is_none()));
    // Most explorers leave these out.
    let optional =
        [missing_entry("unique", &instance.is_unique), missing_entry("held", &instance.value)];
    entries.extend(optional.into_iter().flatten().filter(|entry| !is_absent(entry)));
    entries
}

/// Returns an entry for each URL, which several fields often share. Of those that are absent, only the
/// picture is missed.
fn media_entries(media: &MediaLinks) -> Vec<DocumentEntry> {
    let fields = [
        ("image", &media.image_url),
        ("animation", &media.animation_url),
        ("page", &media.external_app_url),
        ("media", &media.media_url),
    ];
    let mut entries = Vec::new();
    for (n, (label, field)) in fields.into_iter().enumerate() {
        let is_known = |url| fields.iter().take(n).any(|(_, earlier)| earlier.value() == Some(url));
        if !field.value().is_some_and(is_known) {
            entries.push(field_entry(label, field, |url| media_entry(label, url)));
        }
    }
    entries.push(display_entry("media type", &media.media_type));
    entries.retain(|entry| !is_absent(entry) || entry.label == "image");
    entries
}

fn media_entry(label: &str, url: &SafeText) -> DocumentEntry {
    let media = UntrustedUrl::parse(url);
    let entry = DocumentEntry::text(label, media.display_text()).copy(url.clone());
    match media {
        UntrustedUrl::Web(_) => entry.link(EntryLink::Web(url.clone())).role(Role::Link),
        _ => entry,
    }
}

/// The metadata, as far as the page does not have it elsewhere.
#[derive(Default)]
struct MetadataEntries {
    /// The traits of an instance.
    traits: Vec<DocumentEntry>,
    description: Vec<DocumentEntry>,
    rest: Vec<DocumentEntry>,
}

impl MetadataEntries {
    fn new(instance: &TokenInstance) -> Self {
        let Some(InstanceMetadata { json, .. }) = instance.metadata.value() else {
            let rest = missing_entry("metadata", &instance.metadata).into_iter().collect();
            return Self { rest, ..Self::default() };
        };
        let mut rest = json_view::json_entries("metadata", json, &|_| None);
        let mut traits = take_field(&mut rest, "attributes", |_| true);
        if traits.is_empty() {
            // As ERC-1155 has it.
            traits = take_field(&mut rest, "properties", |entry| entry.open.is_some());
        }
        if traits.len() > 1 {
            traits.remove(0);
            raise(&mut traits);
        }
        let mut description = take_field(&mut rest, "description", |entry| entry.open.is_none());
        for entry in &mut description {
            entry.label = SafeText::default();
        }
        let media = &instance.media;
        let urls =
            [&media.image_url, &media.animation_url, &media.external_app_url, &media.media_url];
        for name in ["image", "image_url", "animation_url", "external_url"] {
            take_field(&mut rest, name, |entry| {
                let text = entry.copy_text();
                urls.into_iter().any(|url| url.value() == Some(&text))
            });
        }
        take_field(&mut rest, "name", |_| instance.name().is_some());
        match &mut *rest {
            // All of its fields are elsewhere on the page.
            [whole] if whole.open == Some(true) => rest.clear(),
            _ => {}
        }
        Self { traits, description, rest }
    }
}

/// Removes a field of the outermost object if `is_wanted`. Returns it with the entries below it, a
/// level higher.
fn take_field(
    entries: &mut Vec<DocumentEntry>,
    name: &str,
    is_wanted: impl Fn(&DocumentEntry) -> bool,
) -> Vec<DocumentEntry> {
    let start = entries.iter().position(|entry| entry.level == 1 && *entry.label == *name);
    let Some(start) = start.filter(|at| entries.get(*at).is_some_and(is_wanted)) else {
        return Vec::new();
    };
    let below = entries.iter().skip(start + 1).take_while(|entry| entry.level > 1).count();
    let mut taken: Vec<DocumentEntry> = entries.drain(start..=start + below).collect();
    raise(&mut taken);
    taken
}

fn raise(entries: &mut [DocumentEntry]) {
    for entry in entries {
        entry.level = entry.level.saturating_sub(1);
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

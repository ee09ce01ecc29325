//! The command palette: actions, pages of the history and known targets, by name.

use strum::IntoEnumIterator;

use super::App;
use super::overlay::{Overlay, PaletteItem, PickerItems};
use super::picker::{Picker, PickerChoice, PickerEntry};
use super::prompt::{PromptKind, PromptState};
use super::title::route_title;
use crate::action::Action;
use crate::chain::Address;
use crate::chain::target::{Target, TargetKind};
use crate::msg::Effect;
use crate::name_cache::AddressName;
use crate::pane::Route;
use crate::sanitize::SafeText;

/// Upper bound on the addresses in the palette. There are fewer transactions.
const MAX_ADDRESSES: usize = 8_000;
const MAX_NAME_CHARS: usize = 100;

type ItemFilter = fn(&PaletteItem) -> bool;

/// The scopes, and the first words that select them.
const SCOPES: [(&str, ItemFilter); 3] = [
    ("addr", |choice| matches!(choice, PaletteItem::Target(TargetKind::Address(_)))),
    ("tx", |choice| matches!(choice, PaletteItem::Target(TargetKind::Transaction(_)))),
    ("go", |choice| !matches!(choice, PaletteItem::Run(_))),
];

fn parse_scope(text: &str) -> (ItemFilter, &str) {
    let text = text.trim_start().trim_start_matches(':');
    let scope = text.split_once(' ').and_then(|(word, rest)| {
        let (_, filter) = SCOPES.iter().find(|(known, _)| *known == word)?;
        Some((*filter, rest))
    });
    scope.unwrap_or((|_| true, text))
}

pub(super) fn parse_chain_query(text: &str) -> Option<&str> {
    text.trim_start().trim_start_matches(':').strip_prefix("chain ")
}

impl App {
    pub(super) fn open_palette(&mut self) -> Vec<Effect> {
        let (choices, entries) = self.palette_items().into_iter().unzip();
        let picker = Picker::new("Commands and places (addr, tx, go, chain …)", entries);
        self.open_overlay(Overlay::Picker(picker, PickerItems::Palette(choices)))
    }

    /// Returns all items with their entries, the recently run actions first.
    fn palette_items(&self) -> Vec<(PaletteItem, PickerEntry)> {
        let recent = &self.overlays.recent_actions;
        let others = Action::iter().filter(|action| !recent.contains(action));
        let actions = recent.iter().copied().chain(others);
        let mut all: Vec<(PaletteItem, PickerEntry)> =
            actions.map(|action| (PaletteItem::Run(action), self.action_entry(action))).collect();
        let pages = self.nav.entries.iter().enumerate().rev();
        let pages = pages.filter(|(at, _)| *at != self.nav.current);
        all.extend(pages.map(|(at, place)| {
            let chain = self.sessions.at(place.chain);
            let title = route_title(&place.route, chain.name_cache.labels());
            (PaletteItem::History(at), new_entry(&title, &chain.network.name, "history"))
        }));
        let seen = &self.session().name_cache;
        all.extend(seen.labels().all().map(|(whose, own)| {
            let entry = new_entry(&own, &whose.to_string(), "your name");
            (PaletteItem::Target(TargetKind::Address(*whose)), entry)
        }));
        let mut named: Vec<(PaletteItem, PickerEntry)> =
            seen.addresses().take(MAX_ADDRESSES).map(address_item).collect();
        named.extend(seen.transactions().map(|(hash, transaction)| {
            let method = transaction.method.value().map_or("transaction", |method| &**method);
            let entry = new_entry(method, &hash.to_string(), "transaction");
            (PaletteItem::Target(TargetKind::Transaction(*hash)), entry)
        }));
        // The cache is a hash map: sort for a stable order.
        named.sort_by(|(_, one), (_, other)| {
            (&one.name, &one.detail).cmp(&(&other.name, &other.detail))
        });
        all.extend(named);
        all
    }

    fn action_entry(&self, action: Action) -> PickerEntry {
        let key =
            self.input.keymap.chord_for(&self.pane_key_contexts(), action).map(ToString::to_string);
        let why = self.disabled_reason(action);
        let description = self.pane_keys().expand(action.description());
        let detail =
            why.as_ref().map_or(description.clone(), |why| format!("not now: {why}").into());
        let entry = new_entry(&action.label(), &detail, &key.unwrap_or_default());
        PickerEntry { dim: why.is_some(), keywords: SafeText::new(&description), ..entry }
    }

    pub(super) fn pick_item(&mut self, picker: Picker, choices: Vec<PaletteItem>) -> Vec<Effect> {
        let choice = match picker.choice() {
            Some(PickerChoice::Suggestion) => {
                let target = parse_scope(picker.input.text()).1;
                return self.go_to(PromptState::new(PromptKind::GoTo, target));
            }
            Some(PickerChoice::Entry(at)) => choices.get(at).cloned(),
            None => None,
        };
        match choice {
            Some(PaletteItem::Run(action)) => {
                self.overlays.record_action(action);
                self.act(action)
            }
            Some(PaletteItem::History(at)) => self.go_to_page(at),
            Some(PaletteItem::Target(subject)) => self.navigate(Route::Target(subject)),
            // Nothing matches: leave the query to be corrected.
            None => self.open_overlay(Overlay::Picker(picker, PickerItems::Palette(choices))),
        }
    }
}

pub(super) fn refilter(picker: &mut Picker, choices: &[PaletteItem]) {
    let text = picker.input.text().to_owned();
    let (kept, words) = parse_scope(&text);
    let offered = words.parse::<Target>().ok().map(|target| {
        let (what, kind) = match target.kind {
            TargetKind::Address(address) => (address.to_string(), "address"),
            TargetKind::Transaction(hash) => (hash.to_string(), "transaction"),
        };
        new_entry(&format!("go to {what}"), "what is typed", kind)
    });
    picker.rank(words, offered, |at| choices.get(at).is_some_and(kept));
}

fn new_entry(name: &str, detail: &str, right: &str) -> PickerEntry {
    let name: String = name.chars().take(MAX_NAME_CHARS).collect();
    PickerEntry {
        name: name.into(),
        detail: detail.into(),
        right: right.into(),
        ..PickerEntry::default()
    }
}

fn address_item((address, name): (&Address, &AddressName)) -> (PaletteItem, PickerEntry) {
    let symbol = name.token.as_ref().and_then(|token| token.symbol.as_deref());
    let called = match (name.label.as_deref(), symbol) {
        (Some(label), Some(symbol)) if label != symbol => format!("{label} ({symbol})"),
        (Some(called), _) | (None, Some(called)) => called.to_owned(),
        (None, None) => "address without a name".to_owned(),
    };
    let warning = if name.is_scam { "! called a scam  " } else { "" };
    let kind = if name.token.is_some() { "token" } else { "address" };
    let entry = new_entry(&called, &format!("{warning}{address}"), kind);
    (PaletteItem::Target(TargetKind::Address(*address)), entry)
}

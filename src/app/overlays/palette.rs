//! The command palette: actions, pages of the history and known targets, by name.

use std::collections::HashSet;

use alloy_primitives::hex;
use strum::IntoEnumIterator;

use super::overlay::{Overlay, PaletteItem, PickerItems};
use super::picker::{EntryDetail, Picker, PickerChoice, PickerEntry};
use super::prompt::{PromptKind, PromptState};
use crate::action::{Action, CALL_TREE};
use crate::api::transactions::TransactionOutcome;
use crate::api::{ChainQuery, ListAccess};
use crate::app::navigation::route_title::route_title;
use crate::app::{App, PaneSlot};
use crate::app_message::Effect;
use crate::chain::Address;
use crate::chain::amount::Grouped;
use crate::chain::network::Endpoint;
use crate::chain::target::{LinkedChain, Target, TargetKind};
use crate::columns::cells::called_method::CalledMethod;
use crate::demo_chain::{HIGHLIGHTS, Highlight};
use crate::keymap::KeyContext;
use crate::keymap::key_placeholders::KeyPlaceholders;
use crate::messages::Count;
use crate::messages::prompt::{self, OverlayText};
use crate::messages::trace;
use crate::name_cache::AddressName;
use crate::pane::{Availability, Route, RowCount};
use crate::sanitize::SafeText;
use crate::user_data::labels::Labels;
use crate::user_data::recents::RecentEntry;

/// Upper bound on the labels, and on the other named addresses, that are listed and ranked for any text.
/// There are fewer transactions.
const MAX_ADDRESSES: usize = 1_000;
/// Upper bound on further labels, and on further names: of those that contain the text.
const MAX_FURTHER: usize = 500;
/// Shorter words are not searched in the addresses of further labels.
const MIN_ADDRESS_CHARS: usize = 4;
const MAX_NAME_CHARS: usize = 100;
/// Pages of the history before the actions of the page.
const LAST_PAGES: usize = 3;
/// Maximum places of earlier sessions in the palette.
const MAX_RECENT_PLACES: usize = 8;

/// The scope of the lists of the whole chain that have no key.
const LIST_SCOPE: &str = "list";

type ItemFilter = fn(&PaletteItem) -> bool;

/// The scopes, and the first words that select them.
const SCOPES: [(&str, ItemFilter); 5] = [
    ("addr", |choice| {
        matches!(choice, PaletteItem::Target(TargetKind::Address(_)) | PaletteItem::Token(_))
    }),
    ("tx", |choice| matches!(choice, PaletteItem::Target(TargetKind::Transaction(_)))),
    ("go", |choice| {
        use PaletteItem::{Run, RunInTrace, Theme};
        !matches!(choice, Run(_) | RunInTrace(..) | Theme(_))
    }),
    (LIST_SCOPE, |choice| matches!(choice, PaletteItem::List(_))),
    ("theme", |choice| matches!(choice, PaletteItem::Theme(_))),
];

fn parse_scope(text: &str) -> (ItemFilter, &str) {
    let text = text.trim_start().trim_start_matches(':');
    let scope = text.split_once(' ').and_then(|(word, rest)| {
        let (_, filter) = SCOPES.iter().find(|(known, _)| *known == word)?;
        Some((*filter, rest))
    });
    scope.unwrap_or((|_| true, text))
}

pub(in crate::app) fn parse_chain_query(text: &str) -> Option<&str> {
    text.trim_start().trim_start_matches(':').strip_prefix("chain ")
}

impl App {
    pub(in crate::app) fn open_palette(&mut self) -> Vec<Effect> {
        let (choices, entries) = self.palette_items().into_iter().unzip();
        let picker =
            Picker::new(prompt::PALETTE_TITLE, entries).with_placeholder(prompt::PALETTE_SCOPES);
        self.open_overlay(Overlay::Picker(Box::new(picker), PickerItems::Palette(choices)))
    }

    /// Returns all items with their entries: the last used actions, the other tabs, the last pages,
    /// the actions of this page, places, then everything else, moves of the cursor and what cannot work last.
    fn palette_items(&self) -> Vec<(PaletteItem, PickerEntry)> {
        let recent = &self.overlays.recent_actions;
        let run = |action| self.action_item(action);
        // The tabs of the page are entries of their own.
        let is_tab = |action: &Action| Action::TABS.contains(action);
        let others = || Action::iter().filter(|action| !recent.contains(action) && !is_tab(action));
        let slot = self.nav.focused_slot();
        let is_of_page = |action: &Action| {
            !is_move(*action) && self.pane_availability(slot, *action) == Availability::Enabled
        };
        let mut all: Vec<(PaletteItem, PickerEntry)> = recent.iter().copied().map(run).collect();
        let (of_page, open) = self.tabs_of(self.nav.active_slot());
        let is_empty = |tab: usize| {
            of_page.get(tab).is_some_and(|tab| tab.count == Some(RowCount::Exactly(0)))
        };
        let (last_tabs, tabs): (Vec<_>, Vec<_>) = self.tab_items().partition(
            |(item, _)| matches!(item, PaletteItem::Tab(tab) if *tab == open || is_empty(*tab)),
        );
        all.extend(tabs);
        all.extend(self.history_items().take(LAST_PAGES));
        let mut of_page_first: Vec<Action> = others().filter(is_of_page).collect();
        of_page_first.sort_by_key(|action| action.page_rank().unwrap_or(usize::MAX));
        all.extend(of_page_first.into_iter().map(run));
        all.extend(self.history_items());
        all.extend(self.recent_items());
        if self.session().network.endpoint == Endpoint::Embedded {
            all.extend(HIGHLIGHTS.iter().filter_map(highlight_item));
        }
        all.extend(last_tabs);
        all.extend(self.hidden_tab_items());
        all.extend(self.chain_list_items());
        let is_other = |action: &Action| !is_of_page(action) && !is_move(*action);
        let (unavailable, available): (Vec<_>, Vec<_>) =
            others().filter(is_other).map(run).partition(|(_, entry)| entry.dim);
        all.extend(available);
        all.extend(self.display.themes.names().into_iter().map(|name| {
            let entry = new_entry(&format!("theme {name}"), prompt::SCREEN_COLOURS, "");
            (PaletteItem::Theme(name), entry)
        }));
        all.extend(self.named_items());
        all.extend(others().filter(|action| is_move(*action)).map(run));
        all.extend(unavailable);
        let mut seen = HashSet::new();
        let is_first = all.iter().map(|(_, entry)| seen.insert((&entry.name, &entry.detail)));
        let is_first: Vec<bool> = is_first.collect();
        let listed = all.into_iter().zip(is_first).filter(|(_, is_first)| *is_first);
        listed.map(|(item, _)| item).collect()
    }

    fn history_items(&self) -> impl Iterator<Item = (PaletteItem, PickerEntry)> {
        let pages =
            self.nav.entries.iter().enumerate().rev().filter(|(at, _)| *at != self.nav.current);
        pages.map(|(at, place)| {
            let chain = self.sessions.at(place.chain);
            let title = route_title(&place.route, chain);
            (PaletteItem::History(at), new_entry(&title, &chain.network.name, "history"))
        })
    }

    /// Returns the places visited last, also in earlier sessions, without the history's.
    fn recent_items(&self) -> impl Iterator<Item = (PaletteItem, PickerEntry)> {
        let session = self.session();
        let title = |route: &Route| route_title(route, session);
        let visited: HashSet<String> =
            self.nav.entries.iter().map(|place| title(&place.route)).collect();
        let entries = session.recents.entries().iter().take(MAX_RECENT_PLACES);
        entries.filter_map(move |entry| {
            let (route, item) = match *entry {
                RecentEntry::Token(token) => (Route::Token(token), PaletteItem::Token(token)),
                RecentEntry::Address(address) => target_item(TargetKind::Address(address)),
                RecentEntry::Transaction(hash) => target_item(TargetKind::Transaction(hash)),
            };
            let title = title(&route);
            let detail = match entry {
                RecentEntry::Token(address) | RecentEntry::Address(address) => {
                    EntryDetail::Address(*address)
                }
                RecentEntry::Transaction(hash) => hash.to_string().as_str().into(),
            };
            let entry = PickerEntry { detail, ..new_entry(&title, "", "recent") };
            (!visited.contains(&title)).then_some((item, entry))
        })
    }

    fn tab_items(&self) -> impl Iterator<Item = (PaletteItem, PickerEntry)> {
        let (all, active) = self.tabs_of(self.nav.active_slot());
        let tabs = all.into_iter().enumerate();
        tabs.map(move |(n, tab)| {
            let detail = match tab.count {
                _ if n == active => prompt::OPEN_TAB.to_owned(),
                Some(RowCount::Exactly(0)) => prompt::EMPTY_TAB.to_owned(),
                Some(RowCount::Exactly(rows)) => {
                    Count(usize::try_from(rows).unwrap_or(usize::MAX), "row").to_string()
                }
                Some(RowCount::MoreThan(rows @ 1..)) => {
                    OverlayText::MoreRows { rows: Grouped(rows) }.to_string()
                }
                _ => prompt::TAB_OF_PAGE.to_owned(),
            };
            let has_key = n < Action::TABS.len();
            let key = if has_key { (n + 1).to_string() } else { String::new() };
            let title = self.nav.entry().map_or("", |entry| tab.kind.title_on(&entry.route));
            let entry = new_entry(title, &detail, &key);
            let keywords = SafeText::new(&[prompt::TAB_OF_PAGE, " ", tab.kind.keywords()].concat());
            (PaletteItem::Tab(n), PickerEntry { has_key, keywords, ..entry })
        })
    }

    fn hidden_tab_items(&self) -> impl Iterator<Item = (PaletteItem, PickerEntry)> {
        let hidden = self.nav.entry().into_iter().flat_map(|entry| &entry.hidden_tabs);
        hidden.map(|tab| {
            let entry = new_entry(tab.kind.title(), prompt::HIDDEN_TAB, "");
            (PaletteItem::HiddenTab(tab.kind), entry)
        })
    }

    /// Returns the lists of the chain that have no key. The server of a node has few of them.
    fn chain_list_items(&self) -> impl Iterator<Item = (PaletteItem, PickerEntry)> {
        let is_explorer = matches!(self.session().network.endpoint, Endpoint::Remote(_));
        ChainQuery::iter().filter_map(move |list| match list.entry().access {
            ListAccess::Listed { description, is_served_here } if is_explorer || is_served_here => {
                let entry = new_entry(list.entry().title, description, LIST_SCOPE);
                Some((PaletteItem::List(list), entry))
            }
            _ => None,
        })
    }

    /// Opens a palette of the lists of the whole chain, first those that have keys.
    pub(in crate::app) fn open_lists(&mut self) -> Vec<Effect> {
        let with_key = ChainQuery::iter()
            .filter_map(|list| match list.entry().access {
                ListAccess::Key(action) => Some(self.action_item(action)),
                ListAccess::Listed { .. } => None,
            })
            .filter(|(_, entry)| !entry.dim);
        let others = self
            .chain_list_items()
            .map(|(item, entry)| (item, PickerEntry { right: "".into(), ..entry }));
        let lists = with_key.chain(others);
        let (choices, entries) = lists.unzip();
        let picker = Picker::new(prompt::LISTS_TITLE, entries);
        self.open_overlay(Overlay::Picker(Box::new(picker), PickerItems::Palette(choices)))
    }

    /// Returns everything with a label, or with a name in a response.
    fn named_items(&self) -> Vec<(PaletteItem, PickerEntry)> {
        let seen = &self.session().name_cache;
        let own = seen
            .labels()
            .addresses()
            .take(MAX_ADDRESSES)
            .filter_map(|address| label_item(address, seen.labels()));
        let mut named: Vec<(PaletteItem, PickerEntry)> =
            seen.addresses().take(MAX_ADDRESSES).map(address_item).collect();
        named.extend(seen.transactions().map(|(hash, transaction)| {
            let method = CalledMethod::new(transaction, seen, &self.session().signature_db)
                .value()
                .map_or("transaction".into(), CalledMethod::to_string);
            let entry = new_entry(&method, &hash.to_string(), "transaction");
            (PaletteItem::Target(TargetKind::Transaction(*hash)), entry)
        }));
        // The cache is a hash map: sort for a stable order.
        named.sort_unstable_by(|(_, one), (_, other)| {
            (&one.name, &one.detail).cmp(&(&other.name, &other.detail))
        });
        own.chain(named).collect()
    }

    pub(in crate::app) fn refilter_palette(
        &self,
        picker: &mut Picker,
        items: &mut Vec<PaletteItem>,
    ) {
        let text = picker.input.text().to_owned();
        let (kept, words) = parse_scope(&text);
        let further = self.further_labels(words).into_iter().chain(self.further_names(words));
        let (further, entries): (Vec<_>, Vec<_>) = further.unzip();
        items.truncate(picker.replace_further(entries));
        items.extend(further);
        let offered = words.parse::<Target>().ok().map(|target| {
            let label = OverlayText::GoTo { target: &target.kind }.to_string();
            new_entry(&label, prompt::TYPED, kind_name(&target.kind))
        });
        picker.rank(words, offered, |at| items.get(at).is_some_and(kept));
    }

    /// Returns the labels with the longest of these words, in their names or their addresses, that are not
    /// among the first.
    fn further_labels(&self, words: &str) -> Vec<(PaletteItem, PickerEntry)> {
        let labels = self.session().name_cache.labels();
        let longest = words.split_whitespace().max_by_key(|word| word.len());
        let Some(longest) = longest.filter(|_| labels.addresses().nth(MAX_ADDRESSES).is_some())
        else {
            return Vec::new();
        };
        let first: HashSet<&Address> = labels.addresses().take(MAX_ADDRESSES).collect();
        let word = longest.to_lowercase();
        let digits = Some(&word).filter(|word| is_part_of_address(word));
        let by_digits = digits.into_iter().flat_map(|digits| labels.with_digits(digits));
        let further =
            labels.containing(&word).chain(by_digits).filter(|address| !first.contains(address));
        further.take(MAX_FURTHER).filter_map(|address| label_item(address, labels)).collect()
    }

    /// Returns the named addresses with the longest of these words that are not among the first.
    fn further_names(&self, words: &str) -> Vec<(PaletteItem, PickerEntry)> {
        let Some(longest) = words.split_whitespace().max_by_key(|word| word.len()) else {
            return Vec::new();
        };
        let word = longest.to_lowercase();
        let has_word = |text: &SafeText| text.to_lowercase().contains(&word);
        let are_digits = is_part_of_address(&word);
        let names = self.session().name_cache.addresses().skip(MAX_ADDRESSES);
        let further = names.filter(|(address, name)| {
            let symbol = name.token.as_ref().and_then(|token| token.symbol.as_ref());
            let has_digits = || hex::encode_prefixed(address).contains(&word);
            name.label.iter().chain(symbol).any(has_word) || (are_digits && has_digits())
        });
        further.take(MAX_FURTHER).map(address_item).collect()
    }

    /// Returns the item of an action, on other tabs of a transaction also of its trace.
    fn action_item(&self, action: Action) -> (PaletteItem, PickerEntry) {
        let why = self.disabled_reason(action);
        let tab = self.trace_tab().map(|(tab, _)| tab).filter(|_| self.is_for_trace(action));
        let Some(tab) = tab.filter(|_| why.is_some()) else {
            let entry = self.action_entry(action, &self.pane_key_contexts(), why.as_deref());
            return (PaletteItem::Run(action), entry);
        };
        if matches!(action, Action::ZoomIn | Action::ZoomOut)
            && self.pane_availability(PaneSlot::Tab(tab), action) != Availability::Enabled
        {
            // Their keys do nothing in a trace that is just opened.
            let keys = KeyPlaceholders::new(&self.input.keymap, KeyContext::Trace);
            let why = keys.expand(trace::ONLY_ICICLE);
            let entry = self.action_entry(action, &[KeyContext::Trace], Some(&why));
            return (PaletteItem::Run(action), entry);
        }
        let entry = self.action_entry(action, &[KeyContext::Trace], None);
        let right = match &*entry.right {
            "" => entry.right,
            key => OverlayText::KeyInTab { tab: tab + 1, key }.to_string().into(),
        };
        (PaletteItem::RunInTrace(tab, action), PickerEntry { right, ..entry })
    }

    /// Returns `true` if only traces have an action and this page is another tab of a transaction with a trace.
    fn is_for_trace(&self, action: Action) -> bool {
        use Action::{Continue, NextDifference, PreviousDifference, RevertOrigin};
        let has_trace = self.trace_tab().is_some_and(|(tab, outcome)| {
            let is_open = self.nav.active_slot() == PaneSlot::Tab(tab);
            !is_open && outcome != TransactionOutcome::Pending
        });
        has_trace
            && action.subject() == CALL_TREE
            && !matches!(action, Continue | NextDifference | PreviousDifference | RevertOrigin)
    }

    fn action_entry(
        &self,
        action: Action,
        contexts: &[KeyContext],
        why: Option<&str>,
    ) -> PickerEntry {
        let key = self.input.keymap.chord_for(contexts, action).map(ToString::to_string);
        let description = self.pane_keys().expand(action.description());
        let detail =
            why.map_or(description.clone(), |why| OverlayText::Disabled { why }.to_string().into());
        let entry = new_entry(&action.label(), &detail, &key.unwrap_or_default());
        PickerEntry {
            dim: why.is_some(),
            has_key: true,
            keywords: SafeText::new(&description),
            ..entry
        }
    }

    pub(in crate::app) fn pick_item(
        &mut self,
        picker: Picker,
        choices: Vec<PaletteItem>,
    ) -> Vec<Effect> {
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
            Some(PaletteItem::RunInTrace(tab, action)) => {
                self.overlays.record_action(action);
                self.act_in_trace(tab, action)
            }
            Some(PaletteItem::History(at)) => self.go_to_page(at),
            Some(PaletteItem::Tab(tab)) => self.switch_tab(tab),
            Some(PaletteItem::HiddenTab(kind)) => {
                let tab = self.nav.entry_mut().and_then(|entry| entry.show_tab(kind));
                tab.map(|tab| self.switch_tab(tab)).unwrap_or_default()
            }
            Some(PaletteItem::List(query)) => self.navigate(Route::List(query)),
            Some(PaletteItem::Target(subject)) => self.navigate(Route::Target(subject)),
            Some(PaletteItem::Found(target)) => self.go_to_target(&target),
            Some(PaletteItem::Token(token)) => self.navigate(Route::Token(token)),
            Some(PaletteItem::Theme(name)) => self.choose_theme(&name),
            // Nothing matches: leave the query to be corrected.
            None => {
                self.open_overlay(Overlay::Picker(Box::new(picker), PickerItems::Palette(choices)))
            }
        }
    }
}

/// Returns a picker of the targets in a text.
pub(in crate::app) fn target_picker(targets: Vec<Target>) -> Overlay {
    let entry = |target: &Target| {
        let chain = target.chain.as_ref().map(LinkedChain::to_string);
        new_entry(kind_name(&target.kind), &target.kind.to_string(), &chain.unwrap_or_default())
    };
    let entries = targets.iter().map(entry).collect();
    let items = targets.into_iter().map(PaletteItem::Found).collect();
    let mut picker = Picker::new(prompt::FOUND_TARGETS_TITLE, entries);
    picker.rank("", None, |_| true);
    Overlay::Picker(Box::new(picker), PickerItems::Palette(items))
}

fn kind_name(kind: &TargetKind) -> &'static str {
    match kind {
        TargetKind::Address(_) => "address",
        TargetKind::Transaction(_) => "transaction",
        TargetKind::Block(_) => "block",
    }
}

/// Returns `true` if a word in lower case is rather some digits of an address than a part of a name.
fn is_part_of_address(word: &str) -> bool {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    word.len() >= MIN_ADDRESS_CHARS && digits.bytes().all(|c| c.is_ascii_hexdigit())
}

/// Returns the item of a labelled address.
fn label_item(address: &Address, labels: &Labels) -> Option<(PaletteItem, PickerEntry)> {
    let entry = new_entry(&labels.decorated_name(address)?, "", "your label");
    let entry = PickerEntry { detail: EntryDetail::Address(*address), ..entry };
    Some((PaletteItem::Target(TargetKind::Address(*address)), entry))
}

/// Returns `true` if an action moves the cursor among the calls of a trace, scrolls them or unfolds some levels.
fn is_jump(action: Action) -> bool {
    use Action::{
        NextCreate, NextDelegate, NextFailure, NextSameSelector, NextSameTarget, NextSibling,
        NextValue, Parent, PreviousCreate, PreviousDelegate, PreviousFailure, PreviousSameTarget,
        PreviousSibling, PreviousValue, ScrollBottom, ScrollMiddle, ScrollTop,
    };
    let is_step = matches!(action, NextSibling | PreviousSibling | Parent);
    let is_to_kind =
        matches!(action, NextFailure | NextValue | NextDelegate | NextCreate | NextSameTarget)
            || matches!(action, PreviousFailure | PreviousValue | PreviousDelegate)
            || matches!(action, PreviousCreate | PreviousSameTarget | NextSameSelector);
    let is_view = matches!(action, ScrollTop | ScrollMiddle | ScrollBottom);
    is_step || is_to_kind || is_view || Action::DEPTHS.contains(&action)
}

/// Returns `true` if an action only moves the cursor or the focus.
fn is_move(action: Action) -> bool {
    use Action::{
        Focus, FocusHeader, NextCell, NextPanel, NextTab, PreviousCell, PreviousPanel, PreviousTab,
        SwitchPane,
    };
    let is_step = matches!(action, PreviousCell | NextCell | NextPanel | PreviousPanel);
    let is_focus = matches!(action, NextTab | PreviousTab | Focus | FocusHeader | SwitchPane);
    action.is_row_move() || is_jump(action) || is_step || is_focus
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

fn target_item(target: TargetKind) -> (Route, PaletteItem) {
    (Route::Target(target.clone()), PaletteItem::Target(target))
}

fn highlight_item(place: &Highlight) -> Option<(PaletteItem, PickerEntry)> {
    let target = place.hash.parse().ok()?;
    Some((PaletteItem::Target(target), new_entry(place.name, place.description, "demo")))
}

fn address_item((address, name): (&Address, &AddressName)) -> (PaletteItem, PickerEntry) {
    let symbol = name.token.as_ref().and_then(|token| token.symbol.as_deref());
    let called = match (name.label.as_deref(), symbol) {
        (Some(label), Some(symbol)) if label != symbol => format!("{label} ({symbol})"),
        (Some(called), _) | (None, Some(called)) => called.to_owned(),
        (None, None) => prompt::ADDRESS_WITHOUT_NAME.to_owned(),
    };
    let detail = if name.is_scam {
        [prompt::CALLED_A_SCAM, &address.to_string()].concat().as_str().into()
    } else {
        EntryDetail::Address(*address)
    };
    let (kind, item) = match name.token {
        Some(_) => ("token", PaletteItem::Token(*address)),
        None => ("address", PaletteItem::Target(TargetKind::Address(*address))),
    };
    (item, PickerEntry { detail, ..new_entry(&called, "", kind) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that add nothing to a name.
    const SMALL_WORDS: [&str; 13] = [
        "the",
        "a",
        "an",
        "this",
        "of",
        "in",
        "to",
        "and",
        "or",
        "all",
        "everything",
        "more",
        "less",
    ];

    #[test]
    fn descriptions_add_to_the_names() {
        for action in Action::iter().filter(|action| !Action::TABS.contains(action)) {
            let (name, description) = (action.label(), action.description().to_lowercase());
            let is_known = |word: &str| {
                SMALL_WORDS.contains(&word)
                    || name
                        .split(' ')
                        .any(|own| own.trim_end_matches('s') == word.trim_end_matches('s'))
            };
            let words = description.split([' ', ',', ':', ';', '(', ')']);
            let further = words.filter(|word| !word.is_empty() && !is_known(word)).count();
            assert!(further > 0, "{name}: {description}");
        }
    }
}

//! The palette: all that can be done, and all that can be gone to, by name.

use strum::IntoEnumIterator;

use super::App;
use super::overlay::{Choice, Overlay, Picking};
use super::picker::{Entry, Pick, Picker};
use super::prompt::{Field, Purpose};
use super::title::title;
use crate::chain::target::{Subject, Target};
use crate::msg::{Action, Effect};
use crate::name_cache::Name;
use crate::pane::Link;
use crate::sanitize::Text;

/// Addresses that are offered; transactions are fewer anyway.
const ADDRESSES: usize = 8_000;
/// Actions that are remembered as used.
const RECENT: usize = 8;
/// A name of an entry is as long as anybody reads.
const LONGEST: usize = 100;

/// What a first word leaves of the choices.
type Kept = fn(&Choice) -> bool;

/// First words that leave only some of the choices.
const WORDS: [(&str, Kept); 3] = [
    ("addr", |choice| matches!(choice, Choice::Go(Subject::Address(_)))),
    ("tx", |choice| matches!(choice, Choice::Go(Subject::Transaction(_)))),
    ("go", |choice| !matches!(choice, Choice::Act(_))),
];

/// What a typed text looks for: which choices, and the rest of the words.
fn asked(text: &str) -> (Kept, &str) {
    let text = text.trim_start().trim_start_matches(':');
    let first = text.split_once(' ').or(Some((text, "")));
    let kept = |(word, rest)| {
        let found = WORDS.iter().find(|(known, _)| *known == word)?;
        Some((found.1, rest))
    };
    first.and_then(kept).unwrap_or((|_| true, text))
}

/// What follows the word that asks for the list of chains.
pub(super) fn chain_asked(text: &str) -> Option<&str> {
    text.trim_start().trim_start_matches(':').strip_prefix("chain ")
}

impl App {
    /// Opens the palette.
    pub(super) fn open_palette(&mut self) -> Vec<Effect> {
        let all = self.choices();
        let (choices, entries) = all.into_iter().unzip();
        let title = " What to do, or where to go (addr, tx, go, chain …) ";
        self.lay_over(Overlay::Picker(Picker::new(title, entries), Picking::Palette(choices)))
    }

    /// Everything that can be picked, what was used last first.
    fn choices(&self) -> Vec<(Choice, Entry)> {
        let others = Action::iter().filter(|action| !self.used.contains(action));
        let actions = self.used.iter().copied().chain(others);
        let mut all: Vec<(Choice, Entry)> =
            actions.map(|action| (Choice::Act(action), self.action_entry(action))).collect();
        let places = self.places.iter().enumerate().rev().filter(|(at, _)| *at != self.at);
        all.extend(places.map(|(at, place)| {
            let chain = self.visited.at(place.chain);
            let title = title(&place.link, chain.seen.labels());
            (Choice::Return(at), entry(&title, &chain.network.name, "history"))
        }));
        let seen = &self.chain().seen;
        all.extend(seen.labels().all().map(|(whose, own)| {
            let entry = entry(&own, &whose.to_string(), "your name");
            (Choice::Go(Subject::Address(*whose)), entry)
        }));
        let mut named: Vec<(Choice, Entry)> =
            seen.addresses().take(ADDRESSES).map(address).collect();
        named.extend(seen.transactions().map(|(hash, transaction)| {
            let method = transaction.method.known().map_or("transaction", |method| &**method);
            let entry = entry(method, &hash.to_string(), "transaction");
            (Choice::Go(Subject::Transaction(*hash)), entry)
        }));
        // They come in the order of a hash map.
        named.sort_by(|(_, one), (_, other)| {
            (&one.name, &one.detail).cmp(&(&other.name, &other.detail))
        });
        all.extend(named);
        all
    }

    fn action_entry(&self, action: Action) -> Entry {
        let key = self.keymap.chord(&self.contexts_below(), action).map(ToString::to_string);
        let why = self.why_not(action);
        let detail = match &why {
            Some(why) => format!("not now: {why}"),
            None => self.keys().sentence(action.about().sentence).into_owned(),
        };
        let entry = entry(&action.words(), &detail, &key.unwrap_or_default());
        Entry { dim: why.is_some(), ..entry }
    }

    /// Does what was picked, as its key would.
    pub(super) fn pick_choice(&mut self, picker: Picker, choices: Vec<Choice>) -> Vec<Effect> {
        let choice = match picker.picked() {
            Some(Pick::Offered) => {
                let target = asked(picker.text()).1;
                return self.go_to(Field::new(Purpose::GoTo, target));
            }
            Some(Pick::At(at)) => choices.get(at).cloned(),
            None => None,
        };
        match choice {
            Some(Choice::Act(action)) => {
                self.used.retain(|used| *used != action);
                self.used.insert(0, action);
                self.used.truncate(RECENT);
                self.act(action)
            }
            Some(Choice::Return(at)) => self.walk(at.cast_signed() - self.at.cast_signed()),
            Some(Choice::Go(subject)) => self.visit(Link::Subject(subject)),
            // Nothing fits what is typed: it stays to be corrected.
            None => self.lay_over(Overlay::Picker(picker, Picking::Palette(choices))),
        }
    }
}

/// Ranks the palette again after something was typed.
pub(super) fn sift(picker: &mut Picker, choices: &[Choice]) {
    let text = picker.text().to_owned();
    let (kept, words) = asked(&text);
    let offered = words.parse::<Target>().ok().map(|target| {
        let (what, kind) = match target.subject {
            Subject::Address(address) => (address.to_string(), "address"),
            Subject::Transaction(hash) => (hash.to_string(), "transaction"),
        };
        entry(&format!("go to {what}"), "what is typed", kind)
    });
    picker.rank(words, offered, |at| choices.get(at).is_some_and(kept));
}

fn entry(name: &str, detail: &str, right: &str) -> Entry {
    let name: String = name.chars().take(LONGEST).collect();
    Entry { name: Text::from(name), detail: detail.into(), right: right.into(), dim: false }
}

/// An address that an answer named.
fn address((address, name): (&crate::chain::Address, &Name)) -> (Choice, Entry) {
    let symbol = name.token.as_ref().and_then(|token| token.symbol.as_deref());
    let called = match (name.label.as_deref(), symbol) {
        (Some(label), Some(symbol)) if label != symbol => format!("{label} ({symbol})"),
        (Some(called), _) | (None, Some(called)) => called.to_owned(),
        (None, None) => "address without a name".to_owned(),
    };
    let warning = if name.is_scam { "! called a scam  " } else { "" };
    let kind = if name.token.is_some() { "token" } else { "address" };
    let entry = entry(&called, &format!("{warning}{address}"), kind);
    (Choice::Go(Subject::Address(*address)), entry)
}

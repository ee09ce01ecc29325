//! Keys: the key map, the chord typed so far, and the meaning of a key.

use crossterm::event::KeyCode;

use super::overlays::overlay::Overlay;
use super::overlays::prompt::PromptKind;
use super::overlays::which_key;
use super::requests::ledger::Owner;
use super::{App, mouse::MouseState};
use crate::action::Action;
use crate::app_message::{Effect, Key};
use crate::keymap::key_placeholders::KeyPlaceholders;
use crate::keymap::{Chord, KeyContext, Keymap, Lookup};
use crate::messages::notice::{AppNotice, way_out};

#[derive(Debug)]
pub(super) struct Input {
    pub(super) keymap: Keymap,
    pub(super) mouse: MouseState,
    pending: Vec<Key>,
    pub(super) shows_which_key: bool,
    was_interrupted: bool,
}

impl Input {
    pub(super) fn new(keymap: Keymap, is_mouse_enabled: bool) -> Self {
        Self {
            keymap,
            mouse: MouseState { is_enabled: is_mouse_enabled, is_captured: false },
            pending: Vec::new(),
            shows_which_key: false,
            was_interrupted: false,
        }
    }

    pub(super) fn clear_chord(&mut self) -> Chord {
        self.shows_which_key = false;
        Chord(std::mem::take(&mut self.pending))
    }

    pub(super) fn pending(&self) -> &[Key] {
        &self.pending
    }

    /// Shows the which-key box if a chord is begun.
    pub(super) fn on_timer(&mut self) {
        self.shows_which_key |= !self.pending.is_empty();
    }

    pub(super) fn is_second_interrupt(&mut self, action: Action) -> bool {
        let is_interrupt = action == Action::Interrupt;
        std::mem::replace(&mut self.was_interrupted, is_interrupt) && is_interrupt
    }
}

impl App {
    /// The contexts in which keys are looked up, in order of precedence.
    pub(super) fn key_contexts(&self) -> Vec<KeyContext> {
        match &self.overlays.top {
            Some(Overlay::Prompt(prompt)) if prompt.search.has_results() => {
                vec![KeyContext::Picker]
            }
            Some(Overlay::Prompt(_)) => vec![KeyContext::Field],
            Some(Overlay::Filters(_) | Overlay::Confirm(_)) => vec![KeyContext::Menu],
            Some(Overlay::RequestLog(_)) => vec![KeyContext::Requests, KeyContext::Everywhere],
            Some(Overlay::Help(help)) if help.is_typing => vec![KeyContext::Picker],
            Some(Overlay::Help(_)) => vec![KeyContext::Help, KeyContext::Everywhere],
            Some(Overlay::PlainText(_)) => vec![KeyContext::Everywhere],
            Some(Overlay::Picker(..)) => vec![KeyContext::Picker],
            None => self.pane_key_contexts(),
        }
    }

    /// The contexts of the page below any overlay.
    pub(super) fn pane_key_contexts(&self) -> Vec<KeyContext> {
        let own = self.nav.key_context();
        let own = (own != KeyContext::Everywhere).then_some(own);
        own.into_iter().chain([KeyContext::Everywhere]).collect()
    }

    pub(super) fn on_key(&mut self, key: Key) -> Vec<Effect> {
        if key.alt {
            // Alt is bound to nothing, so this is Esc followed by the key.
            return [self.on_key(Key::ESC), self.on_key(Key { alt: false, ..key })].concat();
        }
        self.notice = None;
        if let Some(entry) = self.nav.entry_mut() {
            // The tab under the user's hands stays.
            entry.seeks_rows = false;
        }
        self.input.pending.push(key);
        let lookup = self.input.keymap.lookup(&self.key_contexts(), &self.input.pending);
        if let Some(digit) = self.first_digit(key, &lookup) {
            self.input.clear_chord();
            return self.open_go_to(&digit.to_string());
        }
        match lookup {
            Lookup::Prefix => {
                self.cancel(Owner::WhichKey);
                vec![self.start_timer(Owner::WhichKey, which_key::HINT_DELAY)]
            }
            Lookup::Action(action) => {
                self.input.clear_chord();
                self.act(action)
            }
            // The rest of a chord of other pages is not a key of its own.
            Lookup::Nothing if self.overlays.top.is_none() && self.is_prefix_anywhere() => {
                Vec::new()
            }
            Lookup::Nothing => {
                let chord = self.input.clear_chord();
                self.type_key(key, &chord)
            }
        }
    }

    /// Returns a digit that begins the number of a block: one without a use on the start page.
    fn first_digit(&self, key: Key, lookup: &Lookup) -> Option<char> {
        let KeyCode::Char(digit @ '1'..='9') = key.code else { return None };
        let is_free = match lookup {
            Lookup::Action(action) => self.refusal(*action).is_some(),
            Lookup::Prefix => false,
            Lookup::Nothing => self.input.pending.len() == 1,
        };
        let is_start = self.key_contexts().first() == Some(&KeyContext::Start);
        (is_start && is_free && !key.ctrl).then_some(digit)
    }

    fn is_prefix_anywhere(&self) -> bool {
        self.input.keymap.lookup_anywhere(&self.input.pending) == Lookup::Prefix
    }

    fn type_key(&mut self, key: Key, chord: &Chord) -> Vec<Effect> {
        match &mut self.overlays.top {
            Some(Overlay::Prompt(prompt)) if key == Key::TAB && prompt.search.has_results() => {
                prompt.search.select_next();
                self.load_more_results()
            }
            Some(Overlay::Prompt(prompt)) if key == Key::TAB && prompt.kind == PromptKind::GoTo => {
                self.complete_input()
            }
            Some(Overlay::Prompt(prompt)) => {
                if !prompt.recall(key, &self.overlays.earlier_searches) {
                    prompt.type_key(key);
                }
                self.on_prompt_edited()
            }
            Some(Overlay::Help(help)) if help.is_typing => {
                help.type_key(key);
                Vec::new()
            }
            Some(Overlay::Picker(picker, _)) => {
                picker.input.type_key(key);
                self.refilter_picker();
                Vec::new()
            }
            _ => self.notify_unbound(chord),
        }
    }

    fn notify_unbound(&mut self, chord: &Chord) -> Vec<Effect> {
        if chord.0.last() == Some(&Key::ESC) {
            // Esc only ends a chord.
            return Vec::new();
        }
        if let (None, Lookup::Action(action)) =
            (&self.overlays.top, self.input.keymap.lookup_anywhere(&chord.0))
            && let Some(reason) = self.disabled_reason(action)
        {
            let chord = chord.to_string();
            return self.warn(&AppNotice::KeyDisabled { chord: &chord, why: &reason });
        }
        let way = match &self.overlays.top {
            Some(Overlay::Help(_)) => way_out::LISTED,
            _ if self.key_contexts().contains(&KeyContext::Everywhere) => {
                let help = self.input.keymap.chord_for(&self.key_contexts(), Action::Help);
                if help.is_some() { way_out::HELP } else { way_out::NO_HELP }
            }
            _ => way_out::CLOSE,
        };
        let way_out = self.active_keys().expand(way);
        self.warn(&AppNotice::KeyNotBound { chord: &chord.to_string(), way_out: &way_out })
    }

    /// The keys of the page below any overlay.
    pub(super) fn pane_keys(&self) -> KeyPlaceholders<'_> {
        KeyPlaceholders::new(&self.input.keymap, self.nav.key_context())
    }

    pub(super) fn active_keys(&self) -> KeyPlaceholders<'_> {
        let nearest = self.key_contexts().first().copied();
        KeyPlaceholders::new(&self.input.keymap, nearest.unwrap_or(KeyContext::Everywhere))
    }
}

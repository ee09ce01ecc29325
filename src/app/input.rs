//! What keys mean now: for what is on top, for the pane that has them, and everywhere.

use super::App;
use super::overlay::Overlay;
use crate::keymap::key_hints::KeyHints;
use crate::keymap::{KeyContext, Lookup};
use crate::msg::{Effect, Key};

impl App {
    /// Where keys are looked up, the nearest context first.
    pub(super) fn key_contexts(&self) -> Vec<KeyContext> {
        match &self.overlay {
            Some(Overlay::Prompt(_)) => vec![KeyContext::Field],
            Some(Overlay::Filters(_) | Overlay::Confirm(_)) => vec![KeyContext::Menu],
            Some(Overlay::RequestLog(_)) => vec![KeyContext::Requests, KeyContext::Everywhere],
            Some(Overlay::Help(help)) if help.is_typing() => vec![KeyContext::Picker],
            Some(Overlay::Help(_)) => vec![KeyContext::Help, KeyContext::Everywhere],
            Some(Overlay::PlainText(_)) => vec![KeyContext::Everywhere],
            Some(Overlay::Picker(..)) => vec![KeyContext::Picker],
            None => self.pane_key_contexts(),
        }
    }

    /// The contexts of the place itself, whatever lies on top of it.
    pub(super) fn pane_key_contexts(&self) -> Vec<KeyContext> {
        let own = self.focused_tab().map(|slot| slot.pane.state().key_context);
        let own = own.filter(|context| *context != KeyContext::Everywhere);
        own.into_iter().chain([KeyContext::Everywhere]).collect()
    }

    /// Does what a key means, or types it.
    pub(super) fn on_key(&mut self, key: Key) -> Vec<Effect> {
        if key.alt {
            // Nothing is bound to Alt, so it was Esc and then the key.
            return [self.on_key(Key::ESC), self.on_key(Key { alt: false, ..key })].concat();
        }
        self.notice = None;
        let contexts = self.key_contexts();
        self.pending_keys.push(key);
        let meaning = self.keymap.lookup(&contexts, &self.pending_keys);
        if meaning == Lookup::Prefix {
            return self.begin_chord();
        }
        let pressed = self.end_chord();
        match (meaning, &mut self.overlay) {
            (Lookup::Action(action), _) => self.act(action),
            (_, Some(Overlay::Prompt(field))) => {
                field.type_key(key);
                self.cancel_resolution()
            }
            (_, Some(Overlay::Help(help))) if help.is_typing() => {
                help.type_key(key);
                Vec::new()
            }
            (_, Some(Overlay::Picker(picker, _))) => {
                picker.type_key(key);
                self.refilter_picker();
                Vec::new()
            }
            _ => self.notify_unbound(&pressed),
        }
    }

    /// The keys of the place, whatever lies on top of it.
    pub(super) fn pane_keys(&self) -> KeyHints<'_> {
        let own = self.focused_tab().map(|slot| slot.pane.state().key_context);
        KeyHints::new(&self.keymap, own.unwrap_or(KeyContext::Everywhere))
    }

    /// The keys of what is on top.
    pub(super) fn active_keys(&self) -> KeyHints<'_> {
        let nearest = self.key_contexts().first().copied();
        KeyHints::new(&self.keymap, nearest.unwrap_or(KeyContext::Everywhere))
    }
}

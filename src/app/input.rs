//! What keys mean now: for what is on top, for the pane that has them, and everywhere.

use super::App;
use super::overlay::Overlay;
use crate::keymap::key_hints::Keys;
use crate::keymap::{Context, Lookup};
use crate::msg::{Effect, Key};

impl App {
    /// Where keys are looked up, the nearest context first.
    pub(super) fn contexts(&self) -> Vec<Context> {
        match &self.overlay {
            Some(Overlay::Field(_)) => vec![Context::Field],
            Some(Overlay::Filters(_) | Overlay::Confirm(_)) => vec![Context::Menu],
            Some(Overlay::Requests(_)) => vec![Context::Requests, Context::Everywhere],
            Some(Overlay::Help(help)) if help.is_typing() => vec![Context::Picker],
            Some(Overlay::Help(_)) => vec![Context::Help, Context::Everywhere],
            Some(Overlay::Print(_)) => vec![Context::Everywhere],
            Some(Overlay::Picker(..)) => vec![Context::Picker],
            None => self.contexts_below(),
        }
    }

    /// The contexts of the place itself, whatever lies on top of it.
    pub(super) fn contexts_below(&self) -> Vec<Context> {
        let own = self.focused().map(|slot| slot.pane.context());
        let own = own.filter(|context| *context != Context::Everywhere);
        own.into_iter().chain([Context::Everywhere]).collect()
    }

    /// Does what a key means, or types it.
    pub(super) fn key(&mut self, key: Key) -> Vec<Effect> {
        if key.alt {
            // Nothing is bound to Alt, so it was Esc and then the key.
            return [self.key(Key::ESC), self.key(Key { alt: false, ..key })].concat();
        }
        self.notice = None;
        let contexts = self.contexts();
        self.pending.push(key);
        let meaning = self.keymap.lookup(&contexts, &self.pending);
        if meaning == Lookup::Prefix {
            return self.begin_chord();
        }
        let pressed = self.end_chord();
        match (meaning, &mut self.overlay) {
            (Lookup::Action(action), _) => self.act(action),
            (_, Some(Overlay::Field(field))) => {
                field.type_key(key);
                self.give_up()
            }
            (_, Some(Overlay::Help(help))) if help.is_typing() => {
                help.type_key(key);
                Vec::new()
            }
            (_, Some(Overlay::Picker(picker, _))) => {
                picker.type_key(key);
                self.sift();
                Vec::new()
            }
            _ => self.say_unbound(&pressed),
        }
    }

    /// The keys of the place, whatever lies on top of it.
    pub(super) fn keys(&self) -> Keys<'_> {
        let own = self.focused().map(|slot| slot.pane.context());
        Keys::new(&self.keymap, own.unwrap_or(Context::Everywhere))
    }

    /// The keys of what is on top.
    pub(super) fn keys_on_top(&self) -> Keys<'_> {
        let nearest = self.contexts().first().copied();
        Keys::new(&self.keymap, nearest.unwrap_or(Context::Everywhere))
    }
}

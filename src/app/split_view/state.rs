//! The side of a place: a pane of what its list's selected row leads to.

use crate::app::tab::Slot;
use crate::msg::PaneId;
use crate::pane::Kind;
use crate::pane::preview::Beside;

/// How the user wants it, at every place.
#[derive(Debug)]
pub(crate) struct Habit {
    pub(crate) on: bool,
    /// Which tab was chosen last.
    pub(crate) kind: Kind,
    /// Pauses begun so far: the number of the latest is the only one that counts.
    pub(crate) pauses: u32,
}

impl Habit {
    /// On or off, as the program starts.
    pub(crate) fn new(on: bool) -> Self {
        Self { on, kind: Kind::Transaction, pauses: 0 }
    }
}

/// The side of a place.
#[derive(Debug, Default)]
pub(crate) struct Side {
    /// None while no row is selected.
    pub(crate) shown: Option<Shown>,
    pub(crate) has_keys: bool,
}

/// What the selected row leads to, with its panes.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) of: Beside,
    pub(crate) slots: Vec<Slot>,
    pub(crate) active: usize,
    /// The pause after which it is looked at for the first time.
    pub(crate) awaits: Option<u32>,
}

impl Side {
    /// The pane in sight.
    pub(crate) fn slot(&self) -> Option<&Slot> {
        self.shown.as_ref().and_then(|shown| shown.slots.get(shown.active))
    }

    pub(crate) fn slot_mut(&mut self) -> Option<&mut Slot> {
        self.shown.as_mut().and_then(|shown| shown.slots.get_mut(shown.active))
    }

    /// It goes out of sight. What is complete stays; what is not is begun anew, after a pause.
    pub(crate) fn leave(&mut self) -> Option<PaneId> {
        let awaits = self.shown.as_ref().is_some_and(|shown| shown.awaits.is_some());
        let left = self.slot_mut().and_then(Slot::leave);
        if awaits || left.is_some() {
            (self.shown, self.has_keys) = (None, false);
        }
        left
    }
}

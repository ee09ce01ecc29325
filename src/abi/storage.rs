//! Storage slots: their published names, the variables in them, and how they are typed.
//!
//! A slot is typed as a [`SlotExpression`]: a number, a published name, or a variable of a contract with a
//! [`StorageLayout`]. The layout works in both directions: it gives the slot of a variable, and the
//! variables of slots that a transaction changed, with the keys of mappings from the hashes that it made.

mod known_slots;
mod slot_expression;
mod storage_layout;
mod stored_values;
mod upgrade_event;
mod variable_search;

pub use known_slots::{
    IMPLEMENTATION_SLOT, PROXY_SLOTS, known_slot, known_slot_name, proxy_address,
};
pub use slot_expression::SlotExpression;
pub use storage_layout::{MAX_PLAIN_SLOTS, PlainSlots, StorageLayout};
pub use upgrade_event::{UPGRADED, upgraded_code};
pub use variable_search::{ChangedStorage, ChangedVariable, StorageShift, StoredVariable};

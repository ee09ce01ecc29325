//! Storage slots: their published names, the variables in them, and how they are typed.

mod known_slots;
mod slot_expression;
mod storage_layout;

pub use known_slots::{PROXY_SLOTS, known_slot_name};
pub use slot_expression::SlotExpression;
pub use storage_layout::{ChangedStorage, ChangedVariable, StorageLayout, StorageShift};

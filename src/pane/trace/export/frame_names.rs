//! What calls are called in profiles, and those names by number.

use std::collections::HashMap;
use std::rc::Rc;

use alloy_primitives::hex::encode_prefixed;

use super::super::call_labels::CallFormatter;
use super::super::copy::call_target;
use super::super::row::kind_name;
use crate::sanitize::sanitize;

/// Names, each once.
#[derive(Debug, Default)]
pub(super) struct InternedNames {
    numbers: HashMap<Rc<str>, u32>,
    names: Vec<Rc<str>>,
}

impl InternedNames {
    /// The number of a call's name.
    pub(super) fn of(&mut self, names: &CallFormatter<'_>, call: u32) -> u32 {
        let label: Rc<str> = frame_name(names, call).into();
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(label).or_insert_with_key(|label| {
            self.names.push(Rc::clone(label));
            next
        })
    }

    /// The names in the order of their numbers.
    pub(super) fn names(&self) -> &[Rc<str>] {
        &self.names
    }
}

/// `transfer@0x…`, or `USDC.transfer@0x…`. The address is there in full, because calls with one name
/// are one in a profile.
fn frame_name(names: &CallFormatter<'_>, call: u32) -> String {
    let Some(frame) = names.tree.get(call) else { return "?".into() };
    let name = names.call_label(call).name;
    let selector = || names.tree.selector(call).map(encode_prefixed);
    let mut label = name.or_else(selector).unwrap_or_else(|| kind_name(frame.kind).into());
    if let Some(address) = call_target(names, call) {
        if let Some(contract) = names.label(&address) {
            label = [&*contract, ".", &label].concat();
        }
        label = format!("{label}@{address:#x}");
    }
    sanitize(&label).into_owned()
}

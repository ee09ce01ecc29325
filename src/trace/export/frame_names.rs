//! Names of calls in profiles, interned.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use alloy_primitives::hex::encode_prefixed;

use super::CallNames;
use crate::sanitize::sanitize;
use crate::trace::CallTree;

/// Distinct names, numbered in order of appearance.
#[derive(Debug, Default)]
pub(super) struct InternedNames {
    numbers: HashMap<Arc<str>, u32>,
    pub(super) names: Vec<Arc<str>>,
}

impl InternedNames {
    pub(super) fn intern(&mut self, tree: &CallTree, names: &dyn CallNames, call: u32) -> u32 {
        let name: Arc<str> = frame_name(tree, names, call).into();
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.names.push(Arc::clone(name));
            next
        })
    }
}

/// Formats `transfer@0x…` or `USDC.transfer@0x…`, with a `≈` if its gas is inferred. The address is
/// unabbreviated, because a profile merges calls with the same name.
fn frame_name(tree: &CallTree, names: &dyn CallNames, call: u32) -> String {
    let Some(frame) = tree.get(call) else { return "?".into() };
    let function = names
        .function_name(call)
        .map(Cow::into_owned)
        .or_else(|| tree.selector(call).map(encode_prefixed));
    let mut name = function.unwrap_or_else(|| frame.kind.name().into());
    if let Some(address) = tree.target_address(call) {
        if let Some(contract) = names.address_name(&address) {
            name = [&*contract, ".", &name].concat();
        }
        name = format!("{name}@{address:#x}");
    }
    if frame.is_gas_inferred() {
        name.push('≈');
    }
    sanitize(&name).into_owned()
}

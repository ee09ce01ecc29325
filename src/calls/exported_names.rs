//! Texts of calls in exported traces.

use std::borrow::Cow;

use super::formatter::CallFormatter;
use super::identity::CallIdentity;
use crate::abi::Argument;
use crate::chain::Address;
use crate::sanitize::{SafeText, json_line};
use crate::trace::export::{CallNames, ExportedFunction};

impl CallNames for CallFormatter<'_> {
    fn call_text(&self, call: u32) -> String {
        self.call_label(call).line()
    }

    fn function_name(&self, call: u32) -> Option<Cow<'_, str>> {
        self.identifier().called_function(call)
    }

    fn function(&self, call: u32) -> Option<ExportedFunction> {
        let frame = self.tree.get(call)?;
        let identity = self.identifier().identify(call, frame);
        let name = identity.function_name()?;
        let mut function =
            ExportedFunction { name, is_guess: false, arguments: None, result: None };
        match &identity {
            CallIdentity::Decoded { call, is_guess } => {
                function.is_guess = *is_guess;
                function.arguments = values_json(&call.arguments);
                function.result =
                    self.returned_values(frame, call).as_deref().and_then(values_json);
            }
            CallIdentity::Long(_) => function.is_guess = self.is_selector_only(call),
            _ => {}
        }
        Some(function)
    }

    fn failure_reason(&self, call: u32) -> String {
        self.exact_failure_reason(call)
    }

    fn failure_place(&self, call: u32) -> Option<&SafeText> {
        self.failure_places?.get(call)
    }

    fn console_line(&self, call: u32) -> Option<SafeText> {
        self.identifier().printed_line(call)
    }

    fn sent_value(&self, call: u32) -> Option<String> {
        self.call_value(call)
    }

    fn result_text(&self, call: u32) -> String {
        self.result_text(call)
    }

    fn address_name(&self, address: &Address) -> Option<Cow<'_, str>> {
        self.label(address)
    }
}

/// Returns decoded values as JSON.
fn values_json(values: &[Argument]) -> Option<String> {
    let json = serde_json::to_string(values).ok()?;
    let is_plain = json.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    Some(if is_plain { json } else { json_line(&json) })
}

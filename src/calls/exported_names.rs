//! Texts of calls in exported traces.

use std::borrow::Cow;

use serde_json::Value;

use super::formatter::CallFormatter;
use super::identity::CallIdentity;
use crate::abi::{AbiValue, ValueFormat};
use crate::chain::Address;
use crate::sanitize::SafeText;
use crate::trace::export::{CallNames, ExportedFunction};

impl CallNames for CallFormatter<'_> {
    fn call_text(&self, call: u32) -> String {
        self.call_label(call).line()
    }

    fn function_name(&self, call: u32) -> Option<Cow<'_, str>> {
        self.identifier().called_function(call)
    }

    fn function(&self, call: u32) -> Option<ExportedFunction> {
        let identity = self.identifier().identify(call, self.tree.get(call)?);
        let arguments = match &identity {
            CallIdentity::Decoded { call, is_guess: false } => {
                let arguments = call.arguments.iter();
                Some(arguments.map(|argument| argument_json(&argument.value)).collect())
            }
            _ => None,
        };
        Some(ExportedFunction { name: identity.function_name()?, arguments })
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

/// Returns an argument as a text, or a list of its parts.
fn argument_json(value: &AbiValue) -> Value {
    match value {
        AbiValue::Array(_, parts) | AbiValue::Tuple(_, parts) => {
            parts.iter().map(argument_json).collect()
        }
        value => (*value.format_full(ValueFormat::Natural)).into(),
    }
}

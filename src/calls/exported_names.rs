//! Texts of calls in exported traces.

use std::borrow::Cow;

use super::formatter::CallFormatter;
use crate::chain::Address;
use crate::sanitize::SafeText;
use crate::trace::export::CallNames;

impl CallNames for CallFormatter<'_> {
    fn call_text(&self, call: u32) -> String {
        self.call_label(call).line()
    }

    fn function_name(&self, call: u32) -> Option<Cow<'_, str>> {
        self.identifier().called_function(call)
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

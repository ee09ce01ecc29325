//! Decodes calldata and formats its arguments for one line: addresses by name, token amounts in the
//! token's unit.

use std::borrow::Cow;

use super::call_labels::{CallFormatter, MAX_ARGUMENT_COLUMNS};
use crate::abi::{AbiValue, DecodedCall};
use crate::api::decoded_input::DecodedInput as ServerDecoded;
use crate::chain::{Address, U256, amount};
use crate::trace::CallFrame;
use crate::ui::format::cut;

/// Items of an array or a tuple above which only their number is shown.
const MAX_INLINE_ITEMS: usize = 3;

impl<'a> CallFormatter<'a> {
    pub fn decode(&self, to: Option<Address>, input: &[u8]) -> Option<DecodedCall> {
        self.signatures.decode_call(to, &self.name_cache.contract_names(to), input)
    }

    /// Decodes calldata again with the signature of the server's decoding, which lacks values in arrays
    /// and calls in bytes.
    pub(super) fn redecode(
        &self,
        server: &ServerDecoded,
        to: Option<Address>,
        input: &[u8],
    ) -> Option<DecodedCall> {
        let names = self.name_cache.contract_names(to);
        self.signatures.decode_declared(server.method_call.value()?, to, &names, input)
    }

    /// Returns the server's decoding of the transaction's input, for the root and for calls that repeat it.
    pub fn server_decoding(&self, number: u32, frame: &CallFrame) -> Option<&'a ServerDecoded> {
        let decoded = self.transaction?.decoded_input.value()?;
        let root = self.tree.get(0)?;
        let same = || {
            self.tree.body.bytes(frame.to) == self.tree.body.bytes(root.to)
                && self.tree.body.bytes(frame.input) == self.tree.body.bytes(root.input)
        };
        (number == 0 || (frame.input.len() == root.input.len() && same())).then_some(decoded)
    }

    pub(super) fn server_call_text(&self, decoded: &ServerDecoded) -> String {
        let name = server_function_name(decoded).unwrap_or_else(|| "?".into());
        let parameters = decoded.parameters.value().into_iter().flatten();
        let values = parameters.map(|parameter| {
            let value = parameter.value.value().map_or("?".into(), |v| Cow::Borrowed(&*v.0));
            match value.parse::<Address>() {
                Ok(address) => self.address(&address),
                Err(_) => cut(&value, MAX_ARGUMENT_COLUMNS).into_owned(),
            }
        });
        format!("{name}({})", values.collect::<Vec<_>>().join(", "))
    }

    /// Formats the arguments of a call: addresses by name, amounts of a token in its unit.
    pub(super) fn arguments_text(&self, to: Option<Address>, decoded: &DecodedCall) -> String {
        let amount = self.token_amount_argument(to, decoded);
        let shown = decoded.arguments.iter().enumerate().map(|(n, argument)| match &amount {
            Some((at, amount)) if *at == n => amount.clone(),
            _ => self.value_text(&argument.value),
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    pub(super) fn value_text(&self, value: &AbiValue) -> String {
        match value {
            AbiValue::Address(address) => self.address(address),
            AbiValue::Call(_, call) => call.abbreviated(),
            AbiValue::Array(_, items) if items.len() <= MAX_INLINE_ITEMS => {
                format!("[{}]", self.inline_items(items))
            }
            AbiValue::Tuple(_, items) if items.len() <= MAX_INLINE_ITEMS => {
                format!("({})", self.inline_items(items))
            }
            value => cut(&value.summary(), MAX_ARGUMENT_COLUMNS).into_owned(),
        }
    }

    /// Formats a few items, or only their number if there is an array or a tuple among them.
    fn inline_items(&self, items: &[AbiValue]) -> String {
        let is_nested =
            |value: &AbiValue| matches!(value, AbiValue::Array(..) | AbiValue::Tuple(..));
        if items.iter().any(is_nested) {
            return format!("{} items", items.len());
        }
        let items: Vec<String> = items.iter().map(|item| self.value_text(item)).collect();
        items.join(", ")
    }

    /// Returns the index of the argument that is an amount of the called token, and the amount.
    fn token_amount_argument(
        &self,
        to: Option<Address>,
        decoded: &DecodedCall,
    ) -> Option<(usize, String)> {
        let at = match &*decoded.name {
            "transfer" | "approve" | "mint" | "increaseAllowance" | "decreaseAllowance" => 1,
            "transferFrom" => 2,
            "burn" | "withdraw" => 0,
            _ => return None,
        };
        let value = uint_value(&decoded.arguments.get(at)?.value)?;
        Some((at, self.token_units(&to?, value)?))
    }

    pub(super) fn token_units(&self, token: &Address, value: U256) -> Option<String> {
        let decimals = self.name_cache.name(token)?.token.as_ref()?.decimals?;
        (value != U256::MAX).then(|| {
            if self.short_amounts {
                amount::format_readable(value, decimals).text
            } else {
                amount::format_exact(value, decimals)
            }
        })
    }
}

pub(super) fn uint_value(value: &AbiValue) -> Option<U256> {
    match value {
        AbiValue::Uint(number) => Some(*number),
        _ => None,
    }
}

pub(super) fn server_function_name(decoded: &ServerDecoded) -> Option<String> {
    Some(decoded.method_call.value()?.name().to_owned())
}

//! The function of a call, by known ABIs, signatures and decodings.

use std::borrow::Cow;

use crate::abi::{
    self, ConsoleLog, DecodedCall, Precompile, SELECTOR_BYTES, SignatureDb, SpecialFunction,
};
use crate::api::decoded_input::DecodedInput;
use crate::api::transactions::Transaction;
use crate::chain::Address;
use crate::name_cache::NameCache;
use crate::sanitize::SafeText;
use crate::trace::{CallFrame, CallKind, CallTree};

/// Maximum calldata decoded outside the detail of a call.
pub const MAX_INLINE_CALLDATA_BYTES: usize = 4 << 10;

/// Finds the functions of the calls in a trace.
#[derive(Clone, Copy)]
pub struct CallIdentifier<'a> {
    pub tree: &'a CallTree,
    pub signatures: &'a SignatureDb,
    pub name_cache: &'a NameCache,
    pub transaction: Option<&'a Transaction>,
}

pub enum CallIdentity<'a> {
    Creation,
    SelfDestruct,
    Reward,
    Precompile(Precompile),
    Console(ConsoleLog),
    /// Too much calldata to decode on each row; the name is by selector only.
    Long(Option<SafeText>),
    /// Calldata without a selector.
    Special {
        function: SpecialFunction,
        is_guess: bool,
    },
    /// The fallback of a contract that has no function with the selector.
    Fallback,
    /// Calldata without a selector, for which the contract has no function.
    Plain,
    /// Decoded by the explorer in a way that cannot be repeated here.
    ByExplorer(&'a DecodedInput),
    Decoded {
        call: DecodedCall,
        is_guess: bool,
    },
    Unknown,
}

impl CallIdentity<'_> {
    pub(super) fn function_name(&self) -> Option<Cow<'static, str>> {
        match self {
            Self::Precompile(precompile) => Some(precompile.name.into()),
            Self::Console(_) => Some("console.log".into()),
            Self::ByExplorer(decoded) => explorer_function_name(decoded).map(Cow::Owned),
            Self::Decoded { call: DecodedCall { name, .. }, .. } | Self::Long(Some(name)) => {
                Some(name.to_string().into())
            }
            _ => None,
        }
    }
}

impl<'a> CallIdentifier<'a> {
    pub fn decode(&self, to: Option<Address>, input: &[u8]) -> Option<DecodedCall> {
        self.signatures.decode_call(to, &self.name_cache.contract_names(to), input)
    }

    /// Decodes calldata again with the signature of the explorer's decoding, which lacks values in
    /// arrays and calls in bytes.
    pub fn redecode(
        &self,
        decoded: &DecodedInput,
        to: Option<Address>,
        input: &[u8],
    ) -> Option<DecodedCall> {
        let names = self.name_cache.contract_names(to);
        self.signatures.decode_declared(decoded.method_call.value()?, to, &names, input)
    }

    /// Returns the explorer's decoding of the transaction's input, for the root and for calls that
    /// repeat it.
    pub fn explorer_decoding(&self, number: u32, frame: &CallFrame) -> Option<&'a DecodedInput> {
        let decoded = self.transaction?.decoded_input.value()?;
        let root = self.tree.get(0)?;
        let same = || {
            self.tree.body.bytes(frame.to) == self.tree.body.bytes(root.to)
                && self.tree.body.bytes(frame.input) == self.tree.body.bytes(root.input)
        };
        (number == 0 || (frame.input.len() == root.input.len() && same())).then_some(decoded)
    }

    /// Returns the called function's name alone, if it is known.
    pub fn called_function(&self, call: u32) -> Option<Cow<'static, str>> {
        self.identify(call, self.tree.get(call)?).function_name()
    }

    /// Returns the signature of the called function, if it is known.
    pub fn signature(&self, call: u32) -> Option<SafeText> {
        match self.identify(call, self.tree.get(call)?) {
            CallIdentity::Decoded { call, .. } => Some(call.signature),
            CallIdentity::ByExplorer(decoded) => Some(decoded.method_call.value()?.0.clone()),
            _ => None,
        }
    }

    /// Returns the called function's name in the source of its contract.
    pub fn declared_function(&self, call: u32) -> Option<Cow<'static, str>> {
        match self.identify(call, self.tree.get(call)?) {
            CallIdentity::Creation => Some("constructor".into()),
            CallIdentity::Special { function, .. } => Some(function.name().into()),
            CallIdentity::Fallback => Some(SpecialFunction::Fallback.name().into()),
            identity => identity.function_name(),
        }
    }

    /// Returns the line that a call prints, if it calls the console.
    pub fn printed_line(&self, call: u32) -> Option<SafeText> {
        let frame = self.tree.get(call)?;
        // Hardly any call goes there, and the others need not be decoded.
        if self.tree.address(frame.to) != Some(abi::CONSOLE_ADDRESS) {
            return None;
        }
        match self.identify(call, frame) {
            CallIdentity::Console(log) => Some(log.line()),
            _ => None,
        }
    }

    pub fn identify(&self, number: u32, frame: &CallFrame) -> CallIdentity<'a> {
        match frame.kind {
            CallKind::Create | CallKind::Create2 => CallIdentity::Creation,
            CallKind::SelfDestruct => CallIdentity::SelfDestruct,
            CallKind::Reward => CallIdentity::Reward,
            _ => self.identify_by_calldata(number, frame),
        }
    }

    fn identify_by_calldata(&self, number: u32, frame: &CallFrame) -> CallIdentity<'a> {
        let address = self.tree.address(frame.to);
        let input = self.tree.hex(frame.input, MAX_INLINE_CALLDATA_BYTES).unwrap_or_default();
        if let Some(call) = address.and_then(|to| abi::decode_precompile(&to, &input)) {
            return CallIdentity::Precompile(call);
        }
        if let Some(log) = address.and_then(|to| abi::decode_console_log(&to, &input)) {
            return CallIdentity::Console(log);
        }
        let length = self.tree.hex_len(frame.input).unwrap_or(0);
        if length > MAX_INLINE_CALLDATA_BYTES as u64 {
            let names = self.name_cache.contract_names(address);
            let known = |s| Some(self.signatures.function_name(address, &names, s)?.0);
            return CallIdentity::Long(input.first_chunk().copied().and_then(known));
        }
        if let Some(likely) = SpecialFunction::of_calldata(&input) {
            let makes_calls = self.tree.children(number).next().is_some();
            return match self.identify_special(address, likely, &input) {
                // A part of an ABI may lack the function.
                CallIdentity::Plain if makes_calls => {
                    CallIdentity::Special { function: likely, is_guess: true }
                }
                identity => identity,
            };
        }
        if let Some(decoded) = self.explorer_decoding(number, frame) {
            return match self.redecode(decoded, address, &input) {
                Some(call) => CallIdentity::Decoded { call, is_guess: false },
                None => CallIdentity::ByExplorer(decoded),
            };
        }
        match self.decode(address, &input) {
            Some(call) => CallIdentity::Decoded { is_guess: call.is_guess(), call },
            None if self.has_fallback(address) => CallIdentity::Fallback,
            None => CallIdentity::Unknown,
        }
    }

    /// Returns `true` if the ABI of a contract declares a fallback. The one of a proxy calls its implementation.
    fn has_fallback(&self, contract: Option<Address>) -> bool {
        let own = contract.filter(|contract| !self.name_cache.is_proxy(contract));
        let names = self.name_cache.contract_names(own);
        let declared = own.and_then(|to| self.signatures.special_functions(to, &names));
        let any_selector = [0; SELECTOR_BYTES];
        declared.is_some_and(|declared| declared.run_by(&any_selector).is_some())
    }

    /// Identifies a call without a selector by the ABI of its contract, else by what is likely.
    fn identify_special(
        &self,
        address: Option<Address>,
        likely: SpecialFunction,
        input: &[u8],
    ) -> CallIdentity<'a> {
        let names = self.name_cache.contract_names(address);
        match address.and_then(|to| self.signatures.special_functions(to, &names)) {
            Some(declared) => match declared.run_by(input) {
                Some(function) => CallIdentity::Special { function, is_guess: false },
                None => CallIdentity::Plain,
            },
            None => CallIdentity::Special { function: likely, is_guess: true },
        }
    }
}

pub fn explorer_function_name(decoded: &DecodedInput) -> Option<String> {
    Some(decoded.method_call.value()?.name().to_owned())
}

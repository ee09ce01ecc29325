//! Which function a call calls, before that is put into words.

use std::borrow::Cow;

use super::call_decoding::server_function_name;
use super::call_labels::{CallFormatter, MAX_INLINE_CALLDATA_BYTES};
use crate::abi::{self, ConsoleLog, DecodedCall, Precompile, special_function_name};
use crate::api::decoded_input::DecodedInput;
use crate::sanitize::SafeText;
use crate::trace::{CallFrame, CallKind};

pub(super) enum CallIdentity<'a> {
    Creation,
    SelfDestruct,
    Reward,
    Precompile(Precompile),
    Console(ConsoleLog),
    /// Too much calldata to decode on each row; the name is that of the selector.
    Long(Option<SafeText>),
    /// `receive()` or `fallback()`.
    Special(&'static str),
    /// Decoded by the server, in a way that this program cannot repeat.
    ByServer(&'a DecodedInput),
    Decoded {
        call: DecodedCall,
        is_guess: bool,
    },
    Unknown,
}

impl CallIdentity<'_> {
    fn function_name(&self) -> Option<Cow<'static, str>> {
        match self {
            Self::Precompile(precompile) => Some(precompile.name.into()),
            Self::Console(_) => Some("console.log".into()),
            Self::ByServer(decoded) => server_function_name(decoded).map(Cow::Owned),
            Self::Decoded { call: DecodedCall { name, .. }, .. } | Self::Long(Some(name)) => {
                Some(name.to_string().into())
            }
            _ => None,
        }
    }
}

impl<'a> CallFormatter<'a> {
    /// Returns the called function's name alone, if it is known.
    pub(super) fn called_function(&self, call: u32) -> Option<Cow<'static, str>> {
        self.identify(call, self.tree.get(call)?).function_name()
    }

    /// Returns the called function's name in the source of its contract.
    pub(super) fn declared_function(&self, call: u32) -> Option<Cow<'static, str>> {
        match self.identify(call, self.tree.get(call)?) {
            CallIdentity::Creation => Some("constructor".into()),
            CallIdentity::Special(name) => Some(name.trim_end_matches("()").into()),
            identity => identity.function_name(),
        }
    }

    /// Returns the line that a call prints, if it calls the console.
    pub(super) fn printed_line(&self, call: u32) -> Option<SafeText> {
        match self.identify(call, self.tree.get(call)?) {
            CallIdentity::Console(log) => Some(log.line()),
            _ => None,
        }
    }

    pub(super) fn identify(&self, number: u32, frame: &CallFrame) -> CallIdentity<'a> {
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
            let known = |s| self.signatures.function_name(address, &names, s);
            return CallIdentity::Long(input.first_chunk().copied().and_then(known));
        }
        if let Some(special) = special_function_name(&input) {
            return CallIdentity::Special(special);
        }
        if let Some(server) = self.server_decoding(number, frame) {
            return match self.redecode(server, address, &input) {
                Some(call) => CallIdentity::Decoded { call, is_guess: false },
                None => CallIdentity::ByServer(server),
            };
        }
        match self.decode(address, &input) {
            Some(call) => CallIdentity::Decoded { is_guess: call.is_guess(), call },
            None => CallIdentity::Unknown,
        }
    }
}

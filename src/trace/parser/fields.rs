//! The fields of an entry, by the names of every format.

use super::scan::{ScanResult, ScannedValue, Scanner};
use crate::trace::{BodySpan, CallFrame, CallKind, frame};

/// Part of an entry that contains a key; `address` has a different meaning in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntrySection {
    /// The entry itself, or its `action`.
    Action,
    Result,
}

/// The fields of an entry. Of equal keys the first with a value of the right type counts.
#[derive(Debug, Clone, Default)]
pub(super) struct EntryFields {
    kind: Option<CallKind>,
    call_type: Option<CallKind>,
    /// `true` if `creationMethod` is `create2`.
    is_create2: bool,
    from: BodySpan,
    to: BodySpan,
    value: AmountSpan,
    input: BodySpan,
    output: BodySpan,
    init: BodySpan,
    code: BodySpan,
    created: BodySpan,
    destroyed: BodySpan,
    beneficiary: BodySpan,
    balance: AmountSpan,
    author: BodySpan,
    gas: Option<u64>,
    gas_used: Option<u64>,
    error: BodySpan,
    /// Revert data, or the reason as text.
    revert_reason: BodySpan,
    is_failed: bool,
    burns_all_gas: bool,
    pub(super) subtraces: Option<u32>,
}

/// An amount in wei, as text.
#[derive(Debug, Clone, Copy, Default)]
struct AmountSpan {
    span: BodySpan,
    is_nonzero: bool,
}

impl EntryFields {
    #[inline]
    pub(super) fn read_field(
        &mut self,
        key: &[u8],
        section: EntrySection,
        scan: &mut Scanner<'_>,
    ) -> ScanResult<()> {
        match key {
            b"from" => read_text(&mut self.from, scan),
            b"to" => read_text(&mut self.to, scan),
            b"gas" => read_number(&mut self.gas, scan),
            b"gasUsed" => read_number(&mut self.gas_used, scan),
            b"input" => read_text(&mut self.input, scan),
            b"output" => read_text(&mut self.output, scan),
            b"value" => read_amount(&mut self.value, scan),
            b"type" => read_kind(&mut self.kind, scan),
            b"callType" => read_kind(&mut self.call_type, scan),
            b"error" => self.read_error(scan),
            b"revertReason" => self.read_revert_reason(scan),
            b"init" => read_text(&mut self.init, scan),
            b"code" | b"createdContractCode" => read_text(&mut self.code, scan),
            b"createdContractAddressHash" => read_text(&mut self.created, scan),
            b"address" if section == EntrySection::Result => read_text(&mut self.created, scan),
            b"address" => read_text(&mut self.destroyed, scan),
            b"refundAddress" => read_text(&mut self.beneficiary, scan),
            b"balance" => read_amount(&mut self.balance, scan),
            b"author" => read_text(&mut self.author, scan),
            b"creationMethod" => self.read_creation_method(scan),
            b"subtraces" => self.read_subtraces(scan),
            _ => scan.skip(),
        }
    }

    /// Reads `action` or `result`, which is ignored unless it is an object.
    pub(super) fn read_section(
        &mut self,
        section: EntrySection,
        scan: &mut Scanner<'_>,
    ) -> ScanResult<()> {
        if scan.peek()? != b'{' {
            return scan.skip();
        }
        scan.advance();
        let mut first = true;
        while let Some(key) = scan.next_key(&mut first)? {
            self.read_field(key, section, scan)?;
        }
        Ok(())
    }

    /// Reads `error`; whatever its type, a value other than `null`, `false` or an empty string means
    /// failure.
    fn read_error(&mut self, scan: &mut Scanner<'_>) -> ScanResult<()> {
        if let ScannedValue::String(token)
        | ScannedValue::Number(token)
        | ScannedValue::Other(token) = scan.value()?
            && !token.text.is_empty()
            && !self.error.is_some()
        {
            self.error = token.span;
            self.is_failed = true;
            self.burns_all_gas = burns_all_gas(token.text);
        }
        Ok(())
    }

    /// Reads `revertReason`, which alone can mean failure (zkSync) and contain its data (Besu).
    fn read_revert_reason(&mut self, scan: &mut Scanner<'_>) -> ScanResult<()> {
        if let ScannedValue::String(token) = scan.value()?
            && !matches!(token.text, b"" | b"0x")
        {
            self.is_failed = true;
            self.revert_reason = first_some(self.revert_reason, token.span);
        }
        Ok(())
    }

    fn read_creation_method(&mut self, scan: &mut Scanner<'_>) -> ScanResult<()> {
        if let ScannedValue::String(token) = scan.value()? {
            self.is_create2 |= token.text.eq_ignore_ascii_case(b"create2");
        }
        Ok(())
    }

    fn read_subtraces(&mut self, scan: &mut Scanner<'_>) -> ScanResult<()> {
        let mut count = None;
        read_number(&mut count, scan)?;
        self.subtraces = self.subtraces.or(count.and_then(|n| u32::try_from(n).ok()));
        Ok(())
    }

    pub(super) fn frame(&self, entry: BodySpan, depth: u16, child_index: u32) -> CallFrame {
        let kind = self.kind();
        let mut frame = CallFrame::new(kind, depth, child_index);
        let amount = match kind {
            CallKind::SelfDestruct => self.balance.first_some(self.value),
            _ => self.value,
        };
        frame.entry = entry;
        frame.from = self.from;
        frame.to = self.to;
        frame.value = amount.span;
        frame.input = self.input;
        frame.output = self.output;
        frame.error = self.error;
        match kind {
            CallKind::Create | CallKind::Create2 => self.fill_creation(&mut frame),
            CallKind::SelfDestruct => {
                frame.from = first_some(self.destroyed, self.from);
                frame.to = first_some(self.beneficiary, self.to);
            }
            CallKind::Reward => frame.to = first_some(self.author, self.to),
            _ => {}
        }
        if frame.output.len() <= "0x".len() as u64 {
            frame.output = first_some(self.revert_reason, frame.output);
        }
        frame.set_flag(frame::FAILED, self.is_failed);
        frame.set_flag(frame::HAS_VALUE, amount.is_nonzero);
        frame.set_gas(self.gas, self.gas_used);
        if self.burns_all_gas {
            frame.infer_gas_used();
        }
        frame.set_subtraces(self.subtraces);
        frame
    }

    /// Sets the fields of a creation. A failed one has no target, though some nodes send the address
    /// that they computed.
    fn fill_creation(&self, frame: &mut CallFrame) {
        frame.input = first_some(self.init, self.input);
        frame.output = first_some(self.code, self.output);
        frame.to = if self.is_failed { BodySpan::NONE } else { first_some(self.created, self.to) };
    }

    fn kind(&self) -> CallKind {
        match self.kind {
            Some(CallKind::Call) => self.call_type.unwrap_or(CallKind::Call),
            Some(CallKind::Create) if self.is_create2 => CallKind::Create2,
            Some(kind) => kind,
            None => self.call_type.unwrap_or(CallKind::Other),
        }
    }
}

impl AmountSpan {
    fn first_some(self, other: Self) -> Self {
        if self.span.is_some() { self } else { other }
    }
}

fn first_some(span: BodySpan, other: BodySpan) -> BodySpan {
    if span.is_some() { span } else { other }
}

/// Reads a string and ignores other types.
#[inline]
fn read_text(into: &mut BodySpan, scan: &mut Scanner<'_>) -> ScanResult<()> {
    if scan.peek()? != b'"' {
        return scan.skip();
    }
    let token = scan.string()?;
    if !into.is_some() {
        *into = token.span;
    }
    Ok(())
}

/// Reads a number or a string with a number, unless it is malformed or beyond 64 bits.
#[inline]
fn read_number(into: &mut Option<u64>, scan: &mut Scanner<'_>) -> ScanResult<()> {
    if let ScannedValue::String(token) | ScannedValue::Number(token) = scan.value()? {
        *into = into.or_else(|| parse_u64(token.text));
    }
    Ok(())
}

#[inline]
fn read_amount(into: &mut AmountSpan, scan: &mut Scanner<'_>) -> ScanResult<()> {
    if let ScannedValue::String(token) | ScannedValue::Number(token) = scan.value()?
        && !into.span.is_some()
    {
        let digits = token.text.strip_prefix(b"0x").unwrap_or(token.text);
        let is_nonzero = digits.iter().any(|byte| byte.is_ascii_hexdigit() && *byte != b'0');
        *into = AmountSpan { span: token.span, is_nonzero };
    }
    Ok(())
}

#[inline]
fn read_kind(into: &mut Option<CallKind>, scan: &mut Scanner<'_>) -> ScanResult<()> {
    if let ScannedValue::String(token) = scan.value()? {
        *into = into.or_else(|| Some(CallKind::from_name(token.text)));
    }
    Ok(())
}

#[inline]
pub(super) fn parse_u64(text: &[u8]) -> Option<u64> {
    match text {
        [b'0', b'x' | b'X', digits @ ..] => parse_digits(digits, 16),
        digits => parse_digits(digits, 10),
    }
}

#[inline]
fn parse_digits(digits: &[u8], radix: u32) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, digit| {
        let digit = char::from(*digit).to_digit(radix)?;
        number.checked_mul(u64::from(radix))?.checked_add(u64::from(digit))
    })
}

/// Returns `true` if a failure burns all gas, as do failures that the EVM detects after the call has
/// begun. A revert and a refused call (too deep, too little balance) leave the rest.
fn burns_all_gas(error: &[u8]) -> bool {
    /// Parts of the error messages of Geth, Nethermind, Erigon, Besu and revm, without spaces.
    const PARTS: [&[u8]; 24] = [
        b"outofgas",
        b"gasuint64",
        b"outofoffset",
        b"outofbounds",
        b"outofstack",
        b"stackunderflow",
        b"stackoverflow",
        b"stacklimit",
        b"jumpdest",
        b"badinstruction",
        b"opcode",
        b"static",
        b"statechange",
        b"writeprotection",
        b"collision",
        b"built-in",
        b"precompile",
        b"codesize",
        b"contractsize",
        b"codeistoolarge",
        b"codeisinvalid",
        b"invalidcode",
        b"0xef",
        b"startingwithef",
    ];
    if error.windows(6).any(|word| word.eq_ignore_ascii_case(b"revert")) {
        return false;
    }
    let mut words = error.to_ascii_lowercase();
    words.retain(|byte| *byte != b' ');
    PARTS.iter().any(|part| words.windows(part.len()).any(|at| at == *part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_hex_or_decimal() {
        for (text, number) in [
            ("0x0", Some(0)),
            ("0x25D3fc", Some(0x0025_d3fc)),
            ("8600", Some(8600)),
            ("0xffffffffffffffff", Some(u64::MAX)),
            ("0x10000000000000000", None),
            ("18446744073709551616", None),
            ("0x", None),
            ("", None),
            ("-1", None),
            ("1.5", None),
            ("1e3", None),
            ("0xfg", None),
        ] {
            assert_eq!(parse_u64(text.as_bytes()), number, "{text}");
        }
    }

    #[test]
    fn failures_that_burn_all_gas_are_recognized() {
        for error in [
            "Out of gas",
            "contract creation code storage out of gas",
            "out of gas: not enough gas for reentrancy sentry",
            "gas uint64 overflow",
            "Bad instruction",
            "invalid opcode: INVALID",
            "Bad jump destination",
            "invalid jump destination",
            "StackUnderflow",
            "stack limit reached 1024 (1023)",
            "Out of stack",
            "Built-in failed",
            "precompiled failed",
            "Mutable Call In Static Context",
            "StateChangeDuringStaticCall",
            "write protection",
            "CreateCollision",
            "contract address collision",
            "max initcode size exceeded",
            "CreateContractSizeLimit",
            "invalid code: must not begin with 0xef",
            "CreateContractStartingWithEF",
            "return data out of bounds",
            "Illegal state change",
            "Code is too large",
        ] {
            assert!(burns_all_gas(error.as_bytes()), "{error}");
        }
        for error in [
            "Reverted",
            "execution reverted",
            "CallTooDeep",
            "max call depth exceeded",
            "Insufficient balance for transfer",
            "nonce uint64 overflow",
            "Parent reverted",
            "out of",
            "7",
        ] {
            assert!(!burns_all_gas(error.as_bytes()), "{error}");
        }
    }
}

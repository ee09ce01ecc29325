//! What an entry says of its frame, in the words of every dialect.

use super::scan::{Read, Scan, Value};
use crate::trace::{Frame, Kind, Span};

/// The part of an entry in which a key stands: some mean one thing here and another there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// The entry itself, or its `action`.
    Action,
    /// Its `result`.
    Result,
}

/// The fields of an entry. The first value of a key that is not `null` and of a readable type
/// counts; a second one is passed over.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields {
    /// `type`.
    kind: Option<Kind>,
    /// `callType`.
    call: Option<Kind>,
    /// Whether `creationMethod` is `create2`.
    is_create2: bool,
    from: Span,
    to: Span,
    value: Amount,
    input: Span,
    output: Span,
    /// The code that creates.
    init: Span,
    /// The code that was created, and where.
    code: Span,
    created: Span,
    /// What a selfdestruct says.
    gone: Span,
    heir: Span,
    balance: Amount,
    /// Who gets a reward.
    author: Span,
    gas: Option<u64>,
    used: Option<u64>,
    error: Span,
    is_failed: bool,
    is_out_of_gas: bool,
    /// `subtraces`.
    pub(super) children: Option<u32>,
}

/// A number of wei, as it is written.
#[derive(Debug, Clone, Copy, Default)]
struct Amount {
    span: Span,
    /// Whether it is something else than zero.
    is_some: bool,
}

impl Fields {
    /// Reads the value of a key, whatever it is.
    #[inline]
    pub(super) fn read(&mut self, key: &[u8], section: Section, scan: &mut Scan<'_>) -> Read<()> {
        match key {
            b"from" => text(&mut self.from, scan),
            b"to" => text(&mut self.to, scan),
            b"gas" => number(&mut self.gas, scan),
            b"gasUsed" => number(&mut self.used, scan),
            b"input" => text(&mut self.input, scan),
            b"output" => text(&mut self.output, scan),
            b"value" => amount(&mut self.value, scan),
            b"type" => kind(&mut self.kind, scan),
            b"callType" => kind(&mut self.call, scan),
            b"error" => self.read_error(scan),
            b"init" => text(&mut self.init, scan),
            b"code" | b"createdContractCode" => text(&mut self.code, scan),
            b"createdContractAddressHash" => text(&mut self.created, scan),
            b"address" if section == Section::Result => text(&mut self.created, scan),
            b"address" => text(&mut self.gone, scan),
            b"refundAddress" => text(&mut self.heir, scan),
            b"balance" => amount(&mut self.balance, scan),
            b"author" => text(&mut self.author, scan),
            b"creationMethod" => self.read_method(scan),
            b"subtraces" => self.read_children(scan),
            _ => scan.skip(),
        }
    }

    /// Reads `action` or `result`. Something else than an object says nothing.
    pub(super) fn read_section(&mut self, section: Section, scan: &mut Scan<'_>) -> Read<()> {
        if scan.peek()? != b'{' {
            return scan.skip();
        }
        scan.pass();
        let mut first = true;
        while let Some(key) = scan.key(&mut first)? {
            self.read(key, section, scan)?;
        }
        Ok(())
    }

    /// A node that sends something else than words for an error sends it because there is one.
    fn read_error(&mut self, scan: &mut Scan<'_>) -> Read<()> {
        if let Value::Text(token) | Value::Number(token) | Value::Other(token) = scan.value()?
            && !token.text.is_empty()
            && !self.is_failed
        {
            self.error = token.span;
            self.is_failed = true;
            self.is_out_of_gas = says_out_of_gas(token.text);
        }
        Ok(())
    }

    fn read_method(&mut self, scan: &mut Scan<'_>) -> Read<()> {
        if let Value::Text(token) = scan.value()? {
            self.is_create2 |= token.text.eq_ignore_ascii_case(b"create2");
        }
        Ok(())
    }

    fn read_children(&mut self, scan: &mut Scan<'_>) -> Read<()> {
        let mut children = None;
        number(&mut children, scan)?;
        self.children = self.children.or(children.and_then(|n| u32::try_from(n).ok()));
        Ok(())
    }

    /// The frame, at its place in the tree.
    pub(super) fn frame(&self, entry: Span, depth: u16, nth: u32) -> Frame {
        let kind = self.kind();
        let mut frame = Frame::new(kind, depth, nth);
        let amount = match kind {
            Kind::SelfDestruct => self.balance.or(self.value),
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
            Kind::Create | Kind::Create2 => self.fill_creation(&mut frame),
            Kind::SelfDestruct => {
                frame.from = or(self.gone, self.from);
                frame.to = or(self.heir, self.to);
            }
            Kind::Reward => frame.to = or(self.author, self.to),
            _ => {}
        }
        frame.set_failed(self.is_failed);
        frame.set_valued(amount.is_some);
        frame.set_gas(self.gas, self.used.or(self.gas.filter(|_| self.is_out_of_gas)));
        frame.set_children(self.children);
        frame
    }

    /// What was created; nothing, if that failed, whatever address the node computed.
    fn fill_creation(&self, frame: &mut Frame) {
        frame.input = or(self.init, self.input);
        frame.output = or(self.code, self.output);
        frame.to = if self.is_failed { Span::NONE } else { or(self.created, self.to) };
    }

    fn kind(&self) -> Kind {
        match self.kind {
            Some(Kind::Call) => self.call.unwrap_or(Kind::Call),
            Some(Kind::Create) if self.is_create2 => Kind::Create2,
            Some(kind) => kind,
            None => self.call.unwrap_or(Kind::Other),
        }
    }
}

impl Amount {
    fn or(self, other: Self) -> Self {
        if self.span.is_some() { self } else { other }
    }
}

fn or(span: Span, other: Span) -> Span {
    if span.is_some() { span } else { other }
}

/// Reads a string; anything else is passed.
#[inline]
fn text(into: &mut Span, scan: &mut Scan<'_>) -> Read<()> {
    if scan.peek()? != b'"' {
        return scan.skip();
    }
    let token = scan.string()?;
    if !into.is_some() {
        *into = token.span;
    }
    Ok(())
}

/// Reads a number in any of its forms; what is beyond 64 bits or unreadable is unknown.
#[inline]
fn number(into: &mut Option<u64>, scan: &mut Scan<'_>) -> Read<()> {
    if let Value::Text(token) | Value::Number(token) = scan.value()? {
        *into = into.or_else(|| parse(token.text));
    }
    Ok(())
}

#[inline]
fn amount(into: &mut Amount, scan: &mut Scan<'_>) -> Read<()> {
    if let Value::Text(token) | Value::Number(token) = scan.value()?
        && !into.span.is_some()
    {
        let digits = token.text.strip_prefix(b"0x").unwrap_or(token.text);
        let is_some = digits.iter().any(|byte| byte.is_ascii_hexdigit() && *byte != b'0');
        *into = Amount { span: token.span, is_some };
    }
    Ok(())
}

#[inline]
fn kind(into: &mut Option<Kind>, scan: &mut Scan<'_>) -> Read<()> {
    if let Value::Text(token) = scan.value()? {
        *into = into.or_else(|| Some(named(token.text)));
    }
    Ok(())
}

/// The kind with a name, in the case of any node.
fn named(word: &[u8]) -> Kind {
    const NAMES: [(&[u8], Kind); 10] = [
        (b"call", Kind::Call),
        (b"staticcall", Kind::StaticCall),
        (b"delegatecall", Kind::DelegateCall),
        (b"create", Kind::Create),
        (b"create2", Kind::Create2),
        (b"callcode", Kind::CallCode),
        (b"selfdestruct", Kind::SelfDestruct),
        (b"suicide", Kind::SelfDestruct),
        (b"reward", Kind::Reward),
        (b"", Kind::Other),
    ];
    let is = |(name, _): &&(&[u8], Kind)| name.eq_ignore_ascii_case(word);
    NAMES.iter().find(is).map_or(Kind::Other, |(_, kind)| *kind)
}

/// A number in hex or decimal digits.
#[inline]
pub(super) fn parse(text: &[u8]) -> Option<u64> {
    match text {
        [b'0', b'x' | b'X', digits @ ..] => digits_of(digits, 16),
        digits => digits_of(digits, 10),
    }
}

#[inline]
fn digits_of(digits: &[u8], radix: u32) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, digit| {
        let digit = char::from(*digit).to_digit(radix)?;
        number.checked_mul(u64::from(radix))?.checked_add(u64::from(digit))
    })
}

fn says_out_of_gas(error: &[u8]) -> bool {
    error.windows(10).any(|words| words.eq_ignore_ascii_case(b"out of gas"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_every_form() {
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
            assert_eq!(parse(text.as_bytes()), number, "{text}");
        }
    }

    #[test]
    fn kinds_in_every_case() {
        assert_eq!(named(b"CALL"), Kind::Call);
        assert_eq!(named(b"delegatecall"), Kind::DelegateCall);
        assert_eq!(named(b"suicide"), Kind::SelfDestruct);
        assert_eq!(named(b"SELFDESTRUCT"), Kind::SelfDestruct);
        assert_eq!(named(b"STOP"), Kind::Other);
        assert_eq!(named(b"authcall"), Kind::Other);
    }

    #[test]
    fn words_for_the_end_of_gas() {
        assert!(says_out_of_gas(b"Out of gas"));
        assert!(says_out_of_gas(b"contract creation code storage out of gas"));
        assert!(!says_out_of_gas(b"out of"));
    }
}

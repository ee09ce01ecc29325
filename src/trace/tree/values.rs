//! Values of frames, decoded from the body.

use super::CallTree;
use alloy_primitives::hex;

use crate::chain::{Address, U256};
use crate::sanitize::SafeText;
use crate::trace::body::MAX_SPAN_LEN;
use crate::trace::{BodySpan, CallKind};

impl CallTree {
    /// Returns the text of a span, unescaped and sanitized.
    pub fn text(&self, span: BodySpan) -> Option<SafeText> {
        span.is_some().then(|| SafeText::new(&unescape_json(&self.body.bytes(span))))
    }

    pub fn address(&self, span: BodySpan) -> Option<Address> {
        let mut address = Address::ZERO;
        hex::decode_to_slice(self.body.prefix(span, 64), address.as_mut_slice()).ok()?;
        Some(address)
    }

    /// Returns the main address of a frame: the callee, the created contract, or the contract that
    /// selfdestructs.
    pub fn target_address(&self, frame: u32) -> Option<Address> {
        let frame = self.get(frame)?;
        self.address(match frame.kind {
            CallKind::SelfDestruct => frame.from,
            _ => frame.to,
        })
    }

    /// Returns the value of a frame in wei, or `None` if it is absent or cannot be parsed.
    pub fn value(&self, frame: u32) -> Option<U256> {
        parse_wei(&self.body.prefix(self.get(frame)?.value, 80))
    }

    /// Decodes at most `max` bytes of the hex in a span.
    pub fn hex(&self, span: BodySpan, max: usize) -> Option<Vec<u8>> {
        if !span.is_some() {
            return None;
        }
        let digits = (max as u64).saturating_mul(2).saturating_add(2);
        decode_hex(&if span.len() == MAX_SPAN_LEN && digits >= span.len() {
            self.body.bytes(span)
        } else {
            self.body.prefix(span, digits)
        })
    }

    /// Returns `true` if a call is seen to run code: it makes calls, or its target called it.
    pub fn runs_code(&self, call: u32) -> bool {
        let target = |call| self.get(call).and_then(|frame| self.address(frame.to));
        let is_target = |own: Address| self.ancestors(call).any(|above| target(above) == Some(own));
        self.end(call) > call + 1 || target(call).is_some_and(is_target)
    }

    /// Returns the reason of a revert, if the node sent text in place of revert data.
    pub fn reason_text(&self, frame: u32) -> Option<SafeText> {
        let span = self.get(frame).filter(|frame| frame.failed())?.output;
        let is_hex = self.body.prefix(span, 2).starts_with(b"0x");
        self.text(span).filter(|text| !is_hex && !text.is_empty())
    }

    /// Returns the number of bytes that the hex in a span encodes.
    pub fn hex_len(&self, span: BodySpan) -> Option<u64> {
        span.is_some().then(|| self.body.full_len(span).saturating_sub(2) / 2)
    }

    pub fn selector(&self, frame: u32) -> Option<[u8; 4]> {
        let frame = self.get(frame).filter(|f| !f.kind.creates())?;
        let mut selector = [0; 4];
        hex::decode_to_slice(self.body.prefix(frame.input, 10), &mut selector).ok()?;
        Some(selector)
    }
}

/// Unescapes the inside of a JSON string, which is returned unchanged if it is malformed.
pub(in crate::trace) fn unescape_json(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw);
    if !text.contains('\\') {
        return text.into_owned();
    }
    let quoted = ["\"", &text, "\""].concat();
    serde_json::from_str(&quoted).unwrap_or_else(|_| text.into_owned())
}

/// Parses an amount in hex, or in decimal as some nodes write it.
fn parse_wei(text: &[u8]) -> Option<U256> {
    let text = std::str::from_utf8(text).ok()?;
    match text.strip_prefix("0x") {
        Some("") => Some(U256::ZERO),
        Some(hex) => U256::from_str_radix(hex, 16).ok(),
        None if text.is_empty() => None,
        None => U256::from_str_radix(text, 10).ok(),
    }
}

/// Decodes `0x…`, ignoring a trailing half byte where the text was cut.
fn decode_hex(text: &[u8]) -> Option<Vec<u8>> {
    hex::decode(text.get(..text.len() & !1)?).ok()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::trace::TraceChunk;

    #[test]
    fn text_and_hex_of_spans() {
        let mut tree = CallTree::default();
        let body = r#"a\u001b\"0x12345"#;
        tree.apply_chunk(TraceChunk { bytes: Bytes::from(body), ..TraceChunk::default() });
        assert_eq!(&*tree.text(BodySpan::new(0, 9)).unwrap(), "a␛\"");
        assert_eq!(tree.hex(BodySpan::new(9, 7), 9).unwrap(), [0x12, 0x34], "no half byte");
        assert_eq!(tree.hex(BodySpan::new(9, 7), 1).unwrap(), [0x12]);
        assert_eq!((tree.text(BodySpan::NONE), tree.hex(BodySpan::NONE, 9)), (None, None));
    }

    #[test]
    fn amounts_are_hex_or_decimal() {
        assert_eq!((parse_wei(b"0x"), parse_wei(b"10")), (Some(U256::ZERO), Some(U256::from(10))));
        assert_eq!((parse_wei(b""), parse_wei(b"0xg"), parse_wei(b"ten")), (None, None, None));
    }
}

//! Detects the format of a body from the keys of its first object.

use super::scan::{ScanError, ScanResult, ScannedValue, Scanner};
use crate::messages::trace_format::{self, UnknownFormat};
use crate::sanitize::SafeText;
use crate::trace::TraceFormat;

const MAX_MESSAGE_BYTES: usize = 4096;
const MAX_NAMED_KEYS: usize = 5;

pub(super) fn detect_entry(scan: &mut Scanner<'_>) -> ScanResult<TraceFormat> {
    let mut keys = ObjectKeys::default();
    scan.advance();
    let mut first = true;
    let mut is_flat = false;
    let mut is_call = false;
    while let Some(key) = scan.next_key(&mut first)? {
        match key {
            b"action" => return Ok(TraceFormat::Parity),
            b"calls" => return Ok(TraceFormat::CallTracer),
            b"traceAddress" | b"callType" | b"init" | b"createdContractAddressHash" => {
                is_flat = true;
            }
            b"type" | b"from" | b"to" | b"gasUsed" | b"input" => is_call = true,
            _ => {}
        }
        keys.add(key);
        scan.skip()?;
    }
    Ok(match (is_flat, is_call) {
        (true, _) => TraceFormat::Flat,
        (_, true) => TraceFormat::CallTracer,
        _ => TraceFormat::Other(keys.describe(trace_format::ARRAY)),
    })
}

pub(super) fn detect_object(scan: &mut Scanner<'_>) -> ScanResult<TraceFormat> {
    let mut keys = ObjectKeys::default();
    let mut message = None;
    scan.advance();
    let mut first = true;
    while let Some(key) = scan.next_key(&mut first)? {
        match key {
            b"structLogs" => return Ok(TraceFormat::StructLogs),
            b"calls" | b"type" | b"from" | b"to" | b"input" | b"gasUsed" => {
                return Ok(TraceFormat::CallTracer);
            }
            _ => {}
        }
        keys.add(key);
        match scan.value()? {
            ScannedValue::String(token) | ScannedValue::Other(token)
                if key == b"message" || (key == b"error" && message.is_none()) =>
            {
                message = Some(unescape_message(token.text));
            }
            _ => {}
        }
    }
    Ok(match message {
        Some(message) if keys.is_error_object => TraceFormat::Message(message),
        _ => TraceFormat::Other(keys.describe(trace_format::OBJECT)),
    })
}

/// Detects the format of a value that is neither an object nor an array.
pub(super) fn detect_scalar(scan: &mut Scanner<'_>) -> ScanResult<TraceFormat> {
    Ok(match scan.value()? {
        ScannedValue::String(token) => TraceFormat::Message(unescape_message(token.text)),
        ScannedValue::Null => TraceFormat::Null,
        ScannedValue::Number(_) => TraceFormat::Other(SafeText::new(trace_format::NUMBER)),
        ScannedValue::False => TraceFormat::Other(SafeText::new("false")),
        ScannedValue::Other(token) if token.text == b"true" => {
            TraceFormat::Other(SafeText::new("true"))
        }
        ScannedValue::Other(_) => return Err(ScanError::Invalid(trace_format::NO_VALUE)),
    })
}

fn unescape_message(raw: &[u8]) -> SafeText {
    let head = raw.get(..MAX_MESSAGE_BYTES).unwrap_or(raw);
    SafeText::new(&crate::trace::tree::unescape_json(head))
}

#[derive(Debug)]
struct ObjectKeys {
    names: Vec<String>,
    has_more: bool,
    /// `true` if all keys belong to an error response.
    is_error_object: bool,
}

impl Default for ObjectKeys {
    fn default() -> Self {
        Self { names: Vec::new(), has_more: false, is_error_object: true }
    }
}

impl ObjectKeys {
    fn add(&mut self, key: &[u8]) {
        self.is_error_object &= matches!(key, b"error" | b"message" | b"code" | b"status");
        if self.names.len() == MAX_NAMED_KEYS {
            self.has_more = true;
        } else {
            let head = key.get(..40).unwrap_or(key);
            self.names.push(String::from_utf8_lossy(head).into_owned());
        }
    }

    fn describe(&self, kind: &str) -> SafeText {
        let keys = &self.names.join(", ");
        let format = match self.has_more {
            _ if keys.is_empty() => UnknownFormat::NoKeys { kind },
            false => UnknownFormat::Keys { kind, keys },
            true => UnknownFormat::ManyKeys { kind, keys },
        };
        SafeText::new(&format.to_string())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::trace::parser::parse_trace;

    #[test]
    fn formats_are_detected() {
        let other = |what: &str| TraceFormat::Other(what.into());
        for (body, format) in [
            (r#"[{"type":"call","traceAddress":[],"action":{}}]"#, TraceFormat::Parity),
            (r#"[{"type":"create","init":"0x","from":"0x1"}]"#, TraceFormat::Flat),
            (r#"{"gas":"0x1","gasUsed":"0x1"}"#, TraceFormat::CallTracer),
            (r#"{"calls":[{}]}"#, TraceFormat::CallTracer),
            (r#"[{"from":"0x1","type":"CALL"}]"#, TraceFormat::CallTracer),
            (
                r#"{"gas":1,"failed":false,"returnValue":"","structLogs":[{"pc":0}]}"#,
                TraceFormat::StructLogs,
            ),
            ("[]", TraceFormat::Empty),
            ("\u{feff} [ ]\n", TraceFormat::Empty),
            ("null", TraceFormat::Null),
            (
                r#""Error while raw trace \"fetching\"""#,
                TraceFormat::Message("Error while raw trace \"fetching\"".into()),
            ),
            (r#"{"message":"Not found"}"#, TraceFormat::Message("Not found".into())),
            (r#"{"error":"none\u001b[2J","code":7}"#, TraceFormat::Message("none␛[2J".into())),
            ("12", other("a number")),
            ("true", other("true")),
            ("{}", other("an object without keys")),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":[]}"#,
                other("an object with jsonrpc, id, result"),
            ),
            (r#"[{"pc":1}]"#, other("an array of objects with pc")),
            ("[1,2]", other("an array without calls")),
        ] {
            let tree = parse_trace(Bytes::from(body));
            assert_eq!(tree.format(), &format, "{body}");
            assert_eq!(tree.summary().unwrap().error, None, "{body}");
        }
    }

    #[test]
    fn messages_are_bounded() {
        let tree = parse_trace(Bytes::from(format!("\"{}\"", "é".repeat(9_999))));
        let TraceFormat::Message(message) = tree.format() else { panic!("{:?}", tree.format()) };
        assert!(message.len() <= MAX_MESSAGE_BYTES + 3, "{}", message.len());
    }
}

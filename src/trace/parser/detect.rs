//! Which dialect a body is: as many members of its first object are looked at as it takes.

use super::scan::{Read, Scan, Stop, Value};
use crate::sanitize::Text;
use crate::trace::Dialect;

/// The longest sentence that is taken instead of a trace, in bytes.
const SENTENCE: usize = 4096;
/// How many keys of an unknown object are named.
const NAMED: usize = 5;

/// What the first entry of an array, up to which the scanner is, makes of it.
pub(super) fn entry(scan: &mut Scan<'_>) -> Read<Dialect> {
    let mut keys = Keys::default();
    scan.pass();
    let mut first = true;
    let mut flat = false;
    let mut call = false;
    while let Some(key) = scan.key(&mut first)? {
        match key {
            b"action" => return Ok(Dialect::Parity),
            b"calls" => return Ok(Dialect::CallTracer),
            b"traceAddress" | b"callType" | b"init" | b"createdContractAddressHash" => flat = true,
            b"type" | b"from" | b"to" | b"gasUsed" | b"input" => call = true,
            _ => {}
        }
        keys.add(key);
        scan.skip()?;
    }
    Ok(match (flat, call) {
        (true, _) => Dialect::Flat,
        (_, true) => Dialect::CallTracer,
        _ => Dialect::Other(keys.sentence("an array of objects")),
    })
}

/// What an object, up to which the scanner is, is by itself.
pub(super) fn object(scan: &mut Scan<'_>) -> Read<Dialect> {
    let mut keys = Keys::default();
    let mut words = None;
    scan.pass();
    let mut first = true;
    while let Some(key) = scan.key(&mut first)? {
        match key {
            b"structLogs" => return Ok(Dialect::StructLogs),
            b"calls" | b"type" | b"from" | b"to" | b"input" | b"gasUsed" => {
                return Ok(Dialect::CallTracer);
            }
            _ => {}
        }
        keys.add(key);
        match scan.value()? {
            Value::Text(token) | Value::Other(token)
                if key == b"message" || (key == b"error" && words.is_none()) =>
            {
                words = Some(sentence(token.text));
            }
            _ => {}
        }
    }
    Ok(match words {
        Some(words) if keys.only_words => Dialect::Words(words),
        _ => Dialect::Other(keys.sentence("an object")),
    })
}

/// What a value that is no container is by itself.
pub(super) fn scalar(scan: &mut Scan<'_>) -> Read<Dialect> {
    Ok(match scan.value()? {
        Value::Text(token) => Dialect::Words(sentence(token.text)),
        Value::Null => Dialect::Null,
        Value::Number(_) => Dialect::Other(Text::new("a number")),
        Value::False => Dialect::Other(Text::new("false")),
        Value::Other(token) if token.text == b"true" => Dialect::Other(Text::new("true")),
        Value::Other(_) => return Err(Stop::Bad("a value is missing")),
    })
}

/// A sentence in a JSON string.
fn sentence(raw: &[u8]) -> Text {
    let head = raw.get(..SENTENCE).unwrap_or(raw);
    Text::new(&crate::trace::tree::unescaped(head))
}

/// The first keys of an object.
#[derive(Debug)]
struct Keys {
    names: Vec<String>,
    more: bool,
    /// Whether there is nothing but words about an error.
    only_words: bool,
}

impl Default for Keys {
    fn default() -> Self {
        Self { names: Vec::new(), more: false, only_words: true }
    }
}

impl Keys {
    fn add(&mut self, key: &[u8]) {
        self.only_words &= matches!(key, b"error" | b"message" | b"code" | b"status");
        if self.names.len() == NAMED {
            self.more = true;
        } else {
            let head = key.get(..40).unwrap_or(key);
            self.names.push(String::from_utf8_lossy(head).into_owned());
        }
    }

    fn sentence(&self, what: &str) -> Text {
        match (self.names.as_slice(), self.more) {
            ([], _) => Text::new(&format!("{what} without keys")),
            (names, false) => Text::new(&format!("{what} with {}", names.join(", "))),
            (names, true) => Text::new(&format!("{what} with {}, …", names.join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::trace::parser::read;

    #[test]
    fn every_form_that_a_service_has_sent() {
        let other = |what: &str| Dialect::Other(what.into());
        for (body, dialect) in [
            (r#"[{"type":"call","traceAddress":[],"action":{}}]"#, Dialect::Parity),
            (r#"[{"type":"create","init":"0x","from":"0x1"}]"#, Dialect::Flat),
            (r#"{"gas":"0x1","gasUsed":"0x1"}"#, Dialect::CallTracer),
            (r#"{"calls":[{}]}"#, Dialect::CallTracer),
            (r#"[{"from":"0x1","type":"CALL"}]"#, Dialect::CallTracer),
            (
                r#"{"gas":1,"failed":false,"returnValue":"","structLogs":[{"pc":0}]}"#,
                Dialect::StructLogs,
            ),
            ("[]", Dialect::Empty),
            ("\u{feff} [ ]\n", Dialect::Empty),
            ("null", Dialect::Null),
            (
                r#""Error while raw trace \"fetching\"""#,
                Dialect::Words("Error while raw trace \"fetching\"".into()),
            ),
            (r#"{"message":"Not found"}"#, Dialect::Words("Not found".into())),
            (r#"{"error":"none\u001b[2J","code":7}"#, Dialect::Words("none␛[2J".into())),
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
            let tree = read(Bytes::from(body));
            assert_eq!(tree.dialect(), &dialect, "{body}");
            assert_eq!(tree.ending().unwrap().broken, None, "{body}");
        }
    }

    #[test]
    fn a_sentence_has_an_end() {
        let tree = read(Bytes::from(format!("\"{}\"", "é".repeat(9_999))));
        let Dialect::Words(words) = tree.dialect() else { panic!("{:?}", tree.dialect()) };
        assert!(words.len() <= SENTENCE + 3, "{}", words.len());
    }
}

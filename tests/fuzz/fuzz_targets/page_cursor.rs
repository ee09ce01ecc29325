//! JSON as a page cursor, and the resulting query parameters. The second line, if any, is the cursor of the
//! following page.
#![no_main]

use std::collections::HashSet;

use chainglass::api::{ApiError, Cursor};
use chainglass::sanitize::Text;
use serde_json::value::RawValue;

/// How many characters a number can gain without its exponent.
const ZEROES: usize = 210;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (first, second) = text.split_once('\n').unwrap_or((text, ""));
    let sent = read(first, None);
    read(second, sent.as_ref());
    read(first, sent.as_ref());
});

fn read(json: &str, sent: Option<&Cursor>) -> Option<Cursor> {
    let cursor = Cursor::read(serde_json::from_str::<&RawValue>(json).ok()?, sent).ok()?;
    let ours = [("type", "ERC-20".to_owned()), ("filter", "to".to_owned())];
    let pairs = cursor.follow(ours.to_vec());
    let names: HashSet<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.len(), pairs.len(), "a name twice in {pairs:?}");
    for (name, _) in ours {
        assert!(names.contains(name), "{name} is lost");
    }
    for (name, value) in &pairs {
        assert!(value.len() <= json.len() + ZEROES, "{value}");
        without(&cursor, name, pairs.len());
    }
    Some(cursor)
}

/// A cursor without a parameter that the server refused.
fn without(cursor: &Cursor, name: &str, pairs: usize) {
    let (message, parameter) = (Text::default(), Some(Text::new(name)));
    let error = ApiError::Refused { status: 422, message, parameter };
    if let Some(shorter) = cursor.shortened(&error) {
        let left = shorter.follow(Vec::new());
        assert!(left.len() < pairs && left.iter().all(|(known, _)| known != name), "{left:?}");
    }
}

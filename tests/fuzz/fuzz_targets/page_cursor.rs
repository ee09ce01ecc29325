//! JSON as a page cursor, and the resulting query parameters. The second line, if any, is the cursor of the
//! following page.
#![no_main]

use std::collections::HashSet;

use chainglass::test_api::api::{ApiError, ChainQuery, Cursor, Query};
use chainglass::test_api::chain::TokenStandard;
use chainglass::test_api::sanitize::SafeText;
use serde_json::value::RawValue;

/// Most characters that a number gains without its exponent.
const MAX_ADDED_DIGITS: usize = 210;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (first, second) = text.split_once('\n').unwrap_or((text, ""));
    let sent = parse(first, None);
    parse(second, sent.as_ref());
    parse(first, sent.as_ref());
});

fn parse(json: &str, sent: Option<&Cursor>) -> Option<Cursor> {
    let cursor = Cursor::from_json(serde_json::from_str::<&RawValue>(json).ok()?, sent).ok()?;
    // The lists with most of the keys that may be null.
    let lists = [
        Query::Chain(ChainQuery::Tokens { types: vec![TokenStandard::Erc20] }),
        Query::Search("x".into()),
    ];
    for list in lists {
        check(&cursor, &list, json);
    }
    Some(cursor)
}

fn check(cursor: &Cursor, list: &Query, json: &str) {
    let pairs = cursor.next_params(list);
    let names: HashSet<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.len(), pairs.len(), "a name twice in {pairs:?}");
    for (name, _) in list.params() {
        assert!(names.contains(name), "{name} is lost");
    }
    for (name, value) in &pairs {
        assert!(value.len() <= json.len() + MAX_ADDED_DIGITS, "{value}");
        without(cursor, list, name, pairs.len());
    }
}

/// A cursor without a parameter that the server refused.
fn without(cursor: &Cursor, list: &Query, name: &str, pairs: usize) {
    let (message, parameter) = (SafeText::default(), Some(SafeText::new(name)));
    let error =
        ApiError::Refused { status: 422, message, parameter, is_absence: false, code: None };
    if let Some(shorter) = cursor.without_rejected_key(list, &error) {
        let left = shorter.next_params(list);
        assert!(left.len() < pairs && left.iter().all(|(known, _)| known != name), "{left:?}");
    }
}

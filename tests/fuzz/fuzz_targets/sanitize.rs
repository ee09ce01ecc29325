//! SafeText through the sanitizer, and JSON through the formatters.
#![no_main]

mod sanitized;

use chainglass::test_api::sanitize::{SafeText, json_line, json_pretty, sanitize};
use sanitized::assert_sanitized;
use serde_json::Value;
use serde_json::value::RawValue;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let once = sanitize(&text);
    assert_sanitized(&once);
    assert_eq!(sanitize(&once), once);
    SafeText::multiline(&text).split('\n').for_each(assert_sanitized);
    if let Ok(json) = serde_json::from_str::<&RawValue>(&text) {
        check_json(json.get());
    }
});

fn check_json(json: &str) {
    let line = json_line(json);
    assert_sanitized(&line);
    assert_eq!(json_line(&line), line);
    // `Value` does not accept lone surrogates and huge numbers.
    if let Ok(value) = serde_json::from_str::<Value>(json) {
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
    }
    let pretty = json_pretty(json);
    assert!(pretty.len() <= 5_001);
    pretty.iter().for_each(|line| assert_sanitized(line));
}

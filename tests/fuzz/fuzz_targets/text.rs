//! Any text through the one door, and any JSON laid out.
#![no_main]

mod harmless;

use chainglass::sanitize::{Text, clean, json_line, json_pretty};
use harmless::harmless;
use serde_json::Value;
use serde_json::value::RawValue;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let once = clean(&text);
    harmless(&once);
    assert_eq!(clean(&once), once);
    Text::lines(&text).split('\n').for_each(harmless);
    if let Ok(json) = serde_json::from_str::<&RawValue>(&text) {
        lay_out(json.get());
    }
});

fn lay_out(json: &str) {
    let line = json_line(json);
    harmless(&line);
    assert_eq!(json_line(&line), line);
    // Values are more particular: half a surrogate pair and huge numbers are not theirs.
    if let Ok(value) = serde_json::from_str::<Value>(json) {
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
    }
    let pretty = json_pretty(json);
    assert!(pretty.len() <= 5_001);
    pretty.iter().for_each(|line| harmless(line));
}

//! Any text as the configuration file, as a key map and as a theme.
#![no_main]

use chainglass::config;
use chainglass::keymap::{Context, Keymap, Lookup};
use chainglass::ui::theme::Theme;

const CONTEXTS: [Context; 8] = [
    Context::Everywhere,
    Context::List,
    Context::Document,
    Context::Trace,
    Context::Diff,
    Context::Requests,
    Context::Menu,
    Context::Field,
];

/// Stands where a key stands.
const CANARY: &str = "canary";

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = config::parse(text);
    if let Err(mistake) = Theme::parse(text) {
        assert!(mistake.line <= text.lines().count() + 1, "{mistake}");
    }
    if !text.contains(CANARY) {
        for before in ["api_key = \"", "api_key = ", "[keys]\n\"a.example\" = \""] {
            keep_secret(&format!("{before}{CANARY}{text}"));
        }
    }
    match Keymap::parse(text) {
        Ok(keymap) => every_key_is_found(&keymap),
        Err(error) => drop(error.to_string()),
    }
});

/// Neither the settings nor what is wrong with them repeat a key.
fn keep_secret(source: &str) {
    let said = format!("{:?}", config::parse(source));
    assert!(!said.contains(CANARY), "{said}");
}

fn every_key_is_found(keymap: &Keymap) {
    for context in CONTEXTS {
        for binding in keymap.bindings(context) {
            let (keys, _) = (&binding.chord.0, binding.chord.to_string());
            assert_eq!(keymap.lookup(&[context], keys), Lookup::Action(binding.action));
            for begun in 1..keys.len() {
                assert_eq!(keymap.lookup(&[context], &keys[..begun]), Lookup::Prefix);
            }
        }
    }
}

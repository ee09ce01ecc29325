//! Text as the configuration file, a key map, a theme and a label file.
#![no_main]

use chainglass::chain::Address;
use chainglass::user_data::labels::{Change, Labels, revised};
use chainglass::config;
use chainglass::keymap::{Context, Keymap, Lookup};
use chainglass::ui::theme::Theme;
use strum::IntoEnumIterator;

/// A canary API key.
const CANARY: &str = "canary";

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = config::parse(text);
    change_a_label(text);
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
    let mut keymap = Keymap::embedded().unwrap();
    keymap.overlay(text);
    every_key_is_found(&keymap);
});

/// A successful label edit is in the resulting file.
fn change_a_label(text: &str) {
    let address = Address::repeat_byte(0xa1);
    let Some(change) = Change::name(address, "Alice") else { return };
    if let Ok(revised) = revised(text, &change) {
        assert_eq!(Labels::read(&revised).name(&address), Some(&"Alice".into()));
    }
}

/// Neither the settings nor their diagnostics contain the key.
fn keep_secret(source: &str) {
    let said = format!("{:?}", config::parse(source));
    assert!(!said.contains(CANARY), "{said}");
}

fn every_key_is_found(keymap: &Keymap) {
    for context in Context::iter() {
        for binding in keymap.bindings(context) {
            let (keys, _) = (&binding.chord.0, binding.chord.to_string());
            assert_eq!(keymap.lookup(&[context], keys), Lookup::Action(binding.action));
            for begun in 1..keys.len() {
                assert_eq!(keymap.lookup(&[context], &keys[..begun]), Lookup::Prefix);
            }
        }
    }
}

//! Any text as the configuration file and as a key map.
#![no_main]

use chainglass::config;
use chainglass::keymap::{Context, Keymap, Lookup};
use strum::IntoEnumIterator;

/// Stands where a key stands.
const CANARY: &str = "canary";

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = config::parse(text);
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

/// Neither the settings nor what is wrong with them repeat a key.
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

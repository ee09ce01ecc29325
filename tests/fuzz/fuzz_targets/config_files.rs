//! Text as the configuration file, a key map, a theme and a label file.
#![no_main]

use chainglass::test_api::chain::Address;
use chainglass::test_api::config;
use chainglass::test_api::keymap::{KeyContext, Keymap, Lookup};
use chainglass::test_api::ui::Theme;
use chainglass::test_api::user_data::{LabelEdit, Labels, apply_edit};
use strum::IntoEnumIterator;

/// A canary API key.
const CANARY: &str = "canary";

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = config::parse(text);
    edit_a_label(text);
    for mistake in Theme::parse(text).1 {
        assert!(mistake.line <= text.lines().count() + 1, "{mistake}");
    }
    if !text.contains(CANARY) {
        for before in ["api_key = \"", "api_key = ", "[keys]\n\"a.example\" = \""] {
            check_secret(&format!("{before}{CANARY}{text}"));
        }
    }
    match Keymap::parse(text) {
        Ok(keymap) => check_lookups(&keymap),
        Err(error) => drop(error.to_string()),
    }
    let mut keymap = Keymap::embedded().unwrap();
    keymap.apply_user_keymap(text);
    check_lookups(&keymap);
});

/// A successful label edit is in the resulting file.
fn edit_a_label(text: &str) {
    let address = Address::repeat_byte(0xa1);
    let Some(change) = LabelEdit::name(address, "Alice") else { return };
    if let Ok(revised) = apply_edit(text, &change) {
        assert_eq!(Labels::from_csv(&revised).name(&address), Some(&"Alice".into()));
    }
}

/// Neither the settings nor their diagnostics contain the key.
fn check_secret(source: &str) {
    let output = format!("{:?}", config::parse(source));
    assert!(!output.contains(CANARY), "{output}");
}

fn check_lookups(keymap: &Keymap) {
    for context in KeyContext::iter() {
        for binding in keymap.bindings(context) {
            let (keys, _) = (&binding.chord.0, binding.chord.to_string());
            assert_eq!(keymap.lookup(&[context], keys), Lookup::Action(binding.action));
            for begun in 1..keys.len() {
                assert_eq!(keymap.lookup(&[context], &keys[..begun]), Lookup::Prefix);
            }
        }
    }
}

//! Marks that tell the user's own labels, names from the chain and the program's symbols apart.

use unicode_security::skeleton;

use crate::sanitize::SafeText;

/// The marks around a label. No other name contains them.
const LABEL_MARKS: [char; 2] = ['«', '»'];
const MARK_REPLACEMENTS: [char; 2] = ['‹', '›'];
/// The marks around a name from the chain that could pass for something else.
const QUOTES: [char; 2] = ['“', '”'];
/// What the program draws beside names, and what looks like it: outcomes, warnings, folds, arrows,
/// cuts and separators.
const SYMBOLS: &str = "✓✔✅☑✗✘❌✖∅!❗?▾▸▶⚙…⋯·→←⇒↪│├└╭╮╰╯┃┤┬▌◆⌕«»‹›<>≪≫⟪⟫《》“”\"Ξ";

/// Formats one of the user's labels: `«Alice»`.
pub fn decorate(name: &str) -> String {
    let [open, close] = LABEL_MARKS;
    format!("{open}{name}{close}")
}

/// Makes a name from the chain unlike a label, and quotes it if it could pass for an address, an
/// outcome or another part of a line: `“0xdAC1…1ec7”`.
pub fn guard_name(name: SafeText) -> SafeText {
    if !name.contains(|c| SYMBOLS.contains(c)) && !holds_address(&name) {
        return name;
    }
    let marks = LABEL_MARKS.into_iter().zip(MARK_REPLACEMENTS);
    let replace = |name: String, (mark, by)| name.replace(mark, &String::from(by));
    let [open, close] = QUOTES;
    format!("{open}{}{close}", marks.fold(name.to_string(), replace)).into()
}

/// Returns whether [`guard_name`] quoted a name, so that it cannot stand for an address alone.
pub fn is_quoted(name: &str) -> bool {
    name.starts_with(QUOTES)
}

/// Returns whether a name holds `0x`, or its look-alike before digits.
fn holds_address(name: &str) -> bool {
    // The look-alikes of 0 and 1 are O and l.
    let is_digit = |b: &u8| b.is_ascii_hexdigit() || matches!(b.to_ascii_lowercase(), b'o' | b'l');
    let shape: String = skeleton(name).collect();
    let is_start = |part: &[u8]| {
        part.split_at_checked(2).is_some_and(|(start, digits)| {
            start.eq_ignore_ascii_case(b"Ox") && digits.iter().all(is_digit)
        })
    };
    name.contains("0x") || name.contains("0X") || shape.as_bytes().windows(6).any(is_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chain_names_cannot_spoof_labels() {
        assert_eq!(decorate("Alice"), "«Alice»");
        assert_eq!(guard_name("«Alice»".into()), "“‹Alice›”".into());
        assert_eq!(guard_name("alice.eth".into()), "alice.eth".into());
    }

    #[test]
    fn names_like_addresses_and_marks_are_quoted() {
        for name in [
            "0xdAC1…1ec7",
            "0XdAC17F958D2ee523a2206206994597C13D831ec7",
            "USDT [0xdAC17F958D2ee523a2206206994597C13D831ec7]",
            "OxdAC1...1ec7",
            "0хdAC1...1ec7", // a Cyrillic x
            "Οxdас1",        // Greek and Cyrillic letters
            "✓ USDT",
            "✅ USDT",
            "! scam",
            "USDC ⇒ Alice",
            "USDT”",
            "<Alice>",
            "《Alice》",
        ] {
            let quoted = guard_name(name.into());
            assert!(is_quoted(&quoted) && quoted.contains(name), "{quoted}");
        }
        for name in ["Proxy", "Oxford", "Охота", "ox", "x0", "USD₮", "Wrapped Ether (PoS)", "", "а"]
        {
            assert_eq!(guard_name(name.into()), name.into());
        }
    }
}

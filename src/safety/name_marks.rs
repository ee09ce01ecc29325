//! Marks that distinguish the user's own labels, names from the chain and the program's symbols.

use unicode_security::skeleton;

use crate::sanitize::SafeText;

/// The marks around a label. No other name contains them.
const LABEL_MARKS: [char; 2] = ['«', '»'];
/// The marks around a name from the chain that could pass for something else.
const QUOTES: [char; 2] = ['“', '”'];
/// Replacements of the marks and quotes in text from outside.
const REPLACEMENTS: [(char, &str); 4] = [('«', "‹"), ('»', "›"), ('“', "‘"), ('”', "’")];
/// Symbols that the program draws next to names, and their look-alikes: outcomes, warnings, folds,
/// arrows, cuts and separators.
const SYMBOLS: &str = "✓✔✅☑√🗸🗹⍻✗✘❌✖✕☒🗴🗶🗙∅!❗❕‼⚠?▾▸▶⚙…⋯·→←⇒↪│├└╭╮╰╯┃┤┬▌◆⌕\
    «»‹›<>≪≫⟪⟫《》〈〉⟨⟩❬❭❮❯〈〉⋘⋙⪡⪢˂˃“”‟„\"Ξ";
/// Words and signs that the program has in the place of a name, an outcome or an amount.
const VALUES: [&str; 15] = [
    "ok",
    "success",
    "failed",
    "pending",
    "dropped",
    "replaced",
    "reverted",
    "none",
    "nothing",
    "unlimited",
    "unknown",
    "expired",
    "—",
    "×",
    "⋅",
];
/// Signs before an amount.
const SIGNS: [char; 10] = ['+', '-', '−', '–', '±', '$', '≤', '≥', '≈', ' '];
/// Maximum characters of a quoted name from an ABI or a recording.
const MAX_QUOTED_CHARS: usize = 24;

/// Formats one of the user's labels: `«Alice»`.
pub fn decorate(name: &str) -> String {
    let [open, close] = LABEL_MARKS;
    format!("{open}{name}{close}")
}

/// Makes a name from the chain unlike a label, and quotes it if it could be taken for an address, an
/// outcome or another part of a line: `“0xdAC1…1ec7”`.
pub fn guard_name(name: SafeText) -> SafeText {
    let is_identifier = name.bytes().all(|b| b.is_ascii_alphanumeric());
    let is_clear =
        (is_identifier && !holds_address(&name, &name)) || is_plain(&name) || !misleads(&name);
    if is_clear && !is_like_value(&name) { name } else { quote(&name) }
}

/// Returns `true` for a name that alone could be an outcome, an absent value or an amount: `failed`, `—`, `−1.5 ETH`.
fn is_like_value(name: &str) -> bool {
    let name = name.trim();
    let unsigned = name.trim_start_matches(SIGNS);
    let (number, unit) = unsigned.split_once(' ').unwrap_or((unsigned, ""));
    let is_number = number.starts_with(char::is_numeric)
        && number.chars().all(|c| c.is_numeric() || matches!(c, '.' | ','));
    let is_sign = unsigned.is_empty() && !name.is_empty();
    let is_value = |value: &&str| {
        name.eq_ignore_ascii_case(value)
            || (!name.is_ascii() && skeleton(&name.to_lowercase()).eq(skeleton(value)))
    };
    is_sign || (is_number && !unit.contains(' ')) || VALUES.iter().any(is_value)
}

/// Returns `true` for a name that looks like an address or has something like a symbol.
fn misleads(name: &str) -> bool {
    let shape: String = skeleton(name).collect();
    let is_like_symbol = |c| SYMBOLS.contains(c);
    name.contains(is_like_symbol) || shape.contains(is_like_symbol) || holds_address(name, &shape)
}

/// Returns `true` for words without symbols, and without anything like the start of an address: most names
/// are, and the shapes of their letters need not be compared.
fn is_plain(name: &str) -> bool {
    name.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b' ' | b'_' | b'-' | b'.'))
        && !name.as_bytes().windows(2).any(|pair| matches!(pair, [b'0' | b'o' | b'O', b'x' | b'X']))
}

/// Quotes and cuts the chain name in a recording, which can claim to be any chain.
pub fn quote_recorded_name(name: &str) -> SafeText {
    quote(&SafeText::bounded(name, MAX_QUOTED_CHARS))
}

/// Puts a name in quotes. The name contains none itself.
fn quote(name: &str) -> SafeText {
    let replace = |name: String, (mark, by): (char, &str)| name.replace(mark, by);
    let [open, close] = QUOTES;
    format!("{open}{}{close}", REPLACEMENTS.into_iter().fold(name.to_owned(), replace)).into()
}

/// Replaces the marks of labels in any text from outside.
pub fn replace_label_marks(text: SafeText) -> SafeText {
    if text.is_ascii() || !text.contains(LABEL_MARKS) {
        return text;
    }
    let [(open, open_by), (close, close_by), ..] = REPLACEMENTS;
    text.replace(open, open_by).replace(close, close_by).into()
}

/// Cuts and quotes a name in an ABI that is not an identifier: `“transfer(address to) ✓…”`.
pub fn guard_identifier(name: &str) -> SafeText {
    if name.is_empty() || is_identifier(name) {
        return SafeText::new(name);
    }
    quote(&SafeText::bounded(name, MAX_QUOTED_CHARS))
}

/// Cuts and quotes a declaration that does not consist of identifiers, types and brackets, as does
/// `f(address to, (bool, bytes)[2] indexed calls)`.
pub fn guard_declaration(declaration: &str) -> SafeText {
    if is_declaration(declaration) {
        return SafeText::new(declaration);
    }
    quote(&SafeText::bounded(declaration, MAX_QUOTED_CHARS))
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| !c.is_ascii_digit()) && name.chars().all(is_in_identifier)
}

fn is_in_identifier(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}

fn is_declaration(text: &str) -> bool {
    let Some((name, parameters)) = text.split_once('(') else { return false };
    let Some(parameters) = parameters.strip_suffix(')') else { return false };
    let mut depth = 0_usize;
    let is_closed = parameters.chars().all(|c| {
        depth = match c {
            '(' => depth.saturating_add(1),
            ')' if depth == 0 => return false,
            ')' => depth - 1,
            _ => depth,
        };
        true
    });
    let is_parameter = |text: &str| {
        let words = text.split_whitespace().filter(|word| *word != "indexed");
        let is_word = |word: &str| word.chars().all(|c| is_in_identifier(c) || "[]".contains(c));
        words.clone().count() <= 2 && words.clone().all(is_word)
    };
    let mut parts = parameters.split([',', '(', ')']);
    is_identifier(name) && is_closed && depth == 0 && parts.all(is_parameter)
}

/// Returns `true` if a name has the signs that stand for control, invisible and bidirectional characters in it.
pub fn hides_characters(name: &SafeText) -> bool {
    name.contains(|c| matches!(c, '\u{2400}'..='\u{2421}' | '\u{2426}'))
}

/// Returns `true` if [`guard_name`] has quoted a name, so that it cannot replace an address.
pub fn is_quoted(name: &str) -> bool {
    name.starts_with(QUOTES)
}

/// Returns `true` if a name contains `0x`, or its look-alike before digits. `shape` is the name's
/// skeleton.
fn holds_address(name: &str, shape: &str) -> bool {
    // The look-alikes of 0 and 1 are O and l.
    let is_digit = |b: &u8| b.is_ascii_hexdigit() || matches!(b.to_ascii_lowercase(), b'o' | b'l');
    let is_start = |part: &[u8]| {
        part.split_at_checked(2).is_some_and(|(start, digits)| {
            start.eq_ignore_ascii_case(b"Ox") && digits.iter().all(is_digit)
        })
    };
    name.contains("0x") || name.contains("0X") || shape.as_bytes().windows(6).any(is_start)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn chain_names_cannot_spoof_labels() {
        assert_eq!(decorate("Alice"), "«Alice»");
        assert_eq!(guard_name("«Alice»".into()), "“‹Alice›”");
        assert_eq!(guard_name("alice.eth".into()), "alice.eth");
    }

    #[test]
    fn names_that_no_compiler_wrote_are_quoted_and_cut() {
        for name in ["transfer", "_a$1", ""] {
            assert_eq!(guard_identifier(name), name);
        }
        let odd = guard_identifier("transfer(address to) ✓ verified «alice» 0x12");
        assert_eq!(odd, "“transfer(address to) ✓ v…”");
        assert_eq!(guard_identifier("«alice»"), "“‹alice›”");
        for name in ["1a", "a b", "a-b", "ä", "0x12345678"] {
            assert!(is_quoted(&guard_identifier(name)), "{name}");
        }
    }

    #[test]
    fn recorded_names_are_quoted_and_cut() {
        for (name, quoted) in [
            ("Ethereum", "“Ethereum”"),
            ("demo” ✓ «Bob» 0x14dC79964da2C08b2", "“demo’ ✓ ‹Bob› 0x14dC7996…”"),
            ("\u{1b}[2J", "“␛[2J”"),
        ] {
            assert_eq!(quote_recorded_name(name), quoted);
        }
    }

    #[test]
    fn declarations_that_no_compiler_wrote_are_quoted_and_cut() {
        for text in [
            "f()",
            "transfer(address to, uint256 v)",
            "f(address , uint256)",
            "f((address to, (bool a, bytes)[2][] b) calls, uint8[3] x)",
            "Transfer(address indexed from, address indexed to, uint256 value)",
        ] {
            assert_eq!(guard_declaration(text), text);
        }
        for text in [
            "transfer(address to) ✓ verified «alice» 0x12",
            "transfer(address to) verified (ok)",
            "transfer(address to is verified)",
            "transfer(address to verified)",
            "transfer (address)",
            "f(uint8 a))(",
            "f((uint8 a)",
            "f",
            "",
        ] {
            assert!(is_quoted(&guard_declaration(text)), "{text}");
        }
    }

    #[test]
    fn names_with_control_or_bidirectional_characters_hide_some() {
        for name in ["a\u{1b}[31m", "a\u{7f}", "\u{202e}cba", "a\u{200b}b"] {
            assert!(hides_characters(&SafeText::new(name)), "{name:?}");
        }
        for name in ["USD₮", "Tökën 美元💰", "a…b", ""] {
            assert!(!hides_characters(&SafeText::new(name)), "{name}");
        }
    }

    #[test]
    fn label_marks_are_replaced_in_any_text() {
        assert_eq!(replace_label_marks("paid «Bob» ✓".into()), "paid ‹Bob› ✓");
        assert_eq!(replace_label_marks("plain".into()), "plain");
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
            "<Alice>",
            "《Alice》",
            "〈Alice〉",
            "❮Alice❯",
            "＜Alice＞",
            "ᐸAliceᐳ",
            "√ USDT",
            "🗸 USDT",
            "ǃ look-alike", // a letter
            "—",
            "Failed",
            "fаiled", // a Cyrillic a
            "0",
            "−1,234.5 ETH",
            "$100",
            "１.５ ETH",
            "-",
        ] {
            let quoted = guard_name(name.into());
            assert!(is_quoted(&quoted) && quoted.contains(name), "{quoted}");
        }
        for (name, quoted) in
            [("USDT”", "“USDT’”"), ("Vault” ✓ verified «Bob» “x", "“Vault’ ✓ verified ‹Bob› ‘x”")]
        {
            assert_eq!(guard_name(name.into()), quoted);
        }
        for name in [
            "Proxy",
            "Oxford",
            "Охота",
            "ox",
            "x0",
            "USD₮",
            "Wrapped Ether (PoS)",
            "",
            "а",
            "1inch",
            "OK Token",
            "Foo — Bar",
            "3 blind mice",
            "Failed Vault",
            "$PEPE",
            "a-b",
        ] {
            assert_eq!(guard_name(name.into()), name);
        }
    }

    proptest! {
        #[test]
        fn plain_names_do_not_mislead(name in "[0-9A-Za-z _.\\-]{0,24}") {
            prop_assert!(!is_plain(&name) || !misleads(&name), "{name}");
        }
    }
}

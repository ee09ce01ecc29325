//! Detects token symbols that imitate well-known ones with look-alike characters.
//!
//! A token may have any symbol. This module does not find a second plain `USDC`, which differs from the
//! well-known token by its address only; it finds symbols that look like `USDC` but are spelled
//! otherwise, which does not happen by accident.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_security::skeleton;

use crate::sanitize;

/// Imitated symbols: stablecoins, coins with their wrapped and staked forms, large tokens.
const WELL_KNOWN_SYMBOLS: &[&str] = &[
    "USDC", "USDT", "DAI", "USDS", "USDe", "PYUSD", "BUSD", "TUSD", "GUSD", "FRAX", "EURC", "ETH",
    "WETH", "stETH", "wstETH", "rETH", "cbETH", "weETH", "BTC", "WBTC", "cbBTC", "BNB", "WBNB",
    "MATIC", "POL", "WPOL", "AVAX", "SOL", "ARB", "OP", "UNI", "LINK", "AAVE", "SHIB", "PEPE",
    "CRV", "MKR", "SKY", "LDO", "COMP",
];

/// Tether's own spelling: its contract on Celo has this symbol (on Arbitrum, `USD₮0`).
const TETHER_SYMBOL: &str = "USD₮";

/// Maximum length of known symbols that ASCII text never imitates: `S0L` and `IDO` are symbols in their
/// own right.
const MAX_ASCII_EXEMPT_BYTES: usize = 3;

/// Maximum characters of a possible symbol, hidden ones included. Longer texts are not examined: they
/// come from outside and may have any length.
const MAX_SYMBOL_CHARS: usize = 64;

static SYMBOLS_BY_SHAPE: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    WELL_KNOWN_SYMBOLS.iter().map(|symbol| (fold_case(&glyph_shape(symbol)), *symbol)).collect()
});

/// Shapes of ASCII characters: most symbols are made of them, and one is examined for every
/// amount in every frame.
static ASCII_SHAPES: LazyLock<Vec<String>> =
    LazyLock::new(|| ('\0'..='\x7f').map(|c| glyph_shape(c.encode_utf8(&mut [0; 4]))).collect());

/// Returns the well-known symbol that `symbol` imitates with letters of other alphabets, accents,
/// digits in place of letters, or invisible characters.
///
/// Letters in another case are not an imitation. Sanitized text gives the same result: the
/// pictures of hidden characters count as hidden.
pub fn spoofed_symbol(symbol: &str) -> Option<&'static str> {
    if symbol == TETHER_SYMBOL || symbol.chars().nth(MAX_SYMBOL_CHARS).is_some() {
        return None;
    }
    let shape = ascii_shape(symbol).unwrap_or_else(|| glyph_shape(symbol));
    let known = *SYMBOLS_BY_SHAPE.get(&fold_case(&shape))?;
    if symbol.eq_ignore_ascii_case(known) || symbol.is_ascii() && !has_usual_spelling(&shape, known)
    {
        return None;
    }
    Some(known)
}

/// Returns `true` if a shape is the known symbol's, in its usual case or in one case only. Mixed case
/// would give false alarms on ASCII text: `IUSD` is not `lUSD`.
fn has_usual_spelling(shape: &str, known: &str) -> bool {
    known.len() > MAX_ASCII_EXEMPT_BYTES
        && [known.to_owned(), known.to_ascii_uppercase(), known.to_ascii_lowercase()]
            .iter()
            .any(|written| glyph_shape(written) == shape)
}

/// Returns the visible shape of a text, in ASCII where that looks the same: the skeleton of Unicode
/// Technical Standard 39, then the skeleton of the compatibility forms (bold, circled, wide …). The
/// latter come second because they go by meaning: `Ϲ` looks like C and means a sigma.
fn glyph_shape(text: &str) -> String {
    let seen: String = sanitize::sanitize(text).chars().filter(|c| !is_hidden(*c)).collect();
    let plain: String = skeleton(&seen).nfkc().collect();
    skeleton(plain.trim()).filter(|c| !is_diacritic(*c)).map(fold_letter).collect()
}

/// Returns the shape of letters and digits. `None` for a text with other characters.
fn ascii_shape(text: &str) -> Option<String> {
    let shape = |byte: u8| ASCII_SHAPES.get(usize::from(byte)).map(String::as_str);
    text.bytes().map(|byte| shape(byte).filter(|_| byte.is_ascii_alphanumeric())).collect()
}

/// Returns `true` for the pictures that [`sanitize`](crate::sanitize::sanitize) puts in place of hidden
/// characters, and for unusual blanks.
fn is_hidden(c: char) -> bool {
    (c.is_whitespace() && c != ' ') || ('\u{2400}'..='\u{2426}').contains(&c)
}

/// Returns `true` for an accent, a stroke, or the apostrophe that the skeleton contains for a hook.
fn is_diacritic(c: char) -> bool {
    c == '\'' || c.general_category_group() == GeneralCategoryGroup::Mark
}

/// Maps look-alikes that the standard's table lacks: digits other than `0` and `1`, small capitals
/// and enclosed letters.
fn fold_letter(c: char) -> char {
    match c {
        'O' => 'o',       // the skeleton of 0 as well
        'I' | 'i' => 'l', // the skeletons of 1, and of I where it is not enclosed
        'S' | '5' | '$' | 'ꜱ' | 'ᔕ' => 's',
        'ᴀ' | 'Λ' | 'Ʌ' | 'Δ' => 'A',
        'ʙ' | 'ß' | '₿' => 'B',
        'ᑕ' | '©' => 'C', // the skeleton of a C in a circle
        'ᴅ' => 'D',
        'ᴇ' | 'Ξ' | 'Ʃ' | 'Ꞓ' | 'ꞓ' => 'E', // the last three: Σ, € and ε
        'ꜰ' => 'F',
        'ɢ' => 'G',
        'ʜ' => 'H',
        'ᴋ' | 'ĸ' => 'K',
        'ʟ' => 'L',
        'ᴍ' | 'ʍ' => 'M',
        'ɴ' | 'И' | 'ᴎ' => 'N',
        'ᴘ' | '℗' => 'P',
        'ʀ' | 'Ʀ' | 'Я' | 'ᴙ' | '®' => 'R',
        'ᴛ' => 'T',
        'Ʋ' => 'U',
        _ => fold_enclosed(c).unwrap_or(c),
    }
}

/// Maps white letters in circles and boxes, and regional indicators (flags), to plain letters.
fn fold_enclosed(c: char) -> Option<char> {
    let first = match c {
        '\u{1f150}'..='\u{1f169}' => 0x1f150,
        '\u{1f170}'..='\u{1f189}' => 0x1f170,
        '\u{1f1e6}'..='\u{1f1ff}' => 0x1f1e6,
        _ => return None,
    };
    let nth = u8::try_from(u32::from(c) - first).ok()?;
    Some(fold_letter(char::from(b'A' + nth)))
}

/// Removes case from a shape. The skeleton writes `m` as `rn` but leaves `M`.
fn fold_case(shape: &str) -> String {
    shape.to_lowercase().replace('m', "rn")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn imitations_are_found() {
        for (symbol, known) in [
            ("USDС", "USDC"), // Cyrillic
            ("UЅDТ", "USDT"),
            ("usdс", "USDC"),
            ("Usdс", "USDC"),
            ("ЕТН", "ETH"),
            ("ΕΤΗ", "ETH"), // Greek
            ("етн", "ETH"),
            ("LІNK", "LINK"),
            ("lіnk", "LINK"),
            ("ᎠAI", "DAI"),   // Cherokee
            ("ꓴꓢꓓꓚ", "USDC"), // Lisu
            ("𝐔𝐒𝐃𝐂", "USDC"),
            ("𝓦𝓔𝓣𝓗", "WETH"),
            ("ＵＳＤＴ", "USDT"),
            ("ⓊⓈⒹⒸ", "USDC"),
            ("🅄🅂🄳🄲", "USDC"),
            ("🅤🅢🅓🅒", "USDC"),
            ("🆄🆂🅳🅲", "USDC"),
            ("🇺🇸DC", "USDC"),
            ("ᴜꜱᴅᴄ", "USDC"),
            ("ᴍᴀᴛɪᴄ", "MATIC"),
            ("mаtic", "MATIC"),
            ("ÚSDC", "USDC"),
            ("USDC\u{323}", "USDC"),
            ("ƊAI", "DAI"),
            ("SHİB", "SHIB"),
            ("USĐC", "USDC"),
            ("ΛΛVΞ", "AAVE"),
            ("ОР", "OP"),
            ("UNІ", "UNI"),
            ("ѕtETH", "stETH"),
            // Digits, and letters that look like other letters.
            ("U5DC", "USDC"),
            ("U$DT", "USDT"),
            ("L1NK", "LINK"),
            ("LlNK", "LINK"),
            ("|ink", "LINK"),
            ("l1nk", "LINK"),
            ("c0mp", "COMP"),
            ("C0MP", "COMP"),
            ("5tETH", "stETH"),
            ("rnatic", "MATIC"),
        ] {
            assert_eq!(spoofed_symbol(symbol), Some(known), "{symbol}");
        }
    }

    #[test]
    fn hidden_characters_do_not_hide_an_imitation() {
        for (symbol, known) in [
            ("US\u{200b}DC", "USDC"),
            ("US␦DC", "USDC"),
            ("USDC␛", "USDC"),
            ("\u{202e}USDC", "USDC"),
            ("USDC\u{a0}", "USDC"),
            ("USDC ", "USDC"),
            ("US\u{200a}DC", "USDC"),
            ("\u{2800}OP", "OP"),
            ("US\u{fe0f}DT", "USDT"),
            ("USD\u{1d159}T", "USDT"),
            ("U\u{fffc}SDT\u{3164}", "USDT"),
            ("\u{d4e}\u{d4e}USDT", "USDT"),
            ("US\u{200d}DT", "USDT"),
            ("USD\u{1161}T", "USDT"),
            ("USDT\u{93e}\u{94d}", "USDT"),
            ("US🇩T", "USDT"),
        ] {
            assert_eq!(spoofed_symbol(symbol), Some(known), "{symbol}");
        }
    }

    #[test]
    fn other_symbols_are_not_imitations() {
        for symbol in [
            "", " ", "␦", "USD₮", "USD₮0", "POLY", "OPT", "LINKS", "0P", "UN1", "UNl", "S0L",
            "IDO", "P0L", "5KY", "IUSD", "USD0", "USDP", "USDC.e", "axlUSDC", "US DC", "$OP",
            "$USDC", "RNATIC", "GLD", "XDAI", "美元", "Tökën", "💰", "💵USDC", "ETH2", "ETHX",
            "sUSD",
        ] {
            assert_eq!(spoofed_symbol(symbol), None, "{symbol}");
        }
        assert_eq!(spoofed_symbol(&"\u{200b}".repeat(1 << 20)), None);
        let hidden = |count: usize| spoofed_symbol(&("\u{200b}".repeat(count) + "USDC"));
        let most = MAX_SYMBOL_CHARS - "USDC".len();
        assert_eq!([most, most + 1].map(hidden), [Some("USDC"), None]);
    }

    #[test]
    fn known_symbols_do_not_imitate_each_other() {
        let folded: HashSet<String> =
            WELL_KNOWN_SYMBOLS.iter().map(|known| fold_case(&glyph_shape(known))).collect();
        assert_eq!(folded.len(), WELL_KNOWN_SYMBOLS.len(), "two look alike");
        for known in WELL_KNOWN_SYMBOLS {
            for written in [known.to_string(), known.to_lowercase(), known.to_uppercase()] {
                assert_eq!(spoofed_symbol(&written), None, "{written}");
            }
        }
    }

    #[test]
    fn styled_alphabets_are_mapped() {
        // Positions of the capital A: bold, italic, script, fraktur, double, sans, mono; wide; circled;
        // boxed; white in circles and boxes; flags. The mathematical alphabets have holes.
        for a in [
            0x1d400, 0x1d434, 0x1d468, 0x1d4d0, 0x1d56c, 0x1d5a0, 0x1d5d4, 0x1d670, 0xff21, 0x24b6,
            0x1f130, 0x1f150, 0x1f170, 0x1f1e6,
        ] {
            for known in WELL_KNOWN_SYMBOLS {
                let made: String = known
                    .to_uppercase()
                    .chars()
                    .map(|c| char::from_u32(u32::from(c) - u32::from('A') + a).unwrap())
                    .collect();
                assert_eq!(spoofed_symbol(&made), Some(*known), "{made}");
            }
        }
    }

    /// Returns letters of other alphabets that look like `c`.
    fn others(c: char) -> &'static [char] {
        match c.to_ascii_uppercase() {
            'A' => &['А', 'Α', 'Ꭺ', 'ꓮ', 'Ａ', '𝐀', '𝔸', 'ᴀ', 'а', 'ɑ', 'Á'],
            'B' => &['В', 'Β', 'Ᏼ', 'ꓐ', 'Ｂ', '𝐁', '𝔹', 'ʙ'],
            'C' => &['С', 'Ϲ', 'Ꮯ', 'ꓚ', 'Ｃ', '𝐂', 'ᴄ', 'с', 'Ⅽ', 'ℂ', 'Ç'],
            'D' => &['Ꭰ', 'ꓓ', 'Ｄ', '𝐃', 'ᴅ', 'ԁ', 'Ⅾ', 'Ď'],
            'E' => &['Е', 'Ε', 'Ꭼ', 'ꓰ', 'Ｅ', '𝐄', 'ᴇ', 'е', 'É', '€'],
            'H' => &['Н', 'Η', 'Ꮋ', 'ꓧ', 'Ｈ', '𝐇', 'ʜ', 'ℍ'],
            'I' => &['І', 'Ι', 'Ӏ', 'ꓲ', 'Ｉ', '𝐈', 'ɪ', 'і', 'Í', 'ı'],
            'K' => &['К', 'Κ', 'Ꮶ', 'ꓗ', 'Ｋ', '𝐊', 'ᴋ'],
            'M' => &['М', 'Μ', 'Ꮇ', 'ꓟ', 'Ｍ', '𝐌', 'ᴍ'],
            'N' => &['Ν', 'ꓠ', 'Ｎ', '𝐍', 'ɴ', 'Ñ'],
            'O' => &['О', 'Ο', 'ꓳ', 'Ｏ', '𝐎', 'ᴏ', 'о', 'Օ', 'Ö', 'Ø'],
            'P' => &['Р', 'Ρ', 'Ꮲ', 'ꓑ', 'Ｐ', '𝐏', 'ᴘ', 'р'],
            'S' => &['Ѕ', 'Տ', 'Ꮪ', 'ꓢ', 'Ｓ', '𝐒', 'ꜱ', 'ѕ', 'Ş'],
            'T' => &['Т', 'Τ', 'Ꭲ', 'ꓔ', 'Ｔ', '𝐓', 'ᴛ', 'т', 'Ţ', '₮'],
            'U' => &['Ս', 'ꓴ', 'Ｕ', '𝐔', 'ᴜ', 'υ', 'Ü', '∪'],
            'X' => &['Х', 'Χ', 'ꓫ', 'Ｘ', '𝐗', 'х'],
            _ => &['\u{200b}', '\u{2060}', '␦'],
        }
    }

    proptest! {
        #[test]
        fn any_letters_may_be_replaced_by_lookalikes(
            known in prop::sample::select(WELL_KNOWN_SYMBOLS),
            replaced in prop::collection::vec(any::<Option<prop::sample::Index>>(), 6),
            lower in any::<bool>(),
        ) {
            let mut made = String::new();
            for (c, other) in known.chars().zip(replaced) {
                match other {
                    Some(which) => {
                        let other = *which.get(others(c));
                        if others(c).contains(&'␦') {
                            made.push(c); // no look-alike: a hidden character is put before it
                        }
                        made.push(other);
                    }
                    None if lower => made.push(c.to_ascii_lowercase()),
                    None => made.push(c),
                }
            }
            if made.is_ascii() || made == TETHER_SYMBOL {
                return Ok(());
            }
            prop_assert_eq!(spoofed_symbol(&made), Some(known), "{}", made);
        }

        #[test]
        fn letters_and_digits_have_their_shapes_next_to_each_other(text in "[A-Za-z0-9]{0,12}") {
            prop_assert_eq!(ascii_shape(&text), Some(glyph_shape(&text)));
        }

        #[test]
        fn sanitizing_does_not_change_the_result(text in "[USDCETHWusdc05СЅ𝐔\u{200b}\u{1b} \u{301}]{0,8}") {
            prop_assert_eq!(spoofed_symbol(&sanitize::sanitize(&text)), spoofed_symbol(&text));
        }

        #[test]
        fn words_of_other_letters_are_not_imitations(word in "[F-HJQVXYZ2-46-9]{1,8}") {
            prop_assert_eq!(spoofed_symbol(&word), None);
        }
    }
}

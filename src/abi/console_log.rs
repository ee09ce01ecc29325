//! Decodes `console.log` of Hardhat and Foundry: calls to the console address that print a line.

use std::collections::HashMap;
use std::sync::LazyLock;

use alloy_primitives::{address, keccak256};

use super::decode::decode;
use super::selector::Selector;
use super::signatures::Signature;
use super::value::format::ValueFormat;
use super::value::{AbiValue, Argument};
use crate::chain::Address;
use crate::safety::name_marks::replace_label_marks;
use crate::sanitize::SafeText;

/// `console.log` in ASCII. There is no code at this address: nodes print the arguments.
pub const CONSOLE_ADDRESS: Address = address!("000000000000000000636F6e736F6c652e6c6f67");

const MAX_PARAMETERS: usize = 4;

/// Signatures by selector, built at the first look-up.
static SIGNATURES: LazyLock<HashMap<Selector, String>> = LazyLock::new(|| {
    let selector = |text: &String| keccak256(text).first_chunk().copied().unwrap_or_default();
    signatures().into_iter().map(|text| (selector(&text), text)).collect()
});

#[derive(Debug, Clone, PartialEq)]
pub struct ConsoleLog {
    pub signature: SafeText,
    pub arguments: Vec<Argument>,
}

/// Decodes a call to the console.
pub fn decode_console_log(address: &Address, input: &[u8]) -> Option<ConsoleLog> {
    let (selector, data) = input.split_first_chunk()?;
    let text = (*address == CONSOLE_ADDRESS).then(|| SIGNATURES.get(selector))??;
    let inputs = Signature::parse(text).ok()?.inputs;
    let arguments = Argument::from_values(&inputs, decode(&inputs, data)?.values);
    Some(ConsoleLog { signature: SafeText::new(text), arguments })
}

pub fn is_console_selector(selector: Selector) -> bool {
    SIGNATURES.contains_key(&selector)
}

/// Returns all signatures that the console has had. Hardhat first used selectors of `uint`, which
/// Solidity itself expands to `uint256`.
fn signatures() -> Vec<String> {
    let of_uint = |uint| {
        let kinds = ["string", "bool", "address", uint];
        let mut lists = vec![Vec::new()];
        for shorter in 0.. {
            let Some(list) = lists.get(shorter).filter(|list| list.len() < MAX_PARAMETERS) else {
                break;
            };
            let longer = kinds.map(|kind| [&**list, &[kind]].concat());
            lists.extend(longer);
        }
        lists.into_iter().map(|list| format!("log({})", list.join(",")))
    };
    let ints = ["int", "int256"].into_iter().flat_map(|int| {
        [format!("log({int})"), format!("log(string,{int})"), format!("logInt({int})")]
    });
    let bytes = std::iter::once("bytes".to_owned())
        .chain((1..=32).map(|n| format!("bytes{n}")))
        .flat_map(|ty| [format!("log({ty})"), format!("log{}({ty})", ty.replacen('b', "B", 1))]);
    let named = ["logUint(uint)", "logUint(uint256)", "logString(string)", "logBool(bool)"]
        .into_iter()
        .chain(["logAddress(address)"])
        .map(str::to_owned);
    of_uint("uint256").chain(of_uint("uint")).chain(ints).chain(bytes).chain(named).collect()
}

impl ConsoleLog {
    /// Returns the printed line, in the more informative form of the two consoles: numbers and other
    /// values for `%d` and `%i` as Hardhat, `%x` as Foundry.
    pub fn line(&self) -> SafeText {
        let mut values = self.arguments.iter().map(|argument| &argument.value);
        let mut line = match values.next() {
            Some(format @ AbiValue::String(_)) if values.len() > 0 => {
                fill_in(&format.format_full(ValueFormat::Natural), &mut values)
            }
            first => first.map_or_else(String::new, |value| format_value(value, 's')),
        };
        for value in values {
            line.push(' ');
            line.push_str(&format_value(value, 's'));
        }
        replace_label_marks(line.into())
    }
}

/// Replaces the specifiers by values. Specifiers without a value stay.
fn fill_in<'a>(format: &str, values: &mut impl Iterator<Item = &'a AbiValue>) -> String {
    let mut line = String::with_capacity(format.len());
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('%') {
        line.push_str(before);
        let specifier = after.chars().next().filter(|c| "sdioOx%".contains(*c));
        let filled = match specifier {
            Some('%') => Some("%".to_owned()),
            specifier => specifier.and_then(|c| Some(format_value(values.next()?, c))),
        };
        rest = if filled.is_some() { after.get(1..).unwrap_or_default() } else { after };
        line.push_str(filled.as_deref().unwrap_or("%"));
    }
    line + rest
}

fn format_value(value: &AbiValue, specifier: char) -> String {
    let is_number = matches!(value, AbiValue::Uint(_) | AbiValue::Int(_));
    let format =
        if specifier == 'x' && is_number { ValueFormat::Hex } else { ValueFormat::Natural };
    let text = value.format_full(format);
    let is_quoted = !is_number && !matches!(value, AbiValue::Bool(_));
    if is_quoted && matches!(specifier, 'o' | 'O') { format!("'{text}'") } else { text.to_string() }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use alloy_dyn_abi::{DynSolType, DynSolValue};
    use alloy_primitives::{B256, I256, U256, hex};

    use super::*;

    fn encode(signature: &str, values: Vec<DynSolValue>) -> Vec<u8> {
        [&keccak256(signature)[..4], &DynSolValue::Tuple(values).abi_encode_params()].concat()
    }

    fn printed(signature: &str, values: Vec<DynSolValue>) -> String {
        let input = encode(signature, values);
        let log = decode_console_log(&CONSOLE_ADDRESS, &input);
        log.unwrap_or_else(|| panic!("{signature}")).line().to_string()
    }

    /// Returns a value of a type, with its printed form.
    fn sample(ty: &str) -> (DynSolValue, &'static str) {
        let who = Address::repeat_byte(0x11);
        match ty {
            "string" => (DynSolValue::String("a b".into()), "a b"),
            "bool" => (true.into(), "true"),
            "address" => (who.into(), "0x1111111111111111111111111111111111111111"),
            "uint" | "uint256" => (U256::MAX.into(), MAX_UINT),
            "int" | "int256" => (I256::MINUS_ONE.into(), "-1"),
            "bytes" => (DynSolValue::Bytes(vec![0, 0xff]), "0x00ff"),
            ty => match DynSolType::parse(ty).unwrap() {
                DynSolType::FixedBytes(n) => {
                    (DynSolValue::FixedBytes(B256::right_padding_from(&WORD[..n]), n), "0x")
                }
                other => panic!("{other}"),
            },
        }
    }

    const MAX_UINT: &str =
        "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    const WORD: [u8; 32] = [0xab; 32];

    #[test]
    fn every_form_is_printed() {
        let all: HashSet<String> = signatures().into_iter().collect();
        // 4⁰ + … + 4⁴ lists of parameters, and those with a number again with `uint`.
        assert_eq!(all.len(), 341 + 220 + 6 + 2 * 33 + 5);
        assert_eq!(SIGNATURES.len(), all.len(), "two forms have one selector");
        for signature in &all {
            let (name, types) = signature.strip_suffix(')').unwrap().split_once('(').unwrap();
            let types: Vec<&str> = types.split(',').filter(|ty| !ty.is_empty()).collect();
            let (values, texts): (Vec<_>, Vec<_>) = types.iter().map(|ty| sample(ty)).unzip();
            let line = printed(signature, values);
            match types[..] {
                [ty] if ty.len() > 5 && ty.starts_with("bytes") => {
                    let bytes = ty[5..].parse().unwrap();
                    assert_eq!(line, format!("0x{}", "ab".repeat(bytes)), "{signature}");
                }
                _ => assert_eq!(line, texts.join(" "), "{signature}"),
            }
            assert!(name.starts_with("log"), "{signature}");
        }
    }

    #[test]
    fn selectors_are_those_of_the_libraries() {
        for (selector, signature) in [
            ("51973ec9", "log()"),
            ("41304fac", "log(string)"),
            ("f82c50f1", "log(uint256)"),
            ("f5b1bba9", "log(uint)"),
            ("4e0c1d1d", "log(int)"),
            ("2d5b6cb9", "log(int256)"),
            ("b60e72cc", "log(string,uint256)"),
            ("9710a9d0", "log(string,uint)"),
            ("3ca6268e", "log(string,int256)"),
            ("e17bf956", "logBytes(bytes)"),
            ("0be77f56", "log(bytes)"),
            ("6e18a128", "log(bytes1)"),
        ] {
            let selector: [u8; 4] = hex::decode_to_array(selector).unwrap();
            assert_eq!(SIGNATURES.get(&selector).map(String::as_str), Some(signature));
        }
    }

    #[test]
    fn specifiers_take_the_values_in_turn() {
        let text = |text: &str| DynSolValue::String(text.into());
        let one = |format: &str, value: DynSolValue| {
            let ty = value.as_type().unwrap().to_string();
            printed(&format!("log(string,{ty})"), vec![text(format), value])
        };
        let number = || DynSolValue::from(U256::from(255));
        for (format, value, line) in [
            ("balance", number(), "balance 255"),
            ("%s%%", number(), "255%"),
            ("%d of %i", number(), "255 of %i"),
            ("%x!", number(), "0xff!"),
            ("%x", text("a"), "a"),
            ("%o", number(), "255"),
            ("%o and", text("it"), "'it' and"),
            ("%O", text("it"), "'it'"),
            ("%o", true.into(), "true"),
            ("%d", true.into(), "true"),
            ("%e %", number(), "%e % 255"),
            ("é%", number(), "é% 255"),
            ("", number(), " 255"),
            ("%s", text("%s"), "%s"),
        ] {
            assert_eq!(one(format, value), line, "{format}");
        }
        assert_eq!(printed("log(string)", vec![text("100%% %s")]), "100%% %s");
        let many = vec![text("%s"), true.into(), text("%s"), U256::ZERO.into()];
        assert_eq!(printed("log(string,bool,string,uint256)", many), "true %s 0");
        let format_second = vec![true.into(), text("%s"), text("x")];
        assert_eq!(printed("log(bool,string,string)", format_second), "true %s x");
    }

    #[test]
    fn lines_are_harmless_and_only_of_the_console() {
        let hostile = "a\x1b]0;x\x07\u{202e}\nb";
        let line = printed("log(string)", vec![DynSolValue::String(hostile.into())]);
        assert_eq!(line, "a␛]0;x␇␦␊b");
        let input = encode("log(bytes)", vec![DynSolValue::Bytes(vec![0xff])]);
        assert!(decode_console_log(&Address::ZERO, &input).is_none());
        for cut in 0..input.len() {
            assert!(decode_console_log(&CONSOLE_ADDRESS, &input[..cut]).is_none(), "{cut}");
        }
        assert!(decode_console_log(&CONSOLE_ADDRESS, &[0xde, 0xad, 0xbe, 0xef]).is_none());
    }
}

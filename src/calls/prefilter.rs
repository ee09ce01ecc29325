//! Rules out calls that cannot match a word of a search, without decoding them.

use std::collections::HashSet;

use memchr::memmem::Finder;

use super::formatter::{CallFormatter, byte_count};
use super::identity::MAX_INLINE_CALLDATA_BYTES;
use crate::abi::{Selector, is_console_selector, is_in_precompile_name};
use crate::chain::Address;
use crate::trace::{BodySpan, CallFrame, CallKind, CallTree};

/// Text in labels that is not from the trace, from signatures or from names.
const FIXED_WORDS: &str = "0x receive fallback true false items fields bytes";
/// Maximum digits of calldata that affect a label.
const MAX_INPUT_DIGITS: u64 = 2 * MAX_INLINE_CALLDATA_BYTES as u64 + 2;
/// Digits of an address.
const MAX_ADDRESS_DIGITS: u64 = 64;
/// Digits of a selector with `0x`.
const SELECTOR_DIGITS: u64 = 10;

/// Necessary conditions for a call to match a word. It may admit calls that do not match.
#[derive(Debug, Clone)]
pub struct CallPrefilter {
    /// Longest part of the word without punctuation, in lower case.
    word: String,
    /// The word as hex digits, if it can be part of an address, a selector or bytes.
    digits: Option<Finder<'static>>,
    is_number: bool,
    /// `true` if calls of precompiled contracts may contain the word.
    precompiles: bool,
    /// Addresses whose labels contain the word.
    labelled: HashSet<Address>,
    /// Functions whose names or arguments may contain the word whatever the digits of the calldata.
    functions: HashSet<Selector>,
    /// Functions whose arguments may contain the word if the calldata contains its digits.
    functions_by_digits: HashSet<Selector>,
}

impl CallPrefilter {
    /// Creates the prefilter of a word, or `None` if any call may match it.
    pub fn new(word: &str, formatter: &CallFormatter<'_>) -> Option<Self> {
        if !word.is_ascii() {
            return None;
        }
        let lowercase = word.to_ascii_lowercase();
        let parts = lowercase.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let word =
            parts.max_by_key(|part| part.len()).filter(|part| !FIXED_WORDS.contains(part))?;
        let digits = word.trim_start_matches("0x").trim_start_matches('x');
        let is_hex = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_hexdigit());
        let is_number = word.bytes().all(|c| c.is_ascii_digit());
        let labelled = labelled_addresses(word, formatter);
        let all_decoded = is_number || !labelled.is_empty();
        let mut functions = formatter.signatures.functions(|name, is_dynamic| {
            all_decoded || is_dynamic || name.to_lowercase().contains(word)
        });
        // The explorer's decoding of the transaction.
        functions.extend(formatter.tree.selector(0));
        let functions_by_digits =
            if is_hex { formatter.signatures.functions(|_, _| true) } else { HashSet::new() };
        Some(Self {
            digits: is_hex.then(|| Finder::new(digits).into_owned()),
            is_number,
            precompiles: is_hex || is_in_precompile_name(word),
            labelled,
            functions,
            functions_by_digits,
            word: word.to_owned(),
        })
    }

    /// Returns `true` if a call may contain the word, its failure aside.
    pub fn admits(&self, frame: &CallFrame, tree: &CallTree) -> bool {
        self.admits_label(frame, tree)
            || self.admits_party(frame.to, tree)
            || self.admits_party(frame.from, tree)
    }

    pub fn admits_party(&self, party: BodySpan, tree: &CallTree) -> bool {
        self.has_digits(&tree.body.prefix(party, 64))
            || (!self.labelled.is_empty()
                && tree.address(party).is_some_and(|a| self.labelled.contains(&a)))
    }

    /// Returns `true` if a call's label may contain the word, the name of the target aside.
    pub fn admits_label(&self, frame: &CallFrame, tree: &CallTree) -> bool {
        let has_calldata = matches!(
            frame.kind,
            CallKind::Call
                | CallKind::StaticCall
                | CallKind::DelegateCall
                | CallKind::CallCode
                | CallKind::Other
        );
        let is_precompile = || is_small(&tree.body.prefix(frame.to, MAX_ADDRESS_DIGITS));
        if !has_calldata || (self.precompiles && is_precompile()) {
            return true;
        }
        let selector = tree.body.prefix(frame.input, SELECTOR_DIGITS);
        if self.has_digits(&selector) || self.has_size(frame, tree) {
            return true;
        }
        let Some(selector) = parse_selector(&selector) else { return false };
        // Any text may be printed.
        is_console_selector(selector)
            || self.functions.contains(&selector)
            || (self.functions_by_digits.contains(&selector)
                && self.has_digits(&tree.body.prefix(frame.input, MAX_INPUT_DIGITS)))
    }

    /// Returns `true` if the size of the calldata, shown in place of undecodable calldata, contains the
    /// word.
    fn has_size(&self, frame: &CallFrame, tree: &CallTree) -> bool {
        let size = || tree.hex_len(frame.input).unwrap_or(0).saturating_sub(4);
        self.is_number
            && [size(), size() + 4].iter().any(|size| byte_count(*size).contains(&self.word))
    }

    /// Returns `true` if hex in either case contains the digits of the word.
    fn has_digits(&self, hex: &[u8]) -> bool {
        let Some(digits) = &self.digits else { return false };
        digits.find(hex).is_some()
            || (hex.iter().any(u8::is_ascii_uppercase)
                && digits.find(&hex.to_ascii_lowercase()).is_some())
    }
}

/// Returns the addresses whose label or name contains a word.
fn labelled_addresses(word: &str, formatter: &CallFormatter<'_>) -> HashSet<Address> {
    let known = formatter.name_cache.addresses().map(|(address, _)| address);
    let named = known.filter(|address| {
        let name = formatter.name_cache.cached_name(address);
        name.is_some_and(|name| name.to_lowercase().contains(word))
    });
    named.chain(formatter.name_cache.labels().containing(word)).copied().collect()
}

/// Returns `true` if an address is a small number, like a precompiled contract's.
fn is_small(address: &[u8]) -> bool {
    address.get(2..38).is_some_and(|high| high.iter().all(|digit| *digit == b'0'))
}

fn parse_selector(hex: &[u8]) -> Option<Selector> {
    let digits = std::str::from_utf8(hex.strip_prefix(b"0x").unwrap_or(hex).get(..8)?).ok()?;
    u32::from_str_radix(digits, 16).ok().map(u32::to_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::{SignatureDb, SignatureHash};
    use crate::calls::transfer_matching::TransferMap;
    use crate::chain::network::Network;
    use crate::name_cache::NameCache;
    use crate::trace::test_util::{SampleCall, sample_tree};
    use crate::user_data::labels::Labels;

    const CONSOLE: u128 = 0x0063_6f6e_736f_6c65_2e6c_6f67;

    /// Calls whose labels have every kind of text.
    fn sample_calls(signatures: &mut SignatureDb) -> Vec<SampleCall> {
        let mut call = |n, signature: &str, arguments: &str| {
            let selector = u32::from_be_bytes(signatures.add_signature(signature).unwrap());
            SampleCall::at(&[n]).input(&format!("{selector:#010x}{arguments}"))
        };
        let word = |n: u64| format!("{n:064x}");
        let text = |hex: &str| format!("{}{}{hex:0<64}", word(0x20), word(hex.len() as u64 / 2));
        let pay =
            call(0, "pay(address to, uint256 amount)", &[word(0xacde), word(1_234_567)].concat());
        let print = format!("0x41304fac{}", text("686f7720646f2d796f753f"));
        let nested = pay.input.trim_start_matches("0x").to_owned();
        let nested = [word(0x20), word(68), format!("{nested:0<192}")].concat();
        vec![
            SampleCall::at(&[]),
            call(1, "note(string)", &text("4869205a6fc3ab")),
            call(2, "wrap(bytes)", &nested),
            call(3, "list(uint8[],bool)", &[word(64), word(1), word(1), word(7)].concat()),
            pay,
            SampleCall::at(&[4]).input(&format!("0xdeadbeef{}", "ab".repeat(1_300))),
            SampleCall { to: 2, ..SampleCall::at(&[5]).input("0xc0ffee") },
            SampleCall::at(&[6]).kind("create").input("0x6001"),
            SampleCall::at(&[7]).kind("suicide").moves(0xacde, 0xb, 5),
            SampleCall { to: CONSOLE, ..SampleCall::at(&[9]).input(&print) },
            SampleCall { to: 0xacde, ..SampleCall::at(&[8]).kind("delegatecall").input("0x01") },
            SampleCall::at(&[]).kind("reward").moves(0, 0xacde, 5),
        ]
    }

    /// Returns every substring without a space.
    fn parts(text: &str) -> impl Iterator<Item = &str> {
        let ends = |word: &str| word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        text.split_whitespace().flat_map(move |word| {
            let ends: Vec<usize> = ends(word);
            let pairs = ends.clone().into_iter().flat_map(move |from| {
                ends.clone().into_iter().filter(move |to| *to > from).map(move |to| (from, to))
            });
            pairs.filter_map(move |(from, to)| word.get(from..to))
        })
    }

    const ABI: &str = r#"[{"type":"function","name":"settle","inputs":[]}]"#;

    #[test]
    fn no_call_that_has_a_word_is_ruled_out() {
        let mut signatures = SignatureDb::default();
        let mut calls = sample_calls(&mut signatures);
        let contract = format!("0x{:040x}", 0xacde).parse().unwrap();
        signatures.add_explorer_abi(contract, &"Pool".into(), ABI).unwrap();
        let selector = *alloy_primitives::keccak256("settle()").first_chunk().unwrap();
        let settle = format!("{:#010x}", u32::from_be_bytes(selector));
        calls.push(SampleCall { to: 0xacde, ..SampleCall::at(&[10]).input(&settle) });
        let looked_up = *alloy_primitives::keccak256("rebase()").first_chunk().unwrap();
        signatures
            .add_database_signatures(SignatureHash::Selector(looked_up), &["rebase()".into()]);
        let rebase = format!("{:#010x}", u32::from_be_bytes(looked_up));
        calls.push(SampleCall::at(&[11]).input(&rebase));
        let tree = sample_tree(&calls);
        let mut name_cache = NameCache::default();
        let labels = format!("address,name\n0x{:040x},Zoe's pool_1\n", 0xacde);
        name_cache.set_labels(Labels::from_csv(&labels).into());
        let (network, transfers) = (Network::demo(), TransferMap::default());
        let formatter = CallFormatter::new(&tree, &signatures, &name_cache, &network, &transfers);
        let mut ruled_out = 0;
        for (number, frame) in (0..).zip(tree.frames()) {
            let party = |span| {
                let text = |a| format!("{} {a} {a:x}", formatter.address(&a));
                tree.address(span).map(text).unwrap_or_default()
            };
            let label = formatter.call_label(number).line();
            let text = format!("{label} {} {}", party(frame.from), party(frame.to));
            for part in parts(&text) {
                let Some(prefilter) = CallPrefilter::new(part, &formatter) else { continue };
                assert!(prefilter.admits(frame, &tree), "{part} in {text}");
                ruled_out += tree.frames().iter().filter(|f| !prefilter.admits(f, &tree)).count();
            }
        }
        assert!(ruled_out > 1_000, "only {ruled_out}");
    }
}

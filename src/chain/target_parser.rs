//! Parses the user's input for opening a page: an address, a transaction hash, a block, an explorer link or a
//! name, and finds them in a longer text.

use std::str::FromStr;

use super::explorer_links::{chain_by_name, parse_link};
use super::target::{
    LinkedChain, ParseTargetError, Target, TargetKind, TargetOrName, parse_block_number, words,
};
use super::time_input::is_meant_as_time;
use crate::sanitize::SafeText;

const MAX_NAME_CHARS: usize = 100;

/// Words before the hash of a transaction in logs and source code.
const TRANSACTION_WORDS: [&str; 5] = ["tx", "txn", "txhash", "transaction", "transactionhash"];
/// It may follow one of these, or be alone. After another word the hash is of that: of a block, or of a secret.
const HASH_WORD: &str = "hash";

/// Upper bound on the targets that are found in a text.
const MAX_TARGETS: usize = 50;

impl FromStr for Target {
    type Err = ParseTargetError;

    fn from_str(text: &str) -> Result<Self, ParseTargetError> {
        let text = text.trim();
        if let Some(kind) = text.parse().ok().or_else(|| parse_block_number(text)) {
            return Ok(Self::new(text, kind));
        }
        if let Some(target) = parse_link(text) {
            return Ok(target);
        }
        let found = find_targets(text);
        match &found[..] {
            [] => Err(ParseTargetError::Unknown),
            [one]
                if one.chain.is_some()
                    || matches!(one.kind, TargetKind::Address(_))
                    || calls_hash_transaction(text) =>
            {
                Ok(one.clone())
            }
            _ => Err(ParseTargetError::Unclear(found)),
        }
    }
}

impl FromStr for TargetOrName {
    type Err = ParseTargetError;

    fn from_str(text: &str) -> Result<Self, ParseTargetError> {
        let text = text.trim();
        match text.parse() {
            Ok(target) => return Ok(Self::Target(target)),
            Err(unclear @ ParseTargetError::Unclear(_)) => return Err(unclear),
            Err(ParseTargetError::Unknown | ParseTargetError::Time) => {}
        }
        if is_meant_as_time(text) {
            return Err(ParseTargetError::Time);
        }
        // A mistyped hash or link is not a name.
        let is_mistyped = text.starts_with("0x") || text.starts_with("0X") || text.contains("://");
        let fits = !text.is_empty() && text.chars().count() <= MAX_NAME_CHARS;
        if fits && !is_mistyped {
            Ok(Self::Name(SafeText::new(text)))
        } else {
            Err(ParseTargetError::Unknown)
        }
    }
}

/// Returns the links, addresses and hashes in a text, as in a log or in source code, each once.
fn find_targets(text: &str) -> Vec<Target> {
    let mut found: Vec<Target> = Vec::new();
    for part in text.split(|c: char| c.is_whitespace() || "\"'`<>()[]{},;|".contains(c)) {
        let link = parse_link(part);
        let hashes = find_hashes(part).filter(|_| link.is_none());
        for target in link.iter().cloned().chain(hashes) {
            if found.iter().all(|known| known.kind != target.kind) && found.len() < MAX_TARGETS {
                found.push(target);
            }
        }
    }
    found
}

/// Returns the addresses, with or without `0x`, and the hashes in a text without spaces, on the chain
/// that a prefix names (`eth:0x…`, ERC-3770).
fn find_hashes(text: &str) -> impl Iterator<Item = Target> {
    let chain = text.split_once(':').and_then(|(name, _)| chain_by_name(name));
    let words = words(text).filter(|word| !begins_domain(text, word));
    words.filter_map(move |word| {
        let digits = || word.parse().ok().filter(|_| word.len() == 40).map(TargetKind::Address);
        let kind = word.parse().ok().or_else(digits)?;
        Some(Target { chain: chain.map(LinkedChain::Id), ..Target::new(word, kind) })
    })
}

/// Returns `true` if the word before the first hash of a text calls it a transaction's: `tx: 0x…`, `tx hash: 0x…`. It is
/// no private key then.
fn calls_hash_transaction(text: &str) -> bool {
    let is_before = |word: &&str| word.parse::<TargetKind>().is_err() || begins_domain(text, word);
    let words = words(text).filter(|word| !word.is_empty());
    let before: Vec<&str> = words.take_while(is_before).collect();
    let names = |word: &str| TRANSACTION_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word));
    match &*before {
        [.., subject, word] if word.eq_ignore_ascii_case(HASH_WORD) => names(subject),
        [word] if word.eq_ignore_ascii_case(HASH_WORD) => true,
        [.., word] => names(word),
        [] => false,
    }
}

/// Returns `true` if a domain goes on after a word of a text: `0x….eth` is a name, which anyone may own.
fn begins_domain(text: &str, word: &str) -> bool {
    let after = text.split_once(word).and_then(|(_, after)| after.strip_prefix('.'));
    after.is_some_and(|domain| domain.starts_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::BlockId;

    const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    const TX: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";

    #[test]
    fn hashes_parse_in_any_case() {
        for text in [ALICE, &ALICE.to_lowercase(), &ALICE.to_uppercase(), &format!(" {ALICE}\n")] {
            let target: Target = text.parse().unwrap();
            assert_eq!(target.kind, TargetKind::Address(ALICE.parse().unwrap()), "{text}");
        }
        let target: Target = TX.parse().unwrap();
        assert_eq!(target.kind, TargetKind::Transaction(TX.parse().unwrap()));
    }

    #[test]
    fn numbers_and_links_open_blocks() {
        let (number, hash) = (BlockId::Number(333), BlockId::Hash(TX.parse().unwrap()));
        let at = |base: &str| Some(LinkedChain::At(base.parse().unwrap()));
        for (text, id, chain) in [
            (" 333\n", number, None),
            (
                "https://eth.blockscout.com/block/333?tab=txs",
                number,
                at("https://eth.blockscout.com"),
            ),
            ("https://x.example/sub/block/{TX}", hash, at("https://x.example/sub")),
            (
                "http://127.0.0.1:4/api/v2/blocks/333/transactions",
                number,
                at("http://127.0.0.1:4/api/v2"),
            ),
            ("https://etherscan.io/block/333", number, Some(LinkedChain::Id(1))),
            ("https://etherscan.io/block/countdown/333", number, Some(LinkedChain::Id(1))),
            ("https://etherscan.io/txs?block=333&p=2", number, Some(LinkedChain::Id(1))),
            ("https://basescan.org/block/{TX}", hash, Some(LinkedChain::Id(8_453))),
            (
                "https://sepolia.otterscan.io/block/333/txs",
                number,
                Some(LinkedChain::Id(11_155_111)),
            ),
            ("https://43114.routescan.io/block/333", number, Some(LinkedChain::Id(43_114))),
            (
                "https://dashboard.tenderly.co/explorer/block/10/333",
                number,
                Some(LinkedChain::Id(10)),
            ),
        ] {
            let text = text.replace("{TX}", TX);
            let kind = TargetKind::Block(id);
            let target = Target { kind, token_page: None, chain, checksum_mismatch: false };
            assert_eq!(text.parse(), Ok(target), "{text}");
        }
    }

    #[test]
    fn wrong_checksum_is_reported() {
        let mismatch = |text: &str| text.parse::<Target>().unwrap().checksum_mismatch;
        assert!(mismatch("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92267"));
        assert!(mismatch(
            "https://eth.blockscout.com/address/0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92267"
        ));
        for sure in [ALICE, &ALICE.to_lowercase(), &ALICE.to_uppercase(), TX] {
            assert!(!mismatch(sure), "{sure}");
        }
    }

    #[test]
    fn other_texts_are_names() {
        let longest = "a".repeat(MAX_NAME_CHARS);
        for name in ["vitalik.eth", "GLD", "Glass Dollar", "12a", "+12", "名前.eth", &longest] {
            assert_eq!(format!(" {name}\n").parse(), Ok(TargetOrName::Name(name.into())));
        }
        assert!(matches!(ALICE.parse(), Ok(TargetOrName::Target(_))));
        let hostile: TargetOrName = "a\u{1b}[31m".parse().unwrap();
        assert_eq!(hostile, TargetOrName::Name("a␛[31m".into()));
        let names_of_others = [format!("{ALICE}.eth"), format!("{ALICE}.other.eth")];
        for text in names_of_others {
            assert_eq!(text.parse::<TargetOrName>(), Err(ParseTargetError::Unknown), "{text}");
        }
        for text in ["", " ", "0x12", "0Xzz", "https://eth.blockscout.com/", &(longest + "a")] {
            assert_eq!(text.parse::<TargetOrName>(), Err(ParseTargetError::Unknown), "{text}");
        }
        for date in ["2026-1-1", "1/5/2026", "9:61"] {
            assert_eq!(date.parse::<TargetOrName>(), Err(ParseTargetError::Time), "{date}");
        }
    }

    #[test]
    fn a_target_is_found_in_a_text() {
        let (address, tx) = (ALICE.parse().unwrap(), TX.parse().unwrap());
        for (text, kind, chain) in [
            ("{ADDRESS}", &address, None),
            ("\"{ADDRESS}\",", &address, None),
            ("address alice = {ADDRESS};", &address, None),
            ("it is {ADDRESS}.", &address, None),
            ("eth:{ADDRESS}", &address, Some(1)),
            ("matic:{ADDRESS}", &address, Some(137)),
            ("to:{ADDRESS}", &address, None),
            ("{DIGITS}", &address, None),
            ("see <https://etherscan.io/tx/{TX}>.", &tx, Some(1)),
            ("tx: {TX}", &tx, None),
            ("\"transactionHash\": \"{TX}\",", &tx, None),
            ("Transaction hash: {TX} (mined in block 12)", &tx, None),
            ("tx_hash={TX}", &tx, None),
            ("\"hash\": \"{TX}\",", &tx, None),
        ] {
            let text = text
                .replace("{ADDRESS}", ALICE)
                .replace("{TX}", TX)
                .replace("{DIGITS}", &ALICE[2..]);
            let target: Target = text.parse().unwrap();
            assert_eq!((&target.kind, target.chain), (kind, chain.map(LinkedChain::Id)), "{text}");
            assert!(!target.checksum_mismatch, "{text}");
        }
        let mistyped = &ALICE.replace("92266", "92267")[2..];
        assert!(mistyped.parse::<Target>().unwrap().checksum_mismatch);
    }

    #[test]
    fn targets_in_a_text_are_listed() {
        let listed = |text: &str| match text.parse::<TargetOrName>() {
            Err(ParseTargetError::Unclear(found)) => found.into_iter().map(|target| target.kind),
            other => panic!("{text}: {other:?}"),
        };
        let (address, tx): (TargetKind, TargetKind) = (ALICE.parse().unwrap(), TX.parse().unwrap());
        let both = [tx.clone(), address];
        assert!(listed(&format!("{TX} from {ALICE} to {ALICE}")).eq(both));
        for text in [
            "KEY={TX}",
            "{TX}\n{TX}",
            "key for tx x: {TX}",
            "{TX} is a transaction",
            "SECRET_HASH={TX}",
            "Block hash: {TX}",
            "tx {ADDRESS}.eth KEY={TX}",
        ] {
            let text = text.replace("{TX}", TX).replace("{ADDRESS}", ALICE);
            assert!(listed(&text).eq([tx.clone()]), "{text}");
        }
        let many: Vec<String> = (0..MAX_TARGETS + 9).map(|n| format!("0x{n:040x}")).collect();
        assert_eq!(listed(&many.join("\n")).count(), MAX_TARGETS);
        // A hash always has its prefix: keys are often without one.
        assert_eq!(TX[2..].parse(), Ok(TargetOrName::Name(TX[2..].into())));
    }

    #[test]
    fn invalid_targets_are_refused() {
        for text in [
            "",
            "0x",
            "alice",
            "0x12",
            "0xzz",
            "https://eth.blockscout.com/",
            "https://x/address/0x12",
            "ftp://x/address/0x12",
            "file:///etc/passwd",
            &format!("{ALICE}00"),
        ] {
            assert_eq!(text.parse::<Target>(), Err(ParseTargetError::Unknown), "{text}");
        }
    }
}

//! The signatures that come with the program, found by selector when they are first asked for.

use std::sync::OnceLock;

use super::signature::{Selector, Signature};

/// Written from the published standards: see `assets/selectors.md`.
pub(super) static CURATED: Table = Table::new(include_str!("../../assets/selectors.txt"));
/// Of the contracts of the demo chain.
pub(super) static DEMO: Table = Table::new(include_str!("../../assets/demo/abi.txt"));

/// Lines of signatures, with headings that begin with `#`.
pub(super) struct Table {
    text: &'static str,
    /// Built at the first look-up: the program starts without it.
    index: OnceLock<Vec<Place>>,
}

/// Where a signature is in the text.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    selector: Selector,
    line: &'static str,
    group: &'static str,
}

impl Table {
    const fn new(text: &'static str) -> Self {
        Self { text, index: OnceLock::new() }
    }

    /// The signatures with this selector, and the headings that they stand under.
    pub(super) fn find(&self, selector: Selector) -> Vec<(Signature, &'static str)> {
        let index = self.index.get_or_init(|| places(self.text));
        let start = index.partition_point(|place| place.selector < selector);
        let same = index[start..].iter().take_while(|place| place.selector == selector);
        same.filter_map(|place| Some((Signature::parse(place.line).ok()?, place.group))).collect()
    }
}

fn places(text: &'static str) -> Vec<Place> {
    let mut group = "";
    let mut places = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("# ") {
            group = heading;
        } else if let Ok(signature) = Signature::parse(line) {
            places.push(Place { selector: signature.selector(), line, group });
        }
    }
    places.sort_unstable();
    places
}

/// Whether every line can be read, says what it is of, and says something new.
#[cfg(test)]
fn check(table: &Table) -> usize {
    use super::signature::Item;

    let mut seen = std::collections::HashSet::new();
    for line in table.text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let signature = Signature::parse(line).unwrap_or_else(|why| panic!("{line}: {why}"));
        assert!(signature.item != Item::Any, "{line}");
        let canonical = signature.canonical();
        assert!(seen.insert((signature.item == Item::Error, canonical)), "twice: {line}");
    }
    seen.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_signature_and_none_is_there_twice() {
        assert!(check(&CURATED) > 700, "{}", check(&CURATED));
        assert!(check(&DEMO) > 80, "{}", check(&DEMO));
        assert_eq!(places(CURATED.text).len(), check(&CURATED));
    }

    #[test]
    fn the_count_in_the_description_is_true() {
        let description = include_str!("../../assets/selectors.md");
        let words = format!("{} signatures", check(&CURATED));
        assert!(description.contains(&words), "it should say: {words}");
    }

    #[test]
    fn well_known_selectors_come_out_right() {
        for (selector, name) in [
            ("a9059cbb", "transfer(address,uint256)"),
            ("70a08231", "balanceOf(address)"),
            ("095ea7b3", "approve(address,uint256)"),
            ("23b872dd", "transferFrom(address,address,uint256)"),
            ("128acb08", "swap(address,bool,int256,uint160,bytes)"),
            ("022c0d9f", "swap(uint256,uint256,address,bytes)"),
            ("82ad56cb", "aggregate3((address,bool,bytes)[])"),
            ("ac9650d8", "multicall(bytes[])"),
            ("3593564c", "execute(bytes,bytes[],uint256)"),
            ("08c379a0", "Error(string)"),
            ("4e487b71", "Panic(uint256)"),
            ("d505accf", "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)"),
            (
                "6a761202",
                "execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)",
            ),
            ("38ed1739", "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)"),
            (
                "414bf389",
                "exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))",
            ),
            ("1f931c1c", "diamondCut((address,uint8,bytes4[])[],address,bytes)"),
            ("feaf968c", "latestRoundData()"),
            (
                "fb0f3ee1",
                "fulfillBasicOrder((address,uint256,uint256,address,address,address,uint256,uint256,uint8,uint256,uint256,bytes32,uint256,bytes32,bytes32,uint256,(uint256,address)[],bytes))",
            ),
            (
                "1fad948c",
                "handleOps((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[],address)",
            ),
            (
                "765e827f",
                "handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)",
            ),
            (
                "12aa3caf",
                "swap(address,(address,address,address,address,uint256,uint256,uint256),bytes,bytes)",
            ),
            (
                "52bbbe29",
                "swap((bytes32,uint8,address,address,uint256,bytes),(address,bool,address,bool),uint256,uint256)",
            ),
            ("617ba037", "supply(address,uint256,address,uint16)"),
            (
                "f3cd914c",
                "swap((address,address,uint24,int24,address),(bool,int256,uint160),bytes)",
            ),
            ("e450d38c", "ERC20InsufficientBalance(address,uint256,uint256)"),
        ] {
            let bytes: [u8; 4] = alloy_primitives::hex::decode_to_array(selector).unwrap();
            let found = CURATED.find(bytes);
            let names: Vec<String> = found.iter().map(|(found, _)| found.canonical()).collect();
            assert!(names.iter().any(|found| found == name), "{selector}: {names:?}");
        }
        assert!(CURATED.find([0xff; 4]).is_empty());
    }
}

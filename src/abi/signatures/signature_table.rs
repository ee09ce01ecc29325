//! Built-in signatures, indexed by selector at the first look-up.

use std::sync::{Arc, OnceLock};

use super::signature::{Candidate, Signature};
use crate::abi::selector::Selector;
use crate::messages::abi::SignatureSource;

/// Signatures of published standards and well-known contracts: see `assets/selectors.md`.
pub(super) static BUILTIN_SIGNATURES: SignatureTable =
    SignatureTable::new(include_str!("../../../assets/selectors.txt"));

/// A text with one signature per line, and headings that begin with `#`.
pub(super) struct SignatureTable {
    text: &'static str,
    /// Built at the first look-up, to keep it out of the startup time.
    index: OnceLock<Vec<BuiltinSignature>>,
}

#[derive(Debug)]
struct BuiltinSignature {
    selector: Selector,
    signature: Arc<Signature>,
    heading: &'static str,
}

impl SignatureTable {
    const fn new(text: &'static str) -> Self {
        Self { text, index: OnceLock::new() }
    }

    fn index(&self) -> &[BuiltinSignature] {
        self.index.get_or_init(|| index_lines(self.text))
    }

    /// Returns all signatures.
    pub(super) fn signatures(&self) -> impl Iterator<Item = (Selector, Arc<Signature>)> {
        self.index().iter().map(|indexed| (indexed.selector, indexed.signature.clone()))
    }

    pub(super) fn find(&self, selector: Selector) -> Vec<Candidate> {
        let index = self.index();
        let start = index.partition_point(|indexed| indexed.selector < selector);
        let same = index[start..].iter().take_while(|indexed| indexed.selector == selector);
        same.map(|indexed| Candidate {
            signature: indexed.signature.clone(),
            source: SignatureSource::BuiltIn(indexed.heading),
        })
        .collect()
    }
}

fn index_lines(text: &'static str) -> Vec<BuiltinSignature> {
    let mut heading = "";
    let mut index = Vec::new();
    for line in text.lines() {
        if let Some(text) = line.strip_prefix("# ") {
            heading = text;
        } else if let Ok(signature) = Signature::parse(line) {
            let selector = signature.selector();
            index.push(BuiltinSignature { selector, signature: Arc::new(signature), heading });
        }
    }
    index.sort_by_key(|indexed| indexed.selector);
    index
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::signature::SignatureKind;
    use super::*;

    /// Checks that every line is a function or an error and unique, and counts the lines.
    fn check(table: &SignatureTable) -> usize {
        let mut seen = HashSet::new();
        for line in table.text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let signature = Signature::parse(line).unwrap_or_else(|why| panic!("{line}: {why}"));
            assert!(signature.kind != SignatureKind::Any, "{line}");
            let canonical = signature.canonical();
            assert!(
                seen.insert((signature.kind == SignatureKind::Error, canonical)),
                "twice: {line}"
            );
        }
        seen.len()
    }

    fn find(selector: Selector) -> Vec<Arc<Signature>> {
        let found = BUILTIN_SIGNATURES.find(selector);
        found.into_iter().map(|candidate| candidate.signature).collect()
    }

    #[test]
    fn every_line_is_a_unique_signature() {
        assert!(check(&BUILTIN_SIGNATURES) > 700, "{}", check(&BUILTIN_SIGNATURES));
        assert_eq!(index_lines(BUILTIN_SIGNATURES.text).len(), check(&BUILTIN_SIGNATURES));
    }

    #[test]
    fn description_has_the_right_count() {
        let description = include_str!("../../../assets/selectors.md");
        let words = format!("{} signatures", check(&BUILTIN_SIGNATURES));
        assert!(description.contains(&words), "it should say: {words}");
    }

    #[test]
    fn well_known_selectors_are_found() {
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
            let found = find(bytes);
            let names: Vec<String> = found.iter().map(|found| found.canonical()).collect();
            assert!(names.iter().any(|found| found == name), "{selector}: {names:?}");
        }
        assert!(find([0xff; 4]).is_empty());
    }

    /// Selectors in use on chains. A mistake in one type of a signature would change its selector.
    const SELECTORS_IN_USE: &[(&str, &str)] = &[
        ("e21fd0e9", "swap"),
        ("5f575529", "swap"),
        ("13d79a0b", "settle"),
        ("415565b0", "transformERC20"),
        ("1fff991f", "execute"),
        ("2213bc0b", "exec"),
        ("83800a8e", "unoswap"),
        ("0502b1c5", "unoswap"),
        ("07ed2379", "swap"),
        ("7c025200", "swap"),
        ("e449022e", "uniswapV3Swap"),
        ("42b0b77c", "flashLoanSimple"),
        ("ab9c4b5d", "flashLoan"),
        ("e8eda9df", "deposit"),
        ("a415bcad", "borrow"),
        ("573ade81", "repay"),
        ("69328dec", "withdraw"),
        ("00a718a9", "liquidationCall"),
        ("f2b9fdb8", "supply"),
        ("f3fef3a3", "withdraw"),
        ("3df02124", "exchange"),
        ("945bcec9", "batchSwap"),
        ("b95cac28", "joinPool"),
        ("8bdb3913", "exitPool"),
        ("5c38449e", "flashLoan"),
        ("a1903eab", "submit"),
        ("ea598cb0", "wrap"),
        ("d6681042", "requestWithdrawals"),
        ("22895118", "deposit"),
        ("e7acab24", "fulfillAdvancedOrder"),
        ("87201b41", "fulfillAvailableAdvancedOrders"),
        ("f2d12b12", "matchAdvancedOrders"),
        ("b3a34c4c", "fulfillOrder"),
        ("fd9f1e10", "cancel"),
        ("00000000", "fulfillBasicOrder_efficient_6GL6yc"),
        ("48c89491", "unlock"),
        ("dd46508f", "modifyLiquidities"),
        ("e9e05c42", "depositTransaction"),
        ("4870496f", "proveWithdrawalTransaction"),
        ("8c3152e9", "finalizeWithdrawalTransaction"),
        ("440a5e20", "setL1BlockValuesEcotone"),
        ("d764ad0b", "relayMessage"),
        ("679b6ded", "createRetryableTicket"),
        ("d2ce7d65", "outboundTransfer"),
        ("c7c7f5b3", "send"),
        ("13137d65", "lzReceive"),
        ("6fd3504e", "depositForBurn"),
        ("57ecfd28", "receiveMessage"),
        ("7b939232", "depositV3"),
        ("9fbf10fc", "swap"),
        ("74694a2b", "register"),
        ("10f13a8c", "setText"),
        ("f14fcbc8", "commit"),
        ("acf1a841", "renew"),
        ("1688f0b9", "createProxyWithNonce"),
        ("b63e800d", "setup"),
        ("2b67b570", "permit"),
        ("30f28b7a", "permitTransferFrom"),
        ("36c78516", "transferFrom"),
        ("e3ee160e", "transferWithAuthorization"),
        ("7d5e81e2", "propose"),
        ("56781388", "castVote"),
        ("01d5062a", "schedule"),
        ("134008d3", "execute"),
        ("a99aad89", "supply"),
        ("76088703", "frob"),
        ("96f4e9f9", "ccipSend"),
        ("ef9e5e28", "updatePriceFeeds"),
        ("b858183f", "exactInput"),
        ("04e45aaf", "exactInputSingle"),
        ("88316456", "mint"),
        ("fc6f7865", "collect"),
        ("c6a5026a", "quoteExactInputSingle"),
        ("26307668", "deployCreate2"),
        ("9c36a286", "deployCreate3"),
        ("47153f82", "execute"),
        ("118cdaa7", "OwnableUnauthorizedAccount"),
        ("e2517d3f", "AccessControlUnauthorizedAccount"),
        ("220266b6", "FailedOp"),
        ("65c8fd4d", "FailedOpWithRevert"),
        ("90bfb865", "WrappedError"),
        ("5212cba1", "CurrencyNotSettled"),
        ("815e1d64", "InvalidSigner"),
        ("756688fe", "InvalidNonce"),
        ("cd21db4f", "SignatureExpired"),
        ("2c4029e9", "ExecutionFailed"),
        ("7939f424", "TransferFromFailed"),
        ("556f1830", "OffchainLookup"),
        ("f4d678b8", "InsufficientBalance"),
        ("82b42900", "Unauthorized"),
        ("fb8f41b2", "ERC20InsufficientAllowance"),
        ("4e1273f4", "balanceOfBatch"),
        ("f242432a", "safeTransferFrom"),
        ("2eb2c2d6", "safeBatchTransferFrom"),
        ("3644e515", "DOMAIN_SEPARATOR"),
        ("0902f1ac", "getReserves"),
        ("3850c7bd", "slot0"),
        ("fa461e33", "uniswapV3SwapCallback"),
        ("4f1ef286", "upgradeToAndCall"),
        ("0c49ccbe", "decreaseLiquidity"),
        ("219f5d17", "increaseLiquidity"),
        ("b61d27f6", "execute"),
        ("e9ae5c53", "execute"),
        ("174dea71", "aggregate3Value"),
        ("252dba42", "aggregate"),
        ("bce38bd7", "tryAggregate"),
        ("c9c65396", "createPair"),
        ("5ae401dc", "multicall"),
        ("24856bc3", "execute"),
    ];

    #[test]
    fn functions_of_large_protocols_have_the_selectors_in_use() {
        let mut missing = Vec::new();
        for (selector, name) in SELECTORS_IN_USE {
            let bytes: [u8; 4] = alloy_primitives::hex::decode_to_array(selector).unwrap();
            if !find(bytes).iter().any(|found| *found.name.shown == **name) {
                missing.push((selector, name));
            }
        }
        assert!(missing.is_empty(), "{missing:?}");
    }
}

//! Typed or pasted text as a target, data, a chain and a URL.
#![no_main]

mod sanitized;

use std::sync::LazyLock;

use chainglass::test_api::abi::SignatureDb;
use chainglass::test_api::chain::Chains;
use chainglass::test_api::chain::Endpoint;
use chainglass::test_api::chain::{BlockId, LinkedChain, Target, TargetKind};
use chainglass::test_api::chain::{DataInput, GoToInput, TargetOrName};
use chainglass::test_api::safety::UntrustedUrl;
use sanitized::assert_sanitized;

static SIGNATURES: LazyLock<SignatureDb> = LazyLock::new(SignatureDb::builtin);

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Ok(GoToInput::Data(input)) = text.parse() {
        let again: DataInput = input.to_string().parse().unwrap();
        assert_eq!(again, input);
        if let Ok(meanings) = SIGNATURES.meanings(&input, None, &|_| Vec::new()) {
            assert!(!meanings.is_empty(), "{input}");
        }
    }
    if let Ok(target) = text.parse() {
        parse_again(&target);
    }
    if let Ok(TargetOrName::Name(name)) = text.parse() {
        assert_sanitized(&name);
    }
    if let Ok(network) = Chains::default().resolve(&text)
        && let Endpoint::Remote(base) = &network.endpoint
    {
        assert!(network.has_explorer_at(base), "{base}");
    }
    let url = UntrustedUrl::parse(&text);
    assert_sanitized(&url.display_text());
    if let Err(why) = url.openable() {
        assert_sanitized(&why.to_string());
    }
});

/// A target equals the target parsed from its text, and from its web page's URL.
fn parse_again(target: &Target) {
    // A hash alone is taken for a transaction's.
    if matches!(target.kind, TargetKind::Block(BlockId::Hash(_))) {
        return;
    }
    let again: Target = target.kind.to_string().parse().unwrap();
    let kind = target.kind.clone();
    let (token_page, chain) = (None, None);
    assert_eq!(again, Target { kind, token_page, chain, checksum_mismatch: false });
    let Some(LinkedChain::At(explorer)) = &target.chain else { return };
    assert!(matches!(explorer.scheme(), "http" | "https"));
    assert!(explorer.query().is_none() && explorer.fragment().is_none());
    if let Some(page) = Chains::default().network_at(explorer).web_page(&target.kind) {
        let again: Target = page.as_str().parse().unwrap();
        assert_eq!(again.kind, target.kind, "{page}");
    }
}

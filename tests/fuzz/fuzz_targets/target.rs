//! Typed or pasted text as a target, a chain and a media URL.
#![no_main]

mod sanitized;

use chainglass::chain::chains::Chains;
use chainglass::safety::url_policy::Media;
use chainglass::chain::network::Endpoint;
use chainglass::chain::target::{Goal, Subject, Target};
use sanitized::assert_sanitized;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Ok(target) = text.parse() {
        parse_again(&target);
    }
    if let Ok(Goal::Name(name)) = text.parse() {
        assert_sanitized(&name);
    }
    if let Ok(network) = Chains::default().find(&text)
        && let Endpoint::Remote(base) = &network.endpoint
    {
        assert!(network.is_at(base), "{base}");
    }
    let media = Media::read(&text);
    assert_sanitized(&media.shown());
    if let Err(why) = media.openable() {
        assert_sanitized(&why);
    }
});

/// A target equals the target parsed from its text, and from its web page's URL.
fn parse_again(target: &Target) {
    let printed = match &target.subject {
        Subject::Address(address) => address.to_string(),
        Subject::Transaction(hash) => hash.to_string(),
    };
    let again: Target = printed.parse().unwrap();
    let subject = target.subject.clone();
    assert_eq!(again, Target { subject, explorer: None, doubtful: false });
    let Some(explorer) = &target.explorer else { return };
    assert!(matches!(explorer.scheme(), "http" | "https"));
    assert!(explorer.query().is_none() && explorer.fragment().is_none());
    if let Some(page) = Chains::default().at(explorer).web_page(&target.subject) {
        let again: Target = page.as_str().parse().unwrap();
        assert_eq!(again.subject, target.subject, "{page}");
    }
}

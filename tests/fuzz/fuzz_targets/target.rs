//! What somebody types or pastes, as a target, a chain and a medium.
#![no_main]

mod harmless;

use chainglass::chain::chains::Chains;
use chainglass::safety::url_policy::Media;
use chainglass::chain::network::Endpoint;
use chainglass::chain::target::{Goal, Subject, Target};
use harmless::harmless;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Ok(target) = text.parse() {
        parse_again(&target);
    }
    if let Ok(Goal::Name(name)) = text.parse() {
        harmless(&name);
    }
    if let Ok(network) = Chains::default().find(&text)
        && let Endpoint::Remote(base) = &network.endpoint
    {
        assert!(network.is_at(base), "{base}");
    }
    let media = Media::read(&text);
    harmless(&media.shown());
    if let Err(why) = media.openable() {
        harmless(&why);
    }
});

/// A target is found again from what is printed of it, and from its page on the web.
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

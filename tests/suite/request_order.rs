//! The order of requests: what the user waits for comes first, counts and charts come last.

use chainglass::test_api::api::{AddressQuery, Query, TokenQuery};
use chainglass::test_api::app_message::{ChainRequest, Effect, Priority, RequestId};
use chainglass::test_api::chain::{Chains, Network};

use super::session::{ALICE, Session, size};

/// The requests among effects, with their ids.
fn asked(effects: &[Effect]) -> Vec<(RequestId, &Query, Priority)> {
    let asked = |effect| match effect {
        &Effect::Request {
            id, request: ChainRequest::Fetch { ref query, priority, .. }, ..
        } => Some((id, query, priority)),
        _ => None,
    };
    effects.iter().filter_map(asked).collect()
}

fn remote() -> Network {
    Chains::default().network_at(&"http://127.0.0.1:1".parse().unwrap())
}

#[test]
fn counters_of_a_header_come_last() {
    let mut session = Session::refusing(remote(), size(120, 40), false);
    let address = session.app.start(size(120, 40), ALICE.parse().ok());
    let token = session.press("i");
    for effects in [address, token] {
        let asked = asked(&effects);
        assert!(asked.is_sorted_by_key(|(id, ..)| id.0), "{asked:?}");
        let [(.., first), (.., second), (_, counters, last)] = asked[..] else {
            panic!("{asked:?}")
        };
        assert!(
            matches!(
                counters,
                Query::Address(_, AddressQuery::Counters) | Query::Token(_, TokenQuery::Counters)
            ),
            "{asked:?}"
        );
        let priorities = [first, second, last];
        assert_eq!(priorities, [Priority::Interactive, Priority::Interactive, Priority::Idle]);
    }
}

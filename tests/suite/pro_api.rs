//! A server like the PRO API: the chain in its path, an API key and credits.

use chainglass::test_api::api::{ApiKey, Query, TransactionQuery};
use chainglass::test_api::app_message::{ChainIndex, Msg};
use chainglass::test_api::chain::{Chains, Network};
use chainglass::test_api::net::{Provider, ProviderOptions};

use crate::demo_items::SWAP;
use crate::fake_server::{Behavior, fake_server, response_head};
use crate::session::{ALICE, Session, size};

const KEY: &str = "canary-1c0ffee";

/// Opens the page of a transaction of the demo chain, as the explorer at a URL would have it, and returns the number of
/// requests for its trace.
async fn trace_requests(explorer: &str) -> usize {
    let demo = Provider::new(&Network::demo());
    let network = Chains::default().network_at(&explorer.parse().unwrap());
    let mut session = Session::at(demo, network, size(200, 60), SWAP).await;
    session.keys("1").await;
    let traces = session
        .requests
        .iter()
        .filter(|(query, _)| matches!(query, Query::Transaction(_, TransactionQuery::RawTrace)));
    traces.count()
}

#[tokio::test]
async fn free_lines_of_a_page_cost_no_credits() {
    assert_eq!(trace_requests("https://eth.blockscout.com").await, 1);
    assert_eq!(trace_requests("https://api.blockscout.com/1").await, 0);
}

#[tokio::test]
async fn title_shows_credits_and_rate_limit() {
    let headers = [
        ("content-type", "application/json"),
        ("x-ratelimit-limit", "5"),
        ("x-ratelimit-remaining", "4"),
        ("x-ratelimit-reset", "900"),
        ("x-credits-remaining", "99980"),
    ];
    let empty = br#"{"items":[],"next_page_params":null}"#;
    let server = fake_server(move |_, _| {
        Behavior::Respond([&response_head(200, &headers)[..], empty].concat())
    });
    let network = Chains::default().network_at(&server.base().join("1").unwrap());
    let key = Some(ApiKey::new(server.base().authority(), KEY).unwrap());
    let source =
        Provider::with_options(&network, ProviderOptions { key, ..ProviderOptions::default() });
    let mut events = source.subscribe();
    let mut session = Session::at(source, network, size(120, 40), ALICE).await;
    while let Ok(events) = events.try_recv() {
        session.app.update(Msg::Network(ChainIndex::default(), events));
    }
    let screen = session.screen();
    let title = screen.lines().next().unwrap();
    assert!(title.contains("4/5 requests left · 99,980 credits"), "{title}");
    assert!(!screen.contains(KEY), "{screen}");
    let requests = server.requests();
    assert!(!requests.is_empty());
    for request in requests {
        assert!(request.path().starts_with("/1/api/v2/"), "{}", request.path());
        assert_eq!(request.header("x-api-key"), [KEY]);
    }
}

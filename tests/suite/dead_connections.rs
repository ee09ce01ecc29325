//! Connections that died without an error: after a sleep of the machine, a change of the network.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use chainglass::test_api::api::{ApiError, ChainQuery, Client, Query};
use chainglass::test_api::http::{LivenessLimits, TransportConfig, WallClock};
use chainglass::test_api::rpc::RpcClient;
use serde_json::json;

use crate::fake_server::{Behavior, FakeServer, Request, fake_host, fake_server};

const PAGE: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 36\r\n\r\n\
    {\"items\":[],\"next_page_params\":null}";

/// A limit that is reached at once, and one that is never reached.
const SHORT: Duration = Duration::from_millis(100);
const NEVER: Duration = Duration::from_secs(30);

/// A wall clock that can be put forward.
#[derive(Clone, Default)]
struct TestClock(Arc<AtomicU64>);

impl TestClock {
    fn sleep_an_hour(&self) {
        self.0.fetch_add(3600, Ordering::Relaxed);
    }

    fn wall_clock(&self) -> WallClock {
        let slept = Arc::clone(&self.0);
        WallClock::new(move || {
            SystemTime::now() + Duration::from_secs(slept.load(Ordering::Relaxed))
        })
    }
}

/// Limits with which each connection is suspected at once.
fn suspicious(first_byte_timeout: Duration, clock: &TestClock) -> TransportConfig {
    let liveness = LivenessLimits {
        quiet_time: Duration::ZERO,
        first_byte_timeout,
        resume_timeout: SHORT,
        suspend_check_interval: Duration::from_millis(1),
        wall_clock: clock.wall_clock(),
    };
    TransportConfig { liveness: Some(liveness), ..TransportConfig::default() }
}

fn client(server: &FakeServer, transport: TransportConfig) -> Client {
    Client::with_transport(&server.base(), transport).unwrap()
}

/// A server whose first connection answers one request, then nothing; `later` answers on the others.
fn dying_server(later: Behavior) -> FakeServer {
    fake_server(move |request: &Request, before| match (request.connection, before) {
        (0, 0) => Behavior::KeepAlive(PAGE.to_vec()),
        (0, _) => Behavior::Stall(Vec::new()),
        _ => later.clone(),
    })
}

/// The connection of each request.
fn connections(server: &FakeServer) -> Vec<usize> {
    server.requests().iter().map(|request| request.connection).collect()
}

#[tokio::test]
async fn request_on_a_dead_connection_is_repeated_on_a_new_one() {
    let server = dying_server(Behavior::KeepAlive(PAGE.to_vec()));
    let client = client(&server, suspicious(SHORT, &TestClock::default()));
    for _ in 0..2 {
        client.fetch(&Query::Chain(ChainQuery::Blocks), None).await.body.unwrap();
    }
    assert_eq!(connections(&server), [0, 0, 1]);
    server.until_closed(1).await;
    let mut stream =
        client.open_stream(&Query::Chain(ChainQuery::Blocks), NEVER).await.body.unwrap();
    assert!(stream.chunk().await.unwrap().is_some());
    assert_eq!(connections(&server), [0, 0, 1, 1]);
}

#[tokio::test]
async fn stream_on_a_dead_connection_is_opened_on_a_new_one() {
    let server = dying_server(Behavior::KeepAlive(PAGE.to_vec()));
    let client = client(&server, suspicious(SHORT, &TestClock::default()));
    client.fetch(&Query::Chain(ChainQuery::Blocks), None).await.body.unwrap();
    client.open_stream(&Query::Chain(ChainQuery::Blocks), NEVER).await.body.unwrap();
    assert_eq!(connections(&server), [0, 0, 1]);
}

#[tokio::test]
async fn request_is_repeated_once() {
    let server = dying_server(Behavior::Stall(Vec::new()));
    let transport = TransportConfig {
        response_timeout: Duration::from_secs(2),
        ..suspicious(SHORT, &TestClock::default())
    };
    let client = client(&server, transport);
    client.fetch(&Query::Chain(ChainQuery::Blocks), None).await.body.unwrap();
    let error = client.fetch(&Query::Chain(ChainQuery::Blocks), None).await.body.unwrap_err();
    assert_eq!(error, ApiError::TimedOut { seconds: 2 });
    assert_eq!(connections(&server), [0, 0, 1]);
}

#[tokio::test]
async fn reset_of_an_old_connection_is_no_error() {
    let server = fake_server(|request, before| match (request.connection, before) {
        (0, 1) => Behavior::Reset(Vec::new()),
        _ => Behavior::KeepAlive(PAGE.to_vec()),
    });
    let client = client(&server, suspicious(NEVER, &TestClock::default()));
    for _ in 0..2 {
        client.fetch(&Query::Chain(ChainQuery::Blocks), None).await.body.unwrap();
    }
    assert_eq!(connections(&server), [0, 0, 1]);
}

#[tokio::test]
async fn new_connection_has_the_whole_time() {
    let slow = Behavior::Delay(SHORT * 2, Box::new(Behavior::Respond(PAGE.to_vec())));
    let server = fake_server(move |_, _| slow.clone());
    let client = client(&server, suspicious(SHORT, &TestClock::default()));
    client.fetch(&Query::Chain(ChainQuery::Blocks), None).await.body.unwrap();
    assert_eq!(connections(&server), [0]);
}

#[tokio::test]
async fn connection_that_was_used_just_now_has_the_whole_time() {
    let server = fake_server(|_, before| match before {
        0 => Behavior::KeepAlive(PAGE.to_vec()),
        _ => Behavior::Delay(SHORT * 2, Box::new(Behavior::Respond(PAGE.to_vec()))),
    });
    let mut transport = suspicious(SHORT, &TestClock::default());
    transport.liveness.as_mut().unwrap().quiet_time = NEVER;
    let client = client(&server, transport);
    for _ in 0..2 {
        client.fetch(&Query::Chain(ChainQuery::Blocks), None).await.body.unwrap();
    }
    assert_eq!(connections(&server), [0, 0]);
}

#[tokio::test]
async fn connection_is_not_used_again_after_a_suspend() {
    let (server, clock) = (dying_server(Behavior::KeepAlive(PAGE.to_vec())), TestClock::default());
    let client = client(&server, suspicious(NEVER, &clock));
    client.fetch(&Query::Chain(ChainQuery::Blocks), None).await.body.unwrap();
    clock.sleep_an_hour();
    client.fetch(&Query::Chain(ChainQuery::Blocks), None).await.body.unwrap();
    assert_eq!(connections(&server), [0, 1]);
}

#[tokio::test]
async fn requests_that_waited_during_a_suspend_are_sent_again() {
    let half = &PAGE[..PAGE.len() - 9];
    for dead in [&b""[..], half] {
        let dead = Behavior::Stall(dead.to_vec());
        let server = fake_server(move |request, _| match request.connection {
            0 | 1 => dead.clone(),
            _ => Behavior::KeepAlive(PAGE.to_vec()),
        });
        let clock = TestClock::default();
        let client = client(&server, suspicious(NEVER, &clock));
        let suspend = async {
            server.until_stalled(2).await;
            clock.sleep_an_hour();
        };
        let (first, second, ()) = tokio::join!(
            client.fetch(&Query::Chain(ChainQuery::Blocks), None),
            client.fetch(&Query::Stats, None),
            suspend
        );
        assert_eq!((first.body.is_ok(), second.body.is_ok()), (true, true));
        assert_eq!(server.requests().len(), 4);
        server.until_closed(2).await;
    }
}

#[tokio::test]
async fn request_to_a_node_is_sent_again_after_a_suspend_only() {
    let chain_id = b"HTTP/1.1 200 OK\r\ncontent-length: 39\r\n\r\n\
        {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"0x1\"}";
    let node = fake_host(move |request, before| match (request.connection, before) {
        (0, 1) => Behavior::Delay(SHORT * 2, Box::new(Behavior::Stall(chain_id[..50].to_vec()))),
        _ => Behavior::KeepAlive(chain_id.to_vec()),
    });
    let clock = TestClock::default();
    let url = node.base().try_into().unwrap();
    let client = RpcClient::with_transport(url, suspicious(SHORT, &clock)).unwrap();
    assert_eq!(client.quantity("eth_chainId", json!([])).await, Ok(1));
    let suspend = async {
        node.until_stalled(1).await;
        assert_eq!(connections(&node), [0, 0], "slow, but not dead");
        clock.sleep_an_hour();
    };
    let (chain_id, ()) = tokio::join!(client.quantity("eth_chainId", json!([])), suspend);
    assert_eq!((chain_id, connections(&node)), (Ok(1), vec![0, 0, 1]));
}

#[tokio::test]
async fn stream_that_waited_during_a_suspend_is_opened_again() {
    let server = fake_server(|request, _| match request.connection {
        0 => Behavior::Stall(Vec::new()),
        _ => Behavior::KeepAlive(PAGE.to_vec()),
    });
    let clock = TestClock::default();
    let client = client(&server, suspicious(NEVER, &clock));
    let suspend = async {
        server.until_stalled(1).await;
        clock.sleep_an_hour();
    };
    let (stream, ()) =
        tokio::join!(client.open_stream(&Query::Chain(ChainQuery::Blocks), NEVER), suspend);
    stream.body.unwrap();
    assert_eq!(connections(&server), [0, 1]);
}

#[tokio::test]
async fn stream_ends_soon_after_a_suspend() {
    let server = fake_server(|_, _| Behavior::Stall(PAGE[..PAGE.len() - 9].to_vec()));
    let clock = TestClock::default();
    let client = client(&server, suspicious(NEVER, &clock));
    let mut stream =
        client.open_stream(&Query::Chain(ChainQuery::Blocks), NEVER).await.body.unwrap();
    stream.chunk().await.unwrap();
    clock.sleep_an_hour();
    let error = tokio::time::timeout(NEVER / 3, stream.chunk()).await.unwrap().unwrap_err();
    assert_eq!(error, ApiError::Interrupted { why: "the computer slept".into() });
}

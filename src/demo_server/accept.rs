//! Letting peers in, and showing them out: everything a peer could use up is bounded here.
//!
//! One request per connection. Setting up another costs nothing on the loopback, and without
//! idle connections a place taken is a place in use.

use std::{collections::VecDeque, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::{AbortHandle, JoinSet},
    time::{Instant, sleep, timeout, timeout_at},
};

/// Peers inside at the same time; more wait at the door.
const MAX_CONNECTIONS: usize = 64;
/// How long a peer may stay when somebody waits at the door.
const MIN_TIME_SLICE: Duration = Duration::from_secs(1);
/// How long a peer may stay at all: slow to ask, slow to take the answer, or both.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a peer may take to say what it wants.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of request line and headers.
const MAX_HEADER_BYTES: usize = 16 * 1024;
/// Pause after a failed accept, which mostly means that the process is out of file descriptors.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Serves peers until it is dropped, and then hangs up on all of them.
pub(crate) async fn accept_connections(listener: TcpListener, router: Router) {
    let mut visits = JoinSet::new();
    let mut arrivals = VecDeque::new();
    loop {
        evict_oldest(&mut visits, &mut arrivals).await;
        match listener.accept().await {
            Ok((peer, _)) => {
                let visit = visits.spawn(serve_connection(peer, router.clone()));
                arrivals.push_back((Instant::now(), visit));
            }
            Err(_) => sleep(ACCEPT_RETRY_DELAY).await,
        }
    }
}

/// Waits until there is a free place. Peers that are done leave; if none is, the one who came
/// first is shown out once it has had its time.
async fn evict_oldest(visits: &mut JoinSet<()>, arrivals: &mut VecDeque<(Instant, AbortHandle)>) {
    while visits.try_join_next().is_some() {}
    arrivals.retain(|(_, visit)| !visit.is_finished());
    while visits.len() >= MAX_CONNECTIONS {
        let since = arrivals.front().map_or_else(Instant::now, |(since, _)| *since);
        if timeout_at(since + MIN_TIME_SLICE, visits.join_next()).await.is_err() {
            if let Some((_, longest)) = arrivals.pop_front() {
                longest.abort();
            }
            visits.join_next().await;
        }
        arrivals.retain(|(_, visit)| !visit.is_finished());
    }
}

/// Answers one request. How the conversation ended concerns nobody but the peer.
async fn serve_connection(peer: TcpStream, router: Router) {
    let conversation = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_HEADER_BYTES)
        .keep_alive(false)
        .serve_connection(TokioIo::new(peer), TowerToHyperService::new(router));
    let _ = timeout(CONNECTION_TIMEOUT, conversation).await;
}

//! Serves connections, with limits on what clients can hold: connections, time and bytes.
//!
//! A connection carries one request: reconnecting is cheap on the loopback, and without idle connections
//! every open one is in use.

use std::collections::VecDeque;
use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, timeout, timeout_at};

/// Connections served at the same time; further ones wait.
const MAX_CONNECTIONS: usize = 64;
/// Time that a connection has even while another one waits.
const MIN_TIME_SLICE: Duration = Duration::from_secs(1);
/// Time until a request has arrived.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Time that a connection has in all, however slowly its client sends and reads.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes of a request line and headers.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// Serves connections until it is dropped, which closes them. When [`MAX_CONNECTIONS`] are open, the
/// oldest is closed for the next.
pub(crate) async fn serve(mut listener: TcpListener, router: Router) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(REQUEST_TIMEOUT)
        .max_buf_size(MAX_HEAD_BYTES)
        .keep_alive(false);
    let service = TowerToHyperService::new(router);
    let mut open = OpenConnections::default();
    loop {
        let (stream, _) = Listener::accept(&mut listener).await;
        open.wait_for_place().await;
        let connection = http.serve_connection(TokioIo::new(stream), service.clone());
        open.spawn(async move {
            // The client learns of a failure by the end of the connection.
            let _ = timeout(CONNECTION_TIMEOUT, connection).await;
        });
    }
}

#[derive(Default)]
struct OpenConnections {
    tasks: JoinSet<()>,
    oldest_first: VecDeque<(Instant, AbortHandle)>,
}

impl OpenConnections {
    fn spawn(&mut self, connection: impl Future<Output = ()> + Send + 'static) {
        let task = self.tasks.spawn(connection);
        self.oldest_first.push_back((Instant::now(), task));
    }

    /// Waits until a connection ends, or until the oldest has had its time slice and is closed.
    async fn wait_for_place(&mut self) {
        while self.tasks.try_join_next().is_some() {}
        self.oldest_first.retain(|(_, task)| !task.is_finished());
        if self.tasks.len() < MAX_CONNECTIONS {
            return;
        }
        let since = self.oldest_first.front().map_or_else(Instant::now, |(since, _)| *since);
        if timeout_at(since + MIN_TIME_SLICE, self.tasks.join_next()).await.is_err() {
            if let Some((_, oldest)) = self.oldest_first.pop_front() {
                oldest.abort();
            }
            self.tasks.join_next().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tokio::spawn;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn request_has_less_time_than_the_connection() {
        const BODY_BYTES: usize = 64 << 20;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().fallback(async || vec![0_u8; BODY_BYTES]);
        spawn(serve(listener, router));
        let connect = async |request: &str| {
            let mut client = TcpStream::connect(address).await.unwrap();
            client.write_all(request.as_bytes()).await.unwrap();
            client
        };
        let start = Instant::now();
        let mut unfinished = connect("GET / HTTP/1.1\r\n").await;
        unfinished.read_to_end(&mut Vec::new()).await.ok();
        assert_eq!(start.elapsed().as_secs(), 10);
        let mut unread = connect("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        unread.read_exact(&mut [0; 12]).await.unwrap();
        tokio::time::sleep(CONNECTION_TIMEOUT + Duration::from_secs(1)).await;
        let mut rest = Vec::new();
        unread.read_to_end(&mut rest).await.ok();
        assert!(rest.len() < BODY_BYTES, "{}", rest.len());
    }
}

//! A listener for `axum::serve` that bounds what clients can hold: connections, time and bytes.
//!
//! `axum::serve` has no such limits, so they are in the [`Listener`] and in the stream it returns.
//! A connection carries one request: reconnecting is cheap on the loopback, and without idle
//! connections every open one is in use.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, Sleep, Timeout, sleep, timeout, timeout_at};

/// Connections served at the same time; further ones wait.
const MAX_CONNECTIONS: usize = 64;
/// Time that a connection has even while another one waits.
const MIN_TIME_SLICE: Duration = Duration::from_secs(1);
/// Time until the response begins, which is soon after the last byte of the request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Time that a connection has in all, however slowly its client sends and reads.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes of a request line and headers. No route takes a body.
const MAX_REQUEST_BYTES: usize = 16 * 1024;

/// Accepts connections; when [`MAX_CONNECTIONS`] are open, closes the oldest for the next.
pub(crate) struct BoundedListener {
    listener: TcpListener,
    permits: Arc<Semaphore>,
    /// Oldest first. Dropping an entry closes its connection.
    open: VecDeque<OpenConnection>,
}

struct OpenConnection {
    since: Instant,
    /// Never sends. The stream fails once this is dropped, and `is_closed` is true once the stream is.
    close: oneshot::Sender<Infallible>,
}

impl BoundedListener {
    pub(crate) fn new(listener: TcpListener) -> Self {
        let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        Self { listener, permits, open: VecDeque::new() }
    }

    /// Waits until a connection ends, or until the oldest has had its time slice and is closed.
    async fn permit(&mut self) -> Result<OwnedSemaphorePermit, AcquireError> {
        self.open.retain(|connection| !connection.close.is_closed());
        let mut permit = pin!(Arc::clone(&self.permits).acquire_owned());
        let since = self.open.front().map_or_else(Instant::now, |oldest| oldest.since);
        if let Ok(permit) = timeout_at(since + MIN_TIME_SLICE, &mut permit).await {
            return permit;
        }
        self.open.pop_front();
        permit.await
    }
}

impl Listener for BoundedListener {
    type Io = BoundedStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (BoundedStream, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        let permit = self.permit().await;
        let (close, closed) = oneshot::channel();
        self.open.push_back(OpenConnection { since: Instant::now(), close });
        let end = Box::pin(timeout(CONNECTION_TIMEOUT, closed));
        let stream = BoundedStream {
            stream,
            end,
            has_ended: false,
            request_deadline: Some(Box::pin(sleep(REQUEST_TIMEOUT))),
            unread_bytes: MAX_REQUEST_BYTES,
            _permit: permit,
        };
        (stream, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that fails when its time is over or its client sends too much.
pub(crate) struct BoundedStream {
    stream: TcpStream,
    /// Completes when the connection has to be closed.
    end: Pin<Box<Timeout<oneshot::Receiver<Infallible>>>>,
    has_ended: bool,
    /// `None` once the response has begun.
    request_deadline: Option<Pin<Box<Sleep>>>,
    /// Bytes that the client may still send.
    unread_bytes: usize,
    _permit: Result<OwnedSemaphorePermit, AcquireError>,
}

impl BoundedStream {
    /// Fails after the end, and otherwise wakes the task when it comes.
    fn check_end(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        // A receiver must not be polled again after it has completed.
        self.has_ended = self.has_ended || self.end.as_mut().poll(cx).is_ready();
        let request = self.request_deadline.as_mut();
        self.has_ended |= request.is_some_and(|deadline| deadline.as_mut().poll(cx).is_ready());
        if self.has_ended { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }
}

impl AsyncRead for BoundedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check_end(cx)?;
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let read = buf.filled().len() - before;
        self.unread_bytes =
            self.unread_bytes.checked_sub(read).ok_or(io::ErrorKind::InvalidData)?;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for BoundedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.request_deadline = None;
        self.check_end(cx)?;
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.request_deadline = None;
        self.check_end(cx)?;
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn request_has_less_time_than_the_connection() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let mut listener = BoundedListener::new(listener);
        let address = Listener::local_addr(&listener).unwrap();
        for (responds, seconds) in [(false, 10), (true, 30)] {
            let mut client = TcpStream::connect(address).await.unwrap();
            client.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
            let (mut stream, _) = listener.accept().await;
            let start = Instant::now();
            if responds {
                stream.write_all(b"HTTP/1.1 200 OK\r\n").await.unwrap();
            }
            let error = stream.read_to_end(&mut Vec::new()).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            assert_eq!(start.elapsed().as_secs(), seconds);
        }
    }
}

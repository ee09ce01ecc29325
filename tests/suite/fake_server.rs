//! An HTTP server with scripted behaviour. It runs on real sockets and its own threads, so that
//! tests can block, pause their clock or run the program as a child process.

use std::{
    fmt::Write as _,
    io::Write as _,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, LazyLock},
    time::Duration,
};

use flate2::{Compression, write::GzEncoder};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
    runtime::{self, Runtime},
    sync::watch,
    time::{sleep, timeout},
};
use url::{Url, form_urlencoded};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
});

/// Time for which a test waits for an event before it fails.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// Behavior towards one connection. All but `KeepAlive`, `Stall` and `Endless` close it.
#[derive(Debug, Clone)]
pub(crate) enum Behavior {
    /// Sends these bytes and closes the connection.
    Respond(Vec<u8>),
    /// Sends these bytes and waits for another request on the connection.
    KeepAlive(Vec<u8>),
    /// Sends these bytes and resets the connection.
    Reset(Vec<u8>),
    /// Sends these bytes, then nothing until the client closes the connection.
    Stall(Vec<u8>),
    /// Sends the first bytes, then repeats the second until the client closes the connection.
    Endless(Vec<u8>, Vec<u8>),
    /// Sends the first bytes, repeats the second this many times, and closes the connection.
    Flood(Vec<u8>, Vec<u8>, usize),
    /// Sends each byte in its own packet.
    Trickle(Vec<u8>),
    /// Waits before this behavior.
    Delay(Duration, Box<Behavior>),
}

/// A port at which nothing listens. It stays bound, so that no server of another test gets it.
#[derive(Debug)]
pub(crate) struct ClosedPort(TcpSocket);

impl ClosedPort {
    pub(crate) fn bind() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        Self(socket)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.0.local_addr().unwrap()
    }

    pub(crate) fn number(&self) -> u16 {
        self.address().port()
    }
}

/// A received request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    /// The request target: a path with its query, or a full URL if the server is used as a proxy.
    pub(crate) target: String,
    /// The number of earlier connections.
    pub(crate) connection: usize,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The decoded query parameters, in order.
    pub(crate) fn query(&self) -> Vec<(String, String)> {
        let query = self.target.split_once('?').map_or("", |(_, query)| query);
        form_urlencoded::parse(query.as_bytes()).into_owned().collect()
    }

    /// Target and headers as text.
    pub(crate) fn text(&self) -> String {
        format!("{} {:?}", self.target, self.headers)
    }

    /// Returns `true` for the first request to an unknown URL.
    pub(crate) fn is_probe(&self) -> bool {
        self.asks_chain_id() || self.asks_status()
    }

    /// Returns `true` for a request of the chain id alone.
    pub(crate) fn asks_chain_id(&self) -> bool {
        self.body.starts_with(b"{") && String::from_utf8_lossy(&self.body).contains("eth_chainId")
    }

    fn asks_status(&self) -> bool {
        self.path().ends_with("/api/v2/main-page/indexing-status")
    }

    /// All values of a header.
    pub(crate) fn header(&self, name: &str) -> Vec<&str> {
        let named = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str()).collect()
    }
}

#[derive(Debug, Default)]
struct Log {
    requests: Vec<Request>,
    /// Connections on which nothing more is sent.
    stalled: usize,
    /// Stalled or endless connections that the client has closed.
    left: usize,
}

/// The server. Dropping it closes its port and all connections.
#[derive(Debug)]
pub(crate) struct FakeServer {
    address: SocketAddr,
    log: watch::Receiver<Log>,
    running: watch::Sender<()>,
}

/// Starts the server of an explorer, which is known by its status. `script` answers all else.
pub(crate) fn fake_server(
    script: impl Fn(&Request, usize) -> Behavior + Send + Sync + 'static,
) -> FakeServer {
    fake_host(move |request, before| {
        if request.asks_status() { json(200, EXPLORER_STATUS) } else { script(request, before) }
    })
}

/// The status of a Blockscout instance.
pub(crate) const EXPLORER_STATUS: &str = r#"{"finished_indexing":true,"finished_indexing_blocks":true,
    "indexed_blocks_ratio":"1.00","indexed_internal_transactions_ratio":null}"#;

/// Starts any server: a node, a gateway. `script` gets a request and the number of earlier requests
/// for its path.
pub(crate) fn fake_host(
    script: impl Fn(&Request, usize) -> Behavior + Send + Sync + 'static,
) -> FakeServer {
    let (log, seen) = watch::channel(Log::default());
    let (running, mut stopped) = watch::channel(());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let shared = Arc::new((script, log));
    RUNTIME.spawn(async move {
        let listener = TcpListener::from_std(listener).unwrap();
        let mut connections = 0..;
        while let Ok((stream, _)) = tokio::select! {
            stream = listener.accept() => stream,
            _ = stopped.changed() => return,
        } {
            let (shared, mut stopped) = (Arc::clone(&shared), stopped.clone());
            let connection = connections.next().unwrap();
            tokio::spawn(async move {
                let (script, log) = &*shared;
                tokio::select! {
                    // A connection closed by the client is not an error.
                    _ = serve(stream, connection, script, log) => {}
                    _ = stopped.changed() => {}
                }
            });
        }
    });
    FakeServer { address, log: seen, running }
}

/// Starts a server that uses these behaviors in order and repeats the last one.
pub(crate) fn scripted(behaviors: impl Into<Vec<Behavior>>) -> FakeServer {
    let (behaviors, next) = (behaviors.into(), std::sync::atomic::AtomicUsize::new(0));
    fake_server(move |_, _| {
        let next = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        behaviors[next.min(behaviors.len() - 1)].clone()
    })
}

impl FakeServer {
    pub(crate) fn base(&self) -> Url {
        format!("http://{}", self.address).parse().unwrap()
    }

    /// Stops the server, and waits until it neither listens nor has a connection.
    pub(crate) async fn stop(self) {
        self.running.send_replace(());
        timeout(MAX_WAIT, self.running.closed()).await.expect("waited in vain");
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.log.borrow().requests.clone()
    }

    /// The requests so far, without those that ask what is at an unknown URL.
    pub(crate) fn api_requests(&self) -> Vec<Request> {
        self.requests().into_iter().filter(|request| !request.is_probe()).collect()
    }

    /// Waits for this many requests in total.
    pub(crate) async fn until_requested(&self, count: usize) {
        self.until(|log| log.requests.len() >= count).await;
    }

    /// Waits for this many stalled connections in total.
    pub(crate) async fn until_stalled(&self, count: usize) {
        self.until(|log| log.stalled >= count).await;
    }

    /// Waits until the client has closed this many unfinished connections in total.
    pub(crate) async fn until_closed(&self, count: usize) {
        self.until(|log| log.left >= count).await;
    }

    async fn until(&self, reached: impl FnMut(&Log) -> bool) {
        let mut log = self.log.clone();
        timeout(MAX_WAIT, log.wait_for(reached)).await.expect("waited in vain").unwrap();
    }
}

async fn serve(
    mut stream: TcpStream,
    connection: usize,
    script: impl Fn(&Request, usize) -> Behavior,
    log: &watch::Sender<Log>,
) -> std::io::Result<()> {
    loop {
        let request = Request { connection, ..request(&mut stream).await? };
        let mut behavior = Behavior::Respond(Vec::new());
        log.send_modify(|log| {
            let before = log.requests.iter().filter(|seen| seen.path() == request.path()).count();
            behavior = script(&request, before);
            log.requests.push(request);
        });
        match behavior {
            Behavior::KeepAlive(bytes) => stream.write_all(&bytes).await?,
            last => return perform(last, stream, log).await,
        }
    }
}

async fn perform(
    mut behavior: Behavior,
    mut stream: TcpStream,
    log: &watch::Sender<Log>,
) -> std::io::Result<()> {
    while let Behavior::Delay(time, then) = behavior {
        sleep(time).await;
        behavior = *then;
    }
    match behavior {
        // Resolved above.
        Behavior::Delay(..) => Ok(()),
        Behavior::KeepAlive(bytes) => stream.write_all(&bytes).await,
        Behavior::Trickle(bytes) => {
            write_bytewise(&mut stream, &bytes).await?;
            stream.shutdown().await
        }
        Behavior::Flood(bytes, again, times) => {
            stream.write_all(&bytes).await?;
            if write_repeated(&mut stream, &again, times).await.is_err() {
                log.send_modify(|log| log.left += 1);
                return Ok(());
            }
            stream.shutdown().await
        }
        Behavior::Respond(bytes) => {
            stream.write_all(&bytes).await?;
            stream.shutdown().await
        }
        Behavior::Reset(bytes) => {
            stream.write_all(&bytes).await?;
            stream.set_zero_linger()
        }
        Behavior::Stall(bytes) => {
            stream.write_all(&bytes).await?;
            log.send_modify(|log| log.stalled += 1);
            // Returns when the client closes or resets the connection.
            let _ = stream.read(&mut [0]).await;
            log.send_modify(|log| log.left += 1);
            Ok(())
        }
        Behavior::Endless(bytes, again) => {
            stream.write_all(&bytes).await?;
            while stream.write_all(&again).await.is_ok() {}
            log.send_modify(|log| log.left += 1);
            Ok(())
        }
    }
}

async fn write_bytewise(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    for byte in bytes {
        stream.write_all(&[*byte]).await?;
    }
    Ok(())
}

async fn write_repeated(stream: &mut TcpStream, again: &[u8], times: usize) -> std::io::Result<()> {
    for _ in 0..times {
        stream.write_all(again).await?;
    }
    Ok(())
}

/// Reads a request. A body has a length.
async fn request(stream: &mut TcpStream) -> std::io::Result<Request> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut lines = head.lines();
    let target = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut request = Request { target: target.to_owned(), headers, ..Request::default() };
    let length = request.header("content-length").first().and_then(|n| n.parse().ok());
    request.body.resize(length.unwrap_or_default(), 0);
    stream.read_exact(&mut request.body).await?;
    Ok(request)
}

/// A status line and headers, with `Connection: close` because each connection has one request.
pub(crate) fn response_head(status: u16, headers: &[(&str, &str)]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} As Told\r\nconnection: close\r\n");
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    (head + "\r\n").into_bytes()
}

const JSON: (&str, &str) = ("content-type", "application/json; charset=utf-8");

/// A JSON response.
pub(crate) fn json(status: u16, body: impl AsRef<[u8]>) -> Behavior {
    with_type(status, JSON.1, body)
}

/// A response of any content type.
pub(crate) fn with_type(status: u16, kind: &str, body: impl AsRef<[u8]>) -> Behavior {
    let length = body.as_ref().len().to_string();
    let head = response_head(status, &[("content-type", kind), ("content-length", &length)]);
    Behavior::Respond([&head, body.as_ref()].concat())
}

/// A JSON response with a page of a list.
pub(crate) fn page(items: &str, next: &str) -> Behavior {
    json(200, format!("{{\"items\":[{items}],\"next_page_params\":{next}}}"))
}

/// A JSON response with a gzip body.
pub(crate) fn gzip_response(gzip: &[u8]) -> Behavior {
    let length = gzip.len().to_string();
    let head =
        response_head(200, &[JSON, ("content-encoding", "gzip"), ("content-length", &length)]);
    Behavior::Respond([&head, gzip].concat())
}

pub(crate) fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(plain).unwrap();
    gzip.finish().unwrap()
}

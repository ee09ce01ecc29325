//! A web server that does what a test tells it to: real sockets, in this process, on threads of its
//! own, so that tests may block, stop their clock or run the program as a child.

use std::{
    fmt::Write as _,
    io::Write as _,
    net::SocketAddr,
    sync::{Arc, LazyLock},
    time::Duration,
};

use flate2::{Compression, write::GzEncoder};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::{self, Runtime},
    sync::watch,
    time::{sleep, timeout},
};
use url::{Url, form_urlencoded};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
});

/// How long a test waits for what must happen: only a broken program ever waits as long.
const IN_VAIN: Duration = Duration::from_mins(1);

/// What one connection gets. All but `Stall` and `Endless` end it, whole or not.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// These bytes, then the end of the stream.
    Say(Vec<u8>),
    /// These bytes, then a reset.
    Reset(Vec<u8>),
    /// These bytes, then nothing until the peer leaves.
    Stall(Vec<u8>),
    /// These bytes, then the others over and over until the peer leaves.
    Endless(Vec<u8>, Vec<u8>),
    /// These bytes, then the others so many times, then the end of the stream.
    Flood(Vec<u8>, Vec<u8>, usize),
    /// These bytes, each in a packet of its own.
    Trickle(Vec<u8>),
    /// Nothing for so long, then this.
    Late(Duration, Box<Act>),
}

/// A request as it came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    /// What stands after `GET`: a path with its query, or a whole address if the rogue is a proxy.
    pub(crate) target: String,
    headers: Vec<(String, String)>,
}

impl Request {
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The query, decoded, in the order sent.
    pub(crate) fn query(&self) -> Vec<(String, String)> {
        let query = self.target.split_once('?').map_or("", |(_, query)| query);
        form_urlencoded::parse(query.as_bytes()).into_owned().collect()
    }

    /// All of it, as text.
    pub(crate) fn text(&self) -> String {
        format!("{} {:?}", self.target, self.headers)
    }

    /// Every value of a header.
    pub(crate) fn header(&self, name: &str) -> Vec<&str> {
        let named = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str()).collect()
    }
}

#[derive(Debug, Default)]
struct Log {
    requests: Vec<Request>,
    /// Peers that are told no more.
    stalled: usize,
    /// Peers that left while they were stalled or fed without end.
    left: usize,
}

/// The server. Dropping it closes its port and every connection.
#[derive(Debug)]
pub(crate) struct Rogue {
    address: SocketAddr,
    log: watch::Receiver<Log>,
    _running: watch::Sender<()>,
}

/// Starts a server. `script` says what happens to a request, given how many came for its path
/// before.
pub(crate) fn rogue(script: impl Fn(&Request, usize) -> Act + Send + Sync + 'static) -> Rogue {
    let (log, seen) = watch::channel(Log::default());
    let (running, mut stopped) = watch::channel(());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let shared = Arc::new((script, log));
    RUNTIME.spawn(async move {
        let listener = TcpListener::from_std(listener).unwrap();
        while let Ok((peer, _)) = tokio::select! {
            peer = listener.accept() => peer,
            _ = stopped.changed() => return,
        } {
            let (shared, mut stopped) = (Arc::clone(&shared), stopped.clone());
            tokio::spawn(async move {
                let (script, log) = &*shared;
                tokio::select! {
                    // A peer that breaks its connection off is nobody's failure here.
                    _ = serve(peer, script, log) => {}
                    _ = stopped.changed() => {}
                }
            });
        }
    });
    Rogue { address, log: seen, _running: running }
}

/// Gives each request the next of these acts, and the last one ever after.
pub(crate) fn in_turn(acts: impl Into<Vec<Act>>) -> Rogue {
    let (acts, next) = (acts.into(), std::sync::atomic::AtomicUsize::new(0));
    rogue(move |_, _| {
        let next = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        acts[next.min(acts.len() - 1)].clone()
    })
}

impl Rogue {
    pub(crate) fn base(&self) -> Url {
        format!("http://{}", self.address).parse().unwrap()
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.log.borrow().requests.clone()
    }

    /// Waits until there have been so many requests.
    pub(crate) async fn asked(&self, requests: usize) {
        self.until(|log| log.requests.len() >= requests).await;
    }

    /// Waits until so many peers wait for what does not come.
    pub(crate) async fn stalled(&self, peers: usize) {
        self.until(|log| log.stalled >= peers).await;
    }

    /// Waits until so many peers have left before they were told all.
    pub(crate) async fn left(&self, peers: usize) {
        self.until(|log| log.left >= peers).await;
    }

    async fn until(&self, reached: impl FnMut(&Log) -> bool) {
        let mut log = self.log.clone();
        timeout(IN_VAIN, log.wait_for(reached)).await.expect("waited in vain").unwrap();
    }
}

async fn serve(
    mut peer: TcpStream,
    script: impl Fn(&Request, usize) -> Act,
    log: &watch::Sender<Log>,
) -> std::io::Result<()> {
    let request = request(&mut peer).await?;
    let mut act = Act::Say(Vec::new());
    log.send_modify(|log| {
        let before = log.requests.iter().filter(|seen| seen.path() == request.path()).count();
        act = script(&request, before);
        log.requests.push(request);
    });
    play(act, peer, log).await
}

async fn play(mut act: Act, mut peer: TcpStream, log: &watch::Sender<Log>) -> std::io::Result<()> {
    while let Act::Late(time, then) = act {
        sleep(time).await;
        act = *then;
    }
    match act {
        // Waited for above.
        Act::Late(..) => Ok(()),
        Act::Trickle(bytes) => {
            peer.set_nodelay(true)?;
            for byte in bytes {
                peer.write_all(&[byte]).await?;
            }
            peer.shutdown().await
        }
        Act::Flood(bytes, again, times) => {
            peer.write_all(&bytes).await?;
            for _ in 0..times {
                if peer.write_all(&again).await.is_err() {
                    log.send_modify(|log| log.left += 1);
                    return Ok(());
                }
            }
            peer.shutdown().await
        }
        Act::Say(bytes) => {
            peer.write_all(&bytes).await?;
            peer.shutdown().await
        }
        Act::Reset(bytes) => {
            peer.write_all(&bytes).await?;
            peer.set_zero_linger()
        }
        Act::Stall(bytes) => {
            peer.write_all(&bytes).await?;
            log.send_modify(|log| log.stalled += 1);
            // The end of the stream or a reset; the peer has nothing more to say.
            let _ = peer.read(&mut [0]).await;
            log.send_modify(|log| log.left += 1);
            Ok(())
        }
        Act::Endless(bytes, again) => {
            peer.write_all(&bytes).await?;
            while peer.write_all(&again).await.is_ok() {}
            log.send_modify(|log| log.left += 1);
            Ok(())
        }
    }
}

/// Reads a request to the end of its head.
async fn request(peer: &mut TcpStream) -> std::io::Result<Request> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(peer.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut lines = head.lines();
    let target = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Ok(Request { target: target.to_owned(), headers })
}

/// The head of an answer; `Connection: close` always, since each connection is one act.
pub(crate) fn head(status: u16, headers: &[(&str, &str)]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} As Told\r\nconnection: close\r\n");
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    (head + "\r\n").into_bytes()
}

const JSON: (&str, &str) = ("content-type", "application/json; charset=utf-8");

/// A JSON answer.
pub(crate) fn json(status: u16, body: impl AsRef<[u8]>) -> Act {
    typed(status, JSON.1, body)
}

/// An answer of any type.
pub(crate) fn typed(status: u16, kind: &str, body: impl AsRef<[u8]>) -> Act {
    let length = body.as_ref().len().to_string();
    let head = head(status, &[("content-type", kind), ("content-length", &length)]);
    Act::Say([&head, body.as_ref()].concat())
}

/// A page of a list.
pub(crate) fn page(items: &str, next: &str) -> Act {
    json(200, format!("{{\"items\":[{items}],\"next_page_params\":{next}}}"))
}

/// A JSON answer whose body is gzip.
pub(crate) fn gzipped(gzip: &[u8]) -> Act {
    let length = gzip.len().to_string();
    let head = head(200, &[JSON, ("content-encoding", "gzip"), ("content-length", &length)]);
    Act::Say([&head, gzip].concat())
}

pub(crate) fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(plain).unwrap();
    gzip.finish().unwrap()
}

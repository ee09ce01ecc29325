//! Starts a demo server for a test and sends plain requests to it.

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::LazyLock,
};

use chainglass::test_api::demo_server::{ApiServer, ApiServerOptions, DemoChain};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use tokio::runtime::Runtime;
use url::form_urlencoded;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

pub(crate) const ALICE: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

/// A server of the demo chain.
pub(crate) struct ServerClient(ApiServer);

pub(crate) fn demo_server(page_size: usize) -> ServerClient {
    let options = ApiServerOptions { page_size, ..ApiServerOptions::default() };
    let started = ApiServer::start(DemoChain::open().unwrap(), options);
    ServerClient(RUNTIME.block_on(started).unwrap())
}

/// A page of a list. The cursor stays text because its numbers can have 78 digits.
#[derive(Debug, Deserialize)]
pub(crate) struct Page {
    pub(crate) items: Vec<Value>,
    pub(crate) next_page_params: Option<BTreeMap<String, Box<RawValue>>>,
}

impl Page {
    /// The cursor's values as they are written in the body.
    pub(crate) fn cursor(&self) -> Option<BTreeMap<&str, &str>> {
        let cursor = self.next_page_params.as_ref()?;
        Some(cursor.iter().map(|(name, value)| (name.as_str(), value.get())).collect())
    }

    /// The query parameters of the next page's request.
    pub(crate) fn query(&self) -> Option<String> {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in self.cursor()? {
            let text = serde_json::from_str::<String>(value).unwrap_or_else(|_| value.to_owned());
            query.append_pair(name, &text);
        }
        Some(query.finish())
    }
}

impl ServerClient {
    pub(crate) fn new(server: ApiServer) -> Self {
        Self(server)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.0.address()
    }

    pub(crate) fn stop(self) {
        RUNTIME.block_on(self.0.stop());
    }

    /// Sends a request and returns the status and the body.
    pub(crate) fn get(&self, target: &str) -> (u16, String) {
        let answer =
            self.send(format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes());
        let (head, body) = answer.split_once("\r\n\r\n").expect(&answer);
        let status = head.split(' ').nth(1).expect(head).parse().expect(head);
        (status, body.to_owned())
    }

    /// Sends bytes and returns all that comes back.
    pub(crate) fn send(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.write_all(request).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    pub(crate) fn json(&self, target: &str) -> Value {
        let (status, body) = self.get(target);
        assert_eq!(status, 200, "{target}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    pub(crate) fn page(&self, target: &str) -> Page {
        let (status, body) = self.get(target);
        assert_eq!(status, 200, "{target}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// All pages of a list, by sending each cursor together with the first query.
    pub(crate) fn pages(&self, path: &str, query: &str) -> Vec<Page> {
        let mut pages = vec![self.page(&format!("{path}?{query}"))];
        while let Some(cursor) = pages.last().and_then(Page::query) {
            // The last of two equal parameters counts, so the cursor overrides the query.
            pages.push(self.page(&format!("{path}?{query}&{cursor}")));
            assert!(pages.len() < 10_000, "{path}?{query} does not end");
        }
        pages
    }

    /// All items of a list.
    pub(crate) fn all_items(&self, path: &str, query: &str) -> Vec<Value> {
        self.pages(path, query).into_iter().flat_map(|page| page.items).collect()
    }
}

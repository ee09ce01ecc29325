//! Every way in which one answer goes wrong, by name, and what a user is told of it.

use std::sync::LazyLock;
use std::time::Duration;

use crate::rogue::{Act, gzip, gzipped, head, json, page, typed};

/// A transaction with nothing but a name.
pub(crate) const ROW: &str =
    r#"{"hash":"0x1111111111111111111111111111111111111111111111111111111111111111"}"#;
/// How the screen shortens its name.
pub(crate) const SHOWN: &str = "0x1111…1111";

/// What stands around a body of JSON.
const JSON: (&str, &str) = ("content-type", "application/json");

/// What the words mean for the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The rows are there all the same.
    Rows,
    /// There are none, and the words say why.
    Failed,
}

/// One fault.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// What is played instead of a page of transactions.
    pub(crate) act: Act,
    pub(crate) end: End,
    /// What is said, and what can be done.
    pub(crate) says: &'static str,
}

fn failing(name: &'static str, act: Act, says: &'static str) -> Fault {
    Fault { name, act, end: End::Failed, says }
}

fn harmless(name: &'static str, act: Act) -> Fault {
    Fault { name, act, end: End::Rows, says: SHOWN }
}

/// The page that a fault spoils.
pub(crate) fn whole() -> String {
    format!("{{\"items\":[{ROW}],\"next_page_params\":null}}")
}

/// The page with something else instead of a part of it.
fn spoilt(part: &str, other: &str) -> String {
    whole().replacen(part, other, 1)
}

fn headed(headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    [&head(200, &[&[JSON], headers].concat())[..], body].concat()
}

/// A bomb takes a while to make.
static BOMB: LazyLock<Vec<u8>> = LazyLock::new(|| gzip(&vec![b' '; 70 << 20]));

/// All of them.
pub(crate) fn faults() -> Vec<Fault> {
    [
        slow(),
        broken_off(),
        too_much(),
        no_http(),
        statuses(),
        troubles(),
        unreadable(),
        harmless_json(),
    ]
    .concat()
}

fn slow() -> Vec<Fault> {
    let body = whole();
    let good = json(200, &body);
    let Act::Say(bytes) = &good else { return Vec::new() };
    vec![
        harmless("latency", Act::Late(Duration::from_millis(20), Box::new(good.clone()))),
        harmless("one byte at a time", Act::Trickle(bytes.clone())),
        failing(
            "a hang before the headers",
            Act::Stall(Vec::new()),
            "no answer within 40 s (the server may be busy)",
        ),
        failing(
            "a hang in the body",
            Act::Stall(headed(&[("content-length", "1000")], b"{\"items\":[")),
            "no answer within 40 s (the server may be busy)",
        ),
    ]
}

fn broken_off() -> Vec<Fault> {
    let body = whole();
    let half = &body.as_bytes()[..body.len() / 2];
    let zipped = gzip(body.repeat(50).as_bytes());
    let (less, more) = ((body.len() - 9).to_string(), (body.len() + 9).to_string());
    let chunk = format!("{:x}\r\n{body}\r\n", body.len());
    let chunked = headed(&[("transfer-encoding", "chunked")], chunk.as_bytes());
    let cut = "the answer was cut off: ";
    vec![
        failing("closed before the headers", Act::Say(Vec::new()), "cannot reach the explorer: "),
        failing(
            "a reset before the headers",
            Act::Reset(Vec::new()),
            "cannot reach the explorer: ",
        ),
        failing("a reset in the body", Act::Reset(headed(&[("content-length", &more)], half)), cut),
        failing("a short body", Act::Say(headed(&[("content-length", &more)], half)), cut),
        failing(
            "a content-length that is too small",
            Act::Say(headed(&[("content-length", &less)], body.as_bytes())),
            "the answer cannot be read: ",
        ),
        failing(
            "two content-lengths",
            Act::Say(headed(&[("content-length", &less), ("content-length", &more)], half)),
            "cannot reach the explorer: ",
        ),
        failing("a missing last chunk", Act::Say(chunked.clone()), cut),
        failing("a bad chunk", Act::Say([&chunked[..], b"zz\r\n"].concat()), cut),
        failing("a truncated gzip", gzipped(&zipped[..zipped.len() / 2]), cut),
        failing("a gzip that is none", gzipped(body.as_bytes()), cut),
    ]
}

fn too_much() -> Vec<Fault> {
    let large = "the answer is larger than 64 MB (a narrower filter may help)";
    let megabyte = vec![b' '; 1 << 20];
    let length = (300_u64 << 20).to_string();
    let measured = headed(&[("content-length", &length)], b"");
    vec![
        failing("a gzip bomb", gzipped(&BOMB), large),
        failing("a body of 300 MB", Act::Flood(measured, megabyte.clone(), 300), large),
        failing("an endless body", Act::Endless(headed(&[], b"{\"items\":["), megabyte), large),
        failing(
            "endless headers",
            Act::Endless(b"HTTP/1.1 200 OK\r\n".to_vec(), b"x: y\r\n".repeat(1000)),
            "cannot reach the explorer: ",
        ),
        failing(
            "a header of 1 MB",
            Act::Say(headed(&[("x", &"y".repeat(1 << 20))], whole().as_bytes())),
            "cannot reach the explorer: ",
        ),
    ]
}

fn no_http() -> Vec<Fault> {
    let nowhere = "cannot reach the explorer: ";
    let moved = |to: &str| Act::Say(head(302, &[("location", to)]));
    vec![
        failing("SSH instead of HTTP", Act::Say(b"SSH-2.0-OpenSSH_9.9\r\n\r\n".to_vec()), nowhere),
        failing("zeros instead of HTTP", Act::Say(vec![0; 1000]), nowhere),
        failing("a redirect loop", moved("?again"), "too many redirects"),
        failing(
            "a redirect to no web address",
            moved("file:///etc/passwd"),
            "a redirect to what is not on the web is not followed",
        ),
        failing(
            "a redirect without a place",
            Act::Say(head(301, &[])),
            "a page that is not the API answered, HTTP 301",
        ),
    ]
}

const HTML: &str = "<!DOCTYPE html><title>Just a moment...</title>";

fn statuses() -> Vec<Fault> {
    let base = "(is this the base address of an explorer?)";
    vec![
        failing("400", json(400, r#"{"message":"Params 'module'"}"#), base),
        failing(
            "401",
            json(401, r#"{"error":"Unauthorized"}"#),
            "401: Unauthorized (no API key, or a wrong one: CHAINGLASS_API_KEY, or [keys] in config.toml)",
        ),
        failing(
            "402",
            json(402, r#"{"error":"Out of credits"}"#),
            "402: Out of credits (wait for new ones, or give --chain its own explorer's address)",
        ),
        failing(
            "403",
            json(403, r#"{"message":"Restricted access"}"#),
            "403: Restricted access (this server does not show it)",
        ),
        failing(
            "404",
            json(404, r#"{"message":"Not found"}"#),
            "404: Not found (this server does not know it)",
        ),
        failing("406", typed(406, "text/html", "Not Acceptable"), "HTTP 406, text/html"),
        failing(
            "422, the old form",
            json(422, r#"{"message":"Invalid parameter(s)"}"#),
            "422: Invalid parameter(s) (this server does not take the request in this form)",
        ),
        failing(
            "422, the new form",
            json(
                422,
                r#"{"errors":[{"title":"Invalid value","source":{"pointer":"/sort"},"detail":"Unexpected field: sort"}]}"#,
            ),
            "422: sort: Unexpected field: sort (this server does not take",
        ),
    ]
}

fn troubles() -> Vec<Fault> {
    let own = "(the server has a problem of its own)";
    let waiting = json(429, r#"{"message":"Too many requests"}"#);
    let told = head(429, &[JSON, ("x-ratelimit-reset", "100"), ("x-ratelimit-limit", "5")]);
    let long = "\u{202e}\u{1b}[2J\u{1b}]52;c;AAAA\u{7}".repeat(10_000);
    vec![
        failing(
            "429 without headers",
            waiting,
            "429: Too many requests (too many requests: wait a moment)",
        ),
        failing("429 with headers", Act::Say(told), "429"),
        failing(
            "500, a bare string",
            json(500, r#""Internal server error""#),
            "500: Internal server error",
        ),
        failing(
            "501",
            json(501, r#"{"message":"Service is disabled"}"#),
            "501: Service is disabled",
        ),
        failing("502 as HTML", typed(502, "text/html", HTML), "HTTP 502, text/html"),
        failing("503 as HTML", typed(503, "text/html", HTML), "HTTP 503, text/html"),
        failing("504 as HTML", typed(504, "text/html", HTML), "HTTP 504, text/html"),
        failing("200 with HTML", typed(200, "text/html", HTML), "HTTP 200, text/html"),
        failing("204", Act::Say(head(204, &[])), "HTTP 204"),
        failing(
            "an error of hostile words",
            json(500, serde_json::json!({ "message": long }).to_string()),
            "500: ␦␛[2J␛]52;c;AAAA␇",
        ),
        failing("an error in broken JSON", json(503, "{\"message\":\"cut of"), own),
    ]
}

fn unreadable() -> Vec<Fault> {
    let no = "the answer cannot be read: ";
    let read = |name, body: &[u8]| failing(name, json(200, body), no);
    let body = whole();
    vec![
        read("an empty body", b""),
        read("invalid JSON", spoilt(":[", "=[").as_bytes()),
        read("truncated JSON", &body.as_bytes()[..body.len() - 5]),
        read("more after the JSON", [&body[..], "}"].concat().as_bytes()),
        read("10,000 arrays in each other", "[".repeat(10_000).as_bytes()),
        read(
            "bad UTF-8",
            &spoilt("null", "\"x\"").replace('x', "\u{80}").into_bytes()[..]
                .iter()
                .map(|b| if *b == 0xc2 { 0xff } else { *b })
                .collect::<Vec<_>>(),
        ),
        read("NaN", spoilt("null", "NaN").as_bytes()),
        read("null", b"null"),
        read("items that are null", b"{\"items\":null,\"next_page_params\":null}"),
        read("items that are an object", b"{\"items\":{\"0\":{}},\"next_page_params\":null}"),
        read("no items", b"{\"next_page_params\":null}"),
    ]
}

fn harmless_json() -> Vec<Fault> {
    let deep = ["[".repeat(10_000), "]".repeat(10_000)].concat();
    let good = |name, body: String| harmless(name, json(200, body));
    let mixed = format!("[7,null,\"x\",[],{ROW},{{}},{deep}]");
    vec![
        good("a byte order mark", ["\u{feff}", &whole()].concat()),
        good("a key given twice", spoilt("\"hash\"", "\"fee\":1,\"fee\":2,\"hash\"")),
        good("items of every type", spoilt(&format!("[{ROW}]"), &mixed)),
        good("10,000 arrays in a row", spoilt("{\"hash\"", &format!("{{\"x\":{deep},\"hash\""))),
        good("a cursor that is a string", spoilt("null", "\"next\"")),
        good("a cursor that is an array", spoilt("null", "[1]")),
        harmless("no type", Act::Say([&head(200, &[])[..], whole().as_bytes()].concat())),
        harmless("JSON that says it is HTML", typed(200, "text/html", whole())),
        harmless("no end of the list said", page_without_end()),
    ]
}

fn page_without_end() -> Act {
    let Act::Say(_) = page(ROW, "null") else { return Act::Say(Vec::new()) };
    json(200, format!("{{\"items\":[{ROW}]}}"))
}

//! A server with the recorded answers of a real explorer, as strict about page cursors as that was.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::form_urlencoded;

/// An answer of the real server, and the request for it.
#[derive(Debug, Deserialize)]
pub(crate) struct RecordedAnswer {
    #[serde(default)]
    method: Option<String>,
    /// With the query.
    pub(crate) path: String,
    pub(crate) status: u16,
    pub(crate) body: String,
}

/// A list, without numbers and hashes, such as `addresses/_/tokens`.
type ListName = String;

type Params = BTreeMap<String, String>;

pub(crate) struct RecordedExplorer {
    /// By path and parameters, in lower case.
    answers: HashMap<(String, Params), RecordedAnswer>,
    /// The parameters that each list took, or sent as a cursor.
    known: HashMap<ListName, BTreeSet<String>>,
}

/// The parameters of first pages.
const FILTERS: [&str; 9] =
    ["type", "filter", "token", "q", "sort", "order", "holder_address_hash", "limit", "topic"];

/// The body of the answer to a request that was not recorded.
pub(crate) const NOT_RECORDED: &str = r#"{"message":"Not recorded"}"#;

impl RecordedExplorer {
    /// Loads a recording with one answer a line.
    pub(crate) fn load(path: &Path) -> Self {
        let lines = BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines();
        let mut explorer = Self { answers: HashMap::new(), known: HashMap::new() };
        for line in lines {
            explorer.add(serde_json::from_str(&line.unwrap()).unwrap());
        }
        explorer
    }

    fn add(&mut self, answer: RecordedAnswer) {
        if answer.method.as_deref().is_some_and(|method| method != "GET") {
            return;
        }
        let (path, params) = split(&answer.path);
        let body = serde_json::from_str(&answer.body).unwrap_or(Value::Null);
        if let Some(cursor) = body.get("next_page_params") {
            let known = self.known.entry(list_name(&path)).or_default();
            known.extend(params.keys().cloned());
            known.extend(cursor.as_object().into_iter().flat_map(Map::keys).cloned());
        }
        // Of several answers the last counts: the server had indexed more.
        self.answers.insert((path, params), answer);
    }

    pub(crate) fn answers(&self) -> impl Iterator<Item = &RecordedAnswer> {
        self.answers.values()
    }

    /// Returns the status and the body for a request.
    pub(crate) fn answer(&self, target: &str) -> (u16, String) {
        let (path, params) = split(target);
        let list = list_name(&path);
        let is_known = |name| self.known.get(&list).is_none_or(|known| known.contains(name));
        let is_refused =
            |name, value| !is_known(name) || value == "null" && !accepts_null(&list, name);
        if let Some((name, _)) = params.iter().find(|(name, value)| is_refused(*name, *value)) {
            return (422, format!(r#"{{"errors":[{{"source":{{"pointer":"/{name}"}}}}]}}"#));
        }
        if list == "tokens"
            && params.contains_key("market_cap")
            && !params.contains_key("fiat_value")
        {
            return (500, r#""Internal server error""#.to_owned());
        }
        if begins_again(&list, &params) {
            return self.first_page_again(&path, params);
        }
        match self.answers.get(&(path, params)) {
            Some(answer) => (answer.status, answer.body.clone()),
            None => (404, NOT_RECORDED.to_owned()),
        }
    }

    /// Answers a cursor that the server ignores. State changes are counted nevertheless.
    fn first_page_again(&self, path: &str, mut params: Params) -> (u16, String) {
        let count: u32 = params.get("items_count").map_or(0, |count| count.parse().unwrap());
        params.retain(|name, _| FILTERS.contains(&name.as_str()));
        let Some(first) = self.answers.get(&(path.to_owned(), params)) else {
            return (404, NOT_RECORDED.to_owned());
        };
        let mut body: Value = serde_json::from_str(&first.body).unwrap();
        if let Some(next) = body.pointer_mut("/next_page_params/items_count")
            && path.ends_with("/state-changes")
        {
            *next = json!(count + 50);
        }
        (first.status, body.to_string())
    }
}

/// Returns `true` if the server takes the word `null` for a key of a list's cursor.
fn accepts_null(list: &str, name: &str) -> bool {
    match list {
        "tokens" => ["market_cap", "fiat_value", "holders_count", "name"].contains(&name),
        "addresses/_/tokens" => ["fiat_value", "value"].contains(&name),
        "addresses/_/transactions" | "tokens/_/holders" => name == "value",
        "transactions/_/state-changes" => name == "state_changes",
        "search" => name.starts_with("token["),
        _ => false,
    }
}

/// Returns `true` if the server ignores a cursor and sends the first page.
fn begins_again(list: &str, params: &Params) -> bool {
    let needed: &[&str] = match list {
        "tokens" if !params.contains_key("sort") => &["market_cap", "fiat_value", "name"],
        "transactions/_/state-changes" => &["state_changes"],
        _ => return false,
    };
    let has_cursor = params.keys().any(|name| !FILTERS.contains(&name.as_str()));
    has_cursor && needed.iter().any(|name| !params.contains_key(*name))
}

/// Splits the path and the parameters of a request.
pub(crate) fn split(target: &str) -> (String, Params) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let params = form_urlencoded::parse(query.as_bytes());
    let lower = params.map(|(name, value)| (name.into_owned(), value.to_lowercase()));
    (path.to_lowercase(), lower.collect())
}

fn list_name(path: &str) -> ListName {
    let below = path.strip_prefix("/api/v2/").unwrap_or(path);
    let is_name = |part: &str| part.starts_with(|c: char| c.is_ascii_alphabetic());
    let parts = below.split('/').map(|part| if is_name(part) { part } else { "_" });
    parts.collect::<Vec<_>>().join("/")
}

//! Every list of a real explorer, as it was recorded, is read to its end.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use chainglass::test_api::api::{
    AddressQuery, ApiError, BlockQuery, ChainQuery, Cursor, InstanceKey, InstanceQuery, Next,
    Query, Reply, TokenQuery, TransactionQuery,
};
use chainglass::test_api::app_message::Priority;
use chainglass::test_api::chain::{Address, Chains, TokenStandard, TxHash};
use chainglass::test_api::net::Provider;
use serde_json::Value;

use crate::fake_server::{fake_server, json};
use crate::fault_cases::{queries, query_kind};
use crate::recorded_explorer::{RecordedExplorer, split};
use crate::response_decoding::items;

/// The rows cut to one a page.
const COPY: &str = "tests/data/real/pages.jsonl.gz";
const FULL: [&str; 2] =
    ["../shared/spec/real/blockscout-11.2.7.jsonl.gz", "../shared/spec/real/live.jsonl.gz"];

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the query for the first page of a list, if the program asks for it.
fn list_query(target: &str) -> Option<Query> {
    let (path, params) = split(target);
    let types = params.get("type").map_or("", |types| types);
    let types = types.split(',').filter(|name| !name.is_empty());
    let types = types.map(str::parse::<TokenStandard>).collect::<Result<Vec<_>, _>>().ok()?;
    if path == "/api/v2/transactions" && params.get("filter").is_some_and(|one| one == "pending") {
        return Some(Query::Chain(ChainQuery::Pending));
    }
    let direction = match params.get("filter") {
        None => None,
        Some(filter) => Some(filter.parse().ok()?),
    };
    let parts: Vec<&str> = path.strip_prefix("/api/v2/")?.split('/').collect();
    Some(match parts[..] {
        ["blocks"] => Query::Chain(ChainQuery::Blocks),
        ["transactions"] => Query::Chain(ChainQuery::Transactions),
        ["tokens"] => Query::Chain(ChainQuery::Tokens { types }),
        ["internal-transactions"] => Query::Chain(ChainQuery::InternalTransactions),
        ["addresses"] => Query::Chain(ChainQuery::Accounts),
        ["smart-contracts"] => Query::Chain(ChainQuery::VerifiedContracts),
        ["withdrawals"] => Query::Chain(ChainQuery::Withdrawals),
        ["token-transfers"] => Query::Chain(ChainQuery::Transfers { types }),
        ["search"] => Query::Search(params.get("q")?.as_str().into()),
        ["addresses", address, ref list @ ..] => {
            let query = match list {
                ["transactions"] => AddressQuery::Transactions { direction },
                ["internal-transactions"] => AddressQuery::InternalTransactions { direction },
                ["token-transfers"] => {
                    let token = params.get("token").and_then(|token| token.parse().ok());
                    AddressQuery::TokenTransfers { direction, types, token }
                }
                ["logs"] => AddressQuery::Logs,
                ["tokens"] => AddressQuery::Tokens { types },
                ["nft", "collections"] => AddressQuery::Collections { types },
                ["withdrawals"] => AddressQuery::Withdrawals,
                ["blocks-validated"] => AddressQuery::Blocks,
                ["coin-balance-history"] => AddressQuery::BalanceHistory,
                _ => return None,
            };
            Query::Address(address.parse().ok()?, query)
        }
        ["tokens", token, ref list @ ..] => {
            token_list(token.parse().ok()?, list, params.get("holder_address_hash"))?
        }
        ["blocks", block, list] => {
            let block = block.parse().ok()?;
            match list {
                "transactions" => Query::Block(block, BlockQuery::Transactions),
                "internal-transactions" => Query::Block(block, BlockQuery::InternalTransactions),
                _ => Query::Block(block, BlockQuery::Withdrawals),
            }
        }
        ["transactions", hash, list] => transaction_list(hash.parse().ok()?, list)?,
        _ => return None,
    })
}

fn token_list(token: Address, list: &[&str], holder: Option<&String>) -> Option<Query> {
    let instance = |id: &str, query| {
        let key = InstanceKey { token, id: id.parse().ok()? };
        Some(Query::Instance(key, query))
    };
    match list {
        ["instances"] => {
            let holder = holder.map(|holder| holder.parse().unwrap());
            Some(Query::Token(token, TokenQuery::Instances { holder }))
        }
        ["instances", id, "holders"] => instance(id, InstanceQuery::Holders),
        ["instances", id, _] => instance(id, InstanceQuery::Transfers),
        ["holders"] => Some(Query::Token(token, TokenQuery::Holders)),
        ["transfers"] => Some(Query::Token(token, TokenQuery::Transfers)),
        _ => None,
    }
}

fn transaction_list(hash: TxHash, list: &str) -> Option<Query> {
    Some(match list {
        "logs" => Query::Transaction(hash, TransactionQuery::Logs),
        "token-transfers" => Query::Transaction(hash, TransactionQuery::TokenTransfers),
        "internal-transactions" => Query::Transaction(hash, TransactionQuery::InternalTransactions),
        "state-changes" => Query::Transaction(hash, TransactionQuery::StateChanges),
        _ => return None,
    })
}

/// Returns the number of rows of a page, and its end.
fn rows_and_next(reply: &Reply) -> (usize, Next) {
    (items(reply).len(), reply.next().cloned().unwrap())
}

/// The pages of a list that were read, their rows, and why no more were, if not all.
#[derive(Debug)]
struct ListWalk {
    pages: usize,
    rows: usize,
    error: Option<ApiError>,
}

async fn walk(provider: &Provider, query: &Query) -> ListWalk {
    let mut walk = ListWalk { pages: 0, rows: 0, error: None };
    let mut visited = HashSet::new();
    let mut cursor: Option<Cursor> = None;
    loop {
        let reply = provider.fetch(query, cursor.as_ref(), Priority::Interactive).await;
        match reply.map(|reply| rows_and_next(&reply)) {
            Err(error) => return ListWalk { error: Some(error), ..walk },
            Ok((rows, next)) => {
                walk = ListWalk { pages: walk.pages + 1, rows: walk.rows + rows, error: None };
                match next {
                    Next::End => return walk,
                    Next::Page(next) => {
                        assert!(visited.insert(next.clone()), "{query:?} begins again: {next:?}");
                        assert!(walk.pages < 50, "{query:?} does not end: {next:?}");
                        cursor = Some(next);
                    }
                    Next::Invalid(why) => panic!("{query:?}: {why}"),
                }
            }
        }
    }
}

/// Pages of each list of an explorer that answers whatever is asked for.
const PAGES: usize = 3;

#[tokio::test]
async fn every_list_of_the_program_is_read_to_its_end() {
    let mut paged = BTreeSet::new();
    for (query, body) in queries().into_iter().filter(|(query, _)| query.method() == "GET") {
        let is_paged = query.decode(body.as_bytes(), None).unwrap().next().is_some();
        let mut body: Value = serde_json::from_str(&body).unwrap();
        let Some(items) = body.get_mut("items").filter(|_| is_paged) else { continue };
        let Some(items) = items.as_array_mut() else { continue };
        let rows = items.len();
        if let Query::Transaction(hash, _) = &query {
            for transaction in items.iter_mut().filter_map(|item| item.get_mut("transaction_hash"))
            {
                *transaction = hash.to_string().into();
            }
        }
        let first_params = Arc::new(Mutex::new(None));
        let server = fake_server(move |request, _| {
            let mut params: Vec<_> = request.query();
            let page = params.iter().position(|(name, _)| name == "page_of_list");
            let page = page.map_or(0, |at| params.remove(at).1.parse::<usize>().unwrap());
            params
                .retain(|(name, value)| page == 0 || (&**name, &**value) != ("block_number", "7"));
            let first = first_params.lock().unwrap().get_or_insert_with(|| params.clone()).clone();
            assert_eq!(params, first, "the filters stay");
            let mut body = body.clone();
            let next = serde_json::json!({ "page_of_list": page + 1, "block_number": 7 });
            body["next_page_params"] = if page + 1 < PAGES { next } else { Value::Null };
            json(200, body.to_string())
        });
        let network = Chains::default().network_at(&server.base());
        let walk = walk(&Provider::new(&network), &query).await;
        let kind = query_kind(&query);
        assert_eq!((walk.pages, walk.rows, walk.error), (PAGES, PAGES * rows, None), "{kind}");
        paged.insert(kind);
    }
    assert!(paged.len() > 50, "{paged:?}");
}

/// Reads all lists of a recording.
async fn read_lists(path: &Path) -> BTreeMap<String, ListWalk> {
    let explorer = Arc::new(RecordedExplorer::load(path));
    let shared = Arc::clone(&explorer);
    let server = fake_server(move |request, _| {
        let (status, body) = shared.answer(&request.target);
        json(status, body)
    });
    let network = Chains::default().network_at(&server.base());
    let provider = Provider::new(&network);
    let mut walks = BTreeMap::new();
    for answer in explorer.answers().filter(|answer| answer.status == 200) {
        let Some(query) = list_query(&answer.path) else { continue };
        let url = query.request_line();
        let url = url.strip_prefix("GET ").unwrap();
        // The answer may be of a later page, or of a parameter that this program does not send.
        if split(url) == split(&answer.path) {
            walks.insert(url.to_owned(), walk(&provider, &query).await);
        }
    }
    walks
}

/// Returns how many lists were read to their end, and how many there are. Fails if one ended before
/// the last page that was recorded.
fn whole_of_all(walks: &BTreeMap<String, ListWalk>) -> (usize, usize) {
    for (url, walk) in walks {
        let is_not_recorded = |error: &ApiError| error.to_string().contains("Not recorded");
        assert!(walk.error.as_ref().is_none_or(is_not_recorded), "{url}: {walk:?}");
    }
    (walks.values().filter(|walk| walk.error.is_none()).count(), walks.len())
}

/// Lists of several pages, with the rows of the real server.
const PAGED: [(&str, usize, usize); 9] = [
    ("/api/v2/tokens?type=ERC-20", 2, 72),
    ("/api/v2/tokens?type=ERC-20,ERC-721", 3, 132),
    (
        "/api/v2/transactions/0x8c2f34b5f44221cbfaae74705c6e2149f134ec119f56cc83f5f5eb359d471d28/state-changes",
        5,
        242,
    ),
    ("/api/v2/search?q=clone", 3, 117),
    ("/api/v2/addresses/0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266/tokens", 6, 278),
    ("/api/v2/addresses/0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266/nft/collections", 2, 58),
    ("/api/v2/tokens/0x8438Ad1C834623CfF278AB6829a248E37C2D7E3f/holders", 7, 315),
    ("/api/v2/tokens/0x8438Ad1C834623CfF278AB6829a248E37C2D7E3f/instances", 3, 120),
    ("/api/v2/blocks/335/withdrawals", 2, 70),
];

#[tokio::test]
async fn lists_of_the_copy_are_read_to_their_end() {
    let walks = read_lists(&file(COPY)).await;
    for (url, pages, _) in PAGED {
        let walk = &walks[url];
        assert_eq!((walk.pages, &walk.error), (pages, &None), "{url}");
    }
    assert_eq!(whole_of_all(&walks), (19, 20));
}

#[tokio::test]
async fn lists_of_the_recordings_are_read_to_their_end() {
    let [early, live] = FULL.map(file);
    if !live.exists() {
        return std::io::stderr().write_all(b"skipped: ../shared is not here\n").unwrap();
    }
    let walks = read_lists(&early).await;
    assert_eq!(whole_of_all(&walks), (531, 563));
    let walks = read_lists(&live).await;
    assert_eq!(whole_of_all(&walks), (242, 265));
    for (url, pages, rows) in PAGED {
        let walk = &walks[url];
        assert_eq!((walk.pages, walk.rows, &walk.error), (pages, rows, &None), "{url}");
    }
}

#[test]
fn recorded_explorer_refuses_what_the_real_one_refused() {
    let full = FULL.map(file).into_iter().filter(|path| path.exists());
    for path in full.chain([file(COPY)]) {
        let explorer = RecordedExplorer::load(&path);
        let is_about_cursors = |target: &str| {
            let (_, params) = split(target);
            params.contains_key("items_count") || params.values().any(|value| value == "null")
        };
        let answers = explorer.answers().filter(|answer| is_about_cursors(&answer.path));
        let mut refusals = 0;
        for answer in answers {
            let (status, body) = explorer.answer(&answer.path);
            // The first page of another time may not have been recorded.
            let is_missing = status == 404;
            assert!(status == answer.status || is_missing, "{}: {body}", answer.path);
            refusals += usize::from(answer.status != 200);
        }
        assert!(refusals > 10 || path.ends_with("blockscout-11.2.7.jsonl.gz"), "{refusals}");
    }
}

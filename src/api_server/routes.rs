//! The routes of the API: path, parameters and handler of each.

use std::{net::IpAddr, sync::Arc, time::Instant};

use alloy_primitives::{Address, B256, U256};
use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path, RawQuery, Request, State, rejection::PathRejection},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header, uri::Authority},
    middleware::{Next, from_fn, map_response},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::Value;
use tokio::{runtime::Handle, sync::Semaphore, task};

use super::{
    block_by_time::BlockRequest,
    coverage::{self, OLDER_BLOCKS_TIMEOUT},
    error::{ApiServerError, FieldError},
    eth_rpc,
    lists::{
        self, accounts, activity, balance_history, blocks, console_lines, holders, hot_contracts,
        internal_transactions, logs, nft_collections, nft_instances, state_changes, token_balances,
        token_transfers, tokens, transactions,
    },
    query_params::{
        self, ADDRESS_PATTERN, BLOCK_PATTERN, DIGITS_PATTERN, HASH_PATTERN, ParamSpec, QueryParams,
    },
    redirects,
    request::{JsonResult, PoolOfResponse, RequestContext, to_json},
    responses, search,
    seen_transactions::{LostTransaction, SeenTransactions, chain_start},
    stats,
};
use crate::chain::BlockId;
use crate::store::{
    BlockRecord, InstanceRecord, ServedChain, Snapshot, StateKey, TransactionRecord,
};
use RouteHandler as Of;

/// Responses computed at the same time; each may hold a trace of a few megabytes.
const MAX_CONCURRENT_RESPONSES: usize = 4;
/// Times that parts of the state are loaded for one response: an address, its token, an instance of
/// that, and its owner.
const MAX_STATE_LOADS: usize = 5;
/// Bytes of a JSON-RPC request.
const MAX_BODY_BYTES: usize = 64 * 1024;

type ChainHandler = fn(&RequestContext<'_>) -> JsonResult;
type AddressHandler = fn(&RequestContext<'_>, Address) -> JsonResult;
type TransactionHandler = fn(&RequestContext<'_>, &TransactionRecord) -> JsonResult;
type BlockHandler = fn(&RequestContext<'_>, &BlockRecord) -> JsonResult;
type InstanceHandler = fn(&RequestContext<'_>, &InstanceRecord) -> JsonResult;

/// The handler of a route, by what its path names.
#[derive(Clone, Copy)]
enum RouteHandler {
    Chain(ChainHandler),
    Address(AddressHandler),
    TransactionDetail,
    /// Of a pending transaction it is empty.
    TransactionList(TransactionHandler),
    /// Of a pending transaction there is none.
    Transaction(TransactionHandler),
    Block(BlockHandler),
    Instance(InstanceHandler),
}

/// Paths below the one of a subject, with the parameters and the handler of each.
type Routes<H> = &'static [(&'static str, &'static [ParamSpec], H)];

/// The paths below `/api/v2/` that name nothing.
const CHAIN_ROUTES: Routes<ChainHandler> = &[
    ("addresses", accounts::PARAMETERS, accounts::list),
    ("advanced-filters", activity::PARAMETERS, activity::list),
    ("blocks", blocks::PARAMETERS, blocks::list),
    ("withdrawals", blocks::WITHDRAWAL_PARAMETERS, blocks::list_all_withdrawals),
    (
        "internal-transactions",
        internal_transactions::CHAIN_PARAMETERS,
        internal_transactions::list_all,
    ),
    ("main-page/blocks", &[], blocks::latest),
    ("main-page/transactions", &[], transactions::latest),
    ("main-page/indexing-status", &[], coverage::indexing_status),
    ("console-lines", console_lines::PARAMETERS, console_lines::list_all),
    ("token-transfers", token_transfers::GLOBAL_PARAMETERS, token_transfers::list_all),
    ("smart-contracts", accounts::CONTRACT_PARAMETERS, accounts::list_verified),
    ("tokens", tokens::PARAMETERS, tokens::list),
    ("transactions", transactions::CHAIN_PARAMETERS, transactions::list_all),
    ("search", search::PARAMETERS, search::search),
    ("search/check-redirect", redirects::PARAMETERS, redirects::check_redirect),
    ("stats", &[], stats::stats),
    ("stats/hot-smart-contracts", hot_contracts::PARAMETERS, hot_contracts::list),
    ("stats/charts/transactions", &[], stats::daily_transactions),
];

const ADDRESS_ROUTES: Routes<AddressHandler> = &[
    ("", &[], responses::address_detail),
    ("/counters", &[], responses::address_counters),
    ("/tabs-counters", &[], responses::address_tab_counters),
    ("/transactions", transactions::PARAMETERS, transactions::list),
    ("/internal-transactions", internal_transactions::PARAMETERS, internal_transactions::list),
    ("/token-transfers", token_transfers::PARAMETERS, token_transfers::list),
    ("/logs", logs::PARAMETERS, logs::list),
    ("/tokens", token_balances::PARAMETERS, token_balances::list),
    ("/nft/collections", nft_collections::PARAMETERS, nft_collections::list),
    ("/coin-balance-history", balance_history::PARAMETERS, balance_history::list),
    ("/coin-balance-history-by-day", &[], balance_history::list_by_day),
    ("/blocks-validated", blocks::VALIDATED_PARAMETERS, blocks::list_validated),
    ("/withdrawals", blocks::WITHDRAWAL_PARAMETERS, blocks::list_address_withdrawals),
];

const CONTRACT_ROUTES: Routes<AddressHandler> = &[("", &[], responses::contract)];

const TOKEN_ROUTES: Routes<AddressHandler> = &[
    ("", &[], responses::token),
    ("/counters", &[], responses::token_counters),
    ("/instances", nft_instances::PARAMETERS, nft_instances::list),
    ("/holders", holders::PARAMETERS, holders::list),
    ("/transfers", token_transfers::SUBJECT_PARAMETERS, token_transfers::list_of_token),
];

const INSTANCE_ROUTES: Routes<InstanceHandler> = &[
    ("", &[], responses::instance_detail),
    ("/holders", holders::PARAMETERS, holders::list_of_instance),
    ("/transfers", token_transfers::SUBJECT_PARAMETERS, token_transfers::list_of_instance),
];

const BLOCK_ROUTES: Routes<BlockHandler> = &[
    ("", &[], responses::block_detail),
    ("/transactions", transactions::BLOCK_PARAMETERS, transactions::list_in_block),
    (
        "/internal-transactions",
        internal_transactions::BLOCK_PARAMETERS,
        internal_transactions::list_in_block,
    ),
    ("/withdrawals", blocks::WITHDRAWAL_PARAMETERS, blocks::list_withdrawals),
];

const TRANSACTION_LISTS: Routes<TransactionHandler> = &[
    (
        "/internal-transactions",
        internal_transactions::TRANSACTION_PARAMETERS,
        internal_transactions::list_in_transaction,
    ),
    ("/logs", logs::TRANSACTION_PARAMETERS, logs::list_in_transaction),
    ("/undone-logs", &[], logs::list_undone_in_transaction),
    ("/console-lines", console_lines::PARAMETERS, console_lines::list_in_transaction),
    ("/token-transfers", token_transfers::SUBJECT_PARAMETERS, token_transfers::list_in_transaction),
    ("/state-changes", state_changes::PARAMETERS, state_changes::list),
];

const TRANSACTION_ROUTES: Routes<TransactionHandler> = &[
    ("/external-transactions", &[], |_, _| to_json(&[(); 0])),
    ("/blobs", &[], transactions::list_blobs),
    ("/raw-trace", &[], |request, transaction| to_json(&request.chain.raw_trace(transaction)?)),
    ("/failure-line", responses::FAILURE_LINE_PARAMETERS, responses::failure_line),
    ("/failure-stack", &[], responses::failure_stack),
];

/// A path below `/api/v2/`, with its parameters and its handler.
type ApiRoute = (String, &'static [ParamSpec], RouteHandler);

fn routes() -> impl Iterator<Item = ApiRoute> {
    let transaction = "transactions/{hash}";
    [(transaction.to_owned(), &[][..], Of::TransactionDetail)]
        .into_iter()
        .chain(below(transaction, TRANSACTION_LISTS, Of::TransactionList))
        .chain(below(transaction, TRANSACTION_ROUTES, Of::Transaction))
        .chain(below("", CHAIN_ROUTES, Of::Chain))
        .chain(below("addresses/{hash}", ADDRESS_ROUTES, Of::Address))
        .chain(below("smart-contracts/{hash}", CONTRACT_ROUTES, Of::Address))
        .chain(below("tokens/{hash}", TOKEN_ROUTES, Of::Address))
        .chain(below("tokens/{hash}/instances/{id}", INSTANCE_ROUTES, Of::Instance))
        .chain(below("blocks/{number}", BLOCK_ROUTES, Of::Block))
}

/// Returns the routes of a subject.
fn below<H: Copy>(
    subject: &str,
    routes: Routes<H>,
    handler: fn(H) -> RouteHandler,
) -> impl Iterator<Item = ApiRoute> {
    routes.iter().map(move |(path, params, responds)| {
        ([subject, *path].concat(), *params, handler(*responds))
    })
}

impl RouteHandler {
    /// Makes a response of one snapshot: nothing that comes meanwhile is on it. If it turns out to
    /// need parts of the state, they are loaded, and it is made again. If it needs nothing but newer
    /// blocks, it is made again once, if the node has any; if it needs older blocks, which are being
    /// read, it is made again when there are more.
    fn respond(
        self,
        service: &ApiService,
        path: &str,
        query: &Result<QueryParams, Vec<FieldError>>,
    ) -> JsonResult {
        let deadline = Instant::now() + OLDER_BLOCKS_TIMEOUT;
        let mut snapshot = service.chain.snapshot()?;
        let (mut loads, mut is_newest) = (0, false);
        let mut pool = PoolOfResponse::new();
        loop {
            // Held by the work, not by the connection: disconnecting does not admit another.
            let permit = Handle::current()
                .block_on(service.response_permits.acquire())
                .map_err(ApiServerError::internal)?;
            let result = self.handle(service, (&snapshot, &pool), path, query.clone());
            drop(permit);
            let mut missed = snapshot.state.parts.missed();
            let [needs_newer, needs_older] =
                [StateKey::NewerBlocks, StateKey::OlderBlocks].map(|blocks| missed.remove(&blocks));
            // A transaction that an older block may have needs no newer one.
            if needs_newer && missed.is_empty() && !is_newest {
                is_newest = true;
                if let Some(newer) = service.chain.newer_blocks(&snapshot, deadline) {
                    (snapshot, pool, loads) = (newer, PoolOfResponse::new(), 0);
                    continue;
                }
            }
            let may_wait = needs_older && !missed.iter().any(StateKey::is_older_block);
            if may_wait
                && Instant::now() < deadline
                && let Some(older) = service.chain.older_blocks(&snapshot, deadline)
            {
                snapshot = older;
                loads = 0;
            } else if missed.is_empty() || loads == MAX_STATE_LOADS {
                return result;
            } else {
                snapshot = service.chain.load(&snapshot, missed)?;
                loads += 1;
            }
        }
    }

    fn respond_to_transaction(
        self,
        request: &RequestContext<'_>,
        seen: &SeenTransactions,
        hash: B256,
    ) -> JsonResult {
        if let Some(record) = request.snapshot.transaction(hash)? {
            return match self {
                Of::TransactionList(handler) | Of::Transaction(handler) => handler(request, record),
                _ => {
                    seen.insert(record, chain_start(request.snapshot)?);
                    responses::transaction_detail(request, record)
                }
            };
        }
        if let Some(pending) = request.pending(hash)? {
            return match self {
                Of::TransactionList(_) => lists::empty(request),
                Of::Transaction(_) => Err(ApiServerError::Pending),
                _ => {
                    seen.insert(&pending, chain_start(request.snapshot)?);
                    responses::pending_transaction(request, &pending)
                }
            };
        }
        match (self, seen.get(hash, chain_start(request.snapshot)?)) {
            (
                Of::TransactionDetail,
                Some(LostTransaction::OfPool(lost) | LostTransaction::OfBlock(lost)),
            ) => responses::lost_transaction(request, *lost, seen),
            (_, Some(lost)) => Err(lost.error()),
            (_, None) => Err(request.not_found()),
        }
    }

    fn handle(
        self,
        service: &ApiService,
        (snapshot, pool): (&Snapshot, &PoolOfResponse),
        path: &str,
        query: Result<QueryParams, Vec<FieldError>>,
    ) -> JsonResult {
        let chain = &*service.chain;
        let page_size = service.page_size;
        let coverage = snapshot.coverage.as_ref();
        let request =
            |params| RequestContext { chain, snapshot, pool, params, page_size, coverage };
        match self {
            Of::Chain(handler) => {
                let ((), params) = query_params::combine_results(Ok(()), query)?;
                handler(&request(&params))
            }
            Of::Address(handler) => {
                let address = query_params::parse_address(path)
                    .ok_or_else(|| FieldError::new("address_hash_param", ADDRESS_PATTERN));
                let (address, params) = query_params::combine_results(address, query)?;
                handler(&request(&params), address)
            }
            Of::TransactionDetail | Of::TransactionList(_) | Of::Transaction(_) => {
                let hash = query_params::parse_hash(path)
                    .ok_or_else(|| FieldError::new("transaction_hash_param", HASH_PATTERN));
                let (hash, params) = query_params::combine_results(hash, query)?;
                let request = RequestContext { coverage: None, ..request(&params) };
                self.respond_to_transaction(&request, &service.seen, hash)
            }
            Of::Block(handler) => {
                let block = parse_block(path);
                let (block, params) = query_params::combine_results(block, query)?;
                let record = match block {
                    BlockId::Number(number) => snapshot.requested_block(number)?,
                    BlockId::Hash(hash) => snapshot.block_by_hash(hash)?,
                };
                let request = RequestContext { coverage: None, ..request(&params) };
                handler(&request, record.ok_or_else(|| request.not_found())?)
            }
            Of::Instance(handler) => {
                let instance = parse_instance(path);
                let ((token, id), params) = query_params::combine_results(instance, query)?;
                let request = request(&params);
                snapshot.state.token(token)?.ok_or_else(|| request.not_found())?;
                let record = snapshot.state.instance(token, id)?;
                handler(&request, record.ok_or_else(|| request.not_found())?)
            }
        }
    }
}

fn parse_block(path: &str) -> Result<BlockId, FieldError> {
    let number = path.parse().ok().map(BlockId::Number);
    let block = number.or_else(|| query_params::parse_hash(path).map(BlockId::Hash));
    block.ok_or_else(|| FieldError::new("block_hash_or_number_param", BLOCK_PATTERN))
}

fn parse_instance(path: &str) -> Result<(Address, U256), FieldError> {
    let (token, number) = path.split_once('/').unwrap_or((path, ""));
    let token = query_params::parse_address(token)
        .ok_or_else(|| FieldError::new("address_hash_param", ADDRESS_PATTERN))?;
    let is_digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let id = number.parse().ok().filter(|_| is_digits);
    Ok((token, id.ok_or_else(|| FieldError::new("token_id_param", DIGITS_PATTERN))?))
}

struct ApiService {
    chain: Arc<dyn ServedChain>,
    page_size: usize,
    response_permits: Semaphore,
    seen: SeenTransactions,
}

pub(crate) fn router(chain: Arc<dyn ServedChain>, page_size: usize) -> Router {
    let response_permits = Semaphore::new(MAX_CONCURRENT_RESPONSES);
    let seen = SeenTransactions::new();
    let service = Arc::new(ApiService { chain, page_size, response_permits, seen });
    let mut router = Router::new();
    for (path, params, handler) in routes() {
        let respond = move |State(service), path, RawQuery(query): RawQuery| {
            let query = QueryParams::parse(&query.unwrap_or_default(), params);
            respond(handler, service, path, query)
        };
        router = router.route(&format!("/api/v2/{path}"), get(respond));
    }
    router
        .route("/api", get(find_block))
        .route("/api/eth-rpc", post(call_function))
        .fallback(unknown_path)
        .method_not_allowed_fallback(async || ApiServerError::UnknownAction)
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(from_fn(check_host))
        .layer(map_response(close_connection))
        .with_state(service)
}

async fn unknown_path(uri: Uri) -> ApiServerError {
    if uri.path().starts_with("/api/v2/proxy/account-abstraction/") {
        ApiServerError::ServiceDisabled
    } else if uri.path().starts_with("/api/") {
        ApiServerError::UnknownAction
    } else {
        ApiServerError::NoPage
    }
}

/// Answers JSON-RPC. Only a body that is declared as JSON is taken: a web page cannot send that to
/// another host without asking first.
async fn call_function(
    State(service): State<Arc<ApiService>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Value>, ApiServerError> {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = content_type.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    if !kind.trim().eq_ignore_ascii_case("application/json") {
        return Err(ApiServerError::NotJson);
    }
    let chain = Arc::clone(&service.chain);
    let _permit = service.response_permits.acquire().await.map_err(ApiServerError::internal)?;
    let answer = task::spawn_blocking(move || eth_rpc::respond(&*chain, &body)).await;
    answer.map(Json).map_err(ApiServerError::internal)
}

/// Finds the block of a time, for as long as the client waits for it.
async fn find_block(
    State(service): State<Arc<ApiService>>,
    RawQuery(query): RawQuery,
) -> Result<(StatusCode, Json<Value>), ApiServerError> {
    let request = match BlockRequest::parse(&query.unwrap_or_default()) {
        Ok(request) => request,
        Err((status, why)) => return Ok((status, Json(why))),
    };
    let chain = Arc::clone(&service.chain);
    let _permit = service.response_permits.acquire().await.map_err(ApiServerError::internal)?;
    // Dropped with this future when the client disconnects.
    let client = Arc::new(());
    let waiting = Arc::downgrade(&client);
    let responding =
        task::spawn_blocking(move || request.respond(&*chain, &|| waiting.strong_count() > 0));
    let found = responding.await.map_err(ApiServerError::internal)?;
    drop(client);
    found.map(|body| (StatusCode::OK, Json(body)))
}

/// Refuses requests for other hosts: a web page whose name is made to resolve to this machine (DNS
/// rebinding) could read the responses.
async fn check_host(request: Request, next: Next) -> Response {
    let hosts = request.headers().get_all(header::HOST);
    let is_uri_local = request.uri().authority().is_none_or(|uri| is_local_authority(uri.as_str()));
    if is_uri_local && hosts.iter().all(|host| host.to_str().is_ok_and(is_local_authority)) {
        next.run(request).await
    } else {
        ApiServerError::OtherHost.into_response()
    }
}

fn is_local_authority(text: &str) -> bool {
    let Ok(authority) = text.parse::<Authority>() else { return false };
    let host = authority.host().trim_matches(['[', ']']);
    let is_loopback = host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    is_loopback || host.eq_ignore_ascii_case("localhost")
}

/// Ends the connection after its first response, so that idle ones take no slot.
async fn close_connection(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Computes a response on a blocking thread, as it may have to load a table.
async fn respond(
    handler: RouteHandler,
    service: Arc<ApiService>,
    path: Result<Path<Vec<String>>, PathRejection>,
    query: Result<QueryParams, Vec<FieldError>>,
) -> Response {
    // Routes without a path parameter have nothing to extract.
    let path = path.map(|Path(params)| params.join("/")).unwrap_or_default();
    let work = task::spawn_blocking(move || handler.respond(&service, &path, &query));
    match work.await.map_err(ApiServerError::internal).flatten() {
        Ok(body) => {
            ([(header::CONTENT_TYPE, "application/json; charset=utf-8")], body).into_response()
        }
        Err(error) => error.into_response(),
    }
}

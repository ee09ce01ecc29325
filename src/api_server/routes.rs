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
        self, accounts, activity, blocks, coin_balances, collections, console_lines, holders,
        hot_contracts, instances, internals, logs, state_changes, token_balances, tokens,
        transactions, transfers,
    },
    query_params::{
        self, ADDRESS_PATTERN, BLOCK_PATTERN, DIGITS_PATTERN, HASH_PATTERN, ParamSpec, QueryParams,
    },
    redirects,
    request::{JsonResult, PoolOfResponse, RequestContext, to_json},
    responses, search, stats,
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
const MAX_BODY_BYTES: usize = 16 * 1024;

type TransactionHandler = fn(&RequestContext<'_>, &TransactionRecord) -> JsonResult;

/// The handler of a route, by what its path names.
enum RouteHandler {
    Chain(fn(&RequestContext<'_>) -> JsonResult),
    Address(fn(&RequestContext<'_>, Address) -> JsonResult),
    TransactionDetail,
    /// Of a pending transaction it is empty.
    TransactionList(TransactionHandler),
    /// Of a pending transaction there is none.
    Transaction(TransactionHandler),
    Block(fn(&RequestContext<'_>, &BlockRecord) -> JsonResult),
    Instance(fn(&RequestContext<'_>, &InstanceRecord) -> JsonResult),
}

/// The paths below `/api/v2/`, with the parameters and the handler of each.
static ROUTES: &[(&str, &[ParamSpec], RouteHandler)] = &[
    ("addresses", accounts::PARAMETERS, Of::Chain(accounts::list)),
    ("addresses/{hash}", &[], Of::Address(responses::address_detail)),
    ("addresses/{hash}/counters", &[], Of::Address(responses::address_counters)),
    ("addresses/{hash}/tabs-counters", &[], Of::Address(responses::address_tab_counters)),
    ("addresses/{hash}/transactions", transactions::PARAMETERS, Of::Address(transactions::list)),
    ("addresses/{hash}/internal-transactions", internals::PARAMETERS, Of::Address(internals::list)),
    ("addresses/{hash}/token-transfers", transfers::PARAMETERS, Of::Address(transfers::list)),
    ("addresses/{hash}/logs", logs::PARAMETERS, Of::Address(logs::list)),
    ("addresses/{hash}/tokens", token_balances::PARAMETERS, Of::Address(token_balances::list)),
    ("addresses/{hash}/nft/collections", collections::PARAMETERS, Of::Address(collections::list)),
    (
        "addresses/{hash}/coin-balance-history",
        coin_balances::PARAMETERS,
        Of::Address(coin_balances::list),
    ),
    ("addresses/{hash}/coin-balance-history-by-day", &[], Of::Address(coin_balances::list_by_day)),
    (
        "addresses/{hash}/blocks-validated",
        blocks::VALIDATED_PARAMETERS,
        Of::Address(blocks::list_validated),
    ),
    (
        "addresses/{hash}/withdrawals",
        blocks::WITHDRAWAL_PARAMETERS,
        Of::Address(blocks::list_address_withdrawals),
    ),
    ("advanced-filters", activity::PARAMETERS, Of::Chain(activity::list)),
    ("blocks", blocks::PARAMETERS, Of::Chain(blocks::list)),
    ("blocks/{number}", &[], Of::Block(responses::block_detail)),
    (
        "blocks/{number}/transactions",
        transactions::BLOCK_PARAMETERS,
        Of::Block(transactions::list_in_block),
    ),
    (
        "blocks/{number}/internal-transactions",
        internals::BLOCK_PARAMETERS,
        Of::Block(internals::list_in_block),
    ),
    (
        "blocks/{number}/withdrawals",
        blocks::WITHDRAWAL_PARAMETERS,
        Of::Block(blocks::list_withdrawals),
    ),
    ("withdrawals", blocks::WITHDRAWAL_PARAMETERS, Of::Chain(blocks::list_all_withdrawals)),
    ("internal-transactions", internals::CHAIN_PARAMETERS, Of::Chain(internals::list_all)),
    ("main-page/blocks", &[], Of::Chain(blocks::latest)),
    ("main-page/transactions", &[], Of::Chain(transactions::latest)),
    ("console-lines", console_lines::PARAMETERS, Of::Chain(console_lines::list_all)),
    ("token-transfers", transfers::GLOBAL_PARAMETERS, Of::Chain(transfers::list_all)),
    ("smart-contracts", accounts::CONTRACT_PARAMETERS, Of::Chain(accounts::list_verified)),
    ("smart-contracts/{hash}", &[], Of::Address(responses::contract)),
    ("tokens", tokens::PARAMETERS, Of::Chain(tokens::list)),
    ("tokens/{hash}", &[], Of::Address(responses::token)),
    ("tokens/{hash}/counters", &[], Of::Address(responses::token_counters)),
    ("tokens/{hash}/instances", instances::PARAMETERS, Of::Address(instances::list)),
    ("tokens/{hash}/holders", holders::PARAMETERS, Of::Address(holders::list)),
    (
        "tokens/{hash}/transfers",
        transfers::SUBJECT_PARAMETERS,
        Of::Address(transfers::list_of_token),
    ),
    ("tokens/{hash}/instances/{id}", &[], Of::Instance(responses::instance_detail)),
    (
        "tokens/{hash}/instances/{id}/holders",
        holders::PARAMETERS,
        Of::Instance(holders::list_of_instance),
    ),
    (
        "tokens/{hash}/instances/{id}/transfers",
        transfers::SUBJECT_PARAMETERS,
        Of::Instance(transfers::list_of_instance),
    ),
    ("transactions", transactions::CHAIN_PARAMETERS, Of::Chain(transactions::list_all)),
    ("transactions/{hash}", &[], Of::TransactionDetail),
    (
        "transactions/{hash}/internal-transactions",
        internals::TRANSACTION_PARAMETERS,
        Of::TransactionList(internals::list_in_transaction),
    ),
    (
        "transactions/{hash}/logs",
        logs::TRANSACTION_PARAMETERS,
        Of::TransactionList(logs::list_in_transaction),
    ),
    ("transactions/{hash}/undone-logs", &[], Of::TransactionList(logs::list_undone_in_transaction)),
    (
        "transactions/{hash}/console-lines",
        console_lines::PARAMETERS,
        Of::TransactionList(console_lines::list_in_transaction),
    ),
    (
        "transactions/{hash}/token-transfers",
        transfers::SUBJECT_PARAMETERS,
        Of::TransactionList(transfers::list_in_transaction),
    ),
    (
        "transactions/{hash}/state-changes",
        state_changes::PARAMETERS,
        Of::TransactionList(state_changes::list),
    ),
    ("transactions/{hash}/external-transactions", &[], Of::Transaction(|_, _| to_json(&[(); 0]))),
    (
        "transactions/{hash}/raw-trace",
        &[],
        Of::Transaction(|request, transaction| to_json(&request.chain.raw_trace(transaction)?)),
    ),
    (
        "transactions/{hash}/failure-line",
        responses::FAILURE_LINE_PARAMETERS,
        Of::Transaction(responses::failure_line),
    ),
    ("transactions/{hash}/failure-stack", &[], Of::Transaction(responses::failure_stack)),
    ("main-page/indexing-status", &[], Of::Chain(coverage::indexing_status)),
    ("search", search::PARAMETERS, Of::Chain(search::search)),
    ("stats", &[], Of::Chain(stats::stats)),
    ("stats/hot-smart-contracts", hot_contracts::PARAMETERS, Of::Chain(hot_contracts::list)),
    ("stats/charts/transactions", &[], Of::Chain(stats::daily_transactions)),
    ("search/check-redirect", redirects::PARAMETERS, Of::Chain(redirects::check_redirect)),
];

impl RouteHandler {
    /// Makes a response of one snapshot: nothing that comes meanwhile is on it. If it turns out to
    /// need older blocks, which are being read, it is made again when there are more; if it needs
    /// parts of the state, they are loaded, and it is made again.
    fn respond(
        &self,
        service: &ApiService,
        path: &str,
        query: &Result<QueryParams, Vec<FieldError>>,
    ) -> JsonResult {
        let deadline = Instant::now() + OLDER_BLOCKS_TIMEOUT;
        let mut snapshot = service.chain.snapshot()?;
        let mut loads = 0;
        let pool = PoolOfResponse::new();
        loop {
            // Held by the work, not by the connection: disconnecting does not admit another.
            let permit = Handle::current()
                .block_on(service.response_permits.acquire())
                .map_err(ApiServerError::internal)?;
            let result = self.handle(service, (&snapshot, &pool), path, query.clone());
            drop(permit);
            let mut missed = snapshot.state.parts.missed();
            let may_wait = missed.remove(&StateKey::OlderBlocks)
                && !missed.iter().any(StateKey::is_older_block);
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

    fn respond_to_transaction(&self, request: &RequestContext<'_>, hash: B256) -> JsonResult {
        if let Some(record) = request.snapshot.transaction(hash)? {
            return match self {
                Of::TransactionList(handler) | Of::Transaction(handler) => handler(request, record),
                _ => responses::transaction_detail(request, record),
            };
        }
        let pending =
            request.chain.pending(hash, request.snapshot)?.ok_or_else(|| request.not_found())?;
        match self {
            Of::TransactionList(_) => lists::empty(request),
            Of::Transaction(_) => Err(ApiServerError::Pending),
            _ => responses::pending_transaction(request, &pending),
        }
    }

    fn handle(
        &self,
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
                self.respond_to_transaction(&request, hash)
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
}

pub(crate) fn router(chain: Arc<dyn ServedChain>, page_size: usize) -> Router {
    let response_permits = Semaphore::new(MAX_CONCURRENT_RESPONSES);
    let service = Arc::new(ApiService { chain, page_size, response_permits });
    let mut router = Router::new();
    for (path, params, handler) in ROUTES {
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
    handler: &'static RouteHandler,
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

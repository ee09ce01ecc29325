//! The routes: which paths there are, what each takes, and what answers it.

use std::sync::Arc;

use alloy_primitives::{Address, B256};
use axum::{
    Router,
    extract::{Path, RawQuery, State, rejection::PathRejection},
    http::{HeaderValue, header},
    middleware::map_response,
    response::{IntoResponse, Response},
    routing::get,
};
use serde::Serialize;
use tokio::{sync::Semaphore, task};

use super::{
    error::{DemoApiError, FieldError},
    lists::{RequestContext, collections, instances, internals, tokens, transactions, transfers},
    query_params::{self, ADDRESS_PATTERN, HASH_PATTERN, ParamSpec, QueryParams},
    redirects, responses,
    store::Store,
};

/// Answers worked out at the same time; more wait. Each may hold a trace of a few megabytes.
const MAX_CONCURRENT_RESPONSES: usize = 4;

type RouteResult = Result<Vec<u8>, DemoApiError>;

/// What a route's path names, and the function that answers.
enum RouteHandler {
    Chain(fn(&RequestContext) -> RouteResult),
    Address(fn(&RequestContext, Address) -> RouteResult),
    Transaction(fn(&RequestContext, B256) -> RouteResult),
}

struct DemoRoute {
    path: &'static str,
    params: &'static [ParamSpec],
    handler: RouteHandler,
}

/// The API. A new endpoint is a new entry.
static ROUTES: &[DemoRoute] = &[
    DemoRoute {
        path: "/api/v2/addresses/{hash}",
        params: &[],
        handler: RouteHandler::Address(|q, whom| {
            to_json(&responses::address_detail(q.store, whom)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/addresses/{hash}/counters",
        params: &[],
        handler: RouteHandler::Address(|q, whom| {
            to_json(&responses::address_counters(q.store, whom)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/addresses/{hash}/transactions",
        params: transactions::PARAMETERS,
        handler: RouteHandler::Address(|q, whom| to_json(&transactions::list(q, whom)?)),
    },
    DemoRoute {
        path: "/api/v2/addresses/{hash}/internal-transactions",
        params: internals::PARAMETERS,
        handler: RouteHandler::Address(|q, whom| to_json(&internals::list(q, whom)?)),
    },
    DemoRoute {
        path: "/api/v2/addresses/{hash}/token-transfers",
        params: transfers::PARAMETERS,
        handler: RouteHandler::Address(|q, whom| to_json(&transfers::list(q, whom)?)),
    },
    DemoRoute {
        path: "/api/v2/addresses/{hash}/tokens",
        params: tokens::PARAMETERS,
        handler: RouteHandler::Address(|q, whom| to_json(&tokens::list(q, whom)?)),
    },
    DemoRoute {
        path: "/api/v2/addresses/{hash}/nft/collections",
        params: collections::PARAMETERS,
        handler: RouteHandler::Address(|q, whom| to_json(&collections::list(q, whom)?)),
    },
    DemoRoute {
        path: "/api/v2/token-transfers",
        params: transfers::GLOBAL_PARAMETERS,
        handler: RouteHandler::Chain(|q| to_json(&transfers::list_all(q)?)),
    },
    DemoRoute {
        path: "/api/v2/tokens/{hash}",
        params: &[],
        handler: RouteHandler::Address(|q, token| {
            to_json(q.store.tokens()?.get(&token).ok_or(DemoApiError::NotFound)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/tokens/{hash}/instances",
        params: instances::PARAMETERS,
        handler: RouteHandler::Address(|q, token| to_json(&instances::list(q, token)?)),
    },
    DemoRoute {
        path: "/api/v2/transactions/{hash}",
        params: &[],
        handler: RouteHandler::Transaction(|q, hash| {
            let record = q.store.transactions()?.get(hash).ok_or(DemoApiError::NotFound)?;
            to_json(&responses::transaction_detail(q.store, record)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/transactions/{hash}/internal-transactions",
        params: internals::TRANSACTION_PARAMETERS,
        handler: RouteHandler::Transaction(|q, hash| {
            let record = q.store.transactions()?.get(hash).ok_or(DemoApiError::NotFound)?;
            to_json(&internals::list_in_transaction(q, record)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/transactions/{hash}/raw-trace",
        params: &[],
        handler: RouteHandler::Transaction(|q, hash| {
            let record = q.store.transactions()?.get(hash).ok_or(DemoApiError::NotFound)?;
            to_json(&q.store.raw_trace(record)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/search/check-redirect",
        params: redirects::PARAMETERS,
        handler: RouteHandler::Chain(|q| {
            to_json(&redirects::check_redirect(q.store, q.params.raw("q").unwrap_or_default())?)
        }),
    },
];

fn to_json(value: &impl Serialize) -> RouteResult {
    serde_json::to_vec(value).map_err(|error| DemoApiError::Internal(error.to_string()))
}

impl DemoRoute {
    fn handle(&self, service: &DemoService, path: &str, query: &str) -> RouteResult {
        let query = QueryParams::parse(query, self.params);
        let question = |params| RequestContext {
            store: &service.ledger,
            params,
            page_size: service.page_size,
        };
        match self.handler {
            RouteHandler::Chain(answer) => {
                let ((), params) = query_params::combine_results(Ok(()), query)?;
                answer(&question(&params))
            }
            RouteHandler::Address(answer) => {
                let complaint = || FieldError::new("address_hash_param", ADDRESS_PATTERN);
                let address = query_params::parse_address(path).ok_or_else(complaint);
                let (address, params) = query_params::combine_results(address, query)?;
                answer(&question(&params), address)
            }
            RouteHandler::Transaction(answer) => {
                let complaint = || FieldError::new("transaction_hash_param", HASH_PATTERN);
                let hash = query_params::parse_hash(path).ok_or_else(complaint);
                let (hash, params) = query_params::combine_results(hash, query)?;
                answer(&question(&params), hash)
            }
        }
    }
}

/// What answers are worked out from.
struct DemoService {
    ledger: Arc<Store>,
    page_size: usize,
    response_permits: Arc<Semaphore>,
}

/// The API over a ledger.
pub(crate) fn router(ledger: Arc<Store>, page_size: usize) -> Router {
    let answers = Arc::new(Semaphore::new(MAX_CONCURRENT_RESPONSES));
    let service = Arc::new(DemoService { ledger, page_size, response_permits: answers });
    let mut router = Router::new();
    for route in ROUTES {
        let handler =
            move |State(service), path, RawQuery(query)| respond(route, service, path, query);
        router = router.route(route.path, get(handler));
    }
    router
        .fallback(async || DemoApiError::UnknownAction)
        .method_not_allowed_fallback(async || DemoApiError::UnknownAction)
        .layer(map_response(close_connection))
        .with_state(service)
}

/// Ends the connection after its first response, so that idle ones take no slot.
async fn close_connection(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Works an answer out on a blocking thread: the first question may have to read a table.
async fn respond(
    route: &'static DemoRoute,
    service: Arc<DemoService>,
    path: Result<Path<String>, PathRejection>,
    query: Option<String>,
) -> Response {
    // A route without a variable part has nothing to extract.
    let path = path.map(|Path(text)| text).unwrap_or_default();
    let query = query.unwrap_or_default();
    let turn = match Arc::clone(&service.response_permits).acquire_owned().await {
        Ok(turn) => turn,
        Err(closed) => return DemoApiError::Internal(closed.to_string()).into_response(),
    };
    let work = task::spawn_blocking(move || {
        let reply = route.handle(&service, &path, &query);
        // Held by the work and not by the peer: one who hangs up does not let another in.
        drop(turn);
        reply
    });
    match work.await.unwrap_or_else(|panic| Err(DemoApiError::Internal(panic.to_string()))) {
        Ok(body) => {
            ([(header::CONTENT_TYPE, "application/json; charset=utf-8")], body).into_response()
        }
        Err(fault) => fault.into_response(),
    }
}

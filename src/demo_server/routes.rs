//! The routes of the API: path, parameters and handler of each.

use std::sync::Arc;

use alloy_primitives::Address;
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
    models::TransactionRecord,
    query_params::{self, ADDRESS_PATTERN, HASH_PATTERN, ParamSpec, QueryParams},
    redirects, responses,
    store::Store,
};

/// Responses computed at the same time; each may hold a trace of a few megabytes.
const MAX_CONCURRENT_RESPONSES: usize = 4;

type RouteResult = Result<Vec<u8>, DemoApiError>;

/// The handler of a route, by what its path names.
enum RouteHandler {
    Chain(fn(&RequestContext) -> RouteResult),
    Address(fn(&RequestContext, Address) -> RouteResult),
    Transaction(fn(&RequestContext, &TransactionRecord) -> RouteResult),
}

struct DemoRoute {
    path: &'static str,
    params: &'static [ParamSpec],
    handler: RouteHandler,
}

static ROUTES: &[DemoRoute] = &[
    DemoRoute {
        path: "/api/v2/addresses/{hash}",
        params: &[],
        handler: RouteHandler::Address(|request, address| {
            to_json(&responses::address_detail(request.store, address)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/addresses/{hash}/counters",
        params: &[],
        handler: RouteHandler::Address(|request, address| {
            to_json(&responses::address_counters(request.store, address)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/addresses/{hash}/transactions",
        params: transactions::PARAMETERS,
        handler: RouteHandler::Address(|request, address| {
            to_json(&transactions::list(request, address)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/addresses/{hash}/internal-transactions",
        params: internals::PARAMETERS,
        handler: RouteHandler::Address(|request, address| {
            to_json(&internals::list(request, address)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/addresses/{hash}/token-transfers",
        params: transfers::PARAMETERS,
        handler: RouteHandler::Address(|request, address| {
            to_json(&transfers::list(request, address)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/addresses/{hash}/tokens",
        params: tokens::PARAMETERS,
        handler: RouteHandler::Address(|request, address| {
            to_json(&tokens::list(request, address)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/addresses/{hash}/nft/collections",
        params: collections::PARAMETERS,
        handler: RouteHandler::Address(|request, address| {
            to_json(&collections::list(request, address)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/token-transfers",
        params: transfers::GLOBAL_PARAMETERS,
        handler: RouteHandler::Chain(|request| to_json(&transfers::list_all(request)?)),
    },
    DemoRoute {
        path: "/api/v2/tokens/{hash}",
        params: &[],
        handler: RouteHandler::Address(|request, token| {
            to_json(&request.store.tokens()?.get(&token).ok_or(DemoApiError::NotFound)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/tokens/{hash}/instances",
        params: instances::PARAMETERS,
        handler: RouteHandler::Address(|request, token| to_json(&instances::list(request, token)?)),
    },
    DemoRoute {
        path: "/api/v2/transactions/{hash}",
        params: &[],
        handler: RouteHandler::Transaction(|request, record| {
            to_json(&responses::transaction_detail(request.store, record)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/transactions/{hash}/internal-transactions",
        params: internals::TRANSACTION_PARAMETERS,
        handler: RouteHandler::Transaction(|request, record| {
            to_json(&internals::list_in_transaction(request, record)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/transactions/{hash}/raw-trace",
        params: &[],
        handler: RouteHandler::Transaction(|request, record| {
            to_json(&request.store.raw_trace(record)?)
        }),
    },
    DemoRoute {
        path: "/api/v2/search/check-redirect",
        params: redirects::PARAMETERS,
        handler: RouteHandler::Chain(|request| {
            let text = request.params.raw("q").unwrap_or_default();
            to_json(&redirects::check_redirect(request.store, text)?)
        }),
    },
];

fn to_json(value: &impl Serialize) -> RouteResult {
    serde_json::to_vec(value).map_err(|error| DemoApiError::Internal(error.to_string()))
}

impl DemoRoute {
    fn handle(&self, service: &DemoService, path: &str, query: &str) -> RouteResult {
        let query = QueryParams::parse(query, self.params);
        let store = &*service.store;
        let request = |params| RequestContext { store, params, page_size: service.page_size };
        match self.handler {
            RouteHandler::Chain(handler) => {
                let ((), params) = query_params::combine_results(Ok(()), query)?;
                handler(&request(&params))
            }
            RouteHandler::Address(handler) => {
                let error = || FieldError::new("address_hash_param", ADDRESS_PATTERN);
                let address = query_params::parse_address(path).ok_or_else(error);
                let (address, params) = query_params::combine_results(address, query)?;
                handler(&request(&params), address)
            }
            RouteHandler::Transaction(handler) => {
                let error = || FieldError::new("transaction_hash_param", HASH_PATTERN);
                let hash = query_params::parse_hash(path).ok_or_else(error);
                let (hash, params) = query_params::combine_results(hash, query)?;
                let record = store.transactions()?.get(hash).ok_or(DemoApiError::NotFound)?;
                handler(&request(&params), record)
            }
        }
    }
}

struct DemoService {
    store: Arc<Store>,
    page_size: usize,
    response_permits: Arc<Semaphore>,
}

pub(crate) fn router(store: Arc<Store>, page_size: usize) -> Router {
    let response_permits = Arc::new(Semaphore::new(MAX_CONCURRENT_RESPONSES));
    let service = Arc::new(DemoService { store, page_size, response_permits });
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

/// Computes a response on a blocking thread, as it may have to load a table.
async fn respond(
    route: &'static DemoRoute,
    service: Arc<DemoService>,
    path: Result<Path<String>, PathRejection>,
    query: Option<String>,
) -> Response {
    // Routes without a path parameter have nothing to extract.
    let path = path.map(|Path(text)| text).unwrap_or_default();
    let query = query.unwrap_or_default();
    let permit = match Arc::clone(&service.response_permits).acquire_owned().await {
        Ok(permit) => permit,
        Err(closed) => return DemoApiError::Internal(closed.to_string()).into_response(),
    };
    let work = task::spawn_blocking(move || {
        let result = route.handle(&service, &path, &query);
        // Released by the work, not by the connection: disconnecting does not admit another.
        drop(permit);
        result
    });
    match work.await.unwrap_or_else(|panic| Err(DemoApiError::Internal(panic.to_string()))) {
        Ok(body) => {
            ([(header::CONTENT_TYPE, "application/json; charset=utf-8")], body).into_response()
        }
        Err(error) => error.into_response(),
    }
}

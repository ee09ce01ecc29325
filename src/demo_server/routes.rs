//! The routes: which paths there are, what each takes, and what answers it.

use std::sync::Arc;

use alloy_primitives::{Address, B256};
use axum::{
    Router,
    extract::{Path, RawQuery, State, rejection::PathRejection},
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use serde::Serialize;
use tokio::{sync::Semaphore, task};

use super::{
    error::{Complaint, Fault},
    lists::{Question, collections, instances, internals, tokens, transactions, transfers},
    query_params::{self, ADDRESS_PATTERN, Declared, HASH_PATTERN, Params},
    redirects, responses,
    store::Ledger,
};

/// Answers worked out at the same time; more wait. Each may hold a trace of a few megabytes.
const MOST_ANSWERS: usize = 4;

type Reply = Result<Vec<u8>, Fault>;

/// What a route's path names, and the function that answers.
enum Answer {
    Chain(fn(&Question) -> Reply),
    Address(fn(&Question, Address) -> Reply),
    Transaction(fn(&Question, B256) -> Reply),
}

struct Route {
    path: &'static str,
    takes: &'static [Declared],
    answer: Answer,
}

/// The API. A new endpoint is a new entry.
static ROUTES: &[Route] = &[
    Route {
        path: "/api/v2/addresses/{hash}",
        takes: &[],
        answer: Answer::Address(|q, whom| json(&responses::detail(q.ledger, whom)?)),
    },
    Route {
        path: "/api/v2/addresses/{hash}/counters",
        takes: &[],
        answer: Answer::Address(|q, whom| json(&responses::counters(q.ledger, whom)?)),
    },
    Route {
        path: "/api/v2/addresses/{hash}/transactions",
        takes: transactions::PARAMETERS,
        answer: Answer::Address(|q, whom| json(&transactions::list(q, whom)?)),
    },
    Route {
        path: "/api/v2/addresses/{hash}/internal-transactions",
        takes: internals::PARAMETERS,
        answer: Answer::Address(|q, whom| json(&internals::list(q, whom)?)),
    },
    Route {
        path: "/api/v2/addresses/{hash}/token-transfers",
        takes: transfers::PARAMETERS,
        answer: Answer::Address(|q, whom| json(&transfers::list(q, whom)?)),
    },
    Route {
        path: "/api/v2/addresses/{hash}/tokens",
        takes: tokens::PARAMETERS,
        answer: Answer::Address(|q, whom| json(&tokens::list(q, whom)?)),
    },
    Route {
        path: "/api/v2/addresses/{hash}/nft/collections",
        takes: collections::PARAMETERS,
        answer: Answer::Address(|q, whom| json(&collections::list(q, whom)?)),
    },
    Route {
        path: "/api/v2/token-transfers",
        takes: transfers::GLOBAL_PARAMETERS,
        answer: Answer::Chain(|q| json(&transfers::global(q)?)),
    },
    Route {
        path: "/api/v2/tokens/{hash}",
        takes: &[],
        answer: Answer::Address(|q, token| {
            json(q.ledger.tokens()?.get(&token).ok_or(Fault::NotFound)?)
        }),
    },
    Route {
        path: "/api/v2/tokens/{hash}/instances",
        takes: instances::PARAMETERS,
        answer: Answer::Address(|q, token| json(&instances::list(q, token)?)),
    },
    Route {
        path: "/api/v2/transactions/{hash}",
        takes: &[],
        answer: Answer::Transaction(|q, hash| {
            let record = q.ledger.transactions()?.get(hash).ok_or(Fault::NotFound)?;
            json(&responses::full_transaction(q.ledger, record)?)
        }),
    },
    Route {
        path: "/api/v2/transactions/{hash}/internal-transactions",
        takes: internals::OWN_PARAMETERS,
        answer: Answer::Transaction(|q, hash| {
            let record = q.ledger.transactions()?.get(hash).ok_or(Fault::NotFound)?;
            json(&internals::inside(q, record)?)
        }),
    },
    Route {
        path: "/api/v2/transactions/{hash}/raw-trace",
        takes: &[],
        answer: Answer::Transaction(|q, hash| {
            let record = q.ledger.transactions()?.get(hash).ok_or(Fault::NotFound)?;
            json(&q.ledger.raw_trace(record)?)
        }),
    },
    Route {
        path: "/api/v2/search/check-redirect",
        takes: redirects::PARAMETERS,
        answer: Answer::Chain(|q| {
            json(&redirects::redirect(q.ledger, q.params.text("q").unwrap_or_default())?)
        }),
    },
];

fn json(value: &impl Serialize) -> Reply {
    serde_json::to_vec(value).map_err(|error| Fault::Internal(error.to_string()))
}

impl Route {
    fn reply(&self, service: &Service, path: &str, query: &str) -> Reply {
        let query = Params::read(query, self.takes);
        let question =
            |params| Question { ledger: &service.ledger, params, page_size: service.page_size };
        match self.answer {
            Answer::Chain(answer) => {
                let ((), params) = query_params::checked(Ok(()), query)?;
                answer(&question(&params))
            }
            Answer::Address(answer) => {
                let complaint = || Complaint::new("address_hash_param", ADDRESS_PATTERN);
                let address = query_params::address(path).ok_or_else(complaint);
                let (address, params) = query_params::checked(address, query)?;
                answer(&question(&params), address)
            }
            Answer::Transaction(answer) => {
                let complaint = || Complaint::new("transaction_hash_param", HASH_PATTERN);
                let hash = query_params::hash(path).ok_or_else(complaint);
                let (hash, params) = query_params::checked(hash, query)?;
                answer(&question(&params), hash)
            }
        }
    }
}

/// What answers are worked out from.
struct Service {
    ledger: Arc<Ledger>,
    page_size: usize,
    answers: Arc<Semaphore>,
}

/// The API over a ledger.
pub(crate) fn router(ledger: Arc<Ledger>, page_size: usize) -> Router {
    let answers = Arc::new(Semaphore::new(MOST_ANSWERS));
    let service = Arc::new(Service { ledger, page_size, answers });
    let mut router = Router::new();
    for route in ROUTES {
        let handler =
            move |State(service), path, RawQuery(query)| respond(route, service, path, query);
        router = router.route(route.path, get(handler));
    }
    router
        .fallback(async || Fault::UnknownAction)
        .method_not_allowed_fallback(async || Fault::UnknownAction)
        .with_state(service)
}

/// Works an answer out on a blocking thread: the first question may have to read a table.
async fn respond(
    route: &'static Route,
    service: Arc<Service>,
    path: Result<Path<String>, PathRejection>,
    query: Option<String>,
) -> Response {
    // A route without a variable part has nothing to extract.
    let path = path.map(|Path(text)| text).unwrap_or_default();
    let query = query.unwrap_or_default();
    let turn = match Arc::clone(&service.answers).acquire_owned().await {
        Ok(turn) => turn,
        Err(closed) => return Fault::Internal(closed.to_string()).into_response(),
    };
    let work = task::spawn_blocking(move || {
        let reply = route.reply(&service, &path, &query);
        // Held by the work and not by the peer: one who hangs up does not let another in.
        drop(turn);
        reply
    });
    match work.await.unwrap_or_else(|panic| Err(Fault::Internal(panic.to_string()))) {
        Ok(body) => {
            ([(header::CONTENT_TYPE, "application/json; charset=utf-8")], body).into_response()
        }
        Err(fault) => fault.into_response(),
    }
}

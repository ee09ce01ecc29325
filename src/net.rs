//! Requests to explorers: scheduling, retries, caching, recordings and streamed traces.
//!
//! The runtime executes an effect with the provider of its chain. The reply becomes a message:
//!
//! ```text
//! Effect::Request ─> Providers ─> Provider, one per chain
//!                                   ├─ cache: traces, contracts and signatures that cannot change
//!                                   └─ RequestScheduler, one per host ─> ResponseSource
//!                                        │  priorities, three in flight, retries,   ├─ api::Client ─> HTTP
//!                                        │  rate limits, pace                       └─ replay, test
//! Msg::Fetched <─── Query::decode <─ body ┘
//! ```
//!
//! A provider connects with its first request: until then it starts no embedded server, and an unknown
//! URL stays undecided (`connector`). All steps of a request in the scheduler reach the title and the
//! request log as `NetworkEvent`s.
//!
//! Dropping the future of a request cancels it. The embedded server of a node or of the demo chain is
//! free at once. A public explorer is not: there, only what is still queued is dropped. What was sent is
//! let finish in a task of its own, with its place among the three, so that moving fast does not put more
//! at the server. Its answer goes to all that ask for the same URL; if none is left, it is kept for a
//! minute. Such requests are also sent at a pace, which the server's limits and refusals change
//! (`scheduler`).
//!
//! A trace is parsed while its bytes arrive (`trace_stream`); only the start of its response is let
//! finish. Only pictures bypass the scheduler: they come from hosts chosen by the authors of tokens,
//! without a key and from public addresses only (`picture_fetch`).

mod approval_calls;
mod approval_list;
pub mod cache;
mod clock;
mod connector;
pub mod endpoint_probe;
mod explorer_memory;
pub mod local_nodes;
mod past_balances;
pub mod picture_fetch;
pub mod provider;
pub mod providers;
pub mod recording;
pub mod response_body;
pub mod response_source;
mod retry;
pub mod scheduler;
pub mod signature_lookup;
pub mod trace_stream;

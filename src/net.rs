//! Requests to explorers: scheduling, retries, caching, recordings and streamed traces.
//!
//! The runtime executes an effect with the provider of its chain. The reply becomes a message:
//!
//! ```text
//! Effect::Request ─> Providers ─> Provider, one per chain
//!                                   ├─ cache: traces, contracts and signatures that cannot change
//!                                   ├─ replay: the response of a recorded run
//!                                   └─ RequestScheduler ─> api::Client ─> HTTP
//!                                        │  priorities, three in flight, retries, rate limits
//! Msg::Fetched <─── Query::decode <─ body ┘
//! ```
//!
//! A provider connects with its first request: until then it starts no embedded server, and an unknown
//! URL stays undecided (`endpoint_probe`). Dropping the future of a request cancels it at any step and
//! frees its place. All steps of a request in the scheduler reach the title and the request log as
//! `NetworkEvent`s. A trace is parsed while its bytes arrive (`trace_stream`). Only pictures bypass the
//! scheduler: they come from hosts chosen by the authors of tokens, without a key and from public
//! addresses only (`picture_fetch`).

pub mod cache;
mod clock;
pub mod disk_cache;
pub mod endpoint_probe;
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

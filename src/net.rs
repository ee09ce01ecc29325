//! Requests to explorers: scheduling, retries, caching, recordings and streamed traces.

pub mod cache;
mod clock;
pub mod endpoint_probe;
mod free_memory;
pub mod picture_fetch;
pub mod provider;
pub mod providers;
pub mod recording;
pub mod response_body;
mod retry;
pub mod scheduler;
pub mod signature_lookup;
pub mod trace_stream;

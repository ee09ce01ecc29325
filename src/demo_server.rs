//! A local HTTP server that serves the bundled demo chain through Blockscout's read API.
//!
//! It filters, sorts, pages and rejects requests like the service it stands in for, so the client
//! uses it like any other explorer. Types in here are called `Demo…`, `…Record` (a row of the bundled
//! tables) or `…Response` (an object of the API), to tell them from the client's.

mod accept;
mod cursor;
mod decimal;
mod demo_chain;
mod error;
mod lists;
mod models;
mod query_params;
mod redirects;
mod request;
mod responses;
mod routes;
mod serde_util;
mod store;
mod transfer_batches;

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use tokio::{net::TcpListener, task::JoinHandle};

pub use demo_chain::{HIGHLIGHTS, Highlight};
pub use store::Store;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemoServerOptions {
    /// The port to listen on; 0 lets the system choose.
    pub port: u16,
    /// Items per page, at least one.
    pub page_size: usize,
}

impl Default for DemoServerOptions {
    fn default() -> Self {
        Self { port: 0, page_size: 50 }
    }
}

/// A server on 127.0.0.1. Dropping it stops it and closes its connections.
#[derive(Debug)]
pub struct DemoServer {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl DemoServer {
    pub async fn start(options: DemoServerOptions) -> io::Result<Self> {
        let store = Store::demo().map_err(io::Error::other)?;
        Self::serve(Arc::new(store), options).await
    }

    /// Serves a store, which several servers may share.
    pub async fn serve(store: Arc<Store>, options: DemoServerOptions) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
        let address = listener.local_addr()?;
        let router = routes::router(store, options.page_size.max(1));
        let server = axum::serve(accept::BoundedListener::new(listener), router);
        // Runs until it is aborted; `axum::serve` never returns an error.
        let task = tokio::spawn(async { drop(server.await) });
        Ok(Self { address, task })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops the server and waits until its port is free.
    pub async fn stop(mut self) {
        self.task.abort();
        // The error is the cancellation.
        let _ = (&mut self.task).await;
    }
}

impl Drop for DemoServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

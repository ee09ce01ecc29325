//! The embedded explorer: our own implementation of the read API, over a chain in the program.
//!
//! It is a small real service on the loopback and not a folder of canned pages: it filters,
//! sorts and pages like the service it stands in for, and refuses what that refuses. The program
//! talks to it as to any other explorer.

mod accept;
mod cursor;
mod decimal;
mod demo_chain;
mod error;
mod lists;
mod models;
mod query_params;
mod redirects;
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

pub use demo_chain::{DemoDataError, HIGHLIGHTS, Highlight};
pub use store::Store;

/// How the service is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemoServerOptions {
    /// The port to listen on; 0 lets the system choose.
    pub port: u16,
    /// Items on a page, at least one.
    pub page_size: usize,
}

impl Default for DemoServerOptions {
    fn default() -> Self {
        Self { port: 0, page_size: 50 }
    }
}

/// A running service on 127.0.0.1. Dropping it stops it.
#[derive(Debug)]
pub struct DemoServer {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl DemoServer {
    /// Starts serving the demo chain.
    pub async fn start(options: DemoServerOptions) -> io::Result<Self> {
        let ledger = Store::demo().map_err(io::Error::other)?;
        Self::serve(Arc::new(ledger), options).await
    }

    /// Starts serving a ledger, which other services may share.
    pub async fn serve(ledger: Arc<Store>, options: DemoServerOptions) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
        let address = listener.local_addr()?;
        let router = routes::router(ledger, options.page_size.max(1));
        let task = tokio::spawn(accept::accept_connections(listener, router));
        Ok(Self { address, task })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops the service, and returns when its port is free again.
    pub async fn stop(mut self) {
        self.task.abort();
        // The error says that the task was stopped, which is what was wanted.
        let _ = (&mut self.task).await;
    }
}

impl Drop for DemoServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

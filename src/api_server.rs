//! A local HTTP server that serves a chain through Blockscout's read API.
//!
//! It filters, sorts, pages and rejects requests like the service it stands in for, so the client
//! uses it like any other explorer. The objects of the API are called `…Response` here, as the client
//! has types of the same names.
//!
//! `routes` maps a path to a handler in `lists`, `responses`, `search` or `stats`, and runs it on a
//! blocking thread with a snapshot of the chain. A handler that lacks older blocks or parts of the
//! state is run again when they are there. A response about a part of the chain has a `coverage`,
//! which Blockscout's do not have, and numbers that depend on the whole chain are `null` in it.

mod accept;
mod block_by_time;
mod coverage;
mod cursor;
mod error;
mod eth_logs;
mod eth_rpc;
mod lists;
mod query_params;
mod redirects;
mod request;
mod responses;
mod routes;
mod search;
mod seen_transactions;
mod stats;

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use futures_util::FutureExt;
use tokio::{net::TcpListener, task::JoinHandle};

use crate::store::ServedChain;

/// Items per page, as explorers have them.
pub const DEFAULT_PAGE_SIZE: u16 = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApiServerOptions {
    /// The port to listen on; 0 lets the system choose.
    pub port: u16,
    /// Items per page, at least one.
    pub page_size: usize,
}

impl Default for ApiServerOptions {
    fn default() -> Self {
        Self { port: 0, page_size: DEFAULT_PAGE_SIZE.into() }
    }
}

/// A server on 127.0.0.1. Dropping it stops it and closes its connections.
#[derive(Debug)]
pub struct ApiServer {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl ApiServer {
    /// Serves a chain, which several servers may share.
    pub async fn start(chain: Arc<dyn ServedChain>, options: ApiServerOptions) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
        let address = listener.local_addr()?;
        // The routes are built by the task: the program draws its first frame meanwhile.
        let serve = async move {
            accept::serve(listener, routes::router(chain, options.page_size.max(1))).await;
        };
        Ok(Self { address, task: tokio::spawn(serve.boxed()) })
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

impl Drop for ApiServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

//! Tables that are loaded on first use.
//!
//! A table that cannot be loaded keeps its error, which every reader gets: unknown rows are never taken
//! for none.

use std::fmt;
use std::sync::{Arc, LazyLock};

use thiserror::Error;

use crate::chain::coverage::BlockCoverage;
use crate::messages::chain_data::ChainDataError;
use crate::messages::node::NodeOutage;

/// Rows cannot be had.
#[derive(Clone, Debug, Error)]
pub enum StoreError {
    /// The bundled data are damaged.
    #[error("{0}")]
    Damaged(Arc<str>),
    /// The rows may be in blocks that are still being indexed.
    #[error("nothing {0}")]
    StillIndexing(BlockCoverage),
    #[error("{0}")]
    Unavailable(NodeOutage),
    /// The node lacks a method or a block.
    #[error("{0}")]
    Unsupported(ChainDataError),
}

impl From<anyhow::Error> for StoreError {
    fn from(error: anyhow::Error) -> Self {
        Self::Damaged(error.to_string().into())
    }
}

pub type StoreResult<T> = Result<T, StoreError>;

type LoadFn<T> = Box<dyn FnOnce() -> StoreResult<T> + Send>;

/// A table that is loaded on first use and then kept. Loading may take milliseconds of computing, so
/// calls belong on a blocking thread. Clones share the rows.
pub struct Table<T>(Arc<LazyLock<StoreResult<T>, LoadFn<T>>>);

impl<T> Clone for Table<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Table<T> {
    pub fn new(load: impl FnOnce() -> anyhow::Result<T> + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(|| Ok(load()?)))))
    }

    pub fn get(&self) -> StoreResult<&T> {
        LazyLock::force(&self.0).as_ref().map_err(Clone::clone)
    }
}

impl<T: Send + 'static> Table<T> {
    /// Creates a table that needs no loading.
    pub fn loaded(value: T) -> Self {
        let table = Self::new(|| Ok(value));
        LazyLock::force(&table.0);
        table
    }

    /// Creates a table that cannot be loaded.
    pub fn failed(error: StoreError) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(|| Err(error)))))
    }
}

impl<T> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").finish_non_exhaustive()
    }
}

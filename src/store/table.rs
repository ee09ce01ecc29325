//! Tables that are loaded on first use.

use std::fmt;
use std::sync::{Arc, LazyLock};

use thiserror::Error;

/// A table cannot be loaded.
#[derive(Clone, Debug, Error)]
#[error("{0}")]
pub struct StoreError(Arc<str>);

impl From<anyhow::Error> for StoreError {
    fn from(error: anyhow::Error) -> Self {
        Self(error.to_string().into())
    }
}

type LoadFn<T> = Box<dyn FnOnce() -> Result<T, StoreError> + Send>;

/// A table that is loaded on first use and then kept. Loading may take milliseconds of computing, so
/// calls belong on a blocking thread.
pub struct Table<T>(LazyLock<Result<T, StoreError>, LoadFn<T>>);

impl<T> Table<T> {
    pub fn new(load: impl FnOnce() -> anyhow::Result<T> + Send + 'static) -> Self {
        Self(LazyLock::new(Box::new(|| Ok(load()?))))
    }

    pub fn get(&self) -> Result<&T, StoreError> {
        self.0.as_ref().map_err(Clone::clone)
    }
}

impl<T> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").finish_non_exhaustive()
    }
}

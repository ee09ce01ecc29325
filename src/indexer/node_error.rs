//! Errors of a node as errors of the chain that is served.

use crate::messages::chain_data::ChainDataError;
use crate::rpc::RpcError;
use crate::store::{CallFailure, StoreError, StoreResult};

/// Names the data of a block that a node refused or failed to provide.
pub(super) fn refused(error: &RpcError, block: u64) -> StoreError {
    match error {
        RpcError::Pruned { .. } => StoreError::Unsupported(ChainDataError::NoState { block }),
        RpcError::Unsupported | RpcError::TooLarge { .. } => {
            StoreError::Unsupported(error.clone().into())
        }
        error => StoreError::Unavailable(error.into()),
    }
}

/// Names the state that a node failed to provide. `None` is the newest block.
pub(super) fn state_error(error: &RpcError, block: Option<u64>) -> StoreError {
    match (error, block) {
        (RpcError::Pruned { .. }, Some(block)) => {
            StoreError::Unsupported(ChainDataError::NoState { block })
        }
        (RpcError::Other { .. } | RpcError::Unsupported, _) => {
            StoreError::Unsupported(error.clone().into())
        }
        _ => StoreError::Unavailable(error.into()),
    }
}

/// Returns the failure of a call by its contract, or names the state that a node failed to provide for it.
pub(super) fn call_failure(error: RpcError, block: Option<u64>) -> StoreResult<CallFailure> {
    match error {
        RpcError::Other { message, data, .. } => {
            Ok(CallFailure { message: (*message).into(), data })
        }
        error => Err(state_error(&error, block)),
    }
}

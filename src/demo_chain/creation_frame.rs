//! The code of a contract in the trace of the transaction that created it.

use alloy_primitives::{Address, Bytes};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::store::ContractCode;

#[derive(Deserialize)]
struct TraceFrame {
    action: FrameAction,
    result: Option<FrameResult>,
}

#[derive(Deserialize)]
struct FrameAction {
    init: Option<Bytes>,
    /// The contract that destroys itself, if the frame is that.
    address: Option<Address>,
}

#[derive(Deserialize)]
struct FrameResult {
    address: Option<Address>,
    code: Option<Bytes>,
}

pub(super) fn created_code(trace: &RawValue, contract: Address) -> ContractCode {
    let frames: Vec<TraceFrame> = serde_json::from_str(trace.get()).unwrap_or_default();
    let is_destroyed = frames.iter().any(|frame| frame.action.address == Some(contract));
    let created = frames.into_iter().find_map(|frame| {
        let result = frame.result.filter(|result| result.address == Some(contract))?;
        Some(ContractCode { creation: frame.action.init, deployed: result.code })
    });
    let code = created.unwrap_or_default();
    if is_destroyed { ContractCode { deployed: Some(Bytes::new()), ..code } } else { code }
}

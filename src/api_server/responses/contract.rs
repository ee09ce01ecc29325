//! Contracts, with the ABI of those that are verified.

use alloy_primitives::Address;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::api_server::{
    error::ApiServerError,
    request::{JsonResult, RequestContext, to_json},
};
use crate::store::ImplementationRecord;

#[derive(Debug, Serialize)]
struct ContractResponse<'a> {
    creation_status: &'static str,
    proxy_type: Option<&'a str>,
    implementations: &'a [ImplementationRecord],
    conflicting_implementations: Option<()>,
    /// The tables have no code.
    creation_bytecode: Option<()>,
    deployed_bytecode: Option<()>,
    #[serde(flatten)]
    verified: Option<VerifiedResponse<'a>>,
}

/// What follows from the source.
#[derive(Debug, Serialize)]
struct VerifiedResponse<'a> {
    name: &'a str,
    abi: &'a RawValue,
    is_verified: bool,
    is_fully_verified: bool,
    language: &'static str,
}

pub(crate) fn contract(request: &RequestContext<'_>, address: Address) -> JsonResult {
    let account = request.snapshot.state.account(address)?.filter(|account| account.is_contract);
    let account = account.ok_or(ApiServerError::NotFound(None))?;
    let name = account.name.as_deref().filter(|_| account.is_verified == Some(true));
    let contracts = request.snapshot.contracts()?;
    let abi = account.abi.as_deref().or_else(|| contracts.abi(name?));
    let verified = name.zip(abi).map(|(name, abi)| VerifiedResponse {
        name,
        abi,
        is_verified: true,
        is_fully_verified: true,
        language: "solidity",
    });
    to_json(&ContractResponse {
        creation_status: "success",
        proxy_type: account.proxy_type.as_deref(),
        implementations: &account.implementations,
        conflicting_implementations: None,
        creation_bytecode: None,
        deployed_bytecode: None,
        verified,
    })
}

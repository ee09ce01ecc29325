//! Contracts, with the ABI and the source of those that are verified or compiled in the project.

use alloy_primitives::{Address, Bytes};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::abi::{ContractAbi, ContractSource};
use crate::api_server::{
    error::ApiServerError,
    request::{JsonResult, RequestContext, to_json},
};
use crate::sanitize::SafeText;
use crate::store::ImplementationRecord;

#[derive(Debug, Serialize)]
struct ContractResponse<'a> {
    creation_status: &'static str,
    proxy_type: Option<&'a str>,
    implementations: &'a [ImplementationRecord],
    conflicting_implementations: Option<()>,
    creation_bytecode: Option<&'a Bytes>,
    deployed_bytecode: Option<&'a Bytes>,
    #[serde(flatten)]
    known: Option<KnownResponse<'a>>,
}

/// Fields that depend on the source.
#[derive(Debug, Serialize)]
struct KnownResponse<'a> {
    name: &'a str,
    abi: &'a RawValue,
    is_verified: Option<bool>,
    is_fully_verified: Option<bool>,
    /// The file of the project with the ABI and the code. Explorers have no such field.
    #[serde(skip_serializing_if = "Option::is_none")]
    compiled_artifact: Option<SafeText>,
    /// As the compiler wrote it. Explorers have no such field either.
    #[serde(skip_serializing_if = "Option::is_none")]
    storage_layout: Option<Box<RawValue>>,
    constructor_args: Option<Bytes>,
    #[serde(flatten)]
    source: Option<&'a ContractSource>,
}

pub(crate) fn contract(request: &RequestContext<'_>, address: Address) -> JsonResult {
    let found = request.snapshot.state.account(address)?.filter(|account| account.has_code());
    let account = found.ok_or(ApiServerError::NotFound(None))?;
    let name = account.name.as_deref().filter(|_| account.has_known_abi());
    let contracts = request.snapshot.contracts()?;
    let artifact = account.artifact.as_ref();
    let abi = artifact.map(|artifact| &*artifact.abi).or_else(|| contracts.abi(name?));
    let source = artifact.map(|artifact| artifact.source());
    let code = request.chain.contract_code(account, request.snapshot)?;
    let known = name.zip(abi).map(|(name, abi)| KnownResponse {
        name,
        abi,
        is_verified: account.is_verified,
        is_fully_verified: account.is_verified,
        compiled_artifact: artifact.map(|artifact| artifact.path()),
        storage_layout: artifact.and_then(|artifact| artifact.storage_layout_json()),
        constructor_args: code.creation.as_ref().and_then(|code| constructor_arguments(abi, code)),
        source: source.as_ref().or_else(|| contracts.source(name)),
    });
    to_json(&ContractResponse {
        creation_status: "success",
        proxy_type: account.proxy_type.as_deref(),
        implementations: &account.implementations,
        conflicting_implementations: None,
        creation_bytecode: code.creation.as_ref(),
        deployed_bytecode: code.deployed.as_ref(),
        known,
    })
}

fn constructor_arguments(abi: &RawValue, creation: &Bytes) -> Option<Bytes> {
    let (start, _) = ContractAbi::parse(abi.get()).ok()?.constructor_arguments(creation)?;
    Some(creation.slice(start..))
}

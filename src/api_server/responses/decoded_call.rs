//! Decoded calldata and custom errors.

use std::iter;

use alloy_primitives::{Address, B256, hex};
use serde::Serialize;
use serde_json::Value;

use crate::{
    abi::{
        AbiValue, Argument, DecodedCall, DecodedRevert, EventArgument, LogEmitter, Selector,
        SpecialFunction, ValueFormat,
    },
    store::{AccountRecord, LogRecord, Snapshot, StoreResult, TransactionRecord},
};

#[derive(Debug, Serialize)]
pub(crate) struct DecodedCallResponse {
    /// `None` for a constructor.
    method_id: Option<String>,
    method_call: String,
    parameters: Vec<ParameterResponse>,
}

#[derive(Debug, Serialize)]
struct ParameterResponse {
    /// Of events only.
    #[serde(skip_serializing_if = "Option::is_none")]
    indexed: Option<bool>,
    name: String,
    #[serde(rename = "type")]
    kind: String,
    value: Value,
}

impl DecodedCallResponse {
    fn new(call: &DecodedCall, data: &[u8]) -> Self {
        let parameters = call.arguments.iter().map(ParameterResponse::from).collect();
        Self::from_parts(call.signature.to_string(), data, parameters)
    }

    fn from_parts(method_call: String, data: &[u8], parameters: Vec<ParameterResponse>) -> Self {
        let method_id = Some(data.get(..4).map(hex::encode).unwrap_or_default());
        Self { method_id, method_call, parameters }
    }
}

impl From<&Argument> for ParameterResponse {
    fn from(argument: &Argument) -> Self {
        let Argument { name, type_name, value } = argument;
        Self {
            indexed: None,
            name: name.to_string(),
            kind: type_name.to_string(),
            value: to_json(value),
        }
    }
}

fn to_json(value: &AbiValue) -> Value {
    match value {
        AbiValue::Array(_, items) | AbiValue::Tuple(_, items) => {
            items.iter().map(to_json).collect()
        }
        AbiValue::String(text) => String::from_utf8_lossy(text).into(),
        AbiValue::Call(bytes, _) | AbiValue::Bytes(bytes) => bytes.to_string().into(),
        _ => value.format_full(ValueFormat::Natural).to_string().into(),
    }
}

/// Decodes the input of a transaction to a contract with a known ABI or a proxy of one, or the creation of a
/// project's contract.
pub(crate) fn decoded_input(
    snapshot: &Snapshot,
    tx: &TransactionRecord,
) -> StoreResult<Option<DecodedCallResponse>> {
    let Some(to) = tx.to else {
        let creation = snapshot.contracts()?.decode_creation(&tx.input);
        let response = |call| DecodedCallResponse::new(&call, &[]);
        return Ok(creation.map(|c| DecodedCallResponse { method_id: None, ..response(c) }));
    };
    let call = decode_call(snapshot, to, &tx.input)?;
    Ok(call.map(|call| DecodedCallResponse::new(&call, &tx.input)))
}

/// Returns the name of the function that a transaction calls, or its selector.
pub(crate) fn method(snapshot: &Snapshot, tx: &TransactionRecord) -> StoreResult<Option<String>> {
    let (Some(to), Some(selector)) = (tx.to, tx.input.get(..4)) else {
        return Ok(None);
    };
    if snapshot.state.account(to)?.is_none_or(|account| account.is_contract == Some(false)) {
        return Ok(None);
    }
    let call = decode_call(snapshot, to, &tx.input)?;
    Ok(Some(call.map_or_else(|| hex::encode_prefixed(selector), |call| call.name.to_string())))
}

/// Returns the name of a function of a contract with a known ABI, which may be the fallback, or its selector.
pub(crate) fn function_name(
    snapshot: &Snapshot,
    contract: Address,
    selector: Selector,
) -> StoreResult<String> {
    let account =
        snapshot.state.running_account(contract)?.filter(|account| account.has_known_abi());
    let names = account.map(contract_names).unwrap_or_default();
    let signatures = snapshot.contracts()?.signatures_of(&names);
    let function = account
        .and_then(|_| signatures.function_name(Some(contract), &names, selector))
        .filter(|(_, source)| !source.is_selector_only());
    let is_proxy = account.is_some_and(|account| !account.implementations.is_empty());
    // The fallback of a proxy calls its implementation.
    let fallback = || {
        let special = signatures.special_functions(contract, &names).filter(|_| !is_proxy)?;
        special.run_by(&selector).map(|function| function.name().to_owned())
    };
    Ok(match function {
        Some((name, _)) => name.to_string(),
        None => fallback().unwrap_or_else(|| hex::encode_prefixed(selector)),
    })
}

/// Returns the function that a call without a selector runs: as the ABI declares it, or the likely one.
pub(crate) fn special_function(
    snapshot: &Snapshot,
    contract: Address,
    is_empty: bool,
) -> StoreResult<SpecialFunction> {
    let account =
        snapshot.state.running_account(contract)?.filter(|account| account.has_known_abi());
    let names = account.map(contract_names).unwrap_or_default();
    let signatures = snapshot.contracts()?.signatures_of(&names);
    let declared = signatures.special_functions(contract, &names);
    let input: &[u8] = if is_empty { &[] } else { &[0] };
    let run = declared.and_then(|declared| declared.run_by(input));
    let likely = if is_empty { SpecialFunction::Receive } else { SpecialFunction::Fallback };
    Ok(run.unwrap_or(likely))
}

fn decode_call(snapshot: &Snapshot, to: Address, input: &[u8]) -> StoreResult<Option<DecodedCall>> {
    // Explorers do not decode calls of accounts that delegate to a contract.
    let account = snapshot.state.account(to)?.filter(|account| account.has_known_abi());
    let Some(account) = account else { return Ok(None) };
    let names = contract_names(account);
    let call = snapshot.contracts()?.signatures_of(&names).decode_call(None, &names, input);
    Ok(call.filter(|call| !call.source.is_selector_only()))
}

/// Decodes a log of a contract with a known ABI or a proxy of one.
pub(crate) fn decoded_event(
    snapshot: &Snapshot,
    log: &LogRecord,
) -> StoreResult<Option<DecodedCallResponse>> {
    let account = snapshot.state.account(log.address)?.filter(|account| account.has_known_abi());
    let Some(account) = account else { return Ok(None) };
    let names = contract_names(account);
    let emitter = LogEmitter { address: log.address, names: &names };
    let signatures = snapshot.contracts()?.signatures_of(&names);
    let event = signatures.decode_event(emitter, &log.topics, &log.data);
    let Some(event) = event.filter(|event| !event.source.is_selector_only()) else {
        return Ok(None);
    };
    let parameters = event.arguments.iter().map(|EventArgument { argument, is_indexed }| {
        ParameterResponse { indexed: Some(*is_indexed), ..argument.into() }
    });
    let id = log.topics.first().map(B256::as_slice).unwrap_or_default();
    let method_call = event.signature.to_string();
    Ok(Some(DecodedCallResponse::from_parts(method_call, id, parameters.collect())))
}

/// Returns the names of a contract and its implementations.
fn contract_names(account: &AccountRecord) -> Vec<&str> {
    let implementations =
        account.implementations.iter().map(|implementation| implementation.name.as_deref());
    iter::once(account.name.as_deref()).chain(implementations).flatten().collect()
}

/// Decodes the revert data of a transaction.
pub(crate) fn decoded_revert(
    snapshot: &Snapshot,
    data: &[u8],
) -> StoreResult<Option<DecodedCallResponse>> {
    let built_in = |declaration: &str, name: &str, value: String| {
        let kind = declaration.split(['(', ' ']).nth(1).unwrap_or_default().to_owned();
        let parameter =
            ParameterResponse { indexed: None, name: name.to_owned(), kind, value: value.into() };
        DecodedCallResponse::from_parts(declaration.to_owned(), data, vec![parameter])
    };
    Ok(match snapshot.contracts()?.signatures().revert_reason(data) {
        DecodedRevert::Custom(call) => Some(DecodedCallResponse::new(&call, data)),
        DecodedRevert::Message(text) => {
            Some(built_in("Error(string reason)", "reason", text.to_string()))
        }
        DecodedRevert::Panic(code) => {
            Some(built_in("Panic(uint256 errorCode)", "errorCode", code.to_string()))
        }
        DecodedRevert::Empty | DecodedRevert::Text(_) | DecodedRevert::Unknown { .. } => None,
    })
}

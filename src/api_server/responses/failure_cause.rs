//! The usual cause of a failure without revert data.

use std::sync::Arc;

use serde_json::value::RawValue;

use crate::abi::{ContractAbi, RejectedCall, SourceLine, precompile_number};
use crate::api_server::request::RequestContext;
use crate::chain::Address;
use crate::chain::hash_abbreviation::abbreviate;
use crate::messages::failure::FailureCause;
use crate::sanitize::SafeText;
use crate::store::{AccountRecord, Snapshot, StoreResult};
use crate::trace::CallTree;

const REVERT: u8 = 0xfd;
const INVALID: u8 = 0xfe;
/// Instructions by the version of the EVM that has them first.
const LATER_INSTRUCTIONS: [(u8, &str, &str); 8] = [
    (0x48, "BASEFEE", "London"),
    (0x5f, "PUSH0", "Shanghai"),
    (0x49, "BLOBHASH", "Cancun"),
    (0x4a, "BLOBBASEFEE", "Cancun"),
    (0x5c, "TLOAD", "Cancun"),
    (0x5d, "TSTORE", "Cancun"),
    (0x5e, "MCOPY", "Cancun"),
    (0x1e, "CLZ", "Osaka"),
];
/// Words in the errors of nodes for an instruction that they do not know.
const INVALID_WORDS: [&str; 3] = ["instruction", "opcode", "notactivated"];

/// Returns the cause of a call's failure by the ABI of its contract, or by the call that it made last.
pub(super) fn cause_by_calls(
    request: &RequestContext<'_>,
    tree: &CallTree,
    call: u32,
) -> StoreResult<Option<FailureCause>> {
    let reverted = tree.get(call).filter(|_| is_bare_revert(tree, call));
    let Some(frame) = reverted else { return Ok(None) };
    let snapshot = request.snapshot;
    let init_code = creation_input(tree, call);
    let (contract, abi) = match &init_code {
        Some(init_code) => created_contract(request, init_code),
        None => called_contract(snapshot, tree.target_address(call))?,
    };
    let calldata = tree.hex(frame.input, usize::MAX).unwrap_or_default();
    let value = tree.value(call).unwrap_or_default();
    let rejected = RejectedCall { calldata: init_code.is_none().then_some(&calldata), value };
    let abi = abi.and_then(|abi| ContractAbi::parse(abi.get()).ok());
    let rejection = abi.and_then(|abi| abi.rejection(rejected));
    if let (Some(why), Some(contract)) = (rejection, contract) {
        return Ok(Some(FailureCause::Rejected { contract, why }));
    }
    let Some(called) = last_unanswered(tree, call) else { return Ok(None) };
    let account = snapshot.state.account(called)?;
    let has_no_code = account.is_some_and(|account| account.is_contract == Some(false));
    Ok(has_no_code.then(|| FailureCause::NoCode { account: name(called, account) }))
}

/// Returns the account of the last call that a call made, if it was one of a function and returned nothing.
fn last_unanswered(tree: &CallTree, call: u32) -> Option<Address> {
    let last = tree.children(call).last()?;
    let called = tree.get(last).filter(|called| !called.failed())?;
    let has_output = tree.hex_len(called.output) > Some(0);
    tree.selector(last).filter(|_| !has_output)?;
    tree.target_address(last).filter(|account| precompile_number(account).is_none())
}

type NamedAbi = (Option<SafeText>, Option<Arc<RawValue>>);

fn created_contract(request: &RequestContext<'_>, init_code: &[u8]) -> NamedAbi {
    let compiled = request.chain.compiled();
    let created = compiled.as_ref().and_then(|all| all.artifacts.find_creation(init_code));
    (created.map(|created| created.name.clone()), created.map(|created| created.abi.clone()))
}

fn called_contract(snapshot: &Snapshot, code: Option<Address>) -> StoreResult<NamedAbi> {
    let account = code.map(|code| snapshot.state.running_account(code)).transpose()?.flatten();
    // A library has the value of the call that delegates to it, and checks none. Types of its own are in selectors.
    let artifact = account
        .and_then(|account| account.artifact.as_ref())
        .filter(|artifact| !artifact.is_library());
    Ok((code.map(|code| name(code, account)), artifact.map(|artifact| artifact.abi.clone())))
}

/// Returns the cause of a call's failure by the line that it ended at, and by its last instruction.
pub(super) fn cause_by_end(
    tree: &CallTree,
    call: u32,
    line: Option<&SourceLine>,
    instruction: Option<u8>,
) -> Option<FailureCause> {
    if is_bare_revert(tree, call) {
        let text = line.filter(|line| line.is_exact)?.text()?;
        return if text.contains("require(") {
            Some(FailureCause::RequireWithoutReason)
        } else {
            text.contains("revert(").then_some(FailureCause::RevertWithoutReason)
        };
    }
    let error = tree.text(tree.get(call)?.error)?.to_lowercase();
    if error.contains("collision") {
        return Some(FailureCause::AddressInUse);
    }
    let code = instruction.filter(|_| INVALID_WORDS.iter().any(|word| error.contains(word)))?;
    let later = LATER_INSTRUCTIONS.iter().find(|(later, ..)| *later == code);
    Some(match (code, later) {
        (INVALID, _) => FailureCause::InvalidInstruction,
        (REVERT, _) => return None,
        (code, Some((_, instruction, version))) => {
            FailureCause::NewerEvm { instruction, code, version }
        }
        (code, None) => FailureCause::UnknownInstruction { code },
    })
}

/// Returns the init code of a creation.
pub(super) fn creation_input(tree: &CallTree, call: u32) -> Option<Vec<u8>> {
    let frame = tree.get(call).filter(|frame| frame.kind.creates())?;
    Some(tree.hex(frame.input, usize::MAX).unwrap_or_default())
}

/// Returns `true` for a revert without data or a reason.
pub(super) fn is_bare_revert(tree: &CallTree, call: u32) -> bool {
    let Some(frame) = tree.get(call) else { return false };
    let error = tree.text(frame.error).unwrap_or_default().to_lowercase();
    error.contains("revert")
        && tree.reason_text(call).is_none()
        && tree.hex_len(frame.output).is_none_or(|length| length == 0)
}

fn name(address: Address, account: Option<&AccountRecord>) -> SafeText {
    let known = account.and_then(|account| account.name.as_deref());
    SafeText::new(&known.map_or_else(|| abbreviate(&address), ToOwned::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::parser::parse_trace;

    #[test]
    fn result_is_expected_only_of_a_function_of_a_contract() {
        let [precompile, account] = ["0", "a"].map(|digit| format!("{}1", digit.repeat(39)));
        for (to, input, is_expected) in [
            (&account, "0x01020304", true),
            (&account, "0x", false),
            (&precompile, "0x01020304", false),
        ] {
            let inner = format!(r#"{{"type":"CALL","to":"0x{to}","input":"{input}"}}"#);
            let trace =
                format!(r#"{{"type":"CALL","error":"execution reverted","calls":[{inner}]}}"#);
            let tree = parse_trace(trace.into());
            assert_eq!(last_unanswered(&tree, 0).is_some(), is_expected, "{to} {input}");
        }
    }
}

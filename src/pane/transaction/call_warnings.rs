//! Warnings about calls, above their arguments: what they permit, and to whom.

use serde_json::Value;

use crate::abi::CallRisk;
use crate::api::decoded_input::JsonText;
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::chain::Address;
use crate::pane::PaneContext;
use crate::ui::document::DocumentEntry;

/// Longer calldata is not decoded for its risks.
const MAX_CALLDATA_BYTES: usize = 64 << 10;

/// Returns the warnings about a transaction, as far as it has an effect: the delegations of one that failed stay.
pub(super) fn transaction_warnings(
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let calls = match transaction.outcome() {
        TransactionOutcome::Dropped => return Vec::new(),
        TransactionOutcome::Failed => Vec::new(),
        _ => call_risks(transaction, cx),
    };
    let signed = transaction.authorization_list.value().into_iter().flatten();
    let risks = signed.filter_map(delegation_risk).chain(calls);
    let name = |address: &Address| cx.short_name(address);
    risks.map(|risk| DocumentEntry::warning(&risk.describe(&name).into())).collect()
}

fn call_risks(transaction: &Transaction, cx: &PaneContext<'_>) -> Vec<CallRisk> {
    let call = || {
        let to = transaction.to.value()?.hash;
        let input = transaction.raw_input.value()?;
        let input = Some(input).filter(|input| input.len() <= MAX_CALLDATA_BYTES)?;
        let names = cx.name_cache.contract_names(Some(to));
        let decoded = transaction.decoded_input.value();
        let declaration = decoded.and_then(|decoded| decoded.method_call.value());
        let declared = declaration.and_then(|declaration| {
            cx.signature_db.decode_declared(declaration, Some(to), &names, input)
        });
        let call = declared.or_else(|| cx.signature_db.decode_call(Some(to), &names, input))?;
        Some(CallRisk::of_call(&call, Some(to)))
    };
    call().unwrap_or_default()
}

/// Returns the risk of an authorization (EIP-7702) that may have taken effect and does not end a delegation.
fn delegation_risk(authorization: &JsonText) -> Option<CallRisk> {
    let fields: Value = serde_json::from_str(&authorization.0).ok()?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let delegate: Address = text("address_hash").or_else(|| text("address"))?.parse().ok()?;
    let is_certain = text("status").is_some();
    let has_effect = text("status").is_none_or(|status| status == "ok") && !delegate.is_zero();
    let authority = text("authority").and_then(|authority| authority.parse().ok());
    has_effect.then_some(CallRisk::Delegation { authority, delegate, is_certain })
}

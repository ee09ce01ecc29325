//! Judgement of one call by its name and its arguments.

use alloy_dyn_abi::DynSolType;
use alloy_primitives::I256;

use super::CallRisk;
use crate::abi::multi_send::MULTI_SEND;
use crate::abi::sol_type::{AbiParameter, SolType};
use crate::abi::value::AbiValue;
use crate::chain::{Address, B256, Bytes, U256};

/// Amounts from 2^128 on are more than any supply.
const UNLIMITED_BITS: usize = 128;
/// The maximum of the type that some tokens have amounts in.
pub(super) const MAX_UINT96: U256 = U256::from_limbs([u64::MAX, u32::MAX as u64, 0, 0]);
/// The operation of a Safe that is a delegatecall.
const DELEGATECALL_OPERATION: U256 = U256::ONE;

/// Returns `true` if an allowance is more than any supply.
pub fn is_unlimited(amount: U256) -> bool {
    amount.bit_len() > UNLIMITED_BITS || amount == MAX_UINT96
}

/// Returns the arguments that give most away: the largest amounts, and the operation of a Safe that runs
/// the code of others.
pub(super) fn worst_values(parameters: &[AbiParameter]) -> Vec<AbiValue> {
    parameters.iter().map(|parameter| worst_value(&parameter.ty)).collect()
}

fn worst_value(kind: &SolType) -> AbiValue {
    match kind {
        SolType::Elementary(DynSolType::Bool) => AbiValue::Bool(true),
        SolType::Elementary(DynSolType::Address) => AbiValue::Address(Address::repeat_byte(1)),
        SolType::Elementary(DynSolType::Uint(8)) => AbiValue::Uint(DELEGATECALL_OPERATION),
        SolType::Elementary(DynSolType::Uint(bits)) => {
            AbiValue::Uint(U256::MAX >> (U256::BITS - (*bits).min(U256::BITS)))
        }
        SolType::Elementary(DynSolType::Int(_)) => AbiValue::Int(I256::ZERO),
        SolType::Elementary(DynSolType::FixedBytes(size)) => {
            AbiValue::FixedBytes(B256::ZERO, *size)
        }
        SolType::Elementary(_) => AbiValue::Bytes(Bytes::new()),
        SolType::Array(item, _) => AbiValue::Array(item.clone(), vec![worst_value(item)]),
        SolType::Tuple(fields) => AbiValue::Tuple(fields.clone(), worst_values(fields)),
    }
}

/// Returns the risks of one call, without the calls inside.
pub(super) fn judge(name: &str, values: &[&AbiValue], to: Option<Address>) -> Vec<CallRisk> {
    use AbiValue::{Address as Account, Array, Bool, FixedBytes, Tuple, Uint};
    let unlimited = |token, spender: &Address, amount: &U256| {
        let risk = CallRisk::UnlimitedApproval { token, spender: *spender };
        if is_unlimited(*amount) { vec![risk] } else { Vec::new() }
    };
    match (name, values) {
        (
            "approve" | "increaseAllowance" | "increaseApproval",
            [Account(spender), Uint(amount)],
        ) => unlimited(to, spender, amount),
        // Permit2.
        ("approve", [Account(token), Account(spender), Uint(amount), Uint(_)]) => {
            unlimited(Some(*token), spender, amount)
        }
        ("setApprovalForAll", [Account(operator), Bool(true)]) => {
            vec![CallRisk::ApprovalForAll { collection: to, operator: *operator }]
        }
        ("permit", [Account(owner), Account(spender), Uint(_), Uint(_), Bool(true), ..]) => {
            let (owner, spender) = (*owner, *spender);
            vec![CallRisk::Permit { token: to, owner, spender, amount: U256::MAX }]
        }
        ("permit", [Account(owner), Account(spender), Uint(amount), ..]) => {
            let (owner, spender, amount) = (*owner, *spender, *amount);
            vec![CallRisk::Permit { token: to, owner, spender, amount }]
        }
        ("permit", [Account(owner), Tuple(_, permit), ..]) => judge_permit2(*owner, permit),
        (
            "transferOwnership"
            | "setOwner"
            | "changeOwner"
            | "changeAdmin"
            | "changeProxyAdmin"
            | "addOwnerWithThreshold"
            | "swapOwner",
            [Account(_), ..],
        ) => judge_owner(name, values, to),
        ("renounceOwnership", []) => vec![CallRisk::NoOwner { contract: to }],
        ("grantRole", [FixedBytes(role, 32), Account(account)]) => {
            vec![CallRisk::Role { contract: to, account: *account, role: *role }]
        }
        ("upgradeTo" | "upgradeToAndCall", [Account(implementation), ..]) => {
            vec![CallRisk::Upgrade { proxy: to, implementation: *implementation }]
        }
        ("upgrade" | "upgradeAndCall", [Account(proxy), Account(implementation), ..]) => {
            vec![CallRisk::Upgrade { proxy: Some(*proxy), implementation: *implementation }]
        }
        ("diamondCut", [Array(_, cuts), ..]) => judge_facets(to, cuts),
        (
            "execTransaction" | "execTransactionFromModule" | "execTransactionFromModuleReturnData",
            [Account(code), _, _, Uint(DELEGATECALL_OPERATION), ..],
        ) => vec![CallRisk::DelegateCall { account: to, code: *code }],
        (MULTI_SEND, [Array(_, transactions)]) => judge_multi_send(transactions),
        ("enableModule", [Account(module)]) => {
            vec![CallRisk::Module { account: to, module: *module }]
        }
        _ => Vec::new(),
    }
}

/// Judges the permit of Permit2, for one token or several.
fn judge_permit2(owner: Address, permit: &[AbiValue]) -> Vec<CallRisk> {
    let [details, AbiValue::Address(spender), ..] = permit else { return Vec::new() };
    let details = match details {
        AbiValue::Array(_, details) => details.iter().collect(),
        details => vec![details],
    };
    let permits = details.into_iter().filter_map(|details| match details {
        AbiValue::Tuple(_, values) => match &values[..] {
            [AbiValue::Address(token), AbiValue::Uint(amount), ..] => {
                let (token, spender, amount) = (Some(*token), *spender, *amount);
                Some(CallRisk::Permit { token, owner, spender, amount })
            }
            _ => None,
        },
        _ => None,
    });
    permits.collect()
}

fn judge_owner(name: &str, values: &[&AbiValue], to: Option<Address>) -> Vec<CallRisk> {
    use AbiValue::Address as Account;
    let (contract, owner) = match (name, values) {
        ("changeProxyAdmin", [Account(proxy), Account(owner)]) => (Some(*proxy), owner),
        ("swapOwner", [Account(_), Account(_), Account(owner)])
        | ("addOwnerWithThreshold", [Account(owner), AbiValue::Uint(_)]) => (to, owner),
        ("changeProxyAdmin" | "swapOwner" | "addOwnerWithThreshold", _) => return Vec::new(),
        (_, [Account(owner)]) => (to, owner),
        _ => return Vec::new(),
    };
    vec![CallRisk::NewOwner { contract, owner: *owner }]
}

/// Judges the operations of a Safe's transactions. The Safe is not in the calldata.
fn judge_multi_send(transactions: &[AbiValue]) -> Vec<CallRisk> {
    let code = |transaction: &AbiValue| match transaction {
        AbiValue::Tuple(_, values) => match &values[..] {
            [AbiValue::Uint(DELEGATECALL_OPERATION), AbiValue::Address(code), ..] => Some(*code),
            _ => None,
        },
        _ => None,
    };
    let codes = transactions.iter().filter_map(code);
    codes.map(|code| CallRisk::DelegateCall { account: None, code }).collect()
}

/// Judges the facets that a diamond gets (ERC-2535).
pub(super) fn judge_facets(diamond: Option<Address>, cuts: &[AbiValue]) -> Vec<CallRisk> {
    let facets = cuts.iter().filter_map(|cut| match cut {
        AbiValue::Tuple(_, values) => match values.first()? {
            AbiValue::Address(facet) => Some(*facet),
            _ => None,
        },
        _ => None,
    });
    let added = facets.filter(|facet| !facet.is_zero());
    added.map(|implementation| CallRisk::Upgrade { proxy: diamond, implementation }).collect()
}

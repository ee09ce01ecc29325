//! Sentences about calls that give something away for good. None of them says that a call is harmless.

use std::fmt;

/// A permission that a call gives, and its receiver. The fields are names or addresses.
#[derive(Debug, strum::Display)]
pub enum RiskMessage<T: fmt::Display> {
    #[strum(to_string = "unlimited approval: {spender} can take all {token} from the sender")]
    UnlimitedApproval { token: T, spender: T },
    #[strum(to_string = "approval for all: {operator} can take every NFT of {collection}")]
    ApprovalForAll { collection: T, operator: T },
    #[strum(to_string = "permit: {spender} can take all {token} from {owner}")]
    UnlimitedPermit { token: T, spender: T, owner: T },
    #[strum(to_string = "permit: {spender} can spend {amount} {token} from {owner}")]
    Permit { token: T, spender: T, owner: T, amount: T },
    #[strum(to_string = "ownership of {contract} goes to {owner}")]
    NewOwner { contract: T, owner: T },
    #[strum(to_string = "no owner: {contract} loses it for good")]
    NoOwner { contract: T },
    #[strum(to_string = "role: {account} gets role {role} of {contract}")]
    Role { contract: T, account: T, role: T },
    #[strum(to_string = "upgrade: {proxy} runs the code of {implementation} from {time} on")]
    Upgrade { proxy: T, implementation: T, time: T },
    #[strum(to_string = "delegatecall: code of {code} acts as {account}, with all it owns")]
    DelegateCall { account: T, code: T },
    #[strum(to_string = "module: {module} can act as {account} without its owners")]
    Module { account: T, module: T },
    #[strum(to_string = "delegation: code of {delegate} acts as {authority} from now on")]
    Delegation { authority: T, delegate: T },
    /// Nodes do not say which authorizations were valid.
    #[strum(to_string = "delegation: code of {delegate} acts as {authority}, if it was valid")]
    PossibleDelegation { authority: T, delegate: T },
    #[strum(to_string = "delegatecall: unverified code of {code} acts as {account}")]
    UnverifiedCode { account: T, code: T },
    /// Of a call that another one only carries.
    #[strum(to_string = "if executed, {risk}")]
    IfExecuted { risk: T },
}

super::sentences! {
    THIS_CONTRACT = "the called contract";
    TOKEN_OF_CALL = "of the called token";
    SIGNER = "the signer";
    SAFE = "the Safe";
    UNREAD_CALLS = "not all calls inside are judged: too many, or too deep";
    AN_ACCOUNT = "an account";
}

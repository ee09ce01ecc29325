//! Judges decoded calls: those that permit others to take tokens or to replace code.
//!
//! A function without a call is judged by the worst arguments that it can be called with.

mod judgement;

use super::call_decoder::Visited;
use super::signatures::Signature;
use super::value::{AbiValue, DecodedCall};
use crate::chain::amount::Grouped;
use crate::chain::{Address, B256, U256};
use crate::messages::call_risk::{self, RiskMessage};
use crate::messages::decoded::DecodedNote;
use crate::sanitize::SafeText;
pub use judgement::is_unlimited;
use judgement::{judge, worst_values};

/// Maximum risks of a call.
const MAX_RISKS: usize = 16;

/// A permission that a call gives or may hide. `None` stands for a contract that is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallRisk {
    UnlimitedApproval {
        token: Option<Address>,
        spender: Address,
    },
    ApprovalForAll {
        collection: Option<Address>,
        operator: Address,
    },
    Permit {
        token: Option<Address>,
        owner: Address,
        spender: Address,
        amount: U256,
    },
    NewOwner {
        contract: Option<Address>,
        owner: Address,
    },
    NoOwner {
        contract: Option<Address>,
    },
    Role {
        contract: Option<Address>,
        account: Address,
        role: B256,
    },
    Upgrade {
        proxy: Option<Address>,
        implementation: Address,
    },
    /// Of a Safe.
    DelegateCall {
        account: Option<Address>,
        code: Address,
    },
    Module {
        account: Option<Address>,
        module: Address,
    },
    /// An account delegates to a contract (EIP-7702).
    Delegation {
        authority: Option<Address>,
        delegate: Address,
        /// `false` if the chain may have skipped it.
        is_certain: bool,
    },
    /// A delegatecall to a contract whose source is not verified.
    UnverifiedCode {
        account: Option<Address>,
        code: Address,
    },
    /// Of a call in the arguments that need not be made.
    IfExecuted(Box<Self>),
    /// Calls in the arguments are too many or too deep to be judged.
    UnreadCalls,
}

impl CallRisk {
    /// Returns the risks of a call to `to`, and of the calls in its arguments, each once.
    pub fn of_call(call: &DecodedCall, to: Option<Address>) -> Vec<Self> {
        let mut risks = Vec::new();
        call.visit_calls(Visited { to, is_made: true }, &mut |call, Visited { to, is_made }| {
            let values: Vec<&AbiValue> =
                call.arguments.iter().map(|argument| &argument.value).collect();
            for risk in judge(&call.name, &values, to) {
                let risk = if is_made { risk } else { Self::IfExecuted(Box::new(risk)) };
                if risks.len() < MAX_RISKS && !risks.contains(&risk) {
                    risks.push(risk);
                }
            }
        });
        risks.extend(call.has_unread_calls.then_some(Self::UnreadCalls));
        risks
    }

    /// Describes the risks of functions by their declarations: what their calls can do at worst, each once.
    pub fn describe_functions(declarations: &[SafeText]) -> Vec<SafeText> {
        let mut described = Vec::new();
        for declaration in declarations {
            let Ok(signature) = Signature::parse(declaration) else { continue };
            let values = worst_values(&signature.inputs);
            let values: Vec<&AbiValue> = values.iter().collect();
            for risk in judge(&signature.name.shown, &values, None) {
                let risk = &risk.describe(&|_| call_risk::AN_ACCOUNT.to_owned());
                let text = SafeText::from(DecodedNote::AtWorst { risk }.to_string().as_str());
                if described.len() < MAX_RISKS && !described.contains(&text) {
                    described.push(text);
                }
            }
        }
        described
    }

    /// Describes the risk with the names of addresses.
    pub fn describe(&self, name: &dyn Fn(&Address) -> String) -> String {
        self.describe_from("now", name)
    }

    fn describe_from(&self, time: &str, name: &dyn Fn(&Address) -> String) -> String {
        let contract = |contract: &Option<Address>| {
            contract.as_ref().map_or_else(|| call_risk::THIS_CONTRACT.to_owned(), name)
        };
        let token = |token: &Option<Address>| {
            token.as_ref().map_or_else(|| call_risk::TOKEN_OF_CALL.to_owned(), name)
        };
        let message = match self {
            Self::UnlimitedApproval { token: of, spender } => {
                RiskMessage::UnlimitedApproval { token: token(of), spender: name(spender) }
            }
            Self::ApprovalForAll { collection, operator } => {
                let (collection, operator) = (contract(collection), name(operator));
                RiskMessage::ApprovalForAll { collection, operator }
            }
            Self::Permit { token: of, owner, spender, amount } => {
                let (token, owner, spender) = (token(of), name(owner), name(spender));
                let amount = (!is_unlimited(*amount)).then(|| Grouped(amount).to_string());
                match amount {
                    Some(amount) => RiskMessage::Permit { token, spender, owner, amount },
                    None => RiskMessage::UnlimitedPermit { token, spender, owner },
                }
            }
            Self::NewOwner { contract: owned, owner } => {
                RiskMessage::NewOwner { contract: contract(owned), owner: name(owner) }
            }
            Self::NoOwner { contract: owned } => RiskMessage::NoOwner { contract: contract(owned) },
            Self::Role { contract: of, account, role } => {
                let (contract, account, role) = (contract(of), name(account), role_name(*role));
                RiskMessage::Role { contract, account, role }
            }
            Self::Upgrade { proxy, implementation } => {
                let (proxy, implementation) = (contract(proxy), name(implementation));
                RiskMessage::Upgrade { proxy, implementation, time: time.to_owned() }
            }
            Self::DelegateCall { account, code } => {
                let account = account.as_ref().map_or_else(|| call_risk::SAFE.to_owned(), name);
                RiskMessage::DelegateCall { account, code: name(code) }
            }
            Self::Module { account, module } => {
                RiskMessage::Module { account: contract(account), module: name(module) }
            }
            Self::Delegation { authority, delegate, is_certain } => {
                let authority =
                    authority.as_ref().map_or_else(|| call_risk::SIGNER.to_owned(), name);
                let delegate = name(delegate);
                if *is_certain {
                    RiskMessage::Delegation { authority, delegate }
                } else {
                    RiskMessage::PossibleDelegation { authority, delegate }
                }
            }
            Self::UnverifiedCode { account, code } => {
                RiskMessage::UnverifiedCode { account: contract(account), code: name(code) }
            }
            Self::IfExecuted(risk) => {
                RiskMessage::IfExecuted { risk: risk.describe_from("then", name) }
            }
            Self::UnreadCalls => return call_risk::UNREAD_CALLS.to_owned(),
        };
        message.to_string()
    }
}

/// Returns the admin's role by its name, and others by their hash.
fn role_name(role: B256) -> String {
    if role.is_zero() { "DEFAULT_ADMIN_ROLE".to_owned() } else { role.to_string() }
}

#[cfg(test)]
mod tests;

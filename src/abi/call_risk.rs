//! Judges decoded calls: those that permit others to take tokens or to replace code.
//!
//! A function without a call is judged by the worst arguments that it can be called with.

use alloy_dyn_abi::DynSolType;
use alloy_primitives::I256;

use super::multi_send::MULTI_SEND;
use super::signatures::Signature;
use super::sol_type::{AbiParameter, SolType};
use super::value::{AbiValue, DecodedCall};
use crate::chain::amount::Grouped;
use crate::chain::{Address, B256, Bytes, U256};
use crate::messages::call_risk::{self, RiskMessage};
use crate::messages::decoded::DecodedNote;
use crate::sanitize::SafeText;

/// Amounts from 2^128 on are more than any supply.
const UNLIMITED_BITS: usize = 128;
/// The maximum of the type that some tokens have amounts in.
const MAX_UINT96: U256 = U256::from_limbs([u64::MAX, u32::MAX as u64, 0, 0]);
/// The operation of a Safe that is a delegatecall.
const DELEGATECALL_OPERATION: U256 = U256::ONE;
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
    },
    /// A delegatecall to a contract whose source is not verified.
    UnverifiedCode {
        account: Option<Address>,
        code: Address,
    },
    /// Calls in the arguments are too many or too deep to be judged.
    UnreadCalls,
}

impl CallRisk {
    /// Returns the risks of a call to `to`, and of the calls in its arguments, each once.
    pub fn of_call(call: &DecodedCall, to: Option<Address>) -> Vec<Self> {
        let mut risks = Vec::new();
        call.visit_calls(to, &mut |call, to| {
            let values: Vec<&AbiValue> =
                call.arguments.iter().map(|argument| &argument.value).collect();
            for risk in judge(&call.name, &values, to) {
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
        let contract = |contract: &Option<Address>| {
            contract.as_ref().map_or_else(|| call_risk::THIS_CONTRACT.to_owned(), name)
        };
        let token = |token: &Option<Address>| {
            token.as_ref().map_or_else(|| call_risk::TOKEN_OF_CALL.to_owned(), name)
        };
        match self {
            Self::UnlimitedApproval { token: of, spender } => {
                RiskMessage::UnlimitedApproval { token: &token(of), spender: &name(spender) }
                    .to_string()
            }
            Self::ApprovalForAll { collection, operator } => {
                let (collection, operator) = (&contract(collection), &name(operator));
                RiskMessage::ApprovalForAll { collection, operator }.to_string()
            }
            Self::Permit { token: of, owner, spender, amount } => {
                let (token, owner, spender) = (&token(of), &name(owner), &name(spender));
                if is_unlimited(*amount) {
                    return RiskMessage::UnlimitedPermit { token, spender, owner }.to_string();
                }
                let amount = &Grouped(amount).to_string();
                RiskMessage::Permit { token, spender, owner, amount }.to_string()
            }
            Self::NewOwner { contract: owned, owner } => {
                RiskMessage::NewOwner { contract: &contract(owned), owner: &name(owner) }
                    .to_string()
            }
            Self::NoOwner { contract: owned } => {
                RiskMessage::NoOwner { contract: &contract(owned) }.to_string()
            }
            Self::Role { contract: of, account, role } => {
                let (contract, account, role) = (&contract(of), &name(account), &role_name(*role));
                RiskMessage::Role { contract, account, role }.to_string()
            }
            Self::Upgrade { proxy, implementation } => {
                let (proxy, implementation) = (&contract(proxy), &name(implementation));
                RiskMessage::Upgrade { proxy, implementation }.to_string()
            }
            Self::DelegateCall { account, code } => {
                let account = &account.as_ref().map_or_else(|| call_risk::SAFE.to_owned(), name);
                RiskMessage::DelegateCall { account, code: &name(code) }.to_string()
            }
            Self::Module { account, module } => {
                RiskMessage::Module { account: &contract(account), module: &name(module) }
                    .to_string()
            }
            Self::Delegation { authority, delegate } => {
                let authority =
                    &authority.as_ref().map_or_else(|| call_risk::SIGNER.to_owned(), name);
                RiskMessage::Delegation { authority, delegate: &name(delegate) }.to_string()
            }
            Self::UnverifiedCode { account, code } => {
                RiskMessage::UnverifiedCode { account: &contract(account), code: &name(code) }
                    .to_string()
            }
            Self::UnreadCalls => call_risk::UNREAD_CALLS.to_owned(),
        }
    }
}

/// Returns the admin's role by its name, and others by their hash.
fn role_name(role: B256) -> String {
    if role.is_zero() { "DEFAULT_ADMIN_ROLE".to_owned() } else { role.to_string() }
}

/// Returns `true` if an allowance is more than any supply.
pub fn is_unlimited(amount: U256) -> bool {
    amount.bit_len() > UNLIMITED_BITS || amount == MAX_UINT96
}

/// Returns the arguments that give most away: the largest amounts, and the operation of a Safe that runs
/// the code of others.
fn worst_values(parameters: &[AbiParameter]) -> Vec<AbiValue> {
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
fn judge(name: &str, values: &[&AbiValue], to: Option<Address>) -> Vec<CallRisk> {
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
fn judge_facets(diamond: Option<Address>, cuts: &[AbiValue]) -> Vec<CallRisk> {
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

#[cfg(test)]
mod tests {
    use alloy_dyn_abi::DynSolType;
    use alloy_primitives::{address, keccak256};

    use super::*;
    use crate::abi::SignatureDb;

    const TO: Address = address!("00000000000000000000000000000000000000aa");
    const BOB: Address = address!("0000000000000000000000000000000000000b0b");
    const TOKEN: Address = address!("0000000000000000000000000000000000070cee");

    fn name(address: &Address) -> String {
        match *address {
            TO => "TO".to_owned(),
            BOB => "Bob".to_owned(),
            TOKEN => "GLD".to_owned(),
            address => address.to_string(),
        }
    }

    /// Encodes a call with arguments as `(BOB, MAX)`.
    fn encode(signature: &str, arguments: &str) -> Vec<u8> {
        let types = &signature[signature.find('(').unwrap()..];
        let arguments = arguments
            .replace("BOB", &BOB.to_string())
            .replace("TOKEN", &TOKEN.to_string())
            .replace("MAX", &U256::MAX.to_string())
            .replace("WORD", &B256::repeat_byte(1).to_string())
            .replace("ZERO", &B256::ZERO.to_string());
        let values = DynSolType::parse(types).unwrap().coerce_str(&arguments).unwrap();
        [&keccak256(signature)[..4], &values.abi_encode_params()].concat()
    }

    fn risks(data: &[u8]) -> Vec<String> {
        let decoded = SignatureDb::builtin().decode_call(Some(TO), &[], data).unwrap();
        CallRisk::of_call(&decoded, Some(TO)).iter().map(|risk| risk.describe(&name)).collect()
    }

    #[test]
    fn unlimited_amounts_have_more_than_128_bits() {
        let bits = |count: usize| U256::MAX >> (U256::BITS - count);
        assert_eq!([128, 129].map(bits).map(is_unlimited), [false, true]);
        assert_eq!([MAX_UINT96 - U256::ONE, MAX_UINT96].map(is_unlimited), [false, true]);
    }

    #[test]
    fn first_risks_are_described() {
        let approve = |n: u8| {
            let arguments = format!("({}, MAX)", Address::with_last_byte(n));
            alloy_primitives::hex::encode_prefixed(encode("approve(address,uint256)", &arguments))
        };
        let calls: Vec<String> = (1..=17).map(approve).collect();
        let data = encode("multicall(bytes[])", &format!("([{}])", calls.join(", ")));
        assert_eq!(risks(&data).len(), MAX_RISKS);
    }

    #[test]
    fn removed_facets_are_no_upgrade() {
        let cut =
            |facet: Address| AbiValue::Tuple(Vec::new().into(), vec![AbiValue::Address(facet)]);
        assert_eq!(judge_facets(Some(TO), &[cut(Address::ZERO)]), []);
        assert_eq!(judge_facets(Some(TO), &[cut(BOB)]).len(), 1);
    }

    #[test]
    fn permissions_are_described() {
        let permit2 = "permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)";
        for (signature, arguments, risk) in [
            (
                "approve(address,uint256)",
                "(BOB, MAX)",
                "unlimited approval: Bob can take all TO from the sender",
            ),
            (
                "approve(address,address,uint160,uint48)",
                "(TOKEN, BOB, 1461501637330902918203684832716283019655932542975, 9)",
                "unlimited approval: Bob can take all GLD from the sender",
            ),
            (
                "setApprovalForAll(address,bool)",
                "(BOB, true)",
                "approval for all: Bob can take every NFT of TO",
            ),
            (
                "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
                "(TOKEN, BOB, 5000, 9, 27, WORD, WORD)",
                "permit: Bob can spend 5,000 TO from GLD",
            ),
            (
                "permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)",
                "(TOKEN, BOB, 0, 9, true, 27, WORD, WORD)",
                "permit: Bob can take all TO from GLD",
            ),
            (
                permit2,
                "(TO, ((TOKEN, 7, 1, 1), BOB, 9), 0x01)",
                "permit: Bob can spend 7 GLD from TO",
            ),
            ("transferOwnership(address)", "(BOB)", "ownership of TO goes to Bob"),
            ("renounceOwnership()", "()", "no owner: TO loses it for good"),
            (
                "grantRole(bytes32,address)",
                "(ZERO, BOB)",
                "role: Bob gets role DEFAULT_ADMIN_ROLE of TO",
            ),
            ("upgradeTo(address)", "(BOB)", "upgrade: TO runs the code of Bob from now on"),
            (
                "upgradeToAndCall(address,bytes)",
                "(BOB, 0x)",
                "upgrade: TO runs the code of Bob from now on",
            ),
            (
                "execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)",
                "(BOB, 0, 0x, 1, 0, 0, 0, BOB, BOB, 0x)",
                "delegatecall: code of Bob acts as TO, with all it owns",
            ),
            ("enableModule(address)", "(BOB)", "module: Bob can act as TO without its owners"),
        ] {
            let arguments = arguments.replace("(TO,", &format!("({TO},"));
            assert_eq!(risks(&encode(signature, &arguments)), [risk], "{signature}");
        }
    }

    #[test]
    fn functions_are_judged_by_their_worst_arguments() {
        let worst = |declaration: &str| CallRisk::describe_functions(&[declaration.into()]);
        for (declaration, risk) in [
            (
                "approve(address spender, uint256 amount)",
                "unlimited approval: an account can take all of the called token from the sender",
            ),
            (
                "setApprovalForAll(address,bool)",
                "approval for all: an account can take every NFT of the called contract",
            ),
            ("transferOwnership(address)", "ownership of the called contract goes to an account"),
            ("renounceOwnership()", "no owner: the called contract loses it for good"),
            (
                "upgradeTo(address)",
                "upgrade: the called contract runs the code of an account from now on",
            ),
            (
                "diamondCut((address facetAddress, uint8 action, bytes4[] selectors)[] cuts, address init, bytes data)",
                "upgrade: the called contract runs the code of an account from now on",
            ),
            (
                "execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)",
                "delegatecall: code of an account acts as the Safe, with all it owns",
            ),
        ] {
            let expected = SafeText::from(format!("at worst: {risk}").as_str());
            assert_eq!(worst(declaration), [expected], "{declaration}");
        }
        for harmless in ["transfer(address,uint256)", "deposit()", "not a signature"] {
            assert_eq!(worst(harmless), [], "{harmless}");
        }
        let approve = SafeText::from("approve(address,uint256)");
        assert_eq!(CallRisk::describe_functions(&[approve.clone(), approve]).len(), 1);
    }

    #[test]
    fn limited_approvals_have_no_risk() {
        for (signature, arguments) in [
            ("approve(address,uint256)", "(BOB, 1000000000000000000000000)"),
            ("setApprovalForAll(address,bool)", "(BOB, false)"),
            ("transfer(address,uint256)", "(BOB, MAX)"),
            (
                "execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)",
                "(BOB, 0, 0x, 0, 0, 0, 0, BOB, BOB, 0x)",
            ),
        ] {
            assert_eq!(risks(&encode(signature, arguments)), [""; 0], "{signature}");
        }
    }

    #[test]
    fn transactions_of_multi_send_are_judged() {
        let approve = encode("approve(address,uint256)", "(BOB, MAX)");
        let packed = |operation, to: Address, data: &[u8]| {
            let length = B256::from(U256::from(data.len()));
            [&[operation], &to[..], &[0; 32], &length[..], data].concat()
        };
        let packed = [packed(0, TOKEN, &approve), packed(1, BOB, &[])].concat();
        let packed = alloy_primitives::hex::encode_prefixed(packed);
        assert_eq!(
            risks(&encode("multiSend(bytes)", &format!("({packed})"))),
            [
                "delegatecall: code of Bob acts as the Safe, with all it owns",
                "unlimited approval: Bob can take all GLD from the sender",
            ]
        );
    }

    #[test]
    fn calls_inside_are_judged_by_their_own_target() {
        let approve = alloy_primitives::hex::encode_prefixed(encode(
            "approve(address,uint256)",
            "(BOB, MAX)",
        ));
        let of_self = encode("multicall(bytes[])", &format!("([{approve}, {approve}])"));
        assert_eq!(risks(&of_self), ["unlimited approval: Bob can take all TO from the sender"]);
        let of_other =
            encode("aggregate3((address,bool,bytes)[])", &format!("([(TOKEN, true, {approve})])"));
        assert_eq!(risks(&of_other), ["unlimited approval: Bob can take all GLD from the sender"]);
    }

    #[test]
    fn calls_beyond_the_limits_are_a_risk() {
        let hex = alloy_primitives::hex::encode_prefixed::<Vec<u8>>;
        let multicall =
            |calls: &[String]| encode("multicall(bytes[])", &format!("([{}])", calls.join(", ")));
        let harmless = hex(encode("transfer(address,uint256)", "(BOB, 1)"));
        assert_eq!(risks(&multicall(&vec![harmless.clone(); 256])), [""; 0]);
        assert_eq!(risks(&multicall(&vec![harmless.clone(); 257])), [call_risk::UNREAD_CALLS]);
        let nested = |depth| (0..depth).fold(harmless.clone(), |call, _| hex(multicall(&[call])));
        let bytes = |call: &str| alloy_primitives::hex::decode(call).unwrap();
        assert_eq!(risks(&bytes(&nested(8))), [""; 0]);
        assert_eq!(risks(&bytes(&nested(9))), [call_risk::UNREAD_CALLS]);
    }
}

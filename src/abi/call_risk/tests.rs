use std::slice;
use std::sync::Arc;

use alloy_dyn_abi::DynSolType;
use alloy_primitives::{address, keccak256};

use super::judgement::{MAX_UINT96, judge, judge_facets};
use super::*;
use crate::abi::SignatureDb;
use crate::abi::sol_type::SolType;

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
    let cut = |facet: Address| AbiValue::Tuple(Vec::new().into(), vec![AbiValue::Address(facet)]);
    assert_eq!(judge_facets(Some(TO), &[cut(Address::ZERO)]), []);
    assert_eq!(judge_facets(Some(TO), &[cut(BOB)]).len(), 1);
}

#[test]
fn functions_that_approve_have_several_names() {
    let (bob, max) = (AbiValue::Address(BOB), AbiValue::Uint(U256::MAX));
    let risk = CallRisk::UnlimitedApproval { token: Some(TO), spender: BOB };
    for name in ["approve", "increaseAllowance", "increaseApproval"] {
        assert_eq!(judge(name, &[&bob, &max], Some(TO)), slice::from_ref(&risk), "{name}");
    }
}

#[test]
fn last_address_of_a_swap_is_the_new_owner() {
    let [before, old, new] = [TO, TOKEN, BOB].map(AbiValue::Address);
    let risk = CallRisk::NewOwner { contract: Some(TO), owner: BOB };
    assert_eq!(judge("swapOwner", &[&before, &old, &new], Some(TO)), [risk]);
}

#[test]
fn permit_of_several_tokens_is_a_risk_for_each() {
    let tuple = |values: Vec<AbiValue>| AbiValue::Tuple(Vec::new().into(), values);
    let details = [(TOKEN, 7_u8), (TO, 9)].map(|(token, amount)| {
        tuple(vec![AbiValue::Address(token), AbiValue::Uint(U256::from(amount))])
    });
    let item = Arc::new(SolType::Elementary(DynSolType::Bytes));
    let details = AbiValue::Array(item, details.to_vec());
    let (owner, permit) = (AbiValue::Address(TO), tuple(vec![details, AbiValue::Address(BOB)]));
    let risks = judge("permit", &[&owner, &permit], None);
    let described: Vec<String> = risks.iter().map(|risk| risk.describe(&name)).collect();
    let expected = ["permit: Bob can spend 7 GLD from TO", "permit: Bob can spend 9 TO from TO"];
    assert_eq!(described, expected);
}

#[test]
fn call_that_is_only_carried_would_do_it() {
    let upgrade = alloy_primitives::hex::encode_prefixed(encode("upgradeTo(address)", "(BOB)"));
    let scheduled = encode(
        "schedule(address,uint256,bytes,bytes32,bytes32,uint256)",
        &format!("({TO}, 0, {upgrade}, WORD, WORD, 9)"),
    );
    let risk = "if executed, upgrade: TO runs the code of Bob from then on";
    assert_eq!(risks(&scheduled), [risk]);
    let made = encode("multicall(bytes[])", &format!("([{upgrade}])"));
    assert_eq!(risks(&made), ["upgrade: TO runs the code of Bob from now on"]);
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
        (permit2, "(TO, ((TOKEN, 7, 1, 1), BOB, 9), 0x01)", "permit: Bob can spend 7 GLD from TO"),
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
        assert!(worst(harmless).is_empty(), "{harmless}");
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
    let approve =
        alloy_primitives::hex::encode_prefixed(encode("approve(address,uint256)", "(BOB, MAX)"));
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

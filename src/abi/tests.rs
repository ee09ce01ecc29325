//! Tests with real calls, arbitrary values and arbitrary bytes.

use std::path::Path;

use alloy_dyn_abi::{DynSolType, DynSolValue};
use alloy_primitives::{I256, hex, keccak256};
use proptest::prelude::*;

use super::signatures::Signature;
use super::*;
use crate::chain::{Address, B256, U256};
use crate::sanitize::SafeText;

const TOKEN: &str = r#"[{"type":"function","name":"transfer","inputs":[
    {"name":"heir","type":"address"},{"name":"wad","type":"uint256"}],
    "outputs":[{"name":"","type":"bool"}]}]"#;

/// Encodes a call with the selector of `signature`.
fn encoded(signature: &str, values: Vec<DynSolValue>) -> Vec<u8> {
    let signature = Signature::parse(signature).unwrap();
    let mut out = signature.selector().to_vec();
    out.extend(DynSolValue::Tuple(values).abi_encode_params());
    out
}

fn transfer() -> Vec<u8> {
    let to = Address::repeat_byte(0x11);
    encoded("transfer(address,uint256)", vec![to.into(), U256::from(5).into()])
}

fn embedded(input: &[u8]) -> Option<DecodedCall> {
    SignatureDb::builtin().decode_call(None, &[], input)
}

fn format_lines(lines: &[ValueLine<'_>]) -> Vec<String> {
    let one = |line: &ValueLine<'_>| {
        format!(
            "{}{} {} = {}",
            "  ".repeat(line.depth),
            line.type_name,
            line.label,
            line.value.summary()
        )
    };
    lines.iter().map(one).collect()
}

#[test]
fn builtin_match_is_a_guess() {
    let decoded = embedded(&transfer()).unwrap();
    assert_eq!(&*decoded.signature, "transfer(address to, uint256 amount)");
    assert_eq!(&*decoded.summary(), "transfer?(0x1111111111111111111111111111111111111111, 5)");
    assert_eq!(decoded.source, SignatureSource::BuiltIn("ERC-20"));
    assert!(decoded.is_guess());
    assert_eq!(decoded.trailing_bytes, 0);
    let db = SignatureDb::builtin();
    let yes = B256::with_last_byte(1);
    let returned = db.decode_output(&decoded, yes.as_slice()).unwrap();
    assert_eq!(returned.len(), 1);
    assert_eq!((&*returned[0].type_name, &*returned[0].value.summary()), ("bool", "true"));
    // Two is not a bool, and a bool is one word.
    assert_eq!(db.decode_output(&decoded, B256::with_last_byte(2).as_slice()), None);
    assert_eq!(db.decode_output(&decoded, &[0; 64]), None);
    assert_eq!(db.decode_output(&decoded, &[]), None);
    let nothing = embedded(&encoded("pause()", vec![])).unwrap();
    assert_eq!(db.decode_output(&nothing, &[]), Some(vec![]));
    assert_eq!(db.decode_output(&nothing, &[0; 32]), None);
}

#[test]
fn user_abis_take_precedence() {
    let to = Address::repeat_byte(0xaa);
    let mut db = SignatureDb::builtin();
    let source = |db: &SignatureDb, names: &[&str]| {
        let decoded = db.decode_call(Some(to), names, &transfer()).unwrap();
        (decoded.source.clone(), decoded.is_guess(), decoded.arguments[0].name.to_string())
    };
    db.add_abi(Path::new("out/T.sol/Token.json"), TOKEN).unwrap();
    let parameter = || "heir".to_owned();
    assert_eq!(source(&db, &[]), (SignatureSource::OtherAbi("Token".into()), true, parameter()));
    db.add_signature("transfer(address dst, uint wad)").unwrap();
    assert_eq!(source(&db, &[]), (SignatureSource::User, false, "dst".to_owned()));
    let contract = SignatureSource::Contract("Token".into());
    assert_eq!(source(&db, &["Proxy", "Token"]), (contract, false, parameter()));
    db.add_abi(Path::new(&format!("{to:#x}.json")), TOKEN).unwrap();
    assert_eq!(source(&db, &["Token"]), (SignatureSource::Address(to), false, parameter()));
    assert_eq!(db.decode_call(None, &[], &transfer()).unwrap().source, SignatureSource::User);
    assert!(SignatureSource::Address(to).describe().starts_with("your ABI of 0xaAaA"));
}

#[test]
fn names_that_are_no_identifiers_are_quoted_and_cut() {
    const ODD: &str = "transfer(address to) ✓ verified «alice» 0x12";
    const QUOTED: &str = "“transfer(address to) ✓ v…”";
    let inputs = format!(r#""inputs":[{{"name":"{ODD}","type":"bool"}}]"#);
    let entry = |kind: &str| format!(r#"{{"type":"{kind}","name":"{ODD}",{inputs}}}"#);
    let abi = format!("[{},{},{}]", entry("function"), entry("error"), entry("event"));
    let hash = keccak256(format!("{ODD}(bool)"));
    let data = [&hash[..4], B256::with_last_byte(1).as_slice()].concat();
    let shown = format!("{QUOTED}(bool {QUOTED})");

    let to = Address::repeat_byte(0xaa);
    let mut explorer = SignatureDb::default();
    explorer.add_explorer_abi(to, &"A".into(), &abi).unwrap();
    let mut own = SignatureDb::default();
    own.add_abi(Path::new("A.json"), &abi).unwrap();
    for db in [&own, &explorer] {
        let decoded = db.decode_call(Some(to), &["A"], &data).unwrap();
        assert_eq!((&*decoded.name, &*decoded.signature), (QUOTED, &*shown));
        assert_eq!(&*decoded.arguments[0].name, QUOTED);
        assert!(db.revert_reason(&data).describe().starts_with(QUOTED));
    }
    let emitter = LogEmitter { address: to, names: &["A"] };
    let event = own.decode_event(emitter, &[hash], B256::ZERO.as_slice()).unwrap();
    assert_eq!((&*event.name, &*event.signature), (QUOTED, &*shown));
    let listed = ContractAbi::parse(&abi).unwrap();
    let functions = listed.functions.iter().map(AbiFunction::declaration);
    assert!(
        functions
            .chain(listed.events.iter().map(|event| event.declaration.clone()))
            .all(|text| *text == *shown),
        "{listed:?}"
    );
    let mut looked_up = SignatureDb::default();
    let sent = [SafeText::new(&format!("{ODD}(bool)"))];
    let selector = [hash[0], hash[1], hash[2], hash[3]];
    assert!(looked_up.add_database_signatures(SignatureHash::Selector(selector), &sent).is_empty());
    assert!(looked_up.add_signature(&sent[0]).is_err());
}

#[test]
fn typed_signature_is_found_by_selector() {
    let mut db = SignatureDb::default();
    assert_eq!(db.add_signature("transfer(address,uint)"), Ok(hex!("a9059cbb")));
    assert!(db.decode_call(None, &[], &transfer()).is_some());
    assert!(db.add_signature("transfer(adress)").is_err());
    db.add_signature("error Broke(uint256 by)").unwrap();
    let data = encoded("Broke(uint256)", vec![U256::from(7).into()]);
    assert_eq!(&*db.revert_reason(&data).describe(), "Broke(7)");
    assert_eq!(db.decode_call(None, &[], &data), None);
    // Without a keyword it matches both.
    db.add_signature("Short(uint256 by)").unwrap();
    let data = encoded("Short(uint256)", vec![U256::from(7).into()]);
    assert!(db.decode_call(None, &[], &data).is_some());
    assert_eq!(&*db.revert_reason(&data).describe(), "Short(7)");
}

#[test]
fn data_that_do_not_encode_back_are_refused() {
    let good = transfer();
    let with = |at: usize, byte: u8| {
        let mut data = good.clone();
        data[at] = byte;
        data
    };
    assert!(embedded(&with(35, 9)).is_some());
    assert_eq!(embedded(&with(4, 1)), None, "an address has twelve zeros before it");
    assert_eq!(embedded(&good[..good.len() - 1]), None);
    assert_eq!(embedded(&good[..3]), None);
    let special = |input: &[u8]| SpecialFunction::of_calldata(input).map(SpecialFunction::name);
    assert_eq!([special(&[]), special(&good[..3])], [Some("receive"), Some("fallback")]);
    assert_eq!(special(&good), None);
}

#[test]
fn words_with_invalid_padding_are_refused() {
    let fits = |kind: &str, word: &str| {
        let mut db = SignatureDb::default();
        let selector = db.add_signature(&format!("f({kind})")).unwrap();
        let word = hex::decode(word).unwrap();
        db.decode_call(None, &[], &[&selector[..], &word].concat()).is_some()
    };
    let zeroes = "00".repeat(31);
    let ones = "ff".repeat(31);
    for (kind, word, expected) in [
        ("uint8", format!("{zeroes}ff"), true),
        ("uint8", format!("{}0100", "00".repeat(30)), false),
        ("int8", format!("{zeroes}7f"), true),
        ("int8", format!("{zeroes}80"), false),
        ("int8", format!("{ones}80"), true),
        ("int8", format!("{ones}7f"), false),
        ("int256", format!("80{zeroes}"), true),
        ("bytes1", format!("ff{zeroes}"), true),
        ("bytes1", format!("{zeroes}ff"), false),
        ("bool", format!("{zeroes}01"), true),
        ("bool", format!("{zeroes}02"), false),
        ("address", format!("01{zeroes}"), false),
        ("function", format!("01{zeroes}"), true),
        ("function", format!("{zeroes}01"), false),
    ] {
        assert_eq!(fits(kind, &word), expected, "{kind} {word}");
    }
}

#[test]
fn trailing_bytes_are_counted() {
    let with = |tail: &[u8]| [&transfer(), tail].concat();
    assert_eq!(embedded(&with(&[7; 32])).unwrap().trailing_bytes, 32);
    assert_eq!(embedded(&with(&[0; 5])).unwrap().trailing_bytes, 5);
    // Not ABI-like: accepted only for a signature of the user.
    assert_eq!(embedded(&with(&[7; 5])), None);
    let mut db = SignatureDb::builtin();
    db.add_signature("transfer(address,uint256)").unwrap();
    assert_eq!(db.decode_call(None, &[], &with(&[7; 5])).unwrap().trailing_bytes, 5);
}

#[test]
fn colliding_selectors_are_distinguished_by_arguments() {
    // A known collision: both have the selector 42966c68.
    let burn = "burn(uint256 amount)";
    let other = "collate_propagate_storage(bytes16 x)";
    let mut db = SignatureDb::default();
    assert_eq!(db.add_signature(burn), db.add_signature(other));
    let call = |value: DynSolValue| db.decode_call(None, &[], &encoded(burn, vec![value])).unwrap();
    let small = call(U256::from(5).into());
    assert_eq!((&*small.name, small.alternatives.len(), small.is_guess()), ("burn", 0, false));
    let both = call(DynSolValue::Uint(U256::from(5) << 200, 256));
    assert_eq!(both.alternatives, [SafeText::new(other)]);
    assert!(both.is_guess());
}

#[test]
fn signature_that_leaves_no_bytes_is_preferred() {
    // A known collision: both have the selector 70a08231.
    let longer = "passphrase_calculate_transfer(uint64 x, address y)";
    let mut db = SignatureDb::default();
    assert_eq!(db.add_signature("balanceOf(address)"), db.add_signature(longer));
    let values = vec![U256::from(5).into(), Address::repeat_byte(1).into()];
    let call = db.decode_call(None, &[], &encoded(longer, values)).unwrap();
    assert_eq!((&*call.name, call.trailing_bytes), ("passphrase_calculate_transfer", 0));
}

#[test]
fn nested_calls_are_decoded() {
    let inner = DynSolValue::Bytes(transfer());
    let calls = DynSolValue::Array(vec![
        DynSolValue::Tuple(vec![Address::repeat_byte(0xbb).into(), false.into(), inner.clone()]),
        DynSolValue::Tuple(vec![Address::ZERO.into(), true.into(), DynSolValue::Bytes(vec![1; 9])]),
    ]);
    let data = encoded("aggregate3((address,bool,bytes)[])", vec![calls]);
    let mut db = SignatureDb::builtin();
    db.add_abi(Path::new(&format!("{:#x}.json", Address::repeat_byte(0xbb))), TOKEN).unwrap();
    let decoded = db.decode_call(None, &[], &data).unwrap();
    assert_eq!(
        format_lines(&ValueLine::of_arguments(&decoded.arguments, 1_000)),
        [
            "(address,bool,bytes)[] calls = [2 items]",
            "  (address,bool,bytes) [0] = (target: 0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB, …)",
            "    address target = 0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB",
            "    bool allowFailure = false",
            "    bytes callData = transfer(0x1111111111111111111111111111111111111111, 5)",
            "      address heir = 0x1111111111111111111111111111111111111111",
            "      uint256 wad = 5",
            "  (address,bool,bytes) [1] = (target: 0x0000000000000000000000000000000000000000, …)",
            "    address target = 0x0000000000000000000000000000000000000000",
            "    bool allowFailure = true",
            "    bytes callData = 0x010101010101010101",
        ]
    );
    // Bytes of a function that carries no calls are a call only if nothing trails.
    let send = |bytes: Vec<u8>| {
        let to = Address::ZERO.into();
        let values = vec![to, U256::ZERO.into(), DynSolValue::Bytes(bytes)];
        let decoded = embedded(&encoded("send(address,uint256,bytes)", values)).unwrap();
        matches!(decoded.arguments[2].value, AbiValue::Call(..))
    };
    assert!(send(transfer()));
    assert!(!send([transfer(), vec![0; 32]].concat()));
}

#[test]
fn calls_in_a_declared_call_are_decoded_by_the_abi_of_its_contract() {
    let to = Address::repeat_byte(0xaa);
    let inner = DynSolValue::Array(vec![DynSolValue::Bytes(transfer())]);
    let data = encoded("multicall(bytes[])", vec![inner]);
    let mut db = SignatureDb::default();
    let decode = |db: &SignatureDb, declaration: &str| {
        let call = db.decode_declared(declaration, Some(to), &[], &data)?;
        Some(format_lines(&ValueLine::of_arguments(&call.arguments, 1_000)))
    };
    assert_eq!(decode(&db, "multicall(bytes[] d)").unwrap().len(), 2, "the bytes are not known");
    db.add_explorer_abi(to, &"Vault".into(), TOKEN).unwrap();
    assert_eq!(
        decode(&db, "multicall(bytes[] d)").unwrap(),
        [
            "bytes[] d = [1 item]",
            "  bytes [0] = transfer(0x1111111111111111111111111111111111111111, 5)",
            "    address heir = 0x1111111111111111111111111111111111111111",
            "    uint256 wad = 5",
        ]
    );
    for other in ["multicall(bytes d)", "multicall(", ""] {
        assert_eq!(decode(&db, other), None, "{other}");
    }
}

#[test]
fn calls_without_a_selector_run_what_the_abis_declare() {
    let [proxy, vault] = [0xaa, 0xbb].map(Address::repeat_byte);
    let mut db = SignatureDb::builtin();
    assert!(db.special_functions(vault, &["Vault"]).is_none(), "no ABI is known");
    db.add_explorer_abi(proxy, &"Proxy".into(), r#"[{"type":"fallback"}]"#).unwrap();
    db.add_explorer_abi(vault, &"Vault".into(), TOKEN).unwrap();
    let run = |db: &SignatureDb, to| {
        let declared = db.special_functions(to, &[]).unwrap();
        [&[][..], &[1]].map(|input| declared.run_by(input).map(SpecialFunction::call))
    };
    assert_eq!(run(&db, vault), [None, None], "the ABI has neither");
    assert_eq!(run(&db, proxy), [Some("fallback()"); 2]);
    db.set_implementations(proxy, vec![vault]);
    db.add_explorer_abi(vault, &"Vault".into(), r#"[{"type":"receive"}]"#).unwrap();
    assert_eq!(
        run(&db, proxy),
        [Some("receive()"), Some("fallback()")],
        "its implementation's too"
    );
}

#[test]
fn only_a_target_next_to_the_bytes_is_the_called_contract() {
    let other = Address::repeat_byte(0xbb);
    let mut db = SignatureDb::builtin();
    db.add_explorer_abi(other, &"Vault".into(), TOKEN).unwrap();
    let values = vec![other.into(), DynSolValue::Bytes(transfer())];
    let data = encoded("execute(address,bytes)", values);
    let first_of_transfer = |declaration: &str| {
        let call = db.decode_declared(declaration, None, &[], &data).unwrap();
        format_lines(&ValueLine::of_arguments(&call.arguments, 1_000)).remove(2)
    };
    let named = |label| format!("  address {label} = 0x1111111111111111111111111111111111111111");
    for target in ["to", "target", "dest", "callee", "_to", "_target"] {
        let declaration = format!("execute(address {target}, bytes data)");
        assert_eq!(first_of_transfer(&declaration), named("heir"), "{target}");
    }
    assert_eq!(first_of_transfer("execute(address owner, bytes data)"), named("to"));
}

fn depth(value: &AbiValue) -> usize {
    match value {
        AbiValue::Call(_, decoded) => {
            1 + decoded.arguments.iter().map(|argument| depth(&argument.value)).max().unwrap_or(0)
        }
        AbiValue::Array(_, items) | AbiValue::Tuple(_, items) => {
            items.iter().map(depth).max().unwrap_or(0)
        }
        _ => 0,
    }
}

#[test]
fn nested_calls_are_bounded() {
    let multicall =
        |items: Vec<DynSolValue>| encoded("multicall(bytes[])", vec![DynSolValue::Array(items)]);
    let mut data = transfer();
    for _ in 0..20 {
        data = multicall(vec![DynSolValue::Bytes(data)]);
    }
    assert_eq!(depth(&embedded(&data).unwrap().arguments[0].value), 8);
    let many = multicall(vec![DynSolValue::Bytes(transfer()); 1_000]);
    let decoded = embedded(&many).unwrap();
    let AbiValue::Array(_, items) = &decoded.arguments[0].value else { panic!() };
    let calls = items.iter().filter(|item| matches!(item, AbiValue::Call(..))).count();
    assert_eq!((calls, items.len()), (256, 1_000));
}

fn with_user_signatures(signatures: &[&str]) -> SignatureDb {
    let mut db = SignatureDb::builtin();
    for signature in signatures {
        db.add_signature(signature).unwrap();
    }
    db
}

/// `deep_wrapped` of the demo chain: each level wraps the error of the one below.
#[test]
fn nested_errors_are_decoded() {
    let mut data = encoded(
        "Unauthorized(address,uint256)",
        vec![Address::repeat_byte(0x1e).into(), U256::from(42).into()],
    );
    for _ in 0..2 {
        data = encoded("Nested(bytes)", vec![DynSolValue::Bytes(data)]);
    }
    let db = with_user_signatures(&[
        "error Unauthorized(address who, uint256 level)",
        "error Nested(bytes inner)",
    ]);
    let DecodedRevert::Custom(decoded) = db.revert_reason(&data) else { panic!() };
    assert_eq!(decoded.source, SignatureSource::User);
    assert!(!decoded.is_guess());
    assert_eq!(
        &*decoded.summary(),
        "Nested(Nested(Unauthorized(0x1E1e1E1E1e1e1e1e1e1E1E1E1E1e1e1E1e1e1E1E, 42)))"
    );
}

/// Calldata of transactions of the demo chain.
#[test]
fn demo_chain_calls_are_decoded() {
    let db = with_user_signatures(&[
        "deep(uint256 d, bytes what)",
        "panicAssert()",
        "transfer(address to, uint256 v)",
        "errorUnicode()",
        "swapExactIn(address[] path, uint256 amt, uint256 min, address to)",
    ]);
    for (data, expected) in [
        (
            "071e6903000000000000000000000000000000000000000000000000000000000000000600000000000000000000000000000000000000000000000000000000000000400000000000000000000000000000000000000000000000000000000000000004b6bbe06100000000000000000000000000000000000000000000000000000000",
            "deep(6, panicAssert())",
        ),
        (
            "a9059cbb000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb922660000000000000000000000000000000000000000000000000de0b6b3a7640000",
            "transfer(0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266, 1000000000000000000)",
        ),
        ("eb47f1a8", "errorUnicode()"),
        (
            "203b4e790000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000000000000000000000000009502f900000000000000000000000000000000000000000c9f2c9cd04674edea4000000000000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c800000000000000000000000000000000000000000000000000000000000000050000000000000000000000005fbdb2315678afecb367f032d93f642f64180aa3000000000000000000000000e7f1725e7734ce288f8367e1bb143e90bb3f0512000000000000000000000000dc64a140aa3e981100a9beca4e685f962f0cf6c9000000000000000000000000cf7ed3acca5a467e9e704c703e8d87f634fb0fc90000000000000000000000009fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
            "swapExactIn([5 items], 2500000000, 1000000000000000000000000000000, 0x70997970C51812dc3A010C7d01b50e0d17dc79C8)",
        ),
    ] {
        let decoded = db.decode_call(None, &[], &hex::decode(data).unwrap()).unwrap();
        assert_eq!(&*decoded.summary(), expected);
        assert_eq!((decoded.source.clone(), decoded.is_guess()), (SignatureSource::User, false));
    }
}

#[test]
fn overlapping_offsets_are_refused() {
    // An array of 1,000 arrays at one offset: without a check, each level multiplies.
    let word = |n: usize| U256::from(n).to_be_bytes::<32>();
    let mut data = encoded("f(uint256[][])", vec![DynSolValue::Array(vec![])]);
    data.truncate(4);
    data.extend(word(32));
    data.extend(word(1_000));
    (0..1_000).for_each(|_| data.extend(word(32_000)));
    data.extend(word(1));
    data.extend(word(7));
    let mut db = SignatureDb::default();
    db.add_signature("f(uint256[][] x)").unwrap();
    assert_eq!(db.decode_call(None, &[], &data), None);
    for length in [U256::MAX, U256::from(u64::MAX), U256::from(1 << 30)] {
        let bomb = [&data[..4], &word(32), &length.to_be_bytes::<32>(), &[0; 64]].concat();
        assert_eq!(db.decode_call(None, &[], &bomb), None);
    }
}

#[test]
fn large_values_are_summarized() {
    let mut db = SignatureDb::default();
    db.add_signature("f(uint256[] x, bytes y)").unwrap();
    let items = vec![DynSolValue::Uint(U256::from(3), 256); 1 << 16];
    let values = vec![DynSolValue::Array(items), DynSolValue::Bytes(vec![9; 2 << 20])];
    let decoded = db.decode_call(None, &[], &encoded("f(uint256[],bytes)", values)).unwrap();
    assert_eq!(
        &*decoded.summary(),
        format!("f([65536 items], 0x{}… (2097152 bytes))", "09".repeat(16))
    );
    let lines = ValueLine::of_arguments(&decoded.arguments, 1_000);
    assert_eq!(lines.len(), 1_000);
    assert_eq!(*lines[999].label, *"y", "an array hides nothing after it");
    assert!(
        ValueLine::of_arguments(&decoded.arguments, 1_000).iter().all(|line| line
            .value
            .summary()
            .len()
            < 300)
    );
    assert!(decoded.arguments[1].value.format(ValueFormat::Natural).len() < 5_000);
}

/// Generates a value of any type, with the type.
fn any_value() -> impl Strategy<Value = (DynSolType, DynSolValue)> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(|v| (DynSolType::Bool, v.into())),
        any::<[u8; 20]>().prop_map(|v| (DynSolType::Address, Address::from(v).into())),
        any::<[u64; 4]>().prop_map(|v| (DynSolType::Uint(256), U256::from_limbs(v).into())),
        any::<i64>().prop_map(|v| {
            let number = I256::try_from(v).unwrap();
            (DynSolType::Int(64), DynSolValue::Int(number, 64))
        }),
        any::<u8>().prop_map(|v| {
            let word = B256::right_padding_from(&[v, v, 1]);
            (DynSolType::FixedBytes(3), DynSolValue::FixedBytes(word, 3))
        }),
        prop::collection::vec(any::<u8>(), 0..70)
            .prop_map(|v| (DynSolType::Bytes, DynSolValue::Bytes(v))),
        any::<String>().prop_map(|v| (DynSolType::String, DynSolValue::String(v))),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|items| {
                let (types, values) = items.into_iter().unzip();
                (DynSolType::Tuple(types), DynSolValue::Tuple(values))
            }),
            (inner.clone(), 0_usize..4).prop_map(|((kind, value), many)| {
                (DynSolType::Array(Box::new(kind)), DynSolValue::Array(vec![value; many]))
            }),
            (inner, 1_usize..4).prop_map(|((kind, value), many)| {
                let kind = DynSolType::FixedArray(Box::new(kind), many);
                (kind, DynSolValue::FixedArray(vec![value; many]))
            }),
        ]
    })
}

fn same(decoded: &AbiValue, encoded: &DynSolValue) -> bool {
    let all = |ours: &[AbiValue], theirs: &[DynSolValue]| {
        ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(o, t)| same(o, t))
    };
    match (decoded, encoded) {
        (AbiValue::Bool(ours), DynSolValue::Bool(theirs)) => ours == theirs,
        (AbiValue::Address(ours), DynSolValue::Address(theirs)) => ours == theirs,
        (AbiValue::Uint(ours), DynSolValue::Uint(theirs, _)) => ours == theirs,
        (AbiValue::Int(ours), DynSolValue::Int(theirs, _)) => ours == theirs,
        (AbiValue::FixedBytes(ours, n), DynSolValue::FixedBytes(theirs, m)) => {
            ours == theirs && n == m
        }
        (AbiValue::Bytes(ours), DynSolValue::Bytes(theirs)) => ours == theirs,
        (AbiValue::String(ours), DynSolValue::String(theirs)) => **ours == *theirs.as_bytes(),
        (
            AbiValue::Array(_, ours),
            DynSolValue::Array(theirs) | DynSolValue::FixedArray(theirs),
        )
        | (AbiValue::Tuple(_, ours), DynSolValue::Tuple(theirs)) => all(ours, theirs),
        _ => false,
    }
}

proptest! {
    #[test]
    fn encoded_values_are_decoded(
        values in prop::collection::vec(any_value(), 0..5),
        tail in 0_usize..3,
    ) {
        let (types, values): (Vec<_>, Vec<_>) = values.into_iter().unzip();
        let names: Vec<String> = types.iter().map(|kind| kind.sol_type_name().replace(",)", ")")).collect();
        let signature = format!("f({})", names.join(","));
        let mut db = SignatureDb::default();
        db.add_signature(&signature).unwrap();
        let mut data = encoded(&signature, values.clone());
        data.extend(vec![0xee; tail * 32]);
        let decoded = db.decode_call(None, &[], &data).unwrap();
        prop_assert_eq!(decoded.trailing_bytes, tail * 32);
        prop_assert_eq!(decoded.arguments.len(), values.len());
        for (argument, value) in decoded.arguments.iter().zip(&values) {
            prop_assert!(same(&argument.value, value), "{:?} {:?}", argument, value);
        }
        prop_assert!(ValueLine::of_arguments(&decoded.arguments, 50).len() <= 50);
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(
        which in any::<prop::sample::Index>(),
        words in prop::collection::vec(prop_oneof![
            (0_u64..600).prop_map(|n| U256::from(n).to_be_bytes::<32>()),
            any::<[u8; 32]>(),
        ], 0..12),
        tail in prop::collection::vec(any::<u8>(), 0..5),
    ) {
        let table = include_str!("../../assets/selectors.txt");
        let lines: Vec<&str> = table.lines().filter(|line| line.ends_with(')') && !line.starts_with('#')).collect();
        let signature = Signature::parse(lines[which.index(lines.len())]).unwrap();
        let data = [&signature.selector()[..], &words.concat(), &tail].concat();
        let db = SignatureDb::builtin();
        if let Some(decoded) = db.decode_call(None, &[], &data) {
            for line in ValueLine::of_arguments(&decoded.arguments, 100) {
                for mode in ValueFormat::ALL {
                    let _ = (line.value.format(*mode), line.value.format_full(*mode));
                }
            }
            let _ = db.decode_output(&decoded, &words.concat());
        }
        prop_assert!(!db.revert_reason(&data).describe().is_empty());
        prop_assert!(!db.revert_reason(&tail).describe().is_empty());
    }
}

#[test]
fn contracts_without_a_fallback_lack_other_functions() {
    const PAY: &str = r#"{"type":"function","name":"pay","inputs":[]}"#;
    let [known, other] = ["pay()", "take()"].map(|text| Signature::parse(text).unwrap().selector());
    let contract = Address::repeat_byte(7);
    for (entries, lacks) in [
        (PAY.to_owned(), true),
        (format!(r#"{PAY},{{"type":"receive"}}"#), true),
        (format!(r#"{PAY},{{"type":"fallback"}}"#), false),
        (format!(r#"{PAY},{{"type":"function","name":"x","inputs":[{{"type":"?"}}]}}"#), false),
    ] {
        let mut signatures = SignatureDb::default();
        let abi = format!("[{entries}]");
        signatures.add_explorer_abi(contract, &"Till".into(), &abi).unwrap();
        signatures.set_implementations(contract, Vec::new());
        assert_eq!(signatures.lacks_function(contract, other), lacks, "{entries}");
        assert!(!signatures.lacks_function(contract, known), "{entries}");
        assert!(!signatures.lacks_function(Address::ZERO, other), "an unknown contract");
        signatures.set_implementations(contract, vec![Address::ZERO]);
        assert!(!signatures.lacks_function(contract, other), "a proxy");
    }
}

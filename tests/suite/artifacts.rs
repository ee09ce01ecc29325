//! Contracts recognised by the artifacts of a project. `tests/nodes/README.md` tells what the codes are.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use alloy_primitives::{hex, keccak256};
use chainglass::test_api::abi::{Artifact, ArtifactIndex, Project, ProjectContracts, SignatureDb};
use chainglass::test_api::chain::Address;
use chainglass::test_api::messages::project::SourceError;
use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) fn rows(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/node").join(name);
    let lines = BufReader::new(MultiGzDecoder::new(File::open(path).unwrap())).lines();
    lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}

pub(crate) fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A project of the recorded artifacts: `foundry`, `hardhat2` or `hardhat3`.
pub(crate) fn project(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for row in rows("artifacts.jsonl.gz") {
        if let Some(file) = row["path"].as_str().unwrap().strip_prefix(&format!("{name}/")) {
            write(folder.path(), file, &row["json"].to_string());
        }
    }
    let config = if name == "foundry" { "foundry.toml" } else { "hardhat.config.ts" };
    write(folder.path(), config, "");
    folder
}

fn load(folder: &Path) -> ArtifactIndex {
    let (index, problems) = Project::find(folder).unwrap().load();
    assert!(problems.is_empty(), "{problems:?}");
    index
}

/// The codes of a recorded chain by address.
pub(crate) fn codes(recording: &str) -> BTreeMap<String, Vec<u8>> {
    let rows = rows(recording).into_iter().filter(|row| row["method"] == "eth_getCode");
    let code = |row: Value| {
        let code = hex::decode(row["result"].as_str()?).unwrap();
        (!code.is_empty()).then(|| (row["params"][0].as_str().unwrap().to_owned(), code))
    };
    rows.filter_map(code).collect()
}

/// First bytes of EIP-1167 clones, accounts that delegate (EIP-7702), and contracts without functions.
const UNNAMED_CODES: [&[u8]; 3] = [&hex!("363d3d373d3d3d363d73"), &hex!("ef0100"), &hex!("5f80fd")];

fn count_names(index: &ArtifactIndex, codes: &BTreeMap<String, Vec<u8>>) -> Vec<(String, usize)> {
    let mut names = BTreeMap::new();
    for code in codes.values() {
        let name = index.find(code).map_or("—".into(), |artifact| artifact.name.to_string());
        *names.entry(name).or_default() += 1;
    }
    names.into_iter().collect()
}

/// All contracts of the devnet. The six of `Lab2`, which made them 45, are not kept: World.sol and
/// Linked.sol below have twelve of the same kinds, with immutables and libraries.
#[test]
fn contracts_of_the_devnet_have_the_names_of_their_artifacts() {
    let folder = project("foundry");
    let index = load(folder.path());
    let codes = codes("devnet-state.jsonl.gz");
    let expected = [
        ("—", 118),
        ("Attacker", 1),
        ("Bank", 1),
        ("BareToken", 1),
        ("Bomb", 1),
        ("Bytes32Token", 1),
        ("Child", 49),
        ("Clonable20", 1),
        ("Clonable721", 1),
        ("CloneFactory", 1),
        ("DeepThrower", 1),
        ("Delegated", 1),
        ("Factory", 1),
        ("LogLab", 1),
        ("Multi1155", 2),
        ("Nft721", 4),
        ("Pool", 4),
        ("Precompiles", 1),
        ("Proxy1967", 1),
        ("Recursor", 1),
        ("RefusesEther", 1),
        ("Router", 1),
        ("Splitter", 1),
        ("Thrower", 1),
        ("Token20", 8),
        ("Vault", 1),
    ];
    let mut names = count_names(&index, &codes);
    names.rotate_right(1);
    assert_eq!(names, expected.map(|(name, count)| (name.to_owned(), count)));
    let made_by_factory = |name| if name == "Child" { 48 } else { 0 };
    let deployed = expected[1..].iter().map(|(name, count)| count - made_by_factory(*name));
    assert_eq!(deployed.sum::<usize>(), 39);
    let unnamed = |start: &[u8]| {
        let unnamed = codes.values().filter(|code| index.find(code).is_none());
        unnamed.filter(|code| code.starts_with(start)).count()
    };
    // The last is the code of four contracts.
    assert_eq!(UNNAMED_CODES.map(unnamed), [116, 1, 1]);

    let file = File::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/chain.zip"));
    let mut archive = zip::ZipArchive::new(file.unwrap()).unwrap();
    let addresses = BufReader::new(archive.by_name("addresses.jsonl").unwrap()).lines();
    let known: HashMap<String, Value> = addresses
        .map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap())
        .map(|row| (row["hash"].as_str().unwrap().to_lowercase(), row))
        .collect();
    let contracts: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
    let mut compared = 0;
    for (address, code) in &codes {
        let Some(found) = index.find(code) else { continue };
        let name = known[address]["name"].as_str().unwrap_or_default();
        if contracts.contains(&name) {
            assert_eq!(&*found.name, name, "{address}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn changed_code_has_no_name() {
    let folder = project("foundry");
    let index = load(folder.path());
    let mut checked = 0;
    for mut code in codes("devnet-state.jsonl.gz").into_values() {
        if index.find(&code).is_none() {
            continue;
        }
        for at in (0..code.len()).step_by(101).chain([code.len() - 1]) {
            code[at] ^= 1;
            assert!(index.find(&code).is_none(), "byte {at}");
            code[at] ^= 1;
            checked += 1;
        }
        assert!(index.find(&code[1..]).is_none());
        code.push(0);
        assert!(index.find(&code).is_none());
    }
    assert!(checked > 800, "{checked}");
}

#[test]
fn immutable_values_do_not_matter() {
    let folders = ["hardhat2", "hardhat3"].map(project);
    for (folder, chain) in folders.iter().zip(["hardhat2", "hardhat3"]) {
        let names = count_names(&load(folder.path()), &codes(&format!("{chain}.jsonl.gz")));
        let once = [
            "Caller", "Clonable", "Coin", "Factory", "Panes", "Pots", "Proxy", "Talker", "Thrower",
        ];
        for name in once {
            assert!(names.contains(&(name.to_owned(), 1)), "{name}: {names:?}");
        }
        // `Child` has its creator in its code, an EIP-1167 clone is none of them.
        assert_eq!(names.len(), once.len() + 2, "{names:?}");
        assert!(names.iter().any(|(name, count)| name == "Child" && *count > 2), "{names:?}");
    }
    fs::remove_dir_all(folders[0].path().join("artifacts/build-info")).unwrap();
    // Artifacts of Hardhat 2 do not list the immutable values.
    let names = count_names(&load(folders[0].path()), &codes("hardhat2.jsonl.gz"));
    assert!(names.iter().any(|(name, count)| name == "Child" && *count > 2), "{names:?}");
}

#[test]
fn addresses_of_libraries_do_not_matter() {
    let folder = project("hardhat3");
    let index = load(folder.path());
    let artifact = |name: &str| -> Value {
        let path = folder.path().join(format!("artifacts/contracts/Linked.sol/{name}.json"));
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let library = "ab".repeat(20);
    let linked = artifact("Linked")["deployedBytecode"].as_str().unwrap().to_owned();
    let placeholder = linked.find("__$").unwrap();
    let linked = linked.replace(&linked[placeholder..placeholder + 40], &library);
    let linked = linked.replace(&"00".repeat(32), &"07".repeat(32));
    let mut linked = hex::decode(linked).unwrap();
    let name = |code: &[u8]| index.find(code).map(|found| found.name.to_string());
    assert_eq!(name(&linked).as_deref(), Some("Linked"));
    let maths = artifact("Maths")["deployedBytecode"].as_str().unwrap().to_owned();
    let maths = hex::decode(maths.replacen(&"00".repeat(20), &library, 1)).unwrap();
    assert_eq!(name(&maths).as_deref(), Some("Maths"));
    let is_library = |code: &[u8]| index.find(code).map(|found| found.is_library());
    assert_eq!([is_library(&maths), is_library(&linked)], [Some(true), Some(false)]);
    // The hash of the sources, before the version of the compiler.
    let metadata = linked.len() - 20;
    linked[metadata] ^= 1;
    assert_eq!(name(&linked), None);
}

#[test]
fn matched_abis_decode_without_a_guess() {
    let folder = project("foundry");
    let index = load(folder.path());
    let codes = codes("devnet-state.jsonl.gz");
    let (address, artifact) = codes
        .iter()
        .filter_map(|(address, code)| Some((address.parse().unwrap(), index.find(code)?)))
        .find(|(_, artifact)| &*artifact.name == "Token20")
        .unwrap();
    let mut signatures = SignatureDb::builtin();
    signatures.add_contract_abi(Some(address), &artifact.name, artifact.abi.get()).unwrap();
    let selector = keccak256("totalSupply()");
    let decoded = |to| signatures.decode_call(Some(to), &[], &selector[..4]).unwrap();
    assert_eq!((&*decoded(address).name, decoded(address).is_guess()), ("totalSupply", false));
    assert!(decoded(Address::ZERO).is_guess());
}

pub(crate) fn artifact(code: &str) -> String {
    json!({"abi": [], "deployedBytecode": {"object": code}}).to_string()
}

#[test]
fn a_name_is_given_only_if_it_is_certain() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    assert!(Project::find(root).is_none());
    write(root, "foundry.toml", "[profile.default]\nout = './build'\n");
    let [one, two, short] = [33, 34, 31].map(|length| vec![0x5b; length]);
    let json = |code: &[u8]| artifact(&hex::encode_prefixed(code));
    write(root, "build/A.sol/A.0.8.20.json", &json(&one));
    write(root, "build/old/A.sol/A.json", &json(&one));
    write(root, "build/B.sol/B.json", &json(&two));
    write(root, "build/C.sol/C.json", &json(&two));
    write(root, "build/S.sol/S.json", &json(&short));
    write(root, "build/I.sol/I.json", &artifact("0x"));
    write(root, "build/L.sol/L.json", &artifact("0x__$1234$__"));
    write(root, "build/notes.json", "{}");
    fs::create_dir(root.join("src")).unwrap();
    let (index, problems) = Project::find(&root.join("src")).unwrap().load();
    let name = |code: &[u8]| index.find(code).map(|found| found.name.to_string());
    assert_eq!(name(&one).as_deref(), Some("A"));
    assert_eq!([name(&two), name(&short), name(&[])], [const { None }; 3]);
    let problems: Vec<&str> = problems.iter().filter_map(|p| p.rsplit('/').next()).collect();
    assert_eq!(problems, ["L.json: code cannot be read"]);
}

#[test]
fn hash_of_metadata_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "foundry.toml", "");
    let metadata = |hash| [&hex!("a264697066735822 1220")[..], &[hash; 32], &[0; 11]].concat();
    let code = |hash| [vec![0x5b; 400], metadata(hash)].concat();
    write(folder.path(), "out/A.sol/A.json", &artifact(&hex::encode(code(1))));
    let index = load(folder.path());
    let name = |code: &[u8]| index.find(code).map(|found| found.name.to_string());
    assert_eq!(name(&code(2)).as_deref(), Some("A"), "only comments changed");
    let mut other = code(2);
    other[4] ^= 1;
    assert_eq!(name(&other), None);
}

#[test]
fn contract_of_an_earlier_compilation_keeps_its_name_and_abi() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "foundry.toml", "");
    let [before, after] = [50, 60].map(|length| vec![0x5b; length]);
    write(root, "out/A.sol/A.json", &artifact(&hex::encode(&before)));
    let project = ProjectContracts::new(Project::find(root).unwrap());
    project.allow();
    let find = |code: &[u8]| {
        let compiled = project.current().unwrap();
        let found = compiled.artifacts.find(code)?;
        Some((found.name.to_string(), found.is_older_build))
    };
    let named = |is_older| Some(("A".to_owned(), is_older));
    assert_eq!(find(&before), named(false));
    write(root, "out/A.sol/A.json", &artifact(&hex::encode(&after)));
    let deadline = Instant::now() + Duration::from_mins(1);
    while find(&after).is_none() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!((find(&after), find(&before)), (named(false), named(true)));
}

#[test]
fn deployed_build_survives_a_restart_and_a_compilation() {
    let (folder, cache) = (project_with_sources(), tempfile::tempdir().unwrap());
    let root = folder.path();
    let open = || {
        let found = Project::find(root).unwrap().with_cache(Some(cache.path().join("cache")));
        let project = ProjectContracts::new(found);
        project.allow();
        project
    };
    let codes = codes("devnet-state.jsonl.gz");
    let find = |project: &ProjectContracts, name: &str| {
        let compiled = project.current().unwrap();
        codes.values().find_map(|code| {
            compiled.artifacts.find(code).filter(|found| &*found.name == name).cloned()
        })
    };
    let before = open();
    let thrower = find(&before, "Thrower").unwrap();
    let source = |artifact: &Artifact| serde_json::to_value(artifact.source()).unwrap();
    let compiled_source = source(&thrower);
    assert!(compiled_source["source_code"].is_string());
    let unkept = before.take_unkept([&thrower].into_iter());
    assert_eq!(unkept.len(), 1);
    before.keep(&unkept);
    assert!(before.take_unkept([&thrower].into_iter()).is_empty());

    fs::remove_dir_all(root.join("out")).unwrap();
    write(root, "out/Lab.sol/Thrower.json", &artifact(&"5b".repeat(60)));
    write(root, "src/Lab.sol", "contract Thrower {}");
    let after = open();
    let older = find(&after, "Thrower").unwrap();
    assert!(older.is_older_build);
    assert_eq!((older.abi.get(), older.path()), (thrower.abi.get(), thrower.path()));
    assert_eq!(source(&older), compiled_source);
    let abis = &after.current().unwrap().signatures;
    let selector = keccak256("panicAssert()");
    assert!(abis.decode_call(None, &[], &selector[..4]).is_some());
    assert!(find(&after, "Token20").is_none(), "it was not kept");
}

/// A code with `PUSH32` of something, and then `JUMPDEST`s.
fn code_with_push(operand: u8, length: usize) -> Vec<u8> {
    [&[0x7f][..], &[operand; 32], &vec![0x5b; length - 33]].concat()
}

#[test]
fn only_operands_of_a_push_may_differ_and_few_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "foundry.toml", "");
    let json = |code: &[u8]| {
        let mut json: Value = serde_json::from_str(&artifact(&hex::encode(code))).unwrap();
        // All but the first 32 bytes, as the file says.
        let rest = json!([{"start": 32, "length": code.len().saturating_sub(32)}]);
        json["deployedBytecode"]["immutableReferences"] = json!({ "1": rest });
        json["deployedBytecode"]["linkReferences"] = json!({"a": {"B": rest}});
        json.to_string()
    };
    let (zeros, few) = (vec![0; 200], code_with_push(0, 95));
    write(root, "out/Z.sol/Z.json", &json(&zeros));
    write(root, "out/F.sol/F.json", &json(&few));
    write(root, "out/P.sol/P.json", &json(&code_with_push(0, 99)));
    // Two values of the same code, of which one is behind a `PUSH31`.
    let mixed = [code_with_push(0, 150), vec![0x7e; 1], vec![0; 32], vec![0x5b; 50]].concat();
    write(root, "out/X.sol/X.json", &json(&mixed));
    let index = load(root);
    let name = |code: &[u8]| index.find(code).map(|found| found.name.to_string());
    assert_eq!(name(&zeros).as_deref(), Some("Z"));
    assert_eq!(name(&[&[0; 199][..], &[1]].concat()), None, "whatever the file lists");
    assert_eq!(name(&code_with_push(7, 99)).as_deref(), Some("P"));
    assert_eq!([name(&few), name(&code_with_push(7, 95))], [None, None], "over a third");
    let mut deployed = mixed;
    deployed[1..33].fill(7);
    assert_eq!(name(&deployed).as_deref(), Some("X"));
    deployed[151] = 7;
    assert_eq!(name(&deployed), None);
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_a_project() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(other.path(), "A.sol/A.json", &artifact(&"5b".repeat(40)));
    for config in ["", "profile.default.out = '../x'", "profile.default.out = '/'", "["] {
        write(folder.path(), "foundry.toml", config);
        let out = folder.path().join("out");
        std::os::unix::fs::symlink(other.path(), &out).unwrap();
        assert!(load(folder.path()).find(&[0x5b; 40]).is_none());
        fs::remove_file(&out).unwrap();
        fs::create_dir(&out).unwrap();
        std::os::unix::fs::symlink(other.path(), out.join("all")).unwrap();
        assert!(load(folder.path()).find(&[0x5b; 40]).is_none());
        fs::remove_dir_all(&out).unwrap();
    }
}

/// A Foundry project with the sources of the demo's contracts.
pub(crate) fn project_with_sources() -> TempDir {
    let folder = project("foundry");
    let file = File::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/chain.zip"));
    let mut archive = zip::ZipArchive::new(file.unwrap()).unwrap();
    for line in BufReader::new(archive.by_name("sources.jsonl").unwrap()).lines() {
        let row: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let file = format!("src/{}", row["file_path"].as_str().unwrap());
        write(folder.path(), &file, row["source_code"].as_str().unwrap());
    }
    folder
}

/// Returns the source of the contract of a name.
fn source(folder: &Path, recording: &str, name: &str) -> Value {
    let index = load(folder);
    let codes = codes(recording);
    let found = codes.values().filter_map(|code| index.find(code)).find(|it| &*it.name == name);
    serde_json::to_value(found.unwrap().source()).unwrap()
}

#[test]
fn sources_are_those_that_were_compiled() {
    let folder = project_with_sources();
    let thrower = || source(folder.path(), "devnet-state.jsonl.gz", "Thrower");
    let told = thrower();
    for (field, value) in [
        ("language", json!("solidity")),
        ("compiler_version", json!("v0.8.37+commit.f401782d")),
        ("evm_version", json!("prague")),
        ("optimization_enabled", json!(true)),
        ("optimization_runs", json!(200)),
        ("license_type", json!("MIT")),
        ("file_path", json!("src/Lab.sol")),
        ("additional_sources", json!([])),
        ("source_problems", Value::Null),
    ] {
        assert_eq!(told[field], value, "{field}");
    }
    let path = folder.path().join("src/Lab.sol");
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(told["source_code"], text);

    write(folder.path(), "src/Lab.sol", &(text.clone() + " "));
    let changed = thrower();
    assert_eq!(changed["source_problems"], json!(["src/Lab.sol changed since it was compiled"]));
    assert_eq!(
        (&changed["source_code"], &changed["optimization_runs"]),
        (&Value::Null, &json!(200))
    );
    write(folder.path(), "src/Lab.sol", &text.repeat(200));
    let huge = json!(["src/Lab.sol is not a text of at most 1 MB"]);
    assert_eq!(thrower()["source_problems"], huge);
    fs::remove_file(&path).unwrap();
    assert_eq!(thrower()["source_problems"], json!(["src/Lab.sol is not in the project"]));
}

#[test]
fn hardhat_keeps_the_sources_itself() {
    let world = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nodes/world/World.sol"),
    );
    let world = json!(world.unwrap());
    for name in ["hardhat2", "hardhat3"] {
        let folder = project(name);
        let told = || source(folder.path(), &format!("{name}.jsonl.gz"), "Coin");
        let (coin, path) = (told(), json!("contracts/World.sol"));
        assert_eq!((&coin["file_path"], &coin["source_code"]), (&path, &world), "{name}");
        assert_eq!(coin["compiler_version"], "v0.8.26+commit.8a97fa7a");
        fs::remove_dir_all(folder.path().join("artifacts/build-info")).unwrap();
        let why = "no source: the artifact has neither metadata nor build-info";
        assert_eq!(
            (&told()["source_code"], &told()["source_problems"]),
            (&Value::Null, &json!([why]))
        );
    }
}

#[test]
fn sources_are_shown_if_the_metadata_has_their_hash() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "foundry.toml", "");
    let hash = keccak256("contract A {}");
    let told = |source: Value| {
        write_artifact(root, &"5b".repeat(40), &json!({ "src/A.sol": source }));
        serde_json::to_value(load(root).find(&[0x5b; 40]).unwrap().source()).unwrap()
    };
    let right = told(json!({"content": "contract A {}", "keccak256": hash}));
    assert_eq!(right["source_code"], "contract A {}");
    let other = told(json!({"content": "contract B {}", "keccak256": hash}));
    assert_eq!(
        (&other["source_code"], &other["source_problems"]),
        (&Value::Null, &json!(["src/A.sol changed since it was compiled"]))
    );
    let unhashed = told(json!({"content": "contract A {}"}));
    assert_eq!(unhashed["source_problems"], json!(["src/A.sol has no hash in the metadata"]));
}

/// Changes the file with the compiler's input or output.
fn edit_build_info(folder: &Path, edit: impl Fn(&mut Value)) {
    for entry in fs::read_dir(folder.join("artifacts/build-info")).unwrap() {
        let path = entry.unwrap().path();
        let mut json: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        edit(&mut json);
        fs::write(path, json.to_string()).unwrap();
    }
}

#[test]
fn sources_of_hardhat_are_those_of_the_code() {
    for (name, path) in
        [("hardhat2", "contracts/World.sol"), ("hardhat3", "project/contracts/World.sol")]
    {
        let folder = project(name);
        let told = || source(folder.path(), &format!("{name}.jsonl.gz"), "Coin");
        assert!(told()["source_code"].is_string());
        edit_build_info(folder.path(), |json| {
            if let Some(source) = json["input"]["sources"].get_mut(path) {
                source["content"] = "contract Coin { /* audited */ }".into();
            }
        });
        let problems = json!(["contracts/World.sol changed since it was compiled"]);
        assert_eq!((&told()["source_code"], &told()["source_problems"]), (&Value::Null, &problems));
        edit_build_info(folder.path(), |json| {
            if let Some(coin) = json["output"]["contracts"].get_mut(path) {
                let code = &mut coin["Coin"]["evm"]["deployedBytecode"]["object"];
                *code = format!("{}00", code.as_str().unwrap()).into();
            }
        });
        let why = "no source: the artifact has neither metadata nor build-info";
        assert_eq!(told()["source_problems"], json!([why]), "output of another code");
    }
}

#[test]
fn sources_of_hardhat_3_need_no_metadata() {
    const WORLD: &str = "project/contracts/World.sol";
    let folder = project("hardhat3");
    let source = || source(folder.path(), "hardhat3.jsonl.gz", "Coin");
    let with_metadata = source();
    let import = |path: &str| json!({ "nodeType": "ImportDirective", "absolutePath": path });
    let library = "npm/lib@1.0.0/Library.sol";
    edit_build_info(folder.path(), |json| {
        if let Some(input) = json.get_mut("input") {
            input["language"] = "Solidity".into();
            input["settings"] = json!({ "evmVersion": "paris",
                "optimizer": { "enabled": true, "runs": 200 } });
            for other in [library, "project/contracts/Other.sol"] {
                input["sources"][other] = json!({ "content": "library Library {}" });
            }
            json["solcLongVersion"] = "0.8.26+commit.8a97fa7a".into();
        }
        if let Some(output) = json.get_mut("output") {
            for contract in output["contracts"][WORLD].as_object_mut().unwrap().values_mut() {
                contract.as_object_mut().unwrap().remove("metadata");
            }
            let struct_node = json!({ "nodeType": "StructDefinition", "name": "A" });
            let world = json!({ "license": "MIT", "nodes": [struct_node, import(library)] });
            output["sources"][WORLD]["ast"] = world;
            let nodes = json!({ "nodes": [import(WORLD)] });
            output["sources"][library] = json!({ "id": 7, "ast": nodes });
            output["sources"]["project/contracts/Other.sol"] = json!({ "id": 8, "ast": nodes });
        }
    });
    let mut found = source();
    let imported = json!([{ "file_path": library, "source_code": "library Library {}" }]);
    assert_eq!(found["additional_sources"].take(), imported);
    found["additional_sources"] = json!([]);
    assert_eq!(found, with_metadata);
    edit_build_info(folder.path(), |json| {
        if let Some(output) = json.get_mut("output") {
            output["sources"][library].as_object_mut().unwrap().remove("ast");
        }
    });
    let all = source()["additional_sources"].as_array().unwrap().len();
    assert_eq!(all, 2, "imports are unknown without a syntax tree");
}

/// Writes an artifact of Foundry with code, and says of which sources it is.
fn write_artifact(root: &Path, code: &str, sources: &Value) {
    let mut artifact: Value = serde_json::from_str(&artifact(code)).unwrap();
    artifact["metadata"] = json!({
        "compiler": {"version": "0.8.30"}, "language": "Solidity", "sources": sources,
        "settings": {"compilationTarget": {"src/A.sol": "A"}},
    });
    write(root, "out/A.sol/A.json", &artifact.to_string());
}

#[cfg(unix)]
#[test]
fn sources_are_in_the_project_and_few() {
    use std::os::unix::fs::symlink;
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (root, code) = (folder.path(), "5b".repeat(40));
    write(root, "foundry.toml", "");
    write(other.path(), "B.sol", "contract B {}");
    write(root, "lib/B.sol", "contract B {}");
    for (link, to) in
        [("out.sol", "B.sol"), ("outer", ""), ("in.sol", "lib/B.sol"), ("ring", "ring")]
    {
        let inside = ["in.sol", "ring"].contains(&link);
        let to = if inside { root } else { other.path() }.join(to);
        symlink(to, root.join(link)).unwrap();
    }
    let hash = keccak256("contract B {}");
    let absolute = other.path().join("B.sol").to_str().unwrap().to_owned();
    let told = |path: &str| {
        write_artifact(root, &code, &json!({ path: {"keccak256": hash} }));
        let index = load(root);
        serde_json::to_value(index.find(&[0x5b; 40]).unwrap().source()).unwrap()
    };
    for inside in ["lib/B.sol", "in.sol"] {
        assert_eq!(told(inside)["additional_sources"][0]["source_code"], "contract B {}");
    }
    let up = format!("../{}/B.sol", other.path().file_name().unwrap().to_str().unwrap());
    for outside in
        ["out.sol", "outer/B.sol", "ring", &*up, &*absolute, "lib/../lib/B.sol", "", "lib"]
    {
        let told = told(outside);
        assert_eq!(told["additional_sources"], json!([]), "{outside}");
        assert_eq!(told["source_problems"].as_array().unwrap().len(), 2, "{outside}: {told}");
    }
    let many: serde_json::Map<_, _> = (0..3_000)
        .map(|n| (format!("{n}.sol"), json!({"content": "c", "keccak256": keccak256("c")})))
        .collect();
    write_artifact(root, &code, &many.into());
    let told = load(root).find(&[0x5b; 40]).unwrap().source();
    assert_eq!(told.additional_sources.len(), 1_000);
    assert_eq!(told.source_problems.len(), 6, "{:?}", told.source_problems);

    // An artifact that was compiled anew is no longer that of the code.
    let index = load(root);
    write_artifact(root, &"5c".repeat(40), &json!({}));
    let told = index.find(&[0x5b; 40]).unwrap().source();
    assert_eq!(*told.source_problems, ["no source: the project was compiled again since"]);
}

#[test]
fn source_numbers_are_those_of_the_run_that_an_artifact_is_from() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    write(&root, "foundry.toml", "");
    let (own_text, library) = ("contract A {\n}\n", "library B {\n    check();\n}\n");
    write_artifact(
        &root,
        &"5b".repeat(40),
        &json!({
            "src/A.sol": {"content": own_text, "keccak256": keccak256(own_text)},
            "lib/B.sol": {"content": library, "keccak256": keccak256(library)},
        }),
    );
    let path = root.join("out/A.sol/A.json");
    let mut artifact: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    artifact["id"] = 3.into();
    artifact["deployedBytecode"]["sourceMap"] = "0:9:3;16:1:7".into();
    write(&root, "out/A.sol/A.json", &artifact.to_string());
    let index = load(&root);
    let own = "near src/A.sol:1";
    let absolute = root.join("lib/B.sol").to_str().unwrap().to_owned();
    for (runs, expected) in [
        (&[][..], own),
        (&[json!({"3": "src/A.sol", "7": "lib/B.sol", "9": "lib/C.sol"})], "lib/B.sol:2"),
        (&[json!({"3": "src/A.sol", "7": absolute})], "lib/B.sol:2"),
        // Runs that the artifact is not from.
        (&[json!({"3": "src/A.sol"}), json!({"4": "src/A.sol", "7": "lib/B.sol"})], own),
        (&[json!({"3": "src/A.sol", "7": "../x", "8": "lib/B.sol"})], own),
        // It may be from either.
        (
            &[
                json!({"3": "src/A.sol", "7": "lib/B.sol"}),
                json!({"3": "src/A.sol", "7": "lib/C.sol", "8": "lib/B.sol"}),
            ],
            own,
        ),
        (&[json!([]), json!({"99999999999": "src/A.sol"}), json!({"3": 5})], own),
    ] {
        let _ = fs::remove_dir_all(root.join("out/build-info"));
        for (n, run) in runs.iter().enumerate() {
            let run = json!({ "source_id_to_path": run }).to_string();
            write(&root, &format!("out/build-info/{n}.json"), &run);
        }
        let line = index.find(&[0x5b; 40]).unwrap().line_of_end(&[0, 1]).unwrap();
        let near = if line.is_exact { "" } else { "near " };
        assert_eq!(format!("{near}{}:{}", line.file_path, line.line), expected, "{runs:?}");
    }
    let stale = index.find(&[0x5b; 40]).unwrap();
    assert!(stale.line_of_end(&[0, 99]).is_err());
    fs::remove_file(path).unwrap();
    assert!(matches!(stale.line_of_end(&[0]), Err(SourceError::Artifact(_))));
}

//! Folders that an attacker has prepared: what they contain, who owns them, and where they lead.
#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{lchown, symlink};
use std::path::Path;

use chainglass::test_api::abi::{ArtifactIndex, Project, SignatureDb};
use chainglass::test_api::messages::abi::AbiError;
use portable_pty::{PtySize, native_pty_system};
use serde_json::json;

use crate::artifacts::{artifact, codes, project, write};

const CODE: [u8; 40] = [0x5b; 40];
/// Any user but the one who runs the tests.
const OTHER_USER: u32 = 12_345;

fn write_project(root: &Path, config: &str) {
    write(root, "foundry.toml", config);
    write(root, "out/A.sol/A.json", &artifact(&"5b".repeat(40)));
}

fn load(folder: &Path) -> ArtifactIndex {
    Project::find(folder).map(|project| project.load().0).unwrap_or_default()
}

fn is_named(folder: &Path) -> bool {
    load(folder).find(&CODE).is_some()
}

#[test]
fn files_of_other_users_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let is_root = lchown(root, Some(OTHER_USER), None).is_ok();
    if !is_root {
        let why = b"skipped: only root can give a file to another user\n";
        return std::io::stderr().write_all(why).unwrap();
    }
    let own = fs::metadata("/proc/self").map(|it| std::os::unix::fs::MetadataExt::uid(&it));
    let own = own.unwrap();
    write_project(root, "");
    fs::create_dir(root.join("src")).unwrap();
    lchown(root, Some(own), None).unwrap();
    assert!(is_named(&root.join("src")));
    for path in ["", "foundry.toml", "out", "out/A.sol/A.json"] {
        lchown(root.join(path), Some(OTHER_USER), None).unwrap();
        assert!(!is_named(root) && !is_named(&root.join("src")), "{path}");
        lchown(root.join(path), Some(own), None).unwrap();
    }
    // A folder of one's own below that of another user.
    lchown(root, Some(OTHER_USER), None).unwrap();
    write(root, "src/mine/notes.txt", "");
    assert!(Project::find(&root.join("src/mine")).is_none());
}

#[test]
fn nothing_outside_of_a_project_is_read() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = &folder.path().join("a/b");
    write(other.path(), "out/A.sol/A.json", &artifact(&"5b".repeat(40)));
    write(&folder.path().join("out"), "A.json", &artifact(&"5b".repeat(40)));
    fs::create_dir_all(root).unwrap();
    symlink(other.path(), root.join("link")).unwrap();
    for out in ["/", "..", "../..", "../../out", "link/out", "./link/out", "link", "a/../../../out"]
    {
        write(root, "foundry.toml", &format!("profile.default.out = '{out}'"));
        assert!(!is_named(root), "{out}");
    }
    fs::remove_file(root.join("foundry.toml")).unwrap();
    symlink(other.path().join("foundry.toml"), root.join("foundry.toml")).unwrap();
    write_project(other.path(), "profile.default.out = 'link/out'");
    assert!(!is_named(root), "a link to a config");
    // A folder inside can lead to the project through a link.
    let inside = other.path().join("inside");
    fs::create_dir(&inside).unwrap();
    fs::write(other.path().join("foundry.toml"), "").unwrap();
    symlink(&inside, root.join("inside")).unwrap();
    assert!(is_named(&root.join("inside")));
}

#[test]
fn terminals_are_not_read() {
    let pty = native_pty_system().openpty(PtySize::default()).unwrap();
    let terminal = pty.master.tty_name().unwrap();
    let mut keys = pty.master.take_writer().unwrap();
    // A line, and the end of the input.
    keys.write_all(b"typed\n\x04").unwrap();
    for name in ["hardhat2", "hardhat3", "foundry"] {
        let folder = project(name);
        let root = folder.path();
        replace_by_links(root, &terminal, &["dbg.json", "build-info"]);
        let index = load(root);
        for recording in ["hardhat2.jsonl.gz", "devnet-state.jsonl.gz"] {
            for code in codes(recording).values() {
                let _ = index.find(code).map(|found| found.source());
            }
        }
        replace_by_links(root, &terminal, &["toml", "json", "ts", "sol"]);
        assert!(Project::find(root).is_none());
    }
    let folder = tempfile::tempdir().unwrap();
    symlink(&terminal, folder.path().join("A.json")).unwrap();
    symlink(&terminal, folder.path().join("config.toml")).unwrap();
    assert!(!is_named(folder.path()));
    let program = std::process::Command::new(env!("CARGO_BIN_EXE_chainglass"))
        .args(["config", "--check"])
        .env("CHAINGLASS_CONFIG", folder.path().join("config.toml"))
        .output();
    let message = String::from_utf8(program.unwrap().stderr).unwrap();
    assert!(message.contains("not a regular file"), "{message}");
    let mut line = [0; 6];
    fs::File::open(&terminal).unwrap().read_exact(&mut line).unwrap();
    assert_eq!(&line, b"typed\n", "the keys are gone");
}

/// Replaces the files whose path contains one of some texts by links.
fn replace_by_links(folder: &Path, to: &Path, texts: &[&str]) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            replace_by_links(&path, to, texts);
        } else if texts.iter().any(|text| path.to_str().unwrap().contains(text)) {
            fs::remove_file(&path).unwrap();
            symlink(to, &path).unwrap();
        }
    }
}

#[test]
fn pipes_and_deep_or_broken_folders_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write_project(root, "");
    let pipe = |path: &str| {
        nix::unistd::mkfifo(&root.join(path), nix::sys::stat::Mode::S_IRWXU).unwrap();
    };
    pipe("out/A.sol/B.json");
    fs::create_dir(root.join("out/build-info")).unwrap();
    pipe("out/build-info/1.json");
    symlink("ring", root.join("out/ring")).unwrap();
    symlink(root, root.join("out/root")).unwrap();
    fs::create_dir_all(root.join("out").join("d/".repeat(500))).unwrap();
    fs::create_dir(root.join("out/C.json")).unwrap();
    fs::hard_link(root.join("out/A.sol/A.json"), root.join("out/D.json")).unwrap();
    write(root, "out/E.json", &"[".repeat(100_000));
    write(root, "out/F.json", &format!("{{\"abi\":{}", "[".repeat(100_000)));
    let index = load(root);
    assert!(index.find(&CODE).is_none(), "the hard link has another name");
    fs::remove_file(root.join("out/D.json")).unwrap();
    let index = load(root);
    assert!(index.find(&CODE).unwrap().source().source_code.is_none());
    fs::remove_file(root.join("foundry.toml")).unwrap();
    pipe("foundry.toml");
    assert!(Project::find(root).is_none());
}

#[test]
fn what_is_made_of_a_folder_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "foundry.toml", "");
    // One long value: millions of short ones could take longer to read than a folder may.
    let abi = format!("\"{}\"", "5".repeat(8 << 20));
    let code = "5b".repeat(40);
    for n in 0..12 {
        let json =
            format!(r#"{{"abi":[{abi}],"deployedBytecode":{{"object":"0x{code}{n:02x}"}}}}"#);
        write(root, &format!("out/{n:02}.json"), &json);
    }
    let (index, problems) = Project::find(root).unwrap().load();
    let code = |n| [&CODE[..], &[n]].concat();
    assert!(index.find(&code(0)).is_some() && index.find(&code(11)).is_none());
    let skipped = |it: &&_| str::ends_with(it, ": skipped: the contracts before take 64 MB");
    assert_eq!(problems.iter().map(|it| &**it).filter(skipped).count(), 5, "{problems:?}");

    let function = |n| json!({"type": "function", "name": format!("f{n}"), "inputs": []});
    let functions = |from| json!((from..from + 30_000).map(function).collect::<Vec<_>>());
    let mut signatures = SignatureDb::default();
    let mut add = |n| signatures.add_abi(Path::new("A.json"), &functions(n * 30_000).to_string());
    let added = (0..10).map(|n| add(n).map_err(|why| why.to_string()));
    let added: Vec<_> = added.collect();
    let full = "skipped: the ABIs take 64 MB";
    assert_eq!((&added[0], &added[9]), (&Ok(()), &Err(full.to_owned())), "{added:?}");
    let many: Vec<_> = (0..40_000).map(function).collect();
    let why = SignatureDb::default().add_abi(Path::new("A.json"), &json!(many).to_string());
    assert_eq!(why, Err(AbiError::LargeAbi));
}

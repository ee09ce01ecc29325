//! A key in the URL of a node is nowhere but in the requests to it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use url::Url;

use crate::fake_server::{
    Behavior, ClosedPort, FakeServer, Request, fake_host, response_head, with_type,
};
use crate::scripted_node::recorded_node;
use crate::session::ALICE;
use crate::terminal::Terminal;

const PROGRAM: &str = env!("CARGO_BIN_EXE_chainglass");
const KEYS: [&str; 4] = ["n0tshown1user", "n0tshown2pass", "n0tshown3path", "n0tshown4query"];

/// The keys, also as they are in a header.
fn forbidden() -> Vec<String> {
    let header = BASE64_STANDARD.encode("n0tshown1user:n0tshown2pass");
    KEYS.iter().map(|key| (*key).to_owned()).chain(["n0tshown".into(), header]).collect()
}

fn assert_clean(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // What was copied through the terminal.
    let copied = text
        .split("\x1b]52;c;")
        .skip(1)
        .filter_map(|rest| BASE64_STANDARD.decode(rest.split(['\x07', '\x1b']).next()?).ok());
    let copied: String = copied.map(|text| String::from_utf8_lossy(&text).into_owned()).collect();
    for key in forbidden() {
        assert!(!text.contains(&key) && !copied.contains(&key), "{key} in {what}:\n{text}");
    }
}

/// Checks the names and the contents of all files. Returns how many there are.
fn assert_clean_files(folder: &Path) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert_clean("a file name", path.file_name().unwrap().as_encoded_bytes());
        count += if path.is_dir() {
            assert_clean_files(&path)
        } else {
            assert_clean(&path.display().to_string(), &fs::read(&path).unwrap());
            1
        };
    }
    count
}

/// Places of the URL with the keys: the command line, or the settings.
fn chains(url: &str) -> [(Option<String>, String); 2] {
    let settings = format!("chain = \"mine\"\n[chains.mine]\nrpc = \"{url}\"\n");
    [(Some(url.to_owned()), String::new()), (None, settings)]
}

struct Home {
    folder: tempfile::TempDir,
    settings: tempfile::TempDir,
    chain: Option<String>,
}

impl Home {
    fn new(chain: Option<String>, settings: &str) -> Self {
        let home = Self {
            folder: tempfile::tempdir().unwrap(),
            settings: tempfile::tempdir().unwrap(),
            chain,
        };
        fs::create_dir(home.settings.path().join("chainglass")).unwrap();
        fs::write(home.settings.path().join("chainglass/config.toml"), settings).unwrap();
        home
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let settings = self.settings.path().display().to_string();
        let state = ["XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"];
        let state = state.map(|variable| (variable, self.path(variable)));
        state.into_iter().chain([("XDG_CONFIG_HOME", settings)]).collect()
    }

    fn args<'a>(&'a self, rest: &[&'a str]) -> Vec<&'a str> {
        let chain = self.chain.iter().flat_map(|url| ["--chain", url]);
        rest.iter().copied().chain(chain).collect()
    }

    fn terminal(&self, args: &[&str]) -> Terminal {
        let variables = self.variables();
        let variables: Vec<_> = variables.iter().map(|(name, value)| (*name, &**value)).collect();
        Terminal::open_with(PROGRAM.into(), &self.args(args), &variables)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(self.args(args)).envs(self.variables()).env("RUST_BACKTRACE", "1");
        command
    }
}

/// The URL of a server with a key in each part.
fn url_with_keys(server: &FakeServer) -> Url {
    let [user, password, path, query] = KEYS;
    let mut url = server.base();
    url.set_username(user).unwrap();
    url.set_password(Some(password)).unwrap();
    url.set_path(&format!("/v2/{path}"));
    url.set_query(Some(&format!("apikey={query}")));
    url
}

#[test]
fn key_of_a_node_is_shown_kept_and_copied_nowhere() {
    let node = recorded_node("anvil");
    let url = url_with_keys(&node);
    for (chain, settings) in chains(url.as_str()) {
        let home = Home::new(chain, &settings);
        let (log, recording) = (home.path("run.log"), home.path("run.jsonl"));
        let mut terminal = home.terminal(&[ALICE, "--log", &log, "--record", &recording]);
        terminal.wait_for("block 23").wait_for("0x");
        // The request log and a command from it, the command of the view, the chains, the palette.
        for keys in
            ["!", "jy", "\x1b", "Y", "p", "\x1b", "gc", "\x1b", ":", "\x1b", "2", "\r", "gx"]
        {
            terminal.press(keys).until(keys, |_| true);
        }
        terminal.press("\x1b\x1bQ").exit_restored();
        assert_clean("the terminal", &terminal.written);
        for args in [
            &["get", "transactions", ALICE][..],
            &["get", "nft-collections", "not an address"],
            &["trace", &"0x11".repeat(32)],
            &["chains"],
            &["chains", "--format", "jsonl"],
            &["config", "--check"],
        ] {
            let output = home.command(args).output().unwrap();
            assert_clean(&format!("{args:?}"), &[output.stdout, output.stderr].concat());
        }
        let mut serve = home.command(&["serve"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(serve.stdout.take().unwrap()).read_line(&mut address).unwrap();
        assert!(address.starts_with("http://127.0.0.1:"), "{address}");
        assert_clean("serve", address.as_bytes());
        serve.kill().unwrap();
        serve.wait().unwrap();
        assert!(assert_clean_files(home.folder.path()) >= 2, "the log and the recording");
    }
    let requests = node.requests();
    assert!(requests.iter().any(|request| request.text().contains(KEYS[2])), "it was sent");
}

#[test]
fn key_is_in_no_error_about_a_node_that_is_absent() {
    let port = ClosedPort::bind();
    let [user, password, path, query] = KEYS;
    let url = format!("http://{user}:{password}@{}/{path}?{query}", port.address());
    for (chain, settings) in chains(&url) {
        let home = Home::new(chain, &settings);
        let log = home.path("run.log");
        let mut terminal = home.terminal(&[ALICE, "--log", &log]);
        terminal.wait_for("gc another chain").press("Y!");
        terminal.wait_for("Requests").press("\x1b\x1bQ").exit_restored();
        assert_clean("the terminal", &terminal.written);
        let output = home.command(&["get", "tokens", ALICE]).output().unwrap();
        assert!(!output.status.success());
        assert_clean("get", &[output.stdout, output.stderr].concat());
        assert_clean_files(home.folder.path());
    }
}

/// An answer of what stands before a node, which repeats what it was sent.
type GatewayAnswer = fn(&Request) -> Behavior;

const GATEWAYS: [(&str, GatewayAnswer); 10] = [
    ("401", |request| page(401, request)),
    ("403", |request| page(403, request)),
    ("502", |request| page(502, request)),
    ("200", |request| page(200, request)),
    ("404 in JSON", |request| {
        with_type(404, "application/json", format!(r#"{{"message":"no {}"}}"#, request.target))
    }),
    ("error with a positive code", |request| {
        let target = &request.target;
        let error = format!(r#"{{"code":401,"message":"bad key in {target}","data":"{target}"}}"#);
        with_type(200, "application/json", format!(r#"{{"jsonrpc":"2.0","id":1,"error":{error}}}"#))
    }),
    ("redirect to itself", |request| redirect(&request.target)),
    ("redirect elsewhere", |request| redirect(&format!("http://[::1]:1/?next={}", request.target))),
    ("empty", |_| with_type(200, "application/json", "")),
    ("slow", |request| Behavior::Delay(Duration::from_millis(1_100), page(401, request).into())),
];

fn page(status: u16, request: &Request) -> Behavior {
    let text = request.text();
    let length = text.len().to_string();
    let headers = [
        ("content-type", "text/html"),
        ("server", &*request.target),
        ("www-authenticate", "Basic"),
        ("content-length", &length),
    ];
    Behavior::Respond([response_head(status, &headers), text.into()].concat())
}

fn redirect(to: &str) -> Behavior {
    Behavior::Respond(response_head(302, &[("location", to), ("content-length", "0")]))
}

#[test]
fn key_is_nowhere_if_a_gateway_answers_for_the_node() {
    thread::scope(|scope| {
        for (name, answer) in GATEWAYS {
            scope.spawn(move || {
                let gateway = fake_host(move |request, _| answer(request));
                let url = url_with_keys(&gateway);
                use_refused_chain(name, url.as_str());
                assert!(gateway.requests().iter().any(|request| request.text().contains(KEYS[2])));
            });
        }
    });
}

/// Goes through the panes of a chain of which only refusals are seen, and runs the other commands.
fn use_refused_chain(name: &str, url: &str) {
    let home = Home::new(Some(url.to_owned()), "");
    let log = home.path("run.log");
    let mut terminal = home.terminal(&[ALICE, "--log", &log]);
    // A failure that passes says nothing about the URL.
    let passes = name == "502";
    terminal.wait_for(if passes { "(HTTP 502)" } else { "neither a node nor an explorer" });
    for keys in ["!", "jy", "\x1b", "Y", "p", "\x1b", "gc", "\x1b", ":", "\x1b", "gx", "a"] {
        terminal.press(keys).until(keys, |_| true);
    }
    terminal.press("label\r2").press("3").press("4").press("5").press("H");
    terminal.press("\x1b\x1bQ").exit_restored();
    assert_clean(name, &terminal.written);
    let (trace, recording) = ("0x11".repeat(32), home.path("run.jsonl"));
    for args in [
        &["get", "transactions", ALICE][..],
        &["get", "blocks", "--record", &recording],
        &["get", "address", "a.name.eth", "--log", &log],
        &["trace", &trace],
        &["serve"],
    ] {
        let output = home.command(args).output().unwrap();
        assert!(!output.status.success(), "{name}: {args:?}");
        assert_clean(&format!("{name}: {args:?}"), &[output.stdout, output.stderr].concat());
    }
    assert!(assert_clean_files(home.folder.path()) >= 1, "the log");
    assert_clean_files(home.settings.path());
}

#[test]
fn files_named_after_a_key_are_renamed() {
    let gateway = fake_host(|request, _| page(401, request));
    let port = gateway.base().port().unwrap();
    let home = Home::new(Some(url_with_keys(&gateway).into()), "");
    let leaked = format!("127.0.0.1-{port}-v2-{}", KEYS[2]);
    let labels = home.settings.path().join("chainglass/labels");
    let recents = Path::new(&home.path("XDG_STATE_HOME")).join("chainglass/recent");
    for (folder, name) in [(&labels, format!("{leaked}.csv")), (&recents, leaked)] {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join(name), "kept").unwrap();
    }
    let output = home.command(&["get", "transactions", ALICE]).output().unwrap();
    assert!(!output.status.success());
    home.terminal(&[]).wait_for("neither").press("Q").exit_restored();
    for (folder, extension) in [(&labels, ".csv"), (&recents, "")] {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names = names.filter_map(|name| name.into_string().ok());
        let renamed = names.find(|name| name.starts_with("127.0.0.1-")).unwrap();
        assert!(renamed.ends_with(extension) && !renamed.contains("v2"), "{renamed}");
        assert_eq!(fs::read_to_string(folder.join(&renamed)).unwrap(), "kept");
    }
}

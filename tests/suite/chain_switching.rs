//! Switching chains: history entries and learned names stay on their chain.

use std::collections::HashMap;
use std::time::Duration;

use chainglass::test_api::api::exchange::RateLimit;
use chainglass::test_api::api::{AddressQuery, Query};
use chainglass::test_api::app_message::{
    ChainIndex, ChainRequest, ConnectionStatus, Effect, Msg, NetworkEvent, Priority,
    RequestLogEntry,
};
use chainglass::test_api::chain::Chains;
use chainglass::test_api::chain::{Endpoint, Network, TargetOrName};
use chainglass::test_api::demo_server::{ApiServer, ApiServerOptions, DemoChain};
use chainglass::test_api::indexer::IndexProgress;
use chainglass::test_api::net::local_nodes;
use chainglass::test_api::rpc::ForkedNetwork;
use chainglass::test_api::user_data::Labels;
use serde_json::json as json_value;

use super::demo_items::{DEEP_ERROR, SWAP};
use super::fake_server::{fake_server, json, page};
use super::scripted_node::node_with;
use super::session::{ALICE, Session, now, size};

/// A second demo server and its chain.
async fn second_demo_server() -> (ApiServer, Network) {
    let chain = DemoChain::open().unwrap();
    let explorer = ApiServer::start(chain, ApiServerOptions::default()).await.unwrap();
    let base = format!("http://{}", explorer.address()).parse().unwrap();
    (explorer, Chains::default().network_at(&base))
}

async fn switch(session: &mut Session, network: &Network) {
    let effects = session.app.switch_chain(network.clone());
    session.settle(effects).await;
}

async fn paste(session: &mut Session, text: &str) {
    let effects = session.app.update(Msg::Paste(text.to_owned()));
    session.settle(effects).await;
}

fn title(session: &Session) -> String {
    session.screen().lines().next().unwrap().to_owned()
}

#[track_caller]
fn assert_on(session: &Session, chain: &str, subject: &str) {
    let title = title(session);
    let subject = match subject {
        "start" => {
            return assert!(title.starts_with(&format!(" ◆ {chain} ")) && !title.contains(" › "));
        }
        "address" if title.contains("› address 0x") => "address 0x",
        "address" => "alice.eth",
        "transaction" => "swapExactIn 0x",
        subject => subject,
    };
    let path = format!(" ◆ {chain} › ");
    assert!(title.starts_with(&path) && title.contains(&format!("› {subject}")), "{title}");
}

fn opens_provider(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::OpenProvider { .. }))
}

#[tokio::test]
async fn history_entries_keep_their_chain() {
    let (_explorer, there) = second_demo_server().await;
    let mut session = Session::demo(size(120, 40), ALICE).await;
    assert_on(&session, "demo", "address");
    switch(&mut session, &there).await;
    assert_on(&session, &there.name, "start");
    assert!(!session.screen().contains("Try these"), "only the demo chain has highlights");
    paste(&mut session, SWAP).await;
    assert_on(&session, &there.name, "transaction");
    assert!(session.screen().contains("swapExactIn"), "{}", session.screen());
    session.keys("H H").await;
    assert_on(&session, "demo", "address");
    assert!(session.screen().contains("1 of 826"), "{}", session.screen());
    session.keys("L").await;
    assert_on(&session, &there.name, "start");
    session.keys("L").await;
    assert_on(&session, &there.name, "transaction");
    // A view opened from another is on the same chain.
    session.keys("T").await;
    assert_on(&session, &there.name, "all token transfers");
    session.keys("H H H T").await;
    assert_on(&session, "demo", "all token transfers");
}

#[tokio::test]
async fn chain_connects_once() {
    let (_explorer, there) = second_demo_server().await;
    let mut session = Session::demo(size(120, 40), ALICE).await;
    assert_eq!(session.app.switch_chain(Network::demo()), []);
    assert!(session.screen().contains("already on demo"), "{}", session.screen());
    assert_on(&session, "demo", "address");
    assert!(opens_provider(&session.app.switch_chain(there.clone())), "no request yet");
    assert_on(&session, "demo", "address");
    switch(&mut session, &there).await;
    assert!(!opens_provider(&session.app.switch_chain(Network::demo())));
    assert_on(&session, "demo", "start");
    assert!(session.screen().contains("Try these"));
    assert!(!opens_provider(&session.app.switch_chain(there.clone())));
    assert_on(&session, &there.name, "start");
}

#[tokio::test]
async fn failed_switch_changes_nothing() {
    let (_explorer, there) = second_demo_server().await;
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.connect_error = Some("the key is no key");
    switch(&mut session, &there).await;
    assert_on(&session, "demo", "address");
    let message = format!("cannot open {}: the key is no key", there.name);
    assert!(session.screen().contains(&message), "{}", session.screen());
    assert!(!title(&session).contains("1/2"), "{}", title(&session));
    // A second attempt can succeed.
    session.connect_error = None;
    switch(&mut session, &there).await;
    assert_on(&session, &there.name, "start");
}

#[tokio::test]
async fn only_the_last_switch_takes_effect() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    let networks = ["http://one.example", "http://two.example"];
    for network in networks {
        session.app.switch_chain(Chains::default().resolve(network).unwrap());
    }
    let ready = |chain| Msg::ProviderOpened { chain: ChainIndex(chain), outcome: Ok(None) };
    session.app.update(ready(1));
    assert_on(&session, "demo", "address");
    session.app.update(Msg::ProviderOpened {
        chain: ChainIndex(2),
        outcome: Ok(Some("others can read the API key".into())),
    });
    assert_on(&session, "two.example", "start");
    assert!(session.screen().contains("others can read the API key"), "{}", session.screen());
}

#[tokio::test]
async fn explorer_url_switches_chain() {
    let (explorer, there) = second_demo_server().await;
    let mut session = Session::demo(size(120, 40), ALICE).await;
    let base = format!("http://{}", explorer.address());
    paste(&mut session, &format!("{base}/tx/{SWAP}?tab=logs")).await;
    assert_on(&session, &there.name, "transaction");
    assert!(session.screen().contains("swapExactIn"), "{}", session.screen());
    session.keys("s").await;
    session.type_text(&format!("{base}/token/{ALICE}")).await;
    assert_on(&session, &there.name, "token");
    session.keys("H H").await;
    assert_on(&session, "demo", "address");
    let wrong = ALICE.replace("2266", "2267");
    paste(&mut session, &format!("{base}/address/{wrong}")).await;
    assert_on(&session, &there.name, "address");
    assert!(session.screen().contains("address checksum mismatch"));
}

#[tokio::test]
async fn late_response_updates_only_its_chain() {
    let server = fake_server(|request, _| match request.path() {
        path if path.ends_with("/transactions") => page("", "null"),
        _ => json(404, r#"{"message":"Not found"}"#),
    });
    let there = Chains::default().network_at(&server.base());
    let mut session = Session::demo(size(120, 40), "").await;
    let late = session.press("enter");
    assert!(!late.is_empty());
    switch(&mut session, &there).await;
    paste(&mut session, ALICE).await;
    let asked = server.requests().len();
    let before = session.screen();
    session.settle(late).await;
    assert_eq!(server.requests().len(), asked, "the request went to another server");
    assert_eq!(session.screen(), before, "its response belongs to another view");
    let alice = ALICE.parse().unwrap();
    assert!(
        session.app.name_cache().name(&alice).is_none(),
        "alice.eth is a name of the other chain"
    );
    session.keys("H H").await;
    assert_on(&session, "demo", "address");
    let name = session.app.name_cache().name(&alice).unwrap();
    assert_eq!(name.label.as_deref(), Some("alice.eth"));
}

#[tokio::test]
async fn diff_baseline_belongs_to_one_chain() {
    let (_explorer, there) = second_demo_server().await;
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("2 m m").await;
    switch(&mut session, &there).await;
    paste(&mut session, DEEP_ERROR).await;
    session.keys("2 D").await;
    assert!(session.screen().contains("no trace is marked"), "{}", session.screen());
    session.keys("H H").await;
    paste(&mut session, DEEP_ERROR).await;
    session.keys("2 D").await;
    assert_on(&session, "demo", "comparison of two traces");
}

#[tokio::test]
async fn demo_names_calls_as_any_chain() {
    let (_explorer, there) = second_demo_server().await;
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("2").await;
    let calls = |session: &Session| -> Vec<String> {
        session.screen().lines().skip(4).take(20).map(str::to_owned).collect()
    };
    let on_demo = calls(&session);
    assert!(
        on_demo[0].contains("Router.swapExactIn([GLD → WTH → … → NIL]"),
        "decoded by the explorer"
    );
    assert!(on_demo[1].contains("Glass Dollar.transferFrom?("), "known by the selector only");
    switch(&mut session, &there).await;
    paste(&mut session, SWAP).await;
    session.keys("2").await;
    assert_eq!(calls(&session), on_demo);
}

#[tokio::test]
async fn rate_limit_is_shown_per_host() {
    let mut session = Session::demo(size(160, 24), "").await;
    let limits = RateLimit { remaining: Some(7), limit: Some(300), ..RateLimit::default() };
    let standing = ConnectionStatus { rate_limit: Some(limits), ..ConnectionStatus::default() };
    let is_limited = |session: &Session| title(session).contains("7/300 requests left");
    for (n, base) in
        ["http://a.example/1", "http://b.example", "http://a.example/2"].into_iter().enumerate()
    {
        let chain = ChainIndex(n + 1);
        session.app.switch_chain(Chains::default().resolve(base).unwrap());
        session.app.update(Msg::ProviderOpened { chain, outcome: Ok(None) });
        assert!(!is_limited(&session), "{base}");
    }
    session.app.update(Msg::Network(ChainIndex(3), NetworkEvent::Status(standing)));
    assert!(is_limited(&session));
    for (keys, limited) in [("H", false), ("H", true), ("H", false)] {
        session.press(keys);
        assert_eq!(is_limited(&session), limited, "{}", title(&session));
    }
    session.app.switch_chain(Chains::default().resolve("http://a.example/3").unwrap());
    session.app.update(Msg::ProviderOpened { chain: ChainIndex(4), outcome: Ok(None) });
    assert!(is_limited(&session), "a new chain at a known host");
}

#[tokio::test]
async fn request_log_names_hosts_when_there_are_several() {
    let mut session = Session::demo(size(120, 24), "").await;
    let sent = |base: &str| {
        let url = format!("{base}/api/v2/addresses/{ALICE}/counters");
        NetworkEvent::Request(Box::new(RequestLogEntry {
            method: "GET",
            url: url.as_str().into(),
            status: Some(200),
            error: None,
            time: now(),
            elapsed: Duration::ZERO,
            bytes: 1,
            attempt: 1,
            from_cache: false,
            priority: Priority::Interactive,
        }))
    };
    let (one, two) = ("https://one.example/path", "https://two.example");
    session.app.update(Msg::Network(ChainIndex(0), sent(one)));
    session.keys("!").await;
    let row = |session: &Session| session.screen().lines().nth(3).unwrap().to_owned();
    let path = format!(" addresses/{ALICE}/counters");
    assert!(row(&session).contains(&path), "{}", row(&session));
    session.app.update(Msg::Network(ChainIndex(1), sent(two)));
    assert!(row(&session).contains(" two.example/addresses/"), "{}", row(&session));
    let below = session.screen().lines().nth(4).unwrap().to_owned();
    assert!(below.contains(" one.example/path/addresses/"), "{below}");
}

#[tokio::test]
async fn request_log_has_the_reason_at_every_width() {
    for columns in [40, 60, 80, 120, 200] {
        let mut session = Session::demo(size(columns, 24), ALICE).await;
        session.keys("!").await;
        let entry = RequestLogEntry {
            method: "GET",
            url: "https://a.example/api/v2/blocks".into(),
            status: Some(200),
            error: None,
            time: now(),
            elapsed: Duration::ZERO,
            bytes: 1,
            attempt: 3,
            from_cache: false,
            priority: Priority::Interactive,
        };
        session.app.update(Msg::Network(ChainIndex(0), NetworkEvent::Request(Box::new(entry))));
        let screen = session.screen();
        assert!(screen.contains(" retry 2 ") && screen.contains(" reason "), "{screen}");
        assert!(screen.contains("blocks"), "{screen}");
        assert!(screen.contains("https://a.example/api/v2/blocks"), "{screen}");
    }
}

/// The rows of the chain picker, below the titles of its columns.
fn picker_rows(session: &Session) -> Vec<String> {
    let screen = session.screen();
    let rows = screen.lines().skip_while(|line| !line.contains("│ > ")).skip(2);
    let rows = rows.take_while(|line| !(line.contains('╰') && line.contains(" of ")));
    let inside = |row: &str| {
        row.split(['│', '┃']).max_by_key(|part| part.len()).map(str::trim).map(str::to_owned)
    };
    rows.filter_map(inside).collect()
}

#[tokio::test]
async fn chain_picker_accepts_name_id_or_url() {
    for (typed, name, id) in [
        ("gnosis", "Gnosis", Some(100)),
        ("100", "Gnosis", Some(100)),
        ("1", "Ethereum", Some(1)),
        ("8453", "Base", Some(8453)),
        ("optimism", "OP Mainnet", Some(10)),
        ("opt", "OP Mainnet", Some(10)),
        ("https://gnosis.blockscout.com/api/v2", "Gnosis", Some(100)),
        ("http://127.0.0.1:9/x", "127.0.0.1:9", None),
    ] {
        let mut session = Session::demo(size(120, 40), ALICE).await;
        session.keys("g c").await;
        for c in typed.chars() {
            session.press(&c.to_string());
        }
        let effects = session.press("enter");
        let [Effect::OpenProvider { network, .. }] = &effects[..] else {
            panic!("{typed}: {effects:?}")
        };
        assert_eq!((network.name.as_str(), network.id), (name, id), "{typed}");
        session.settle(effects).await;
        assert_on(&session, name, "start");
        assert!(!session.screen().contains("Switch chain"), "{}", session.screen());
    }
}

#[tokio::test]
async fn chain_picker_lists_visited_chains_first() {
    let (_explorer, there) = second_demo_server().await;
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("g c").await;
    let first = picker_rows(&session)[0].clone();
    assert!(first.starts_with("● demo "), "{first}");
    session.keys("enter").await;
    assert!(session.screen().contains("already on demo"), "{}", session.screen());
    // A chain that could not be opened does not count as visited.
    session.connect_error = Some("no");
    switch(&mut session, &Chains::default().resolve("gnosis").unwrap()).await;
    session.connect_error = None;
    switch(&mut session, &there).await;
    session.keys("g c").await;
    let rows = picker_rows(&session);
    assert!(rows[0].starts_with(&format!("● {}", there.name)), "{rows:?}");
    assert!(rows[1].starts_with("○ demo "), "{rows:?}");
    assert!(rows[2..].iter().all(|row| !row.starts_with(['●', '○'])), "{rows:?}");
    session.keys("n o s u c h - c h a i n enter").await;
    assert!(session.screen().contains("nothing found"), "{}", session.screen());
    session.keys("esc").await;
    assert_on(&session, &there.name, "start");
}

#[tokio::test]
async fn list_of_chains_opens_no_other_chain_for_a_known_one() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    for (typed, id) in [("bsc", "56"), ("bnb", "56"), ("avax", "43114"), ("avalanche", "43114")] {
        session.keys("g c").await;
        session.type_text(typed).await;
        let screen = session.screen();
        let note = format!("no Blockscout explorer is known for {typed} (chain {id})");
        assert!(screen.contains(&note) && !screen.contains("icbscan"), "{screen}");
        assert_on(&session, "demo", "address");
        session.keys("esc").await;
    }
    // An explorer of that name is offered, and opens.
    let (demo, own) = (Network::demo(), Chains::default().resolve("http://bsc.example").unwrap());
    let own = own.into_explorer();
    for network in [&own, &demo] {
        switch(&mut session, network).await;
    }
    session.keys("g c").await;
    session.type_text("bsc").await;
    assert_on(&session, &own.name, "start");
}

/// Chain number `n`, and a name that only its explorer returns.
fn test_chain(n: usize) -> (Network, String) {
    let network = Chains::default().resolve(&format!("http://chain{n}.example")).unwrap();
    let network = network.into_explorer();
    (network, format!("MARK{n}"))
}

/// A response with the chain's mark in every name.
fn chain_response(n: usize) -> String {
    let (address, hash) = (format!("0x{}", format!("{n}f").repeat(20)), format!("{n}e").repeat(32));
    let named = format!(r#"{{"hash":"{ALICE}","name":"MARK{n}"}}"#);
    let row = format!(r#"{{"hash":"0x{hash}","method":"MARK{n}","from":{named},"to":{named}}}"#);
    format!(
        r#"{{"items":[{row}],"next_page_params":null,"hash":"{ALICE}","name":"MARK{n}","from":{named},
        "method":"MARK{n}","redirect":true,"type":"address","parameter":"{address}"}}"#
    )
}

/// A session with random events in random order.
struct RandomSession {
    session: Session,
    rng: fastrand::Rng,
    /// Requests without a response so far.
    asked: Vec<Effect>,
    /// The test's number of each chain of the app.
    chains: HashMap<ChainIndex, usize>,
}

impl RandomSession {
    const KEYS: [&str; 18] = [
        "j", "enter", "esc", "H", "L", "1", "2", "3", "r", "tab", "z", "|", "T", "s", "x", "H",
        "enter", "L",
    ];

    fn step(&mut self) {
        let n = self.rng.usize(..3);
        let effects = match self.rng.u8(..10) {
            0 => self.session.app.switch_chain(test_chain(n).0),
            1 => self.update(Msg::Paste(format!("http://chain{n}.example/address/{ALICE}"))),
            2 => {
                let (network, name) = test_chain(n);
                let labels = Labels::from_csv(&format!("{ALICE},{name},yes\n"));
                self.update(Msg::LabelsLoaded {
                    key: network.storage_key(),
                    labels: Ok(labels.into()),
                })
            }
            3..6 => self.session.press(Self::KEYS[self.rng.usize(..Self::KEYS.len())]),
            _ => self.answer(),
        };
        self.asked.extend(effects);
    }

    fn update(&mut self, msg: Msg) -> Vec<Effect> {
        self.session.app.update(msg)
    }

    /// Responds to one pending request, even if it was cancelled.
    fn answer(&mut self) -> Vec<Effect> {
        if self.asked.is_empty() {
            return Vec::new();
        }
        let msg = match self.asked.swap_remove(self.rng.usize(..self.asked.len())) {
            Effect::Request { id, chain, request: ChainRequest::Fetch { query, cursor, .. } } => {
                let body = chain_response(self.chains[&chain]);
                let reply = query.decode(body.as_bytes(), cursor.as_ref());
                Msg::Fetched { id, query, reply }
            }
            Effect::OpenProvider { chain, network } => {
                // Text pasted twice into a prompt has another path.
                let n = (0..3).find(|n| test_chain(*n).0.name == network.name).unwrap();
                self.chains.insert(chain, n);
                let ready = if self.rng.u8(..3) > 0 { Ok(None) } else { Err("not now".into()) };
                Msg::ProviderOpened { chain, outcome: ready }
            }
            Effect::StartTimer(alarm, _) => Msg::TimerFired(alarm),
            _ => return Vec::new(),
        };
        self.update(msg)
    }
}

#[tokio::test]
async fn random_event_order_never_mixes_chains() {
    let mut marks = [0; 3];
    for seed in 0..6 {
        let session = Session::refusing(test_chain(0).0, size(160, 30), true);
        let (rng, chains) = (fastrand::Rng::with_seed(seed), HashMap::from([(ChainIndex(0), 0)]));
        let mut chance = RandomSession { session, rng, asked: Vec::new(), chains };
        chance.asked = chance.session.app.start(size(160, 30), None);
        for step in 0..250 {
            chance.step();
            let screen = chance.session.screen();
            let is_here = |n: &usize| screen.starts_with(&format!(" ◆ chain{n}.example"));
            let here = (0..3).find(is_here);
            assert!(here.is_some(), "seed {seed}, step {step}:\n{screen}");
            for (n, seen) in marks.iter_mut().enumerate() {
                let holds = screen.contains(&test_chain(n).1);
                assert!(Some(n) == here || !holds, "seed {seed}, step {step}:\n{screen}");
                *seen += usize::from(holds);
            }
        }
    }
    assert!(marks.iter().all(|seen| *seen > 50), "{marks:?}");
}

#[tokio::test]
async fn page_of_an_unknown_url_is_loaded_once() {
    let network = Chains::default().resolve("http://explorer.example/").unwrap();
    assert!(matches!(network.endpoint, Endpoint::Undecided(_)), "{network:?}");
    let explorer = "http://explorer.example/".parse().unwrap();
    let decided = Network { endpoint: Endpoint::Remote(explorer), ..network.clone() };
    let mut session = Session::refusing(network, size(120, 40), false);
    let target = ALICE.parse::<TargetOrName>().unwrap();
    let asked = session.app.start(size(120, 40), Some(target));
    let event = NetworkEvent::Decided(Box::new(decided));
    let effects = session.app.update(Msg::Network(ChainIndex(0), event));
    session.settle([asked, effects].concat()).await;
    let is_counters =
        |(query, _): &&(Query, _)| matches!(query, Query::Address(_, AddressQuery::Counters));
    assert_eq!(session.requests.iter().filter(is_counters).count(), 1, "{:?}", session.requests);
    let is_address =
        |(query, _): &&(Query, _)| matches!(query, Query::Address(_, AddressQuery::Details));
    assert_eq!(session.requests.iter().filter(is_address).count(), 1, "{:?}", session.requests);
}

#[tokio::test]
async fn local_nodes_are_found_by_their_version() {
    let node = |version: &'static str| node_with(move |_, _| json_value!({ "result": version }));
    let nodes = [node("anvil/v1.7.1"), node("HardhatNetwork/3.18.0/@nomicfoundation/edr/0.3.8")];
    let other = fake_server(|_, _| json(200, "{}"));
    let ports = [nodes[0].base(), nodes[1].base(), other.base()].map(|base| base.port().unwrap());
    let found = local_nodes::find_at(&ports).await;
    let names: Vec<String> = found.iter().map(|network| network.name.clone()).collect();
    assert_eq!(names, [format!("anvil:{}", ports[0]), format!("hardhat:{}", ports[1])]);
}

#[tokio::test]
async fn running_nodes_come_first_in_the_list_of_chains() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    let effects = session.press("g c");
    assert!(effects.contains(&Effect::FindLocalNodes), "{effects:?}");
    session.keys("down down").await;
    let selected = session.screen();
    let nodes = ["anvil", "hardhat:8546"].map(|name| Chains::default().resolve(name).unwrap());
    session.app.update(Msg::LocalNodesFound(nodes.to_vec()));
    let screen = session.screen();
    let row = |name: &str| screen.lines().position(|line| line.contains(name)).unwrap();
    let visited = row("● demo");
    assert_eq!((row("anvil"), row("hardhat:8546")), (visited + 1, visited + 2), "{screen}");
    assert!(screen.contains("○ anvil") && screen.contains("○ hardhat:8546"), "{screen}");
    assert!(selected.contains(" 3 of ") && screen.contains(" 4 of "), "{screen}");
    assert!(selected.contains("  node  ") && !screen.contains("  node  "), "{selected}");

    session.keys("esc").await;
    session.press("g c");
    session.keys("8 5 4 6").await;
    let effects = session.press("enter");
    assert!(opens_provider(&effects), "{effects:?}");
}

#[tokio::test]
async fn typed_name_of_a_local_node_is_offered_before_remote_chains() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    for (typed, shown) in
        [("ganache", "ganache"), ("node:9000", "node:9000"), (":8546", "node:8546")]
    {
        session.press("g c");
        for c in typed.chars() {
            session.press(&c.to_string());
        }
        let screen = session.screen();
        let first = screen.lines().find(|line| line.contains("typed")).unwrap();
        assert!(first.contains(shown), "{screen}");
        session.keys("esc").await;
    }
}

#[tokio::test]
async fn typed_name_of_a_listed_node_is_not_offered_again() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    for typed in ["a n v i l", "N o d e"] {
        session.press("g c");
        session.keys(typed).await;
        let screen = session.screen();
        assert_eq!(screen.matches("127.0.0.1:8545").count(), 1, "{typed}: {screen}");
        assert!(!screen.contains("typed"), "{typed}: {screen}");
        session.keys("esc").await;
    }
}

#[tokio::test]
async fn fork_of_a_development_chain_is_not_the_demo_chain() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    for (chain_id, offered) in [(1, Some("Ethereum")), (31_337, None)] {
        let fork = ForkedNetwork { fork_block_number: 9, chain_id: Some(chain_id) };
        let progress = IndexProgress { fork: Some(fork), ..IndexProgress::default() };
        let event = NetworkEvent::Index(Box::new(progress));
        session.app.update(Msg::Network(ChainIndex::default(), event));
        let screen = session.screen();
        assert!(screen.contains(&format!("chain {chain_id}")), "{screen}");
        assert_eq!(screen.contains("gc: "), offered.is_some(), "{screen}");
        assert!(offered.is_none_or(|name| screen.contains(name)), "{screen}");
    }
}

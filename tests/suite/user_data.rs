//! Labels, watch list and recents, on the screen and in files.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use chainglass::test_api::api::{AddressQuery, Query, TransactionQuery};
use chainglass::test_api::app_message::{Effect, Msg, UserDataJob};
use chainglass::test_api::chain::Address;
use chainglass::test_api::chain::Chains;
use chainglass::test_api::chain::Network;
use chainglass::test_api::user_data::{LabelEdit, Labels};
use chainglass::test_api::user_data::{RecentEntry, Recents, RecentsChange};
use insta::assert_snapshot;

use crate::demo_items::{BOB, SWAP};
use crate::session::{ALICE, Session, size};
use crate::terminal::Terminal;

const CARD: &str = "0x14dC79964da2C08b23698B3D3cc7Ca32193d9955";

fn address(text: &str) -> Address {
    text.parse().unwrap()
}

/// A message with the labels of a file.
fn labels_message(file: &str) -> Msg {
    Msg::LabelsLoaded { key: "demo".into(), labels: Ok(Labels::from_csv(file).into()) }
}

impl Session {
    fn load_labels(&mut self, file: &str) {
        let effects = self.app.update(labels_message(file));
        let is_request = |effect: &Effect| matches!(effect, Effect::Request { .. });
        assert!(effects.iter().all(is_request), "at most balances are asked for: {effects:?}");
    }

    /// The last label edit to be saved.
    fn last_edit(&self) -> Option<&LabelEdit> {
        self.effects.iter().rev().find_map(|effect| match effect {
            Effect::UserData(UserDataJob::EditLabel { change, .. }) => Some(change),
            _ => None,
        })
    }
}

pub(crate) fn assert_shows(session: &Session, message: &str) {
    let screen = session.screen();
    assert!(screen.contains(message), "{message} is not on\n{screen}");
}

#[tokio::test]
async fn label_is_a_name_to_go_to() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("a").await;
    session.type_text("my wallet").await;
    session.keys("B s").await;
    session.type_text("My Wallet").await;
    let screen = session.screen();
    assert!(screen.lines().next().unwrap_or_default().contains("› «my wallet»"), "{screen}");
}

#[tokio::test]
async fn label_prompt_names_the_selected_address() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("a").await;
    assert_shows(&session, "Label of alice.eth 0xf39F…2266");
    session.type_text("My wallet").await;
    assert_shows(&session, "labelled 0xf39F…2266 «My wallet»");
    assert_eq!(session.last_edit(), LabelEdit::name(address(ALICE), "My wallet").as_ref());
    let screen = session.screen();
    let lines: Vec<&str> = screen.lines().collect();
    assert!(lines[0].contains("› «My wallet» "), "{screen}");
    assert!(lines[1].contains(" «My wallet»  alice.eth ") && lines[1].contains(ALICE), "{screen}");
    session.keys("j j j l l a").await; // the sender of the fourth row
    session.type_text("Card").await;
    assert_eq!(session.last_edit(), LabelEdit::name(address(CARD), "Card").as_ref());
    assert_shows(&session, &format!("{CARD} «Card»"));
    session.keys("a").await;
    assert_shows(&session, "│ > Card ");
    session.keys("ctrl-u").await;
    session.keys("enter").await;
    assert_shows(&session, "removed the label of 0x14dC…9955");
    assert!(!session.screen().contains("«Card»"));
}

#[tokio::test]
async fn label_of_another_address_is_reported() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.load_labels(&format!("address,name,watch\n{CARD},Card,\n"));
    session.keys("a").await;
    session.type_text("Card").await;
    assert_shows(&session, "labelled 0xf39F…2266 «Card» (already the label of another address)");
    session.keys("a ctrl-u").await;
    session.type_text("Cards").await;
    assert_shows(&session, "labelled 0xf39F…2266 «Cards»");
    assert!(!session.screen().contains("already"), "{}", session.screen());
}

#[tokio::test]
async fn too_long_label_is_refused() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.keys("a").await;
    session.type_text(&"x".repeat(65)).await;
    assert_shows(&session, "at most 64 characters");
    assert_eq!(session.last_edit(), None);
}

#[tokio::test]
async fn watched_address_is_on_the_start_screen() {
    let mut session = Session::demo(size(80, 24), "").await;
    session.keys("enter w").await;
    assert_shows(&session, "watching 0xf39F…2266");
    assert_eq!(session.last_edit(), Some(&LabelEdit::watch(address(ALICE), true)));
    session.keys("esc").await;
    assert_shows(&session, "─ Watched ─");
    session.keys("g g w").await;
    assert_shows(&session, "stopped watching 0xf39F…2266");
    assert!(!session.screen().contains("─ Watched ─"));
    session.keys("G a").await; // the last place of the demo chain
    session.type_text("Fifty-one").await;
    assert_eq!(
        session.last_edit().map(|change| change.address.to_string()).as_deref(),
        Some("0x71bE63f3384f5fb98995898A86B02Fb2426c5788")
    );
}

#[tokio::test]
async fn view_without_an_address_cannot_be_labelled() {
    let mut session = Session::demo(size(80, 24), SWAP).await;
    for key in ["a", "w"] {
        session.keys(key).await;
        assert_shows(&session, "no address here");
    }
}

#[tokio::test]
async fn narrow_column_shows_only_the_label() {
    let mut session = Session::demo(size(60, 20), ALICE).await;
    session.load_labels(&format!("address,name,watch\n{ALICE},Me,\n{CARD},Card,\n"));
    assert_shows(&session, "← ●○ «Card»  ");
    session.keys("j j j l l I").await;
    assert_shows(&session, "name    «Card» is your label");
    session.keys("esc").await;
    session.load_labels(&format!("address,name,watch\n{ALICE},Card,\n{CARD},Card,\n"));
    assert_shows(&session, "← ●○ 0x14dC…9955 ");
}

#[tokio::test]
async fn details_show_current_labels() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("j j j enter").await;
    session.load_labels(&format!("address,name,watch\n{ALICE},Me,\n"));
    assert_shows(&session, &format!(" {ALICE} «Me» alice.eth"));
    session.keys("esc").await;
    session.load_labels(&format!("address,name,watch\n{ALICE},Myself,\n"));
    session.keys("L").await;
    assert_shows(&session, &format!("{ALICE} «Myself» alice.eth"));
}

#[tokio::test]
async fn traces_and_diffs_show_labels() {
    let mut session = Session::demo(size(200, 60), SWAP).await;
    session.load_labels(&format!("address,name,watch\n{BOB},B,\n"));
    session.keys("2").await;
    assert_shows(&session, &format!(" {BOB} «B» bob.eth"));
    assert!(!session.screen().contains("«B» «B»"), "{}", session.screen());
    assert_shows(&session, ", 0, «B»)"); // an argument
    session.keys("/").await;
    session.type_text("from:«B»").await;
    assert_shows(&session, "/from:«B» 1/1");
    session.keys("esc m m D").await;
    assert_shows(&session, "«B»");
}

#[tokio::test]
async fn calls_and_balance_changes_show_labels() {
    const ROBBED: &str = "0xae67d57a8f9c1ec28c8ce9e5e30a00d9a62b2858e99bd1299bc6f8222d477efa";
    let mut session = Session::demo(size(120, 40), ROBBED).await;
    session.keys("2 w").await;
    let target = session.last_edit().unwrap().address;
    let gainer = "0xcd3B766CCDd6AE721141F452C550Ca635964ce71";
    session.load_labels(&format!("address,name,watch\n{target},Robber,\n{gainer},Gainer,\n"));
    assert_shows(&session, " «Robber».");
    session.keys("I").await;
    assert_shows(&session, " · «Robber» is your label");
    session.keys("V").await;
    assert_shows(&session, " «Gainer» ");
    assert_shows(&session, "+5 ETH");
}

#[tokio::test]
async fn chain_names_cannot_spoof_labels() {
    let body = r#"{"items":[{"hash":"0x7b3ea21d872f869bed3aac4a1a0a06a1136ee63a68d0a756ff5b9c11d50f90e3",
        "from":{"hash":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","name":"«Me»"}}],"next_page_params":null}"#;
    let session = Session::canned(size(159, 40), ALICE, |_, _| Ok(body.into())).await;
    assert_shows(&session, "“‹Me›”");
    assert!(!session.screen().contains("«Me»"));
}

/// A contract whose name could pass for another address, or for an outcome.
const CONTRACT: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

#[tokio::test]
async fn names_that_could_pass_for_addresses_or_marks_are_quoted() {
    for name in ["0xdAC1…1ec7", "✓ USDT", "USDC ⇒ 0xdAC1…1ec7", "! scam"] {
        let to = format!(r#"{{"hash":"{CONTRACT}","name":"{name}","is_contract":true}}"#);
        let transaction = format!(
            r#"{{"hash":"{SWAP}","status":"ok","from":{{"hash":"{ALICE}"}},"to":{to},
            "token_transfers":[{{"token":{{"address_hash":"{CONTRACT}","symbol":"{name}",
            "decimals":"0"}},"from":{{"hash":"{ALICE}"}},"to":{to},"total":{{"value":"5"}}}}]}}"#
        );
        let trace = format!(
            r#"[{{"type":"call","action":{{"callType":"call","from":"{ALICE}","gas":"0x10","input":"0x",
            "to":"{CONTRACT}","value":"0x1"}},"result":{{"gasUsed":"0x0","output":"0x"}},"subtraces":0,
            "traceAddress":[]}}]"#
        );
        let answer = move |query: &Query, _: Option<&_>| match query {
            Query::Address(_, AddressQuery::Transactions { .. }) => {
                Ok(format!(r#"{{"items":[{transaction}],"next_page_params":null}}"#))
            }
            Query::Transaction(_, TransactionQuery::Details) => Ok(transaction.clone()),
            Query::Transaction(_, TransactionQuery::RawTrace) => Ok(trace.clone()),
            _ => Ok(r#"{"items":[],"next_page_params":null}"#.into()),
        };
        let mut session = Session::canned(size(159, 40), ALICE, answer).await;
        assert_shows(&session, &format!("“{name}” 0x7099…79C8"));
        session.keys("enter 1").await;
        assert_shows(&session, &format!("{CONTRACT} “{name}”"));
        assert_shows(&session, &format!("5 “{name}”"));
        session.keys("2").await;
        assert_shows(&session, &format!("“{name}” 0x7099…79C8"));
        session.keys("y T").await;
        let copied = session.copied().unwrap();
        assert!(copied.contains(&format!("“{name}” [{CONTRACT}]")), "{copied}");
    }
}

#[tokio::test]
async fn unreadable_label_rows_are_reported_once() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    let file = "address,name,watch\n0x12,Alice,\nwhat,\n";
    session.load_labels(file);
    assert_shows(&session, "labels/demo.csv: line 2: no address");
    session.keys("j").await;
    session.load_labels(file);
    assert!(!session.screen().contains("line 2"));
    let why = Err("cannot load labels: no permission".into());
    session.app.update(Msg::LabelsLoaded { key: "demo".into(), labels: why });
    assert_shows(&session, "cannot load labels: no permission");
    session.app.update(Msg::LabelsLoaded { key: "1".into(), labels: Ok(Arc::default()) });
    assert_shows(&session, "no permission");
}

#[tokio::test]
async fn label_that_is_not_saved_does_not_stay() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.keys("a").await;
    session.type_text("boss").await;
    assert_shows(&session, "«boss»");
    let why = "cannot save labels: the disk is full".into();
    let effects = session.app.update(Msg::LabelNotSaved { key: "demo".into(), why });
    assert_eq!(effects, [Effect::UserData(UserDataJob::LoadLabels("demo".into()))]);
    session.load_labels("address,name,watch\n");
    assert!(!session.screen().contains("«boss»"), "{}", session.screen());
    assert_shows(&session, "the disk is full");
}

#[tokio::test]
async fn label_files_reload_on_start_screen_and_refresh() {
    let mut session = Session::demo(size(80, 24), "").await;
    let read = Effect::UserData(UserDataJob::LoadLabels("demo".into()));
    assert_eq!(session.effects.as_slice(), std::slice::from_ref(&read));
    assert!(session.press("r").contains(&read));
    assert!(!session.press("enter").contains(&read));
    assert!(session.press("esc").contains(&read));
}

/// A chain whose recents are recorded.
fn other_network() -> Network {
    Chains::default().network_at(&"http://127.0.0.1:1".parse().unwrap())
}

async fn on_other_chain(keeps: bool) -> Session {
    let mut session = Session::refusing(other_network(), size(80, 24), keeps);
    let effects = session.app.start(size(80, 24), None);
    session.settle(effects).await;
    session
}

#[tokio::test]
async fn recents_are_recorded_unless_disabled() {
    for keeps in [true, false] {
        let mut session = on_other_chain(keeps).await;
        let key = other_network().storage_key();
        let load = Effect::UserData(UserDataJob::LoadRecents(key.clone()));
        assert_eq!(session.effects.contains(&load), keeps);
        let effects = session.app.update(Msg::Paste(ALICE.into()));
        let change = RecentsChange::Add(RecentEntry::Address(address(ALICE)));
        let note = Effect::UserData(UserDataJob::UpdateRecents { key, change });
        assert_eq!(effects.contains(&note), keeps);
        session.settle(effects).await;
        session.keys("esc").await;
        assert_eq!(session.screen().contains("─ Recent ─"), keeps);
    }
}

#[tokio::test]
async fn recent_entry_can_be_removed() {
    let mut session = on_other_chain(true).await;
    let key = || other_network().storage_key();
    let lines = format!("address {ALICE}\ntransaction {SWAP}\ntoken {BOB}\n");
    let visits = Ok(Recents::parse(&lines));
    session.app.update(Msg::RecentsLoaded { key: key(), recents: visits });
    session.keys("j").await;
    session.keys("y y").await;
    assert_eq!(session.copied(), Some(SWAP));
    // A newly watched address adds a row above.
    let labels = Ok(Labels::from_csv(&format!("{BOB},B,yes\n")).into());
    session.app.update(Msg::LabelsLoaded { key: key(), labels });
    session.keys("y y").await;
    assert_eq!(session.copied(), Some(SWAP));
    let change = RecentsChange::Remove(RecentEntry::Transaction(SWAP.parse().unwrap()));
    let forget = Effect::UserData(UserDataJob::UpdateRecents { key: key(), change });
    assert!(session.press("x").contains(&forget));
    assert!(!session.screen().contains("│ transaction "));
    session.keys("g g x").await;
    assert_eq!(session.last_edit(), Some(&LabelEdit::watch(address(BOB), false)));
    session.app.update(Msg::RecentsLoaded { key: key(), recents: Err("the disk is full".into()) });
    assert_shows(&session, "─ Recent (not saved: the disk is full) ─");
}

#[tokio::test]
async fn full_start_screen_matches_its_snapshot() {
    for (width, height) in [(40, 10), (80, 24), (120, 40), (200, 60)] {
        let mut session = Session::demo(size(width, height), "").await;
        let watched = format!(
            "address,name,watch\n{ALICE},\"Cold wallet, the one in the safe\",yes\n{BOB},,yes\n{CARD},Card,yes\n"
        );
        session.load_labels(&watched);
        for n in 0..12_u8 {
            let target = if n % 4 == 0 {
                format!("0x{}", format!("{:02x}", 0xf0 + n).repeat(32))
            } else {
                Address::repeat_byte(n).to_string()
            };
            session.app.update(Msg::Paste(target));
            session.press("H");
        }
        session.app.update(Msg::Paste(CARD.into()));
        session.press("H");
        session.keys("g g j j j j").await;
        if width == 120 {
            assert_snapshot!("start_full_120x40", session.screen());
        }
        session.keys("G").await;
        assert_shows(&session, "Exactly 51");
        session.keys("g g").await;
        assert_shows(&session, "«Cold wallet");
    }
}

#[tokio::test]
async fn empty_start_screen_matches_its_snapshot() {
    let session = on_other_chain(true).await;
    assert_snapshot!("start_elsewhere_80x24", session.screen());
}

/// A configuration folder with these labels of the demo chain.
fn home(labels: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("chainglass/labels");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("demo.csv"), labels).unwrap();
    home
}

fn run(home: &Path, args: &[&str]) -> (String, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
    program.args(["--chain", "demo"]).args(args).env("XDG_CONFIG_HOME", home);
    program.env("XDG_CACHE_HOME", crate::session::UNUSABLE_DIR).stdin(Stdio::null());
    let output = program.output().unwrap();
    assert!(output.status.success());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn labels_appear_in_tables_and_in_csv() {
    let home = home(&format!("address,name,watch\n{CARD},My card,\n0x12,Unknown,\n"));
    let list = |format| {
        run(home.path(), &["get", "transactions", ALICE, "--limit", "4", "--format", format])
    };
    let (table, wrong) = list("table");
    assert!(table.contains(&format!("«My card» {CARD}")), "{table}");
    assert_eq!(wrong, "labels/demo.csv: line 3: no address (0x and 40 hex digits)\n");
    let (csv, _) = list("csv");
    assert!(csv.contains(&format!("\"{CARD}\",\"«My card»\"")), "{csv}");
    let home = self::home(&format!("address,name,watch\n{BOB},B,\n"));
    let (tree, wrong) = run(home.path(), &["trace", SWAP]);
    assert!(tree.contains("transferFrom?(«B» [0x") && wrong.is_empty(), "{tree}{wrong}");
}

#[test]
fn changes_that_a_lock_prevents_are_reported_on_the_screen_and_at_the_end() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("chainglass/labels");
    fs::create_dir_all(&folder).unwrap();
    let lock = fs::File::create(folder.join(".lock")).unwrap();
    lock.lock().unwrap();
    let variables = [("XDG_CONFIG_HOME", home.path().to_str().unwrap())];
    let program = || env!("CARGO_BIN_EXE_chainglass").into();
    let mut terminal = Terminal::open_with(program(), &["--chain", "demo", ALICE], &variables);
    terminal.wait_for("1 of 826").press("aEve\r").wait_for("«Eve»");
    terminal
        .wait_for("cannot save labels: another program holds the lock · /")
        .press("aMallory\rQ");
    assert_eq!(terminal.exit_restored(), 1);
    let path = folder.join("demo.csv");
    let shown = terminal.shown().replace(['\n', '\r'], "");
    assert!(shown.contains(&*path.to_string_lossy()), "{shown}");
    assert!(!folder.join("demo.csv").exists());
    drop(lock);
    let mut terminal = Terminal::open_with(program(), &["--chain", "demo", ALICE], &variables);
    terminal.wait_for("1 of 826").press("aEve\r").wait_for("«Eve»").press("Q");
    assert_eq!(terminal.exit_restored(), 0);
    assert!(fs::read_to_string(folder.join("demo.csv")).unwrap().contains("Eve"));
}

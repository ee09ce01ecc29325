//! The user's own names, the watch list, and the places visited lately, on the screen and in files.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use chainglass::chain::Address;
use chainglass::chain::chains::Chains;
use chainglass::chain::network::Network;
use chainglass::msg::{Effect, Msg};
use chainglass::user_data::labels::{LabelEdit, Labels};
use chainglass::user_data::recents::{RecentEntry, Recents, RecentsChange};
use insta::assert_snapshot;

use crate::session::{ALICE, Session, size};

const BOB: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const CARD: &str = "0x14dC79964da2C08b23698B3D3cc7Ca32193d9955";
const SWAP: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";

fn address(text: &str) -> Address {
    text.parse().unwrap()
}

/// Labels as they come from a file.
fn read(file: &str) -> Msg {
    Msg::LabelsLoaded { key: "demo".into(), labels: Ok(Box::new(Labels::from_csv(file))) }
}

impl Session {
    fn label(&mut self, file: &str) {
        let effects = self.app.update(read(file));
        assert!(effects.is_empty());
    }

    /// The last change of a label that is to be kept.
    fn changed(&self) -> Option<&LabelEdit> {
        self.effects.iter().rev().find_map(|effect| match effect {
            Effect::EditLabel { change, .. } => Some(change),
            _ => None,
        })
    }
}

fn shows(session: &Session, words: &str) {
    let screen = session.screen();
    assert!(screen.contains(words), "{words} is not on\n{screen}");
}

#[tokio::test]
async fn the_viewed_address_and_that_of_the_cell_are_named() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("a").await;
    shows(&session, "Your name for 0xf39F…2266");
    session.types("My wallet").await;
    shows(&session, "0xf39F…2266 is «My wallet» from now on");
    assert_eq!(session.changed(), LabelEdit::name(address(ALICE), "My wallet").as_ref());
    let screen = session.screen();
    let lines: Vec<&str> = screen.lines().collect();
    assert!(lines[0].contains("address «My wallet» 0xf39F…2266"), "{screen}");
    assert!(lines[1].starts_with(&format!("{ALICE}  «My wallet»  alice.eth")), "{screen}");
    session.keys("j j j l l a").await; // the sender of the fourth row
    session.types("Card").await;
    assert_eq!(session.changed(), LabelEdit::name(address(CARD), "Card").as_ref());
    shows(&session, &format!("{CARD} «Card»"));
    session.keys("a").await;
    shows(&session, "│Card ");
    session.keys("ctrl-u").await;
    session.keys("enter").await;
    shows(&session, "0x14dC…9955 has no name of yours any more");
    assert!(!session.screen().contains("«Card»"));
}

#[tokio::test]
async fn a_name_that_is_too_long_is_refused() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.keys("a").await;
    session.types(&"x".repeat(65)).await;
    shows(&session, "a name has at most 64 characters");
    assert_eq!(session.changed(), None);
}

#[tokio::test]
async fn an_address_is_watched_and_stands_on_the_start_screen() {
    let mut session = Session::demo(size(80, 24), "").await;
    session.keys("enter w").await;
    shows(&session, "0xf39F…2266 is watched");
    assert_eq!(session.changed(), Some(&LabelEdit::watch(address(ALICE), true)));
    session.keys("esc").await;
    shows(&session, "Watched:");
    session.keys("g g w").await;
    shows(&session, "0xf39F…2266 is not watched any more");
    assert!(!session.screen().contains("Watched:"));
    session.keys("G a").await; // the last place of the demo chain
    session.types("Fifty-one").await;
    assert_eq!(
        session.changed().map(|change| change.address.to_string()).as_deref(),
        Some("0x71bE63f3384f5fb98995898A86B02Fb2426c5788")
    );
}

#[tokio::test]
async fn a_place_without_an_address_says_so() {
    let mut session = Session::demo(size(80, 24), SWAP).await;
    for key in ["a", "w"] {
        session.keys(key).await;
        shows(&session, "no address is here");
    }
}

#[tokio::test]
async fn a_list_shows_the_name_alone_where_there_is_no_room_for_both() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.label(&format!("address,name,watch\n{ALICE},Me,\n{CARD},Card,\n"));
    shows(&session, "—        «Card»      in → «Me» ");
    session.keys("j j j l l I").await;
    shows(&session, "name    «Card» is your label");
    session.keys("esc").await;
    session.label(&format!("address,name,watch\n{ALICE},Card,\n{CARD},Card,\n"));
    shows(&session, "—        0x14dC…9955 in → 0xf39F…2266 ");
}

#[tokio::test]
async fn details_have_the_names_of_today() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("j j j enter").await;
    session.label(&format!("address,name,watch\n{ALICE},Me,\n"));
    shows(&session, &format!("to                    {ALICE} «Me» alice.eth"));
    session.keys("esc").await;
    session.label(&format!("address,name,watch\n{ALICE},Myself,\n"));
    session.keys("L").await;
    shows(&session, &format!("{ALICE} «Myself» alice.eth"));
}

#[tokio::test]
async fn traces_and_comparisons_have_them_too() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.label(&format!("address,name,watch\n{BOB},B,\n"));
    session.keys("2").await;
    shows(&session, &format!("from                  {BOB} «B»"));
    shows(&session, ", 0, «B»)"); // an argument
    session.keys("/").await;
    session.types("from:«B»").await;
    shows(&session, "/from:«B» 1/1");
    session.keys("esc m m D").await;
    shows(&session, "«B»");
}

#[tokio::test]
async fn calls_and_the_value_flow_have_the_users_names() {
    const ROBBED: &str = "0xae67d57a8f9c1ec28c8ce9e5e30a00d9a62b2858e99bd1299bc6f8222d477efa";
    let mut session = Session::demo(size(120, 40), ROBBED).await;
    session.keys("2 w").await;
    let target = session.changed().unwrap().address;
    session.label(&format!("address,name,watch\n{target},Robber,\n"));
    shows(&session, " «Robber».");
    session.keys("I").await;
    shows(&session, " · «Robber» is your label");
    session.keys("V").await;
    shows(&session, &format!("{target}  «Robber»"));
}

#[tokio::test]
async fn nobody_elses_name_looks_like_the_users() {
    let body = r#"{"items":[{"hash":"0x7b3ea21d872f869bed3aac4a1a0a06a1136ee63a68d0a756ff5b9c11d50f90e3",
        "from":{"hash":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","name":"«Me»"}}],"next_page_params":null}"#;
    let session = Session::canned(size(159, 40), ALICE, |_, _| Ok(body.into())).await;
    shows(&session, "‹Me› 0x7099");
    assert!(!session.screen().contains("«Me»"));
}

#[tokio::test]
async fn what_cannot_be_read_of_the_file_is_told_once() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    let file = "address,name,watch\n0x12,Alice,\nwhat,\n";
    session.label(file);
    shows(&session, "labels/demo.csv: line 2: there is no address");
    session.keys("j").await;
    session.label(file);
    assert!(!session.screen().contains("line 2"));
    let why = Err("no permission".into());
    session.app.update(Msg::LabelsLoaded { key: "demo".into(), labels: why });
    shows(&session, "trouble with your labels: no permission");
    session.app.update(Msg::LabelsLoaded { key: "1".into(), labels: Ok(Box::default()) });
    shows(&session, "no permission");
}

#[tokio::test]
async fn the_files_are_read_again_when_the_start_screen_is_looked_at_and_on_r() {
    let mut session = Session::demo(size(80, 24), "").await;
    let read = Effect::LoadLabels("demo".into());
    assert_eq!(session.effects.as_slice(), std::slice::from_ref(&read));
    assert_eq!(session.press("r").as_slice(), std::slice::from_ref(&read));
    assert!(!session.press("enter").contains(&read));
    assert!(session.press("esc").contains(&read));
}

/// A chain of which visits are kept.
fn elsewhere() -> Network {
    Chains::default().network_at(&"http://127.0.0.1:1".parse().unwrap())
}

async fn away(keeps: bool) -> Session {
    let mut session = Session::silent(elsewhere(), size(80, 24), keeps);
    let effects = session.app.start(size(80, 24), None);
    session.settle(effects).await;
    session
}

#[tokio::test]
async fn visits_are_kept_unless_the_user_does_not_want_it() {
    for keeps in [true, false] {
        let mut session = away(keeps).await;
        let key = elsewhere().storage_key();
        assert_eq!(session.effects.contains(&Effect::LoadRecents(key.clone())), keeps);
        let effects = session.app.update(Msg::Paste(ALICE.into()));
        let note = Effect::UpdateRecents {
            key,
            step: RecentsChange::Add(RecentEntry::Address(address(ALICE))),
        };
        assert_eq!(effects.contains(&note), keeps);
        session.settle(effects).await;
        session.keys("esc").await;
        assert_eq!(session.screen().contains("Recent:"), keeps);
    }
}

#[tokio::test]
async fn a_visit_can_be_forgotten_and_the_cursor_stays() {
    let mut session = away(true).await;
    let key = || elsewhere().storage_key();
    let lines = format!("address {ALICE}\ntransaction {SWAP}\ntoken {BOB}\n");
    let visits = Ok(Recents::parse(&lines));
    session.app.update(Msg::RecentsLoaded { key: key(), visits });
    session.keys("j").await;
    session.keys("y y").await;
    assert_eq!(session.copied(), Some(SWAP));
    // A name that comes from outside puts a row above.
    let labels = Ok(Box::new(Labels::from_csv(&format!("{BOB},B,yes\n"))));
    session.app.update(Msg::LabelsLoaded { key: key(), labels });
    session.keys("y y").await;
    assert_eq!(session.copied(), Some(SWAP));
    let forget = Effect::UpdateRecents {
        key: key(),
        step: RecentsChange::Remove(RecentEntry::Transaction(SWAP.parse().unwrap())),
    };
    assert!(session.press("x").contains(&forget));
    assert!(!session.screen().contains("transaction  "));
    session.keys("g g x").await;
    assert_eq!(session.changed(), Some(&LabelEdit::watch(address(BOB), false)));
    session.app.update(Msg::RecentsLoaded { key: key(), visits: Err("the disk is full".into()) });
    shows(&session, "Recent (not kept: the disk is full):");
}

#[tokio::test]
async fn the_start_screen_with_everything_on_it() {
    for (width, height) in [(40, 10), (80, 24), (120, 40), (200, 60)] {
        let mut session = Session::demo(size(width, height), "").await;
        let watched = format!(
            "address,name,watch\n{ALICE},\"Cold wallet, the one in the safe\",yes\n{BOB},,yes\n{CARD},Card,yes\n"
        );
        session.label(&watched);
        for n in 0..12_u8 {
            let target = if n % 4 == 0 {
                format!("0x{n:064x}")
            } else {
                Address::repeat_byte(n).to_string()
            };
            session.app.update(Msg::Paste(target));
            session.press("H");
        }
        session.app.update(Msg::Paste(CARD.into()));
        session.press("H");
        session.keys("g g j j j j").await;
        assert_snapshot!(format!("start_full_{width}x{height}"), session.screen());
        session.keys("G").await;
        shows(&session, "Exactly 51");
        session.keys("g g").await;
        shows(&session, "«Cold wallet");
    }
}

#[tokio::test]
async fn the_start_screen_of_a_chain_that_nothing_is_known_of() {
    let session = away(true).await;
    assert_snapshot!("start_elsewhere_80x24", session.screen());
}

/// A user's folder with these labels of the demo chain in it.
fn home(labels: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("chainglass/labels");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("demo.csv"), labels).unwrap();
    home
}

fn printed(home: &Path, args: &[&str]) -> (String, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
    program.args(["--chain", "demo"]).args(args).env("XDG_CONFIG_HOME", home);
    program.env("XDG_CACHE_HOME", crate::session::NOWHERE).stdin(Stdio::null());
    let output = program.output().unwrap();
    assert!(output.status.success());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn printed_tables_and_traces_have_the_users_names_and_csv_has_not() {
    let home = home(&format!("address,name,watch\n{CARD},My card,\n0x12,Nobody,\n"));
    let list = |format| {
        printed(home.path(), &["get", "transactions", ALICE, "--limit", "4", "--format", format])
    };
    let (table, wrong) = list("table");
    assert!(table.contains("«My card» 0x14dC…9955"), "{table}");
    assert_eq!(wrong, "labels/demo.csv: line 3: there is no address (0x and 40 hex digits)\n");
    let (csv, wrong) = list("csv");
    assert!(csv.contains(CARD) && !csv.contains("My card") && wrong.is_empty(), "{csv}{wrong}");
    let home = self::home(&format!("address,name,watch\n{BOB},B,\n"));
    let (tree, wrong) = printed(home.path(), &["trace", SWAP]);
    assert!(tree.contains(", «B»)") && wrong.is_empty(), "{tree}{wrong}");
}

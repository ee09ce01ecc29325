//! The table of faults: what a user sees of each, how often the server was asked, how long it took
//! and how much memory. Each is played in a process of its own.
//!
//! `cargo run --example faults > table.md`

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "it fails by panicking, and prints a table"
)]

#[path = "../suite/catalogue.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod catalogue;
#[path = "../suite/player.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod player;
#[path = "../suite/rogue.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod rogue;
#[path = "../suite/session.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod session;

use std::process::{Command, Stdio};

use catalogue::{Fault, faults};
use chainglass::chain::chains::Chains;
use chainglass::net::provider::Provider;
use player::Patient;
use session::Session;

fn main() {
    if let Some(name) = std::env::args().nth(1) {
        let fault = faults().into_iter().find(|fault| fault.name == name).expect("which fault?");
        return play(&fault);
    }
    println!("| fault | what the user sees | tries | time | peak memory |");
    println!("|---|---|---|---|---|");
    // All at once: most of them only wait.
    let own = std::env::current_exe().unwrap();
    let started: Vec<_> = faults()
        .iter()
        .map(|fault| Command::new(&own).arg(fault.name).stdout(Stdio::piped()).spawn().unwrap())
        .collect();
    for child in started {
        let played = child.wait_with_output().unwrap();
        assert!(played.status.success(), "{played:?}");
        print!("{}", String::from_utf8(played.stdout).unwrap());
    }
}

/// Plays one, and prints its line.
fn play(fault: &Fault) {
    // What the catalogue took is not counted: the peak begins anew.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = peak();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(async {
        let asked = tokio::time::Instant::now();
        let patient = Patient::new(fault, 0);
        let network = Chains::default().network_at(&patient.rogue.base());
        let source = Provider::new(&network);
        let size = session::size(159, 40);
        let session = Session::at(source, network, size, session::ALICE).await;
        let took = asked.elapsed();
        let screen = session.screen();
        let said = screen.lines().find(|line| line.contains(fault.says)).unwrap_or("?");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        let said: String = said.chars().take(140).collect();
        let (tries, millis) = (patient.tries(), took.as_millis());
        let (name, memory) = (fault.name, peak().saturating_sub(before) / 1000);
        println!("| {name} | {said} | {tries} | {millis} ms | {memory} MB |");
    });
}

/// The most memory that this process has held, in kB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

//! Prints a table of all fault cases: the message, the number of attempts, the time and the memory. Each case
//! runs in a separate process.
//!
//! `cargo run --example dev_tools -- fault-table > table.md`

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "it fails by panicking, and prints a table"
)]

use std::process::{Command, Stdio};

use super::fault_cases::{FaultCase, fault_cases};
use super::session::{self, Session};
use super::simulated_user::SimulatedUser;
use chainglass::test_api::chain::Chains;
use chainglass::test_api::net::Provider;

pub fn run(args: &[String]) {
    if let Some(name) = args.first() {
        let fault =
            fault_cases().into_iter().find(|fault| fault.name == name).expect("which fault?");
        return play(&fault);
    }
    println!("| fault | what the user sees | tries | time | peak memory |");
    println!("|---|---|---|---|---|");
    // In parallel, because most of them only wait.
    let own = std::env::current_exe().unwrap();
    let started: Vec<_> = fault_cases()
        .iter()
        .map(|fault| {
            Command::new(&own)
                .args(["fault-table", fault.name])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in started {
        let played = child.wait_with_output().unwrap();
        assert!(played.status.success(), "{played:?}");
        print!("{}", String::from_utf8(played.stdout).unwrap());
    }
}

/// Runs one case and prints its row.
fn play(fault: &FaultCase) {
    // Reset the peak, to leave out the memory of building the cases.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = peak();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(async {
        let asked = tokio::time::Instant::now();
        let user = SimulatedUser::new(fault, 0);
        let network = Chains::default().network_at(&user.server.base());
        let source = Provider::new(&network);
        let size = session::size(159, 40);
        let session = Session::at(source, network, size, session::ALICE).await;
        let took = asked.elapsed();
        let screen = session.screen();
        let message = screen.lines().find(|line| line.contains(fault.message)).unwrap_or("?");
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        let message: String = message.chars().take(140).collect();
        let (tries, millis) = (user.attempts(), took.as_millis());
        let (name, memory) = (fault.name, peak().saturating_sub(before) / 1000);
        println!("| {name} | {message} | {tries} | {millis} ms | {memory} MB |");
    });
}

/// This process's peak memory in kB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

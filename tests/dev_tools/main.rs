//! Measurements, screenshots and endurance runs for developers.
//!
//! `cargo run --example dev_tools -- PROGRAM ARGUMENTS`. All of them are one binary, because each would
//! link the whole crate.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "parts of the suite panic")]

mod answer_memory;
mod fault_table;
mod frame_time;
mod home_cost;
mod index_cost;
mod line_art;
mod list_cost;
mod panic_on_key;
mod picture_cost;
mod program_cost;
mod screenshot;
mod soak;
mod trace_memory;

#[path = "../suite/demo_server_client.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod demo_server_client;
#[path = "../suite/fake_server.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod fake_server;
#[path = "../suite/fault_cases.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod fault_cases;
#[path = "../suite/session.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod session;
#[path = "../suite/simulated_user.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod simulated_user;
#[path = "../benches/synthetic.rs"]
mod synthetic;

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let program = args.next().unwrap_or_default();
    let args: Vec<String> = args.collect();
    match &*program {
        "answer-memory" => answer_memory::run(&args)?,
        "fault-table" => fault_table::run(&args),
        "frame-time" => frame_time::run(&args)?,
        "home-cost" => home_cost::run(&args)?,
        "index-cost" => index_cost::run(&args)?,
        "list-cost" => list_cost::run(&args)?,
        "panic-on-key" => panic_on_key::run(&args)?,
        "picture-cost" => picture_cost::run(&args)?,
        "program-cost" => program_cost::run(&args)?,
        "screenshot" => screenshot::run(args)?,
        "soak" => soak::run(&args),
        "trace-memory" => trace_memory::run(&args)?,
        _ => anyhow::bail!("no such program: {program}"),
    }
    Ok(())
}

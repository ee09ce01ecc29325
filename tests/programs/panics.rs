//! A program that panics where its argument says, on the real event loop: the terminal must be put
//! back all the same.

#![expect(clippy::panic, reason = "panicking is what it is for")]

use std::time::Duration;

use chainglass::chain::network::Network;
use chainglass::msg::{Effect, Msg};
use chainglass::net::provider::Provider;
use chainglass::runtime::{Program, run};
use ratatui::Frame;

/// What a stranger wrote, and a panic repeats.
const HOSTILE: &str = " \u{1b}]0;pwned\u{7}\u{202e}";

/// Panics at the first key.
struct Panics {
    place: String,
    pressed: bool,
}

impl Panics {
    fn is_due(&self, place: &str) -> bool {
        self.pressed && self.place == place
    }
}

impl Program for Panics {
    fn update(&mut self, msg: Msg) -> Vec<Effect> {
        self.pressed |= matches!(msg, Msg::Key(_));
        assert!(!self.is_due("update"), "in update{HOSTILE}");
        if self.is_due("task") {
            tokio::spawn(async { panic!("in a task{HOSTILE}") });
        }
        Vec::new()
    }

    fn view(&self, frame: &mut Frame<'_>) {
        frame.render_widget("press a key", frame.area());
        assert!(!self.is_due("draw"), "in draw{HOSTILE}");
    }

    fn tick_interval(&self) -> Option<Duration> {
        None
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let place = std::env::args().nth(1).unwrap_or_default();
    run(Provider::new(&Network::demo()), |_| (Panics { place, pressed: false }, Vec::new()))
        .await?;
    Ok(())
}

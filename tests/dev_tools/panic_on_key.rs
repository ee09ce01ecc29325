//! Panics in the real event loop, at the place that its argument names. The suite checks
//! that the terminal is restored.

#![expect(clippy::panic, reason = "panicking is what it is for")]

use std::time::Duration;

use chainglass::test_api::app_message::{Effect, Msg};
use chainglass::test_api::chain::Network;
use chainglass::test_api::net::Provider;
use chainglass::test_api::runtime::{self, Program};
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

/// Hostile text in a panic message.
const HOSTILE: &str = " \u{1b}]0;pwned\u{7}\u{202e}";

/// Panics on the first key press.
struct PanicOnKey {
    place: String,
    pressed: bool,
}

impl PanicOnKey {
    fn is_due(&self, place: &str) -> bool {
        self.pressed && self.place == place
    }
}

impl Program for PanicOnKey {
    fn update(&mut self, msg: Msg) -> Vec<Effect> {
        self.pressed |= matches!(msg, Msg::Key(_));
        assert!(!self.is_due("update"), "in update{HOSTILE}");
        if self.is_due("task") {
            tokio::spawn(async { panic!("in a task{HOSTILE}") });
        }
        Vec::new()
    }

    fn view(&self, frame: &mut Buffer) -> Option<Position> {
        frame.set_string(0, 0, "press a key", Style::new());
        assert!(!self.is_due("draw"), "in draw{HOSTILE}");
        None
    }

    fn tick_interval(&self) -> Option<Duration> {
        None
    }
}

#[tokio::main]
pub async fn run(args: &[String]) -> anyhow::Result<()> {
    let place = args.first().cloned().unwrap_or_default();
    runtime::run(Provider::new(&Network::demo()), |_| {
        (PanicOnKey { place, pressed: false }, Vec::new())
    })
    .await?;
    Ok(())
}

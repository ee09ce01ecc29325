//! The desktop's clipboard, on a thread of its own.
//!
//! On Linux the clipboard belongs to whoever copied last and is gone with it (arboard #39), so one
//! `Clipboard` lives as long as the program; and a hung display server must not hang the screen.

use std::env;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tokio::sync::mpsc::UnboundedSender;

use super::RuntimeEvent;
use crate::msg::{CopyOutcome, Msg};
use crate::sanitize::SafeText;

/// Hands texts to the clipboard thread, which is started by the first.
#[derive(Debug)]
pub(super) struct Clipboard {
    outbox: UnboundedSender<RuntimeEvent>,
    thread: Option<Sender<(&'static str, SafeText)>>,
}

impl Clipboard {
    pub(super) fn new(outbox: UnboundedSender<RuntimeEvent>) -> Self {
        Self { outbox, thread: None }
    }

    /// Copies; the outcome comes as a parcel.
    pub(super) fn copy(&mut self, what: &'static str, text: SafeText) {
        if !has_local_clipboard() {
            return send(&self.outbox, RuntimeEvent::CopyThroughTerminal { what, text });
        }
        let thread = self.thread.get_or_insert_with(|| {
            let (sender, texts) = channel();
            let outbox = self.outbox.clone();
            thread::spawn(move || run_clipboard(&texts, &outbox));
            sender
        });
        if let Err(lost) = thread.send((what, text)) {
            let (what, text) = lost.0;
            send(&self.outbox, RuntimeEvent::CopyThroughTerminal { what, text });
        }
    }
}

fn run_clipboard(
    texts: &Receiver<(&'static str, SafeText)>,
    outbox: &UnboundedSender<RuntimeEvent>,
) {
    let mut clipboard = arboard::Clipboard::new();
    for (what, text) in texts {
        let copied = clipboard.as_mut().is_ok_and(|c| c.set_text(text.to_string()).is_ok());
        send(
            outbox,
            if copied {
                RuntimeEvent::Msg(Msg::Copied { what, way: CopyOutcome::Clipboard })
            } else {
                RuntimeEvent::CopyThroughTerminal { what, text }
            },
        );
    }
}

/// The loop may be gone already; then nobody waits for the outcome.
fn send(outbox: &UnboundedSender<RuntimeEvent>, parcel: RuntimeEvent) {
    let _ = outbox.send(parcel);
}

/// Over ssh the clipboard of the other machine is of no use, even if it has one.
fn has_local_clipboard() -> bool {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let remote = set("SSH_CONNECTION") || set("SSH_TTY");
    let local = cfg!(any(target_os = "macos", windows)) || set("WAYLAND_DISPLAY") || set("DISPLAY");
    local && !remote
}

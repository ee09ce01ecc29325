//! The desktop's clipboard, on a thread of its own.
//!
//! On Linux the clipboard belongs to whoever copied last and is gone with it (arboard #39), so one
//! `Clipboard` lives as long as the program; and a hung display server must not hang the screen.

use std::env;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tokio::sync::mpsc::UnboundedSender;

use super::Parcel;
use crate::msg::{CopyWay, Msg};
use crate::sanitize::Text;

/// Hands texts to the clipboard thread, which is started by the first.
#[derive(Debug)]
pub(super) struct Clipboard {
    outbox: UnboundedSender<Parcel>,
    thread: Option<Sender<(&'static str, Text)>>,
}

impl Clipboard {
    pub(super) fn new(outbox: UnboundedSender<Parcel>) -> Self {
        Self { outbox, thread: None }
    }

    /// Copies; the outcome comes as a parcel.
    pub(super) fn copy(&mut self, what: &'static str, text: Text) {
        if !has_desktop() {
            return send(&self.outbox, Parcel::ThroughTerminal { what, text });
        }
        let thread = self.thread.get_or_insert_with(|| {
            let (sender, texts) = channel();
            let outbox = self.outbox.clone();
            thread::spawn(move || serve(&texts, &outbox));
            sender
        });
        if let Err(lost) = thread.send((what, text)) {
            let (what, text) = lost.0;
            send(&self.outbox, Parcel::ThroughTerminal { what, text });
        }
    }
}

fn serve(texts: &Receiver<(&'static str, Text)>, outbox: &UnboundedSender<Parcel>) {
    let mut clipboard = arboard::Clipboard::new();
    for (what, text) in texts {
        let copied = clipboard.as_mut().is_ok_and(|c| c.set_text(text.to_string()).is_ok());
        send(
            outbox,
            if copied {
                Parcel::Msg(Msg::Copied { what, way: CopyWay::Clipboard })
            } else {
                Parcel::ThroughTerminal { what, text }
            },
        );
    }
}

/// The loop may be gone already; then nobody waits for the outcome.
fn send(outbox: &UnboundedSender<Parcel>, parcel: Parcel) {
    let _ = outbox.send(parcel);
}

/// Over ssh the clipboard of the other machine is of no use, even if it has one.
fn has_desktop() -> bool {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let remote = set("SSH_CONNECTION") || set("SSH_TTY");
    let local = cfg!(any(target_os = "macos", windows)) || set("WAYLAND_DISPLAY") || set("DISPLAY");
    local && !remote
}

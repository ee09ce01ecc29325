//! The desktop's clipboard, on its own thread.
//!
//! On Linux the clipboard's contents are lost with the `Clipboard` that copied them (arboard #39), so
//! one lives as long as the program. A thread, because a hung display server must not block the screen.

use std::env;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::{Outbox, RuntimeEvent};
use crate::app_message::{CopyOutcome, Msg};
use crate::sanitize::SafeText;

/// Passes texts to the clipboard's thread, which starts with the first one.
#[derive(Debug)]
pub(super) struct Clipboard {
    outbox: Outbox,
    thread: Option<Sender<CopyJob>>,
}

#[derive(Debug)]
pub(super) struct CopyJob {
    pub(super) what: &'static str,
    pub(super) text: SafeText,
}

impl Clipboard {
    pub(super) fn new(outbox: Outbox) -> Self {
        Self { outbox, thread: None }
    }

    pub(super) fn copy(&mut self, job: CopyJob) {
        if !has_local_clipboard() {
            return self.outbox.send(RuntimeEvent::CopyThroughTerminal(job));
        }
        let thread = self.thread.get_or_insert_with(|| {
            let (sender, jobs) = channel();
            let outbox = self.outbox.clone();
            thread::spawn(move || run_clipboard(&jobs, &outbox));
            sender
        });
        if let Err(unsent) = thread.send(job) {
            self.outbox.send(RuntimeEvent::CopyThroughTerminal(unsent.0));
        }
    }
}

fn run_clipboard(jobs: &Receiver<CopyJob>, outbox: &Outbox) {
    let mut clipboard = arboard::Clipboard::new();
    for job in jobs {
        let is_copied = clipboard.as_mut().is_ok_and(|c| c.set_text(job.text.to_string()).is_ok());
        if is_copied {
            outbox.send(Msg::Copied { what: job.what, outcome: CopyOutcome::Clipboard });
        } else {
            outbox.send(RuntimeEvent::CopyThroughTerminal(job));
        }
    }
}

/// Returns `false` over ssh: a clipboard of the remote machine is of no use.
fn has_local_clipboard() -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_remote = is_set("SSH_CONNECTION") || is_set("SSH_TTY");
    let has_display =
        cfg!(any(target_os = "macos", windows)) || is_set("WAYLAND_DISPLAY") || is_set("DISPLAY");
    has_display && !is_remote
}

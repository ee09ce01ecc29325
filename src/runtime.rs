//! Event loop and side effects: terminal, network, files, clipboard, signals.
//!
//! `event_loop` waits for keys, ticks, signals and the results of tasks, passes each as a message to the
//! [`Program`], carries out the effects that it returns, and draws one frame for a burst of messages.
//! Requests and timers run in `tasks`, files in `file_tasks` and `user_data_jobs`, pagers and editors in
//! `external_program`; all send their results to the loop through the `Outbox`. A frame reaches the
//! terminal through `frame_writer`, which writes only what differs from the last one.

mod cell_bounds;
mod cell_writer;
mod clipboard;
mod event_loop;
mod external_program;
mod file_tasks;
pub mod frame_writer;
mod graphics_layer;
pub mod log_writer;
mod mouse_capture;
pub mod notification;
mod osc52;
mod picture_decoder;
mod scrolled_rows;
mod signals;
mod tasks;
pub mod terminal;
mod terminal_replies;
mod user_data_jobs;

use std::time::Duration;

use futures_util::FutureExt;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

pub use event_loop::run;
pub use signals::{Signal, Signals, survive_file_size_limit, suspend_self};

use crate::app::App;
use crate::app_message::{Effect, Msg};
use crate::picture::Picture;
use clipboard::CopyJob;
use external_program::TempDocument;

/// A program that the event loop runs: the app, or a stand-in in a test.
pub trait Program {
    fn update(&mut self, msg: Msg) -> Vec<Effect>;
    /// Draws a frame, and returns the position of the cursor if it is shown.
    fn view(&self, frame: &mut Buffer) -> Option<Position>;
    /// Returns the interval between two ticks, or `None` if the screen does not change by itself.
    fn tick_interval(&self) -> Option<Duration>;
    /// Returns the title of the terminal, or `None` for the one before the program.
    fn title(&self) -> Option<String> {
        None
    }
    /// Returns the picture of a placeholder's id in the frame.
    fn picture(&self, _id: u32) -> Option<&Picture> {
        None
    }
}

impl Program for App {
    fn update(&mut self, msg: Msg) -> Vec<Effect> {
        Self::update(self, msg)
    }

    fn view(&self, frame: &mut Buffer) -> Option<Position> {
        Self::view(self, frame)
    }

    fn tick_interval(&self) -> Option<Duration> {
        Self::tick_interval(self)
    }

    fn title(&self) -> Option<String> {
        Self::title(self)
    }

    fn picture(&self, id: u32) -> Option<&Picture> {
        Self::picture(self, id)
    }
}

/// Spawns a task. All tasks have one type, so that tokio's code around them is compiled once.
fn spawn(work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(work.boxed())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    Quit,
    Signal(i32),
    TerminalClosed,
}

#[derive(Debug)]
enum RuntimeEvent {
    Msg(Msg),
    CopyThroughTerminal(CopyJob),
    ShowDocument(TempDocument),
}

impl From<Msg> for RuntimeEvent {
    fn from(msg: Msg) -> Self {
        Self::Msg(msg)
    }
}

#[derive(Debug, Clone)]
struct Outbox(UnboundedSender<RuntimeEvent>);

impl Outbox {
    fn send(&self, event: impl Into<RuntimeEvent>) {
        // Fails when the loop has ended, and then the event does not matter.
        let _ = self.0.send(event.into());
    }
}

//! The terminal lent to another program, and taken back. Meanwhile the loop goes on: answers are taken
//! in, and nothing is drawn or read.

use std::sync::atomic::Ordering;

use super::external_program::{ExternalProgram, TempDocument};
use super::{EventLoop, ExitReason, Program, Signal, suspend_self};
use crate::msg::Msg;
use crate::sanitize::SafeText;

impl<P: Program> EventLoop<'_, P> {
    /// Gives the terminal to the program that shows a file.
    pub(super) fn suspend_for(&mut self, sheet: TempDocument) -> Result<(), SafeText> {
        self.screen.release();
        self.pause_input();
        self.is_lent.store(true, Ordering::SeqCst);
        let guest = ExternalProgram::start(sheet);
        self.is_lent.store(guest.is_ok(), Ordering::SeqCst);
        self.external = Some(guest?);
        Ok(())
    }

    /// Has the terminal again.
    pub(super) fn resume(
        &mut self,
        outcome: Result<(), SafeText>,
    ) -> anyhow::Result<Option<ExitReason>> {
        self.external = None;
        self.is_lent.store(false, Ordering::SeqCst);
        if let Some(end) = self.force_redraw()? {
            return Ok(Some(end));
        }
        let effects = self.program.update(Msg::ViewerClosed(outcome));
        self.execute(effects)
    }

    /// A signal while another program has the terminal. What the keyboard sends is meant for that one,
    /// and a shell stops and continues both.
    pub(super) async fn on_signal(&mut self, signal: Signal) -> anyhow::Result<Option<ExitReason>> {
        match (signal, &mut self.external) {
            (Signal::Suspend, _) => suspend_self()?,
            (Signal::End(number), Some(guest)) if !signal.is_from_keyboard() => {
                guest.terminate().await;
                return Ok(Some(ExitReason::Signal(number)));
            }
            _ => {}
        }
        Ok(None)
    }
}

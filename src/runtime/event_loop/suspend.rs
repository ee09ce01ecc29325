//! Suspends the screen for an external program. The loop continues meanwhile, without drawing and
//! reading input.

use std::sync::atomic::Ordering;

use super::{EventLoop, LoopResult};
use crate::app_message::Msg;
use crate::runtime::external_program::{ExternalProgram, TempDocument};
use crate::runtime::{ExitReason, Program, Signal, suspend_self, terminal};
use crate::sanitize::SafeText;

impl<P: Program> EventLoop<'_, P> {
    pub(super) fn suspend_for(&mut self, document: TempDocument) -> Result<(), SafeText> {
        terminal::restore();
        self.pause_input();
        self.is_external_running.store(true, Ordering::SeqCst);
        let external = ExternalProgram::start(document);
        self.is_external_running.store(external.is_ok(), Ordering::SeqCst);
        self.external = Some(external?);
        Ok(())
    }

    pub(super) fn resume(&mut self, result: Result<(), SafeText>) -> LoopResult {
        self.external = None;
        self.is_external_running.store(false, Ordering::SeqCst);
        if let Some(reason) = self.force_redraw()? {
            return Ok(Some(reason));
        }
        let effects = self.program.update(Msg::ViewerClosed(result));
        self.execute(effects)
    }

    /// Handles a signal while an external program has the terminal. Signals from the keyboard are
    /// meant for that program, and a shell stops and continues both together.
    pub(super) async fn on_signal(&mut self, signal: Signal) -> LoopResult {
        match (signal, &mut self.external) {
            (Signal::Suspend, _) => suspend_self()?,
            (Signal::End(number), Some(external)) if !signal.is_from_keyboard() => {
                external.terminate().await;
                return Ok(Some(ExitReason::Signal(number)));
            }
            _ => {}
        }
        Ok(None)
    }
}

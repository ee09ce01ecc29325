//! The terminal lent to another program, and taken back. Meanwhile the loop goes on: answers are taken
//! in, and nothing is drawn or read.

use std::sync::atomic::Ordering;

use super::external_program::{Guest, Sheet};
use super::{End, Program, Pump, Signal, stop_here};
use crate::msg::Msg;
use crate::sanitize::Text;

impl<P: Program> Pump<'_, P> {
    /// Gives the terminal to the program that shows a file.
    pub(super) fn lend(&mut self, sheet: Sheet) -> Result<(), Text> {
        self.screen.leave();
        self.stop_reading();
        self.lent.store(true, Ordering::SeqCst);
        let guest = Guest::start(sheet);
        self.lent.store(guest.is_ok(), Ordering::SeqCst);
        self.guest = Some(guest?);
        Ok(())
    }

    /// Has the terminal again.
    pub(super) fn take_back(&mut self, outcome: Result<(), Text>) -> anyhow::Result<Option<End>> {
        self.guest = None;
        self.lent.store(false, Ordering::SeqCst);
        if let Some(end) = self.draw_anew()? {
            return Ok(Some(end));
        }
        let effects = self.program.update(Msg::Viewed(outcome));
        self.carry_out(effects)
    }

    /// A signal while another program has the terminal. What the keyboard sends is meant for that one,
    /// and a shell stops and continues both.
    pub(super) async fn signalled(&mut self, signal: Signal) -> anyhow::Result<Option<End>> {
        match (signal, &mut self.guest) {
            (Signal::Suspend, _) => stop_here()?,
            (Signal::End(number), Some(guest)) if !signal.is_typed() => {
                guest.dismiss().await;
                return Ok(Some(End::Signal(number)));
            }
            _ => {}
        }
        Ok(None)
    }
}

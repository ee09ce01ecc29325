//! Passes events to the program, and executes the effects that it returns.

use std::io;

use super::{EventLoop, LoopResult};
use crate::app_message::{CopyOutcome, Effect, Msg};
use crate::runtime::clipboard::CopyJob;
use crate::runtime::terminal::TerminalSession;
use crate::runtime::{ExitReason, Program, RuntimeEvent, notification};

impl<P: Program> EventLoop<'_, P> {
    pub(super) fn handle(&mut self, event: RuntimeEvent) -> LoopResult {
        let msg = match event {
            RuntimeEvent::Msg(msg) => msg,
            RuntimeEvent::CopyThroughTerminal(CopyJob { what, text }) => {
                let copied = TerminalSession::copy(&text);
                let outcome = copied.map_or_else(CopyOutcome::Failed, CopyOutcome::Terminal);
                Msg::Copied { what, outcome }
            }
            RuntimeEvent::ShowDocument(_) if self.external.is_some() => return Ok(None),
            RuntimeEvent::ShowDocument(document) => match self.suspend_for(document) {
                Ok(()) => return Ok(None),
                Err(reason) => {
                    self.force_redraw()?;
                    Msg::ViewerClosed(Err(reason))
                }
            },
        };
        if let Msg::Resized(size) = msg {
            // Even for the same size: the terminal may have had another one in between, and cut
            // lines.
            self.terminal.invalidate(size)?;
        }
        let effects = self.program.update(msg);
        self.execute(effects)
    }

    pub(super) fn execute(&mut self, effects: Vec<Effect>) -> LoopResult {
        for effect in effects {
            match effect {
                Effect::OpenProvider { chain, network } => {
                    self.tasks.open_provider(chain, &network);
                }
                Effect::Request { id, chain, request } => self.tasks.start(id, chain, request),
                Effect::ContinueTrace(id) => self.tasks.continue_trace(id),
                Effect::Cancel(requests) => self.tasks.cancel(&requests),
                Effect::StartTimer(timer, delay) => self.tasks.start_timer(timer, delay),
                Effect::QueryBackground => {
                    // A late first frame is better than one in the colours for another background.
                    self.next_frame_at =
                        self.replies.query_background()?.unwrap_or(self.next_frame_at);
                }
                Effect::QueryGraphics => self.replies.query_name()?,
                Effect::DecodePictures(requests) => self.pictures.decode(requests),
                Effect::AllowProject(chain) => self.tasks.allow_project(chain),
                Effect::FetchPicture(fetch) => self.tasks.fetch_picture(fetch),
                Effect::Copy { what, text } => self.clipboard.copy(CopyJob { what, text }),
                Effect::NotifyUser { method, text } => {
                    // An external program may be within a sequence of its own.
                    if self.external.is_none() {
                        notification::notify(method, &text, &mut io::stdout());
                    }
                }
                Effect::OpenBrowser(url) => self.tasks.open_browser(&url),
                Effect::Save { path, lines, what } => self.tasks.save(path, lines, what),
                Effect::OpenExternal { viewer, name, lines } => {
                    self.tasks.open_external(viewer, name, lines);
                }
                Effect::FindLocalNodes => self.tasks.find_local_nodes(),
                Effect::MeasureMemory => self.tasks.measure_memory(),
                Effect::CaptureMouse(is_on) => self.terminal.set_mouse_capture(is_on)?,
                Effect::LookUpSignatures(hashes) => self.tasks.look_up_signatures(hashes),
                Effect::SaveSignature(signature) => self.tasks.save_signature(signature),
                Effect::UserData(job) => self.user_data.enqueue(job),
                Effect::StopSaving => self.tasks.stop_saving(),
                Effect::Quit => return Ok(Some(ExitReason::Quit)),
                Effect::Suspend | Effect::Redraw => {
                    let is_suspended = matches!(effect, Effect::Suspend);
                    let step = if is_suspended { self.suspend() } else { self.force_redraw() };
                    if let Some(reason) = step? {
                        return Ok(Some(reason));
                    }
                }
            }
        }
        Ok(None)
    }
}

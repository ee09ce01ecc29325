//! The outside: the event loop, the terminal, the network, the clipboard and the signals.

mod clipboard;
mod external_program;
pub mod log_writer;
mod mouse_capture;
mod osc11;
mod osc52;
mod save;
mod signals;
mod suspend;
mod tasks;
pub mod terminal;
mod termios;
pub mod user_data_writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossterm::event::{Event, EventStream};
use futures_util::StreamExt;
use ratatui::Frame;
use ratatui::layout::Size;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, sleep, sleep_until};

use crate::app::App;
use crate::msg::{CopyOutcome, Effect, Key, MouseInput, Msg};
use crate::net::provider::Provider;
use crate::net::providers::Providers;
use crate::sanitize::SafeText;
use clipboard::Clipboard;
use external_program::{ExternalProgram, TempDocument};
use osc11::{Osc11Parser, ParseResult};
pub use signals::{Signal, Signals, suspend_self};
use tasks::Tasks;
use terminal::TerminalSession;
use user_data_writer::UserDataWriter;

/// Frames are at least this far apart: a burst of messages is one frame.
const FRAME_INTERVAL: Duration = Duration::from_millis(8);
/// How long the loop has to end after a signal.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);
/// Messages taken in before a frame is due again.
const MAX_EVENTS_PER_FRAME: usize = 256;

/// What the loop runs: the app, or a test's stand-in for it.
pub trait Program {
    /// Takes in what happened.
    fn update(&mut self, msg: Msg) -> Vec<Effect>;
    /// Draws everything.
    fn view(&self, frame: &mut Frame<'_>);
    /// When the screen changes by itself next.
    fn tick_interval(&self) -> Option<Duration>;
}

impl Program for App {
    fn update(&mut self, msg: Msg) -> Vec<Effect> {
        Self::update(self, msg)
    }

    fn view(&self, frame: &mut Frame<'_>) {
        Self::view(self, frame);
    }

    fn tick_interval(&self) -> Option<Duration> {
        Self::tick_interval(self)
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    /// The user quit.
    Quit,
    /// A signal of this number asked for it.
    Signal(i32),
    /// The terminal is gone.
    TerminalClosed,
}

/// Something for the loop from a task or a thread.
#[derive(Debug)]
enum RuntimeEvent {
    Msg(Msg),
    /// The desktop's clipboard did not take it: send it through the terminal.
    CopyThroughTerminal {
        what: &'static str,
        text: SafeText,
    },
    /// What another program is to show.
    ShowDocument(TempDocument),
}

/// What ended a wait.
enum LoopEvent {
    FrameDue,
    Terminal(Event),
    Runtime(RuntimeEvent),
    Signal(Signal),
    /// The program that had the terminal has ended.
    ExternalExited(Result<(), SafeText>),
    TerminalClosed,
}

/// Runs a program on the terminal until it ends. `open` makes it for the terminal's size and says
/// what it wants first.
pub async fn run<'a, P: Program>(
    sources: impl Into<Providers<'a>>,
    open: impl FnOnce(Size) -> (P, Vec<Effect>),
) -> anyhow::Result<ExitReason> {
    let sources = sources.into();
    let signals = Signals::listen()?;
    let lent = Arc::new(AtomicBool::new(false));
    tokio::spawn(force_exit_on_signal(Signals::listen()?, Arc::clone(&lent)));
    let screen = TerminalSession::acquire()?;
    let (program, effects) = open(screen.size());
    let (outbox, inbox) = unbounded_channel();
    tokio::spawn(save::load_abis(outbox.clone()));
    let mut pump = EventLoop {
        program,
        screen,
        osc11: Osc11Parser::default(),
        terminal_events: Some(EventStream::new()),
        external: None,
        is_lent: lent,
        signals,
        provider: sources.first.clone(),
        tasks: Tasks::new(sources, outbox.clone()),
        user_data: UserDataWriter::new(outbox.clone()),
        clipboard: Clipboard::new(outbox),
        inbox,
        dirty: true,
        next_frame_at: Instant::now(),
        last_tick: Instant::now(),
    };
    let end = match pump.execute(effects)? {
        Some(end) => end,
        None => pump.run().await?,
    };
    if end == ExitReason::Quit {
        pump.wait_for_terminal_reply().await;
    }
    pump.user_data.shutdown().await;
    Ok(end)
}

/// The loop and all it holds.
struct EventLoop<'a, P> {
    program: P,
    screen: TerminalSession,
    /// Picks out of the keys what the terminal answers.
    osc11: Osc11Parser,
    /// Read while the program has the terminal. Dropped before it is made anew.
    terminal_events: Option<EventStream>,
    /// Who has the terminal, if it is not this program.
    external: Option<ExternalProgram>,
    /// Whether somebody else has it, for those who do not see the guest.
    is_lent: Arc<AtomicBool>,
    signals: Signals,
    tasks: Tasks<'a>,
    clipboard: Clipboard,
    user_data: UserDataWriter,
    inbox: UnboundedReceiver<RuntimeEvent>,
    /// Has the clock.
    provider: Provider,
    /// Something changed since the last frame.
    dirty: bool,
    /// When the next frame may be drawn.
    next_frame_at: Instant,
    /// When the program last heard the time.
    last_tick: Instant,
}

impl<P: Program> EventLoop<'_, P> {
    async fn run(&mut self) -> anyhow::Result<ExitReason> {
        loop {
            let end = match self.wait().await {
                LoopEvent::FrameDue => self.draw()?,
                LoopEvent::Terminal(event) => self.on_terminal_event(event)?,
                LoopEvent::Runtime(parcel) => self.drain_events(parcel)?,
                LoopEvent::Signal(signal) if self.external.is_some() => {
                    self.on_signal(signal).await?
                }
                LoopEvent::ExternalExited(outcome) => self.resume(outcome)?,
                LoopEvent::Signal(Signal::End(number)) => Some(ExitReason::Signal(number)),
                LoopEvent::Signal(Signal::Suspend) => self.suspend()?,
                LoopEvent::Signal(Signal::Resumed) => self.force_redraw()?,
                LoopEvent::TerminalClosed => Some(ExitReason::TerminalClosed),
            };
            if let Some(end) = end {
                return Ok(end);
            }
        }
    }

    async fn wait(&mut self) -> LoopEvent {
        let beat = self.program.tick_interval();
        tokio::select! {
            // Drawing first: it is rate-limited, so it cannot starve the rest, which could starve it.
            biased;
            () = wait_until(self.next_frame_at), if self.dirty && self.external.is_none() => LoopEvent::FrameDue,
            signal = self.signals.next() => LoopEvent::Signal(signal),
            outcome = external_exit(&mut self.external) => LoopEvent::ExternalExited(outcome),
            event = next_terminal_event(&mut self.terminal_events), if self.external.is_none() => match event {
                Some(Ok(event)) => LoopEvent::Terminal(event),
                Some(Err(_)) | None => LoopEvent::TerminalClosed,
            },
            Some(parcel) = self.inbox.recv() => LoopEvent::Runtime(parcel),
            () = sleep_until(self.last_tick + beat.unwrap_or_default()), if beat.is_some() => {
                self.last_tick = Instant::now();
                LoopEvent::Runtime(RuntimeEvent::Msg(Msg::Tick(self.provider.now())))
            }
        }
    }

    /// Takes in what the terminal tells.
    fn on_terminal_event(&mut self, event: Event) -> anyhow::Result<Option<ExitReason>> {
        let events = match self.osc11.feed(event, Instant::now()) {
            ParseResult::Events(events) => events,
            ParseResult::Background(background) => {
                self.next_frame_at = Instant::now();
                return self.drain_events(RuntimeEvent::Msg(Msg::Background(background)));
            }
        };
        for msg in events.into_iter().filter_map(msg_from_event) {
            if let Some(end) = self.drain_events(RuntimeEvent::Msg(msg))? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// The shell must not get what the terminal is about to answer.
    async fn wait_for_terminal_reply(&mut self) {
        while let Some(expected) = self.osc11.reply_deadline() {
            let event = tokio::select! {
                () = wait_until(expected) => return,
                event = next_terminal_event(&mut self.terminal_events) => event,
            };
            let Some(Ok(event)) = event else { return };
            // Keys after the end mean nothing.
            self.osc11.feed(event, Instant::now());
        }
    }

    /// Takes in one parcel and whatever else is there already, so that a burst is one frame.
    fn drain_events(&mut self, first: RuntimeEvent) -> anyhow::Result<Option<ExitReason>> {
        let mut next = Some(first);
        for _ in 0..MAX_EVENTS_PER_FRAME {
            let Some(parcel) = next else { break };
            if let Some(end) = self.handle(parcel)? {
                return Ok(Some(end));
            }
            next = self.inbox.try_recv().ok();
        }
        // The last one of a full batch was taken out of the channel already.
        if let Some(parcel) = next
            && let Some(end) = self.handle(parcel)?
        {
            return Ok(Some(end));
        }
        self.dirty = true;
        self.next_frame_at = self.next_frame_at.max(Instant::now());
        Ok(None)
    }

    fn handle(&mut self, parcel: RuntimeEvent) -> anyhow::Result<Option<ExitReason>> {
        let msg = match parcel {
            RuntimeEvent::Msg(msg) => msg,
            RuntimeEvent::CopyThroughTerminal { what, text } => {
                let way = match self.screen.copy(&text) {
                    Ok(passage) => CopyOutcome::Terminal(passage),
                    Err(why) => CopyOutcome::Failed(why),
                };
                Msg::Copied { what, way }
            }
            RuntimeEvent::ShowDocument(sheet) => match self.suspend_for(sheet) {
                Ok(()) => return Ok(None),
                Err(why) => {
                    self.force_redraw()?;
                    Msg::ViewerClosed(Err(why))
                }
            },
        };
        if let Msg::Resized(size) = msg {
            // Even to the same size: the terminal may have been another size, and cut, in between.
            self.screen.invalidate(size)?;
        }
        let effects = self.program.update(msg);
        self.execute(effects)
    }

    fn execute(&mut self, effects: Vec<Effect>) -> anyhow::Result<Option<ExitReason>> {
        for effect in effects {
            match effect {
                Effect::Connect { chain, network } => self.tasks.connect(chain, &network),
                Effect::Request { ticket, request } => self.tasks.start(ticket, request),
                Effect::StartTimer(alarm, pause) => self.tasks.start_timer(alarm, pause),
                Effect::QueryBackground => {
                    // The first frame is late rather than in colours for another background.
                    self.next_frame_at = self.osc11.query()?.unwrap_or(self.next_frame_at);
                }
                Effect::Copy { what, text } => self.clipboard.copy(what, text),
                Effect::OpenBrowser(url) => self.tasks.open(&url),
                Effect::Save { path, lines, what } => self.tasks.save(path, lines, what),
                Effect::OpenExternal { viewer, name, lines } => {
                    self.tasks.view(viewer, name, lines)
                }
                Effect::CaptureMouse(captured) => self.screen.set_mouse_capture(captured)?,
                Effect::SaveSignature(signature) => self.tasks.save_signature(signature),
                Effect::LoadLabels(key) => self.user_data.load_labels(key),
                Effect::EditLabel { key, change } => self.user_data.edit_label(key, change),
                Effect::LoadRecents(key) => self.user_data.load_recents(key),
                Effect::UpdateRecents { key, step } => self.user_data.edit_recents(key, step),
                Effect::StopSaving => self.tasks.stop_saving(),
                Effect::Quit => return Ok(Some(ExitReason::Quit)),
                Effect::Suspend => drop(self.suspend()?),
                Effect::Redraw => drop(self.force_redraw()?),
            }
        }
        Ok(None)
    }

    fn draw(&mut self) -> anyhow::Result<Option<ExitReason>> {
        // The word of a new size can be lost: crossterm's is when it comes together with a key.
        let size = self.screen.real_size()?;
        if size != self.screen.size() {
            self.screen.invalidate(size)?;
            let effects = self.program.update(Msg::Resized(size));
            if let Some(end) = self.execute(effects)? {
                return Ok(Some(end));
            }
        }
        let program = &self.program;
        self.screen.draw(|frame| program.view(frame))?;
        self.dirty = false;
        self.next_frame_at = Instant::now() + FRAME_INTERVAL;
        Ok(None)
    }

    fn force_redraw(&mut self) -> anyhow::Result<Option<ExitReason>> {
        self.screen.resume()?;
        let size = self.screen.size();
        let effects = self.program.update(Msg::Resized(size));
        self.dirty = true;
        self.execute(effects)
    }

    /// Gives the terminal to the shell until the user brings the program back.
    fn suspend(&mut self) -> anyhow::Result<Option<ExitReason>> {
        self.screen.release();
        self.pause_input();
        suspend_self()?;
        self.force_redraw()
    }

    /// Leaves the keys to others, from now on until the stream is polled again. One that is not polled
    /// still reads (codex met this, #7961), so it is dropped; that a new one can be made says that the
    /// old one has let go.
    fn pause_input(&mut self) {
        self.terminal_events = None;
        self.terminal_events = Some(EventStream::new());
    }
}

/// The next event of the terminal.
async fn next_terminal_event(keys: &mut Option<EventStream>) -> Option<std::io::Result<Event>> {
    keys.as_mut()?.next().await
}

/// The end of the program that has the terminal; never, while none has.
async fn external_exit(guest: &mut Option<ExternalProgram>) -> Result<(), SafeText> {
    match guest {
        Some(guest) => guest.wait().await,
        None => std::future::pending().await,
    }
}

/// Ends the program after a signal if the loop does not: crossterm reads the end of a terminal that is
/// gone over and over, and never gives the loop its turn again.
async fn force_exit_on_signal(mut signals: Signals, lent: Arc<AtomicBool>) {
    loop {
        let signal = signals.next().await;
        let for_another = signal.is_from_keyboard() && lent.load(Ordering::SeqCst);
        if let Signal::End(number) = signal
            && !for_another
        {
            sleep(SHUTDOWN_TIMEOUT).await;
            terminal::restore();
            std::process::exit(128 + number);
        }
    }
}

/// Waits until `next_frame_at`. The runtime's timer rounds up to whole milliseconds, so a moment that has passed
/// is not handed to it: a key after a pause is drawn at once.
async fn wait_until(due: Instant) {
    if due > Instant::now() {
        sleep_until(due).await;
    }
}

/// What a terminal event means to the program, if anything.
fn msg_from_event(event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) => Key::from_event(key).map(Msg::Key),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(width, height) => Some(Msg::Resized(Size { width, height })),
        Event::Mouse(event) => MouseInput::from_event(event).map(Msg::Mouse),
        Event::FocusGained | Event::FocusLost => None,
    }
}

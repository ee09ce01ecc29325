//! The event loop: waits for events, passes them to the program and draws it.
//!
//! A frame that is due comes first, then signals, keys, messages, and last the work in slices: a burst of
//! messages is one frame, and no key waits for it. While an external program has the terminal, the loop
//! goes on without drawing.

mod effects;
mod suspend;

use std::future::pending;
use std::io;
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossterm::event::{self, Event, EventStream};
use futures_util::StreamExt;
use ratatui::layout::Size;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, sleep_until};

use super::clipboard::Clipboard;
use super::external_program::ExternalProgram;
use super::picture_decoder::PictureDecoder;
use super::signals::{Signal, Signals, suspend_self};
use super::tasks::Tasks;
use super::terminal::{self, TerminalSession};
use super::terminal_replies::{ParseResult, ReplyParser};
use super::user_data_jobs::UserDataJobs;
use super::{ExitReason, Outbox, Program, RuntimeEvent, file_tasks, spawn};
use crate::app_message::{Effect, Key, MouseInput, Msg};
use crate::net::provider::Provider;
use crate::net::providers::Providers;
use crate::sanitize::SafeText;

/// Minimum time between two frames, so that a burst of messages is one frame.
const FRAME_INTERVAL: Duration = Duration::from_millis(8);
/// Minimum time between two frames that only show the progress of work in slices.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);
/// Maximum time between the bytes of a terminal's reply in which nothing else is done.
const MAX_REPLY_PAUSE: Duration = Duration::from_millis(1);
/// Maximum time that the loop has to end after a signal.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum time for restoring the terminal then.
const MAX_RESTORE_TIME: Duration = Duration::from_millis(500);
/// Time for messages after which a frame is due again.
const MAX_MESSAGE_TIME: Duration = Duration::from_millis(8);

/// Result of a step: the reason to end the loop, if there is one.
type LoopResult = anyhow::Result<Option<ExitReason>>;

enum LoopEvent {
    FrameDue,
    TickDue,
    Terminal(Event),
    Runtime(RuntimeEvent),
    Signal(Signal),
    ExternalExited(Result<(), SafeText>),
    TerminalClosed,
}

/// Runs a program on the terminal until it ends. `open` creates it for the size of the terminal and
/// returns its first effects.
pub async fn run<'a, P: Program>(
    providers: impl Into<Providers<'a>>,
    open: impl FnOnce(Size) -> (P, Vec<Effect>),
) -> anyhow::Result<ExitReason> {
    let providers = providers.into();
    let signals = Signals::listen()?;
    let is_external_running = Arc::new(AtomicBool::new(false));
    spawn(force_exit_on_signal(Signals::listen()?, Arc::clone(&is_external_running)));
    let terminal = TerminalSession::acquire()?;
    let (program, effects) = open(terminal.size);
    let (sender, inbox) = unbounded_channel();
    let outbox = Outbox(sender);
    let mut event_loop = EventLoop {
        program,
        terminal,
        replies: ReplyParser::default(),
        terminal_events: Some(EventStream::new()),
        external: None,
        is_external_running,
        signals,
        provider: providers.first.clone(),
        tasks: Tasks::new(providers, outbox.clone()),
        user_data: UserDataJobs::new(outbox.clone()),
        pictures: PictureDecoder::start(outbox.clone()),
        clipboard: Clipboard::new(outbox.clone()),
        inbox,
        needs_redraw: true,
        next_frame_at: Instant::now(),
        last_input: Instant::now(),
        last_tick: Instant::now(),
    };
    let mut reason = event_loop.execute(effects)?;
    if reason.is_none() {
        reason = event_loop.draw()?;
    }
    // After the first frame, from which the files of the user would take the processor.
    spawn(file_tasks::load_abis(outbox));
    let reason = match reason {
        Some(reason) => reason,
        None => event_loop.run().await?,
    };
    if reason == ExitReason::Quit {
        event_loop.wait_for_terminal_reply().await;
    }
    event_loop.user_data.shutdown().await.map(|()| reason).map_err(anyhow::Error::msg)
}

struct EventLoop<'a, P> {
    program: P,
    terminal: TerminalSession,
    replies: ReplyParser,
    /// Dropped before a new one is created.
    terminal_events: Option<EventStream>,
    external: Option<ExternalProgram>,
    /// For the task that handles signals, which belong to the external program then.
    is_external_running: Arc<AtomicBool>,
    signals: Signals,
    tasks: Tasks<'a>,
    clipboard: Clipboard,
    pictures: PictureDecoder,
    user_data: UserDataJobs,
    inbox: UnboundedReceiver<RuntimeEvent>,
    provider: Provider,
    needs_redraw: bool,
    next_frame_at: Instant,
    last_input: Instant,
    last_tick: Instant,
}

impl<P: Program> EventLoop<'_, P> {
    async fn run(&mut self) -> anyhow::Result<ExitReason> {
        loop {
            let reason = match self.wait().await {
                LoopEvent::FrameDue => self.draw()?,
                LoopEvent::TickDue => self.tick()?,
                LoopEvent::Terminal(event) => self.on_terminal_event(event)?,
                LoopEvent::Runtime(event) => self.drain_events(event)?,
                LoopEvent::Signal(signal) if self.external.is_some() => {
                    self.on_signal(signal).await?
                }
                LoopEvent::ExternalExited(result) => self.resume(result)?,
                LoopEvent::Signal(Signal::End(number)) => Some(ExitReason::Signal(number)),
                LoopEvent::Signal(Signal::Suspend) => self.suspend()?,
                LoopEvent::Signal(Signal::Resumed) => self.force_redraw()?,
                LoopEvent::TerminalClosed => Some(ExitReason::TerminalClosed),
            };
            if let Some(reason) = reason {
                return Ok(reason);
            }
        }
    }

    async fn wait(&mut self) -> LoopEvent {
        let tick = self.program.tick_interval();
        let has_terminal = self.external.is_none();
        tokio::select! {
            // Frames first: they are limited in rate and cannot starve the rest, which could starve
            // them.
            biased;
            () = wait_until(self.next_frame_at), if self.needs_redraw && has_terminal => {
                LoopEvent::FrameDue
            }
            signal = self.signals.next() => LoopEvent::Signal(signal),
            result = external_exit(&mut self.external) => LoopEvent::ExternalExited(result),
            event = next_terminal_event(&mut self.terminal_events), if has_terminal => match event {
                Some(Ok(event)) => LoopEvent::Terminal(event),
                Some(Err(_)) | None => LoopEvent::TerminalClosed,
            },
            Some(event) = self.inbox.recv() => LoopEvent::Runtime(event),
            () = wait_for_tick(self.last_tick, tick.unwrap_or_default()), if tick.is_some() => {
                LoopEvent::TickDue
            }
        }
    }

    /// Lets the program continue its work. Progress of work in slices is drawn less often.
    fn tick(&mut self) -> LoopResult {
        self.last_tick = Instant::now();
        let step = self.handle(Msg::Tick(self.provider.now()).into());
        self.needs_redraw |= self.program.tick_interval() != Some(Duration::ZERO)
            || self.last_tick > self.next_frame_at + PROGRESS_INTERVAL;
        step
    }

    /// Handles an event, and the whole reply of the terminal that it may begin: the stream would take two
    /// turns of threads for each byte.
    fn on_terminal_event(&mut self, event: Event) -> LoopResult {
        let mut step = self.handle_terminal_event(event)?;
        while step.is_none() && self.replies.is_within_reply() {
            if !event::poll(MAX_REPLY_PAUSE)? {
                let keys = self.replies.release_unexpected(Instant::now());
                return self.handle_input(keys);
            }
            step = self.handle_terminal_event(event::read()?)?;
        }
        Ok(step)
    }

    fn handle_terminal_event(&mut self, event: Event) -> LoopResult {
        match self.replies.feed(event, Instant::now()) {
            ParseResult::Events(events) => self.handle_input(events),
            ParseResult::Background(background) => {
                self.next_frame_at = Instant::now();
                self.drain_events(Msg::Background(background).into())
            }
            ParseResult::Graphics(protocol) => match self.terminal.use_graphics(protocol) {
                Some(mode) => self.drain_events(Msg::Graphics(mode).into()),
                None => Ok(None),
            },
            ParseResult::UnknownName => {
                self.replies.query_kitty()?;
                Ok(None)
            }
        }
    }

    /// Handles keys and other events that are no reply: none within one.
    fn handle_input(&mut self, events: Vec<Event>) -> LoopResult {
        if events.is_empty() {
            return Ok(None);
        }
        for msg in events.into_iter().filter_map(msg_from_event) {
            if let Some(reason) = self.drain_events(msg.into())? {
                return Ok(Some(reason));
            }
        }
        // A key is shown at once, even after a frame for a reply, unless it belongs to a burst.
        let now = Instant::now();
        if now >= self.last_input + FRAME_INTERVAL {
            self.next_frame_at = now;
        }
        self.last_input = now;
        Ok(None)
    }

    /// Reads the pending reply of the terminal, which the shell would take for input.
    async fn wait_for_terminal_reply(&mut self) {
        while let Some(deadline) = self.replies.reply_deadline() {
            let event = tokio::select! {
                () = wait_until(deadline) => return,
                event = next_terminal_event(&mut self.terminal_events) => event,
            };
            let Some(Ok(event)) = event else { return };
            self.replies.feed(event, Instant::now());
        }
    }

    /// Handles an event and those that are queued already, so that a burst is one frame.
    fn drain_events(&mut self, first: RuntimeEvent) -> LoopResult {
        let started = Instant::now();
        let mut next = Some(first);
        while let Some(event) = next {
            if let Some(reason) = self.handle(event)? {
                return Ok(Some(reason));
            }
            let has_time = started.elapsed() < MAX_MESSAGE_TIME;
            next = has_time.then(|| self.inbox.try_recv().ok()).flatten();
        }
        self.needs_redraw = true;
        self.next_frame_at = self.next_frame_at.max(Instant::now());
        Ok(None)
    }

    fn draw(&mut self) -> LoopResult {
        // crossterm can drop a resize event that arrives with a key event, so check the size again.
        let size = terminal::real_size()?;
        if size != self.terminal.size {
            self.terminal.invalidate(size)?;
            let effects = self.program.update(Msg::Resized(size));
            if let Some(reason) = self.execute(effects)? {
                return Ok(Some(reason));
            }
        }
        let program = &self.program;
        self.terminal.draw(|frame| program.view(frame), |id| program.picture(id))?;
        self.terminal.set_title(program.title())?;
        self.needs_redraw = false;
        self.next_frame_at = Instant::now() + FRAME_INTERVAL;
        Ok(None)
    }

    fn force_redraw(&mut self) -> LoopResult {
        self.terminal.resume()?;
        let size = self.terminal.size;
        let effects = self.program.update(Msg::Resized(size));
        self.needs_redraw = true;
        self.execute(effects)
    }

    fn suspend(&mut self) -> LoopResult {
        terminal::restore();
        self.pause_input();
        suspend_self()?;
        self.force_redraw()
    }

    /// Stops reading the terminal until the new stream is polled. A stream that is only not polled
    /// reads on (see codex #7961), so it is dropped, and creating a new one waits until it is gone.
    fn pause_input(&mut self) {
        self.terminal_events = None;
        self.terminal_events = Some(EventStream::new());
    }
}

async fn next_terminal_event(events: &mut Option<EventStream>) -> Option<io::Result<Event>> {
    events.as_mut()?.next().await
}

/// Waits for the exit of the external program, for ever if there is none.
async fn external_exit(external: &mut Option<ExternalProgram>) -> Result<(), SafeText> {
    match external {
        Some(external) => external.wait().await,
        None => pending().await,
    }
}

/// Exits after a signal if the loop does not: crossterm can spin on the end of a closed terminal
/// without ever returning to the loop, and a terminal that takes no output blocks it.
async fn force_exit_on_signal(mut signals: Signals, is_external_running: Arc<AtomicBool>) {
    loop {
        let signal = signals.next().await;
        let is_for_external =
            signal.is_from_keyboard() && is_external_running.load(Ordering::SeqCst);
        if let Signal::End(number) = signal
            && !is_for_external
        {
            sleep(SHUTDOWN_TIMEOUT).await;
            terminal::restore_within(MAX_RESTORE_TIME);
            exit(128 + number);
        }
    }
}

/// Waits until a time. A time that has passed bypasses tokio's timer, which rounds up to whole
/// milliseconds, so that a key after a pause is drawn at once.
async fn wait_until(time: Instant) {
    if time > Instant::now() {
        sleep_until(time).await;
    }
}

/// Waits until a tick is due. One that is due at once yields first, so that keys and other tasks come
/// before it.
async fn wait_for_tick(last: Instant, interval: Duration) {
    if interval.is_zero() {
        yield_now().await;
    } else {
        sleep_until(last + interval).await;
    }
}

fn msg_from_event(event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) => Key::from_event(key).map(Msg::Key),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(width, height) => Some(Msg::Resized(Size { width, height })),
        Event::Mouse(event) => MouseInput::from_event(event).map(Msg::Mouse),
        Event::FocusGained => Some(Msg::FocusChanged(true)),
        Event::FocusLost => Some(Msg::FocusChanged(false)),
    }
}

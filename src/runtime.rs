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
use crate::msg::{CopyWay, Effect, Key, Mouse, Msg};
use crate::net::provider::Source;
use crate::net::providers::Sources;
use crate::sanitize::Text;
use clipboard::Clipboard;
use external_program::{Guest, Sheet};
use osc11::{Heard, Listener};
pub use signals::{Signal, Signals, stop_here};
use tasks::Tasks;
use terminal::Screen;
use user_data_writer::Keeper;

/// Frames are at least this far apart: a burst of messages is one frame.
const FRAME: Duration = Duration::from_millis(8);
/// How long the loop has to end after a signal.
const GRACE: Duration = Duration::from_secs(1);
/// Messages taken in before a frame is due again.
const BATCH: usize = 256;

/// What the loop runs: the app, or a test's stand-in for it.
pub trait Program {
    /// Takes in what happened.
    fn update(&mut self, msg: Msg) -> Vec<Effect>;
    /// Draws everything.
    fn view(&self, frame: &mut Frame<'_>);
    /// When the screen changes by itself next.
    fn beat(&self) -> Option<Duration>;
}

impl Program for App {
    fn update(&mut self, msg: Msg) -> Vec<Effect> {
        Self::update(self, msg)
    }

    fn view(&self, frame: &mut Frame<'_>) {
        Self::view(self, frame);
    }

    fn beat(&self) -> Option<Duration> {
        Self::beat(self)
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The user quit.
    Quit,
    /// A signal of this number asked for it.
    Signal(i32),
    /// The terminal is gone.
    Gone,
}

/// Something for the loop from a task or a thread.
#[derive(Debug)]
enum Parcel {
    Msg(Msg),
    /// The desktop's clipboard did not take it: send it through the terminal.
    ThroughTerminal {
        what: &'static str,
        text: Text,
    },
    /// What another program is to show.
    Sheet(Sheet),
}

/// What ended a wait.
enum Wake {
    Frame,
    Event(Event),
    Parcel(Parcel),
    Signal(Signal),
    /// The program that had the terminal has ended.
    Back(Result<(), Text>),
    Gone,
}

/// Runs a program on the terminal until it ends. `open` makes it for the terminal's size and says
/// what it wants first.
pub async fn run<'a, P: Program>(
    sources: impl Into<Sources<'a>>,
    open: impl FnOnce(Size) -> (P, Vec<Effect>),
) -> anyhow::Result<End> {
    let sources = sources.into();
    let signals = Signals::listen()?;
    let lent = Arc::new(AtomicBool::new(false));
    tokio::spawn(last_resort(Signals::listen()?, Arc::clone(&lent)));
    let screen = Screen::enter()?;
    let (program, effects) = open(screen.size());
    let (outbox, inbox) = unbounded_channel();
    tokio::spawn(save::abis(outbox.clone()));
    let mut pump = Pump {
        program,
        screen,
        listener: Listener::default(),
        keys: Some(EventStream::new()),
        guest: None,
        lent,
        signals,
        source: sources.first.clone(),
        tasks: Tasks::new(sources, outbox.clone()),
        keeper: Keeper::new(outbox.clone()),
        clipboard: Clipboard::new(outbox),
        inbox,
        dirty: true,
        due: Instant::now(),
        ticked: Instant::now(),
    };
    let end = match pump.carry_out(effects)? {
        Some(end) => end,
        None => pump.run().await?,
    };
    if end == End::Quit {
        pump.hear_out().await;
    }
    pump.keeper.finish().await;
    Ok(end)
}

/// The loop and all it holds.
struct Pump<'a, P> {
    program: P,
    screen: Screen,
    /// Picks out of the keys what the terminal answers.
    listener: Listener,
    /// Read while the program has the terminal. Dropped before it is made anew.
    keys: Option<EventStream>,
    /// Who has the terminal, if it is not this program.
    guest: Option<Guest>,
    /// Whether somebody else has it, for those who do not see the guest.
    lent: Arc<AtomicBool>,
    signals: Signals,
    tasks: Tasks<'a>,
    clipboard: Clipboard,
    keeper: Keeper,
    inbox: UnboundedReceiver<Parcel>,
    /// Has the clock.
    source: Source,
    /// Something changed since the last frame.
    dirty: bool,
    /// When the next frame may be drawn.
    due: Instant,
    /// When the program last heard the time.
    ticked: Instant,
}

impl<P: Program> Pump<'_, P> {
    async fn run(&mut self) -> anyhow::Result<End> {
        loop {
            let end = match self.wait().await {
                Wake::Frame => self.draw()?,
                Wake::Event(event) => self.take_event(event)?,
                Wake::Parcel(parcel) => self.take_all(parcel)?,
                Wake::Signal(signal) if self.guest.is_some() => self.signalled(signal).await?,
                Wake::Back(outcome) => self.take_back(outcome)?,
                Wake::Signal(Signal::End(number)) => Some(End::Signal(number)),
                Wake::Signal(Signal::Suspend) => self.suspend()?,
                Wake::Signal(Signal::Resumed) => self.draw_anew()?,
                Wake::Gone => Some(End::Gone),
            };
            if let Some(end) = end {
                return Ok(end);
            }
        }
    }

    async fn wait(&mut self) -> Wake {
        let beat = self.program.beat();
        tokio::select! {
            // Drawing first: it is rate-limited, so it cannot starve the rest, which could starve it.
            biased;
            () = reached(self.due), if self.dirty && self.guest.is_none() => Wake::Frame,
            signal = self.signals.next() => Wake::Signal(signal),
            outcome = ended(&mut self.guest) => Wake::Back(outcome),
            event = typed(&mut self.keys), if self.guest.is_none() => match event {
                Some(Ok(event)) => Wake::Event(event),
                Some(Err(_)) | None => Wake::Gone,
            },
            Some(parcel) = self.inbox.recv() => Wake::Parcel(parcel),
            () = sleep_until(self.ticked + beat.unwrap_or_default()), if beat.is_some() => {
                self.ticked = Instant::now();
                Wake::Parcel(Parcel::Msg(Msg::Tick(self.source.now())))
            }
        }
    }

    /// Takes in what the terminal tells.
    fn take_event(&mut self, event: Event) -> anyhow::Result<Option<End>> {
        let events = match self.listener.hear(event, Instant::now()) {
            Heard::Events(events) => events,
            Heard::Background(background) => {
                self.due = Instant::now();
                return self.take_all(Parcel::Msg(Msg::Background(background)));
            }
        };
        for msg in events.into_iter().filter_map(read) {
            if let Some(end) = self.take_all(Parcel::Msg(msg))? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// The shell must not get what the terminal is about to answer.
    async fn hear_out(&mut self) {
        while let Some(expected) = self.listener.expected() {
            let event = tokio::select! {
                () = reached(expected) => return,
                event = typed(&mut self.keys) => event,
            };
            let Some(Ok(event)) = event else { return };
            // Keys after the end mean nothing.
            self.listener.hear(event, Instant::now());
        }
    }

    /// Takes in one parcel and whatever else is there already, so that a burst is one frame.
    fn take_all(&mut self, first: Parcel) -> anyhow::Result<Option<End>> {
        let mut next = Some(first);
        for _ in 0..BATCH {
            let Some(parcel) = next else { break };
            if let Some(end) = self.take(parcel)? {
                return Ok(Some(end));
            }
            next = self.inbox.try_recv().ok();
        }
        // The last one of a full batch was taken out of the channel already.
        if let Some(parcel) = next
            && let Some(end) = self.take(parcel)?
        {
            return Ok(Some(end));
        }
        self.dirty = true;
        self.due = self.due.max(Instant::now());
        Ok(None)
    }

    fn take(&mut self, parcel: Parcel) -> anyhow::Result<Option<End>> {
        let msg = match parcel {
            Parcel::Msg(msg) => msg,
            Parcel::ThroughTerminal { what, text } => {
                let way = match self.screen.copy(&text) {
                    Ok(passage) => CopyWay::Terminal(passage),
                    Err(why) => CopyWay::Failed(why),
                };
                Msg::Copied { what, way }
            }
            Parcel::Sheet(sheet) => match self.lend(sheet) {
                Ok(()) => return Ok(None),
                Err(why) => {
                    self.draw_anew()?;
                    Msg::Viewed(Err(why))
                }
            },
        };
        if let Msg::Resized(size) = msg {
            // Even to the same size: the terminal may have been another size, and cut, in between.
            self.screen.forget(size)?;
        }
        let effects = self.program.update(msg);
        self.carry_out(effects)
    }

    fn carry_out(&mut self, effects: Vec<Effect>) -> anyhow::Result<Option<End>> {
        for effect in effects {
            match effect {
                Effect::Connect { chain, network } => self.tasks.connect(chain, &network),
                Effect::Fetch { ticket, query, cursor, why } => {
                    self.tasks.fetch(ticket, query, cursor, why);
                }
                Effect::Trace { ticket, transaction, terms } => {
                    self.tasks.trace(ticket, transaction, &terms);
                }
                Effect::Allow { pane, bytes } => self.tasks.allow(pane, bytes),
                Effect::Cancel(pane) => self.tasks.cancel(pane),
                Effect::Ring(alarm, pause) => self.tasks.ring(alarm, pause),
                Effect::AskBackground => {
                    // The first frame is late rather than in colours for another background.
                    self.due = self.listener.ask()?.unwrap_or(self.due);
                }
                Effect::Copy { what, text } => self.clipboard.copy(what, text),
                Effect::Open(url) => self.tasks.open(&url),
                Effect::Save { path, lines, what } => self.tasks.save(path, lines, what),
                Effect::View { viewer, name, lines } => self.tasks.view(viewer, name, lines),
                Effect::Mouse(captured) => self.screen.capture(captured)?,
                Effect::Keep(signature) => self.tasks.keep(signature),
                Effect::ReadLabels(key) => self.keeper.read_labels(key),
                Effect::Label { key, change } => self.keeper.label(key, change),
                Effect::ReadVisits(key) => self.keeper.read_visits(key),
                Effect::Visit { key, step } => self.keeper.visit(key, step),
                Effect::StopSaving => self.tasks.stop_saving(),
                Effect::Quit => return Ok(Some(End::Quit)),
                Effect::Suspend => drop(self.suspend()?),
                Effect::Redraw => drop(self.draw_anew()?),
            }
        }
        Ok(None)
    }

    fn draw(&mut self) -> anyhow::Result<Option<End>> {
        // The word of a new size can be lost: crossterm's is when it comes together with a key.
        let size = self.screen.real_size()?;
        if size != self.screen.size() {
            self.screen.forget(size)?;
            let effects = self.program.update(Msg::Resized(size));
            if let Some(end) = self.carry_out(effects)? {
                return Ok(Some(end));
            }
        }
        let program = &self.program;
        self.screen.draw(|frame| program.view(frame))?;
        self.dirty = false;
        self.due = Instant::now() + FRAME;
        Ok(None)
    }

    fn draw_anew(&mut self) -> anyhow::Result<Option<End>> {
        self.screen.resume()?;
        let size = self.screen.size();
        let effects = self.program.update(Msg::Resized(size));
        self.dirty = true;
        self.carry_out(effects)
    }

    /// Gives the terminal to the shell until the user brings the program back.
    fn suspend(&mut self) -> anyhow::Result<Option<End>> {
        self.screen.leave();
        self.stop_reading();
        stop_here()?;
        self.draw_anew()
    }

    /// Leaves the keys to others, from now on until the stream is polled again. One that is not polled
    /// still reads (codex met this, #7961), so it is dropped; that a new one can be made says that the
    /// old one has let go.
    fn stop_reading(&mut self) {
        self.keys = None;
        self.keys = Some(EventStream::new());
    }
}

/// The next event of the terminal.
async fn typed(keys: &mut Option<EventStream>) -> Option<std::io::Result<Event>> {
    keys.as_mut()?.next().await
}

/// The end of the program that has the terminal; never, while none has.
async fn ended(guest: &mut Option<Guest>) -> Result<(), Text> {
    match guest {
        Some(guest) => guest.end().await,
        None => std::future::pending().await,
    }
}

/// Ends the program after a signal if the loop does not: crossterm reads the end of a terminal that is
/// gone over and over, and never gives the loop its turn again.
async fn last_resort(mut signals: Signals, lent: Arc<AtomicBool>) {
    loop {
        let signal = signals.next().await;
        let for_another = signal.is_typed() && lent.load(Ordering::SeqCst);
        if let Signal::End(number) = signal
            && !for_another
        {
            sleep(GRACE).await;
            terminal::give_back();
            std::process::exit(128 + number);
        }
    }
}

/// Waits until `due`. The runtime's timer rounds up to whole milliseconds, so a moment that has passed
/// is not handed to it: a key after a pause is drawn at once.
async fn reached(due: Instant) {
    if due > Instant::now() {
        sleep_until(due).await;
    }
}

/// What a terminal event means to the program, if anything.
fn read(event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) => Key::pressed(key).map(Msg::Key),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(width, height) => Some(Msg::Resized(Size { width, height })),
        Event::Mouse(event) => Mouse::of(event).map(Msg::Mouse),
        Event::FocusGained | Event::FocusLost => None,
    }
}

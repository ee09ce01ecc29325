//! The terminal: taken over whole, and put back on every way out.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, BufWriter, Stdout, Write};
use std::mem::ManuallyDrop;
use std::panic::{PanicHookInfo, set_hook};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::backend::Backend as _;
use ratatui::layout::{Position, Size};
use ratatui::prelude::CrosstermBackend;
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

use super::mouse_capture::SetMouseCapture;
use super::osc52;
use crate::msg::Multiplexer;
use crate::sanitize::{SafeText, sanitize};

/// The terminal while the program has it. Dropping it gives it back.
///
/// It is drawn on in the size that the program was told last, whatever the terminal's own is by then:
/// when that changes between a message and a frame, what the program draws must still have a place.
#[derive(Debug)]
pub struct TerminalSession {
    /// Never dropped: ratatui then shows the cursor, which we do, and prints to stderr where that
    /// fails, which panics when stderr is the terminal that is gone.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
    size: Size,
    /// Whether the program hears of the mouse while it has the terminal.
    mouse: bool,
}

impl TerminalSession {
    /// Takes the terminal over.
    pub fn acquire() -> io::Result<Self> {
        install_panic_hook();
        acquire()?;
        // A whole frame goes out in one write.
        let out = BufWriter::with_capacity(1 << 16, io::stdout());
        let entered = open_terminal(CrosstermBackend::new(out));
        if entered.is_err() {
            restore();
        }
        entered
    }

    /// The size in which it is drawn on.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The size that the terminal has by now.
    pub fn real_size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// Draws a frame; the terminal shows it in one piece where it can.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(view)?;
        execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)
    }

    /// Gives the terminal back for a while.
    pub fn release(&mut self) {
        restore();
    }

    /// Takes it over again, and forgets what was on it.
    pub fn resume(&mut self) -> io::Result<()> {
        // Whoever had it may have left a colour, or the mouse with its motion.
        execute!(io::stdout(), SetAttribute(Attribute::Reset), Print("\x1b[?1003l\x1b[?1002l"))?;
        acquire()?;
        self.set_mouse_capture(self.mouse)?;
        self.invalidate(self.real_size()?)
    }

    /// Clears the terminal, so that the next frame is drawn whole and in this size.
    pub fn invalidate(&mut self, size: Size) -> io::Result<()> {
        self.size = size;
        // Not `clear`, which asks the terminal where its cursor is: some never answer.
        self.terminal.resize((Position::ORIGIN, size).into())
    }

    /// Sends a text to the clipboard through the terminal (OSC 52), which does not answer.
    pub fn copy(&mut self, text: &SafeText) -> Result<Multiplexer, SafeText> {
        let passage = osc52::detect_multiplexer();
        let sequence = osc52::sequence(text, passage).map_err(|why| SafeText::new(&why))?;
        let sent = execute!(self.terminal.backend_mut(), Print(sequence));
        sent.map(|()| passage).map_err(|e| SafeText::new(&e.to_string()))
    }

    /// Hears of the mouse, or leaves it to the terminal.
    pub fn set_mouse_capture(&mut self, mouse: bool) -> io::Result<()> {
        self.mouse = mouse;
        execute!(self.terminal.backend_mut(), SetMouseCapture(mouse))
    }
}

impl Drop for TerminalSession {
    fn drop(&mut self) {
        restore();
    }
}

fn open_terminal(backend: CrosstermBackend<BufWriter<Stdout>>) -> io::Result<TerminalSession> {
    let size = backend.size()?;
    let viewport = Viewport::Fixed((Position::ORIGIN, size).into());
    let terminal = Terminal::with_options(backend, TerminalOptions { viewport })?;
    Ok(TerminalSession { terminal: ManuallyDrop::new(terminal), size, mouse: false })
}

fn acquire() -> io::Result<()> {
    enable_raw_mode()?;
    let taken = execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste, Hide);
    if taken.is_err() {
        restore();
    }
    taken
}

/// Puts the terminal back. Harmless when it is back already; nothing can be done about a failure.
pub(super) fn restore() {
    let _ = execute!(
        io::stdout(),
        EndSynchronizedUpdate,
        SetMouseCapture(false),
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Show
    );
    let _ = disable_raw_mode();
    let _ = io::stdout().flush();
}

/// A panic anywhere, in a task too, ends the program with the terminal back and status 101. Without
/// this a task could die alone and its message would be drawn over the screen.
fn install_panic_hook() {
    set_hook(Box::new(|info| {
        restore();
        print_panic(info);
        std::process::exit(101);
    }));
}

/// From now on the words of a panic are harmless: they may repeat a text from outside.
pub fn sanitize_panics() {
    set_hook(Box::new(print_panic));
}

fn print_panic(info: &PanicHookInfo<'_>) {
    let trace = Backtrace::capture();
    let trace = matches!(trace.status(), BacktraceStatus::Captured).then(|| trace.to_string());
    let words = [info.to_string(), trace.unwrap_or_default()];
    let mut lines = words.iter().flat_map(|text| text.lines());
    // Nobody reads it.
    let _ = lines.try_for_each(|line| writeln!(io::stderr(), "{}", sanitize(line)));
}

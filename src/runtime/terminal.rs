//! The terminal session: raw mode and the alternate screen, restored on every exit.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::env;
use std::io::{self, BufWriter, Stdout, Write};
use std::mem::ManuallyDrop;
use std::panic::{PanicHookInfo, set_hook};
use std::thread;

use crossterm::cursor::{Hide, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange,
};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{
    BeginSynchronizedUpdate, DisableLineWrap, EnableLineWrap, EndSynchronizedUpdate,
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, window_size,
};
use crossterm::{execute, queue};
use ratatui::backend::Backend as _;
use ratatui::layout::{Position, Size};
use ratatui::prelude::CrosstermBackend;
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

use super::cell_bounds::confine_symbols;
use super::graphics_layer::{GraphicsLayer, delete_stored, protect};
use super::mouse_capture::SetMouseCapture;
use super::osc52;
use crate::msg::Multiplexer;
use crate::picture::{GraphicsProtocol, Picture, PictureMode};
use crate::sanitize::{SafeText, sanitize};

/// The terminal while the program has it, restored on drop.
///
/// Frames have the size known to the program, even if the terminal has been resized since: the drawn
/// content must fit into the buffer.
#[derive(Debug)]
pub struct TerminalSession {
    /// Never dropped: ratatui would show the cursor, which `restore` does, and on failure print to
    /// stderr, which panics if the terminal was closed.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
    pub size: Size,
    captures_mouse: bool,
    graphics: GraphicsLayer,
}

impl TerminalSession {
    pub fn acquire() -> io::Result<Self> {
        install_panic_hook();
        acquire()?;
        // Large enough for a frame in a single write.
        let out = BufWriter::with_capacity(1 << 16, io::stdout());
        open_terminal(CrosstermBackend::new(out)).inspect_err(|_| restore())
    }

    pub fn real_size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// Draws a frame, which terminals with synchronized updates show at once.
    pub fn draw<'a>(
        &mut self,
        view: impl FnOnce(&mut Frame<'_>),
        picture: impl Fn(u32) -> Option<&'a Picture>,
    ) -> io::Result<()> {
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        let mut pictures = Vec::new();
        self.terminal.draw(|frame| {
            view(frame);
            pictures = self.graphics.find(frame.buffer_mut(), &picture);
            confine_symbols(frame.buffer_mut());
            protect(frame.buffer_mut(), &pictures);
        })?;
        self.graphics.send(self.terminal.backend_mut(), pictures, picture)?;
        execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)
    }

    /// Takes the terminal over again after [`restore`], and clears it.
    pub fn resume(&mut self) -> io::Result<()> {
        // Another program may have left a colour, or the capture of mouse motion.
        execute!(io::stdout(), SetAttribute(Attribute::Reset), Print("\x1b[?1003l\x1b[?1002l"))?;
        acquire()?;
        self.set_mouse_capture(self.captures_mouse)?;
        self.invalidate(self.real_size()?)
    }

    /// Clears the terminal, so that the next frame is drawn completely, in this size.
    pub fn invalidate(&mut self, size: Size) -> io::Result<()> {
        self.size = size;
        execute!(self.terminal.backend_mut(), Print(self.graphics.reset()))?;
        // Not `clear`, which queries the position of the cursor: some terminals never reply.
        self.terminal.resize((Position::ORIGIN, size).into())
    }

    /// Enables pictures with a protocol. Returns the mode, or `None` if the size of the cells is needed
    /// and unknown.
    pub fn use_graphics(&mut self, protocol: GraphicsProtocol) -> Option<PictureMode> {
        let window = window_size().ok().filter(|window| window.width > 0 && window.height > 0);
        let cell = window.map(|w| (w.width / w.columns.max(1), w.height / w.rows.max(1)));
        let cell = cell.filter(|(width, height)| *width > 0 && *height > 0);
        let mode = PictureMode::graphics(protocol, cell)?;
        self.graphics.set_protocol(protocol);
        Some(mode)
    }

    /// Copies a text through the terminal (OSC 52), which does not confirm it.
    pub fn copy(&mut self, text: &SafeText) -> Result<Multiplexer, SafeText> {
        let multiplexer = osc52::multiplexer_from_env(|name| env::var_os(name));
        let sequence =
            osc52::sequence(text, multiplexer).map_err(|reason| SafeText::new(&reason))?;
        let sent = execute!(self.terminal.backend_mut(), Print(sequence));
        sent.map(|()| multiplexer).map_err(|e| SafeText::new(&e.to_string()))
    }

    pub fn set_mouse_capture(&mut self, is_on: bool) -> io::Result<()> {
        self.captures_mouse = is_on;
        execute!(self.terminal.backend_mut(), SetMouseCapture(is_on))
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
    Ok(TerminalSession {
        terminal: ManuallyDrop::new(terminal),
        size,
        captures_mouse: false,
        graphics: GraphicsLayer::default(),
    })
}

fn acquire() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(
        io::stdout(),
        EnterAlternateScreen,
        DisableLineWrap,
        EnableBracketedPaste,
        EnableFocusChange,
        Hide
    )
    .inspect_err(|_| restore())
}

/// Restores the terminal. Calling it twice is harmless, and errors cannot be handled.
pub(super) fn restore() {
    let _ = execute!(
        io::stdout(),
        EndSynchronizedUpdate,
        Print(delete_stored()),
        SetMouseCapture(false),
        DisableFocusChange,
        DisableBracketedPaste,
        EnableLineWrap,
        LeaveAlternateScreen,
        Show
    );
    let _ = disable_raw_mode();
    let _ = io::stdout().flush();
}

/// Makes a panic in any thread or task restore the terminal and exit with status 101. A task would
/// otherwise die alone, with its message drawn over the screen.
fn install_panic_hook() {
    set_hook(Box::new(|info| {
        restore();
        print_panic(info);
        std::process::exit(101);
    }));
}

/// Makes panic messages safe to print: they can contain text from outside.
pub fn sanitize_panics() {
    set_hook(Box::new(print_panic));
}

/// Silences panics of all other threads, once their results no longer matter.
pub fn ignore_panics_of_other_threads() {
    let this = thread::current().id();
    set_hook(Box::new(move |info| {
        if thread::current().id() == this {
            print_panic(info);
        }
    }));
}

fn print_panic(info: &PanicHookInfo<'_>) {
    let trace = Backtrace::capture();
    let trace = matches!(trace.status(), BacktraceStatus::Captured).then(|| trace.to_string());
    let texts = [info.to_string(), trace.unwrap_or_default()];
    let mut lines = texts.iter().flat_map(|text| text.lines());
    // Fails if stderr was closed.
    let _ = lines.try_for_each(|line| writeln!(io::stderr(), "{}", sanitize(line)));
}

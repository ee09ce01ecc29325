//! The terminal session: raw mode and the alternate screen, restored on every exit.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::env;
use std::io::{self, Write};
use std::panic::{PanicHookInfo, set_hook};
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange,
};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap,
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, SetTitle, disable_raw_mode,
    enable_raw_mode, size, window_size,
};
use crossterm::{execute, queue};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use super::frame_writer::FrameWriter;
use super::graphics_layer::{GraphicsLayer, delete_stored, protect};
use super::mouse_capture::SetMouseCapture;
use super::osc52;
use crate::app_message::Multiplexer;
use crate::picture::{GraphicsProtocol, Picture, PictureMode};
use crate::sanitize::{SafeText, sanitize};

/// The terminal while the program has it, restored on drop.
///
/// Frames have the size known to the program, even if the terminal has been resized since: the drawn
/// content must fit into the buffer.
#[derive(Debug)]
pub struct TerminalSession {
    pub size: Size,
    frames: FrameWriter,
    /// The next frame.
    next: Buffer,
    /// Position of the cursor, if it is shown.
    cursor: Option<Position>,
    captures_mouse: bool,
    graphics: GraphicsLayer,
    /// The title, if it is the program's.
    title: Option<String>,
}

/// `true` while the terminal keeps the title before the program's.
static HAS_SAVED_TITLE: AtomicBool = AtomicBool::new(false);
/// Keeps the terminal's title, and restores it (XTWINOPS).
const SAVE_TITLE: &str = "\x1b[22;0t";
const RESTORE_TITLE: &str = "\x1b[23;0t";

impl TerminalSession {
    pub fn acquire() -> io::Result<Self> {
        install_panic_hook();
        acquire()?;
        let area = Rect::from((Position::ORIGIN, real_size().inspect_err(|_| restore())?));
        Ok(Self {
            size: area.as_size(),
            frames: FrameWriter::new(area),
            next: Buffer::empty(area),
            cursor: None,
            captures_mouse: false,
            graphics: GraphicsLayer::default(),
            title: None,
        })
    }

    /// Draws a frame, which terminals with synchronized updates show at once. `view` returns the
    /// position of the cursor, if it is shown.
    pub fn draw<'a>(
        &mut self,
        view: impl FnOnce(&mut Buffer) -> Option<Position>,
        picture: impl Fn(u32) -> Option<&'a Picture>,
    ) -> io::Result<()> {
        self.next.reset();
        let cursor = view(&mut self.next);
        let pictures = self.graphics.find(&mut self.next, &picture);
        protect(&mut self.next, &pictures);
        let mut out = Vec::new();
        queue!(out, BeginSynchronizedUpdate)?;
        let begun = out.len();
        let has_pictures = !pictures.is_empty() || self.graphics.shows_pictures();
        self.frames.write(&mut self.next, has_pictures, &mut out);
        self.graphics.send(&mut out, pictures, picture)?;
        match cursor {
            Some(Position { x, y }) if self.cursor != cursor || out.len() > begun => {
                queue!(out, Show, MoveTo(x, y))?;
            }
            None if self.cursor.is_some() => queue!(out, Hide)?,
            _ => {}
        }
        self.cursor = cursor;
        if out.len() == begun {
            return Ok(());
        }
        queue!(out, EndSynchronizedUpdate)?;
        // As a whole, past the buffer of lines.
        let mut terminal = io::stdout().lock();
        terminal.write_all(&out)?;
        terminal.flush()
    }

    /// Takes the terminal over again after [`restore`], and clears it.
    pub fn resume(&mut self) -> io::Result<()> {
        // Another program may have left a colour, or the capture of mouse motion.
        execute!(io::stdout(), SetAttribute(Attribute::Reset), Print("\x1b[?1003l\x1b[?1002l"))?;
        acquire()?;
        self.set_mouse_capture(self.captures_mouse)?;
        self.title = None;
        self.invalidate(real_size()?)
    }

    /// Clears the terminal, so that the next frame is drawn completely, in this size.
    pub fn invalidate(&mut self, size: Size) -> io::Result<()> {
        let area = Rect::from((Position::ORIGIN, size));
        (self.size, self.frames, self.next) = (size, FrameWriter::new(area), Buffer::empty(area));
        execute!(io::stdout(), Print(self.graphics.reset()), Clear(ClearType::All))
    }

    /// Enables pictures with a protocol. Returns the mode, or `None` if the size of the cells is needed
    /// and unknown.
    pub fn use_graphics(&mut self, protocol: GraphicsProtocol) -> Option<PictureMode> {
        let window = window_size().ok().filter(|window| window.width > 0 && window.height > 0);
        let cell = window
            .map(|w| (w.width / w.columns.max(1), w.height / w.rows.max(1)))
            .filter(|(width, height)| *width > 0 && *height > 0);
        let mode = PictureMode::graphics(protocol, cell)?;
        self.graphics.set_protocol(protocol);
        Some(mode)
    }

    /// Copies a text through the terminal (OSC 52), which does not confirm it.
    pub fn copy(text: &SafeText) -> Result<Multiplexer, SafeText> {
        let multiplexer = osc52::multiplexer_from_env(|name| env::var_os(name));
        let sequence = osc52::sequence(text, multiplexer)?;
        let sent = execute!(io::stdout(), Print(sequence));
        sent.map(|()| multiplexer).map_err(|e| SafeText::new(&e.to_string()))
    }

    /// Sets the terminal's title; `None` restores the one before the program.
    pub fn set_title(&mut self, title: Option<String>) -> io::Result<()> {
        if title == self.title {
            return Ok(());
        }
        match &title {
            Some(title) if HAS_SAVED_TITLE.swap(true, Ordering::SeqCst) => {
                execute!(io::stdout(), SetTitle(title))?;
            }
            Some(title) => execute!(io::stdout(), Print(SAVE_TITLE), SetTitle(title))?,
            None => restore_title()?,
        }
        self.title = title;
        Ok(())
    }

    pub fn set_mouse_capture(&mut self, is_on: bool) -> io::Result<()> {
        self.captures_mouse = is_on;
        execute!(io::stdout(), SetMouseCapture(is_on))
    }
}

impl Drop for TerminalSession {
    fn drop(&mut self) {
        restore();
    }
}

/// Returns the size of the terminal. It is needed for every frame, so stdout is asked first:
/// crossterm opens the terminal for that.
pub fn real_size() -> io::Result<Size> {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stdout())
        && size.ws_col > 0
        && size.ws_row > 0
    {
        return Ok(Size { width: size.ws_col, height: size.ws_row });
    }
    let (width, height) = size()?;
    Ok(Size { width, height })
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

/// Restores the title, if it is the program's. Terminals that keep none get one without a number.
fn restore_title() -> io::Result<()> {
    if HAS_SAVED_TITLE.swap(false, Ordering::SeqCst) {
        execute!(io::stdout(), SetTitle("chainglass"), Print(RESTORE_TITLE))?;
    }
    Ok(())
}

/// Restores the terminal. Calling it twice is harmless, and errors cannot be handled.
pub(super) fn restore() {
    let _ = restore_title();
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

/// Restores the terminal in at most `limit`: of one that takes no output only the mode, since the writer
/// that waits for it holds the lock of stdout.
pub(super) fn restore_within(limit: Duration) {
    let (sender, restored) = mpsc::channel();
    thread::spawn(move || {
        restore();
        sender.send(())
    });
    if restored.recv_timeout(limit).is_err() {
        let _ = disable_raw_mode();
    }
}

/// Makes a panic in any thread or task restore the terminal and exit with status 101. A task would
/// otherwise die alone, with its message drawn over the screen.
fn install_panic_hook() {
    set_hook(Box::new(|info| {
        restore();
        exit_on_panic(info);
    }));
}

/// Makes a panic in any thread or task exit with status 101, and its message safe to print: it can
/// contain text from outside.
pub fn exit_on_panics() {
    set_hook(Box::new(|info| exit_on_panic(info)));
}

/// Silences panics of all other threads, once their results no longer matter. Such a thread stops
/// here, as released programs abort after the hook.
pub fn ignore_panics_of_other_threads() {
    let this = thread::current().id();
    set_hook(Box::new(move |info| {
        while thread::current().id() != this {
            thread::park();
        }
        exit_on_panic(info);
    }));
}

fn exit_on_panic(info: &PanicHookInfo<'_>) -> ! {
    let trace = Backtrace::capture();
    let trace = matches!(trace.status(), BacktraceStatus::Captured).then(|| trace.to_string());
    let texts = [info.to_string(), trace.unwrap_or_default()];
    let mut lines = texts.iter().flat_map(|text| text.lines());
    // Fails if stderr was closed.
    let _ = lines.try_for_each(|line| writeln!(io::stderr(), "{}", sanitize(line)));
    exit(101);
}

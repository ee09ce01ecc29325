//! Hearing of the mouse: presses and the wheel, and never its motion, so that nothing wakes the
//! program while nobody does anything. crossterm's own command asks for motion as well.

use std::fmt;

use crossterm::Command;

/// Begins to hear of the mouse, or leaves it to the terminal.
#[derive(Debug, Clone, Copy)]
pub(super) struct SetMouseCapture(pub(super) bool);

impl Command for SetMouseCapture {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        // Presses, releases and the wheel (1000), with numbers of any size (1006).
        f.write_str(if self.0 { "\x1b[?1000h\x1b[?1006h" } else { "\x1b[?1006l\x1b[?1000l" })
    }

    #[cfg(windows)]
    fn execute_winapi(&self) -> std::io::Result<()> {
        use crossterm::event::{DisableMouseCapture, EnableMouseCapture};
        if self.0 {
            EnableMouseCapture.execute_winapi()
        } else {
            DisableMouseCapture.execute_winapi()
        }
    }

    #[cfg(windows)]
    fn is_ansi_code_supported(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motion_is_never_asked_for() {
        let written = |on| {
            let mut out = String::new();
            SetMouseCapture(on).write_ansi(&mut out).unwrap();
            out
        };
        assert_eq!(written(true), "\x1b[?1000h\x1b[?1006h");
        assert_eq!(written(false), "\x1b[?1006l\x1b[?1000l");
    }
}

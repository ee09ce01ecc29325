//! Mouse capture of buttons and the wheel. crossterm's own command captures motion as well, which
//! would wake the program for nothing.

use std::fmt;

use crossterm::Command;

#[derive(Debug, Clone, Copy)]
pub(super) struct SetMouseCapture(pub(super) bool);

impl Command for SetMouseCapture {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        // Buttons and the wheel (1000), with coordinates of any size (1006).
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
    fn motion_is_never_captured() {
        let written = |is_on| {
            let mut out = String::new();
            SetMouseCapture(is_on).write_ansi(&mut out).unwrap();
            out
        };
        assert_eq!(written(true), "\x1b[?1000h\x1b[?1006h");
        assert_eq!(written(false), "\x1b[?1006l\x1b[?1000l");
    }
}

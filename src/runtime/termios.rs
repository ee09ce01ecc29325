//! Terminal attributes.

/// Saved terminal attributes, restored on drop. An external program may exit without restoring
/// them, and its leftovers would be taken for the attributes from before this program.
#[derive(Debug)]
pub(super) struct TermiosGuard(#[cfg(unix)] Option<rustix::termios::Termios>);

impl TermiosGuard {
    #[cfg(unix)]
    pub(super) fn save() -> Self {
        Self(rustix::termios::tcgetattr(std::io::stdin()).ok())
    }

    #[cfg(not(unix))]
    pub(super) fn save() -> Self {
        Self()
    }
}

#[cfg(unix)]
impl Drop for TermiosGuard {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        if let Some(saved) = &self.0 {
            // Fails if the terminal was closed.
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, saved);
        }
    }
}

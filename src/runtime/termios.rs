//! How the terminal treats what is typed: as lines with their echo, or each key by itself.

/// The way it was, which is put back when this is dropped: another program may end without doing so,
/// and what that leaves behind would be taken for the way it was before this program.
#[derive(Debug)]
pub(super) struct TermiosGuard(#[cfg(unix)] Option<rustix::termios::Termios>);

impl TermiosGuard {
    /// The way it is now.
    #[cfg(unix)]
    pub(super) fn save() -> Self {
        Self(rustix::termios::tcgetattr(std::io::stdin()).ok())
    }

    /// Elsewhere it is no business of the terminal's.
    #[cfg(not(unix))]
    pub(super) fn save() -> Self {
        Self()
    }
}

#[cfg(unix)]
impl Drop for TermiosGuard {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        // The terminal may be gone.
        let _ = self.0.as_ref().map(|was| tcsetattr(std::io::stdin(), OptionalActions::Now, was));
    }
}

//! Signals from outside.

use std::io;

/// The numbers of the signals that `^c` and `^\` send, the same on every system.
const INTERRUPT: i32 = 2;
const QUIT: i32 = 3;

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// End; the number of the signal.
    End(i32),
    /// Stop until continued.
    Suspend,
    /// The program was stopped by somebody else, and goes on.
    Resumed,
}

impl Signal {
    /// Whether the keyboard sends it, to every program in the foreground.
    pub fn is_from_keyboard(self) -> bool {
        matches!(self, Self::End(INTERRUPT | QUIT))
    }
}

#[cfg(unix)]
pub use unix::{Signals, suspend_self};

#[cfg(unix)]
mod unix {
    use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

    use super::{Signal, io};

    /// The signals that are listened to.
    #[derive(Debug)]
    pub struct Signals {
        ends: [(SignalKind, Stream); 4],
        stop: Stream,
        resumed: Stream,
    }

    impl Signals {
        /// Listens from now on.
        pub fn listen() -> io::Result<Self> {
            let end = |kind| signal(kind).map(|stream| (kind, stream));
            Ok(Self {
                ends: [
                    end(SignalKind::terminate())?,
                    end(SignalKind::hangup())?,
                    end(SignalKind::interrupt())?,
                    end(SignalKind::quit())?,
                ],
                stop: signal(SignalKind::from_raw(signal_hook::consts::SIGTSTP))?,
                resumed: signal(SignalKind::from_raw(signal_hook::consts::SIGCONT))?,
            })
        }

        /// The next one.
        pub async fn next(&mut self) -> Signal {
            let [term, hup, int, quit] = &mut self.ends;
            tokio::select! {
                _ = term.1.recv() => Signal::End(term.0.as_raw_value()),
                _ = hup.1.recv() => Signal::End(hup.0.as_raw_value()),
                _ = int.1.recv() => Signal::End(int.0.as_raw_value()),
                _ = quit.1.recv() => Signal::End(quit.0.as_raw_value()),
                _ = self.stop.recv() => Signal::Suspend,
                _ = self.resumed.recv() => Signal::Resumed,
            }
        }
    }

    /// Stops this process as Ctrl-Z would; returns when it is continued.
    pub fn suspend_self() -> io::Result<()> {
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)
    }
}

#[cfg(not(unix))]
pub use elsewhere::{Signals, stop_here};

#[cfg(not(unix))]
mod elsewhere {
    use super::{Signal, io};

    /// Ctrl-C is the only signal there is.
    #[derive(Debug)]
    pub struct Signals;

    impl Signals {
        /// Listens from now on.
        pub fn listen() -> io::Result<Self> {
            Ok(Self)
        }

        /// The next one.
        pub async fn next(&mut self) -> Signal {
            match tokio::signal::ctrl_c().await {
                Ok(()) => Signal::End(2),
                Err(_) => std::future::pending().await,
            }
        }
    }

    /// There is no shell to go back to.
    pub fn suspend_self() -> io::Result<()> {
        Ok(())
    }
}

//! Process signals.

use std::io;

/// The signals of Ctrl-C and Ctrl-\, whose numbers are the same on every system.
const INTERRUPT: i32 = 2;
const QUIT: i32 = 3;

#[cfg_attr(not(unix), expect(dead_code, reason = "only Unix stops processes"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Exit, with the number of the signal.
    End(i32),
    /// Stop until continued (SIGTSTP).
    Suspend,
    /// The process was stopped and goes on (SIGCONT).
    Resumed,
}

impl Signal {
    /// Returns whether the keyboard sends this signal, to every process in the foreground.
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

    #[derive(Debug)]
    pub struct Signals {
        ends: [(SignalKind, Stream); 4],
        stop: Stream,
        resumed: Stream,
    }

    impl Signals {
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

    /// Stops this process like Ctrl-Z does. Returns when it is continued.
    pub fn suspend_self() -> io::Result<()> {
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)
    }
}

#[cfg(not(unix))]
pub use other::{Signals, suspend_self};

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the signatures are those of Unix")]
mod other {
    use super::{Signal, io};

    /// A stream of signals. Ctrl-C is the only one.
    #[derive(Debug)]
    pub struct Signals;

    impl Signals {
        pub fn listen() -> io::Result<Self> {
            Ok(Self)
        }

        pub async fn next(&mut self) -> Signal {
            match tokio::signal::ctrl_c().await {
                Ok(()) => Signal::End(super::INTERRUPT),
                Err(_) => std::future::pending().await,
            }
        }
    }

    /// Does nothing: the system cannot stop processes.
    pub fn suspend_self() -> io::Result<()> {
        Ok(())
    }
}

//! Process signals.

use std::io;

/// Signals of Ctrl-C and Ctrl-\, whose numbers are the same on every system.
const INTERRUPT: i32 = 2;
const QUIT: i32 = 3;

#[cfg_attr(not(unix), expect(dead_code, reason = "only Unix stops processes"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Exit, with the number of the signal.
    End(i32),
    /// Stop until continued (SIGTSTP).
    Suspend,
    /// The process was stopped and has been continued (SIGCONT).
    Resumed,
}

/// A stream of signals. On other systems than Unix, Ctrl-C is the only one.
#[derive(Debug)]
pub struct Signals(#[cfg(unix)] Vec<(Signal, tokio::signal::unix::Signal)>);

impl Signal {
    /// Returns `true` if the keyboard sends this signal, to every process in the foreground.
    pub fn is_from_keyboard(self) -> bool {
        matches!(self, Self::End(INTERRUPT | QUIT))
    }
}

#[cfg(unix)]
pub use unix::{survive_file_size_limit, suspend_self};

#[cfg(unix)]
mod unix {
    use std::future::poll_fn;
    use std::sync::Arc;
    use std::task::Poll;

    use signal_hook::consts;
    use tokio::signal::unix::{SignalKind, signal};

    use super::{Signal, Signals, io};

    /// Signals that end a program by default, without those that cannot be handled, and SIGPIPE, which
    /// Rust ignores.
    const ENDS: [i32; 14] = [
        consts::SIGTERM,
        consts::SIGHUP,
        consts::SIGINT,
        consts::SIGQUIT,
        consts::SIGABRT,
        consts::SIGALRM,
        consts::SIGIO,
        consts::SIGPROF,
        consts::SIGSYS,
        consts::SIGTRAP,
        consts::SIGUSR1,
        consts::SIGUSR2,
        consts::SIGVTALRM,
        consts::SIGXCPU,
    ];

    impl Signals {
        pub fn listen() -> io::Result<Self> {
            let ends = ENDS.map(|number| (number, Signal::End(number)));
            let stops = [(consts::SIGTSTP, Signal::Suspend), (consts::SIGCONT, Signal::Resumed)];
            let streams = ends.into_iter().chain(stops).map(|(number, meaning)| {
                signal(SignalKind::from_raw(number)).map(|stream| (meaning, stream))
            });
            streams.collect::<io::Result<_>>().map(Self)
        }

        pub async fn next(&mut self) -> Signal {
            poll_fn(|cx| {
                let mut streams = self.0.iter_mut();
                let arrived = streams.find_map(|(signal, stream)| {
                    stream.poll_recv(cx).is_ready().then_some(*signal)
                });
                arrived.map_or(Poll::Pending, Poll::Ready)
            })
            .await
        }
    }

    /// Makes a write beyond the limit of a file's size fail (SIGXFSZ), which would end the program
    /// without a word.
    pub fn survive_file_size_limit() -> io::Result<()> {
        signal_hook::flag::register(consts::SIGXFSZ, Arc::default()).map(drop)
    }

    /// Stops this process like Ctrl-Z. Returns when it is continued.
    pub fn suspend_self() -> io::Result<()> {
        signal_hook::low_level::emulate_default_handler(consts::SIGTSTP)
    }
}

#[cfg(not(unix))]
pub use other::{survive_file_size_limit, suspend_self};

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the signatures are those of Unix")]
mod other {
    use super::{Signal, Signals, io};

    impl Signals {
        pub fn listen() -> io::Result<Self> {
            Ok(Self())
        }

        pub async fn next(&mut self) -> Signal {
            match tokio::signal::ctrl_c().await {
                Ok(()) => Signal::End(super::INTERRUPT),
                Err(_) => std::future::pending().await,
            }
        }
    }

    /// Does nothing: the system has no such limit.
    pub fn survive_file_size_limit() -> io::Result<()> {
        Ok(())
    }

    /// Does nothing: the system cannot stop processes.
    pub fn suspend_self() -> io::Result<()> {
        Ok(())
    }
}

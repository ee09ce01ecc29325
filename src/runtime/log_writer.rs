//! The log file of `--log`: requests and errors, never an API key.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;

use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry;
use tracing_subscriber::util::SubscriberInitExt;

use crate::sanitize::sanitize;
use crate::secure_fs;

/// Starts to append this program's events to a file, or writes them to stderr for `-`. Events of libraries are left out,
/// because they can contain sent data.
pub fn start(path: &Path) -> io::Result<()> {
    if is_stderr(path) {
        return write_to(io::stderr());
    }
    // A missing folder is a mistyped path.
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        folder.metadata()?;
    }
    write_to(secure_fs::append(path)?)
}

/// Returns `true` for the name of stderr.
pub fn is_stderr(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn write_to(log: impl Write + Send + 'static) -> io::Result<()> {
    let own = Targets::new().with_target(env!("CARGO_PKG_NAME"), Level::DEBUG);
    let written = layer().with_ansi(false).with_writer(Mutex::new(SanitizingWriter(log)));
    registry().with(own).with(written).try_init().map_err(io::Error::other)
}

/// Sanitizes lines, so that the file is safe to show in a terminal.
struct SanitizingWriter<W>(W);

impl<W: Write> Write for SanitizingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let lines: String = text.lines().flat_map(|line| [sanitize(line), "\n".into()]).collect();
        // At once: other runs may append to the same file.
        self.0.write_all(lines.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_lines_are_sanitized() {
        let mut lines = SanitizingWriter(Vec::new());
        lines.write_all("one \x1b]52;c;x\x07\u{202e}\n\x1b[2J two\n".as_bytes()).unwrap();
        assert_eq!(lines.0, "one ␛]52;c;x␇␦\n␛[2J two\n".as_bytes());
    }
}

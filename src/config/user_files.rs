//! Bounded reads of the user's files at startup. A pipe, a device or an oversized file is an error.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Maximum size of a configuration file.
const MAX_FILE_BYTES: u64 = 256 << 10;

/// Reads a text file. Links and `/dev/null` are accepted: managed configurations often use them.
pub fn read_text(path: &Path) -> io::Result<String> {
    read_text_up_to(path, MAX_FILE_BYTES)
}

/// Reads a text file of at most `max_bytes`.
pub fn read_text_up_to(path: &Path, max_bytes: u64) -> io::Result<String> {
    // Opening a pipe would block until it has a writer.
    if blocks_on_open(&path.metadata()?) {
        return Err(io::Error::other("not a regular file"));
    }
    let mut text = String::new();
    let read = File::open(path)?.take(max_bytes.saturating_add(1)).read_to_string(&mut text)?;
    if u64::try_from(read).is_ok_and(|read| read <= max_bytes) {
        return Ok(text);
    }
    Err(io::Error::other(format!("larger than {} kB", max_bytes >> 10)))
}

#[cfg(unix)]
fn blocks_on_open(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let file_type = metadata.file_type();
    file_type.is_fifo() || file_type.is_socket()
}

#[cfg(not(unix))]
fn blocks_on_open(_: &Metadata) -> bool {
    false
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn pipes_and_oversized_files_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let [pipe, link, long] = ["pipe", "link", "long"].map(|name| folder.path().join(name));
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        symlink("/dev/zero", &link).unwrap();
        fs::write(&long, "a".repeat(256 << 10)).unwrap();
        let why = |path: &Path| read_text(path).unwrap_err().to_string();
        assert_eq!(why(&pipe), "not a regular file");
        assert_eq!(why(&link), "larger than 256 kB");
        assert_eq!(read_text(&long).unwrap().len(), 256 << 10);
        fs::write(&long, "a".repeat((256 << 10) + 1)).unwrap();
        assert_eq!(why(&long), "larger than 256 kB");
        read_text(folder.path()).unwrap_err();
        assert_eq!(read_text(Path::new("/dev/null")).unwrap(), "");
    }
}

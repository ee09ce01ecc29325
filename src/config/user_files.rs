//! The user's own files, read at the start: none of them can hold the program up.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// A file is not longer. Only one that is none of ours would be.
const MAX_FILE_BYTES: u64 = 256 << 10;

/// What is in a file. It may be a link, or `/dev/null`, as settings that others manage often are.
pub fn read_text(path: &Path) -> io::Result<String> {
    read_text_up_to(path, MAX_FILE_BYTES)
}

/// The same of a file that may have so many bytes.
pub fn read_text_up_to(path: &Path, most: u64) -> io::Result<String> {
    // Opening a pipe waits until somebody writes to it.
    if blocks_on_open(&path.metadata()?) {
        return Err(io::Error::other("it is not a plain file"));
    }
    let mut text = String::new();
    let read = File::open(path)?.take(most.saturating_add(1)).read_to_string(&mut text)?;
    if u64::try_from(read).is_ok_and(|read| read <= most) {
        return Ok(text);
    }
    Err(io::Error::other(format!("it has more than {} kB", most >> 10)))
}

#[cfg(unix)]
fn blocks_on_open(about: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    about.file_type().is_fifo() || about.file_type().is_socket()
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
    fn what_is_no_file_of_the_users_is_neither_waited_for_nor_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let [pipe, link, long] = ["pipe", "link", "long"].map(|name| folder.path().join(name));
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        symlink("/dev/zero", &link).unwrap();
        fs::write(&long, "a".repeat(256 << 10)).unwrap();
        let why = |path: &Path| read_text(path).unwrap_err().to_string();
        assert_eq!(why(&pipe), "it is not a plain file");
        assert_eq!(why(&link), "it has more than 256 kB");
        assert_eq!(read_text(&long).unwrap().len(), 256 << 10);
        fs::write(&long, "a".repeat((256 << 10) + 1)).unwrap();
        assert_eq!(why(&long), "it has more than 256 kB");
        read_text(folder.path()).unwrap_err();
        assert_eq!(read_text(Path::new("/dev/null")).unwrap(), "");
    }
}

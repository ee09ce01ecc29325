//! Bounded reads, atomic writes, and files and directories that only the user can access.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use tempfile::Builder;

/// Prefix of the name of an unfinished file of [`write_atomically`].
pub const TEMP_PREFIX: &str = ".new-";

/// Settings that are linked to it are empty.
const NULL_DEVICE: &str = "/dev/null";

/// Reads a text file of at most `max_bytes` in a folder of the user's settings.
///
/// Links are followed, because managed settings are often links, or even `/dev/null`. Anything else
/// that is not a regular file is refused: opening a pipe can block forever, and reading a terminal
/// takes the user's keys.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    let file = path.canonicalize()?;
    if file == Path::new(NULL_DEVICE) {
        return Ok(String::new());
    }
    read_to_string(open(&file)?, max_bytes)
}

/// Reads a text file of at most `max_bytes` in a folder that another user may have prepared: links,
/// anything but a regular file, and files of other users are refused.
pub fn read_own_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    let file = open(path)?;
    if !is_own(&file.metadata()?) {
        return Err(io::Error::new(ErrorKind::PermissionDenied, "belongs to another user"));
    }
    read_to_string(file, max_bytes)
}

/// Reads the first bytes of a text file that another user may have prepared, as [`read_own_text`] does.
pub fn read_own_head(path: &Path, max_bytes: u64) -> io::Result<String> {
    let file = open(path)?;
    if !is_own(&file.metadata()?) {
        return Err(io::Error::new(ErrorKind::PermissionDenied, "belongs to another user"));
    }
    let mut head = Vec::new();
    file.take(max_bytes).read_to_end(&mut head)?;
    Ok(String::from_utf8_lossy(&head).into_owned())
}

pub fn read_to_string(reader: impl Read, max_bytes: u64) -> io::Result<String> {
    String::from_utf8(read_to_end(reader, max_bytes)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "not UTF-8 text"))
}

/// Reads at most `max_bytes` to the end of `reader`. More is [`ErrorKind::FileTooLarge`].
pub fn read_to_end(reader: impl Read, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|len| len <= max_bytes) {
        return Ok(bytes);
    }
    let limit = match max_bytes >> 20 {
        0 => format!("{} kB", max_bytes >> 10),
        megabytes => format!("{megabytes} MB"),
    };
    Err(io::Error::new(ErrorKind::FileTooLarge, format!("larger than {limit}")))
}

/// Replaces the file at `path` with a new one, written by `write`.
///
/// The new file is readable by the user only and gets its name when it is complete, so readers see
/// either the old or the new contents. A link at `path` is replaced, not followed.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let folder = path.parent().ok_or(ErrorKind::InvalidInput)?;
    let mut file = Builder::new().prefix(TEMP_PREFIX).tempfile_in(folder)?;
    write(file.as_file_mut())?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// Returns the path of the file that `path` links to, or `path` itself: managed settings are often links.
pub fn link_target(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Opens a file for appending, creating it and its directory if needed.
///
/// Links and anything but a regular file are refused: in a shared directory, anyone could put a
/// link there that leads elsewhere.
pub fn append(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_dir_all(folder)?;
    }
    open_regular_file(OpenOptions::new().create(true).append(true), path)
}

/// Opens a regular file for reading; links are refused.
pub fn open(path: &Path) -> io::Result<File> {
    open_regular_file(OpenOptions::new().read(true), path)
}

/// Creates a file for writing; fails if `path` exists.
pub fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    set_private_flags(&mut options);
    options.open(path)
}

fn open_regular_file(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let not_a_regular_file = || io::Error::other("not a regular file");
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() => {
            return Err(io::Error::other("symbolic links are not followed"));
        }
        // Opening a device can already do something.
        Ok(metadata) if !metadata.is_file() => return Err(not_a_regular_file()),
        _ => {}
    }
    set_private_flags(options);
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(not_a_regular_file());
    }
    Ok(file)
}

/// Creates a directory and its parents with access for the user only, and takes away the access
/// that others have to an existing one. Fails if that is impossible, or if the directory or its
/// parent is a link.
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    create_dir_all(path)?;
    if has_no_symlinks(path) {
        make_private(path)?;
    }
    if !is_private_dir(path) {
        return Err(io::Error::other("a link, or a directory that others can access"));
    }
    Ok(())
}

/// Returns `true` if `path` is a directory that only the user can access, and neither it nor its parent
/// is a link.
pub fn is_private_dir(path: &Path) -> bool {
    has_no_symlinks(path) && is_private(path)
}

fn has_no_symlinks(path: &Path) -> bool {
    let is_dir = |path: &Path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    is_dir(path) && path.parent().is_some_and(is_dir)
}

/// Creates a directory and its parents with access for the user only.
pub fn create_dir_all(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(unix)]
fn set_private_flags(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    // Without NONBLOCK, opening a pipe waits until another process opens its other end.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    options.mode(0o600).custom_flags(flags.bits().cast_signed());
}

/// Returns `true` if a file or a folder belongs to the user of this process.
#[cfg(unix)]
pub fn is_own(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(unix)]
fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let others = |metadata: Metadata| metadata.permissions().mode() & 0o077;
    path.symlink_metadata().is_ok_and(|metadata| others(metadata) == 0)
}

/// Removes access for others, which only the owner can do.
#[cfg(unix)]
fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if is_private(path) {
        return Ok(());
    }
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o700))
}

#[cfg(not(unix))]
fn set_private_flags(_: &mut OpenOptions) {}

#[cfg(not(unix))]
pub fn is_own(_: &Metadata) -> bool {
    true
}

#[cfg(not(unix))]
fn is_private(_: &Path) -> bool {
    true
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
fn make_private(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn created_files_and_directories_are_private() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/b/file");
        for line in ["one\n", "two\n"] {
            append(&file).unwrap().write_all(line.as_bytes()).unwrap();
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "one\ntwo\n");
        assert_eq!(mode(&file), 0o600);
        assert_eq!(
            (mode(&folder.path().join("a")), mode(&folder.path().join("a/b"))),
            (0o700, 0o700)
        );
    }

    #[test]
    fn append_refuses_links_and_special_files() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        let link = folder.path().join("link");
        fs::write(&target, "before").unwrap();
        symlink(&target, &link).unwrap();
        assert!(append(&link).unwrap_err().to_string().contains("link"));
        let missing = folder.path().join("missing");
        let dangling = folder.path().join("dangling");
        symlink(&missing, &dangling).unwrap();
        append(&dangling).unwrap_err();
        assert!(!missing.exists());
        assert_eq!(fs::read_to_string(&target).unwrap(), "before");
        let socket = folder.path().join("socket");
        let _listening = UnixListener::bind(&socket).unwrap();
        append(&socket).unwrap_err();
        append(folder.path()).unwrap_err();
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        append(&pipe).unwrap_err();
    }

    #[test]
    fn read_text_is_bounded_and_never_blocks() {
        let folder = tempfile::tempdir().unwrap();
        let [pipe, link, long] = ["pipe", "link", "long"].map(|name| folder.path().join(name));
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        symlink("/dev/zero", &link).unwrap();
        let max_bytes = 256 << 10;
        let read = |path: &Path| read_text(path, max_bytes).map_err(|error| error.to_string());
        assert_eq!(read(&pipe).unwrap_err(), "not a regular file");
        assert_eq!(read(&link).unwrap_err(), "not a regular file");
        fs::write(&long, "a".repeat(256 << 10)).unwrap();
        assert_eq!(read(&long).unwrap().len(), 256 << 10);
        fs::write(&long, "a".repeat((256 << 10) + 1)).unwrap();
        assert_eq!(read(&long).unwrap_err(), "larger than 256 kB");
        fs::write(&long, b"\xff").unwrap();
        assert_eq!(read(&long).unwrap_err(), "not UTF-8 text");
        read(folder.path()).unwrap_err();
        assert_eq!(read(Path::new("/dev/null")).unwrap(), "");
    }
}

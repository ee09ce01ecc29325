//! Files of the program's own: nobody else reads them, and nobody else says where they are.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file to add to its end, and makes it and its folder if need be. What is no plain file is
/// refused, and so is a link: in a shared folder anybody could put one there that leads elsewhere.
pub fn append(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    set_private_flags(&mut options);
    let file = match options.open(path) {
        Err(_) if path.is_symlink() => {
            return Err(io::Error::other("it is a link, and links are not written through"));
        }
        opened => opened?,
    };
    require_regular_file(file)
}

fn require_regular_file(file: File) -> io::Result<File> {
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a plain file"));
    }
    Ok(file)
}

/// Opens a plain file to read it; never through a link.
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    set_private_flags(&mut options);
    require_regular_file(options.open(path)?)
}

/// Makes a file to write to; one that is there already stays as it is.
pub fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    set_private_flags(&mut options);
    options.open(path)
}

/// Makes a folder and the one above it for the user alone, and takes what is there for it only if
/// nobody else has a say in it.
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    create_dir_all(path)?;
    if has_no_symlinks(path) {
        make_private(path)?;
    }
    if !is_private_dir(path) {
        return Err(io::Error::other("it is a link, or others have a say in it"));
    }
    Ok(())
}

/// Whether this is a folder that is the user's alone, and neither it nor the one above it a link.
pub fn is_private_dir(path: &Path) -> bool {
    has_no_symlinks(path) && is_private(path)
}

/// Whether this and what is above it are folders themselves.
fn has_no_symlinks(path: &Path) -> bool {
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|about| about.is_dir());
    is_folder(path) && path.parent().is_some_and(is_folder)
}

/// Makes a folder, and those above it, for the user alone.
pub fn create_dir_all(path: &Path) -> io::Result<()> {
    let mut folder = DirBuilder::new();
    folder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder.create(path)
}

#[cfg(unix)]
fn set_private_flags(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    // A pipe that nobody reads from would be waited for.
    options.mode(0o600).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
}

#[cfg(unix)]
fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let others = |about: std::fs::Metadata| about.permissions().mode() & 0o077;
    path.symlink_metadata().is_ok_and(|about| others(about) == 0)
}

/// Only its owner can do that.
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
fn is_private(_: &Path) -> bool {
    true
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
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
    fn what_is_made_is_the_users_alone() {
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
    fn a_link_or_what_is_no_file_is_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let (there, link) = (folder.path().join("there"), folder.path().join("link"));
        fs::write(&there, "as it was").unwrap();
        symlink(&there, &link).unwrap();
        assert!(append(&link).unwrap_err().to_string().contains("link"));
        let nowhere = folder.path().join("nowhere");
        let dangling = folder.path().join("dangling");
        symlink(&nowhere, &dangling).unwrap();
        append(&dangling).unwrap_err();
        assert!(!nowhere.exists());
        assert_eq!(fs::read_to_string(&there).unwrap(), "as it was");
        let socket = folder.path().join("socket");
        let _listening = UnixListener::bind(&socket).unwrap();
        append(&socket).unwrap_err();
        append(folder.path()).unwrap_err();
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        append(&pipe).unwrap_err();
    }
}

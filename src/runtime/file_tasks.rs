//! Exports, the user's signatures and the user's ABI files.

use std::env;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use etcetera::home_dir;
use tempfile::NamedTempFile;
use tokio::task::spawn_blocking;

use super::Outbox;
use crate::abi::{SignatureDb, abi_dir};
use crate::app_message::Msg;
use crate::config;
use crate::messages::system::{self, FileOutcome, UserFileProblem};
use crate::sanitize::SafeText;
use crate::secure_fs;

const LINES_PER_STEP: usize = 5_000;

/// Writes lines to a new file. An existing file is never overwritten.
///
/// The file gets its name when it is complete, and is removed if the future is dropped before.
pub(super) async fn save(path: PathBuf, lines: Vec<String>, what: SafeText, outbox: Outbox) {
    let saved = write_new_file(&path, lines, &outbox)
        .await
        .map(|path| {
            let path = &path.display().to_string();
            FileOutcome::Written { path, what: &what }.into()
        })
        .map_err(|error| {
            let path = &path.display().to_string();
            FileOutcome::NotWritten { path, why: &describe_error(&error) }.into()
        });
    outbox.send(Msg::Saved(saved));
}

/// Appends a signature to the user's file, and reports only an error.
pub(super) async fn append_signature(signature: SafeText, outbox: Outbox) {
    let Some(path) = config::signatures_file() else { return };
    let appended = spawn_blocking({
        let path = path.clone();
        move || append_line(&path, &signature)
    });
    if let Err(error) = appended.await.unwrap_or_else(|error| Err(io::Error::other(error))) {
        let (path, why) = (&path.display().to_string(), &describe_error(&error));
        let problem = UserFileProblem::SignatureNotSaved { path, why };
        outbox.send(Msg::Saved(Err(problem.into())));
    }
}

/// Appends a line to a file of the user, or to the file that it links to: managed settings are often
/// links. A last line without an end is ended first.
fn append_line(path: &Path, line: &str) -> io::Result<()> {
    let path = secure_fs::link_target(path);
    let mut out = secure_fs::append(&path)?;
    let start = if ends_within_line(&mut secure_fs::open(&path)?)? { "\n" } else { "" };
    // At once, so that no other program writes into it.
    out.write_all([start, line, "\n"].concat().as_bytes())
}

fn ends_within_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

pub(super) async fn load_abis(outbox: Outbox) {
    let Some(folder) = config::abi_dir() else { return };
    let load = move || {
        let mut book = Box::new(SignatureDb::default());
        let problems = abi_dir::load(&mut book, &folder);
        Msg::AbisLoaded { abis: book, problems }
    };
    if let Ok(msg) = spawn_blocking(load).await {
        outbox.send(msg);
    }
}

fn describe_error(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AlreadyExists => system::FILE_EXISTS.into(),
        io::ErrorKind::NotFound => system::NO_FOLDER.into(),
        io::ErrorKind::PermissionDenied => system::PERMISSION_DENIED.into(),
        _ => error.to_string(),
    }
}

/// Makes a path absolute. `~/` is the home directory, as in a shell.
fn expand_path(path: &Path) -> io::Result<PathBuf> {
    match path.strip_prefix("~") {
        Ok(rest) => Ok(home_dir().map_err(io::Error::other)?.join(rest)),
        Err(_) => Ok(env::current_dir()?.join(path)),
    }
}

async fn write_new_file(path: &Path, lines: Vec<String>, outbox: &Outbox) -> io::Result<PathBuf> {
    let path = expand_path(path)?;
    let folder = path.parent().unwrap_or(&path);
    let file = write_lines(NamedTempFile::new_in(folder)?, lines, outbox).await?;
    file.persist_noclobber(&path).map_err(|e| e.error)?;
    Ok(path)
}

pub(super) async fn write_lines<F: Write + Send + 'static>(
    mut file: F,
    lines: Vec<String>,
    outbox: &Outbox,
) -> io::Result<F> {
    let total = lines.len();
    let mut lines = lines.into_iter();
    let mut done = 0;
    while done < total {
        let step: Vec<String> = lines.by_ref().take(LINES_PER_STEP).collect();
        done += step.len();
        file = spawn_blocking(move || append_lines(file, &step)).await??;
        outbox.send(Msg::SaveProgress { written: done, total });
    }
    Ok(file)
}

fn append_lines<F: Write>(mut file: F, lines: &[String]) -> io::Result<F> {
    let mut out = BufWriter::new(&mut file);
    for line in lines {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    drop(out);
    Ok(file)
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::runtime::RuntimeEvent;

    fn lines(n: usize) -> Vec<String> {
        (0..n).map(|n| format!("line {n}")).collect()
    }

    async fn saved(path: PathBuf, n: usize) -> Result<SafeText, SafeText> {
        let (outbox, mut inbox) = unbounded_channel();
        save(path, lines(n), "all".into(), Outbox(outbox)).await;
        let mut last = None;
        while let Some(RuntimeEvent::Msg(msg)) = inbox.recv().await {
            last = Some(msg);
        }
        match last {
            Some(Msg::Saved(result)) => result,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn saved_file_is_complete_and_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        assert!(saved(path.clone(), 12_001).await.unwrap().starts_with("wrote /"));
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 12_001);
        let exists = format!("{}: the file exists", path.display());
        assert_eq!(*saved(path.clone(), 1).await.unwrap_err(), *exists);
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 12_001);
        let missing = folder.path().join("no such folder").join("rows.csv");
        assert!(saved(missing, 1).await.is_err());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn link_at_the_path_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = folder.path().join("elsewhere");
        let path = folder.path().join("rows.csv");
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert!(saved(path.clone(), 1).await.unwrap_err().contains("the file exists"));
        assert!(!elsewhere.exists() && path.is_symlink());
    }

    #[test]
    fn appended_line_stands_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signatures.txt");
        for (before, after) in [
            ("", "bar()\n"),
            ("foo()\n", "foo()\nbar()\n"),
            ("foo()\r\nmine()", "foo()\r\nmine()\nbar()\n"),
        ] {
            std::fs::write(&path, before).unwrap();
            append_line(&path, "bar()").unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), after);
        }
    }

    #[cfg(unix)]
    #[test]
    fn line_is_appended_to_the_file_behind_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["managed", "signatures.txt"].map(|name| folder.path().join(name));
        std::fs::write(&file, "foo()\n").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        append_line(&link, "bar()").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "foo()\nbar()\n");
    }

    #[test]
    fn cancelled_save_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        // On a single thread nothing runs between the first update and the abort.
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (outbox, mut inbox) = unbounded_channel();
            let writing = tokio::spawn(save(path, lines(2_000_000), "all".into(), Outbox(outbox)));
            assert!(matches!(
                inbox.recv().await,
                Some(RuntimeEvent::Msg(Msg::SaveProgress { .. }))
            ));
            writing.abort();
            assert!(writing.await.unwrap_err().is_cancelled());
        });
        drop(runtime); // waits for the current step
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

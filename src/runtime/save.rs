//! Files that the user asked for.

use std::env;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use etcetera::home_dir;
use tempfile::NamedTempFile;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::RuntimeEvent;
use crate::abi::{SignatureDb, abi_dir};
use crate::config;
use crate::msg::Msg;
use crate::sanitize::SafeText;
use crate::secure_fs;

/// Lines between two words about how far it is.
const LINES_PER_STEP: usize = 5_000;

/// Writes lines to a new file, which is there whole or not at all: it gets its name at the end, and
/// what is written of it goes when this future is dropped before. A file that is there already is never written over.
pub(super) async fn save(
    path: PathBuf,
    lines: Vec<String>,
    what: SafeText,
    outbox: UnboundedSender<RuntimeEvent>,
) {
    let saved = write_new_file(&path, lines, &outbox).await;
    let saved = saved.map(|path| SafeText::new(&format!("wrote {} ({what})", path.display())));
    let saved = saved.map_err(|error| {
        SafeText::new(&format!("{} ({})", describe_error(&error), path.display()))
    });
    send(&outbox, Msg::Saved(saved));
}

/// Adds a signature to the user's file of them. Only a failure is told.
pub(super) async fn append_signature(signature: SafeText, outbox: UnboundedSender<RuntimeEvent>) {
    let Some(path) = config::signatures_file() else { return };
    let kept = spawn_blocking({
        let path = path.clone();
        move || append_line(&path, &signature)
    });
    let error = match kept.await {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error,
        Err(error) => io::Error::other(error),
    };
    let words = format!(
        "the signature is known until the end only: {} ({})",
        describe_error(&error),
        path.display()
    );
    send(&outbox, Msg::Saved(Err(SafeText::new(&words))));
}

fn append_line(path: &Path, line: &str) -> io::Result<()> {
    writeln!(secure_fs::append(path)?, "{line}")
}

/// Reads the user's ABI files, and says what is wrong with those that cannot be used.
pub(super) async fn load_abis(outbox: UnboundedSender<RuntimeEvent>) {
    let Some(folder) = config::abi_dir() else { return };
    let read = spawn_blocking(move || {
        let mut book = SignatureDb::default();
        let problems = abi_dir::load(&mut book, &folder);
        (book, problems)
    });
    if let Ok((book, problems)) = read.await {
        send(&outbox, Msg::AbisLoaded { book: Box::new(book), problems });
    }
}

/// What is wrong, in words for the person who gave the name.
fn describe_error(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AlreadyExists => "a file of that name is there already".into(),
        io::ErrorKind::NotFound => "there is no such folder".into(),
        io::ErrorKind::PermissionDenied => "no permission to write there".into(),
        _ => error.to_string(),
    }
}

/// `~/` is the user's own folder, as in a shell.
fn expand_path(path: &Path) -> io::Result<PathBuf> {
    match path.strip_prefix("~") {
        Ok(rest) => Ok(home_dir().map_err(io::Error::other)?.join(rest)),
        Err(_) => Ok(env::current_dir()?.join(path)),
    }
}

async fn write_new_file(
    path: &Path,
    lines: Vec<String>,
    outbox: &UnboundedSender<RuntimeEvent>,
) -> io::Result<PathBuf> {
    let path = expand_path(path)?;
    let folder = path.parent().unwrap_or(&path);
    let file = write_lines(NamedTempFile::new_in(folder)?, lines, outbox).await?;
    file.persist_noclobber(&path).map_err(|e| e.error)?;
    Ok(path)
}

/// Writes lines into a file step by step, and tells how far it is.
pub(super) async fn write_lines<F: Write + Send + 'static>(
    mut file: F,
    lines: Vec<String>,
    outbox: &UnboundedSender<RuntimeEvent>,
) -> io::Result<F> {
    let all = lines.len();
    let mut lines = lines.into_iter();
    let mut done = 0;
    while done < all {
        let step: Vec<String> = lines.by_ref().take(LINES_PER_STEP).collect();
        done += step.len();
        file = spawn_blocking(move || append_lines(file, &step)).await??;
        send(outbox, Msg::SaveProgress(done, all));
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

/// The loop may be gone already; then nobody waits for the word.
fn send(outbox: &UnboundedSender<RuntimeEvent>, msg: Msg) {
    let _ = outbox.send(RuntimeEvent::Msg(msg));
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    fn lines(n: usize) -> Vec<String> {
        (0..n).map(|n| format!("line {n}")).collect()
    }

    async fn outcome(path: PathBuf, n: usize) -> Result<SafeText, SafeText> {
        let (outbox, mut inbox) = unbounded_channel();
        save(path, lines(n), "all".into(), outbox).await;
        let mut last = None;
        while let Some(RuntimeEvent::Msg(msg)) = inbox.recv().await {
            last = Some(msg);
        }
        match last {
            Some(Msg::Saved(outcome)) => outcome,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_file_is_there_whole_and_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        assert!(outcome(path.clone(), 12_001).await.unwrap().starts_with("wrote /"));
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 12_001);
        assert!(outcome(path.clone(), 1).await.unwrap_err().contains("there already"));
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 12_001);
        let nowhere = folder.path().join("no such folder").join("rows.csv");
        assert!(outcome(nowhere, 1).await.is_err());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_link_in_the_way_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (elsewhere, path) = (folder.path().join("elsewhere"), folder.path().join("rows.csv"));
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert!(outcome(path.clone(), 1).await.unwrap_err().contains("there already"));
        assert!(!elsewhere.exists() && path.is_symlink());
    }

    #[test]
    fn what_is_stopped_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        // On one thread nothing goes on between the first word and the end.
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (outbox, mut inbox) = unbounded_channel();
            let writing = tokio::spawn(save(path, lines(2_000_000), "all".into(), outbox));
            assert!(matches!(inbox.recv().await, Some(RuntimeEvent::Msg(Msg::SaveProgress(..)))));
            writing.abort();
            assert!(writing.await.unwrap_err().is_cancelled());
        });
        drop(runtime); // waits for the step that was under way
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

//! Another program that has the terminal for a while: the user's pager, or editor.

use std::env;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use tempfile::TempDir;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use super::termios::TermiosGuard;
use super::{RuntimeEvent, save};
use crate::msg::{ExternalTool, Msg};
use crate::sanitize::{SafeText, sanitize};
use crate::secure_fs;

/// How long it has to end when this program must.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

/// A file to be shown, in a folder that nobody else can look into. Both go when this is dropped.
#[derive(Debug)]
pub(super) struct TempDocument {
    viewer: ExternalTool,
    path: PathBuf,
    _folder: TempDir,
}

/// The other program while it has the terminal.
#[derive(Debug)]
pub(super) struct ExternalProgram {
    name: String,
    id: u32,
    exit: JoinHandle<io::Result<ExitStatus>>,
    _termios: TermiosGuard,
    _document: TempDocument,
}

/// Writes lines to a file of their own; then it is to be shown. What is written of it goes when this
/// future is dropped before.
pub(super) async fn write_document(
    viewer: ExternalTool,
    name: String,
    lines: Vec<String>,
    outbox: UnboundedSender<RuntimeEvent>,
) {
    let sheet = match temp_document(viewer, &name, lines, &outbox).await {
        Ok(sheet) => RuntimeEvent::ShowDocument(sheet),
        Err(error) => RuntimeEvent::Msg(Msg::ViewerClosed(Err(SafeText::new(&error.to_string())))),
    };
    // The loop may be gone already; then nobody waits for it.
    let _ = outbox.send(sheet);
}

async fn temp_document(
    viewer: ExternalTool,
    name: &str,
    lines: Vec<String>,
    outbox: &UnboundedSender<RuntimeEvent>,
) -> io::Result<TempDocument> {
    let folder = private_temp_dir()?;
    let path = folder.path().join(name);
    let file = secure_fs::create(&path)?;
    // Whoever made the lines cleaned them; a pager is a terminal, so nothing rests on that.
    let cleaned = move || lines.iter().map(|line| sanitize(line).into_owned()).collect();
    let lines = spawn_blocking(cleaned).await?;
    save::write_lines(file, lines, outbox).await?;
    Ok(TempDocument { viewer, path, _folder: folder })
}

/// A folder that is the user's alone.
fn private_temp_dir() -> io::Result<TempDir> {
    let mut folder = tempfile::Builder::new();
    folder.prefix("chainglass-");
    #[cfg(unix)]
    folder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    folder.tempdir()
}

impl ExternalProgram {
    /// Starts the program that the user wants a file shown in. It has the same process group, so that
    /// what the keyboard sends goes to it, and the shell stops and continues both together.
    pub(super) fn start(sheet: TempDocument) -> Result<Self, SafeText> {
        let words = candidate_commands(sheet.viewer, |name| env::var_os(name))
            .map_err(|why| SafeText::new(&why))?;
        let line = TermiosGuard::save();
        for (n, program) in words.iter().enumerate() {
            match spawn(program, &sheet) {
                Err(error) if error.kind() == ErrorKind::NotFound && n + 1 < words.len() => {}
                Err(error) => {
                    let name = program.first().map_or("", String::as_str);
                    return Err(SafeText::new(&format!("{name} did not start: {error}")));
                }
                Ok(mut child) => {
                    let (name, id) = (program.join(" "), child.id());
                    let ended = spawn_blocking(move || child.wait());
                    return Ok(Self { name, id, exit: ended, _termios: line, _document: sheet });
                }
            }
        }
        Err("there is no program to show it in".into())
    }

    /// Waits for its end; the error says that it was not a good one.
    pub(super) async fn wait(&mut self) -> Result<(), SafeText> {
        match (&mut self.exit).await {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(SafeText::new(&format!("{} ended with {status}", self.name))),
            Ok(Err(error)) => Err(SafeText::new(&format!("{}: {error}", self.name))),
            Err(error) => Err(SafeText::new(&format!("{}: {error}", self.name))),
        }
    }

    /// Asks it to end, so that it puts the terminal back itself.
    pub(super) async fn terminate(&mut self) {
        if !self.exit.is_finished() {
            terminate(self.id);
            // Nothing more can be done about one that does not.
            let _ = timeout(EXIT_TIMEOUT, &mut self.exit).await;
        }
    }
}

fn spawn(program: &[String], sheet: &TempDocument) -> io::Result<Child> {
    let (name, args) = program.split_first().ok_or(ErrorKind::InvalidInput)?;
    Command::new(name).args(args).arg(&sheet.path).spawn()
}

#[cfg(unix)]
fn terminate(id: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = i32::try_from(id).ok().and_then(Pid::from_raw);
    // It may have ended by now.
    let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
}

/// It is told by the system, with this program.
#[cfg(not(unix))]
fn terminate(_: u32) {}

/// The programs that may be meant, the first that there is counts. Words are split as a shell splits
/// them, and nothing else in them is acted on.
fn candidate_commands(
    viewer: ExternalTool,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Vec<Vec<String>>, String> {
    let (names, usual): (&[&str], &[&str]) = match viewer {
        ExternalTool::Pager if cfg!(windows) => (&["PAGER"], &["more"]),
        ExternalTool::Pager => (&["PAGER"], &["less -RS", "more"]),
        ExternalTool::Editor if cfg!(windows) => (&["VISUAL", "EDITOR"], &["notepad"]),
        ExternalTool::Editor => (&["VISUAL", "EDITOR"], &["vi"]),
    };
    let set = names.iter().find_map(|name| {
        let value = variable(name)?.to_string_lossy().into_owned();
        (!value.trim().is_empty()).then_some((*name, value))
    });
    let Some((name, value)) = set else {
        return Ok(usual.iter().map(|u| u.split(' ').map(str::to_owned).collect()).collect());
    };
    let split = shell_words::split(&value);
    split.map(|words| vec![words]).map_err(|_| format!("${name} has a quote without its other"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(viewer: ExternalTool, set: &[(&str, &str)]) -> Result<Vec<Vec<String>>, String> {
        candidate_commands(viewer, |name| {
            set.iter().find(|(n, _)| *n == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_variables_are_split_as_a_shell_does() {
        let pager = |value| meant(ExternalTool::Pager, &[("PAGER", value)]).map(|all| all.concat());
        assert_eq!(pager("less -S"), Ok(vec!["less".into(), "-S".into()]));
        assert_eq!(pager("'my pager' -x\\ y"), Ok(vec!["my pager".into(), "-x y".into()]));
        assert_eq!(pager("a;rm $HOME"), Ok(vec!["a;rm".into(), "$HOME".into()]), "by no shell");
        assert!(pager("less '").unwrap_err().contains("$PAGER"));
        let editor = [("EDITOR", "vi"), ("VISUAL", "emacs -nw")];
        assert_eq!(meant(ExternalTool::Editor, &editor).unwrap(), [["emacs", "-nw"]]);
        assert_eq!(
            meant(ExternalTool::Editor, &[("EDITOR", "nano"), ("VISUAL", " ")]).unwrap(),
            [["nano"]]
        );
    }

    #[cfg(unix)]
    #[test]
    fn without_them_the_usual_ones() {
        let usual = meant(ExternalTool::Pager, &[]).unwrap();
        assert_eq!(usual, [vec!["less".to_owned(), "-RS".into()], vec!["more".into()]]);
        assert_eq!(meant(ExternalTool::Editor, &[("VISUAL", "")]).unwrap(), [["vi"]]);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_sheet_is_the_users_alone_harmless_and_goes() {
        use std::os::unix::fs::PermissionsExt;
        let (outbox, _inbox) = tokio::sync::mpsc::unbounded_channel();
        let lines = vec!["one \x1b[2J".to_owned(), "two".into()];
        let sheet = temp_document(ExternalTool::Pager, "rows.txt", lines, &outbox).await.unwrap();
        let (path, folder) = (sheet.path.clone(), sheet.path.parent().unwrap().to_owned());
        let mode = |path: &PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&folder)), (0o600, 0o700));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one ␛[2J\ntwo\n");
        drop(sheet);
        assert!(!folder.exists());
    }
}

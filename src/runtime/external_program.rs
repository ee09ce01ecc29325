//! Runs the user's pager or editor in the foreground.

use std::env;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use tempfile::TempDir;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use super::{Outbox, RuntimeEvent, file_tasks};
use crate::app_message::{ExternalTool, Msg};
use crate::messages::system::{self, ProgramError};
use crate::sanitize::{SafeText, sanitize};
use crate::secure_fs;

/// Maximum time that the program has to exit when this one must.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

/// A file in a private temporary directory. Dropping it removes both.
#[derive(Debug)]
pub(super) struct TempDocument {
    tool: ExternalTool,
    path: PathBuf,
    _folder: TempDir,
}

#[derive(Debug)]
pub(super) struct ExternalProgram {
    name: String,
    id: u32,
    exit: JoinHandle<io::Result<ExitStatus>>,
    _termios: TermiosGuard,
    _document: TempDocument,
}

/// Writes lines to a temporary document and sends it to the loop. Dropping the future removes the
/// document.
pub(super) async fn write_document(
    tool: ExternalTool,
    name: String,
    lines: Vec<String>,
    outbox: Outbox,
) {
    outbox.send(match temp_document(tool, &name, lines, &outbox).await {
        Ok(document) => RuntimeEvent::ShowDocument(document),
        Err(error) => Msg::ViewerClosed(Err(SafeText::new(&error.to_string()))).into(),
    });
}

async fn temp_document(
    tool: ExternalTool,
    name: &str,
    lines: Vec<String>,
    outbox: &Outbox,
) -> io::Result<TempDocument> {
    let folder = private_temp_dir()?;
    let path = folder.path().join(name);
    let file = secure_fs::create(&path)?;
    // Sanitized again, because a pager writes straight to the terminal.
    let lines =
        spawn_blocking(move || lines.iter().map(|line| sanitize(line).into_owned()).collect())
            .await?;
    file_tasks::write_lines(file, lines, outbox).await?;
    Ok(TempDocument { tool, path, _folder: folder })
}

fn private_temp_dir() -> io::Result<TempDir> {
    let mut folder = tempfile::Builder::new();
    folder.prefix("chainglass-");
    #[cfg(unix)]
    folder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    folder.tempdir()
}

impl ExternalProgram {
    /// Starts the user's program for a document. It shares the process group, so that it receives
    /// the keyboard's signals, and the shell stops and continues both together.
    pub(super) fn start(document: TempDocument) -> Result<Self, SafeText> {
        let commands = candidate_commands(document.tool, |name| env::var_os(name))?;
        let termios = TermiosGuard::save();
        let last = commands.len().saturating_sub(1);
        for (n, command) in commands.iter().enumerate() {
            match spawn(command, &document) {
                Err(error) if error.kind() == ErrorKind::NotFound && n < last => {}
                Err(error) => {
                    let name = command.first().cloned().unwrap_or_default();
                    return Err(ProgramError::NotStarted { name, why: error.to_string() }.into());
                }
                Ok(mut child) => {
                    return Ok(Self {
                        name: command.join(" "),
                        id: child.id(),
                        exit: spawn_blocking(move || child.wait()),
                        _termios: termios,
                        _document: document,
                    });
                }
            }
        }
        Err(system::NO_PROGRAM.into())
    }

    /// Waits for the program, and fails unless it exits successfully.
    pub(super) async fn wait(&mut self) -> Result<(), SafeText> {
        let name = self.name.clone();
        Err(match (&mut self.exit).await.unwrap_or_else(|error| Err(error.into())) {
            Ok(status) if status.success() => return Ok(()),
            Ok(status) => ProgramError::Failed { name, status: status.to_string() },
            Err(error) => ProgramError::NotWaitedFor { name, why: error.to_string() },
        }
        .into())
    }

    /// Requests the program to exit, so that it restores the terminal.
    pub(super) async fn terminate(&mut self) {
        if !self.exit.is_finished() {
            terminate(self.id);
            // Nothing more can be done about a program that does not exit.
            let _ = timeout(EXIT_TIMEOUT, &mut self.exit).await;
        }
    }
}

fn spawn(command: &[String], document: &TempDocument) -> io::Result<Child> {
    let (name, args) = command.split_first().ok_or(ErrorKind::InvalidInput)?;
    Command::new(name).args(args).arg(&document.path).spawn()
}

#[cfg(unix)]
fn terminate(id: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = i32::try_from(id).ok().and_then(Pid::from_raw);
    // Fails if the program has exited meanwhile.
    let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
}

/// Does nothing: the system ends all programs of a console itself.
#[cfg(not(unix))]
fn terminate(_: u32) {}

/// Returns the commands to try, in order. A variable is split into words like a shell does, and
/// nothing in it is expanded.
fn candidate_commands(
    tool: ExternalTool,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Vec<Vec<String>>, ProgramError> {
    let names: &[&'static str] = match tool {
        ExternalTool::Pager => &["PAGER"],
        ExternalTool::Editor => &["VISUAL", "EDITOR"],
    };
    let configured = names.iter().find_map(|name| {
        let value = variable(name)?.to_string_lossy().into_owned();
        (!value.trim().is_empty()).then_some((*name, value))
    });
    if let Some((name, value)) = configured {
        let command = shell_words::split(&value);
        return command
            .map(|command| vec![command])
            .map_err(|_| ProgramError::UnmatchedQuote { variable: name });
    }
    let defaults: &[&str] = match tool {
        ExternalTool::Pager if cfg!(windows) => &["more"],
        ExternalTool::Pager => &["less -RS", "more"],
        ExternalTool::Editor if cfg!(windows) => &["notepad"],
        ExternalTool::Editor => &["vi"],
    };
    Ok(defaults.iter().map(|command| command.split(' ').map(str::to_owned).collect()).collect())
}

/// Saved terminal attributes, restored on drop. An external program may exit without restoring
/// them, and its leftovers would be taken for the attributes from before this program.
#[derive(Debug)]
struct TermiosGuard(#[cfg(unix)] Option<rustix::termios::Termios>);

impl TermiosGuard {
    #[cfg(unix)]
    fn save() -> Self {
        Self(rustix::termios::tcgetattr(std::io::stdin()).ok())
    }

    #[cfg(not(unix))]
    fn save() -> Self {
        Self()
    }
}

#[cfg(unix)]
impl Drop for TermiosGuard {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        if let Some(saved) = &self.0 {
            // Fails if the terminal was closed.
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, saved);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(
        viewer: ExternalTool,
        set: &[(&str, &str)],
    ) -> Result<Vec<Vec<String>>, ProgramError> {
        candidate_commands(viewer, |name| {
            set.iter().find(|(n, _)| *n == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn variables_are_split_like_a_shell_does() {
        let pager =
            |value| commands(ExternalTool::Pager, &[("PAGER", value)]).map(|all| all.concat());
        assert_eq!(pager("less -S"), Ok(vec!["less".into(), "-S".into()]));
        assert_eq!(pager("'my pager' -x\\ y"), Ok(vec!["my pager".into(), "-x y".into()]));
        assert_eq!(
            pager("a;rm $HOME"),
            Ok(vec!["a;rm".into(), "$HOME".into()]),
            "not run by a shell"
        );
        assert!(pager("less '").unwrap_err().to_string().contains("$PAGER"));
        let editor = [("EDITOR", "vi"), ("VISUAL", "emacs -nw")];
        assert_eq!(commands(ExternalTool::Editor, &editor).unwrap(), [["emacs", "-nw"]]);
        assert_eq!(
            commands(ExternalTool::Editor, &[("EDITOR", "nano"), ("VISUAL", " ")]).unwrap(),
            [["nano"]]
        );
    }

    #[cfg(unix)]
    #[test]
    fn default_commands_without_variables() {
        let defaults = commands(ExternalTool::Pager, &[]).unwrap();
        assert_eq!(defaults, [vec!["less".to_owned(), "-RS".into()], vec!["more".into()]]);
        assert_eq!(commands(ExternalTool::Editor, &[("VISUAL", "")]).unwrap(), [["vi"]]);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn document_is_private_sanitized_and_removed() {
        use std::os::unix::fs::PermissionsExt;
        let (sender, _inbox) = tokio::sync::mpsc::unbounded_channel();
        let outbox = Outbox(sender);
        let lines = vec!["one \x1b[2J".to_owned(), "two".into()];
        let document =
            temp_document(ExternalTool::Pager, "rows.txt", lines, &outbox).await.unwrap();
        let (path, folder) = (document.path.clone(), document.path.parent().unwrap().to_owned());
        let mode = |path: &PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&folder)), (0o600, 0o700));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one ␛[2J\ntwo\n");
        drop(document);
        assert!(!folder.exists());
    }
}

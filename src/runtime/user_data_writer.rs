//! Files of the user's that several programs may change, each time from what is in them: labels, and
//! the places that were visited lately.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use tempfile::Builder;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinHandle, spawn, spawn_blocking};
use tokio::time::timeout;

use super::Parcel;
use crate::config;
use crate::msg::Msg;
use crate::sanitize::Text;
use crate::secure_fs;
use crate::user_data::labels::{self, Change, Labels};
use crate::user_data::recents::{Step, Visits};

/// A file is not longer.
const MOST: u64 = 1 << 20;
/// What must be held while a file of the folder is changed.
const LOCK: &str = ".lock";
/// How the name of a file begins that is being written.
const UNFINISHED: &str = ".new-";
/// How long the last changes may take when the program ends.
const GRACE: Duration = Duration::from_secs(2);

/// Something to be done to the files, one after the other.
#[derive(Debug)]
enum Job {
    ReadLabels(String),
    Label(String, Change),
    ReadVisits(String),
    Visit(String, Step),
}

/// Carries out what is to be done to the files, in its order.
#[derive(Debug)]
pub(super) struct Keeper {
    jobs: UnboundedSender<Job>,
    working: JoinHandle<()>,
}

impl Keeper {
    pub(super) fn new(outbox: UnboundedSender<Parcel>) -> Self {
        let (jobs, inbox) = unbounded_channel();
        Self { jobs, working: spawn(work(inbox, outbox)) }
    }

    pub(super) fn read_labels(&self, key: String) {
        self.give(Job::ReadLabels(key));
    }

    pub(super) fn label(&self, key: String, change: Change) {
        self.give(Job::Label(key, change));
    }

    pub(super) fn read_visits(&self, key: String) {
        self.give(Job::ReadVisits(key));
    }

    pub(super) fn visit(&self, key: String, step: Step) {
        self.give(Job::Visit(key, step));
    }

    fn give(&self, job: Job) {
        // It works for as long as it can be given anything.
        let _ = self.jobs.send(job);
    }

    /// Waits until all is done: what was changed just before the end is kept too.
    pub(super) async fn finish(self) {
        drop(self.jobs);
        // A file that cannot be written in that time must not keep the user here.
        let _ = timeout(GRACE, self.working).await;
    }
}

async fn work(mut jobs: UnboundedReceiver<Job>, outbox: UnboundedSender<Parcel>) {
    while let Some(job) = jobs.recv().await {
        let Ok(Some(msg)) = spawn_blocking(|| job.done()).await else { continue };
        // The loop may be gone already; then nobody waits for the word.
        let _ = outbox.send(Parcel::Msg(msg));
    }
}

impl Job {
    fn done(self) -> Option<Msg> {
        Some(match self {
            Self::ReadLabels(key) => {
                let labels = labels(&key);
                Msg::Labels { labels: labels.map(Box::new), key }
            }
            Self::Label(key, change) => {
                let labels = relabel(&key, &change);
                Msg::Labels { labels: labels.map(Box::new), key }
            }
            Self::ReadVisits(key) => Msg::Visits { visits: visits(&key), key },
            Self::Visit(key, step) => {
                let why = note(&key, step).err()?;
                Msg::Visits { visits: Err(why), key }
            }
        })
    }
}

/// The user's labels of a chain; none where there is no file.
pub fn labels(key: &str) -> Result<Labels, Text> {
    let Some(folder) = config::labels() else { return Ok(Labels::default()) };
    let path = folder.join(file_of_labels(key));
    read(&path).map(|text| Labels::read(&text)).map_err(|e| about(&path, &e))
}

fn relabel(key: &str, change: &Change) -> Result<Labels, Text> {
    let folder = config::labels().ok_or("there is no folder for settings")?;
    let revise = |text: &str| labels::revised(text, change);
    revise_file(&folder, &file_of_labels(key), revise).map(|text| Labels::read(&text))
}

fn file_of_labels(key: &str) -> String {
    format!("{key}.csv")
}

fn visits(key: &str) -> Result<Visits, Text> {
    let Some(folder) = config::visits() else { return Ok(Visits::default()) };
    let path = folder.join(key);
    read(&path).map(|text| Visits::read(&text)).map_err(|e| about(&path, &e))
}

fn note(key: &str, step: Step) -> Result<(), Text> {
    let folder = config::visits().ok_or("there is no folder for it")?;
    let revise = |text: &str| {
        let mut visits = Visits::read(text);
        visits.take(step);
        Ok(visits.lines())
    };
    revise_file(&folder, key, revise).map(drop)
}

fn about(path: &Path, error: &io::Error) -> Text {
    Text::new(&format!("{error} ({})", path.display()))
}

/// What is in a file; nothing where there is none.
fn read(path: &Path) -> io::Result<String> {
    if path.is_symlink() {
        return Err(io::Error::other("it is a link, and links are not followed"));
    }
    let file = match secure_fs::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        file => file?,
    };
    let mut text = String::new();
    let read =
        file.take(MOST + 1).read_to_string(&mut text).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => io::Error::other("it is not UTF-8 text"),
            _ => error,
        })?;
    if u64::try_from(read).is_ok_and(|read| read <= MOST) {
        return Ok(text);
    }
    Err(io::Error::other("it has more than a megabyte"))
}

/// Changes a file of a folder of the user's from what is in it now, while nobody else does. It is there
/// whole, as it was or as it is to be. Returns what is in it then.
fn revise_file(
    folder: &Path,
    name: &str,
    revise: impl FnOnce(&str) -> Result<String, Text>,
) -> Result<String, Text> {
    let path = folder.join(name);
    let io = |error: io::Error| about(&path, &error);
    secure_fs::make_folder(folder).map_err(io)?;
    let _held = lock(folder).map_err(io)?;
    let text = read(&path).map_err(io)?;
    let revised = revise(&text).map_err(|why| Text::new(&format!("{why} ({})", path.display())))?;
    if u64::try_from(revised.len()).is_ok_and(|bytes| bytes > MOST) {
        return Err(about(&path, &io::Error::other("it would have more than a megabyte")));
    }
    if revised != text {
        replace(&path, folder, &revised).map_err(io)?;
    }
    Ok(revised)
}

/// Held until it is dropped.
fn lock(folder: &Path) -> io::Result<File> {
    let file = secure_fs::append(&folder.join(LOCK))?;
    match file.lock() {
        // Some file systems know no locks; then the file is only read again just before it is written.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
        locked => locked?,
    }
    Ok(file)
}

fn replace(path: &Path, folder: &Path, text: &str) -> io::Result<()> {
    let mut file = Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::thread;

    use super::*;
    use crate::chain::Address;

    fn change(n: u64, name: &str) -> Change {
        Change::name(Address::left_padding_from(&n.to_be_bytes()), name).unwrap()
    }

    fn named(folder: &Path, n: u64, name: &str) -> Result<String, Text> {
        revise_file(folder, "1.csv", |text| labels::revised(text, &change(n, name)))
    }

    #[test]
    fn two_writers_lose_none_of_each_others_names() {
        let folder = tempfile::tempdir().unwrap();
        thread::scope(|scope| {
            for writer in 0..2 {
                let folder = folder.path();
                scope.spawn(move || {
                    for n in 0..50 {
                        named(folder, 2 * n + writer, &format!("writer {writer}")).unwrap();
                    }
                });
            }
        });
        let text = read(&folder.path().join("1.csv")).unwrap();
        let labels = Labels::read(&text);
        for n in 0..100 {
            let name = labels.name(&change(n, "").address).cloned();
            assert_eq!(name, Some(format!("writer {}", n % 2).into()), "{n}");
        }
        let names = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name());
        assert_eq!(names.filter(|name| name != LOCK && name != "1.csv").count(), 0);
    }

    #[test]
    fn what_was_changed_outside_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.csv");
        named(folder.path(), 1, "one").unwrap();
        let edited = fs::read_to_string(&path).unwrap() + "# by hand\n";
        fs::write(&path, &edited).unwrap();
        let text = named(folder.path(), 2, "two").unwrap();
        assert!(text.starts_with(&edited) && text.contains(",two,"), "{text}");
    }

    #[test]
    fn a_file_that_is_no_text_or_too_long_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.csv");
        for (bytes, words) in [
            (b"address,name,watch\n\xff\n".to_vec(), "not UTF-8"),
            (vec![b'\n'; (1 << 20) + 1], "more than a megabyte"),
        ] {
            fs::write(&path, &bytes).unwrap();
            let why = named(folder.path(), 1, "one").unwrap_err();
            assert!(why.contains(words), "{why}");
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }

    #[cfg(unix)]
    #[test]
    fn it_is_the_users_alone_and_no_link_is_written_through() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("labels");
        named(&own, 1, "one").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&own), mode(&own.join("1.csv"))), (0o700, 0o600));
        let elsewhere = folder.path().join("elsewhere");
        fs::rename(own.join("1.csv"), &elsewhere).unwrap();
        let before = fs::read(&elsewhere).unwrap();
        symlink(&elsewhere, own.join("1.csv")).unwrap();
        assert!(named(&own, 2, "two").unwrap_err().contains("link"));
        assert_eq!(fs::read(&elsewhere).unwrap(), before);
    }
}

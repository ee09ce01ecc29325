//! `config`: the settings as they are without a file, where the file is, and what is wrong with it.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::batch::CliError;
use crate::chain::chains::Chains;
use crate::config::{self, Config, DEFAULT_CONFIG, Settings};
use crate::keymap::Keymap;
use crate::sanitize::{SafeText, sanitize};
use crate::toml_reader::ConfigDiagnostic;
use crate::ui::theme::{self, Theme};

/// What is to be printed.
#[derive(Debug, clap::Args)]
pub(super) struct ConfigArgs {
    /// Say what is wrong with the files that there are
    #[arg(long)]
    check: bool,
}

/// Prints the defaults, or what is wrong. The status is 1 when something is.
pub(super) fn config(args: &ConfigArgs, config: &Config) -> Result<ExitCode, CliError> {
    if args.check {
        return check(config);
    }
    let path = config::config_file().ok_or_else(|| {
        CliError::Runtime("it is not known where your configuration folder is: is HOME set?".into())
    })?;
    let there = if path.exists() { "" } else { " (there is none yet)" };
    // As a comment, so that what is printed can be the file.
    print(&format!("# {}{there}", path.display()));
    print(DEFAULT_CONFIG.trim_end());
    Ok(ExitCode::SUCCESS)
}

fn check(config: &Config) -> Result<ExitCode, CliError> {
    let (_, of_keys) = load_keymap()?;
    let known =
        [(config::config_file(), config.problems.clone()), (config::keymap_file(), of_keys)];
    let known = known.into_iter().filter_map(|(path, problems)| Some((path?, problems)));
    let files: Vec<(PathBuf, Vec<ConfigDiagnostic>)> = known.chain(check_themes()).collect();
    for (path, problems) in &files {
        let name = path.display();
        match problems.as_slice() {
            [] if path.exists() => print(&format!("{name}: nothing is wrong")),
            [] => print(&format!("{name}: there is none")),
            some => some.iter().for_each(|problem| print(&format!("{name}: {problem}"))),
        }
    }
    let unmet = unresolved_names(config);
    for words in &unmet {
        print(words);
    }
    let fine = unmet.is_empty() && files.iter().all(|(_, problems)| problems.is_empty());
    Ok(if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the settings name and cannot be had: a chain, a theme, a file.
fn unresolved_names(config: &Config) -> Vec<String> {
    let Settings { chain, theme, http, chains, .. } = &config.settings;
    let known = Chains::new(chains.clone(), false).unwrap_or_default();
    let chain = chain.as_ref().and_then(|chain| Some(known.resolve(chain).err()?.to_string()));
    let theme = theme.as_ref().and_then(|name| {
        let own = config::theme_file(name).and_then(|path| fs::read_to_string(path).ok());
        // What is wrong with a theme of the user's own is said of its file.
        let unknown = theme::load_theme(name, own.as_deref()).err().filter(|_| own.is_none());
        Some(unknown?.to_string())
    });
    let files = [("ca_file", http.ca_file.as_ref()), ("api_key_file", config.pro_key_file())];
    let missing = files.into_iter().filter_map(|(name, path)| {
        // The file of a key is not named: it may be the key itself, given for a file by mistake.
        let error = fs::metadata(path?).err()?;
        Some(format!("{name}: {error}"))
    });
    chain.into_iter().chain(theme).chain(missing).collect()
}

/// The user's own themes, and what is wrong with them.
fn check_themes() -> Vec<(PathBuf, Vec<ConfigDiagnostic>)> {
    let folder = config::themes_dir().and_then(|path| fs::read_dir(path).ok());
    let files = folder.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut themes: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    themes.sort();
    let read = |path: PathBuf| {
        let problem = match config::read_text(&path) {
            Ok(source) => Theme::parse(&source).err(),
            Err(error) => {
                Some(ConfigDiagnostic { line: 1, message: SafeText::new(&error.to_string()) })
            }
        };
        (path, problem.into_iter().collect())
    };
    themes.into_iter().map(read).collect()
}

/// The keys, with the user's own laid over them, and what is wrong with those.
pub(super) fn load_keymap() -> Result<(Keymap, Vec<ConfigDiagnostic>), CliError> {
    let mut keymap = Keymap::embedded().map_err(|e| CliError::Usage(e.to_string()))?;
    let Some(path) = config::keymap_file() else { return Ok((keymap, Vec::new())) };
    let problems = match config::read_text(&path) {
        Ok(source) => keymap.apply_user_keymap(&source),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(CliError::Usage(format!("{}: {error}", path.display()))),
    };
    Ok((keymap, problems))
}

/// What is wrong with the user's files, for a line of the screen.
pub(super) fn startup_warnings(config: &Config, of_keys: &[ConfigDiagnostic]) -> Vec<SafeText> {
    let of_config = config.problems.iter().map(|problem| format!("config.toml {problem}"));
    let of_keys = of_keys.iter().map(|problem| format!("keymap.toml {problem}"));
    of_config.chain(of_keys).map(|words| SafeText::new(&words)).collect()
}

fn print(text: &str) {
    for line in text.lines() {
        let _ = writeln!(io::stdout(), "{}", sanitize(line)); // nobody reads it
    }
}

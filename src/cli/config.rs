//! `config`: prints the default settings, or checks the user's files.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::abi::{SignatureDb, abi_dir};
use crate::chain::chains::Chains;
use crate::config::{self, Config, DEFAULT_CONFIG, Settings};
use crate::keymap::Keymap;
use crate::messages::cli::{self, CliProblem};
use crate::output::{CliError, print_lines};
use crate::sanitize::SafeText;
use crate::toml_reader::ConfigDiagnostic;
use crate::ui::theme::{self, Theme};

/// Name of the user's signatures in notes.
pub(super) const SIGNATURES_FILE: &str = "signatures.txt";

#[derive(Debug, clap::Args)]
pub(super) struct ConfigArgs {
    /// Check config files and report problems
    #[arg(long)]
    check: bool,
}

/// Prints the defaults, or checks the files; the exit code is 1 if there are problems.
pub(super) fn config(args: &ConfigArgs, config: &Config) -> Result<ExitCode, CliError> {
    if args.check {
        return check(config);
    }
    let path =
        config::config_file().ok_or_else(|| CliError::Runtime(cli::NO_CONFIG_FOLDER.into()))?;
    let note = if path.exists() { "" } else { cli::NOT_CREATED };
    // A comment, so that the output is a valid file.
    print_lines(&format!("# {}{note}\n{DEFAULT_CONFIG}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Loads the settings, without a theme that does not exist or cannot be read.
pub(super) fn load() -> Result<Config, CliError> {
    let mut config = Config::load().map_err(|e| CliError::Usage(format!("{e:#}")))?;
    if let Some(why) = config.settings.theme.as_deref().and_then(theme_problem) {
        config.reject_theme(SafeText::new(&why));
    }
    Ok(config)
}

/// Returns the reason why there is no such theme.
fn theme_problem(name: &str) -> Option<String> {
    let source = config::theme_file(name).map(|path| config::read_text(&path));
    match source {
        Some(Ok(_)) => None,
        Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => {
            Some(format!("themes/{name}.toml: {error}"))
        }
        _ => theme::load_theme(name, None).err().map(|error| error.to_string()),
    }
}

fn check(config: &Config) -> Result<ExitCode, CliError> {
    let (_, keymap_problems) = load_keymap()?;
    let settings = [
        (config::config_file(), config.problems.clone()),
        (config::keymap_file(), keymap_problems),
    ];
    let toml_files = settings.into_iter().filter_map(|(path, problems)| Some((path?, problems)));
    let checked = toml_files.chain(check_themes()).map(|(path, problems)| {
        (path, problems.iter().map(|problem| SafeText::new(&problem.to_string())).collect())
    });
    let files: Vec<CheckedFile> = checked.chain(check_user_data()).collect();
    for (path, problems) in &files {
        let name = path.display();
        match problems.as_slice() {
            [] if path.exists() => print_lines(&format!("{name}: ok"))?,
            [] => print_lines(&CliProblem::NoFile { file: &name.to_string() }.to_string())?,
            problems => problems
                .iter()
                .try_for_each(|problem| print_lines(&format!("{name}: {problem}")))?,
        }
    }
    let unresolved = unresolved_names(config);
    print_lines(&unresolved.join("\n"))?;
    let key_problems = config.key_file_problems();
    key_problems.iter().try_for_each(|problem| print_lines(problem))?;
    let is_ok = unresolved.is_empty()
        && key_problems.is_empty()
        && files.iter().all(|(_, problems)| problems.is_empty());
    Ok(if is_ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A file or a folder, and its problems.
type CheckedFile = (PathBuf, Vec<SafeText>);

/// Checks the signatures, the labels and the folder of ABIs, as far as they exist.
fn check_user_data() -> impl Iterator<Item = CheckedFile> {
    let exists = |path: &PathBuf| path.symlink_metadata().is_ok();
    let signatures = config::signatures_file().filter(exists);
    let files = config::user_data_files();
    let folder = files.labels.iter().filter_map(|folder| fs::read_dir(folder).ok());
    let mut entries: Vec<PathBuf> =
        folder.flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort_unstable();
    let labels = entries.into_iter().filter_map(move |path| {
        let key = path.file_name()?.to_str()?.strip_suffix(".csv")?;
        let problems = match files.load_labels(key) {
            Ok(labels) => labels.problems().to_vec(),
            Err(why) => vec![why],
        };
        Some((path, problems))
    });
    let abis = config::abi_dir().filter(exists).map(|folder| {
        let problems = abi_dir::load(&mut SignatureDb::default(), &folder);
        (folder, problems)
    });
    signatures.map(|path| (path, load_signatures().1)).into_iter().chain(labels).chain(abis)
}

/// Loads the built-in signatures, and those that the user entered earlier. Returns the problems of the user's file:
/// lines that are no signatures are skipped, and comments, which begin with `#`.
pub(super) fn load_signatures() -> (SignatureDb, Vec<SafeText>) {
    let mut signatures = SignatureDb::builtin();
    let Some(path) = config::signatures_file() else { return (signatures, Vec::new()) };
    let file = match config::read_text(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return (signatures, vec![SafeText::new(&error.to_string())]),
    };
    let lines = (1..).zip(file.lines()).filter(|(_, line)| !line.trim().is_empty());
    let lines = lines.filter(|(_, line)| !line.trim_start().starts_with('#'));
    let invalid = lines.filter_map(|(line, signature)| {
        let message = SafeText::new(&signatures.add_signature(signature).err()?.to_string());
        Some(SafeText::new(&ConfigDiagnostic { line, message }.to_string()))
    });
    let problems = invalid.collect();
    (signatures, problems)
}

/// Returns the problems of a chain and a file that the settings name.
fn unresolved_names(config: &Config) -> Vec<String> {
    let Settings { chain, http, chains, .. } = &config.settings;
    let chains = Chains::new(chains.clone(), false).unwrap_or_default();
    let chain = chain.as_ref().and_then(|chain| Some(chains.resolve(chain).err()?.to_string()));
    let missing = http.ca_file.as_ref().and_then(|path| fs::metadata(path).err());
    chain.into_iter().chain(missing.map(|error| format!("ca_file: {error}"))).collect()
}

/// Reads the user's theme files.
fn theme_files() -> impl Iterator<Item = (PathBuf, io::Result<String>)> {
    let folder = config::themes_dir().and_then(|path| fs::read_dir(path).ok());
    let files = folder.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut themes: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    themes.sort_unstable();
    themes.into_iter().map(|path| {
        let source = config::read_text(&path);
        (path, source)
    })
}

/// Returns the names and contents of the user's themes that can be read.
pub(super) fn user_themes() -> Vec<(String, String)> {
    let name = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
    theme_files().filter_map(|(path, source)| Some((name(path)?, source.ok()?))).collect()
}

fn check_themes() -> impl Iterator<Item = (PathBuf, Vec<ConfigDiagnostic>)> {
    theme_files().map(|(path, source)| {
        let problems = match source {
            Ok(source) => Theme::parse(&source).1,
            Err(error) => {
                vec![ConfigDiagnostic { line: 1, message: SafeText::new(&error.to_string()) }]
            }
        };
        (path, problems)
    })
}

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

pub(super) fn startup_warnings(
    config: &Config,
    keymap_problems: &[ConfigDiagnostic],
    signature_problems: &[SafeText],
    theme_problems: Vec<SafeText>,
) -> Vec<SafeText> {
    let of_config = config.problems.iter().map(|problem| format!("config.toml {problem}"));
    let of_keymap = keymap_problems.iter().map(|problem| format!("keymap.toml {problem}"));
    let of_signatures =
        signature_problems.iter().map(|problem| format!("{SIGNATURES_FILE} {problem}"));
    let others = of_config.chain(of_keymap).chain(of_signatures);
    others.map(|warning| SafeText::new(&warning)).chain(theme_problems).collect()
}

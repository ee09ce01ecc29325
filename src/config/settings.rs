//! What the file may say, and how it is read.

use std::path::PathBuf;
use std::time::Duration;

use etcetera::home_dir;
use toml::de::DeValue;

use super::secret::{HostSecrets, Secret};
use crate::chain::amount::Unit;
use crate::chain::chains::{Chains, CustomChain};
use crate::config::time_format::TimeFormat;
use crate::toml_reader::{ConfigDiagnostic, TomlEntry, TomlReader};

/// Seconds that somebody may want to wait: up to an hour.
const TIMEOUT_SECONDS_RANGE: std::ops::Range<u64> = 1..3601;

/// What the file says. Keys are not shown, not even in debug output.
#[derive(Debug)]
pub struct Settings {
    /// As `--chain`.
    pub chain: Option<String>,
    /// The name of a theme; none chooses by the terminal's background.
    pub theme: Option<String>,
    /// Whether only ASCII is drawn; none decides by the locale.
    pub ascii: Option<bool>,
    /// In which unit amounts of the coin are shown.
    pub unit: Unit,
    /// In which form times are shown.
    pub time_format: TimeFormat,
    /// Whether the mouse is on from the start.
    pub mouse: bool,
    /// Whether wide screens have a second pane beside a list.
    pub split_view: bool,
    /// Whether the places that were visited are remembered for the next time.
    pub remembers_recents: bool,
    /// How the network is reached.
    pub http: HttpSettings,
    /// Chains of the user's own.
    pub chains: Vec<CustomChain>,
    /// The key for `api.blockscout.com`.
    pub(super) api_key: Option<Secret>,
    /// A file with that key in it.
    pub(super) api_key_file: Option<PathBuf>,
    /// The key of each other host.
    pub(super) keys: HostSecrets,
}

/// How the network is reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpSettings {
    /// A file of certificates (PEM) that are trusted besides the system's.
    pub ca_file: Option<PathBuf>,
    /// How long a connection may take to come up.
    pub connect_timeout: Option<Duration>,
    /// How long a page of a list may take.
    pub timeout: Option<Duration>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            chain: None,
            theme: None,
            ascii: None,
            unit: Unit::default(),
            time_format: TimeFormat::default(),
            mouse: false,
            split_view: true,
            remembers_recents: true,
            http: HttpSettings::default(),
            chains: Vec::new(),
            api_key: None,
            api_key_file: None,
            keys: HostSecrets::default(),
        }
    }
}

/// Reads the file: what it says, and what is wrong with it.
pub(super) fn parse_settings(source: &str) -> (Settings, Vec<ConfigDiagnostic>) {
    let mut sheet = TomlReader::parse(source);
    let settings = read_settings(&mut sheet);
    (settings, sheet.finish())
}

fn read_settings(sheet: &mut TomlReader<'_>) -> Settings {
    let default = Settings::default();
    Settings {
        chain: sheet.text("chain"),
        theme: sheet.text("theme").filter(|name| name != "auto"),
        ascii: sheet.flag("ascii"),
        unit: sheet.choice("unit").unwrap_or(default.unit),
        time_format: sheet.choice("times").unwrap_or(default.time_format),
        mouse: sheet.flag("mouse").unwrap_or(default.mouse),
        split_view: sheet.flag("side").unwrap_or(default.split_view),
        remembers_recents: sheet.flag("recent").unwrap_or(default.remembers_recents),
        http: sheet.section("http", read_http).unwrap_or_default(),
        chains: sheet.section("chains", read_chains).unwrap_or_default(),
        api_key: sheet.text("api_key").map(Secret::new),
        api_key_file: read_path(sheet, "api_key_file"),
        keys: sheet.section("keys", read_host_keys).unwrap_or_default(),
    }
}

fn read_http(sheet: &mut TomlReader<'_>) -> HttpSettings {
    HttpSettings {
        ca_file: read_path(sheet, "ca_file"),
        connect_timeout: sheet
            .number("connect_timeout", TIMEOUT_SECONDS_RANGE)
            .map(Duration::from_secs),
        timeout: sheet.number("timeout", TIMEOUT_SECONDS_RANGE).map(Duration::from_secs),
    }
}

fn read_chains(sheet: &mut TomlReader<'_>) -> Vec<CustomChain> {
    let entries = sheet.take_remaining();
    entries.into_iter().filter_map(|entry| read_own_chain(sheet, entry)).collect()
}

fn read_own_chain<'a>(sheet: &mut TomlReader<'a>, entry: TomlEntry<'a>) -> Option<CustomChain> {
    let (key, line) = (entry.name.clone(), entry.line);
    let chain = sheet.subtable(entry, |sheet| CustomChain {
        key,
        url: sheet.text("url").unwrap_or_default(),
        name: sheet.text("name"),
        id: sheet.number("id", 0..u64::MAX),
        symbol: sheet.text("symbol"),
        decimals: sheet.number("decimals", 0..78).and_then(|n| u8::try_from(n).ok()),
        testnet: sheet.flag("testnet"),
    })?;
    let wrong = Chains::new(vec![chain.clone()], false).err();
    if let Some(wrong) = &wrong {
        sheet.report(line, &wrong.to_string());
    }
    wrong.is_none().then_some(chain)
}

/// A path, in which `~` is the user's home.
fn read_path(sheet: &mut TomlReader<'_>, name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(sheet.text(name)?);
    Some(match (path.strip_prefix("~"), home_dir()) {
        (Ok(rest), Ok(home)) => home.join(rest),
        _ => path,
    })
}

fn read_host_keys(sheet: &mut TomlReader<'_>) -> HostSecrets {
    let mut keys = HostSecrets::default();
    for TomlEntry { name, line, value } in sheet.take_remaining() {
        match value {
            DeValue::String(key) => keys.add(name, Secret::new(key.into_owned())),
            _ => sheet.report(line, "hosts have their keys here: \"host\" = \"key\""),
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::DEFAULT_CONFIG;

    #[test]
    fn everything_that_may_be_set_is_explained() {
        let mut sheet = TomlReader::parse("");
        read_settings(&mut sheet);
        for name in sheet.known_keys() {
            let lines = [format!("#: {name} = "), format!("[{name}]"), format!("#: [{name}.")];
            let explained = |line: &str| lines.iter().any(|start| line.starts_with(start));
            assert!(DEFAULT_CONFIG.lines().any(explained), "{name} is not explained");
        }
    }

    #[test]
    fn what_is_explained_is_understood_and_what_is_not_marked_is_the_default() {
        let all: String = DEFAULT_CONFIG
            .lines()
            .map(|line| line.strip_prefix("#: ").unwrap_or(line).to_owned() + "\n")
            .collect();
        let (settings, problems) = parse_settings(&all);
        assert_eq!(problems, []);
        assert_eq!(settings.chains.len(), 1);
        assert_eq!(settings.chains[0].id, Some(1337));
        assert!(settings.http.ca_file.is_some());
        let (settings, problems) = parse_settings(DEFAULT_CONFIG);
        assert_eq!(problems, []);
        assert_eq!(format!("{settings:?}"), format!("{:?}", Settings::default()));
    }

    #[test]
    fn a_chain_of_ones_own_needs_a_place() {
        let source = "[chains.a]\nid = 5\n[chains.b]\nurl = \"ftp://x\"\n[chains.c]\nurl = \"https://c.example/x\"\nsimbol = \"C\"";
        let (settings, problems) = parse_settings(source);
        let names: Vec<&str> = settings.chains.iter().map(|chain| &*chain.key).collect();
        assert_eq!(names, ["c"]);
        let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
        for (line, words) in [
            ("line 1: ", "chains.a: url is not an explorer's"),
            ("line 3: ", "chains.b: url is not an explorer's"),
            ("line ", "`simbol`: did you mean `symbol`?"),
        ] {
            let is_said = |said: &String| said.starts_with(line) && said.contains(words);
            assert!(said.iter().any(is_said), "{words}: {said:?}");
        }
    }

    #[test]
    fn home_is_written_as_a_tilde() {
        let (settings, _) = parse_settings("[http]\nca_file = \"~/ca.pem\"");
        let path = settings.http.ca_file.unwrap();
        assert!(path.is_absolute() && path.ends_with("ca.pem"), "{path:?}");
    }
}

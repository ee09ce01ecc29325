//! The settings of `config.toml`, their defaults, and their parser.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use strum::{EnumString, VariantNames};
use toml::de::DeValue;
use url::Url;

use super::paths::expand_home;
use crate::api::client::api_key::is_key_host;
use crate::app_message::NotificationMethod;
use crate::chain::amount::Unit;
use crate::chain::chains::Chains;
use crate::chain::chains::custom_chain::CustomChain;
use crate::chain::network::is_loopback;
use crate::config::time_format::TimeFormat;
use crate::http::{DEFAULT_CONNECT_TIMEOUT, DEFAULT_RESPONSE_TIMEOUT};
use crate::messages::settings::{ApiKeyError, HOST_KEY};
use crate::safety::public_hosts::is_public;
use crate::toml_reader::{ConfigDiagnostic, TomlEntry, TomlReader};

/// Accepted timeouts, in seconds: up to an hour.
const TIMEOUT_SECONDS_RANGE: RangeInclusive<u64> = 1..=3600;

/// The settings. API keys are redacted, even in debug output.
#[derive(Debug)]
pub struct Settings {
    /// Chain to open: a name, an id or a base URL.
    pub chain: Option<String>,
    /// Name of a theme; `None` chooses one by the terminal's background.
    pub theme: Option<String>,
    pub(super) theme_line: Option<usize>,
    /// `true` to draw ASCII only; `None` decides by the locale.
    pub ascii: Option<bool>,
    /// Unit of native amounts.
    pub unit: Unit,
    pub time_format: TimeFormat,
    /// `true` if addresses have a coloured mark.
    pub address_marks: bool,
    pub app: AppSettings,
    pub pictures: PictureSetting,
    /// URL of the gateway for pictures on IPFS. There is no default one: without it, they are not
    /// fetched.
    pub ipfs_gateway: Option<Url>,
    pub http: HttpSettings,
    pub chains: Vec<CustomChain>,
    /// API key for `api.blockscout.com`.
    pub(super) api_key: Option<Secret>,
    pub api_key_file: Option<PathBuf>,
    /// By host.
    pub(super) keys: BTreeMap<String, Secret>,
}

/// The settings that the app itself reads. No arguments override them, but `--mouse`.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct AppSettings {
    /// `true` if all other places with the address under the cursor are highlighted.
    pub address_highlight: bool,
    pub mouse: bool,
    /// `true` if wide screens show a preview next to a list.
    pub split_view: bool,
    /// `true` if opened pages are saved for the start page.
    pub remembers_recents: bool,
    /// `true` if names and ABIs of the contracts in traces are fetched.
    pub fetches_contract_names: bool,
    /// URL of the database of unknown signatures.
    pub signature_database: Option<Url>,
    pub notification: NotificationMethod,
}

impl Default for Settings {
    /// Returns the settings of an empty file.
    fn default() -> Self {
        read_settings(&mut TomlReader::parse(""))
    }
}

impl Default for AppSettings {
    fn default() -> Self {
        read_app_settings(&mut TomlReader::parse(""))
    }
}

impl Default for HttpSettings {
    fn default() -> Self {
        read_http(&mut TomlReader::parse(""))
    }
}

/// Display of NFT pictures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum PictureSetting {
    /// With a graphics protocol if the terminal has one, else as half blocks.
    #[default]
    Auto,
    Blocks,
    Off,
}

/// An API key as configured. Its debug output is redacted.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Secret(pub(super) String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("‹key›")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// A PEM file of certificates to trust in addition to the system's.
    pub ca_file: Option<PathBuf>,
    pub connect_timeout: Duration,
    /// Maximum time to load a page of a list.
    pub timeout: Duration,
}

pub(super) fn parse_settings(source: &str) -> (Settings, Vec<ConfigDiagnostic>) {
    let mut reader = TomlReader::parse(source);
    let settings = read_settings(&mut reader);
    (settings, reader.finish())
}

fn read_settings(reader: &mut TomlReader<'_>) -> Settings {
    Settings {
        chain: reader.text("chain"),
        theme_line: reader.line_of("theme"),
        theme: reader.text("theme").filter(|name| name != "auto"),
        ascii: reader.flag("ascii"),
        unit: reader.choice("unit").unwrap_or_default(),
        time_format: reader.choice("times").unwrap_or_default(),
        address_marks: reader.flag("address_marks").unwrap_or(true),
        app: read_app_settings(reader),
        pictures: reader.choice("pictures").unwrap_or_default(),
        ipfs_gateway: read_gateway(reader),
        http: reader.section("http", read_http).unwrap_or_default(),
        chains: reader.section("chains", read_chains).unwrap_or_default(),
        api_key: reader.text("api_key").map(Secret),
        api_key_file: read_path(reader, "api_key_file"),
        keys: reader.section("keys", read_host_keys).unwrap_or_default(),
    }
}

fn read_app_settings(reader: &mut TomlReader<'_>) -> AppSettings {
    AppSettings {
        address_highlight: reader.flag("address_highlight").unwrap_or(true),
        mouse: reader.flag("mouse").unwrap_or(false),
        split_view: reader.flag("side").unwrap_or(true),
        remembers_recents: reader.flag("recent").unwrap_or(true),
        fetches_contract_names: reader.flag("contract_names").unwrap_or(true),
        signature_database: read_database(reader),
        notification: reader.choice("notify").unwrap_or_default(),
    }
}

fn read_http(reader: &mut TomlReader<'_>) -> HttpSettings {
    let mut timeout = |name, default| {
        let seconds = reader.number(name, TIMEOUT_SECONDS_RANGE);
        seconds.map_or(default, Duration::from_secs)
    };
    HttpSettings {
        connect_timeout: timeout("connect_timeout", DEFAULT_CONNECT_TIMEOUT),
        timeout: timeout("timeout", DEFAULT_RESPONSE_TIMEOUT),
        ca_file: read_path(reader, "ca_file"),
    }
}

fn read_chains(reader: &mut TomlReader<'_>) -> Vec<CustomChain> {
    let entries = reader.take_remaining();
    entries.into_iter().filter_map(|entry| read_custom_chain(reader, entry)).collect()
}

fn read_custom_chain<'a>(reader: &mut TomlReader<'a>, entry: TomlEntry<'a>) -> Option<CustomChain> {
    let key = entry.name.clone();
    let line = entry.line;
    let chain = reader.subtable(entry, |reader| CustomChain {
        key,
        url: reader.text("url").unwrap_or_default(),
        rpc: reader.text("rpc"),
        name: reader.text("name"),
        id: reader.number("id", 0..=u64::MAX),
        symbol: reader.text("symbol"),
        decimals: reader.number("decimals", 0..=77).and_then(|n| u8::try_from(n).ok()),
        testnet: reader.flag("testnet"),
    })?;
    let error = Chains::new(vec![chain.clone()], false).err();
    if let Some(error) = &error {
        reader.report(line, &error.to_string());
    }
    error.is_none().then_some(chain)
}

fn read_path(reader: &mut TomlReader<'_>, name: &str) -> Option<PathBuf> {
    reader.text(name).map(|path| expand_home(Path::new(&path)))
}

/// Reads the URL of a gateway, and appends a missing slash.
fn read_gateway(reader: &mut TomlReader<'_>) -> Option<Url> {
    reader.value("ipfs_gateway", "a public http: or https: URL", |value| {
        let url = format!("{}/", value.as_str()?.trim_end_matches('/'));
        Url::parse(&url).ok().filter(is_public)
    })
}

fn read_database(reader: &mut TomlReader<'_>) -> Option<Url> {
    reader.value("signature_database", "an https: URL, or one of this machine", |value| {
        let url = Url::parse(value.as_str()?).ok()?;
        let is_private = url.scheme() == "https" || url.scheme() == "http" && is_loopback(&url);
        is_private.then_some(url)
    })
}

fn read_host_keys(reader: &mut TomlReader<'_>) -> BTreeMap<String, Secret> {
    let mut keys = BTreeMap::new();
    for TomlEntry { name, line, value } in reader.take_remaining() {
        match value {
            _ if !is_key_host(&name) => reader.report(line, &ApiKeyError::InvalidHost.to_string()),
            DeValue::String(key) => drop(keys.insert(name, Secret(key.into_owned()))),
            _ => reader.report(line, HOST_KEY),
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::DEFAULT_CONFIG;

    #[test]
    fn default_config_documents_every_setting() {
        let mut reader = TomlReader::parse("");
        read_settings(&mut reader);
        for name in reader.known_keys() {
            let lines = [format!("#: {name} = "), format!("[{name}]"), format!("#: [{name}.")];
            let documents = |line: &str| lines.iter().any(|start| line.starts_with(start));
            assert!(DEFAULT_CONFIG.lines().any(documents), "{name} is not documented");
        }
    }

    #[test]
    fn default_config_parses_and_equals_the_defaults() {
        let all: String = DEFAULT_CONFIG
            .lines()
            .map(|line| line.strip_prefix("#: ").unwrap_or(line).to_owned() + "\n")
            .collect();
        let (settings, problems) = parse_settings(&all);
        assert_eq!(problems, []);
        assert_eq!(settings.chains.len(), 1);
        assert_eq!(settings.chains[0].id, Some(1337));
        let (http, defaults) = (settings.http, HttpSettings::default());
        assert!(http.ca_file.is_some());
        assert_eq!(
            (http.connect_timeout, http.timeout),
            (defaults.connect_timeout, defaults.timeout)
        );
        let (settings, problems) = parse_settings(DEFAULT_CONFIG);
        assert_eq!(problems, []);
        assert_eq!(format!("{settings:?}"), format!("{:?}", Settings::default()));
    }

    #[test]
    fn keys_are_of_hosts() {
        let source = "[keys]\n\"https://x/\" = \"a\"\n\"b.example:99999\" = \"b\"\n\"c.example:8443\" = \"c\"";
        let (settings, problems) = parse_settings(source);
        let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!((lines, settings.keys.len()), (vec![2, 3], 1));
    }

    #[test]
    fn signature_database_is_asked_over_https() {
        for (url, is_valid) in [
            ("https://api.4byte.sourcify.dev/signature-database/v1/lookup", true),
            ("http://127.0.0.1:4000/lookup", true),
            ("http://localhost/lookup", true),
            ("http://api.4byte.sourcify.dev/lookup", false),
            ("http://192.168.0.1/lookup", false),
            ("ftp://127.0.0.1/lookup", false),
            ("api.4byte.sourcify.dev", false),
        ] {
            let (settings, problems) = parse_settings(&format!("signature_database = \"{url}\""));
            let found = (settings.app.signature_database.is_some(), problems.is_empty());
            assert_eq!(found, (is_valid, is_valid), "{url}");
        }
    }

    #[test]
    fn custom_chain_requires_a_url() {
        let source = "[chains.a]\nid = 5\n[chains.b]\nurl = \"ftp://x\"\n[chains.c]\nurl = \"https://c.example/x\"\nsimbol = \"C\"";
        let (settings, problems) = parse_settings(source);
        let names: Vec<&str> = settings.chains.iter().map(|chain| &*chain.key).collect();
        assert_eq!(names, ["c"]);
        let messages: Vec<String> = problems.iter().map(ToString::to_string).collect();
        for (line, words) in [
            ("line 1: ", "chains.a: url must be an explorer's"),
            ("line 3: ", "chains.b: url must be an explorer's"),
            ("line ", "`simbol`: did you mean `symbol`?"),
        ] {
            let matches = |message: &String| message.starts_with(line) && message.contains(words);
            assert!(messages.iter().any(matches), "{words}: {messages:?}");
        }
    }

    #[test]
    fn tilde_expands_to_the_home_folder() {
        let (settings, _) = parse_settings("[http]\nca_file = \"~/ca.pem\"");
        let path = settings.http.ca_file.unwrap();
        assert!(path.is_absolute() && path.ends_with("ca.pem"), "{path:?}");
    }
}

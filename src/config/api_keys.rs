//! API keys by host: from the environment, from a key file, or from `config.toml`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use url::Url;

use super::Config;
use super::paths::expand_home;
use super::settings::{Secret, Settings};
use crate::api::client::api_key::ApiKey;
use crate::chain::network::{Network, PRO_HOST};
use crate::messages::settings::KeyUseError;
use crate::sanitize::SafeText;
use crate::secure_fs;

/// Environment variable with the API key for `api.blockscout.com`.
const API_KEY_VARIABLE: &str = "CHAINGLASS_API_KEY";
/// Environment variable with the path of a file that contains that key.
const API_KEY_FILE_VARIABLE: &str = "CHAINGLASS_API_KEY_FILE";
const MAX_KEY_FILE_BYTES: u64 = 4096;

#[derive(Debug, Default)]
pub struct KeyLookup {
    pub key: Option<ApiKey>,
    /// Warnings about key files that other users can read.
    pub warnings: Vec<SafeText>,
}

impl Config {
    /// Looks up the API key of a chain's explorer. Errors never repeat the key.
    pub fn api_key_for(&self, network: &Network) -> anyhow::Result<KeyLookup> {
        let Some(base) = network.explorer_base() else { return Ok(KeyLookup::default()) };
        self.key_inputs()?.find_key(&base)
    }

    /// Returns `true` if there is a key for the PRO API, without validating it.
    pub fn has_pro_key(&self) -> anyhow::Result<bool> {
        self.key_inputs().map(|inputs| inputs.has_pro_key())
    }

    /// Returns the problems of the files with API keys: missing, unreadable, or readable by others.
    pub fn key_file_problems(&self) -> Vec<SafeText> {
        match self.key_inputs() {
            Ok(inputs) => inputs.file_problems(),
            Err(error) => vec![SafeText::new(&error.to_string())],
        }
    }

    fn key_inputs(&self) -> anyhow::Result<KeyInputs<'_>> {
        Ok(KeyInputs {
            key: env_secret(API_KEY_VARIABLE)?,
            file: env_secret(API_KEY_FILE_VARIABLE)?.map(|path| PathBuf::from(path.0)),
            settings: &self.settings,
            path: &self.path,
        })
    }
}

#[derive(Debug)]
struct ConfiguredKey {
    origin: String,
    secret: Secret,
}

struct KeyInputs<'a> {
    key: Option<Secret>,
    file: Option<PathBuf>,
    settings: &'a Settings,
    path: &'a Path,
}

impl KeyInputs<'_> {
    fn find_key(self, base: &Url) -> anyhow::Result<KeyLookup> {
        let host = match (base.host_str(), base.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (host, _) => host.unwrap_or_default().to_owned(),
        };
        let mut lookup = KeyLookup::default();
        let Some(ConfiguredKey { origin, secret }) =
            self.find_configured(&host, &mut lookup.warnings)?
        else {
            return Ok(lookup);
        };
        let port = base.port_or_known_default().unwrap_or_default();
        let host_and_port = format!("{}:{port}", base.host_str().unwrap_or_default());
        let key = ApiKey::new(&host_and_port, &secret.0).with_context(|| origin.clone())?;
        if key.occurs_in(base.as_str().as_bytes()) {
            bail!(KeyUseError::InUrl { origin });
        }
        if key.header_for(base).is_none() {
            bail!(KeyUseError::Unencrypted { origin, host, base: base.to_string() });
        }
        lookup.key = Some(key);
        Ok(lookup)
    }

    fn file_problems(&self) -> Vec<SafeText> {
        let Settings { api_key, api_key_file, keys, .. } = self.settings;
        let of_variable = self.file.as_ref().map(|file| (file, API_KEY_FILE_VARIABLE.to_owned()));
        let origin = || format!("{}: api_key_file", self.path.display());
        let of_settings = api_key_file.as_ref().map(|file| (file, origin()));
        let mut problems = Vec::new();
        for (file, origin) in of_variable.into_iter().chain(of_settings) {
            if let Err(error) = read_key_file(file, origin, &mut problems) {
                problems.push(SafeText::new(&error.to_string()));
            }
        }
        let own = api_key.iter().map(|key| ("api_key", key));
        let others = keys.iter().map(|(host, key)| (&**host, key));
        let (empty, given): (Vec<_>, Vec<_>) =
            own.chain(others).partition(|(_, key)| key.0.trim().is_empty());
        problems.extend(empty.into_iter().map(|(name, _)| {
            let origin = format!("{}: {name}", self.path.display());
            SafeText::new(&KeyUseError::Empty { origin }.to_string())
        }));
        if !given.is_empty() {
            problems.extend(readable_by_others_warning(self.path));
        }
        problems
    }

    fn has_pro_key(&self) -> bool {
        let Settings { api_key, api_key_file, keys, .. } = self.settings;
        let mut hosts = keys.keys();
        self.key.is_some()
            || self.file.is_some()
            || api_key.is_some()
            || api_key_file.is_some()
            || hosts.any(|host| host.trim().eq_ignore_ascii_case(PRO_HOST))
    }

    /// Returns the key of a host. The environment takes precedence over `config.toml`.
    fn find_configured(
        self,
        host: &str,
        warnings: &mut Vec<SafeText>,
    ) -> anyhow::Result<Option<ConfiguredKey>> {
        let origin = |name: &str| format!("{}: {name}", self.path.display());
        let mut host_keys = self.settings.keys.iter();
        let own = host_keys.find(|(name, _)| name.trim().eq_ignore_ascii_case(host));
        let found = if host != PRO_HOST {
            own.map(|(name, secret)| ConfiguredKey { origin: origin(name), secret: secret.clone() })
        } else if let Some(secret) = self.key {
            return Ok(Some(ConfiguredKey { origin: API_KEY_VARIABLE.into(), secret }));
        } else if let Some(file) = self.file {
            return read_key_file(&file, API_KEY_FILE_VARIABLE.into(), warnings).map(Some);
        } else if let Some((name, secret)) = own {
            Some(ConfiguredKey { origin: origin(name), secret: secret.clone() })
        } else if let Some(secret) = &self.settings.api_key {
            Some(ConfiguredKey { origin: origin("api_key"), secret: secret.clone() })
        } else if let Some(file) = &self.settings.api_key_file {
            return read_key_file(file, origin("api_key_file"), warnings).map(Some);
        } else {
            None
        };
        if found.is_some() {
            warnings.extend(readable_by_others_warning(self.path));
        }
        Ok(found)
    }
}

/// Reads an environment variable; an empty one counts as unset.
fn env_secret(name: &str) -> anyhow::Result<Option<Secret>> {
    match std::env::var_os(name).map(std::ffi::OsString::into_string) {
        // The library's own error would repeat the key.
        Some(Err(_)) => Err(anyhow!("{name}: not UTF-8")),
        Some(Ok(text)) if !text.trim().is_empty() => Ok(Some(Secret(text))),
        _ => Ok(None),
    }
}

/// Reads a key file. Errors do not name the file: the path may be the key itself, given by mistake.
fn read_key_file(
    file: &Path,
    origin: String,
    warnings: &mut Vec<SafeText>,
) -> anyhow::Result<ConfiguredKey> {
    let path = expand_home(file);
    // A pipe is read too, so that a shell can pass a key: `<(pass show …)`.
    let file = fs::File::open(&path);
    let text = file.and_then(|file| secure_fs::read_to_string(file, MAX_KEY_FILE_BYTES)).map_err(
        |error| match error.kind() {
            io::ErrorKind::NotFound => anyhow!(KeyUseError::NoFile { origin: origin.clone() }),
            kind => anyhow!("{origin}: {kind}"),
        },
    )?;
    warnings.extend(readable_by_others_warning(&path));
    Ok(ConfiguredKey { origin, secret: Secret(text.trim().to_owned()) })
}

#[cfg(unix)]
fn readable_by_others_warning(path: &Path) -> Option<SafeText> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = fs::metadata(path).ok()?;
    let is_readable = metadata.is_file() && metadata.permissions().mode() & 0o077 != 0;
    let problem = || KeyUseError::ReadableByOthers { path: path.display().to_string() };
    is_readable.then(|| SafeText::new(&problem().to_string()))
}

#[cfg(not(unix))]
fn readable_by_others_warning(_: &Path) -> Option<SafeText> {
    None
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::parse;

    fn inputs<'a>(key: Option<&str>, file: Option<&Path>, config: &'a Config) -> KeyInputs<'a> {
        assert_eq!(config.problems, []);
        KeyInputs {
            key: key.map(|key| Secret(key.into())),
            file: file.map(Path::to_owned),
            settings: &config.settings,
            path: Path::new(""),
        }
    }

    fn find(
        key: Option<&str>,
        file: Option<&Path>,
        settings: &str,
        host: &str,
        warnings: &mut Vec<SafeText>,
    ) -> anyhow::Result<Option<ConfiguredKey>> {
        inputs(key, file, &parse(settings)).find_configured(host, warnings)
    }

    fn found(key: Option<&str>, file: Option<&Path>, settings: &str, host: &str) -> Option<String> {
        let found = find(key, file, settings, host, &mut Vec::new()).unwrap();
        found.map(|found| found.secret.0)
    }

    #[test]
    fn environment_overrides_the_config_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        fs::write(&file, "in-a-file\n").unwrap();
        let all = format!("api_key = \"in-config\"\napi_key_file = {:?}", file.to_str().unwrap());
        let last = all.lines().nth(1).unwrap().to_owned();
        let own = format!("{all}\n[keys]\n\"{PRO_HOST}\" = \"own\"");
        assert_eq!(found(Some("given"), Some(&file), &own, PRO_HOST).unwrap(), "given");
        assert_eq!(found(None, Some(&file), &own, PRO_HOST).unwrap(), "in-a-file");
        assert_eq!(found(None, None, &own, PRO_HOST).unwrap(), "own");
        assert_eq!(found(None, None, &all, PRO_HOST).unwrap(), "in-config");
        assert_eq!(found(None, None, &last, PRO_HOST).unwrap(), "in-a-file");
        assert_eq!(found(None, None, "", PRO_HOST), None);
    }

    #[test]
    fn pro_key_is_found_in_every_source() {
        let file = Path::new("/nonexistent/key");
        let has = |key, file, settings: &str| inputs(key, file, &parse(settings)).has_pro_key();
        assert!(has(Some("given"), None, "") && has(None, Some(file), ""));
        for settings in [
            "api_key = \"in-config\"",
            "api_key_file = \"/nonexistent/key\"",
            "[keys]\n\"API.blockscout.com\" = \"own\"",
        ] {
            assert!(has(None, None, settings), "{settings}");
        }
        for settings in ["", "[keys]\n\"eth.blockscout.com\" = \"own\""] {
            assert!(!has(None, None, settings), "{settings}");
        }
    }

    #[test]
    fn other_hosts_never_get_the_pro_key() {
        let settings = "api_key = \"pro\"\n[keys]\n\"A.example:8443\" = \"own\"";
        assert_eq!(found(Some("pro"), None, settings, "a.example:8443").unwrap(), "own");
        for host in ["a.example", "b.a.example:8443", "eth.blockscout.com", ""] {
            assert_eq!(found(Some("pro"), None, settings, host), None, "{host}");
        }
    }

    #[test]
    fn unreadable_key_file_is_not_named() {
        let message = |path: &Path| {
            let error = find(None, Some(path), "", PRO_HOST, &mut Vec::new()).unwrap_err();
            format!("{error:#}")
        };
        assert_eq!(message(Path::new("canary")), "CHAINGLASS_API_KEY_FILE: file not found");
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(message(folder.path()), "CHAINGLASS_API_KEY_FILE: is a directory");
    }

    #[cfg(unix)]
    #[test]
    fn readable_key_files_are_reported_without_their_content() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        fs::write(&file, "canary").unwrap();
        let mut warned = Vec::new();
        for (mode, warnings) in [(0o600, 0), (0o400, 0), (0o640, 1), (0o604, 2)] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            find(None, Some(&file), "", PRO_HOST, &mut warned).unwrap();
            assert_eq!(warned.len(), warnings, "{mode:o}");
        }
        assert!(warned.iter().all(|w| w.contains("chmod 600") && !w.contains("canary")));
    }

    #[cfg(unix)]
    #[test]
    fn check_reads_every_key_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [key, settings_file] = ["key", "config.toml"].map(|name| folder.path().join(name));
        fs::write(&settings_file, "").unwrap();
        fs::write(&key, "canary").unwrap();
        fs::set_permissions(&settings_file, fs::Permissions::from_mode(0o644)).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(0o604)).unwrap();
        let problems = |file: Option<&Path>, settings: &str| {
            let config = parse(settings);
            KeyInputs { path: &settings_file, ..inputs(None, file, &config) }.file_problems()
        };
        let missing = problems(Some(Path::new("canary")), "api_key_file = \"/nonexistent/key\"");
        assert_eq!(missing[0], "CHAINGLASS_API_KEY_FILE: file not found");
        assert!(missing[1].ends_with("config.toml: api_key_file: file not found"), "{missing:?}");
        let readable = problems(Some(&key), "api_key = \"canary\"");
        assert!(readable[0].ends_with("key") && readable[1].ends_with("config.toml"));
        assert!(readable.iter().all(|problem| problem.contains("chmod 600")), "{readable:?}");
        let empty = problems(None, "api_key = \"\"");
        assert!(empty.len() == 1 && empty[0].ends_with(": api_key: the key is empty"), "{empty:?}");
        assert_eq!(problems(None, ""), Vec::<SafeText>::new());
    }
}

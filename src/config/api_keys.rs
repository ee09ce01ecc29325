//! Where API keys are kept: the environment, a file of its own, or the configuration file.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use etcetera::home_dir;
use url::Url;

use super::secret::Secret;
use super::{Config, Settings};
use crate::api::api_key::{ApiKey, PRO_HOST};
use crate::chain::network::{Endpoint, Network};
use crate::sanitize::SafeText;

/// The variable that holds the key for `api.blockscout.com`.
const API_KEY_VARIABLE: &str = "CHAINGLASS_API_KEY";
/// The variable that says which file it is in.
const API_KEY_FILE_VARIABLE: &str = "CHAINGLASS_API_KEY_FILE";
/// More than this is no key, whatever the file is.
const MAX_KEY_FILE_BYTES: u64 = 4096;

/// What was found for an explorer.
#[derive(Debug, Default)]
pub struct KeyLookup {
    /// Its key, if it has one.
    pub key: Option<ApiKey>,
    /// Files with a key in them that others can read.
    pub warnings: Vec<SafeText>,
}

impl Config {
    /// The key for a chain's explorer. The error never repeats what was given for a key.
    pub fn api_key_for(&self, network: &Network) -> anyhow::Result<KeyLookup> {
        let Endpoint::Remote(base) = &network.endpoint else { return Ok(KeyLookup::default()) };
        self.key_inputs()?.find_key(base)
    }

    /// Whether a key for the PRO API is given. It is not looked at: what is wrong with it is said when it
    /// is needed.
    pub fn has_pro_key(&self) -> anyhow::Result<bool> {
        self.key_inputs().map(|given| given.has_pro_key())
    }

    /// The file that the settings say the PRO API's key is in.
    pub fn pro_key_file(&self) -> Option<&PathBuf> {
        self.settings.api_key_file.as_ref()
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

/// All that was given.
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
        let mut found = KeyLookup::default();
        let Some((origin, secret)) = self.find_secret(&host, &mut found.warnings)? else {
            return Ok(found);
        };
        let port = base.port_or_known_default().unwrap_or_default();
        let exact = format!("{}:{port}", base.host_str().unwrap_or_default());
        let key = ApiKey::new(&exact, &secret.0).with_context(|| origin.clone())?;
        if key.header_for(base).is_none() {
            bail!(
                "{origin}: the key for {host} is sent over https only, and this chain is at {base}"
            );
        }
        found.key = Some(key);
        Ok(found)
    }

    fn has_pro_key(&self) -> bool {
        let Settings { api_key, api_key_file, keys, .. } = self.settings;
        let mut hosts = keys.0.keys();
        self.key.is_some()
            || self.file.is_some()
            || api_key.is_some()
            || api_key_file.is_some()
            || hosts.any(|host| host.trim().eq_ignore_ascii_case(PRO_HOST))
    }

    /// The key for a host and where it is from; the environment counts before the file.
    fn find_secret(
        self,
        host: &str,
        warnings: &mut Vec<SafeText>,
    ) -> anyhow::Result<Option<(String, Secret)>> {
        let from = |name: &str| format!("{}: {name}", self.path.display());
        let mut written = self.settings.keys.0.iter();
        let own = written.find(|(name, _)| name.trim().eq_ignore_ascii_case(host));
        let inside = |name: &str, secret: &Secret| Some((from(name), secret.clone()));
        let found = if host != PRO_HOST {
            own.and_then(|(name, secret)| inside(name, secret))
        } else if let Some(secret) = self.key {
            return Ok(Some((API_KEY_VARIABLE.into(), secret)));
        } else if let Some(file) = self.file {
            return read_key_file(&file, API_KEY_FILE_VARIABLE, warnings).map(Some);
        } else if let Some((name, secret)) = own {
            inside(name, secret)
        } else if let Some(secret) = &self.settings.api_key {
            inside("api_key", secret)
        } else if let Some(file) = &self.settings.api_key_file {
            return read_key_file(file, &from("api_key_file"), warnings).map(Some);
        } else {
            None
        };
        if found.is_some() {
            warnings.extend(readable_by_others_warning(self.path));
        }
        Ok(found)
    }
}

/// A variable that is there and not empty.
fn env_secret(name: &str) -> anyhow::Result<Option<Secret>> {
    match std::env::var_os(name).map(std::ffi::OsString::into_string) {
        // The library's own error would repeat it.
        Some(Err(_)) => Err(anyhow!("{name}: not UTF-8")),
        Some(Ok(text)) if !text.trim().is_empty() => Ok(Some(Secret(text))),
        _ => Ok(None),
    }
}

/// Reads a key from a file of its own. The file is not named in errors: it may be the key itself,
/// given for a file by mistake.
fn read_key_file(
    file: &Path,
    origin: &str,
    warnings: &mut Vec<SafeText>,
) -> anyhow::Result<(String, Secret)> {
    let path = match file.strip_prefix("~") {
        Ok(rest) => home_dir()?.join(rest),
        Err(_) => file.to_owned(),
    };
    let text = read_capped(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => anyhow!("{origin}: there is no such file"),
        kind => anyhow!("{origin}: {kind}"),
    })?;
    warnings.extend(readable_by_others_warning(&path));
    Ok((origin.to_owned(), Secret(text.trim().to_owned())))
}

fn read_capped(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(MAX_KEY_FILE_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

/// What is to be said if others can read a file.
#[cfg(unix)]
fn readable_by_others_warning(path: &Path) -> Option<SafeText> {
    use std::os::unix::fs::PermissionsExt;
    let known = fs::metadata(path).ok()?;
    let open = known.is_file() && known.permissions().mode() & 0o077 != 0;
    let words = || format!("others can read the API key in {0}: chmod 600 {0}", path.display());
    open.then(|| SafeText::new(&words()))
}

#[cfg(not(unix))]
fn readable_by_others_warning(_: &Path) -> Option<Text> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;

    fn given<'a>(key: Option<&str>, file: Option<&Path>, config: &'a Config) -> KeyInputs<'a> {
        assert_eq!(config.problems, []);
        KeyInputs {
            key: key.map(|key| Secret(key.into())),
            file: file.map(Path::to_owned),
            settings: &config.settings,
            path: Path::new(""),
        }
    }

    fn secret(
        key: Option<&str>,
        file: Option<&Path>,
        settings: &str,
        host: &str,
        warnings: &mut Vec<SafeText>,
    ) -> anyhow::Result<Option<(String, Secret)>> {
        given(key, file, &parse(settings)).find_secret(host, warnings)
    }

    fn found(key: Option<&str>, file: Option<&Path>, settings: &str, host: &str) -> Option<String> {
        let found = secret(key, file, settings, host, &mut Vec::new()).unwrap();
        found.map(|(_, secret)| secret.0)
    }

    #[test]
    fn the_environment_counts_before_the_file() {
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
    fn a_key_for_the_pro_api_is_there_wherever_it_stands() {
        let file = Path::new("/nonexistent/key");
        let has = |key, file, settings: &str| given(key, file, &parse(settings)).has_pro_key();
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
    fn another_host_has_its_own_key_or_none() {
        let settings = "api_key = \"pro\"\n[keys]\n\"A.example:8443\" = \"own\"";
        assert_eq!(found(Some("pro"), None, settings, "a.example:8443").unwrap(), "own");
        for host in ["a.example", "b.a.example:8443", "eth.blockscout.com", ""] {
            assert_eq!(found(Some("pro"), None, settings, host), None, "{host}");
        }
    }

    #[test]
    fn a_key_file_that_is_none_is_not_named() {
        let words = |path: &Path| {
            let error = secret(None, Some(path), "", PRO_HOST, &mut Vec::new()).unwrap_err();
            format!("{error:#}")
        };
        assert_eq!(words(Path::new("canary")), "CHAINGLASS_API_KEY_FILE: there is no such file");
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(words(folder.path()), "CHAINGLASS_API_KEY_FILE: is a directory");
    }

    #[cfg(unix)]
    #[test]
    fn files_that_others_can_read_are_named_without_what_is_in_them() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        fs::write(&file, "canary").unwrap();
        let mut warned = Vec::new();
        for (mode, warnings) in [(0o600, 0), (0o400, 0), (0o640, 1), (0o604, 2)] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            secret(None, Some(&file), "", PRO_HOST, &mut warned).unwrap();
            assert_eq!(warned.len(), warnings, "{mode:o}");
        }
        assert!(warned.iter().all(|w| w.contains("chmod 600") && !w.contains("canary")));
    }
}

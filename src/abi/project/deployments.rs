//! Names that a project's scripts gave to what they deployed, by the files of Ignition, hardhat-deploy and
//! Foundry.
//!
//! The files stay when a node begins again, and its addresses are the same. So a name counts only for an
//! address that has code of the contract that was deployed there.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::is_own;
use crate::chain::Address;
use crate::sanitize::SafeText;
use crate::secure_fs;

const IGNITION: &str = "ignition/deployments";
const HARDHAT_DEPLOY: &str = "deployments";
const BROADCAST: &str = "broadcast";
/// Folders with deployments, below the project's root.
pub(super) const DEPLOYMENT_FOLDERS: [&str; 3] = [IGNITION, HARDHAT_DEPLOY, BROADCAST];
/// Maximum entries of a folder, names of a file, and bytes of all files.
const MAX_ENTRIES: usize = 1_000;
const MAX_BYTES: u64 = 64 << 20;
const MAX_FILE_BYTES: u64 = 4 << 20;
/// Maximum bytes of a journal before the end of its first line.
const MAX_HEAD_BYTES: u64 = 4 << 10;
/// Maximum bytes of an artifact before the end of the contract's name.
const MAX_ARTIFACT_HEAD_BYTES: u64 = 16 << 10;
const MAX_NAME_BYTES: usize = 100;

/// Deployments of a project by chain and address.
#[derive(Debug, Default)]
pub struct Deployments {
    /// The latest of an address first, and its shortest name.
    by_address: HashMap<(u64, Address), Vec<Deployment>>,
    /// Number of addresses with a name on a chain.
    owners: HashMap<(u64, String), usize>,
}

/// A deployment in a file.
#[derive(Debug)]
struct Deployment {
    chain_id: u64,
    address: Address,
    module: Option<String>,
    name: String,
    contract: String,
    /// Number of its folder, and the time at which the file was written.
    folder: usize,
    written: Option<SystemTime>,
}

impl Deployments {
    pub(super) fn read(root: &Path) -> Self {
        let mut files = DeploymentFiles { left: MAX_BYTES, folder: 0, found: Vec::new() };
        files.read_ignition(&root.join(IGNITION));
        files.read_hardhat_deploy(&root.join(HARDHAT_DEPLOY));
        files.read_broadcast(&root.join(BROADCAST));
        Self::new(files.found)
    }

    fn new(found: Vec<Deployment>) -> Self {
        let mut by_address: HashMap<(u64, Address), Vec<Deployment>> = HashMap::new();
        for deployment in found {
            let all = by_address.entry((deployment.chain_id, deployment.address)).or_default();
            all.push(deployment);
        }
        for all in by_address.values_mut() {
            all.sort_by_cached_key(|one| (Reverse(one.written), one.name.len(), one.name.clone()));
        }
        let mut owners: HashMap<(u64, String), usize> = HashMap::new();
        for ((chain_id, _), all) in &by_address {
            let names: HashSet<String> = all.iter().flat_map(Deployment::names).collect();
            for name in names {
                *owners.entry((*chain_id, name)).or_default() += 1;
            }
        }
        Self { by_address, owners }
    }

    /// Returns the name of an address with the code of one of some contracts: `Gold`, or with the module that
    /// distinguishes it from others, `Third#Gold`.
    pub fn name(&self, chain_id: u64, address: Address, contracts: &[&str]) -> Option<SafeText> {
        let all = self.by_address.get(&(chain_id, address))?;
        // The proxy may have another name there, of the implementation that it began with.
        let is_of = |folder: usize| {
            let mut same = all.iter().filter(|deployment| deployment.folder == folder);
            same.any(|deployment| contracts.contains(&&*deployment.contract))
        };
        let names =
            all.iter().filter(|deployment| is_of(deployment.folder)).flat_map(Deployment::names);
        let mut only = names.filter(|name| self.owners.get(&(chain_id, name.clone())) == Some(&1));
        Some(SafeText::new(&only.next()?))
    }
}

impl Deployment {
    /// Returns the name alone, and with its module.
    fn names(&self) -> impl Iterator<Item = String> {
        let long = self.module.as_ref().map(|module| [module, "#", &self.name].concat());
        [self.name.clone()].into_iter().chain(long)
    }
}

struct DeploymentFiles {
    /// Bytes that may still be read.
    left: u64,
    /// Number of the folder that is read.
    folder: usize,
    found: Vec<Deployment>,
}

#[derive(Deserialize)]
struct DeployedFile {
    address: Address,
    /// JSON in JSON.
    metadata: Option<String>,
}

#[derive(Deserialize)]
struct Broadcast {
    transactions: Vec<BroadcastTransaction>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BroadcastTransaction {
    transaction_type: Option<String>,
    contract_name: Option<String>,
    contract_address: Option<Address>,
}

impl DeploymentFiles {
    /// `ignition/deployments/chain-31337/deployed_addresses.json`: `{"Main#Gold": "0x…"}`.
    fn read_ignition(&mut self, folder: &Path) {
        for deployment in folders(folder) {
            self.folder += 1;
            let Some(chain_id) = ignition_chain(&deployment) else { continue };
            let file = deployment.join("deployed_addresses.json");
            let (folder, written) = (self.folder, written(&file));
            let addresses: Option<Map<String, Value>> = self.read_json(&file);
            for (id, address) in addresses.into_iter().flatten().take(MAX_ENTRIES) {
                let address = address.as_str().and_then(|address| address.parse().ok());
                let (Some(address), Some((module, name))) = (address, id.split_once('#')) else {
                    continue;
                };
                // A file name, not a way to other folders.
                let is_file = !id.contains(['/', '\\']);
                let artifact = deployment.join("artifacts").join(format!("{id}.json"));
                let contract = is_file.then(|| self.read_contract_name(&artifact)).flatten();
                let contract = contract.unwrap_or_else(|| name.to_owned());
                self.add(Deployment {
                    chain_id,
                    address,
                    module: Some(module.to_owned()),
                    name: name.to_owned(),
                    contract,
                    folder,
                    written,
                });
            }
        }
    }

    /// `deployments/localhost/Gold.json`: `{"address": "0x…"}`, next to `.chainId`.
    fn read_hardhat_deploy(&mut self, folder: &Path) {
        for network in folders(folder) {
            self.folder += 1;
            let chain_id = secure_fs::read_own_text(&network.join(".chainId"), MAX_HEAD_BYTES);
            let chain_id = chain_id.ok().and_then(|id| id.trim().parse().ok());
            let Some(chain_id) = chain_id else { continue };
            for file in entries(&network) {
                let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                let Some(name) = name.strip_suffix(".json").map(str::to_owned) else { continue };
                let Some(deployed) = self.read_json::<DeployedFile>(&file) else { continue };
                let contract = deployed.contract().unwrap_or_else(|| name.clone());
                self.add(Deployment {
                    chain_id,
                    address: deployed.address,
                    module: None,
                    name,
                    contract,
                    folder: self.folder,
                    written: written(&file),
                });
            }
        }
    }

    /// `broadcast/Deploy.s.sol/31337/run-latest.json`, with the transactions of the last run.
    fn read_broadcast(&mut self, folder: &Path) {
        for chain in folders(folder).iter().flat_map(|script| folders(script)) {
            let number = chain.file_name().and_then(|name| name.to_str()?.parse().ok());
            let Some(chain_id) = number else { continue };
            self.folder += 1;
            let file = chain.join("run-latest.json");
            let (folder, written) = (self.folder, written(&file));
            let run: Option<Broadcast> = self.read_json(&file);
            for sent in run.into_iter().flat_map(|run| run.transactions).take(MAX_ENTRIES) {
                let creates =
                    matches!(sent.transaction_type.as_deref(), Some("CREATE" | "CREATE2"));
                let deployed = sent.contract_name.zip(sent.contract_address);
                if let Some((name, address)) = deployed.filter(|_| creates) {
                    let (module, contract) = (None, name.clone());
                    self.add(Deployment {
                        chain_id,
                        address,
                        module,
                        name,
                        contract,
                        folder,
                        written,
                    });
                }
            }
        }
    }

    /// Reads a file of the user's own. An invalid one is passed by.
    fn read_json<T: for<'de> Deserialize<'de>>(&mut self, path: &Path) -> Option<T> {
        let text = secure_fs::read_own_text(path, self.left.min(MAX_FILE_BYTES)).ok()?;
        self.left = self.left.saturating_sub(text.len() as u64);
        serde_json::from_str(&text).ok()
    }

    /// Returns the name of the contract in an artifact, which has it before its long fields.
    fn read_contract_name(&mut self, artifact: &Path) -> Option<String> {
        let most = self.left.min(MAX_ARTIFACT_HEAD_BYTES);
        let head = secure_fs::read_own_head(artifact, most).ok()?;
        self.left = self.left.saturating_sub(head.len() as u64);
        let (_, rest) = head.split_once("\"contractName\"")?;
        let value = rest.trim_start().strip_prefix(':')?;
        serde_json::Deserializer::from_str(value).into_iter().next()?.ok()
    }

    fn add(&mut self, deployment: Deployment) {
        let names = [Some(&deployment.name), deployment.module.as_ref()];
        if names.into_iter().flatten().all(|name| (1..=MAX_NAME_BYTES).contains(&name.len())) {
            self.found.push(deployment);
        }
    }
}

impl DeployedFile {
    /// Returns the name of the contract in the compiler's metadata.
    fn contract(&self) -> Option<String> {
        let metadata: Value = serde_json::from_str(self.metadata.as_deref()?).ok()?;
        let target = metadata.pointer("/settings/compilationTarget")?.as_object()?;
        Some(target.values().next()?.as_str()?.to_owned())
    }
}

/// Returns the id of a deployment's chain, by its journal or by its name.
fn ignition_chain(deployment: &Path) -> Option<u64> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Start {
        chain_id: u64,
    }
    let journal = deployment.join("journal.jsonl");
    let head = secure_fs::read_own_head(&journal, MAX_HEAD_BYTES).unwrap_or_default();
    let started = head.lines().find_map(|line| serde_json::from_str::<Start>(line).ok());
    let named = || deployment.file_name()?.to_str()?.strip_prefix("chain-")?.parse().ok();
    started.map(|start| start.chain_id).or_else(named)
}

fn written(file: &Path) -> Option<SystemTime> {
    file.symlink_metadata().ok()?.modified().ok()
}

/// Returns the folders in a folder, all of which are the user's own and no links.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let is_folder =
        |path: &PathBuf| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    entries(folder).into_iter().filter(|path| is_folder(path) && is_own(path)).collect()
}

/// Returns the first entries of a folder that is the user's own and no link, in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let is_real = folder.canonicalize().is_ok_and(|real| real == folder);
    let read = fs::read_dir(folder).ok().filter(|_| is_real && is_own(folder));
    let entries = read.into_iter().flatten().flatten().take(MAX_ENTRIES);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort_unstable();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deployment(address: u8, module: Option<&str>, name: &str, contract: &str) -> Deployment {
        Deployment {
            chain_id: 1,
            address: Address::with_last_byte(address),
            module: module.map(str::to_owned),
            name: name.to_owned(),
            contract: contract.to_owned(),
            folder: 0,
            written: None,
        }
    }

    #[test]
    fn module_distinguishes_equal_names() {
        let all = Deployments::new(vec![
            deployment(1, Some("Main"), "Gold", "Token"),
            deployment(2, Some("Main"), "VaultProxy", "VaultProxy"),
            deployment(2, Some("Main"), "Vault", "VaultV1"),
            Deployment { folder: 1, ..deployment(2, Some("Old"), "Till", "Till") },
            deployment(3, Some("Main"), "Router", "Router"),
            deployment(4, Some("Third"), "Router", "Router"),
            deployment(5, None, "Desk", "Desk"),
            deployment(6, None, "Desk", "Desk"),
        ]);
        let name = |address: u8, contracts: &[&str]| {
            let address = Address::with_last_byte(address);
            all.name(1, address, contracts).map(|name| name.to_string())
        };
        assert_eq!(name(1, &["Token"]).as_deref(), Some("Gold"));
        assert_eq!(name(2, &["VaultProxy"]).as_deref(), Some("Vault"));
        assert_eq!(name(4, &["Router"]).as_deref(), Some("Third#Router"));
        assert_eq!((name(5, &["Desk"]), name(1, &["Desk"])), (None, None), "ambiguous, other code");
        assert_eq!(all.name(2, Address::with_last_byte(1), &["Token"]), None, "another chain");
    }

    #[test]
    fn only_the_head_of_an_artifact_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let deployment = root.join(IGNITION).join("chain-1");
        fs::create_dir_all(deployment.join("artifacts")).unwrap();
        let address = Address::with_last_byte(7);
        let names = serde_json::json!({ "Main#Proxy": address }).to_string();
        fs::write(deployment.join("deployed_addresses.json"), names).unwrap();
        let code = "0".repeat(4 << 20);
        let artifact = format!(
            "{{\n  \"_format\": \"hh\",\n  \"contractName\": \"Gold\",\n  \"bytecode\": \"{code}\"}}"
        );
        fs::write(deployment.join("artifacts/Main#Proxy.json"), artifact).unwrap();
        let name = |contract: &str| Deployments::read(&root).name(1, address, &[contract]);
        assert_eq!((name("Gold").as_deref(), name("Proxy")), (Some("Proxy"), None));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (elsewhere, ignition) = (root.join("elsewhere"), root.join("ignition"));
        fs::create_dir_all(elsewhere.join("chain-1")).unwrap();
        fs::create_dir(&ignition).unwrap();
        let address = Address::with_last_byte(7);
        let names = serde_json::json!({ "Main#Gold": address }).to_string();
        fs::write(elsewhere.join("chain-1/deployed_addresses.json"), names).unwrap();
        let name = || Deployments::read(&root).name(1, address, &["Gold"]);
        let deployments = ignition.join("deployments");
        std::os::unix::fs::symlink(&elsewhere, &deployments).unwrap();
        assert_eq!(name(), None);
        fs::remove_file(&deployments).unwrap();
        fs::rename(&elsewhere, &deployments).unwrap();
        assert_eq!(name().as_deref(), Some("Gold"));
    }
}

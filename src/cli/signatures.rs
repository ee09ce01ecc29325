//! Signatures that are loaded at startup.

use crate::abi::{SignatureDb, abi_dir};
use crate::config;
use crate::net::provider::Provider;
use crate::output::print_note;

/// Loads the built-in signatures, and those that the user entered earlier.
pub(super) fn load_signatures() -> SignatureDb {
    let mut signatures = SignatureDb::builtin();
    let file = config::signatures_file().and_then(|path| config::read_text(&path).ok());
    for signature in file.iter().flat_map(|file| file.lines()) {
        // The user may edit the file: skips invalid lines.
        let _ = signatures.add_signature(signature);
    }
    signatures
}

/// Loads all signatures: also the user's ABI files, and the project's contracts on its own chain.
pub(super) async fn load_all_signatures(provider: &Provider) -> SignatureDb {
    let mut signatures = load_signatures();
    for problem in config::abi_dir().iter().flat_map(|dir| abi_dir::load(&mut signatures, dir)) {
        print_note(&problem.to_string());
    }
    if let Some(project) = provider.take_project_signatures().await {
        signatures.merge((*project).clone());
    }
    signatures
}

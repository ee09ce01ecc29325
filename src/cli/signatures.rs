//! The signatures that are loaded at startup.

use crate::abi::SignatureDb;
use crate::chain::network::{Endpoint, Network};
use crate::config;

/// Loads the built-in signatures, those of the demo chain, and those that the user entered earlier.
pub(super) fn load_signatures(network: &Network) -> SignatureDb {
    let mut signatures = SignatureDb::builtin();
    if network.endpoint == Endpoint::Embedded {
        signatures.add_demo();
    }
    let file = config::signatures_file().and_then(|path| config::read_text(&path).ok());
    for signature in file.iter().flat_map(|file| file.lines()) {
        // The user may edit the file: skips invalid lines.
        let _ = signatures.add_signature(signature);
    }
    signatures
}

//! The signatures that are loaded at startup.

use crate::abi::SignatureDb;
use crate::config;

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

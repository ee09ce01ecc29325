//! The signatures that are known from the start.

use crate::abi::SignatureDb;
use crate::chain::network::{Endpoint, Network};
use crate::config;

/// The built-in ones, the demo chain's own, and those
/// that the user typed before.
pub(super) fn load_signatures(network: &Network) -> SignatureDb {
    let mut book = SignatureDb::builtin();
    if network.endpoint == Endpoint::Embedded {
        book.add_demo();
    }
    let typed = config::signatures_file().and_then(|path| config::read_text(&path).ok());
    for signature in typed.iter().flat_map(|typed| typed.lines()) {
        // A line that is none was typed into the file by hand; the others still count.
        let _ = book.add_signature(signature);
    }
    book
}

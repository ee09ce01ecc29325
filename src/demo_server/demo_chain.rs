//! The archive of the demo chain, and its highlights.

use std::io::{BufRead, BufReader, Cursor, Read};
use std::sync::Arc;

use serde::de::DeserializeOwned;
use thiserror::Error;
use zip::{ZipArchive, read::ZipFile};

/// The tables of the chain; `assets/demo/README.md` describes them.
static CHAIN_ZIP: &[u8] = include_bytes!("../../assets/demo/chain.zip");

/// An address or a transaction of the demo chain for the start page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Highlight {
    pub name: &'static str,
    /// Its address (20 bytes) or transaction hash (32 bytes).
    pub hash: &'static str,
    pub description: &'static str,
}

/// The highlights. They are constants, so that the start page does not open the archive.
pub const HIGHLIGHTS: [Highlight; 9] = [
    Highlight {
        name: "Alice",
        hash: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
        description: "the busiest account: 826 transactions, 2238 token transfers, 58 NFT collections",
    },
    Highlight {
        name: "Router swap",
        hash: "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5",
        description: "a swap through four pools and five tokens: 26 calls",
    },
    Highlight {
        name: "Reentrancy",
        hash: "0xae67d57a8f9c1ec28c8ce9e5e30a00d9a62b2858e99bd1299bc6f8222d477efa",
        description: "a reentrancy attack: 1 ETH in, 6 ETH out",
    },
    Highlight {
        name: "Deep revert",
        hash: "0xdfb1e46155218dee231ecdef3b29a02bcbcbc2f1b216450885f79f4a0c28166c",
        description: "an error seven calls deep reverts everything",
    },
    Highlight {
        name: "Swallowed errors",
        hash: "0x8fead60105b67d1c1d4cb7f34bae2f09bfb9b852a282ba481e2084b7ae7ca89f",
        description: "nine inner calls fail in different ways, and the transaction succeeds",
    },
    Highlight {
        name: "Recursor",
        hash: "0x7ef8E99980Da5bcEDcF7C10f41E55f759F6A174B",
        description: "a contract with 17,378 internal transactions",
    },
    Highlight {
        name: "Zero address",
        hash: "0x0000000000000000000000000000000000000000",
        description: "where tokens are minted from and burnt to",
    },
    Highlight {
        name: "Hostile token",
        hash: "0x0165878A594ca255338adfa4d48449f69242Eb8F",
        description: "a token whose name tries to take over the terminal",
    },
    Highlight {
        name: "Exactly 51",
        hash: "0x71bE63f3384f5fb98995898A86B02Fb2426c5788",
        description: "51 transactions, one more than fits a page",
    },
];

/// The bundled archive is damaged: an error of the build, not of the request.
#[derive(Clone, Debug, Error)]
#[error("the demo chain cannot be read: {0}")]
pub struct DemoDataError(Arc<str>);

impl From<anyhow::Error> for DemoDataError {
    fn from(error: anyhow::Error) -> Self {
        Self(error.to_string().into())
    }
}

/// The bundled archive, which is decompressed anew for each read.
#[derive(Clone, Debug)]
pub(crate) struct DemoArchive(ZipArchive<Cursor<&'static [u8]>>);

impl DemoArchive {
    /// Opens the archive, reading only its directory.
    pub(crate) fn open() -> anyhow::Result<Self> {
        Ok(Self(ZipArchive::new(Cursor::new(CHAIN_ZIP))?))
    }

    /// Calls `visit` with each line of a JSON Lines member, holding one line in memory at a time.
    pub(crate) fn read_lines<T: DeserializeOwned>(
        &self,
        member: &str,
        mut visit: impl FnMut(T),
    ) -> anyhow::Result<()> {
        let mut archive = self.0.clone();
        let mut lines = BufReader::new(open_member(&mut archive, member)?);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 {
            visit(serde_json::from_slice(&line)?);
            line.clear();
        }
        Ok(())
    }

    pub(crate) fn read_value<T: DeserializeOwned>(&self, member: &str) -> anyhow::Result<T> {
        let mut archive = self.0.clone();
        let mut text = Vec::new();
        open_member(&mut archive, member)?.read_to_end(&mut text)?;
        Ok(serde_json::from_slice(&text)?)
    }
}

fn open_member<'a>(
    archive: &'a mut ZipArchive<Cursor<&'static [u8]>>,
    member: &str,
) -> anyhow::Result<ZipFile<'a, Cursor<&'static [u8]>>> {
    Ok(archive.by_name(member)?)
}

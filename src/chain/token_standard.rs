//! The standards of tokens, by which lists are filtered, records of tokens are read and responses of
//! tokens are written.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

/// A token standard, in the order in which collections are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(try_from = "&str", into = "&str")]
#[derive(EnumString, IntoStaticStr, VariantNames)]
#[strum(ascii_case_insensitive)]
pub enum TokenStandard {
    #[strum(serialize = "ERC-20")]
    Erc20,
    #[strum(serialize = "ERC-721")]
    Erc721,
    /// Multi-token: an amount of each id.
    #[strum(serialize = "ERC-1155")]
    Erc1155,
    #[strum(serialize = "ERC-404")]
    Erc404,
    /// Confidential. Known to explorers since version 10.
    #[strum(serialize = "ERC-7984")]
    Erc7984,
}

impl TokenStandard {
    /// The standards that every explorer knows.
    pub const COMMON: [Self; 4] = [Self::Erc20, Self::Erc721, Self::Erc1155, Self::Erc404];
}

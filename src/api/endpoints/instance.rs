//! The endpoints of an NFT.

use strum::{IntoStaticStr, VariantNames};

use super::token::Holder;
use super::{ApiEndpoint, item, page};
use crate::api::endpoints::subject::{InstanceKey, Subject};
use crate::api::nft_instances::TokenInstance;
use crate::api::token_transfers::TokenTransfer;

/// A query for an NFT, or for something of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, IntoStaticStr, VariantNames)]
pub enum InstanceQuery {
    Details,
    Transfers,
    Holders,
}

impl InstanceQuery {
    pub(super) fn endpoint(&self, key: InstanceKey) -> ApiEndpoint {
        let row = |path, decode| ApiEndpoint::new(Subject::Instance(key), path, decode);
        match self {
            Self::Details => row("", item::<TokenInstance>),
            Self::Transfers => {
                ApiEndpoint { words: "token transfers", ..row("transfers", page::<TokenTransfer>) }
            }
            Self::Holders => ApiEndpoint {
                viewed: Some(key.token),
                accepts_null: |key| key == "value",
                ..row("holders", page::<Holder>)
            },
        }
    }
}

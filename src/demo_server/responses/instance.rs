//! Instances: NFTs and the ids of multi-tokens.

use alloy_primitives::U256;
use serde::Serialize;

use super::{Address, address};
use crate::demo_server::{
    demo_chain::Broken,
    models::{self, Token, TokenType},
    serde_util,
    store::Ledger,
};

/// An instance, inside other objects or in a list of its own.
#[derive(Debug, Serialize)]
pub(crate) struct Instance<'a> {
    #[serde(flatten)]
    record: &'a models::Instance,
    is_unique: Option<bool>,
    owner: Option<Address<'a>>,
    token: Option<&'a Token>,
    thumbnails: Option<()>,
    media_type: Option<()>,
    #[serde(flatten)]
    holding: Option<Holding>,
}

/// What the lists of one holder add.
#[derive(Debug, Serialize)]
struct Holding {
    token_type: TokenType,
    #[serde(with = "serde_util::text")]
    value: U256,
}

impl<'a> Instance<'a> {
    fn new(record: &'a models::Instance, token: Option<&'a Token>) -> Self {
        Self {
            record,
            is_unique: None,
            owner: None,
            token,
            thumbnails: None,
            media_type: None,
            holding: None,
        }
    }

    /// A preview in a collection, whose token is said once beside it.
    pub(crate) fn preview(record: &'a models::Instance, of: TokenType, value: U256) -> Self {
        Self { holding: Some(Holding { token_type: of, value }), ..Self::new(record, None) }
    }
}

/// Renders an instance as part of a transfer or a balance, where the real service does not work
/// out whose it is.
pub(crate) fn instance_part<'a>(
    ledger: &'a Ledger,
    token: &'a Token,
    id: Option<U256>,
) -> Result<Option<Instance<'a>>, Broken> {
    let instances = ledger.instances()?.get(&token.address_hash);
    let record = instances.zip(id).and_then(|(all, id)| all.get(&id));
    Ok(record.map(|record| Instance::new(record, Some(token))))
}

/// Renders an item of a token's own list; `held` is how much one holder has, when only that
/// holder's are listed.
pub(crate) fn instance<'a>(
    ledger: &'a Ledger,
    record: &'a models::Instance,
    token: &'a Token,
    held: Option<U256>,
) -> Result<Instance<'a>, Broken> {
    Ok(Instance {
        is_unique: Some(record.is_unique),
        owner: record.owner.map(|owner| address(ledger, owner)).transpose()?,
        holding: held.map(|value| Holding { token_type: token.standard, value }),
        ..Instance::new(record, Some(token))
    })
}

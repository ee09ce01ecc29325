//! Instances: NFTs and the ids of multi-tokens.

use alloy_primitives::U256;
use serde::Serialize;

use super::{AddressResponse, address};
use crate::demo_server::{
    demo_chain::DemoDataError,
    models::{self, DemoTokenType, TokenRecord},
    serde_util,
    store::Store,
};

/// An instance, inside other objects or in a list of its own.
#[derive(Debug, Serialize)]
pub(crate) struct InstanceResponse<'a> {
    #[serde(flatten)]
    record: &'a models::InstanceRecord,
    is_unique: Option<bool>,
    owner: Option<AddressResponse<'a>>,
    token: Option<&'a TokenRecord>,
    thumbnails: Option<()>,
    media_type: Option<()>,
    #[serde(flatten)]
    holding: Option<HoldingResponse>,
}

/// What the lists of one holder add.
#[derive(Debug, Serialize)]
struct HoldingResponse {
    token_type: DemoTokenType,
    #[serde(with = "serde_util::text")]
    value: U256,
}

impl<'a> InstanceResponse<'a> {
    fn new(record: &'a models::InstanceRecord, token: Option<&'a TokenRecord>) -> Self {
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
    pub(crate) fn preview(
        record: &'a models::InstanceRecord,
        of: DemoTokenType,
        value: U256,
    ) -> Self {
        Self { holding: Some(HoldingResponse { token_type: of, value }), ..Self::new(record, None) }
    }
}

/// Renders an instance as part of a transfer or a balance, where the real service does not work
/// out whose it is.
pub(crate) fn nested_instance<'a>(
    ledger: &'a Store,
    token: &'a TokenRecord,
    id: Option<U256>,
) -> Result<Option<InstanceResponse<'a>>, DemoDataError> {
    let instances = ledger.instances()?.get(&token.address_hash);
    let record = instances.zip(id).and_then(|(all, id)| all.get(&id));
    Ok(record.map(|record| InstanceResponse::new(record, Some(token))))
}

/// Renders an item of a token's own list; `held` is how much one holder has, when only that
/// holder's are listed.
pub(crate) fn instance<'a>(
    ledger: &'a Store,
    record: &'a models::InstanceRecord,
    token: &'a TokenRecord,
    held: Option<U256>,
) -> Result<InstanceResponse<'a>, DemoDataError> {
    Ok(InstanceResponse {
        is_unique: Some(record.is_unique),
        owner: record.owner.map(|owner| address(ledger, owner)).transpose()?,
        holding: held.map(|value| HoldingResponse { token_type: token.standard, value }),
        ..InstanceResponse::new(record, Some(token))
    })
}

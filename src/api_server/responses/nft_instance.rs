//! Token instances: NFTs and the ids of ERC-1155 tokens.

use alloy_primitives::U256;
use serde::Serialize;

use super::{AddressResponse, optional_address};
use crate::api_server::request::{JsonResult, RequestContext, to_json};
use crate::chain::token_standard::TokenStandard;
use crate::store::{InstanceRecord, Snapshot, StoreResult, TokenRecord, serde_util};

#[derive(Debug, Serialize)]
pub(crate) struct InstanceResponse<'a> {
    #[serde(flatten)]
    record: &'a InstanceRecord,
    is_unique: Option<bool>,
    owner: Option<OwnerResponse<'a>>,
    token: Option<&'a TokenRecord>,
    thumbnails: Option<()>,
    media_type: Option<()>,
    #[serde(flatten)]
    holding: Option<HoldingResponse>,
}

/// The owner of a unique instance.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum OwnerResponse<'a> {
    Known(AddressResponse<'a>),
    /// There is one, without a hash.
    Unknown {
        hash: (),
    },
}

/// The fields that only the lists of a holder have.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct HoldingResponse {
    pub(crate) token_type: TokenStandard,
    #[serde(with = "serde_util::option")]
    pub(crate) value: Option<U256>,
}

impl<'a> InstanceResponse<'a> {
    fn new(record: &'a InstanceRecord, token: Option<&'a TokenRecord>) -> Self {
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
}

/// Renders an instance inside a collection, which has the token itself.
pub(crate) fn preview<'a>(
    snapshot: &'a Snapshot,
    record: &'a InstanceRecord,
    holding: HoldingResponse,
) -> StoreResult<InstanceResponse<'a>> {
    let record = snapshot.state.instance(record.token, record.id)?.unwrap_or(record);
    Ok(InstanceResponse { holding: Some(holding), ..InstanceResponse::new(record, None) })
}

/// Renders an instance inside a transfer or a balance, where Blockscout leaves out the owner.
pub(crate) fn nested_instance<'a>(
    snapshot: &'a Snapshot,
    token: &'a TokenRecord,
    id: Option<U256>,
) -> StoreResult<Option<InstanceResponse<'a>>> {
    let Some(id) = id else { return Ok(None) };
    let record = snapshot.state.instance(token.address_hash, id)?;
    Ok(record.map(|record| InstanceResponse::new(record, Some(token))))
}

/// Renders an instance in the list of its token, perhaps of one holder.
pub(crate) fn instance<'a>(
    snapshot: &'a Snapshot,
    record: &'a InstanceRecord,
    token: &'a TokenRecord,
    holding: Option<HoldingResponse>,
) -> StoreResult<InstanceResponse<'a>> {
    // The list has perhaps no metadata.
    let record = snapshot.state.instance(record.token, record.id)?.unwrap_or(record);
    let owner = if record.is_owner_unknown {
        Some(OwnerResponse::Unknown { hash: () })
    } else {
        optional_address(snapshot, record.owner)?.map(OwnerResponse::Known)
    };
    Ok(InstanceResponse {
        is_unique: Some(record.is_unique),
        owner,
        holding,
        ..InstanceResponse::new(record, Some(token))
    })
}

/// Renders an instance alone.
pub(crate) fn instance_detail(request: &RequestContext<'_>, record: &InstanceRecord) -> JsonResult {
    let token = request.snapshot.state.token(record.token)?.ok_or_else(|| request.not_found())?;
    to_json(&instance(request.snapshot, record, token, None)?)
}

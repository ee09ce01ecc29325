//! Which blocks a response is about: an addition of this program's own server.

use super::json::Json;
use super::json_fields::{Field, FromJson, RawObject};
use crate::chain::coverage::{BlockCoverage, MissingBlocks};
use crate::sanitize::SafeText;

impl FromJson for BlockCoverage {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
        let number = |name| object.field::<u64>(&[name]).value().copied();
        let reason: Field<SafeText> = object.field(&["reason"]);
        let older = reason.value().and_then(|reason| reason.parse().ok());
        let (Some(first_block), Some(older)) = (number("from_block"), older) else {
            return Err("unknown coverage of blocks".into());
        };
        let older = match older {
            MissingBlocks::Forked { .. } => {
                MissingBlocks::Forked { chain_id: number("forked_chain_id") }
            }
            older => older,
        };
        let last_block = number("to_block").unwrap_or(first_block.saturating_sub(1));
        Ok(Self { first_block, last_block, older })
    }
}

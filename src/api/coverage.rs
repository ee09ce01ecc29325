//! Which blocks a response is about: an addition of this program's own server.

use super::json::Json;
use super::json_fields::{Field, FromJson, RawObject};
use crate::chain::coverage::{BlockCoverage, MissingBlocks};
use crate::sanitize::SafeText;

impl FromJson for BlockCoverage {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
        let number = |name| object.field::<u64>(&[name]).value().copied();
        let unknown = || SafeText::from("unknown coverage of blocks");
        let unreadable = number("unreadable_blocks").unwrap_or(0);
        let reason: Field<SafeText> = object.field(&["reason"]);
        let older = reason.value().map(|reason| reason.parse());
        let mut older = older.transpose().map_err(|_| unknown())?;
        if let Some(MissingBlocks::Forked { chain_id }) = &mut older {
            *chain_id = number("forked_chain_id");
        }
        let is_whole = unreadable == 0 && older.is_none();
        let first_block = number("from_block").filter(|_| !is_whole).ok_or_else(unknown)?;
        let last_block = number("to_block").unwrap_or(first_block.saturating_sub(1));
        Ok(Self { first_block, last_block, unreadable, older })
    }
}

//! The block of a time, by the older API that explorers keep next to their own
//! (`/api?module=block&action=getblocknobytime`). Its answers have status 200 whatever they are.

use super::ReplyResult;
use super::error::ApiError;
use super::exchange::Params;
use super::json::{Json, type_error};
use super::json_fields::{Field, FromJson, RawObject};
use super::reply::{Reply, ReplyData};
use crate::chain::target::TargetKind;
use crate::chain::{BlockId, Timestamp};
use crate::messages::api_error::{BlockTimeError, NO_REASON};
use crate::sanitize::SafeText;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockByTime {
    Found(u64),
    /// The chain begins later.
    BeforeFirst,
    Refused(SafeText),
}

impl ReplyData for BlockByTime {}

/// The number before the first block's, in place of a block before all others.
const BEFORE_FIRST: &str = "-1";
const MAX_MESSAGE_CHARS: usize = 300;

impl FromJson for BlockByTime {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let response = RawObject::parse(json)?;
        let Some(result) = response.raw(&["result"]) else {
            let sent = response.field::<SafeText>(&["message"]);
            let message = sent.value().map_or(NO_REASON, |message| &**message);
            return Ok(Self::Refused(SafeText::bounded(message, MAX_MESSAGE_CHARS)));
        };
        // An object, elsewhere the number itself.
        let number = match RawObject::parse(json.part(result)) {
            Ok(result) => result.field(&["blockNumber"]),
            Err(_) => response.field::<SafeText>(&["result"]),
        };
        let unknown = || type_error("the number of a block", json);
        match number {
            Field::Present(number) if &*number == BEFORE_FIRST => Ok(Self::BeforeFirst),
            Field::Present(number) => number.parse().map(Self::Found).map_err(|_| unknown()),
            Field::Absent | Field::Invalid(_) => Err(unknown()),
        }
    }
}

/// Returns the parameters for the newest block that is not newer than a time.
pub(super) fn params(time: Timestamp) -> Params {
    vec![
        ("module", "block".to_owned()),
        ("action", "getblocknobytime".to_owned()),
        ("timestamp", time.as_second().to_string()),
        ("closest", "before".to_owned()),
    ]
}

/// Returns the block of a time in the reply of the server at a host.
pub fn block_at_time(
    reply: &ReplyResult,
    time: Timestamp,
    host: Option<&str>,
) -> Result<TargetKind, BlockTimeError> {
    match reply.as_ref().map(Reply::get) {
        Ok(Some(BlockByTime::Found(number))) => Ok(TargetKind::Block(BlockId::Number(*number))),
        Ok(Some(BlockByTime::BeforeFirst)) => Err(BlockTimeError::BeforeFirst(time)),
        Ok(Some(BlockByTime::Refused(why))) => Err(BlockTimeError::Refused { why: why.clone() }),
        Ok(None) | Err(ApiError::Refused { status: 400 | 404 | 501, .. }) => {
            Err(BlockTimeError::Unsupported)
        }
        Err(error) => Err(BlockTimeError::Explorer(error.with_host(host))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Query;

    fn decode(body: &str) -> Result<BlockByTime, ApiError> {
        let reply = Query::BlockByTime(Timestamp::UNIX_EPOCH).decode(body.as_bytes(), None)?;
        Ok(reply.get::<BlockByTime>().unwrap().clone())
    }

    #[test]
    fn numbers_and_refusals_of_many_servers_are_read() {
        let refused = |why: &str| BlockByTime::Refused(why.into());
        for (body, expected) in [
            (
                r#"{"status":"1","message":"OK","result":{"blockNumber":"333"}}"#,
                BlockByTime::Found(333),
            ),
            (r#"{"status":"1","message":"OK","result":"333"}"#, BlockByTime::Found(333)),
            (r#"{"result":{"blockNumber":333}}"#, BlockByTime::Found(333)),
            (r#"{"status":"1","result":{"blockNumber":"-1"}}"#, BlockByTime::BeforeFirst),
            (
                r#"{"status":"0","message":"Block does not exist","result":null}"#,
                refused("Block does not exist"),
            ),
            (r#"{"status":"0","message":"a\u001b[31m\u202e"}"#, refused("a␛[31m␦")),
            ("{}", refused("no reason given")),
        ] {
            assert_eq!(decode(body).ok(), Some(expected), "{body}");
        }
        for body in
            ["[]", r#"{"result":"Max rate limit reached"}"#, r#"{"result":{"blockNumber":"0x1"}}"#]
        {
            assert!(decode(body).is_err(), "{body}");
        }
    }

    #[test]
    fn failures_say_why_there_is_no_block() {
        let reply =
            |body: &str| Query::BlockByTime(Timestamp::UNIX_EPOCH).decode(body.as_bytes(), None);
        let time = Timestamp::UNIX_EPOCH;
        let status = |status| Err(ApiError::from_error_body(status, b""));
        assert_eq!(
            block_at_time(&reply(r#"{"result":"7"}"#), time, None),
            Ok(TargetKind::Block(BlockId::Number(7)))
        );
        assert_eq!(block_at_time(&status(404), time, None), Err(BlockTimeError::Unsupported));
        assert!(matches!(
            block_at_time(&status(500), time, None),
            Err(BlockTimeError::Explorer(_))
        ));
    }
}

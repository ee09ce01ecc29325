//! The prompt for the block after which state is read, and the answers that the node behind an explorer
//! gives about old blocks.

use super::{Command, PaneContext, PanePrompt};
use crate::api::state_reads::StateResponse;
use crate::api::{BlockQuery, Query, ReplyData, ReplyResult, block_at_time};
use crate::app_message::Priority;
use crate::chain::amount::Grouped;
use crate::chain::block_id::{BlockId, parse_block_choice};
use crate::chain::network::Endpoint;
use crate::chain::target::TargetKind;
use crate::chain::time_input::TimeInput;
use crate::messages::api_error::BlockTimeError;
use crate::messages::page::{self, PageMessage};
use crate::sanitize::SafeText;

/// The node's answer, or the reason why there is none. `None` until it comes.
pub type StateOutcome<T> = Option<Result<StateResponse<T>, SafeText>>;

/// A block, where `None` is the newest, or what has to be done before it is known.
type BlockOrCommands = Result<Option<u64>, Vec<Command>>;

/// The block that is asked for.
#[derive(Debug, Default)]
pub struct BlockPrompt {
    /// The request for the typed block or time, while it is looked for.
    asked: Option<Query>,
}

impl BlockPrompt {
    /// Handles the typed text. The prompt is shown again for an invalid one.
    pub fn on_text(&mut self, text: &str, cx: &PaneContext<'_>) -> BlockOrCommands {
        if let Ok(block) = parse_block_choice(text) {
            // Of a block to come, the nodes of explorers say what they say of old ones.
            let number = block.filter(|_| matches!(cx.network.endpoint, Endpoint::Remote(_)));
            let Some(number) = number else { return Ok(block) };
            return self.ask(Query::Block(BlockId::Number(number), BlockQuery::Details));
        }
        let Some(time) = TimeInput::parse_past(text) else {
            return Err(refuse(page::NOT_A_BLOCK));
        };
        let now = cx.ages().now();
        let why = match time.resolve(now) {
            Some(at) if at <= now => return self.ask(Query::BlockByTime(at)),
            Some(_) => BlockTimeError::Future,
            None => BlockTimeError::BeforeCalendar,
        };
        Err(refuse(&why.to_string()))
    }

    fn ask(&mut self, query: Query) -> BlockOrCommands {
        self.asked = Some(query.clone());
        Err(vec![Command::fetch(query, None, Priority::Interactive)])
    }

    /// Returns `true` if a reply to the query is about the block.
    pub fn awaits(&self, query: &Query) -> bool {
        self.asked.as_ref() == Some(query)
    }

    /// Handles the reply about the block.
    pub fn on_block(&mut self, reply: &ReplyResult, cx: &PaneContext<'_>) -> BlockOrCommands {
        let Some(query) = self.asked.take() else { return Err(Vec::new()) };
        let host = cx.network.endpoint.host();
        match query {
            Query::Block(BlockId::Number(number), _) => match reply {
                Err(error) if error.is_not_found() => {
                    let why = PageMessage::NoBlock { block: Grouped(number) };
                    Err(refuse(&why.to_string()))
                }
                // A block that cannot be looked at may have a state.
                _ => Ok(Some(number)),
            },
            Query::BlockByTime(time) => match block_at_time(reply, time, host.as_deref()) {
                Ok(TargetKind::Block(BlockId::Number(number))) => Ok(Some(number)),
                Ok(_) => Err(refuse(page::NOT_A_BLOCK)),
                Err(why) => Err(refuse(&why.to_string())),
            },
            _ => Err(Vec::new()),
        }
    }
}

fn refuse(why: &str) -> Vec<Command> {
    vec![Command::RefusePrompt(PanePrompt::Block, why.into())]
}

/// Reads the reply to a request for state after a block.
pub fn state_outcome<T: Clone>(
    reply: &ReplyResult,
    block: Option<u64>,
    cx: &PaneContext<'_>,
) -> Result<StateResponse<T>, SafeText>
where
    StateResponse<T>: ReplyData,
{
    let response = match reply {
        Ok(reply) => reply.get::<StateResponse<T>>().ok_or(page::NOT_AN_ANSWER.into()),
        Err(error) => Err(error.clone().with_hint(cx.network.endpoint.host().as_deref()).into()),
    };
    response.and_then(|response| match block {
        Some(block) if response.lacks_state() => {
            let block = Grouped(block);
            Err(PageMessage::NoState { block }.to_string().into())
        }
        _ => Ok(response.clone()),
    })
}

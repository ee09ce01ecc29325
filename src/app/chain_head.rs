//! The newest block of a chain that a reply has reported.

use crate::api::endpoints::block::Block;
use crate::api::transactions::Transaction;
use crate::api::{ChainQuery, Query, Reply};
use crate::chain::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChainHead {
    pub(super) number: u64,
    pub(super) time: Timestamp,
}

impl ChainHead {
    /// Returns the newest block in a reply about the chain's latest blocks or transactions. Other lists may be
    /// of a time long ago.
    pub(super) fn in_reply(query: &Query, reply: &Reply) -> Option<Self> {
        let head = |number: Option<&u64>, time: Option<&Timestamp>| {
            Some(Self { number: *number?, time: *time? })
        };
        match query {
            Query::Chain(ChainQuery::Blocks) | Query::LatestBlocks => {
                let page = reply.page::<Block>()?;
                let heads =
                    page.parsed().map(|block| head(block.number.value(), block.timestamp.value()));
                heads.flatten().max_by_key(|head| head.number)
            }
            Query::Chain(ChainQuery::Transactions) | Query::LatestTransactions => {
                let page = reply.page::<Transaction>()?;
                let heads =
                    page.parsed().map(|tx| head(tx.block_number.value(), tx.timestamp.value()));
                heads.flatten().max_by_key(|head| head.number)
            }
            _ => None,
        }
    }
}

//! Token balances, as tokens report them to the node.

use crate::chain::token_standard::TokenStandard;
use crate::chain::{Address, U256};
use crate::rpc::{BlockTag, RpcRequest};
use crate::store::{BalanceRecord, BlockBalance, Snapshot, StoreError, StoreResult, TokenHolding};

use crate::indexer::contract_calls::ContractCall;
use crate::indexer::contract_reader::ContractReader;

/// A balance to ask for: holder, token, its standard, and the id if it has a balance for each.
pub(in crate::indexer) type AskedBalance = (Address, Address, TokenStandard, Option<U256>);

impl ContractReader {
    /// Asks for balances at the head of a snapshot, so that all are of one block.
    pub(in crate::indexer) async fn balances(
        &self,
        asked: Vec<AskedBalance>,
        snapshot: &Snapshot,
    ) -> StoreResult<impl Iterator<Item = BalanceRecord> + use<>> {
        let head = BlockTag::from(snapshot.head()?.map(|block| block.number));
        let balance = |&(holder, token, _, id): &_| [ContractCall::balance(token, holder, id)];
        let answers = self.call(asked, head, balance).await?;
        Ok((0..).zip(answers).map(|(id, ((address, token, token_type, token_id), [balance]))| {
            BalanceRecord { id, address, token, token_type, token_id, value: balance.number() }
        }))
    }

    /// Asks for balances before and after a block. They are unknown if the node has no state of it, and
    /// of the zero address, from which tokens are minted.
    pub(in crate::indexer) async fn block_balances(
        &self,
        block: u64,
        holdings: &[TokenHolding],
    ) -> StoreResult<Vec<Option<BlockBalance>>> {
        let Some(parent) = block.checked_sub(1).map(BlockTag::Number) else {
            return Ok(vec![None; holdings.len()]);
        };
        let balance = |holding: &TokenHolding| {
            [ContractCall::balance(holding.token, holding.holder, holding.id)]
        };
        let code = |holding: &TokenHolding| [RpcRequest::code(holding.token, parent)];
        let read = async {
            let before = self.call(holdings.to_vec(), parent, balance).await?;
            let after = self.call(holdings.to_vec(), BlockTag::Number(block), balance).await?;
            let code = self.ask(holdings.to_vec(), code).await?;
            Ok((before, after, code))
        };
        let (before, after, code) = match read.await {
            Err(StoreError::Unsupported(_)) => return Ok(vec![None; holdings.len()]),
            read => read?,
        };
        let mut balances = Vec::with_capacity(holdings.len());
        for (((of, [before]), (_, [after])), (_, [code])) in before.into_iter().zip(after).zip(code)
        {
            // Before it was created, a token has no balances.
            let is_new = code.0.is_some() && code.bytes().is_empty();
            let before = before.number().or(is_new.then_some(U256::ZERO));
            let both = before.zip(after.number()).filter(|_| !of.holder.is_zero());
            balances.push(both.map(|(before, after)| BlockBalance { before, after }));
        }
        Ok(balances)
    }
}

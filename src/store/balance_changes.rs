//! Computes the balance changes of a transaction.
//!
//! The balance after it is the balance at the head of the chain without the changes of newer
//! transactions.

use std::collections::{BTreeMap, HashMap};

use alloy_primitives::aliases::I512;
use alloy_primitives::{Address, U256};

use super::balance_effects::MovedCoin;
use super::balance_shift::{BalanceShift, BlockBalance, TokenHolding, signed, unsigned};
use super::lazy_table::{StoreError, StoreResult};
use super::records::TransactionRecord;
use super::snapshot::Snapshot;
use super::transfer_batch::TransferRecord;
use crate::chain::token_standard::TokenStandard;
use crate::messages::chain_data::ChainDataError;

#[derive(Debug)]
pub struct TokenShift {
    pub holding: TokenHolding,
    pub balance: BalanceShift,
    /// The instances of a unique token that the holder gained (`true`) or lost.
    pub instances: Vec<(U256, bool)>,
}

/// Gains and losses of balances.
type BalanceFlows<K> = BTreeMap<K, I512>;

impl TokenHolding {
    fn of_transfer(row: &TransferRecord, holder: Address) -> Self {
        let id = row.token_id.filter(|_| row.standard == TokenStandard::Erc1155);
        Self { holder, token: row.token, id }
    }
}

impl Snapshot {
    /// Returns the coin balances that a transaction changed.
    pub fn coin_changes(
        &self,
        tx: &TransactionRecord,
    ) -> StoreResult<BTreeMap<Address, BalanceShift>> {
        let mut changed = self.coin_flows(tx)?;
        changed.retain(|_, change| !change.is_zero());
        let mut newer = BalanceFlows::new();
        for row in self.transactions(u64::MAX)?.take_while(|row| row.position() > tx.position()) {
            for (address, flow) in self.coin_flows(row)? {
                add(&mut newer, address, flow);
            }
        }
        changed
            .into_iter()
            .map(|(address, change)| {
                let account = self.state.account_detail(address)?;
                let head = account.and_then(|account| account.coin_balance.as_ref()?.parse().ok());
                let newer = newer.get(&address).copied().unwrap_or_default();
                Ok((address, BalanceShift::before_newer(head, newer, change)))
            })
            .collect()
    }

    fn coin_flows(&self, tx: &TransactionRecord) -> StoreResult<BalanceFlows<Address>> {
        let mut flows = BalanceFlows::new();
        let fee = tx.fee().ok_or(StoreError::Unsupported(ChainDataError::NoBalanceChanges))?;
        let burnt = U256::from(tx.base_fee_per_gas.unwrap_or(0)) * U256::from(tx.gas_used);
        transfer(&mut flows, tx.from, None, fee);
        add(&mut flows, tx.from, signed(tx.minted()));
        if let Some(miner) = self.block(tx.block_number)?.and_then(|block| block.miner) {
            add(&mut flows, miner, signed(tx.gas_fee()) - signed(burnt));
        }
        if tx.error.is_some() {
            return Ok(flows);
        }
        transfer(&mut flows, tx.from, tx.to.or(tx.created_contract), tx.value);
        for call in self.internal_transactions_of(tx.position())? {
            if let Some(MovedCoin { from, to, value }) = call.moved_coin() {
                transfer(&mut flows, from, Some(to), value);
            }
        }
        Ok(flows)
    }

    /// Returns the token balances that a transaction changed. The balances before and after it are
    /// known only if `are_balances_known` at the head, and if they are the sum of all transfers there:
    /// other tokens change balances without a transfer.
    pub fn token_changes(
        &self,
        tx: &TransactionRecord,
        are_balances_known: bool,
    ) -> StoreResult<Vec<TokenShift>> {
        let own: Vec<_> = self
            .transfers_in(tx.block_number)?
            .filter(|row| row.transaction_hash == tx.hash)
            .collect();
        let Some(last) = own.first().map(|row| row.position) else { return Ok(Vec::new()) };
        let mut changed = token_flows(own.iter().copied());
        let mut instances: HashMap<_, Vec<_>> = HashMap::new();
        for row in own.iter().rev().filter(|row| row.standard == TokenStandard::Erc721) {
            for (holder, is_gain) in [(row.from, false), (row.to, true)] {
                let moved = instances.entry(TokenHolding::of_transfer(row, holder)).or_default();
                move_instance(moved, row.token_id, is_gain);
            }
        }
        changed.retain(|holding, change| {
            !change.is_zero() || instances.get(holding).is_some_and(|moved| !moved.is_empty())
        });
        let all = if are_balances_known {
            token_flows(self.transfers(u64::MAX)?)
        } else {
            BTreeMap::new()
        };
        let newer = self.transfers(u64::MAX)?.take_while(|row| row.position > last);
        let newer = if are_balances_known { token_flows(newer) } else { BTreeMap::new() };
        let shift = |(holding, change)| {
            let stored = if are_balances_known { self.balance_at_head(&holding)? } else { None };
            let head = stored.filter(|head| all.get(&holding) == Some(&signed(*head)));
            let newer = newer.get(&holding).copied().unwrap_or_default();
            let balance = BalanceShift::before_newer(head, newer, change);
            let instances = instances.get(&holding).cloned().unwrap_or_default();
            Ok(TokenShift { holding, balance, instances })
        };
        changed.into_iter().map(shift).collect()
    }

    /// Adds the balances before and after a transaction to its changes, from those before and after its
    /// block, as far as no other transaction of the block can have changed them unseen.
    pub fn add_block_balances(
        &self,
        tx: &TransactionRecord,
        changes: &mut [TokenShift],
        balances: &[Option<BlockBalance>],
    ) -> StoreResult<()> {
        let rows: Vec<_> = self.transfers_in(tx.block_number)?.collect();
        let own = rows.iter().rev().find(|row| row.transaction_hash == tx.hash);
        let Some(first) = own.map(|row| row.position) else { return Ok(()) };
        let is_alone = self.transactions_in(tx.block_number)?.nth(1).is_none();
        let in_block = token_flows(rows.iter().copied());
        let earlier = token_flows(rows.iter().copied().filter(|row| row.position < first));
        for (TokenShift { holding, balance, .. }, of_block) in changes.iter_mut().zip(balances) {
            let Some(BlockBalance { before, after }) = *of_block else { continue };
            let flow = |flows: &BalanceFlows<_>| flows.get(holding).copied().unwrap_or_default();
            if is_alone {
                (balance.before, balance.after) = (Some(before), Some(after));
            } else if signed(after) - signed(before) == flow(&in_block) {
                let before = signed(before) + flow(&earlier);
                balance.before = unsigned(before);
                balance.after = unsigned(before + balance.change);
            }
        }
        Ok(())
    }

    /// Returns the balance of a token after a block, if the balance at the head is the sum of all
    /// transfers: other tokens change balances without a transfer.
    pub fn balance_after_block(
        &self,
        holding: &TokenHolding,
        block: u64,
    ) -> StoreResult<Option<U256>> {
        let moved = |rows: BalanceFlows<_>| rows.get(holding).copied().unwrap_or_default();
        let all = moved(token_flows(self.transfers(u64::MAX)?));
        let head = self.balance_at_head(holding)?.filter(|head| signed(*head) == all);
        let transfers = self.transfers(u64::MAX)?;
        let newer =
            moved(token_flows(transfers.take_while(|row| row.position.block_number > block)));
        Ok(head.and_then(|head| unsigned(signed(head) - newer)))
    }

    fn balance_at_head(&self, holding: &TokenHolding) -> StoreResult<Option<U256>> {
        let mut balances = self.state.balances(holding.holder)?;
        let known = balances.find(|row| row.token == holding.token && row.token_id == holding.id);
        Ok(known.map_or(Some(U256::ZERO), |row| row.value))
    }
}

fn token_flows<'a>(rows: impl Iterator<Item = &'a TransferRecord>) -> BalanceFlows<TokenHolding> {
    let mut flows = BalanceFlows::new();
    for row in rows {
        let is_unique = row.standard == TokenStandard::Erc721;
        let amount = row.value.or(is_unique.then_some(U256::ONE));
        let [from, to] = [row.from, row.to].map(|holder| TokenHolding::of_transfer(row, holder));
        transfer(&mut flows, from, Some(to), amount.unwrap_or_default());
    }
    flows
}

/// Notes that an instance came or went. One that comes and goes has not moved.
fn move_instance(moved: &mut Vec<(U256, bool)>, id: Option<U256>, is_gain: bool) {
    let Some(id) = id else { return };
    match moved.iter().position(|known| *known == (id, !is_gain)) {
        Some(at) => drop(moved.remove(at)),
        None => moved.push((id, is_gain)),
    }
}

fn transfer<K: Ord>(flows: &mut BalanceFlows<K>, from: K, to: Option<K>, amount: U256) {
    add(flows, from, -signed(amount));
    if let Some(to) = to {
        add(flows, to, signed(amount));
    }
}

fn add<K: Ord>(flows: &mut BalanceFlows<K>, key: K, flow: I512) {
    *flows.entry(key).or_default() += flow;
}

//! Effects of a chain's rows on the coin balance of an address.

use std::collections::{BTreeMap, HashMap};

use alloy_primitives::{Address, U256};

use super::lazy_table::StoreResult;
use super::records::{InternalTransactionRecord, TransactionPosition, TransactionRecord};
use super::snapshot::Snapshot;
use crate::chain::call_kind::CallKind;

/// Gains and losses of an address in a block.
#[derive(Clone, Copy, Debug, Default)]
pub struct BalanceEffect {
    pub block_number: u64,
    gained: U256,
    lost: U256,
    /// The first transaction of the address that is counted, and whether there are others.
    transaction: Option<TransactionPosition>,
    has_others: bool,
}

impl BalanceEffect {
    /// Returns the effect of rows on a block in which no row has any.
    pub fn none(block_number: u64) -> Self {
        Self { block_number, ..Self::default() }
    }

    /// Returns the balance before the block, unless the rows contradict the one after it.
    pub fn before(&self, after: U256) -> Option<U256> {
        after.checked_add(self.lost)?.checked_sub(self.gained)
    }

    /// Returns the only transaction that had a part in it.
    pub fn transaction(&self) -> Option<TransactionPosition> {
        self.transaction.filter(|_| !self.has_others)
    }

    fn add(&mut self, sign: Sign, value: U256, transaction: Option<TransactionPosition>) {
        let sum = if sign == Sign::Gain { &mut self.gained } else { &mut self.lost };
        *sum = sum.saturating_add(value);
        if !value.is_zero() && transaction.is_some() {
            self.has_others |= self.transaction.is_some_and(|known| Some(known) != transaction);
            self.transaction = self.transaction.or(transaction);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Gain,
    Loss,
}

/// Coin that an inner call moved.
pub struct MovedCoin {
    pub from: Address,
    pub to: Address,
    pub value: U256,
}

impl TransactionRecord {
    /// Returns the recipient, which may be the contract that it created.
    fn receiver(&self) -> Option<Address> {
        self.to.or(self.created_contract)
    }
}

impl InternalTransactionRecord {
    /// Returns the coin that the call sends, if that is known: a delegated call repeats the value of its caller.
    pub fn sent_value(&self) -> Option<U256> {
        let is_sent = self.kind != CallKind::StaticCall && !self.kind.is_delegated();
        if is_sent { self.value } else { Some(U256::ZERO) }
    }

    /// Returns the move of the coin, if there was one. The first call is the transaction's.
    pub fn moved_coin(&self) -> Option<MovedCoin> {
        let value = self.sent_value().filter(|_| self.index > 0 && self.error.is_none())?;
        Some(MovedCoin { from: self.from, to: self.to.or(self.created_contract)?, value })
    }
}

impl Snapshot {
    /// Returns the blocks that changed the coin balance of an address, newest first, and why there
    /// may be others.
    pub fn balance_effects(
        &self,
        address: Address,
    ) -> StoreResult<(Vec<BalanceEffect>, StoreResult<()>)> {
        let mut effects = EffectTable { address, blocks: BTreeMap::new() };
        let mined: HashMap<u64, u128> = self
            .blocks(u64::MAX)?
            .filter(|block| block.miner == Some(address))
            .map(|block| (block.number, block.base_fee_per_gas.unwrap_or_default()))
            .collect();
        for sent in self.transactions(u64::MAX)? {
            let position = sent.position();
            if sent.from == address {
                // After an unknown fee, no sum of the rows is a balance.
                effects.add(position, Sign::Loss, sent.fee().unwrap_or(U256::MAX));
                effects.add(position, Sign::Gain, sent.minted());
            }
            if let Some(receiver) = sent.receiver().filter(|_| sent.error.is_none()) {
                let moved = MovedCoin { from: sent.from, to: receiver, value: sent.value };
                effects.add_move(position, &moved);
            }
            if let Some(base_fee) = mined.get(&sent.block_number) {
                let tip_price = U256::from(sent.gas_price.saturating_sub(*base_fee));
                let tip = tip_price * U256::from(sent.gas_used);
                effects.block(sent.block_number).add(Sign::Gain, tip, None);
            }
        }
        let (calls, end) = self.internal_transactions(u64::MAX);
        for call in calls {
            if let Some(moved) = call.moved_coin() {
                effects.add_move(call.transaction(), &moved);
            }
        }
        let changed =
            effects.blocks.into_values().rev().filter(|effect| effect.gained != effect.lost);
        Ok((changed.collect(), end))
    }
}

struct EffectTable {
    address: Address,
    blocks: BTreeMap<u64, BalanceEffect>,
}

impl EffectTable {
    fn block(&mut self, block_number: u64) -> &mut BalanceEffect {
        self.blocks.entry(block_number).or_insert_with(|| BalanceEffect::none(block_number))
    }

    fn add(&mut self, position: TransactionPosition, sign: Sign, value: U256) {
        self.block(position.block_number).add(sign, value, Some(position));
    }

    fn add_move(&mut self, at: TransactionPosition, moved: &MovedCoin) {
        if moved.from == self.address {
            self.add(at, Sign::Loss, moved.value);
        }
        if moved.to == self.address {
            self.add(at, Sign::Gain, moved.value);
        }
    }
}

//! Effects of a chain's rows on the coin balance of an address.

use std::collections::{BTreeMap, HashMap};

use alloy_primitives::{Address, U256};

use super::lazy_table::StoreResult;
use super::records::{InternalTransactionRecord, TransactionPosition, TransactionRecord};
use super::snapshot::Snapshot;
use crate::chain::call_kind::CallKind;

/// Gains and losses of an address in a block.
#[derive(Clone, Copy, Debug)]
pub struct BalanceEffect {
    pub block_number: u64,
    gained: U256,
    /// Unknown with an unknown fee.
    lost: Option<U256>,
    /// The first transaction that had a part in it.
    transaction: Option<TransactionPosition>,
    /// `true` if other transactions, tips, withdrawals or unknown calls have a part in it.
    has_others: bool,
}

impl BalanceEffect {
    /// Returns the effect of rows on a block in which no row has any.
    pub fn none(block_number: u64) -> Self {
        Self {
            block_number,
            gained: U256::ZERO,
            lost: Some(U256::ZERO),
            transaction: None,
            has_others: false,
        }
    }

    /// Returns the balance before the block, unless a fee is unknown or the rows contradict the balance
    /// after it.
    pub fn before(&self, after: U256) -> Option<U256> {
        after.checked_add(self.lost?)?.checked_sub(self.gained)
    }

    /// Returns the transaction that alone made the change between two balances.
    pub fn sole_transaction(&self, before: U256, after: U256) -> Option<TransactionPosition> {
        self.transaction.filter(|_| !self.has_others && self.before(after) == Some(before))
    }

    fn gain(&mut self, value: U256) {
        self.gained = self.gained.saturating_add(value);
    }

    fn gain_outside(&mut self, value: U256) {
        self.gain(value);
        self.has_others |= !value.is_zero();
    }

    fn gain_in(&mut self, transaction: TransactionPosition, value: U256) {
        self.gain(value);
        if !value.is_zero() {
            self.count(transaction);
        }
    }

    fn lose_in(&mut self, transaction: TransactionPosition, value: Option<U256>) {
        self.lost = self.lost.zip(value).and_then(|(sum, value)| sum.checked_add(value));
        if value != Some(U256::ZERO) {
            self.count(transaction);
        }
    }

    fn count(&mut self, transaction: TransactionPosition) {
        let known = *self.transaction.get_or_insert(transaction);
        self.has_others |= known != transaction;
    }
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
        let mut mined: HashMap<u64, u128> = HashMap::new();
        for block in self.blocks(u64::MAX)? {
            if block.miner == Some(address) {
                mined.insert(block.number, block.base_fee_per_gas.unwrap_or_default());
            }
            let withdrawals = block.withdrawals.0.as_deref().unwrap_or_default();
            for paid in withdrawals.iter().filter(|paid| paid.receiver == address) {
                effects.block(block.number).gain_outside(paid.amount);
            }
        }
        for sent in self.transactions(u64::MAX)? {
            let position = sent.position();
            if sent.from == address {
                let effect = effects.block(sent.block_number);
                effect.lose_in(position, sent.fee());
                effect.gain_in(position, sent.minted());
            }
            if let Some(receiver) = sent.receiver().filter(|_| sent.error.is_none()) {
                let moved = MovedCoin { from: sent.from, to: receiver, value: sent.value };
                effects.add_move(position, &moved);
            }
            if let Some(base_fee) = mined.get(&sent.block_number) {
                let tip_price = U256::from(sent.gas_price.saturating_sub(*base_fee));
                let tip = tip_price * U256::from(sent.gas_used);
                effects.block(sent.block_number).gain_outside(tip);
            }
        }
        let (calls, end) = self.internal_transactions(u64::MAX);
        for call in calls {
            if let Some(moved) = call.moved_coin() {
                effects.add_move(call.transaction(), &moved);
            }
        }
        let first_traced = self.first_traced_block();
        for (_, untraced) in effects.blocks.range_mut(..first_traced) {
            untraced.has_others = true;
        }
        let changed =
            effects.blocks.into_values().rev().filter(|effect| effect.lost != Some(effect.gained));
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

    fn add_move(&mut self, at: TransactionPosition, moved: &MovedCoin) {
        if moved.from == self.address {
            self.block(at.block_number).lose_in(at, Some(moved.value));
        }
        if moved.to == self.address {
            self.block(at.block_number).gain_in(at, moved.value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balance_before_an_unknown_fee_is_unknown() {
        let place = TransactionPosition { block_number: 1, index: 0 };
        for fee in [Some(U256::ONE), None] {
            let mut effect = BalanceEffect::none(1);
            effect.lose_in(place, fee);
            assert_eq!(effect.before(U256::ZERO), fee);
            assert_eq!(effect.sole_transaction(U256::ONE, U256::ZERO), fee.map(|_| place));
        }
    }

    #[test]
    fn transaction_is_alone_if_it_makes_the_whole_change() {
        let [first, second] = [0, 1].map(|index| TransactionPosition { block_number: 1, index });
        let paid = |further: &dyn Fn(&mut BalanceEffect)| {
            let mut effect = BalanceEffect::none(1);
            effect.gain_in(first, U256::from(5));
            further(&mut effect);
            effect
        };
        let of_change = |effect: BalanceEffect, change: u64| {
            effect.sole_transaction(U256::from(100), U256::from(100 + change))
        };
        let alone = paid(&|_| {});
        assert_eq!([5, 6].map(|change| of_change(alone, change)), [Some(first), None]);
        let other = paid(&|effect| effect.gain_in(second, U256::ONE));
        let tip_or_withdrawal = paid(&|effect| effect.gain_outside(U256::ONE));
        assert_eq!([other, tip_or_withdrawal].map(|effect| of_change(effect, 6)), [None; 2]);
    }
}

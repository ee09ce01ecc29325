//! Transactions in the cache: each with its object, and the token transfers in lists.

use std::collections::HashMap;
use std::sync::Arc;

use super::parsed;
use crate::api::activity::Activity;
use crate::api::decoded_input::AbiIdentifier;
use crate::api::state_changes::StateChange;
use crate::api::token::Token;
use crate::api::token_transfers::{TokenTransfer, TransferAmount, without_repeats};
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::api::{Field, Item};
use crate::chain::{Address, U256};

/// Maximum transfers of a transaction: an airdrop has thousands.
pub(super) const MAX_TRANSFERS: usize = 500;
/// Smaller numbers may well be something else.
const MIN_KNOWN_AMOUNT: U256 = U256::from_limbs([1_000, 0, 0, 0]);

#[derive(Debug, Default)]
pub(super) struct CachedTransaction {
    transaction: Option<Arc<Item<Transaction>>>,
    /// The latest name: rows from before the contract's verification lack it.
    method_name: Option<AbiIdentifier>,
    completeness: Completeness,
    transfers: Vec<Arc<Item<TokenTransfer>>>,
    contradicted: Vec<ContradictedChange>,
    /// The balances before and after, by account and token.
    balances: HashMap<(Address, Address), [U256; 2]>,
    /// The amounts of token transfers among activity, each with its token.
    activity: Vec<(U256, Address)>,
    /// The tokens of the transferred amounts, or `None` if several tokens have the amount.
    amounts: HashMap<U256, Option<Address>>,
    /// The places of accounts in the order of their first transfers.
    places: HashMap<Address, u64>,
}

/// A change of a token's balance in events that the balances themselves contradict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContradictedChange {
    pub account: Address,
    pub token: Address,
    pub before: U256,
    pub after: U256,
}

impl ContradictedChange {
    fn new(change: &StateChange) -> Option<Self> {
        change.is_contradicted().then_some(Self {
            account: change.address.value()?.hash,
            token: *change.token.value()?.address.value()?,
            before: *change.balance_before.value()?,
            after: *change.balance_after.value()?,
        })
    }
}

/// Completeness of a transaction's object. Among the rows of lists, a more complete one replaces
/// another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Completeness {
    is_mined: bool,
    is_indexed: bool,
    /// `true` if the object is from the transaction's own endpoint rather than from a list.
    is_full: bool,
}

impl CachedTransaction {
    pub(super) fn item(&self) -> Option<&Arc<Item<Transaction>>> {
        self.transaction.as_ref()
    }

    pub(super) fn parsed(&self) -> Option<&Transaction> {
        self.item()?.parsed.as_ref().ok()
    }

    pub(super) fn method_name(&self) -> Option<&AbiIdentifier> {
        self.method_name.as_ref()
    }

    /// Replaces the object by one that is at least as complete, or by the transaction's own: after a
    /// reorganization or a restart of the chain, that may be less complete. Returns `true` if it is in another
    /// block than before, where it may have done something else.
    pub(super) fn update(&mut self, item: &Arc<Item<Transaction>>, is_full: bool) -> bool {
        let Ok(transaction) = &item.parsed else { return false };
        if let Some(name) = transaction.method_name() {
            self.method_name = Some(name.clone());
        }
        let is_mined = !matches!(
            transaction.outcome(),
            TransactionOutcome::Dropped | TransactionOutcome::Pending
        );
        let completeness = Completeness { is_mined, is_indexed: transaction.is_indexed(), is_full };
        if !is_full && self.transaction.is_some() && completeness < self.completeness {
            return false;
        }
        let has_moved = self.parsed().is_some_and(|known| is_in_other_block(known, transaction));
        if has_moved {
            self.transfers.clear();
            self.contradicted.clear();
            self.balances.clear();
            self.activity.clear();
        }
        self.transaction = Some(Arc::clone(item));
        self.completeness = completeness;
        let transfers = self.transfers();
        let places: Vec<_> = transfers.iter().flat_map(|transfer| places(transfer)).collect();
        let moved = transfers
            .iter()
            .filter_map(|transfer| fungible_amount(&transfer.total, &transfer.token));
        let amounts: Vec<_> = moved.chain(self.activity.iter().copied()).collect();
        (self.amounts, self.places) = (HashMap::new(), HashMap::new());
        for place in places {
            self.add_place(place);
        }
        for amount in amounts {
            self.add_amount(amount);
        }
        has_moved
    }

    fn add_amount(&mut self, (amount, token): (U256, Address)) {
        let known = self.amounts.entry(amount).or_insert(Some(token));
        *known = known.filter(|known| *known == token);
    }

    fn add_place(&mut self, (account, place): (Address, u64)) {
        let first = self.places.entry(account).or_insert(place);
        *first = place.min(*first);
    }

    /// Returns the place of an account in the order in which the transfers come to them.
    pub(super) fn place(&self, account: &Address) -> Option<u64> {
        self.places.get(account).copied()
    }

    /// Returns the token of which the transaction moved exactly this amount.
    pub(super) fn token_of(&self, amount: &U256) -> Option<&Address> {
        self.amounts.get(amount)?.as_ref()
    }

    pub(super) fn add_transfer(&mut self, item: &Arc<Item<TokenTransfer>>) {
        let Ok(transfer) = &item.parsed else { return };
        let is_known = || parsed(&self.transfers).any(|known| is_same_transfer(known, transfer));
        if self.transfers.len() < MAX_TRANSFERS && !is_known() {
            self.transfers.push(Arc::clone(item));
            places(transfer).for_each(|place| self.add_place(place));
            if let Some(amount) = fungible_amount(&transfer.total, &transfer.token) {
                self.add_amount(amount);
            }
        }
    }

    /// Adds the amount of a token transfer among activity.
    pub(super) fn add_activity(&mut self, activity: &Activity) {
        if let Some(amount) = fungible_amount(&activity.total, &activity.token)
            && self.activity.len() < MAX_TRANSFERS
            && !self.activity.contains(&amount)
        {
            self.activity.push(amount);
            self.add_amount(amount);
        }
    }

    /// Records the balances in a page of state changes, and the contradicted changes.
    pub(super) fn add_state_change(&mut self, change: &StateChange) {
        if let Some((holding, balances)) = token_balances(change)
            && self.balances.len() < MAX_TRANSFERS
        {
            self.balances.insert(holding, balances);
        }
        let contradicted =
            ContradictedChange::new(change).filter(|change| !self.contradicted.contains(change));
        let space = MAX_TRANSFERS.saturating_sub(self.contradicted.len());
        self.contradicted.extend(contradicted.into_iter().take(space));
    }

    pub(super) fn contradicted(&self) -> &[ContradictedChange] {
        &self.contradicted
    }

    pub(super) fn balances(&self, account: Address, token: Address) -> Option<[U256; 2]> {
        self.balances.get(&(account, token)).copied()
    }

    pub(super) fn transfers(&self) -> Vec<&TokenTransfer> {
        let own = self.parsed().and_then(|transaction| transaction.token_transfers.value());
        let mut transfers = without_repeats(own.into_iter().flatten());
        let listed: Vec<&TokenTransfer> = parsed(&self.transfers)
            .filter(|listed| !transfers.iter().any(|own| is_same_transfer(own, listed)))
            .collect();
        transfers.extend(listed);
        transfers.sort_by_key(|transfer| transfer.log_index.value());
        transfers
    }

    pub(super) fn knows_all_transfers(&self) -> bool {
        self.parsed().is_some_and(|transaction| {
            let has_more = transaction.token_transfers_overflow.value();
            transaction.token_transfers.value().is_some() && has_more == Some(&false)
        })
    }
}

/// Returns `true` if a transaction that was in a block is in another one, maybe of the same height, or in none.
fn is_in_other_block(before: &Transaction, after: &Transaction) -> bool {
    fn differ<T: PartialEq>(before: &Field<T>, after: &Field<T>) -> bool {
        before.value().is_some() && after.value().is_some() && before.value() != after.value()
    }
    let block = before.block_number.value();
    block.is_some()
        && (block != after.block_number.value()
            || differ(&before.timestamp, &after.timestamp)
            || differ(&before.position, &after.position))
}

/// Returns an account and a token without ids, with its balances before and after a change.
fn token_balances(change: &StateChange) -> Option<((Address, Address), [U256; 2])> {
    let token = *change.token.value()?.address.value()?;
    let balances = [*change.balance_before.value()?, *change.balance_after.value()?];
    let has_ids = change.token_id.value().is_some();
    (!has_ids).then_some(((change.address.value()?.hash, token), balances))
}

/// Returns the accounts of a transfer with their places: in the order of the logs, the sender first.
fn places(transfer: &TokenTransfer) -> impl Iterator<Item = (Address, u64)> {
    let first = transfer.log_index.value().map(|log| log.saturating_mul(2));
    let parties = [(&transfer.from, 0), (&transfer.to, 1)];
    parties
        .into_iter()
        .filter_map(move |(party, after)| Some((party.hash()?, first?.saturating_add(after))))
}

/// Returns the amount of a transfer, if it is not of NFTs, and its token.
fn fungible_amount(total: &Field<TransferAmount>, token: &Field<Token>) -> Option<(U256, Address)> {
    let total = total.value()?;
    let amount = *total.value.value().filter(|amount| **amount >= MIN_KNOWN_AMOUNT)?;
    let is_fungible = matches!(total.token_id, Field::Absent);
    Some((amount, *token.value()?.address.value()?)).filter(|_| is_fungible)
}

/// Returns `true` if two objects describe the same transfer. A batch has one log for all its ids, so
/// the log index alone is not enough.
fn is_same_transfer(one: &TokenTransfer, other: &TokenTransfer) -> bool {
    let token = |transfer: &TokenTransfer| {
        transfer.token.value().and_then(|token| token.address.value().copied())
    };
    let amount =
        |total: &TransferAmount| (total.value.value().copied(), total.token_id.value().copied());
    one.log_index.value() == other.log_index.value()
        && one.from.hash() == other.from.hash()
        && one.to.hash() == other.to.hash()
        && token(one) == token(other)
        && one.total.value().map(amount) == other.total.value().map(amount)
}

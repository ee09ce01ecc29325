//! Adds up the gains and losses of accounts: coin, tokens and NFTs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::chain::{Address, U256};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Asset {
    /// The chain's native coin.
    Coin,
    Token(Address),
    /// An NFT, or one id of an ERC-1155.
    Instance(Address, U256),
}

impl Asset {
    /// Returns the contract of a token.
    pub fn token(self) -> Option<Address> {
        match self {
            Self::Coin => None,
            Self::Token(token) | Self::Instance(token, _) => Some(token),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BalanceChange {
    pub gained: U256,
    pub lost: U256,
    /// Coin of selfdestructs to itself: destroyed before Cancun, kept since.
    pub uncertain: U256,
}

impl BalanceChange {
    /// Returns the net change as a sign, `true` for a gain, and an amount.
    pub fn net(&self) -> (bool, U256) {
        match self.gained.checked_sub(self.lost) {
            Some(net) => (true, net),
            None => (false, self.lost.saturating_sub(self.gained)),
        }
    }

    /// Returns the change if the uncertain coin is destroyed.
    #[must_use]
    pub fn without_uncertain(&self) -> Self {
        Self { lost: self.lost.saturating_add(self.uncertain), ..*self }
    }

    fn is_nothing(&self) -> bool {
        self.gained == self.lost && self.uncertain.is_zero()
    }
}

/// Gains and losses of an account by asset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountChanges {
    pub account: Address,
    pub changes: Vec<(Asset, BalanceChange)>,
}

/// Adds up movements of assets. The net changes of an asset add up to its minted amount less its burnt
/// amount.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BalanceLedger {
    /// By account, each with its order of appearance.
    accounts: HashMap<Address, (usize, BTreeMap<Asset, BalanceChange>)>,
    pub minted: BTreeMap<Asset, U256>,
    pub burnt: BTreeMap<Asset, U256>,
    /// Assets whose sums overflowed, which no honest token allows.
    pub overflowed: BTreeSet<Asset>,
}

impl BalanceLedger {
    /// Moves an amount. A token from the zero address is minted, a token to it is burnt.
    pub fn transfer(&mut self, asset: Asset, from: Address, to: Address, amount: U256) {
        match asset.token() {
            Some(_) if from.is_zero() => self.mint(asset, to, amount),
            Some(_) if to.is_zero() => self.burn(asset, from, amount),
            _ => {
                self.add(asset, from, |change| &mut change.lost, amount);
                self.add(asset, to, |change| &mut change.gained, amount);
            }
        }
    }

    pub fn mint(&mut self, asset: Asset, to: Address, amount: U256) {
        self.add(asset, to, |change| &mut change.gained, amount);
        add_to(self.minted.entry(asset).or_default(), amount);
    }

    pub fn burn(&mut self, asset: Asset, from: Address, amount: U256) {
        self.add(asset, from, |change| &mut change.lost, amount);
        add_to(self.burnt.entry(asset).or_default(), amount);
    }

    pub fn doubt(&mut self, account: Address, amount: U256) {
        self.add(Asset::Coin, account, |change| &mut change.uncertain, amount);
    }

    fn add(
        &mut self,
        asset: Asset,
        account: Address,
        part: fn(&mut BalanceChange) -> &mut U256,
        amount: U256,
    ) {
        let order = self.accounts.len();
        let (_, changes) = self.accounts.entry(account).or_insert((order, BTreeMap::new()));
        if !add_to(part(changes.entry(asset).or_default()), amount) {
            self.overflowed.insert(asset);
        }
    }

    /// Returns all that an account gained and lost of an asset.
    pub fn change(&self, account: &Address, asset: Asset) -> BalanceChange {
        let known = self.accounts.get(account).and_then(|(_, changes)| changes.get(&asset));
        known.copied().unwrap_or_default()
    }

    /// Returns the assets of accounts that lost as much as they gained of all that they moved, in the order
    /// of appearance.
    pub fn unchanged(&self) -> Vec<(Address, Vec<Asset>)> {
        let is_unchanged = |changes: &BTreeMap<Asset, BalanceChange>| {
            changes.values().all(BalanceChange::is_nothing)
        };
        let mut found: Vec<_> =
            self.accounts.iter().filter(|(_, (_, changes))| is_unchanged(changes)).collect();
        found.sort_unstable_by_key(|(_, (order, _))| *order);
        let assets = |changes: &BTreeMap<Asset, BalanceChange>| changes.keys().copied().collect();
        found.into_iter().map(|(account, (_, changes))| (*account, assets(changes))).collect()
    }

    /// Returns the accounts with gains or losses: `first`, then by the greatest change of the coin,
    /// then in order of appearance. Each account's losses come before its gains.
    pub fn accounts(&self, first: Option<Address>) -> Vec<AccountChanges> {
        let coin = |changes: &BTreeMap<Asset, BalanceChange>| {
            changes.get(&Asset::Coin).map_or(U256::ZERO, |change| change.net().1)
        };
        let mut sorted: Vec<_> = self.accounts.iter().collect();
        sorted.sort_unstable_by_key(|(account, (order, changes))| {
            (Some(**account) != first, Reverse(coin(changes)), *order)
        });
        let accounts = sorted.into_iter().map(|(account, (_, changes))| {
            let mut changes: Vec<_> = changes
                .iter()
                .filter(|(_, change)| !change.is_nothing())
                .map(|(asset, change)| (*asset, *change))
                .collect();
            changes.sort_unstable_by_key(|(asset, change)| (change.net().0, *asset));
            AccountChanges { account: *account, changes }
        });
        accounts.filter(|account| !account.changes.is_empty()).collect()
    }
}

/// Adds to a sum. Returns `true` if it is exact.
fn add_to(sum: &mut U256, amount: U256) -> bool {
    let exact = sum.checked_add(amount);
    *sum = exact.unwrap_or(U256::MAX);
    exact.is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn account(n: u64) -> Address {
        Address::from_word(U256::from(n).into())
    }

    fn token(n: u64) -> Asset {
        Asset::Token(account(0x70 + n))
    }

    #[test]
    fn a_swap_says_who_paid_and_who_got() {
        let (bob, pool, router) = (account(1), account(2), account(3));
        let mut ledger = BalanceLedger::default();
        ledger.transfer(Asset::Coin, bob, router, U256::from(5));
        ledger.transfer(Asset::Coin, router, pool, U256::from(5));
        ledger.transfer(token(1), pool, router, U256::from(7));
        ledger.transfer(token(1), router, bob, U256::from(7));
        let accounts = ledger.accounts(Some(bob));
        assert_eq!(accounts.iter().map(|account| account.account).collect::<Vec<_>>(), [bob, pool]);
        let nets: Vec<Vec<_>> = accounts
            .iter()
            .map(|account| account.changes.iter().map(|(_, change)| change.net()))
            .map(Iterator::collect)
            .collect();
        let net = |gains, n| (gains, U256::from(n));
        assert_eq!(nets, [[net(false, 5), net(true, 7)], [net(false, 7), net(true, 5)]]);
        assert_eq!(ledger.unchanged(), [(router, vec![Asset::Coin, token(1)])]);
        let passed = ledger.change(&router, token(1));
        assert_eq!([passed.gained, passed.lost], [U256::from(7); 2]);
    }

    #[test]
    fn minted_and_burnt_tokens_come_from_and_go_to_the_zero_address() {
        let mut ledger = BalanceLedger::default();
        ledger.transfer(token(1), Address::ZERO, account(1), U256::from(9));
        ledger.transfer(token(1), account(1), Address::ZERO, U256::from(2));
        ledger.transfer(Asset::Coin, account(1), Address::ZERO, U256::from(3));
        assert_eq!(ledger.minted, BTreeMap::from([(token(1), U256::from(9))]));
        assert_eq!(ledger.burnt, BTreeMap::from([(token(1), U256::from(2))]));
        assert_eq!(ledger.accounts(None).len(), 2, "the coin is not burnt there");
    }

    #[test]
    fn chosen_account_is_before_those_with_greater_changes() {
        let mut ledger = BalanceLedger::default();
        ledger.transfer(Asset::Coin, account(1), account(2), U256::from(9));
        ledger.transfer(Asset::Coin, account(1), account(3), U256::from(1));
        let order = |first: Option<Address>| -> Vec<Address> {
            ledger.accounts(first).iter().map(|changes| changes.account).collect()
        };
        assert_eq!(order(None), [1, 2, 3].map(account));
        assert_eq!(order(Some(account(3))), [3, 1, 2].map(account));
    }

    #[test]
    fn uncertain_coin_is_a_change() {
        let mut ledger = BalanceLedger::default();
        ledger.doubt(account(1), U256::from(5));
        assert_eq!(ledger.accounts(None).len(), 1);
        assert!(ledger.unchanged().is_empty());
    }

    #[test]
    fn too_great_sums_are_not_exact() {
        let mut ledger = BalanceLedger::default();
        ledger.transfer(token(1), account(1), account(2), U256::MAX);
        assert!(ledger.overflowed.is_empty());
        ledger.transfer(token(1), account(1), account(2), U256::from(1));
        assert!(ledger.overflowed.contains(&token(1)));
    }

    proptest! {
        #[test]
        fn net_changes_sum_to_what_is_minted_less_what_is_burnt(
            moves in prop::collection::vec((0u64..3, 0u64..5, 0u64..5, 0u64..1000), 0..60),
        ) {
            let asset = |n| if n == 0 { Asset::Coin } else { token(n) };
            let mut ledger = BalanceLedger::default();
            for (n, from, to, amount) in moves {
                ledger.transfer(asset(n), account(from), account(to), U256::from(amount));
            }
            for asset in [0, 1, 2].map(asset) {
                let accounts = ledger.accounts(None);
                let changes = accounts.iter().flat_map(|account| &account.changes).filter(|change| change.0 == asset);
                let sum = changes.fold(0_i128, |sum, (_, change)| {
                    let (gained, net) = change.net();
                    sum + if gained { net.to::<i128>() } else { -net.to::<i128>() }
                });
                let total = |sums: &BTreeMap<Asset, U256>| sums.get(&asset).map_or(0, U256::to::<i128>);
                prop_assert_eq!(sum, total(&ledger.minted) - total(&ledger.burnt));
            }
        }
    }
}

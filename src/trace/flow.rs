//! Who has more of the coin after a transaction, and who has less: from its trace alone.

use std::collections::HashMap;

use super::tree::Sort;
use super::{Kind, Tree};
use crate::chain::{Address, U256};

/// What an account gained and lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Account {
    /// What came in, in wei.
    pub gained: U256,
    /// What went out.
    pub lost: U256,
}

impl Account {
    /// Whether it has more than before, and by how much it changed.
    pub fn net(&self) -> (bool, U256) {
        match self.gained.checked_sub(self.lost) {
            Some(net) => (true, net),
            None => (false, self.lost.saturating_sub(self.gained)),
        }
    }
}

/// The flow of a trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flow {
    /// Accounts by how much they changed, the largest first.
    pub accounts: Vec<(Address, Account)>,
    /// Block rewards: they come from nowhere, so the accounts' nets sum up to this.
    pub minted: U256,
    /// How many kept calls moved something.
    pub moves: usize,
    /// How many did, but were undone or failed themselves.
    pub undone: usize,
    /// Moves with an amount or an address that cannot be read: the flow is not the whole of it.
    pub unread: usize,
}

/// Sums up kept calls, creations and selfdestructs. Never delegatecall, callcode and staticcall, which
/// repeat the value of the call they run in, and never what failed or was undone.
pub fn flow(tree: &Tree) -> Flow {
    let mut flow = Flow::default();
    let mut accounts: HashMap<Address, Account> = HashMap::new();
    for number in tree.all(Sort::Valued) {
        let Some(frame) = tree.get(number) else { continue };
        if !frame.kind.moves_value() && frame.kind != Kind::Reward {
            continue;
        }
        if !frame.is_kept() {
            flow.undone += 1;
            continue;
        }
        let (from, to) = (tree.address(frame.from), tree.address(frame.to));
        match (frame.kind, from, to, tree.value(number)) {
            (Kind::Reward, _, Some(to), Some(value)) => {
                gain(&mut accounts, to, value);
                flow.minted = flow.minted.saturating_add(value);
                flow.moves += 1;
            }
            (_, Some(from), Some(to), Some(value)) => {
                let payer = accounts.entry(from).or_default();
                payer.lost = payer.lost.saturating_add(value);
                gain(&mut accounts, to, value);
                flow.moves += 1;
            }
            _ => flow.unread += 1,
        }
    }
    flow.accounts = accounts.into_iter().collect();
    flow.accounts.sort_by_key(|(address, account)| (std::cmp::Reverse(account.net().1), *address));
    flow
}

fn gain(accounts: &mut HashMap<Address, Account>, to: Address, value: U256) {
    let payee = accounts.entry(to).or_default();
    payee.gained = payee.gained.saturating_add(value);
}

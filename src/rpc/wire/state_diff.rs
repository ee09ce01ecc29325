//! State diffs: accounts before and after a transaction, by prestateTracer.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::chain::{Address, B256, U256};

/// The accounts that a transaction changed. One that it created is not in `pre`, one that it destroyed
/// not in `post`; what `post` leaves out of an account is as before.
#[derive(Debug, Clone, Deserialize)]
#[serde(expecting = "an object")]
pub struct RpcStateDiff {
    pre: BTreeMap<Address, RpcAccountState>,
    post: BTreeMap<Address, RpcAccountState>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(expecting = "an object")]
pub struct RpcAccountState {
    #[serde(default)]
    storage: BTreeMap<B256, B256>,
    #[serde(default, deserialize_with = "super::optional")]
    balance: Option<U256>,
}

impl RpcStateDiff {
    /// Returns the words before and after of each slot whose word is another. One that is left out is
    /// zero.
    pub fn storage(&self) -> BTreeMap<(Address, B256), (B256, B256)> {
        let slots = |accounts: &BTreeMap<Address, RpcAccountState>| -> BTreeMap<_, _> {
            accounts
                .iter()
                .flat_map(|(address, state)| -> Vec<_> {
                    state.storage.iter().map(|(slot, word)| ((*address, *slot), *word)).collect()
                })
                .collect()
        };
        let (before, after) = (slots(&self.pre), slots(&self.post));
        let all: BTreeSet<(Address, B256)> = before.keys().chain(after.keys()).copied().collect();
        let word = |words: &BTreeMap<(Address, B256), B256>, slot: &(Address, B256)| {
            words.get(slot).copied().unwrap_or_default()
        };
        let changed =
            all.into_iter().map(|slot| (slot, (word(&before, &slot), word(&after, &slot))));
        changed.filter(|(_, (before, after))| before != after).collect()
    }

    /// Returns the balances before and after of each account whose balance is another. `None` if one is known only
    /// after the transaction.
    pub fn balances(&self) -> Option<BTreeMap<Address, (U256, U256)>> {
        let accounts: BTreeSet<Address> =
            self.pre.keys().chain(self.post.keys()).copied().collect();
        let balance = |state: &RpcAccountState| state.balance;
        let mut changed = BTreeMap::new();
        for address in accounts {
            let before = self.pre.get(&address).map_or(Some(U256::ZERO), balance);
            let after = self.post.get(&address).map_or(Some(U256::ZERO), balance).or(before);
            match (before, after) {
                (Some(before), Some(after)) if before != after => {
                    changed.insert(address, (before, after));
                }
                (None, Some(_)) => return None,
                _ => {}
            }
        }
        Some(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balances_that_changed_are_reported() {
        let [same, paid, made, gone, unread] =
            [1, 2, 3, 4, 5].map(|n| format!("\"0x{}\"", format!("{n:02x}").repeat(20)));
        let diff: RpcStateDiff = serde_json::from_str(&format!(
            r#"{{"pre":{{{same}:{{"balance":"0x5","nonce":1}},{paid}:{{"balance":"0x5"}},
                {gone}:{{"balance":"0x9","code":"0x"}},{unread}:{{"nonce":1}}}},
               "post":{{{same}:{{"nonce":2}},{paid}:{{"balance":"0x7"}},{made}:{{"balance":"0x1"}},
                {unread}:{{"nonce":2}}}}}}"#
        ))
        .unwrap();
        let reported: Vec<_> = diff.balances().unwrap().into_iter().collect();
        let of = |n: u8, before: u64, after: u64| {
            (Address::repeat_byte(n), (U256::from(before), U256::from(after)))
        };
        assert_eq!(reported, [of(2, 5, 7), of(3, 0, 1), of(4, 9, 0)]);
    }

    #[test]
    fn balance_that_cannot_be_read_is_no_unchanged_one() {
        for (before, after) in [(r#""zz""#, r#""0x5""#), (r#""0x5""#, r#""0x""#)] {
            let json = format!(
                r#"{{"pre":{{"{0}":{{"balance":{before}}}}},"post":{{"{0}":{{"balance":{after}}}}}}}"#,
                Address::ZERO
            );
            let error = serde_json::from_str::<RpcStateDiff>(&json).unwrap_err().to_string();
            assert!(error.starts_with("a value cannot be read"), "{error}");
        }
    }

    #[test]
    fn balance_that_is_known_after_the_transaction_only_is_no_unchanged_one() {
        let json = r#"{"pre":{"A":{"nonce":1}},"post":{"A":{"balance":"0x2"}}}"#;
        let json = json.replace('A', &Address::ZERO.to_string());
        let diff: RpcStateDiff = serde_json::from_str(&json).unwrap();
        assert_eq!(diff.balances(), None);
    }

    #[test]
    fn words_that_are_left_out_are_zero() {
        let word = |n: u8| format!("\"0x{}\"", format!("{n:02x}").repeat(32));
        let address = format!("\"0x{}\"", "a1".repeat(20));
        let diff: RpcStateDiff = serde_json::from_str(&format!(
            r#"{{"pre":{{{address}:{{"storage":{{{}:{},{}:{}}}}}}},
               "post":{{{address}:{{"storage":{{{}:{},{}:{}}}}}}}}}"#,
            word(1),
            word(7),
            word(2),
            word(8),
            word(2),
            word(9),
            word(3),
            word(5),
        ))
        .unwrap();
        let words: Vec<_> = diff
            .storage()
            .into_iter()
            .map(|((_, slot), (before, after))| (slot[0], before[0], after[0]))
            .collect();
        assert_eq!(words, [(1, 7, 0), (2, 8, 9), (3, 0, 5)]);
    }
}

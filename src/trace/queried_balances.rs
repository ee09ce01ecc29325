//! The token balances that the calls of a trace ask for, which give the tokens of other numbers in it.

use std::collections::HashMap;

use super::{CallFrame, CallKind, CallTree};
use crate::chain::{Address, U256};

/// The selector of `balanceOf(address)`.
const BALANCE_OF_SELECTOR: [u8; 4] = [0x70, 0xa0, 0x82, 0x31];
/// A selector and a word.
const BALANCE_QUERY_BYTES: usize = 4 + 32;
/// Smaller numbers may well be something else.
const MIN_KNOWN_BALANCE: U256 = U256::from_limbs([1_000, 0, 0, 0]);

#[derive(Debug, Clone, Default)]
pub struct QueriedBalances {
    /// The token of each balance, or `None` if several tokens have it.
    tokens: HashMap<U256, Option<Address>>,
    /// The tokens and the balances that contracts ask for about themselves, in the order of the first calls.
    own: HashMap<Address, Vec<(Address, U256)>>,
}

impl QueriedBalances {
    pub fn new(tree: &CallTree) -> Self {
        let mut all = Self::default();
        for (number, frame) in (0..tree.len()).filter_map(|n| Some((n, tree.get(n)?))) {
            if tree.selector(number) == Some(BALANCE_OF_SELECTOR) {
                all.add(tree, frame);
            }
        }
        all
    }

    fn add(&mut self, tree: &CallTree, frame: &CallFrame) -> Option<()> {
        if frame.failed() || !matches!(frame.kind, CallKind::Call | CallKind::StaticCall) {
            return None;
        }
        let input = tree.hex(frame.input, BALANCE_QUERY_BYTES)?;
        let holder = Address::from_slice(input.get(BALANCE_QUERY_BYTES - 20..BALANCE_QUERY_BYTES)?);
        let balance = <[u8; 32]>::try_from(tree.hex(frame.output, 32)?).ok()?;
        let (balance, token) = (U256::from_be_bytes(balance), tree.address(frame.to)?);
        if balance >= MIN_KNOWN_BALANCE {
            let known = self.tokens.entry(balance).or_insert(Some(token));
            *known = known.filter(|known| *known == token);
        }
        if tree.address(frame.from) == Some(holder) {
            let own = self.own.entry(holder).or_default();
            if own.iter().all(|(known, _)| *known != token) {
                own.push((token, balance));
            }
        }
        Some(())
    }

    /// Returns the token of which exactly so much was reported as a balance.
    pub fn token_of(&self, balance: &U256) -> Option<&Address> {
        self.tokens.get(balance)?.as_ref()
    }

    /// Returns the two tokens of a pool, which asks for its own balances of them, with these balances.
    pub fn pair(&self, pool: &Address) -> Option<[(Address, U256); 2]> {
        self.own.get(pool)?.as_slice().try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::test_util::{SampleCall, sample_tree};

    fn account(n: u64) -> Address {
        Address::from_word(U256::from(n).into())
    }

    fn query(path: &[u32], token: u64, balance: u64) -> SampleCall {
        SampleCall {
            input: format!("0x70a08231{:064x}", 0xb),
            output: format!("0x{balance:064x}"),
            ..SampleCall::at(path).moves(0xb, token, 0).kind("staticcall")
        }
    }

    #[test]
    fn balances_give_tokens_and_the_pair_of_a_pool() {
        let calls = [
            SampleCall::at(&[]).moves(0xa, 0xb, 0),
            query(&[0], 7, 5_000),
            query(&[1], 8, 6_000),
            query(&[2], 7, 7_000),
            query(&[3], 8, 5_000),
        ];
        let balances = QueriedBalances::new(&sample_tree(&calls));
        let token = |balance: u64| balances.token_of(&U256::from(balance)).copied();
        assert_eq!([token(6_000), token(7_000)], [Some(account(8)), Some(account(7))]);
        assert_eq!(token(5_000), None, "of two tokens");
        let pair = [(account(7), U256::from(5_000)), (account(8), U256::from(6_000))];
        assert_eq!(balances.pair(&account(0xb)), Some(pair), "by the first calls");
        assert_eq!(balances.pair(&account(0xa)), None);
    }
}

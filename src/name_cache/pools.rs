//! The two tokens of liquidity pools, learned from the events of a transaction: a pool reports the amounts
//! that the transfers of its tokens have.

use std::collections::HashMap;

use alloy_primitives::{I256, b256};

use super::NameCache;
use crate::api::logs::Log;
use crate::chain::{Address, B256, U256};

const TRANSFER_TOPIC: B256 =
    b256!("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
/// Topics of pools' events whose data begin with amounts of the two tokens by turns, and the number of the
/// amounts: `Swap` of Uniswap V2, `Swap` of V3, `Mint` and `Burn` of V2.
const POOL_TOPICS: [(B256, usize); 4] = [
    (b256!("0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822"), 4),
    (b256!("0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67"), 2),
    (b256!("0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f"), 2),
    (b256!("0xdccd412f0b1252819cb1fd330b93224ca42612892bb3f4f789976e6d81936496"), 2),
];

/// The token of which an account sent or received an amount, or `None` if it is several.
type TokensByAmount = HashMap<(Address, U256), Option<Address>>;

impl NameCache {
    /// Returns the two tokens of a pool in the order of the amounts in its events.
    pub fn pool_tokens(&self, pool: &Address) -> Option<&[Address; 2]> {
        self.pools.peek(pool)?.as_ref()
    }

    /// Learns the tokens of the pools among the logs of a transaction.
    pub(super) fn learn_pools(&mut self, logs: &[&Log]) {
        let mut moved = TokensByAmount::new();
        for (parties, amount, token) in logs.iter().filter_map(|log| transfer(log)) {
            for party in parties {
                let known = moved.entry((party, amount)).or_insert(Some(token));
                *known = known.filter(|known| *known == token);
            }
        }
        for (pool, tokens) in logs.iter().filter_map(|log| pool_tokens(log, &moved)) {
            let known = self.pools.get_or_insert_mut(pool, || Some(tokens));
            *known = known.filter(|known| *known == tokens);
        }
    }
}

/// Returns the parties, the amount and the token of a transfer.
fn transfer(log: &Log) -> Option<([Address; 2], U256, Address)> {
    let [TRANSFER_TOPIC, from, to] = *log.topics.value()?.0.as_slice() else { return None };
    let amount = <[u8; 32]>::try_from(log.data.value()?.as_ref()).ok()?;
    let token = log.address.value()?.hash;
    Some(([from, to].map(Address::from_word), U256::from_be_bytes(amount), token))
}

/// Returns a pool and its tokens, if the transfers have the amounts of both in its event.
fn pool_tokens(log: &Log, moved: &TokensByAmount) -> Option<(Address, [Address; 2])> {
    let topic = log.topics.value()?.0.first()?;
    let (_, amounts) = POOL_TOPICS.iter().find(|(known, _)| known == topic)?;
    let pool = log.address.value()?.hash;
    let words = log.data.value()?.chunks_exact(32).take(*amounts);
    // What left a pool of V3 is negative.
    let amounts = words.map(|word| I256::from_raw(U256::from_be_slice(word)).unsigned_abs());
    let mut tokens = [None; 2];
    for (n, amount) in amounts.enumerate().filter(|(_, amount)| !amount.is_zero()) {
        let token = (*moved.get(&(pool, amount))?)?;
        let known = tokens.get_mut(n % 2)?;
        if known.is_some_and(|known| known != token) {
            return None;
        }
        *known = Some(token);
    }
    match tokens {
        [Some(first), Some(second)] if first != second => Some((pool, [first, second])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Query, TransactionQuery};
    use crate::chain::TxHash;

    const POOL: u64 = 0xb;

    fn account(n: u64) -> Address {
        Address::from_word(U256::from(n).into())
    }

    fn log(emitter: u64, topics: &[String], words: &[i64]) -> String {
        let digits = words.iter().map(|n| format!("{:064x}", I256::try_from(*n).unwrap()));
        let words = digits.collect::<Vec<_>>().concat();
        let topics = topics.join("\",\"");
        let emitter = account(emitter);
        format!(r#"{{"address":{{"hash":"{emitter}"}},"topics":["{topics}"],"data":"0x{words}"}}"#)
    }

    fn moved(token: u64, from: u64, to: u64, amount: i64) -> String {
        let [from, to] = [from, to].map(|party| format!("0x{party:064x}"));
        log(token, &[TRANSFER_TOPIC.to_string(), from, to], &[amount])
    }

    fn event(topic: usize, amounts: &[i64]) -> String {
        log(POOL, &[POOL_TOPICS[topic].0.to_string()], amounts)
    }

    fn learn(cache: &mut NameCache, logs: &[String]) -> Option<[Address; 2]> {
        let query = Query::Transaction(TxHash::ZERO, TransactionQuery::Logs);
        let page = format!(r#"{{"items":[{}],"next_page_params":null}}"#, logs.join(","));
        cache.ingest(&query, &query.decode(page.as_bytes(), None).unwrap());
        cache.pool_tokens(&account(POOL)).copied()
    }

    #[test]
    fn amounts_of_a_swap_give_the_tokens_of_a_pool() {
        let known = Some([7, 8].map(account));
        let transfers = || [moved(8, 1, POOL, 600), moved(7, POOL, 2, 500)];
        let swap = |event: String| transfers().into_iter().chain([event]).collect::<Vec<_>>();
        let learned = |logs: &[String]| learn(&mut NameCache::default(), logs);
        assert_eq!(learned(&swap(event(0, &[0, 600, 500, 0]))), known, "Uniswap V2");
        assert_eq!(learned(&swap(event(1, &[-500, 600, 9, 9, 9]))), known, "Uniswap V3");
        assert_eq!(learned(&swap(event(2, &[500, 600]))), known, "liquidity");
        assert_eq!(learned(&swap(event(0, &[0, 601, 500, 0]))), None, "a fee on the transfer");
        assert_eq!(learned(&[event(0, &[0, 600, 500, 0])]), None, "no transfers");
        let other = swap(event(0, &[0, 600, 500, 0])).into_iter().chain([moved(9, 1, POOL, 600)]);
        assert_eq!(learned(&other.collect::<Vec<_>>()), None, "two tokens with one amount");
    }

    #[test]
    fn pool_whose_events_contradict_each_other_is_unknown() {
        let mut cache = NameCache::default();
        let transfers = || [moved(8, 1, POOL, 600), moved(7, POOL, 2, 500)].into_iter();
        let swap = |amounts: &[i64]| transfers().chain([event(0, amounts)]).collect::<Vec<_>>();
        assert!(learn(&mut cache, &swap(&[0, 600, 500, 0])).is_some());
        assert_eq!(learn(&mut cache, &swap(&[600, 0, 0, 500])), None);
        assert_eq!(learn(&mut cache, &swap(&[0, 600, 500, 0])), None, "for good");
    }
}

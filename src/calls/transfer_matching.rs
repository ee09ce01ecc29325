//! Matches token transfers to the calls that made them.
//!
//! The endpoints do not report the call of a transfer, so it is matched by token, sender, receiver and
//! amount, and only if the match is unambiguous.

use std::collections::{BTreeMap, HashMap};

use crate::api::token_transfers::TokenTransfer;
use crate::chain::{Address, U256};
use crate::columns::Row;
use crate::columns::cells::token_line;
use crate::sanitize::SafeText;
use crate::trace::queried_balances::QueriedBalances;
use crate::trace::{CallKind, CallTree};

/// Maximum calls of a trace whose transfers are matched.
const MAX_MATCHED_CALLS: u32 = 100_000;
/// Maximum length of calldata that can be a token transfer.
const MAX_TRANSFER_CALLDATA_BYTES: usize = 1 << 10;

/// Selectors of `approve` and `permit`: they have the same parties and amounts but move nothing.
const ALLOWANCE_SELECTORS: [[u8; 4]; 2] = [[0x09, 0x5e, 0xa7, 0xb3], [0xd5, 0x05, 0xac, 0xcf]];

#[derive(Debug, Clone, Default)]
pub struct TransferMap {
    by_call: HashMap<u32, TraceTransfer>,
    /// Transfers that match no call, or more than one.
    pub unmatched: Vec<TraceTransfer>,
    /// The balances that the trace asks for.
    pub balances: QueriedBalances,
}

/// The parts of a token transfer required for matching and display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceTransfer {
    pub token: Address,
    from: Address,
    pub to: Address,
    value: Option<U256>,
    id: Option<U256>,
    log_index: Option<u64>,
    /// The transferred amount or instance, in a few words.
    pub summary: String,
    /// The summary with a shortened amount.
    pub short_summary: String,
    pub token_line: SafeText,
    pub warnings: Vec<SafeText>,
}

impl TraceTransfer {
    /// Converts a token transfer. Returns `None` if one of the three addresses is missing.
    fn from_token_transfer(transfer: &TokenTransfer) -> Option<Self> {
        let token = transfer.token.value()?;
        let total = transfer.total.value();
        Some(Self {
            token: *token.address.value()?,
            from: transfer.from.value()?.hash,
            to: transfer.to.value()?.hash,
            value: total.and_then(|t| t.value.value()).copied(),
            id: total.and_then(|t| t.token_id.value()).copied(),
            log_index: transfer.log_index.value().copied(),
            summary: transfer.summary(),
            short_summary: transfer.short_summary(),
            token_line: token_line(token),
            warnings: transfer.warnings(),
        })
    }

    fn is_like(&self, other: &Self) -> bool {
        let parts = |transfer: &Self| {
            (transfer.token, transfer.from, transfer.to, transfer.value, transfer.id)
        };
        parts(self) == parts(other)
    }

    /// Returns `true` if a call contains the parties and the amount. Mints and burns have one party
    /// only.
    fn matches_call(&self, caller: Address, words: &[U256]) -> bool {
        let has = |address: Address| {
            address.is_zero()
                || address == caller
                || words.contains(&U256::from_be_slice(address.as_slice()))
        };
        let number = self.value.or(self.id);
        has(self.from) && has(self.to) && number.is_none_or(|number| words.contains(&number))
    }
}

impl TransferMap {
    /// Matches transfers to the calls of a complete trace.
    pub fn build(tree: &CallTree, transfers: &[&TokenTransfer]) -> Self {
        let transfers: Vec<TraceTransfer> =
            transfers.iter().filter_map(|t| TraceTransfer::from_token_transfer(t)).collect();
        if transfers.is_empty() || tree.len() > MAX_MATCHED_CALLS {
            return Self { unmatched: transfers, ..Self::default() };
        }
        let calls = candidates(tree, &transfers);
        let mut groups: BTreeMap<Vec<u32>, Vec<TraceTransfer>> = BTreeMap::new();
        for transfer in transfers {
            let fitting = calls.iter().filter(|call| {
                call.token == transfer.token && transfer.matches_call(call.caller, &call.words)
            });
            groups.entry(fitting.map(|call| call.number).collect()).or_default().push(transfer);
        }
        Self { balances: QueriedBalances::new(tree), ..Self::resolve(groups) }
    }

    /// Matches groups with as many equal transfers as candidate calls, in order. Others stay unmatched.
    fn resolve(groups: BTreeMap<Vec<u32>, Vec<TraceTransfer>>) -> Self {
        let mut map = Self::default();
        let mut claims: HashMap<u32, usize> = HashMap::new();
        for call in groups.keys().flatten() {
            *claims.entry(*call).or_default() += 1;
        }
        for (calls, transfers) in groups {
            let alike = transfers.windows(2).all(|pair| pair[0].is_like(&pair[1]));
            let alone = calls.iter().all(|call| claims.get(call) == Some(&1));
            if calls.len() == transfers.len() && alike && alone {
                map.by_call.extend(calls.into_iter().zip(transfers));
            } else {
                map.unmatched.extend(transfers);
            }
        }
        map
    }

    /// Returns the transfers without their calls, for texts that differ by calls alone.
    #[must_use]
    pub fn without_calls(self) -> Self {
        let unmatched = self.by_call.into_values().chain(self.unmatched).collect();
        Self { by_call: HashMap::new(), unmatched, balances: self.balances }
    }

    /// Returns the transfer made by a call.
    pub fn get(&self, call: u32) -> Option<&TraceTransfer> {
        self.by_call.get(&call)
    }

    /// Returns the call that made a transfer.
    pub fn call_of(&self, transfer: &TokenTransfer) -> Option<u32> {
        let wanted = TraceTransfer::from_token_transfer(transfer)?;
        let is_wanted = |(_, own): &(&u32, &TraceTransfer)| {
            own.log_index == wanted.log_index && own.is_like(&wanted)
        };
        self.by_call.iter().find(is_wanted).map(|(call, _)| *call)
    }

    /// Returns the calls that made transfers, by the indexes of their logs.
    pub fn calls_by_log(&self) -> HashMap<u64, u32> {
        self.by_call
            .iter()
            .filter_map(|(call, transfer)| Some((transfer.log_index?, *call)))
            .collect()
    }

    /// Returns the two tokens of a pool in the order of its reserves. Pools have them in the order of their addresses,
    /// unless the reserves with what was transferred make the balances of the other order.
    pub fn reserve_tokens(&self, pool: &Address, reserves: [U256; 2]) -> Option<[Address; 2]> {
        let asked = self.balances.pair(pool)?;
        let [first, second] = asked;
        let is_order = |order: &[(Address, U256); 2]| {
            let mut parts = order.iter().zip(reserves);
            parts.all(|((token, balance), reserve)| {
                *balance == reserve || self.adds_up(pool, token, (reserve, *balance))
            })
        };
        let order = match [asked, [second, first]].map(|order| is_order(&order)) {
            [true, false] => asked,
            [false, true] => [second, first],
            _ if first.0 < second.0 => asked,
            // Which reserve is whose is unknown.
            _ => return None,
        };
        Some(order.map(|(token, _)| token))
    }

    /// Returns `true` if an account has the second balance of a token after the first one and all transfers.
    fn adds_up(&self, account: &Address, token: &Address, (from, to): (U256, U256)) -> bool {
        let transfers = self.by_call.values().chain(&self.unmatched);
        let own = transfers.filter(|transfer| transfer.token == *token);
        let sums = own.fold((Some(from), Some(to)), |(gained, lost), transfer| {
            let add = |sum: Option<U256>, party: Address| {
                if party == *account { sum?.checked_add(transfer.value?) } else { sum }
            };
            (add(gained, transfer.to), add(lost, transfer.from))
        });
        matches!(sums, (Some(gained), Some(lost)) if gained == lost)
    }

    /// Returns `true` if no transfers are known.
    pub fn is_empty(&self) -> bool {
        self.by_call.is_empty() && self.unmatched.is_empty()
    }

    /// Returns the number of matched transfers.
    pub fn matched_count(&self) -> usize {
        self.by_call.len()
    }
}

/// A call that may have made a transfer.
struct TransferCandidate {
    number: u32,
    token: Address,
    caller: Address,
    words: Vec<U256>,
}

fn candidates(tree: &CallTree, transfers: &[TraceTransfer]) -> Vec<TransferCandidate> {
    let candidate = |number: u32| {
        let frame = tree.get(number)?;
        let token = tree.address(frame.to)?;
        transfers.iter().any(|t| t.token == token).then_some(())?;
        let caller = tree.address(frame.from)?;
        let input = tree.hex(frame.input, MAX_TRANSFER_CALLDATA_BYTES)?;
        (!ALLOWANCE_SELECTORS.iter().any(|selector| input.starts_with(selector))).then_some(())?;
        let words = input.get(4..)?.chunks_exact(32).map(U256::from_be_slice).collect();
        Some(TransferCandidate { number, token, caller, words })
    };
    (0..tree.len())
        .filter(|number| {
            tree.get(*number).is_some_and(|f| f.is_committed() && f.kind == CallKind::Call)
        })
        .filter_map(candidate)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json_fields::FromJson;
    use crate::trace::test_util::{SampleCall, sample_tree};

    const TOKEN: u64 = 0x70;

    fn transfer(from: u64, to: u64, value: u64) -> TokenTransfer {
        let json = format!(
            r#"{{"token":{{"address_hash":"0x{TOKEN:040x}","symbol":"GLD","decimals":"6"}},
            "from":{{"hash":"0x{from:040x}"}},"to":{{"hash":"0x{to:040x}"}},
            "total":{{"value":"{value}","decimals":"6"}}}}"#
        );
        TokenTransfer::from_json((&*serde_json::value::RawValue::from_string(json).unwrap()).into())
            .unwrap()
    }

    /// A call of the token with `words` after a selector.
    fn call(nth: u32, caller: u64, selector: &str, words: &[u64]) -> SampleCall {
        let words: Vec<String> = words.iter().map(|word| format!("{word:064x}")).collect();
        let words = words.concat();
        SampleCall::at(&[nth]).moves(caller, TOKEN, 0).input(&format!("0x{selector}{words}"))
    }

    fn matched(calls: Vec<SampleCall>, transfers: &[TokenTransfer]) -> (Vec<u32>, usize) {
        let calls: Vec<SampleCall> = std::iter::once(SampleCall::at(&[])).chain(calls).collect();
        let map = TransferMap::build(&sample_tree(&calls), &transfers.iter().collect::<Vec<_>>());
        let mut matched: Vec<u32> = map.by_call.keys().copied().collect();
        matched.sort_unstable();
        (matched, map.unmatched.len())
    }

    const TRANSFER: &str = "a9059cbb";
    const TRANSFER_FROM: &str = "23b872dd";
    const MINT: &str = "40c10f19";

    #[test]
    fn transfer_with_a_fee_stays_unmatched() {
        let calls = vec![
            call(0, 1, TRANSFER, &[2, 100]),
            call(1, 9, TRANSFER_FROM, &[3, 4, 200]),
            call(2, 9, MINT, &[5, 300]),
            call(3, 6, TRANSFER, &[7, 400]),
            call(4, 9, "70a08231", &[1]),
        ];
        let transfers = [
            transfer(1, 2, 100),
            transfer(3, 4, 200),
            transfer(0, 5, 300),
            transfer(6, 7, 396), // a fee of four
            transfer(8, 9, 1),   // in no call
        ];
        assert_eq!(matched(calls, &transfers), (vec![1, 2, 3], 2));
    }

    #[test]
    fn ambiguous_transfers_stay_unmatched() {
        let twice = || vec![call(0, 1, TRANSFER, &[2, 100]), call(1, 1, TRANSFER, &[2, 100])];
        assert_eq!(matched(twice(), &[transfer(1, 2, 100)]), (vec![], 1));
        let both = [transfer(1, 2, 100), transfer(1, 2, 100)];
        assert_eq!(matched(twice(), &both), (vec![1, 2], 0), "one per call, in order");
        // The first call could have made the third transfer too.
        let claimed = vec![call(0, 1, TRANSFER, &[2, 100, 200]), call(1, 1, TRANSFER, &[2, 100])];
        let three = [transfer(1, 2, 100), transfer(1, 2, 100), transfer(1, 2, 200)];
        assert_eq!(matched(claimed, &three), (vec![], 3));
    }

    #[test]
    fn reserves_before_a_swap_give_the_order_of_the_tokens() {
        const POOL: u64 = 0xb;
        let query = |nth: u32, token: u64, balance: u64| SampleCall {
            input: format!("0x70a08231{POOL:064x}"),
            output: format!("0x{balance:064x}"),
            ..SampleCall::at(&[nth]).moves(POOL, token, 0).kind("staticcall")
        };
        let account = |n: u64| Address::from_word(U256::from(n).into());
        let tokens = |first: u64, transfers: &[TokenTransfer], reserves: [u64; 2]| {
            let calls = [SampleCall::at(&[]), query(0, first, 4_000), query(1, 0x75, 6_000)];
            let transfers: Vec<_> = transfers.iter().collect();
            let map = TransferMap::build(&sample_tree(&calls), &transfers);
            map.reserve_tokens(&account(POOL), reserves.map(U256::from))
        };
        let (token, other) = (account(TOKEN), account(0x75));
        let sent = [transfer(POOL, 9, 1_000)];
        assert_eq!(tokens(TOKEN, &sent, [5_000, 6_000]), Some([token, other]));
        assert_eq!(tokens(TOKEN, &sent, [6_000, 5_000]), Some([other, token]));
        assert_eq!(tokens(TOKEN, &sent, [1, 2]), Some([token, other]), "as most pools");
        assert_eq!(tokens(0x80, &sent, [1, 2]), None, "asked in another order");
    }

    #[test]
    fn failed_and_non_moving_calls_match_nothing() {
        let failed = call(0, 1, TRANSFER, &[2, 100]).failed("0x");
        assert_eq!(matched(vec![failed], &[transfer(1, 2, 100)]), (vec![], 1));
        let allowed = call(0, 1, "095ea7b3", &[2, 100]);
        assert_eq!(matched(vec![allowed], &[transfer(1, 2, 100)]), (vec![], 1));
        let elsewhere = call(0, 1, TRANSFER, &[2, 100]).kind("delegatecall");
        assert_eq!(matched(vec![elsewhere], &[transfer(1, 2, 100)]), (vec![], 1));
    }

    #[test]
    fn transfers_of_a_huge_trace_stay_unmatched() {
        for (others, is_matched) in [(10, true), (MAX_MATCHED_CALLS, false)] {
            let mut calls = vec![call(0, 1, TRANSFER, &[2, 100])];
            calls.extend((1..=others).map(|n| SampleCall::at(&[n])));
            assert_eq!(matched(calls, &[transfer(1, 2, 100)]).1 == 0, is_matched, "{others}");
        }
    }
}

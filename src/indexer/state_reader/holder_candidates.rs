//! Accounts that may hold a token. The token is then asked for their balances.
//!
//! Transfers name most holders. But old templates mint without an event, in the constructor or in a
//! call, and others have events of their own. So the accounts in all events of a token, in the calldata
//! of calls to it and in its constructor's arguments are candidates too, and so are its callers and its
//! creator.

use std::collections::{HashMap, HashSet};

use crate::abi::SELECTOR_BYTES;
use crate::chain::token_standard::TokenStandard;
use crate::chain::{Address, B256, U256, WORD_BYTES};
use crate::store::{LogRecord, Snapshot, StoreResult, TransactionRecord};

/// Maximum candidates of one token.
pub(in crate::indexer) const MAX_CANDIDATES: usize = 5_000;
/// Words at the end of creation code that may be the constructor's arguments.
const MAX_CONSTRUCTOR_WORDS: usize = 16;

/// The accounts that may hold a token.
#[derive(Debug, Default)]
pub(in crate::indexer) struct HolderCandidates {
    /// With the id, if several can hold one.
    in_transfers: HashSet<(Address, Option<U256>)>,
    elsewhere: HashSet<Address>,
}

/// Returns the candidates of tokens.
pub(in crate::indexer) fn holder_candidates(
    snapshot: &Snapshot,
    tokens: &HashSet<Address>,
) -> StoreResult<HashMap<Address, HolderCandidates>> {
    let mut found: HashMap<Address, HolderCandidates> = HashMap::new();
    for transfer in snapshot.transfers(u64::MAX)?.filter(|row| tokens.contains(&row.token)) {
        let id = transfer.token_id.filter(|_| transfer.standard != TokenStandard::Erc721);
        let parties = [transfer.from, transfer.to].into_iter().filter(|party| !party.is_zero());
        let of_token = found.entry(transfer.token).or_default();
        of_token.in_transfers.extend(parties.map(|party| (party, id)));
    }
    for log in snapshot.logs(u64::MAX)?.filter(|row| tokens.contains(&row.address)) {
        found.entry(log.address).or_default().add(addresses_in_log(log));
    }
    for sent in snapshot.transactions(u64::MAX)? {
        let called = sent.to.or(sent.created_contract).filter(|contract| tokens.contains(contract));
        let Some(token) = called.filter(|_| sent.error.is_none()) else { continue };
        found.entry(token).or_default().add(addresses_in_call(sent).chain([sent.from, token]));
    }
    // Of a node that lists no calls, the creator is unknown if it is a contract.
    for call in snapshot.internal_transactions(u64::MAX).0.filter(|row| row.error.is_none()) {
        if let Some(token) = call.created_contract.filter(|contract| tokens.contains(contract)) {
            found.entry(token).or_default().add([call.from, token].into_iter());
        }
    }
    Ok(found)
}

impl HolderCandidates {
    pub(in crate::indexer) fn add(&mut self, accounts: impl Iterator<Item = Address>) {
        let space = MAX_CANDIDATES.saturating_sub(self.elsewhere.len());
        self.elsewhere.extend(accounts.take(space));
    }

    /// Returns the accounts to ask a token about, with the id if it has a balance for each. Accounts in
    /// no transfer come last, and are left out if they are too many.
    pub(in crate::indexer) fn accounts(
        &self,
        standard: TokenStandard,
    ) -> Vec<(Address, Option<U256>)> {
        if standard == TokenStandard::Erc1155 {
            return self.in_transfers.iter().copied().filter(|(_, id)| id.is_some()).collect();
        }
        let transferred: HashSet<Address> =
            self.in_transfers.iter().map(|(account, _)| *account).collect();
        let untransferred = self.elsewhere.difference(&transferred);
        let space = MAX_CANDIDATES.saturating_sub(transferred.len());
        let others = untransferred.take(space);
        transferred.iter().chain(others).map(|account| (*account, None)).collect()
    }

    /// Returns `true` if a transfer names the account.
    pub(in crate::indexer) fn is_in_transfers(&self, account: Address) -> bool {
        self.in_transfers.iter().any(|(holder, _)| *holder == account)
    }
}

fn addresses_in_log(log: &LogRecord) -> impl Iterator<Item = Address> {
    let topics = log.topics.iter().skip(1).map(B256::as_slice);
    topics.chain(log.data.chunks_exact(WORD_BYTES)).filter_map(address)
}

/// Returns the addresses in the arguments of a call, or of a constructor, which are at the end.
fn addresses_in_call(sent: &TransactionRecord) -> impl Iterator<Item = Address> {
    let skipped = match sent.created_contract {
        Some(_) => sent.input.len().saturating_sub(MAX_CONSTRUCTOR_WORDS * WORD_BYTES),
        None => SELECTOR_BYTES,
    };
    let words = sent.input.get(skipped..).unwrap_or_default();
    words.rchunks_exact(WORD_BYTES).filter_map(address)
}

/// Returns the address in a word, unless it is rather a number.
fn address(word: &[u8]) -> Option<Address> {
    let word = U256::try_from_be_slice(word)?;
    (64..=160).contains(&word.bit_len()).then(|| Address::from_word(word.into()))
}

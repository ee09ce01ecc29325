//! The tokens of a chain, with their standards and ids, read from token transfers.
//!
//! Anyone can emit a transfer, so a token that logged an NFT only may be one: its functions settle it
//! ([`ContractReader::judge_nfts`](crate::indexer::contract_reader::ContractReader)).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::chain::token_standard::TokenStandard;
use crate::chain::{Address, U256};
use crate::store::{Snapshot, StoreResult, TransferRecord};
use TokenStandard::{Erc20, Erc721};

/// The tokens of a chain, as far as transfers identify them.
#[derive(Debug, Default)]
pub(in crate::indexer) struct TokenIndex {
    /// In the order of their first transfers.
    tokens: Vec<Address>,
    standards: HashMap<Address, TokenStandard>,
    /// An id of each token that logged the transfer of an NFT.
    unique_ids: HashMap<Address, U256>,
}

impl TokenIndex {
    pub(in crate::indexer) fn new(snapshot: &Snapshot) -> StoreResult<Self> {
        let mut index = Self::default();
        for transfer in oldest_first(snapshot)? {
            let standard = index.standards.entry(transfer.token).or_insert_with(|| {
                index.tokens.push(transfer.token);
                transfer.standard
            });
            // A contract may follow several: it is of the highest.
            *standard = transfer.standard.max(*standard);
            if let Some(id) = transfer.token_id.filter(|_| transfer.standard == Erc721) {
                index.unique_ids.insert(transfer.token, id);
            }
        }
        Ok(index)
    }

    pub(in crate::indexer) fn standard(&self, token: Address) -> Option<TokenStandard> {
        self.standards.get(&token).copied()
    }

    /// Returns the tokens that logged the transfer of an NFT, each with one id. They may be of another
    /// standard.
    pub(in crate::indexer) fn possible_nfts(&self) -> Vec<(Address, U256)> {
        let is_unsettled = |token| matches!(self.standard(token), Some(Erc20 | Erc721));
        let ids = self.unique_ids.iter().map(|(token, id)| (*token, *id));
        ids.filter(|(token, _)| is_unsettled(*token)).collect()
    }

    /// Sets the standard of a token that its events do not settle.
    pub(in crate::indexer) fn set_standard(&mut self, token: Address, standard: TokenStandard) {
        self.standards.insert(token, standard);
    }

    /// Returns `true` if each id of a token has one owner.
    pub(in crate::indexer) fn is_unique(&self, token: Address) -> bool {
        self.standard(token) == Some(Erc721)
    }

    pub(in crate::indexer) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns the tokens with their standards, in the order of their first transfers.
    pub(in crate::indexer) fn iter(&self) -> impl Iterator<Item = (Address, TokenStandard)> {
        self.tokens.iter().filter_map(|token| Some((*token, self.standard(*token)?)))
    }
}

/// Returns the transfers of a chain, the oldest first.
fn oldest_first(snapshot: &Snapshot) -> StoreResult<Vec<&TransferRecord>> {
    let mut transfers: Vec<_> = snapshot.transfers(u64::MAX)?.collect();
    transfers.reverse();
    Ok(transfers)
}

/// Returns the owners of a token's ids after its transfers. Burnt ids, and ids that several can hold,
/// have none.
pub(in crate::indexer) fn ids(
    snapshot: &Snapshot,
    token: Address,
) -> StoreResult<BTreeMap<U256, Option<Address>>> {
    let mut owners = BTreeMap::new();
    for transfer in oldest_first(snapshot)?.into_iter().filter(|row| row.token == token) {
        let is_unique = transfer.standard == Erc721;
        let owner = Some(transfer.to).filter(|to| is_unique && !to.is_zero());
        owners.extend(transfer.token_id.map(|id| (id, owner)));
    }
    Ok(owners)
}

/// Returns the tokens that an address received, with their ids.
pub(in crate::indexer) fn received_tokens(
    snapshot: &Snapshot,
    holder: Address,
) -> StoreResult<HashMap<Address, BTreeSet<U256>>> {
    let mut received: HashMap<_, BTreeSet<_>> = HashMap::new();
    for transfer in snapshot.transfers(u64::MAX)?.filter(|row| row.to == holder) {
        received.entry(transfer.token).or_default().extend(transfer.token_id);
    }
    Ok(received)
}

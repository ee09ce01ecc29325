//! Standards of tokens by their functions, where events are not enough: anyone can emit an event.

use crate::chain::U256;
use crate::chain::token_standard::TokenStandard;
use crate::rpc::BlockTag;
use crate::store::StoreResult;

use super::token_index::TokenIndex;
use crate::indexer::contract_calls::{CallAnswer, ContractCall, selector};
use crate::indexer::contract_reader::ContractReader;

/// The interface of ERC-721, as an argument of `supportsInterface`.
const ERC721_INTERFACE: U256 = U256::from_limbs([0, 0, 0, 0x80ac_58cd << 32]);

impl ContractReader {
    /// Judges the tokens that logged the transfer of an NFT by their functions.
    pub(in crate::indexer) async fn judge_nfts(&self, index: &mut TokenIndex) -> StoreResult<()> {
        let mut asked = index.possible_nfts();
        asked.retain(|(token, _)| !self.memory.lock().standards.contains_key(token));
        let judged = self
            .call(asked, BlockTag::Latest, |&(token, id)| {
                [
                    ContractCall::new(token, selector::SUPPORTS_INTERFACE, &[ERC721_INTERFACE]),
                    ContractCall::new(token, selector::DECIMALS, &[]),
                    ContractCall::new(token, selector::OWNER_OF, &[id]),
                ]
            })
            .await?;
        let mut memory = self.memory.lock();
        memory
            .standards
            .extend(judged.iter().map(|((token, _), answers)| (*token, judge(answers))));
        for (token, _) in index.possible_nfts() {
            if let Some(Some(standard)) = memory.standards.get(&token) {
                index.set_standard(token, *standard);
            }
        }
        Ok(())
    }
}

/// Returns the standard that the functions imply, if any.
fn judge([supports, decimals, owner]: &[CallAnswer; 3]) -> Option<TokenStandard> {
    let has_owner = owner.address().is_some_and(|owner| !owner.is_zero());
    let decimals = decimals.number();
    let is_whole = decimals.is_none_or(|decimals| decimals.is_zero());
    if supports.number() == Some(U256::ONE) || has_owner && is_whole {
        Some(TokenStandard::Erc721)
    } else {
        decimals.map(|_| TokenStandard::Erc20)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interface_or_an_owner_of_a_whole_token_shows_an_nft() {
        let word = |n: u64| CallAnswer(Some(format!("{:#066x}", U256::from(n))));
        let none = CallAnswer::default;
        let (nft, coin) = (Some(TokenStandard::Erc721), Some(TokenStandard::Erc20));
        let cases = [
            ([word(1), none(), none()], nft),
            ([word(1), word(18), none()], nft),
            ([word(0), none(), word(7)], nft),
            ([none(), word(0), word(7)], nft),
            ([none(), word(18), word(7)], coin),
            ([none(), word(18), none()], coin),
            ([none(), word(0), word(0)], coin),
            ([word(0), none(), word(0)], None),
            ([word(2), none(), none()], None),
        ];
        for (answers, standard) in cases {
            assert_eq!(judge(&answers), standard, "{answers:?}");
        }
    }
}

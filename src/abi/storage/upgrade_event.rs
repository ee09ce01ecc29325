//! The event of a proxy that runs other code from now on, and so has variables in other slots.

use crate::chain::{Address, B256, WORD_BYTES, b256};

/// `Upgraded(address)` (ERC-1967).
pub const UPGRADED: B256 =
    b256!("bc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b");

/// Returns the contract that an `Upgraded` event installs. Some proxies have it in the data, not in a topic.
pub fn upgraded_code(topics: &[B256], data: &[u8]) -> Option<Address> {
    let (event, indexed) = topics.split_first()?;
    let word = match indexed.first() {
        Some(word) => *word,
        None => B256::from_slice(data.get(..WORD_BYTES)?),
    };
    (*event == UPGRADED).then(|| Address::from_word(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_in_a_topic_or_in_the_data() {
        let code = Address::repeat_byte(7);
        let word = code.into_word();
        assert_eq!(upgraded_code(&[UPGRADED, word], &[]), Some(code));
        assert_eq!(upgraded_code(&[UPGRADED], word.as_slice()), Some(code));
        assert_eq!(upgraded_code(&[UPGRADED], &[7; 31]), None);
        assert_eq!(upgraded_code(&[word, word], &[]), None, "another event");
    }
}

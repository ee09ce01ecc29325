//! Requests about accounts, calls of contracts, and their answers.

use serde_json::json;

use crate::abi::returned_text;
use crate::chain::{Address, B256, Bytes, U256};
use crate::rpc::wire::FromWire;
use crate::rpc::{BlockTag, RpcRequest};

/// Selectors of the functions that are called.
pub(super) mod selector {
    pub(in crate::indexer) const NAME: [u8; 4] = [0x06, 0xfd, 0xde, 0x03];
    pub(in crate::indexer) const SYMBOL: [u8; 4] = [0x95, 0xd8, 0x9b, 0x41];
    pub(in crate::indexer) const DECIMALS: [u8; 4] = [0x31, 0x3c, 0xe5, 0x67];
    pub(in crate::indexer) const TOTAL_SUPPLY: [u8; 4] = [0x18, 0x16, 0x0d, 0xdd];
    /// `balanceOf(address)`
    pub(in crate::indexer) const BALANCE_OF: [u8; 4] = [0x70, 0xa0, 0x82, 0x31];
    /// `balanceOf(address,uint256)`
    pub(in crate::indexer) const BALANCE_OF_ID: [u8; 4] = [0x00, 0xfd, 0xd5, 0x8e];
    pub(in crate::indexer) const OWNER_OF: [u8; 4] = [0x63, 0x52, 0x21, 0x1e];
    pub(in crate::indexer) const TOKEN_URI: [u8; 4] = [0xc8, 0x7b, 0x56, 0xdd];
    pub(in crate::indexer) const URI: [u8; 4] = [0x0e, 0x89, 0x34, 0x1c];
    pub(in crate::indexer) const SUPPORTS_INTERFACE: [u8; 4] = [0x01, 0xff, 0xc9, 0xa7];
    pub(in crate::indexer) const OWNER: [u8; 4] = [0x8d, 0xa5, 0xcb, 0x5b];
    /// `implementation()`
    pub(in crate::indexer) const IMPLEMENTATION: [u8; 4] = [0x5c, 0x60, 0xda, 0x1b];
}

/// Gas of a call. A function that loops would else keep a development node busy for seconds: Hardhat
/// and ganache take one for a million, and ganache has no limit of its own.
const CALL_GAS: u64 = 500_000;
/// Gas of a call whose answer may contain a picture.
const URI_CALL_GAS: u64 = 10_000_000;

/// A call of a function that writes nothing.
#[derive(Debug)]
pub(super) struct ContractCall {
    pub(super) to: Address,
    pub(super) function: [u8; 4],
    arguments: Vec<U256>,
}

impl ContractCall {
    pub(super) fn new(to: Address, function: [u8; 4], arguments: &[U256]) -> Self {
        Self { to, function, arguments: arguments.to_vec() }
    }

    /// Creates a call that asks for a balance, of an id if there are several.
    pub(super) fn balance(token: Address, holder: Address, id: Option<U256>) -> Self {
        let holder = U256::from_be_bytes(holder.into_word().0);
        match id {
            Some(id) => Self::new(token, selector::BALANCE_OF_ID, &[holder, id]),
            None => Self::new(token, selector::BALANCE_OF, &[holder]),
        }
    }

    pub(super) fn request(&self, block: BlockTag) -> RpcRequest {
        let mut data = self.function.to_vec();
        data.extend(self.arguments.iter().flat_map(U256::to_be_bytes::<32>));
        let has_uri = [selector::URI, selector::TOKEN_URI].contains(&self.function);
        let gas = format!("{:#x}", if has_uri { URI_CALL_GAS } else { CALL_GAS });
        let call = json!({ "to": self.to, "data": Bytes::from(data), "gas": gas });
        RpcRequest::new("eth_call", json!([call, block]))
    }
}

/// A string that a node answered, `None` if it refused.
#[derive(Debug, Clone, Default)]
pub(super) struct CallAnswer(pub(super) Option<String>);

impl CallAnswer {
    /// Decodes data. An answer that cannot be decoded has none.
    pub(super) fn bytes(&self) -> Bytes {
        self.code().unwrap_or_default()
    }

    /// Decodes the code of an account, which is empty if it has none.
    pub(super) fn code(&self) -> Option<Bytes> {
        self.0.as_deref().filter(|text| text.starts_with("0x"))?.parse().ok()
    }

    /// Decodes an address.
    pub(super) fn address(&self) -> Option<Address> {
        let word = B256::from(self.number()?);
        word.starts_with(&[0; 12]).then(|| Address::from_word(word))
    }

    /// Decodes a number, which has at least one digit.
    pub(super) fn quantity(&self) -> Option<U256> {
        U256::from_text(self.0.as_deref()?)
    }

    /// Decodes a `uint256`.
    pub(super) fn number(&self) -> Option<U256> {
        let bytes = self.bytes();
        (bytes.len() == 32).then(|| U256::from_be_slice(&bytes))
    }

    /// Decodes a `string`, or a `bytes32` as old tokens return.
    pub(super) fn text(&self) -> Option<String> {
        returned_text(&self.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_another_layout_are_none() {
        let answer = |hex: &str| CallAnswer(Some(format!("0x{hex}")));
        let address = format!("{}{}", "0".repeat(24), "a1".repeat(20));
        assert_eq!(answer(&address).address(), Some(Address::repeat_byte(0xa1)));
        assert_eq!(answer(&address.replacen("00", "01", 1)).address(), None, "too large");
        assert_eq!(answer(&[&*address, "00"].concat()).number(), None, "too long");
    }

    #[test]
    fn answer_without_a_digit_is_no_number_and_one_without_a_prefix_no_code() {
        let answer = |text: &str| CallAnswer(Some(text.to_owned()));
        for text in ["", "0x", "7"] {
            assert_eq!(answer(text).quantity(), None, "{text}");
        }
        assert_eq!(answer("0x0").quantity(), Some(U256::ZERO));
        assert_eq!((answer("").code(), answer("0x").code()), (None, Some(Bytes::new())));
    }

    #[test]
    fn only_metadata_has_gas_for_a_picture() {
        let gas = |function| {
            let request = ContractCall::new(Address::ZERO, function, &[]).request(BlockTag::Latest);
            request.params[0]["gas"].as_str().map(str::to_owned)
        };
        let large = Some(format!("{URI_CALL_GAS:#x}"));
        assert_eq!([selector::URI, selector::TOKEN_URI].map(gas), [large.clone(), large]);
        assert_eq!(gas(selector::NAME), Some(format!("{CALL_GAS:#x}")));
    }
}

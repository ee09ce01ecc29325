//! State changes: what a transaction made of the balances of addresses.

use super::address::AddressRef;
use super::json::{Json, scalar, type_error};
use super::json_fields::{Field, FromJson, json_object};
use super::token::Token;
use crate::chain::U256;
use crate::sanitize::SafeText;

json_object! {
    /// The change of one address's balance of the coin or of a token.
    pub struct StateChange {
        /// `coin` or `token`.
        pub kind: Field<SafeText> = "type",
        pub address: Field<AddressRef>,
        /// Whether the address is that of the block's producer.
        pub is_miner: Field<bool>,
        /// Absent of the zero address, and while it is not known.
        pub balance_before: Field<U256>,
        pub balance_after: Field<U256>,
        pub change: Field<BalanceDelta>,
        pub token: Field<Token>,
        /// The id of a multi-token.
        pub token_id: Field<U256>,
    }
}

#[derive(Debug, Clone)]
pub enum BalanceDelta {
    Gain(U256),
    Loss(U256),
    /// Of tokens that are told apart by their ids.
    Instances(Vec<InstanceMove>),
}

json_object! {
    pub struct InstanceMove {
        /// `to` if the address received it, `from` if it gave it away.
        pub direction: Field<SafeText>,
        pub total: Field<MovedInstance>,
    }
}

json_object! {
    pub struct MovedInstance {
        pub token_id: Field<U256>,
    }
}

impl FromJson for BalanceDelta {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let Some(text) = scalar(json) else {
            return Vec::from_json(json).map(Self::Instances);
        };
        let (change, digits): (fn(U256) -> Self, _) = match text.strip_prefix('-') {
            Some(digits) => (Self::Loss, digits),
            None => (Self::Gain, &*text),
        };
        let is_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let value = digits.parse().ok().filter(|_| is_digits);
        value.map(change).ok_or_else(|| type_error("a whole number", json))
    }
}

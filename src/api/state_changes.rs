//! State changes: the effects of a transaction on the balances of addresses.

use std::collections::HashMap;
use std::sync::Arc;

use super::address::AddressRef;
use super::json::{Json, scalar, type_error};
use super::json_fields::{Field, FromJson, json_object};
use super::page::Item;
use super::reply::ReplyData;
use super::token::Token;
use crate::chain::{B256, U256};
use crate::sanitize::SafeText;

json_object! {
    /// The change of one address's balance of the coin or of a token, or of a slot of its storage.
    pub struct StateChange {
        /// `coin`, `token` or `storage`.
        pub kind: Field<SafeText> = "type",
        pub address: Field<AddressRef>,
        /// `true` if the address is the block producer's.
        pub is_miner: Field<bool>,
        /// Absent of the zero address, and while it is not known.
        pub balance_before: Field<U256>,
        pub balance_after: Field<U256>,
        pub change: Field<BalanceDelta>,
        pub token: Field<Token>,
        /// The id of a multi-token.
        pub token_id: Field<U256>,
        /// A slot of storage. Only this program's own server lists slots, also with its variable if the
        /// project has one.
        pub slot: Field<B256>,
        pub variable: Field<SafeText>,
        pub variable_type: Field<SafeText>,
        pub stored_before: Field<SafeText>,
        pub stored_after: Field<SafeText>,
        pub word_before: Field<B256>,
        pub word_after: Field<B256>,
        /// `true` if the project has no layout of the contract.
        pub lacks_layout: Field<bool>,
        /// The accounts in the variable's keys and values.
        pub accounts: Field<Vec<AddressRef>>,
        /// Reason why this program's own server knows no slots, instead of one.
        pub unknown: Field<SafeText>,
    }
}

impl ReplyData for StateChange {
    fn parties(&self) -> Vec<&AddressRef> {
        let accounts = self.accounts.value().into_iter().flatten();
        self.address.value().into_iter().chain(accounts).collect()
    }

    fn token_field(&self) -> &Field<Token> {
        &self.token
    }
}

#[derive(Debug, Clone)]
pub enum BalanceDelta {
    Gain(U256),
    Loss(U256),
    /// Tokens with distinct ids.
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

/// Moves the changes of an address to its first one.
pub fn group_by_address(items: &mut [Arc<Item<StateChange>>]) {
    let address =
        |item: &Arc<Item<StateChange>>| Some(item.parsed.as_ref().ok()?.address.value()?.hash);
    let mut first_positions = HashMap::new();
    for (position, item) in items.iter().enumerate() {
        first_positions.entry(address(item)).or_insert(position);
    }
    items.sort_by_key(|item| first_positions.get(&address(item)).copied());
}

impl StateChange {
    /// Returns `true` if the balances do not differ by the change: that is taken from events, and a
    /// contract can emit any.
    pub fn is_contradicted(&self) -> bool {
        let balances = self.balance_before.value().zip(self.balance_after.value());
        let Some(((before, after), change)) = balances.zip(self.change.value()) else {
            return false;
        };
        let (gained, lost) = change.sums();
        let difference = (before.checked_add(gained), after.checked_add(lost));
        difference.0 != difference.1
    }
}

impl BalanceDelta {
    /// Returns the gained and the lost parts.
    fn sums(&self) -> (U256, U256) {
        match self {
            Self::Gain(value) => (*value, U256::ZERO),
            Self::Loss(value) => (U256::ZERO, *value),
            Self::Instances(moves) => {
                let gained = moves.iter().filter(|moved| moved.is_gain()).count();
                (U256::from(gained), U256::from(moves.len() - gained))
            }
        }
    }
}

impl InstanceMove {
    pub fn is_gain(&self) -> bool {
        self.direction.value().is_some_and(|direction| direction == "to")
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

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn changes_of_an_address_are_neighbours() {
        let mut items = [1, 2, 1, 3, 2]
            .map(|n| {
                let json = format!(r#"{{"address":{{"hash":"0x{n:040x}"}}}}"#);
                Arc::new(Item::from_json(&RawValue::from_string(json).unwrap()))
            })
            .to_vec();
        group_by_address(&mut items);
        let last_byte = |item: &Arc<Item<StateChange>>| {
            item.parsed.as_ref().unwrap().address.value().unwrap().hash[19]
        };
        assert_eq!(items.iter().map(last_byte).collect::<Vec<_>>(), [1, 1, 2, 2, 3]);
    }

    #[test]
    fn change_that_the_balances_deny_is_contradicted() {
        let instances = r#"[{"direction":"to","total":{"token_id":"1"}}]"#;
        let most = format!("\"{}\"", U256::MAX);
        for (before, after, change, is_contradicted) in [
            (r#""600""#, r#""600""#, r#""-400""#, true),
            (r#""600""#, r#""200""#, r#""-400""#, false),
            (r#""0""#, r#""0""#, r#""400""#, true),
            (r#""1""#, r#""401""#, r#""400""#, false),
            (r#""1""#, r#""2""#, instances, false),
            (r#""1""#, r#""1""#, instances, true),
            (r#""1""#, r#""1""#, &*most, true),
            ("null", r#""0""#, r#""-400""#, false),
            (r#""600""#, r#""600""#, "null", false),
        ] {
            let json = format!(
                r#"{{"balance_before":{before},"balance_after":{after},"change":{change}}}"#
            );
            let json = RawValue::from_string(json).unwrap();
            let parsed = StateChange::from_json((&*json).into()).unwrap();
            assert_eq!(parsed.is_contradicted(), is_contradicted, "{}", json.get());
        }
    }
}

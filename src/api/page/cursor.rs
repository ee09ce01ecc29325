//! Page cursors.

#![expect(
    clippy::disallowed_types,
    reason = "a cursor is sent back to the server unchanged and never shown"
)]

use serde_json::value::RawValue;

use crate::api::json::{scalar, type_error};
use crate::api::json_fields::RawObject;
use crate::api::{ApiError, Query};
use crate::chain::decimal::Decimal;
use crate::sanitize::SafeText;

/// The server's parameters for the next page, opaque and in its order, with numbers of any length
/// as sent. A value is `None` if the server sent null.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cursor(Vec<(String, Option<String>)>);

/// Maximum size of a cursor. The service's are below 500 bytes.
const MAX_CURSOR_BYTES: usize = 8_000;

impl Cursor {
    /// Parses `next_page_params`. Of a key sent twice, the value that differs from `sent` is used:
    /// Blockscout issue #12984 and pull request #14010 have the stale value on opposite sides.
    pub fn from_json(json: &RawValue, sent: Option<&Self>) -> Result<Self, SafeText> {
        let mut pairs: Vec<(String, Option<String>)> = Vec::new();
        // The cursor becomes part of a URL, of which the service accepts 5,000 bytes.
        if json.get().len() > MAX_CURSOR_BYTES {
            return Err(type_error("a cursor", json));
        }
        for (name, value) in RawObject::parse(json)?.entries() {
            let value = match value.get() {
                "null" => None,
                // An object as a value is not expected; its text is sent unchanged.
                text => Some(match scalar(value) {
                    // A `token_name` of version 5 can look like a number.
                    Some(s) if name == "fiat_value" || !text.starts_with('"') => {
                        to_plain_decimal(&s)
                    }
                    Some(s) => s.into_owned(),
                    None => text.to_owned(),
                }),
            };
            match pairs.iter_mut().find(|(known, _)| known == name) {
                None => pairs.push((name.to_owned(), value)),
                Some((_, kept)) if sent.is_some_and(|s| s.get(name) == kept.as_deref()) => {
                    *kept = value;
                }
                Some(_) => {}
            }
        }
        Ok(Self(pairs))
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.as_deref())
    }

    /// Returns a whole number in the cursor.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok()
    }

    /// Returns the cursor without the key that the server rejected, if the error means that: some
    /// versions do not accept their own keys.
    pub fn without_rejected_key(&self, list: &Query, error: &ApiError) -> Option<Self> {
        let ApiError::Refused { status: 422, parameter: Some(refused), .. } = error else {
            return None;
        };
        let accepts_null = list.endpoint().accepts_null;
        let at = self.0.iter().position(|(name, value)| {
            name.as_str() == &**refused && value.is_none() && accepts_null(name)
        })?;
        let mut kept = self.0.clone();
        kept.remove(at);
        Some(Self(kept))
    }

    /// Returns the parameters of a list's next page: the first page's, overridden by the cursor.
    pub fn next_params(&self, list: &Query) -> Vec<(String, String)> {
        // A null does not override a filter, because the next page would have other rows without
        // it.
        let first = list.params().into_iter().filter(|(name, _)| self.get(name).is_none());
        let accepts_null = list.endpoint().accepts_null;
        let cursor = self.0.iter().filter_map(|(name, value)| match value {
            Some(value) => Some((name.clone(), value.clone())),
            None if accepts_null(name) => Some((name.clone(), "null".to_owned())),
            None => None,
        });
        first.map(|(name, value)| (name.to_owned(), value)).chain(cursor).collect()
    }
}

/// Writes a decimal in plain notation: the service writes tiny ones as `1.2E-7` and refuses that
/// form when it comes back.
fn to_plain_decimal(value: &str) -> String {
    let decimal = value.parse::<Decimal>().ok().filter(|_| value.contains(['e', 'E']));
    decimal.map_or_else(|| value.to_owned(), |decimal| decimal.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{AddressQuery, ChainQuery, Direction, TokenQuery, TransactionQuery};
    use crate::chain::{Address, TxHash};

    const INSTANCES: Query = Query::Token(Address::ZERO, TokenQuery::Instances { holder: None });

    fn cursor(json: &str, sent: Option<&Cursor>) -> Cursor {
        Cursor::from_json(&RawValue::from_string(json.to_owned()).unwrap(), sent).unwrap()
    }

    fn query(cursor: &Cursor, list: &Query) -> String {
        let pairs = cursor.next_params(list);
        pairs.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join("&")
    }

    #[test]
    fn large_numbers_keep_their_digits() {
        let id = "115792050666661005089728720832241754613649434876690179486688455171151146993437";
        let cursor = cursor(&format!("{{\"unique_token\":{id}}}"), None);
        assert_eq!(query(&cursor, &INSTANCES), format!("unique_token={id}"));
    }

    #[test]
    fn price_is_a_plain_number_even_as_a_text() {
        for sent in ["1.2E-7", "\"1.2E-7\""] {
            let cursor = cursor(&format!("{{\"fiat_value\":{sent},\"name\":\"1E2\"}}"), None);
            assert_eq!(cursor.get("fiat_value"), Some("0.00000012"), "{sent}");
            assert_eq!(cursor.get("name"), Some("1E2"), "a name that looks like a number");
        }
    }

    #[test]
    fn cursor_overrides_parameters_of_the_first_page() {
        let cursor = cursor(r#"{"filter":"to","block_number":7,"index":null,"hash":null}"#, None);
        let list = Query::Address(
            Address::ZERO,
            AddressQuery::Transactions { direction: Some(Direction::From) },
        );
        assert_eq!(query(&cursor, &list), "filter=to&block_number=7&index=null");
    }

    #[test]
    fn null_is_sent_where_the_list_needs_it() {
        let tokens = r#"{"contract_address_hash":"0xa7","fiat_value":null,"holders_count":null,
            "is_name_null":true,"items_count":50,"market_cap":null,"name":null}"#;
        let all = "contract_address_hash=0xa7&fiat_value=null&holders_count=null\
            &is_name_null=true&items_count=50&market_cap=null&name=null";
        let search = r#"{"q":"clone","token[fiat_value]":null,"token[name]":"Clone"}"#;
        let keys = r#"{"block_number":null,"index":null,"hash":null,"items_count":50}"#;
        let changes = r#"{"state_changes":null,"items_count":50}"#;
        for (list, json, expected) in [
            (Query::Chain(ChainQuery::Tokens { types: vec![] }), tokens, all),
            (
                Query::Transaction(TxHash::ZERO, TransactionQuery::StateChanges),
                changes,
                "state_changes=null&items_count=50",
            ),
            (Query::Search("x".into()), search, "q=clone&token[fiat_value]=null&token[name]=Clone"),
            (Query::Transaction(TxHash::ZERO, TransactionQuery::Logs), keys, "items_count=50"),
            (Query::Chain(ChainQuery::Blocks), keys, "items_count=50"),
            (Query::Chain(ChainQuery::Transactions), keys, "items_count=50"),
        ] {
            assert_eq!(query(&cursor(json, None), &list), expected);
        }
    }

    #[test]
    fn long_cursor_is_refused() {
        let is_read = |length: usize| {
            let json = format!("{{\"a\":\"{}\"}}", "x".repeat(length - 8));
            Cursor::from_json(&RawValue::from_string(json).unwrap(), None).is_ok()
        };
        assert_eq!([0, 1].map(|more| is_read(MAX_CURSOR_BYTES + more)), [true, false]);
    }

    #[test]
    fn only_a_rejected_null_is_left_out() {
        let list = Query::Chain(ChainQuery::Tokens { types: vec![] });
        let sent = cursor(r#"{"name":null,"market_cap":"7"}"#, None);
        let without = |parameter: &str| {
            let body = format!(
                r#"{{"errors":[{{"title":"Invalid value","detail":"null","source":{{"pointer":"/{parameter}"}}}}]}}"#
            );
            sent.without_rejected_key(&list, &ApiError::from_error_body(422, body.as_bytes()))
        };
        assert_eq!(without("name"), Some(cursor(r#"{"market_cap":"7"}"#, None)));
        assert_eq!(without("market_cap"), None);
    }

    #[test]
    fn of_a_repeated_key_the_changed_value_is_used() {
        let sent = cursor(r#"{"unique_token":782098}"#, None);
        for json in [
            r#"{"unique_token":"782098","unique_token":782048}"#,
            r#"{"unique_token":782048,"unique_token":"782098"}"#,
        ] {
            assert_eq!(query(&cursor(json, Some(&sent)), &INSTANCES), "unique_token=782048");
        }
    }

    #[test]
    fn scientific_decimals_are_spelled_out() {
        for (from, to) in [
            ("1.2E-7", "0.00000012"),
            ("1e3", "1000"),
            ("12.5e1", "125"),
            ("1.25E1", "12.5"),
            ("0xe1", "0xe1"),
            ("1e2147483647", "1e2147483647"),
        ] {
            assert_eq!(to_plain_decimal(from), to);
        }
    }

    #[test]
    fn cursor_must_be_an_object() {
        for json in ["[]", "\"next\"", "7"] {
            assert!(Cursor::from_json(&RawValue::from_string(json.into()).unwrap(), None).is_err());
        }
    }
}

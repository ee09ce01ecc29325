//! Activity: transactions, internal transactions and token transfers in one list
//! (`/advanced-filters`), and the filters that servers offer for it.

use super::address::AddressRef;
use super::decoded_input::AbiIdentifier;
use super::exchange::Params;
use super::filters::{ActivityKind, Direction, FilterSlots};
use super::json_fields::{Field, json_object};
use super::reply::{NamedPart, ReplyData};
use super::token::Token;
use super::token_transfers::{TransferAmount, parts_of_transfer};
use super::transactions::{AWAITING, DROPPED, TransactionOutcome};
use crate::chain::decimal::Decimal;
use crate::chain::token_standard::TokenStandard;
use crate::chain::{Address, Timestamp, TxHash, U256};
use crate::sanitize::SafeText;

json_object! {
    /// A transaction, a call inside one, or a token transfer.
    pub struct Activity {
        pub transaction_hash: Field<TxHash> = "hash",
        /// `coin_transfer`, `contract_interaction`, `contract_creation` or a token standard.
        pub kind: Field<SafeText> = "type",
        pub timestamp: Field<Timestamp>,
        /// The place of the transaction. Sent by servers since version 7.
        pub block_number: Field<u64> = "block_number" | "block",
        pub transaction_index: Field<u64>,
        /// The index among the transaction's calls, of an internal transaction.
        pub call_index: Field<u64> = "internal_transaction_index",
        /// The index of the log, of a token transfer.
        pub log_index: Field<u64> = "token_transfer_index",
        pub from: Field<AddressRef>,
        pub to: Field<AddressRef>,
        pub created_contract: Field<AddressRef>,
        /// The method of the transaction: a name or a selector.
        pub method: Field<AbiIdentifier>,
        /// The value in wei, of all but token transfers.
        pub value: Field<U256>,
        /// The amount of tokens, or the token id.
        pub total: Field<TransferAmount>,
        pub token: Field<Token>,
        /// The fee of the transaction in wei.
        pub fee: Field<U256>,
        /// `success`, or the reason of the transaction's failure.
        pub status: Field<SafeText>,
    }
}

impl Activity {
    /// Returns the outcome of the transaction, for which servers send a word, or of a failure the reason alone.
    /// `None` if they send nothing.
    pub fn outcome(&self) -> Option<TransactionOutcome> {
        Some(match &self.status {
            Field::Absent => return None,
            Field::Invalid(_) => TransactionOutcome::Unknown,
            Field::Present(status) => match &**status {
                "success" | "ok" => TransactionOutcome::Ok,
                "pending" => TransactionOutcome::Pending,
                DROPPED => TransactionOutcome::Dropped,
                AWAITING => TransactionOutcome::Unknown,
                _ => TransactionOutcome::Failed,
            },
        })
    }
}

impl ReplyData for Activity {
    fn parties(&self) -> Vec<&AddressRef> {
        let parties = [&self.from, &self.to, &self.created_contract];
        parties.into_iter().filter_map(Field::value).collect()
    }

    fn token_field(&self) -> &Field<Token> {
        &self.token
    }

    fn named_parts(&self) -> Vec<NamedPart<'_>> {
        parts_of_transfer(self, &self.total)
    }
}

/// The filters of the list that are set. A server lists what fits all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ActivityFilter {
    pub direction: Option<Direction>,
    /// Only rows of these kinds, or transfers of tokens of the standards below; all activity if both
    /// are empty.
    pub kinds: Vec<ActivityKind>,
    pub types: Vec<TokenStandard>,
    pub token: Option<Address>,
    pub bounds: ActivityBounds,
}

/// Times and amounts within which activity is listed, all included.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ActivityBounds {
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// In whole coins or tokens, decimal.
    pub least: Option<SafeText>,
    pub most: Option<SafeText>,
}

impl ActivityFilter {
    /// Returns the filters, of which the whole chain's list has no direction.
    pub(super) fn slots(&mut self) -> FilterSlots<'_> {
        FilterSlots {
            direction: Some(&mut self.direction),
            kinds: Some(&mut self.kinds),
            types: Some((&TokenStandard::COMMON, &mut self.types)),
            token: Some(&mut self.token),
        }
    }

    /// Returns the parameters of the first page, of an address or of the whole chain.
    pub(super) fn params(&self, address: Option<Address>) -> Params {
        let ActivityFilter { direction, kinds, types, token, bounds } = self;
        let address = |side| address.filter(|_| direction.is_none_or(|only| only == side));
        let types: Vec<&str> =
            kinds.iter().map(|kind| kind.parameter()).chain(types.iter().map(Into::into)).collect();
        let param = |name, value: Option<_>| value.map(|value| (name, value));
        let both = address(Direction::From).and(address(Direction::To));
        let params = [
            param("transaction_types", (!types.is_empty()).then(|| types.join(","))),
            param("age_from", bounds.from.map(|from| from.to_string())),
            param("age_to", bounds.to.map(|to| to.to_string())),
            param(
                "from_address_hashes_to_include",
                address(Direction::From).map(|a| a.to_string()),
            ),
            param("to_address_hashes_to_include", address(Direction::To).map(|a| a.to_string())),
            param("address_relation", both.map(|_| "or".to_owned())),
            param("amount_from", bounds.least.as_ref().map(ToString::to_string)),
            param("amount_to", bounds.most.as_ref().map(ToString::to_string)),
            param("token_contract_address_hashes_to_include", token.map(|token| token.to_string())),
        ];
        params.into_iter().flatten().collect()
    }
}

impl ActivityBounds {
    /// Adds the ends of a range of amounts as far as servers understand them: no maximum of zero, and
    /// no two ends that are the same.
    pub fn add_amounts(&mut self, least: Option<Decimal>, most: Option<Decimal>) {
        let text = |amount: Decimal| SafeText::new(&amount.to_string());
        self.least = least.map(text);
        self.most = most.map(text).filter(|most| most != "0" && Some(most) != self.least.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::api::{Item, Query};

    #[test]
    fn only_reasons_of_failures_are_failures() {
        for (status, outcome) in [
            (r#""success""#, Some(TransactionOutcome::Ok)),
            (r#""Reverted""#, Some(TransactionOutcome::Failed)),
            (r#""pending""#, Some(TransactionOutcome::Pending)),
            (r#""dropped/replaced""#, Some(TransactionOutcome::Dropped)),
            (r#""awaiting_internal_transactions""#, Some(TransactionOutcome::Unknown)),
            ("[]", Some(TransactionOutcome::Unknown)),
            ("null", None),
        ] {
            let json = RawValue::from_string(format!(r#"{{"status":{status}}}"#)).unwrap();
            let row = Item::<Activity>::from_json(&json).parsed.unwrap();
            assert_eq!(row.outcome(), outcome, "{status}");
        }
    }

    #[test]
    fn filters_are_parameters() {
        let address = Some(Address::repeat_byte(0x11));
        let token = Some(Address::repeat_byte(0x22));
        let line = |address, filter| Query::activity(address, filter).request_line().to_string();
        assert_eq!(line(None, ActivityFilter::default()), "GET /api/v2/advanced-filters");
        let eleven = "0x1111111111111111111111111111111111111111";
        assert_eq!(
            line(address, ActivityFilter::default()),
            format!(
                "GET /api/v2/advanced-filters?from_address_hashes_to_include={eleven}\
                 &to_address_hashes_to_include={eleven}&address_relation=or"
            )
        );
        let mut bounds = ActivityBounds {
            from: "2024-01-01T00:00:00Z".parse().ok(),
            to: "2024-02-01T00:00:00Z".parse().ok(),
            ..ActivityBounds::default()
        };
        bounds.add_amounts("1000".parse().ok(), "1000".parse().ok());
        let types = vec![TokenStandard::Erc20, TokenStandard::Erc721];
        let kinds = vec![ActivityKind::Creation, ActivityKind::Coin];
        let direction = Some(Direction::To);
        let all = line(address, ActivityFilter { direction, kinds, types, token, bounds });
        assert_eq!(
            all,
            format!(
                "GET /api/v2/advanced-filters?transaction_types=CONTRACT_CREATION,COIN_TRANSFER,ERC-20,ERC-721\
                 &age_from=2024-01-01T00:00:00Z&age_to=2024-02-01T00:00:00Z\
                 &to_address_hashes_to_include={eleven}&amount_from=1000\
                 &token_contract_address_hashes_to_include=0x2222222222222222222222222222222222222222"
            )
        );
    }
}

//! Tokens that a transaction moves by its own call, as its calldata says: no reply of a list has the transfers.

use super::token_amount::{known_token_amount, short_token_amount};
use crate::api::transactions::Transaction;
use crate::chain::{Address, U256};
use crate::messages::{Count, column};
use crate::name_cache::NameCache;
use crate::ui::format::cut;

/// `transfer(address,uint256)` of ERC-20.
const TRANSFER: [u8; 4] = [0xa9, 0x05, 0x9c, 0xbb];
/// `transferFrom(address,address,uint256)` of ERC-20 and ERC-721.
const TRANSFER_FROM: [u8; 4] = [0x23, 0xb8, 0x72, 0xdd];
/// `safeTransferFrom` of ERC-721 without and with data.
const SAFE_TRANSFERS_FROM: [[u8; 4]; 2] = [[0x42, 0x84, 0x2e, 0x0e], [0xb8, 0x8d, 0x4f, 0xde]];
/// `safeTransferFrom(address,address,uint256,uint256,bytes)` of ERC-1155.
const SAFE_TRANSFER_ITEMS: [u8; 4] = [0xf2, 0x42, 0x43, 0x2a];
/// `safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)` of ERC-1155.
const SAFE_BATCH_TRANSFER: [u8; 4] = [0x2e, 0xb2, 0xc2, 0xd6];
/// `approve`, `increaseAllowance` and `decreaseAllowance` of ERC-20, whose amounts details show.
const APPROVALS: [[u8; 4]; 3] =
    [[0x09, 0x5e, 0xa7, 0xb3], [0x39, 0x50, 0x93, 0x51], [0xa4, 0x57, 0xc2, 0xd7]];
/// Text of an amount whose token is unknown.
const UNKNOWN: &str = "?";
/// Most columns of an id, and of all.
const MAX_ID_WIDTH: usize = 8;
const MAX_WIDTH: usize = 20;

/// A call of a token that moves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenCall {
    /// The owner, if the call names it.
    owner: Option<Address>,
    recipient: Address,
    moved: CalledAmount,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CalledAmount {
    Amount(U256),
    /// An amount, or the id of an NFT, by the token's standard.
    AmountOrId(U256),
    Id(U256),
    Items {
        id: U256,
        count: U256,
    },
    /// Several ids.
    Batch(U256),
}

impl TokenCall {
    /// Reads the calldata of a transaction.
    pub fn new(transaction: &Transaction) -> Option<Self> {
        let (selector, arguments) = transaction.raw_input.value()?.split_first_chunk::<4>()?;
        let word = |n: usize| arguments.get(32 * n..)?.get(..32);
        let address = |n: usize| Some(Address::from_slice(word(n)?.get(12..)?));
        let number = |n: usize| Some(U256::from_be_slice(word(n)?));
        if *selector == TRANSFER {
            let (recipient, moved) = (address(0)?, CalledAmount::Amount(number(1)?));
            return Some(Self { owner: None, recipient, moved });
        }
        let moved = match *selector {
            TRANSFER_FROM => CalledAmount::AmountOrId(number(2)?),
            SAFE_BATCH_TRANSFER => {
                let ids = usize::try_from(number(2)?).ok().filter(|at| at % 32 == 0)?;
                CalledAmount::Batch(number(ids / 32)?)
            }
            SAFE_TRANSFER_ITEMS => CalledAmount::Items { id: number(2)?, count: number(3)? },
            selector if SAFE_TRANSFERS_FROM.contains(&selector) => CalledAmount::Id(number(2)?),
            _ => return None,
        };
        Some(Self { owner: Some(address(0)?), recipient: address(1)?, moved })
    }

    /// Returns the recipient of tokens of `signer`.
    pub fn recipient(&self, signer: Address) -> Option<Address> {
        let is_own = self.owner.is_none_or(|owner| owner == signer);
        is_own.then_some(self.recipient)
    }

    /// Returns `true` unless it names an amount of what is no token.
    fn moves_tokens(&self, token: &Address, names: &NameCache) -> bool {
        let is_amount = matches!(self.moved, CalledAmount::Amount(_) | CalledAmount::AmountOrId(_));
        !is_amount || names.name(token).is_none_or(|name| name.token.is_some() || !name.is_no_token)
    }

    /// Describes the tokens: `1,250 USDC`, `ITEM #7 × 2`, or `?` as long as the token is unknown. `None` for
    /// an amount of what is no token.
    fn describe(&self, token: &Address, names: &NameCache) -> Option<String> {
        if !self.moves_tokens(token, names) {
            return None;
        }
        let known = names.name(token).and_then(|name| name.token.as_ref());
        let standard = known.and_then(|token| token.standard.as_deref());
        let symbol = known
            .and_then(|token| token.symbol.as_ref())
            .map(|symbol| format!("{symbol} "))
            .unwrap_or_default();
        let nft = |id: U256| format!("{symbol}#{}", cut(&id.to_string(), MAX_ID_WIDTH));
        let text = match (self.moved, standard) {
            (CalledAmount::Batch(ids), _) => {
                let ids = Count(usize::try_from(ids).unwrap_or(usize::MAX), "id");
                let times = if symbol.is_empty() { "" } else { "× " };
                [&*symbol, times, &*ids.to_string()].concat()
            }
            (CalledAmount::Id(id) | CalledAmount::Items { id, count: U256::ONE }, _)
            | (CalledAmount::Amount(id) | CalledAmount::AmountOrId(id), Some("ERC-721")) => nft(id),
            (CalledAmount::Items { id, count }, _) => {
                format!("{} × {}", nft(id), short_token_amount(count, Some(0)))
            }
            (CalledAmount::AmountOrId(_), None) => UNKNOWN.into(),
            (CalledAmount::Amount(amount) | CalledAmount::AmountOrId(amount), _) => {
                let in_units = known.filter(|_| amount != U256::MAX);
                let in_units = in_units.map(|_| short_token_amount(amount, None));
                let scaled = known_token_amount(names, token, amount);
                scaled.or(in_units).unwrap_or_else(|| UNKNOWN.into())
            }
        };
        Some(cut(&text, MAX_WIDTH).into_owned())
    }
}

/// Describes the tokens that a successful transaction moves by its call. `None` if it sends coin or calls
/// something else, or failed.
pub fn moved_tokens(transaction: &Transaction, names: &NameCache) -> Option<String> {
    let token = transaction.to.value().filter(|_| may_move_tokens(transaction))?;
    TokenCall::new(transaction)?.describe(&token.hash, names)
}

/// Returns `true` if [`moved_tokens`] describes something, without describing it.
pub fn moves_tokens(transaction: &Transaction, names: &NameCache) -> bool {
    let token = transaction.to.value().filter(|_| may_move_tokens(transaction));
    let call = TokenCall::new(transaction);
    token.zip(call).is_some_and(|(token, call)| call.moves_tokens(&token.hash, names))
}

/// Returns the address that gets what the call of a successful transaction moves, if the called contract is
/// a token.
pub fn called_recipient(transaction: &Transaction) -> Option<Address> {
    let call = TokenCall::new(transaction).filter(|_| may_move_tokens(transaction))?;
    Some(call.recipient)
}

/// Returns the amount of tokens that a successful transaction moves by its call, in the smallest unit, or the id of
/// an NFT, after its name. Of several ids there is none.
pub fn called_amount(transaction: &Transaction) -> Option<(&'static str, Option<U256>)> {
    let call = TokenCall::new(transaction).filter(|_| may_move_tokens(transaction))?;
    Some(match call.moved {
        CalledAmount::Amount(amount) | CalledAmount::AmountOrId(amount) => {
            (column::AMOUNT_OR_ID, Some(amount))
        }
        CalledAmount::Id(id) | CalledAmount::Items { id, .. } => ("token id", Some(id)),
        CalledAmount::Batch(_) => ("single id", None),
    })
}

/// Returns the address that gets the tokens which a transaction moves by its call, if the token is known.
pub fn token_recipient(transaction: &Transaction, names: &NameCache) -> Option<Address> {
    let is_known = unknown_moved_token(transaction, names).is_none();
    called_recipient(transaction).filter(|_| is_known && moves_tokens(transaction, names))
}

/// Returns `true` if a transaction succeeded and sends no coin.
fn may_move_tokens(transaction: &Transaction) -> bool {
    transaction.value.value().is_some_and(U256::is_zero) && transaction.has_succeeded()
}

/// Returns the token that a transaction moves by its call, unless the token is known.
pub fn unknown_moved_token(transaction: &Transaction, names: &NameCache) -> Option<Address> {
    let moves = may_move_tokens(transaction) && TokenCall::new(transaction).is_some();
    unknown_token(transaction, names).filter(|_| moves)
}

/// Returns the token whose amount or id a transaction's call names, unless the token is known.
pub fn unknown_token(transaction: &Transaction, names: &NameCache) -> Option<Address> {
    let token = transaction.to.hash().filter(|to| names.may_be_token(to))?;
    let names_amount = TokenCall::new(transaction).is_some()
        || transaction.selector().is_some_and(|selector| APPROVALS.contains(&selector));
    names_amount.then_some(token)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::api::{Item, Query, TokenQuery};
    use crate::chain::TxHash;

    const TOKEN: Address = Address::repeat_byte(0xcc);

    fn names(token: &str) -> NameCache {
        let query = Query::Token(TOKEN, TokenQuery::Details);
        let body = format!(r#"{{"address_hash":"{TOKEN}",{token}}}"#);
        let mut names = NameCache::default();
        names.ingest(&query, &query.decode(body.as_bytes(), None).unwrap());
        names
    }

    /// Returns calldata with words given by their last digits.
    fn calldata(selector: &str, words: &[&str]) -> String {
        let words = words.iter().map(|word| format!("{word:0>64}"));
        words.fold(format!("0x{selector}"), |input, word| input + &word)
    }

    fn transaction(input: &str, status: &str, value: &str) -> Transaction {
        let json = json!({
            "hash": TxHash::ZERO, "block_number": 5, "status": status, "result": "success",
            "has_error_in_internal_transactions": false, "to": { "hash": TOKEN },
            "raw_input": input, "value": value,
        });
        Item::from_json(&to_raw_value(&json).unwrap()).parsed.unwrap()
    }

    fn moved(input: &str, status: &str, value: &str, names: &NameCache) -> Option<String> {
        let transaction = transaction(input, status, value);
        let text = moved_tokens(&transaction, names);
        assert_eq!(moves_tokens(&transaction, names), text.is_some(), "{input}");
        text
    }

    #[test]
    fn transfers_have_the_amount_of_the_called_token() {
        let usdc = names(r#""symbol":"USDC","decimals":"6","type":"ERC-20""#);
        let transfer = calldata("a9059cbb", &["aa", "4a817c800"]);
        let from = calldata("23b872dd", &["aa", "bb", "4a817c800"]);
        for input in [&transfer, &from] {
            assert_eq!(moved(input, "ok", "0", &usdc).unwrap(), "20,000 USDC");
        }
        let imitation = names(r#""symbol":"USDС","decimals":"6","type":"ERC-20""#);
        assert_eq!(moved(&transfer, "ok", "0", &imitation).unwrap(), "20,000 !USDС");
        assert_eq!(moved(&transfer, "error", "0", &usdc), None, "a failed call moves nothing");
        assert_eq!(moved(&transfer, "ok", "1", &usdc), None, "the coin is shown");
        let mut unknown = NameCache::default();
        for input in [&transfer, &from] {
            assert_eq!(moved(input, "ok", "0", &unknown).unwrap(), "?");
        }
        unknown.mark_no_token(TOKEN);
        assert_eq!(moved(&transfer, "ok", "0", &unknown), None, "no token");
        let lacks_decimals = names(r#""type":"ERC-20""#);
        let units = moved(&transfer, "ok", "0", &lacks_decimals);
        assert_eq!(units.unwrap(), "20B units");
    }

    #[test]
    fn nfts_have_their_ids() {
        let item = names(r#""symbol":"ITEM","type":"ERC-1155""#);
        let glass = names(r#""symbol":"PANE","type":"ERC-721","decimals":"0""#);
        let from = calldata("23b872dd", &["aa", "bb", "81"]);
        let to = calldata("a9059cbb", &["aa", "81"]);
        let safe = calldata("42842e0e", &["aa", "bb", "81"]);
        let counted = calldata("f242432a", &["aa", "bb", "7", "2", "a0", "0"]);
        let one = calldata("f242432a", &["aa", "bb", "7", "1", "a0", "0"]);
        let batch = calldata("2eb2c2d6", &["aa", "bb", "a0", "100", "160", "2", "7", "8"]);
        assert_eq!(moved(&one, "ok", "0", &item).unwrap(), "ITEM #7", "as where it is moved");
        assert_eq!(moved(&from, "ok", "0", &glass).unwrap(), "PANE #129");
        assert_eq!(moved(&to, "ok", "0", &glass).unwrap(), "PANE #129");
        assert_eq!(moved(&safe, "ok", "0", &NameCache::default()).unwrap(), "#129");
        assert_eq!(moved(&counted, "ok", "0", &item).unwrap(), "ITEM #7 × 2");
        assert_eq!(moved(&batch, "ok", "0", &item).unwrap(), "ITEM × 2 ids");
    }

    #[test]
    fn other_data_moves_nothing() {
        let names = NameCache::default();
        let huge = "f".repeat(64);
        let batch = calldata("2eb2c2d6", &["aa", "bb", &huge]);
        let unaligned = calldata("2eb2c2d6", &["aa", "bb", "a1", "100", "160", "2"]);
        let short = calldata("a9059cbb", &["aa"]);
        for input in ["0x", "0xa9059c", "0xa9059cbb", &short, &batch, &unaligned, "0xdeadbeef"] {
            assert_eq!(moved(input, "ok", "0", &names), None, "{input}");
        }
        let usdc = self::names(r#""symbol":"USDC","decimals":"6","type":"ERC-20""#);
        let most = moved(&calldata("a9059cbb", &["aa", &huge]), "ok", "0", &usdc);
        assert_eq!(most.unwrap(), "?", "not an amount");
    }

    #[test]
    fn unknown_tokens_are_those_of_calls_with_amounts() {
        let token = |input: &str, names: &NameCache| {
            let json = json!({ "hash": TxHash::ZERO, "to": { "hash": TOKEN }, "raw_input": input });
            let item = Item::<Transaction>::from_json(&to_raw_value(&json).unwrap());
            unknown_token(&item.parsed.unwrap(), names)
        };
        let mut names = NameCache::default();
        let approval = calldata("095ea7b3", &["aa", "1"]);
        let transfer = calldata("a9059cbb", &["aa", "1"]);
        let decrease = calldata("a457c2d7", &["aa", "1"]);
        for input in [&approval, &transfer, &decrease] {
            assert_eq!(token(input, &names), Some(TOKEN));
            assert_eq!(token(input, &self::names(r#""type":"ERC-20""#)), None, "known");
        }
        for input in ["0x", "0xdeadbeef"] {
            assert_eq!(token(input, &names), None, "{input}");
        }
        names.mark_no_token(TOKEN);
        assert_eq!(token(&transfer, &names), None, "no token");
    }

    #[test]
    fn unknown_moved_tokens_are_those_that_a_row_shows() {
        let approval = calldata("095ea7b3", &["aa", "1"]);
        let transfer = calldata("a9059cbb", &["aa", "1"]);
        for (input, status, value, token) in [
            (&transfer, "ok", "0", Some(TOKEN)),
            (&transfer, "error", "0", None),
            (&transfer, "ok", "1", None),
            (&approval, "ok", "0", None),
        ] {
            let transaction = transaction(input, status, value);
            let found = unknown_moved_token(&transaction, &NameCache::default());
            assert_eq!(found, token, "{input} {status} {value}");
        }
    }

    #[test]
    fn recipients_get_what_a_successful_call_moves() {
        let to = |input: &str, status, value| called_recipient(&transaction(input, status, value));
        let transfer = calldata("a9059cbb", &["aa", "1"]);
        let from = calldata("23b872dd", &["aa", "bb", "1"]);
        assert_eq!(to(&transfer, "ok", "0"), Some(Address::with_last_byte(0xaa)));
        assert_eq!(to(&from, "ok", "0"), Some(Address::with_last_byte(0xbb)), "not the owner");
        assert_eq!(to(&transfer, "error", "0"), None, "a failed call");
        assert_eq!(to(&transfer, "ok", "1"), None, "the contract gets the coin");
        assert_eq!(to("0xdeadbeef", "ok", "0"), None);
        let amount = |input: &str, value| called_amount(&transaction(input, "ok", value));
        assert_eq!(amount(&transfer, "0"), Some(("amount or id", Some(U256::ONE))));
        assert_eq!(amount(&transfer, "1"), None, "the coin is shown");
        let id = Some(("token id", Some(U256::from(0x81))));
        assert_eq!(amount(&calldata("42842e0e", &["aa", "bb", "81"]), "0"), id, "an id");
        let batch = calldata("2eb2c2d6", &["aa", "bb", "a0", "100", "160", "2", "7", "8"]);
        assert_eq!(amount(&batch, "0"), Some(("single id", None)), "not the number of ids");
    }

    #[test]
    fn recipients_are_those_of_the_signers_tokens() {
        let call = |input: &str| {
            let json = json!({ "hash": TxHash::ZERO, "raw_input": input });
            let item = Item::<Transaction>::from_json(&to_raw_value(&json).unwrap());
            TokenCall::new(&item.parsed.unwrap()).unwrap()
        };
        let signer = Address::with_last_byte(0xaa);
        let recipient = Some(Address::with_last_byte(0xbb));
        let own = call(&calldata("23b872dd", &["aa", "bb", "1"]));
        assert_eq!(own.recipient(signer), recipient);
        assert_eq!(own.recipient(TOKEN), None, "another's tokens");
        assert_eq!(call(&calldata("a9059cbb", &["bb", "1"])).recipient(TOKEN), recipient);
    }
}

//! Messages about tokens and amounts of them.

use crate::chain::percent::Percent;
use crate::sanitize::SafeText;

super::sentences! {
    NO_PRICE = "no price";
    NOT_A_KNOWN_TOKEN = "not a known token";
    NO_TOKEN = "no token at this address";
    NO_INSTANCES = "an ERC-20 token has no NFTs";
    UNKNOWN_DECIMALS = "not divided: unknown decimals";
    AS_ANSWERED_THEN = "what the contract answers for that block";
    SCAM = "the explorer calls this token a scam";
    TRANSFER_OF_ZERO = "a transfer of 0: any contract can log one from any address";
    CONTRADICTED_BY_BALANCES = "as events say; the balances contradict this change";
}

/// An amount of a token.
#[derive(Debug, strum::Display)]
pub enum TokenNote<'a> {
    /// The decimals are unknown.
    #[strum(to_string = "{amount} units of {token}")]
    Units { amount: &'a str, token: &'a str },
    /// The part that a holder has.
    #[strum(to_string = "{share} % of the supply")]
    ShareOfSupply { share: &'a str },
    /// The market capitalization as a part of the price of all tokens.
    #[strum(to_string = "({percent}% of supply × price)")]
    ShareOfValue { percent: Percent },
    #[strum(to_string = "(!more than supply × price)")]
    MoreThanValue,
    #[strum(to_string = "circulating {amount}")]
    Circulating { amount: &'a str },
    #[strum(to_string = "24 h volume {dollars}")]
    DayVolume { dollars: &'a str },
    /// The value at the rate of the explorer.
    #[strum(to_string = "≈ {dollars}")]
    Worth { dollars: &'a str },
    /// A symbol or name that looks like a well-known one.
    #[strum(to_string = "the token's name {name} imitates {real} with look-alike letters")]
    Imitation { name: &'a SafeText, real: &'a str },
}

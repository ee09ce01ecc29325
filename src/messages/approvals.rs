//! Messages about approvals: what others may spend.

use std::fmt;

use crate::chain::amount::Grouped;
use crate::sanitize::SafeText;

super::sentences! {
    NOT_AN_APPROVAL = "not an approval in the usual form";
    OTHER_OWNERS = "the explorer listed approvals of other owners";
    NO_ANSWER = "no answer: the contract may lack the function";
    UNLIMITED = "unlimited";
    ALL_NFTS = "all NFTs";
    NOTHING = "nothing";
    EXPIRED = "expired";
    NOT_ASKED = "not asked for in the history of all events";
    AS_GRANTED = "as the event says, which may be spent since";
    AS_ANSWERED = "what the contract answers now";
    UNKNOWN_PRICE = "unknown: the explorer has no price of this token";
    AT_RISK = "what is allowed, at most the balance, at today's price";
    VERIFIED = "verified";
    UNVERIFIED = "unverified";
    NOT_REPORTED = "not reported";
    ACCOUNT = "account";
    OTHERS_LABEL = "may take";
    SPENDERS_LABEL = "spenders";
    TOTAL_LABEL = "total";
}

/// The balance that limits an allowance.
#[derive(Debug)]
pub struct Balance<'a> {
    pub amount: &'a str,
    pub symbol: &'a str,
    /// Its value in dollars, if the price is known.
    pub worth: Option<String>,
}

impl fmt::Display for Balance<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.amount, self.symbol)?;
        self.worth.iter().try_for_each(|worth| write!(f, " ({worth})"))
    }
}

/// A line about further approvals.
#[derive(Debug, strum::Display)]
pub enum ApprovalNote {
    #[strum(to_string = "… {hidden} more")]
    More { hidden: Grouped<usize> },
}

/// A list of approvals that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalListError {
    #[error("approvals unknown: eth_getLogs failed ({0})")]
    NoLogs(SafeText),
    #[error("more than {0} approvals")]
    TooMany(Grouped<usize>),
}

/// The value of what others may spend by all approvals.
#[derive(Debug, strum::Display)]
pub enum RiskTotal {
    #[strum(to_string = "{dollars} at risk")]
    Exactly { dollars: String },
    /// The value of some is unknown, or some are not loaded.
    #[strum(to_string = "at least {dollars} at risk")]
    AtLeast { dollars: String },
    #[strum(to_string = "at least {dollars} at risk · no price for {tokens}")]
    WithoutPrices { dollars: String, tokens: String },
}

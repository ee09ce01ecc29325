//! Messages of columns: how a cell's value follows from the one that was sent.

use crate::chain::network::Endpoint;

super::sentences! {
    EMPTY_DATA = "(empty)";
    NO_TRANSACTIONS = "no transactions";
    ACCOUNT = "account";
    LOST = "net out";
    LOST_AND_FEE = "net out, fee";
    GAINED = "net in";
    ALL_GAINED = "total in";
    ALL_LOST = "total out";
    NET_WORTH = "net";
    MOVED_BY = "moved by";
    DEPTH = "depth";
    OTHER_PARTY = "from or to";
    AMOUNT = "amount";
    NET_SO_FAR = "net so far";
    CALLED_BY = "called by";
    EMITTED_BY = "emitted by";
    SHARE_OF_LIMIT = "share of the limit, rounded down";
    ARGUMENT_OF_CALL = "an argument of the call, in raw_input";
    AMOUNT_OR_ID = "amount or id";
    WHOLE_BLOCK = "whole block";
    NO_KNOWN_TRANSACTION = "no known tx";
    COUNTED_BY_LOG = "counted in the order of the logs";
    COUNTED_FROM_ONE = "plus one: the number in the trace";
    FUNCTION_IN_TRACE = "from the trace, by known signatures";
    DEPTH_IN_TRACE = "from the trace: the calls around it";
    REASON_IN_TRACE = "from the trace, or else as sent";
    GAS_IN_TRACE = "from the trace, with its inner calls";
    GWEI = "divided by 10^9: gwei";
    LOCAL_TIME = "in the time zone of this machine";
    TO_THE_SECOND = "as sent, to the second";
    UNKNOWN_SUPPLY = "unknown: no total supply";
    SHARE_TITLE = "part of the supply";
    OF_LARGEST = "of peak";
    WHOLE_UNITS = "whole units: nothing to divide by";
    NO_SUCH_FUNCTION = "no function has its selector";
    NO_KNOWN_SIGNATURE = "no known signature";
    DECODED_BY_EXPLORER = "decoded by the explorer";
    IN_WORDS = "in words";
    DECODED_BY_PROJECT = "decoded by the project";
    NO_LAYOUT = "unknown: no storageLayout in the outputs of this build";
    FEE_IN_TOKEN = "fee in the token's smallest unit";
    FEE_RECIPIENT = "fee recipient";
    THE_FEE = "the fee";
    THE_TIP = "the tip";
    WITH_THE_FEE = "with fee";
    STORAGE_FROM_NODES = "storage is not listed by an explorer, only by a node";
    BURNT_FEE = "burnt fee";
    TRANSFERS_OF_ACCOUNT = "the known token transfers that the change sums up";
    BASE_FEE_OF_GAS = "base fee × gas used";
    NOT_INDEXED_YET = "not indexed yet";
    AGE = "time until now, in the two largest units";
    AGE_AT_LAST_BLOCK = "time until the chain's last block, in the two largest units";
    PRINTED_BEFORE_REVERT = "as sent; the call that printed it failed";
    DEVELOPMENT_ACCOUNT = "a default account of development nodes";
    DEMO_ACCOUNT = "an account of the demo chain";
    FUTURE = "in the future";
    NOT_COMPUTED = "cannot be computed";
}

/// Returns the source of a decoding in a chain's responses. Over a node they are made here, by the
/// project's ABIs.
pub fn decoded_by_explorer(endpoint: &Endpoint) -> &'static str {
    if endpoint.is_node() { DECODED_BY_PROJECT } else { DECODED_BY_EXPLORER }
}

/// Reason why the storage that a transaction changed is unknown.
#[derive(Debug, thiserror::Error)]
#[error("no storage: {0}")]
pub struct UnknownStorageError<'a>(pub &'a str);

/// The error of the last call of a transaction that reverted without data.
#[derive(Debug, thiserror::Error)]
#[error("{0} in its last call")]
pub struct LastCallError<'a>(pub &'a str);

/// Computation of a cell's value.
#[derive(Debug, strum::Display)]
pub enum ValueOrigin<'a> {
    #[strum(to_string = "divided by 10^{decimals}, the coin's decimals")]
    Coin { decimals: u8 },
    #[strum(to_string = "divided by 10^{decimals}: {unit}")]
    CoinUnit { decimals: u8, unit: &'a str },
    #[strum(to_string = "as sent, in {unit}")]
    AsSent { unit: &'a str },
    #[strum(to_string = "divided by 10^{decimals}")]
    Token { decimals: u8 },
    /// A value in US dollars.
    #[strum(to_string = "{amount}, multiplied by the rate, rounded to the cent")]
    Dollars { amount: &'a str },
    #[strum(to_string = "of the supply, {supply} in the smallest unit, rounded down")]
    ShareOfSupply { supply: &'a str },
}

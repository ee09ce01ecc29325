//! Messages of all pages, and of pictures.

use super::Count;
use super::abi::ArgumentError;
use crate::chain::TxHash;
use crate::chain::amount::Grouped;
use crate::chain::percent::Percent;
use crate::sanitize::SafeText;

super::sentences! {
    PICTURES_OFF = "pictures are off";
    NO_PICTURE = "no picture";
    DETAILS_NOT_LOADED = "not loaded";
    NO_PICTURE_HERE = "no picture here";
    PICTURE_NEEDS_NO_FETCHING = "this picture needs no fetching";
    NOT_LOADED = "not loaded · {refresh} loads";
    PARENT_BLOCK_KEY = "{previous_block} previous";
    NEXT_BLOCK_KEY = "{next_block} next";
    AMBIGUOUS_LABEL = "several addresses have this label";
    NO_LAYOUT = "no storage layout of this contract: name the slots";
    NOT_AN_ANSWER = "not an answer to a call";
    UNUSED_ADDRESS = "address";
    BALANCE_BY_DAY = "balance by day";
    BALANCE_HISTORY = "coin balance history";
    NOT_USED_YET = "not used on this chain yet";
    NOT_ON_DEMO = "not on the demo chain, which is invented";
    TOKEN_PAGE = "{token} token page";
    NOT_A_BLOCK = "not the number or the time of a block";
    NOT_A_BALANCE = "no balance: the contract answered something else";
    NO_CONTRACT_THEN = "no answer: there may have been no contract";
    CALL_FAILED = "the contract refused the call";
    STOPPED = "stopped";
    STILL_LOADING = "still loading";
    WHOLE_LINES = "whole source";
    LATEST_BLOCKS = "the latest blocks";
    NO_SEARCH_YET = "nothing searched for yet";
    NOTHING_TO_OPEN = "nothing to open here";
    NO_UNKNOWN_SIGNATURE = "no unknown signature here";
    NOTHING_TO_FOLD = "nothing to fold here";
    NO_JSON = "no JSON here";
    NOTHING_TO_SHOW = "nothing here to show in another program";
    AS_RECEIVED = "as received";
    UNFOLD = "unfold";
    CODE_ACCOUNT = "account with code";
    LOOKS_IT_UP = "({look_up} looks it up)";
    NOT_AN_ADDRESS = "not the name of an address";
    FAILURE_KEYS = "{refresh} retries · {chains} another chain · {requests} requests";
    RETRYING_KEYS = "{refresh} now · {chains} another chain · {requests} requests";
    OUTAGE_KEYS = "{chains} another chain · {requests} requests";
    NOT_FOUND_KEYS = "{chains} tries another chain · {requests} requests";
    DROPPED_KEYS = "{requests} requests";
    OTHER_HASH = "it may be an event's topic ({look_up}) or a slot";
    TOO_SHORT = "too short for a hash or an address; as a number:";
    STOPS_LOADING = "{interrupt} stops";
    FETCHES_PICTURE = "{picture} fetches";
    HIDDEN_CHARACTERS = "hidden characters in the name";
}

/// A notice or a note of a page.
#[derive(Debug, strum::Display)]
pub enum PageMessage<'a> {
    /// A contract whose source has another name than its token.
    #[strum(to_string = "verified as {name}")]
    VerifiedAs { name: &'a str },
    /// The explorer's reputation of an address or a token, one of its own words.
    #[strum(to_string = "rated {rating}")]
    Rated { rating: &'a str },
    #[strum(to_string = "not loaded: {why}")]
    Unavailable { why: &'a str },
    #[strum(to_string = "requested: {what} from {host}")]
    Requested { what: &'a SafeText, host: &'a str },
    /// The failure names the host.
    #[strum(to_string = "requested: {what}")]
    RequestedThere { what: &'a SafeText },
    #[strum(to_string = "loading… {what} from {host}")]
    Loading { what: &'a SafeText, host: &'a str },
    #[strum(to_string = "no {what} to copy here")]
    NothingToCopy { what: &'a str },
    #[strum(to_string = "no source of {place} here")]
    NoSource { place: &'a str },
    #[strum(to_string = "no match for \"{text}\"")]
    NoMatch { text: &'a str },
    #[strum(to_string = "match {number} of {all} for \"{text}\"")]
    Match { number: usize, all: usize, text: &'a str },
    #[strum(to_string = "cannot call: {why}")]
    CannotCall { why: &'a ArgumentError },
    #[strum(to_string = "{values} more values, only in the JSON")]
    MoreValues { values: Grouped<u64> },
    /// A trace, before its calls.
    #[strum(to_string = "JSON as received · {calls}")]
    TraceAsReceived { calls: Count },
    /// The price of the chain's coin.
    #[strum(to_string = "USD per {coin}")]
    RateOfCoin { coin: &'a str },
    /// A value that an earlier field has too.
    #[strum(to_string = "· same as {field}")]
    SameAs { field: &'a str },
    #[strum(to_string = "no picture: {why}")]
    PictureFailed { why: &'a str },
    #[strum(to_string = "({percent}% of limit)")]
    ShareOfLimit { percent: Percent },
    #[strum(to_string = "raw trace of {transaction}")]
    RawTrace { transaction: TxHash },
    #[strum(to_string = "the topic of {event}")]
    TopicOf { event: &'a SafeText },
    #[strum(to_string = "proxy of {implementations}")]
    ProxyOf { implementations: &'a str },
    #[strum(to_string = "the explorer's node keeps no state of block {block}")]
    NoState { block: Grouped<u64> },
    #[strum(to_string = "this explorer has no block {block}, or not yet")]
    NoBlock { block: Grouped<u64> },
    #[strum(to_string = "no Multicall3 at block {block} to ask for all balances at once")]
    NoMulticall { block: Grouped<u64> },
    #[strum(to_string = "at block {block}")]
    AtBlock { block: Grouped<u64> },
    #[strum(to_string = "last {count} tx in {time}")]
    LoadedActivity { count: Grouped<usize>, time: &'a str },
    #[strum(to_string = "in block {number}")]
    InBlock { number: u64 },
    #[strum(to_string = "… {calls} more calls in the trace")]
    MoreCalls { calls: Grouped<usize> },
    /// Calls that repeat the one above. Their results may differ.
    #[strum(to_string = "… {calls} more calls with the same input")]
    RepeatedCalls { calls: Grouped<usize> },
    /// The lines of a detail that do not fit on the screen.
    #[strum(to_string = "detail +{lines}")]
    MoreOfDetail { lines: Count },
    #[strum(to_string = "last {changes}")]
    BalanceHistory { changes: Count },
    /// Of the others the explorer sends no balance.
    #[strum(to_string = "{known} of the last {changes}")]
    PartOfBalanceHistory { known: Grouped<usize>, changes: Count },
    #[strum(to_string = "{words}: the sum of all changes in it")]
    WholeBlock { words: &'a str },
}

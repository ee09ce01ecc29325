//! Messages of call traces: notices, reasons of disabled actions, and the lines above the calls.

use super::Count;
use crate::chain::amount::Grouped;

super::sentences! {
    NOT_PAUSED = "not paused";
    ONLY_COMPLETE_MARKED = "only a complete trace can be marked";
    NONE_MARKED = "no trace is marked · {mark} marks this one";
    ONLY_COMPLETE_COMPARED = "only a complete trace can be compared";
    NO_SEARCH = "no search · {search} searches";
    NO_SPACE_FOR_DETAIL = "no space for the detail · {zoom} shows it alone";
    ONLY_TREE = "tree view only · {back} shows it";
    PENDING = "pending: not executed yet, no trace";
    NOT_LOADED = "not loaded · {refresh} loads the trace";
    NO_TRACE = "no trace · {refresh} retries";
    RETRY_KEY = "{refresh} retries";
    NO_CALLS = "this trace has no calls";
    WHOLE_TRACE = "already the whole trace";
    DEEPER_CALLS = "▾ deeper calls: {next_row} goes down";
    ALL_HAS_DEEPER_CALLS = "▾ deeper calls";
    ZOOMED_IN = "zoomed in to this call";
    ONLY_ICICLE = "icicle view only ({icicle})";
    GAS_INFERRED = "≈ gas estimated";
    GAS_PARTLY_INFERRED = "gas (≈ estimated)";
    PLACES_INFERRED = "─? place guessed";
    NAMES_GUESSED = "name? guessed";
    NAMES_GUESSED_IN_SHORT = "? guess";
    STATIC_LETTER = "s static";
    DELEGATE_LETTER = "d delegate";
    EVENT_WITHOUT_FOLD = "an event has nothing to fold";
    NO_INNER_CALLS = "no inner calls to fold";
    NO_INNER_CALLS_TO_SHOW = "no inner calls to zoom in to";
    STILL_LOADING = "still loading";
    SORTED_BY_GAS = "sorted by gas ({sort_siblings})";
    SORTED_BY_SELF_GAS = "sorted by self gas ({sort_siblings})";
    SORTED_BY_VALUE = "sorted by value ({sort_siblings})";
    FAILED_ONLY = "failed calls only ({only_failures} shows all)";
    STATIC_HIDDEN = "static calls hidden ({hide_static} shows them)";
    PROXIES_MERGED = "proxies merged ({merge_proxies} splits them)";
    ALL_SHOWN = "all calls shown";
    ALL_UNFOLDED = "all calls are unfolded";
    SIBLINGS_UNFOLDED = "this call and its siblings are unfolded";
    NO_FAILED_CALL = "no failed call";
    TOO_MANY_TO_SORT = "too many calls to sort";
    NEXT_SIBLING = "next sibling";
    PREVIOUS_SIBLING = "previous sibling";
    PARENT = "parent: this is the root call";
    FAILED_BELOW = "failed call below";
    FAILED_ABOVE = "failed call above";
    VALUE_BELOW = "call with value below";
    VALUE_ABOVE = "call with value above";
    DELEGATECALL_BELOW = "delegatecall below";
    DELEGATECALL_ABOVE = "delegatecall above";
    CREATION_BELOW = "creation below";
    CREATION_ABOVE = "creation above";
    OTHER_HOT_CALL = "other call with gas of its own";
    HOTTEST_CALL = "this is the call with the most gas of its own";
    OWN_REVERT = "reverts for its own reason · {revert_origin} earlier failure below";
    REVERT_ORIGIN = "revert starts here · {source} its source";
    REVERT_WRAPPED = "revert starts here, passed up wrapped · {source} its source";
    REVERT_UNCHANGED = "revert starts here, passed up unchanged · {source} its source";
    NO_CALL_FAILED = "no call failed";
    SAME_TARGET_BELOW = "other call to this target below";
    SAME_TARGET_ABOVE = "other call to this target above";
    SAME_SELECTOR_BELOW = "other call with this selector below";
    NOTHING_TO_COMPARE = "nothing to compare other calls with";
    SUCCEEDED_BUT_TRACE_FAILED = "status mismatch: the transaction succeeded, its trace failed";
    FAILED_BUT_TRACE_SUCCEEDED = "status mismatch: the transaction failed, its trace succeeded";
    LONGER_TIMEOUT = "{refresh} retries with a longer timeout";
    EVENTS_HIDDEN_HINT = "events hidden ({hide_events} shows them)";
    UNDERLINED = "underlined: same contract as selected";
    UNDERLINED_IN_SHORT = "underlined: same contract";
    EVENTS_HIDDEN = "events hidden";
    EVENTS_SHOWN = "events shown";
    LOADS_MORE_EVENTS = "{continue} loads more";
    MARKED = "marked · open another trace and press {diff} to compare";
    NOT_LOADED_YET = "not loaded · {refresh} loads";
    PENDING_TRACE = "pending: not executed yet, so there is no trace · {refresh} retries";
    STOPS = "{back} stops";
    RETRIES = "{refresh} retries";
    CONTINUES = "{continue} continues";
    HIDDEN_CALL = "hidden call: selected the one above ({hide_static}, {merge_proxies}, {only_failures}, {filter_rows})";
    NO_MATCH = "no match";
    NOTHING_TO_OPEN = "nothing to open here";
    NO_CONTRACT = "no contract here";
    NOT_JSON = "this entry is not valid JSON";
    REST_EXPORTED = "… ({export} exports all of it)";
    NO_TRANSFERS = "no transfers of coins or tokens";
    HATCHED_OWN_GAS = "░ self";
    BLANK_INNER_AND_HATCHED_OWN_GAS = "blank inner, ░ self";
    BLANK_INNER_AND_OWN_GAS = "blank inner, █ self";
    INNER_AND_OWN_GAS = "░ inner, █ self";
    OWN_GAS = "█ self";
    ADDING_UP = "adding up…";
}

/// The state of loading. `loaded` counts calls and bytes.
#[derive(Debug, strum::Display)]
pub enum TraceStatus<'a> {
    #[strum(to_string = "waiting for the explorer's node, up to {seconds} s · {stops}")]
    Waiting { seconds: u64, stops: &'a str },
    #[strum(to_string = "loading: {loaded} · {stops}")]
    Reading { loaded: &'a str, stops: &'a str },
    #[strum(to_string = "paused: {loaded} · {continues} ({memory}) · {stops}")]
    Paused { loaded: &'a str, continues: &'a str, memory: TraceMemory<'a>, stops: &'a str },
    #[strum(to_string = "stopped: {loaded} · {retries}")]
    Stopped { loaded: &'a str, retries: &'a str },
    #[strum(to_string = "✗ incomplete: {loaded} · {why}{next}")]
    Incomplete { loaded: &'a str, why: &'a str, next: &'a str },
}

/// The memory for the rest of a paused trace.
#[derive(Debug, strum::Display)]
pub enum TraceMemory<'a> {
    #[strum(to_string = "needs {needed} more memory, {free} free")]
    Needed { needed: &'a str, free: &'a str },
    #[strum(to_string = "size unknown, {free} free")]
    Unknown { free: &'a str },
}

/// A notice, or a part of the lines above the calls.
#[derive(Debug, strum::Display)]
pub enum TraceNote<'a> {
    #[strum(to_string = "account {number} of {accounts}")]
    Account { number: Grouped<usize>, accounts: Grouped<usize> },
    /// The accounts without space for their amounts.
    #[strum(to_string = "… {count} more")]
    More { count: Grouped<usize> },
    #[strum(to_string = "transfers of {account}")]
    TransfersOf { account: &'a str },
    #[strum(to_string = "function {number} of {functions}")]
    Function { number: Grouped<usize>, functions: Grouped<usize> },
    #[strum(to_string = "no trace ({format})")]
    NoTrace { format: &'a str },
    #[strum(to_string = "raised one call down in {contract}")]
    RaisedBelow { contract: &'a str },
    #[strum(to_string = "raised {calls} calls down in {contract}")]
    RaisedFarBelow { calls: usize, contract: &'a str },
    #[strum(to_string = "! {failed} of {calls} failed")]
    Caught { failed: Grouped<usize>, calls: Count },
    #[strum(to_string = "net {dollars}")]
    NetWorth { dollars: &'a str },
    #[strum(to_string = "out {lost} · in {gained}")]
    GainAndLoss { gained: &'a str, lost: &'a str },
    #[strum(to_string = "zoomed to {share}")]
    ZoomedTo { share: &'a str },
    #[strum(to_string = "1 match for \"{text}\"")]
    Match { text: &'a str },
    #[strum(to_string = "{matches} matches for \"{text}\"")]
    Matches { matches: Grouped<usize>, text: &'a str },
    #[strum(to_string = "{matched} of {transfers} matched to calls")]
    UnmatchedTransfers { matched: usize, transfers: Count },
    #[strum(to_string = "{events}, {unplaced} at unknown calls")]
    UnplacedEvents { events: Count, unplaced: Grouped<usize> },
    #[strum(to_string = "depth {depth} and deeper, not indented")]
    DeepestIndent { depth: u16 },
    #[strum(to_string = "depth ≥ {depth}")]
    ShortDeepestIndent { depth: u16 },
    #[strum(to_string = "depth {depth}")]
    AtDepth { depth: Grouped<u16> },
    #[strum(to_string = "share of call gas (full bar: {percent})")]
    LongestBar { percent: &'a str },
    #[strum(to_string = "full bar: {percent}")]
    FullBar { percent: &'a str },
    #[strum(to_string = "{events} (call unclear)")]
    UnclearCalls { events: Count },
    #[strum(to_string = "cannot load events: {why}")]
    EventsFailed { why: &'a str },
    #[strum(to_string = "cannot load more events: {why}")]
    MoreEventsFailed { why: &'a str },
    #[strum(to_string = "the first {events} · {loads}")]
    FirstEvents { events: Count, loads: &'a str },
    #[strum(to_string = "no call {path} in this trace")]
    NoCall { path: &'a str },
    #[strum(to_string = "no event {number}: this transaction has {events}")]
    NoEvent { number: usize, events: Count },
    #[strum(to_string = "arguments as {format}")]
    ArgumentFormat { format: &'a str },
    #[strum(to_string = "asking for the names of up to {contracts}")]
    FetchingNames { contracts: Count },
    #[strum(to_string = "{meaning} · {name} is your label")]
    OwnLabel { meaning: &'a str, name: &'a str },
    #[strum(to_string = "{transfers} rolled back, not counted")]
    RolledBack { transfers: usize },
    #[strum(to_string = "? {transfers} unreadable: incomplete")]
    Unreadable { transfers: usize },
    #[strum(to_string = "? {coin} selfdestructed to itself (burnt before Cancun)")]
    SelfDestructed { coin: &'a str },
    #[strum(to_string = "balances not checked: {why}")]
    UncheckedBalances { why: &'a str },
}

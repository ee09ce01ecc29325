//! Titles of overlays and panels, the helps of prompts, and the signs and keys in the help.

use crate::chain::amount::Grouped;
use crate::chain::target::TargetKind;

super::sentences! {
    LABEL_HELP = "Overrides other names. Leave empty to remove";
    GO_TO_BOX_TITLE = "Go to";
    GO_TO_HELP = "Address, hash, block, date, token, name, link, hex to decode; Tab completes";
    SEARCH_ROWS_TITLE = "Search loaded rows";
    SEARCH_ROWS_HELP = "Words, column:value, not:word, re:pattern";
    SEARCH_WORDS = "words    not:word leaves out, re:pattern matches";
    ROWS_STAY = "the rows stay as they are";
    TIME_EXAMPLES = "age:<2d date:a..b";
    SEARCH_PAGE_TITLE = "Search this page";
    SEARCH_PAGE_HELP = "Text to find, in folds too";
    FILTER_ROWS_TITLE = "Filter rows";
    HELP_TITLE = "Keys and marks · grey: not on this page";
    OTHER_PAGES = "Other pages";
    HELP_MATCHES_TITLE = "Keys matching";
    SEARCH_CALLS_TITLE = "Search calls";
    SEARCH_CALLS_HELP = "Words, to: from: fn: sel: err: val:>0 gas:>100k at:0.3.1 not:, re:pattern";
    FILTER_CALLS_TITLE = "Show only paths to matching calls";
    FILTER_CALLS_HELP = "As for a search ({search}). Empty shows all";
    SIGNATURE_HELP = "transfer(address to, uint256 amount) returns (bool), or error Foo(uint256)";
    ARGUMENT_HELP = "0x…, a name for an address, 42, true, text, keccak(text), [1, 2], (1, 0x…)";
    SLOT_TITLE = "Storage slot";
    SLOT_HELP = "0, 0x…, a variable, eip1967.proxy.admin, 3[0x…][7], orders[0].amount";
    BLOCK_TITLE = "State after block";
    BLOCK_HELP = "A number, a date or an age. Leave empty for the newest block";
    EXPORT_TRACE_TITLE = "Export trace to";
    EXPORT_TRACE_HELP = "A new file: .txt tree, .folded flame graph, .speedscope.json or .jsonl";
    EXPORT_ROWS_TITLE = "Export rows to";
    EXPORT_ROWS_HELP = "A new file in the current folder: .csv full values, .jsonl as received";
    NO_COMPLETION = "no completion";
    SEARCHING = "searching…";
    ASKS_AGAIN = "{open} asks again";
    ASKING_EXPLORER = "asking the explorer…";
    SWITCH_CHAIN_TITLE = "Switch chain: name, id or URL";
    CHAIN = "chain";
    CHAIN_COLUMNS = "id, coin, t, explorer or node, also called";
    CHAIN_ORDER = "type to filter · ● open · ○ used or running · t testnet";
    TESTNET = "testnet";
    TESTNET_SIGN = "t";
    TYPED = "what is typed";
    BUILT_IN = "built in";
    FILTERS_TITLE = "Ask the explorer for these rows only";
    NO_FILTER_SET = "none ticked: all rows";
    FOUND_TARGETS_TITLE = "Open which one?";
    PALETTE_TITLE = "Commands and places";
    PALETTE_SCOPES = "what to do or where to go · addr, tx, go, chain, list, theme narrow it";
    SCREEN_COLOURS = "colours of the screen";
    TAB_OF_PAGE = "tab of this page";
    EMPTY_TAB = "none";
    OPEN_TAB = "the open tab";
    ADDRESS_WITHOUT_NAME = "address without a name";
    SCAM = "the explorer calls it a scam";
    FETCH_PICTURE = "Fetch the picture? The host learns your address ({open} fetches, {back} cancels)";
    COPY_LOOKALIKE = "Look-alike address: copy anyway?";
    COPY_SCAM = "Address of a scam: copy anyway?";
    COPY_SUSPICIOUS = "Suspicious row: copy anyway?";
    OPEN_IN_BROWSER = "Open in browser? ({open} opens, {back} cancels)";
    BALANCES = "Balance changes (without the fee)";
    BALANCES_WITH_FEE = "Balance changes of the call tree (with the fee)";
    BALANCES_OF_TOKENS = "Balance changes (tokens only)";
    BALANCES_OF_COIN = "Balance changes (coin only)";
    UNKNOWN_BALANCES = "Balance changes";
    BALANCES_OF_FIRST = "Balance changes (first transfers only)";
    BALANCES_OF_FIRST_TOKENS = "Balance changes (first token transfers only)";
    TRANSFERS = "Coin and token transfers, as they happened";
    TRANSFERS_WITHOUT_INTERNAL = "Coin and token transfers (internal ones: see Trace)";
    PRICES_OF_TODAY = "USD now";
    FAILED_CALLS = "Inner calls that failed";
    CALLS_WITH_GAS = "Calls · gas";
    OTHER_CALLS_WITH_GAS = "Other calls · gas";
    ICICLE_OF_ALL = "Gas of all calls";
    REVERT_PATH = "Path to the revert";
    BALANCES_IF_MINED = "Balances would change";
    TRANSFERS_IF_MINED = "It would transfer";
    NAME_CONTRACTS = "Name contracts after a project's? ({open} names them, {back} cancels)";
    NODE_ACCOUNTS = "Accounts of the node";
    TRY_THESE = "Try these on the demo chain";
    ORIGIN_TITLE = "Origin of this value";
    ADDRESS_MARKS = "marks of two addresses";
    OUTCOMES = "succeeded, failed, pending";
    CAUGHT_FAILURE = "failed call caught; warning";
    UNDONE_CALL = "undone by a failed caller";
    SHORT_KINDS = "static call, delegatecall";
    DIRECTIONS = "sent to, received from";
    LABEL = "your name for an address";
    GUARDED_NAME = "chain name with marks in it";
    FOLDS = "unfolded, folded, no parts";
    UNKNOWN = "unknown or guessed; none";
    GUESS = "call with guessed signature";
    INFERRED = "inferred, not received";
    CHANGED = "one side, differs, moved";
    FOUND = "search match; printed line";
    ZERO = "zero";
    SCROLLED = "visible part of the list";
    TAB = "the tab of this number";
    LEVELS = "unfold as many levels";
    HALF_PAGES = "down, up by half a screen";
    PANEL_STEPS = "next, previous panel";
    TAB_STEPS = "next, previous tab";
    BLOCK_STEPS = "next, previous block";
    MATCH_STEPS = "next, previous match";
    SIBLING_STEPS = "same caller: next, previous";
    FAILURE_STEPS = "next, previous failed call";
    VALUE_STEPS = "next, previous paying call";
    DELEGATE_STEPS = "next, previous delegatecall";
    CREATE_STEPS = "next, previous creation";
    TARGET_STEPS = "same target: next, previous";
    DIFFERENCE_STEPS = "next, previous difference";
    FOLD_ALL = "top level only, every level";
    ZOOM_STEPS = "icicle: zoom in or out";
    INDENTS = "wider, narrower steps";
    APPLY = "apply, or confirm";
    ACCEPT = "accept what is typed";
    SAVE_CALLS = "save the calls to a file";
    REQUEST_LOG_TITLE = "Requests";
    ASKED = "asked: the page or the list that you opened";
    REFRESHED = "refresh: again what the page shows";
    FETCHED_AHEAD = "ahead: what you may open or scroll to next";
    COUNTED = "counts: totals in headers and tabs";
    FROM_CACHE = "cache: answered by the cache, not requested";
    REPEATED = "retry: the attempt before failed";
    AGAIN = " · again";
    ASKED_AGAIN = "again: requested before, with an answer";
    NEWEST_FIRST = "newest first";
    ENDPOINT = "endpoint";
    TOTAL_MILLIS = "total ms";
    ENS_NAME = "ENS name";
    CALLED_A_SCAM = "! called a scam  ";
    PREVIOUS_VIEW_COMMAND = "command for the previous view";
    ALL_TRANSFERS = "all token transfers";
    ALL_ACTIVITY = "all activity";
    TRANSACTIONS_OF_CHAIN = "Transactions of the chain";
    TRANSFERS_OF_CHAIN = "Token transfers of the chain";
    TOKENS_OF_CHAIN = "Tokens of the chain";
    INTERNAL_OF_CHAIN = "Internal transactions of the chain";
    ACTIVITY_OF_CHAIN = "Activity of the chain";
    CONSOLE = "Console";
    SOURCE = "Source";
    STACK = "Stack";
    UNDONE_EVENTS = "Undone events";
    HIDDEN_TAB = "further tab of this page";
    LISTS_TITLE = "Lists of the whole chain";
    UNMINED = "in no block yet";
    CALLS = "calls of contracts";
    BY_BALANCE = "by balance";
    WITH_SOURCES = "with their sources";
    BY_USE = "by transactions of the last day";
    FROM_BEACON_CHAIN = "from the beacon chain";
    TO_BEACON_CHAIN = "to the beacon chain";
    OF_SMART_ACCOUNTS = "of smart accounts (ERC-4337)";
    BY_TRANSACTION = "user operations, by transaction";
    OF_OPERATIONS = "of user operations";
    SENDERS = "senders of bundles";
    CREATORS = "creators of smart accounts";
    PAYERS = "payers of user operations";
    ON_L1 = "blocks published on L1";
    FROM_L1 = "from L1";
    TO_L1 = "to L1";
    ABOUT_ROOTS = "about output roots";
    STATES_ON_L1 = "states published on L1";
    CONSOLE_TITLE = "console of the chain";
    DIFF_TITLE = "comparison of two traces";
}

/// A title or a line of an overlay.
#[derive(Debug, strum::Display)]
pub enum OverlayText<'a> {
    #[strum(to_string = "Label of {name} {address}")]
    LabelTitle { name: &'a str, address: &'a str },
    /// An action of the palette that does nothing here.
    #[strum(to_string = "not now: {why}")]
    Disabled { why: &'a str },
    #[strum(to_string = "go to {target}")]
    GoTo { target: &'a TargetKind },
    #[strum(to_string = "{why} on {chain}: no domain, token or contract")]
    NotOnChain { why: &'a str, chain: &'a str },
    #[strum(to_string = "cannot search: {why}")]
    SearchFailed { why: &'a str },
    /// The matches of a search that is being typed.
    #[strum(to_string = "{matches} found")]
    Found { matches: Grouped<usize> },
    #[strum(to_string = "{matches} of {rows} loaded rows match")]
    FoundInLoaded { matches: Grouped<usize>, rows: Grouped<usize> },
    #[strum(to_string = "{matches} found so far")]
    FoundSoFar { matches: Grouped<usize> },
    #[strum(to_string = "{what}: select with the mouse")]
    PlainText { what: &'a str },
    /// The beginning of a chord.
    #[strum(to_string = "{keys} …")]
    PendingKeys { keys: &'a str },
    /// The beginning of chords that all do the same with something else.
    #[strum(to_string = "{keys} … {verb}")]
    PendingVerb { keys: &'a str, verb: &'a str },
    #[strum(to_string = "copy the {label}")]
    Copies { label: &'a str },
    #[strum(to_string = "Export {rows} to")]
    ExportTitle { rows: &'a str },
    /// The words for the columns of a list in a search.
    #[strum(to_string = "columns  {columns}")]
    SearchColumns { columns: &'a str },
    #[strum(to_string = "such as  {examples}")]
    SearchExamples { examples: &'a str },
    /// A filter that no row can match.
    #[strum(to_string = "{why} · {rows}")]
    InvalidFilter { why: &'a str, rows: &'a str },
    /// The rows of a tab that has more than a page.
    #[strum(to_string = "{rows}+ rows")]
    MoreRows { rows: Grouped<u64> },
    /// The key of an action in another tab, which has a key too.
    #[strum(to_string = "key {tab}, then {key}")]
    KeyInTab { tab: usize, key: &'a str },
    /// The value of a cell that is cut in its list.
    #[strum(to_string = "in full {value}")]
    InFull { value: &'a str },
    /// The title of a row with every field.
    #[strum(to_string = "all fields of {page}")]
    AllFields { page: &'a str },
    #[strum(to_string = "{left} requests left")]
    RequestsLeft { left: &'a str },
    #[strum(to_string = "{left}/{all} requests left")]
    RequestsLeftOf { left: &'a str, all: &'a str },
    /// The endpoints with a total, of which some have no space.
    #[strum(to_string = "endpoint ({shown} of {all} shown)")]
    EndpointsShown { shown: usize, all: usize },
    /// The time of the same request before.
    #[strum(to_string = "again: the same request as at {time}")]
    SameRequestAt { time: &'a str },
    #[strum(to_string = "enlarge to {width}×{height}")]
    SmallScreen { width: u16, height: u16 },
}

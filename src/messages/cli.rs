//! Errors and notes of the command line.

super::sentences! {
    NOT_A_TARGET = "not an address, transaction, block, link or name";
    NOT_AN_ADDRESS_OR_NAME = "not an address, a link to one or a name";
    NOT_A_TIME = "not a time such as 2026-01-01, yesterday noon or 12h ago";
    NOT_AN_ADDRESS = "not an address: expected 0x and 40 hex digits";
    NOT_A_TRANSACTION = "not a transaction: expected 0x and 64 hex digits, or a link";
    NOT_A_CALL_PATH = "not a call path: expected `root`, or numbers as in 0.3.1";
    ONE_TRANSACTION = "a transaction by itself: `get transaction`";
    NOT_A_TOPIC = "not a topic: expected 0x and 64 hex digits";
    NOT_LOG_DATA = "not the data of a log: expected hex, or 0x if it is empty";
    NO_SUCH_TAG = "explorers have no such tag: use latest or a number";
    EVENTS_IN_JSON = "--events needs --format jsonl or json";
    FOUND_NO_BLOCK = "not a block";
    FOUND_NO_ADDRESS = "not an address";
    SUBCOMMAND_WITH_TARGET = "TARGET and its options cannot be used with a subcommand";
    EMPTY_CHAIN = "--chain is empty";
    NOT_SERVED = "cannot serve this chain: only `demo` and nodes can be served";
    DATA_WITH_FILTERS = "--tab and filters need an address, not data";
    INSTANCE_WITHOUT_TOKEN = "--instance needs a token";
    HOLDER_WITHOUT_TOKEN = "--holder needs a token and --tab instances";
    NO_TOKEN = "--token needs an address and --tab transfers";
    NOTHING_TO_DECODE = "nothing to decode: pass it, or pipe it to stdin";
    LOG_ON_SCREEN = "--log -: stderr is the screen; redirect it";
    NOT_A_TERMINAL = "not a terminal; for scripts use `chainglass get`";
    DUMB_TERMINAL = "TERM is dumb: no screen; for scripts use `chainglass get`";
    NO_CACHE_FOLDER = "cannot find the cache folder: is HOME set?";
    NO_CONFIG_FOLDER = "cannot find the config folder: is HOME set?";
    NOT_CREATED = " (not created yet)";
    FILE_EXISTS = "the file exists: name a new one";
    NO_AMOUNTS = "explorers need a --max above zero and --min";
    NO_TIMES = "--until is before --since";
    NO_PRO_KEY = "own explorer: no API key for the PRO API";
}

/// Arguments that do not fit together, or a state of the machine in which they cannot be followed.
#[derive(Debug, strum::Display)]
pub enum CliProblem<'a> {
    #[strum(to_string = "{option} needs an address")]
    NeedsAddress { option: &'a str },
    #[strum(to_string = "--tab {tab} needs a TARGET")]
    NeedsTarget { tab: &'a str },
    #[strum(to_string = "{option} needs --tab trace")]
    NeedsTrace { option: &'a str },
    #[strum(to_string = "{option} does not apply to this tab")]
    OtherTab { option: &'a str },
    #[strum(to_string = "no column \"{column}\" to sort by; available: {names}")]
    NoSortColumn { column: &'a str, names: &'a str },
    #[strum(to_string = "{column} sorts from the greatest only")]
    OneDirection { column: &'a str },
    #[strum(to_string = "--row counts the rows as sent: leave out {option}")]
    RowOfNarrowed { option: &'a str },
    #[strum(to_string = "cannot list {list} of this target")]
    NoList { list: &'a str },
    #[strum(to_string = "no such tab here; available: {tabs}")]
    NoTabHere { tabs: &'a str },
    #[strum(to_string = "unknown type; available: {known}")]
    UnknownType { known: &'a str },
    #[strum(to_string = "no chain matches \"{filter}\": `chainglass chains` lists all")]
    NoChain { filter: &'a str },
    #[strum(to_string = "no explorer is known for {chain}: name one with --chain")]
    NoExplorer { chain: &'a str },
    #[strum(to_string = "recording {path} is incomplete: {why}")]
    IncompleteRecording { path: &'a str, why: &'a str },
    #[strum(to_string = "{why}: raise the limit, `ulimit -n`")]
    FewDescriptors { why: &'a str },
    #[strum(to_string = "the recording is of {recorded}: leave out --chain")]
    OtherRecording { recorded: &'a str },
    #[strum(to_string = "line {line}: {why}")]
    BadLine { line: usize, why: &'a str },
    #[strum(to_string = "{file}: no such file, so the defaults apply")]
    NoFile { file: &'a str },
    #[strum(to_string = "no such folder: {folder}")]
    NoFolder { folder: &'a str },
}

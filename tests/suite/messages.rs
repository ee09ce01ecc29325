//! The sentences of `src/messages`: all of them in one snapshot, for review.

use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::time::Duration;

use chainglass::test_api::api::ApiError;
use chainglass::test_api::chain::{Address, BlockCoverage, Grouped, TargetKind, Timestamp};
use chainglass::test_api::messages::abi::SignatureError;
use chainglass::test_api::messages::api_error::{
    self, BlockTimeError, Interruption, NameSearchError, status_reason,
};
use chainglass::test_api::messages::connect_error::{CertificateProblem, ConnectError};
use chainglass::test_api::messages::node::{
    self, ChainNotice, NodeErrorCode, NodeOutage, ResponseDefect, RpcError,
};
use chainglass::test_api::messages::notice::{
    AppNotice, SignatureLookupNotice, UserDataNotice, chain_switch, way_out, with_keys,
};
use chainglass::test_api::messages::prompt::{self, OverlayText};
use chainglass::test_api::messages::{Count, connect_error, unavailable};
use chainglass::test_api::sanitize::{SafeText, width};
use regex_lite::Regex;

use super::architecture::{layer, root, rust_files};
use super::{data_messages, pane_messages, system_messages};

/// Columns of a sentence without data, in which a key counts as two.
const MAX_FIXED_COLUMNS: usize = 60;
/// Columns of an overlay, for the titles and helps in it.
const MAX_OVERLAY_COLUMNS: usize = 76;
/// Columns of a sentence with example data, which may be longer if that comes from outside.
const MAX_SENTENCE_COLUMNS: usize = 110;

pub fn text(text: &str) -> SafeText {
    text.into()
}

pub fn lines(sentences: &[&dyn Display]) -> String {
    let mut lines: Vec<String> = sentences.iter().map(ToString::to_string).collect();
    lines.push(String::new());
    lines.join("\n")
}

fn connections() -> String {
    lines(&[
        &ConnectError::Refused,
        &ConnectError::NoAddress,
        &ConnectError::Closed,
        &ConnectError::NoTls,
        &ConnectError::TlsFailed,
        &ConnectError::TimedOut { seconds: 10 },
        &ConnectError::Proxy {
            proxy: text("127.0.0.1:3128"),
            why: Box::new(ConnectError::Refused),
        },
        &ConnectError::Certificate(CertificateProblem::UnknownIssuer),
        &ConnectError::Certificate(CertificateProblem::Expired),
        &ConnectError::Certificate(CertificateProblem::NotValidYet),
        &ConnectError::Certificate(CertificateProblem::OtherHost),
        &ConnectError::Certificate(CertificateProblem::Invalid),
        &ConnectError::Other(text("network is unreachable")),
    ]) + &constants(&[connect_error::ALL])
}

fn refused(status: u16, message: &str) -> ApiError {
    ApiError::from_error_body(status, format!("{{\"message\":\"{message}\"}}").as_bytes())
}

fn explorer_errors() -> Vec<ApiError> {
    let why = || text("connection reset by peer");
    let not_json = |status, what: &str| ApiError::NotJson { status, what: what.into() };
    vec![
        ApiError::Unreachable { host: text("eth.blockscout.com"), why: ConnectError::NoAddress },
        ApiError::Blocked { why: text("an API key is only sent over https") },
        ApiError::TimedOut { seconds: 40 },
        ApiError::Interrupted { why: why() },
        refused(400, "Params 'module'"),
        refused(400, "Unknown API v2 action"),
        refused(401, "Unauthorized"),
        refused(402, "Payment required"),
        refused(402, "Out of credits"),
        refused(404, "Not found"),
        refused(429, "Too many requests"),
        refused(500, "Internal server error"),
        ApiError::ChainNotServed { explorer: text("https://gnosis.blockscout.com/") },
        not_json(503, "text/html, server cloudflare"),
        not_json(200, "text/plain"),
        not_json(511, "text/html"),
        ApiError::CdnFailed { host: text("eth.blockscout.com"), status: 522 },
        not_json(502, "text/html"),
        ApiError::BrowserCheck { host: text("eth.blockscout.com"), status: 403 },
        ApiError::SignInPage { host: text("eth.blockscout.com"), page_host: text("wifi.example") },
        ApiError::TooLarge { limit: 64 },
        ApiError::InvalidResponse { why: text("expected an object, found 7") },
        ApiError::FirstPageAgain { rows: 150 },
        ApiError::CursorLoop { rows: 150 },
        ApiError::EmptyPages { pages: 10 },
        ApiError::DemoFailed { why: text("permission denied") },
        ApiError::CannotConnect { why: text("no URL") },
        ApiError::NotRecorded { why: text("/api/v2/stats") },
        ApiError::Unidentified { address: text("node.example"), why: text("HTTP 403") },
    ]
}

/// Errors of explorers in the command line's form, then in that of a page.
fn explorers() -> String {
    let (errors, host) = (explorer_errors(), Some("eth.blockscout.com"));
    let whole = errors.iter().map(|error| format!("{}\n", error.with_hint(host)));
    let on_page = errors.iter().map(|error| {
        let subject = Some("transaction");
        format!("{}{}\n", error.on_page(subject, "demo", None), error.way_out())
    });
    let list = refused(404, "Not found").on_page(None, "demo", None);
    whole.chain(["\n".to_owned()]).chain(on_page).chain([list + "\n"]).collect()
}

fn requests() -> String {
    let blocks = BlockCoverage { first_block: 1, last_block: 9, unreadable: 0, older: None };
    let (kind, parameter) = (text("user operation"), text("0x2372…ef66"));
    let statuses = [400, 401, 402, 403, 404, 406, 422, 429, 500, 501, 502, 503, 504, 418];
    constants(&[api_error::ALL, &statuses.map(status_reason)])
        + &lines(&[
            &Interruption::NotRecorded,
            &Interruption::Panic,
            &Interruption::Suspended,
            &Interruption::TooSlow { seconds: 900 },
            &NameSearchError::TooShort,
            &NameSearchError::Unsupported,
            &NameSearchError::NotFound { blocks: Some(blocks) },
            &NameSearchError::UnknownKind { kind, parameter },
            &BlockTimeError::Future,
            &BlockTimeError::BeforeFirst(Timestamp::UNIX_EPOCH),
            &BlockTimeError::BeforeCalendar,
            &BlockTimeError::Unsupported,
            &BlockTimeError::NoBlocks,
            &BlockTimeError::Unreadable,
            &BlockTimeError::Refused { why: text("Invalid `timestamp` param") },
        ])
}

fn nodes() -> String {
    let address = || text("127.0.0.1:8545");
    let (retry_after, data) = (Some(Duration::from_secs(1)), None);
    let absent = NodeOutage::NoLocalNode { address: address() };
    let other = NodeOutage::from(&RpcError::Timeout { address: address(), seconds: 40 });
    let pending = ApiError::Node { code: NodeErrorCode::Pending, why: node::PENDING.into() };
    let pending = pending.with_hint(None);
    lines(&[
        &node::NOT_INDEXED,
        &node::NOT_ANSWERED,
        &node::ABANDONED,
        &pending,
        &absent,
        &absent.while_retrying(),
        &other.while_retrying(),
        &ChainNotice::Fork { chain: "chain 1", block: "21,000,000", way_out: " (gc: Ethereum)" },
        &ChainNotice::Failed { hash: "0x68a7…6929", block: "1,234", key: "gt" },
        &ChainNotice::Changed { id: 1_337, expected: 31_337 },
        &ChainNotice::Unexpected { id: 1_337, expected: 31_337 },
        &RpcError::Unsupported,
        &RpcError::TooLarge { address: address(), why: text("block range is too wide") },
        &RpcError::Pruned { address: address(), why: text("missing trie node") },
        &RpcError::RateLimited { address: address(), retry_after },
        &RpcError::Unreachable { address: address(), why: ConnectError::Refused },
        &RpcError::Interrupted { address: address(), why: text("connection reset by peer") },
        &RpcError::NotJsonRpc { address: address(), status: 404, what: text("text/html") },
        &RpcError::Unanswered,
        &RpcError::Unreadable { why: ResponseDefect::UnreadableValue.into() },
        &RpcError::Unreadable { why: ResponseDefect::Null.into() },
        &RpcError::Unreadable { why: ResponseDefect::DeepCalls.into() },
        &RpcError::Unreadable { why: ResponseDefect::LargeCall.into() },
        &RpcError::TooLarge {
            address: address(),
            why: ResponseDefect::TooLarge { megabytes: 64 }.into(),
        },
        &RpcError::Other {
            address: address(),
            code: Some(-32000),
            message: text("out of memory"),
            data,
        },
    ])
}

fn app_notices() -> String {
    let why = &text("permission denied");
    let (chain, what) = ("Gnosis", "address 0xf39F…2266");
    lines(&[
        &AppNotice::ChecksumMismatch,
        &AppNotice::AlreadyOnChain { chain },
        &AppNotice::ChainFailed { chain, why },
        &AppNotice::UnknownExplorer { chain: "chain 5" },
        &AppNotice::BrowserOpened,
        &AppNotice::BrowserFailed { why },
        &AppNotice::Saving { written: 500, total: 12_000, stops: with_keys::STOPS_SAVING },
        &AppNotice::SaveFailed { why },
        &AppNotice::CopyFailed { what, why },
        &AppNotice::Copied { what },
        &AppNotice::CopiedUnconfirmed { what, shows: with_keys::SHOWS_COPY },
        &AppNotice::SentThrough { what, through: "tmux", shows: with_keys::SHOWS_COPY },
        &AppNotice::NothingCopied,
        &AppNotice::NoCommand,
        &AppNotice::NoFilters,
        &AppNotice::PictureMoved { host: "ipfs.io", fetches: with_keys::FETCHES_PICTURE },
        &AppNotice::Unit { unit: "gwei" },
        &AppNotice::Ages,
        &AppNotice::UtcTimes,
        &AppNotice::LocalTimes { offset: "-05:00" },
        &AppNotice::Theme { name: "paper" },
        &AppNotice::ThemeFailed { name: "paper" },
        &AppNotice::SplitOn,
        &AppNotice::LabelsReloaded,
        &AppNotice::Refreshing,
        &AppNotice::Refreshed,
        &AppNotice::SettingsProblems {
            problems: Count(3, "problem"),
            first: &text("config.toml line 3: unknown key"),
        },
        &AppNotice::KeyDisabled { chord: "V", why: "only in call traces" },
        &AppNotice::KeyNotBound { chord: "Q", way_out: way_out::HELP },
        &AppNotice::KeyNotBound { chord: "Q", way_out: way_out::NO_HELP },
        &AppNotice::KeyNotBound { chord: "Q", way_out: way_out::LISTED },
        &AppNotice::KeyNotBound { chord: "Q", way_out: way_out::CLOSE },
    ]) + &constants(&[with_keys::ALL, chain_switch::ALL])
}

pub fn constants(sentences: &[&[&str]]) -> String {
    let mut lines = sentences.concat();
    lines.push("");
    lines.join("\n")
}

fn prompts() -> String {
    let (left, all) = ("1,200", "5,000");
    constants(&[prompt::ALL])
        + &lines(&[
            &OverlayText::LabelTitle { name: "alice.eth", address: "0xf39F…2266" },
            &OverlayText::Disabled { why: "only in call traces" },
            &OverlayText::GoTo { target: &TargetKind::Address(Address::repeat_byte(0xaa)) },
            &OverlayText::SearchFailed { why: "no response within 40 s" },
            &OverlayText::Found { matches: Grouped(8) },
            &OverlayText::FoundInLoaded { matches: Grouped(41), rows: Grouped(1_050) },
            &OverlayText::FoundSoFar { matches: Grouped(1_234) },
            &OverlayText::EndpointsShown { shown: 3, all: 6 },
            &OverlayText::PlainText { what: "row" },
            &OverlayText::PendingKeys { keys: "g" },
            &OverlayText::PendingVerb { keys: "y", verb: "copy" },
            &OverlayText::Copies { label: "transaction hash" },
            &OverlayText::ExportTitle { rows: "50 of 826 rows" },
            &OverlayText::InFull { value: "998,907.37" },
            &OverlayText::AllFields { page: "transfer 0xf839…70ca" },
            &OverlayText::SearchColumns { columns: "age: value:" },
            &OverlayText::SearchExamples { examples: "value:>1 age:<2d date:a..b" },
            &OverlayText::InvalidFilter {
                why: "no token: in transactions",
                rows: prompt::ROWS_STAY,
            },
            &OverlayText::MoreRows { rows: Grouped(50) },
            &OverlayText::KeyInTab { tab: 2, key: "i" },
            &OverlayText::NotOnChain { why: "name not found", chain: "demo" },
            &OverlayText::RequestsLeft { left },
            &OverlayText::RequestsLeftOf { left, all },
            &OverlayText::SameRequestAt { time: "19:00:00" },
            &OverlayText::SmallScreen { width: 40, height: 12 },
        ])
}

fn user_data() -> String {
    let (name, address, label) = ("alice 0xf39F…2266", "0xf39F…2266", "‹alice›");
    let first = &text("line 3: not an address");
    let (selector, signature) = ("0xa9059cbb", &text("transfer(address,uint256)"));
    let (key, what) = ("eth", "0xa9059cbb");
    lines(&[
        &UserDataNotice::LongLabel { max: 40 },
        &UserDataNotice::Watching { name },
        &UserDataNotice::StoppedWatching { name },
        &UserDataNotice::LabelRemoved { address },
        &UserDataNotice::Labelled { address, label },
        &UserDataNotice::LabelledTwice { address, label },
        &UserDataNotice::LabelProblem { key, first },
        &UserDataNotice::LabelProblems { key, first, more: 2 },
        &UserDataNotice::LabelsLeftOut { megabytes: 32 },
        &UserDataNotice::SignatureAdded { selector, signature },
        &UserDataNotice::NoSignature { why: &SignatureError::TooDeep },
        &UserDataNotice::AbiProblem { first },
        &UserDataNotice::AbiProblems { count: 3, first },
        &SignatureLookupNotice::NoDatabase,
        &SignatureLookupNotice::NothingUnknown,
        &SignatureLookupNotice::Started { what: "3 signatures" },
        &SignatureLookupNotice::Failed { what, why: &text("HTTP 500") },
        &SignatureLookupNotice::Missing { what },
        &SignatureLookupNotice::Found { what, signature },
        &SignatureLookupNotice::Ambiguous { what, first: signature, more: 2 },
        &SignatureLookupNotice::FoundSome { found: 2, what: "3 signatures" },
    ])
}

/// All sentences with example data, by subject. Keys are placeholders.
fn subjects() -> Vec<(&'static str, String)> {
    let mut subjects = vec![
        ("connection", connections()),
        ("explorer", explorers()),
        ("node", nodes()),
        ("notice", app_notices()),
        ("disabled action", constants(&[unavailable::ALL])),
        ("prompt", prompts()),
        ("request", requests()),
        ("labels and signatures", user_data()),
    ];
    subjects.extend(data_messages::subjects());
    subjects.extend(system_messages::subjects());
    subjects.extend(pane_messages::subjects());
    subjects
}

fn sentences() -> String {
    let subjects = subjects().into_iter();
    let parts = subjects.map(|(subject, lines)| format!("## {subject}\n{lines}"));
    parts.collect::<Vec<_>>().join("\n")
}

#[test]
fn retry_is_offered_only_where_it_can_help() {
    let is_offered = |error: &ApiError| error.way_out().contains("retries");
    let unsupported =
        ApiError::Node { code: NodeErrorCode::Unsupported, why: text("no prestateTracer") };
    let lasting = |error: &ApiError| match error {
        ApiError::Refused { status, .. } => matches!(status, 400..=404),
        ApiError::OutOfCredits
        | ApiError::ChainNotServed { .. }
        | ApiError::Blocked { .. }
        | ApiError::TooLarge { .. }
        | ApiError::FirstPageAgain { .. }
        | ApiError::CursorLoop { .. }
        | ApiError::EmptyPages { .. }
        | ApiError::NotRecorded { .. } => true,
        _ => false,
    };
    assert!(!is_offered(&unsupported));
    for error in explorer_errors() {
        assert_eq!(is_offered(&error), !lasting(&error), "{error}{}", error.way_out());
    }
    assert!(ApiError::EmptyPages { pages: 10 }.way_out().contains("loads more"));
}

#[test]
fn sentences_match_their_snapshot() {
    insta::assert_snapshot!(sentences());
}

#[test]
fn sentences_without_data_fit_sixty_columns() {
    let fixed = Regex::new(r#"(?m)^ +[A-Z_]+ =\s+"(.+)";$"#).unwrap();
    let key = Regex::new(r"\{[a-z_]+\}").unwrap();
    let mut checked = 0;
    for file in rust_files("src/messages") {
        let most = match file.file_stem().and_then(|stem| stem.to_str()) {
            Some("prompt") => MAX_OVERLAY_COLUMNS,
            _ => MAX_FIXED_COLUMNS,
        };
        for found in fixed.captures_iter(&fs::read_to_string(&file).unwrap()) {
            let sentence = key.replace_all(&found[1], "gr");
            let columns = width(&sentence);
            assert!(columns <= most, "{}: {columns} columns: {sentence}", file.display());
            checked += 1;
        }
    }
    assert!(checked > 200, "only {checked} sentences found");
}

#[test]
fn sentences_are_short_and_in_lower_case() {
    // Keys and abbreviations have one capital letter or several.
    let capitalized = Regex::new("^[A-Z][a-z]").unwrap();
    for (subject, lines) in subjects() {
        for line in lines.lines() {
            assert!(width(line) <= MAX_SENTENCE_COLUMNS, "{} columns: {line}", width(line));
            assert!(!line.ends_with('.'), "{line}");
            // Titles begin with a capital letter.
            let is_capitalized = capitalized.is_match(line);
            assert!(!is_capitalized || subject == "prompt", "{line}");
        }
    }
}

/// The string literals in a file, without those of lints and panics, which no user reads, and without
/// names of expected values, of which `type_error` and the TOML reader make a sentence.
fn literals(source: &str) -> Vec<String> {
    let literal = Regex::new(r#"(?s)'(?:\\[^']+|[^'\\])'|"((?:[^"\\]|\\.)*)""#).unwrap();
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let code = source.lines().filter(is_code).collect::<Vec<_>>().join("\n");
    let line_break = Regex::new(r"\\\n\s*").unwrap();
    let unread = r#"(reason = |expect\(|(type_error|parse_\w+|value)\((json, |"\w+", )?)$"#;
    let unread = Regex::new(unread).unwrap();
    let texts = literal.captures_iter(&code).filter_map(|found| {
        let before = &code[..found.get(0).unwrap().start()];
        let line = &before[before.rfind('\n').unwrap_or(0)..];
        found.get(1).filter(|_| !unread.is_match(line))
    });
    texts
        .map(|text| {
            line_break.replace_all(text.as_str(), "").replace("\\\"", "\"").replace("\\\\", "\\")
        })
        .collect()
}

/// The fixed parts of a literal that have two words or more.
fn worded_parts(literal: &str) -> Vec<String> {
    let (data, words) = (Regex::new(r"\{[^}]*\}").unwrap(), Regex::new("[a-z]+ [a-z]+").unwrap());
    data.split(literal).filter(|part| words.is_match(part)).map(str::to_owned).collect()
}

/// Returns `true` for the name of a value and for a value in a table: two words, and a unit.
fn is_label(literal: &str) -> bool {
    let label = Regex::new(r"^[(\s·]*[\w']+(?: [\w']+)?(?: in wei| gwei| \$)?[)\s]*$").unwrap();
    label.is_match(literal)
}

#[test]
fn snapshot_lists_every_sentence() {
    let sentences = sentences();
    let mut checked = 0;
    for file in rust_files("src/messages") {
        let literals = literals(&fs::read_to_string(&file).unwrap());
        for part in literals.iter().flat_map(|literal| worded_parts(literal)) {
            assert!(sentences.contains(&part), "{}: no example of {part:?}", file.display());
            checked += 1;
        }
    }
    assert!(checked > 80, "only {checked} sentences found");
}

/// Texts that are no messages, with their files.
const OTHER_TEXTS: [(&str, &str); 12] = [
    // Words of other programs, which are recognized or imitated.
    ("api/error.rs", "Network not supported"),
    ("api/error.rs", "Out of credits"),
    ("api/error.rs", "Address not found"),
    ("api/error.rs", "Resource not found"),
    ("api/error.rs", "Block lost consensus"),
    ("net/retry.rs", "Error while raw trace fetching"),
    ("indexer/traces/call_replay.rs", "Out of gas"),
    ("api_server/responses/decoded_call.rs", "Error(string reason)"),
    // The first line of a cached file, and a name in the cache.
    ("disk_cache.rs", "chainglass answer 3\\n"),
    ("net/explorer_memory.rs", "explorer at {}"),
    // Words that the labels of calls may have, for a fast search.
    ("calls/prefilter.rs", "0x receive fallback true false items fields bytes"),
    // The help of an option, like those in the comments that clap reads.
    (
        "cli/trace.rs",
        "Ask for the names and ABIs of the called contracts, at most {MAX_NAMED_CONTRACTS}",
    ),
];

/// Files with words of nodes, which are recognized, and of Blockscout, which the embedded server
/// imitates.
const OTHER_PROGRAMS: [&str; 6] = [
    "http/node_errors.rs",
    "rpc/error.rs",
    "api_server/error.rs",
    "api_server/query_params.rs",
    "api_server/block_by_time.rs",
    "api_server/lists/tokens.rs",
];

/// Returns the texts of a file that could be sentences.
fn worded_texts(file: &Path) -> Vec<String> {
    let source = fs::read_to_string(file).unwrap();
    let own_tests = Regex::new(r"#\[cfg\(.*\btest\b").unwrap();
    let code = own_tests.split(&source).next().unwrap();
    // serde makes the sentence, as `type_error` does.
    let expecting = Regex::new(r"(?s)fn expecting\(.*?\n    \}\n").unwrap();
    let mut texts = literals(&expecting.replace_all(code, ""));
    texts.retain(|text| !worded_parts(text).is_empty() && !is_label(text));
    // Words next to keys, each of which may be a single one.
    let keys = Regex::new(r#"\.expand\(\s*"([^"]*\} [^"]*)""#).unwrap();
    texts.extend(keys.captures_iter(code).map(|found| found[1].to_owned()));
    texts
}

/// The layers below cannot import `messages`, and have few sentences.
#[test]
fn modules_above_word_no_sentences() {
    let messages = layer("messages");
    let mut problems = Vec::new();
    let mut others = 0;
    for file in rust_files("src") {
        let path = file.strip_prefix(root().join("src")).unwrap();
        let module = path.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        let is_imitation = OTHER_PROGRAMS.iter().any(|other| path == Path::new(other));
        if layer(module) <= messages || path.ends_with("tests.rs") || is_imitation {
            continue;
        }
        for text in worded_texts(&file) {
            if OTHER_TEXTS.iter().any(|other| (Path::new(other.0), other.1) == (path, &*text)) {
                others += 1;
            } else {
                problems.push(format!("{}: {text}", path.display()));
            }
        }
    }
    assert!(problems.is_empty(), "word them in src/messages: {problems:#?}");
    assert_eq!(others, OTHER_TEXTS.len(), "a text of OTHER_TEXTS is gone");
}

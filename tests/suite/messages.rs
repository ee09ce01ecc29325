//! The sentences of `src/messages`: all of them in one snapshot, for review.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chainglass::test_api::api::ApiError;
use chainglass::test_api::messages::abi::SignatureError;
use chainglass::test_api::messages::connect_error::ConnectError;
use chainglass::test_api::messages::node::{
    self, ChainNotice, NodeErrorCode, NodeOutage, ResponseDefect, RpcError,
};
use chainglass::test_api::messages::notice::{
    AppNotice, SignatureLookupNotice, UserDataNotice, way_out, with_keys,
};
use chainglass::test_api::messages::{prompt, request, unavailable};
use chainglass::test_api::sanitize::{SafeText, width};
use regex_lite::Regex;

use super::architecture::{root, rust_files};
use super::{data_messages, pane_messages};

/// Columns of a sentence without data, in which a key counts as two.
const MAX_FIXED_COLUMNS: usize = 60;
/// Columns of an overlay, for the titles and helps in it.
const MAX_OVERLAY_COLUMNS: usize = 76;
/// Columns of a row of the start page, next to its name and address.
const MAX_HIGHLIGHT_COLUMNS: usize = 80;
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
        &ConnectError::TimedOut { seconds: 10 },
        &ConnectError::Proxy {
            proxy: text("127.0.0.1:3128"),
            why: Box::new(ConnectError::Refused),
        },
        &ConnectError::Other(text("invalid peer certificate: UnknownIssuer")),
    ])
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
        ApiError::SignInPage { host: text("eth.blockscout.com"), page_host: text("wifi.example") },
        ApiError::TooLarge { limit: 64 },
        ApiError::InvalidResponse { why: text("expected an object, found 7") },
        ApiError::FirstPageAgain { rows: 150 },
        ApiError::CursorLoop { rows: 150 },
        ApiError::EmptyPages { pages: 10 },
        ApiError::DemoFailed { why: text("permission denied") },
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

fn nodes() -> String {
    let address = || text("127.0.0.1:8545");
    let (retry_after, data) = (Some(Duration::from_secs(1)), None);
    let absent = NodeOutage::NoLocalNode { address: address() };
    let other = NodeOutage::from(&RpcError::Timeout { seconds: 40 });
    let [pending, unavailable] = [NodeErrorCode::Pending, NodeErrorCode::Unavailable]
        .map(|code| ApiError::Node { code, why: node::PENDING.into() }.with_hint(None));
    lines(&[
        &node::NOT_INDEXED,
        &node::NOT_ANSWERED,
        &pending,
        &unavailable,
        &absent,
        &absent.while_retrying(),
        &other.while_retrying(),
        &ChainNotice::Fork { chain: "chain 1", block: "21,000,000", way_out: " (gc: Ethereum)" },
        &ChainNotice::Changed { id: 1_337, expected: 31_337 },
        &ChainNotice::Unexpected { id: 1_337, expected: 31_337 },
        &RpcError::Unsupported,
        &RpcError::TooLarge { why: text("block range is too wide") },
        &RpcError::Pruned { why: text("missing trie node") },
        &RpcError::RateLimited { retry_after },
        &RpcError::Unreachable { address: address(), why: ConnectError::Refused },
        &RpcError::Interrupted { address: address(), why: text("connection reset by peer") },
        &RpcError::NotJsonRpc { status: 404, what: text("text/html") },
        &RpcError::Unanswered,
        &RpcError::Unreadable { why: ResponseDefect::NotANumber.into() },
        &RpcError::Unreadable { why: ResponseDefect::DeepCalls.into() },
        &RpcError::Unreadable { why: ResponseDefect::LargeCall.into() },
        &RpcError::TooLarge { why: ResponseDefect::TooLarge { megabytes: 64 }.into() },
        &RpcError::Other { code: Some(-32000), message: text("out of memory"), data },
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
        &AppNotice::CopiedThrough { what, through: "tmux", shows: with_keys::SHOWS_COPY },
        &AppNotice::NothingCopied,
        &AppNotice::NoCommand,
        &AppNotice::NoFilters,
        &AppNotice::PictureMoved { host: "ipfs.io", fetches: with_keys::FETCHES_PICTURE },
        &AppNotice::Unit { unit: "gwei" },
        &AppNotice::Theme { name: "paper" },
        &AppNotice::ThemeFailed { name: "paper" },
        &AppNotice::SplitOn,
        &AppNotice::LabelsReloaded,
        &AppNotice::SettingsProblems { first: &text("config.toml line 3: unknown key"), more: 2 },
        &AppNotice::KeyDisabled { chord: "V", why: "only in call traces" },
        &AppNotice::KeyNotBound { chord: "Q", way_out: way_out::HELP },
        &AppNotice::KeyNotBound { chord: "Q", way_out: way_out::LISTED },
        &AppNotice::KeyNotBound { chord: "Q", way_out: way_out::CLOSE },
    ]) + &constants(&[with_keys::ALL])
}

pub fn constants(sentences: &[&[&str]]) -> String {
    let mut lines = sentences.concat();
    lines.push("");
    lines.join("\n")
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
        ("prompt", constants(&[prompt::ALL])),
        ("request", constants(&[request::ALL])),
        ("labels and signatures", user_data()),
    ];
    subjects.extend(data_messages::subjects());
    subjects.extend(pane_messages::subjects());
    subjects
}

fn sentences() -> String {
    let subjects = subjects().into_iter();
    let parts = subjects.map(|(subject, lines)| format!("## {subject}\n{lines}"));
    parts.collect::<Vec<_>>().join("\n")
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
            Some("demo") => MAX_HIGHLIGHT_COLUMNS,
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
    for (subject, lines) in subjects() {
        for line in lines.lines() {
            assert!(width(line) <= MAX_SENTENCE_COLUMNS, "{} columns: {line}", width(line));
            assert!(!line.ends_with('.'), "{line}");
            // Titles begin with a capital letter.
            let is_upper = subject != "prompt" && line.starts_with(char::is_uppercase);
            let is_key = line.starts_with("V:") || line.starts_with("Q is");
            assert!(!is_upper || is_key, "{line}");
        }
    }
}

/// The string literals in a file, without those of lints and panics, which no user reads.
fn literals(source: &str) -> Vec<String> {
    let literal = Regex::new(r#"(?s)'(?:\\[^']+|[^'\\])'|"((?:[^"\\]|\\.)*)""#).unwrap();
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let code = source.lines().filter(is_code).collect::<Vec<_>>().join("\n");
    let line_break = Regex::new(r"\\\n\s*").unwrap();
    let texts = literal.captures_iter(&code).filter_map(|found| {
        let before = &code[..found.get(0).unwrap().start()];
        let is_read = !["expect(", "reason = "].iter().any(|end| before.ends_with(end));
        found.get(1).filter(|_| is_read)
    });
    texts.map(|text| line_break.replace_all(text.as_str(), "").replace("\\\"", "\"")).collect()
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

/// Sentences that modules still word themselves, labels aside. The numbers only become smaller.
const OTHER_SENTENCES: [(&str, usize); 23] = [
    ("abi", 0),
    ("api", 36),
    ("api_server", 1),
    ("app", 19),
    ("calls", 3),
    ("chain", 2),
    ("cli", 35),
    ("columns", 0),
    ("config", 7),
    ("demo_chain", 0),
    ("http", 4),
    ("indexer", 1),
    ("keymap", 9),
    ("net", 7),
    ("output", 0),
    ("pane", 0),
    ("picture", 13),
    ("rpc", 0),
    ("runtime", 17),
    ("safety", 13),
    ("store", 0),
    ("trace", 0),
    ("user_data", 0),
];

/// Files with words of nodes, which are recognized, and of Blockscout, which the embedded server
/// imitates.
const OTHER_PROGRAMS: [&str; 4] = [
    "rpc/error.rs",
    "api_server/error.rs",
    "api_server/query_params.rs",
    "api_server/lists/chain_tokens.rs",
];

#[test]
fn other_modules_word_no_more_sentences() {
    let files = rust_files("src");
    let mut problems = Vec::new();
    for (module, most) in OTHER_SENTENCES {
        let own = |file: &&PathBuf| {
            let path = file.strip_prefix(root().join("src")).unwrap();
            path.starts_with(module) || path == Path::new(&format!("{module}.rs"))
        };
        let is_ours = |file: &&PathBuf| {
            !file.ends_with("tests.rs") && !OTHER_PROGRAMS.iter().any(|other| file.ends_with(other))
        };
        let sources = files.iter().filter(own).filter(is_ours);
        let worded = sources.flat_map(|file| {
            let source = fs::read_to_string(file).unwrap();
            literals(source.split("#[cfg(test)]").next().unwrap())
        });
        let worded: Vec<String> =
            worded.filter(|text| !worded_parts(text).is_empty() && !is_label(text)).collect();
        if worded.len() > most {
            problems.push(format!("{module}: {most} before, now {}: {worded:?}", worded.len()));
        }
    }
    assert!(problems.is_empty(), "word them in src/messages: {problems:#?}");
}

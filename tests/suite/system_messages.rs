//! Example data of the sentences about the command line, the settings, files and URLs.

use chainglass::test_api::chain::{Address, Grouped};
use chainglass::test_api::messages::Count;
use chainglass::test_api::messages::cli::{self, CliProblem};
use chainglass::test_api::messages::failed_refresh::DataAge;
use chainglass::test_api::messages::picture::PictureError;
use chainglass::test_api::messages::safety::{GenuineAddress, LookalikeWarning, UrlError};
use chainglass::test_api::messages::settings::{
    self, ApiKeyError, KeyUseError, KeymapError, StyleError,
};
use chainglass::test_api::messages::system::{
    self, FileOutcome, ProgramError, RecordingError, UserFileProblem,
};

use chainglass::test_api::messages::watch::{self, UnreadMark, WatchNote};

use super::messages::{constants, lines, text};

pub(crate) fn subjects() -> Vec<(&'static str, String)> {
    vec![
        ("command line", command_line()),
        ("settings", settings()),
        ("files and programs", files()),
        ("picture", pictures()),
        ("look-alikes and URLs", safety()),
        ("watched addresses", watched()),
    ]
}

fn command_line() -> String {
    let (path, why) = ("run.jsonl", "disk full");
    constants(&[cli::ALL])
        + &lines(&[
            &CliProblem::NeedsAddress { option: "--filter" },
            &CliProblem::NeedsTarget { tab: "trace" },
            &CliProblem::NeedsTrace { option: "--chart" },
            &CliProblem::OtherTab { option: "--layout" },
            &CliProblem::NoSortColumn { column: "amout", names: "age, block" },
            &CliProblem::OneDirection { column: "gas" },
            &CliProblem::RowOfNarrowed { option: "--sort" },
            &CliProblem::NoList { list: "logs" },
            &CliProblem::NoTabHere { tabs: "transactions, logs" },
            &CliProblem::UnknownType { known: "ERC-20, ERC-721" },
            &CliProblem::NoChain { filter: "gnossis" },
            &CliProblem::NoExplorer { chain: "chain 5" },
            &CliProblem::IncompleteRecording { path, why },
            &CliProblem::FewDescriptors { why: "too many open files" },
            &CliProblem::OtherRecording { recorded: "Base" },
            &CliProblem::BadLine { line: 2, why: "longer than 1 MB" },
            &CliProblem::NoFile { file: "keymap.toml" },
            &CliProblem::NoFolder { folder: "man" },
        ])
}

fn settings() -> String {
    let origin = || "CHAINGLASS_API_KEY".to_owned();
    let (host, base) = ("eth.blockscout.com".into(), "http://eth.blockscout.com/".into());
    let [chord, first, hidden] = ["qx", "q", "yy (copy_cell)"].map(str::to_owned);
    let shadowed = || (chord.clone(), "trace");
    let ((by_action, context), (by_prefix, _)) = (shadowed(), shadowed());
    constants(&[settings::ALL])
        + &lines(&[
            &ApiKeyError::InvalidSecret,
            &ApiKeyError::InvalidHost,
            &KeyUseError::InUrl { origin: origin() },
            &KeyUseError::Unencrypted { origin: origin(), host, base },
            &KeyUseError::Empty { origin: origin() },
            &KeyUseError::NoFile { origin: origin() },
            &KeyUseError::ReadableByOthers { path: "key.txt".into() },
            &KeymapError::UnknownKey { name: "hyper-x".into(), named: "enter, esc".into() },
            &KeymapError::NotAnAction,
            &KeymapError::Renamed { former: "print".into(), name: "show_last_copy" },
            &KeymapError::NotBound { chord: first.clone() },
            &KeymapError::Unreachable {
                chord: chord.clone(),
                first_in_file: first.clone(),
                first: first.clone(),
            },
            &KeymapError::Hides { chord: first, hidden },
            &KeymapError::ShadowedBy { context, chord: by_action, action: "display_mode" },
            &KeymapError::BeginsOthers { context, chord: by_prefix },
            &StyleError::Color { text: "#12".into() },
            &StyleError::Missing { role: "dim", base: "base" },
        ])
}

fn files() -> String {
    let (key, path, why) = ("1", "signatures.txt", "permission denied");
    constants(&[system::ALL])
        + &lines(&[
            &UserFileProblem::LabelsNotLoaded { why },
            &UserFileProblem::LabelsNotSaved { why },
            &UserFileProblem::AtPath { why, path: "/home/eve/labels/1.csv" },
            &UserFileProblem::Recents { key, why },
            &UserFileProblem::TooLarge { megabytes: 32 },
            &UserFileProblem::NotRenamed { name: "1.csv" },
            &UserFileProblem::SignatureNotSaved { path, why },
            &ProgramError::NotStarted { name: "less".into(), why: why.into() },
            &ProgramError::Failed { name: "less".into(), status: "exit status: 2".into() },
            &ProgramError::NotWaitedFor { name: "less".into(), why: why.into() },
            &ProgramError::UnmatchedQuote { variable: "PAGER" },
            &ProgramError::LongText { bytes: 74_001 },
            &ProgramError::Scheme { scheme: "ipfs".into() },
            &FileOutcome::Written { path: "/home/me/rows.csv", what: &"50 rows".into() },
            &FileOutcome::NotWritten { path: "/home/me/rows.csv", why },
            &RecordingError::NotARecording,
            &RecordingError::UnsupportedVersion { found: 2, supported: 1 },
            &RecordingError::InvalidLine(3),
        ])
}

fn pictures() -> String {
    lines(&[
        &PictureError::TooLarge,
        &PictureError::Dimensions { width: 1, height: 99_999 },
        &PictureError::UnknownFormat,
        &PictureError::NoSize,
        &PictureError::UnlimitedMemory,
        &PictureError::Base64,
        &PictureError::NotInline,
        &PictureError::NotIpfs,
        &PictureError::NoGateway,
        &PictureError::NoDecoder { why: text("permission denied") },
        &PictureError::DecoderFailed,
        &PictureError::TooSlow,
        &PictureError::OverLimit,
        &PictureError::TimedOut,
        &PictureError::NotPublic,
        &PictureError::TooManyRedirects,
    ])
}

fn safety() -> String {
    let (address, transaction) = ("0xf39F…2266", "0x2372…ef66");
    let warning = |digits, genuine| LookalikeWarning { digits, genuine, is_mutual: false };
    let seen = warning(&(5..=36), GenuineAddress::Seen { address });
    lines(&[
        &warning(&(5..=5), GenuineAddress::NamedIn { address, transaction }),
        &warning(&(5..=36), GenuineAddress::PaidIn { address, transaction }),
        &warning(&(5..=36), GenuineAddress::Viewed),
        &warning(&(5..=36), GenuineAddress::Labelled { address }),
        &LookalikeWarning { is_mutual: true, ..seen },
        &UrlError::Credentials,
        &UrlError::LongHost,
        &UrlError::NotPublic { host: text("127.0.0.1") },
        &UrlError::Scheme { scheme: "ipfs" },
        &UrlError::UnknownScheme,
    ])
}

fn watched() -> String {
    let (address, why) = (Address::repeat_byte(0xab), "connection refused");
    constants(&[watch::ALL])
        + &lines(&[
            &WatchNote::Watching { chain: "Ethereum" },
            &WatchNote::Outage { why },
            &WatchNote::Recovered { age: DataAge { seconds: 190 } },
            &WatchNote::LeftOut { address, rows: Grouped(2_000) },
            &WatchNote::NewRows { address: "«Alice»", rows: Count(3, "new row") },
            &WatchNote::UnreadableRow { address, why: "missing `hash`" },
            &UnreadMark::Address { unread: 2 },
            &UnreadMark::Title { unread: 3 },
        ])
}

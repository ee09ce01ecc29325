//! Notices of the app on the footer.

use super::Count;
use super::abi::SignatureError;
use crate::sanitize::SafeText;

/// A notification on the footer.
#[derive(Debug)]
pub struct Notice {
    pub text: SafeText,
    pub kind: NoticeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// Outcome of the user's action, or news.
    Report,
    /// Refusal of a key, or a doubt.
    Warning,
    Failure,
    /// Outage of a node. The notice ends with it.
    Outage,
    /// Refresh of the page. The notice changes with its end.
    Refresh,
}

impl From<SafeText> for Notice {
    fn from(text: SafeText) -> Self {
        Self { text, kind: NoticeKind::Report }
    }
}

/// A notice that needs no page. Keys in it are expanded before.
#[derive(Debug, strum::Display)]
pub enum AppNotice<'a> {
    #[strum(to_string = "address checksum mismatch: a digit may be wrong")]
    ChecksumMismatch,
    #[strum(to_string = "already on {chain}")]
    AlreadyOnChain { chain: &'a str },
    #[strum(to_string = "cannot open {chain}: {why}")]
    ChainFailed { chain: &'a str, why: &'a SafeText },
    #[strum(to_string = "no explorer is known for {chain} · opened on this chain")]
    UnknownExplorer { chain: &'a str },
    #[strum(to_string = "opened in the browser")]
    BrowserOpened,
    #[strum(to_string = "cannot start the browser: {why}")]
    BrowserFailed { why: &'a SafeText },
    #[strum(to_string = "saving {written} of {total} lines · {stops}")]
    Saving { written: usize, total: usize, stops: &'a str },
    #[strum(to_string = "cannot save: {why}")]
    SaveFailed { why: &'a SafeText },
    #[strum(to_string = "cannot copy the {what}: {why}")]
    CopyFailed { what: &'a str, why: &'a SafeText },
    #[strum(to_string = "copied the {what} to the clipboard")]
    Copied { what: &'a str },
    /// The terminal does not confirm that the text is on the clipboard.
    #[strum(to_string = "copied the {what} by OSC 52 ({shows})")]
    CopiedUnconfirmed { what: &'a str, shows: &'a str },
    /// A multiplexer drops what its settings do not let through.
    #[strum(to_string = "sent the {what} to {through}, which may drop it · {shows}")]
    SentThrough { what: &'a str, through: &'a str, shows: &'a str },
    #[strum(to_string = "nothing to show")]
    NothingCopied,
    #[strum(to_string = "no command opens this view")]
    NoCommand,
    #[strum(to_string = "this list has no filters")]
    NoFilters,
    #[strum(to_string = "the picture is at {host} · {fetches}")]
    PictureMoved { host: &'a str, fetches: &'a str },
    #[strum(to_string = "amounts are in {unit}")]
    Unit { unit: &'a str },
    #[strum(to_string = "times are ages")]
    Ages,
    #[strum(to_string = "times are in UTC")]
    UtcTimes,
    #[strum(to_string = "times are local: UTC{offset} now")]
    LocalTimes { offset: &'a str },
    #[strum(to_string = "theme {name}; to keep it: theme = \"{name}\" in the settings")]
    Theme { name: &'a str },
    #[strum(to_string = "cannot use theme {name}: chainglass config --check")]
    ThemeFailed { name: &'a str },
    #[strum(to_string = "split view on for lists")]
    SplitOn,
    #[strum(to_string = "labels reloaded; nothing else to refresh here")]
    LabelsReloaded,
    #[strum(to_string = "refreshing")]
    Refreshing,
    #[strum(to_string = "refreshed")]
    Refreshed,
    #[strum(to_string = "{problems} in your files (chainglass config --check): {first}")]
    SettingsProblems { problems: Count, first: &'a SafeText },
    #[strum(to_string = "{chord}: {why}")]
    KeyDisabled { chord: &'a str, why: &'a str },
    #[strum(to_string = "{chord} is not bound here ({way_out})")]
    KeyNotBound { chord: &'a str, way_out: &'a str },
}

/// Ways out of a key that is not bound.
pub mod way_out {
    crate::messages::sentences! {
        LISTED = "the keys are listed here";
        HELP = "{help} for help";
        NO_HELP = "keymap.toml leaves help no key";
        CLOSE = "{back} to close";
    }
}

/// Reasons why no other chain can be opened.
pub mod chain_switch {
    crate::messages::sentences! {
        SINGLE_CHAIN = "this run has a single chain";
        RECORDING = "cannot switch chains while recording: omit --record";
        REPLAY = "cannot switch chains in a replay: omit --replay";
    }
}

/// Notices that name keys.
pub mod with_keys {
    crate::messages::sentences! {
        MOUSE_ON = "mouse on ({mouse} off); hold Shift to select text";
        MOUSE_OFF = "mouse off";
        SPLIT_OFF = "split view off ({toggle_split} on)";
        STOPPED = "{interrupt} again quits";
        STOPS_SAVING = "{interrupt} stops";
        SHOWS_COPY = "{show_last_copy} shows it";
        PROJECT_FOUND = "{project_names} names contracts after your project";
        FETCHES_PICTURE = "{picture} fetches it";
    }
}

/// Notices about the user's labels, signatures and ABI files.
#[derive(Debug, strum::Display)]
pub enum UserDataNotice<'a> {
    #[strum(to_string = "at most {max} characters")]
    LongLabel { max: usize },
    #[strum(to_string = "watching {name}")]
    Watching { name: &'a str },
    #[strum(to_string = "stopped watching {name}")]
    StoppedWatching { name: &'a str },
    #[strum(to_string = "removed the label of {address}")]
    LabelRemoved { address: &'a str },
    #[strum(to_string = "labelled {address} {label}")]
    Labelled { address: &'a str, label: &'a str },
    #[strum(to_string = "labelled {address} {label} (already the label of another address)")]
    LabelledTwice { address: &'a str, label: &'a str },
    #[strum(to_string = "labels/{key}.csv: {first}")]
    LabelProblem { key: &'a str, first: &'a SafeText },
    #[strum(to_string = "labels/{key}.csv: {first}, and {more} more")]
    LabelProblems { key: &'a str, first: &'a SafeText, more: usize },
    #[strum(to_string = "the rows after {megabytes} MB are left out")]
    LabelsLeftOut { megabytes: u64 },
    #[strum(to_string = "{selector} is now {signature}")]
    SignatureAdded { selector: &'a str, signature: &'a SafeText },
    #[strum(to_string = "not a signature: {why}")]
    NoSignature { why: &'a SignatureError },
    #[strum(to_string = "cannot use an ABI file: {first}")]
    AbiProblem { first: &'a SafeText },
    #[strum(to_string = "cannot use {count} ABI files: {first}")]
    AbiProblems { count: usize, first: &'a SafeText },
}

/// Notices about a lookup in the signature database. `what` is a hash or a number of signatures.
#[derive(Debug, strum::Display)]
pub enum SignatureLookupNotice<'a> {
    #[strum(to_string = "no signature database: set signature_database in config.toml")]
    NoDatabase,
    #[strum(to_string = "no unknown signature here")]
    NothingUnknown,
    #[strum(to_string = "looking {what} up…")]
    Started { what: &'a str },
    #[strum(to_string = "cannot look {what} up: {why}")]
    Failed { what: &'a str, why: &'a SafeText },
    #[strum(to_string = "the signature database does not have {what}")]
    Missing { what: &'a str },
    #[strum(to_string = "{what} is {signature}")]
    Found { what: &'a str, signature: &'a str },
    #[strum(to_string = "{what} is {first}, or one of {more} more")]
    Ambiguous { what: &'a str, first: &'a str, more: usize },
    #[strum(to_string = "found {found} of {what}")]
    FoundSome { found: usize, what: &'a str },
}

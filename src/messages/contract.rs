//! Messages of a contract's page.

use super::abi::AbiError;
use crate::chain::U256;
use crate::chain::amount::Grouped;

super::sentences! {
    NOT_A_CONTRACT = "an account: there is no code at the address";
    NO_CODE = "the explorer has no code for it ({refresh} retries)";
    SOURCE_OF_TWIN = "source of";
    UNKNOWN_FUNCTIONS = "its functions are unknown";
    OLDER_BUILD = "older build";
    CHANGED_CODE = "deployed code no longer matches the verified source";
    EMPTY_RESULT = "empty result: not a contract?";
    NOT_OF_ABI = "(does not match the ABI)";
    NO_SLOT = "no slot read";
    INSTALLED_LATER = "(installed later)";
    MAY_LACK_FUNCTION = "(the code at that block may not have it)";
    UPGRADED_SINCE = "upgraded since that block: only slot numbers are read";
    SLOT_HINT = "({read_slot} reads one)";
    CALL_HINT = "({open} on one calls it)";
    LOOK_UP_HINT = "({look_up} looks the unknown ones up)";
}

/// A note on the code or the ABI of a contract.
#[derive(Debug, strum::Display)]
pub enum ContractNote<'a> {
    #[strum(to_string = "{bytes} bytes of code")]
    CodeSize { bytes: Grouped<usize> },
    /// The upgrades of a proxy.
    #[strum(to_string = "{count}{more}, newest first")]
    Upgrades { count: Grouped<usize>, more: &'a str },
    #[strum(to_string = "none")]
    NoUpgrade,
    /// Older logs were not read.
    #[strum(to_string = "none in the newest logs")]
    NoNewUpgrade,
    /// The change of a diamond's code.
    #[strum(to_string = "facets changed: {facets}")]
    ChangedFacets { facets: U256 },
    #[strum(to_string = "{lines} more lines, only in the JSON")]
    MoreLines { lines: Grouped<usize> },
    #[strum(to_string = "some entries cannot be read: {why}")]
    UnreadableEntries { why: &'a AbiError },
    #[strum(to_string = "{selector} (by its selector)")]
    BySelector { selector: &'a str },
    /// Several functions have the selector.
    #[strum(to_string = "{selector} (by its selector?)")]
    PerhapsBySelector { selector: &'a str },
}

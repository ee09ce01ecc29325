//! The user's actions.

use strum::{EnumIter, EnumMessage, EnumString, IntoStaticStr, VariantNames};

/// Direction of a step from one thing to another of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Next,
    Previous,
}

/// Something the user can do. The default keys are in `assets/keymap.toml`.
///
/// The comment of a variant is its description in the help and the palette, and may name keys
/// (`{back}`); the message is its name on the footer. They are in the order of the help.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    EnumIter,
    EnumMessage,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    /// next row
    NextRow,
    /// previous row
    PreviousRow,
    /// half a page down
    HalfPageDown,
    /// half a page up
    HalfPageUp,
    /// page down
    PageDown,
    /// page up
    PageUp,
    /// first row
    First,
    /// last row; again: load all pages ({back} stops)
    Last,
    /// previous cell; in a detail: fold
    PreviousCell,
    /// next cell; in a detail: unfold
    NextCell,
    /// next panel
    #[strum(message = "panel")]
    NextPanel,
    /// previous panel
    PreviousPanel,
    /// fold or unfold
    #[strum(message = "fold")]
    Toggle,
    /// open what is under the cursor
    #[strum(message = "open")]
    Open,
    /// all fields of the row
    #[strum(message = "fields")]
    AllFields,
    /// close, cancel or go back
    #[strum(message = "back")]
    Back,
    /// first tab
    #[strum(serialize = "tab_1")]
    Tab1,
    /// second tab
    #[strum(serialize = "tab_2")]
    Tab2,
    /// third tab
    #[strum(serialize = "tab_3")]
    Tab3,
    /// fourth tab
    #[strum(serialize = "tab_4")]
    Tab4,
    /// fifth tab
    #[strum(serialize = "tab_5")]
    Tab5,
    /// sixth tab
    #[strum(serialize = "tab_6")]
    Tab6,
    /// seventh tab
    #[strum(serialize = "tab_7")]
    Tab7,
    /// eighth tab
    #[strum(serialize = "tab_8")]
    Tab8,
    /// ninth tab
    #[strum(serialize = "tab_9")]
    Tab9,
    /// next tab
    NextTab,
    /// previous tab
    PreviousTab,
    /// back in the history
    HistoryBack,
    /// forward in the history
    #[strum(message = "forward")]
    HistoryForward,
    /// go to an address, hash, name or link
    #[strum(message = "go to")]
    GoTo,
    /// go to, starting with 0 (or just paste)
    #[strum(serialize = "go_to_0x")]
    GoToHex,
    /// this token's page; there: its address
    #[strum(message = "token")]
    Token,
    /// token transfers of the chain, newest first
    Transfers,
    /// blocks of the chain: gas, fees and who got them
    Blocks,
    /// transactions of the chain, newest first
    Transactions,
    /// tokens of the chain: supply, price, holders
    Tokens,
    /// console output of the chain, on a node
    Console,
    /// further lists of the chain: accounts, contracts, …
    Lists,
    /// transactions, calls and transfers of the chain in one list
    Activity,
    /// next block
    #[strum(message = "next block")]
    NextBlock,
    /// previous block
    #[strum(message = "previous")]
    PreviousBlock,
    /// open this in the web explorer (asks first)
    OpenWeb,
    /// command palette: actions and places by name
    #[strum(message = "palette")]
    Palette,
    /// switch the chain
    #[strum(message = "chain")]
    Chains,
    /// refresh; after a failure: retry
    #[strum(message = "refresh")]
    Refresh,
    /// close this view; on the first one: quit
    #[strum(message = "close")]
    Close,
    /// filter the list on the explorer
    #[strum(message = "filters")]
    Filters,
    /// state after a block: functions, storage, a token balance
    #[strum(message = "at block")]
    AtBlock,
    /// all approval events, or what is left of them
    #[strum(message = "all events")]
    AllEvents,
    /// read a storage slot of this contract
    #[strum(message = "slot")]
    ReadSlot,
    /// live: keep fetching what is new
    Follow,
    /// search the loaded rows or calls
    #[strum(message = "search")]
    Search,
    /// next match
    NextMatch,
    /// previous match
    PreviousMatch,
    /// show only matching rows or calls
    FilterRows,
    /// sort the loaded rows by this column, the other way, or not
    #[strum(message = "sort")]
    SortRows,
    /// save the rows to a file: CSV or JSON Lines
    #[strum(message = "export")]
    Export,
    /// next sibling
    NextSibling,
    /// previous sibling
    PreviousSibling,
    /// parent call
    Parent,
    /// next failed call
    NextFailure,
    /// previous failed call
    PreviousFailure,
    /// next call with a value
    NextValue,
    /// previous call with a value
    PreviousValue,
    /// next delegatecall or callcode
    NextDelegate,
    /// previous delegatecall or callcode
    PreviousDelegate,
    /// next creation
    NextCreate,
    /// previous creation
    PreviousCreate,
    /// next call of the same target
    NextSameTarget,
    /// previous call of the same target
    PreviousSameTarget,
    /// next call with the same selector
    NextSameSelector,
    /// where the revert began; again: the error it masked
    #[strum(message = "revert")]
    RevertOrigin,
    /// the source of the called function
    Source,
    /// the call with the most gas of its own; again: the next one
    HottestCall,
    /// fold this call and its siblings
    FoldSiblings,
    /// fold them and everything below
    FoldSiblingsDeep,
    /// unfold this call and its siblings
    UnfoldSiblings,
    /// unfold them and everything below
    UnfoldSiblingsDeep,
    /// fold everything
    FoldAll,
    /// unfold everything
    UnfoldAll,
    /// unfold one level
    #[strum(serialize = "depth_1")]
    Depth1,
    /// unfold two levels
    #[strum(serialize = "depth_2")]
    Depth2,
    /// unfold three levels
    #[strum(serialize = "depth_3")]
    Depth3,
    /// unfold four levels
    #[strum(serialize = "depth_4")]
    Depth4,
    /// unfold five levels
    #[strum(serialize = "depth_5")]
    Depth5,
    /// unfold six levels
    #[strum(serialize = "depth_6")]
    Depth6,
    /// unfold seven levels
    #[strum(serialize = "depth_7")]
    Depth7,
    /// unfold eight levels
    #[strum(serialize = "depth_8")]
    Depth8,
    /// unfold nine levels
    #[strum(serialize = "depth_9")]
    Depth9,
    /// hide or show static calls
    HideStatic,
    /// merge or split proxy calls
    MergeProxies,
    /// show only paths to failed calls, or everything
    OnlyFailures,
    /// hide or show the events between the calls
    HideEvents,
    /// sort siblings by gas, self gas or value
    SortSiblings,
    /// scroll: this row to the top
    ScrollTop,
    /// scroll: this row to the middle
    ScrollMiddle,
    /// scroll: this row to the bottom
    ScrollBottom,
    /// toggle the icicle chart of gas
    #[strum(message = "icicle")]
    Icicle,
    /// toggle the bars of self gas by function
    #[strum(message = "functions")]
    GasByFunction,
    /// toggle the balance changes of accounts
    #[strum(message = "balances")]
    BalanceChanges,
    /// gas as % of root or parent
    Percent,
    /// focus the detail or the source, or leave it
    #[strum(message = "detail")]
    Focus,
    /// icicle: zoom in to this call
    ZoomIn,
    /// icicle: zoom out to the parent
    ZoomOut,
    /// indent more
    Indent,
    /// indent less
    Outdent,
    /// enter the signature of this selector
    #[strum(message = "signature")]
    Signature,
    /// look this selector or event up in the signature database
    LookUp,
    /// ask for the names and ABIs of all contracts in this trace
    #[strum(message = "names")]
    ContractNames,
    /// detail: values as decimal, hex, address, text
    DisplayMode,
    /// mark this trace for a comparison
    Mark,
    /// compare this trace with the baseline
    Diff,
    /// next difference
    #[strum(message = "difference")]
    NextDifference,
    /// previous difference
    PreviousDifference,
    /// continue reading a paused trace, or load more of its events
    Continue,
    /// copy the cell in full (amounts: smallest unit)
    #[strum(message = "copy")]
    CopyCell,
    /// copy the transaction hash
    #[strum(message = "hash")]
    CopyHash,
    /// copy the address: the cell's, or the counterparty
    #[strum(message = "address")]
    CopyAddress,
    /// copy the token's contract address
    #[strum(message = "token")]
    CopyToken,
    /// copy the block number
    #[strum(message = "block")]
    CopyBlock,
    /// copy the name of the called function
    #[strum(message = "method")]
    CopyMethod,
    /// copy the reason of the failure
    #[strum(message = "reason")]
    CopyReason,
    /// copy the calldata
    #[strum(message = "input")]
    CopyInput,
    /// copy the value in its smallest unit (wei)
    #[strum(message = "value")]
    CopyValue,
    /// copy the original JSON as one line
    #[strum(message = "JSON")]
    CopyJson,
    /// copy the row as CSV
    #[strum(message = "row")]
    CopyRow,
    /// copy the return data
    #[strum(message = "output")]
    CopyOutput,
    /// copy the selector
    #[strum(message = "selector")]
    CopySelector,
    /// copy the decoded call
    #[strum(message = "call")]
    CopyCall,
    /// copy as a `cast` command
    #[strum(message = "cast")]
    CopyCast,
    /// copy as a `cast` command with signature and arguments
    #[strum(message = "cast arguments")]
    CopyCastArguments,
    /// copy the call and everything below as text
    #[strum(message = "subtree")]
    CopySubtree,
    /// copy the whole tree as text
    #[strum(message = "tree")]
    CopyTree,
    /// copy the command that reopens this view
    CopyCommand,
    /// the last copy, or the cell under the cursor, as plain text
    ShowLastCopy,
    /// copy the request as a `curl` command, without a key
    #[strum(message = "copy as curl")]
    CopyRequest,
    /// focus the preview or the header, and back
    #[strum(message = "preview")]
    SwitchPane,
    /// focus the header to copy and open what it shows, and back
    FocusHeader,
    /// split view on or off (160 columns)
    ToggleSplit,
    /// NFTs as a grid of pictures, or as rows
    #[strum(message = "gallery")]
    Gallery,
    /// fetch the picture behind a URL (asks first)
    #[strum(message = "picture")]
    Picture,
    /// enlarge the detail, the code or the preview
    Zoom,
    /// label the address of the cell, or the viewed one
    Label,
    /// watch this address, or stop watching it
    Watch,
    /// remove this row from the start page
    #[strum(message = "remove")]
    RemoveRow,
    /// origin of this cell's value
    #[strum(serialize = "where_from")]
    Provenance,
    /// amounts in ETH, gwei or wei
    NextUnit,
    /// times as ages, local or UTC
    NextTimes,
    /// view in $PAGER
    Pager,
    /// open as data in $VISUAL or $EDITOR
    Editor,
    /// help
    #[strum(message = "help")]
    Help,
    /// mouse on or off
    Mouse,
    /// every request to the explorer, with its time
    Requests,
    /// name contracts after the project in this folder (asks first)
    ProjectNames,
    /// stop loading; twice: quit
    Interrupt,
    /// suspend to the shell (fg returns)
    Suspend,
    /// redraw the screen
    Redraw,
    /// quit at once
    #[strum(message = "quit")]
    Quit,
}

/// Headings of the help, each with its first action.
pub const SUBJECTS: [(&str, Action); 7] = [
    ("Move", Action::NextRow),
    ("Open and go to", Action::Open),
    ("Search and filter", Action::Filters),
    (CALL_TREE, Action::NextSibling),
    ("Copy", Action::CopyCell),
    ("Display", Action::SwitchPane),
    ("Program", Action::Help),
];

/// Heading of the actions that only call traces have, with few exceptions.
pub const CALL_TREE: &str = "Call tree";

impl Action {
    /// Tabs that have a number.
    pub const TABS: [Self; 9] = [
        Self::Tab1,
        Self::Tab2,
        Self::Tab3,
        Self::Tab4,
        Self::Tab5,
        Self::Tab6,
        Self::Tab7,
        Self::Tab8,
        Self::Tab9,
    ];
    /// Levels to which call trees are unfolded.
    pub const DEPTHS: [Self; 9] = [
        Self::Depth1,
        Self::Depth2,
        Self::Depth3,
        Self::Depth4,
        Self::Depth5,
        Self::Depth6,
        Self::Depth7,
        Self::Depth8,
        Self::Depth9,
    ];

    /// The actions that matter most on a page, in this order.
    const OF_PAGES: [Self; 30] = [
        Self::Open,
        Self::Toggle,
        Self::Token,
        Self::SwitchPane,
        Self::Focus,
        Self::NextCell,
        Self::PreviousBlock,
        Self::NextBlock,
        Self::Icicle,
        Self::ZoomIn,
        Self::ZoomOut,
        Self::BalanceChanges,
        Self::GasByFunction,
        Self::RevertOrigin,
        Self::Gallery,
        Self::Picture,
        Self::AllEvents,
        Self::Filters,
        Self::Search,
        Self::NextPanel,
        Self::CopyCell,
        Self::Back,
        Self::GoTo,
        Self::Palette,
        Self::RemoveRow,
        Self::AllFields,
        Self::SortRows,
        Self::Export,
        Self::Chains,
        Self::Refresh,
    ];

    /// Returns the place of the action among those that matter most on a page.
    pub fn page_rank(self) -> Option<usize> {
        Self::OF_PAGES.iter().position(|action| *action == self)
    }

    /// Returns the heading in the help.
    pub fn subject(self) -> &'static str {
        let first = |(_, first): &&(&str, Self)| *first as usize <= self as usize;
        SUBJECTS.iter().rev().find(first).map_or("", |(heading, _)| *heading)
    }

    /// Returns the configuration name in words.
    pub fn label(self) -> String {
        <&str>::from(self).replace('_', " ")
    }

    /// Returns one or two words for the footer. Empty if the action is not shown there.
    pub fn hint(self) -> &'static str {
        self.get_message().unwrap_or_default()
    }

    /// Returns a line for the help, which may name keys (`{back}`).
    pub fn description(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }

    /// Returns the number of rows that the action moves by, on a page of `height` rows. `None` if it
    /// does not move.
    pub fn row_delta(self, height: impl Into<usize>) -> Option<isize> {
        let page = isize::try_from(height.into()).unwrap_or(1).max(1);
        let half = (page / 2).max(1);
        Some(match self {
            Self::NextRow => 1,
            Self::PreviousRow => -1,
            Self::HalfPageDown => half,
            Self::HalfPageUp => -half,
            Self::PageDown => page,
            Self::PageUp => -page,
            Self::First => isize::MIN,
            Self::Last => isize::MAX,
            _ => return None,
        })
    }

    /// Returns `true` if the action moves by rows.
    pub fn is_row_move(self) -> bool {
        self.row_delta(1_usize).is_some()
    }

    /// Returns `true` if the action works in every view and in every overlay.
    pub fn is_global(self) -> bool {
        use Action::{Interrupt, Mouse, Quit, Redraw, ShowLastCopy, Suspend};
        matches!(self, Interrupt | Mouse | Quit | Redraw | ShowLastCopy | Suspend)
    }
}

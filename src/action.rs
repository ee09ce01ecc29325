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
    /// one row down
    NextRow,
    /// one row up
    PreviousRow,
    /// open what the cursor is on
    #[strum(message = "open")]
    Open,
    /// close, cancel or go back
    #[strum(message = "back")]
    Back,
    /// go to address, hash or name
    #[strum(message = "go to")]
    GoTo,
    /// actions and places by name
    #[strum(message = "palette")]
    Palette,
    /// keys and marks
    #[strum(message = "help")]
    Help,
    /// close this view, or quit
    #[strum(message = "close")]
    Close,
    /// down by half a screen
    HalfPageDown,
    /// up by half a screen
    HalfPageUp,
    /// down by a screen
    PageDown,
    /// up by a screen
    PageUp,
    /// to the first row
    First,
    /// last row; again: load all
    Last,
    /// left cell, or fold
    PreviousCell,
    /// right cell, or unfold
    NextCell,
    /// focus the panel after this
    #[strum(message = "panel")]
    NextPanel,
    /// focus the panel before this
    PreviousPanel,
    /// hide or show what is below
    #[strum(message = "fold")]
    Toggle,
    /// the row or call as received
    #[strum(message = "fields")]
    AllFields,
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
    /// the tab to the right
    NextTab,
    /// the tab to the left
    PreviousTab,
    /// the page seen before this
    HistoryBack,
    /// the page seen after this
    #[strum(message = "forward")]
    HistoryForward,
    /// go to 0x… (or just paste)
    #[strum(serialize = "go_to_0x")]
    GoToHex,
    /// token page, or its address
    #[strum(message = "token")]
    Token,
    /// all token transfers
    Transfers,
    /// blocks of the chain
    Blocks,
    /// transactions of the chain
    Transactions,
    /// tokens of the chain
    Tokens,
    /// console output (on a node)
    Console,
    /// further lists of the chain
    Lists,
    /// all activity of the chain
    Activity,
    /// the block after this one
    #[strum(message = "next block")]
    NextBlock,
    /// the block before this one
    #[strum(message = "previous")]
    PreviousBlock,
    /// this page in the browser
    OpenWeb,
    /// switch the chain
    #[strum(message = "chain")]
    Chains,
    /// fetch again, or retry
    #[strum(message = "refresh")]
    Refresh,
    /// filter on the explorer
    #[strum(message = "filters")]
    Filters,
    /// state after a block
    #[strum(message = "at block")]
    AtBlock,
    /// approvals: all events or now
    #[strum(message = "all events")]
    AllEvents,
    /// read a storage slot
    #[strum(message = "slot")]
    ReadSlot,
    /// live: fetch what is new
    Follow,
    /// search loaded rows or calls
    #[strum(message = "search")]
    Search,
    /// to the match after this
    NextMatch,
    /// to the match before this
    PreviousMatch,
    /// show only matching rows
    FilterRows,
    /// sort by this column, or not
    #[strum(message = "sort")]
    SortRows,
    /// save the rows to a file
    #[strum(message = "export")]
    Export,
    /// next call of this caller
    NextSibling,
    /// previous call of this caller
    PreviousSibling,
    /// caller of this call
    Parent,
    /// next failed call
    NextFailure,
    /// previous failed call
    PreviousFailure,
    /// next call with a value
    NextValue,
    /// previous call with a value
    PreviousValue,
    /// next delegatecall
    NextDelegate,
    /// previous delegatecall
    PreviousDelegate,
    /// next creation of a contract
    NextCreate,
    /// previous creation of a contract
    PreviousCreate,
    /// next call of this contract
    NextSameTarget,
    /// previous call of this contract
    PreviousSameTarget,
    /// same function, any contract
    NextSameSelector,
    /// call behind the failure
    #[strum(message = "revert")]
    RevertOrigin,
    /// source of the function
    Source,
    /// most own gas; again: next
    HottestCall,
    /// fold calls of the caller
    FoldSiblings,
    /// fold them and all below
    FoldSiblingsDeep,
    /// unfold calls of the caller
    UnfoldSiblings,
    /// unfold them and all below
    UnfoldSiblingsDeep,
    /// only the top level stays
    FoldAll,
    /// every level opens
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
    /// hide or show static calls
    HideStatic,
    /// merge or split proxy calls
    MergeProxies,
    /// only paths to failed calls
    OnlyFailures,
    /// hide or show logs of calls
    HideEvents,
    /// sort siblings by gas, value
    SortSiblings,
    /// row to the screen's top
    ScrollTop,
    /// row to the screen's middle
    ScrollMiddle,
    /// row to the screen's bottom
    ScrollBottom,
    /// icicle chart of gas
    #[strum(message = "icicle")]
    Icicle,
    /// table: calls and self gas
    #[strum(message = "functions")]
    GasByFunction,
    /// gains and losses by account
    #[strum(message = "balances")]
    BalanceChanges,
    /// gas as % of root or parent
    Percent,
    /// focus detail or source
    #[strum(message = "detail")]
    Focus,
    /// icicle: only this call
    ZoomIn,
    /// icicle: back to the caller
    ZoomOut,
    /// wider steps in the tree
    Indent,
    /// narrower steps in the tree
    Outdent,
    /// enter the signature
    #[strum(message = "signature")]
    Signature,
    /// signature from a database
    LookUp,
    /// fetch ABIs of the contracts
    #[strum(message = "names")]
    ContractNames,
    /// detail: decimal, hex, text
    DisplayMode,
    /// mark for a comparison
    Mark,
    /// compare with the baseline
    Diff,
    /// to the next changed call
    #[strum(message = "difference")]
    NextDifference,
    /// to the changed call before
    PreviousDifference,
    /// resume, or load more events
    Continue,
    /// copy the value in full
    #[strum(message = "copy")]
    CopyCell,
    /// copy the transaction hash
    #[strum(message = "hash")]
    CopyHash,
    /// copy the row's other address
    #[strum(message = "address")]
    CopyAddress,
    /// copy the token's address
    #[strum(message = "token")]
    CopyToken,
    /// copy the block number
    #[strum(message = "block")]
    CopyBlock,
    /// copy the function's name
    #[strum(message = "method")]
    CopyMethod,
    /// copy the failure's reason
    #[strum(message = "reason")]
    CopyReason,
    /// copy the calldata
    #[strum(message = "input")]
    CopyInput,
    /// copy the raw value (wei)
    #[strum(message = "value")]
    CopyValue,
    /// copy the JSON as one line
    #[strum(message = "JSON")]
    CopyJson,
    /// copy the row as CSV
    #[strum(message = "row")]
    CopyRow,
    /// copy the return data
    #[strum(message = "output")]
    CopyOutput,
    /// copy function id or topic
    #[strum(message = "selector")]
    CopySelector,
    /// copy the decoded call
    #[strum(message = "call")]
    CopyCall,
    /// copy as a `cast` command
    #[strum(message = "cast")]
    CopyCast,
    /// copy `cast`, values decoded
    #[strum(message = "cast arguments")]
    CopyCastArguments,
    /// copy the call and below
    #[strum(message = "subtree")]
    CopySubtree,
    /// copy the tree as text
    #[strum(message = "tree")]
    CopyTree,
    /// copy a command for this view
    CopyCommand,
    /// last copy, or cell, as text
    ShowLastCopy,
    /// copy as a `curl` command
    #[strum(message = "copy as curl")]
    CopyRequest,
    /// preview or header, and back
    #[strum(message = "preview")]
    SwitchPane,
    /// focus header, and back
    FocusHeader,
    /// split view on or off
    ToggleSplit,
    /// NFTs as pictures or as rows
    #[strum(message = "gallery")]
    Gallery,
    /// fetch a picture (asks first)
    #[strum(message = "picture")]
    Picture,
    /// enlarge detail or preview
    Zoom,
    /// label the address
    Label,
    /// watch the address, or not
    Watch,
    /// drop it from this page
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
    /// open in $VISUAL or $EDITOR
    Editor,
    /// mouse on or off
    Mouse,
    /// requests to the explorer
    Requests,
    /// contracts of your build
    ProjectNames,
    /// stop loading; twice: quit
    Interrupt,
    /// suspend to the shell
    Suspend,
    /// redraw the screen
    Redraw,
    /// quit at once
    #[strum(message = "quit")]
    Quit,
}

/// Headings of the help, each with its first action.
const SUBJECTS: [(&str, Action); 8] = [
    (BASICS, Action::NextRow),
    ("Move", Action::HalfPageDown),
    ("Open and go to", Action::AllFields),
    ("Search and filter", Action::Filters),
    (CALL_TREE, Action::NextSibling),
    ("Copy", Action::CopyCell),
    ("Display", Action::SwitchPane),
    ("Program", Action::Mouse),
];

/// Headings of the actions of a call trace in the help, each with its first action.
const TRACE_SUBJECTS: [(&str, Action); 6] = [
    ("Call trace", Action::NextRow),
    ("Call trace: move", Action::NextSibling),
    ("Call trace: fold", Action::FoldSiblings),
    (TRACE_DISPLAY, Action::ScrollTop),
    ("Call trace: copy", Action::CopyCell),
    (TRACE_DISPLAY, Action::SwitchPane),
];

/// Heading of the actions that show a call trace in another way.
const TRACE_DISPLAY: &str = "Call trace: show";

/// Heading of the actions that every page has, for a beginner.
pub const BASICS: &str = "Basics";

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
    pub const DEPTHS: [Self; 3] = [Self::Depth1, Self::Depth2, Self::Depth3];

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
        self.heading(&SUBJECTS)
    }

    /// Returns the heading in the help among the keys of call traces.
    pub fn trace_subject(self) -> &'static str {
        self.heading(&TRACE_SUBJECTS)
    }

    fn heading(self, headings: &[(&'static str, Self)]) -> &'static str {
        let first = |(_, first): &&(&str, Self)| *first as usize <= self as usize;
        headings.iter().rev().find(first).map_or("", |(heading, _)| *heading)
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

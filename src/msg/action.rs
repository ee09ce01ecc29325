//! What the user can do, and what the footer and the help say of it.

use serde::Deserialize;
use strum::{EnumIter, EnumString, IntoStaticStr, VariantNames};

/// Something the user can do. The keys are in `assets/keymap.toml`.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Deserialize,
    EnumIter,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[expect(missing_docs, reason = "`about` says what each does, to the user as well")]
pub enum Action {
    NextRow,
    PreviousRow,
    HalfPageDown,
    HalfPageUp,
    PageDown,
    PageUp,
    First,
    Last,
    PreviousCell,
    NextCell,
    Open,
    InFull,
    Back,
    Toggle,
    Help,
    #[serde(rename = "tab_1")]
    #[strum(serialize = "tab_1")]
    Tab1,
    #[serde(rename = "tab_2")]
    #[strum(serialize = "tab_2")]
    Tab2,
    #[serde(rename = "tab_3")]
    #[strum(serialize = "tab_3")]
    Tab3,
    #[serde(rename = "tab_4")]
    #[strum(serialize = "tab_4")]
    Tab4,
    #[serde(rename = "tab_5")]
    #[strum(serialize = "tab_5")]
    Tab5,
    NextTab,
    PreviousTab,
    OtherPane,
    SidePane,
    HistoryBack,
    HistoryForward,
    GoTo,
    GoToHex,
    Instances,
    Transfers,
    Refresh,
    Follow,
    Filters,
    Search,
    NextMatch,
    PreviousMatch,
    FilterRows,
    CopyCell,
    CopyHash,
    CopyAddress,
    CopyToken,
    CopyBlock,
    CopyMethod,
    CopyValue,
    CopyJson,
    CopyRow,
    NextSibling,
    PreviousSibling,
    Parent,
    NextFailure,
    PreviousFailure,
    NextValue,
    PreviousValue,
    NextDelegate,
    PreviousDelegate,
    NextCreate,
    PreviousCreate,
    NextSameTarget,
    PreviousSameTarget,
    NextSameSelector,
    RevertOrigin,
    HotPath,
    FoldSiblings,
    FoldSiblingsDeep,
    UnfoldSiblings,
    UnfoldSiblingsDeep,
    FoldAll,
    UnfoldAll,
    #[serde(rename = "depth_1")]
    #[strum(serialize = "depth_1")]
    Depth1,
    #[serde(rename = "depth_2")]
    #[strum(serialize = "depth_2")]
    Depth2,
    #[serde(rename = "depth_3")]
    #[strum(serialize = "depth_3")]
    Depth3,
    #[serde(rename = "depth_4")]
    #[strum(serialize = "depth_4")]
    Depth4,
    #[serde(rename = "depth_5")]
    #[strum(serialize = "depth_5")]
    Depth5,
    #[serde(rename = "depth_6")]
    #[strum(serialize = "depth_6")]
    Depth6,
    #[serde(rename = "depth_7")]
    #[strum(serialize = "depth_7")]
    Depth7,
    #[serde(rename = "depth_8")]
    #[strum(serialize = "depth_8")]
    Depth8,
    #[serde(rename = "depth_9")]
    #[strum(serialize = "depth_9")]
    Depth9,
    HideStatic,
    MergeProxies,
    OnlyFailures,
    SortSiblings,
    ScrollTop,
    ScrollMiddle,
    ScrollBottom,
    Icicle,
    ValueFlow,
    Percent,
    Focus,
    Zoom,
    ZoomIn,
    ZoomOut,
    Indent,
    Outdent,
    Signature,
    DisplayMode,
    Mark,
    Diff,
    NextDifference,
    PreviousDifference,
    Continue,
    CopyInput,
    CopyOutput,
    CopySelector,
    CopyCall,
    CopyCast,
    CopySubtree,
    CopyTree,
    CopyCommand,
    Label,
    Watch,
    Forget,
    Provenance,
    NextUnit,
    NextTimes,
    OpenWeb,
    Print,
    Pager,
    Editor,
    Mouse,
    Export,
    Palette,
    Chains,
    Requests,
    CopyRequest,
    Close,
    Interrupt,
    Suspend,
    Redraw,
    Quit,
}

/// What is said of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionInfo {
    /// One or two words for the footer; empty when it is not shown there.
    pub hint: &'static str,
    /// A sentence for the help, which may name keys (`{back}`).
    pub description: &'static str,
}

impl Action {
    /// By how many rows it moves where `height` of them are in sight; none when it does not move.
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

    /// Whether the action moves by rows.
    pub fn is_row_move(self) -> bool {
        self.row_delta(1_usize).is_some()
    }

    /// Whether the action works in every view and in every overlay.
    pub fn is_global(self) -> bool {
        use Action::{Interrupt, Mouse, Print, Quit, Redraw, Suspend};
        matches!(self, Interrupt | Mouse | Print | Quit | Redraw | Suspend)
    }

    /// Its name as words.
    pub fn label(self) -> String {
        <&str>::from(self).replace('_', " ")
    }

    /// What the footer and the help say of it.
    #[expect(clippy::too_many_lines, reason = "a table: an action a line")]
    pub fn info(self) -> ActionInfo {
        let (hint, sentence) = match self {
            Self::NextRow => ("", "next row"),
            Self::PreviousRow => ("", "previous row"),
            Self::HalfPageDown => ("", "half a page down"),
            Self::HalfPageUp => ("", "half a page up"),
            Self::PageDown => ("", "a page down"),
            Self::PageUp => ("", "a page up"),
            Self::First => ("", "first row"),
            Self::Last => {
                ("", "last loaded row; again: load page after page to the end ({back} stops)")
            }
            Self::PreviousCell => ("", "previous cell of the row; in a detail: fold"),
            Self::NextCell => ("", "next cell of the row; in a detail: unfold"),
            Self::Open => ("open", "follow what is under the cursor"),
            Self::InFull => ("fields", "the row with every field that the server sent"),
            Self::Back => ("back", "close what is on top, stop loading, or go back"),
            Self::Toggle => ("fold", "fold or unfold"),
            Self::Tab1 => ("", "first tab"),
            Self::Tab2 => ("", "second tab"),
            Self::Tab3 => ("", "third tab"),
            Self::Tab4 => ("", "fourth tab"),
            Self::Tab5 => ("", "fifth tab"),
            Self::NextTab => ("", "next tab"),
            Self::PreviousTab => ("", "previous tab"),
            Self::OtherPane => ("beside", "to the pane beside the list, or back to the list"),
            Self::SidePane => ("", "a second pane of the selected row, or one (160 columns)"),
            Self::HistoryBack => ("", "back in the history, cursor and scroll as they were"),
            Self::HistoryForward => ("forward", "forward in the history"),
            Self::GoTo => {
                ("go to", "go to an address, a transaction, a name or an explorer's web address")
            }
            Self::GoToHex => ("", "the same, with the 0 of 0x… typed already (or just paste)"),
            Self::Instances => ("", "the instances of the token that this address is"),
            Self::Transfers => ("", "all token transfers of the chain"),
            Self::Refresh => ("refresh", "ask again; after a failure: try the same page again"),
            Self::Follow => ("", "follow a list: ask for new rows every ten seconds, or stop that"),
            Self::Filters => {
                ("filters", "the server's filters of this list, and the request they make")
            }
            Self::Search => ("search", "look for a text in the loaded rows"),
            Self::NextMatch => ("", "next row that holds it"),
            Self::PreviousMatch => ("", "previous row that holds it"),
            Self::FilterRows => ("", "show only the loaded rows that hold a text"),
            Self::CopyCell => ("copy", "copy what is under the cursor, in full"),
            Self::CopyHash => ("hash", "copy the transaction hash"),
            Self::CopyAddress => ("address", "copy the address: the cell's, or the other side's"),
            Self::CopyToken => ("token", "copy the token's contract address"),
            Self::CopyBlock => ("block", "copy the block number"),
            Self::CopyMethod => ("method", "copy the method"),
            Self::CopyValue => ("value", "copy the value, undivided (wei)"),
            Self::CopyJson => ("JSON", "copy the original JSON, on one line"),
            Self::CopyRow => ("row", "copy the row as CSV"),
            Self::NextSibling => ("", "next call of the same caller"),
            Self::PreviousSibling => ("", "previous call of the same caller"),
            Self::Parent => ("", "the calling call"),
            Self::NextFailure => ("", "next failed call"),
            Self::PreviousFailure => ("", "previous failed call"),
            Self::NextValue => ("", "next call with a value"),
            Self::PreviousValue => ("", "previous call with a value"),
            Self::NextDelegate => ("", "next delegatecall or callcode"),
            Self::PreviousDelegate => ("", "previous delegatecall or callcode"),
            Self::NextCreate => ("", "next creation"),
            Self::PreviousCreate => ("", "previous creation"),
            Self::NextSameTarget => ("", "next call of the same target"),
            Self::PreviousSameTarget => ("", "previous call of the same target"),
            Self::NextSameSelector => ("", "next call with the same selector"),
            Self::RevertOrigin => ("origin", "where the revert began; again: what it hid"),
            Self::HotPath => ("", "down to the call that used most of the gas itself"),
            Self::FoldSiblings => ("", "fold this call and its siblings"),
            Self::FoldSiblingsDeep => ("", "fold them and all that is below them"),
            Self::UnfoldSiblings => ("", "unfold this call and its siblings"),
            Self::UnfoldSiblingsDeep => ("", "unfold them and all that is below them"),
            Self::FoldAll => ("", "fold everything"),
            Self::UnfoldAll => ("", "unfold everything"),
            Self::Depth1 => ("", "unfold one level"),
            Self::Depth2 => ("", "unfold two levels"),
            Self::Depth3 => ("", "unfold three levels"),
            Self::Depth4 => ("", "unfold four levels"),
            Self::Depth5 => ("", "unfold five levels"),
            Self::Depth6 => ("", "unfold six levels"),
            Self::Depth7 => ("", "unfold seven levels"),
            Self::Depth8 => ("", "unfold eight levels"),
            Self::Depth9 => ("", "unfold nine levels"),
            Self::HideStatic => ("", "hide or show static calls"),
            Self::MergeProxies => {
                ("", "draw a proxy and the delegatecall it makes as one row, or as two")
            }
            Self::OnlyFailures => ("", "only the paths to failed calls, or everything"),
            Self::SortSiblings => {
                ("", "siblings by gas, by own gas, by value, or as they were called")
            }
            Self::ScrollTop => ("", "scroll: this row to the top"),
            Self::ScrollMiddle => ("", "scroll: this row to the middle"),
            Self::ScrollBottom => ("", "scroll: this row to the bottom"),
            Self::Icicle => {
                ("icicle", "gas as an icicle: a row a depth, width is gas; or the tree")
            }
            Self::ValueFlow => ("value", "who gained and lost how much of the coin; or the tree"),
            Self::Percent => ("", "gas in percent of the root, or of the caller"),
            Self::Focus => ("detail", "move in the detail of the call, or in the tree"),
            Self::Zoom => ("", "the detail of the call, or the pane beside the list, in full"),
            Self::ZoomIn => ("", "in the icicle: this call as wide as the pane"),
            Self::ZoomOut => ("", "in the icicle: back to the calling call"),
            Self::Indent => ("", "indent calls more"),
            Self::Outdent => ("", "indent calls less"),
            Self::Signature => ("signature", "type the signature of this selector"),
            Self::DisplayMode => {
                ("", "in the detail: the value in another form (decimal, hex, address, text)")
            }
            Self::Mark => ("", "mark this trace, to compare another with it"),
            Self::Diff => ("", "compare this trace with the marked one"),
            Self::NextDifference => ("difference", "next call that differs by itself"),
            Self::PreviousDifference => ("", "previous call that differs by itself"),
            Self::Continue => ("", "read on, where reading has paused"),
            Self::CopyInput => ("input", "copy the calldata"),
            Self::CopyOutput => ("output", "copy what it returned"),
            Self::CopySelector => ("selector", "copy the selector"),
            Self::CopyCall => ("call", "copy the decoded call"),
            Self::CopyCast => ("cast", "copy it as a `cast` command"),
            Self::CopySubtree => ("subtree", "copy the call and all below it as text"),
            Self::CopyTree => ("tree", "copy the whole tree as text"),
            Self::Label => ("", "name this address: the cell's, or the viewed one"),
            Self::Watch => ("", "watch this address, or no more: it stands on the start screen"),
            Self::Forget => ("remove", "remove this row from the start screen"),
            Self::CopyCommand => ("", "copy the command that opens the program at this very place"),
            Self::Provenance => ("", "where the value of this cell comes from"),
            Self::NextUnit => ("", "amounts in the coin, in gwei, or in wei"),
            Self::NextTimes => ("", "times as ages, local, or in UTC"),
            Self::OpenWeb => ("", "open the web explorer's page of this row (shown first)"),
            Self::Print => {
                ("", "print what was copied last over the whole width, to select it by hand")
            }
            Self::Pager => ("", "what is looked at, in your pager ($PAGER)"),
            Self::Editor => ("", "the same as data, in your editor ($VISUAL, $EDITOR)"),
            Self::Mouse => ("", "hear of the mouse, or leave it to the terminal"),
            Self::Export => ("", "write the rows as shown to a file, CSV or JSON Lines"),
            Self::Palette => ("palette", "the palette: everything to do or to go to, by name"),
            Self::Chains => ("chain", "switch the chain: a list of all that can be named"),
            Self::Requests => ("", "the last requests: what was asked, why, and what came of it"),
            Self::CopyRequest => {
                ("copy as curl", "copy the request as a `curl` command, without a key")
            }
            Self::Help => ("help", "this help"),
            Self::Close => ("close", "close this view; at the first one, quit"),
            Self::Interrupt => ("", "stop what is loading; twice: quit"),
            Self::Suspend => ("", "back to the shell (fg returns)"),
            Self::Redraw => ("", "draw the screen again"),
            Self::Quit => ("quit", "quit at once"),
        };
        ActionInfo { hint, description: sentence }
    }
}

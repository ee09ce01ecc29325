//! What the user can do.

use serde::Deserialize;
use strum::{EnumIter, EnumString, IntoStaticStr, VariantNames};

/// Something the user can do. The default keys are in `assets/keymap.toml`.
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
#[expect(missing_docs, reason = "`Action::info` describes each")]
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

impl Action {
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

    /// Whether the action moves by rows.
    pub fn is_row_move(self) -> bool {
        self.row_delta(1_usize).is_some()
    }

    /// Whether the action works in every view and in every overlay.
    pub fn is_global(self) -> bool {
        use Action::{Interrupt, Mouse, Print, Quit, Redraw, Suspend};
        matches!(self, Interrupt | Mouse | Print | Quit | Redraw | Suspend)
    }
}

//! Why actions that belong to some views only do nothing in the others.

use super::Action;

impl Action {
    /// Why it does nothing in a view that does not know it; none when every view knows it.
    pub fn unavailable_reason(self) -> Option<&'static str> {
        Some(match self {
            Self::Follow => "only a list can be followed",
            Self::Filters => "only a list has filters",
            Self::Search | Self::NextMatch | Self::PreviousMatch => {
                "only lists and call traces can be searched"
            }
            Self::FilterRows => "only the rows of lists and the calls of traces can be sifted",
            Self::InFull => "only a list's rows and a trace's calls have fields to show",
            Self::Provenance => "only in a list or a call trace",
            Self::Export => "only lists and call traces are written to files",
            Self::Toggle => "nothing folds here",
            Self::PreviousCell | Self::NextCell => "there is nothing to the side here",
            Self::Refresh => "this is not asked for, so it cannot be asked for again",
            Self::Parent | Self::FoldAll | Self::UnfoldAll => {
                "only in a call trace or a comparison of two"
            }
            Self::NextDifference | Self::PreviousDifference => "only in a comparison of two traces",
            Self::Forget => "only what is watched or was visited is taken off a list: at the start",
            Self::CopyRequest => "only among the last requests (!)",
            _ => return self.copy_unavailable_reason().or_else(|| self.trace_unavailable_reason()),
        })
    }

    fn copy_unavailable_reason(self) -> Option<&'static str> {
        Some(match self {
            Self::CopyCell => "there is nothing to copy here",
            Self::CopyHash => "there is no transaction to copy here",
            Self::CopyAddress => "there is no address to copy here",
            Self::CopyToken => "there is no token to copy here",
            Self::CopyBlock => "there is no block number to copy here",
            Self::CopyMethod => "there is no method to copy here",
            Self::CopyValue => "there is no value to copy here",
            Self::CopyJson => "there is no JSON to copy here",
            Self::CopyRow => "there is no row to copy here",
            Self::CopyInput
            | Self::CopyOutput
            | Self::CopySelector
            | Self::CopyCall
            | Self::CopyCast => "only a call of a trace has that",
            Self::CopySubtree | Self::CopyTree => "only in a call trace or a comparison of two",
            _ => return None,
        })
    }

    fn trace_unavailable_reason(self) -> Option<&'static str> {
        let is_of_traces = matches!(
            self,
            Self::NextSibling
                | Self::PreviousSibling
                | Self::NextFailure
                | Self::PreviousFailure
                | Self::NextValue
                | Self::PreviousValue
                | Self::NextDelegate
                | Self::PreviousDelegate
                | Self::NextCreate
                | Self::PreviousCreate
                | Self::NextSameTarget
                | Self::PreviousSameTarget
                | Self::NextSameSelector
                | Self::RevertOrigin
                | Self::HotPath
                | Self::FoldSiblings
                | Self::FoldSiblingsDeep
                | Self::UnfoldSiblings
                | Self::UnfoldSiblingsDeep
                | Self::Depth1
                | Self::Depth2
                | Self::Depth3
                | Self::Depth4
                | Self::Depth5
                | Self::Depth6
                | Self::Depth7
                | Self::Depth8
                | Self::Depth9
                | Self::HideStatic
                | Self::MergeProxies
                | Self::OnlyFailures
                | Self::SortSiblings
                | Self::ScrollTop
                | Self::ScrollMiddle
                | Self::ScrollBottom
                | Self::Icicle
                | Self::ValueFlow
                | Self::Percent
                | Self::Focus
                | Self::ZoomIn
                | Self::ZoomOut
                | Self::Indent
                | Self::Outdent
                | Self::Signature
                | Self::DisplayMode
                | Self::Mark
                | Self::Diff
                | Self::Continue
        );
        is_of_traces.then_some("only in a call trace")
    }
}

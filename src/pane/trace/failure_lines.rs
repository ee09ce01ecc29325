//! Source lines of failures. A node is requested to find one when the user goes to the origin of a
//! revert, or to a source.

use std::collections::HashMap;

use super::TracePane;
use crate::api::failure_line::{FailureLine, FailureQuery, FailureStack};
use crate::api::{ApiError, Query, Reply, ReplyResult, TransactionQuery};
use crate::app_message::Priority;
use crate::calls::failing_source::{FailingSource, failure_places};
use crate::calls::fallback::TraceFallback;
use crate::messages::call;
use crate::messages::node::NodeErrorCode;
use crate::pane::export::SourcePlace;
use crate::pane::{Command, PaneContext};
use crate::sanitize::SafeText;
use crate::trace::tree::FrameClass;
use crate::ui::document::DocumentEntry;
use crate::ui::theme::Role;

#[derive(Debug)]
pub(super) enum LineAnswer {
    Asked,
    Known(Box<FailureLine>),
    Unknown(SafeText),
    /// No answer, which another request may have.
    Failed(SafeText),
}

#[derive(Debug, Default)]
pub(super) struct FailureLines {
    answers: HashMap<u32, LineAnswer>,
    /// The call whose source is opened when its line is known.
    opening: Option<u32>,
}

impl FailureLines {
    pub(super) fn get(&self, call: u32) -> Option<&LineAnswer> {
        self.answers.get(&call)
    }

    /// Opens no source when the answer comes.
    pub(super) fn forget_opening(&mut self) {
        self.opening = None;
    }

    /// Drops requests that will not be answered.
    pub(super) fn cancel(&mut self) {
        self.opening = None;
        self.answers.retain(|_, answer| !matches!(answer, LineAnswer::Asked));
    }

    pub(super) fn place(&self, call: u32) -> Option<SourcePlace> {
        let Some(LineAnswer::Known(found)) = self.get(call) else { return None };
        Some(SourcePlace::Line(found.file_path.value()?.clone(), *found.line.value()?))
    }
}

impl TracePane {
    /// Requests the line of a call, unless it has one already or cannot have any.
    pub(super) fn ask_failure_line(&mut self, call: u32, cx: &PaneContext<'_>) -> Option<Command> {
        self.tree.get(call).filter(|frame| frame.failed())?;
        // Without a trace the depth of a call is not known.
        let is_complete = self.loading.fetch.is_complete()
            && matches!(self.loading.fallback, TraceFallback::NotRequested);
        let is_known = !matches!(self.failure_lines.get(call), None | Some(LineAnswer::Failed(_)));
        if !cx.network.endpoint.is_node() || !is_complete || is_known {
            return None;
        }
        self.detail.invalidate();
        let (answer, query) = match self.failure_query(call) {
            Some(query) => (LineAnswer::Asked, Some(Query::FailureLine(query))),
            None => (LineAnswer::Unknown(call::LINE_WITHOUT_GAS.into()), None),
        };
        self.failure_lines.answers.insert(call, answer);
        query.map(|query| Command::fetch(query, None, Priority::Interactive))
    }

    /// Requests the lines of all calls that failed, for exports and copies.
    pub(super) fn request_failure_stack(&self, cx: &PaneContext<'_>) -> Option<Command> {
        let has_failed = !self.tree.frames_of(FrameClass::Failed).is_empty();
        let query = Query::Transaction(self.transaction, TransactionQuery::FailureStack);
        (has_failed && cx.network.endpoint.is_node()).then_some(Command::Background(query, None))
    }

    pub(super) fn on_failure_stack(&mut self, reply: &ReplyResult) {
        if let Ok(Some(stack)) = reply.as_ref().map(Reply::get::<FailureStack>) {
            self.failure_places = failure_places(&self.tree, stack);
        }
    }

    fn failure_query(&self, call: u32) -> Option<FailureQuery> {
        let frame = self.tree.get(call)?;
        let depth = self.tree.ancestors(call).count() as u64;
        let contract = self.tree.target_address(call).filter(|_| !frame.kind.creates());
        if contract.is_none() && !frame.kind.creates() {
            return None;
        }
        let (transaction, gas) = (self.transaction, frame.gas().filter(|_| depth > 0));
        let query = FailureQuery { transaction, contract, depth, gas };
        (depth == 0 || gas.is_some()).then_some(query)
    }

    pub(super) fn on_failure_line(
        &mut self,
        query: &FailureQuery,
        reply: &ReplyResult,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        let is_asked =
            |call: &u32| matches!(self.failure_lines.get(*call), Some(LineAnswer::Asked));
        let asked = self.failure_lines.answers.keys().copied().filter(is_asked);
        let calls: Vec<u32> =
            asked.filter(|call| self.failure_query(*call).as_ref() == Some(query)).collect();
        for call in calls {
            let answer = match reply.as_ref().map(Reply::get::<FailureLine>) {
                Ok(Some(line)) => LineAnswer::Known(Box::new(line.clone())),
                Ok(None) => LineAnswer::Failed(call::NOT_A_LINE.into()),
                // The node or the project cannot answer this.
                Err(ApiError::Node { code: NodeErrorCode::Unsupported, why }) => {
                    LineAnswer::Unknown(why.clone())
                }
                Err(error) => LineAnswer::Failed(cx.reason(error).into()),
            };
            self.failure_lines.answers.insert(call, answer);
        }
        self.detail.invalidate();
        let opened = self.failure_lines.opening.take_if(|call| {
            !matches!(self.failure_lines.answers.get(call), Some(LineAnswer::Asked))
        });
        opened.map(|call| self.source_of(call, cx)).into_iter().collect()
    }

    /// Opens the source of a call, of a failed one when its line is known.
    pub(super) fn open_source_of(&mut self, call: u32, cx: &PaneContext<'_>) -> Vec<Command> {
        let request = self.ask_failure_line(call, cx);
        if let Some(LineAnswer::Asked) = self.failure_lines.get(call) {
            self.failure_lines.opening = Some(call);
            return request.into_iter().collect();
        }
        vec![self.source_of(call, cx)]
    }
}

impl LineAnswer {
    pub(super) fn entries(&self) -> Vec<DocumentEntry> {
        const AT: &str = "reverted at";
        let dim = |text: SafeText| vec![DocumentEntry::note(AT, text)];
        let found = match self {
            Self::Asked => return dim(call::ASKING_NODE.into()),
            Self::Unknown(why) | Self::Failed(why) => return dim(format!("? ({why})").into()),
            Self::Known(found) => found,
        };
        let (Some(file), Some(line)) = (found.file_path.value(), found.line.value()) else {
            return dim("?".into());
        };
        let place = SourcePlace::Line(file.clone(), *line).to_string();
        let heading = match found.is_exact.value() {
            Some(true) => DocumentEntry::text(AT, place),
            _ => DocumentEntry::text("reverted near", place),
        };
        let FailureLine { source_code: code, first_line, line, .. } = &**found;
        let source = FailingSource { code, first_line, line };
        let lines = source.entries().map(|line| line.at_level(1));
        [heading.role(Role::Accent).fold(true)].into_iter().chain(lines).collect()
    }
}

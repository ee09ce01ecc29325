//! Progress of the request for data that a pane keeps.

use crate::api::ApiError;

/// State of data that is requested once, and again on demand. Meanwhile a pane shows what it has.
#[derive(Debug, Default)]
pub struct LoadState {
    progress: Progress,
    /// The failure of the last request that was answered.
    failure: Option<ApiError>,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Progress {
    #[default]
    NotRequested,
    /// The request was given up before an answer came.
    Stopped,
    Loading,
    Answered,
}

impl LoadState {
    pub fn is_unasked(&self) -> bool {
        matches!(self.progress, Progress::NotRequested | Progress::Stopped)
    }

    pub fn is_stopped(&self) -> bool {
        self.progress == Progress::Stopped
    }

    pub fn is_loading(&self) -> bool {
        self.progress == Progress::Loading
    }

    pub fn is_answered(&self) -> bool {
        self.progress == Progress::Answered
    }

    pub fn start(&mut self) {
        self.progress = Progress::Loading;
    }

    pub fn succeed(&mut self) {
        (self.progress, self.failure) = (Progress::Answered, None);
    }

    pub fn fail(&mut self, error: ApiError) {
        (self.progress, self.failure) = (Progress::Answered, Some(error));
    }

    /// Gives up a request in flight. Without an earlier answer it is due again.
    pub fn cancel(&mut self, has_answer: bool) {
        if self.is_loading() {
            self.progress = if has_answer { Progress::Answered } else { Progress::Stopped };
        }
    }

    /// Returns the failure of the last request, unless it is repeated now.
    pub fn failure(&self) -> Option<&ApiError> {
        self.failure.as_ref().filter(|_| !self.is_loading())
    }

    /// Returns the failure of the last request that was answered.
    pub fn last_failure(&self) -> Option<&ApiError> {
        self.failure.as_ref()
    }

    /// Returns `true` if the request failed for a reason that may have passed.
    pub fn can_recover(&self) -> bool {
        self.is_answered() && self.failure.as_ref().is_some_and(ApiError::is_repeated)
    }
}

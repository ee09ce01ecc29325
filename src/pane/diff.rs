//! Two call traces compared: what was added, what is gone, and how the gas changed.

use ratatui::buffer::Buffer;

use super::trace::Marked;
use super::{Cx, Pane, Want};
use crate::api::{ApiError, Query, Reply};
use crate::msg::Action;
use crate::text::Text;

/// The pane.
#[derive(Debug)]
pub struct Diff {
    two: [Marked; 2],
}

impl Diff {
    /// Compares a marked trace with another.
    pub fn new(two: [Marked; 2]) -> Self {
        Self { two }
    }
}

impl Pane for Diff {
    fn look(&mut self, _: &Cx<'_>) -> Vec<Want> {
        Vec::new()
    }

    fn leave(&mut self) {}

    fn act(&mut self, _: Action, _: &Cx<'_>) -> Option<Vec<Want>> {
        None
    }

    fn reply(&mut self, _: &Query, _: Result<Reply, ApiError>, _: &Cx<'_>) -> Vec<Want> {
        Vec::new()
    }

    fn resize(&mut self, _: &Cx<'_>) {}

    fn view(&self, cx: &Cx<'_>, buf: &mut Buffer) {
        let words = format!("{} {}", self.two[0].transaction, self.two[1].transaction);
        buf.set_string(cx.area.x, cx.area.y, words, ratatui::style::Style::new());
    }

    fn epoch(&self) -> u32 {
        0
    }

    fn is_busy(&self) -> bool {
        false
    }

    fn status(&self, _: &Cx<'_>) -> Text {
        Text::default()
    }
}

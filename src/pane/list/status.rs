//! The status of a list in its frame: filters, progress, and the position among the rows.

use super::{ListPane, Live};
use crate::api::page::paged_rows::TailState;
use crate::chain::amount::Grouped;
use crate::messages::list::{self, LoadedRows};
use crate::messages::page::PageMessage;
use crate::pane::{PaneContext, RowCount, below_text};
use crate::sanitize::SafeText;

impl ListPane {
    pub(super) fn describe_filters(&self) -> String {
        let options = self.query.filter_options().into_iter();
        // The title names the holder.
        let params = options.filter(|(name, _)| *name != "holder_address_hash").map(
            |(name, value)| match (name, &*value) {
                ("filter", "from") => "outgoing".to_owned(),
                ("filter", "to") => "incoming".to_owned(),
                ("type", types) => types.to_owned(),
                (name, value) => format!("{name}={value}"),
            },
        );
        let own = self.filter.text().into_iter().map(|filter| format!("&{filter}"));
        let history = self.query.is_history().then(|| list::ALL_EVENTS.to_owned());
        let block = self
            .query
            .past_block()
            .map(|block| PageMessage::AtBlock { block: Grouped(block) }.to_string());
        let words: Vec<String> =
            history.into_iter().chain(block).chain(params).chain(own).collect();
        if words.is_empty() { String::new() } else { format!("[{}] ", words.join(" ")) }
    }

    /// Returns the number of rows in all pages, unless the explorer leaves some out.
    pub(super) fn counted_rows(&self, cx: &PaneContext<'_>) -> Option<usize> {
        let is_filtered = self.query.filters(None).iter().any(|option| option.is_set);
        match cx.counted_rows {
            Some(RowCount::Exactly(all)) if !is_filtered && self.query.past_block().is_none() => {
                usize::try_from(all).ok()
            }
            _ => None,
        }
    }

    /// Describes the position among the rows, and what narrows them or is going on.
    pub(super) fn describe_status(&self, cx: &PaneContext<'_>) -> SafeText {
        let rows = self.paged.rows().len();
        let shown = self.len();
        let live = || match self.live {
            Live::Usual => String::new(),
            Live::Off => cx.keys.expand(list::LIVE_STOPPED).into_owned() + " ",
            Live::Polled | Live::Pushed => "live ".to_owned(),
        };
        let progress = self.export_progress().or_else(|| self.search_progress());
        let busy = progress.map_or_else(live, |progress| progress + " ");
        let narrowed = self.describe_filters();
        let counted = self.counted_rows(cx);
        let filters = [narrowed, self.describe_order(cx)].concat();
        let is_whole = *self.paged.tail() == TailState::End;
        let larger = counted.filter(|all| !is_whole && *all > rows);
        let more = if is_whole || larger.is_some() { "" } else { "+" };
        if rows == 0 && self.failure_with_rows().is_none() {
            return [&*filters, &*busy].concat().trim_end().into();
        }
        let at = if shown == 0 { 0 } else { self.viewport.selected + 1 };
        let loaded = || match larger {
            Some(all) => LoadedRows::LoadedOf { rows: Grouped(rows), all: Grouped(all) },
            None => LoadedRows::Loaded { rows: Grouped(rows), more },
        };
        let count = match (self.filter.text(), shown) {
            (Some(_), 0) => loaded().to_string(),
            (Some(_), shown) => format!("{} · {}", Grouped(shown), loaded()),
            // Only these are in order.
            (None, _) if !is_whole && self.filter.column_order().is_some() => loaded().to_string(),
            (None, shown) => format!("{}{more}", Grouped(larger.unwrap_or(shown))),
        };
        let below = below_text(self.lines_below(cx));
        let place = format!("{} of {count}", Grouped(at));
        let position = [&*filters, &busy, &below, &place].concat();
        // Only the rows are older after a failed refresh.
        let loaded_at = self.loaded_at.filter(|_| self.refresh_failure.is_some());
        SafeText::new(&match self.failure_with_rows() {
            Some(error) => cx.failed_refresh(error, loaded_at, &position),
            None => position,
        })
    }
}

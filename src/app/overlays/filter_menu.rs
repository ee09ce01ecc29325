//! The menu of server-side filters of a list.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::action::Action;
use crate::api::{Direction, Filter, FilterOption, Query};
use crate::chain::Address;
use crate::messages::prompt;
use crate::sanitize::SafeText;
use crate::ui::format::width;
use crate::ui::popup::Popup;
use crate::ui::text::draw_text;
use crate::ui::theme::{Role, Styles};
use crate::ui::viewport::Viewport;

/// Columns of a box to tick, with the space after it.
const MARK_COLUMNS: usize = 4;
/// Columns of the frame around the lines or its title, with the spaces in it.
const FRAME_COLUMNS: u16 = 6;

#[derive(Debug)]
pub(in crate::app) struct FilterMenu {
    pub(in crate::app) query: Query,
    /// The token of the selected row, offered as a filter.
    token: Option<(Address, SafeText)>,
    viewport: Viewport,
}

impl FilterMenu {
    /// Returns `None` if the query has no filters.
    pub(in crate::app) fn new(query: Query, token: Option<(Address, SafeText)>) -> Option<Self> {
        let filters = Self { query, token, viewport: Viewport::default() };
        (!filters.all().is_empty()).then_some(filters)
    }

    fn all(&self) -> Vec<FilterOption> {
        self.query.filters(self.token.as_ref().map(|(address, _)| *address))
    }

    /// Moves or toggles. Returns `false` for other actions.
    pub(in crate::app) fn act(&mut self, action: Action) -> bool {
        let all = self.all();
        if action == Action::Toggle {
            if let Some(option) = all.get(self.viewport.selected) {
                self.query = self.query.clone().toggled(option.filter);
            }
        } else {
            let Some(by) = action.row_delta(all.len()) else { return false };
            self.viewport.step(by, all.len(), all.len());
        }
        true
    }

    fn label(&self, filter: Filter) -> String {
        match filter {
            Filter::Direction(Direction::To) => "incoming".into(),
            Filter::Direction(Direction::From) => "outgoing".into(),
            Filter::Kind(kind) => <&str>::from(kind).into(),
            Filter::Type(kind) => <&str>::from(kind).into(),
            Filter::Token(address) => match &self.token {
                Some((own, symbol)) if *own == address => format!("{symbol} only ({address})"),
                _ => format!("token {address} only"),
            },
        }
    }

    fn popup(&self, screen: Rect) -> Popup<'_> {
        let all = self.all();
        let rows = u16::try_from(all.len()).unwrap_or(u16::MAX);
        let labels = all.iter().map(|option| width(&self.label(option.filter)) + MARK_COLUMNS);
        let widest = labels.chain([width(prompt::FILTERS_TITLE)]).max().unwrap_or(0);
        let columns = u16::try_from(widest).unwrap_or(u16::MAX).saturating_add(FRAME_COLUMNS);
        let popup = Popup::centered(screen, columns, rows.saturating_add(2));
        let title = popup.title(prompt::FILTERS_TITLE);
        if all.iter().any(|option| option.is_set) {
            return title;
        }
        title.footer(format!(" {} ", prompt::NO_FILTER_SET))
    }

    pub(in crate::app) fn click(&mut self, at: Position, screen: Rect) {
        let lines = self.popup(screen).inner();
        let line = usize::from(at.y.saturating_sub(lines.y));
        if lines.contains(at) && line < self.all().len() {
            self.viewport.selected = line;
            self.act(Action::Toggle);
        }
    }

    pub(in crate::app) fn view(&self, screen: Rect, buf: &mut Buffer, styles: &Styles) {
        let all = self.all();
        let inner = self.popup(screen).draw(buf, styles);
        for (n, (option, line)) in all.iter().zip(inner.rows()).enumerate() {
            let mark = if option.is_set { "[x]" } else { "[ ]" };
            let text = format!("{mark} {}", self.label(option.filter));
            draw_text(buf, line, &text, styles.of(Role::Plain));
            if n == self.viewport.selected {
                buf.set_style(line, styles.selection());
            }
        }
    }
}

//! The title line: the current page, and the path to it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw::split_right;
use crate::app::App;
use crate::app::index_progress::describe_progress;
use crate::app::navigation::route_title::route_title;
use crate::app::overlays::request_log;
use crate::pane::Route;
use crate::ui::format::width;
use crate::ui::text::{draw_pieces, draw_text};
use crate::ui::theme::Role;

const SEPARATOR: &str = " › ";

impl App {
    /// Returns the pages of this chain that led to the current one, which is the last.
    fn crumbs(&self) -> Vec<String> {
        let chain = self.nav.chain();
        let history = self.nav.entries.get(..=self.nav.current).unwrap_or_default().iter().rev();
        let pages = history
            .take_while(|page| page.chain == chain)
            .filter(|page| !matches!(page.route, Route::Start));
        let session = self.session();
        let mut crumbs: Vec<String> = pages.map(|page| route_title(&page.route, session)).collect();
        crumbs.dedup();
        crumbs.reverse();
        crumbs
    }

    pub(in crate::app) fn draw_title(&self, area: Rect, buf: &mut Buffer) {
        let styles = &self.display.styles;
        let chain = format!("{}{}", self.session().network, describe_progress(self.session()));
        let mut crumbs = self.crumbs();
        let page = crumbs.pop();
        let least = width(&chain) + page.as_deref().map_or(0, |page| width(page) + 3) + 4;
        let history = match self.nav.entries.len() {
            0 | 1 => "chainglass ".to_owned(),
            all => format!("‹{}/{all}› ", self.nav.current + 1),
        };
        let space = usize::from(area.width).saturating_sub(least);
        let status = self.title_status();
        let right = request_log::connection_title(&status, &history, space);
        let (left, right_area) = split_right(area, &right);
        draw_text(buf, right_area, &right, styles.of(Role::Dim));
        let mut free = usize::from(left.width).saturating_sub(least + 4);
        let mut shown: Vec<&str> = Vec::new();
        for crumb in crumbs.iter().rev() {
            let Some(rest) = free.checked_sub(width(crumb) + 3) else {
                shown.push("…");
                break;
            };
            free = rest;
            shown.push(crumb);
        }
        let mut pieces = vec![(" ◆ ", Role::Accent), (&*chain, Role::Title)];
        for crumb in shown.into_iter().rev() {
            pieces.extend([(SEPARATOR, Role::Dim), (crumb, Role::Plain)]);
        }
        if let Some(page) = &page {
            pieces.extend([(SEPARATOR, Role::Dim), (page, Role::Title)]);
        }
        draw_pieces(buf, left, pieces.into_iter().map(|(text, role)| (text, styles.of(role))));
    }
}

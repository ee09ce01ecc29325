//! The title line: the current page, and the path to it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw::split_right;
use crate::app::App;
use crate::app::chain_head::ChainHead;
use crate::app::index_progress::describe_progress;
use crate::app::navigation::route_title::route_title;
use crate::app::overlays::request_log;
use crate::app::sessions::ChainSession;
use crate::chain::Timestamp;
use crate::chain::amount::Grouped;
use crate::chain::network::{DEMO_LAST_BLOCK, Endpoint};
use crate::messages::index::HeadNote;
use crate::pane::Route;
use crate::ui::age::AgeClock;
use crate::ui::format::width;
use crate::ui::text::{draw_pieces, draw_text};
use crate::ui::theme::Role;

const SEPARATOR: &str = " › ";

/// Describes how far the data of a chain goes: its newest block, and how old that is. Until a block is known,
/// the host that is asked.
fn describe_head(session: &ChainSession, now: Timestamp) -> String {
    match (&session.network.endpoint, session.head) {
        _ if session.index.is_some() => describe_progress(session),
        (Endpoint::Embedded, _) => {
            HeadNote::Offline { number: Grouped(DEMO_LAST_BLOCK) }.to_string()
        }
        (Endpoint::Remote(_), Some(ChainHead { number, time })) => {
            let age = &AgeClock::new(&session.network, now).ago(time);
            HeadNote::Newest { number: Grouped(number), age }.to_string()
        }
        (Endpoint::Remote(_), None) => {
            let host = session.network.endpoint.host();
            host.filter(|host| **host != *session.network.name).unwrap_or_default()
        }
        (Endpoint::Node(_) | Endpoint::Undecided(_), _) => String::new(),
    }
}

/// Joins the facts that are known, with a blank before the edge of the screen.
fn line_end(facts: &[&str]) -> String {
    let known: Vec<&str> = facts.iter().copied().filter(|fact| !fact.is_empty()).collect();
    if known.is_empty() { String::new() } else { known.join(" · ") + " " }
}

impl App {
    /// Returns the pages of this chain that led to the current one, which is the last. None leads to a list of
    /// the whole chain.
    fn crumbs(&self) -> Vec<String> {
        let chain = self.nav.chain();
        let history = self.nav.entries.get(..=self.nav.current).unwrap_or_default().iter().rev();
        let mut pages: Vec<&Route> = history
            .take_while(|page| page.chain == chain)
            .map(|page| &page.route)
            .filter(|route| !matches!(route, Route::Start))
            .collect();
        let list = pages.iter().position(|route| matches!(route, Route::List(_)));
        pages.truncate(list.map_or(pages.len(), |list| list + 1));
        let session = self.session();
        let mut crumbs: Vec<String> =
            pages.into_iter().map(|route| route_title(route, session)).collect();
        crumbs.dedup();
        crumbs.reverse();
        crumbs
    }

    pub(in crate::app) fn draw_title(&self, area: Rect, buf: &mut Buffer) {
        let styles = &self.display.styles;
        let session = self.session();
        let chain = session.network.to_string();
        let mut crumbs = self.crumbs();
        let page = crumbs.pop();
        let least = width(&chain) + page.as_deref().map_or(0, |page| width(page) + 3) + 4;
        let history = match self.nav.entries.len() {
            0 | 1 => String::new(),
            all => format!("history {}/{all}", self.nav.current + 1),
        };
        let is_unreachable = self.is_unreachable(self.nav.active_slot()) && session.index.is_none();
        let head = if is_unreachable {
            HeadNote::Unreachable.to_string()
        } else {
            describe_head(session, self.display.now)
        };
        let space = usize::from(area.width).saturating_sub(least);
        // The state of a node matters more than the path to the page.
        let most = if session.index.is_some() { space.max(width(&head) + 1) } else { space };
        // The path says more than the place in the history.
        let path: usize = crumbs.iter().map(|page| width(page) + width(SEPARATOR)).sum();
        let texts = [
            (line_end(&[&head, &history]), path),
            (line_end(&[&head]), 0),
            (line_end(&[&history]), 0),
        ];
        let anyway = texts.into_iter().find(|(text, path)| width(text) + path <= most);
        let status = self.title_status();
        let right = request_log::connection_title(
            &status,
            anyway.as_ref().map_or("", |(text, _)| text),
            most,
        );
        let (left, right_area) = split_right(area, &right);
        let role = if is_unreachable { Role::Failed } else { Role::Dim };
        draw_text(buf, right_area, &right, styles.of(role));
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

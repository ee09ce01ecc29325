//! Titles of routes, and the title line: where the page is and how it was reached.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw::split_right;
use super::index_progress::describe_progress;
use super::sessions::ChainSession;
use super::{App, request_log};
use crate::api::Field;
use crate::chain::abbreviate::abbreviate;
use crate::chain::target::TargetKind;
use crate::chain::{Address, TxHash};
use crate::columns::called_method::CalledMethod;
use crate::pane::Route;
use crate::pane::nft_instance::instance_title;
use crate::ui::format::{cut, width};
use crate::ui::text::{draw_pieces, draw_text};
use crate::ui::theme::Role;

const SEPARATOR: &str = " › ";
/// How far a name is cut in a title.
const MAX_NAME_COLUMNS: usize = 32;

/// Returns what a route is called: by names and methods as far as they are known.
pub(super) fn route_title(route: &Route, session: &ChainSession) -> String {
    let cache = &session.name_cache;
    let name = |address: &Address| {
        let known = cache.name(address).and_then(|name| name.label.as_deref().map(str::to_owned));
        let name = cache.labels().decorated_name(address).or(known);
        name.map_or_else(|| abbreviate(address), |name| cut(&name, MAX_NAME_COLUMNS).into_owned())
    };
    match (route.target(), route) {
        (Some(TargetKind::Address(address)), _) => match name(&address) {
            hash if hash.starts_with("0x") => format!("address {hash}"),
            name => name,
        },
        (Some(TargetKind::Transaction(hash)), _) => transaction_title(&hash, session),
        (Some(TargetKind::Block(id)), _) => match (id, cache.block_number(id)) {
            (_, Some(number)) => format!("block {number}"),
            (id, None) => format!("block {}", abbreviate(&id)),
        },
        (None, Route::Start) => "start".to_owned(),
        (None, Route::Blocks) => "all blocks".to_owned(),
        (None, Route::Transactions) => "all transactions".to_owned(),
        (None, Route::Transfers) => "all token transfers".to_owned(),
        (None, Route::Tokens) => "all tokens".to_owned(),
        (None, Route::Token(token)) => match name(token) {
            hash if hash.starts_with("0x") => format!("token {hash}"),
            name => name,
        },
        (None, Route::Instances { token, holder }) => {
            let token = cache
                .name(token)
                .and_then(|name| name.token.as_ref()?.symbol.as_deref())
                .map_or_else(|| name(token), |symbol| cut(symbol, MAX_NAME_COLUMNS).into_owned());
            format!("{token} of {}", name(holder))
        }
        (None, Route::Instance { instance, token }) => instance_title(instance, token.as_deref()),
        (None, Route::LinkedInstance(key)) => format!("{} #{}", name(&key.token), key.id),
        (None, Route::Log(item)) => {
            let index = item.parsed.as_ref().ok().and_then(|log| log.index.value());
            index.map_or_else(|| "log".to_owned(), |index| format!("log {index}"))
        }
        (None, Route::Row(_)) => "all fields".to_owned(),
        (None, Route::Diff(_)) => "comparison of two traces".to_owned(),
        (None, _) => "unreadable row".to_owned(),
    }
}

fn transaction_title(hash: &TxHash, session: &ChainSession) -> String {
    let cache = &session.name_cache;
    let known = cache.transaction(hash).and_then(|item| item.parsed.as_ref().ok());
    let method = known.map(|known| CalledMethod::new(known, cache, &session.signature_db));
    let method = method.as_ref().and_then(Field::value).map(ToString::to_string);
    let method = method.unwrap_or_else(|| "transaction".to_owned());
    format!("{} {}", cut(&method, MAX_NAME_COLUMNS), abbreviate(hash))
}

impl App {
    /// Returns the pages of this chain that led to the current one, which is the last.
    fn crumbs(&self) -> Vec<String> {
        let chain = self.nav.chain();
        let pages = self.nav.entries.get(..=self.nav.current).unwrap_or_default().iter().rev();
        let pages = pages.take_while(|page| page.chain == chain);
        let pages = pages.filter(|page| !matches!(page.route, Route::Start));
        let session = self.session();
        let mut crumbs: Vec<String> = pages.map(|page| route_title(&page.route, session)).collect();
        crumbs.dedup();
        crumbs.reverse();
        crumbs
    }

    pub(super) fn draw_title(&self, area: Rect, buf: &mut Buffer) {
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

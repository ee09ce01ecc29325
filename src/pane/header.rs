//! Common parts of the headers of addresses, tokens and blocks: a few lines above the tabs, with data
//! that servers may lack.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Command, PaneContext};
use crate::api::{ApiError, Query, Reply, ReplyData};
use crate::chain::Address;
use crate::msg::Priority;
use crate::ui::format::width;
use crate::ui::text::{draw_pieces, draw_text};
use crate::ui::theme::Role;

/// The state of a request that a server may not support.
#[derive(Debug, Default)]
pub enum HeaderSection<T> {
    #[default]
    NotRequested,
    Loading,
    Loaded(T),
    Failed(ApiError),
}

impl<T> HeaderSection<T> {
    /// Requests the data, unless that was done.
    pub fn request(&mut self, query: Query, priority: Priority) -> Option<Command> {
        if !matches!(self, Self::NotRequested) {
            return None;
        }
        *self = Self::Loading;
        Some(Command::fetch(query, None, priority))
    }

    pub fn cancel(&mut self) {
        if matches!(self, Self::Loading) {
            *self = Self::NotRequested;
        }
    }

    /// Handles a reply. A failure leaves the earlier data.
    pub fn set(&mut self, reply: Result<Reply, ApiError>)
    where
        T: ReplyData + Clone,
    {
        match reply.map(|reply| reply.get().cloned()) {
            Ok(Some(answer)) => *self = Self::Loaded(answer),
            Err(error) if self.value().is_none() => *self = Self::Failed(error),
            Ok(None) | Err(_) => {}
        }
    }

    pub fn value(&self) -> Option<&T> {
        if let Self::Loaded(answer) = self { Some(answer) } else { None }
    }

    /// Returns a value of the reply, `…` while it is loading, or `?`.
    pub fn show<'a>(&'a self, show: impl FnOnce(&'a T) -> Cow<'a, str>) -> Cow<'a, str> {
        match self {
            Self::NotRequested | Self::Loading => "…".into(),
            Self::Loaded(answer) => show(answer),
            Self::Failed(_) => "?".into(),
        }
    }
}

pub type HeaderPiece<'a> = (Cow<'a, str>, Role);

/// Returns the user's data about an address: its label, and a mark if it is watched.
pub fn user_pieces<'a>(address: &Address, cx: &PaneContext<'a>) -> Vec<HeaderPiece<'a>> {
    let labels = cx.name_cache.labels();
    let own = labels.decorated_name(address).map(|own| (own.into(), Role::Title));
    let watched = labels.is_watched(address).then_some(("watched".into(), Role::Ok));
    own.into_iter().chain(watched).collect()
}

/// Draws names and kinds on the left of the frame's edge, as far as they fit, and an address or a hash
/// on the right.
pub fn draw_names(
    line: Rect,
    pieces: &[HeaderPiece<'_>],
    id: &str,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    let id = if id.is_empty() { String::new() } else { format!(" {id} ") };
    let right = u16::try_from(id.len()).unwrap_or(u16::MAX).min(line.width);
    let left = Rect { width: line.width - right, ..line };
    let at = Rect { x: left.right(), width: right, ..line };
    draw_text(buf, at, &id, cx.styles.in_frame(Role::Link));
    let mut used = 0;
    let fits = |(n, (text, _)): &(usize, &HeaderPiece<'_>)| {
        let needed = width(text) + 2;
        let fits = *n == 0 || used + needed <= left.width.into();
        used += if fits { needed } else { 0 };
        fits
    };
    let shown = pieces.iter().enumerate().filter(fits).map(|(_, piece)| piece);
    let spaced = shown.flat_map(|(text, role)| [("  ", Role::Plain), (text, *role)]);
    let spaced = spaced.skip(1).map(|(text, role)| (text, cx.styles.in_frame(role)));
    let plain = cx.styles.in_frame(Role::Plain);
    draw_pieces(buf, left, [(" ", plain)].into_iter().chain(spaced).chain([(" ", plain)]));
}

/// Draws a warning, if there is one, and the known facts. Returns the space after it.
pub fn draw_facts(
    line: Rect,
    warning: &str,
    facts: &str,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) -> Rect {
    let x = draw_text(buf, line, warning, cx.styles.of(Role::Failed));
    let gap = if warning.is_empty() { 0 } else { 2 };
    let x = x.saturating_add(gap).min(line.right());
    let rest = Rect { x, width: line.right() - x, ..line };
    let x = draw_text(buf, rest, facts, cx.styles.of(Role::Plain)).min(line.right());
    Rect { x, width: line.right() - x, ..line }
}

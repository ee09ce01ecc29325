//! Common parts of the headers of addresses, tokens and blocks: a few lines above the tabs, with data
//! that explorers may lack.

pub mod address;
pub mod block;
pub mod cells;
pub mod token;

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::PaneContext;
use super::section::Section;
use crate::api::Field;
use crate::chain::Address;
use crate::messages::page::{self, PageMessage};
use crate::safety::name_marks::hides_characters;
use crate::sanitize::SafeText;
use crate::ui::format::{cut, width};
use crate::ui::text::{draw_pieces, draw_text};
use crate::ui::theme::Role;

/// Least columns of a name that is cut for the piece after it.
const MIN_NAME_COLUMNS: usize = 16;

impl<T> Section<T> {
    /// Returns the piece of the names that says that there is no data, or why it is old.
    pub fn failure_piece(&self, cx: &PaneContext<'_>) -> Option<HeaderPiece<'_>> {
        let why = self.failure()?;
        Some(match self.value() {
            Some(_) => (format!("✗ {}", cx.reason(why)).into(), Role::Warning),
            None => (page::DETAILS_NOT_LOADED.into(), Role::Dim),
        })
    }

    /// Draws why there is no data, or the age of data that could not be loaded again. Returns the
    /// space after it.
    pub fn draw_failure(&self, line: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) -> Rect {
        if let Some(age) = self.failed_age(cx.now) {
            return draw_facts(line, (&format!("✗ {age}"), Role::Failed), "", cx, buf);
        }
        let failure = self.failure().filter(|error| cx.reported_failure != Some(error));
        let Some(error) = failure else { return line };
        let (why, role) = cx.failure_within(error, None, line.width.into());
        let x = draw_text(buf, line, &why, cx.styles.of(role)).min(line.right());
        Rect { x, width: line.right() - x, ..line }
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

/// Returns a note about names that hold characters which do not show, if there are any.
pub fn hidden_characters_note<'a>(
    names: impl IntoIterator<Item = &'a SafeText>,
) -> Option<HeaderPiece<'static>> {
    let is_found = names.into_iter().any(hides_characters);
    is_found.then(|| (format!("! {}", page::HIDDEN_CHARACTERS).into(), Role::Warning))
}

/// Returns the explorer's reputation of an address or a token, unless that is the usual one or has a mark of its
/// own.
pub fn rating_piece<'a>(reputation: &Field<SafeText>) -> Option<HeaderPiece<'a>> {
    let rating = reputation.value().filter(|rating| !matches!(&***rating, "ok" | "scam"))?;
    Some((PageMessage::Rated { rating }.to_string().into(), Role::Warning))
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
    let pieces = &cut_first(pieces, left.width.into());
    let mut used = 0;
    let fits = |(n, (text, _)): &(usize, &HeaderPiece<'_>)| {
        let needed = width(text) + 2;
        let fits = *n == 0 || used + needed <= left.width.into();
        used += if fits { needed } else { 0 };
        fits
    };
    let shown = pieces.iter().enumerate().filter(fits).map(|(_, piece)| piece);
    let spaced = shown
        .flat_map(|(text, role)| [("  ", Role::Plain), (text, *role)])
        .skip(1)
        .map(|(text, role)| (text, cx.styles.in_frame(role)));
    let plain = cx.styles.in_frame(Role::Plain);
    draw_pieces(buf, left, [(" ", plain)].into_iter().chain(spaced).chain([(" ", plain)]));
}

/// Cuts a long name for the first piece after it that is short enough.
fn cut_first<'a>(pieces: &[HeaderPiece<'a>], columns: usize) -> Vec<HeaderPiece<'a>> {
    let mut pieces = pieces.to_vec();
    if let [(name, _), others @ ..] = &mut *pieces {
        let mut spaces = others.iter().map(|(text, _)| columns.saturating_sub(width(text) + 4));
        let space = spaces.find(|space| *space >= MIN_NAME_COLUMNS);
        if let Some(space) = space.filter(|space| width(name) > *space) {
            *name = cut(name, space).into_owned().into();
        }
    }
    pieces
}

/// Draws a warning, if there is one, and the known facts. Returns the space after it.
pub fn draw_facts(
    line: Rect,
    (warning, role): (&str, Role),
    facts: &str,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) -> Rect {
    let end = draw_text(buf, line, warning, cx.styles.of(role));
    let gap = if warning.is_empty() { 0 } else { 2 };
    let x = end.saturating_add(gap).min(line.right());
    let rest = Rect { x, width: line.right() - x, ..line };
    let x = draw_text(buf, rest, facts, cx.styles.of(Role::Plain)).min(line.right());
    Rect { x, width: line.right() - x, ..line }
}

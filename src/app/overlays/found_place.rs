//! A result of the explorer's search: where it leads, its names, its warning, and its line.

use std::cmp::Reverse;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::name_match::NameMatch;
use super::picker::draw_highlighted;
use crate::api::search_results::SearchResult;
use crate::chain::hash_abbreviation::{ADDRESS_WIDTH, abbreviate, keep_ends};
use crate::chain::target::TargetKind;
use crate::chain::{Address, BlockId};
use crate::messages::prompt;
use crate::messages::token::TokenNote;
use crate::pane::Route;
use crate::safety::address_poisoning::KnownAddresses;
use crate::safety::confusables::spoofed_symbol;
use crate::safety::name_marks::guard_name;
use crate::sanitize::SafeText;
use crate::ui::address_mark::{AddressMark, MARK_WIDTH};
use crate::ui::format::{cut, width};
use crate::ui::theme::{Role, Styles};
use crate::user_data::labels::Labels;

/// `!` and an address.
const MARKED_ADDRESS_WIDTH: usize = 1 + ADDRESS_WIDTH;
/// The sign, `0x`, four digits at both ends, and `…`.
const SHORT_HASH_WIDTH: usize = 12;
/// Minimum columns of a name next to the kind of a result.
const MIN_NAME_WIDTH: usize = 8;
const GAP: usize = 2;

#[derive(Debug)]
pub(super) struct FoundPlace {
    pub(super) route: Route,
    pub(super) address: Option<Address>,
    /// A warning about it.
    pub(super) warning: Option<SafeText>,
    /// `true` if the user has labelled the address.
    is_labelled: bool,
    /// `true` for a domain with exactly the name that was searched for.
    is_domain: bool,
    /// The best place of the searched text in one of the names.
    place: Option<NameMatch>,
    pub(super) names: SafeText,
    /// Positions of the characters of the names that are the searched text.
    pub(super) marks: Vec<u32>,
    kind: SafeText,
    hash: SafeText,
    token_warning: Option<SafeText>,
}

impl FoundPlace {
    /// Returns a result that can be opened. The searched text is in lower case.
    pub(super) fn new(result: &SearchResult, searched: &str, labels: &Labels) -> Option<Self> {
        let kind = result.kind.value()?;
        let block = result
            .block_number
            .value()
            .map(|number| BlockId::Number(*number))
            .or_else(|| result.block_hash.value().map(|hash| BlockId::Hash(*hash)));
        let route = match (&**kind, result.address.value()) {
            ("token", Some(token)) => Route::Token(*token),
            ("transaction", _) => {
                Route::Target(TargetKind::Transaction(*result.transaction_hash.value()?))
            }
            ("block", _) => Route::Target(TargetKind::Block(block?)),
            ("user_operation", _) => Route::UserOperation(*result.operation_hash.value()?),
            (_, address) => Route::Target(TargetKind::Address(*address?)),
        };
        let hash = match &route {
            Route::Token(token) => token.to_string(),
            Route::UserOperation(hash) => hash.to_string(),
            route => route.target()?.to_string(),
        };
        let address = match &route {
            Route::Token(address) | Route::Target(TargetKind::Address(address)) => Some(*address),
            _ => None,
        };
        let label = address.and_then(|address| labels.decorated_name(&address));
        let domain = result.domain.value().and_then(|domain| domain.name.value());
        let is_domain = domain.is_some_and(|name| name.eq_ignore_ascii_case(searched));
        let kind = match &**kind {
            "ens_domain" => prompt::ENS_NAME.into(),
            kind => guard_name(SafeText::new(&kind.replace('_', " "))),
        };
        let is_labelled = label.is_some();
        let names: Vec<String> = label.into_iter().chain(result.guarded_names()).collect();
        let place = best_place(&names, searched);
        let (names, kind) = if names.is_empty() {
            (kind, SafeText::default())
        } else {
            (SafeText::new(&names.join(" · ")), kind)
        };
        let (hash, token_warning) = (hash.into(), result.token_warning());
        let warning = token_warning.clone();
        Some(Self {
            route,
            address,
            warning,
            is_labelled,
            is_domain,
            place,
            names,
            marks: Vec::new(),
            kind,
            hash,
            token_warning,
        })
    }

    /// Returns an address with a label of the user's. The searched text is in lower case.
    pub(super) fn labelled(address: Address, searched: &str, labels: &Labels) -> Option<Self> {
        let label = labels.decorated_name(&address)?;
        Some(Self {
            route: Route::Target(TargetKind::Address(address)),
            address: Some(address),
            warning: None,
            is_labelled: true,
            is_domain: false,
            place: NameMatch::find(&label, searched),
            names: SafeText::new(&label),
            marks: Vec::new(),
            kind: "your label".into(),
            hash: address.to_string().into(),
            token_warning: None,
        })
    }

    /// Returns the address, if it has a label of the user's.
    pub(super) fn labelled_address(&self) -> Option<Address> {
        self.address.filter(|_| self.is_labelled)
    }

    /// Looks for an address that this one could be mistaken for.
    pub(super) fn update_warning(&mut self, known: &KnownAddresses, labelled: &KnownAddresses) {
        let lookalike = self.address.and_then(|address| known.find_lookalike(&address, labelled));
        let similar = lookalike.map(|similar| SafeText::new(&similar.describe()));
        self.warning = similar.or_else(|| self.token_warning.clone());
    }

    /// Returns the order among the results of a page: the user's own first, and suspicious ones last; of the
    /// others, those that begin with the searched text before those that contain it.
    pub(super) fn rank(&self) -> (u8, Reverse<Option<NameMatch>>) {
        let kind = match (self.is_labelled, &self.warning) {
            (true, _) => 0,
            (false, None) if self.is_domain => 1,
            (false, None) => 2,
            (false, Some(_)) => 3,
        };
        (kind, Reverse(self.place))
    }
}

/// The widths of the parts of a line: a mark, names, the address or hash, and the kind.
pub(super) struct ResultColumns<'a> {
    lead: usize,
    names: usize,
    hash: usize,
    kind: usize,
    styles: &'a Styles,
}

impl<'a> ResultColumns<'a> {
    /// Divides the space: addresses are never cut where they fit.
    pub(super) fn new(
        space: u16,
        shown: &[FoundPlace],
        has_marks: bool,
        styles: &'a Styles,
    ) -> Self {
        let lead = if has_marks { MARK_WIDTH.into() } else { 0 };
        let rest = usize::from(space).saturating_sub(lead);
        let widest = |part: fn(&FoundPlace) -> &SafeText| {
            shown.iter().map(|found| width(part(found))).max().unwrap_or(0)
        };
        let (names, kind) = (widest(|found| &found.names), widest(|found| &found.kind));
        let left_over = rest.saturating_sub(names + kind + 2 * GAP);
        let hash =
            (widest(|found| &found.hash) + 1).min(left_over.max(MARKED_ADDRESS_WIDTH)).min(rest);
        let rest = rest.saturating_sub(hash + GAP);
        let kind = if rest >= kind + GAP + MIN_NAME_WIDTH { kind } else { 0 };
        let names = names.min(if kind == 0 { rest } else { rest - kind - GAP });
        Self { lead, names, hash, kind, styles }
    }

    /// Draws a result, with the searched text in its names marked.
    pub(super) fn draw(&self, found: &FoundPlace, line: Rect, buf: &mut Buffer) {
        let styles = self.styles;
        let column = |used: usize| line.x.saturating_add(u16::try_from(used).unwrap_or(u16::MAX));
        if let Some(address) = found.address.filter(|_| self.lead > 0) {
            AddressMark::new(&address).draw(buf, line.x, line.y, styles);
        }
        let is_suspicious = found.warning.is_some();
        // A name is worth more than the middle of an address that looks like no other.
        let is_cut = width(&found.names) > self.names;
        let freed =
            if is_cut && !is_suspicious { self.hash.saturating_sub(SHORT_HASH_WIDTH) } else { 0 };
        let (names, marks) = cut_around(&found.names, &found.marks, self.names + freed);
        let at = (column(self.lead), line.y);
        draw_highlighted(buf, at, (&names, &marks), styles.of(Role::Plain), styles);
        let (mark, role) = if is_suspicious { ("!", Role::Warning) } else { (" ", Role::Dim) };
        let space = self.hash.saturating_sub(1);
        let hash = match freed {
            0 => keep_ends(&found.hash, space / 2, space.saturating_sub(1) / 2),
            _ => abbreviate(&found.hash),
        };
        let gap = if self.names > 0 { GAP - 1 } else { 0 };
        let at = column(self.lead + self.names + gap + freed);
        buf.set_stringn(at, line.y, [mark, &hash].concat(), self.hash, styles.of(role));
        let kind = cut(&found.kind, self.kind);
        let names = if self.names > 0 { self.names + GAP - 1 } else { 0 };
        let x = column(self.lead + names + self.hash + GAP);
        buf.set_stringn(x, line.y, kind, self.kind, styles.of(Role::Dim));
    }
}

/// Cuts a text to so many columns, at its start too if the marked characters would not be there otherwise.
fn cut_around(text: &str, marks: &[u32], columns: usize) -> (String, Vec<u32>) {
    let last = marks.iter().max().and_then(|last| usize::try_from(*last).ok()).unwrap_or(0);
    let shown = columns.saturating_sub(1);
    let widths: Vec<usize> = text.chars().map(|c| width(c.encode_utf8(&mut [0; 4]))).collect();
    if width(text) <= columns || widths.iter().take(last + 1).sum::<usize>() <= shown {
        return (cut(text, columns).into_owned(), marks.to_vec());
    }
    let (before, after) = widths.split_at_checked(last + 1).unwrap_or((&widths, &[]));
    let kept = after.iter().take(count_fitting(after.iter(), MIN_NAME_WIDTH / 2));
    let space = shown.saturating_sub(kept.sum());
    let start = last.min(before.len() - count_fitting(before.iter().rev(), space));
    let rest: String = text.chars().skip(start).collect();
    // After the sign of the cut.
    let start = u32::try_from(start).unwrap_or(u32::MAX);
    let moved = marks.iter().filter_map(|mark| Some(mark.checked_sub(start)? + 1)).collect();
    (cut(&["…", &rest].concat(), columns).into_owned(), moved)
}

/// Returns the number of characters of these widths that fit into so many columns.
fn count_fitting<'a>(widths: impl Iterator<Item = &'a usize>, columns: usize) -> usize {
    let ends = widths.scan(0, |end, width| {
        *end += width;
        Some(*end)
    });
    ends.take_while(|end| *end <= columns).count()
}

/// Returns the best place of a text in lower case in one of some names.
fn best_place(names: &[String], searched: &str) -> Option<NameMatch> {
    names.iter().filter_map(|name| NameMatch::find(name, searched)).max()
}

impl SearchResult {
    /// Returns the symbol and the names, as the names of addresses are shown.
    fn guarded_names(&self) -> Vec<String> {
        let domain = self.domain.value().and_then(|domain| domain.name.value());
        let tag = self.tag.value().and_then(|tag| tag.name.value());
        let guard = |name: Option<&SafeText>| name.cloned().map(guard_name);
        let given = [guard(self.symbol.value()), guard(domain), self.full_name(), guard(tag)];
        let mut names: Vec<String> = Vec::new();
        for name in given.into_iter().flatten().filter(|name| !name.is_empty()) {
            let name = name.to_string();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Returns the warning about a token that was found.
    fn token_warning(&self) -> Option<SafeText> {
        let given = [self.symbol.value(), self.name.value()];
        let imitation = given.into_iter().flatten().find_map(|name| {
            let real = spoofed_symbol(name)?;
            Some(TokenNote::Imitation { name, real }.to_string().into())
        });
        let is_scam = self.reputation.value().is_some_and(|rating| rating == "scam");
        imitation.or_else(|| is_scam.then(|| prompt::SCAM.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_so_that_the_found_text_is_seen() {
        let cut = |name: &str, marks: &[u32], columns| cut_around(name, marks, columns);
        let name = "D77 · Seventy-seven decimals";
        assert_eq!(cut(name, &[25, 26], 19), ("…nty-seven decimals".into(), vec![16, 17]));
        assert_eq!(cut(name, &[0], 19), ("D77 · Seventy-seve…".into(), vec![0]));
        assert_eq!(cut(name, &[25, 26], 28), (name.into(), vec![25, 26]), "it fits");
        let (inside, marks) = cut(name, &[14], 10);
        assert_eq!((&*inside, inside.chars().nth(marks[0] as usize)), ("…nty-seve…", Some('s')));
        let wide = "寿".repeat(30);
        for at in [10, 25, 29] {
            let (part, marks) = cut(&wide, &[at - 1, at], 19);
            let end = marks.iter().max().unwrap() + 1;
            let seen: String = part.chars().take(end as usize).collect();
            assert!(width(&part) <= 19 && width(&seen) <= 19, "{at}: {part} {marks:?}");
        }
    }
}

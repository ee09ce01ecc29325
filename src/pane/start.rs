//! The first screen: where to go, what is watched, and where one was lately.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Cx, Link, Pane, Want};
use crate::api::{ApiError, Query, Reply};
use crate::chain::network::Endpoint;
use crate::chain::target::Subject;
use crate::chain::{Address, TxHash};
use crate::demo_server::{PLACES, Place};
use crate::keymap::Context;
use crate::msg::Action;
use crate::sanitize::Text;
use crate::ui::abbreviate::Shortener;
use crate::ui::format::{cut, short_hash, width};
use crate::ui::theme::Role;
use crate::user_data::labels::Change;
use crate::user_data::recents::Visit;

/// The pane.
#[derive(Debug, Default)]
pub struct Start {
    /// The selected row, wherever it is now.
    on: Option<Row>,
    /// Where it was when it was last seen.
    at: usize,
    /// The user has chosen a row; before, it is the first, whichever that is.
    touched: bool,
}

/// Something that can be gone to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    Watched(Address),
    Recent(Visit),
    Worth(&'static Place),
}

/// Rows with a title.
struct Section {
    title: String,
    rows: Vec<Row>,
}

/// A line below the head of the screen.
#[derive(Clone, Copy)]
enum Line<'a> {
    Blank,
    Title(&'a str),
    Row(Row),
}

/// Lines of the head.
const HEAD: u16 = 7;
/// Lines of the head of a low screen.
const LOW: u16 = 3;
/// Recent places that are shown, however many other rows there are.
const LEAST: usize = 3;
/// Columns of what rows begin with, at least.
const NAME: usize = 18;

/// What all rows are written with.
struct Look<'a> {
    cx: &'a Cx<'a>,
    short: Shortener,
    /// Columns of a row.
    room: usize,
    /// Columns of what watched ones begin with.
    watched: usize,
}

impl Row {
    fn link(self) -> Option<Link> {
        Some(match self {
            Self::Watched(address) => Link::Subject(Subject::Address(address)),
            Self::Recent(Visit::Token(token)) => Link::Instances { token, holder: None },
            Self::Recent(_) | Self::Worth(_) => Link::Subject(self.hash().parse().ok()?),
        })
    }

    /// What it leads to, in full.
    fn hash(self) -> String {
        match self {
            Self::Watched(address) => address.to_string(),
            Self::Recent(visit) => visit.hash(),
            Self::Worth(place) => place.hash.to_owned(),
        }
    }

    fn address(self) -> Option<Address> {
        match self {
            Self::Watched(address) => Some(address),
            Self::Recent(visit) => visit.address(),
            Self::Worth(place) => match place.hash.parse() {
                Ok(Subject::Address(address)) => Some(address),
                _ => None,
            },
        }
    }

    fn forget(self) -> Want {
        match self {
            Self::Watched(address) => Want::Label(Change::watch(address, false)),
            Self::Recent(visit) => Want::Forget(visit),
            Self::Worth(_) => Want::Say("this row stays: it comes with the demo chain".into()),
        }
    }
}

fn head(cx: &Cx<'_>) -> u16 {
    if cx.area.height < HEAD + 7 { LOW } else { HEAD }
}

/// Lines below the head.
fn height(cx: &Cx<'_>) -> usize {
    usize::from(cx.area.height.saturating_sub(head(cx))).max(1)
}

fn sections(cx: &Cx<'_>) -> Vec<Section> {
    let watched: Vec<Row> = cx.seen.labels().watched().map(Row::Watched).collect();
    let worth: Vec<Row> = match cx.network.endpoint {
        Endpoint::Embedded => PLACES.iter().map(Row::Worth).collect(),
        Endpoint::Remote(_) => Vec::new(),
    };
    let (visits, trouble) = cx.visits;
    // With their titles, and blank lines between.
    let others: usize =
        [&watched, &worth].iter().filter(|rows| !rows.is_empty()).map(|rows| rows.len() + 2).sum();
    let room = height(cx).saturating_sub(others + 1).max(LEAST);
    let recent = visits.all().iter().take(room).copied().map(Row::Recent).collect();
    let not_kept = trouble.map(|why| format!(" (not kept: {why})")).unwrap_or_default();
    let sections = [
        Section { title: "Watched:".into(), rows: watched },
        Section { title: format!("Recent{not_kept}:"), rows: recent },
        Section { title: "Worth visiting on the demo chain:".into(), rows: worth },
    ];
    sections.into_iter().filter(|section| !section.rows.is_empty()).collect()
}

fn rows(sections: &[Section]) -> Vec<Row> {
    sections.iter().flat_map(|section| section.rows.iter().copied()).collect()
}

/// The title of the rows that come next: it stays in sight while they are scrolled.
fn title_above<'a>(lines: &'a [Line<'a>], top: usize) -> Option<&'a Line<'a>> {
    let next = lines.get(top + 1).filter(|line| matches!(line, Line::Row(_)));
    let above = lines.get(..=top).filter(|_| next.is_some()).unwrap_or_default();
    above.iter().rev().find(|line| matches!(line, Line::Title(_)))
}

fn lines(sections: &[Section]) -> Vec<Line<'_>> {
    let lines = sections.iter().flat_map(|section| {
        let rows = section.rows.iter().copied().map(Line::Row);
        [Line::Blank, Line::Title(&section.title)].into_iter().chain(rows)
    });
    lines.skip(1).collect()
}

impl Start {
    fn place(&self, rows: &[Row]) -> usize {
        let same = rows.iter().position(|row| Some(*row) == self.on);
        same.unwrap_or_else(|| self.at.min(rows.len().saturating_sub(1)))
    }

    fn select(&mut self, at: usize, rows: &[Row]) {
        self.at = at.min(rows.len().saturating_sub(1));
        self.on = rows.get(self.at).copied();
    }

    /// Which line is the first in sight.
    fn top(&self, rows: &[Row], lines: &[Line<'_>], cx: &Cx<'_>) -> usize {
        let selected = rows.get(self.place(rows)).copied();
        let is_selected =
            |line: &Line<'_>| matches!(line, Line::Row(row) if Some(*row) == selected);
        let at = lines.iter().position(is_selected).unwrap_or(0);
        (at + 1).saturating_sub(height(cx))
    }

    /// The rows may be others now.
    fn settle(&mut self, cx: &Cx<'_>) {
        let rows = rows(&sections(cx));
        let at = if self.touched { self.place(&rows) } else { 0 };
        self.select(at, &rows);
    }

    fn go(&mut self, by: isize, rows: &[Row]) {
        let to = self.place(rows).saturating_add_signed(by);
        self.touched = true;
        self.select(to, rows);
    }
}

impl Pane for Start {
    fn look(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        self.settle(cx);
        Vec::new()
    }

    fn leave(&mut self) {}

    fn act(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let rows = rows(&sections(cx));
        if let Some(by) = action.rows(u16::try_from(height(cx)).unwrap_or(u16::MAX)) {
            self.go(by, &rows);
            return Some(Vec::new());
        }
        let row = rows.get(self.place(&rows)).copied();
        Some(match action {
            Action::Open => row.and_then(Row::link).map(Want::Follow).into_iter().collect(),
            Action::CopyCell | Action::CopyAddress | Action::CopyHash => {
                vec![Want::Copy("target", row?.hash().into())]
            }
            Action::Forget => vec![row?.forget()],
            // The user's own files are read again, and that is all there is.
            Action::Refresh => Vec::new(),
            _ => return None,
        })
    }

    fn reply(&mut self, _: &Query, _: Result<Reply, ApiError>, _: &Cx<'_>) -> Vec<Want> {
        Vec::new()
    }

    fn resize(&mut self, cx: &Cx<'_>) {
        self.settle(cx);
    }

    fn click(&mut self, at: Position, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let below = at.y.checked_sub(cx.area.y + head(cx)).filter(|_| cx.area.contains(at))?;
        let sections = sections(cx);
        let (rows, lines) = (rows(&sections), lines(&sections));
        let top = self.top(&rows, &lines, cx);
        let is_title = below == 0 && title_above(&lines, top).is_some();
        let Some(Line::Row(row)) = lines.get(top + usize::from(below)).filter(|_| !is_title) else {
            return None;
        };
        let at = rows.iter().position(|other| other == row)?;
        if at == self.place(&rows) {
            return self.act(Action::Open, cx);
        }
        self.touched = true;
        self.select(at, &rows);
        Some(Vec::new())
    }

    fn view(&self, cx: &Cx<'_>, buf: &mut Buffer) {
        let left = if cx.area.width > 60 { 2 } else { 0 };
        let inside = Rect { x: cx.area.x + left, width: cx.area.width - left, ..cx.area };
        draw_head(inside, cx, buf);
        let sections = sections(cx);
        let (rows, lines) = (rows(&sections), lines(&sections));
        let selected = rows.get(self.place(&rows)).copied();
        let is_selected =
            |line: &Line<'_>| matches!(line, Line::Row(row) if Some(*row) == selected);
        let top = self.top(&rows, &lines, cx);
        let look = Look::of(&rows, usize::from(inside.width), cx);
        let area = Rect { y: cx.area.y + head(cx), ..inside }.intersection(cx.area);
        for (n, (line, place)) in lines.iter().skip(top).zip(area.rows()).enumerate() {
            let line = title_above(&lines, top).filter(|_| n == 0).unwrap_or(line);
            draw_line(*line, place, &look, buf);
            if is_selected(line) {
                let whole = Rect { x: cx.area.x, width: cx.area.width, ..place };
                buf.set_style(whole, cx.styles.selection());
            }
        }
        if lines.is_empty() {
            let hint = "{label} names an address, {watch} watches it: what is watched stands here";
            put(area, &cx.keys.sentence(hint), Role::Dim, cx, buf);
        }
    }

    fn epoch(&self) -> u32 {
        0
    }

    fn is_busy(&self) -> bool {
        false
    }

    fn why_not(&self, action: Action, cx: &Cx<'_>) -> Option<&'static str> {
        match action {
            Action::Open | Action::CopyCell | Action::CopyAddress | Action::CopyHash => {
                let none = rows(&sections(cx)).is_empty();
                none.then_some(
                    "nothing is listed here: {go_to} goes to an address or a transaction",
                )
            }
            Action::Forget => {
                let rows = rows(&sections(cx));
                let stays = matches!(rows.get(self.place(&rows)), Some(Row::Worth(_)) | None);
                stays.then_some("this row stays: it comes with the demo chain")
            }
            _ => action.elsewhere(),
        }
    }

    fn status(&self, _: &Cx<'_>) -> Text {
        Text::default()
    }

    fn address(&self, cx: &Cx<'_>) -> Option<Address> {
        let rows = rows(&sections(cx));
        rows.get(self.place(&rows))?.address()
    }

    fn relabelled(&mut self, cx: &Cx<'_>) {
        self.settle(cx);
    }

    fn context(&self) -> Context {
        Context::Start
    }

    fn offers(&self, action: Action) -> bool {
        action != Action::Forget || matches!(self.on, Some(Row::Watched(_) | Row::Recent(_)))
    }
}

fn put(line: Rect, text: &str, role: Role, cx: &Cx<'_>, buf: &mut Buffer) {
    if line.height > 0 {
        let room = usize::from(line.width);
        buf.set_stringn(line.x, line.y, cut(text, room), room, cx.styles.of(role));
    }
}

fn draw_head(area: Rect, cx: &Cx<'_>, buf: &mut Buffer) {
    let name = [
        ("", Role::Plain),
        ("chainglass", Role::Accent),
        ("an explorer for EVM chains: addresses, transfers, NFTs and raw traces", Role::Dim),
        ("", Role::Plain),
    ];
    let keys = [
        ("{go_to}  go to an address, a transaction, or an explorer's web address", Role::Title),
        (
            "{transfers}  all token transfers of the chain (paste an address or a hash anywhere)",
            Role::Dim,
        ),
    ];
    let name = name.into_iter().skip(if head(cx) == LOW { 4 } else { 0 });
    for ((text, role), line) in name.chain(keys).zip(area.rows()) {
        put(line, &cx.keys.sentence(text), role, cx, buf);
    }
}

fn draw_line(line: Line<'_>, place: Rect, look: &Look<'_>, buf: &mut Buffer) {
    match line {
        Line::Blank => {}
        Line::Title(title) => put(place, title, Role::Title, look.cx, buf),
        Line::Row(row) => put(place, &look.words(row), Role::Plain, look.cx, buf),
    }
}

impl<'a> Look<'a> {
    fn of(rows: &[Row], room: usize, cx: &'a Cx<'a>) -> Self {
        let labels = cx.seen.labels();
        let names = labels.watched().filter_map(|address| labels.shown(&address));
        let widest = names.map(|name| width(&name) + 2).max().unwrap_or(0);
        let short = Shortener::new(rows.iter().filter_map(|row| row.address()));
        Self { cx, short, room, watched: widest.min(room / 3).max(NAME) }
    }

    /// A row: what it is called, its hash as long as there is room, and what else is known.
    fn words(&self, row: Row) -> String {
        let (name, rest) = match row {
            Row::Worth(place) => {
                let hash = if self.room < 100 { String::new() } else { self.ends(row) + "  " };
                (place.name.to_owned(), hash + place.why)
            }
            Row::Watched(address) => {
                let own = self.cx.seen.labels().shown(&address);
                let given = self.given(row).unwrap_or_default();
                (own.unwrap_or_else(|| "address".into()), self.hash(row) + given)
            }
            Row::Recent(visit) => {
                let own = row.address().and_then(|address| self.cx.seen.labels().shown(&address));
                let names: Vec<&str> = own.as_deref().into_iter().chain(self.given(row)).collect();
                (visit.kind().to_owned(), self.hash(row) + &names.join(" "))
            }
        };
        let name = cut(&name, self.name(row) - 2);
        let space = " ".repeat(self.name(row).saturating_sub(width(&name)));
        [&*name, &space, &rest].concat().trim_end().to_owned()
    }

    /// Columns of what it begins with.
    fn name(&self, row: Row) -> usize {
        if matches!(row, Row::Watched(_)) { self.watched } else { NAME }
    }

    /// What earlier answers call it.
    fn given(&self, row: Row) -> Option<&str> {
        self.cx.seen.name(&row.address()?)?.label.as_deref()
    }

    /// The hash in a column of its own, in full where a name still fits after it.
    fn hash(&self, row: Row) -> String {
        let full = row.hash();
        let fits = self.name(row) + full.len() + 14 <= self.room;
        let hash = if fits { full } else { self.ends(row) };
        hash + "  "
    }

    /// Both ends of the hash.
    fn ends(&self, row: Row) -> String {
        match (row.address(), row.hash().parse::<TxHash>()) {
            (Some(address), _) => self.short.short(&address).into_owned(),
            (None, Ok(hash)) => short_hash(&hash),
            (None, Err(_)) => row.hash(),
        }
    }
}

//! The line of tabs above a pane: titles, counts and their areas, by which drawing and the mouse agree.
//!
//! `tabs_of` lists the tabs, `tab_line` has their place after the preview's title, and `tab_bar` shortens titles
//! until all fit, with the counts of all tabs, or of the active one and those that fit.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::layout::PaneLayout;
use crate::action::Action;
use crate::app::navigation::pane_instance::PaneInstance;
use crate::app::navigation::route_title::route_title;
use crate::app::{App, PaneSlot};
use crate::chain::amount::Grouped;
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::target::TargetKind;
use crate::pane::{PaneKind, Route, RowCount};
use crate::ui::format::{cut, width};
use crate::ui::text::draw_text;
use crate::ui::theme::Role;

/// Tabs that number keys select.
const MAX_NUMBERED_TABS: usize = Action::TABS.len();
/// Columns around the title before tabs.
const TITLE_MARGIN: usize = 3;

/// Usual and maximum columns of a tab's count, with the space before it.
const USUAL_COUNT_WIDTH: usize = 4;
const MAX_COUNT_WIDTH: usize = 6;
/// Maximum columns of the count of a tab that is rounded for want of space: ` 2.2k`.
const ROUNDED_COUNT_WIDTH: usize = 5;
/// Columns of the space after a tab's title, and of the separator.
const TAB_END_WIDTH: usize = 2;

/// Title of a tab that continues the line.
const MORE_TABS: &str = " …";

/// Indices of a tab's titles.
const WHOLE: usize = 0;
const SHORT: usize = 1;

/// A tab, with the number of its rows if it is known.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct TabOfPage {
    pub(in crate::app) kind: PaneKind,
    pub(in crate::app) count: Option<RowCount>,
    /// Its title among other tabs, and a short one.
    pub(in crate::app) titles: [&'static str; SHORT + 1],
}

impl TabOfPage {
    fn shown_count(&self) -> Option<RowCount> {
        self.count.filter(|_| self.kind.is_counted())
    }
}

/// The line of a pane's tabs.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct TabLine {
    pub(in crate::app) area: Rect,
    /// `true` if the keys of numbers select these tabs.
    pub(in crate::app) is_numbered: bool,
    /// `true` if the page's header may still count the rows of tabs.
    pub(in crate::app) awaits_counts: bool,
}

impl App {
    /// Returns the kinds of the tabs of a slot with the number of their rows, and the active one.
    pub(in crate::app) fn tabs_of(&self, slot: PaneSlot) -> (Vec<TabOfPage>, usize) {
        let Some(entry) = self.nav.entry() else { return (Vec::new(), 0) };
        let (tabs, active) = match (slot, self.nav.preview()) {
            (PaneSlot::Preview, Some(preview)) => (&preview.tabs, preview.active),
            (PaneSlot::Preview, None) => return (Vec::new(), 0),
            _ => (&entry.tabs, entry.active),
        };
        let header = entry.header.as_ref().filter(|_| slot != PaneSlot::Preview);
        // The page of a transaction has no header. Its overview and its trace have counted rows of other tabs.
        let counting = |tab: &&PaneInstance| {
            matches!(tab.kind, PaneKind::Transaction | PaneKind::Trace) && header.is_none()
        };
        let is_of_token = slot != PaneSlot::Preview
            && matches!(entry.route, Route::Target(TargetKind::Address(address)) if self.session().name_cache.is_token(&address));
        let describe = |tab: &PaneInstance| {
            let mut counters = header.into_iter().chain(tabs.iter().filter(counting));
            let mut known = || counters.find_map(|other| other.pane.row_count(tab.kind));
            let loaded = tab.pane.row_count(tab.kind);
            let exact = loaded.filter(|count| matches!(count, RowCount::Exactly(_)));
            let count = match (exact.or_else(&mut known), loaded) {
                // The header counts to 50 only, which may be less than the rows of the list.
                (Some(RowCount::MoreThan(number)), Some(RowCount::MoreThan(rows))) => {
                    Some(RowCount::MoreThan(number.max(rows)))
                }
                (None, loaded) => loaded.filter(|_| tabs.len() > 1),
                (count, _) => count,
            };
            let [title, short] = tab.kind.tab_titles();
            let own = match entry.route {
                _ if slot == PaneSlot::Preview || tabs.len() > 1 => title,
                ref route => tab.kind.title_on(route),
            };
            let own = tab.kind.own_title().filter(|_| is_of_token).unwrap_or(own);
            let short = if own == title { short } else { own };
            TabOfPage { kind: tab.kind, count, titles: [own, short] }
        };
        (tabs.iter().map(describe).collect(), active)
    }

    /// Returns the part of a pane's tab line after the title that only the preview has.
    pub(in crate::app) fn tab_line(&self, slot: PaneSlot, layout: &PaneLayout) -> TabLine {
        let title = self.preview_title().filter(|_| slot == PaneSlot::Preview);
        let title_width = title
            .map_or(0, |title| u16::try_from(width(&title) + TITLE_MARGIN).unwrap_or(u16::MAX));
        let line = layout.tabs;
        let used = title_width.min(line.width);
        let area = Rect { x: line.x + used, width: line.width - used, ..line };
        let is_numbered = slot != PaneSlot::Preview;
        TabLine { area, is_numbered, awaits_counts: !self.has_failed_page(slot) }
    }

    /// Returns the title of the preview, in its frame. Of a transaction it is the hash, as the selected row
    /// has the method. Tabs that are cut next to a title have all of the line.
    fn preview_title(&self) -> Option<String> {
        let link = &self.nav.preview()?.target.link;
        let title = match link.target() {
            Some(TargetKind::Transaction(hash)) => abbreviate(&hash),
            _ => route_title(link, self.session()),
        };
        let (tabs, _) = self.tabs_of(PaneSlot::Preview);
        let columns = usize::from(self.layout().preview.tabs.width);
        let space = columns.saturating_sub(width(&title) + TITLE_MARGIN);
        (tabs.len() == 1 || has_space_for_titles(&tabs, space)).then_some(title)
    }

    pub(super) fn draw_tabs(&self, slot: PaneSlot, layout: &PaneLayout, buf: &mut Buffer) {
        if layout.tabs.height == 0 {
            return;
        }
        let (tabs, active) = self.tabs_of(slot);
        let styles = self.pane_styles(slot);
        if let Some(title) = self.preview_title().filter(|_| slot == PaneSlot::Preview) {
            let is_focused = self.nav.is_preview_focused();
            let (mark, role) = if is_focused { ("▌", Role::Accent) } else { (" ", Role::Title) };
            draw_text(buf, layout.tabs, &format!("{mark}{title} "), styles.in_frame(role));
            if tabs.len() == 1 {
                return;
            }
        }
        let line = self.tab_line(slot, layout);
        let has_failed = self.has_failed_page(slot);
        let places = tab_bar(&tabs, active, line).into_iter().zip(&tabs).enumerate();
        for (n, ((at, text), tab)) in places {
            let role = match tab.count {
                _ if n == active => Role::Accent,
                _ if has_failed => Role::Dim,
                Some(RowCount::Exactly(0)) => Role::Dim,
                _ => Role::Plain,
            };
            buf.set_stringn(at.x, at.y, text, usize::from(at.width), styles.in_frame(role));
            if n == active && tabs.len() > 1 {
                buf.set_style(at, styles.selection());
            }
        }
    }
}

/// Returns the titles of tabs with their areas on a line. Titles are shortened from the last one back where they
/// do not fit with their counts, and where they do not either, the active one has its count first. Tabs at the ends of
/// the line have no area if not all fit.
pub(in crate::app) fn tab_bar(
    tabs: &[TabOfPage],
    active: usize,
    line: TabLine,
) -> Vec<(Rect, String)> {
    let area = line.area;
    let (titles, spare) = fit_titles(tabs, active, line);
    let counts = count_widths(tabs, &titles, active, spare);
    let places: Vec<TabPlace> = titles
        .into_iter()
        .zip(tabs)
        .zip(counts)
        .map(|((title, tab), columns)| {
            if title.is_empty() {
                return TabPlace { width: 0, text: title };
            }
            let count =
                tab.shown_count().map(|count| short_count(count, columns)).unwrap_or_default();
            TabPlace {
                width: width(&title) + columns + TAB_END_WIDTH,
                text: format!("{title}{count} "),
            }
        })
        .collect();
    let shows_active = |first: &usize| {
        let shown = places.get(*first..=active).unwrap_or_default();
        // There is no separator after the last one.
        shown.iter().map(|tab| tab.width).sum::<usize>() <= usize::from(area.width) + 1
    };
    let first = (0..active).find(shows_active).unwrap_or(active);
    let mut x = area.x;
    let tab_areas = places.iter().enumerate().map(|(n, tab)| {
        if n < first {
            return (Rect { width: 0, ..area }, String::new());
        }
        let text = cut(&tab.text, usize::from(area.right().saturating_sub(x))).into_owned();
        let place = Rect { x, width: u16::try_from(width(&text)).unwrap_or(0), ..area };
        x = x.saturating_add(u16::try_from(tab.width).unwrap_or(u16::MAX)).min(area.right());
        (place, text)
    });
    tab_areas.collect()
}

/// Returns `true` if tabs without numbers fit, at least with their short titles.
fn has_space_for_titles(tabs: &[TabOfPage], columns: usize) -> bool {
    let titles = tabs.iter().map(|tab| width(tab.titles[SHORT]) + 1 + TAB_END_WIDTH);
    titles.sum::<usize>() <= columns + 1
}

/// Returns the title of a tab in one of its lengths, after its number.
fn tab_title(at: usize, tab: &TabOfPage, length: usize, is_numbered: bool) -> String {
    match at + 1 {
        number @ ..=MAX_NUMBERED_TABS if is_numbered => {
            format!(" {number} {}", tab.titles[length])
        }
        _ => format!(" {}", tab.titles[length]),
    }
}

/// Returns the titles of tabs, and the columns left for counts.
fn fit_titles(tabs: &[TabOfPage], active: usize, line: TabLine) -> (Vec<String>, usize) {
    let columns = usize::from(line.area.width);
    if let [tab] = tabs {
        let [title, _] = tab.titles;
        let spare = columns.saturating_sub(width(title) + 1 + TAB_END_WIDTH);
        return (vec![format!(" {title}")], spare);
    }
    let counts: usize = tabs.iter().map(|tab| expected_count_width(tab, tabs, line)).sum();
    let titles = |whole: usize| -> Vec<String> {
        let length = |at| if at < whole { WHOLE } else { SHORT };
        let all = tabs.iter().enumerate();
        all.map(|(at, tab)| tab_title(at, tab, length(at), line.is_numbered)).collect()
    };
    // There is no separator after the last one.
    let spare = |titles: &[String]| (columns + 1).checked_sub(tabs_width(titles));
    // Short titles say as much as whole ones, and titles more than counts.
    let fit_counts = |counts| {
        (0..=tabs.len()).rev().map(titles).find_map(|titles| {
            let spare = spare(&titles).filter(|spare| *spare >= counts)?;
            Some((titles, spare))
        })
    };
    [counts, USUAL_COUNT_WIDTH, 0].into_iter().find_map(fit_counts).unwrap_or_else(|| {
        let count = tabs.get(active).map_or(0, |tab| expected_count_width(tab, tabs, line));
        let width_of_titles = columns.saturating_sub(count);
        let titles = without_empty(titles(0), tabs, active, width_of_titles);
        let shown = scroll_titles(titles, active, width_of_titles);
        let used = tabs_width(&shown);
        (shown, (columns + 1).saturating_sub(used))
    })
}

/// Leaves out tabs without rows, from the last one back, until the others fit. [`MORE_TABS`] stands for those next to
/// each other if there is space for it.
fn without_empty(
    mut titles: Vec<String>,
    tabs: &[TabOfPage],
    active: usize,
    columns: usize,
) -> Vec<String> {
    let is_empty = |tab: &TabOfPage| tab.count == Some(RowCount::Exactly(0));
    let empty = tabs.iter().enumerate().rev().filter(|(at, tab)| *at != active && is_empty(tab));
    let mut marked = titles.clone();
    for (at, _) in empty {
        if tabs_width(&titles) <= columns + 1 {
            break;
        }
        titles.get_mut(at).into_iter().for_each(String::clear);
        if let Some(next) = marked.get_mut(at + 1).filter(|next| *next == MORE_TABS) {
            next.clear();
        }
        marked.get_mut(at).into_iter().for_each(|title| MORE_TABS.clone_into(title));
    }
    if tabs_width(&marked) <= columns + 1 { marked } else { titles }
}

/// Returns the columns of a count, or those that it will need at most times.
fn expected_count_width(tab: &TabOfPage, tabs: &[TabOfPage], line: TabLine) -> usize {
    match tab.shown_count() {
        Some(count) => width(&short_count(count, MAX_COUNT_WIDTH)),
        None if awaits_count(tab, tabs, line) => USUAL_COUNT_WIDTH,
        None => 0,
    }
}

/// Returns `true` if a page may count the rows of a tab before it is opened: by its header, which pages have
/// whose first tab is a list, or by the overview of a transaction.
fn awaits_count(tab: &TabOfPage, tabs: &[TabOfPage], line: TabLine) -> bool {
    let is_of_page = line.is_numbered && tabs.len() > 1;
    is_of_page
        && line.awaits_counts
        && tab.kind.is_counted_unopened()
        && tabs
            .first()
            .is_some_and(|first| first.kind.is_counted() || first.kind == PaneKind::Transaction)
}

/// Returns the columns of the tabs that are not left out.
fn tabs_width(titles: &[String]) -> usize {
    let shown = titles.iter().filter(|title| !title.is_empty());
    shown.map(|title| width(title) + TAB_END_WIDTH).sum()
}

/// Leaves out the tabs at the ends of the line that do not fit with the active one: all but those that continue the
/// line with [`MORE_TABS`].
fn scroll_titles(mut titles: Vec<String>, active: usize, columns: usize) -> Vec<String> {
    let count = titles.len();
    let fits = |shown: &Range<usize>| {
        let hidden = usize::from(shown.start > 0) + usize::from(shown.end < count);
        let marks = hidden * (width(MORE_TABS) + TAB_END_WIDTH);
        tabs_width(titles.get(shown.clone()).unwrap_or_default()) + marks <= columns + 1
    };
    let from_first = || (active + 1..=count).rev().map(|end| 0..end).find(fits);
    let to_last = || (1..=active).map(|start| start..count).find(fits);
    let between = || (1..=active).map(|start| start..active + 1).find(fits);
    let shown = from_first().or_else(to_last).or_else(between).unwrap_or(active..active + 1);
    for (n, title) in titles.iter_mut().enumerate().filter(|(n, _)| !shown.contains(n)) {
        title.clear();
        if n + 1 == shown.start || n == shown.end {
            title.push_str(MORE_TABS);
        }
    }
    titles
}

/// A tab's title with its count, and the columns that both may take with the separator.
struct TabPlace {
    text: String,
    width: usize,
}

/// Returns the columns of each tab's count. Where not all fit, the active tab has its count, and then the first ones.
fn count_widths(tabs: &[TabOfPage], titles: &[String], active: usize, spare: usize) -> Vec<usize> {
    let width_of = |at: usize, most: usize| {
        let is_shown = titles.get(at).is_some_and(|title| !title.is_empty() && title != MORE_TABS);
        let count = tabs.get(at).and_then(TabOfPage::shown_count).filter(|_| is_shown);
        count.map_or(0, |count| width(&short_count(count, most)))
    };
    let widths = |most| (0..tabs.len()).map(|at| width_of(at, most)).collect::<Vec<_>>();
    let fitting = (ROUNDED_COUNT_WIDTH..=MAX_COUNT_WIDTH)
        .rev()
        .map(widths)
        .find(|widths| widths.iter().sum::<usize>() <= spare);
    fitting.unwrap_or_else(|| {
        let of_active = width_of(active, MAX_COUNT_WIDTH.min(spare));
        let mut left = spare.saturating_sub(of_active);
        let fit = |at| match width_of(at, ROUNDED_COUNT_WIDTH) {
            _ if at == active => of_active,
            columns if columns <= left => {
                left -= columns;
                columns
            }
            _ => 0,
        };
        (0..tabs.len()).map(fit).collect()
    })
}

/// Writes a count in at most some columns, with a space before it, or nothing if it does not fit.
fn short_count(count: RowCount, columns: usize) -> String {
    let (number, mark) = match count {
        RowCount::Exactly(number) => (number, ""),
        RowCount::MoreThan(number) => (number, "+"),
    };
    let whole = format!(" {}{mark}", Grouped(number));
    let units = [(1_000, "k"), (1_000_000, "M"), (1_000_000_000, "B")];
    let unit = units.into_iter().rev().find(|(size, _)| number >= *size);
    let rounded = unit.into_iter().flat_map(|(size, unit)| {
        let (units, tenth) = ((number / size).min(999), number % size / (size / 10));
        let exact = format!(" {units}.{tenth}{unit}");
        let rounded = [format!(" {units}{unit}+"), format!(" {units}{unit}")];
        mark.is_empty().then_some(exact).into_iter().chain(rounded)
    });
    [whole].into_iter().chain(rounded).find(|text| width(text) <= columns).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pane::Route;

    const KINDS: [PaneKind; 4] =
        [PaneKind::Transactions, PaneKind::TokenTransfers, PaneKind::Contract, PaneKind::Logs];

    fn tab((kind, count): (PaneKind, Option<RowCount>)) -> TabOfPage {
        TabOfPage { kind, count, titles: kind.tab_titles() }
    }

    fn bar(counts: [Option<u64>; 4], active: usize, width: u16) -> Vec<(Rect, String)> {
        let counts = counts.map(|count| count.map(RowCount::Exactly));
        let tabs: Vec<_> = KINDS.into_iter().zip(counts).map(tab).collect();
        let area = Rect::new(0, 0, width, 1);
        tab_bar(&tabs, active, TabLine { area, is_numbered: true, awaits_counts: true })
    }

    #[test]
    fn counts_are_within_the_line() {
        let all = [Some(9_999), Some(12_345_678), None, Some(u64::MAX)];
        for width in 20..100 {
            for active in 0..KINDS.len() {
                let bar = bar(all, active, width);
                assert!(bar.iter().all(|(area, _)| area.right() <= width), "{active} of {width}");
                let mut counted = bar.iter().filter(|(_, text)| !text.ends_with('…'));
                assert!(counted.all(|(_, text)| !text.ends_with("  ")), "{bar:?}");
            }
        }
        let places = |counts| bar(counts, 0, 60).into_iter().map(|(area, _)| area.x);
        assert!(places([None; 4]).eq([0, 7, 27, 36]), "unknown counts leave no gaps");
        let texts = |counts| bar(counts, 0, 100).into_iter().map(|(_, text)| text);
        let expected = [" 1 Tx 9,999 ", " 2 Token transfers 12.3M ", " 3 Code ", " 4 Logs 999B+ "];
        assert!(texts(all).eq(expected));
    }

    #[test]
    fn tabs_far_from_the_active_one_are_left_out_where_titles_do_not_fit() {
        let texts = |active, width| {
            let bar = bar([None; 4], active, width).into_iter();
            let texts = bar.map(|(_, text)| text.trim().to_owned());
            texts.filter(|text| !text.is_empty()).collect::<Vec<_>>()
        };
        assert_eq!(texts(0, 100), ["1 Tx", "2 Token transfers", "3 Code", "4 Logs"]);
        assert_eq!(texts(0, 38), ["1 Tx", "2 Transfers", "3 Code", "4 Logs"]);
        assert_eq!(texts(0, 37), ["1 Tx", "2 Transfers", "3 Code", "…"]);
        assert_eq!(texts(3, 36), ["…", "3 Code", "4 Logs"], "with space for its count");
        assert_eq!(texts(0, 23), ["1 Tx", "…"]);
        assert_eq!(texts(0, 28), ["1 Tx", "2 Transfers", "…"]);
        assert_eq!(texts(2, 23), ["…", "3 Code", "4 Logs"]);
        assert_eq!(texts(1, 20), ["…", "2 Transfers", "…"]);
    }

    #[test]
    fn tabs_without_rows_are_left_out_first() {
        let texts = |active, width| {
            let bar = bar([None, Some(0), Some(0), None], active, width).into_iter();
            let texts = bar.map(|(_, text)| text.trim().to_owned());
            texts.filter(|text| !text.is_empty()).collect::<Vec<_>>()
        };
        assert_eq!(texts(0, 38), ["1 Tx", "2 Transfers", "3 Code", "4 Logs"]);
        assert_eq!(texts(0, 37), ["1 Tx", "2 Transfers 0", "…", "4 Logs"]);
        assert_eq!(texts(0, 27), ["1 Tx", "…", "4 Logs"]);
        assert_eq!(texts(2, 27), ["1 Tx", "3 Code", "4 Logs"], "without space for a mark");
    }

    #[test]
    fn active_tab_has_its_count_before_the_others() {
        let counts = |width| {
            let all = [Some(826), Some(826), None, Some(826)];
            let texts = bar(all, 0, width).into_iter().map(|(_, text)| text);
            texts.filter(|text| text.trim_end().ends_with(" 826")).count()
        };
        assert_eq!([37, 38, 42, 49, 50, 100].map(counts), [1, 0, 1, 1, 3, 3]);
    }

    #[test]
    fn titles_of_an_address_are_whole_before_they_have_counts() {
        let route = Route::Target("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266".parse().unwrap());
        let kinds = PaneKind::create_all(&route).into_iter().map(|(kind, _)| kind);
        let tabs: Vec<_> = kinds
            .filter(|kind| !kind.is_header())
            .map(|kind| (kind, kind.is_counted_unopened().then_some(RowCount::MoreThan(50))))
            .map(tab)
            .collect();
        let area = Rect::new(2, 0, 115, 1);
        let bar = tab_bar(&tabs, 0, TabLine { area, is_numbered: true, awaits_counts: true });
        let line: String = bar.into_iter().map(|(_, text)| text).collect();
        assert_eq!(
            line,
            " 1 Tx 50+  2 Internal  3 Transfers  4 Tokens  5 NFTs  6 Logs  7 Code  8 Balance  9 Approvals  Activity "
        );
    }
}

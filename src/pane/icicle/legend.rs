//! The legend of an icicle: the contracts of its colours.

use std::cmp::Reverse;
use std::collections::HashMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::contract_hues::ContractHues;
use super::layout::{Icicle, IcicleBar};
use super::{IciclePainter, MIN_CUT_NAME_COLUMNS, columns_of, fill};
use crate::chain::Address;
use crate::ui::format::{cut, width};
use crate::ui::text::draw_text;
use crate::ui::theme::{FillShade, Role};

/// Columns of a colour.
const LEGEND_SWATCH: u16 = 2;
/// Columns between two entries.
pub(super) const LEGEND_GAP: u16 = 2;
/// Longer names of contracts are cut in the legend: to fewer columns if not all have space.
const LEGEND_NAME_COLUMNS: [usize; 3] = [24, 12, MIN_CUT_NAME_COLUMNS];

impl IciclePainter<'_> {
    /// Names the contracts of the colours, as many as fit, the ones with the widest bars first.
    pub(super) fn draw_legend(
        &self,
        icicle: &Icicle,
        hues: &mut ContractHues,
        line: Rect,
        buf: &mut Buffer,
    ) {
        let mut contracts: Vec<(Address, &IcicleBar)> = Vec::new();
        let mut places = HashMap::new();
        for bar in &icicle.bars {
            let Some(contract) = self.formatter.tree.target_address(bar.frame) else { continue };
            let place = *places.entry(contract).or_insert(contracts.len());
            match contracts.get_mut(place) {
                Some((_, widest)) if widest.width() < bar.width() => *widest = bar,
                Some(_) => {}
                None => contracts.push((contract, bar)),
            }
        }
        contracts.sort_by_key(|(_, widest)| Reverse(widest.width()));
        let name = |(contract, bar): (Address, &IcicleBar)| {
            let call = self.formatter.call_label(bar.frame);
            let name = self.short_target(bar.frame, &call.contract).into_owned();
            (hues.number(&contract), name)
        };
        let names: Vec<_> = contracts.into_iter().map(name).collect();
        let (entries, others) = place_names(&names, line.width);
        for LegendEntry { x, hue, names } in entries {
            let swatch = Rect { x: line.x + x, width: LEGEND_SWATCH, ..line };
            fill(buf, swatch, " ", self.styles.hue_fill(hue, FillShade::Own));
            let rest = Rect { x: swatch.right(), width: line.right() - swatch.right(), ..line };
            draw_text(buf, rest, &names, self.styles.of(Role::Dim));
        }
        if let Some((x, count)) = others {
            let rest = Rect { x: line.x + x, width: line.width.saturating_sub(x), ..line };
            draw_text(buf, rest, &count, self.styles.of(Role::Dim));
        }
    }
}

/// A colour of the legend, with the names of all contracts that have it after a blank.
#[derive(Debug, PartialEq, Eq)]
struct LegendEntry {
    x: u16,
    hue: usize,
    names: String,
}

impl LegendEntry {
    fn end(&self) -> u16 {
        self.x.saturating_add(LEGEND_SWATCH).saturating_add(columns_of(&self.names))
    }
}

/// Joins the names of each hue, and places those that fit some columns, cut before one is left out. Returns the number
/// of the others with its place too.
fn place_names(
    named: &[(usize, String)],
    columns: u16,
) -> (Vec<LegendEntry>, Option<(u16, String)>) {
    let forms = LEGEND_NAME_COLUMNS.map(|most| place_cut_names(named, most, columns));
    let whole = forms.iter().position(|(_, others)| others.is_none());
    let shown = whole.unwrap_or(forms.len() - 1);
    forms.into_iter().nth(shown).unwrap_or_default()
}

/// Places names that are cut to `most` columns.
fn place_cut_names(
    named: &[(usize, String)],
    most: usize,
    columns: u16,
) -> (Vec<LegendEntry>, Option<(u16, String)>) {
    let mut hues: Vec<(usize, String)> = Vec::new();
    for (hue, name) in named {
        // An abbreviated address is cut after its beginning.
        let begin = name.find('…').filter(|_| width(name) > most);
        let name = begin.and_then(|at| name.get(..at + '…'.len_utf8())).unwrap_or(name);
        let (hue, name) = (*hue, cut(name, most));
        match hues.iter_mut().find(|(known, _)| *known == hue) {
            Some((_, others)) => *others = [others, ", ", &*name].concat(),
            None => hues.push((hue, [" ", &*name].concat())),
        }
    }
    let mut next = 0_u16;
    let place = |(hue, names): (usize, String)| {
        let entry = LegendEntry { x: next, hue, names };
        let end = entry.end();
        // A shorter one after it may have space.
        (end <= columns).then(|| {
            next = end.saturating_add(LEGEND_GAP);
            entry
        })
    };
    let all = hues.len();
    let mut entries: Vec<LegendEntry> = hues.into_iter().filter_map(place).collect();
    while entries.len() < all {
        let text = format!("+{}", all - entries.len());
        let x = entries.last().map_or(0, |last| last.end().saturating_add(LEGEND_GAP));
        if entries.is_empty() || x.saturating_add(columns_of(&text)) <= columns {
            return (entries, Some((x, text)));
        }
        entries.pop();
    }
    (entries, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legend_joins_contracts_of_one_hue() {
        let legend = |names: &[(usize, &str)], columns| {
            let named: Vec<_> =
                names.iter().map(|(hue, name)| (*hue, (*name).to_owned())).collect();
            let (entries, _) = place_names(&named, columns);
            let entries = entries.into_iter();
            entries.map(|entry| (entry.x, entry.hue, entry.names)).collect::<Vec<_>>()
        };
        let entry = |x, hue, names: &str| (x, hue, names.to_owned());
        assert_eq!(
            legend(&[(3, "Router"), (1, "GLD"), (3, "Pool")], 80),
            [entry(0, 3, " Router, Pool"), entry(17, 1, " GLD")]
        );
        let long = "x".repeat(90);
        for (columns, most, next) in [(80, 24, 29), (30, 12, 17), (20, 8, 13)] {
            let shown = format!(" {}…", "x".repeat(most - 1));
            let entries = [entry(0, 0, &shown), entry(next, 1, " GLD")];
            assert_eq!(legend(&[(0, &long), (1, "GLD")], columns), entries, "{columns}");
        }
        assert_eq!(
            legend(&[(0, "0x673c…18D7"), (1, "Router")], 22),
            [entry(0, 0, " 0x673c…"), entry(12, 1, " Router")]
        );
        assert_eq!(legend(&[(0, &long), (1, "GLD")], 10), [entry(0, 1, " GLD")], "the short one");
        let named = [(0, long), (1, "GLD".to_owned())];
        assert_eq!(place_names(&named, 10).1, Some((8, "+1".to_owned())), "the other is counted");
    }
}

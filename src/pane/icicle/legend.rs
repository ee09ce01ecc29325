//! The legend of an icicle: the contracts of its colours.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::contract_hues::ContractHues;
use super::layout::{Icicle, IcicleBar, MIN_LABEL_COLUMNS};
use super::{FAILURE_EDGE, IciclePainter, MIN_CUT_NAME_COLUMNS, columns_of, fill};
use crate::calls::results::outcome_role;
use crate::chain::Address;
use crate::trace::CallOutcome;
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
    /// Names the contracts of the colours in the order of their first calls: if not all fit, those that no bar names, the
    /// ones with the widest bars before others. The edge of failures is the last entry.
    pub(super) fn draw_legend(
        &self,
        (icicle, texts): (&Icicle, &[Vec<String>]),
        hues: &mut ContractHues,
        line: Rect,
        buf: &mut Buffer,
    ) {
        let failure = self.failure_role(icicle);
        let failed = failure.map(|role| ([FAILURE_EDGE, " failed"].concat(), role));
        let reserved = failed.as_ref().map_or(0, |(text, _)| columns_of(text) + LEGEND_GAP);
        let space = line.width.saturating_sub(reserved);
        let names = self.contract_names((icicle, texts), hues);
        let (entries, others) = place_legend(names, space);
        let mut end = 0;
        for (x, names) in entries {
            let swatch = Rect { x: line.x + x, width: LEGEND_SWATCH, ..line };
            fill(buf, swatch, " ", self.styles.hue_fill(names.hue, FillShade::Own));
            let rest = Rect { x: swatch.right(), width: line.right() - swatch.right(), ..line };
            draw_text(buf, rest, &names.text, self.styles.of(Role::Dim));
            end = x + names.columns() + LEGEND_GAP;
        }
        let others_end = others.as_ref().map(|(x, count)| x + columns_of(count) + LEGEND_GAP);
        let count = others.map(|(x, count)| (x, count, Role::Dim));
        let last = failed.map(|(text, role)| (others_end.unwrap_or(end), text, role));
        for (x, text, role) in count.into_iter().chain(last) {
            let rest = Rect { x: line.x + x, width: line.width.saturating_sub(x), ..line };
            draw_text(buf, rest, &text, self.styles.of(role));
        }
    }

    /// Returns the role of the edge of calls that failed, if one has it: of those that failed the transaction, if there are
    /// both. The selected bar has no edge.
    fn failure_role(&self, icicle: &Icicle) -> Option<Role> {
        let has_edge =
            |bar: &&IcicleBar| bar.width() >= MIN_LABEL_COLUMNS && !self.is_selected(bar);
        let bars = icicle.bars.iter().filter(has_edge);
        let outcomes = bars.filter_map(|bar| self.formatter.tree.outcome(bar.frame));
        let rank = |outcome: &CallOutcome| match outcome {
            CallOutcome::Failed => 2,
            CallOutcome::Caught => 1,
            CallOutcome::Succeeded | CallOutcome::RolledBack => 0,
        };
        let worst = outcomes.max_by_key(rank).filter(|outcome| rank(outcome) > 0);
        worst.map(outcome_role)
    }

    /// Returns the contracts of the bars, the ones with the widest bars first.
    fn contract_names(
        &self,
        (icicle, texts): (&Icicle, &[Vec<String>]),
        hues: &mut ContractHues,
    ) -> Vec<ContractName> {
        let mut contracts: Vec<(Address, &IcicleBar, u32)> = Vec::new();
        let mut places = HashMap::new();
        let mut named = HashSet::new();
        for (bar, texts) in icicle.bars.iter().zip(texts) {
            let Some(contract) = self.formatter.tree.target_address(bar.frame) else { continue };
            if bar.merged == 0 && !texts.is_empty() {
                named.insert(contract);
            }
            let place = *places.entry(contract).or_insert(contracts.len());
            match contracts.get_mut(place) {
                Some((_, widest, first)) => {
                    *first = bar.frame.min(*first);
                    if widest.width() < bar.width() {
                        *widest = bar;
                    }
                }
                None => contracts.push((contract, bar, bar.frame)),
            }
        }
        contracts.sort_by_key(|(_, widest, _)| Reverse(widest.width()));
        let name = |(contract, bar, first_call): (Address, &IcicleBar, u32)| {
            let call = self.formatter.call_label(bar.frame);
            let name = self.short_target(bar.frame, &call.contract).into_owned();
            let is_on_bar = named.contains(&contract);
            ContractName { hue: hues.number(&contract), name, first_call, is_on_bar }
        };
        contracts.into_iter().map(name).collect()
    }
}

/// A contract of the legend.
#[derive(Debug, Clone)]
struct ContractName {
    hue: usize,
    name: String,
    first_call: u32,
    /// `true` if a bar has its name.
    is_on_bar: bool,
}

/// A colour of the legend, with the names of all contracts that have it after a blank.
#[derive(Debug)]
struct HueNames {
    hue: usize,
    text: String,
    first_call: u32,
}

impl HueNames {
    fn columns(&self) -> u16 {
        LEGEND_SWATCH.saturating_add(columns_of(&self.text))
    }
}

/// Colours of the legend with their places, and the number of the others with its place.
type PlacedNames = (Vec<(u16, HueNames)>, Option<(u16, String)>);

/// Places all names, or else those that no bar has, if there are any.
fn place_legend(mut named: Vec<ContractName>, columns: u16) -> PlacedNames {
    let all = place_names(&named, columns);
    named.retain(|name| !name.is_on_bar);
    if all.1.is_none() || named.is_empty() { all } else { place_names(&named, columns) }
}

/// Joins the names of each hue, and places those that fit some columns, cut before one is left out, by their first calls.
fn place_names(named: &[ContractName], columns: u16) -> PlacedNames {
    let forms = LEGEND_NAME_COLUMNS.map(|most| place_cut_names(named, most, columns));
    let whole = forms.iter().position(|(_, others)| others.is_none());
    let shown = whole.unwrap_or(forms.len() - 1);
    forms.into_iter().nth(shown).unwrap_or_default()
}

/// Places names that are cut to `most` columns.
fn place_cut_names(named: &[ContractName], most: usize, columns: u16) -> PlacedNames {
    let mut hues = names_by_hue(named, most);
    let all = hues.len();
    let mut used = 0_u16;
    // A shorter one after it may have space.
    hues.retain(|names| {
        let end = used.saturating_add(names.columns());
        let fits = end <= columns;
        used = if fits { end.saturating_add(LEGEND_GAP) } else { used };
        fits
    });
    let count_others = |shown: usize| (shown < all).then(|| format!("+{}", all - shown));
    while let Some(count) = count_others(hues.len())
        && used.saturating_add(columns_of(&count)) > columns
        && let Some(last) = hues.pop()
    {
        used = used.saturating_sub(last.columns().saturating_add(LEGEND_GAP));
    }
    let others = count_others(hues.len()).map(|count| (used, count));
    hues.sort_by_key(|names| names.first_call);
    let mut next = 0_u16;
    let place = |names: HueNames| {
        let x = next;
        next = x.saturating_add(names.columns()).saturating_add(LEGEND_GAP);
        (x, names)
    };
    (hues.into_iter().map(place).collect(), others)
}

/// Joins the names of each hue, cut to `most` columns.
fn names_by_hue(named: &[ContractName], most: usize) -> Vec<HueNames> {
    let mut hues: Vec<HueNames> = Vec::new();
    for ContractName { hue, name, first_call, .. } in named {
        // An abbreviated address is cut after its beginning.
        let begin = name.find('…').filter(|_| width(name) > most);
        let whole = begin.and_then(|at| name.get(..at + '…'.len_utf8())).unwrap_or(name);
        let shown = cut(whole, most);
        match hues.iter_mut().find(|known| known.hue == *hue) {
            Some(known) => {
                known.text.extend([", ", &*shown]);
                known.first_call = known.first_call.min(*first_call);
            }
            None => hues.push(HueNames {
                hue: *hue,
                text: [" ", &*shown].concat(),
                first_call: *first_call,
            }),
        }
    }
    hues
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legend_joins_contracts_of_one_hue() {
        let named = |names: &[(usize, &str)]| -> Vec<ContractName> {
            let numbered = (0..).zip(names);
            let name = |(first_call, (hue, name)): (u32, &(usize, &str))| ContractName {
                hue: *hue,
                name: (*name).to_owned(),
                first_call,
                is_on_bar: *name == "Router",
            };
            numbered.map(name).collect()
        };
        let legend = |names: &[(usize, &str)], columns| {
            let (entries, _) = place_names(&named(names), columns);
            let entries = entries.into_iter();
            entries.map(|(x, names)| (x, names.hue, names.text)).collect::<Vec<_>>()
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
        let two = named(&[(0, &long), (1, "GLD")]);
        assert_eq!(place_names(&two, 10).1, Some((8, "+1".to_owned())), "the other is counted");
        let mut by_width = named(&[(0, "Pool"), (1, "Router"), (2, "GLD")]);
        by_width[0].first_call = 9;
        let order =
            |columns| place_names(&by_width, columns).0.into_iter().map(|(_, names)| names.hue);
        assert!(order(80).eq([1, 2, 0]), "by their first calls");
        assert!(order(22).eq([1, 0]), "the wide ones");
        let unnamed = |columns| {
            let (entries, _) = place_legend(by_width.clone(), columns);
            entries.into_iter().map(|(_, names)| names.hue).collect::<Vec<_>>()
        };
        assert_eq!([unnamed(80), unnamed(22)], [vec![1, 2, 0], vec![2, 0]]);
        let (entries, others) = place_legend(named(&[(0, "Router"), (1, "Router")]), 14);
        let hues = entries.iter().map(|(_, names)| names.hue);
        assert!(hues.eq([0]) && others.is_some(), "bars have all names");
    }
}

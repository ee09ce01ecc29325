//! Bars, column charts and sparklines of text. Lengths are rounded; amounts are not.

use ratatui::symbols::{bar, block};

use crate::chain::U256;
use crate::chain::percent::Percent;

/// Parts of a cell from the left, by eighths.
const EIGHTHS: [&str; 9] = [
    "",
    block::ONE_EIGHTH,
    block::ONE_QUARTER,
    block::THREE_EIGHTHS,
    block::HALF,
    block::FIVE_EIGHTHS,
    block::THREE_QUARTERS,
    block::SEVEN_EIGHTHS,
    block::FULL,
];
const RIGHT_HALF: &str = "▐";
const SHADE: &str = "░";
const LINE: &str = "━";
/// The part of a gauge that is not used.
const TRACK: &str = "─";
/// A cell of a gauge that is used by half.
const HALF_USED: &str = "╾";
const HALF_LINE: &str = "╸";
/// Heights of a cell. In a sparkline, zero alone has the lowest.
const LEVELS: [&str; 8] = [
    bar::ONE_EIGHTH,
    bar::ONE_QUARTER,
    bar::THREE_EIGHTHS,
    bar::HALF,
    bar::FIVE_EIGHTHS,
    bar::THREE_QUARTERS,
    bar::SEVEN_EIGHTHS,
    bar::FULL,
];

/// Returns `steps` times `part / whole`, rounded down, but at least 1 if `part` is not zero.
fn scale(part: U256, whole: U256, steps: usize) -> usize {
    // Without the digits that do not show, the product fits.
    let shift = whole.bit_len().saturating_sub(128);
    let (small, whole) = (part.min(whole) >> shift, whole >> shift);
    let scaled = (small * U256::from(steps)).checked_div(whole).unwrap_or_default();
    usize::try_from(scaled)
        .unwrap_or(steps)
        .max(usize::from(!part.is_zero() && !whole.is_zero()))
        .min(steps)
}

/// Draws a bar to the right in `cells` columns, on a scale where `whole` fills them all.
pub fn bar(part: U256, whole: U256, cells: usize) -> String {
    stacked_bar(part, part, whole, cells)
}

/// Draws a bar for `all`, of which `part` is solid and the rest shaded. A part that is not zero shows.
pub fn stacked_bar(part: U256, all: U256, whole: U256, cells: usize) -> String {
    let [part, all] = [part, all].map(|length| scale(length, whole, cells * 8));
    let is_whole = part == all;
    // A shade fills whole cells. Only a part of less than a cell shares one with it.
    let all = if is_whole { all.div_ceil(8) } else { ((all + 4) / 8).max(usize::from(all > 0)) };
    let part = match part {
        8.. if !is_whole => ((part + 4) / 8).min(all) * 8,
        part => part,
    };
    let solid = part.div_ceil(8);
    let shaded = all.saturating_sub(solid);
    [
        &*block::FULL.repeat(part / 8),
        EIGHTHS.get(part % 8).copied().unwrap_or_default(),
        &*SHADE.repeat(shaded),
        &*" ".repeat(cells.saturating_sub(solid + shaded)),
    ]
    .concat()
}

/// Draws a thin bar, in steps of half a cell. The bars of neighbouring rows stay apart.
pub fn line_bar(part: U256, whole: U256, cells: usize) -> String {
    let halves = scale(part, whole, cells * 2);
    LINE.repeat(halves / 2) + if halves % 2 == 1 { HALF_LINE } else { "" }
}

/// Columns of a gauge.
const GAUGE_WIDTH: usize = 10;

/// Draws a share in ten cells. Each begun twentieth fills half of one.
pub fn gauge(share: Percent) -> String {
    let halves = share.twentieths();
    let half = if halves % 2 == 1 { HALF_USED } else { "" };
    let rest = GAUGE_WIDTH.saturating_sub(halves.div_ceil(2));
    [&*LINE.repeat(halves / 2), half, &TRACK.repeat(rest)].concat()
}

/// Draws a bar to the left, in steps of half a cell.
pub fn bar_to_left(part: U256, whole: U256, cells: usize) -> String {
    let halves = scale(part, whole, cells * 2);
    let half = if halves % 2 == 1 { RIGHT_HALF } else { "" };
    " ".repeat(cells.saturating_sub(halves.div_ceil(2))) + half + &block::FULL.repeat(halves / 2)
}

/// Draws the values between two limits as a solid area in `rows` rows, from the top. Each value has a column.
pub fn area_chart(values: &[U256], [low, high]: [U256; 2], rows: usize) -> Vec<String> {
    let spread = high.saturating_sub(low);
    // The smallest value has a line too.
    let most = (rows * LEVELS.len()).saturating_sub(1);
    let level = |value: &U256| scale(value.saturating_sub(low), spread, most) + 1;
    let levels: Vec<usize> = values.iter().map(level).collect();
    let symbol = |row: usize, level: usize| match level.saturating_sub(row * LEVELS.len()) {
        0 => " ",
        above => LEVELS.get(above - 1).copied().unwrap_or(bar::FULL),
    };
    (0..rows).rev().map(|row| levels.iter().map(|level| symbol(row, *level)).collect()).collect()
}

/// Draws one column for each value, relative to the largest.
pub fn sparkline(values: &[u64]) -> String {
    let most = U256::from(values.iter().copied().max().unwrap_or_default());
    values
        .iter()
        .map(|value| {
            let level = scale(U256::from(*value), most, LEVELS.len() - 1);
            LEVELS.get(level).copied().unwrap_or(bar::FULL)
        })
        .collect()
}

/// Counts points in `buckets` intervals of equal length, from the first point to the last.
pub fn histogram(points: impl Iterator<Item = i64> + Clone, buckets: usize) -> Vec<u64> {
    let mut counts = vec![0; buckets];
    let (Some(first), Some(last)) = (points.clone().min(), points.clone().max()) else {
        return counts;
    };
    let span = i128::from(last) - i128::from(first) + 1;
    for point in points {
        let at = (i128::from(point) - i128::from(first)) * buckets as i128 / span;
        if let Some(count) = usize::try_from(at).ok().and_then(|at| counts.get_mut(at)) {
            *count += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ui::ascii::to_ascii;
    use crate::ui::format::width;

    fn amount(part: u64) -> U256 {
        U256::from(part)
    }

    #[test]
    fn lengths_are_shares() {
        assert_eq!(bar(amount(50), amount(100), 8), "████    ");
        assert_eq!(bar(amount(1), amount(1_000), 8), "▏       ", "not zero");
        assert_eq!(bar(amount(0), amount(1_000), 3), "   ");
        assert_eq!(bar(amount(5), amount(0), 3), "   ", "of nothing");
        assert_eq!(bar(U256::MAX, U256::MAX, 0), "", "in no column");
        assert_eq!(stacked_bar(amount(25), amount(60), amount(100), 10), "███░░░    ");
        let stacked = |part, all| stacked_bar(amount(part), amount(all), amount(100), 4);
        assert_eq!([stacked(3, 28), stacked(17, 17)], ["▏   ", "▋   "], "not shorter than a part");
        assert_eq!([stacked(20, 28), stacked(1, 2)], ["▊   ", "▏   "]);
        assert_eq!([stacked(1, 90), stacked(0, 90)], ["▏░░░", "░░░░"], "own gas shows");
        let gauge = |part| gauge(Percent::of(part, 100).unwrap());
        assert_eq!([0, 1, 6].map(gauge), ["──────────", "╾─────────", "━─────────"]);
        assert_eq!([50, 51].map(gauge), ["━━━━━─────", "━━━━━╾────"]);
        assert_eq!(gauge(u64::MAX), "━━━━━━━━━━");
        assert_eq!(bar_to_left(amount(50), amount(100), 5), "  ▐██");
        assert_eq!(bar_to_left(U256::MAX, U256::MAX, 3), "███");
    }

    #[test]
    fn sparkline_is_scaled_to_its_largest_value() {
        assert_eq!(sparkline(&[0, 1, 4, 7, 3]), "▁▂▅█▄");
        assert_eq!(sparkline(&[0, 0]), "▁▁");
        assert_eq!(to_ascii(&sparkline(&[0, 1, 4, 7])), "_-=#");
        assert_eq!(sparkline(&[]), "");
    }

    #[test]
    fn chart_fills_the_area_below_its_values() {
        let chart = |values: &[u64], limits: [u64; 2], rows| {
            let values: Vec<U256> = values.iter().copied().map(amount).collect();
            area_chart(&values, limits.map(amount), rows)
        };
        assert_eq!(chart(&[100, 104, 104, 102], [100, 104], 2), [" ██ ", "▁███"]);
        assert_eq!(chart(&[8, 1], [1, 9], 1), ["▇▁"], "a limit that no column has");
        assert_eq!(chart(&[7, 7, 7], [7, 7], 2), ["   ", "▁▁▁"]);
        assert_eq!(chart(&[], [0, 0], 2), ["", ""]);
        assert_eq!(chart(&[5], [5, 5], 0), Vec::<String>::new());
    }

    #[test]
    fn histogram_counts_every_point_once() {
        assert_eq!(histogram([0, 1, 9, 5, 5].into_iter(), 5), [2, 0, 2, 0, 1]);
        assert_eq!(histogram([i64::MIN, i64::MAX].into_iter(), 2), [1, 1]);
        assert_eq!(histogram([].into_iter(), 2), [0, 0]);
    }

    proptest! {
        #[test]
        fn bars_fill_their_columns(
            part in any::<[u64; 4]>(),
            whole in any::<[u64; 4]>(),
            cells in 0usize..99,
        ) {
            let [part, whole] = [part, whole].map(U256::from_limbs);
            prop_assert_eq!(width(&bar(part, whole, cells)), cells);
            prop_assert_eq!(width(&bar_to_left(part, whole, cells)), cells);
            prop_assert_eq!(width(&stacked_bar(part / amount(3), part, whole, cells)), cells);
        }
    }
}

//! Shares in percent, rounded in one way everywhere.

use std::fmt;

use alloy_primitives::U512;

use super::U256;

/// Maximum digits after the point.
const MAX_DIGITS: usize = 6;

/// A part of a whole that is not zero, written as a number of percent without the sign: rounded to the
/// digits of the precision (`{:.2}`), and `<1` if that would be zero for a part that is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Percent {
    part: U256,
    whole: U256,
}

impl Percent {
    /// Returns `None` for parts of nothing.
    pub fn new(part: U256, whole: U256) -> Option<Self> {
        (!whole.is_zero()).then_some(Self { part, whole })
    }

    pub fn of(part: u64, whole: u64) -> Option<Self> {
        Self::new(U256::from(part), U256::from(whole))
    }

    /// Returns the begun twentieths of the rounded share, of which a part that is not zero has at least one.
    pub fn twentieths(self) -> usize {
        let twentieths = self.rounded(1).div_ceil(U512::from(5));
        let begun = usize::try_from(twentieths).map_or(20, |twentieths| twentieths.min(20));
        begun.max(usize::from(!self.part.is_zero()))
    }

    /// Returns `true` for a share of at least half a percent, which a bar can show.
    pub fn is_visible(self) -> bool {
        !self.rounded(1).is_zero()
    }

    /// Returns `true` for a share that is not zero, but would be with so many digits after the point.
    pub fn is_tiny(self, digits: usize) -> bool {
        self.rounded(parts_of_percent(digits)).is_zero() && !self.part.is_zero()
    }

    /// Returns the share in parts of a percent.
    fn rounded(self, parts: usize) -> U512 {
        let whole = U512::from(self.whole);
        let scaled = U512::from(self.part) * U512::from(100 * parts);
        (scaled + (whole >> 1_usize)) / whole
    }

    /// Returns the part and the whole.
    pub fn parts(self) -> (U256, U256) {
        (self.part, self.whole)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(0).min(MAX_DIGITS);
        let unit = parts_of_percent(digits);
        let (mark, rounded) =
            if self.is_tiny(digits) { ("<", U512::from(1)) } else { ("", self.rounded(unit)) };
        let (units, rest) = rounded.div_rem(U512::from(unit));
        match digits {
            0 => write!(f, "{mark}{units}"),
            digits => write!(f, "{mark}{units}.{rest:0digits$}"),
        }
    }
}

/// Returns the number of parts in a percent with so many digits after the point.
fn parts_of_percent(digits: usize) -> usize {
    10_usize.pow(u32::try_from(digits.min(MAX_DIGITS)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_rounded() {
        for (part, whole, shown, precise) in [
            (0, 7, "0", "0.00"),
            (1, 1_000_000, "<1", "<0.01"),
            (49, 10_000, "<1", "0.49"),
            (50, 10_000, "1", "0.50"),
            (14_961, 100_000, "15", "14.96"),
            (2, 3, "67", "66.67"),
            (7, 7, "100", "100.00"),
            (30, 7, "429", "428.57"),
        ] {
            let percent = Percent::of(part, whole).unwrap();
            assert_eq!((&*percent.to_string(), &*format!("{percent:.2}")), (shown, precise));
        }
        assert_eq!(Percent::new(U256::MAX, U256::MAX).unwrap().to_string(), "100");
        assert_eq!(Percent::of(1, 0), None);
        let tiny = [(1, 0), (1, 1), (1, 2), (0, 0)];
        let is_tiny = tiny.map(|(part, digits)| Percent::of(part, 5_000).unwrap().is_tiny(digits));
        assert_eq!(is_tiny, [true, true, false, false]);
    }

    #[test]
    fn begun_twentieths_count() {
        let parts = |part| Percent::of(part, 1_000).unwrap().twentieths();
        assert_eq!([0, 1, 50, 51, 60, 100, 1_000, 2_500].map(parts), [0, 1, 1, 1, 2, 2, 20, 20]);
    }
}

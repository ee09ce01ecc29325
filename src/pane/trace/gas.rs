//! Gas in numbers, shares and bars. Unknown gas is `?`; where the whole used none, there is no share.

use crate::chain::amount::group_digits;
use crate::trace::{CallFrame, CallTree};

/// Gas in at most five columns: `950`, `8k`, `412k`, `1.2M`, `30M`.
pub fn abbreviate_gas(gas: u64) -> String {
    match gas {
        ..1_000 => gas.to_string(),
        1_000..1_000_000 => format!("{}k", gas / 1_000),
        1_000_000..10_000_000 => format!("{}.{}M", gas / 1_000_000, gas / 100_000 % 10),
        10_000_000..1_000_000_000 => format!("{}M", gas / 1_000_000),
        1_000_000_000..1_000_000_000_000 => format!("{}G", gas / 1_000_000_000),
        _ => "1T+".into(),
    }
}

/// The share of the root's, or of the caller's, gas.
pub fn gas_share(tree: &CallTree, number: u32, of_parent: bool) -> String {
    let whole = if of_parent { tree.parent(number).unwrap_or(number) } else { 0 };
    let used = |number: u32| tree.get(number).and_then(CallFrame::gas_used);
    match (used(number), used(whole)) {
        (None, _) | (_, None) => "?".into(),
        (_, Some(0)) => "—".into(),
        (Some(part), Some(whole)) => {
            let percent = u128::from(part) * 100 / u128::from(whole);
            if percent > 999 { ">999%".into() } else { format!("{percent}%") }
        }
    }
}

/// A bar of `cells`: as long as the gas is of the root's, its own part solid, its children's light.
pub fn gas_bar(frame: &CallFrame, root: Option<u64>, cells: usize) -> String {
    let (Some(used), Some(root)) = (frame.gas_used(), root.filter(|root| *root > 0)) else {
        return " ".repeat(cells);
    };
    let eighths = |gas: u64| {
        let whole = u128::from(gas.min(root)) * 8 * cells as u128 / u128::from(root);
        usize::try_from(whole).unwrap_or(0)
    };
    let own_gas = frame.own_gas().map_or(0, |(own, _)| own);
    let own = eighths(own_gas).max(usize::from(own_gas == used && used > 0));
    let total = eighths(used).max(usize::from(used > 0));
    let mut bar = "█".repeat(own / 8);
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let mut filled = own / 8;
    if own % 8 > 0 {
        bar.push_str(parts.get(own % 8).copied().unwrap_or_default());
        filled += 1;
    }
    let light = total.div_ceil(8).saturating_sub(filled);
    bar.push_str(&"░".repeat(light));
    filled += light;
    bar + &" ".repeat(cells.saturating_sub(filled))
}

/// The line that reconciles the trace's gas with the transaction's.
pub fn reconcile(tree: &CallTree, transaction: Option<u64>) -> Option<String> {
    let roots: Option<Vec<u64>> =
        tree.roots().map(|root| tree.get(root).and_then(CallFrame::gas_used)).collect();
    let all = |n: u64| group_digits(&n.to_string());
    let trace = roots.filter(|roots| roots.len() == 1).and_then(|roots| roots.first().copied());
    Some(match (transaction?, trace) {
        (whole, None) => format!("tx gas {} = trace ? + outside ?", all(whole)),
        (whole, Some(trace)) => match whole.checked_sub(trace) {
            Some(outside) => format!(
                "tx gas {} = trace {} + outside {} (intrinsic, calldata, refunds)",
                all(whole),
                all(trace),
                all(outside)
            ),
            // Refunds can be worth more than what the call itself cost.
            None => format!(
                "tx gas {} = trace {} − {} (refunds exceed intrinsic and calldata)",
                all(whole),
                all(trace),
                all(trace - whole)
            ),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::CallKind;

    fn frame(used: Option<u64>) -> CallFrame {
        let mut frame = CallFrame::new(CallKind::Call, 0, 0);
        frame.set_gas(None, used);
        frame
    }

    #[test]
    fn gas_in_few_columns() {
        for (gas, shown) in [
            (0, "0"),
            (999, "999"),
            (8_212, "8k"),
            (412_331, "412k"),
            (1_250_000, "1.2M"),
            (30_000_000, "30M"),
            (u64::MAX, "1T+"),
        ] {
            assert_eq!(abbreviate_gas(gas), shown);
        }
    }

    #[test]
    fn bars_are_as_long_as_their_share() {
        assert_eq!(gas_bar(&frame(Some(100)), Some(100), 8), "████████");
        assert_eq!(gas_bar(&frame(Some(50)), Some(100), 8), "████    ");
        assert_eq!(gas_bar(&frame(Some(1)), Some(1000), 8), "▏       ");
        assert_eq!(gas_bar(&frame(Some(0)), Some(1000), 8), "        ");
        assert_eq!(gas_bar(&frame(None), Some(1000), 4), "    ");
        assert_eq!(gas_bar(&frame(Some(5)), None, 4), "    ");
    }
}

//! Gas as short numbers, shares and bars. Unknown gas is `?`; the share of zero gas is `—`.

use crate::api::transactions::Transaction;
use crate::chain::amount::Grouped;
use crate::chain::percent::Percent;
use crate::chain::{TRANSFER_GAS, U256};
use crate::messages::trace_problem::GasParts;
use crate::trace::gas_by_function::GasBound;
use crate::trace::{CallFrame, CallTree};
use crate::ui::charts::stacked_bar;

/// Formats gas in at most five columns: `950`, `8k`, `412k`, `1.2M`, `30M`.
pub fn abbreviate_gas(gas: u64) -> String {
    let rounded = |unit: u64| (gas + unit / 2) / unit;
    match gas {
        ..1_000 => gas.to_string(),
        1_000..999_500 => format!("{}k", rounded(1_000)),
        999_500..9_950_000 => format!("{}.{}M", rounded(100_000) / 10, rounded(100_000) % 10),
        9_950_000..999_500_000 => format!("{}M", rounded(1_000_000)),
        999_500_000..1_000_000_000_000 => format!("{}G", rounded(1_000_000_000)),
        _ => "1T+".into(),
    }
}

/// Formats a call's gas in percent of the root's or the parent's.
pub fn gas_share(tree: &CallTree, number: u32, of_parent: bool) -> String {
    let whole = if of_parent { tree.parent(number).unwrap_or(number) } else { 0 };
    let used = tree.get(number).and_then(CallFrame::gas_used);
    match (used, gas_of_whole(tree, whole)) {
        (None, _) | (_, None) => "?".into(),
        (_, Some(0)) => "—".into(),
        (Some(part), Some(whole)) => {
            let percent = Percent::of(part, whole).filter(|_| part / 10 < whole);
            percent.map_or(">999%".into(), |percent| format!("{percent}%"))
        }
    }
}

/// Returns a call's gas as the whole for shares, unless it is impossible.
pub fn gas_of_whole(tree: &CallTree, number: u32) -> Option<u64> {
    tree.get(number).filter(|frame| !frame.has_impossible_gas())?.gas_used()
}

/// Draws a bar as long as the call's share of the root's gas: its own gas solid, its children's light.
pub fn gas_bar(frame: &CallFrame, root: Option<u64>, cells: usize) -> String {
    let [own, used, root] = [frame.own_gas().map(|(own, _)| own), frame.gas_used(), root]
        .map(Option::unwrap_or_default);
    stacked_bar(U256::from(own), U256::from(used), U256::from(root), cells)
}

/// Formats the gas that a call used itself; `≤` marks an upper bound, `≈` inferred gas.
pub fn own_gas(frame: &CallFrame, format: impl Fn(u64) -> String) -> String {
    let Some((gas, _)) = frame.own_gas() else { return "?".into() };
    bounded(GasBound::of_own_gas(frame), &format(gas))
}

/// Marks a sum of gas, or what follows from it: `≈` is an estimate or an average rounded down, `≤` is an upper and `≥`
/// a lower bound. Nothing is known of a sum with several kinds of unknown gas.
pub fn bounded(bound: GasBound, text: &str) -> String {
    let mark = match bound {
        GasBound::Unknown => return "?".into(),
        GasBound::Exact => "",
        GasBound::Inferred => "≈",
        GasBound::AtMost => "≤",
        GasBound::AtLeast => "≥",
    };
    [mark, text].concat()
}

/// Splits a transaction's gas into the gas of its calls and the rest. A short text leaves out the gas of calls.
pub fn reconcile(tree: &CallTree, transaction: &Transaction, is_short: bool) -> Option<String> {
    let total = *transaction.gas.used.value()?;
    let grouped = |gas: u64| Grouped(gas).to_string();
    let mut roots = tree.roots();
    let root = roots.next().filter(|_| roots.next().is_none());
    let calls = root.and_then(|root| gas_of_whole(tree, root));
    if root.and_then(|root| tree.get(root)).is_some_and(|root| is_whole(root, transaction)) {
        return Some(format!("{} gas", grouped(total)));
    }
    let mark = if root.and_then(|root| tree.get(root)).is_some_and(CallFrame::is_gas_inferred) {
        "≈"
    } else {
        ""
    };
    let marked = |gas: u64| mark.to_owned() + &grouped(gas);
    let parts = match calls {
        None => GasParts::Unknown.to_string(),
        Some(calls) => match total.checked_sub(calls) {
            Some(rest) if !has_refund(transaction, rest.into()) => {
                let (calls, rest) = (&*marked(calls), &*marked(rest));
                if is_short {
                    GasParts::IntrinsicAlone { rest }.to_string()
                } else {
                    GasParts::Intrinsic { calls, rest }.to_string()
                }
            }
            _ => GasParts::Refunded { calls: &marked(calls) }.to_string(),
        },
    };
    Some(format!("{} gas ({parts})", grouped(total)))
}

/// Returns `true` if the root's gas is the transaction's, as in traces of Geth: intrinsic gas and refunds are in it.
pub fn is_whole(root: &CallFrame, transaction: &Transaction) -> bool {
    let gas = &transaction.gas;
    let is_equal = |call: Option<u64>, all: Option<&u64>| call.is_some() && call.as_ref() == all;
    is_equal(root.gas_used(), gas.used.value()) || is_equal(root.gas(), gas.limit.value())
}

/// Returns `true` if the gas outside of calls is less than a transaction takes before it runs.
pub fn has_refund(transaction: &Transaction, outside_calls: i128) -> bool {
    let input = transaction.raw_input.value().map_or(&[][..], |input| input);
    outside_calls < i128::from(least_intrinsic_gas(input))
}

/// Returns the minimum gas of a transaction with this calldata before it runs. Access lists,
/// authorizations and creations cost more.
fn least_intrinsic_gas(input: &[u8]) -> u64 {
    input.iter().fold(TRANSFER_GAS, |gas, byte| gas + if *byte == 0 { 4 } else { 16 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json_fields::FromJson;
    use crate::trace::CallKind;
    use crate::trace::parser::parse_trace;
    use crate::trace::test_util::{SampleCall, sample_tree};

    fn frame(used: Option<u64>) -> CallFrame {
        let mut frame = CallFrame::new(CallKind::Call, 0, 0);
        frame.set_gas(None, used);
        frame
    }

    #[test]
    fn gas_fits_five_columns() {
        for (gas, shown) in [
            (0, "0"),
            (999, "999"),
            (8_212, "8k"),
            (14_951, "15k"),
            (412_331, "412k"),
            (999_499, "999k"),
            (999_500, "1.0M"),
            (1_250_000, "1.3M"),
            (9_949_999, "9.9M"),
            (9_950_000, "10M"),
            (999_999_999, "1G"),
            (999_999_999_999, "1000G"),
            (30_000_000, "30M"),
            (u64::MAX, "1T+"),
        ] {
            assert_eq!(abbreviate_gas(gas), shown);
        }
    }

    #[test]
    fn gas_below_the_least_intrinsic_was_refunded() {
        let tree = sample_tree(&[SampleCall { gas: 200, ..SampleCall::at(&[]) }]);
        for (used, shown) in [
            (21_220, "21,220 gas (200 in calls + 21,020 outside calls)"),
            (21_219, "21,219 gas (200 in calls + outside calls − refunds)"),
            (150, "150 gas (200 in calls + outside calls − refunds)"),
            (200, "200 gas"),
        ] {
            let json =
                format!(r#"{{"hash":"0x{:064x}","gas_used":"{used}","raw_input":"0x00ff"}}"#, 1);
            let json = serde_json::value::RawValue::from_string(json).unwrap();
            let transaction = Transaction::from_json((&*json).into()).unwrap();
            assert_eq!(reconcile(&tree, &transaction, false).as_deref(), Some(shown));
        }
    }

    #[test]
    fn own_gas_has_the_bound_of_its_function() {
        let entry = |path: &str, rest: &str| {
            format!(
                r#"{{"action":{{"gas":"0x40","callType":"call","to":"0x{:040x}"}},{rest},
                    "traceAddress":[{path}],"type":"call"}}"#,
                2
            )
        };
        let root = entry("", r#""result":{"gasUsed":"0x64"}"#);
        let failed = |path, error| entry(path, &format!(r#""result":null,"error":"{error}""#));
        // The failure burns its limit, or an unknown part of it.
        let [burns, reverts] = ["Out of gas", "Reverted"].map(|error| failed("0", error));
        let both = [root.clone(), burns.clone(), failed("1", "Reverted")];
        for (calls, shown) in [
            (&[root.clone()][..], &["100"][..]),
            (&[root.clone(), burns], &["≈36", "≈64"]),
            (&[root, reverts], &["≤100", "?"]),
            (&both, &["?", "≈64", "?"]),
        ] {
            let tree = parse_trace(format!("[{}]", calls.join(",")).into());
            let own = tree.frames().iter().map(|frame| own_gas(frame, |gas| gas.to_string()));
            assert_eq!(own.collect::<Vec<_>>(), shown);
        }
    }

    #[test]
    fn bar_length_is_the_share() {
        assert_eq!(gas_bar(&frame(Some(100)), Some(100), 8), "████████");
        assert_eq!(gas_bar(&frame(Some(50)), Some(100), 8), "████    ");
        assert_eq!(gas_bar(&frame(Some(1)), Some(1000), 8), "▏       ");
        assert_eq!(gas_bar(&frame(Some(0)), Some(1000), 8), "        ");
        assert_eq!(gas_bar(&frame(None), Some(1000), 4), "    ");
        assert_eq!(gas_bar(&frame(Some(5)), None, 4), "    ");
    }
}

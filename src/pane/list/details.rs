//! The details of the selected row, below the rows of a list.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::known_trace::KnownTrace;
use super::super::{PaneContext, PanePlace};
use super::ListPane;
use super::regions::table_area;
use crate::api::transactions::Transaction;
use crate::chain::hash_abbreviation::Abbreviator;
use crate::columns::approvals::ALLOWED_LABEL;
use crate::columns::cells::called_method::KnownCall;
use crate::columns::cells::fee::short_fee;
use crate::columns::table::any_row::{AnyItem, AnyRow};
use crate::columns::transactions::{STATUS_LABEL, VALUE_LABEL};
use crate::columns::{Row, RowContext, warnings};
use crate::messages::{approvals, list};
use crate::pane::addresses::labels::{label_addresses, mark_addresses};
use crate::pane::transaction::call_text;
use crate::sanitize::SafeText;
use crate::ui::address_mark::MARK_WIDTH;
use crate::ui::format::{self, wrapped_lines};
use crate::ui::frame::draw_rule;
use crate::ui::marked_text::MarkedText;
use crate::ui::text::{draw_pieces, set_text};
use crate::ui::theme::Role;

/// Least columns of labels, so that they are the same in most lists.
const MIN_LABEL_WIDTH: usize = 8;

/// Lines for a long value that wraps, and a blank one before a spender's other approvals.
const SPACE_BEFORE_OTHERS: usize = 2;

/// Labels of the transaction, and of the calls that are one row.
const TRANSACTION_LABEL: &str = "tx";
const CALLS_LABEL: &str = "calls";
const CALL_LABEL: &str = "call";
/// Labels of amounts.
const AMOUNT_LABELS: [&str; 4] = ["amount", VALUE_LABEL, "before", "after"];
/// Begin of the worth after an amount, or of the amount in another unit.
const OTHER_FORM_SIGN: &str = " (";
/// Begin of the whole number after an amount.
const RAW_SIGN: &str = " raw ";
/// Label of a balance's or a variable's change.
const CHANGE_LABEL: &str = "change";

/// A line of the details with its label.
pub(super) struct DetailLine {
    label: &'static str,
    text: String,
    role: Role,
}

/// A call by the trace that it is in, with its arguments and its result.
#[derive(Debug)]
pub(super) struct TracedCall {
    /// The kind of the call.
    label: &'static str,
    text: SafeText,
    signature: Option<SafeText>,
    /// `true` if it sends coin.
    has_value: bool,
}

impl ListPane {
    /// Draws the selected row in full, after its warnings.
    pub(super) fn draw_details(&self, area: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let rows = self.detail_rows(area, cx);
        if rows.is_empty() {
            return;
        }
        if let Some(line) = area.rows().next() {
            draw_rule(buf, line, cx.styles.of(Role::Border));
        }
        let area = table_area(area, cx);
        let left = label_columns(rows.iter().map(|line| line.label)).min(area.width);
        for (line, at) in rows.iter().zip(area.rows().skip(1)) {
            set_text(buf, at.as_position(), line.label, left.into(), cx.styles.of(Role::Dim));
            let text_area = Rect { x: at.x + left, width: at.width - left, ..at };
            let parts = line.parts(cx);
            draw_pieces(buf, text_area, parts.iter().flat_map(|part| part.pieces(cx.styles)));
        }
    }

    /// Returns the lines of the selected row, some of which may have no space.
    pub(super) fn detail_rows(&self, area: Rect, cx: &PaneContext<'_>) -> Vec<DetailLine> {
        let item = self.selected_item();
        let Some(Ok(row)) = item.as_deref().map(AnyItem::row) else { return Vec::new() };
        let area = table_area(area, cx);
        let row_cx = self.row_context(cx, None);
        let mut values = detail_lines(row, self.traced_call.as_ref(), &row_cx, cx);
        if let Some(calls) = self.folded_words(self.viewport.selected) {
            values.retain(|(label, _)| matches!(*label, TRANSACTION_LABEL | STATUS_LABEL));
            let words = [&*calls, &*cx.keys.expand(list::UNFOLDS)].join(" · ");
            values.insert(values.len().min(1), (CALLS_LABEL, SafeText::new(&words)));
        }
        let has_space = values.len() < usize::from(area.height);
        if cx.place == PanePlace::NextToPreview && !has_space {
            // The preview of the row's transaction has both.
            let is_previewed = |(label, text): &(&str, SafeText)| {
                *label == TRANSACTION_LABEL || *label == STATUS_LABEL && text.starts_with('✓')
            };
            values.retain(|line| !is_previewed(line));
        }
        let left = label_columns(values.iter().map(|(label, _)| *label)).min(area.width);
        let width = usize::from(area.width - left);
        let warnings = warnings(row, &row_cx);
        let warned = warnings.iter().flat_map(|warning| {
            let marks = std::iter::once("!").chain(std::iter::repeat(""));
            marks.zip(wrapped_lines(warning, width)).map(|(label, text)| DetailLine {
                label,
                text: text.to_owned(),
                role: Role::Warning,
            })
        });
        let mut lines: Vec<DetailLine> = warned.collect();
        let free = usize::from(area.height).saturating_sub(1 + lines.len());
        let spare = |used: usize| free.saturating_sub(used + SPACE_BEFORE_OTHERS);
        let short = Abbreviator::default();
        let in_short = self.row_context(cx, Some(&short));
        let push_part = |values: &mut Vec<_>, part: Vec<(&'static str, SafeText)>| {
            values.extend((!part.is_empty()).then(|| ("", SafeText::default())));
            values.extend(part);
        };
        let others = self.spender_lines(row, (spare(values.len()), self.shown_sum(cx)), &in_short);
        push_part(&mut values, others);
        let spenders = self.spender_totals(spare(values.len()), &in_short);
        push_part(&mut values, spenders);
        let labels = cx.name_cache.labels();
        let named = |text: &SafeText| label_addresses(text, labels).into_owned();
        let values = values.iter().map(|(label, text)| (*label, named(text)));
        lines.extend(wrap_into(free, width, values.collect()));
        lines
    }
}

/// Returns the columns of the labels, with a blank after them.
fn label_columns<'a>(labels: impl Iterator<Item = &'a str>) -> u16 {
    let widest = labels.map(|label| format::width(label) + 1).fold(MIN_LABEL_WIDTH, usize::max);
    u16::try_from(widest).unwrap_or(u16::MAX)
}

impl DetailLine {
    /// Returns the text with the marks of addresses and the colour of an outcome.
    fn parts(&self, cx: &PaneContext<'_>) -> Vec<MarkedText> {
        let has_marks = cx.format.address_marks && self.role != Role::Warning;
        let is_risk = self.label == ALLOWED_LABEL && self.text == approvals::UNLIMITED;
        if is_risk {
            return vec![MarkedText::new(self.text.clone(), Role::Warning)];
        }
        if self.label == CHANGE_LABEL {
            let role = match self.text.chars().next() {
                Some('+') => Role::Ok,
                Some('−') => Role::Loss,
                _ => Role::Plain,
            };
            return vec![MarkedText::new(self.text.clone(), role)];
        }
        let is_status = self.label == STATUS_LABEL;
        let outcome = if is_status { self.text.split(" · ").next() } else { None };
        let (outcome, rest) = self.text.split_at(outcome.map_or(0, str::len));
        let mut parts = vec![MarkedText::new(outcome.to_owned(), outcome_role(outcome))];
        if self.role == Role::Plain {
            parts.extend(coloured(self.label, rest, has_marks));
        } else {
            parts.extend(mark_addresses(rest, self.role, has_marks));
        }
        parts
    }
}

/// Returns a text in the colours of larger details: an amount before its worth, and dim what describes the address that it
/// begins with or an amount before it.
fn coloured(label: &str, text: &str, has_marks: bool) -> Vec<MarkedText> {
    let mut parts = mark_addresses(text, Role::Plain, has_marks);
    if let [before, _, name] = &mut *parts
        && before.text.is_empty()
    {
        name.role = Role::Dim;
        return parts;
    }
    let is_amount = AMOUNT_LABELS.contains(&label) && !text.starts_with("0 ");
    // Symbols and texts from the chain may have these signs too.
    let sign = if is_amount { OTHER_FORM_SIGN } else { RAW_SIGN };
    let end = text.rfind(sign).filter(|at| {
        let after = text.get(at + sign.len()..).unwrap_or_default();
        let is_number = after.bytes().all(|digit| digit.is_ascii_digit());
        if is_amount {
            after.starts_with(['$', '<']) || starts_with_digit(after)
        } else {
            is_number
        }
    });
    if parts.len() == 1 && (is_amount || end.is_some()) {
        let (amount, note) = text.split_at(end.unwrap_or(text.len()));
        let role = if is_amount { Role::Value } else { Role::Plain };
        parts = vec![
            MarkedText::new(amount.to_owned(), role),
            MarkedText::new(note.to_owned(), Role::Dim),
        ];
    }
    parts
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
}

/// Returns values as at most `rows` lines: those that are too long continue while there is a line for each of
/// the others.
fn wrap_into(
    rows: usize,
    width: usize,
    values: Vec<(&'static str, String)>,
) -> impl Iterator<Item = DetailLine> {
    let mut spare = rows.saturating_sub(values.len());
    values.into_iter().flat_map(move |(label, text)| {
        let parts = mark_addresses(&text, Role::Plain, true);
        let marks = parts.iter().filter(|part| part.mark.is_some()).count();
        let columns = width.saturating_sub(marks * usize::from(MARK_WIDTH));
        let mut lines: Vec<String> =
            wrapped_lines(&text, columns.max(2)).map(|line| line.trim_end().to_owned()).collect();
        let more = lines.len() - 1;
        for line in lines.iter_mut().take(more) {
            *line = without_dot(line).to_owned();
        }
        let lines =
            if more <= spare && format::width(&text) > columns { lines } else { vec![text] };
        spare -= lines.len() - 1;
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        labels.zip(lines).map(|(label, text)| DetailLine { label, text, role: Role::Plain })
    })
}

/// Returns a line without the dot before what is on the next one.
fn without_dot(line: &str) -> &str {
    line.strip_suffix(" ·").unwrap_or(line)
}

/// Returns the details of a row: of a transaction with its call, which has the value too, and of a part of one
/// with the lines of that, if it is known.
fn detail_lines(
    row: &dyn AnyRow,
    traced: Option<&TracedCall>,
    row_cx: &RowContext<'_>,
    cx: &PaneContext<'_>,
) -> Vec<(&'static str, SafeText)> {
    let mut lines = row.detail_lines(row_cx);
    // The page has its own address at the top.
    let own = row_cx.viewed.map(|viewed| viewed.to_string()).unwrap_or_default();
    let is_own = |(label, text): &(&str, SafeText)| {
        !own.is_empty() && matches!(*label, "from" | "to") && text.starts_with(&*own)
    };
    if lines.iter().filter(|line| is_own(line)).count() == 1 {
        lines.retain(|line| !is_own(line));
    }
    if let Some(call) = row.as_transaction().and_then(|transaction| call_text(transaction, cx))
        && let Some(value) = lines.iter_mut().find(|(label, _)| *label == VALUE_LABEL)
    {
        *value = (CALL_LABEL, SafeText::new(&call));
    }
    if let Some(TracedCall { label, text, signature, has_value }) = traced {
        let value = lines.iter().position(|(label, _)| *label == VALUE_LABEL);
        let at = value.unwrap_or(lines.len());
        if !has_value && at < lines.len() {
            lines.remove(at);
        }
        let signature = signature.clone().map(|text| ("signature", text));
        // The page of the transaction has the call first, in the list of another one it is part of a row.
        let place = if row_cx.transaction.is_some() { 0 } else { at };
        lines.splice(place..place, std::iter::once((*label, text.clone())).chain(signature));
    }
    // The page of a transaction has its call, outcome and fee above its lists.
    let whole = row.part_of().filter(|_| row_cx.transaction.is_none());
    let whole = whole.and_then(|hash| cx.name_cache.transaction(&hash)?.parsed.as_ref().ok());
    if let Some(whole) = whole {
        replace_lines(&mut lines, whole, row_cx, cx);
    }
    lines
}

impl TracedCall {
    pub(super) fn of_row(row: &dyn AnyRow, cx: &PaneContext<'_>) -> Option<Self> {
        let KnownCall { transaction, tree, number } = row.known_call(cx.name_cache)?;
        let frame = tree.get(number)?;
        let (label, has_value) = (frame.kind.words(), frame.has_value());
        let trace = KnownTrace::new(tree, &transaction, cx);
        let formatter = trace.formatter();
        let parts = [formatter.call_label(number).line(), formatter.result_text(number)];
        // Without arguments it only repeats the call.
        let has_arguments = |text: &SafeText| !text.ends_with("()");
        let signature = formatter.identifier().signature(number).filter(has_arguments);
        Some(Self { label, text: SafeText::new(parts.join(" ").trim_end()), signature, has_value })
    }
}

/// Replaces call, status and fee in the details of a part, whose transaction has more of them. A part without
/// a fee has it next to the status.
fn replace_lines(
    lines: &mut Vec<(&'static str, SafeText)>,
    whole: &Transaction,
    row_cx: &RowContext<'_>,
    cx: &PaneContext<'_>,
) {
    let call = call_text(whole, cx).map(|call| (CALL_LABEL, SafeText::new(&call)));
    for line in whole.detail_lines(row_cx).into_iter().chain(call) {
        if let Some(replaced) = lines.iter_mut().find(|(label, _)| *label == line.0)
            && matches!(line.0, "call" | "status" | "fee")
        {
            *replaced = line;
        } else if line.0 == "fee"
            && let Some((_, status)) = lines.iter_mut().find(|(label, _)| *label == STATUS_LABEL)
            && let Some(fee) = whole.fee.value()
            && let Some(fee) = short_fee(fee, (cx.format.unit, cx.network))
        {
            *status = SafeText::new(&format!("{status} · fee {fee}"));
        }
    }
}

/// Returns the role of an outcome with its mark.
fn outcome_role(outcome: &str) -> Role {
    match outcome.chars().next() {
        Some('✓') => Role::Ok,
        Some('✗') => Role::Failed,
        Some('!') => Role::Warning,
        _ => Role::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Address;

    #[test]
    fn lines_continue_only_where_the_others_have_space() {
        let texts = |rows| {
            let values = vec![("a", "one two three".to_owned()), ("b", "four".to_owned())];
            let lines = wrap_into(rows, 8, values);
            lines.map(|line| [line.label, line.text.trim_end()].join(":")).collect::<Vec<_>>()
        };
        assert_eq!(texts(2), ["a:one two three", "b:four"], "cut when drawn");
        assert_eq!(texts(3), ["a:one two", ":three", "b:four"]);
        let dotted = wrap_into(2, 8, vec![("a", "one · two".to_owned())]);
        assert_eq!(dotted.map(|line| line.text).collect::<Vec<_>>(), ["one", "two"]);
        let ends = wrap_into(2, 8, vec![("a", "one · two ·".to_owned())]);
        assert_eq!(ends.map(|line| line.text).collect::<Vec<_>>(), ["one", "two ·"], "its own");
        let hash = format!("0x{}", "ab".repeat(32));
        assert_eq!(wrap_into(9, hash.len(), vec![("tx", hash)]).count(), 1, "it has no mark");
    }

    #[test]
    fn only_descriptions_are_dim() {
        let address = Address::ZERO;
        for (label, text, dim) in [
            ("amount", "5 USD (bridged) ($5)".to_owned(), Some(" ($5)")),
            ("amount", "5 USD (bridged)".to_owned(), None),
            ("value", "5 ETH (<$0.01 now)".to_owned(), Some(" (<$0.01 now)")),
            ("v", "5.00 GLD raw 500".to_owned(), Some(" raw 500")),
            ("text", "the raw deal".to_owned(), None),
            ("to", format!("{address} bob.eth"), Some(" bob.eth")),
            ("status", format!("Error({address}, 5)"), None),
        ] {
            let parts = coloured(label, &text, false);
            let found = parts.iter().find(|part| part.role == Role::Dim && !part.text.is_empty());
            assert_eq!(found.map(|part| &*part.text), dim, "{text}");
        }
    }
}

//! An event in one line: `Transfer(from alice · to 0x7099…79C8 · value 2.5 GLD)`.

use super::log_argument::{
    DATA_END_CHARS, HASHED_KIND, LogArgument, MAX_VALUE_COLUMNS, short_name, value_text,
};
use super::log_event::LogEvent;
use crate::chain::hash_abbreviation::keep_ends;
use crate::columns::RowContext;
use crate::ui::address_mark::AddressMark;
use crate::ui::format::cut;
use crate::ui::marked_text::MarkedText;
use crate::ui::theme::Role;

/// Least columns of an event whose sender and receiver have their names.
const MIN_NAMED_COLUMNS: usize = 68;
/// Stands between the arguments of an event. A comma separates thousands.
const ARGUMENT_SEPARATOR: &str = " · ";
/// Stands between sender and receiver where they have no names.
const PARTY_SEPARATOR: &str = " → ";

/// The form of arguments in a line.
#[derive(Debug, Clone, Copy)]
pub struct ArgumentForm {
    /// `true` if the names of addresses are written before them.
    pub has_address_names: bool,
    /// `true` if the names of token amounts are written before them, of a pool's amounts too.
    pub has_amount_names: bool,
    /// `true` if addresses have their marks.
    pub has_marks: bool,
}

impl LogEvent {
    /// Formats the event in one line: `Transfer(from alice · to 0x7099…79C8 · value 2.5 GLD)`, or shorter:
    /// `Transfer(alice → 0x7099…79C8 · value 2.5 GLD)`.
    pub fn summary(&self, cx: &RowContext<'_>, columns: usize) -> Vec<MarkedText> {
        let plain = |text: &'static str| MarkedText::new(text, Role::Plain);
        let name = MarkedText::new(self.title(), Role::Title);
        let form =
            ArgumentForm { has_address_names: true, has_amount_names: true, has_marks: false };
        let whole = self.arguments_line(cx, form, usize::MAX);
        let space = columns.saturating_sub(name.width() + "()".len());
        // All events of a narrow screen have one form.
        let is_wide = columns >= MIN_NAMED_COLUMNS;
        let fits = whole.iter().map(MarkedText::width).sum::<usize>() <= space;
        let arguments = if is_wide && fits {
            whole
        } else {
            self.arguments_line(cx, ArgumentForm { has_address_names: false, ..form }, space)
        };
        [name, plain("(")].into_iter().chain(arguments).chain([plain(")")]).collect()
    }

    /// Formats the arguments for a line, as many as fit into its columns: `from alice · value 2.5 GLD`. A
    /// pool's zero amounts, of what did not move, are left out where others are shortened.
    pub fn arguments_line(
        &self,
        cx: &RowContext<'_>,
        form: ArgumentForm,
        width: usize,
    ) -> Vec<MarkedText> {
        let (line, is_whole) = self.fitting_arguments(cx, form, width);
        if is_whole || form.has_address_names {
            return line;
        }
        // Without the names of the amounts, there may be space for the recipient.
        let unnamed = ArgumentForm { has_amount_names: false, ..form };
        let (shorter, is_whole) = self.fitting_arguments(cx, unnamed, width);
        if is_whole { shorter } else { line }
    }

    /// Returns the arguments that fit, and `true` unless the recipient of a pool's amounts does not.
    fn fitting_arguments(
        &self,
        cx: &RowContext<'_>,
        form: ArgumentForm,
        width: usize,
    ) -> (Vec<MarkedText>, bool) {
        let mut line: Vec<MarkedText> = Vec::new();
        let mut left = width;
        let mut before: Option<&LogArgument> = None;
        let shown = self.arguments_in_order(cx);
        let is_of_pool = shown.iter().any(|one| one.pool_token.is_some());
        let recipient = shown.iter().position(|one| is_of_pool && one.is_recipient());
        for (n, argument) in shown.into_iter().enumerate() {
            // An arrow leads to the recipient of what a pool moved.
            let is_led_to = recipient == Some(n) && !cx.is_in_full();
            let has_address_names = form.has_address_names && !is_led_to;
            let form = ArgumentForm { has_address_names, ..form };
            let separator = before.map(|before| separator(before, argument, form));
            let gap = separator.as_ref().map_or(0, MarkedText::width);
            let parts = self.argument_parts(argument, cx, form);
            let space = left.saturating_sub(gap);
            let Some(parts) = fit_argument(parts, argument, space) else {
                let left_out = if line.is_empty() { "…" } else { " …" };
                line.push(MarkedText::new(left_out, Role::Dim));
                return (line, recipient.is_none_or(|recipient| recipient < n));
            };
            left = space.saturating_sub(parts.iter().map(MarkedText::width).sum());
            line.extend(separator.into_iter().chain(parts));
            before = Some(argument);
        }
        (line, true)
    }

    /// Returns the arguments for a line: of a pool what it moved, to whom, and the rest with the owner, without
    /// the sender, which is mostly a router. A line in full leaves out nothing.
    fn arguments_in_order(&self, cx: &RowContext<'_>) -> Vec<&LogArgument> {
        let mut arguments: Vec<_> = self.arguments.iter().collect();
        let has_recipient = arguments.iter().any(|one| one.is_recipient());
        if cx.is_in_full() || !arguments.iter().any(|one| one.pool_token.is_some()) {
            return arguments;
        }
        arguments.retain(|one| {
            if one.pool_token.is_some() {
                return &*one.value != "0";
            }
            let is_party = one.is_recipient() || &*one.name == "owner";
            is_party || one.address().is_none() || !has_recipient
        });
        arguments.sort_by_key(|one| (one.pool_token.is_none(), !one.is_recipient()));
        arguments
    }

    /// Returns the name of an argument and its value.
    fn argument_parts(
        &self,
        argument: &LogArgument,
        cx: &RowContext<'_>,
        form: ArgumentForm,
    ) -> Vec<MarkedText> {
        let address = argument.address();
        let amount = self.amount(argument, cx).filter(|_| !cx.is_in_full());
        let is_amount = argument.pool_token.is_some() || amount.is_some();
        let is_named = match address {
            Some(_) => form.has_address_names,
            None => form.has_amount_names || !is_amount,
        };
        // Without the tokens of a pool, names are needed.
        let has_sign = amount.is_some() && !argument.pool_sign.is_empty();
        let has_name = is_named && !argument.name.is_empty() && !has_sign;
        let name = has_name.then(|| MarkedText::new([&argument.name, " "].concat(), Role::Dim));
        let mark = address.filter(|_| form.has_marks && cx.format.address_marks);
        let role = match (&amount, address) {
            (_, Some(_)) => Role::Link,
            (Some(_), _) => Role::Value,
            _ => Role::Plain,
        };
        let value = match (address, &argument.structure) {
            (Some(address), _) => short_name(&address, cx),
            _ if cx.is_in_full() && &*argument.kind == HASHED_KIND => {
                format!("{HASHED_KIND} {}", argument.value)
            }
            _ if cx.is_in_full() => argument.value.to_string(),
            (_, Some(structure)) => value_text(structure, cx),
            _ if &*argument.kind == HASHED_KIND => {
                let known = self.hashed_text(argument, cx.name_cache);
                let text = known.map(|text| format!("\"{}\"", cut(&text, MAX_VALUE_COLUMNS)));
                let hash = || keep_ends(&argument.value, DATA_END_CHARS, DATA_END_CHARS);
                format!("{HASHED_KIND} {}", text.unwrap_or_else(hash))
            }
            _ => {
                let sign = if has_name { "" } else { argument.pool_sign };
                let unsigned = amount.unwrap_or_else(|| argument.short_value(cx));
                [sign, &unsigned].concat()
            }
        };
        let value = MarkedText {
            mark: mark.map(|address| AddressMark::new(&address)),
            ..MarkedText::new(value, role)
        };
        name.into_iter().chain([value]).collect()
    }
}

/// Returns the separator of two arguments.
fn separator(before: &LogArgument, argument: &LogArgument, form: ArgumentForm) -> MarkedText {
    let leads_to = &*before.name == "from" && &*argument.name == "to"
        || before.pool_token.is_some() && argument.is_recipient();
    let is_path = leads_to && !form.has_address_names;
    MarkedText::new(if is_path { PARTY_SEPARATOR } else { ARGUMENT_SEPARATOR }, Role::Dim)
}

/// Returns the name of an argument and its value, or the value alone where both do not fit. Text may be cut:
/// of a number or an address that does not fit, there is none.
fn fit_argument(
    mut parts: Vec<MarkedText>,
    argument: &LogArgument,
    space: usize,
) -> Option<Vec<MarkedText>> {
    let fits = |parts: &[MarkedText]| parts.iter().map(MarkedText::width).sum::<usize>() <= space;
    if fits(&parts) || !argument.is_kept_whole() {
        return Some(parts);
    }
    let value = parts.split_off(parts.len().saturating_sub(1));
    fits(&value).then_some(value)
}

//! The name of a call in a comparison, in both traces if they differ.

use std::fmt;

use crate::ui::format::width;
use crate::ui::text::fit_text;

/// The name of a row's call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RowName {
    Common(String),
    /// The names in the two traces.
    Different([String; 2]),
}

impl RowName {
    /// Joins the names of a call in two traces. Common parts stand once: the function, and `…` for arguments.
    pub(super) fn join(left: String, right: String) -> Self {
        if left == right {
            return Self::Common(right);
        }
        match split_call(&left).zip(split_call(&right)) {
            Some(((function, left), (other, right))) if function == other => {
                Self::Common(format!("{function}({})", join_arguments(left, right)))
            }
            _ => Self::Different([left, right]),
        }
    }

    /// Cuts the name to some columns. Of two names, both remain visible.
    pub(super) fn fit(self, columns: usize) -> String {
        let (Self::Common(name) | Self::Different([name, _])) = &self;
        if width(&self.to_string()) <= columns || matches!(self, Self::Common(_)) {
            return fit_text(self.to_string(), columns);
        }
        let Self::Different(names) = &self else { return name.clone() };
        let [left, right] = names.each_ref().map(|name| match split_call(name) {
            Some((function, _)) => format!("{function}(…)"),
            None => name.clone(),
        });
        let shown = Self::Different([left, right]);
        if width(&shown.to_string()) <= columns {
            return shown.to_string();
        }
        // The header has contracts and recipients.
        let [left, right] = names.each_ref().map(|name| bare_name(name).to_owned());
        let space = columns.saturating_sub(width(&Self::Different(<_>::default()).to_string()));
        let left = fit_text(left, space.saturating_sub(width(&right).min(space / 2)));
        let right = fit_text(right, space.saturating_sub(width(&left)));
        Self::Different([left, right]).to_string()
    }
}

impl fmt::Display for RowName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Common(name) => f.write_str(name),
            Self::Different([left, right]) => write!(f, "A {left} · B {right}"),
        }
    }
}

/// Returns the function and the arguments of a call.
fn split_call(name: &str) -> Option<(&str, &str)> {
    let (function, arguments) = name.split_once('(')?;
    Some((function, arguments.strip_suffix(')')?))
}

/// Returns the function of a call, or the amount that it sends.
fn bare_name(name: &str) -> &str {
    match split_call(name) {
        Some((function, _)) => function.rsplit_once('.').map_or(function, |(_, own)| own),
        None => name.split_once(" → ").map_or(name, |(sent, _)| sent),
    }
}

fn join_arguments(left: &str, right: &str) -> String {
    let [lefts, rights] = [left, right].map(split_arguments);
    if lefts.len() != rights.len() {
        return format!("A {left} · B {right}");
    }
    let mut shown: Vec<String> = Vec::new();
    for (left, right) in lefts.into_iter().zip(rights) {
        if left != right {
            shown.push(format!("{left} → {right}"));
        } else if shown.last().is_none_or(|last| last != "…") {
            shown.push("…".into());
        }
    }
    shown.join(", ")
}

/// Splits arguments at commas outside of brackets. Amounts have commas without a space.
fn split_arguments(arguments: &str) -> Vec<String> {
    let mut depth = 0_i32;
    let mut found: Vec<String> = Vec::new();
    for piece in arguments.split(", ") {
        match found.last_mut().filter(|_| depth > 0) {
            Some(last) => last.extend([", ", piece]),
            None => found.push(piece.to_owned()),
        }
        let count = |brackets: [char; 3]| piece.matches(brackets).count();
        let [opened, closed] = [count(['(', '[', '{']), count([')', ']', '}'])];
        depth += i32::try_from(opened).unwrap_or(0) - i32::try_from(closed).unwrap_or(0);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_arguments_are_left_out() {
        for (left, right, joined) in [
            ("A.f(1, 2)", "A.f(1, 2)", "A.f(1, 2)"),
            ("A.f(1, 2, 3)", "A.f(1, 2, 4)", "A.f(…, 3 → 4)"),
            ("A.f((1, 2), [3, 4], 5)", "A.f((1, 9), [3, 4], 5)", "A.f((1, 2) → (1, 9), …)"),
            ("A.f(x, 2,487.78)", "A.f(x, 2,490)", "A.f(…, 2,487.78 → 2,490)"),
            ("A.f(1)", "A.f(1, 2)", "A.f(A 1 · B 1, 2)"),
            ("A.f(1)", "B.f(1)", "A A.f(1) · B B.f(1)"),
            ("A", "B.f(1)", "A A · B B.f(1)"),
        ] {
            assert_eq!(RowName::join(left.into(), right.into()).to_string(), joined);
        }
    }

    #[test]
    fn both_of_two_names_remain_visible() {
        let names = || RowName::join("Glass Items.mint(1, 2, 3)".into(), "alice.eth".into());
        for (columns, shown) in [
            (50, "A Glass Items.mint(1, 2, 3) · B alice.eth"),
            (38, "A Glass Items.mint(…) · B alice.eth"),
            (26, "A mint · B alice.eth"),
        ] {
            assert_eq!(names().fit(columns), shown);
        }
    }
}

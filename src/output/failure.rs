//! The failure of a transaction below its printed trace, as on its page: the source with the failing line
//! marked, and a line for each call that failed with the transaction.

use super::with_progress;
use crate::abi::SignatureDb;
use crate::api::failure_line::{FailureStack, StackCall};
use crate::api::{ApiError, Query, TransactionQuery};
use crate::app_message::Priority;
use crate::calls::failing_source::{StackFrame, failing_frame};
use crate::chain::{Address, TxHash};
use crate::messages::prompt;
use crate::messages::transaction::FailureNote;
use crate::name_cache::NameCache;
use crate::net::provider::Provider;
use crate::trace::CallOutcome;
use crate::ui::format::width;

/// A line of text, and the outcome that its style is for.
type FailureText = (CallOutcome, String);

/// Fetches the stack of a failed transaction from a node, which alone has it.
pub(super) async fn fetch_stack(
    provider: &Provider,
    transaction: TxHash,
) -> Option<Result<FailureStack, ApiError>> {
    let query = Query::Transaction(transaction, TransactionQuery::FailureStack);
    let response = provider.fetch(&query, None, Priority::Interactive);
    match with_progress(provider, response).await {
        Ok(reply) => reply.get::<FailureStack>().cloned().map(Ok),
        Err(error) => Some(Err(error)),
    }
}

/// Returns the reason why no line of the source is known.
pub(super) fn failure_note(stack: &Result<FailureStack, ApiError>) -> Option<FailureNote> {
    let calls = match stack {
        Ok(stack) => stack.calls.value()?,
        Err(error) => return Some(FailureNote::NoStack(error.to_string().into())),
    };
    let has_line = calls.iter().any(|call| call.line.value().is_some());
    let problem = calls.last().and_then(|call| call.problem.value());
    problem.filter(|_| !has_line).map(|why| FailureNote::NoLine(why.clone()))
}

/// Returns the source and the stack, after a blank line each, or nothing if no line is known.
pub(super) fn failure_lines(
    calls: &[StackCall],
    names: &NameCache,
    signatures: &SignatureDb,
) -> Vec<FailureText> {
    let plain = |line: String| (CallOutcome::Succeeded, line);
    let name = |contract: &Address| {
        names.short_name(contract).map_or_else(|| contract.to_string(), String::from)
    };
    let (of_calls, frames): (Vec<&StackCall>, Vec<StackFrame<'_>>) = calls
        .iter()
        .flat_map(|call| {
            let called = call.qualified_function(name, signatures);
            call.frames(&called).into_iter().map(move |frame| (call, frame))
        })
        .unzip();
    let Some(StackFrame { source, .. }) = failing_frame(&frames) else { return Vec::new() };
    let code = source.lines().map(|(number, text)| {
        if source.is_failing(number) {
            (CallOutcome::Failed, format!("{number:>5} ✗ {text}"))
        } else {
            plain(format!("{number:>5}   {text}"))
        }
    });
    let rows: Vec<[String; 3]> =
        of_calls.iter().zip(&frames).map(|(call, frame)| stack_row(call, frame)).collect();
    let [places, functions] = [0, 1].map(|n| rows.iter().map(|row| width(&row[n])).max());
    let padding = |text: &str, columns: Option<usize>| {
        " ".repeat(columns.unwrap_or_default().saturating_sub(width(text)))
    };
    let stack = rows.iter().map(|[place, function, code]| {
        let (gap, next_gap) = (padding(place, places), padding(function, functions));
        plain(format!("  {place}{gap}  {function}{next_gap}  {code}").trim_end().to_owned())
    });
    let title = |title: &str| [plain(String::new()), plain(title.to_owned())];
    let source = title(prompt::SOURCE).into_iter().chain(code);
    source.chain(title(prompt::STACK)).chain(stack).collect()
}

/// Returns the place, the function, and the code there or the reason why it is unknown.
fn stack_row(call: &StackCall, frame: &StackFrame<'_>) -> [String; 3] {
    let code = frame.source.failing_text().or(call.problem.value().map(|why| &**why));
    let place = frame.place().unwrap_or_else(|| "?".to_owned());
    [place, frame.function.clone(), code.unwrap_or_default().to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn note_has_the_problem_of_the_innermost_call_unless_a_line_is_known() {
        let note = |outer: &str| {
            let stack =
                format!(r#"{{"calls":[{{{outer}"problem":"outer"}},{{"problem":"innermost"}}]}}"#);
            let query = Query::Transaction(TxHash::ZERO, TransactionQuery::FailureStack);
            let reply = query.decode(stack.as_bytes(), None).unwrap();
            let stack = reply.get::<FailureStack>().unwrap().clone();
            failure_note(&Ok(stack)).map(|note| note.to_string())
        };
        assert_eq!(note("").as_deref(), Some("? source line: innermost"));
        assert_eq!(note(r#""line":7,"#), None);
    }
}

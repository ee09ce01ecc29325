//! JSON as the server sent it, as a tree that folds: any row with all its fields, and a transaction's
//! raw trace.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::Cx;
use super::detail::{Detail, Detailed, Shown};
use crate::api::address::AddressRef;
use crate::api::{Query, Reply};
use crate::chain::{Address, TxHash};
use crate::msg::Action;
use crate::sanitize::{Text, json_line};
use crate::ui::document::Entry;
use crate::ui::json_view;

/// The raw trace of a transaction, asked for when it is first looked at.
pub fn trace(transaction: TxHash) -> Detail {
    let title = format!("raw trace of {transaction}");
    Detail::asked(Query::RawTrace(transaction), title.into(), take)
}

/// A row of a list with every field that the server sent of it.
pub fn row(raw: &Arc<RawValue>) -> Detail {
    Detail::of(shown("row", raw.clone()), None)
}

fn take(reply: Reply) -> Option<Shown> {
    match reply {
        Reply::RawTrace(raw) => Some(shown("trace", raw)),
        _ => None,
    }
}

fn shown(label: &'static str, raw: Arc<RawValue>) -> Shown {
    Shown { read: Ok(Box::new(Json { label, raw })), raw: None }
}

/// JSON of any shape.
#[derive(Debug)]
struct Json {
    label: &'static str,
    raw: Arc<RawValue>,
}

impl Detailed for Json {
    fn entries(&self, _: &Cx<'_>) -> Vec<Entry> {
        json_view::tree(self.label, &self.raw)
    }

    fn copy(&self, action: Action, _: Option<Address>) -> Option<(&'static str, Option<Text>)> {
        let line = || Text::new(&json_line(self.raw.get()));
        (action == Action::CopyJson).then(|| ("JSON", Some(line())))
    }

    fn parties(&self) -> Vec<&AddressRef> {
        Vec::new()
    }
}

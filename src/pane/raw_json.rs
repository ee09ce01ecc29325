//! JSON as the server sent it, as a tree that folds: any row with all its fields, and a transaction's
//! raw trace.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::PaneContext;
use super::detail::{DetailPane, DetailSource, LoadedDetail};
use crate::api::address::AddressRef;
use crate::api::{Query, Reply};
use crate::chain::{Address, TxHash};
use crate::columns::CopyValue;
use crate::msg::Action;
use crate::sanitize::json_line;
use crate::ui::document::DocumentEntry;
use crate::ui::json_view;

/// The raw trace of a transaction, asked for when it is first looked at.
pub fn trace(transaction: TxHash) -> DetailPane {
    let title = format!("raw trace of {transaction}");
    DetailPane::from_query(Query::RawTrace(transaction), title.into(), load_trace)
}

/// A row of a list with every field that the server sent of it.
pub fn row(raw: &Arc<RawValue>) -> DetailPane {
    DetailPane::from_loaded(loaded_json("row", raw.clone()), None)
}

fn load_trace(reply: Reply) -> Option<LoadedDetail> {
    match reply {
        Reply::RawTrace(raw) => Some(loaded_json("trace", raw)),
        _ => None,
    }
}

fn loaded_json(label: &'static str, raw: Arc<RawValue>) -> LoadedDetail {
    LoadedDetail { source: Ok(Box::new(RawJson { label, raw })), raw: None }
}

/// JSON of any shape.
#[derive(Debug)]
struct RawJson {
    label: &'static str,
    raw: Arc<RawValue>,
}

impl DetailSource for RawJson {
    fn entries(&self, _: &PaneContext<'_>) -> Vec<DocumentEntry> {
        json_view::json_entries(self.label, &self.raw)
    }

    fn copy_value(&self, action: Action, _: Option<Address>) -> Option<CopyValue> {
        let json = || Some(json_line(self.raw.get()));
        (action == Action::CopyJson).then(|| CopyValue::new(action, "JSON", json()))
    }

    fn parties(&self) -> Vec<&AddressRef> {
        Vec::new()
    }

    fn is_json(&self) -> bool {
        true
    }
}

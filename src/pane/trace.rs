//! A transaction's raw trace, as the chain's node gave it: a tree of JSON that folds.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::Cx;
use super::detail::{Detail, Detailed, Shown};
use crate::api::address::AddressRef;
use crate::api::{Query, Reply};
use crate::chain::{Address, TxHash};
use crate::msg::Action;
use crate::text::Text;
use crate::ui::document::Entry;
use crate::ui::json;

/// The raw trace of a transaction, asked for when it is first looked at.
pub fn of(transaction: TxHash) -> Detail {
    let title = format!("raw trace of {transaction}");
    Detail::asked(Query::RawTrace(transaction), title.into(), take)
}

fn take(reply: Reply) -> Option<Shown> {
    match reply {
        Reply::RawTrace(raw) => Some(Shown { read: Ok(Box::new(RawTrace(raw))), raw: None }),
        _ => None,
    }
}

/// A trace of any dialect.
#[derive(Debug)]
struct RawTrace(Arc<RawValue>);

impl Detailed for RawTrace {
    fn entries(&self, _: &Cx<'_>) -> Vec<Entry> {
        json::tree("trace", &self.0)
    }

    fn copy(&self, action: Action, _: Option<Address>) -> Option<(&'static str, Option<Text>)> {
        let line = || Text::new(&crate::text::json_line(self.0.get()));
        (action == Action::CopyJson).then(|| ("raw trace", Some(line())))
    }

    fn parties(&self) -> Vec<&AddressRef> {
        Vec::new()
    }
}

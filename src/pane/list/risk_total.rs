//! The usual order of a list: approvals by what they put at risk, with its sum, transactions by their indices,
//! and state changes by the transfers of their accounts.

use super::ListPane;
use super::rows::order::RowOrder;
use crate::api::ListSubject;
use crate::api::approvals::Approval;
use crate::api::page::paged_rows::TailState;
use crate::api::state_changes::StateChange;
use crate::chain::fiat_value::FiatValue;
use crate::columns::ListRow;
use crate::columns::approvals::{AT_RISK_TITLE, total_at_risk};
use crate::columns::transactions::INDEX_TITLE;
use crate::messages::approvals::RiskTotal;

/// The value at risk by the loaded rows, added up when a page arrives.
#[derive(Debug)]
pub(super) struct LoadedRisks {
    dollars: FiatValue,
    /// `true` if the value of a row is not known exactly.
    has_unknown: bool,
    /// The number of rows that can be read.
    read: usize,
}

impl ListPane {
    /// Returns the order of rows until the user sorts them, if it is not the explorer's.
    pub(super) fn usual_order(&self) -> Option<RowOrder> {
        let column = |title| self.kind.columns.iter().position(|column| column.title == title);
        if self.query.has_risks() {
            return Some(RowOrder::usual(column(AT_RISK_TITLE)?, true));
        }
        if self.kind.list_name == StateChange::LIST_NAME {
            return Some(RowOrder::accounts());
        }
        // The explorer's order is from the last to the first, which is no order of a part of them.
        let is_block = self.query.subject() == ListSubject::Block;
        let is_all = *self.paged.tail() == TailState::End;
        (is_block && is_all).then(|| Some(RowOrder::usual(column(INDEX_TITLE)?, false)))?
    }

    /// Adds up the values at risk, after the rows have changed.
    pub(super) fn add_up_risks(&mut self) {
        self.risks = self.query.has_risks().then(|| {
            let read = self.parsed_rows::<Approval>().count();
            let (dollars, has_unknown) = total_at_risk(self.parsed_rows());
            LoadedRisks { dollars, has_unknown, read }
        });
    }

    /// Returns the value of what the loaded rows put at risk.
    pub(super) fn risk_total(&self) -> Option<RiskTotal> {
        if self.filter.text().is_some() {
            return None;
        }
        let LoadedRisks { dollars, has_unknown, read } = self.risks.as_ref()?;
        let is_all = *self.paged.tail() == TailState::End
            && self.paged.coverage().is_none()
            && *read == self.paged.rows().len();
        let is_least = *has_unknown || !is_all;
        let dollars = (!is_least || !dollars.is_zero()).then(|| dollars.readable())?;
        Some(if is_least { RiskTotal::AtLeast { dollars } } else { RiskTotal::Exactly { dollars } })
    }
}

//! The sum of what the loaded approvals of a list put at risk.

use super::ListPane;
use crate::api::approvals::Approval;
use crate::api::page::paged_rows::TailState;
use crate::chain::fiat_value::FiatValue;
use crate::columns::approvals::total_at_risk;
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

//! Cells with addresses, in lines of cells.

use crate::chain::Address;
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::target::TargetKind;
use crate::pane::PaneContext;
use crate::safety::name_marks::is_quoted;
use crate::ui::address_mark::AddressMark;
use crate::ui::document::{EntryCell, EntryLink};
use crate::ui::format::cut;
use crate::ui::theme::Role;

/// Maximum columns of a name.
const MAX_NAME_COLUMNS: usize = 24;

impl PaneContext<'_> {
    /// Returns the name of an address, or its ends.
    pub fn short_name(&self, address: &Address) -> String {
        match self.name_cache.short_name(address) {
            Some(name) if is_quoted(&name) => {
                format!("{} {}", cut(&name, MAX_NAME_COLUMNS), abbreviate(address))
            }
            Some(name) => cut(&name, MAX_NAME_COLUMNS).into_owned(),
            None => abbreviate(address),
        }
    }

    /// Returns the mark of an address, unless marks are turned off.
    pub fn address_mark(&self, address: &Address) -> Option<AddressMark> {
        self.format.address_marks.then(|| AddressMark::new(address))
    }

    /// Returns a cell that leads to an address.
    pub fn address_cell(&self, address: Address) -> EntryCell {
        let link = EntryLink::Target(TargetKind::Address(address));
        let mut cell = EntryCell::new(self.short_name(&address), Role::Link).link(link);
        cell.cell.mark = self.address_mark(&address);
        cell
    }
}

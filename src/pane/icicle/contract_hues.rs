//! The hues of contracts in the views that draw calls as blocks.
//!
//! A contract has the hue of its mark, so that it is recognised in every view, unless a block of another
//! contract took that hue before.

use crate::chain::Address;
use crate::ui::address_mark::AddressMark;
use crate::ui::theme::FILL_HUE_COUNT;

/// Hues of the contracts on a screen: the own hue of each, or the next that no other has.
#[derive(Debug, Default)]
pub struct ContractHues {
    taken: [Option<Address>; FILL_HUE_COUNT],
}

impl ContractHues {
    /// Returns the number of a hue for [`hue_fill`](crate::ui::theme::Styles::hue_fill). Contracts take theirs
    /// in the order of the calls of this function; when none is left, two may share one.
    pub fn number(&mut self, contract: &Address) -> usize {
        // Blocks have the hues of marks but the first and the last.
        let own = AddressMark::new(contract).hue().clamp(1, FILL_HUE_COUNT) - 1;
        let mut slots = (0..FILL_HUE_COUNT).map(|n| (own + n) % FILL_HUE_COUNT);
        let is_free_or_own = |slot: &usize| {
            self.taken.get(*slot).is_some_and(|owner| owner.is_none_or(|owner| owner == *contract))
        };
        let slot = slots.find(is_free_or_own).unwrap_or(own % FILL_HUE_COUNT);
        if let Some(owner) = self.taken.get_mut(slot) {
            owner.get_or_insert(*contract);
        }
        slot
    }
}

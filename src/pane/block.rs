//! The pane of one block.

use std::sync::Arc;

use super::PaneContext;
use super::detail::field_entries::{
    address_entry, coin_entry, display_entry, field_entry, gas_price_entry, gather_absent,
    number_entry, time_entry,
};
use super::detail::{DetailPane, DetailRequest, DetailSource, LoadedDetail};
use super::transaction::push_block_fields;
use crate::api::endpoints::block::Block;
use crate::api::{BlockQuery, Field, Item, Query, Reply};
use crate::chain::amount::Grouped;
use crate::chain::{B256, BlockId, U256};
use crate::columns::table::any_row::AnyRow;
use crate::messages::page::PageMessage;
use crate::sanitize::SafeText;
use crate::ui::charts::gauge;
use crate::ui::document::DocumentEntry;
use crate::ui::theme::Role;

pub fn from_id(id: BlockId) -> DetailPane {
    let request = DetailRequest { query: Query::Block(id, BlockQuery::Details), load: load_detail };
    DetailPane::from_query(request, SafeText::new(&format!("block {id}")))
}

fn load_detail(_: &Query, reply: &Reply, _: &PaneContext<'_>) -> Option<LoadedDetail> {
    let item = reply.item::<Block>()?;
    Some(LoadedDetail::of_item(item, |_| BlockDetail(item.clone())))
}

#[derive(Debug)]
struct BlockDetail(Arc<Item<Block>>);

impl DetailSource for BlockDetail {
    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let Ok(block) = &self.0.parsed else { return Vec::new() };
        let mut entries = identity_entries(block, cx);
        let contents = content_entries(block).into_iter().chain(fee_entries(block, cx));
        let is_empty = block.transactions_count.value() == Some(&0);
        entries.extend(if is_empty {
            gather_zeros(contents)
        } else {
            contents.map(|content| content.entry).collect()
        });
        entries.extend(consensus_entries(block));
        let mut entries = gather_absent(entries);
        push_block_fields(block, cx, &mut entries);
        entries
    }

    fn row(&self) -> Option<&dyn AnyRow> {
        Some(self.0.parsed.as_ref().ok()?)
    }
}

fn identity_entries(block: &Block, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
    let hash = |hash: &B256| DocumentEntry::text("hash", hash.to_string());
    let is_main = block.kind.value().is_none_or(|kind| kind == "block");
    let mut entries = vec![
        number_entry("block", &block.number).role(Role::Title),
        field_entry("hash", &block.hash, |block_hash| hash(block_hash).role(Role::Accent)),
        field_entry("parent", &block.parent_hash, |parent| {
            DocumentEntry::text("parent", parent.to_string()).link_block(BlockId::Hash(*parent))
        }),
        time_entry("time", &block.timestamp, cx),
        address_entry("fee recipient", &block.miner, cx),
    ];
    if !is_main {
        entries.insert(1, display_entry("kind", &block.kind).role(Role::Warning));
    }
    entries
}

/// An entry of what a block contains, or of its limits and prices.
struct BlockContent {
    entry: DocumentEntry,
    /// `true` if it counts what the block does not contain.
    is_none: bool,
}

impl BlockContent {
    fn counted<T: Default + PartialEq>(entry: DocumentEntry, count: &Field<T>) -> Self {
        Self { entry, is_none: count.value().is_some_and(|count| *count == T::default()) }
    }

    fn other(entry: DocumentEntry) -> Self {
        Self { entry, is_none: false }
    }
}

/// Replaces what an empty block does not contain by a line that names it.
fn gather_zeros(contents: impl Iterator<Item = BlockContent>) -> Vec<DocumentEntry> {
    let (zeros, others): (Vec<_>, Vec<_>) = contents.partition(|content| content.is_none);
    let labels: Vec<&str> = zeros.iter().map(|content| &*content.entry.label).collect();
    let none = DocumentEntry::text("none", labels.join(", ")).copy("");
    std::iter::once(none).chain(others.into_iter().map(|content| content.entry)).collect()
}

fn content_entries(block: &Block) -> [BlockContent; 4] {
    let count =
        |label, count: &Field<u64>| BlockContent::counted(number_entry(label, count), count);
    let size = field_entry("size", &block.size, |bytes| {
        let shown = format!("{} bytes", Grouped(bytes));
        DocumentEntry::text("size", shown).copy(bytes.to_string())
    });
    [
        count("tx", &block.transactions_count),
        count("internal", &block.internal_transactions_count),
        count("withdrawals", &block.withdrawals_count),
        BlockContent::other(size),
    ]
}

fn fee_entries(block: &Block, cx: &PaneContext<'_>) -> [BlockContent; 6] {
    let used = field_entry("gas used", &block.gas_used, |used| {
        let percent = block.gas_percent();
        let share = percent
            .map(|percent| format!(" {}", PageMessage::ShareOfLimit { percent }))
            .unwrap_or_default();
        let bar = percent.map(|percent| format!("  {}", gauge(percent))).unwrap_or_default();
        let shown = Grouped(used).to_string() + &share + &bar;
        DocumentEntry::text("gas used", shown).copy(used.to_string())
    });
    let coin =
        |label, amount: &Field<U256>| BlockContent::counted(coin_entry(label, amount, cx), amount);
    [
        BlockContent::other(used),
        BlockContent::other(number_entry("gas limit", &block.gas_limit)),
        BlockContent::other(gas_price_entry("base fee", &block.base_fee)),
        coin("fees", &block.fees),
        coin("tips", &block.priority_fee),
        coin("burnt", &block.burnt_fees),
    ]
}

fn consensus_entries(block: &Block) -> [DocumentEntry; 3] {
    [
        display_entry("difficulty", &block.difficulty),
        display_entry("total difficulty", &block.total_difficulty),
        display_entry("nonce", &block.nonce),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_and_limits_of_an_empty_block_have_lines_of_their_own() {
        let entry = |label: &str| DocumentEntry::text(label, "0").copy("0");
        let contents = [
            BlockContent::counted(entry("tx"), &Field::Present(0_u64)),
            BlockContent::counted(entry("fees"), &Field::<U256>::Invalid("?".into())),
            BlockContent::other(entry("base fee")),
        ];
        let entries = gather_zeros(contents.into_iter());
        let labels: Vec<&str> = entries.iter().map(|entry| &*entry.label).collect();
        assert_eq!(labels, ["none", "fees", "base fee"]);
    }
}

//! The pane of one block.

use std::sync::Arc;

use super::PaneContext;
use super::detail::field_entries::{
    address_entry, coin_entry, gas_price_entry, number_entry, time_entry,
};
use super::detail::field_entries::{display_entry, field_entry, gather_absent};
use super::detail::{DetailPane, DetailRequest, DetailSource, LoadedDetail};
use super::transaction::push_block_fields;
use crate::api::endpoints::block::Block;
use crate::api::{BlockQuery, Item, Query, Reply};
use crate::chain::amount::Grouped;
use crate::chain::{B256, BlockId};
use crate::columns::table::any_row::AnyRow;
use crate::messages::page::PageMessage;
use crate::sanitize::SafeText;
use crate::ui::charts::gauge;
use crate::ui::document::{CopyText, DocumentEntry};
use crate::ui::theme::Role;

const GAS_USED_LABEL: &str = "gas used";

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
        let content = content_entries(block).into_iter().chain(fee_entries(block, cx));
        let is_empty = block.transactions_count.value() == Some(&0);
        entries.extend(if is_empty { gather_zeros(content) } else { content.collect() });
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

/// Replaces the zeros of an empty block, except its gas, by a line that names them.
fn gather_zeros(entries: impl Iterator<Item = DocumentEntry>) -> Vec<DocumentEntry> {
    let is_zero = |entry: &DocumentEntry| {
        let copied = matches!(&entry.copy, Some(CopyText::Text(copied)) if *copied == "0");
        copied && entry.label != GAS_USED_LABEL
    };
    let (zeros, others): (Vec<_>, Vec<_>) = entries.partition(is_zero);
    let labels: Vec<&str> = zeros.iter().map(|entry| &*entry.label).collect();
    let empty = DocumentEntry::text("empty", labels.join(", ")).copy("");
    std::iter::once(empty).chain(others).collect()
}

fn content_entries(block: &Block) -> [DocumentEntry; 4] {
    [
        number_entry("tx", &block.transactions_count),
        number_entry("internal", &block.internal_transactions_count),
        number_entry("withdrawals", &block.withdrawals_count),
        field_entry("size", &block.size, |bytes| {
            let shown = format!("{} bytes", Grouped(bytes));
            DocumentEntry::text("size", shown).copy(bytes.to_string())
        }),
    ]
}

fn fee_entries(block: &Block, cx: &PaneContext<'_>) -> [DocumentEntry; 6] {
    let used = field_entry(GAS_USED_LABEL, &block.gas_used, |used| {
        let percent = block.gas_percent();
        let share = percent
            .map(|percent| format!(" {}", PageMessage::ShareOfLimit { percent }))
            .unwrap_or_default();
        let bar = percent.map(|percent| format!("  {}", gauge(percent))).unwrap_or_default();
        let shown = Grouped(used).to_string() + &share + &bar;
        DocumentEntry::text(GAS_USED_LABEL, shown).copy(used.to_string())
    });
    [
        used,
        number_entry("gas limit", &block.gas_limit),
        gas_price_entry("base fee", &block.base_fee),
        coin_entry("fees", &block.fees, cx),
        coin_entry("tips", &block.priority_fee, cx),
        coin_entry("burnt", &block.burnt_fees, cx),
    ]
}

fn consensus_entries(block: &Block) -> [DocumentEntry; 3] {
    [
        display_entry("difficulty", &block.difficulty),
        display_entry("total difficulty", &block.total_difficulty),
        display_entry("nonce", &block.nonce),
    ]
}

//! The newest transfers of an NFT, on its page.

use crate::api::token_transfers::TokenTransfer;
use crate::api::{ApiError, Next, ReplyResult};
use crate::chain::target::TargetKind;
use crate::columns::cells::token_amount::token_amount;
use crate::pane::PaneContext;
use crate::ui::document::{DocumentEntry, EntryLink};
use crate::ui::theme::Role;

/// Maximum transfers on the page. All are in a tab.
const MAX_SHOWN_TRANSFERS: usize = 8;

/// The first page of the transfers of an NFT.
#[derive(Debug, Default)]
pub(super) enum NewestTransfers {
    #[default]
    Unasked,
    Known {
        newest: Vec<TokenTransfer>,
        has_more: bool,
    },
    Failed(ApiError),
}

impl NewestTransfers {
    pub(super) fn is_unasked(&self) -> bool {
        matches!(self, Self::Unasked)
    }

    pub(super) fn failure(&self) -> Option<&ApiError> {
        if let Self::Failed(error) = self { Some(error) } else { None }
    }

    pub(super) fn add(&mut self, reply: ReplyResult) {
        *self = match reply.map(|reply| reply.page::<TokenTransfer>()) {
            Ok(None) => return,
            Ok(Some(page)) => {
                let known = page.items.iter().filter_map(|item| item.parsed.as_ref().ok());
                let newest: Vec<_> = known.take(MAX_SHOWN_TRANSFERS).cloned().collect();
                let has_more = newest.len() < page.items.len() || page.next != Next::End;
                Self::Known { newest, has_more }
            }
            Err(error) => Self::Failed(error),
        };
    }

    /// Returns a section with a line for each transfer, once they are known.
    pub(super) fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let (title, lines) = match self {
            Self::Known { newest, has_more } if !newest.is_empty() => {
                let title = if *has_more { "Latest transfers" } else { "Transfers" };
                (title, newest.iter().map(|transfer| transfer_entry(transfer, cx)).collect())
            }
            Self::Failed(error) => {
                let reason = DocumentEntry::text("", cx.reason(error)).role(Role::Warning);
                ("Transfers", vec![reason])
            }
            Self::Known { .. } | Self::Unasked => return Vec::new(),
        };
        [vec![DocumentEntry::rule(title)], lines].concat()
    }
}

/// Returns the line of a transfer: its kind, the sender, the receiver and its time.
fn transfer_entry(transfer: &TokenTransfer, cx: &PaneContext<'_>) -> DocumentEntry {
    let party = |party: Option<_>| party.map_or("?".to_owned(), |address| cx.short_name(&address));
    let [from, to] = [transfer.from.hash(), transfer.to.hash()].map(party);
    let line = match transfer.kind_name() {
        "mint" => format!("→ {to}"),
        "burn" => format!("{from} →"),
        _ => format!("{from} → {to}"),
    };
    let amount = transfer.total.value().and_then(|total| total.value.value());
    let copies = amount.map(|amount| format!("×{}", token_amount(*amount, transfer.decimals())));
    let time = transfer.timestamp.value().map(|time| cx.past_time(*time));
    let note: Vec<String> = copies.into_iter().chain(time).collect();
    let entry = DocumentEntry::text(transfer.kind_name(), line).side_note(&note.join(" · "));
    match transfer.transaction_hash.value() {
        Some(hash) => entry
            .copy(hash.to_string())
            .link(EntryLink::Target(TargetKind::Transaction(*hash)))
            .role(Role::Link),
        None => entry,
    }
}

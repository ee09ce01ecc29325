//! What a place is about, in a few words.

use crate::chain::Address;
use crate::chain::target::Subject;
use crate::pane::Link;
use crate::pane::token_instances::piece_title;
use crate::ui::format::{short_address, short_hash};
use crate::user_data::labels::Labels;

/// As the title says it.
pub(super) fn title(link: &Link, labels: &Labels) -> String {
    let who = |address: &Address| {
        let own = labels.shown(address).map(|own| own + " ").unwrap_or_default();
        own + &short_address(address)
    };
    match (link.subject(), link) {
        (Some(Subject::Address(address)), _) => format!("address {}", who(&address)),
        (Some(Subject::Transaction(hash)), _) => format!("transaction {}", short_hash(&hash)),
        (None, Link::Start) => "start".to_owned(),
        (None, Link::Transfers) => "all token transfers".to_owned(),
        (None, Link::Instances { token, holder: None }) => {
            format!("instances of {}", who(token))
        }
        (None, Link::Instances { token, holder: Some(holder) }) => {
            format!("instances of {} held by {}", who(token), who(holder))
        }
        (None, Link::Instance { instance, token }) => piece_title(instance, token.as_deref()),
        (None, Link::Row(_)) => "row as sent".to_owned(),
        (None, Link::Diff(_)) => "comparison of two traces".to_owned(),
        (None, _) => "unreadable row".to_owned(),
    }
}

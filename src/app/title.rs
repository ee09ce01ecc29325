//! What a place is about, in a few words.

use crate::chain::Address;
use crate::chain::abbreviate::abbreviate;
use crate::chain::target::TargetKind;
use crate::pane::Route;
use crate::pane::token_instance::instance_title;
use crate::user_data::labels::Labels;

/// As the title says it.
pub(super) fn route_title(link: &Route, labels: &Labels) -> String {
    let who = |address: &Address| {
        let own = labels.decorated_name(address).map(|own| own + " ").unwrap_or_default();
        own + &abbreviate(address)
    };
    match (link.target(), link) {
        (Some(TargetKind::Address(address)), _) => format!("address {}", who(&address)),
        (Some(TargetKind::Transaction(hash)), _) => format!("transaction {}", abbreviate(&hash)),
        (None, Route::Start) => "start".to_owned(),
        (None, Route::Transfers) => "all token transfers".to_owned(),
        (None, Route::Instances { token, holder: None }) => {
            format!("instances of {}", who(token))
        }
        (None, Route::Instances { token, holder: Some(holder) }) => {
            format!("instances of {} held by {}", who(token), who(holder))
        }
        (None, Route::Instance { instance, token }) => instance_title(instance, token.as_deref()),
        (None, Route::Row(_)) => "row as sent".to_owned(),
        (None, Route::Diff(_)) => "comparison of two traces".to_owned(),
        (None, _) => "unreadable row".to_owned(),
    }
}

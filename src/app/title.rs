//! Titles of routes.

use crate::chain::Address;
use crate::chain::abbreviate::abbreviate;
use crate::chain::target::TargetKind;
use crate::pane::Route;
use crate::pane::nft_instance::instance_title;
use crate::user_data::labels::Labels;

pub(super) fn route_title(route: &Route, labels: &Labels) -> String {
    let name = |address: &Address| {
        let own = labels.decorated_name(address).map(|own| own + " ").unwrap_or_default();
        own + &abbreviate(address)
    };
    match (route.target(), route) {
        (Some(TargetKind::Address(address)), _) => format!("address {}", name(&address)),
        (Some(TargetKind::Transaction(hash)), _) => format!("transaction {}", abbreviate(&hash)),
        (None, Route::Start) => "start".to_owned(),
        (None, Route::Transfers) => "all token transfers".to_owned(),
        (None, Route::Instances { token, holder: None }) => {
            format!("instances of {}", name(token))
        }
        (None, Route::Instances { token, holder: Some(holder) }) => {
            format!("instances of {} held by {}", name(token), name(holder))
        }
        (None, Route::Instance { instance, token }) => instance_title(instance, token.as_deref()),
        (None, Route::Row(_)) => "raw fields".to_owned(),
        (None, Route::Diff(_)) => "comparison of two traces".to_owned(),
        (None, _) => "unreadable row".to_owned(),
    }
}

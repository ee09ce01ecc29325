//! Titles of routes in the title line, the palette and previews.

use crate::api::logs::Log;
use crate::api::transactions::Transaction;
use crate::api::{Field, Item};
use crate::app::sessions::ChainSession;
use crate::chain::amount::Grouped;
use crate::chain::data_input::DataInput;
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::target::TargetKind;
use crate::chain::{Address, TxHash, WORD_BYTES};
use crate::columns::Row;
use crate::columns::cells::called_method::CalledMethod;
use crate::messages::decoded::DecodedNote;
use crate::messages::list;
use crate::messages::prompt::{self, OverlayText};
use crate::pane::Route;
use crate::pane::nft::instance::instance_title;
use crate::route::TransactionPart;
use crate::ui::format::cut;

/// Maximum columns of a name in a title.
const MAX_NAME_COLUMNS: usize = 32;

/// Returns the title of a route: with names and methods as far as they are known.
pub(in crate::app) fn route_title(route: &Route, session: &ChainSession) -> String {
    let cache = &session.name_cache;
    let name = |address: &Address| {
        let known = cache.name(address).and_then(|name| name.label.as_deref().map(str::to_owned));
        let name = cache.labels().decorated_name(address).or(known);
        name.map_or_else(|| abbreviate(address), |name| cut(&name, MAX_NAME_COLUMNS).into_owned())
    };
    match (route.target(), route) {
        (Some(TargetKind::Address(address)), _) => match name(&address) {
            hash if hash.starts_with("0x") => format!("address {hash}"),
            name => name,
        },
        (Some(TargetKind::Transaction(hash)), _) => transaction_title(&hash, session),
        (Some(TargetKind::Block(id)), _) => match (id, cache.block_number(id)) {
            (_, Some(number)) => format!("block {number}"),
            (id, None) => format!("block {}", abbreviate(&id)),
        },
        (None, Route::Start) => "start".to_owned(),
        (None, Route::List(query)) => query.entry().title.to_owned(),
        (None, Route::Batch(number)) => format!("batch {}", Grouped(*number)),
        (None, Route::UserOperation(hash)) => format!("operation {}", abbreviate(hash)),
        (None, Route::Token(token)) => match name(token) {
            hash if hash.starts_with("0x") => format!("token {hash}"),
            name => name,
        },
        (None, Route::Instances { token, holder }) => {
            let token = cache
                .name(token)
                .and_then(|name| name.token.as_ref()?.symbol.as_deref())
                .map_or_else(|| name(token), |symbol| cut(symbol, MAX_NAME_COLUMNS).into_owned());
            format!("{token} of {}", name(holder))
        }
        (None, Route::Instance { instance, token }) => instance_title(instance, token.as_deref()),
        (None, Route::LinkedInstance(key)) => format!("{} #{}", name(&key.token), key.id),
        (None, Route::Log(item)) => log_title(item),
        (None, Route::Part { transaction, part }) => part_title(transaction, part, session),
        (None, Route::Decoded { input, .. }) => {
            let data = called_function(input, session).unwrap_or_else(|| input.to_string());
            let data = cut(&data, MAX_NAME_COLUMNS);
            DecodedNote::Title { data: &data }.to_string()
        }
        (None, Route::Row { page: Some(page), .. }) => all_fields_title(page, session),
        (None, Route::Row { page: None, name, .. }) => {
            OverlayText::AllFields { page: name }.to_string()
        }
        (None, Route::Diff(_)) => prompt::DIFF_TITLE.to_owned(),
        (None, _) => list::UNREADABLE_ROW.to_owned(),
    }
}

fn log_title(item: &Item<Log>) -> String {
    let index = item.parsed.as_ref().ok().and_then(|log| log.index.value());
    index.map_or_else(|| "log".to_owned(), |index| format!("log {index}"))
}

/// Returns the title of a row in a list of a transaction: `transfer 2`, `call 3`, `state of bob.eth`.
fn part_title(transaction: &TxHash, part: &TransactionPart, session: &ChainSession) -> String {
    let cache = &session.name_cache;
    let (word, number) = match part {
        TransactionPart::Transfer(item) => {
            let own = item.parsed.as_ref().ok().and_then(Row::id);
            let all = cache.transfers(transaction);
            let at = all.iter().position(|other| own.is_some() && other.id() == own);
            ("transfer", at.map(|at| Grouped(at + 1).to_string()))
        }
        TransactionPart::Call(item) => {
            let index = item.parsed.as_ref().ok().and_then(|call| call.index.value());
            ("call", index.map(|index| Grouped(index.saturating_add(1)).to_string()))
        }
        TransactionPart::Log(item) => return log_title(item),
        TransactionPart::StateChange(item) => {
            let account = item.parsed.as_ref().ok().and_then(|change| change.address.value());
            let name = account.map(|account| {
                let name = cache.short_name(&account.hash);
                name.map_or_else(
                    || abbreviate(&account.hash),
                    |name| cut(&name, MAX_NAME_COLUMNS).into_owned(),
                )
            });
            ("state of", name)
        }
    };
    [word, &number.unwrap_or_default()].join(" ").trim_end().to_owned()
}

/// Returns the title of the fields of a row, which has a page.
fn all_fields_title(page: &Route, session: &ChainSession) -> String {
    let title = match page.target() {
        // The name of its method is none of what the fields are of.
        Some(TargetKind::Transaction(hash)) => format!("tx {}", abbreviate(&hash)),
        _ => route_title(page, session),
    };
    OverlayText::AllFields { page: &title }.to_string()
}

/// Returns the only function that calldata can call, as far as is known.
fn called_function(input: &DataInput, session: &ChainSession) -> Option<String> {
    let DataInput::Bytes(bytes) = input else { return None };
    let (selector, arguments) = bytes.split_first_chunk()?;
    let is_call = arguments.len() % WORD_BYTES == 0 && !arguments.is_empty();
    match &session.signature_db.declarations(*selector)[..] {
        [one] if is_call => Some(format!("{}(…)", one.split('(').next()?)),
        _ => None,
    }
}

fn transaction_title(hash: &TxHash, session: &ChainSession) -> String {
    let cache = &session.name_cache;
    let known = cache.transaction(hash).and_then(|item| item.parsed.as_ref().ok());
    let method = known
        .map(|known| CalledMethod::new(known, cache, &session.signature_db))
        .as_ref()
        .and_then(Field::value)
        .map(ToString::to_string);
    let creation = known.filter(|known| known.to.value().is_none());
    let created = creation.and_then(|creation| creation.created().value());
    let title = match (created, method) {
        (Some(created), _) => {
            let name = cache.short_name(&created.hash).unwrap_or_default();
            format!("deploy {name}").trim_end().to_owned()
        }
        (None, Some(method)) => method,
        (None, None) => {
            let kind = known.and_then(Transaction::kind_without_method);
            kind.unwrap_or("transaction").to_owned()
        }
    };
    // A selector is no second hash.
    let title = if title.starts_with("0x") { format!("call {title}") } else { title };
    format!("{} {}", cut(&title, MAX_NAME_COLUMNS), abbreviate(hash))
}

//! The search: tokens and addresses by parts of their names, and blocks and transactions by number or
//! hash, as far as the chain's state is known.

use std::cmp::Reverse;
use std::collections::HashSet;

use alloy_primitives::{Address, B256};
use serde_json::{Value, json};

use super::{
    query_params::{ParamRule, ParamSpec},
    request::{JsonResult, RequestContext, to_json},
    responses::is_verified,
};
use crate::store::{AccountRecord, BlockRecord, Snapshot, StoreResult, TokenRecord};

pub(crate) const PARAMETERS: &[ParamSpec] = &[("q", ParamRule::Text)];

const MAX_RESULTS: usize = 50;
/// Maximum tokens of a node's chain that are asked for their names.
const MAX_TOKENS: usize = 200;

pub(crate) fn search(request: &RequestContext<'_>) -> JsonResult {
    let snapshot = request.snapshot;
    let text = request.params.raw("q").unwrap_or_default().trim().to_lowercase();
    let mut items = find_exact(snapshot, &text)?;
    if !text.is_empty() {
        snapshot.state.request_contracts();
        let accounts = find_accounts(snapshot, &text)?;
        // On a node, names are the project's. Its own `Desk` comes before the token `Desk Dollar`.
        let (named, others): (Vec<_>, Vec<_>) = accounts.into_iter().partition(|account| {
            let name = account["name"].as_str().filter(|_| !snapshot.state.imitates_blockscout);
            name.is_some_and(|name| name.eq_ignore_ascii_case(&text))
        });
        items.extend(named);
        items.extend(find_tokens(snapshot, &text)?);
        items.extend(others);
    }
    items.truncate(MAX_RESULTS);
    to_json(&json!({ "items": items, "next_page_params": null }))
}

fn find_exact(snapshot: &Snapshot, text: &str) -> StoreResult<Vec<Value>> {
    if let Ok(number) = text.parse() {
        return Ok(snapshot.block(number)?.map(block_item).into_iter().collect());
    }
    if let Ok(address) = text.parse::<Address>() {
        return Ok(vec![address_item("address", address, None, is_verified(snapshot, None))]);
    }
    let Ok(hash) = text.parse::<B256>() else { return Ok(Vec::new()) };
    let transaction = snapshot.transaction(hash)?.map(|found| {
        json!({
            "type": "transaction",
            "transaction_hash": found.hash.to_string(),
            "url": format!("/tx/{}", found.hash),
            "priority": 0,
        })
    });
    Ok(transaction.into_iter().chain(snapshot.block_by_hash(hash)?.map(block_item)).collect())
}

fn block_item(block: &BlockRecord) -> Value {
    json!({
        "type": "block",
        "block_type": "block",
        "block_number": block.number,
        "block_hash": block.hash.to_string(),
        "timestamp": format!("{:.6}", block.timestamp),
        "url": format!("/block/{}", block.hash),
        "priority": 0,
    })
}

fn contains(name: Option<&str>, text: &str) -> bool {
    name.is_some_and(|name| name.to_lowercase().contains(text))
}

fn find_tokens(snapshot: &Snapshot, text: &str) -> StoreResult<Vec<Value>> {
    // A node's tokens are known by their transfers.
    let transferred = snapshot.transfers(u64::MAX)?.map(|row| row.token);
    for token in transferred.collect::<HashSet<_>>().into_iter().take(MAX_TOKENS) {
        snapshot.state.token(token)?;
    }
    let tokens = snapshot.state.tokens.get()?.values();
    let mut found: Vec<&TokenRecord> = tokens
        .filter(|token| {
            contains(token.symbol.as_deref(), text) || contains(token.name.as_deref(), text)
        })
        .collect();
    // Tokens with exactly this symbol come first.
    let is_other = |token: &TokenRecord| {
        token.symbol.as_deref().is_none_or(|symbol| !symbol.eq_ignore_ascii_case(text))
    };
    found.sort_unstable_by_key(|token| (is_other(token), token.name.clone(), token.address_hash));
    found.truncate(MAX_RESULTS);
    found.into_iter().map(|token| token_item(snapshot, token)).collect()
}

fn token_item(snapshot: &Snapshot, token: &TokenRecord) -> StoreResult<Value> {
    let account = snapshot.state.account(token.address_hash)?;
    Ok(json!({
        "type": "token",
        "name": token.name,
        "symbol": token.symbol,
        "address_hash": token.address_hash.to_string(),
        "address_url": format!("/address/{}", token.address_hash),
        "token_url": format!("/token/{}", token.address_hash),
        "token_type": <&str>::from(token.standard),
        "total_supply": token.total_supply,
        "exchange_rate": token.exchange_rate,
        "circulating_market_cap": token.circulating_market_cap,
        "icon_url": token.icon_url,
        "reputation": token.reputation,
        "is_smart_contract_address": account.is_none_or(|account| account.is_contract != Some(false)),
        "is_smart_contract_verified": is_verified(snapshot, account),
        "is_verified_via_admin_panel": false,
        "certified": false,
        "priority": 2,
    }))
}

fn find_accounts(snapshot: &Snapshot, text: &str) -> StoreResult<Vec<Value>> {
    let accounts = snapshot.state.accounts.get()?.values();
    // Blockscout searches the names of sources.
    let has_own_name = |account: &AccountRecord| {
        let is_named_by_source = snapshot.state.imitates_blockscout && account.has_code();
        !is_named_by_source || account.has_verified_source()
    };
    let mut found: Vec<&AccountRecord> = accounts
        .filter(|account| {
            let mut behind = account.implementations.iter();
            contains(account.ens.as_deref(), text)
                || contains(account.build.deployment_name.as_deref(), text)
                || (has_own_name(account)
                    && (contains(account.name.as_deref(), text)
                        || behind.any(|behind| contains(behind.name.as_deref(), text))))
        })
        .collect();
    found.sort_unstable_by_key(|account| {
        let newest_first = Reverse(account.build.deployment_number);
        let (ens, name) = (account.ens.clone(), account.name.clone());
        (ens.is_none(), ens, name, newest_first, account.hash)
    });
    let item = |account: &AccountRecord| {
        let kind = match &account.ens {
            Some(_) => "ens_domain",
            None if account.has_code() => "contract",
            None => "address",
        };
        let mut item = address_item(
            kind,
            account.hash,
            account.name.as_deref(),
            is_verified(snapshot, Some(account)),
        );
        if !snapshot.state.imitates_blockscout {
            item["deployment_number"] = json!(account.build.deployment_number);
            item["deployment_name"] = json!(account.build.deployment_name);
            item["is_older_build"] = json!(account.build.is_older_build);
            item["implementations"] = json!(account.implementations);
        }
        with_domain(item, account)
    };
    Ok(found.into_iter().take(MAX_RESULTS).map(item).collect())
}

fn with_domain(mut item: Value, account: &AccountRecord) -> Value {
    if let Some(ens) = &account.ens {
        let hash = account.hash.to_string();
        item["ens_info"] = json!({
            "address_hash": hash, "expiry_date": null, "name": ens, "names_count": 1,
        });
    }
    item
}

fn address_item(
    kind: &str,
    address: Address,
    name: Option<&str>,
    is_verified: Option<bool>,
) -> Value {
    json!({
        "type": kind,
        "name": name,
        "address_hash": address.to_string(),
        "url": format!("/address/{address}"),
        "is_smart_contract_verified": is_verified,
        "certified": false,
        "priority": 0,
    })
}

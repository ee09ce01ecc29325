//! The lines of who gained and who lost, for the overview of a transaction and for its trace.

use std::cmp::Ordering;
use std::collections::HashMap;

use alloy_primitives::U512;

use crate::api::Field;
use crate::api::token::Token;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::TransactionFee;
use crate::chain::amount::Unit;
use crate::chain::fiat_value::{ExchangeRate, FiatValue};
use crate::chain::network::Network;
use crate::chain::significant_digits::format_readable;
use crate::chain::{Address, U256};
use crate::columns::cells::token_amount::{token_amount, token_decimals};
use crate::columns::cells::{symbol, truncate_middle};
use crate::messages::token::TokenNote;
use crate::name_cache::ContradictedChange;
use crate::safety::confusables::spoofed_symbol;
use crate::sanitize::SafeText;
use crate::trace::balance_changes::{Asset, BalanceChange, BalanceLedger};
use crate::ui::theme::Role;

/// Most NFTs of a collection that are listed one by one.
const MAX_LISTED_INSTANCES: usize = 3;
/// A longer id of an NFT is cut.
const MAX_ID_COLUMNS: usize = 13;

/// Name and value of an asset.
#[derive(Debug, Clone, Default)]
struct AssetTerms {
    symbol: SafeText,
    decimals: Option<u8>,
    /// The explorer's current rate in US dollars.
    rate: Option<SafeText>,
}

/// Sign of a balance that is the same before and after.
pub const NO_CHANGE: &str = "±";

/// Formats the amounts of a transaction's assets.
#[derive(Debug, Clone)]
pub struct AssetFormatter<'a> {
    network: &'a Network,
    unit: Unit,
    coin_rate: Option<ExchangeRate<'a>>,
    tokens: HashMap<Address, AssetTerms>,
}

/// An amount that an account gained or lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmountText {
    /// For reading: `−2,500 GLD`.
    pub text: String,
    /// Start of the text: `−`, or nothing.
    pub sign: &'static str,
    /// ` ($12.34)` by today's rate, or nothing.
    pub fiat: String,
    /// With every digit.
    pub exact: String,
    /// In the smallest unit, for copies, or `None` if the sum overflowed.
    pub raw: Option<U256>,
    pub role: Role,
    pub asset: Asset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Party {
    Account(Address),
    /// `minted` or `burnt`.
    Word(&'static str),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BalanceLine {
    pub party: Party,
    pub amounts: Vec<AmountText>,
}

/// Adds a token transfer. Returns `false` if its parties, its token or its amount cannot be read.
pub fn add_token_transfer(ledger: &mut BalanceLedger, transfer: &TokenTransfer) -> bool {
    let Some((asset, amount)) = moved_asset(transfer) else { return false };
    let (Some(from), Some(to)) = (transfer.from.value(), transfer.to.value()) else { return false };
    ledger.transfer(asset, from.hash, to.hash, amount);
    true
}

/// Returns the transferred asset and amount, if both are known.
pub fn moved_asset(transfer: &TokenTransfer) -> Option<(Asset, U256)> {
    let token = *transfer.token.value()?.address.value()?;
    let total = transfer.total.value()?;
    match (&total.token_id, &total.value) {
        (Field::Invalid(_), _) | (_, Field::Invalid(_)) | (Field::Absent, Field::Absent) => None,
        (Field::Absent, Field::Present(value)) => Some((Asset::Token(token), *value)),
        (Field::Present(id), Field::Present(value)) => Some((Asset::Instance(token, *id), *value)),
        // There is one of each id, also of the NFTs of an ERC-404.
        (Field::Present(id), Field::Absent) => {
            let is_unique =
                matches!(transfer.standard().map(|s| &**s), Some("ERC-721" | "ERC-404"));
            is_unique.then_some((Asset::Instance(token, *id), U256::from(1)))
        }
    }
}

impl<'a> AssetFormatter<'a> {
    pub fn new<'t>(
        network: &'a Network,
        unit: Unit,
        coin_rate: Option<ExchangeRate<'a>>,
        transfers: impl IntoIterator<Item = &'t TokenTransfer>,
    ) -> Self {
        let mut tokens = HashMap::new();
        for transfer in transfers {
            let Some(token) = transfer.token.value() else { continue };
            if let Some(address) = token.address.value() {
                tokens.entry(*address).or_insert_with(|| asset_terms(token, transfer.decimals()));
            }
        }
        Self { network, unit, coin_rate, tokens }
    }

    /// Returns the lines of a ledger: the accounts, `payer` first with its losses emphasized, then
    /// minted and burnt amounts.
    pub fn lines(&self, ledger: &BalanceLedger, payer: Option<Address>) -> Vec<BalanceLine> {
        let accounts = ledger.accounts(payer).into_iter().map(|account| {
            let changes: Vec<AmountText> =
                account.changes.iter().map(|(asset, net)| self.net(*asset, net, ledger)).collect();
            let mut amounts = self.group_instances(&changes);
            if payer == Some(account.account) {
                let losses = amounts.iter_mut().filter(|amount| amount.role == Role::Loss);
                losses.for_each(|loss| loss.role = Role::Failed);
            }
            BalanceLine { party: Party::Account(account.account), amounts }
        });
        let created = [("minted", &ledger.minted), ("burnt", &ledger.burnt)]
            .into_iter()
            .filter(|(_, sums)| !sums.is_empty())
            .map(|(word, sums)| {
                let sum = |(asset, sum): (&Asset, &U256)| self.amount(*asset, *sum, "");
                let amounts = self.group_instances(&sums.iter().map(sum).collect::<Vec<_>>());
                BalanceLine { party: Party::Word(word), amounts }
            });
        accounts.chain(created).collect()
    }

    /// Writes many NFTs of a collection next to each other as one amount.
    fn group_instances(&self, amounts: &[AmountText]) -> Vec<AmountText> {
        let groups = amounts.chunk_by(|one, next| {
            let is_one = |amount: &AmountText| {
                matches!(amount.asset, Asset::Instance(..)) && amount.raw == Some(U256::from(1))
            };
            is_one(one)
                && is_one(next)
                && one.asset.token() == next.asset.token()
                && one.role == next.role
        });
        groups
            .flat_map(|group| self.group_text(group).map_or(group.to_vec(), |one| vec![one]))
            .collect()
    }

    /// Returns the amount of a group of NFTs, unless they are few: `+9 CP08 #1–#9`.
    fn group_text(&self, group: &[AmountText]) -> Option<AmountText> {
        let first = group.first().filter(|_| group.len() > MAX_LISTED_INSTANCES)?;
        let mut ids: Vec<U256> = group
            .iter()
            .filter_map(|amount| match amount.asset {
                Asset::Instance(_, id) => Some(id),
                Asset::Coin | Asset::Token(_) => None,
            })
            .collect();
        ids.sort_unstable();
        let (lowest, highest) = (*ids.first()?, *ids.last()?);
        let is_range = highest - lowest == U256::from(ids.len() - 1);
        let id = |id: U256| format!("#{}", truncate_middle(&id.to_string(), MAX_ID_COLUMNS));
        let range = [&*id(lowest), if is_range { "–" } else { "…" }, &*id(highest)].concat();
        let sign = first.sign;
        let name = self.name(Asset::Token(first.asset.token()?));
        let text = format!("{sign}{} {name} {range}", group.len());
        Some(AmountText {
            exact: text.clone(),
            text,
            raw: Some(U256::from(group.len())),
            ..first.clone()
        })
    }

    /// Marks changes in events that the balances contradict, with the change of the balance.
    pub fn mark_contradicted(&self, lines: &mut [BalanceLine], changes: &[ContradictedChange]) {
        for BalanceLine { party, amounts } in lines {
            for amount in amounts {
                let is_of = |change: &&ContradictedChange| {
                    *party == Party::Account(change.account)
                        && amount.asset.token() == Some(change.token)
                };
                let Some(change) = changes.iter().find(is_of) else { continue };
                let (sign, real) = match change.after.checked_sub(change.before) {
                    Some(U256::ZERO) => ("±", U256::ZERO),
                    Some(gain) => ("+", gain),
                    None => ("−", change.before.saturating_sub(change.after)),
                };
                let real = self.amount(Asset::Token(change.token), real, sign);
                amount.text = format!("!{} (balance: {})", amount.text, real.text);
                amount.fiat.clear();
                amount.role = Role::Warning;
            }
        }
    }

    /// Returns the loss by a fee, unless it is in an unknown token.
    pub fn fee(&mut self, fee: &TransactionFee) -> Option<AmountText> {
        let asset = match &fee.token {
            Field::Absent => Asset::Coin,
            token => {
                let known = token.value()?;
                let contract = *known.address.value()?;
                self.tokens
                    .entry(contract)
                    .or_insert_with(|| asset_terms(known, token_decimals(known)));
                Asset::Token(contract)
            }
        };
        let amount = self.amount(asset, *fee.value.value()?, "−");
        Some(AmountText { role: Role::Dim, ..amount })
    }

    fn net(&self, asset: Asset, change: &BalanceChange, ledger: &BalanceLedger) -> AmountText {
        let net = |change: &BalanceChange| {
            let (is_gain, net) = change.net();
            let sign = if net.is_zero() { "±" } else { ["−", "+"][usize::from(is_gain)] };
            let role = if is_gain { Role::Ok } else { Role::Loss };
            AmountText { role, ..self.amount(asset, net, sign) }
        };
        if ledger.overflowed.contains(&asset) {
            let text = format!("? {}", self.name(asset));
            return AmountText {
                exact: text.clone(),
                text,
                sign: "",
                fiat: String::new(),
                raw: None,
                role: Role::Warning,
                asset,
            };
        }
        let certain = net(change);
        if change.uncertain.is_zero() {
            return certain;
        }
        let or = net(&change.without_uncertain());
        AmountText { text: format!("{} or {}", certain.text, or.text), ..certain }
    }

    /// Returns the decimals of an asset, and its price.
    fn terms(&self, asset: Asset) -> (Option<u8>, Option<ExchangeRate<'_>>) {
        match asset {
            Asset::Coin => (Some(self.network.decimals), self.coin_rate),
            Asset::Token(token) | Asset::Instance(token, _) => {
                let terms = self.tokens.get(&token);
                let rate = terms
                    .and_then(|terms| terms.rate.as_deref())
                    .map(|dollars| ExchangeRate { dollars, is_current: true });
                (terms.and_then(|terms| terms.decimals), rate)
            }
        }
    }

    /// Writes every digit of an amount of the coin or a token, without its unit.
    pub fn digits(&self, asset: Asset, amount: U256) -> String {
        let decimals = match asset {
            Asset::Coin => Some(self.unit.decimals(self.network.decimals)),
            _ => self.terms(asset).0,
        };
        token_amount(amount, decimals)
    }

    /// Returns the worth of gains less the losses, if all have a price: `−$2,587`. Several that are less than a
    /// cent may be more together.
    pub fn net_worth(&self, amounts: &[AmountText]) -> Option<String> {
        let [mut gained, mut lost] = [U512::ZERO; 2];
        let mut fractions = 0;
        for amount in amounts {
            let (decimals, rate) = self.terms(amount.asset);
            let value = FiatValue::new(amount.raw?, decimals?, rate?.dollars)?;
            fractions += usize::from(value == FiatValue::BelowCent);
            let cents = if let FiatValue::Cents(cents) = value { cents } else { U512::ZERO };
            match amount.role {
                Role::Warning => return None,
                Role::Ok => gained = gained.checked_add(cents)?,
                _ => lost = lost.checked_add(cents)?,
            }
        }
        let net = match FiatValue::Cents(gained.abs_diff(lost)) {
            none if none.is_zero() && fractions > 1 => return None,
            none if none.is_zero() && fractions == 1 => FiatValue::BelowCent,
            net => net,
        };
        let sign = match gained.cmp(&lost) {
            Ordering::Less => "−",
            Ordering::Equal => "",
            Ordering::Greater => "+",
        };
        (!amounts.is_empty()).then(|| [sign, &net.readable()].concat())
    }

    /// Writes all digits of an amount.
    pub fn exact(&self, asset: Asset, amount: U256) -> String {
        let (decimals, _) = self.terms(asset);
        match (asset, decimals) {
            (Asset::Coin, _) => self.unit.format_exact(amount, self.network),
            (Asset::Token(_), Some(decimals)) => {
                format!("{} {}", token_amount(amount, Some(decimals)), self.name(asset))
            }
            (Asset::Token(_), None) => {
                format!("{} of {}", token_amount(amount, None), self.name(asset))
            }
            (Asset::Instance(..), _) if amount == U256::from(1) => self.name(asset),
            (Asset::Instance(..), _) => format!("{} × {amount}", self.name(asset)),
        }
    }

    /// Writes an amount after its sign.
    pub fn amount(&self, asset: Asset, amount: U256, sign: &'static str) -> AmountText {
        let (decimals, rate) = self.terms(asset);
        let name = self.name(asset);
        let readable = |decimals| format_readable(amount, decimals).text;
        let text = match (asset, decimals) {
            (Asset::Coin, _) => self.unit.describe(amount, self.network),
            (Asset::Token(_), Some(decimals)) => format!("{} {name}", readable(decimals)),
            (Asset::Token(_), None) => {
                TokenNote::Units { amount: &readable(0), token: &name }.to_string()
            }
            (Asset::Instance(..), _) if amount == U256::from(1) => name,
            (Asset::Instance(..), decimals) => {
                format!("{name} × {}", readable(decimals.unwrap_or_default()))
            }
        };
        let exact = self.exact(asset, amount);
        let fiat = rate
            .filter(|_| !matches!(asset, Asset::Instance(..)))
            .and_then(|rate| Some(format!(" ({})", rate.value_alone(amount, decimals?)?)));
        // An NFT without a number is apart from the sign.
        let is_apart = !matches!(sign, "" | "!") && text.starts_with(|c: char| !c.is_ascii_digit());
        let gap = if is_apart { " " } else { "" };
        AmountText {
            text: [sign, gap, &text].concat(),
            sign,
            fiat: fiat.unwrap_or_default(),
            exact: [sign, gap, &exact].concat(),
            raw: Some(amount),
            role: Role::Value,
            asset,
        }
    }

    /// Returns the unit or the symbol of an asset, with a `!` if it imitates a well-known one.
    pub fn name(&self, asset: Asset) -> String {
        let symbol = |token: &Address| {
            let symbol = self.tokens.get(token).map_or("?".into(), |terms| terms.symbol.clone());
            let mark = if spoofed_symbol(&symbol).is_some() { "!" } else { "" };
            [mark, &symbol].concat()
        };
        match asset {
            Asset::Coin => self.unit.name(self.network).to_owned(),
            Asset::Token(token) => symbol(&token),
            Asset::Instance(token, id) => {
                format!("{} #{}", symbol(&token), truncate_middle(&id.to_string(), MAX_ID_COLUMNS))
            }
        }
    }
}

fn asset_terms(token: &Token, decimals: Option<u8>) -> AssetTerms {
    AssetTerms { symbol: symbol(token), decimals, rate: token.exchange_rate.value().cloned() }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::api::json_fields::FromJson;

    fn transfer(json: &str) -> TokenTransfer {
        let json = RawValue::from_string(json.to_owned()).unwrap();
        TokenTransfer::from_json((&*json).into()).unwrap()
    }

    #[test]
    fn net_amount_that_overflows_is_worth_nothing_known() {
        let [token, from, to] = [1, 2, 3].map(|n| format!("0x{n:040x}"));
        let moved = transfer(&format!(
            r#"{{"token":{{"address_hash":"{token}","symbol":"GLD","decimals":"18","exchange_rate":"2","type":"ERC-20"}},
            "from":{{"hash":"{from}"}},"to":{{"hash":"{to}"}},"total":{{"value":"{}","decimals":"18"}}}}"#,
            U256::MAX
        ));
        let mut ledger = BalanceLedger::default();
        assert!([0, 1].iter().all(|_| add_token_transfer(&mut ledger, &moved)));
        let network = Network::demo();
        let assets = AssetFormatter::new(&network, Unit::Coin, None, [&moved]);
        let lines = assets.lines(&ledger, None);
        let amounts: Vec<&AmountText> = lines.iter().flat_map(|line| &line.amounts).collect();
        let known = (amounts[0].text.as_str(), amounts[0].fiat.as_str(), amounts[0].raw);
        assert_eq!(known, ("? GLD", "", None));
        assert_eq!(assets.net_worth(&lines[0].amounts), None);
    }

    #[test]
    fn one_nft_moves_where_no_amount_is_sent() {
        for (standard, total, amount) in [
            ("ERC-721", r#"{"token_id":"7"}"#, Some(1)),
            ("ERC-721", r#"{"token_id":"7","value":[]}"#, None),
            ("ERC-404", r#"{"token_id":"7"}"#, Some(1)),
            ("ERC-404", r#"{"value":"5"}"#, Some(5)),
            ("ERC-1155", r#"{"token_id":"7","value":"5"}"#, Some(5)),
            ("ERC-1155", r#"{"token_id":"7"}"#, None),
            ("ERC-1155", r#"{"token_id":{},"value":"5"}"#, None),
            ("ERC-20", r#"{"value":"5"}"#, Some(5)),
            ("ERC-20", "{}", None),
        ] {
            let token = format!(r#"{{"address_hash":"0x{:040x}","type":"{standard}"}}"#, 1);
            let json = format!(r#"{{"token":{token},"total":{total}}}"#);
            let moved = moved_asset(&transfer(&json)).map(|(_, amount)| amount);
            assert_eq!(moved, amount.map(U256::from), "{standard} {total}");
        }
    }
}

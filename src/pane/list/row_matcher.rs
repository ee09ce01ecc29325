//! Whether rows contain a text. Most that do not are told by their JSON, without formatting cells.

use std::collections::HashSet;

use memchr::memchr;
use memchr::memmem::{self, Finder};

use super::MAX_CELL_WIDTH;
use crate::api::Item;
use crate::chain::Address;
use crate::columns::{Row, RowContext};

/// Text of cells that is not in the JSON, the signs aside.
const FIXED_WORDS: &str = "ok, but a call inside it failed pending inner reason not indexed yet \
                           out self mint burn spawn xfer transfer units no metadata";
/// Shorter numbers can be part of a date in another time zone, or of an age.
const MIN_NUMBER_DIGITS: usize = 5;
/// The Kelvin sign and the dotted I.
const ASCII_IN_LOWER_CASE: [&str; 2] = ["\u{212a}", "\u{130}"];
/// The letters of ages and dates.
const TIME_LETTERS: [char; 7] = ['d', 'h', 'm', 't', 'w', 'y', 'z'];

/// A text to find in the cells and the full values of rows, regardless of case.
#[derive(Debug)]
pub struct RowMatcher {
    lowercase: String,
    /// `None` if any row may match.
    prefilter: Option<RowPrefilter>,
    /// The revision of the labels that the prefilter knows.
    label_revision: u32,
}

/// What a row must have to match. It may admit rows that do not.
#[derive(Debug)]
struct RowPrefilter {
    /// A part of the text that the JSON has in the same form, in lower case.
    part: Finder<'static>,
    /// The addresses that the user has given a matching name.
    labelled: HashSet<Address>,
    /// The JSON of the last row in lower case, kept for its memory.
    lowercase: Vec<u8>,
}

impl RowMatcher {
    /// Returns `None` for an empty text.
    pub fn new<T: Row>(text: &str, cx: &RowContext<'_>) -> Option<Self> {
        let lowercase = text.to_lowercase();
        (!text.is_empty()).then(|| Self {
            prefilter: RowPrefilter::new::<T>(&lowercase, cx),
            label_revision: cx.name_cache.label_revision(),
            lowercase,
        })
    }

    /// Returns the text in lower case.
    pub(super) fn text(&self) -> &str {
        &self.lowercase
    }

    /// Takes note of changed labels.
    pub(super) fn update<T: Row>(&mut self, cx: &RowContext<'_>) {
        let revision = cx.name_cache.label_revision();
        if std::mem::replace(&mut self.label_revision, revision) != revision {
            self.prefilter = RowPrefilter::new::<T>(&self.lowercase, cx);
        }
    }

    pub fn matches<T: Row>(&mut self, item: &Item<T>, cx: &RowContext<'_>) -> bool {
        self.prefilter.as_mut().is_none_or(|prefilter| prefilter.admits(item))
            && row_contains(item, &self.lowercase, cx)
    }
}

/// Returns whether a cell or a full value of a row contains a text in lower case.
fn row_contains<T: Row>(item: &Item<T>, text: &str, cx: &RowContext<'_>) -> bool {
    match &item.parsed {
        Err(_) => item.raw.get().to_lowercase().contains(text),
        Ok(row) => T::COLUMNS.iter().any(|column| {
            (column.full_value)(row).to_lowercase().contains(text)
                || (column.cell)(row, cx, MAX_CELL_WIDTH).text.to_lowercase().contains(text)
        }),
    }
}

impl RowPrefilter {
    fn new<T: Row>(text: &str, cx: &RowContext<'_>) -> Option<Self> {
        if !text.is_ascii() || T::COLUMNS.iter().any(|column| column.is_computed) {
            return None;
        }
        let labels = cx.name_cache.labels().all();
        let labelled = labels.filter(|(_, label)| label.to_lowercase().contains(text));
        Some(Self {
            part: Finder::new(&part_in_json(text)?).into_owned(),
            labelled: labelled.map(|(address, _)| *address).collect(),
            lowercase: Vec::new(),
        })
    }

    fn admits<T: Row>(&mut self, item: &Item<T>) -> bool {
        let Ok(row) = &item.parsed else { return true };
        let json = item.raw.get().as_bytes();
        self.is_in_value(json)
            // Escaped text has another form on the screen.
            || memchr(b'\\', json).is_some()
            || ASCII_IN_LOWER_CASE.iter().any(|letter| memmem::find(json, letter.as_bytes()).is_some())
            || (!self.labelled.is_empty()
                && row.addresses().iter().any(|address| self.labelled.contains(address)))
    }

    /// Returns whether the part is in the JSON other than in a key.
    fn is_in_value(&mut self, json: &[u8]) -> bool {
        self.lowercase.clear();
        self.lowercase.extend_from_slice(json);
        self.lowercase.make_ascii_lowercase();
        let mut found = self.part.find_iter(&self.lowercase);
        found.any(|at| {
            let rest = json.get(at + self.part.needle().len()..).unwrap_or_default();
            let quote = memchr(b'"', rest);
            quote.is_none_or(|quote| rest.get(quote + 1) != Some(&b':'))
        })
    }
}

/// Returns the longest part of a text that JSON would have in the same form: amounts are divided and
/// grouped on the screen, and times are ages or dates in another time zone.
fn part_in_json(text: &str) -> Option<String> {
    let is_amount = text.bytes().all(|c| c.is_ascii_digit() || matches!(c, b',' | b'.'));
    let part = if is_amount {
        text.replace([',', '.'], "").trim_start_matches('0').to_owned()
    } else {
        let parts = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let part = parts.max_by_key(|part| part.len()).unwrap_or_default();
        part.strip_prefix("0x").unwrap_or(part).to_owned()
    };
    let number = part.replace(TIME_LETTERS, "");
    let may_be_time =
        number.len() < MIN_NUMBER_DIGITS && number.bytes().all(|c| c.is_ascii_digit());
    (!may_be_time && !FIXED_WORDS.contains(&part)).then_some(part)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::api::Query;
    use crate::api::internal_transactions::InternalTransaction;
    use crate::api::nft_collections::Collection;
    use crate::api::nft_instances::TokenInstance;
    use crate::api::token_balances::TokenBalance;
    use crate::api::token_transfers::TokenTransfer;
    use crate::api::transactions::Transaction;
    use crate::chain::network::Network;
    use crate::name_cache::NameCache;
    use crate::safety::address_poisoning::KnownAddresses;
    use crate::ui::number_format::FormatOptions;
    use crate::user_data::labels::Labels;

    const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

    /// Searches the rows of a response for every word in their cells, and for parts of them. Returns
    /// how many rows the prefilter ruled out.
    fn check<T: Row>(query: &Query, body: &str) -> usize {
        let mut name_cache = NameCache::default();
        name_cache.set_labels(Labels::from_csv(&format!("address,name\n{ALICE},Zoe\n")));
        let cx = RowContext {
            viewed: ALICE.parse().ok(),
            now: "2040-01-01T00:00:00Z".parse().unwrap(),
            network: &Network::demo(),
            known_addresses: &KnownAddresses::default(),
            name_cache: &name_cache,
            abbreviator: None,
            full_addresses: false,
            format: &FormatOptions::default(),
        };
        let items = T::PAGE(query.decode(body.as_bytes(), None).unwrap()).unwrap().items;
        let mut words = BTreeSet::new();
        for row in items.iter().take(4).filter_map(|item| item.parsed.as_ref().ok()) {
            for column in T::COLUMNS {
                let cell = (column.cell)(row, &cx, MAX_CELL_WIDTH).text;
                let all = format!("{cell} {}", (column.full_value)(row));
                words.extend(all.split_whitespace().map(str::to_owned));
            }
        }
        let ends = words.iter().flat_map(|word| [word.get(3..), word.get(word.len().max(3) - 3..)]);
        let ends: Vec<String> = ends.flatten().map(str::to_owned).collect();
        words.extend(ends.into_iter().filter(|word| !word.is_empty()));
        let mut ruled_out = 0;
        for word in words {
            let mut matcher = RowMatcher::new::<T>(&word, &cx).unwrap();
            for item in &items {
                let contains = row_contains(item, &word.to_lowercase(), &cx);
                assert_eq!(matcher.matches(item, &cx), contains, "{word} in {}", item.raw.get());
                let admits = matcher.prefilter.as_mut().is_none_or(|filter| filter.admits(item));
                ruled_out += usize::from(!admits);
            }
        }
        ruled_out
    }

    macro_rules! golden {
        ($name:literal) => {
            include_str!(concat!("../../../tests/data/golden/", $name, ".json"))
        };
    }

    /// A failed internal call, a failure that is not indexed yet, and ages.
    const UNUSUAL_TRANSACTIONS: &str = r#"{"items":[
        {"hash":"0x0000000000000000000000000000000000000000000000000000000000000001",
         "status":"ok","has_error_in_internal_transactions":true,
         "timestamp":"2039-12-31T21:00:00.000000Z"},
        {"hash":"0x0000000000000000000000000000000000000000000000000000000000000002",
         "status":"error","result":"awaiting_internal_transactions",
         "timestamp":"2039-12-31T23:48:07.000000Z"},
        {"hash":"0x0000000000000000000000000000000000000000000000000000000000000003",
         "status":"ok","timestamp":"2040-02-01T02:00:00+02:00"}],"next_page_params":null}"#;

    /// Decimals that are not known, and a symbol with a Kelvin sign.
    const UNUSUAL_TRANSFERS: &str = r#"{"items":[{"log_index":1,"total":{"value":"1234567"},
        "token":{"symbol":"KELVIN","type":"ERC-20"}}],"next_page_params":null}"#;

    #[test]
    fn rows_with_unusual_words_are_not_ruled_out() {
        let address = ALICE.parse().unwrap();
        let query = Query::Transactions { address, direction: None };
        check::<Transaction>(&query, UNUSUAL_TRANSACTIONS);
        let query = Query::token_transfers(Some(address));
        check::<TokenTransfer>(&query, &UNUSUAL_TRANSFERS.replace("KELVIN", "\u{212a}NT"));
    }

    #[test]
    fn no_row_that_has_a_word_is_ruled_out() {
        let address = ALICE.parse().unwrap();
        let (direction, types) = (None, Vec::new());
        let query = Query::Transactions { address, direction };
        assert!(check::<Transaction>(&query, golden!("transactions_alice")) > 50);
        check::<Transaction>(&query, golden!("transactions_thrower"));
        let query = Query::token_transfers(Some(address));
        assert!(check::<TokenTransfer>(&query, golden!("transfers_alice")) > 50);
        check::<TokenTransfer>(&query, golden!("transfers_alice_nft"));
        check::<TokenTransfer>(&query, golden!("transfers_evil"));
        let query = Query::InternalTransactions { address, direction };
        assert!(check::<InternalTransaction>(&query, golden!("internal_factory")) > 50);
        let query = Query::Tokens { address, types: types.clone() };
        check::<TokenBalance>(&query, golden!("tokens_alice"));
        let query = Query::Collections { address, types };
        check::<Collection>(&query, golden!("collections_alice"));
        let query = Query::Instances { token: address, holder: None };
        check::<TokenInstance>(&query, golden!("instances_gns_huge_ids"));
    }
}

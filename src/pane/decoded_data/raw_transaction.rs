//! The lines of a raw transaction on a page of data: its fields, its fees, its lists.

use super::data_formatter::DataFormatter;
use super::meaning_entries::{address_entry, raw_entries};
use crate::abi::{DataMeaning, DecodedCall};
use crate::chain::amount::{self, Grouped};
use crate::chain::raw_transaction::{GasFees, RawTransaction, SenderError};
use crate::chain::target::TargetKind;
use crate::chain::{Address, Bytes, U256};
use crate::messages::Count;
use crate::messages::decoded::{self, DecodedNote};
use crate::messages::transaction;
use crate::pane::detail::value_entries::deeper;
use crate::ui::document::{DocumentEntry, EntryLink};
use crate::ui::theme::Role;

impl DataFormatter<'_> {
    pub(super) fn transaction_entries(
        &self,
        transaction: &RawTransaction,
        call: Option<&DecodedCall>,
    ) -> Vec<DocumentEntry> {
        let kind = u64::from(transaction.kind);
        let title = format!("{kind}{}", transaction::type_name(kind));
        let hash = EntryLink::Target(TargetKind::Transaction(transaction.hash));
        let grouped = |label: &str, number: u64| {
            DocumentEntry::text(label, Grouped(number).to_string()).copy(number.to_string())
        };
        let mut entries = vec![
            DocumentEntry::text("transaction", title).role(Role::Title).copy(""),
            self.chain_entry(transaction.chain_id),
            sender_entry("from", &transaction.sender),
            match transaction.to {
                Some(to) => address_entry("to", to),
                None => DocumentEntry::note("to", decoded::CREATES_CONTRACT),
            },
            self.coin_entry("value", transaction.value),
            grouped("nonce", transaction.nonce),
            grouped("gas limit", transaction.gas_limit),
        ];
        if transaction.sender.is_ok() {
            let entry = DocumentEntry::text("hash", transaction.hash.to_string());
            entries.insert(1, entry.link(hash).role(Role::Link));
        }
        entries.extend(self.fee_entries(transaction));
        entries.extend(list_parts(transaction));
        match (call, &transaction.input) {
            (Some(call), _) => {
                entries.extend(self.token_call_entries("call", call, transaction.to));
            }
            (None, input) => entries.extend(self.input_entries(transaction.to, input)),
        }
        entries
    }

    fn input_entries(&self, to: Option<Address>, input: &Bytes) -> Vec<DocumentEntry> {
        match (to, input.first_chunk()) {
            (_, None) if input.is_empty() => {
                vec![DocumentEntry::note("input", decoded::EMPTY_CALL)]
            }
            (Some(_), Some(selector)) => {
                let meaning = DataMeaning::UnknownSelector(*selector);
                let unknown = self.unknown_entries("call", *selector, &meaning);
                [unknown, raw_entries("input", input)].concat()
            }
            _ => raw_entries("init code", input),
        }
    }

    fn chain_entry(&self, chain: Option<u64>) -> DocumentEntry {
        let Some(id) = chain else { return DocumentEntry::note("chain", decoded::ANY_CHAIN) };
        let entry = DocumentEntry::text("chain", id.to_string());
        match self.network.id {
            Some(own) if own == id => entry.side_note(&self.network.name),
            Some(_) => entry.role(Role::Warning).side_note(decoded::OTHER_CHAIN),
            None => entry,
        }
    }

    fn coin_entry(&self, label: &str, wei: U256) -> DocumentEntry {
        let role = if wei.is_zero() { Role::Plain } else { Role::Value };
        let amount = self.format.unit.format_exact(wei, self.network);
        DocumentEntry::text(label, amount).copy(wei.to_string()).role(role)
    }

    fn fee_entries(&self, transaction: &RawTransaction) -> Vec<DocumentEntry> {
        let price = |label: &str, wei: U256| {
            let gwei = format!("{} gwei", amount::format_exact(wei, 9));
            DocumentEntry::text(label, gwei).copy(wei.to_string())
        };
        let (most, mut entries) = match transaction.fees {
            GasFees::Price(wei) => (wei, vec![price("gas price", wei)]),
            GasFees::Market { max_fee, max_tip, max_blob_fee } => {
                let mut entries = vec![price("max fee", max_fee), price("max tip", max_tip)];
                entries.extend(max_blob_fee.map(|wei| price("blob fee", wei)));
                (max_fee, entries)
            }
        };
        let fee = most.checked_mul(U256::from(transaction.gas_limit));
        entries.extend(fee.map(|fee| {
            let shown = self.format.unit.format_exact(fee, self.network);
            let text = DecodedNote::MaxFee { fee: &shown }.to_string();
            DocumentEntry::text("fee", text).copy(fee.to_string())
        }));
        entries
    }
}

fn sender_entry(label: &str, sender: &Result<Address, SenderError>) -> DocumentEntry {
    match sender {
        Ok(sender) => address_entry(label, *sender),
        Err(SenderError::Unsigned) => DocumentEntry::note(label, decoded::NOT_SIGNED),
        Err(SenderError::InvalidSignature) => {
            DocumentEntry::note(label, decoded::BAD_SIGNATURE).role(Role::Warning)
        }
    }
}

/// Returns the lists inside a transaction: the access list, blobs and delegations.
fn list_parts(transaction: &RawTransaction) -> Vec<DocumentEntry> {
    let header = |label: &str, count: usize, noun| {
        let entry = DocumentEntry::text(label, Count(count, noun).to_string()).copy("");
        (count > 0).then(|| entry.fold(true))
    };
    let access = transaction.access_list.iter().flat_map(|item| {
        let slots =
            item.slots.iter().map(|slot| DocumentEntry::text("slot", slot.to_string()).at_level(2));
        [address_entry("contract", item.address).at_level(1)].into_iter().chain(slots)
    });
    let blobs = transaction
        .blob_hashes
        .iter()
        .map(|hash| DocumentEntry::text("hash", hash.to_string()).at_level(1));
    let delegations = transaction.authorizations.iter().flat_map(|signed| {
        let chain = if signed.chain_id.is_zero() {
            DocumentEntry::note("chain", decoded::ALL_CHAINS)
        } else {
            DocumentEntry::text("chain", signed.chain_id.to_string())
        };
        let parts = [
            address_entry("code of", signed.delegate),
            chain,
            DocumentEntry::text("nonce", signed.nonce.to_string()),
        ];
        let account = sender_entry("account", &signed.authority).fold(true);
        deeper([account].into_iter().chain(deeper(parts)))
    });
    header("access list", transaction.access_list.len(), "contract")
        .into_iter()
        .chain(access)
        .chain(header("blobs", transaction.blob_hashes.len(), "blob"))
        .chain(blobs)
        .chain(header("delegations", transaction.authorizations.len(), "account"))
        .chain(delegations)
        .collect()
}

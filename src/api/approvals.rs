//! Approvals of an address: who may spend its tokens, by the logs of tokens and of Permit2, and by the
//! present answers of contracts.
//!
//! A log is history: its permission may be spent, void or, of a token that lies, never have been. So the
//! JSON of a row is the log as the server sent it, after the answers to the row's
//! [`calls`](Approval::calls), the token, the spender and the time of the block, which `net` adds.

use std::collections::HashSet;

use jiff::Timestamp;

use super::address::AddressRef;
use super::eth_logs::{EthLog, LogFilter, LogPosition};
use super::json::Json;
use super::json_fields::{Field, FromJson, FromObject, JsonNames, RawObject};
use super::reply::reply_data;
use super::state_reads::{CallResponse, EthCall};
use super::token::Token;
use crate::chain::{Address, B256, TxHash, U256, WORD_BYTES, address, b256};
use crate::messages::approvals;
use crate::sanitize::SafeText;

/// The contract that keeps allowances of its own for every token, at the same address on every chain.
pub const PERMIT2: Address = address!("000000000022D473030F116dDEE9F6B43aC78BA3");

/// `Approval(address,address,uint256)`: of ERC-20 with an amount, of ERC-721 with an id as a topic.
const APPROVAL: B256 = b256!("8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925");
const APPROVAL_FOR_ALL: B256 =
    b256!("17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31");
/// `Approval(address,address,address,uint160,uint48)`
const PERMIT2_APPROVAL: B256 =
    b256!("da9fa7c1b00402c17d0161b249b1ab8bbec047c5a52207b9c112deffd817036b");
/// `Permit(address,address,address,uint160,uint48,uint48)`
const PERMIT2_PERMIT: B256 =
    b256!("c6a377bfc4eb120024a8ac08eef205be16b817020812c73223e81d1bdb9708ec");
/// `Lockdown(address,address,address)`
const PERMIT2_LOCKDOWN: B256 =
    b256!("89b1add15eff56b3dfe299ad94e01f2b52fbcb80ae1a3baea6ae8c04cb2b98a4");

/// `allowance(address,address)`
const ALLOWANCE: [u8; 4] = [0xdd, 0x62, 0xed, 0x3e];
/// `allowance(address,address,address)` of Permit2
const PERMIT2_ALLOWANCE: [u8; 4] = [0x92, 0x7d, 0xa1, 0x05];
/// `isApprovedForAll(address,address)`
const IS_APPROVED_FOR_ALL: [u8; 4] = [0xe9, 0x85, 0xe9, 0xc5];
/// `getApproved(uint256)`
const GET_APPROVED: [u8; 4] = [0x08, 0x18, 0x12, 0xfc];
/// `ownerOf(uint256)`
const OWNER_OF: [u8; 4] = [0x63, 0x52, 0x21, 0x1e];
/// `balanceOf(address)`
const BALANCE_OF: [u8; 4] = [0x70, 0xa0, 0x82, 0x31];

/// Words of an answer that are kept: an allowance of Permit2 has three.
const MAX_WORDS: usize = 3;

/// An event that gave or took a permission.
#[derive(Debug, Clone)]
pub struct Approval {
    pub owner: Address,
    /// The token or the collection.
    pub contract: Address,
    pub spender: Field<AddressRef>,
    pub grant: Grant,
    pub position: LogPosition,
    pub block_number: Field<u64>,
    pub transaction_hash: Field<TxHash>,
    pub timestamp: Field<Timestamp>,
    pub token: Field<Token>,
    /// The present answer of the contract. Absent in a history, which does not ask.
    pub allowance: Field<CallWords>,
    /// Time of the answers.
    pub asked_at: Field<Timestamp>,
    /// The owner's balance, or the owner of an NFT.
    pub holding: Field<CallWords>,
    /// The amount that Permit2 itself may spend, without which its allowances are void.
    pub permit2_limit: Field<CallWords>,
}

/// The permission that an event gave, or took away if it is nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    Amount(U256),
    /// A single NFT, until it is transferred.
    Item {
        id: U256,
        is_revoked: bool,
    },
    /// All NFTs of a collection.
    All(bool),
    /// An amount that Permit2 lets the spender take until a time, in seconds since 1970.
    Permit2 {
        amount: U256,
        expiration: U256,
    },
}

/// The identity of a permission, which a later event replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Permission {
    Amount(Address, Address),
    All(Address, Address),
    Item(Address, U256),
    Permit2(Address, Address),
}

/// A call that a row needs the answer of, with the name of the member that it becomes.
pub type NamedCall = (&'static str, EthCall);

impl LogFilter {
    /// Creates the filter for the approvals of an owner, which all have it as their first argument.
    pub fn approvals(owner: Address, after: Option<LogPosition>) -> Self {
        let events =
            [APPROVAL, APPROVAL_FOR_ALL, PERMIT2_APPROVAL, PERMIT2_PERMIT, PERMIT2_LOCKDOWN];
        Self { contract: None, topics: vec![events.to_vec(), vec![owner.into_word()]], after }
    }
}

impl Approval {
    pub fn spender(&self) -> Option<Address> {
        self.spender.hash()
    }

    pub fn is_permit2(&self) -> bool {
        matches!(self.grant, Grant::Permit2 { .. })
    }

    /// Returns the calls about the present allowance, and about the tokens that it is of.
    pub fn calls(&self) -> Vec<NamedCall> {
        let Self { owner, contract, .. } = *self;
        let spender = self.spender().unwrap_or_default();
        let [owner, spender] = [owner, spender].map(|account| account.into_word());
        let balance = ("holding", call(contract, BALANCE_OF, &[owner]));
        match self.grant {
            Grant::Amount(_) => {
                vec![("allowance", call(contract, ALLOWANCE, &[owner, spender])), balance]
            }
            Grant::All(_) => {
                vec![("allowance", call(contract, IS_APPROVED_FOR_ALL, &[owner, spender]))]
            }
            Grant::Item { id, .. } => vec![
                ("allowance", call(contract, GET_APPROVED, &[id.into()])),
                ("holding", call(contract, OWNER_OF, &[id.into()])),
            ],
            Grant::Permit2 { .. } => {
                let words = [owner, contract.into_word(), spender];
                let own = call(contract, ALLOWANCE, &[owner, PERMIT2.into_word()]);
                let allowance = call(PERMIT2, PERMIT2_ALLOWANCE, &words);
                vec![("allowance", allowance), balance, ("permit2_limit", own)]
            }
        }
    }

    /// Returns the first topic of the event, whose second is the owner. `None` for Permit2, whose topics are others.
    pub fn event_topic(&self) -> Option<B256> {
        match self.grant {
            Grant::Amount(_) | Grant::Item { .. } => Some(APPROVAL),
            Grant::All(_) => Some(APPROVAL_FOR_ALL),
            Grant::Permit2 { .. } => None,
        }
    }

    fn permission(&self) -> Permission {
        let (contract, spender) = (self.contract, self.spender().unwrap_or_default());
        match self.grant {
            Grant::Amount(_) => Permission::Amount(contract, spender),
            Grant::All(_) => Permission::All(contract, spender),
            Grant::Item { id, .. } => Permission::Item(contract, id),
            Grant::Permit2 { .. } => Permission::Permit2(contract, spender),
        }
    }
}

impl Grant {
    /// Returns `true` if the event took the permission away.
    pub fn is_revoked(self) -> bool {
        match self {
            Self::Amount(amount) | Self::Permit2 { amount, .. } => amount.is_zero(),
            Self::Item { is_revoked, .. } => is_revoked,
            Self::All(is_allowed) => !is_allowed,
        }
    }
}

/// Returns `true` for the last event of each permission that did not take it away, for events from the
/// newest to the oldest.
pub fn last_of_each() -> impl FnMut(&Approval) -> bool {
    let mut seen = HashSet::new();
    move |event| seen.insert(event.permission()) && !event.grant.is_revoked()
}

fn call(to: Address, selector: [u8; 4], arguments: &[B256]) -> EthCall {
    let words = arguments.iter().flat_map(|word| word.0);
    EthCall { to, data: selector.into_iter().chain(words).collect(), block: None }
}

impl JsonNames for Approval {}

impl FromJson for Approval {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
        let log = EthLog::from_object(&object, &[])?;
        let GrantedApproval { owner, token: contract, spender, grant } =
            read(&log).ok_or(approvals::NOT_AN_APPROVAL)?;
        let position = log.position().ok_or(approvals::NOT_AN_APPROVAL)?;
        Ok(Self {
            owner,
            contract,
            spender: Field::Present(named(spender, object.field(&["spender"]))),
            grant,
            position,
            block_number: Field::Present(position.block_number),
            timestamp: match log.time() {
                Some(time) => Field::Present(time),
                None => object.field(&["timestamp"]),
            },
            transaction_hash: log.transaction_hash,
            token: object.field(&["token"]),
            asked_at: object.field(&["asked_at"]),
            allowance: object.field(&["allowance"]),
            holding: object.field(&["holding"]),
            permit2_limit: object.field(&["permit2_limit"]),
        })
    }
}

/// Returns the explorer's description of a spender, or only its address.
fn named(spender: Address, known: Field<AddressRef>) -> AddressRef {
    match known {
        Field::Present(known) if known.hash == spender => known,
        _ => AddressRef::unnamed(spender),
    }
}

/// Permission given by the log of an approval.
struct GrantedApproval {
    owner: Address,
    token: Address,
    spender: Address,
    grant: Grant,
}

/// Reads a log, if it is an approval.
fn read(log: &EthLog) -> Option<GrantedApproval> {
    let account = |number| log.topic(number).map(Address::from_word);
    let data = log.data.value()?;
    let words: Vec<U256> = data.chunks_exact(WORD_BYTES).map(U256::from_be_slice).collect();
    let (contract, owner) = (*log.contract.value()?, account(1)?);
    let topics = log.topics.value()?.0.len();
    let is_permit2 = contract == PERMIT2;
    let (token, spender, grant) = match (log.topic(0)?, topics, &words[..]) {
        (APPROVAL, 3, [amount]) => (contract, account(2)?, Grant::Amount(*amount)),
        (APPROVAL, 4, []) => {
            let (spender, id) = (account(2)?, U256::from_be_bytes(log.topic(3)?.0));
            (contract, spender, Grant::Item { id, is_revoked: spender == Address::ZERO })
        }
        (APPROVAL_FOR_ALL, 3, [is_allowed]) => {
            (contract, account(2)?, Grant::All(!is_allowed.is_zero()))
        }
        (PERMIT2_APPROVAL | PERMIT2_PERMIT, 4, [amount, expiration, ..]) if is_permit2 => {
            let grant = Grant::Permit2 { amount: *amount, expiration: *expiration };
            (account(2)?, account(3)?, grant)
        }
        (PERMIT2_LOCKDOWN, 2, [token, spender]) if is_permit2 => {
            let [token, spender] = [token, spender].map(|word| Address::from_word((*word).into()));
            (token, spender, Grant::Permit2 { amount: U256::ZERO, expiration: U256::ZERO })
        }
        _ => return None,
    };
    Some(GrantedApproval { owner, token, spender, grant })
}

reply_data!(Approval: spender; token);

/// The first words of what a function returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallWords(Vec<U256>);

impl CallWords {
    pub fn first(&self) -> U256 {
        self.get(0)
    }

    /// Returns a word, or zero if the answer is shorter.
    pub fn get(&self, number: usize) -> U256 {
        self.0.get(number).copied().unwrap_or_default()
    }

    pub fn address(&self) -> Address {
        Address::from_word(self.first().into())
    }
}

impl FromJson for CallWords {
    /// Reads the answer of a node to a call.
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let returned = match CallResponse::from_json(json)? {
            CallResponse::Returned(returned) => returned,
            CallResponse::Failed(why, _) => return Err(why),
        };
        let words: Vec<U256> =
            returned.chunks_exact(WORD_BYTES).take(MAX_WORDS).map(U256::from_be_slice).collect();
        if words.is_empty() {
            return Err(approvals::NO_ANSWER.into());
        }
        Ok(Self(words))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn grants_of_nothing_revoke() {
        let id = U256::from(7);
        let limited = |amount| Grant::Permit2 { amount, expiration: U256::MAX };
        for [revoked, granted] in [
            [Grant::All(false), Grant::All(true)],
            [Grant::Amount(U256::ZERO), Grant::Amount(U256::ONE)],
            [Grant::Item { id, is_revoked: true }, Grant::Item { id, is_revoked: false }],
            [limited(U256::ZERO), limited(U256::ONE)],
        ] {
            assert!(revoked.is_revoked() && !granted.is_revoked(), "{granted:?}");
        }
    }

    #[test]
    fn answer_without_a_word_is_none() {
        let word = format!("{:064x}", 7);
        for (digits, is_answer) in [("", false), ("01", false), (&word, true)] {
            let json = format!(r#"{{"jsonrpc":"2.0","id":1,"result":"0x{digits}"}}"#);
            let json = RawValue::from_string(json).unwrap();
            assert_eq!(CallWords::from_json((&*json).into()).is_ok(), is_answer, "{digits}");
        }
    }

    #[test]
    fn events_of_permit2_are_its_own_only() {
        let [owner, token, spender] = [1, 2, 3].map(|n| Address::with_last_byte(n).into_word());
        for (contract, is_approval) in [(PERMIT2, true), (Address::with_last_byte(9), false)] {
            let json = format!(
                r#"{{"address":"{contract}","topics":["{PERMIT2_APPROVAL}","{owner}","{token}","{spender}"],
                "data":"0x{:064x}{:064x}","blockNumber":"0x1","logIndex":"0x0",
                "transactionHash":"{}"}}"#,
                5,
                9,
                TxHash::ZERO
            );
            let json = RawValue::from_string(json).unwrap();
            assert_eq!(Approval::from_json((&*json).into()).is_ok(), is_approval, "{contract}");
        }
    }

    #[test]
    fn spender_has_no_name_of_another_address() {
        let [spender, other] = [1, 2].map(Address::with_last_byte);
        let known = Field::Present(AddressRef::unnamed(other));
        assert_eq!(named(spender, known).hash, spender);
    }
}

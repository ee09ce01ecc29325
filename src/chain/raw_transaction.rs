//! Signed transactions in their wire form, as for `eth_sendRawTransaction`.
//!
//! A transaction is an RLP list of fields: legacy ones by themselves, typed ones (EIP-2718) after a byte
//! with their type. All bytes are hashed. The sender is not among the fields: it is recovered from
//! the signature, which covers the fields before it. The crate `alloy-consensus` only reads signed
//! transactions, and brings 16 crates more.

use std::iter;

use alloy_primitives::{Signature, TxKind, keccak256};
use alloy_rlp::{Decodable, EMPTY_LIST_CODE, EMPTY_STRING_CODE, Header, PayloadView};

use super::{Address, B256, Bytes, TxHash, U256};

/// EIP-7702: the byte before the signed fields of an authorization.
const AUTHORIZATION_MAGIC: u8 = 0x05;
/// Maximum entries of a list inside a transaction.
const MAX_ENTRIES: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawTransaction {
    pub hash: TxHash,
    /// Type of the transaction (EIP-2718), 0 for legacy ones.
    pub kind: u8,
    /// `None` for a signature that is valid on all chains.
    pub chain_id: Option<u64>,
    pub nonce: u64,
    /// `None` for a creation.
    pub to: Option<Address>,
    pub value: U256,
    pub input: Bytes,
    pub gas_limit: u64,
    pub fees: GasFees,
    pub access_list: Vec<AccessListItem>,
    pub blob_hashes: Vec<B256>,
    pub authorizations: Vec<Authorization>,
    /// The sender, if the transaction is signed.
    pub sender: Result<Address, SenderError>,
}

/// Maximum prices of gas, in wei.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GasFees {
    Price(U256),
    Market { max_fee: U256, max_tip: U256, max_blob_fee: Option<U256> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessListItem {
    pub address: Address,
    pub slots: Vec<B256>,
}

/// A delegation of an account to the code of a contract (EIP-7702).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    /// 0 for all chains.
    pub chain_id: U256,
    /// The contract, or the zero address to end the delegation.
    pub delegate: Address,
    pub nonce: u64,
    /// The account that delegates.
    pub authority: Result<Address, SenderError>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SenderError {
    Unsigned,
    /// No account can have made the signature.
    InvalidSignature,
}

/// Values and signature of one list of fields.
struct Fields<'a> {
    items: std::vec::IntoIter<&'a [u8]>,
}

impl<'a> Fields<'a> {
    fn new(items: Vec<&'a [u8]>) -> Self {
        Self { items: items.into_iter() }
    }

    fn read<T: Decodable>(&mut self) -> Option<T> {
        let mut item = self.items.next()?;
        let value = T::decode(&mut item).ok()?;
        item.is_empty().then_some(value)
    }

    fn read_list(&mut self) -> Option<Vec<&'a [u8]>> {
        list_items(self.items.next()?)
    }

    fn read_all<T: Decodable>(&mut self) -> Option<Vec<T>> {
        let mut inner = Fields::new(self.read_list()?);
        iter::from_fn(|| (inner.items.len() > 0).then(|| inner.read())).collect()
    }

    fn is_empty(&self) -> bool {
        self.items.len() == 0
    }
}

/// Returns the encoded items of an encoded list, which is all of `encoded`.
fn list_items(mut encoded: &[u8]) -> Option<Vec<&[u8]>> {
    match Header::decode_raw(&mut encoded).ok()? {
        PayloadView::List(items) if encoded.is_empty() && items.len() <= MAX_ENTRIES => Some(items),
        _ => None,
    }
}

/// Hashes encoded items as a list, after the byte of a type.
fn signing_hash(kind: Option<u8>, items: &[&[u8]]) -> B256 {
    let mut encoded: Vec<u8> = kind.into_iter().collect();
    let payload_length = items.iter().map(|item| item.len()).sum();
    Header { list: true, payload_length }.encode(&mut encoded);
    keccak256([encoded, items.concat()].concat())
}

fn recover(hash: &B256, is_odd: bool, r: U256, s: U256) -> Result<Address, SenderError> {
    let signature = Signature::new(r, s, is_odd);
    let recovered = signature.recover_address_from_prehash(hash);
    recovered.map_err(|_| SenderError::InvalidSignature)
}

impl RawTransaction {
    /// Parses the wire form. Returns `None` if the bytes are not exactly one transaction. A blob
    /// transaction may have its blobs with it.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        match bytes.split_first()? {
            (EMPTY_LIST_CODE.., _) => Self::parse_legacy(bytes),
            (kind @ 1..=4, rest) => {
                let items = list_items(rest)?;
                // With its blobs, the transaction is the first item of the list.
                let is_list = items.first()?.first().is_some_and(|byte| *byte >= EMPTY_LIST_CODE);
                let is_wrapped = *kind == 3 && is_list;
                let (body, items) = if is_wrapped {
                    (*items.first()?, list_items(items[0])?)
                } else {
                    (rest, items)
                };
                Self::parse_typed(*kind, body, &items)
            }
            _ => None,
        }
    }

    fn parse_legacy(bytes: &[u8]) -> Option<Self> {
        let items = list_items(bytes)?;
        let mut fields = Fields::new(items.clone());
        let nonce = fields.read()?;
        let price = fields.read()?;
        let gas_limit = fields.read()?;
        let to = fields.read::<TxKind>()?.into_to();
        let value = fields.read()?;
        let input = fields.read()?;
        let body = items.get(..6)?;
        let (chain_id, sender) = if fields.is_empty() {
            (None, Err(SenderError::Unsigned))
        } else {
            let (v, r, s): (u64, U256, U256) = (fields.read()?, fields.read()?, fields.read()?);
            legacy_sender(body, v, r, s)?
        };
        fields.is_empty().then(|| Self {
            hash: keccak256(bytes),
            kind: 0,
            chain_id,
            nonce,
            to,
            value,
            input,
            gas_limit,
            fees: GasFees::Price(price),
            access_list: Vec::new(),
            blob_hashes: Vec::new(),
            authorizations: Vec::new(),
            sender,
        })
    }

    fn parse_typed(kind: u8, body: &[u8], items: &[&[u8]]) -> Option<Self> {
        let mut fields = Fields::new(items.to_vec());
        let chain_id = Some(fields.read()?);
        let nonce = fields.read()?;
        let mut fees = if kind == 1 {
            GasFees::Price(fields.read()?)
        } else {
            let max_tip = fields.read()?;
            GasFees::Market { max_fee: fields.read()?, max_tip, max_blob_fee: None }
        };
        let gas_limit = fields.read()?;
        let to = fields.read::<TxKind>()?.into_to();
        let value = fields.read()?;
        let input = fields.read()?;
        let access_list =
            fields.read_list()?.into_iter().map(read_access).collect::<Option<_>>()?;
        let (mut blob_hashes, mut authorizations) = (Vec::new(), Vec::new());
        if kind == 3 {
            if let GasFees::Market { max_blob_fee, .. } = &mut fees {
                *max_blob_fee = Some(fields.read()?);
            }
            blob_hashes = fields.read_all()?;
        }
        if kind == 4 {
            let signed = fields.read_list()?.into_iter().map(read_authorization);
            authorizations = signed.collect::<Option<_>>()?;
        }
        let unsigned = items.len() - fields.items.len();
        let sender = if fields.is_empty() {
            Err(SenderError::Unsigned)
        } else {
            let (odd, r, s): (bool, U256, U256) = (fields.read()?, fields.read()?, fields.read()?);
            recover(&signing_hash(Some(kind), items.get(..unsigned)?), odd, r, s)
        };
        fields.is_empty().then(|| Self {
            hash: keccak256([&[kind], body].concat()),
            kind,
            chain_id,
            nonce,
            to,
            value,
            input,
            gas_limit,
            fees,
            access_list,
            blob_hashes,
            authorizations,
            sender,
        })
    }
}

/// Returns the chain and the sender of a legacy transaction, whose `v` may contain the chain (EIP-155).
/// An unsigned one has the chain in place of `v`, and no signature.
fn legacy_sender(
    body: &[&[u8]],
    v: u64,
    r: U256,
    s: U256,
) -> Option<(Option<u64>, Result<Address, SenderError>)> {
    let with_chain = |chain_id: u64| {
        let encoded = alloy_rlp::encode(chain_id);
        let empty: &[u8] = &[EMPTY_STRING_CODE];
        signing_hash(None, &[body, &[&*encoded, empty, empty]].concat())
    };
    Some(match v {
        _ if r.is_zero() && s.is_zero() => (Some(v), Err(SenderError::Unsigned)),
        27 | 28 => (None, recover(&signing_hash(None, body), v == 28, r, s)),
        35.. => {
            let chain_id = (v - 35) / 2;
            (Some(chain_id), recover(&with_chain(chain_id), v.is_multiple_of(2), r, s))
        }
        _ => return None,
    })
}

fn read_access(encoded: &[u8]) -> Option<AccessListItem> {
    let mut fields = Fields::new(list_items(encoded)?);
    let item = AccessListItem { address: fields.read()?, slots: fields.read_all()? };
    fields.is_empty().then_some(item)
}

fn read_authorization(encoded: &[u8]) -> Option<Authorization> {
    let items = list_items(encoded)?;
    let mut fields = Fields::new(items.clone());
    let (chain_id, delegate, nonce) = (fields.read()?, fields.read()?, fields.read()?);
    let (odd, r, s): (u8, U256, U256) = (fields.read()?, fields.read()?, fields.read()?);
    let authority = recover_authority(items.get(..3)?, odd.into(), [r, s]);
    fields.is_empty().then_some(Authorization { chain_id, delegate, nonce, authority })
}

/// Recovers the signer of an authorization from its encoded chain, delegate and nonce. A high `s` is refused:
/// chains skip it (EIP-7702).
fn recover_authority(
    signed: &[&[u8]],
    y_parity: u64,
    [r, s]: [U256; 2],
) -> Result<Address, SenderError> {
    let has_low_s = Signature::new(r, s, false).normalize_s().is_none();
    match y_parity {
        0 | 1 if has_low_s => {
            recover(&signing_hash(Some(AUTHORIZATION_MAGIC), signed), y_parity == 1, r, s)
        }
        _ => Err(SenderError::InvalidSignature),
    }
}

/// Recovers the account that delegates to a contract by an authorization (EIP-7702).
pub fn authority(
    (chain_id, delegate, nonce): (U256, Address, u64),
    y_parity: u64,
    signature: [U256; 2],
) -> Result<Address, SenderError> {
    let signed =
        [alloy_rlp::encode(chain_id), alloy_rlp::encode(delegate), alloy_rlp::encode(nonce)];
    let [chain_id, delegate, nonce] = &signed;
    recover_authority(&[chain_id, delegate, nonce], y_parity, signature)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{address, b256, hex};
    use proptest::prelude::*;

    use super::*;

    const SENDER: Address = address!("70997970c51812dc3a010c7d01b50e0d17dc79c8");
    const TO: Address = address!("3c44cdddb6a900fa2b585dd299e03d12fa4293bc");

    /// Transactions as a node has them, with their hashes.
    #[test]
    fn signed_transactions_of_each_type_are_parsed() {
        for (kind, hash, raw) in [
            (
                0,
                b256!("7bd1fd13d18c59d7f9bbf1c8292205a73f174a38685c768bd21d2008d84afaff"),
                &hex!(
                    "f8718084773594008252a8943c44cdddb6a900fa2b585dd299e03d12fa4293bc880de0b6b3a764000084a9059cbb82f4f6a0ff82ebe396879d66806bc09ea56b673bdd6b426c98f16ebb02ef919a76e27bb3a0385c48b76687469684eaaca3a434d4ed177ee42b287c8089a3585eeadc426846"
                )[..],
            ),
            (
                1,
                b256!("69f95962e2febdb51b053a4bd83d21ab2958b2ce272262d4db6fec5326459383"),
                &hex!(
                    "01f8ac827a69018477359400826314943c44cdddb6a900fa2b585dd299e03d12fa4293bc880de0b6b3a764000084a9059cbbf838f79490f79bf6eb2c4f870365e785982e1f101e93b906e1a0000000000000000000000000000000000000000000000000000000000000000180a0c68aaa9b8bca27c5d274aae8a06a95a94c69bdeb7f941a74234034c2a677c3dfa001f743b0b8a0c9796f7ac62d4991626476411d3ea1476c03f741ef449b7b9e2e"
                ),
            ),
            (
                2,
                b256!("60f2656d332c1111701333edd13a4408fc53ef745a22843304e51b0e08a2fc89"),
                &hex!(
                    "02f878827a6902843b9aca008470b322668252a8943c44cdddb6a900fa2b585dd299e03d12fa4293bc880de0b6b3a764000084a9059cbbc080a0b671347f9a6c8ed32086278ff5373f2b7f73b7cec48982b6da8a34b0aa0567e4a0020e63bb61a509fd98a71c2c6f2f4874339b1b2d452d22982d37a1ddd94fe54f"
                ),
            ),
        ] {
            let parsed = RawTransaction::parse(raw).unwrap();
            assert_eq!((parsed.kind, parsed.hash), (kind, hash));
            assert_eq!((parsed.sender, parsed.to), (Ok(SENDER), Some(TO)));
            assert_eq!(parsed.chain_id, Some(31_337));
            assert_eq!(parsed.value, U256::from(10).pow(U256::from(18)));
            assert_eq!(parsed.input, Bytes::from(hex!("a9059cbb")));
            assert_eq!(parsed.access_list.len(), usize::from(kind == 1));
            assert_eq!(RawTransaction::parse(&raw[..raw.len() - 1]), None);
            assert_eq!(RawTransaction::parse(&[raw, &[0]].concat()), None);
        }
    }

    /// The example of EIP-155.
    #[test]
    fn transaction_to_be_signed_has_a_chain_and_no_sender() {
        let raw = hex!(
            "ec098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080018080"
        );
        let parsed = RawTransaction::parse(&raw).unwrap();
        assert_eq!((parsed.chain_id, parsed.sender), (Some(1), Err(SenderError::Unsigned)));
        let signed = hex!(
            "f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"
        );
        let sender = address!("9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F");
        let parsed = RawTransaction::parse(&signed).unwrap();
        assert_eq!((parsed.chain_id, parsed.sender), (Some(1), Ok(sender)));
    }

    fn list(items: &[Vec<u8>]) -> Vec<u8> {
        let mut encoded = Vec::new();
        let payload_length = items.iter().map(Vec::len).sum();
        Header { list: true, payload_length }.encode(&mut encoded);
        [encoded, items.concat()].concat()
    }

    /// Encodes the fields of a transaction with a signature.
    fn encode(kind: u8, nonce: u64, value: U256, input: &Bytes, with_blobs: bool) -> Vec<u8> {
        let number = |n: u64| alloy_rlp::encode(n);
        let signature = || [number(1), alloy_rlp::encode(value), number(7)];
        let authorization =
            [vec![number(1), alloy_rlp::encode(TO), number(9)], signature().to_vec()];
        let common = [number(21_000), alloy_rlp::encode(TO), alloy_rlp::encode(value)];
        let mut fields: Vec<Vec<u8>> = vec![number(1), number(nonce), number(5)];
        fields.extend((kind > 1).then(|| number(6)));
        fields.extend(common.into_iter().chain([alloy_rlp::encode(input), list(&[])]));
        if kind == 3 {
            fields.extend([number(8), list(&[alloy_rlp::encode(B256::repeat_byte(1))])]);
        }
        fields.extend((kind == 4).then(|| list(&[list(&authorization.concat())])));
        fields.extend(signature());
        let body = list(&fields);
        let wrapped = || list(&[body.clone(), list(&[]), list(&[]), list(&[])]);
        [vec![kind], if with_blobs { wrapped() } else { body.clone() }].concat()
    }

    proptest! {
        #[test]
        fn fields_round_trip(
            kind in 1_u8..=4,
            nonce in any::<u64>(),
            value in any::<[u64; 4]>().prop_map(U256::from_limbs),
            input in prop::collection::vec(any::<u8>(), 0..200).prop_map(Bytes::from),
        ) {
            let raw = encode(kind, nonce, value, &input, false);
            let parsed = RawTransaction::parse(&raw).unwrap();
            prop_assert_eq!((parsed.kind, parsed.nonce, parsed.value), (kind, nonce, value));
            prop_assert_eq!((&parsed.input, parsed.to, parsed.hash), (&input, Some(TO), keccak256(&raw)));
            prop_assert_eq!(parsed.blob_hashes.len(), usize::from(kind == 3));
            prop_assert_eq!(parsed.authorizations.len(), usize::from(kind == 4));
            for known in &parsed.authorizations {
                let signer = authority((U256::ONE, TO, 9), 1, [value, U256::from(7)]);
                prop_assert_eq!(signer, known.authority);
            }
            if kind == 3 {
                let with_blobs = RawTransaction::parse(&encode(kind, nonce, value, &input, true));
                prop_assert_eq!(with_blobs, Some(parsed));
            }
        }

        #[test]
        fn any_bytes_are_parsed_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = RawTransaction::parse(&bytes);
            let _ = RawTransaction::parse(&[&[0x02, 0xf8, 0x40], &bytes[..]].concat());
        }
    }
}

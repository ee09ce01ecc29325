//! Unpacks the transactions in the calldata of Safe's `multiSend(bytes)`.
//!
//! They follow each other without padding: operation (1 byte), address (20), value (32), length of the
//! data (32), data. <https://github.com/safe-global/safe-smart-account/blob/main/contracts/libraries/MultiSend.sol>

use std::sync::{Arc, LazyLock};

use super::sol_type::{AbiParameter, SolType};
use super::value::AbiValue;
use crate::chain::{Address, Bytes, U256};

/// The function, whose only argument are the packed transactions.
pub(super) const MULTI_SEND: &str = "multiSend";

/// A transaction as a struct, with the names of the contract's documentation.
static TRANSACTION: LazyLock<Arc<[AbiParameter]>> = LazyLock::new(|| {
    let fields =
        [("operation", "uint8"), ("to", "address"), ("value", "uint256"), ("data", "bytes")];
    fields
        .into_iter()
        .filter_map(|(name, ty)| Some(AbiParameter::new(name, SolType::parse_elementary(ty)?)))
        .collect()
});

/// Returns the transactions as an array of structs. Returns `None` if there is none, or if the bytes do
/// not end with one.
pub(super) fn unpack_transactions(packed: &Bytes) -> Option<AbiValue> {
    let (mut rest, mut transactions) = (&packed[..], Vec::new());
    while !rest.is_empty() {
        transactions
            .push(AbiValue::Tuple(TRANSACTION.clone(), take_transaction(&mut rest, packed)?));
    }
    let item = Arc::new(SolType::Tuple(TRANSACTION.clone()));
    (!transactions.is_empty()).then_some(AbiValue::Array(item, transactions))
}

fn take_transaction(rest: &mut &[u8], packed: &Bytes) -> Option<Vec<AbiValue>> {
    let operation = U256::from(rest.split_off_first().copied()?);
    let to = Address::from_slice(rest.split_off(..20)?);
    let mut word = || rest.split_off(..32).map(U256::from_be_slice);
    let (value, length) = (word()?, word()?);
    let data = AbiValue::Bytes(packed.slice_ref(rest.split_off(..usize::try_from(length).ok()?)?));
    Some(vec![AbiValue::Uint(operation), AbiValue::Address(to), AbiValue::Uint(value), data])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pack(operation: u8, to: Address, value: U256, data: &[u8]) -> Vec<u8> {
        let length = U256::from(data.len()).to_be_bytes::<32>();
        [&[operation], &to[..], &value.to_be_bytes::<32>(), &length, data].concat()
    }

    #[test]
    fn bytes_that_do_not_end_with_a_transaction_are_not_unpacked() {
        let packed = pack(0, Address::ZERO, U256::ONE, &[1, 2, 3]);
        assert!(unpack_transactions(&packed.clone().into()).is_some());
        for wrong in [&packed[1..], &packed[..packed.len() - 1], &[&packed[..], &[0]].concat(), &[]]
        {
            assert_eq!(unpack_transactions(&Bytes::copy_from_slice(wrong)), None);
        }
        let mut endless = packed;
        endless[53] = 0xff;
        assert_eq!(unpack_transactions(&endless.into()), None);
    }

    proptest! {
        #[test]
        fn unpacked_transactions_are_the_packed_ones(
            transactions in prop::collection::vec(
                (any::<u8>(), any::<[u8; 20]>(), any::<u64>(), prop::collection::vec(any::<u8>(), 0..70)),
                1..5,
            ),
        ) {
            let (mut packed, mut expected) = (Vec::new(), Vec::new());
            for (operation, to, value, data) in transactions {
                let (to, value) = (Address::from(to), U256::from(value));
                packed.extend(pack(operation, to, value, &data));
                let operation = AbiValue::Uint(U256::from(operation));
                let fields = vec![
                    operation,
                    AbiValue::Address(to),
                    AbiValue::Uint(value),
                    AbiValue::Bytes(data.into()),
                ];
                expected.push(AbiValue::Tuple(TRANSACTION.clone(), fields));
            }
            let Some(AbiValue::Array(_, unpacked)) = unpack_transactions(&packed.into()) else {
                return Err(TestCaseError::fail("not unpacked"));
            };
            prop_assert_eq!(unpacked, expected);
        }
    }
}

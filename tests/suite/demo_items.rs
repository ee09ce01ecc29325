//! Notable addresses and transactions of the demo chain.

/// Sends three ids of an ERC-1155 at once.
pub(crate) const BATCH_TRANSFER: &str =
    "0x2372279e72bdf95d08074873a3dd62b7956a732d3dbd27a53971082e6495ef66";
/// An account that hostile tokens were sent to.
pub(crate) const BOB: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
/// A transaction with creations, selfdestructs and value transfers.
pub(crate) const CREATE_AND_DESTROY: &str =
    "0x55b0dc4f6de7e3fc16c629b1d866c7877fcbacdd7200d08f70c46daa8a128522";
/// A transaction that an error seven calls deep reverts.
pub(crate) const DEEP_ERROR: &str =
    "0xdfb1e46155218dee231ecdef3b29a02bcbcbc2f1b216450885f79f4a0c28166c";
/// A multicall that one failed call reverts.
pub(crate) const MULTICALL_STRICT: &str =
    "0xab63ed8c33e594f9459b0de86c602823e0901a558435f1005bc7e53f6b2b2d3c";
/// An address without transactions.
pub(crate) const NEVER_USED: &str = "0x9999999999999999999999999999999999999999";
/// A contract that calls itself through another one, six levels deep.
pub(crate) const REENTRANCY: &str =
    "0xae67d57a8f9c1ec28c8ce9e5e30a00d9a62b2858e99bd1299bc6f8222d477efa";
/// A contract with thousands of internal transactions.
pub(crate) const RECURSOR: &str = "0x7eF8E99980Da5bcEDcF7C10f41E55f759F6A174B";
/// A transaction with nine failed calls that succeeds.
pub(crate) const SWALLOW_ALL: &str =
    "0x8fead60105b67d1c1d4cb7f34bae2f09bfb9b852a282ba481e2084b7ae7ca89f";
/// A swap through four pools.
pub(crate) const SWAP: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";
/// A swap that fails because of slippage.
pub(crate) const SWAP_SLIPPAGE: &str =
    "0xc2b74c678eae4d24d74793fbfeb9759e925965b6ccb9a6349091a6bb7c1b0abe";
/// A contract whose calls fail, each in another way.
pub(crate) const THROWER: &str = "0x9bAaB117304f7D6517048e371025dB8f89a8DbE5";
/// A transaction whose calls form a binary tree of depth 11.
pub(crate) const TREE_11_2: &str =
    "0x324f2c0d897af906ef4ffe6b72dcff7eaa14268e9264a1aeed0d2d72523ac882";

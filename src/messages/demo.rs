//! Descriptions of what the demo chain has to show.

super::sentences! {
    ALICE = "the busiest account: 826 transactions, 2,238 token transfers, 58 NFT collections";
    SWAP = "a swap through four pools and five tokens: 26 calls";
    REENTRANCY = "a reentrancy attack: 1 ETH in, 6 ETH out";
    DEEP_REVERT = "an error seven calls deep reverts everything";
    SWALLOWED_ERRORS = "nine inner calls fail in different ways, and the transaction succeeds";
    RECURSOR = "a contract with 17,378 internal transactions";
    ZERO_ADDRESS = "where tokens are minted from and burnt to";
    HOSTILE_TOKEN = "a token whose name tries to take over the terminal";
    EXACTLY_51 = "51 transactions, one more than fits a page";
}

//! The accounts that anvil and Hardhat fund by default. Their keys are public: they are derived from the
//! mnemonic `test test test test test test test test test test test junk`.

use alloy_primitives::{Address, address};

pub const DEVELOPMENT_ACCOUNTS: [Address; 10] = [
    address!("f39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
    address!("70997970C51812dc3A010C7d01b50e0d17dc79C8"),
    address!("3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"),
    address!("90F79bf6EB2c4f870365E785982E1f101E93b906"),
    address!("15d34AAf54267DB7D7c367839AAf71A00a2C6A65"),
    address!("9965507D1a55bcC2695C58ba16FB37d819B0A4dc"),
    address!("976EA74026E726554dB657fA54763abd0C3a0aa9"),
    address!("14dC79964da2C08b23698B3D3cc7Ca32193d9955"),
    address!("23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f"),
    address!("a0Ee7A142d267C1f36714E4a8F75612F20a79720"),
];

/// Names of the first default accounts on the demo chain.
pub const DEMO_NAMES: [&str; 2] = ["alice.eth", "bob.eth"];

/// Returns the number of a default account, as the nodes print it at their start.
pub fn development_account_number(address: &Address) -> Option<usize> {
    DEVELOPMENT_ACCOUNTS.iter().position(|account| account == address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_accounts_are_numbered_from_zero() {
        let last = address!("a0Ee7A142d267C1f36714E4a8F75612F20a79720");
        let found = [DEVELOPMENT_ACCOUNTS[0], last, Address::ZERO];
        let numbers = found.map(|address| development_account_number(&address));
        assert_eq!(numbers, [Some(0), Some(9), None]);
    }
}

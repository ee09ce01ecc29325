//! Selectors, and the meaning of those that the language reserves.

use crate::chain::U256;
use crate::messages::abi::PANICS;
use crate::sanitize::SafeText;

/// The first four bytes of calldata or of revert data.
pub type Selector = [u8; 4];

/// Selector of `Panic(uint256)`. An error `Panic` with other parameters is a contract's own.
pub const PANIC_SELECTOR: Selector = [0x4e, 0x48, 0x7b, 0x71];

/// Describes a panic code: `Panic(0x01): assertion failed`.
pub fn panic_text(code: U256) -> SafeText {
    let small = u64::try_from(code).ok();
    match PANICS.iter().find(|(known, _)| Some(*known) == small) {
        Some((_, meaning)) => SafeText::new(&format!("Panic({code:#04x}): {meaning}")),
        None => SafeText::new(&format!("Panic({code:#04x})")),
    }
}

/// Returns the special function that runs without a selector: `receive()` without calldata,
/// `fallback()` with less than four bytes.
pub fn special_function_name(input: &[u8]) -> Option<&'static str> {
    match input.len() {
        0 => Some("receive()"),
        1..=3 => Some("fallback()"),
        _ => None,
    }
}

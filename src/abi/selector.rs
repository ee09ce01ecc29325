//! Selectors, and the meaning of those that the language reserves.

use crate::chain::U256;
use crate::sanitize::SafeText;

/// The first four bytes of calldata or of revert data.
pub type Selector = [u8; 4];

/// Selector of `Panic(uint256)`. An error `Panic` with other parameters is a contract's own.
pub const PANIC_SELECTOR: Selector = [0x4e, 0x48, 0x7b, 0x71];

/// Describes a panic code: `Panic(0x01): assertion failed`.
pub fn panic_text(code: U256) -> SafeText {
    let meaning = match u64::try_from(code).ok() {
        Some(0x00) => "generic compiler check",
        Some(0x01) => "assertion failed",
        Some(0x11) => "arithmetic overflow or underflow",
        Some(0x12) => "division or modulo by zero",
        Some(0x21) => "invalid enum value",
        Some(0x22) => "invalid byte array in storage",
        Some(0x31) => "pop() on an empty array",
        Some(0x32) => "index out of bounds",
        Some(0x41) => "too much memory allocated",
        Some(0x51) => "call of an uninitialized function variable",
        _ => return SafeText::new(&format!("Panic({code:#04x})")),
    };
    SafeText::new(&format!("Panic({code:#04x}): {meaning}"))
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

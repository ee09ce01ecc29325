//! Selectors, and the meaning of those that the language reserves.

use crate::chain::U256;
use crate::messages::abi::PANICS;
use crate::sanitize::SafeText;

/// The first four bytes of calldata or of revert data.
pub type Selector = [u8; SELECTOR_BYTES];

pub const SELECTOR_BYTES: usize = 4;

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

/// A function that runs without a selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialFunction {
    Receive,
    Fallback,
}

impl SpecialFunction {
    /// Returns the likely function of an unknown contract, unless the calldata has a selector.
    pub fn of_calldata(input: &[u8]) -> Option<Self> {
        match input.len() {
            0 => Some(Self::Receive),
            1..=3 => Some(Self::Fallback),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Receive => "receive",
            Self::Fallback => "fallback",
        }
    }

    /// Returns the name as it is called: `receive()`.
    pub fn call(self) -> &'static str {
        match self {
            Self::Receive => "receive()",
            Self::Fallback => "fallback()",
        }
    }
}

/// The functions without a selector that a contract declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpecialFunctions {
    pub(super) has_receive: bool,
    pub(super) has_fallback: bool,
}

impl SpecialFunctions {
    pub(super) fn add(&mut self, function: SpecialFunction) {
        match function {
            SpecialFunction::Receive => self.has_receive = true,
            SpecialFunction::Fallback => self.has_fallback = true,
        }
    }

    pub(super) fn iter(self) -> impl Iterator<Item = SpecialFunction> {
        let receive = self.has_receive.then_some(SpecialFunction::Receive);
        receive.into_iter().chain(self.has_fallback.then_some(SpecialFunction::Fallback))
    }

    /// Returns the functions of a proxy and its implementation.
    pub(super) fn union(self, other: Self) -> Self {
        Self {
            has_receive: self.has_receive || other.has_receive,
            has_fallback: self.has_fallback || other.has_fallback,
        }
    }

    /// Returns the function that calldata without a selector runs, if the contract has it.
    pub fn run_by(self, input: &[u8]) -> Option<SpecialFunction> {
        match self {
            Self { has_receive: true, .. } if input.is_empty() => Some(SpecialFunction::Receive),
            Self { has_fallback: true, .. } => Some(SpecialFunction::Fallback),
            _ => None,
        }
    }
}

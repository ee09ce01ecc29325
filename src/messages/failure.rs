//! The usual causes of failures without revert data.

use std::fmt;

use crate::chain::U256;
use crate::chain::amount::Grouped;
use crate::sanitize::SafeText;

/// A reason for which a contract rejects a call before it runs any code of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallRejection {
    NotPayable {
        function: SafeText,
        value: U256,
    },
    NoFunction {
        selector: SafeText,
    },
    /// For coin without calldata.
    NoReceive,
}

impl fmt::Display for CallRejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPayable { function, value } => {
                write!(f, "{function} is not payable: {} wei sent", Grouped(value))
            }
            Self::NoFunction { selector } => write!(f, "no function {selector} and no fallback"),
            Self::NoReceive => f.write_str("takes no coin: no receive and no fallback"),
        }
    }
}

/// A cause by the ABI, the calls, the source or the instruction at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailureCause {
    Rejected {
        contract: SafeText,
        why: CallRejection,
    },
    /// A call of an account without code, from which a result was expected.
    NoCode {
        account: SafeText,
    },
    RequireWithoutReason,
    RevertWithoutReason,
    /// An instruction that a later version of the EVM has.
    NewerEvm {
        instruction: &'static str,
        code: u8,
        version: &'static str,
    },
    InvalidInstruction,
    /// A contract is at the address of a new one.
    AddressInUse,
    UnknownInstruction {
        code: u8,
    },
}

impl fmt::Display for FailureCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected { contract, why: why @ CallRejection::NoFunction { .. } } => {
                write!(f, "{contract} has {why}")
            }
            Self::Rejected { contract, why: why @ CallRejection::NoReceive } => {
                write!(f, "{contract} {why}")
            }
            Self::Rejected { contract, why } => write!(f, "{contract}.{why}"),
            Self::NoCode { account } => write!(f, "called an account without code: {account}"),
            Self::RequireWithoutReason => f.write_str("require without a reason"),
            Self::RevertWithoutReason => f.write_str("revert without a reason"),
            Self::NewerEvm { instruction, code, version } => write!(
                f,
                "invalid opcode {instruction} ({code:#04x}): compiled for {version}, newer than this node"
            ),
            Self::InvalidInstruction => {
                f.write_str("invalid opcode (0xfe): an old assert, or data run as code")
            }
            Self::AddressInUse => f.write_str("the address of the new contract is in use"),
            Self::UnknownInstruction { code } => {
                write!(f, "invalid opcode {code:#04x}: data run as code, or a newer EVM's code")
            }
        }
    }
}

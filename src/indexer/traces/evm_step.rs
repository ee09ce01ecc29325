//! One step of the EVM: its stack, its memory, and the call or creation that it begins.

use serde_json::value::RawValue;

use crate::chain::call_kind::CallKind;
use crate::chain::{Address, B256, U256, WORD_BYTES};
use crate::rpc::wire::struct_log::RpcStep;

/// Gas up to which no slot can be written (EIP-2200): the stipend of a call with value.
const MAX_GAS_WITHOUT_WRITES: u64 = 2_300;

/// An instruction, and the state before it ran.
#[derive(Debug)]
pub(super) struct EvmStep<'a> {
    wire: RpcStep<'a>,
    pub(super) depth: u64,
}

/// Parameters of a step that calls or creates.
#[derive(Debug, Clone, Copy)]
pub(super) struct AskedCall {
    pub(super) kind: CallKind,
    /// At most so much, unknown for creations.
    pub(super) gas: Option<U256>,
    /// Unknown for creations.
    pub(super) to: Option<Address>,
    /// Unknown for delegated calls.
    pub(super) value: Option<U256>,
    pub(super) input: MemoryRange,
    /// Memory range of the output.
    pub(super) output: MemoryRange,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MemoryRange {
    pub(super) offset: U256,
    pub(super) length: U256,
}

/// Parameters of a step that emits a log.
#[derive(Debug)]
pub(super) struct AskedLog {
    pub(super) topics: Vec<B256>,
    pub(super) data: MemoryRange,
}

/// The way in which a step ends its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    Return(MemoryRange),
    Revert(MemoryRange),
    Stop,
    SelfDestruct(Address),
    /// It fails, or is the last instruction of code without an end.
    Other,
}

impl<'a> EvmStep<'a> {
    pub(super) fn parse(json: &'a RawValue) -> Option<Self> {
        let wire: RpcStep<'a> = serde_json::from_str(json.get()).ok()?;
        Some(Self { depth: wire.depth?, wire })
    }

    pub(super) fn op(&self) -> &str {
        &self.wire.op
    }

    pub(super) fn gas(&self) -> Option<u64> {
        self.wire.gas
    }

    pub(super) fn gas_cost(&self) -> Option<u64> {
        self.wire.gas_cost
    }

    /// Returns the topmost words of the stack, the top first.
    fn top<const N: usize>(&self) -> Option<[U256; N]> {
        let stack: Vec<&str> = serde_json::from_str(self.wire.stack?.get()).ok()?;
        let mut top = [U256::ZERO; N];
        for (word, hex) in
            top.iter_mut().zip(stack.get(stack.len().checked_sub(N)?..)?.iter().rev())
        {
            *word = U256::from_str_radix(hex.trim_start_matches("0x"), 16).ok()?;
        }
        Some(top)
    }

    /// Returns the result of the call before this step: zero if it failed, or a created contract's
    /// address.
    pub(super) fn result(&self) -> Option<U256> {
        self.top::<1>().map(|[result]| result)
    }

    /// Returns the kind of the call that this step makes, if it makes one.
    pub(super) fn call_kind(&self) -> Option<CallKind> {
        Some(match self.op() {
            "CALL" => CallKind::Call,
            "CALLCODE" => CallKind::CallCode,
            "DELEGATECALL" => CallKind::DelegateCall,
            "STATICCALL" => CallKind::StaticCall,
            "CREATE" => CallKind::Create,
            "CREATE2" => CallKind::Create2,
            _ => return None,
        })
    }

    /// Returns the call of a kind that this step makes. It is unknown without a stack.
    pub(super) fn call_of(&self, kind: CallKind) -> Option<AskedCall> {
        let range = |offset, length| MemoryRange { offset, length };
        if kind.creates() {
            let [value, offset, length] = self.top()?;
            let (input, output) = (range(offset, length), MemoryRange::default());
            return Some(AskedCall {
                kind,
                gas: None,
                to: None,
                value: Some(value),
                input,
                output,
            });
        }
        let (value, [gas, to, from, length, output, output_length]) = match kind {
            CallKind::Call | CallKind::CallCode => {
                let [gas, to, value, rest @ ..]: [U256; 7] = self.top()?;
                let [from, length, output, output_length] = rest;
                (Some(value), [gas, to, from, length, output, output_length])
            }
            CallKind::StaticCall => (Some(U256::ZERO), self.top()?),
            _ => (None, self.top()?),
        };
        let (input, output) = (range(from, length), range(output, output_length));
        Some(AskedCall { kind, gas: Some(gas), to: Some(address(to)), value, input, output })
    }

    /// Returns the memory that this step hashes, if it does.
    pub(super) fn hashed(&self) -> Option<MemoryRange> {
        let [offset, length] = matches!(self.op(), "KECCAK256" | "SHA3").then(|| self.top())??;
        Some(MemoryRange { offset, length })
    }

    pub(super) fn writes_storage(&self) -> bool {
        self.op() == "SSTORE"
    }

    /// Returns the slot of storage that this step writes. It is unknown without a stack.
    pub(super) fn written_slot(&self) -> Option<U256> {
        let [slot, _] = self.top()?;
        Some(slot)
    }

    /// Returns the log that this step emits, if it is one and its stack is known.
    pub(super) fn log(&self) -> Option<AskedLog> {
        let count: usize = self.op().strip_prefix("LOG")?.parse().ok().filter(|n| *n <= 4)?;
        let [offset, length] = self.top()?;
        let data = MemoryRange { offset, length };
        let words = match count {
            0 => Vec::new(),
            1 => self.top::<3>()?[2..].to_vec(),
            2 => self.top::<4>()?[2..].to_vec(),
            3 => self.top::<5>()?[2..].to_vec(),
            _ => self.top::<6>()?[2..].to_vec(),
        };
        Some(AskedLog { topics: words.into_iter().map(B256::from).collect(), data })
    }

    /// Returns `true` if it fails for a lack of gas, provided that it fails. Hardhat 2 sends the gas that was left as
    /// the cost of a step that costs more, and no cost for a slot that could not be written.
    pub(super) fn lacks_gas(&self) -> bool {
        let lacks_write_gas = self.gas().is_some_and(|gas| gas <= MAX_GAS_WITHOUT_WRITES);
        self.gas_cost().zip(self.gas()).is_some_and(|(cost, gas)| cost >= gas)
            || (self.writes_storage() && lacks_write_gas)
    }

    pub(super) fn is_out_of_gas(&self) -> bool {
        self.gas_cost().zip(self.gas()).is_some_and(|(cost, gas)| cost > gas)
    }

    /// Returns the end of the call, if this step is the last.
    pub(super) fn halt(&self) -> Halt {
        let range = || {
            let [offset, length] = self.top()?;
            Some(MemoryRange { offset, length })
        };
        match self.op() {
            "RETURN" => range().map_or(Halt::Other, Halt::Return),
            "REVERT" => range().map_or(Halt::Other, Halt::Revert),
            "STOP" => Halt::Stop,
            "SELFDESTRUCT" | "SUICIDE" => {
                self.result().map_or(Halt::Other, |to| Halt::SelfDestruct(address(to)))
            }
            _ => Halt::Other,
        }
    }

    /// Returns the number of words in memory.
    pub(super) fn memory_words(&self) -> Option<usize> {
        self.memory().map(|words| words.len())
    }

    fn memory(&self) -> Option<Vec<&'a str>> {
        serde_json::from_str(self.wire.memory?.get()).ok()
    }

    /// Returns a part of the memory, which is zero beyond its end. `None` if it is unknown, or longer
    /// than `max_length`.
    pub(super) fn bytes(&self, range: MemoryRange, max_length: usize) -> Option<Vec<u8>> {
        let length = usize::try_from(range.length).ok().filter(|length| *length <= max_length)?;
        if length == 0 {
            return Some(Vec::new());
        }
        let offset = usize::try_from(range.offset).ok()?;
        let end = offset.checked_add(length)?;
        let memory = self.memory()?;
        let (first, last) = (offset / WORD_BYTES, end.div_ceil(WORD_BYTES));
        let known = memory.get(first.min(memory.len())..last.min(memory.len()))?;
        let mut bytes = Vec::with_capacity((last - first) * WORD_BYTES);
        for word in known {
            let word = alloy_primitives::hex::decode(word).ok()?;
            bytes.extend((word.len() == WORD_BYTES).then_some(word)?);
        }
        let start = offset - first * WORD_BYTES;
        bytes.resize(start + length, 0);
        Some(bytes.split_off(start))
    }
}

fn address(word: U256) -> Address {
    Address::from_word(word.into())
}

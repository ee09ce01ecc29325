//! Builds small traces for tests.

use bytes::Bytes;

use super::CallTree;
use super::parser::parse_trace;

/// A call of a test trace.
#[derive(Debug, Clone)]
pub(crate) struct SampleCall {
    pub(crate) path: Vec<u32>,
    pub(crate) kind: &'static str,
    pub(crate) from: u64,
    pub(crate) to: u128,
    pub(crate) value: u64,
    pub(crate) gas: u64,
    pub(crate) input: String,
    pub(crate) output: String,
    pub(crate) error: Option<&'static str>,
}

impl SampleCall {
    /// Creates a call from 0x0a to 0x0b at a path, without value, gas or data.
    pub(crate) fn at(path: &[u32]) -> Self {
        Self {
            path: path.to_vec(),
            kind: "call",
            from: 0xa,
            to: 0xb,
            value: 0,
            gas: 0,
            input: "0x".into(),
            output: "0x".into(),
            error: None,
        }
    }

    pub(crate) fn failed(mut self, output: &str) -> Self {
        (self.error, self.output) = (Some("Reverted"), output.into());
        self
    }

    pub(crate) fn moves(mut self, from: u64, to: u64, value: u64) -> Self {
        (self.from, self.to, self.value) = (from, to.into(), value);
        self
    }

    pub(crate) fn kind(mut self, kind: &'static str) -> Self {
        self.kind = kind;
        self
    }

    pub(crate) fn input(mut self, input: &str) -> Self {
        self.input = input.into();
        self
    }

    fn json(&self) -> String {
        let path: Vec<String> = self.path.iter().map(u32::to_string).collect();
        let (from, to) = (format!("0x{:040x}", self.from), format!("0x{:040x}", self.to));
        let (value, path) = (format!("{:#x}", self.value), path.join(","));
        let error = self.error.map_or(String::new(), |word| format!(r#","error":"{word}""#));
        let (action, result, kind) = match self.kind {
            "suicide" => (
                format!(r#""address":"{from}","refundAddress":"{to}","balance":"{value}""#),
                "null".into(),
                "suicide",
            ),
            "reward" => (
                format!(r#""author":"{to}","rewardType":"block","value":"{value}""#),
                "null".into(),
                "reward",
            ),
            "create" => (
                format!(
                    r#""from":"{from}","gas":"0xff","init":"{}","value":"{value}""#,
                    self.input
                ),
                format!(
                    r#"{{"address":"{to}","gasUsed":"{:#x}","code":"{}"}}"#,
                    self.gas, self.output
                ),
                "create",
            ),
            kind => (
                format!(
                    r#""callType":"{kind}","from":"{from}","to":"{to}","gas":"0xff","input":"{}","value":"{value}""#,
                    self.input
                ),
                format!(r#"{{"gasUsed":"{:#x}","output":"{}"}}"#, self.gas, self.output),
                "call",
            ),
        };
        format!(
            r#"{{"action":{{{action}}},"result":{result},"traceAddress":[{path}],"type":"{kind}"{error}}}"#
        )
    }
}

/// Parses the trace of some calls.
pub(crate) fn sample_tree(calls: &[SampleCall]) -> CallTree {
    let entries: Vec<String> = calls.iter().map(SampleCall::json).collect();
    parse_trace(Bytes::from(format!("[{}]", entries.join(","))))
}

/// Builds calls of any shape: each number is the levels by which the next call is further out than a
/// child of the last one.
pub(crate) fn calls_by_level_ups(ups: &[usize]) -> Vec<SampleCall> {
    let mut calls = vec![SampleCall::at(&[])];
    let mut children = vec![0];
    for up in ups {
        let above = children.len().saturating_sub(*up).max(1);
        children.truncate(above);
        if let Some(last) = children.last_mut() {
            *last += 1;
        }
        let path: Vec<u32> = children.iter().map(|n| n - 1).collect();
        calls.push(SampleCall::at(&path));
        children.push(0);
    }
    calls
}

//! The arguments of `trace`.

use std::str::FromStr;

use url::Url;

use crate::batch::trace::TraceOutputOptions;
use crate::chain::TxHash;
use crate::chain::target::{Target, TargetKind};
use crate::trace::export::TraceExportFormat;
use crate::ui::theme::Styles;

/// So much of an answer is read unless the user says otherwise.
const DEFAULT_MAX_BYTES: u64 = 64 << 20;

/// What `trace` is called with.
#[derive(Debug, clap::Args)]
pub(super) struct TraceArgs {
    /// A transaction hash, or an explorer's web address of one
    transaction: TraceTarget,
    /// In which form
    #[arg(long, value_enum, default_value_t = TraceExportFormat::Tree)]
    format: TraceExportFormat,
    /// How many levels below the first call [default: all]
    #[arg(long, value_name = "N")]
    depth: Option<u16>,
    /// The call to begin with, such as 0.3.1; `root` is the whole
    #[arg(long, value_name = "PATH")]
    node: Option<NodePath>,
    /// How large the answer may be; a larger one is an error
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_BYTES)]
    max_bytes: u64,
}

/// A path of calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NodePath(pub(super) Vec<u32>);

impl FromStr for NodePath {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "root" {
            return Ok(Self(Vec::new()));
        }
        let number = |part: &str| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse());
        let path: Option<Vec<u32>> = text.split('.').map(|part| number(part)?.ok()).collect();
        path.map(Self)
            .ok_or("not a path of calls: give numbers with points, such as 0.3.1, or root")
    }
}

/// A transaction, and the explorer whose web address it was, if it was one.
#[derive(Debug, Clone)]
struct TraceTarget {
    hash: TxHash,
    explorer: Option<Url>,
}

impl FromStr for TraceTarget {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(Target { kind: TargetKind::Transaction(hash), explorer, .. }) => {
                Ok(Self { hash, explorer })
            }
            _ => Err("not a transaction: give 0x and 64 hex digits, or an explorer's web address"),
        }
    }
}

impl TraceArgs {
    /// The explorer that the transaction's web address names.
    pub(super) fn explorer(&self) -> Option<&Url> {
        self.transaction.explorer.as_ref()
    }

    /// What is asked for.
    pub(super) fn into_options(
        self,
        (styles, ascii): (Option<Styles>, bool),
    ) -> TraceOutputOptions {
        TraceOutputOptions {
            transaction: self.transaction.hash,
            format: self.format,
            node: self.node.map(|node| node.0),
            max_depth: self.depth,
            max_bytes: self.max_bytes,
            styles,
            ascii,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_numbers_with_points() {
        assert_eq!("0.3.1".parse(), Ok(NodePath(vec![0, 3, 1])));
        assert_eq!("7".parse(), Ok(NodePath(vec![7])));
        assert_eq!("root".parse(), Ok(NodePath(vec![])));
        for text in ["", ".", "0.", "-1", "+1", "0x1", "0,1", "4294967296", "root.0"] {
            assert!(text.parse::<NodePath>().is_err(), "{text}");
        }
    }
}

//! The words of messages: errors, notices and empty states, each a typed value with its data.
//!
//! A module that has something to report returns a value from here, and its callers match on the
//! value, never on its text. Words from outside are [`SafeText`](crate::sanitize::SafeText) in a
//! field. `tests/suite/messages.rs` lists all sentences in one snapshot.
//!
//! A sentence is in lower case and at most 60 columns wide. It says what happened, then the way out with
//! its key, as the placeholder of an action: `{refresh} retries`.

use std::fmt;

use crate::chain::amount::Grouped;

/// A number with its noun, whose plural ends in s: `1 row`, `1,234 rows`.
#[derive(Debug, Clone, Copy)]
pub struct Count(pub usize, pub &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(number, noun) = self;
        write!(f, "{} {noun}{}", Grouped(number), if *number == 1 { "" } else { "s" })
    }
}

/// Declares fixed sentences, and the list of them all.
macro_rules! sentences {
    ($($name:ident = $text:literal;)+) => {
        $(pub const $name: &str = $text;)+
        pub const ALL: &[&str] = &[$($name),+];
    };
}
use sentences;

pub mod abi;
pub mod api_error;
pub mod approvals;
pub mod call;
pub mod call_risk;
pub mod chain_data;
pub mod cli;
pub mod column;
pub mod connect_error;
pub mod contract;
pub mod decoded;
pub mod diff;
pub mod export;
pub mod failed_refresh;
pub mod failure;
pub mod index;
pub mod labels;
pub mod list;
pub mod node;
pub mod notice;
pub mod page;
pub mod picture;
pub mod project;
pub mod prompt;
pub mod safety;
pub mod settings;
pub mod start;
pub mod system;
pub mod target;
pub mod token;
pub mod trace;
pub mod trace_format;
pub mod trace_problem;
pub mod transaction;
pub mod unavailable;
pub mod watch;

//! Who answers for each chain: one source an explorer, made when its chain is first opened.

use anyhow::bail;
use jiff::Timestamp;

use super::provider::Source;
use crate::chain::network::Network;
use crate::sanitize::Text;

/// Makes the source of another chain.
pub(crate) type Connect<'a> = dyn Fn(&Network) -> anyhow::Result<Connection> + 'a;

/// The first chain's source, and how those of others are made.
pub struct Sources<'a> {
    pub(crate) first: Source,
    pub(crate) connect: Box<Connect<'a>>,
}

/// A source that was made, and what is to be said of it.
#[derive(Debug)]
pub struct Connection {
    /// Who answers.
    pub source: Source,
    /// What the user should know.
    pub warning: Option<Text>,
}

impl<'a> Sources<'a> {
    /// `first` answers for the first chain; for each other one, whom `connect` finds. Why it finds
    /// none is shown to the user.
    pub fn new(
        first: Source,
        connect: impl Fn(&Network) -> anyhow::Result<Connection> + 'a,
    ) -> Self {
        Self { first, connect: Box::new(connect) }
    }

    /// The time, as the first source has it.
    pub fn now(&self) -> Timestamp {
        self.first.now()
    }
}

impl From<Source> for Sources<'_> {
    /// One chain only.
    fn from(first: Source) -> Self {
        Self::new(first, |_| bail!("this run has one chain"))
    }
}

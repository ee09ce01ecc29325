//! Who is asked for a chain that was named, and why.

use super::network::{Endpoint, shared};
use super::registry::{Known, Origin};

/// Who is asked, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// Who is asked.
    pub endpoint: Endpoint,
    /// Why it is they.
    pub reason: Reason,
}

/// Why somebody is asked for a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Reason {
    /// It is in this program.
    Demo,
    /// The user's configuration says so.
    Config,
    /// There is a key for the PRO API, which serves the chain.
    Pro,
    /// There is none.
    NoKey,
    /// There is one, and the PRO API is not known to serve the chain.
    NotServed,
}

impl Reason {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Demo => "built in",
            Self::Config => "your configuration",
            Self::Pro => "PRO API, your key",
            Self::NoKey => "own API, no PRO key",
            Self::NotServed => "own API, not Blockscout's",
        }
    }
}

/// Who is asked for a chain, if a key for the PRO API is there or not. Which chains that serves cannot
/// be known without asking: those are taken whose explorers Blockscout hosts.
pub fn route(known: &Known, has_pro: bool) -> Route {
    let own = known.network.endpoint.clone();
    let (endpoint, reason) = match (known.origin, known.network.id.and_then(shared)) {
        (Origin::Demo, _) => (own, Reason::Demo),
        (Origin::Config, _) => (own, Reason::Config),
        (Origin::Table { hosted: true }, Some(pro)) if has_pro => {
            (Endpoint::Remote(pro), Reason::Pro)
        }
        (Origin::Table { hosted: false }, _) if has_pro => (own, Reason::NotServed),
        _ => (own, Reason::NoKey),
    };
    Route { endpoint, reason }
}

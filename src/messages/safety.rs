//! Warnings about look-alike addresses, and reasons not to open a URL.

use std::fmt;
use std::ops::RangeInclusive;

use crate::sanitize::SafeText;

/// An address that another one resembles.
#[derive(Debug, Clone, Copy, strum::Display)]
pub enum GenuineAddress<'a> {
    #[strum(to_string = "{address}")]
    Seen { address: &'a str },
    #[strum(to_string = "{address}, which your calldata in {transaction} names")]
    NamedIn { address: &'a str, transaction: &'a str },
    #[strum(to_string = "{address}, which you paid in {transaction}")]
    PaidIn { address: &'a str, transaction: &'a str },
    #[strum(to_string = "the address of this page")]
    Viewed,
    #[strum(to_string = "{address}, which you labelled or watch; label this one if that is wrong")]
    Labelled { address: &'a str },
}

/// The difference of an address to the one that it resembles, to follow “This address …”.
#[derive(Debug)]
pub struct LookalikeWarning<'a> {
    /// The first and the last differing digit, counted from one.
    pub digits: &'a RangeInclusive<usize>,
    pub genuine: GenuineAddress<'a>,
    /// `true` if either of the two can be the imitation.
    pub is_mutual: bool,
}

impl fmt::Display for LookalikeWarning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (self.digits.start(), self.digits.end());
        if first == last {
            write!(f, "differs at character {first} from {}", self.genuine)?;
        } else {
            write!(f, "differs at characters {first}–{last} from {}", self.genuine)?;
        }
        if self.is_mutual {
            f.write_str(": one of the two is an imitation; label the one you know")?;
        }
        Ok(())
    }
}

/// A URL that is not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("cannot open: the URL contains a user name or password")]
    Credentials,
    #[error("cannot open: the host name is too long to show")]
    LongHost,
    #[error("cannot open: {host} is not on the public internet")]
    NotPublic { host: SafeText },
    #[error("cannot open {scheme}: URLs; copy it instead")]
    Scheme { scheme: &'static str },
    #[error("can open http: and https: only; copy it instead")]
    UnknownScheme,
}

impl From<UrlError> for SafeText {
    fn from(error: UrlError) -> Self {
        Self::new(&error.to_string())
    }
}

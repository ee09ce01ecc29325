//! Messages about tokens and amounts of them.

super::sentences! {
    NOT_A_KNOWN_TOKEN = "not a known token";
    NO_TOKEN = "no token at this address";
}

/// An amount of a token.
#[derive(Debug, strum::Display)]
pub enum TokenNote<'a> {
    /// The decimals are unknown.
    #[strum(to_string = "{amount} units of {token}")]
    Units { amount: &'a str, token: &'a str },
}

//! Messages about data that is decoded on a page of its own, or by `chainglass decode`.

use std::fmt;

use super::Count;
use crate::chain::data_input::DataInputError;

super::sentences! {
    NOT_DATA = "not hex, a signature or a number";
    MAYBE_HASH = "a topic, slot, transaction, block or secret key";
    NOT_SIGNED = "not signed";
    BAD_SIGNATURE = "no account can have made this signature";
    ANY_CHAIN = "any: the signature is valid on all chains";
    OTHER_CHAIN = "not the chain of this page";
    CREATES_CONTRACT = "creates a contract";
    ALL_CHAINS = "on all chains";
    MAXIMUM = "the maximum of uint256";
    OTHERS_INDEXED = "other parameters may be indexed";
    NO_EVENT = "no known event has this topic";
    BY_LAYOUT = "values by their layout";
    EMPTY_CALL = "empty: receive()";
    LIKELY_CALL = "likely call to";
}

impl fmt::Display for DataInputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str(NOT_DATA),
            Self::OddDigits(digits) => {
                let counted = Count(*digits, "hex digit");
                match digits {
                    39 | 41 => write!(f, "{counted}: an address has 40"),
                    63 | 65 => write!(f, "{counted}: a hash has 64"),
                    _ => write!(f, "{counted}: half a byte is missing"),
                }
            }
            Self::TooLong => f.write_str("longer than 1 MB"),
            Self::TooLarge => f.write_str("a number of more than 256 bits"),
        }
    }
}

/// A note next to decoded data.
#[derive(Debug, strum::Display)]
pub enum DecodedNote<'a> {
    #[strum(to_string = "at most {fee}")]
    MaxFee { fee: &'a str },
    /// Opening the page sends the hash.
    #[strum(to_string = "open it: asks {host}")]
    Asks { host: &'a str },
    /// The arguments after a known selector do not have its types.
    #[strum(to_string = "not the arguments of {signature}")]
    OtherArguments { signature: &'a str },
    /// The risk of a function, of which the arguments are not known.
    #[strum(to_string = "at worst: {risk}")]
    AtWorst { risk: &'a str },
    /// The title of the page.
    #[strum(to_string = "decoded {data}")]
    Title { data: &'a str },
}

//! Messages about responses that are not a call trace.
//!
//! The parser returns them with the offset of the error, or as a part of the unknown format that the
//! page of the trace names: `unknown trace format (an object with id)`.

super::sentences! {
    DATA_AFTER_END = "unexpected data after the end";
    NO_COMMA_IN_OBJECT = "expected a comma or the end of an object";
    NO_COMMA_IN_ARRAY = "expected a comma or the end of an array";
    NO_KEY = "expected a key";
    NO_COLON = "expected a colon";
    NO_ELEMENT = "expected an element";
    NO_VALUE = "expected a value";
    TOO_DEEP = "calls nest deeper than the EVM's 1,024 levels";
    NUMBER = "a number";
    OBJECT = "an object";
    ARRAY = "an array of objects";
}

/// JSON of an unknown format, by its keys.
#[derive(Debug, strum::Display)]
pub enum UnknownFormat<'a> {
    #[strum(to_string = "{kind} without keys")]
    NoKeys { kind: &'a str },
    #[strum(to_string = "{kind} with {keys}")]
    Keys { kind: &'a str, keys: &'a str },
    /// The object has further keys.
    #[strum(to_string = "{kind} with {keys}, …")]
    ManyKeys { kind: &'a str, keys: &'a str },
}

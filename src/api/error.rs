//! Why an answer did not come, in words for the person who waits for it.

use serde_json::value::RawValue;
use url::Url;

use super::json_fields::{Object, array, scalar, unmarked};
use crate::chain::chains::Chains;
use crate::sanitize::Text;

/// The PRO API's words for a chain that it does not serve.
const NOT_SERVED: &str = "Network not supported";
/// What it says when a key can pay for nothing more.
const SPENT: &str = "Out of credits";

/// A question that got no usable answer. Each says what happened; [`ApiError::hint`] what can be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// No connection: name not found, refused, TLS failed.
    #[error("cannot reach the explorer: {0}")]
    Unreachable(Text),
    /// It sends one on to where one does not go.
    #[error("cannot reach the explorer: {0}")]
    Astray(Text),
    /// It took too long.
    #[error("no answer within {seconds} s")]
    TimedOut {
        /// The limit.
        seconds: u64,
    },
    /// The connection broke before the answer was complete.
    #[error("the answer was cut off: {0}")]
    Interrupted(Text),
    /// The server said no, with a reason.
    #[error("the explorer answered {status}: {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The server's words.
        message: Text,
        /// The parameter it objects to, where it names one.
        parameter: Option<Text>,
    },
    /// An answer that is not JSON: a gateway, a captcha, a sign-in page.
    #[error("a page that is not the API answered, HTTP {status}, {what}")]
    NotJson {
        /// The HTTP status.
        status: u16,
        /// Its type, and which server sent it.
        what: Text,
    },
    /// More than is read of any answer.
    #[error("the answer is larger than {limit} MB")]
    TooLarge {
        /// The limit, decompressed.
        limit: u64,
    },
    /// JSON that is broken, or of another shape.
    #[error("the answer cannot be read: {0}")]
    Unreadable(Text),
    /// A cursor that was already followed.
    #[error("the explorer repeated its cursor after {rows} rows")]
    CursorLoop {
        /// Rows loaded so far.
        rows: usize,
    },
    /// Pages that hold nothing new, one after the other.
    #[error("{pages} pages in a row held nothing new, and there are more")]
    EmptyPages {
        /// How many.
        pages: u8,
    },
    /// The embedded explorer did not start.
    #[error("the demo chain could not be started: {0}")]
    NoDemo(Text),
}

impl ApiError {
    /// The refusal that an error body of any form means: `{"errors":[…]}`, `{"message":…}`,
    /// `{"error":…}` or a bare string.
    pub fn refused(status: u16, body: &[u8]) -> Self {
        let json = serde_json::from_slice::<&RawValue>(unmarked(body)).ok();
        let (message, parameter) = json.map(words).unwrap_or_default();
        let message = if message.is_empty() { Text::new(meaning(status)) } else { message };
        Self::Refused { status, message, parameter }
    }

    /// The same with each of its texts changed.
    #[must_use]
    pub fn with_texts(self, change: impl Fn(&Text) -> Text) -> Self {
        match self {
            Self::Unreachable(text) => Self::Unreachable(change(&text)),
            Self::Astray(text) => Self::Astray(change(&text)),
            Self::Interrupted(text) => Self::Interrupted(change(&text)),
            Self::Unreadable(text) => Self::Unreadable(change(&text)),
            Self::NoDemo(text) => Self::NoDemo(change(&text)),
            Self::NotJson { status, what } => Self::NotJson { status, what: change(&what) },
            Self::Refused { status, message, parameter } => Self::Refused {
                status,
                message: change(&message),
                parameter: parameter.as_ref().map(change),
            },
            Self::TimedOut { .. }
            | Self::TooLarge { .. }
            | Self::CursorLoop { .. }
            | Self::EmptyPages { .. } => self,
        }
    }

    /// The same with the way out, where the PRO API, asked at `base`, does not serve the chain.
    #[must_use]
    pub fn explained(self, base: &Url) -> Self {
        match self {
            Self::Refused { status: 404, message, parameter } if *message == *NOT_SERVED => {
                let web = Chains::default().at(base).web;
                let own = web.as_ref().map_or("https://…", Url::as_str);
                let way = "the PRO API does not serve this chain, ask its own explorer: --chain";
                let message = Text::new(&format!("{message}, {way} {own}"));
                Self::Refused { status: 404, message, parameter }
            }
            other => other,
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreachable(_) | Self::Astray(_) | Self::Interrupted(_) => {
                "check the network and the address"
            }
            Self::TimedOut { .. } | Self::NotJson { status: 502..=504, .. } => {
                "the server may be busy"
            }
            Self::NotJson { .. } | Self::Refused { status: 400, .. } => {
                "is this the base address of an explorer?"
            }
            Self::Refused { status: 402, message, .. } if message.contains(SPENT) => {
                "wait for new ones, or give --chain its own explorer's address"
            }
            Self::Refused { status: 401 | 402, .. } => {
                "no API key, or a wrong one: CHAINGLASS_API_KEY, or [keys] in config.toml"
            }
            Self::Refused { status: 403, .. } => "this server does not show it",
            Self::Refused { status: 404, message, .. } if message.starts_with(NOT_SERVED) => {
                "an address is asked as it is given, with a key or without"
            }
            Self::Refused { status: 404, .. } => "this server does not know it",
            Self::Refused { status: 422, .. } => {
                "this server does not take the request in this form"
            }
            Self::Refused { status: 429, .. } => "too many requests: wait a moment",
            Self::Refused { .. } | Self::Unreadable(_) => "the server has a problem of its own",
            Self::TooLarge { .. } => "a narrower filter may help",
            Self::EmptyPages { .. } => "the server may be filtering what it lists",
            Self::CursorLoop { .. } => "the rows above are all it gives",
            Self::NoDemo(_) => "another program may be in the way",
        }
    }
}

/// The server's words, and the parameter it names.
fn words(json: &RawValue) -> (Text, Option<Text>) {
    if let Some(text) = scalar(json) {
        return (Text::new(&text), None);
    }
    let Ok(object) = Object::parse(json) else { return Default::default() };
    let Some(errors) = object.raw(&["errors"]) else {
        let message = object.field::<Text>(&["message", "error"]).known().cloned();
        return (message.unwrap_or_default(), None);
    };
    let errors = array(errors).unwrap_or_default();
    let objects: Vec<_> = errors.into_iter().filter_map(|e| Object::parse(e).ok()).collect();
    let said: Vec<_> = objects.iter().map(one_error).collect();
    let parameter = said.iter().find_map(|(_, parameter)| parameter.clone());
    let lines: Vec<&str> = said.iter().map(|(line, _)| &**line).collect();
    (Text::new(&lines.join("; ")), parameter)
}

fn one_error(error: &Object<'_>) -> (Text, Option<Text>) {
    let detail = error.field::<Text>(&["detail", "title"]).known().cloned().unwrap_or_default();
    let pointer = error.raw(&["source"]).and_then(|s| Object::parse(s).ok());
    let pointer = pointer.and_then(|s| s.field::<Text>(&["pointer"]).known().cloned());
    let parameter = pointer.map(|p| Text::new(p.trim_start_matches('/')));
    let line = match &parameter {
        Some(parameter) => Text::new(&format!("{parameter}: {detail}")),
        None => detail,
    };
    (line, parameter)
}

fn meaning(status: u16) -> &'static str {
    match status {
        400 => "bad request",
        401 => "a key is needed",
        402 => "payment needed",
        403 => "not allowed",
        404 => "not found",
        406 => "not acceptable",
        422 => "a parameter was not accepted",
        429 => "too many requests",
        500 => "internal server error",
        501 => "not implemented",
        502 => "bad gateway",
        503 => "service unavailable",
        504 => "gateway timeout",
        _ => "no reason given",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(body: &str) -> (Text, Option<Text>) {
        match ApiError::refused(422, body.as_bytes()) {
            ApiError::Refused { message, parameter, .. } => (message, parameter),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn error_bodies_of_every_form() {
        let v9 = r#"{"errors":[{"title":"Invalid value","source":{"pointer":"/nope"},"detail":"Unexpected field: nope"}]}"#;
        assert_eq!(said(v9), ("nope: Unexpected field: nope".into(), Some("nope".into())));
        assert_eq!(said(r#"{"message":"Not found"}"#).0, "Not found".into());
        assert_eq!(
            said(r#"{"error":"Out of credits","source":"internal"}"#).0,
            "Out of credits".into()
        );
        assert_eq!(said(r#""Internal server error""#).0, "Internal server error".into());
        assert_eq!(said("<html>").0, "a parameter was not accepted".into());
        assert_eq!(said(r#"{"errors":{}}"#).0, "a parameter was not accepted".into());
        assert_eq!(said("{\"message\":\"\\u001b[2J\"}").0, "␛[2J".into());
    }

    #[test]
    fn what_the_pro_api_refuses_is_said_with_the_way_out() {
        let refused = |status, words: &str| {
            let error = ApiError::refused(status, format!(r#"{{"error":"{words}"}}"#).as_bytes());
            let error = error.explained(&"https://api.blockscout.com/100/".parse().unwrap());
            (error.to_string(), error.hint())
        };
        let (error, hint) = refused(404, "Network not supported");
        assert!(error.contains("the PRO API does not serve this chain"), "{error}");
        assert!(error.ends_with("--chain https://gnosis.blockscout.com/"), "{error}");
        assert!(hint.contains("as it is given"), "{hint}");
        let (error, hint) = refused(404, "Not found");
        assert!(error.ends_with("404: Not found") && hint.contains("does not know"), "{hint}");
        assert!(refused(402, "Out of credits").1.contains("--chain"));
        for (status, words) in [
            (401, "Unauthorized"),
            (402, "Proceed with API key or make a X402 payment to continue"),
        ] {
            let (_, hint) = refused(status, words);
            assert!(hint.contains("CHAINGLASS_API_KEY") && hint.contains("[keys]"), "{hint}");
        }
        let unknown = ApiError::refused(404, br#"{"error":"Network not supported"}"#);
        let unknown = unknown.explained(&"https://api.blockscout.com/987654".parse().unwrap());
        assert!(unknown.to_string().ends_with("--chain https://…"), "{unknown}");
    }
}

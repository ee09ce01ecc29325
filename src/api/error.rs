//! Why an answer did not come, in words for the person who waits for it.

use serde_json::value::RawValue;
use url::Url;

use super::json_fields::{RawObject, parse_array, scalar, strip_bom};
use crate::chain::chains::Chains;
use crate::sanitize::SafeText;

/// The PRO API's words for a chain that it does not serve.
const UNSUPPORTED_CHAIN: &str = "Network not supported";
/// What it says when a key can pay for nothing more.
const CREDITS_EXHAUSTED: &str = "Out of credits";

/// A question that got no usable answer. Each says what happened; [`ApiError::hint`] what can be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// No connection: name not found, refused, TLS failed.
    #[error("cannot reach the explorer: {0}")]
    Unreachable(SafeText),
    /// It sends one on to where one does not go.
    #[error("cannot reach the explorer: {0}")]
    Blocked(SafeText),
    /// It took too long.
    #[error("no answer within {seconds} s")]
    TimedOut {
        /// The limit.
        seconds: u64,
    },
    /// The connection broke before the answer was complete.
    #[error("the answer was cut off: {0}")]
    Interrupted(SafeText),
    /// The server said no, with a reason.
    #[error("the explorer answered {status}: {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The server's words.
        message: SafeText,
        /// The parameter it objects to, where it names one.
        parameter: Option<SafeText>,
    },
    /// An answer that is not JSON: a gateway, a captcha, a sign-in page.
    #[error("a page that is not the API answered, HTTP {status}, {what}")]
    NotJson {
        /// The HTTP status.
        status: u16,
        /// Its type, and which server sent it.
        what: SafeText,
    },
    /// More than is read of any answer.
    #[error("the answer is larger than {limit} MB")]
    TooLarge {
        /// The limit, decompressed.
        limit: u64,
    },
    /// JSON that is broken, or of another shape.
    #[error("the answer cannot be read: {0}")]
    InvalidResponse(SafeText),
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
    DemoFailed(SafeText),
}

impl ApiError {
    /// The refusal that an error body of any form means: `{"errors":[…]}`, `{"message":…}`,
    /// `{"error":…}` or a bare string.
    pub fn from_error_body(status: u16, body: &[u8]) -> Self {
        let json = serde_json::from_slice::<&RawValue>(strip_bom(body)).ok();
        let (message, parameter) = json.map(parse_error_body).unwrap_or_default();
        let message =
            if message.is_empty() { SafeText::new(describe_status(status)) } else { message };
        Self::Refused { status, message, parameter }
    }

    /// The same with each of its texts changed.
    #[must_use]
    pub fn map_texts(self, change: impl Fn(&SafeText) -> SafeText) -> Self {
        match self {
            Self::Unreachable(text) => Self::Unreachable(change(&text)),
            Self::Blocked(text) => Self::Blocked(change(&text)),
            Self::Interrupted(text) => Self::Interrupted(change(&text)),
            Self::InvalidResponse(text) => Self::InvalidResponse(change(&text)),
            Self::DemoFailed(text) => Self::DemoFailed(change(&text)),
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
    pub fn with_explanation(self, base: &Url) -> Self {
        match self {
            Self::Refused { status: 404, message, parameter } if *message == *UNSUPPORTED_CHAIN => {
                let web = Chains::default().network_at(base).web;
                let own = web.as_ref().map_or("https://…", Url::as_str);
                let way = "the PRO API does not serve this chain, ask its own explorer: --chain";
                let message = SafeText::new(&format!("{message}, {way} {own}"));
                Self::Refused { status: 404, message, parameter }
            }
            other => other,
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreachable(_) | Self::Blocked(_) | Self::Interrupted(_) => {
                "check the network and the address"
            }
            Self::TimedOut { .. } | Self::NotJson { status: 502..=504, .. } => {
                "the server may be busy"
            }
            Self::NotJson { .. } | Self::Refused { status: 400, .. } => {
                "is this the base address of an explorer?"
            }
            Self::Refused { status: 402, message, .. } if message.contains(CREDITS_EXHAUSTED) => {
                "wait for new ones, or give --chain its own explorer's address"
            }
            Self::Refused { status: 401 | 402, .. } => {
                "no API key, or a wrong one: CHAINGLASS_API_KEY, or [keys] in config.toml"
            }
            Self::Refused { status: 403, .. } => "this server does not show it",
            Self::Refused { status: 404, message, .. }
                if message.starts_with(UNSUPPORTED_CHAIN) =>
            {
                "an address is asked as it is given, with a key or without"
            }
            Self::Refused { status: 404, .. } => "this server does not know it",
            Self::Refused { status: 422, .. } => {
                "this server does not take the request in this form"
            }
            Self::Refused { status: 429, .. } => "too many requests: wait a moment",
            Self::Refused { .. } | Self::InvalidResponse(_) => {
                "the server has a problem of its own"
            }
            Self::TooLarge { .. } => "a narrower filter may help",
            Self::EmptyPages { .. } => "the server may be filtering what it lists",
            Self::CursorLoop { .. } => "the rows above are all it gives",
            Self::DemoFailed(_) => "another program may be in the way",
        }
    }
}

/// The server's words, and the parameter it names.
fn parse_error_body(json: &RawValue) -> (SafeText, Option<SafeText>) {
    if let Some(text) = scalar(json) {
        return (SafeText::new(&text), None);
    }
    let Ok(object) = RawObject::parse(json) else { return Default::default() };
    let Some(errors) = object.raw(&["errors"]) else {
        let message = object.field::<SafeText>(&["message", "error"]).value().cloned();
        return (message.unwrap_or_default(), None);
    };
    let errors = parse_array(errors).unwrap_or_default();
    let objects: Vec<_> = errors.into_iter().filter_map(|e| RawObject::parse(e).ok()).collect();
    let said: Vec<_> = objects.iter().map(single_error).collect();
    let parameter = said.iter().find_map(|(_, parameter)| parameter.clone());
    let lines: Vec<&str> = said.iter().map(|(line, _)| &**line).collect();
    (SafeText::new(&lines.join("; ")), parameter)
}

fn single_error(error: &RawObject<'_>) -> (SafeText, Option<SafeText>) {
    let detail = error.field::<SafeText>(&["detail", "title"]).value().cloned().unwrap_or_default();
    let pointer = error.raw(&["source"]).and_then(|s| RawObject::parse(s).ok());
    let pointer = pointer.and_then(|s| s.field::<SafeText>(&["pointer"]).value().cloned());
    let parameter = pointer.map(|p| SafeText::new(p.trim_start_matches('/')));
    let line = match &parameter {
        Some(parameter) => SafeText::new(&format!("{parameter}: {detail}")),
        None => detail,
    };
    (line, parameter)
}

fn describe_status(status: u16) -> &'static str {
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

    fn said(body: &str) -> (SafeText, Option<SafeText>) {
        match ApiError::from_error_body(422, body.as_bytes()) {
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
            let error =
                ApiError::from_error_body(status, format!(r#"{{"error":"{words}"}}"#).as_bytes());
            let error = error.with_explanation(&"https://api.blockscout.com/100/".parse().unwrap());
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
        let unknown = ApiError::from_error_body(404, br#"{"error":"Network not supported"}"#);
        let unknown =
            unknown.with_explanation(&"https://api.blockscout.com/987654".parse().unwrap());
        assert!(unknown.to_string().ends_with("--chain https://…"), "{unknown}");
    }
}

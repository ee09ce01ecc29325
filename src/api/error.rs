//! Errors of API requests, with a hint for the user.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use url::Url;

use super::json::{for_each_element, scalar, strip_bom};
use super::json_fields::RawObject;
use crate::chain::chains::Chains;
use crate::http::TransportError;
use crate::sanitize::SafeText;

/// The PRO API's message for a chain that it does not serve.
const UNSUPPORTED_CHAIN: &str = "Network not supported";
/// Part of the PRO API's message when the credits of an API key are used up.
const CREDITS_EXHAUSTED: &str = "Out of credits";

/// Maximum size of a server's text in an error.
const MAX_TEXT_CHARS: usize = 500;
/// Maximum number of errors that are read of a response.
const MAX_ERRORS: usize = 10;

/// A request without a usable response. The message says what happened, [`ApiError::hint`] what can
/// be done. Recordings contain the serialized form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ApiError {
    /// No connection: the name was not found, the connection refused, or TLS failed.
    #[error("cannot reach the explorer: {why}")]
    Unreachable { why: SafeText },
    /// The request or a redirect was blocked by this program.
    #[error("cannot reach the explorer: {why}")]
    #[serde(rename = "astray")]
    Blocked { why: SafeText },
    #[error("no response within {seconds} s")]
    TimedOut { seconds: u64 },
    #[error("the response was cut off: {why}")]
    Interrupted { why: SafeText },
    #[error("the explorer answered {status}: {message}")]
    Refused {
        status: u16,
        message: SafeText,
        /// The parameter that the server rejected, if it names one.
        parameter: Option<SafeText>,
    },
    /// A response that is not JSON: from a gateway, a captcha, a sign-in page.
    #[error("not an API response: HTTP {status}, {what}")]
    NotJson {
        status: u16,
        /// The content type and the server's software.
        what: SafeText,
    },
    #[error("the response is larger than {limit} MB")]
    TooLarge {
        /// The limit in megabytes, decompressed.
        limit: u64,
    },
    #[error("invalid response: {why}")]
    InvalidResponse { why: SafeText },
    #[error("the explorer began again at the first page after {rows} rows")]
    FirstPageAgain { rows: usize },
    #[error("the explorer repeated a page cursor after {rows} rows")]
    CursorLoop { rows: usize },
    #[error("{pages} pages in a row had no new rows, and there are more")]
    EmptyPages { pages: u8 },
    #[error("the list takes {megabytes} MB of memory, and there are more rows")]
    ListTooLarge { megabytes: usize },
    #[error("cannot start the demo chain: {why}")]
    DemoFailed { why: SafeText },
    #[error("not in the recording: GET {why}")]
    NotRecorded { why: SafeText },
    /// A URL that was asked as an explorer's and as a node's, without a proof of either.
    #[error("neither a node nor an explorer at {address}: {why}")]
    Unidentified { address: SafeText, why: SafeText },
    /// The answer of this program's own server, in the words of the node behind it.
    #[error("{why}")]
    Node { status: u16, why: SafeText },
}

impl From<TransportError> for ApiError {
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::Unreachable(why) => Self::Unreachable { why },
            TransportError::TimedOut { seconds } => Self::TimedOut { seconds },
            TransportError::Interrupted(why) => Self::Interrupted { why },
            TransportError::TooLarge { limit } => Self::TooLarge { limit },
        }
    }
}

impl ApiError {
    /// Returns whether the explorer does not have what was asked for.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused { status: 404, .. } | Self::Node { status: 404, .. })
    }

    /// Creates an error from the body of an error response, which may be `{"errors":[…]}`,
    /// `{"message":…}`, `{"error":…}`, a bare string, or anything else.
    pub fn from_error_body(status: u16, body: &[u8]) -> Self {
        let json = serde_json::from_slice::<&RawValue>(strip_bom(body)).ok();
        let ErrorBody { message, parameter } = json.map(parse_error_body).unwrap_or_default();
        let message =
            if message.is_empty() { SafeText::new(describe_status(status)) } else { message };
        Self::Refused { status, message, parameter }
    }

    /// Applies `f` to each text of the error.
    #[must_use]
    pub fn map_texts(self, f: impl Fn(&SafeText) -> SafeText) -> Self {
        match self {
            Self::Unreachable { why } => Self::Unreachable { why: f(&why) },
            Self::Blocked { why } => Self::Blocked { why: f(&why) },
            Self::Interrupted { why } => Self::Interrupted { why: f(&why) },
            Self::InvalidResponse { why } => Self::InvalidResponse { why: f(&why) },
            Self::DemoFailed { why } => Self::DemoFailed { why: f(&why) },
            Self::NotRecorded { why } => Self::NotRecorded { why: f(&why) },
            Self::Node { status, why } => Self::Node { status, why: f(&why) },
            Self::Unidentified { address, why } => {
                Self::Unidentified { address: f(&address), why: f(&why) }
            }
            Self::NotJson { status, what } => Self::NotJson { status, what: f(&what) },
            Self::Refused { status, message, parameter } => {
                Self::Refused { status, message: f(&message), parameter: parameter.as_ref().map(f) }
            }
            Self::TimedOut { .. }
            | Self::TooLarge { .. }
            | Self::FirstPageAgain { .. }
            | Self::CursorLoop { .. }
            | Self::EmptyPages { .. }
            | Self::ListTooLarge { .. } => self,
        }
    }

    /// Adds the chain's own explorer to the PRO API's refusal to serve the chain at `base`.
    #[must_use]
    pub fn with_explanation(self, base: &Url) -> Self {
        match self {
            Self::Refused { status: 404, message, parameter } if *message == *UNSUPPORTED_CHAIN => {
                let web = Chains::default().network_at(base).web;
                let url = web.as_ref().map_or("https://…", Url::as_str);
                let way_out = "by the PRO API: use the chain's own explorer, --chain";
                let message = SafeText::new(&format!("{message} {way_out} {url}"));
                Self::Refused { status: 404, message, parameter }
            }
            other => other,
        }
    }

    /// Takes the refusal of this program's own server for the words of the node behind it.
    #[must_use]
    pub fn of_node(self) -> Self {
        match self {
            Self::Refused { status: 404, message, .. } if *message == *"Not found" => {
                Self::Node { status: 404, why: "not in the blocks that were read".into() }
            }
            Self::Refused { status: 404, message: why, .. } => Self::Node { status: 404, why },
            Self::Refused { status: status @ 500.., message: why, .. } => {
                Self::Node { status, why }
            }
            other => other,
        }
    }

    /// Returns whether more blocks of a node may bring what was asked for.
    pub fn may_come_with_blocks(&self) -> bool {
        matches!(self, Self::Node { status: 404 | 503, .. })
    }

    /// Returns whether blocks that are still being read may bring what was asked for.
    pub fn awaits_blocks(&self) -> bool {
        matches!(self, Self::Node { status: 503, why } if why.ends_with("still being read"))
    }

    /// Describes the error with what the user can do about it.
    #[expect(clippy::disallowed_types, reason = "the server's text in it is SafeText")]
    pub fn with_hint(&self) -> String {
        match self {
            Self::Node { status: 503, why } if !self.awaits_blocks() => tried_again(why),
            Self::Node { .. } => self.to_string(),
            _ => format!("{self} ({})", self.hint()),
        }
    }

    /// Returns what the user can do about the error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } | Self::Blocked { .. } | Self::Interrupted { .. } => {
                "check the network and the address"
            }
            Self::TimedOut { .. } | Self::NotJson { status: 502..=504, .. } => {
                "the server may be busy"
            }
            Self::NotJson { .. } | Self::Refused { status: 400, .. } => "is this a Blockscout URL?",
            Self::Refused { status: 402, message, .. } if message.contains(CREDITS_EXHAUSTED) => {
                "wait for new credits, or use the chain's own explorer: --chain URL"
            }
            Self::Refused { status: 401 | 402, .. } => {
                "missing or wrong API key: set CHAINGLASS_API_KEY, or [keys] in config.toml"
            }
            Self::Refused { status: 403, .. } => "this server does not allow it",
            Self::Refused { status: 404, message, .. }
                if message.starts_with(UNSUPPORTED_CHAIN) =>
            {
                "a URL is used as given, with or without a key"
            }
            Self::Refused { status: 404, message, .. } if message.contains("earlier ") => {
                "it may be in an earlier block"
            }
            Self::Refused { status: 404, .. } => "not found on this chain",
            Self::Refused { status: 422, .. } => "request rejected by the server",
            Self::Refused { status: 429 | 503, .. } => "wait a moment",
            Self::Refused { .. } | Self::InvalidResponse { .. } => "server error: try again later",
            Self::TooLarge { .. } | Self::ListTooLarge { .. } => "a narrower filter may help",
            Self::EmptyPages { .. } => "the server may hide some rows",
            Self::FirstPageAgain { .. } => "it does not accept its own page cursor",
            Self::CursorLoop { .. } => "no more rows can be loaded",
            Self::DemoFailed { .. } => "is a proxy in between?",
            Self::NotRecorded { .. } => "a replay sends no requests",
            Self::Unidentified { .. } => "check the URL and the key in it",
            Self::Node { .. } => "is the node running?",
        }
    }
}

/// Adds to why a node cannot be read that it will be.
#[expect(clippy::disallowed_types, reason = "the reason was made SafeText before")]
pub fn tried_again(why: &str) -> String {
    let end = if why.ends_with('?') { "" } else { "." };
    format!("{why}{end} Tried again when it comes.")
}

#[derive(Default)]
struct ErrorBody {
    message: SafeText,
    parameter: Option<SafeText>,
}

fn parse_error_body(json: &RawValue) -> ErrorBody {
    if let Some(text) = scalar(json) {
        return ErrorBody { message: SafeText::bounded(&text, MAX_TEXT_CHARS), parameter: None };
    }
    let Ok(object) = RawObject::parse(json) else { return ErrorBody::default() };
    let Some(errors) = object.raw(&["errors"]) else {
        let message = text_field(&object, &["message", "error"]).unwrap_or_default();
        return ErrorBody { message, parameter: None };
    };
    let mut all = Vec::new();
    let _ = for_each_element(errors, |error| {
        if let Ok(error) = RawObject::parse(error)
            && all.len() < MAX_ERRORS
        {
            all.push(single_error(&error));
        }
    });
    let messages: Vec<&str> = all.iter().map(|error| &*error.message).collect();
    ErrorBody {
        message: SafeText::bounded(&messages.join("; "), MAX_TEXT_CHARS),
        parameter: all.iter().find_map(|error| error.parameter.clone()),
    }
}

fn text_field(object: &RawObject<'_>, names: &[&str]) -> Option<SafeText> {
    object.raw(names).and_then(scalar).map(|text| SafeText::bounded(&text, MAX_TEXT_CHARS))
}

fn single_error(error: &RawObject<'_>) -> ErrorBody {
    let detail = text_field(error, &["detail", "title"]).unwrap_or_default();
    let source = error.raw(&["source"]).and_then(|source| RawObject::parse(source).ok());
    let pointer = source.and_then(|source| text_field(&source, &["pointer"]));
    let parameter = pointer.map(|pointer| SafeText::new(pointer.trim_start_matches('/')));
    let message = match &parameter {
        Some(parameter) => SafeText::new(&format!("{parameter}: {detail}")),
        None => detail,
    };
    ErrorBody { message, parameter }
}

fn describe_status(status: u16) -> &'static str {
    match status {
        400 => "bad request",
        401 => "API key required",
        402 => "payment required",
        403 => "forbidden",
        404 => "not found",
        406 => "not acceptable",
        422 => "invalid parameter",
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

    fn parsed(body: &str) -> (SafeText, Option<SafeText>) {
        match ApiError::from_error_body(422, body.as_bytes()) {
            ApiError::Refused { message, parameter, .. } => (message, parameter),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn error_bodies_in_every_form_are_parsed() {
        let v9 = r#"{"errors":[{"title":"Invalid value","source":{"pointer":"/nope"},"detail":"Unexpected field: nope"}]}"#;
        assert_eq!(parsed(v9), ("nope: Unexpected field: nope".into(), Some("nope".into())));
        assert_eq!(parsed(r#"{"message":"Not found"}"#).0, "Not found".into());
        assert_eq!(
            parsed(r#"{"error":"Out of credits","source":"internal"}"#).0,
            "Out of credits".into()
        );
        assert_eq!(parsed(r#""Internal server error""#).0, "Internal server error".into());
        assert_eq!(parsed("<html>").0, "invalid parameter".into());
        assert_eq!(parsed(r#"{"errors":{}}"#).0, "invalid parameter".into());
        assert_eq!(parsed("{\"message\":\"\\u001b[2J\"}").0, "␛[2J".into());
    }

    #[test]
    fn messages_are_cut() {
        let long = "é".repeat(1 << 20);
        for body in [
            format!("\"{long}\""),
            format!("{{\"message\":\"{long}\"}}"),
            format!("{{\"errors\":[{}]}}", vec![r#"{"title":"broken"}"#; 99_999].join(",")),
        ] {
            let (message, _) = parsed(&body);
            assert!(message.chars().count() <= MAX_TEXT_CHARS + 1, "{}", message.len());
        }
    }

    #[test]
    fn pro_api_refusals_explain_what_to_do() {
        let refused = |status, message: &str| {
            let error =
                ApiError::from_error_body(status, format!(r#"{{"error":"{message}"}}"#).as_bytes());
            let error = error.with_explanation(&"https://api.blockscout.com/100/".parse().unwrap());
            (error.to_string(), error.hint())
        };
        let (error, hint) = refused(404, "Network not supported");
        assert!(error.contains("by the PRO API"), "{error}");
        assert!(error.ends_with("--chain https://gnosis.blockscout.com/"), "{error}");
        assert!(hint.contains("used as given"), "{hint}");
        let (error, hint) = refused(404, "Not found");
        assert!(error.ends_with("404: Not found") && hint.contains("not found"), "{hint}");
        assert!(refused(402, "Out of credits").1.contains("--chain"));
        for (status, message) in [
            (401, "Unauthorized"),
            (402, "Proceed with API key or make a X402 payment to continue"),
        ] {
            let (_, hint) = refused(status, message);
            assert!(hint.contains("CHAINGLASS_API_KEY") && hint.contains("[keys]"), "{hint}");
        }
        let unknown = ApiError::from_error_body(404, br#"{"error":"Network not supported"}"#);
        let unknown =
            unknown.with_explanation(&"https://api.blockscout.com/987654".parse().unwrap());
        assert!(unknown.to_string().ends_with("--chain https://…"), "{unknown}");
    }
}

//! Classification of the errors of API requests.

use std::ops::RangeInclusive;

use reqwest::Response;
use serde_json::value::RawValue;
use url::Url;

use super::json::{for_each_element, scalar, strip_bom};
use super::json_fields::RawObject;
use crate::chain::chains::Chains;
use crate::http::{TransportError, describe_content, header, host};
pub use crate::messages::api_error::ApiError;
use crate::messages::api_error::status_reason;
use crate::messages::node::{NOT_INDEXED, NodeErrorCode};
use crate::sanitize::SafeText;

/// The PRO API's message for a chain that it does not serve.
const UNSUPPORTED_CHAIN: &str = "Network not supported";
/// Part of the PRO API's message when the credits of an API key are used up.
const CREDITS_EXHAUSTED: &str = "Out of credits";
/// Blockscout's messages about a missing object. Other servers' messages, such as `Not Found`, are about a path.
const ABSENCES: [&str; 4] =
    ["Not found", "Address not found", "Resource not found", "Block lost consensus"];

/// Statuses of CDNs without a response of the server behind them.
const CDN_STATUSES: RangeInclusive<u16> = 520..=527;
/// Parts of the paths of sign-in pages.
const SIGN_IN_PATHS: [&str; 5] = ["login", "signin", "sign-in", "sign_in", "oauth"];

/// Maximum size of a server's text in an error.
const MAX_TEXT_CHARS: usize = 500;
/// Maximum number of errors that are read of a response.
const MAX_ERRORS: usize = 10;

impl ApiError {
    /// Converts an error of the connection to a host.
    pub fn from_transport(error: TransportError, url: &Url) -> Self {
        match error {
            TransportError::Unreachable(why) => Self::Unreachable { host: host(url), why },
            TransportError::TimedOut { seconds } => Self::TimedOut { seconds },
            TransportError::Interrupted(why) => Self::Interrupted { why },
            TransportError::TooLarge { limit } => Self::TooLarge { limit },
        }
    }

    /// Returns `true` if the explorer does not have the requested object.
    pub fn is_not_found(&self) -> bool {
        match self {
            Self::Node { code, .. } => code.is_not_found(),
            other => other.is_absence(),
        }
    }

    /// Returns `true` if the chain does not have the requested object. Objects in the pool, or in blocks that
    /// are not indexed, exist.
    pub fn is_missing(&self) -> bool {
        match self {
            Self::Node { code, .. } => *code == NodeErrorCode::NotFound,
            other => other.is_absence(),
        }
    }

    /// Creates an error from the body of an error response, which may be `{"errors":[…]}`,
    /// `{"message":…}`, `{"error":…}`, a bare string, or anything else.
    pub fn from_error_body(status: u16, body: &[u8]) -> Self {
        let json = serde_json::from_slice::<&RawValue>(strip_bom(body)).ok();
        let ErrorBody { message, parameter, code, is_absence } =
            json.map(parse_error_body).unwrap_or_default();
        let message = if message.is_empty() { status_reason(status).into() } else { message };
        if status == 402 && message.contains(CREDITS_EXHAUSTED) {
            return Self::OutOfCredits;
        }
        let is_absence = is_absence && status == 404;
        Self::Refused { status, message, parameter, is_absence, code }
    }

    /// Creates the error of a response that does not come from the explorer at `url`: from a CDN, a
    /// gateway, a sign-in page.
    pub(super) fn from_other_server(url: &Url, response: &Response) -> Self {
        let (status, page) = (response.status().as_u16(), response.url());
        let what = describe_content(response);
        if CDN_STATUSES.contains(&status) {
            Self::CdnFailed { host: host(url), status }
        } else if header(response, "cf-mitigated") == Some("challenge") {
            Self::BrowserCheck { host: host(url), status }
        } else if what.starts_with("text/html") && is_sign_in_page(url, page) {
            Self::sign_in_page(url, page)
        } else {
            Self::NotJson { status, what }
        }
    }

    /// Creates the error of a redirect from `url` to a sign-in page.
    pub(super) fn sign_in_page(url: &Url, page: &Url) -> Self {
        Self::SignInPage { host: host(url), page_host: host(page) }
    }

    /// Applies `f` to each text of the error.
    #[must_use]
    pub fn map_texts(self, f: impl Fn(&SafeText) -> SafeText) -> Self {
        match self {
            Self::Unreachable { host, why } => Self::Unreachable { host, why: why.map_text(f) },
            Self::Blocked { why } => Self::Blocked { why: f(&why) },
            Self::Interrupted { why } => Self::Interrupted { why: f(&why) },
            Self::InvalidResponse { why } => Self::InvalidResponse { why: f(&why) },
            Self::DemoFailed { why } => Self::DemoFailed { why: f(&why) },
            Self::CannotConnect { why } => Self::CannotConnect { why: f(&why) },
            Self::NotRecorded { why } => Self::NotRecorded { why: f(&why) },
            Self::Node { code, why } => Self::Node { code, why: f(&why) },
            Self::Unidentified { address, why } => {
                Self::Unidentified { address: f(&address), why: f(&why) }
            }
            Self::NotJson { status, what } => Self::NotJson { status, what: f(&what) },
            Self::SignInPage { host, page_host } => {
                Self::SignInPage { host, page_host: f(&page_host) }
            }
            Self::Refused { status, message, parameter, is_absence, code } => {
                let parameter = parameter.as_ref().map(&f);
                Self::Refused { status, message: f(&message), parameter, is_absence, code }
            }
            Self::TimedOut { .. }
            | Self::CdnFailed { .. }
            | Self::BrowserCheck { .. }
            | Self::TooLarge { .. }
            | Self::FirstPageAgain { .. }
            | Self::CursorLoop { .. }
            | Self::EmptyPages { .. }
            | Self::ChainNotServed { .. }
            | Self::OutOfCredits => self,
        }
    }

    /// Adds the chain's own explorer to the PRO API's refusal to serve the chain at `base`.
    #[must_use]
    pub fn with_explanation(self, base: &Url) -> Self {
        match self {
            Self::Refused { status: 404, message, .. } if *message == *UNSUPPORTED_CHAIN => {
                let web = Chains::default().network_at(base).web;
                let url = web.as_ref().map_or("https://…", Url::as_str);
                Self::ChainNotServed { explorer: SafeText::new(url) }
            }
            other => other,
        }
    }

    /// Converts an error of the embedded server into the node's error.
    #[must_use]
    pub fn into_node_error(self) -> Self {
        match self {
            Self::Refused { code: Some(NodeErrorCode::NotFound), .. } => {
                Self::Node { code: NodeErrorCode::NotFound, why: NOT_INDEXED.into() }
            }
            Self::Refused { code: Some(code), message: why, .. } => Self::Node { code, why },
            Self::Refused { status: 500.., message: why, .. } => {
                Self::Node { code: NodeErrorCode::Internal, why }
            }
            other => other,
        }
    }

    /// Returns `true` if the same request may succeed later, without anything done here: the network,
    /// a gateway or the server does not work now.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::TimedOut { .. }
            | Self::Interrupted { .. }
            | Self::CdnFailed { .. }
            | Self::SignInPage { .. } => true,
            Self::Refused { status, .. } | Self::NotJson { status, .. } => {
                matches!(status, 429 | 502..=504 | 511)
            }
            _ => false,
        }
    }

    /// Returns `true` if a screen repeats the request by itself, with a countdown: it may succeed later,
    /// or nothing answers at the address of a node.
    pub fn is_repeated(&self) -> bool {
        self.is_transient() || matches!(self, Self::Node { code: NodeErrorCode::Unavailable, .. })
    }

    /// Returns `true` if more blocks of a node may contain the requested object.
    pub fn may_come_with_blocks(&self) -> bool {
        matches!(self, Self::Node { code, .. } if code.may_come_with_blocks())
    }

    /// Returns `true` if blocks that are still being indexed may contain the requested object.
    pub fn awaits_blocks(&self) -> bool {
        matches!(self, Self::Node { code: NodeErrorCode::StillIndexing, .. })
    }
}

/// Returns `true` if a status says that the response does not come from the explorer.
pub(super) fn is_status_of_other_server(status: u16) -> bool {
    status == 511 || CDN_STATUSES.contains(&status)
}

/// Returns `true` if a redirect from `url` to a web page leads to a sign-in page: explorers do not
/// redirect to the pages of others.
fn is_sign_in_page(url: &Url, page: &Url) -> bool {
    let path = page.path().to_ascii_lowercase();
    url != page
        && (url.host() != page.host() || SIGN_IN_PATHS.iter().any(|part| path.contains(part)))
}

#[derive(Default)]
struct ErrorBody {
    message: SafeText,
    parameter: Option<SafeText>,
    code: Option<NodeErrorCode>,
    is_absence: bool,
}

fn parse_error_body(json: &RawValue) -> ErrorBody {
    if let Some(text) = scalar(json) {
        let message = SafeText::bounded(&text, MAX_TEXT_CHARS);
        return ErrorBody { message, ..ErrorBody::default() };
    }
    let Ok(object) = RawObject::parse(json) else { return ErrorBody::default() };
    let Some(errors) = object.raw(&["errors"]) else {
        let sent = text_field(&object, &["message"]);
        let is_absence = sent.as_ref().is_some_and(|sent| ABSENCES.contains(&&**sent));
        let message = sent.or_else(|| text_field(&object, &["error"])).unwrap_or_default();
        let code = text_field(&object, &["code"]).and_then(|code| code.parse().ok());
        return ErrorBody { message, code, is_absence, ..ErrorBody::default() };
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
        ..ErrorBody::default()
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
    ErrorBody { message, parameter, ..ErrorBody::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::connect_error::ConnectError;

    fn parsed(body: &str) -> (SafeText, Option<SafeText>) {
        match ApiError::from_error_body(422, body.as_bytes()) {
            ApiError::Refused { message, parameter, .. } => (message, parameter),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn reason_repeats_neither_the_status_nor_the_host() {
        let refused = ApiError::from_error_body(404, br#"{"message":"Not found"}"#);
        assert_eq!(&*refused.reason(), "Not found");
        let (host, why) = ("a.example".into(), ConnectError::Refused);
        assert_eq!(&*ApiError::Unreachable { host, why }.reason(), "connection refused");
        let late = ApiError::TimedOut { seconds: 5 };
        assert_eq!(&*late.reason(), late.to_string());
    }

    #[test]
    fn statuses_of_networks_in_between_are_of_other_servers() {
        for (status, is_of_other) in [(511, true), (522, true), (500, false), (404, false)] {
            assert_eq!(is_status_of_other_server(status), is_of_other, "{status}");
        }
    }

    #[test]
    fn only_what_the_chain_does_not_have_is_missing() {
        for (code, is_missing) in [
            (NodeErrorCode::NotFound, true),
            (NodeErrorCode::OutsideIndex, false),
            (NodeErrorCode::Pending, false),
            (NodeErrorCode::Dropped, false),
        ] {
            let error = ApiError::Node { code, why: "".into() };
            assert_eq!((error.is_not_found(), error.is_missing()), (true, is_missing));
        }
    }

    #[test]
    fn error_bodies_in_every_form_are_parsed() {
        let v9 = r#"{"errors":[{"title":"Invalid value","source":{"pointer":"/nope"},"detail":"Unexpected field: nope"}]}"#;
        assert_eq!(parsed(v9), ("nope: Unexpected field: nope".into(), Some("nope".into())));
        assert_eq!(parsed(r#"{"message":"Not found"}"#).0, "Not found");
        assert_eq!(parsed(r#"{"error":"Out of credits","source":"internal"}"#).0, "Out of credits");
        assert_eq!(parsed(r#""Internal server error""#).0, "Internal server error");
        assert_eq!(parsed("<html>").0, "invalid parameter");
        assert_eq!(parsed(r#"{"errors":{}}"#).0, "invalid parameter");
        assert_eq!(parsed("{\"message\":\"\\u001b[2J\"}").0, "␛[2J");
    }

    #[test]
    fn only_an_explorers_message_says_that_an_object_is_missing() {
        for (status, body, is_absence) in [
            (404, r#"{"message":"Not found"}"#, true),
            (404, r#"{"message":"Address not found"}"#, true),
            (404, r#"{"message":"Resource not found"}"#, true),
            // Of a block that was reorganised away.
            (404, r#"{"message":"Block lost consensus"}"#, true),
            (400, r#"{"message":"Not found"}"#, false),
            (404, r#"{"message":"Page not found"}"#, false),
            (404, r#"{"message":"Not Found"}"#, false),
            (404, r#"{"error":"Not found"}"#, false),
            (404, r#"{"detail":"Not Found"}"#, false),
            (404, r#""Not found""#, false),
            (404, "{}", false),
            (404, "", false),
        ] {
            let error = ApiError::from_error_body(status, body.as_bytes());
            assert_eq!((error.is_missing(), error.is_not_found()), (is_absence, is_absence));
            let recorded: ApiError =
                serde_json::from_str(&serde_json::to_string(&error).unwrap()).unwrap();
            assert_eq!(recorded, error, "{body}");
        }
    }

    #[test]
    fn first_errors_are_in_the_message() {
        let errors = [r#"{"title":"z"}"#; MAX_ERRORS + 2].join(",");
        let (message, _) = parsed(&format!("{{\"errors\":[{errors}]}}"));
        assert_eq!(message.matches('z').count(), MAX_ERRORS, "{message}");
    }

    #[test]
    fn statuses_of_an_overload_are_transient() {
        let is_transient = |status: &u16| ApiError::from_error_body(*status, b"{}").is_transient();
        let statuses = [400, 429, 500, 501, 502, 503, 504, 505, 511];
        let transient: Vec<u16> = statuses.into_iter().filter(is_transient).collect();
        assert_eq!(transient, [429, 502, 503, 504, 511]);
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
                ApiError::from_error_body(status, format!(r#"{{"error":"{message}"}}"#).as_bytes())
                    .with_explanation(&"https://api.blockscout.com/100/".parse().unwrap());
            (error.to_string(), error.hint())
        };
        let (error, hint) = refused(404, "Network not supported");
        assert!(error.contains("by the PRO API"), "{error}");
        assert!(error.ends_with("--chain https://gnosis.blockscout.com/"), "{error}");
        assert_eq!(hint, "");
        assert!(refused(402, "Out of credits").1.contains("--chain"));
        for (status, message) in [
            (401, "Unauthorized"),
            (402, "Proceed with API key or make a X402 payment to continue"),
        ] {
            let (_, hint) = refused(status, message);
            assert!(hint.contains("CHAINGLASS_API_KEY") && hint.contains("[keys]"), "{hint}");
        }
        let unknown = ApiError::from_error_body(404, br#"{"error":"Network not supported"}"#)
            .with_explanation(&"https://api.blockscout.com/987654".parse().unwrap());
        assert!(unknown.to_string().ends_with("--chain https://…"), "{unknown}");
    }
}

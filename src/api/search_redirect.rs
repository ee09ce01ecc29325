//! The explorer's search: the target of a name.

use super::ReplyResult;
use super::error::ApiError;
use super::json_fields::{Field, json_object};
use super::reply::{Reply, ReplyData};
use crate::chain::coverage::BlockCoverage;
use crate::chain::target::TargetKind;
use crate::messages::api_error::NameSearchError;
use crate::sanitize::SafeText;

/// Characters that an explorer searches for: of fewer it finds nothing.
const MIN_SEARCH_CHARS: usize = 3;

json_object! {
    /// The result of a search for a name.
    pub struct SearchRedirect {
        pub found: Field<bool> = "redirect",
        /// `address`, `transaction`, `block`, `user_operation`, `blob`: an open set.
        pub kind: Field<SafeText> = "type",
        /// Its address, hash or number.
        pub parameter: Field<SafeText>,
        /// The blocks that were searched, if not all.
        pub coverage: Field<BlockCoverage>,
    }
}

impl ReplyData for SearchRedirect {}

impl SearchRedirect {
    /// Returns the target to open, or the reason why there is none.
    pub fn target(&self) -> Result<TargetKind, NameSearchError> {
        let (Some(true), Some(kind)) = (self.found.value(), self.kind.value()) else {
            let blocks = self.coverage.value().cloned();
            return Err(NameSearchError::NotFound { blocks });
        };
        let parameter = self.parameter.value();
        let target = parameter.and_then(|parameter| parameter.parse().ok());
        if let ("block", Some(Ok(block))) = (&**kind, parameter.map(|text| text.parse())) {
            return Ok(TargetKind::Block(block));
        }
        match (&**kind, target) {
            // An address is one whatever it was found as: a name's owner, a token's contract. A hash
            // may be a block's.
            ("transaction", Some(target)) | (_, Some(target @ TargetKind::Address(_))) => {
                Ok(target)
            }
            _ => {
                let kind = kind.replace('_', " ").into();
                let parameter = parameter.cloned().unwrap_or_default();
                Err(NameSearchError::UnknownKind { kind, parameter })
            }
        }
    }
}

/// Returns the target of a name in the reply of the server at a host.
pub fn resolved_target(
    name: &str,
    reply: &ReplyResult,
    host: Option<&str>,
) -> Result<TargetKind, NameSearchError> {
    match reply.as_ref().map(Reply::get::<SearchRedirect>) {
        Ok(Some(redirect)) if name.chars().count() < MIN_SEARCH_CHARS => {
            redirect.target().map_err(|_| NameSearchError::TooShort)
        }
        Ok(Some(redirect)) => redirect.target(),
        Ok(None) | Err(ApiError::Refused { status: 400 | 404 | 501, .. }) => {
            Err(NameSearchError::Unsupported)
        }
        Err(error) => Err(NameSearchError::Explorer(error.with_host(host))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Query;

    fn target(body: &str) -> Result<TargetKind, NameSearchError> {
        let reply = Query::Redirect("alice.eth".into()).decode(body.as_bytes(), None);
        reply.unwrap().get::<SearchRedirect>().unwrap().target()
    }

    #[test]
    fn addresses_and_transactions_are_targets() {
        let address = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
        for kind in ["address", "ens_domain", "token"] {
            let body = format!(r#"{{"redirect":true,"type":"{kind}","parameter":"{address}"}}"#);
            assert_eq!(target(&body), Ok(address.parse().unwrap()), "{kind}");
        }
        let hash = "0x".to_owned() + &"12".repeat(32);
        let body = format!(r#"{{"redirect":true,"type":"transaction","parameter":"{hash}"}}"#);
        assert_eq!(target(&body), Ok(hash.parse().unwrap()));
    }

    #[test]
    fn other_kinds_are_errors() {
        let hash = "0x".to_owned() + &"34".repeat(32);
        for kind in ["user_operation", "blob"] {
            let body = format!(r#"{{"redirect":true,"type":"{kind}","parameter":"{hash}"}}"#);
            let reason = target(&body).unwrap_err().to_string();
            let kind = kind.replace('_', " ");
            assert_eq!(reason, format!("cannot open {kind} {hash}"));
        }
        for block in [&*hash, "12"] {
            let body = format!(r#"{{"redirect":true,"type":"block","parameter":"{block}"}}"#);
            assert_eq!(target(&body), Ok(TargetKind::Block(block.parse().unwrap())));
        }
        let transaction = r#"{"redirect":true,"type":"transaction","parameter":"12"}"#;
        assert!(target(transaction).unwrap_err().to_string().contains("transaction 12"));
    }

    #[test]
    fn missing_name_is_an_error() {
        for body in [
            r#"{"redirect":false,"type":null,"parameter":null}"#,
            r#"{"redirect":null}"#,
            r#"{"redirect":true}"#,
            "{}",
            r#"{"redirect":7,"type":[],"parameter":{}}"#,
        ] {
            assert_eq!(target(body), Err(NameSearchError::NotFound { blocks: None }));
        }
    }
}

//! Where a text leads that somebody typed into a search box: a name, a token's symbol.

use serde_json::value::RawValue;

use super::json_fields::{Field, FromJson, RawObject};
use crate::chain::target::TargetKind;
use crate::sanitize::SafeText;

/// What the explorer takes a text for.
#[derive(Debug, Clone)]
pub struct SearchRedirect {
    /// Whether it is anything.
    pub found: Field<bool>,
    /// `address`, `transaction`, `block`, `user_operation`, `blob`: an open set.
    pub kind: Field<SafeText>,
    /// Its address, hash or number.
    pub parameter: Field<SafeText>,
}

impl FromJson for SearchRedirect {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
        Ok(Self {
            found: object.field(&["redirect"]),
            kind: object.field(&["type"]),
            parameter: object.field(&["parameter"]),
        })
    }
}

impl SearchRedirect {
    /// What can be opened of it, or why nothing can.
    pub fn target(&self) -> Result<TargetKind, SafeText> {
        let (Some(true), Some(kind)) = (self.found.value(), self.kind.value()) else {
            return Err("the explorer knows nothing of that name".into());
        };
        let named = self.parameter.value();
        let subject = named.and_then(|parameter| parameter.parse().ok());
        match (&**kind, subject) {
            // An address is one whatever it is found as: a name's owner, a token's contract. A hash
            // may be that of a block.
            ("transaction", Some(subject)) | (_, Some(subject @ TargetKind::Address(_))) => {
                Ok(subject)
            }
            _ => {
                let named = named.map(|parameter| format!(" ({parameter})")).unwrap_or_default();
                let kind = kind.replace('_', " ");
                Err(SafeText::new(&format!("that is a {kind}{named}, which cannot be opened here")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Query, Reply};

    fn leads(body: &str) -> Result<TargetKind, SafeText> {
        match Query::Redirect("alice.eth".into()).decode(body.as_bytes(), None).unwrap() {
            Reply::Redirect(redirect) => redirect.target(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn to_an_address_or_a_transaction() {
        let address = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
        for kind in ["address", "ens_domain", "token"] {
            let body = format!(r#"{{"redirect":true,"type":"{kind}","parameter":"{address}"}}"#);
            assert_eq!(leads(&body), Ok(address.parse().unwrap()), "{kind}");
        }
        let hash = "0x".to_owned() + &"12".repeat(32);
        let body = format!(r#"{{"redirect":true,"type":"transaction","parameter":"{hash}"}}"#);
        assert_eq!(leads(&body), Ok(hash.parse().unwrap()));
    }

    #[test]
    fn to_what_cannot_be_opened() {
        let hash = "0x".to_owned() + &"34".repeat(32);
        for kind in ["block", "user_operation", "blob"] {
            let body = format!(r#"{{"redirect":true,"type":"{kind}","parameter":"{hash}"}}"#);
            let why = leads(&body).unwrap_err();
            let kind = kind.replace('_', " ");
            assert_eq!(*why, *format!("that is a {kind} ({hash}), which cannot be opened here"));
        }
        let transaction = r#"{"redirect":true,"type":"transaction","parameter":"12"}"#;
        assert!(leads(transaction).unwrap_err().contains("a transaction (12)"));
    }

    #[test]
    fn nowhere() {
        for body in [
            r#"{"redirect":false,"type":null,"parameter":null}"#,
            r#"{"redirect":null}"#,
            r#"{"redirect":true}"#,
            "{}",
            r#"{"redirect":7,"type":[],"parameter":{}}"#,
        ] {
            assert_eq!(*leads(body).unwrap_err(), *"the explorer knows nothing of that name");
        }
    }
}

//! Signatures as text, which are parsed at the first look-up: a folder has thousands, of which few are
//! ever asked for.

use std::sync::{Arc, OnceLock};

use super::signature::{Signature, SignatureKind};

#[derive(Debug)]
pub(super) struct LazySignature {
    kind: SignatureKind,
    /// `true` if an argument is dynamic.
    is_dynamic: bool,
    /// The declaration, unless another signature would be parsed from it: names in an ABI may be any
    /// text.
    text: Option<Box<str>>,
    parsed: OnceLock<Option<Arc<Signature>>>,
}

impl LazySignature {
    pub(super) fn new(signature: Signature) -> Self {
        let kind = signature.kind;
        let is_dynamic = signature.has_dynamic_input();
        let text = signature.full_declaration();
        let is_same = Signature::parse(&text).is_ok_and(|parsed| parsed == signature);
        let (text, parsed) = if is_same {
            (Some(text.into()), OnceLock::new())
        } else {
            (None, OnceLock::from(Some(Arc::new(signature))))
        };
        Self { kind, is_dynamic, text, parsed }
    }

    /// Parses the signature and keeps it.
    pub(super) fn get(&self) -> Option<Arc<Signature>> {
        self.parsed.get_or_init(|| self.parse()).clone()
    }

    /// Parses the signature without keeping it.
    pub(super) fn parse(&self) -> Option<Arc<Signature>> {
        let kept = || self.parsed.get().cloned().flatten();
        let text = self.text.as_deref();
        kept().or_else(|| text.and_then(|text| Signature::parse(text).ok()).map(Arc::new))
    }

    /// Returns `true` if it is a function that `wanted` accepts by its name, and by whether an argument is
    /// dynamic.
    pub(super) fn is_function(&self, wanted: impl Fn(&str, bool) -> bool) -> bool {
        if self.kind == SignatureKind::Error {
            return false;
        }
        match &self.text {
            Some(text) => {
                let name = text.split('(').next().unwrap_or_default();
                wanted(name.strip_prefix(self.kind.keyword()).unwrap_or(name), self.is_dynamic)
            }
            None => self.parse().is_some_and(|own| wanted(own.name.hashed(), self.is_dynamic)),
        }
    }

    /// Returns `true` if the signatures differ at most in names of parameters and in outputs.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let canonical = |signature: &Self| signature.parse().map(|own| own.canonical());
        let has_same_text = self.text.is_some() && self.text == other.text;
        self.kind == other.kind && (has_same_text || canonical(self) == canonical(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::sol_type::{AbiParameter, SolType};

    fn signature(kind: SignatureKind, name: &str, parameter: &str) -> Signature {
        let ty = SolType::parse_elementary("uint256").unwrap();
        let inputs = vec![AbiParameter::new(parameter, ty)];
        Signature::new(kind, name, inputs.clone(), Some(Vec::new())).unwrap()
    }

    #[test]
    fn signature_is_the_same_whatever_its_names() {
        for name in ["f", "function", "error", "returns", "f(uint256", "ö", ""] {
            for parameter in ["", "x", "memory", "payable", "indexed", "a b", "ö", "9"] {
                for kind in [SignatureKind::Function, SignatureKind::Error, SignatureKind::Any] {
                    let expected = signature(kind, name, parameter);
                    let lazy = LazySignature::new(expected.clone());
                    assert_eq!(lazy.parse().as_deref(), Some(&expected), "{name} {parameter}");
                    assert_eq!(lazy.get().as_deref(), Some(&expected), "{name} {parameter}");
                    let is_function = lazy.is_function(|own, is_dynamic| {
                        assert_eq!((own, is_dynamic), (name, false));
                        true
                    });
                    assert_eq!(is_function, kind != SignatureKind::Error);
                }
            }
        }
    }

    #[test]
    fn plain_signature_is_parsed_when_it_is_asked_for() {
        let function = |parameter| signature(SignatureKind::Function, "f", parameter);
        let lazy = LazySignature::new(function("x"));
        assert!(lazy.is_same(&LazySignature::new(function("y"))));
        assert!(!lazy.is_same(&LazySignature::new(signature(SignatureKind::Error, "f", "x"))));
        assert!(lazy.parsed.get().is_none());
        assert_eq!(lazy.get().as_deref(), Some(&function("x")));
        assert!(lazy.parsed.get().is_some());
    }
}

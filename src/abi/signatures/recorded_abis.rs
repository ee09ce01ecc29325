//! The ABIs of a project as JSON, for recordings: the declarations of each contract.

use std::collections::BTreeMap;

use super::SignatureDb;
use super::abi_json::ParsedAbi;
use super::event::EventSignature;
use super::signature::Signature;
use crate::abi::selector::{SpecialFunction, SpecialFunctions};
use crate::safety::name_marks::guard_identifier;

type DeclarationsByContract = BTreeMap<String, Vec<String>>;

impl SignatureDb {
    /// Returns the added ABIs of contracts by name.
    pub fn to_recorded_abis(&self) -> String {
        let mut recorded = DeclarationsByContract::new();
        for (name, index) in &self.abis.by_contract_name {
            let declared = index.signatures().map(|signature| signature.full_declaration());
            let special = index.special().iter().map(|function| function.call().to_owned());
            recorded.entry(name.clone()).or_default().extend(declared.chain(special));
        }
        for (name, event) in self.abis.events.contract_events() {
            let anonymous = if event.is_anonymous { " anonymous" } else { "" };
            let text = format!("event {}{anonymous}", event.declaration());
            recorded.entry(name.to_string()).or_default().push(text);
        }
        for declarations in recorded.values_mut() {
            declarations.sort_unstable();
        }
        serde_json::to_string(&recorded).unwrap_or_default()
    }

    /// Reads ABIs as [`Self::to_recorded_abis`] returns them. Declarations that no compiler can have
    /// made are left out.
    pub fn from_recorded_abis(json: &[u8]) -> Option<Self> {
        let recorded: DeclarationsByContract = serde_json::from_slice(json).ok()?;
        let mut signatures = Self::default();
        for (name, declarations) in &recorded {
            let is_identifier = *guard_identifier(name) == **name;
            // Further ones would exceed the memory.
            if is_identifier && signatures.add_parsed_abi(None, name, parse(declarations)).is_err()
            {
                break;
            }
        }
        Some(signatures)
    }
}

fn parse(declarations: &[String]) -> ParsedAbi {
    let (event_texts, others): (Vec<_>, Vec<_>) =
        declarations.iter().partition(|text| text.starts_with("event "));
    let special_function = |text: &String| {
        let all = [SpecialFunction::Receive, SpecialFunction::Fallback];
        all.into_iter().find(|function| function.call() == *text)
    };
    let mut special = SpecialFunctions::default();
    others.iter().filter_map(|text| special_function(text)).for_each(|one| special.add(one));
    let signatures: Vec<_> = others
        .into_iter()
        .filter(|text| special_function(text).is_none())
        .filter_map(|text| Signature::parse(text).ok())
        .collect();
    let events: Vec<_> =
        event_texts.into_iter().filter_map(|text| EventSignature::parse(text).ok()).collect();
    let of_signatures: usize = signatures.iter().map(Signature::kept_bytes).sum();
    let of_events: usize = events.iter().map(EventSignature::kept_bytes).sum();
    let kept_bytes = of_signatures + of_events;
    ParsedAbi {
        signatures,
        events,
        special,
        constructor: Vec::new(),
        first_problem: None,
        kept_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::LogEmitter;
    use crate::chain::{Address, B256};

    const ABI: &str = r#"[
        {"type":"function","name":"get","inputs":[{"name":"order","type":"tuple","components":[
            {"name":"id","type":"uint256"}]}],"outputs":[{"name":"","type":"bool"}]},
        {"type":"error","name":"Bad","inputs":[{"name":"n","type":"uint8"}]},
        {"type":"event","name":"Note","anonymous":true,"inputs":[]},
        {"type":"receive","stateMutability":"payable"}]"#;

    #[test]
    fn recorded_abis_decode_as_those_of_the_project() {
        let mut project = SignatureDb::default();
        project.add_contract_abi(None, "Desk", ABI).unwrap();
        let recorded = project.to_recorded_abis();
        let expected = r#"{"Desk":["error Bad(uint8 n)","event Note() anonymous","function get((uint256 id) order) returns (bool)","receive()"]}"#;
        assert_eq!(recorded, expected);
        let replayed = SignatureDb::from_recorded_abis(recorded.as_bytes()).unwrap();
        assert_eq!(replayed.to_recorded_abis(), expected);
        let emitter = LogEmitter { address: Address::ZERO, names: &["Desk"] };
        assert!(replayed.decode_event(emitter, &[], &[]).is_some());
        let get = Signature::parse("get((uint256))").unwrap().selector();
        let input = [&get[..], B256::with_last_byte(7).as_slice()].concat();
        let call = replayed.decode_call(None, &["Desk"], &input).unwrap();
        assert_eq!(&*call.summary(), "get((id: 7))");
        assert!(replayed.decode_output(&call, B256::with_last_byte(1).as_slice()).is_some());
        let special = replayed.special_functions(Address::ZERO, &["Desk"]).unwrap();
        assert_eq!(special.run_by(&[]), Some(SpecialFunction::Receive));
        assert_eq!(special.run_by(&[1]), None, "no fallback");
        assert!(replayed.special_functions(Address::ZERO, &["Other"]).is_none());
    }

    #[test]
    fn names_that_no_compiler_made_are_left_out() {
        let json = br#"{"De\u202esk":["error Bad()"],"Desk":["error B ad()","error Good()"]}"#;
        let replayed = SignatureDb::from_recorded_abis(json).unwrap();
        assert_eq!(replayed.to_recorded_abis(), r#"{"Desk":["error Good()"]}"#);
        assert!(SignatureDb::from_recorded_abis(b"[]").is_none());
    }
}

//! Arguments that an explorer decoded: a text for each, which is JSON for arrays and structs.

use alloy_dyn_abi::DynSolType;
use alloy_primitives::{I256, hex};
use serde_json::Value;

use super::event::EventSignature;
use crate::abi::sol_type::SolType;
use crate::abi::value::{AbiValue, Argument};
use crate::chain::{B256, U256};

/// Reads the texts of a call's, an error's or an event's arguments by its declaration, which has the
/// names of the fields of structs. Returns `None` if one does not fit.
pub fn declared_arguments<'a>(
    declaration: &str,
    texts: impl ExactSizeIterator<Item = Option<&'a str>>,
) -> Option<Vec<Argument>> {
    let parameters = EventSignature::parse(declaration).ok()?.signature.inputs;
    if parameters.len() != texts.len() {
        return None;
    }
    let arguments = parameters.iter().zip(texts).map(|(parameter, text)| {
        let value = match &parameter.ty {
            SolType::Elementary(ty) => parse_elementary(ty, text?),
            ty => parse_json(ty, &serde_json::from_str(text?).ok()?),
        }?;
        let type_name = parameter.ty.to_string().into();
        Some(Argument { name: parameter.name.clone(), type_name, value })
    });
    arguments.collect()
}

fn parse_json(ty: &SolType, json: &Value) -> Option<AbiValue> {
    Some(match (ty, json) {
        (SolType::Array(item, length), Value::Array(items))
            if length.is_none_or(|length| length == items.len()) =>
        {
            let items = items.iter().map(|json| parse_json(item, json));
            AbiValue::Array(item.clone(), items.collect::<Option<_>>()?)
        }
        (SolType::Tuple(fields), Value::Array(items)) if fields.len() == items.len() => {
            let values = fields.iter().zip(items).map(|(field, json)| parse_json(&field.ty, json));
            AbiValue::Tuple(fields.clone(), values.collect::<Option<_>>()?)
        }
        (SolType::Elementary(ty), Value::String(text)) => parse_elementary(ty, text)?,
        (SolType::Elementary(ty), Value::Number(_) | Value::Bool(_)) => {
            parse_elementary(ty, &json.to_string())?
        }
        _ => return None,
    })
}

fn parse_elementary(ty: &DynSolType, text: &str) -> Option<AbiValue> {
    Some(match ty {
        DynSolType::Bool => AbiValue::Bool(text.parse().ok()?),
        DynSolType::Uint(_) => AbiValue::Uint(U256::from_str_radix(text, 10).ok()?),
        DynSolType::Int(_) => AbiValue::Int(I256::from_dec_str(text).ok()?),
        DynSolType::Address => AbiValue::Address(text.parse().ok()?),
        DynSolType::FixedBytes(length) => {
            let bytes = hex::decode(text).ok().filter(|bytes| bytes.len() == *length)?;
            AbiValue::FixedBytes(B256::right_padding_from(&bytes), *length)
        }
        DynSolType::Bytes => AbiValue::Bytes(hex::decode(text).ok()?.into()),
        DynSolType::String => AbiValue::String(text.as_bytes().to_vec().into()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summaries(declaration: &str, texts: &[&str]) -> Option<Vec<String>> {
        let arguments = declared_arguments(declaration, texts.iter().map(|text| Some(*text)))?;
        let line = |argument: &Argument| format!("{} {}", argument.name, argument.value.summary());
        Some(arguments.iter().map(line).collect())
    }

    #[test]
    fn fields_of_structs_have_the_names_of_the_declaration() {
        let declaration = "Placed(uint8 indexed n, (uint256 id, (bool,bytes2 tag) more)[] orders)";
        let texts = ["7", r#"[["1",[true,"0xabcd"]],[2,["false","0x0001"]]]"#];
        let arguments = declared_arguments(declaration, texts.map(Some).into_iter()).unwrap();
        let AbiValue::Array(_, orders) = &arguments[1].value else { panic!("{arguments:?}") };
        let shown: Vec<_> = orders.iter().map(|order| order.summary().to_string()).collect();
        assert_eq!(
            shown,
            ["(id: 1, more: (true, tag: 0xabcd))", "(id: 2, more: (false, tag: 0x0001))"]
        );
        assert_eq!(
            summaries("f(string text, int8[2] xs)", &["a", "[-1,2]"]).unwrap()[1],
            "xs [-1, 2]"
        );
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        for (declaration, texts) in [
            ("f(uint256 n)", &["x"][..]),
            ("f(uint256 n)", &[]),
            ("f(uint256[2] n)", &["[1]"]),
            ("f((uint256 a, bool b) n)", &["[1]"]),
            ("f((uint256 a) n)", &["0x01"]),
            ("f(bytes4 n)", &["0x01"]),
            ("no declaration", &[]),
        ] {
            assert_eq!(summaries(declaration, texts), None, "{declaration}");
        }
    }
}

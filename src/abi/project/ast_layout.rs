//! Storage layouts by the compiler's syntax trees, where it wrote no layout: Hardhat has the trees always.
//!
//! Variables are in the order of their contracts, bases first. Those that fit share a slot, and a struct or an
//! array begins and ends with one.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::chain::{U256, WORD_BYTES};

/// Maximum depth of types in types.
const MAX_DEPTH: usize = 32;

/// A node of a syntax tree, with the fields that matter for storage.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct AstNode {
    id: Option<i64>,
    node_type: Option<String>,
    name: Option<String>,
    nodes: Vec<AstNode>,
    linearized_base_contracts: Option<Vec<i64>>,
    /// Another first slot than 0.
    storage_layout: Option<Box<RawValue>>,
    members: Option<Vec<AstNode>>,
    constant: Option<bool>,
    mutability: Option<String>,
    storage_location: Option<String>,
    visibility: Option<String>,
    type_name: Option<Box<AstNode>>,
    base_type: Option<Box<AstNode>>,
    key_type: Option<Box<AstNode>>,
    value_type: Option<Box<AstNode>>,
    underlying_type: Option<Box<AstNode>>,
    referenced_declaration: Option<i64>,
    type_descriptions: Option<TypeDescriptions>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TypeDescriptions {
    type_identifier: Option<String>,
    type_string: Option<String>,
}

/// Returns the layout of a contract, in the form of the compiler's own.
pub(super) fn storage_layout(
    trees: &HashMap<String, AstNode>,
    source: &str,
    contract: &str,
) -> Option<Box<RawValue>> {
    let mut layout = AstLayout::default();
    for tree in trees.values() {
        layout.add_definitions(&tree.nodes);
    }
    let is_contract =
        |node: &&AstNode| node.is("ContractDefinition") && node.name.as_deref() == Some(contract);
    let contract = trees.get(source)?.nodes.iter().find(is_contract)?;
    let mut variables = Vec::new();
    for base in contract.linearized_base_contracts.as_ref()?.iter().rev() {
        let base = layout.definitions.get(base)?;
        if base.storage_layout.is_some() {
            return None;
        }
        variables.extend(base.nodes.iter().filter(|node| node.is_stored()));
    }
    let (storage, _) = layout.place(&variables, 0)?;
    to_raw_value(&json!({ "storage": storage, "types": layout.types })).ok()
}

/// Adds the names of the values of enums to the types of a layout.
pub(super) fn with_enum_members(
    trees: &HashMap<String, AstNode>,
    layout: &RawValue,
) -> Option<Box<RawValue>> {
    let mut layout: Value = serde_json::from_str(layout.get()).ok()?;
    let mut known = AstLayout::default();
    for tree in trees.values() {
        known.add_definitions(&tree.nodes);
    }
    for (key, described) in layout.get_mut("types")?.as_object_mut()? {
        // The id of the definition is the end of the key.
        let digits = key.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let id = key.get(digits..).filter(|_| key.starts_with("t_enum"));
        let defined = id.and_then(|id| known.definitions.get(&id.parse().ok()?));
        let members = defined.and_then(|node| node.member_names());
        if let Some((members, described)) = members.zip(described.as_object_mut()) {
            described.insert("enumMembers".into(), members);
        }
    }
    to_raw_value(&layout).ok()
}

impl AstNode {
    /// Returns the names of an enum's values.
    fn member_names(&self) -> Option<Value> {
        let members = self.members.as_ref().filter(|_| self.is("EnumDefinition"))?;
        Some(
            members.iter().map(|member| member.name.as_deref()).collect::<Option<Vec<_>>>()?.into(),
        )
    }

    fn is(&self, node_type: &str) -> bool {
        self.node_type.as_deref() == Some(node_type)
    }

    /// Returns `true` for a variable in storage.
    fn is_stored(&self) -> bool {
        self.is("VariableDeclaration")
            && self.constant != Some(true)
            && self.mutability.as_deref().is_none_or(|mutability| mutability == "mutable")
            && self.storage_location.as_deref() != Some("transient")
    }

    fn type_string(&self) -> Option<&str> {
        self.type_descriptions.as_ref()?.type_string.as_deref()
    }
}

#[derive(Default)]
struct AstLayout<'a> {
    /// Contracts, structs, enums and types by their ids.
    definitions: HashMap<i64, &'a AstNode>,
    types: BTreeMap<String, Value>,
    /// Sizes of these types in bytes. A struct that is looked at has none yet.
    sizes: HashMap<String, U256>,
}

impl<'a> AstLayout<'a> {
    fn add_definitions(&mut self, nodes: &'a [AstNode]) {
        for node in nodes {
            self.definitions.extend(node.id.map(|id| (id, node)));
            self.add_definitions(&node.nodes);
        }
    }

    /// Returns variables with their places, and the number of their slots.
    fn place(&mut self, variables: &[&'a AstNode], depth: usize) -> Option<(Vec<Value>, U256)> {
        let word = U256::from(WORD_BYTES);
        let (mut slot, mut offset) = (U256::ZERO, U256::ZERO);
        let mut placed = Vec::new();
        for variable in variables {
            let (kind, bytes) = self.add_type(variable.type_name.as_deref()?, depth + 1)?;
            if offset.saturating_add(bytes) > word && !offset.is_zero() {
                (slot, offset) = (slot.checked_add(U256::ONE)?, U256::ZERO);
            }
            placed.push(json!({
                "label": variable.name, "slot": slot.to_string(), "type": kind,
                "offset": u64::try_from(offset).ok()?,
            }));
            if bytes > word {
                slot = slot.checked_add(bytes.div_ceil(word))?;
            } else {
                offset += bytes;
            }
        }
        let started = U256::from(u8::from(!offset.is_zero()));
        Some((placed, slot.checked_add(started)?))
    }

    /// Adds a type. Returns its key and its size.
    fn add_type(&mut self, node: &'a AstNode, depth: usize) -> Option<(String, U256)> {
        if depth > MAX_DEPTH {
            return None;
        }
        let identifier = node.type_descriptions.as_ref()?.type_identifier.as_deref()?;
        let key = identifier.strip_suffix("_ptr").unwrap_or(identifier).to_owned();
        if let Some(bytes) = self.sizes.get(&key) {
            return Some((key, *bytes));
        }
        let label = node.type_string()?.to_owned();
        let word = U256::from(WORD_BYTES);
        let (bytes, described) = match node.node_type.as_deref()? {
            "ElementaryTypeName" if matches!(&*label, "string" | "bytes") => {
                (word, json!({ "encoding": "bytes" }))
            }
            "ElementaryTypeName" => (elementary_bytes(&label)?, json!({ "encoding": "inplace" })),
            "FunctionTypeName" => {
                let is_external = node.visibility.as_deref() == Some("external");
                (U256::from(if is_external { 24 } else { 8 }), json!({ "encoding": "inplace" }))
            }
            "Mapping" => {
                let (from, _) = self.add_type(node.key_type.as_deref()?, depth + 1)?;
                let (to, _) = self.add_type(node.value_type.as_deref()?, depth + 1)?;
                (word, json!({ "encoding": "mapping", "key": from, "value": to }))
            }
            "ArrayTypeName" => {
                let (base, bytes) = self.add_type(node.base_type.as_deref()?, depth + 1)?;
                let count = label.strip_suffix(']')?.rsplit_once('[')?.1;
                if count.is_empty() {
                    (word, json!({ "encoding": "dynamic_array", "base": base }))
                } else {
                    let size = array_bytes(count.parse().ok()?, bytes)?;
                    (size, json!({ "encoding": "inplace", "base": base }))
                }
            }
            "UserDefinedTypeName" => return self.add_defined(node, key, label, depth),
            _ => return None,
        };
        Some(self.insert(key, label, bytes, described))
    }

    /// Adds a type that the sources define. A value type has the place of its underlying one.
    fn add_defined(
        &mut self,
        node: &AstNode,
        key: String,
        label: String,
        depth: usize,
    ) -> Option<(String, U256)> {
        let definition = *self.definitions.get(&node.referenced_declaration?)?;
        let plain = json!({ "encoding": "inplace" });
        match definition.node_type.as_deref()? {
            "ContractDefinition" => Some(self.insert(key, label, U256::from(20), plain)),
            "EnumDefinition" => {
                let is_large = definition.members.as_ref()?.len() > 256;
                let enum_type = match definition.member_names() {
                    Some(members) => json!({ "encoding": "inplace", "enumMembers": members }),
                    None => plain,
                };
                Some(self.insert(key, label, U256::from(1 + u8::from(is_large)), enum_type))
            }
            "UserDefinedValueTypeDefinition" => {
                self.add_type(definition.underlying_type.as_deref()?, depth + 1)
            }
            "StructDefinition" => {
                // It may have a mapping or a list of itself, whose size does not depend on its.
                self.sizes.insert(key.clone(), U256::ZERO);
                let members: Vec<&AstNode> = definition.members.iter().flatten().collect();
                let (members, slots) = self.place(&members, depth)?;
                let bytes = slots.checked_mul(U256::from(WORD_BYTES))?;
                let described = json!({ "encoding": "inplace", "members": members });
                Some(self.insert(key, label, bytes, described))
            }
            _ => None,
        }
    }

    fn insert(
        &mut self,
        key: String,
        label: String,
        bytes: U256,
        mut described: Value,
    ) -> (String, U256) {
        described["label"] = label.into();
        described["numberOfBytes"] = bytes.to_string().into();
        self.types.insert(key.clone(), described);
        self.sizes.insert(key.clone(), bytes);
        (key, bytes)
    }
}

fn elementary_bytes(label: &str) -> Option<U256> {
    let bits = |digits: &str| digits.parse::<u16>().ok().map(|bits| bits / 8);
    let bytes = match label {
        "bool" => 1,
        "address" | "address payable" => 20,
        _ => match label.strip_prefix("bytes") {
            Some(bytes) => bytes.parse().ok()?,
            None => bits(label.strip_prefix('u').unwrap_or(label).strip_prefix("int")?)?,
        },
    };
    (1..=32).contains(&bytes).then(|| U256::from(bytes))
}

/// Returns the bytes of all slots of an array.
fn array_bytes(count: U256, element: U256) -> Option<U256> {
    let word = U256::from(WORD_BYTES);
    let slots = if element <= word && !element.is_zero() {
        count.div_ceil(word / element)
    } else {
        count.checked_mul(element.div_ceil(word))?
    };
    slots.checked_mul(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::StorageLayout;

    fn described(mut node: Value, identifier: &str, label: &str) -> Value {
        node["typeDescriptions"] = json!({ "typeIdentifier": identifier, "typeString": label });
        node
    }

    fn elementary(label: &str) -> Value {
        let suffix = if label == "string" { "_storage_ptr" } else { "" };
        let identifier = format!("t_{label}{suffix}");
        described(json!({ "nodeType": "ElementaryTypeName", "name": label }), &identifier, label)
    }

    fn defined(id: i64, identifier: &str, label: &str) -> Value {
        let node = json!({ "nodeType": "UserDefinedTypeName", "referencedDeclaration": id });
        described(node, identifier, label)
    }

    fn array(base: &Value, identifier: &str, label: &str) -> Value {
        described(json!({ "nodeType": "ArrayTypeName", "baseType": base }), identifier, label)
    }

    fn mapping(value: &Value, identifier: &str, label: &str) -> Value {
        let node =
            json!({ "nodeType": "Mapping", "keyType": elementary("address"), "valueType": value });
        described(node, identifier, label)
    }

    fn variable(name: &str, type_name: &Value) -> Value {
        json!({ "nodeType": "VariableDeclaration", "name": name, "typeName": type_name,
            "mutability": "mutable", "constant": false })
    }

    fn layout(vault: Vec<Value>, base: Vec<Value>) -> Option<Value> {
        let contract = |id: i64, name: &str, bases: &[i64], nodes: Vec<Value>| {
            json!({ "nodeType": "ContractDefinition", "id": id, "name": name, "nodes": nodes,
                "linearizedBaseContracts": bases })
        };
        let tree = |nodes: Vec<Value>| serde_json::from_value::<AstNode>(json!({ "nodes": nodes }));
        let trees = HashMap::from([
            ("Vault.sol".to_owned(), tree(vec![contract(2, "Vault", &[2, 1], vault)]).unwrap()),
            ("Base.sol".to_owned(), tree(vec![contract(1, "Base", &[1], base)]).unwrap()),
        ]);
        serde_json::from_str(storage_layout(&trees, "Vault.sol", "Vault")?.get()).ok()
    }

    /// Returns labels, slots and offsets.
    fn places(variables: &Value) -> Vec<String> {
        let place = |variable: &Value| {
            let text = |key: &str| variable[key].to_string().trim_matches('"').to_owned();
            [text("label"), text("slot"), text("offset")].join(" ")
        };
        variables.as_array().unwrap().iter().map(place).collect()
    }

    #[test]
    fn variables_have_the_compilers_places() {
        let order = defined(3, "t_struct$_Order_$3_storage_ptr", "struct Order");
        let kind = defined(4, "t_enum$_Kind_$4", "enum Kind");
        let price = defined(5, "t_userDefinedValueType$_Price_$5", "Price");
        let rest = mapping(
            &order,
            "t_mapping$_t_address_$_t_struct$_Order_",
            "mapping(address => struct Order)",
        );
        let mut constant = variable("MAX", &elementary("uint256"));
        constant["constant"] = true.into();
        let mut immutable = variable("boss", &elementary("address"));
        immutable["mutability"] = "immutable".into();
        let base = vec![
            constant,
            immutable,
            variable("total", &elementary("uint128")),
            variable("owner", &elementary("address")),
        ];
        let vault = vec![
            json!({ "nodeType": "StructDefinition", "id": 3, "name": "Order", "members": [
                variable("amount", &elementary("uint64")), variable("kind", &kind), variable("rest", &rest)] }),
            json!({ "nodeType": "EnumDefinition", "id": 4, "members": [{ "name": "A" }, { "name": "B" }] }),
            json!({ "nodeType": "UserDefinedValueTypeDefinition", "id": 5, "underlyingType": elementary("uint64") }),
            variable("open", &elementary("bool")),
            variable(
                "orders",
                &array(&order, "t_array$_t_struct_$2_storage_ptr", "struct Order[2]"),
            ),
            variable("name", &elementary("string")),
            variable("fees", &array(&price, "t_array$_Price_$5_storage_ptr", "Price[5]")),
            variable(
                "queue",
                &array(&order, "t_array$_t_struct_$dyn_storage_ptr", "struct Order[]"),
            ),
            variable("last", &elementary("bytes4")),
        ];
        let json = layout(vault, base).unwrap();
        let expected = [
            "total 0 0",
            "owner 1 0",
            "open 1 20",
            "orders 2 0",
            "name 6 0",
            "fees 7 0",
            "queue 9 0",
            "last 10 0",
        ];
        assert_eq!(places(&json["storage"]), expected);
        let members = &json["types"]["t_struct$_Order_$3_storage"]["members"];
        assert_eq!(places(members), ["amount 0 0", "kind 0 8", "rest 1 0"]);
        let parsed = StorageLayout::parse(&json.to_string()).unwrap();
        let word = U256::from(7) | U256::ONE << 64;
        let stored = parsed.stored_variables(U256::from(2), &[(U256::from(2), word)].into(), &[]);
        let shown: Vec<String> =
            stored.iter().map(|one| format!("{} {}", one.path, one.value)).collect();
        assert_eq!(shown, ["orders[0].amount 7", "orders[0].kind Kind.B"]);
    }

    #[test]
    fn enums_of_the_compilers_layout_have_their_members() {
        let kind = json!({ "nodeType": "EnumDefinition", "id": 256, "members": [{ "name": "A" }] });
        let tree: AstNode = serde_json::from_value(json!({ "nodes": [kind] })).unwrap();
        let trees = HashMap::from([("Vault.sol".to_owned(), tree)]);
        let layout = json!({ "storage": [], "types": {
            "t_enum(Kind)256": { "label": "enum Vault.Kind" }, "t_uint256": { "label": "uint256" } } });
        let named = with_enum_members(&trees, &to_raw_value(&layout).unwrap()).unwrap();
        let named: Value = serde_json::from_str(named.get()).unwrap();
        assert_eq!(named["types"]["t_enum(Kind)256"]["enumMembers"], json!(["A"]));
        assert_eq!(named["types"]["t_uint256"], layout["types"]["t_uint256"]);
        let broken = json!({ "storage": [], "types": { "t_enum(Kind)256": "x" } });
        let raw = to_raw_value(&broken).unwrap();
        let kept = with_enum_members(&trees, &raw).unwrap();
        assert_eq!(kept.get(), raw.get(), "nothing has members");
    }

    #[test]
    fn unknown_places_are_no_layout() {
        let unknown = described(json!({ "nodeType": "Quantum" }), "t_quantum", "quantum");
        assert_eq!(layout(vec![variable("a", &unknown)], vec![]), None);
        assert_eq!(layout(vec![variable("a", &defined(9, "t_x", "x"))], vec![]), None);
        let huge = array(&elementary("uint256"), "t_huge", &format!("uint256[{}]", U256::MAX));
        assert_eq!(layout(vec![variable("a", &huge)], vec![]), None);
    }
}

//! Solidity types with the names of struct fields.

use std::fmt;
use std::sync::Arc;

use alloy_dyn_abi::DynSolType;

use crate::safety::name_marks::guard_identifier;
use crate::sanitize::SafeText;

/// Maximum levels of types inside types. No compiler makes as many.
pub(super) const MAX_TYPE_DEPTH: usize = 8;
/// Maximum length of the name of a struct or an enum.
const MAX_TYPE_NAME: usize = 80;
/// Maximum values in a type when each of its unsized arrays has one item.
pub(super) const MAX_TYPE_VALUES: usize = 16_384;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbiParameter {
    pub name: SafeText,
    pub ty: SolType,
    /// The type in the source, of structs and enums: `Order[]`.
    declared: Option<SafeText>,
}

/// A Solidity type. [`DynSolType`] alone would lose the names of fields.
///
/// It displays in the canonical form used for selectors: `(address,uint256)[]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SolType {
    Elementary(DynSolType),
    /// `T[]` or `T[3]`.
    Array(Arc<SolType>, Option<usize>),
    Tuple(Arc<[AbiParameter]>),
}

impl AbiParameter {
    /// Creates a parameter. A name that is not an identifier is quoted and cut.
    pub(super) fn new(name: &str, ty: SolType) -> Self {
        Self { name: guard_identifier(name), ty, declared: None }
    }

    /// Adds the type in the source, as the compiler writes it: `struct Vault.Order[]`.
    #[must_use]
    pub(super) fn with_internal_type(self, internal: &str) -> Self {
        let qualified = internal.strip_prefix("struct ").or(internal.strip_prefix("enum "));
        let name = qualified.map(|name| name.rsplit('.').next().unwrap_or(name));
        // The name is shown next to others, and an ABI can have any text for it.
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_$[]".contains(c);
        // A value would be read as one of the type in the name.
        let is_elementary = |name: &str| {
            let item = name.split('[').next().unwrap_or_default();
            SolType::parse_elementary(item).is_some()
        };
        let declared = name
            .filter(|name| name.len() <= MAX_TYPE_NAME && name.chars().all(is_name))
            .filter(|name| !is_elementary(name));
        Self { declared: declared.map(SafeText::new), ..self }
    }

    /// Returns the type in the source if it is known, or else the canonical type.
    pub fn type_name(&self) -> SafeText {
        self.declared.clone().unwrap_or_else(|| SafeText::new(&self.ty.to_string()))
    }
}

impl SolType {
    /// Parses the name of an elementary type. `uint` and `int` mean 256 bits.
    ///
    /// `DynSolType::parse` takes four times as long, which matters for the built-in table, and accepts
    /// `uint08`, which has another selector.
    pub(super) fn parse_elementary(name: &str) -> Option<Self> {
        let digits = name.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let size = match digits {
            "" => None,
            _ if digits.starts_with('0') || digits.len() > 3 => return None,
            _ => Some(digits.parse::<usize>().ok()?),
        };
        let is_bits = |bits: &usize| (8..=256).contains(bits) && bits.is_multiple_of(8);
        let ty = match (&name[..name.len() - digits.len()], size) {
            ("bool", None) => DynSolType::Bool,
            ("address", None) => DynSolType::Address,
            ("function", None) => DynSolType::Function,
            ("bytes", None) => DynSolType::Bytes,
            ("string", None) => DynSolType::String,
            ("bytes", Some(bytes @ 1..=32)) => DynSolType::FixedBytes(bytes),
            ("uint", bits) => DynSolType::Uint(Some(bits.unwrap_or(256)).filter(is_bits)?),
            ("int", bits) => DynSolType::Int(Some(bits.unwrap_or(256)).filter(is_bits)?),
            _ => return None,
        };
        Some(Self::Elementary(ty))
    }

    /// Returns `true` if the value is encoded behind an offset.
    pub(super) fn is_dynamic(&self) -> bool {
        match self {
            Self::Elementary(ty) => matches!(ty, DynSolType::Bytes | DynSolType::String),
            Self::Array(_, None) => true,
            Self::Array(item, Some(_)) => item.is_dynamic(),
            Self::Tuple(fields) => fields.iter().any(|field| field.ty.is_dynamic()),
        }
    }

    /// Counts the values in the type, with one item in each unsized array.
    pub(super) fn value_count(&self) -> usize {
        match self {
            Self::Elementary(_) => 1,
            Self::Array(item, length) => length.unwrap_or(1).saturating_mul(item.value_count()),
            Self::Tuple(fields) => total_value_count(fields),
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            Self::Elementary(_) => 0,
            Self::Array(item, _) => size_of::<Self>() + item.heap_bytes(),
            Self::Tuple(fields) => heap_bytes(fields),
        }
    }

    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Elementary(_) => 0,
            Self::Array(item, _) => 1 + item.depth(),
            Self::Tuple(fields) => {
                1 + fields.iter().map(|field| field.ty.depth()).max().unwrap_or(0)
            }
        }
    }

    /// Converts to the decoder's type. A string becomes bytes, which have the same encoding and keep
    /// invalid UTF-8.
    fn to_dyn_type(&self) -> DynSolType {
        match self {
            Self::Elementary(DynSolType::String) => DynSolType::Bytes,
            Self::Elementary(ty) => ty.clone(),
            Self::Array(item, None) => DynSolType::Array(Box::new(item.to_dyn_type())),
            Self::Array(item, Some(length)) => {
                DynSolType::FixedArray(Box::new(item.to_dyn_type()), *length)
            }
            Self::Tuple(fields) => tuple_dyn_type(fields),
        }
    }

    /// Returns the form with the names of fields: `(address to, uint256 amount)[]`.
    pub(super) fn named(&self) -> String {
        let mut out = String::new();
        self.write_named(&mut out);
        out
    }

    fn write_named(&self, out: &mut String) {
        match self {
            Self::Elementary(_) => out.push_str(&self.to_string()),
            Self::Array(item, length) => {
                item.write_named(out);
                out.push_str(&array_suffix(*length));
            }
            Self::Tuple(fields) => write_named(fields, out),
        }
    }
}

impl fmt::Display for SolType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elementary(ty) => f.write_str(&ty.sol_type_name()),
            Self::Array(item, length) => write!(f, "{item}{}", array_suffix(*length)),
            Self::Tuple(fields) => {
                f.write_str("(")?;
                for (n, field) in fields.iter().enumerate() {
                    let comma = if n == 0 { "" } else { "," };
                    write!(f, "{comma}{}", field.ty)?;
                }
                f.write_str(")")
            }
        }
    }
}

fn array_suffix(length: Option<usize>) -> String {
    length.map_or_else(|| "[]".to_owned(), |length| format!("[{length}]"))
}

/// Writes parameters with their names: `(address to, uint256 amount)`.
pub(super) fn write_named(parameters: &[AbiParameter], out: &mut String) {
    out.push('(');
    for (n, parameter) in parameters.iter().enumerate() {
        out.push_str(if n == 0 { "" } else { ", " });
        parameter.ty.write_named(out);
        if !parameter.name.is_empty() {
            out.push(' ');
            out.push_str(&parameter.name);
        }
    }
    out.push(')');
}

/// Returns the approximate memory of parameters in bytes.
pub(super) fn heap_bytes(parameters: &[AbiParameter]) -> usize {
    parameters
        .iter()
        .map(|parameter| {
            let declared = parameter.declared.as_ref().map_or(0, |declared| declared.len());
            let own_bytes = size_of::<AbiParameter>() + parameter.name.len() + declared;
            own_bytes + parameter.ty.heap_bytes()
        })
        .sum()
}

/// Counts the values of all parameters, as [`SolType::value_count`] does.
pub(super) fn total_value_count(parameters: &[AbiParameter]) -> usize {
    parameters.iter().fold(0, |sum, parameter| sum.saturating_add(parameter.ty.value_count()))
}

pub(super) fn tuple_dyn_type(parameters: &[AbiParameter]) -> DynSolType {
    DynSolType::Tuple(parameters.iter().map(|parameter| parameter.ty.to_dyn_type()).collect())
}

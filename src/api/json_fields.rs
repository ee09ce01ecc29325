//! Tolerant JSON parsing for servers of all versions, half-indexed rows and untrusted text.
//!
//! An object is parsed field by field from its original text. A field that has an old name, is
//! repeated, has an unexpected type or is missing does not invalidate its object or page: it
//! becomes [`Field::Absent`] or [`Field::Invalid`], and is shown as such.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::str::FromStr;

use alloy_primitives::{I256, Sign};
use jiff::Timestamp;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::json::{Json, TOO_LARGE, for_each_element, scalar, type_error};
use crate::chain::{Address, B256, Bytes, U256};
use crate::messages::api_error::NO_REASON;
use crate::sanitize::SafeText;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Field<T> {
    /// Missing or null. Shown as `—`.
    #[default]
    Absent,
    Present(T),
    /// Not of the expected type, with the reason. Shown as `?`.
    Invalid(SafeText),
}

impl<T> Field<T> {
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Present(value) => Some(value),
            Self::Absent | Self::Invalid(_) => None,
        }
    }

    /// Borrows the value, and clones the reason if it is invalid.
    pub fn as_ref(&self) -> Field<&T> {
        match self {
            Self::Absent => Field::Absent,
            Self::Present(value) => Field::Present(value),
            Self::Invalid(why) => Field::Invalid(why.clone()),
        }
    }

    /// Computes a further field from the value.
    pub fn and_then<U>(self, compute: impl FnOnce(T) -> Field<U>) -> Field<U> {
        match self {
            Self::Absent => Field::Absent,
            Self::Present(value) => compute(value),
            Self::Invalid(why) => Field::Invalid(why),
        }
    }

    /// Formats the value with `show`, or returns the sign for a missing or invalid one.
    pub fn display_with<'a>(&'a self, show: impl FnOnce(&'a T) -> Cow<'a, str>) -> Cow<'a, str> {
        match self {
            Self::Absent => Cow::Borrowed("—"),
            Self::Present(value) => show(value),
            Self::Invalid(_) => Cow::Borrowed("?"),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Field<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display_with(|value| value.to_string().into()))
    }
}

/// Maximum number of fields of an object: the service's have up to fifty.
const MAX_FIELDS: usize = 1_000;
const USUAL_FIELDS: usize = 16;
/// Maximum length of a node's message.
const MAX_MESSAGE_CHARS: usize = 300;

pub trait FromJson: Sized {
    /// Parses `json`, which is never `null`.
    fn from_json(json: Json<'_>) -> Result<Self, SafeText>;
}

/// Field types of a [`json_object!`].
pub trait FromObject: Sized {
    /// Reads the field of these names, or several fields that have their own.
    fn from_object(object: &RawObject<'_>, names: &[&str]) -> Result<Self, SafeText>;
}

impl<T: FromJson> FromObject for Field<T> {
    fn from_object(object: &RawObject<'_>, names: &[&str]) -> Result<Self, SafeText> {
        Ok(object.field(names))
    }
}

/// An object whose fields may have other names in the JSON.
pub trait JsonNames {
    /// Each such field, and its names in order of preference, with `|` between them.
    const RENAMED: &'static [(&'static str, &'static str)] = &[];
}

/// Returns the names in the JSON of a field of `T`.
pub const fn json_names<T: JsonNames>(field: &'static str) -> &'static str {
    let mut n = 0;
    while n < T::RENAMED.len() {
        let (renamed, names) = T::RENAMED[n];
        if is_same(renamed.as_bytes(), field.as_bytes()) {
            return names;
        }
        n += 1;
    }
    field
}

/// `==`, which constants cannot use.
const fn is_same(mut one: &[u8], mut other: &[u8]) -> bool {
    while let ([first, rest @ ..], [others_first, others_rest @ ..]) = (one, other) {
        if *first != *others_first {
            return false;
        }
        (one, other) = (rest, others_rest);
    }
    one.is_empty() && other.is_empty()
}

/// Fields of one kind of chain only, or of newer servers. They are the last field of their struct.
pub type ExtraFields = Vec<(SafeText, SafeText)>;

impl FromObject for ExtraFields {
    fn from_object(object: &RawObject<'_>, _: &[&str]) -> Result<Self, SafeText> {
        object.extra_fields()
    }
}

/// Defines an object of the API and how it is parsed. A field can have a JSON name that differs from
/// its own, or several in order of preference: `holders: Field<u64> = "holders_count" | "holders"`.
macro_rules! json_object {
    (
        $(#[$attribute:meta])*
        pub struct $object:ident {
            $($(#[$doc:meta])* pub $field:ident: $type:ty $(= $($name:literal)|+)?,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone)]
        pub struct $object {
            $($(#[$doc])* pub $field: $type,)*
        }

        const _: () = {
            use $crate::api::json::Json;
            use $crate::api::json_fields::{FromJson, FromObject, JsonNames, RawObject};
            use $crate::sanitize::SafeText;

            impl JsonNames for $object {
                const RENAMED: &'static [(&'static str, &'static str)] =
                    &[$($((stringify!($field), json_object!(@joined $($name)+)),)?)*];
            }

            impl FromObject for $object {
                fn from_object(object: &RawObject<'_>, _: &[&str]) -> Result<Self, SafeText> {
                    Ok(Self { $($field: FromObject::from_object(
                        object,
                        json_object!(@names $field $($($name)+)?),
                    )?,)* })
                }
            }

            impl FromJson for $object {
                fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
                    Self::from_object(&RawObject::parse(json)?, &[])
                }
            }
        };
    };
    (@joined $first:literal $($other:literal)*) => {
        concat!($first $(, "|", $other)*)
    };
    (@names $field:ident) => {
        &[stringify!($field)]
    };
    (@names $field:ident $($name:literal)+) => {
        &[$($name),+]
    };
}
pub(super) use json_object;

/// A JSON object whose values are still text.
#[derive(Debug)]
pub struct RawObject<'a> {
    fields: Vec<RawField<'a>>,
    /// The key of each field's name.
    keys: Vec<u64>,
    json: Json<'a>,
}

#[derive(Debug)]
struct RawField<'a> {
    name: Cow<'a, str>,
    value: &'a RawValue,
    requested: Cell<bool>,
}

impl<'a> RawObject<'a> {
    /// Parses an object. Order and repeated names are kept.
    pub fn parse(json: impl Into<Json<'a>>) -> Result<Self, SafeText> {
        struct FieldsVisitor<'f>(Option<&'f [&'f str]>);
        impl<'de> Visitor<'de> for FieldsVisitor<'_> {
            type Value = Vec<RawField<'de>>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::with_capacity(USUAL_FIELDS);
                while let Some((FieldName(name), value)) = map.next_entry()? {
                    if self.0.is_some_and(|read| !read.contains(&&*name)) {
                        continue;
                    }
                    if entries.len() == MAX_FIELDS {
                        return Err(A::Error::invalid_length(MAX_FIELDS + 1, &self));
                    }
                    entries.push(RawField { name, value, requested: Cell::new(false) });
                }
                Ok(entries)
            }
        }
        let json = json.into();
        let fields = serde_json::Deserializer::from_str(json.get())
            .deserialize_map(FieldsVisitor(json.fields()))
            .map_err(|_| match json.get().as_bytes() {
                [b'{', ..] => type_error("an object of at most 1,000 fields", json),
                _ => type_error("an object", json),
            })?;
        let keys = fields.iter().map(|field| name_key(&field.name)).collect();
        Ok(Self { fields, keys, json })
    }

    /// Parses the first field of these names that is not null. The names are in order of
    /// preference.
    pub fn field<T: FromJson>(&self, names: &[&str]) -> Field<T> {
        self.raw(names).map_or(Field::Absent, |json| self.parsed(json))
    }

    /// Parses a field that stays one of the unknown fields.
    pub fn peek<T: FromJson>(&self, name: &str) -> Field<T> {
        let sent = self.fields.iter().find(|field| field.name == name);
        let json = sent.map(|field| field.value).filter(|json| json.get() != "null");
        json.map_or(Field::Absent, |json| self.parsed(json))
    }

    fn parsed<T: FromJson>(&self, json: &'a RawValue) -> Field<T> {
        match T::from_json(self.json.part(json)) {
            Ok(value) => Field::Present(value),
            Err(reason) if self.json.spend(reason.len()).is_ok() => Field::Invalid(reason),
            Err(_) => Field::Invalid(TOO_LARGE.into()),
        }
    }

    /// Returns the text of the first field of these names that is not null.
    pub fn raw(&self, names: &[&str]) -> Option<&'a RawValue> {
        let mut found = None;
        for name in names {
            let key = name_key(name);
            let entries = self.keys.iter().zip(&self.fields).filter(|(other, _)| **other == key);
            for (_, entry) in entries.filter(|(_, entry)| entry.name == *name) {
                entry.requested.set(true);
                if found.is_none() && entry.value.get() != "null" {
                    found = Some(entry.value);
                }
            }
        }
        found
    }

    /// Returns the fields that were not requested so far and are not null.
    fn extra_fields(&self) -> Result<ExtraFields, SafeText> {
        let unknown = self.fields.iter().filter(|e| !e.requested.get() && e.value.get() != "null");
        unknown
            .map(|field| {
                self.json.spend(size_of::<(SafeText, SafeText)>())?;
                let safe_text = |text| self.json.safe_text(text).unwrap_or_else(|why| why);
                Ok((safe_text(&field.name), safe_text(field.value.get())))
            })
            .collect()
    }

    /// Returns all fields in the order sent, with repeated names.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.fields.iter().map(|e| (e.name.as_ref(), e.value))
    }
}

/// Returns a number that few other names have: a transaction has fifty fields, and each is looked for
/// among all.
fn name_key(name: &str) -> u64 {
    let bytes = name.as_bytes();
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(start), Some(end)) => {
            let [start, end] = [start, end].map(|chunk| u64::from_le_bytes(*chunk));
            start ^ end.rotate_left(u64::BITS / 2) ^ bytes.len() as u64
        }
        _ => bytes.iter().fold(0, |key, byte| key << u8::BITS | u64::from(*byte)),
    }
}

/// Returns the message of a node's error, which is an object or a sentence.
pub fn error_text(error: Json<'_>) -> SafeText {
    let Ok(object) = RawObject::parse(error) else {
        return SafeText::bounded(&scalar(error).unwrap_or_default(), MAX_MESSAGE_CHARS);
    };
    let message = object.field::<SafeText>(&["message"]);
    SafeText::bounded(message.value().map_or(NO_REASON, |message| message), MAX_MESSAGE_CHARS)
}

/// The name of a field. Half of a surrogate pair, which JSON can express and UTF-8 cannot, is
/// replaced, because the name of an unknown field must not invalidate the object.
struct FieldName<'a>(Cow<'a, str>);

#[expect(clippy::disallowed_types, reason = "names are compared; those shown become SafeText")]
impl<'de> serde::Deserialize<'de> for FieldName<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl<'de> Visitor<'de> for NameVisitor {
            type Value = FieldName<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_bytes<E>(self, name: &'de [u8]) -> Result<Self::Value, E> {
                Ok(FieldName(String::from_utf8_lossy(name)))
            }

            fn visit_bytes<E>(self, name: &[u8]) -> Result<Self::Value, E> {
                let name = name.get(..MAX_NAME_BYTES).unwrap_or(name);
                Ok(FieldName(String::from_utf8_lossy(name).into_owned().into()))
            }
        }
        // serde_json refuses such a pair in a string, and passes it on as bytes.
        deserializer.deserialize_bytes(NameVisitor)
    }
}

/// Maximum size of a field's name: the service's have up to forty bytes.
const MAX_NAME_BYTES: usize = 1_000;

fn parse_scalar<T: FromStr>(json: Json<'_>, expected: &str) -> Result<T, SafeText> {
    scalar(json).and_then(|text| text.parse().ok()).ok_or_else(|| type_error(expected, json))
}

fn parse_whole_number<T: FromStr>(json: Json<'_>, expected: &str) -> Result<T, SafeText> {
    let text = scalar(json);
    let digits = text.as_deref().and_then(whole_number_digits);
    digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| type_error(expected, json))
}

/// Returns the digits of a whole number, which can be `21000`, `21000.0` or `2.1e4`.
fn whole_number_digits(text: &str) -> Option<Cow<'_, str>> {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return Some(Cow::Borrowed(text));
    }
    let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = decimals.trim_end_matches('0');
    let exponent: usize = power.strip_prefix('+').unwrap_or(power).parse().ok()?;
    let digits = whole.bytes().chain(fraction.bytes());
    if whole.is_empty()
        || exponent > 100
        || exponent < fraction.len()
        || !digits.clone().all(|b| b.is_ascii_digit())
    {
        return None;
    }
    Some(format!("{whole}{fraction}{}", "0".repeat(exponent - fraction.len())).into())
}

impl FromJson for SafeText {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        match json.get() {
            word @ ("true" | "false") => Ok(SafeText::new(word)),
            _ => json.safe_text(&scalar(json).ok_or_else(|| type_error("text", json))?),
        }
    }
}

impl FromJson for bool {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        match json.get() {
            "true" | "\"true\"" => Ok(true),
            "false" | "\"false\"" => Ok(false),
            _ => Err(type_error("true or false", json)),
        }
    }
}

impl FromJson for U256 {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        // Most amounts are small, and those are parsed in a fraction of the time.
        let small = scalar(json).filter(|text| text.bytes().all(|c| c.is_ascii_digit()));
        match small.and_then(|digits| digits.parse::<u128>().ok()) {
            Some(small) => Ok(Self::from(small)),
            None => parse_whole_number(json, "a whole number below 2^256"),
        }
    }
}

impl FromJson for I256 {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let text = scalar(json).unwrap_or_default();
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (Sign::Negative, digits),
            None => (Sign::Positive, &*text),
        };
        let size = whole_number_digits(digits).and_then(|digits| digits.parse().ok());
        size.and_then(|size| Self::checked_from_sign_and_abs(sign, size))
            .ok_or_else(|| type_error("a whole number of at most 2^255", json))
    }
}

impl FromJson for u64 {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        parse_whole_number(json, "a whole number below 2^64")
    }
}

impl FromJson for u8 {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        parse_whole_number(json, "a whole number up to 255")
    }
}

impl FromJson for Address {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        parse_scalar(json, "an address")
    }
}

impl FromJson for B256 {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        parse_scalar(json, "a 32-byte hash")
    }
}

impl FromJson for Bytes {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        json.spend(json.get().len() / 2)?;
        let text = scalar(json);
        text.filter(|t| t.starts_with("0x"))
            .and_then(|t| t.parse().ok())
            .ok_or_else(|| type_error("0x and hex digits", json))
    }
}

impl FromJson for Timestamp {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        parse_scalar(json, "a time")
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let mut items = Ok(Self::new());
        for_each_element(json, |element| {
            let element = json.part(element);
            if let Ok(parsed) = &mut items {
                match element.spend(size_of::<T>()).and_then(|()| T::from_json(element)) {
                    Ok(item) => parsed.push(item),
                    Err(reason) => items = Err(reason),
                }
            }
        })?;
        items.map(|mut items| {
            items.shrink_to_fit();
            items
        })
    }
}

impl<T: FromJson> FromJson for Box<T> {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        json.spend(size_of::<T>())?;
        T::from_json(json).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    fn read<T: FromJson>(json: &str) -> Option<T> {
        T::from_json((&*raw(json)).into()).ok()
    }

    #[test]
    fn whole_numbers_in_every_notation() {
        for json in ["21000", "\"21000\"", "21000.0", "2.1e4", "\"2.10E+4\""] {
            assert_eq!(read::<u64>(json), Some(21000), "{json}");
            assert_eq!(read::<U256>(json), Some(U256::from(21000)), "{json}");
        }
        for json in ["-1", "\"\"", "1.5", "1e-3", "\"0x10\"", "true", "[]", "1e999999999", "\"1e\""]
        {
            assert_eq!(read::<u64>(json), None, "{json}");
            assert_eq!(read::<U256>(json), None, "{json}");
        }
        assert_eq!(read::<U256>("1e77"), Some(U256::from(10).pow(U256::from(77))));
        assert_eq!(["0e100", "0e101"].map(read::<u64>), [Some(0), None]);
        let largest = U256::MAX.to_string();
        assert_eq!(read::<U256>(&largest), Some(U256::MAX));
        assert_eq!(read::<U256>(&format!("{largest}0")), None);
        assert_eq!(read::<U256>(&format!("\"{}\"", "9".repeat(501))), None);
        assert_eq!(read::<u8>("256"), None);
        assert_eq!(read::<I256>("\"-2.1e4\""), Some(I256::try_from(-21_000).unwrap()));
        assert_eq!(read::<I256>("7"), Some(I256::try_from(7).unwrap()));
        for json in [&*largest, "\"--7\"", "\"-\"", "\"-0x7\"", "null", "{}"] {
            assert_eq!(read::<I256>(json), None, "{json}");
        }
    }

    #[test]
    fn fields_by_new_and_old_names() {
        let json = raw(r#"{"address":"old","address_hash":"new","holders":null,"x":1,"x":2}"#);
        let object = RawObject::parse(&*json).unwrap();
        assert_eq!(
            object.field::<SafeText>(&["address_hash", "address"]),
            Field::Present("new".into())
        );
        assert_eq!(object.field::<SafeText>(&["holders_count", "holders"]), Field::Absent);
        assert_eq!(object.field::<u64>(&["missing"]), Field::Absent);
        assert_eq!(object.extra_fields().unwrap().len(), 2, "x twice");
        assert!(matches!(object.field::<bool>(&["x"]), Field::Invalid(_)));
    }

    #[test]
    fn deep_nesting_is_not_parsed() {
        let deep = format!("{{\"a\":{}{},\"b\":7}}", "[".repeat(10_000), "]".repeat(10_000));
        let json = raw(&deep);
        let object = RawObject::parse(&*json).unwrap();
        assert_eq!(object.field::<u64>(&["b"]), Field::Present(7));
        assert!(matches!(object.field::<SafeText>(&["a"]), Field::Invalid(_)));
    }
}

//! Replies of an explorer: their data, and the names in it.

use std::any::Any;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::api::address::AddressRef;
use crate::api::json_fields::Field;
use crate::api::page::{Item, Next, Page};
use crate::api::token::Token;

/// The decoded response to a query. The query decides on the type of its data.
#[derive(Debug, Clone)]
pub struct Reply(Arc<dyn ReplyData>);

/// Data of a reply: a page of items, an item, or an object that has no page.
pub trait ReplyData: Any + Send + Sync {
    /// Returns every address that may have a name.
    fn parties(&self) -> Vec<&AddressRef> {
        Vec::new()
    }

    /// Returns the token that an item is about, if it may be about one.
    fn token_field(&self) -> &Field<Token> {
        &Field::Absent
    }

    /// Returns the addresses and the tokens that may have names, also of inner items.
    fn named_parts(&self) -> Vec<NamedPart<'_>> {
        own_parts(self)
    }

    /// Returns the cursor or the end after a page.
    fn next(&self) -> Option<&Next> {
        None
    }
}

opaque_debug!(ReplyData);

/// Implements [`ReplyData`] for an item by its fields with addresses and, after a semicolon, the one with its token.
macro_rules! reply_data {
    ($item:ty: $($party:ident),+ $(; $token:ident)?) => {
        impl $crate::api::reply::ReplyData for $item {
            fn parties(&self) -> Vec<&$crate::api::address::AddressRef> {
                [$(&self.$party),+].into_iter().filter_map($crate::api::Field::value).collect()
            }

            $(fn token_field(&self) -> &$crate::api::Field<$crate::api::token::Token> {
                &self.$token
            })?
        }
    };
}
pub(super) use reply_data;

/// A part of a response that may have a name.
#[derive(Debug, Clone, Copy)]
pub enum NamedPart<'a> {
    Address(&'a AddressRef),
    Token(&'a Token),
}

/// Returns the named parts of an item, but not of inner items.
pub(super) fn own_parts<T: ReplyData + ?Sized>(item: &T) -> Vec<NamedPart<'_>> {
    let parties = item.parties().into_iter().map(NamedPart::Address);
    parties.chain(item.token_field().value().map(NamedPart::Token)).collect()
}

impl Reply {
    pub fn new(data: impl ReplyData) -> Self {
        Self(Arc::new(data))
    }

    /// Returns the data if it has this type.
    pub fn get<T: ReplyData>(&self) -> Option<&T> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// Returns the fields of an item that was requested by itself, if it is readable.
    pub fn parsed_item<T: ReplyData>(&self) -> Option<&T> {
        self.item()?.parsed.as_ref().ok()
    }

    /// Returns a page of items, or of the only one.
    pub fn page<T: ReplyData + Clone>(&self) -> Option<Page<T>> {
        self.get::<Page<T>>().cloned().or_else(|| self.item().cloned().map(Page::of_one))
    }

    /// Returns an item that was requested by itself.
    pub fn item<T: ReplyData>(&self) -> Option<&Arc<Item<T>>> {
        self.get()
    }

    pub fn named_parts(&self) -> Vec<NamedPart<'_>> {
        self.0.named_parts()
    }

    /// Returns the cursor or the end after a page.
    pub fn next(&self) -> Option<&Next> {
        self.0.next()
    }
}

impl<T: ReplyData> ReplyData for Page<T> {
    fn named_parts(&self) -> Vec<NamedPart<'_>> {
        self.parsed().flat_map(T::named_parts).collect()
    }

    fn next(&self) -> Option<&Next> {
        Some(&self.next)
    }
}

impl<T: ReplyData> ReplyData for Arc<Item<T>> {
    fn named_parts(&self) -> Vec<NamedPart<'_>> {
        self.parsed.iter().flat_map(T::named_parts).collect()
    }
}

impl ReplyData for Arc<RawValue> {}

impl ReplyData for Token {
    fn named_parts(&self) -> Vec<NamedPart<'_>> {
        vec![NamedPart::Token(self)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn item_is_no_object_of_its_fields() {
        let json = RawValue::from_string(r#"{"symbol":"GLD"}"#.into()).unwrap();
        let parse = || Item::<Token>::from_json(&json);
        let item = Reply::new(Arc::new(parse()));
        assert!(item.get::<Token>().is_none());
        assert_eq!(item.parsed_item::<Token>().unwrap().symbol.to_string(), "GLD");
        let object = Reply::new(parse().parsed.unwrap());
        assert!(object.get::<Token>().is_some());
        assert!(object.parsed_item::<Token>().is_none());
    }
}

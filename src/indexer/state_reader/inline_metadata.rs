//! The metadata of an instance, if its contract stores it in a `data:` URI.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::store::InstanceRecord;

/// Maximum bytes of metadata. A contract may compute megabytes.
const MAX_METADATA_BYTES: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct InlineMetadata(Box<RawValue>);

#[derive(Deserialize)]
struct MetadataLinks {
    image: Option<Box<str>>,
    image_url: Option<Box<str>>,
    animation_url: Option<Box<str>>,
    external_url: Option<Box<str>>,
}

impl InlineMetadata {
    /// Reads metadata from a `data:` URI. Nothing is fetched for other URIs.
    pub(super) fn inline(uri: &str) -> Option<Self> {
        let (kind, data) = uri.strip_prefix("data:")?.split_once(',')?;
        if data.len() > MAX_METADATA_BYTES {
            return None;
        }
        let json = match kind.strip_suffix(";base64") {
            Some(_) => BASE64_STANDARD.decode(data).ok()?,
            None => percent_decode_str(data).collect(),
        };
        let json: Box<RawValue> = serde_json::from_slice(&json).ok()?;
        json.get().starts_with('{').then_some(Self(json))
    }

    pub(super) fn fill(self, record: &mut InstanceRecord) {
        if let Ok(links) = serde_json::from_str::<MetadataLinks>(self.0.get()) {
            record.image_url = links.image.or(links.image_url);
            record.media_url = links.animation_url.clone().or_else(|| record.image_url.clone());
            record.animation_url = links.animation_url;
            record.external_app_url = links.external_url;
        }
        record.metadata = Some(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_objects_inside_the_uri_are_metadata() {
        let read =
            |uri: &str| InlineMetadata::inline(uri).map(|metadata| metadata.0.get().to_owned());
        let json = r#"{"name":"A 1"}"#;
        let encoded = BASE64_STANDARD.encode(json);
        assert_eq!(read(&format!("data:application/json;base64,{encoded}")).as_deref(), Some(json));
        assert_eq!(read(&format!("data:application/json;utf8,{json}")).as_deref(), Some(json));
        assert_eq!(read("data:,%7B%22a%22:1%7D").as_deref(), Some(r#"{"a":1}"#));
        for uri in
            ["https://a.example/1", "data:application/json", "data:,[1]", "data:,{", "ipfs://x"]
        {
            assert_eq!(read(uri), None, "{uri}");
        }
        assert_eq!(read(&format!("data:,\"{}\"", "x".repeat(MAX_METADATA_BYTES))), None);
    }
}

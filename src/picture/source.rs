//! Sources of pictures: a `data:` URI, or a web address.

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::messages::picture::PictureError;
use crate::safety::url_policy::UntrustedUrl;
use crate::sanitize::SafeText;

/// Maximum length of a `data:` URI.
const MAX_INLINE_BYTES: usize = 2 << 20;
/// Encoders disagree about padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PictureSource {
    /// A `data:` URI.
    Inline,
    Web(Url),
}

impl PictureSource {
    /// Returns the source of a picture. `gateway` is the URL of an IPFS gateway, which ends in a slash.
    ///
    /// # Errors
    ///
    /// Returns the reason for the screen if there is no picture.
    pub fn parse(text: &str, gateway: Option<&Url>) -> Result<Self, SafeText> {
        if is_inline(text) {
            return Ok(Self::Inline);
        }
        match (UntrustedUrl::parse(text), gateway) {
            (UntrustedUrl::Ipfs(uri), Some(gateway)) => {
                let path = uri
                    .split_once(':')
                    .map_or("", |(_, path)| path)
                    .trim_start_matches('/')
                    .trim_start_matches("ipfs/");
                let url = gateway.join(path).ok().filter(|url| {
                    url.origin() == gateway.origin() && url.path().starts_with(gateway.path())
                });
                url.map(Self::Web).ok_or_else(|| PictureError::NotIpfs.into())
            }
            (UntrustedUrl::Ipfs(_), None) => Err(PictureError::NoGateway.into()),
            (url, _) => Ok(Self::Web(url.openable()?.clone())),
        }
    }
}

fn is_inline(text: &str) -> bool {
    text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Returns the content of a `data:` URI. Line breaks, which [`SafeText`] shows as symbols, are
/// restored.
pub(super) fn inline_bytes(uri: &str) -> Result<Vec<u8>, SafeText> {
    if uri.len() > MAX_INLINE_BYTES {
        return Err(PictureError::TooLarge.into());
    }
    let (head, data) = uri.split_once(',').ok_or(PictureError::NotInline)?;
    if head.to_ascii_lowercase().ends_with(";base64") {
        let bytes = percent_decode_str(data).filter(u8::is_ascii_graphic);
        return BASE64.decode(bytes.collect::<Vec<u8>>()).map_err(|_| PictureError::Base64.into());
    }
    Ok(percent_decode_str(&data.replace(['␉', '␊', '␍'], "\n")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_pictures_are_bounded() {
        let uri = |bytes: usize| format!("data:,{}", "a".repeat(bytes - "data:,".len()));
        assert!(inline_bytes(&uri(MAX_INLINE_BYTES)).is_ok());
        assert_eq!(inline_bytes(&uri(MAX_INLINE_BYTES + 1)), Err(PictureError::TooLarge.into()));
    }
}

//! Reasons why a picture is not shown.

use crate::sanitize::SafeText;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    #[error("too many bytes")]
    TooLarge,
    #[error("{width}×{height} pixels")]
    Dimensions { width: u32, height: u32 },
    #[error("not a PNG, JPEG, GIF, WebP or SVG")]
    UnknownFormat,
    #[error("the SVG has no size")]
    NoSize,
    #[error("this system does not limit the memory of an SVG")]
    UnlimitedMemory,
    #[error("damaged base64")]
    Base64,
    #[error("not a data: URI")]
    NotInline,
    #[error("not an ipfs: URL")]
    NotIpfs,
    #[error("ipfs: needs `ipfs_gateway` in config.toml")]
    NoGateway,
    #[error("no decoder: {why}")]
    NoDecoder { why: SafeText },
    /// The decoder has crashed, or its output is not a picture.
    #[error("damaged: its decoder failed")]
    DecoderFailed,
    #[error("takes too long to decode")]
    TooSlow,
    /// The system has ended the decoder.
    #[error("takes too much time or memory to decode")]
    OverLimit,
    #[error("no response in time")]
    TimedOut,
    #[error("not on the public internet")]
    NotPublic,
    #[error("too many redirects")]
    TooManyRedirects,
}

impl From<PictureError> for SafeText {
    fn from(error: PictureError) -> Self {
        Self::new(&error.to_string())
    }
}

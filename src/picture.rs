//! Pictures of NFTs: their sources, and their decoding within limits.
//!
//! A picture's bytes come from outside and are hostile until decoded: that happens in a process of its
//! own with limits on memory and time, so that a picture that needs too much is simply not shown.

mod cache;
mod decoder_process;
mod graphics;
mod raster_formats;
mod request;
mod scale;
mod source;
mod svg;

use crate::messages::picture::PictureError;
use crate::sanitize::SafeText;
pub use cache::{PictureAnswer, PictureCache, PictureFetch, PictureOptions, PictureState};
pub use decoder_process::{DecoderProcess, run_as_decoder};
pub use graphics::MIN_OPACITY;
pub use raster_formats::RASTER_MEDIA_TYPES;
pub use request::{
    EncodedPicture, GraphicsProtocol, Picture, PictureImage, PictureKey, PictureMode,
    PictureRequest,
};
pub use source::PictureSource;

/// Maximum bytes of an encoded picture.
pub const MAX_PICTURE_BYTES: usize = 8 << 20;
/// Maximum pixels of a picture, which take four bytes each.
const MAX_SOURCE_PIXELS: u64 = 16 << 20;
const MAX_SIDE: u32 = 16_384;

/// A decoded picture: rows of red, green, blue and opacity, not premultiplied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    pub width: u32,
    pub height: u32,
    pub rgba: Vec<u8>,
}

impl Pixels {
    pub fn at(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        if x >= self.width {
            return None;
        }
        let start = 4 * (y as usize * self.width as usize + x as usize);
        self.rgba.get(start..)?.first_chunk().copied()
    }
}

/// Decodes the first frame of a picture into at most `width` by `height` pixels. The format is detected
/// by content, not by the server's claim. The work is not bounded: see [`DecoderProcess`].
///
/// # Errors
///
/// Returns a reason for the screen.
pub fn decode(bytes: &[u8], width: u32, height: u32) -> Result<Pixels, SafeText> {
    if bytes.len() > MAX_PICTURE_BYTES {
        return Err(PictureError::TooLarge.into());
    }
    let (width, height) = (width.clamp(1, MAX_SIDE), height.clamp(1, MAX_SIDE));
    match raster_formats::decoder(bytes) {
        Some(decode) => Ok(scale::fit(&decode(bytes)?, width, height)),
        None => svg::render(bytes, width, height),
    }
}

fn is_svg(bytes: &[u8]) -> bool {
    raster_formats::decoder(bytes).is_none()
}

/// Returns the number of pixels of a picture, or an error if there are too many.
fn checked_pixels(width: u32, height: u32) -> Result<usize, SafeText> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || width > MAX_SIDE || height > MAX_SIDE || pixels > MAX_SOURCE_PIXELS {
        return Err(PictureError::Dimensions { width, height }.into());
    }
    usize::try_from(pixels).map_err(|e| e.to_string().into())
}

#[cfg(test)]
mod tests;

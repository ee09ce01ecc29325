//! Pictures of NFTs: where they are, and their decoding within limits.
//!
//! A picture's bytes come from outside and are hostile until decoded: what they may cost is bounded
//! before they are decoded, and a decoder that panics or does not end takes nothing else with it.

mod cache;
mod graphics;
mod raster;
mod request;
mod scale;
mod source;
mod svg;
mod worker;

use crate::sanitize::SafeText;
pub use cache::{PictureCache, PictureOptions, PictureState};
pub use graphics::MIN_OPACITY;
pub use request::{
    EncodedPicture, GraphicsProtocol, Picture, PictureImage, PictureKey, PictureMode,
    PictureRequest,
};
pub use source::PictureSource;
pub use worker::{DECODER_THREAD, DecoderThreads};

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

/// Decodes the first frame of a picture into at most `width` by `height` pixels. The kind is that of
/// the content, whatever the server says.
///
/// # Errors
/// Returns a reason for the screen.
pub fn decode(bytes: &[u8], width: u32, height: u32) -> Result<Pixels, SafeText> {
    if bytes.len() > MAX_PICTURE_BYTES {
        return Err("too many bytes".into());
    }
    let (width, height) = (width.clamp(1, MAX_SIDE), height.clamp(1, MAX_SIDE));
    let whole = match bytes {
        [0x89, b'P', b'N', b'G', ..] => raster::decode_png(bytes),
        [0xff, 0xd8, 0xff, ..] => raster::decode_jpeg(bytes),
        [b'G', b'I', b'F', b'8', ..] => raster::decode_gif(bytes),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
            raster::decode_webp(bytes)
        }
        _ => return svg::render(bytes, width, height),
    };
    Ok(scale::fit(&whole?, width, height))
}

/// Returns the pixels of a picture of this size, or why it has too many.
fn checked_pixels(width: u32, height: u32) -> Result<usize, SafeText> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || width > MAX_SIDE || height > MAX_SIDE || pixels > MAX_SOURCE_PIXELS {
        return Err(SafeText::new(&format!("{width}×{height} pixels")));
    }
    usize::try_from(pixels).map_err(|e| e.to_string().into())
}

#[cfg(test)]
mod tests;

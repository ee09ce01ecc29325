//! PNG, JPEG, GIF and WebP; of animations, the first frame. Sizes are checked before pixels are
//! allocated; colour profiles and metadata are not read.

use std::fmt::Display;
use std::io::Cursor;
use std::num::NonZeroU64;

use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::{MAX_SIDE, MAX_SOURCE_PIXELS, Pixels, checked_pixels};
use crate::sanitize::SafeText;

/// Maximum memory of a decoder besides the pixels.
const MAX_DECODER_BYTES: usize = 96 << 20;
/// Maximum scans of a progressive JPEG, each of which takes as long as a picture.
const MAX_JPEG_SCANS: usize = 32;

/// The formats that [`decoder`] knows, for the `Accept` header of a request.
pub const RASTER_MEDIA_TYPES: &str = "image/png,image/jpeg,image/gif,image/webp";

type RasterDecoder = fn(&[u8]) -> Result<Pixels, SafeText>;

/// Returns the decoder of a picture by the first bytes of its format.
pub(super) fn decoder(bytes: &[u8]) -> Option<RasterDecoder> {
    Some(match bytes {
        [0x89, b'P', b'N', b'G', ..] => decode_png,
        [0xff, 0xd8, 0xff, ..] => decode_jpeg,
        [b'G', b'I', b'F', b'8', ..] => decode_gif,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => decode_webp,
        _ => return None,
    })
}

fn damaged(kind: &str) -> impl Fn(&dyn Display) -> SafeText {
    move |error| SafeText::bounded(&format!("damaged {kind}: {error}"), 100)
}

fn decode_png(bytes: &[u8]) -> Result<Pixels, SafeText> {
    let damaged = damaged("PNG");
    let limits = png::Limits { bytes: MAX_DECODER_BYTES };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let header = decoder.read_header_info().map_err(|e| damaged(&e))?;
    checked_pixels(header.width, header.height)?;
    let mut reader = decoder.read_info().map_err(|e| damaged(&e))?;
    let mut raw = vec![0; reader.output_buffer_size().ok_or_else(|| damaged(&"no size"))?];
    let frame = reader.next_frame(&mut raw).map_err(|e| damaged(&e))?;
    let (width, height) = (frame.width, frame.height);
    raw.truncate(frame.buffer_size());
    Ok(Pixels { width, height, rgba: to_rgba(raw, frame.color_type.samples()) })
}

/// Expands pixels of `channels` bytes: grey, grey and opacity, RGB, or RGBA.
fn to_rgba(raw: Vec<u8>, channels: usize) -> Vec<u8> {
    if channels == 4 {
        return raw;
    }
    let mut rgba = Vec::with_capacity(raw.len() / channels.max(1) * 4);
    for pixel in raw.chunks_exact(channels.max(1)) {
        rgba.extend(match *pixel {
            [grey] => [grey, grey, grey, 255],
            [grey, opacity] => [grey, grey, grey, opacity],
            [red, green, blue] => [red, green, blue, 255],
            _ => [0; 4],
        });
    }
    rgba
}

fn decode_jpeg(bytes: &[u8]) -> Result<Pixels, SafeText> {
    let damaged = damaged("JPEG");
    let max = MAX_SIDE as usize;
    let options = DecoderOptions::default()
        .set_max_width(max)
        .set_max_height(max)
        .jpeg_set_max_scans(MAX_JPEG_SCANS)
        .jpeg_set_out_colorspace(ColorSpace::RGBA);
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|e| damaged(&e))?;
    let size = decoder.info().ok_or_else(|| damaged(&"no size"))?;
    let (width, height) = (u32::from(size.width), u32::from(size.height));
    let pixels = checked_pixels(width, height)?;
    let rgba = decoder.decode().map_err(|e| damaged(&e))?;
    if rgba.len() != pixels * 4 {
        return Err(damaged(&"unknown colours"));
    }
    Ok(Pixels { width, height, rgba })
}

fn decode_gif(bytes: &[u8]) -> Result<Pixels, SafeText> {
    let damaged = damaged("GIF");
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let limit = NonZeroU64::new(MAX_SOURCE_PIXELS * 4).unwrap_or(NonZeroU64::MIN);
    options.set_memory_limit(gif::MemoryLimit::Bytes(limit));
    let mut decoder = options.read_info(bytes).map_err(|e| damaged(&e))?;
    let frame =
        decoder.next_frame_info().map_err(|e| damaged(&e))?.ok_or_else(|| damaged(&"no frame"))?;
    let (width, height) = (u32::from(frame.width), u32::from(frame.height));
    let mut rgba = vec![0; checked_pixels(width, height)? * 4];
    decoder.read_into_buffer(&mut rgba).map_err(|e| damaged(&e))?;
    Ok(Pixels { width, height, rgba })
}

fn decode_webp(bytes: &[u8]) -> Result<Pixels, SafeText> {
    let damaged = damaged("WebP");
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(bytes)).map_err(|e| damaged(&e))?;
    decoder.set_memory_limit(MAX_DECODER_BYTES);
    let (width, height) = decoder.dimensions();
    checked_pixels(width, height)?;
    let mut raw = vec![0; decoder.output_buffer_size().ok_or_else(|| damaged(&"no size"))?];
    decoder.read_image(&mut raw).map_err(|e| damaged(&e))?;
    let channels = if decoder.has_alpha() { 4 } else { 3 };
    Ok(Pixels { width, height, rgba: to_rgba(raw, channels) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grey_and_opaque_pixels_have_four_channels() {
        for (pixel, rgba) in [
            (&[7][..], [7, 7, 7, 255]),
            (&[7, 128], [7, 7, 7, 128]),
            (&[1, 2, 3], [1, 2, 3, 255]),
            (&[1, 2, 3, 4], [1, 2, 3, 4]),
        ] {
            assert_eq!(to_rgba(pixel.to_vec(), pixel.len()), rgba, "{pixel:?}");
        }
    }
}

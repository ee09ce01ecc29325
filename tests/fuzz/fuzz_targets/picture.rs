//! A picture in any format but SVG, whose work only a decoder's process bounds.
#![no_main]

use chainglass::test_api::picture::decode;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if data.windows(4).any(|text| text == b"<svg") {
        return;
    }
    if let Ok(pixels) = decode(data, 64, 64) {
        assert!(pixels.width <= 64 && pixels.height <= 64);
        assert_eq!(pixels.rgba.len(), 4 * (pixels.width * pixels.height) as usize);
    }
});

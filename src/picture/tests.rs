use base64::Engine as _;
use proptest::prelude::*;

use url::Url;

use super::*;

/// Red on the left, blue on the right, 16 by 8 pixels, in each format.
const JPEG: &str = "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wgARCAAIABADASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAME/8QAFQEBAQAAAAAAAAAAAAAAAAAAAwT/2gAMAwEAAhADEAAAAccCh//EABQQAQAAAAAAAAAAAAAAAAAAABD/2gAIAQEAAQUCP//EABYRAAMAAAAAAAAAAAAAAAAAAAAEQf/aAAgBAwEBPwFuH//EABYRAAMAAAAAAAAAAAAAAAAAAAAEQf/aAAgBAgEBPwFOn//EABQQAQAAAAAAAAAAAAAAAAAAABD/2gAIAQEABj8CP//EABQQAQAAAAAAAAAAAAAAAAAAABD/2gAIAQEAAT8hP//aAAwDAQACAAMAAAAQ8//EABURAQEAAAAAAAAAAAAAAAAAAMEA/9oACAEDAQE/EFL/xAAVEQEBAAAAAAAAAAAAAAAAAADBAP/aAAgBAgEBPxAW/8QAFBABAAAAAAAAAAAAAAAAAAAAEP/aAAgBAQABPxA//9k=";
const GIF: &str = "R0lGODdhEAAIAIEAAMgeKBQo3AAAAAAAACwAAAAAEAAIAAAIJAABCBwoMIDBgwYJEkSIUOFAhgcdFoQYQCIAihUlYrS4USPFgAA7";
const WEBP: &str = "UklGRigAAABXRUJQVlA4TBwAAAAvD8ABAA9wFPtT0J6Je/6DB2LBZP7SnSlE9D9y";
pub(super) const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='16' height='8'><rect width='8' height='8' \
    fill='rgb(200,30,40)'/><rect x='8' width='8' height='8' fill='rgb(20,40,220)'/></svg>";

fn base64(text: &str) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD.decode(text).unwrap()
}

fn encode_png(width: u32, height: u32, color: png::ColorType, pixels: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.write_header().unwrap().write_image_data(pixels).unwrap();
    bytes
}

pub(super) fn png() -> Vec<u8> {
    let row = [[200, 30, 40].repeat(8), [20, 40, 220].repeat(8)].concat();
    encode_png(16, 8, png::ColorType::Rgb, &row.repeat(8))
}

fn samples() -> [Vec<u8>; 5] {
    [png(), base64(JPEG), base64(GIF), base64(WEBP), SVG.into()]
}

#[test]
fn accepted_formats_are_decoded_and_named() {
    let names = PictureError::UnknownFormat.to_string().to_lowercase();
    let media_types: Vec<_> = RASTER_MEDIA_TYPES.split(',').collect();
    let rasters =
        samples().iter().filter(|sample| raster_formats::decoder(sample).is_some()).count();
    assert_eq!(media_types.len(), rasters);
    for media_type in media_types {
        let name = media_type.strip_prefix("image/").unwrap();
        assert!(names.contains(name), "{name} is not in {names:?}");
    }
}

#[test]
fn pictures_without_pixels_or_with_too_many_bytes_are_refused() {
    assert!(checked_pixels(5, 1).is_ok());
    assert!(checked_pixels(0, 5).is_err() && checked_pixels(5, 0).is_err());
    let large = decode(&vec![0; MAX_PICTURE_BYTES + 1], 8, 8).unwrap_err();
    assert_eq!(large, SafeText::from(PictureError::TooLarge));
}

#[test]
fn text_without_a_picture_is_of_no_known_format() {
    for text in ["a page", "<html><body/></html>"] {
        let error = decode(text.as_bytes(), 8, 8).unwrap_err();
        assert_eq!(error, SafeText::from(PictureError::UnknownFormat), "{text}");
    }
}

fn is_near(pixel: Option<[u8; 4]>, expected: [u8; 4]) -> bool {
    pixel.is_some_and(|pixel| pixel.iter().zip(expected).all(|(a, b)| a.abs_diff(b) < 40))
}

fn svg(content: &str) -> String {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='10' height='10'>{content}</svg>"
    )
}

#[test]
fn every_format_is_decoded_and_scaled() {
    for bytes in samples() {
        for (box_size, size) in [((8, 8), (8, 4)), ((100, 40), (80, 40)), ((1, 1), (1, 1))] {
            let picture = decode(&bytes, box_size.0, box_size.1).unwrap();
            assert_eq!((picture.width, picture.height), size);
            assert_eq!(picture.rgba.len(), 4 * size.0 as usize * size.1 as usize);
            if size.0 > 1 {
                assert!(is_near(picture.at(1, 1), [200, 30, 40, 255]), "{:?}", picture.at(1, 1));
                let right = picture.at(size.0 - 1, size.1 - 1);
                assert!(is_near(right, [20, 40, 220, 255]), "{right:?}");
            }
            assert_eq!(picture.at(size.0, 0), None);
        }
    }
}

#[test]
fn transparent_pixels_do_not_tint_others() {
    let pixels = [255, 0, 0, 255, 0, 255, 0, 0];
    let half = decode(&encode_png(2, 1, png::ColorType::Rgba, &pixels), 1, 1).unwrap();
    assert_eq!(half.rgba, [255, 0, 0, 127]);
    let grey = decode(&encode_png(1, 1, png::ColorType::Grayscale, &[7]), 1, 1).unwrap();
    assert_eq!(grey.rgba, [7, 7, 7, 255]);
}

#[test]
fn sizes_are_refused_before_pixels_are_allocated() {
    let mut wide_png = png();
    wide_png[16..20].copy_from_slice(&0x7fff_ffff_u32.to_be_bytes());
    let crc = crc32(&wide_png[12..29]);
    wide_png[29..33].copy_from_slice(&crc.to_be_bytes());
    let mut bomb = png();
    bomb[16..24].copy_from_slice(&[0, 0, 16, 0, 0, 0, 16, 1]);
    let crc = crc32(&bomb[12..29]);
    bomb[29..33].copy_from_slice(&crc.to_be_bytes());
    assert_eq!(decode(&bomb, 10, 10), Err("4096×4097 pixels".into()));
    let mut wide_gif = base64(GIF);
    let frame = wide_gif.iter().position(|b| *b == b',').unwrap();
    wide_gif[6..10].fill(0xff);
    wide_gif[frame + 5..frame + 9].fill(0xff);
    let mut wide_jpeg = base64(JPEG);
    let frame = wide_jpeg.windows(2).position(|marker| marker == [0xff, 0xc2]).unwrap();
    wide_jpeg[frame + 5..frame + 9].fill(0xff);
    let mut wide_webp = base64(WEBP);
    wide_webp[21..24].fill(0xff);
    for bytes in [wide_png, wide_gif, wide_jpeg, wide_webp] {
        assert!(decode(&bytes, 10, 10).is_err(), "{:?}", &bytes[..4]);
    }
    let flat = decode(svg("").replace("width='10'", "width='1e30'").as_bytes(), 64, 64).unwrap();
    assert_eq!((flat.width, flat.height), (64, 1));
    assert!(decode(&vec![b' '; MAX_PICTURE_BYTES + 1], 10, 10).is_err());
}

#[test]
fn jpeg_of_many_scans_is_refused() {
    let bytes = base64(JPEG);
    let last = bytes.windows(2).rposition(|marker| marker == [0xff, 0xda]).unwrap();
    let (picture, end) = bytes.split_at(bytes.len() - 2);
    let with_more = |scans| decode(&[picture, &picture[last..].repeat(scans), end].concat(), 8, 8);
    assert!(with_more(10).is_ok() && with_more(40).is_err());
}

fn crc32(bytes: &[u8]) -> u32 {
    bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    }) ^ u32::MAX
}

#[test]
fn only_the_first_frame_is_decoded() {
    let mut gif = base64(GIF);
    gif.pop();
    // A decoder of all frames would fail at what follows the first.
    gif.resize(MAX_PICTURE_BYTES, 0xff);
    assert!(is_near(decode(&gif, 16, 8).unwrap().at(0, 0), [200, 30, 40, 255]));
}

#[test]
fn large_metadata_is_not_read() {
    let mut jpeg = base64(JPEG);
    for _ in 0..100 {
        let profile =
            [&[0xff, 0xe2, 0xff, 0xff], &b"ICC_PROFILE\0\x01\x64"[..], &vec![0; 65_519]].concat();
        jpeg.splice(2..2, profile);
    }
    assert!(decode(&jpeg, 16, 8).is_ok());
}

#[test]
fn svg_reads_nothing_outside_of_itself() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/screen.svg");
    let hidden = format!(
        "data:image/png;base64,{}",
        base64::engine::general_purpose::STANDARD.encode(png())
    );
    for href in [file, "file:///etc/passwd", "https://example.com/a.png", &hidden] {
        for image in [
            format!("<image href='{href}' width='9' height='9'/>"),
            format!("<image xlink:href='{href}' width='9' height='9'/>"),
            format!("<style>@import url({href});</style>"),
        ] {
            let empty = decode(svg(&image).as_bytes(), 10, 10).unwrap();
            assert!(empty.rgba.iter().all(|byte| *byte == 0), "{href}");
        }
    }
    let scripts = svg("<script>while(true){}</script><foreignObject><p>x</p></foreignObject>");
    assert!(decode(scripts.as_bytes(), 10, 10).is_ok());
}

#[test]
fn the_content_decides_the_format() {
    for bytes in [
        &b""[..],
        b"GIF8",
        b"\x89PNG",
        b"\xff\xd8\xff",
        b"RIFF....WEBP",
        b"<html>",
        b"%PDF-1.4",
        b"\xff\xfe<\0s\0v\0g\0",
    ] {
        assert!(decode(bytes, 10, 10).is_err(), "{bytes:?}");
    }
    let polyglot = [&base64(GIF), SVG.as_bytes()].concat();
    assert_eq!(decode(&polyglot, 16, 8).unwrap().height, 8);
}

#[test]
fn data_uris_are_decoded() {
    let decoded = |uri: &str| {
        source::inline_bytes(uri).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    for (uri, content) in [
        ("data:image/svg+xml;base64,PHN2Zz4=", "<svg>"),
        ("DATA:;BASE64,PHN2 Zz4", "<svg>"),
        ("data:image/svg+xml;base64,PHN2Zz4%3D", "<svg>"),
        ("data:image/svg+xml;utf8,<svg%20fill='#fff'>", "<svg fill='#fff'>"),
        ("data:,a␊b", "a\nb"),
    ] {
        assert_eq!(decoded(uri).as_deref(), Ok(content), "{uri}");
    }
    assert!(decoded("data:;base64,=(").is_err());
    assert!(decoded("data:nothing").is_err());
}

#[test]
fn sources_are_public_or_inline() {
    let gateway = Url::parse("https://gateway.example.com/ipfs/").unwrap();
    let parse = |text: &str| PictureSource::parse(text, Some(&gateway));
    let web = |text: &str| Ok(PictureSource::Web(Url::parse(text).unwrap()));
    assert_eq!(parse("data:,x"), Ok(PictureSource::Inline));
    assert_eq!(parse("https://a.com/1.png"), web("https://a.com/1.png"));
    for uri in ["ipfs://Qm/1.png", "ipfs:Qm/1.png", "ipfs://ipfs/Qm/1.png"] {
        assert_eq!(parse(uri), web("https://gateway.example.com/ipfs/Qm/1.png"));
    }
    for text in [
        "http://127.0.0.1/",
        "https://a.local/",
        "file:///etc/passwd",
        "javascript:1",
        "ar://x",
        "ipfs://https://evil.com/",
        "ipfs://../../x",
        "",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
    assert!(PictureSource::parse("ipfs://Qm", None).is_err());
}

proptest! {
    #[test]
    fn damaged_pictures_never_panic(n in 0_usize..5, at in 0_usize..1_000, byte: u8, cut in 0_usize..2_000) {
        let mut bytes = samples()[n].clone();
        let index = |part: usize, bytes: &[u8]| part * (bytes.len() - 1) / 1_000;
        let place = index(at, &bytes);
        bytes[place] = byte;
        bytes.truncate(if cut < 1_000 { index(cut, &bytes) } else { bytes.len() });
        let _ = decode(&bytes, 20, 20);
    }
}

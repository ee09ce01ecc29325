//! Encodes pictures for the graphics protocols of terminals.

use std::collections::BTreeSet;
use std::fmt::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ratatui::layout::Size;

use super::{GraphicsProtocol, Pixels};
use crate::sanitize::SafeText;

/// Minimum opacity of a drawn pixel where a protocol has no transparency.
pub const MIN_OPACITY: u8 = 128;
const MAX_SIXEL_COLORS: usize = 256;

/// Returns the bytes that draw a picture in `size` cells.
pub(super) fn payload(
    pixels: &Pixels,
    size: Size,
    protocol: GraphicsProtocol,
    (cell_width, cell_height): (u16, u16),
) -> Result<String, SafeText> {
    let [width, height] = [(size.width, cell_width), (size.height, cell_height)]
        .map(|(cells, side)| u32::from(cells) * u32::from(side));
    let padded = pad(pixels, width, height);
    if protocol == GraphicsProtocol::Sixel {
        return Ok(sixel(&padded));
    }
    let png = encode_png(&padded).map_err(|e| SafeText::new(&e.to_string()))?;
    let data = STANDARD.encode(&png);
    Ok(match protocol {
        GraphicsProtocol::Iterm2 => format!(
            "\x1b]1337;File=inline=1;size={};width={};height={};preserveAspectRatio=0;doNotMoveCursor=1:{data}\x07",
            png.len(),
            size.width,
            size.height
        ),
        _ => data,
    })
}

/// Centres a picture in whole cells, so that none is stretched.
fn pad(pixels: &Pixels, width: u32, height: u32) -> Pixels {
    let [left, top] = [(width, pixels.width), (height, pixels.height)]
        .map(|(whole, part)| whole.saturating_sub(part) / 2);
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let pixel = |(x, y): (u32, u32)| pixels.at(x.checked_sub(left)?, y.checked_sub(top)?);
    let rgba = places.flat_map(|place| pixel(place).unwrap_or_default()).collect();
    Pixels { width, height, rgba }
}

fn encode_png(pixels: &Pixels) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width, pixels.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_compression(png::Compression::Fast);
    encoder.write_header()?.write_image_data(&pixels.rgba)?;
    Ok(bytes)
}

/// Encodes a picture in bands of six rows, each drawn color by color.
fn sixel(pixels: &Pixels) -> String {
    let steps = color_steps(pixels);
    let colors: Vec<Option<[u8; 3]>> = pixels
        .rgba
        .chunks_exact(4)
        .map(|pixel| match *pixel {
            [red, green, blue, opacity] if opacity >= MIN_OPACITY => {
                Some([red, green, blue].map(|channel| reduce(channel, steps)))
            }
            _ => None,
        })
        .collect();
    let palette: BTreeSet<[u8; 3]> = colors.iter().flatten().copied().collect();
    let mut out = format!("\x1bP0;1;0q\"1;1;{};{}", pixels.width, pixels.height);
    // Writing to a string cannot fail.
    for (n, color) in palette.iter().enumerate() {
        let [red, green, blue] = color.map(|channel| u32::from(channel) * 100 / 255);
        let _ = write!(out, "#{n};2;{red};{green};{blue}");
    }
    let width = (pixels.width as usize).max(1);
    for band in colors.chunks(6 * width) {
        let used: BTreeSet<[u8; 3]> = band.iter().flatten().copied().collect();
        for (n, color) in palette.iter().enumerate().filter(|(_, color)| used.contains(*color)) {
            let _ = write!(out, "#{n}");
            let sixels = (0..width).map(|x| {
                let column = band.iter().skip(x).step_by(width).zip(0_u32..);
                let set = column.filter(|(at, _)| **at == Some(*color));
                set.fold(0, |bits, (_, row)| bits | 1_u8 << row)
            });
            push_runs(&mut out, sixels);
            out.push('$');
        }
        out.push('-');
    }
    out.push_str("\x1b\\");
    out
}

fn push_runs(out: &mut String, sixels: impl Iterator<Item = u8>) {
    let mut sixels = sixels.peekable();
    while let Some(bits) = sixels.next() {
        let mut run = 1;
        while sixels.next_if_eq(&bits).is_some() {
            run += 1;
        }
        let symbol = char::from(b'?' + bits);
        let _ = match run {
            1..4 => write!(out, "{}", symbol.to_string().repeat(run)),
            _ => write!(out, "!{run}{symbol}"),
        };
    }
}

/// Returns the number of steps per channel: all, unless the picture has too many colours.
fn color_steps(pixels: &Pixels) -> u16 {
    let mut colors: BTreeSet<&[u8; 3]> = BTreeSet::new();
    for pixel in pixels.rgba.chunks_exact(4) {
        colors.extend(pixel.first_chunk::<3>());
        if colors.len() > MAX_SIXEL_COLORS {
            return 5;
        }
    }
    255
}

fn reduce(channel: u8, steps: u16) -> u8 {
    let step = (u16::from(channel) * steps + 127) / 255;
    u8::try_from(step * 255 / steps.max(1)).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(width: u32, colors: &[[u8; 4]]) -> Pixels {
        let height = u32::try_from(colors.len()).unwrap() / width;
        Pixels { width, height, rgba: colors.concat() }
    }

    #[test]
    fn sixels_are_runs_of_colors() {
        let [red, blue, clear] = [[255, 0, 0, 255], [0, 0, 255, 255], [9, 9, 9, 0]];
        let picture = pixels(5, &[[red; 5], [blue, blue, clear, red, red]].concat());
        assert_eq!(
            sixel(&picture),
            "\x1bP0;1;0q\"1;1;5;2#0;2;0;0;100#1;2;100;0;0#0AA???$#1@@@BB$-\x1b\\"
        );
    }

    #[test]
    fn half_clear_pixels_are_drawn() {
        let drawn = |opacity| sixel(&pixels(1, &[[255, 0, 0, opacity]])).contains("#0");
        assert_eq!([MIN_OPACITY, MIN_OPACITY - 1].map(drawn), [true, false]);
    }

    #[test]
    fn many_colors_are_reduced() {
        let colors: Vec<[u8; 4]> =
            (0..=255).flat_map(|n| [[n, 0, 7, 255], [n, n, n, 255]]).collect();
        let encoded = sixel(&pixels(32, &colors));
        assert!((2..=216).contains(&encoded.matches(";2;").count()));
        let grays: Vec<[u8; 4]> = (0..=255).map(|n| [n, n, n, 255]).collect();
        assert_eq!(color_steps(&pixels(32, &grays)), 255, "as many as a terminal has");
    }

    #[test]
    fn pictures_are_padded_to_whole_cells() {
        let dot = pixels(1, &[[1, 2, 3, 255]]);
        let padded = pad(&dot, 3, 4);
        assert_eq!((padded.width, padded.height, padded.at(1, 1)), (3, 4, Some([1, 2, 3, 255])));
        assert_eq!(padded.rgba.iter().filter(|byte| **byte > 0).count(), 4);
        let sent = payload(&dot, Size::new(2, 1), GraphicsProtocol::Iterm2, (3, 5)).unwrap();
        assert!(sent.contains("width=2;height=1") && sent.ends_with('\x07'));
        let png = payload(&dot, Size::new(2, 1), GraphicsProtocol::Kitty, (3, 5)).unwrap();
        let decoded = super::super::decode(&STANDARD.decode(png).unwrap(), 6, 5).unwrap();
        assert_eq!((decoded.width, decoded.height), (6, 5));
    }
}

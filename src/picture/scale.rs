//! Scales pictures to the size of their area.

use std::ops::Range;

use super::Pixels;

/// Scales a picture as large as fits, with its proportions. Each pixel is the average of the pixels
/// that it covers, so enlarged pixel art keeps its edges.
pub(super) fn fit(picture: &Pixels, max_width: u32, max_height: u32) -> Pixels {
    let (width, height) = fitted_size((picture.width, picture.height), (max_width, max_height));
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    for y in 0..height {
        let rows = covered(y, height, picture.height);
        for x in 0..width {
            let columns = covered(x, width, picture.width);
            rgba.extend(average(picture, &columns, &rows));
        }
    }
    Pixels { width, height, rgba }
}

/// Returns the largest size of these proportions in a box, at least one pixel.
pub(super) fn fitted_size(
    (width, height): (u32, u32),
    (max_width, max_height): (u32, u32),
) -> (u32, u32) {
    let scaled = |side: u32, max: u32, full: u32| {
        let scaled = u64::from(side) * u64::from(max) / u64::from(full.max(1));
        u32::try_from(scaled).unwrap_or(u32::MAX).max(1)
    };
    let is_wide =
        u64::from(width) * u64::from(max_height) >= u64::from(height) * u64::from(max_width);
    if is_wide {
        (max_width, scaled(height, max_width, width).min(max_height))
    } else {
        (scaled(width, max_height, height).min(max_width), max_height)
    }
}

/// Returns the range of `from` pixels that pixel `at` of `to` covers.
fn covered(at: u32, to: u32, from: u32) -> Range<u32> {
    let edge = |n: u32| u64::from(n) * u64::from(from) / u64::from(to.max(1));
    let start = u32::try_from(edge(at)).unwrap_or(u32::MAX);
    start..u32::try_from(edge(at + 1)).unwrap_or(u32::MAX).max(start + 1).min(from.max(1))
}

/// Returns the average colour, in which a transparent pixel counts less.
fn average(picture: &Pixels, columns: &Range<u32>, rows: &Range<u32>) -> [u8; 4] {
    let (mut sums, mut opacity, mut pixels) = ([0_u64; 3], 0_u64, 0_u64);
    for y in rows.clone() {
        for pixel in columns.clone().filter_map(|x| picture.at(x, y)) {
            let [red, green, blue, alpha] = pixel.map(u64::from);
            for (sum, channel) in sums.iter_mut().zip([red, green, blue]) {
                *sum += channel * alpha;
            }
            opacity += alpha;
            pixels += 1;
        }
    }
    let byte = |n: u64| u8::try_from(n).unwrap_or(u8::MAX);
    let [red, green, blue] = sums.map(|sum| byte(sum / opacity.max(1)));
    [red, green, blue, byte(opacity / pixels.max(1))]
}

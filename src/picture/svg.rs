//! SVG, without text, files, network, scripts and embedded pictures.
//!
//! A few bytes of SVG can ask for hours of work and any amount of memory, so it is drawn only within
//! the limits of a [`DecoderProcess`](super::DecoderProcess).

use resvg::tiny_skia::{Pixmap, PremultipliedColorU8, Transform};
use resvg::usvg::roxmltree::{Document, ParsingOptions};
use resvg::usvg::{ImageHrefResolver, Options, Tree};

use super::scale::fitted_size;
use super::{Pixels, checked_pixels};
use crate::messages::picture::PictureError;
use crate::sanitize::SafeText;

pub(super) fn render(bytes: &[u8], max_width: u32, max_height: u32) -> Result<Pixels, SafeText> {
    let text = str::from_utf8(bytes)
        .ok()
        .filter(|text| text.contains("<svg"))
        .ok_or(PictureError::UnknownFormat)?;
    let parsing = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let damaged = |e: &dyn ToString| SafeText::bounded(&format!("SVG: {}", e.to_string()), 100);
    let document = Document::parse_with_options(text, parsing).map_err(|e| damaged(&e))?;
    let tree = Tree::from_xmltree(&document, &isolated()).map_err(|e| damaged(&e))?;
    draw(&tree, max_width, max_height)
}

/// Returns options under which nothing outside the document is read.
fn isolated() -> Options<'static> {
    let image_href_resolver = ImageHrefResolver {
        resolve_data: Box::new(|_, _, _| None),
        resolve_string: Box::new(|_, _| None),
    };
    Options { image_href_resolver, ..Options::default() }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded and bounded")]
#[expect(clippy::cast_precision_loss, reason = "sides are far below 2^24")]
fn draw(tree: &Tree, max_width: u32, max_height: u32) -> Result<Pixels, SafeText> {
    let size = tree.size();
    // In thousandths, because an SVG may be a fraction of a pixel.
    let whole = |side: f32| ((side * 1000.0).clamp(1.0, 1e9)) as u32;
    let (width, height) =
        fitted_size((whole(size.width()), whole(size.height())), (max_width, max_height));
    checked_pixels(width, height)?;
    let mut pixmap = Pixmap::new(width, height).ok_or(PictureError::NoSize)?;
    let scale = (width as f32 / size.width()).min(height as f32 / size.height());
    resvg::render(tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    let colors = pixmap.pixels().iter().map(PremultipliedColorU8::demultiply);
    let rgba = colors.flat_map(|c| [c.red(), c.green(), c.blue(), c.alpha()]).collect();
    Ok(Pixels { width, height, rgba })
}

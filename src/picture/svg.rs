//! SVG, without text, files, network, scripts, and pictures inside it.
//!
//! A few bytes of SVG can ask for hours of work, by references within references or by filters. So
//! the work is estimated before anything is drawn.

use std::collections::HashMap;

use resvg::tiny_skia::{Pixmap, PremultipliedColorU8, Transform};
use resvg::usvg::roxmltree::{Document, Node, NodeId, ParsingOptions};
use resvg::usvg::{ImageHrefResolver, Options, Tree};

use super::scale::fitted_size;
use super::{Pixels, checked_pixels};
use crate::sanitize::SafeText;

const MAX_SVG_BYTES: usize = 1 << 20;
const MAX_NODES: u32 = 50_000;
/// Maximum elements within each other. The parsers call themselves for each.
const MAX_DEPTH: usize = 100;
/// Maximum elements to draw, with those that references repeat.
const MAX_COST: u64 = 20_000;
/// What an element costs that is drawn on a layer of its own.
const LAYER_COST: u64 = 10;
/// Maximum `=` in a tag: the parser compares all attributes of an element with each other.
const MAX_ATTRIBUTES: usize = 250;
/// Elements that may take any time, whatever their size.
const REFUSED: [&str; 9] = [
    "marker",
    "feConvolveMatrix",
    "feDiffuseLighting",
    "feDisplacementMap",
    "feImage",
    "feMorphology",
    "feSpecularLighting",
    "feTile",
    "feTurbulence",
];
const LAYER_ATTRIBUTES: [&str; 5] = ["clip-path", "filter", "mask", "mix-blend-mode", "opacity"];

pub(super) fn render(bytes: &[u8], max_width: u32, max_height: u32) -> Result<Pixels, SafeText> {
    let text = str::from_utf8(bytes).map_err(|_| not_a_picture())?;
    if !text.contains("<svg") {
        return Err(not_a_picture());
    }
    let has_many_attributes = |tag: &str| tag.matches('=').count() > MAX_ATTRIBUTES;
    if text.len() > MAX_SVG_BYTES
        || text.contains("<!ENTITY")
        || text.split('<').any(has_many_attributes)
    {
        return Err(too_complex());
    }
    let parsing = ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..Default::default() };
    let damaged = |e: &dyn ToString| SafeText::bounded(&format!("SVG: {}", e.to_string()), 100);
    let document = Document::parse_with_options(text, parsing).map_err(|e| damaged(&e))?;
    Cost::of(&document).filter(|cost| *cost <= MAX_COST).ok_or_else(too_complex)?;
    let tree = Tree::from_xmltree(&document, &isolated()).map_err(|e| damaged(&e))?;
    draw(&tree, max_width, max_height)
}

fn not_a_picture() -> SafeText {
    "not a PNG, JPEG, GIF, WebP or SVG".into()
}

fn too_complex() -> SafeText {
    "SVG too complex to draw".into()
}

/// Returns options with which nothing outside of the document is read.
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
    let mut pixmap = Pixmap::new(width, height).ok_or_else(too_complex)?;
    let scale = (width as f32 / size.width()).min(height as f32 / size.height());
    resvg::render(tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    let colors = pixmap.pixels().iter().map(PremultipliedColorU8::demultiply);
    let rgba = colors.flat_map(|c| [c.red(), c.green(), c.blue(), c.alpha()]).collect();
    Ok(Pixels { width, height, rgba })
}

/// Counts the elements to draw: an element costs what is in it and what it refers to.
struct Cost<'a> {
    by_id: HashMap<&'a str, Node<'a, 'a>>,
    /// `None` while it is counted.
    counted: HashMap<NodeId, Option<u64>>,
    elements: u64,
}

impl<'a> Cost<'a> {
    /// Returns the cost of a document, or `None` if it cannot be bounded.
    fn of(document: &'a Document<'a>) -> Option<u64> {
        let elements = || document.descendants().filter(Node::is_element);
        if elements().any(|node| REFUSED.contains(&node.tag_name().name())) {
            return None;
        }
        let by_id = elements().filter_map(|node| Some((node.attribute("id")?, node))).collect();
        let elements = elements().count() as u64;
        Self { by_id, counted: HashMap::new(), elements }.count(document.root_element(), 0)
    }

    fn count(&mut self, node: Node<'a, 'a>, depth: usize) -> Option<u64> {
        if let Some(known) = self.counted.get(&node.id()) {
            return *known;
        }
        if depth > MAX_DEPTH {
            return None;
        }
        self.counted.insert(node.id(), None);
        let mut sum = 1_u64;
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            if LAYER_ATTRIBUTES.contains(&name) || name == "style" && value.contains("opacity") {
                sum += LAYER_COST;
            }
            sum = sum.saturating_add(self.count_references(name, value, depth)?);
        }
        if node.tag_name().name() == "style" {
            // A rule may apply to every element.
            let of_rules =
                self.count_references("style", node.text().unwrap_or_default(), depth)?;
            sum = sum.saturating_add(of_rules.saturating_mul(self.elements));
        }
        for child in node.children().filter(Node::is_element) {
            sum = sum.saturating_add(self.count(child, depth + 1)?);
        }
        self.counted.insert(node.id(), Some(sum));
        Some(sum)
    }

    /// Counts what an attribute refers to: `#id` in a link, `url(#id)` elsewhere.
    fn count_references(&mut self, name: &str, value: &'a str, depth: usize) -> Option<u64> {
        let link = value.trim().strip_prefix('#').filter(|_| name == "href");
        let is_around = |c: char| c.is_whitespace() || "'\"".contains(c);
        let urls = value
            .split("url(")
            .skip(1)
            .filter_map(|rest| rest.split(')').next()?.trim_matches(is_around).strip_prefix('#'));
        let mut sum = 0_u64;
        for id in link.into_iter().chain(urls) {
            if let Some(target) = self.by_id.get(id).copied() {
                sum = sum.saturating_add(self.count(target, depth + 1)?);
            }
        }
        Some(sum)
    }
}

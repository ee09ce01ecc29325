//! Frames, bars and shades as shapes: as text, fonts leave gaps between cells.

/// Width and height of a cell in pixels.
pub const CELL: (usize, usize) = (8, 17);
/// Radius of a round corner.
const RADIUS: f32 = 4.0;

/// The characters with a line from the middle of the cell to its left, right, upper and lower edge.
const TO_EDGES: [&str; 4] = ["─━┤┴┬┼╮╯┐┘", "─━├┴┬┼╭╰┌└", "│┃├┤┴┼╰╯└┘", "│┃├┤┬┼╭╮┌┐"];
const HEAVY: &str = "━┃";
const ROUND: &str = "╭╮╰╯";
/// Blocks from the left and from below, by the eighths that they fill.
const FROM_LEFT: &str = "▏▎▍▌▋▊▉█";
const FROM_BELOW: &str = "▁▂▃▄▅▆▇█";
const SHADES: &str = "░▒▓";

/// A shape in a cell, as the path of an SVG.
#[derive(Debug, PartialEq)]
pub struct Shape {
    pub path: String,
    pub paint: Paint,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Paint {
    /// A line of this width.
    Stroke(u8),
    /// An area with this opacity in percent.
    Fill(u8),
}

/// Returns the shape of a character in the cell with this left upper corner, or `None` if it is text.
pub fn shape(symbol: &str, x: usize, y: usize) -> Option<Shape> {
    area(symbol, x, y).or_else(|| lines(symbol, x, y))
}

fn area(symbol: &str, x: usize, y: usize) -> Option<Shape> {
    let eighths = |blocks: &str| blocks.chars().position(|c| symbol.starts_with(c)).map(|n| n + 1);
    let (width, height) = CELL;
    let (left, top, width, height, percent) = if let Some(n) = eighths(FROM_LEFT) {
        (x, y, width * n / 8, height, 100)
    } else if let Some(n) = eighths(FROM_BELOW) {
        let filled = height * n / 8;
        (x, y + height - filled, width, filled, 100)
    } else if let Some(n) = eighths(SHADES) {
        (x, y, width, height, [25, 50, 75][n - 1])
    } else {
        match symbol {
            "▀" => (x, y, width, height / 2, 100),
            "▐" => (x + width / 2, y, width / 2, height, 100),
            _ => return None,
        }
    };
    let path = format!("M{left} {top}h{width}v{height}h-{width}z");
    Some(Shape { path, paint: Paint::Fill(percent) })
}

fn lines(symbol: &str, x: usize, y: usize) -> Option<Shape> {
    let [left, right, up, down] = TO_EDGES.map(|edge| edge.contains(symbol));
    if symbol.is_empty() || !(left || right || up || down) {
        return None;
    }
    let pixels = |n: usize| u16::try_from(n).map_or(0.0, f32::from);
    let (x0, y0, x1, y1) = (pixels(x), pixels(y), pixels(x + CELL.0), pixels(y + CELL.1));
    let (middle_x, middle_y) = (f32::midpoint(x0, x1), f32::midpoint(y0, y1));
    let path = if ROUND.contains(symbol) {
        let (edge_x, edge_y) = (if left { x0 } else { x1 }, if up { y0 } else { y1 });
        let bend_y = middle_y + if up { -RADIUS } else { RADIUS };
        let bend_x = middle_x + if left { -RADIUS } else { RADIUS };
        format!("M{middle_x} {edge_y}V{bend_y}Q{middle_x} {middle_y} {bend_x} {middle_y}H{edge_x}")
    } else {
        let (from_x, to_x) = (if left { x0 } else { middle_x }, if right { x1 } else { middle_x });
        let (from_y, to_y) = (if up { y0 } else { middle_y }, if down { y1 } else { middle_y });
        let across = (left || right).then(|| format!("M{from_x} {middle_y}H{to_x}"));
        let down = (up || down).then(|| format!("M{middle_x} {from_y}V{to_y}"));
        [across, down].into_iter().flatten().collect()
    };
    Some(Shape { path, paint: Paint::Stroke(if HEAVY.contains(symbol) { 3 } else { 1 }) })
}

//! Generates raw traces of any size in the Parity format, with about 980 bytes per call.
//!
//! Calldata is mostly 138 characters long, and up to 20 KB in one of thirty calls; return data is mostly
//! one word. The same number of calls gives the same bytes.

use std::fmt::Write;

/// The maximum depth of calls.
const MAX_DEPTH: usize = 120;

/// A pseudo-random number generator.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % bound.max(1)
    }

    /// Returns `len` hex digits.
    fn hex(&mut self, len: usize) -> String {
        let mut text = String::with_capacity(len + 16);
        while text.len() < len {
            let (high, low) = (self.below(1 << 31), self.below(1 << 31));
            let _ = write!(text, "{high:08x}{low:08x}"); // writing to a string cannot fail
        }
        text.truncate(len);
        text
    }

    fn address(&mut self) -> String {
        // A few contracts get bound of the calls.
        let which = self.below(1000) * self.below(1000) / 1000;
        format!("0x{:040x}", (which + 1) * 0x1234_5678_9abc)
    }

    fn calldata(&mut self) -> String {
        let words = match self.below(100) {
            0..2 => return "0x".to_owned(),
            2..26 => 1,
            26..62 => 2,
            62..80 => 3 + self.below(3),
            80..97 => 4 + self.below(15),
            _ => 64 + self.below(256),
        };
        format!("0x{}", self.hex(8 + 64 * words))
    }

    fn output(&mut self) -> String {
        let words = match self.below(100) {
            0..30 => 0,
            30..83 => 1,
            83..98 => 2 + self.below(6),
            _ => 16 + self.below(48),
        };
        format!("0x{}", self.hex(64 * words))
    }
}

/// The path of each call, and its number of children.
fn shape(calls: usize, rng: &mut Rng) -> Vec<(Vec<usize>, usize)> {
    let mut shape: Vec<(Vec<usize>, usize)> = vec![(Vec::new(), 0)];
    let mut spine = vec![0];
    while shape.len() < calls {
        let up = if spine.len() > MAX_DEPTH {
            20
        } else {
            [0, 0, 0, 0, 1, 1, 1, 2, 2, 4][rng.below(10)]
        };
        spine.truncate(spine.len().saturating_sub(up).max(1));
        let Some((above, children)) = spine.last().and_then(|at| shape.get_mut(*at)) else { break };
        let path = above.iter().copied().chain([*children]).collect();
        *children += 1;
        spine.push(shape.len());
        shape.push((path, 0));
    }
    shape
}

/// Generates a trace with this number of calls.
pub(crate) fn trace(calls: usize) -> Vec<u8> {
    let mut rng = Rng(calls as u64);
    let mut body = String::from("[");
    for (n, (path, children)) in shape(calls, &mut rng).into_iter().enumerate() {
        if n > 0 {
            body.push(',');
        }
        call(&mut body, &format!("{path:?}").replace(' ', ""), children, &mut rng);
    }
    (body + "]").into_bytes()
}

fn call(body: &mut String, path: &str, children: usize, rng: &mut Rng) {
    let (from, to, input) = (rng.address(), rng.address(), rng.calldata());
    let (gas, used) = (rng.below(8_000_000), rng.below(900_000));
    let kind = ["call", "call", "call", "staticcall", "staticcall", "delegatecall"][rng.below(6)];
    let value = if kind == "call" && rng.below(10) == 0 { rng.below(1 << 30) } else { 0 };
    let end = match rng.below(70) {
        0 => r#""error":"Reverted""#.to_owned(),
        _ => format!(r#""result":{{"gasUsed":"{used:#x}","output":"{}"}}"#, rng.output()),
    };
    let action = format!(
        r#"{{"callType":"{kind}","from":"{from}","gas":"{gas:#x}","input":"{input}","to":"{to}","value":"{value:#x}"}}"#
    );
    // Writing to a string cannot fail.
    let _ = write!(
        body,
        r#"{{"action":{action},{end},"subtraces":{children},"traceAddress":{path},"type":"call"}}"#
    );
}

//! A raw trace as large as wanted: the Parity array of a node, about 980 bytes a call.
//!
//! Calldata is 138 characters long as a rule, and up to 20 KB in one call of thirty; what comes back
//! is a word as a rule. The same number of calls makes the same bytes.

use std::fmt::Write;

/// How far down calls go.
const DEEPEST: usize = 120;

/// Numbers that look like chance.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % most.max(1)
    }

    /// `len` characters of hex.
    fn hex(&mut self, len: usize) -> String {
        let mut text = String::with_capacity(len + 16);
        while text.len() < len {
            let (high, low) = (self.below(1 << 31), self.below(1 << 31));
            let _ = write!(text, "{high:08x}{low:08x}"); // a string takes everything
        }
        text.truncate(len);
        text
    }

    fn address(&mut self) -> String {
        // A few contracts get most of the calls.
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

/// The path of each call, and how many calls are in it.
fn shape(calls: usize, dice: &mut Dice) -> Vec<(Vec<usize>, usize)> {
    let mut shape: Vec<(Vec<usize>, usize)> = vec![(Vec::new(), 0)];
    let mut spine = vec![0];
    while shape.len() < calls {
        let up =
            if spine.len() > DEEPEST { 20 } else { [0, 0, 0, 0, 1, 1, 1, 2, 2, 4][dice.below(10)] };
        spine.truncate(spine.len().saturating_sub(up).max(1));
        let Some((above, children)) = spine.last().and_then(|at| shape.get_mut(*at)) else { break };
        let path = above.iter().copied().chain([*children]).collect();
        *children += 1;
        spine.push(shape.len());
        shape.push((path, 0));
    }
    shape
}

/// A trace of so many calls.
pub(crate) fn trace(calls: usize) -> Vec<u8> {
    let mut dice = Dice(calls as u64);
    let mut body = String::from("[");
    for (n, (path, children)) in shape(calls, &mut dice).into_iter().enumerate() {
        if n > 0 {
            body.push(',');
        }
        call(&mut body, &format!("{path:?}").replace(' ', ""), children, &mut dice);
    }
    (body + "]").into_bytes()
}

fn call(body: &mut String, path: &str, children: usize, dice: &mut Dice) {
    let (from, to, input) = (dice.address(), dice.address(), dice.calldata());
    let (gas, used) = (dice.below(8_000_000), dice.below(900_000));
    let kind = ["call", "call", "call", "staticcall", "staticcall", "delegatecall"][dice.below(6)];
    let value = if kind == "call" && dice.below(10) == 0 { dice.below(1 << 30) } else { 0 };
    let end = match dice.below(70) {
        0 => r#""error":"Reverted""#.to_owned(),
        _ => format!(r#""result":{{"gasUsed":"{used:#x}","output":"{}"}}"#, dice.output()),
    };
    let action = format!(
        r#"{{"callType":"{kind}","from":"{from}","gas":"{gas:#x}","input":"{input}","to":"{to}","value":"{value:#x}"}}"#
    );
    // A string takes everything.
    let _ = write!(
        body,
        r#"{{"action":{action},{end},"subtraces":{children},"traceAddress":{path},"type":"call"}}"#
    );
}

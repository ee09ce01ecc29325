//! Entries one after the other, each with its `traceAddress`: the Parity array, and the one of
//! Blockscout's own tracer.

use super::Found;
use super::fields::{Fields, Part, parse};
use super::scan::{Read, Scan, Value};
use crate::trace::{Aside, Frame, Kind};

/// How deep a frame can stand.
pub(super) const DEEPEST: usize = 60_000;

/// The entries of an array.
#[derive(Debug, Default)]
pub(super) struct Flat {
    /// The path of the last frame in pre-order; none before the first.
    path: Option<Vec<u32>>,
    /// The path of an entry that is being read.
    next: Vec<u32>,
    /// Whether the last root is one that has no children.
    is_barren: bool,
    aside: Vec<Aside>,
}

impl Flat {
    /// Reads an entry, up to which the scanner is.
    pub(super) fn entry(&mut self, scan: &mut Scan<'_>, found: &mut Found) -> Read<()> {
        if scan.peek()? != b'{' {
            scan.skip()?;
            found.unread += 1;
            return Ok(());
        }
        let from = scan.place();
        let mut fields = Fields::default();
        let mut is_placed = false;
        scan.pass();
        let mut first = true;
        while let Some(key) = scan.key(&mut first)? {
            match key {
                b"action" => fields.read_part(Part::Action, scan)?,
                b"result" => fields.read_part(Part::Result, scan)?,
                b"traceAddress" if !is_placed => is_placed = self.read_path(scan)?,
                _ => fields.read(key, Part::Action, scan)?,
            }
        }
        // The first entry is the root, unless it says that it is not.
        if !is_placed && self.path.is_none() && self.aside.is_empty() {
            self.next.clear();
            is_placed = true;
        }
        let depth = u16::try_from(self.next.len()).ok().filter(|_| self.next.len() <= DEEPEST);
        match depth.filter(|_| is_placed) {
            Some(depth) => {
                let nth = self.next.last().copied().unwrap_or_default();
                self.put(fields.frame(scan.since(from), depth, nth), found);
            }
            None => found.unread += 1,
        }
        Ok(())
    }

    /// Reads a path; whether it is one.
    #[inline]
    fn read_path(&mut self, scan: &mut Scan<'_>) -> Read<bool> {
        if scan.peek()? != b'[' {
            scan.skip()?;
            return Ok(false);
        }
        scan.pass();
        if let Some(len) = plain_path(scan.rest(), &mut self.next) {
            scan.pass_by(len);
            return Ok(true);
        }
        self.next.clear();
        let (mut first, mut is_path) = (true, true);
        while scan.element(&mut first)? {
            let number = match scan.value()? {
                Value::Number(token) | Value::Text(token) => parse(token.text),
                _ => None,
            };
            match number.and_then(|number| u32::try_from(number).ok()) {
                Some(number) => self.next.push(number),
                None => is_path = false,
            }
        }
        Ok(is_path)
    }

    /// Sends the frame of the path that was read, if it comes next; else it has to wait.
    #[inline]
    fn put(&mut self, frame: Frame, found: &mut Found) {
        if self.comes_next() {
            if self.next.is_empty() {
                self.is_barren = frame.kind == Kind::Reward;
            }
            std::mem::swap(self.path.get_or_insert_default(), &mut self.next);
            found.frames.push(frame);
        } else {
            self.aside.push(Aside { path: self.next.as_slice().into(), frame });
        }
    }

    /// Whether the path that was read comes next in pre-order and hangs on a frame that is there.
    #[inline]
    fn comes_next(&self) -> bool {
        let Some((nth, above)) = self.next.split_last() else { return true };
        let Some(path) = self.path.as_ref().filter(|_| !self.is_barren) else { return false };
        match path.split_at_checked(above.len()) {
            Some((same, after)) => same == above && after.first().is_none_or(|last| last < nth),
            None => false,
        }
    }

    /// How many entries wait.
    pub(super) fn waiting(&self) -> u64 {
        self.aside.len() as u64
    }

    /// The entries that wait, sorted.
    pub(super) fn finish(mut self) -> Vec<Aside> {
        self.aside.sort_by(|a, b| a.path.cmp(&b.path));
        self.aside
    }
}

/// Reads a path as almost every node writes it, in digits and commas; how long it is with its end.
/// None if it is written in another way, or its end has not come.
fn plain_path(text: &[u8], path: &mut Vec<u32>) -> Option<usize> {
    path.clear();
    let mut number = None;
    for (at, byte) in text.iter().enumerate() {
        match (byte, number) {
            (b'0'..=b'9', _) => {
                let before = number.unwrap_or(0_u32).checked_mul(10)?;
                number = Some(before.checked_add(u32::from(byte - b'0'))?);
            }
            (b',', Some(last)) => {
                path.push(last);
                number = None;
            }
            (b']', _) if number.is_some() || path.is_empty() => {
                path.extend(number);
                return Some(at + 1);
            }
            _ => return None,
        }
    }
    None
}

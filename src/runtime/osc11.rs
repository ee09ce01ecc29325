//! Queries the terminal's background colour (OSC 11).
//!
//! The reply arrives among the keys. Reading it separately would lose keys that are typed
//! meanwhile, and a late reply would be taken for keys. So the reply is filtered out of the keys
//! whenever it arrives.

use std::env;
use std::io::{self, Write};
use std::mem::take;
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use tokio::time::Instant;

use crate::msg::Background;

/// Maximum delay of the first frame, so that it has the right colours.
const FIRST_FRAME_DELAY: Duration = Duration::from_millis(80);
const REPLY_TIMEOUT: Duration = Duration::from_secs(5);
/// The query. More terminals reply to one that ends in BEL than to one that ends in ST.
const QUERY: &[u8] = b"\x1b]11;?\x07";
/// The start of every reply after its ESC and `]`.
const REPLY_PREFIX: &str = "11;rgb";
/// Maximum length of a reply: `11;rgba:` and four components of four digits.
const MAX_REPLY_CHARS: usize = 27;

#[derive(Debug, Default)]
pub(super) struct Osc11Parser {
    /// The time of the query, while no reply has arrived.
    queried_at: Option<Instant>,
    /// Events that may be the start of the reply.
    held: Vec<Event>,
    text: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ParseResult {
    Background(Background),
    /// The events that are not part of the reply: none, or this one after those held back.
    Events(Vec<Event>),
}

#[derive(Debug, Clone, Copy)]
enum ReplyByte {
    Start,
    Char(char),
    End,
}

impl Osc11Parser {
    /// Sends the query if the terminal supports it. Returns how long to wait for the reply.
    pub(super) fn query(&mut self) -> io::Result<Option<Instant>> {
        if !supports_query(env::var("TERM").ok().as_deref()) {
            return Ok(None);
        }
        let mut out = io::stdout();
        out.write_all(QUERY)?;
        out.flush()?;
        self.queried_at = Some(Instant::now());
        Ok(self.reply_deadline())
    }

    pub(super) fn reply_deadline(&self) -> Option<Instant> {
        self.queried_at.map(|queried_at| queried_at + FIRST_FRAME_DELAY)
    }

    pub(super) fn feed(&mut self, event: Event, now: Instant) -> ParseResult {
        if !matches!(event, Event::Key(_)) {
            // A resize can arrive in the middle of a reply.
            return ParseResult::Events(vec![event]);
        }
        let is_expected = self.queried_at.is_some_and(|time| now < time + REPLY_TIMEOUT);
        let byte = reply_byte(&event).filter(|_| is_expected);
        match (byte, self.held.is_empty()) {
            (Some(ReplyByte::Start), true) => self.held.push(event),
            (Some(ReplyByte::Char(c)), false) if self.accepts(c) => {
                self.text.push(c);
                self.held.push(event);
            }
            (Some(ReplyByte::End), false) if self.text.len() > REPLY_PREFIX.len() => {
                return parse_background(&take(self).text)
                    .map_or_else(|| ParseResult::Events(Vec::new()), ParseResult::Background);
            }
            _ => {
                self.text.clear();
                self.held.push(event);
                return ParseResult::Events(take(&mut self.held));
            }
        }
        ParseResult::Events(Vec::new())
    }

    fn accepts(&self, next: char) -> bool {
        match REPLY_PREFIX.chars().nth(self.text.len()) {
            Some(expected) => next == expected,
            None => {
                self.text.len() < MAX_REPLY_CHARS
                    && (next.is_ascii_hexdigit() || ":/".contains(next))
            }
        }
    }
}

/// The Linux console and Eterm do not reply. GNU screen replies for every terminal that it is
/// attached to, in any order.
fn supports_query(term: Option<&str>) -> bool {
    term.is_some_and(|term| {
        !matches!(term, "" | "dumb" | "linux" | "Eterm" | "screen") && !term.starts_with("screen.")
    })
}

/// crossterm reports the reply's ESC as Alt and its BEL as Ctrl-G.
fn reply_byte(event: &Event) -> Option<ReplyByte> {
    let Event::Key(KeyEvent { code: KeyCode::Char(c), modifiers, .. }) = *event else {
        return None;
    };
    match (c, modifiers) {
        (']', KeyModifiers::ALT) => Some(ReplyByte::Start),
        ('\\', KeyModifiers::ALT) | ('g', KeyModifiers::CONTROL) => Some(ReplyByte::End),
        (c, KeyModifiers::NONE | KeyModifiers::SHIFT) => Some(ReplyByte::Char(c)),
        _ => None,
    }
}

/// Parses `11;rgb:ffff/ffff/dddd`, with components of one to four digits.
fn parse_background(reply: &str) -> Option<Background> {
    let (_, color) = reply.split_once(':')?;
    // In thousandths.
    let mut components = color.split('/').map(|component| {
        let max = match component.len() {
            digits @ 1..=4 => (1_u32 << (4 * digits)) - 1,
            _ => return None,
        };
        Some(u32::from_str_radix(component, 16).ok()? * 1000 / max)
    });
    let mut next = || components.next().flatten();
    let [red, green, blue] = [next()?, next()?, next()?];
    let luminance = (red * 213 + green * 715 + blue * 72) / 1000;
    Some(if luminance > 500 { Background::Light } else { Background::Dark })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(c: char, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers))
    }

    /// Returns the events that crossterm makes of these bytes.
    fn events(bytes: &str) -> Vec<Event> {
        let mut events = Vec::new();
        let mut alt = KeyModifiers::NONE;
        for c in bytes.chars() {
            match c {
                '\x1b' => alt = KeyModifiers::ALT,
                '\x07' => events.push(key('g', KeyModifiers::CONTROL)),
                c if c.is_ascii_uppercase() => events.push(key(c, alt | KeyModifiers::SHIFT)),
                c => events.push(key(c, std::mem::replace(&mut alt, KeyModifiers::NONE))),
            }
        }
        events
    }

    fn waiting_parser() -> Osc11Parser {
        Osc11Parser { queried_at: Some(Instant::now()), ..Osc11Parser::default() }
    }

    /// Returns the background and the keys that pass.
    fn feed_all(parser: &mut Osc11Parser, bytes: &str) -> (Option<Background>, Vec<Event>) {
        let mut background = None;
        let mut keys = Vec::new();
        for event in events(bytes) {
            match parser.feed(event, Instant::now()) {
                ParseResult::Background(parsed) => background = Some(parsed),
                ParseResult::Events(more) => keys.extend(more),
            }
        }
        (background, keys)
    }

    #[test]
    fn reply_is_filtered_out_of_the_keys() {
        for (reply, background) in [
            ("\x1b]11;rgb:1e1e/1e1e/2e2e\x07", Some(Background::Dark)),
            ("\x1b]11;rgb:FFFF/ffff/dddd\x1b\\", Some(Background::Light)),
            ("\x1b]11;rgb:f/f/f\x07", Some(Background::Light)),
            ("\x1b]11;rgb:00/00/ff\x07", Some(Background::Dark)),
            ("\x1b]11;rgb:0000/ffff/0000\x07", Some(Background::Light)),
            ("\x1b]11;rgba:ffff/ffff/ffff/ffff\x07", Some(Background::Light)),
            ("\x1b]11;rgb:ffff/ffff\x07", None),
            ("\x1b]11;rgb://\x07", None),
            ("\x1b]11;rgb:fffff/ffff/ffff\x07", None),
        ] {
            let mut parser = waiting_parser();
            let (parsed, keys) = feed_all(&mut parser, &["jj", reply, "k"].concat());
            assert_eq!((parsed, keys), (background, events("jjk")), "{reply:?}");
            assert_eq!(parser.reply_deadline(), None, "no reply is pending");
        }
    }

    #[test]
    fn other_key_sequences_pass_unchanged() {
        for keys in [
            "\x1b]j",
            "\x1b]11;rgb\x07",
            "\x1b]11;rgx",
            "\x1b]11;rgb:1e1e/1e1e/1e1e/1e1e/1e1e/1e1e\x07",
            "\x1b\\\x07]11;rgb:1e1e/1e1e/1e1e\x07",
        ] {
            assert_eq!(feed_all(&mut waiting_parser(), keys), (None, events(keys)), "{keys:?}");
        }
    }

    #[test]
    fn resize_within_a_reply_does_not_end_it() {
        let mut parser = waiting_parser();
        assert_eq!(feed_all(&mut parser, "\x1b]11;rgb:ffff/").0, None);
        let resize = Event::Resize(80, 24);
        assert_eq!(parser.feed(resize.clone(), Instant::now()), ParseResult::Events(vec![resize]));
        assert_eq!(feed_all(&mut parser, "ffff/dddd\x07j"), (Some(Background::Light), events("j")));
    }

    #[test]
    fn unexpected_reply_passes_as_keys() {
        let reply = "\x1b]11;rgb:ffff/ffff/ffff\x07";
        assert_eq!(feed_all(&mut Osc11Parser::default(), reply), (None, events(reply)));
        let mut parser = waiting_parser();
        let first = events(reply).remove(0);
        let late = Instant::now() + REPLY_TIMEOUT * 2;
        assert_eq!(parser.feed(first.clone(), late), ParseResult::Events(vec![first]));
    }

    #[test]
    fn terminals_without_support_are_not_queried() {
        for (term, is_supported) in [
            (Some("xterm-256color"), true),
            (Some("screen-256color"), true), // tmux
            (Some("screen.xterm-256color"), false),
            (Some("screen"), false),
            (Some("linux"), false),
            (Some(""), false),
            (None, false),
        ] {
            assert_eq!(supports_query(term), is_supported, "{term:?}");
        }
    }
}

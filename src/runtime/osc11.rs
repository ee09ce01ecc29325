//! What the terminal writes on, light or dark, as it answers itself (OSC 11).
//!
//! The answer comes between the keys. Whoever reads it apart from them takes keys that are typed
//! meanwhile, and leaves an answer that comes late to be taken for keys; so it is picked out of them
//! here, whenever it comes, and every key is let through.

use std::env;
use std::io::{self, Write};
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use tokio::time::Instant;

use crate::msg::Background;

/// So long the first frame waits for the answer, to be drawn in the right colours at once.
const FIRST_FRAME_DELAY: Duration = Duration::from_millis(80);
/// So long an answer is listened for.
const REPLY_TIMEOUT: Duration = Duration::from_secs(5);
/// The question; one that ends with a bell is answered by more terminals than one with `ST`.
const QUERY: &[u8] = b"\x1b]11;?\x07";
/// How every answer begins after its first sign.
const REPLY_PREFIX: &str = "11;rgb";
/// No answer is longer: `11;rgba:` and four parts of four digits.
const MAX_REPLY_CHARS: usize = 27;

/// Listens for the answer among the keys.
#[derive(Debug, Default)]
pub(super) struct Osc11Parser {
    /// When it was asked; none before, and when it was answered.
    queried_at: Option<Instant>,
    /// What may be the beginning of the answer.
    held: Vec<Event>,
    /// The same in characters, without the first sign.
    text: String,
}

/// What was heard.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ParseResult {
    /// The answer.
    Background(Background),
    /// What is not the answer: this event with those that were held back before it, or nothing yet.
    Events(Vec<Event>),
}

/// What an event can be in an answer.
#[derive(Debug, Clone, Copy)]
enum ReplyByte {
    Start,
    Char(char),
    End,
}

impl Osc11Parser {
    /// Asks, if this terminal is one that may be asked; until when the answer is worth waiting for.
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

    /// Until when an answer that has not come is worth waiting for.
    pub(super) fn reply_deadline(&self) -> Option<Instant> {
        self.queried_at.map(|asked| asked + FIRST_FRAME_DELAY)
    }

    /// Takes in an event that happened `now`.
    pub(super) fn feed(&mut self, event: Event, now: Instant) -> ParseResult {
        if !matches!(event, Event::Key(_)) {
            return ParseResult::Events(vec![event]); // a resize may come in the middle of an answer
        }
        let listens = self.queried_at.is_some_and(|asked| now < asked + REPLY_TIMEOUT);
        let sign = if listens { reply_byte(&event) } else { None };
        match (sign, self.held.is_empty()) {
            (Some(ReplyByte::Start), true) => self.held.push(event),
            (Some(ReplyByte::Char(c)), false) if self.accepts(c) => {
                self.text.push(c);
                self.held.push(event);
            }
            (Some(ReplyByte::End), false) if self.text.len() > REPLY_PREFIX.len() => {
                let answer = std::mem::take(self);
                return parse_background(&answer.text)
                    .map_or_else(|| ParseResult::Events(Vec::new()), ParseResult::Background);
            }
            _ => {
                self.text.clear();
                self.held.push(event);
                return ParseResult::Events(std::mem::take(&mut self.held));
            }
        }
        ParseResult::Events(Vec::new())
    }

    /// Whether what is held can be an answer that goes on so.
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

/// Some cannot: the console of Linux, Eterm, and screen, which answers for every terminal that it is
/// on, in any order.
fn supports_query(term: Option<&str>) -> bool {
    term.is_some_and(|term| {
        !matches!(term, "" | "dumb" | "linux" | "Eterm" | "screen") && !term.starts_with("screen.")
    })
}

/// What the keys are as which the signs of an answer arrive: Alt for its ESC, Ctrl-g for its bell.
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

/// Reads `11;rgb:ffff/ffff/dddd`: parts of one to four digits.
fn parse_background(answer: &str) -> Option<Background> {
    let (_, color) = answer.split_once(':')?;
    let mut parts = color.split('/').map(|part| {
        let most = match part.len() {
            digits @ 1..=4 => (1_u32 << (4 * digits)) - 1,
            _ => return None,
        };
        Some(u32::from_str_radix(part, 16).ok()? * 1000 / most)
    });
    let mut next = || parts.next().flatten();
    let (red, green, blue) = (next()?, next()?, next()?);
    // In thousandths, as bright as the eye sees them.
    let light = (red * 213 + green * 715 + blue * 72) / 1000;
    Some(if light > 500 { Background::Light } else { Background::Dark })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(c: char, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers))
    }

    /// The events as which crossterm reads such bytes.
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

    fn asked() -> Osc11Parser {
        Osc11Parser { queried_at: Some(Instant::now()), ..Osc11Parser::default() }
    }

    /// What was heard in all, and which keys were let through.
    fn heard(listener: &mut Osc11Parser, bytes: &str) -> (Option<Background>, Vec<Event>) {
        let (mut background, mut keys) = (None, Vec::new());
        for event in events(bytes) {
            match listener.feed(event, Instant::now()) {
                ParseResult::Background(is) => background = Some(is),
                ParseResult::Events(more) => keys.extend(more),
            }
        }
        (background, keys)
    }

    #[test]
    fn the_answer_is_picked_out_of_the_keys() {
        for (answer, background) in [
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
            let mut listener = asked();
            let (is, keys) = heard(&mut listener, &["jj", answer, "k"].concat());
            assert_eq!((is, keys), (background, events("jjk")), "{answer:?}");
            assert_eq!(listener.reply_deadline(), None, "it is answered");
        }
    }

    #[test]
    fn what_is_no_answer_is_let_through_whole() {
        for keys in [
            "\x1b]j",
            "\x1b]11;rgb\x07",
            "\x1b]11;rgx",
            "\x1b]11;rgb:1e1e/1e1e/1e1e/1e1e/1e1e/1e1e\x07",
            "\x1b\\\x07]11;rgb:1e1e/1e1e/1e1e\x07",
        ] {
            assert_eq!(heard(&mut asked(), keys), (None, events(keys)), "{keys:?}");
        }
    }

    #[test]
    fn a_resize_in_the_middle_of_an_answer_does_not_make_keys_of_the_rest() {
        let mut listener = asked();
        assert_eq!(heard(&mut listener, "\x1b]11;rgb:ffff/").0, None);
        let resize = Event::Resize(80, 24);
        assert_eq!(
            listener.feed(resize.clone(), Instant::now()),
            ParseResult::Events(vec![resize])
        );
        assert_eq!(heard(&mut listener, "ffff/dddd\x07j"), (Some(Background::Light), events("j")));
    }

    #[test]
    fn nobody_listens_who_has_not_asked_or_asked_long_ago() {
        let answer = "\x1b]11;rgb:ffff/ffff/ffff\x07";
        assert_eq!(heard(&mut Osc11Parser::default(), answer), (None, events(answer)));
        let mut listener = asked();
        let first = events(answer).remove(0);
        let late = Instant::now() + REPLY_TIMEOUT * 2;
        assert_eq!(listener.feed(first.clone(), late), ParseResult::Events(vec![first]));
    }

    #[test]
    fn terminals_that_cannot_answer_are_not_asked() {
        for (term, may) in [
            (Some("xterm-256color"), true),
            (Some("screen-256color"), true), // that is tmux
            (Some("screen.xterm-256color"), false),
            (Some("screen"), false),
            (Some("linux"), false),
            (Some(""), false),
            (None, false),
        ] {
            assert_eq!(supports_query(term), may, "{term:?}");
        }
    }
}

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
const PATIENCE: Duration = Duration::from_millis(80);
/// So long an answer is listened for.
const LISTENED: Duration = Duration::from_secs(5);
/// The question; one that ends with a bell is answered by more terminals than one with `ST`.
const QUESTION: &[u8] = b"\x1b]11;?\x07";
/// How every answer begins after its first sign.
const BEGINNING: &str = "11;rgb";
/// No answer is longer: `11;rgba:` and four parts of four digits.
const LONGEST: usize = 27;

/// Listens for the answer among the keys.
#[derive(Debug, Default)]
pub(super) struct Listener {
    /// When it was asked; none before, and when it was answered.
    asked: Option<Instant>,
    /// What may be the beginning of the answer.
    held: Vec<Event>,
    /// The same in characters, without the first sign.
    text: String,
}

/// What was heard.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// The answer.
    Background(Background),
    /// What is not the answer: this event with those that were held back before it, or nothing yet.
    Events(Vec<Event>),
}

/// What an event can be in an answer.
#[derive(Debug, Clone, Copy)]
enum Sign {
    Begin,
    Part(char),
    End,
}

impl Listener {
    /// Asks, if this terminal is one that may be asked; until when the answer is worth waiting for.
    pub(super) fn ask(&mut self) -> io::Result<Option<Instant>> {
        if !may_be_asked(env::var("TERM").ok().as_deref()) {
            return Ok(None);
        }
        let mut out = io::stdout();
        out.write_all(QUESTION)?;
        out.flush()?;
        self.asked = Some(Instant::now());
        Ok(self.expected())
    }

    /// Until when an answer that has not come is worth waiting for.
    pub(super) fn expected(&self) -> Option<Instant> {
        self.asked.map(|asked| asked + PATIENCE)
    }

    /// Takes in an event that happened `now`.
    pub(super) fn hear(&mut self, event: Event, now: Instant) -> Heard {
        if !matches!(event, Event::Key(_)) {
            return Heard::Events(vec![event]); // a resize may come in the middle of an answer
        }
        let listens = self.asked.is_some_and(|asked| now < asked + LISTENED);
        let sign = if listens { sign(&event) } else { None };
        match (sign, self.held.is_empty()) {
            (Some(Sign::Begin), true) => self.held.push(event),
            (Some(Sign::Part(c)), false) if self.goes_on(c) => {
                self.text.push(c);
                self.held.push(event);
            }
            (Some(Sign::End), false) if self.text.len() > BEGINNING.len() => {
                let answer = std::mem::take(self);
                return background(&answer.text)
                    .map_or_else(|| Heard::Events(Vec::new()), Heard::Background);
            }
            _ => {
                self.text.clear();
                self.held.push(event);
                return Heard::Events(std::mem::take(&mut self.held));
            }
        }
        Heard::Events(Vec::new())
    }

    /// Whether what is held can be an answer that goes on so.
    fn goes_on(&self, next: char) -> bool {
        match BEGINNING.chars().nth(self.text.len()) {
            Some(expected) => next == expected,
            None => self.text.len() < LONGEST && (next.is_ascii_hexdigit() || ":/".contains(next)),
        }
    }
}

/// Some cannot: the console of Linux, Eterm, and screen, which answers for every terminal that it is
/// on, in any order.
fn may_be_asked(term: Option<&str>) -> bool {
    term.is_some_and(|term| {
        !matches!(term, "" | "dumb" | "linux" | "Eterm" | "screen") && !term.starts_with("screen.")
    })
}

/// What the keys are as which the signs of an answer arrive: Alt for its ESC, Ctrl-g for its bell.
fn sign(event: &Event) -> Option<Sign> {
    let Event::Key(KeyEvent { code: KeyCode::Char(c), modifiers, .. }) = *event else {
        return None;
    };
    match (c, modifiers) {
        (']', KeyModifiers::ALT) => Some(Sign::Begin),
        ('\\', KeyModifiers::ALT) | ('g', KeyModifiers::CONTROL) => Some(Sign::End),
        (c, KeyModifiers::NONE | KeyModifiers::SHIFT) => Some(Sign::Part(c)),
        _ => None,
    }
}

/// Reads `11;rgb:ffff/ffff/dddd`: parts of one to four digits.
fn background(answer: &str) -> Option<Background> {
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

    fn asked() -> Listener {
        Listener { asked: Some(Instant::now()), ..Listener::default() }
    }

    /// What was heard in all, and which keys were let through.
    fn heard(listener: &mut Listener, bytes: &str) -> (Option<Background>, Vec<Event>) {
        let (mut background, mut keys) = (None, Vec::new());
        for event in events(bytes) {
            match listener.hear(event, Instant::now()) {
                Heard::Background(is) => background = Some(is),
                Heard::Events(more) => keys.extend(more),
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
            assert_eq!(listener.expected(), None, "it is answered");
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
        assert_eq!(listener.hear(resize.clone(), Instant::now()), Heard::Events(vec![resize]));
        assert_eq!(heard(&mut listener, "ffff/dddd\x07j"), (Some(Background::Light), events("j")));
    }

    #[test]
    fn nobody_listens_who_has_not_asked_or_asked_long_ago() {
        let answer = "\x1b]11;rgb:ffff/ffff/ffff\x07";
        assert_eq!(heard(&mut Listener::default(), answer), (None, events(answer)));
        let mut listener = asked();
        let first = events(answer).remove(0);
        let late = Instant::now() + LISTENED * 2;
        assert_eq!(listener.hear(first.clone(), late), Heard::Events(vec![first]));
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
            assert_eq!(may_be_asked(term), may, "{term:?}");
        }
    }
}

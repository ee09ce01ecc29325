//! Queries the terminal's background colour (OSC 11) and its name (XTVERSION), and if the name is
//! unknown, its support of Kitty's graphics protocol.
//!
//! The last query is only sent to terminals that have a name: urxvt writes it on the screen, and tmux
//! makes it the title of its pane.
//!
//! The replies arrive among the keys. Reading them separately would lose keys that are typed meanwhile,
//! and a late reply would be taken for keys. So replies are filtered out of the keys whenever they
//! arrive. A reply that is not expected, a second one or one after its time, is recognized only if it arrives
//! at once, so that no key waits for the next one.

use std::env;
use std::io::{self, Write};
use std::mem::take;
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use tokio::time::Instant;

use super::osc52::multiplexer_from_env;
use crate::app_message::{Background, Multiplexer};
use crate::picture::GraphicsProtocol;

/// Maximum delay of the first frame, so that it has the right colours.
const FIRST_FRAME_DELAY: Duration = Duration::from_millis(80);
const REPLY_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum length of a name. The longest known ones have 40 characters.
const MAX_NAME_CHARS: usize = 1_000;
/// Queries the background. More terminals reply to a query that ends in BEL than to one in ST.
const BACKGROUND_QUERY: &[u8] = b"\x1b]11;?\x07";
const NAME_QUERY: &[u8] = b"\x1b[>q";
/// Queries whether a picture of one pixel could be drawn.
const KITTY_QUERY: &[u8] = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\";
/// The first version of kitty that has placeholders.
const KITTY_WITH_PLACEHOLDERS: (u32, u32) = (0, 28);
/// Protocols of terminals by the beginning of their name. Some of them also claim Kitty's, but have no
/// placeholders.
const PROTOCOLS_BY_NAME: [(&str, GraphicsProtocol); 7] = [
    ("iTerm2", GraphicsProtocol::Iterm2),
    ("WezTerm", GraphicsProtocol::Iterm2),
    ("mintty", GraphicsProtocol::Iterm2),
    ("foot", GraphicsProtocol::Sixel),
    ("contour", GraphicsProtocol::Sixel),
    ("Konsole", GraphicsProtocol::Sixel),
    ("ghostty", GraphicsProtocol::Kitty),
];
/// Multiplexers, which draw pictures themselves or not at all.
const MULTIPLEXERS: [&str; 3] = ["tmux", "screen", "zellij"];

/// A kind of reply. It begins with ESC and its introducer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplyKind {
    /// `]11;rgb:…`
    Background,
    /// `P>|name`
    Name,
    /// `_Gi=31;OK`, or an error.
    Kitty,
}

#[derive(Debug, Default)]
pub(super) struct ReplyParser {
    /// Replies that may still arrive, with the time of the query.
    expected: Vec<(ReplyKind, Instant)>,
    /// Replies that were asked for, also if they have arrived.
    asked: Vec<ReplyKind>,
    /// Events that may be the start of a reply.
    held: Vec<Event>,
    /// The kind of that reply, and its text so far.
    kind: Option<ReplyKind>,
    text: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ParseResult {
    Background(Background),
    Graphics(GraphicsProtocol),
    /// The terminal has a name without known protocols.
    UnknownName,
    /// Events that are not part of a reply: none, or this one after those held back.
    Events(Vec<Event>),
}

#[derive(Debug, Clone, Copy)]
enum ReplyByte {
    Start(ReplyKind),
    Char(char),
    End,
}

impl ReplyKind {
    fn prefix(self) -> &'static str {
        match self {
            Self::Background => "11;rgb",
            Self::Name => ">|",
            Self::Kitty => "Gi=31;",
        }
    }

    /// Returns `true` if `next` may follow `text`.
    fn accepts(self, text: &str, next: char) -> bool {
        match (self.prefix().chars().nth(text.len()), self) {
            (Some(expected), _) => next == expected,
            // `11;rgba:` and four components of four digits.
            (None, Self::Background) => {
                text.len() < 27 && (next.is_ascii_hexdigit() || ":/".contains(next))
            }
            (None, Self::Name | Self::Kitty) => {
                text.len() < MAX_NAME_CHARS && (' '..='~').contains(&next)
            }
        }
    }
}

impl ReplyParser {
    /// Queries the background if the terminal supports it. Returns the deadline of the reply.
    pub(super) fn query_background(&mut self) -> io::Result<Option<Instant>> {
        self.query(BACKGROUND_QUERY, ReplyKind::Background)?;
        Ok(self.reply_deadline())
    }

    /// Queries the name, which determines the graphics protocol. Nothing waits for the reply.
    pub(super) fn query_name(&mut self) -> io::Result<()> {
        // It prints unknown sequences.
        let is_apple = env::var("TERM_PROGRAM").is_ok_and(|name| name == "Apple_Terminal");
        if is_apple || multiplexer_from_env(|name| env::var_os(name)) != Multiplexer::None {
            return Ok(());
        }
        self.query(NAME_QUERY, ReplyKind::Name)
    }

    /// Queries a terminal with a name for Kitty's graphics protocol.
    pub(super) fn query_kitty(&mut self) -> io::Result<()> {
        self.query(KITTY_QUERY, ReplyKind::Kitty)
    }

    fn query(&mut self, query: &[u8], reply: ReplyKind) -> io::Result<()> {
        if supports_query(env::var("TERM").ok().as_deref()) {
            let mut out = io::stdout();
            out.write_all(query)?;
            out.flush()?;
            self.expected.push((reply, Instant::now()));
            self.asked.push(reply);
        }
        Ok(())
    }

    pub(super) fn reply_deadline(&self) -> Option<Instant> {
        self.expected.iter().map(|(_, asked_at)| *asked_at + FIRST_FRAME_DELAY).max()
    }

    pub(super) fn feed(&mut self, event: Event, now: Instant) -> ParseResult {
        if !matches!(event, Event::Key(_)) {
            // A resize can arrive in the middle of a reply.
            return ParseResult::Events(vec![event]);
        }
        self.drop_overdue(now);
        match (reply_byte(&event), self.kind) {
            (Some(ReplyByte::Start(kind)), None) if self.asked.contains(&kind) => {
                self.kind = Some(kind);
                self.held.push(event);
            }
            (Some(ReplyByte::Char(c)), Some(kind)) if kind.accepts(&self.text, c) => {
                self.text.push(c);
                self.held.push(event);
            }
            (Some(ReplyByte::End), Some(kind)) if self.text.len() > kind.prefix().len() => {
                return self.end_reply(kind);
            }
            _ => {
                self.held.push(event);
                return ParseResult::Events(self.release());
            }
        }
        ParseResult::Events(Vec::new())
    }

    /// Returns the held events after a pause, unless they may begin a reply that is still expected.
    pub(super) fn release_unexpected(&mut self, now: Instant) -> Vec<Event> {
        self.drop_overdue(now);
        match self.kind {
            Some(kind) if !self.is_expected(kind) => self.release(),
            _ => Vec::new(),
        }
    }

    fn release(&mut self) -> Vec<Event> {
        self.text.clear();
        self.kind = None;
        take(&mut self.held)
    }

    fn drop_overdue(&mut self, now: Instant) {
        self.expected.retain(|(_, asked_at)| now < *asked_at + REPLY_TIMEOUT);
    }

    /// Returns `true` after the start of a reply, before its end.
    pub(super) fn is_within_reply(&self) -> bool {
        self.kind.is_some()
    }

    fn is_expected(&self, kind: ReplyKind) -> bool {
        self.expected.iter().any(|(expected, _)| *expected == kind)
    }

    fn end_reply(&mut self, kind: ReplyKind) -> ParseResult {
        let is_expected = self.is_expected(kind);
        self.held.clear();
        self.kind = None;
        self.expected.retain(|(expected, _)| *expected != kind);
        let text = take(&mut self.text);
        if !is_expected {
            return ParseResult::Events(Vec::new());
        }
        let reply = match kind {
            ReplyKind::Background => parse_background(&text).map(ParseResult::Background),
            ReplyKind::Name => parse_name(text.trim_start_matches(kind.prefix())),
            ReplyKind::Kitty => {
                let has_protocol = text.ends_with(";OK");
                has_protocol.then_some(ParseResult::Graphics(GraphicsProtocol::KittyAtCursor))
            }
        };
        reply.unwrap_or(ParseResult::Events(Vec::new()))
    }
}

/// Returns the protocol of a terminal of this name, if it may have one.
fn parse_name(name: &str) -> Option<ParseResult> {
    if MULTIPLEXERS.iter().any(|start| name.starts_with(start)) {
        return None;
    }
    if let Some(version) = name.strip_prefix("kitty(") {
        let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse);
        let mut next = || numbers.next()?.ok();
        let has_placeholders =
            next().zip(next()).is_some_and(|version| version >= KITTY_WITH_PLACEHOLDERS);
        return Some(ParseResult::Graphics(if has_placeholders {
            GraphicsProtocol::Kitty
        } else {
            GraphicsProtocol::KittyAtCursor
        }));
    }
    let by_name = PROTOCOLS_BY_NAME.iter().find(|(start, _)| name.starts_with(start));
    Some(by_name.map_or(ParseResult::UnknownName, |(_, protocol)| ParseResult::Graphics(*protocol)))
}

/// The Linux console and Eterm do not reply. GNU screen replies for every terminal that it is
/// attached to, in any order.
fn supports_query(term: Option<&str>) -> bool {
    term.is_some_and(|term| {
        !matches!(term, "" | "dumb" | "linux" | "Eterm" | "screen") && !term.starts_with("screen.")
    })
}

/// crossterm reports a reply's ESC as Alt and its BEL as Ctrl-G.
fn reply_byte(event: &Event) -> Option<ReplyByte> {
    let Event::Key(KeyEvent { code: KeyCode::Char(c), modifiers, .. }) = *event else {
        return None;
    };
    match (c, modifiers) {
        (']', KeyModifiers::ALT) => Some(ReplyByte::Start(ReplyKind::Background)),
        ('_', KeyModifiers::ALT) => Some(ReplyByte::Start(ReplyKind::Kitty)),
        ('P', held) if held == KeyModifiers::ALT | KeyModifiers::SHIFT => {
            Some(ReplyByte::Start(ReplyKind::Name))
        }
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

    /// Returns the events that crossterm reports for these bytes.
    fn events(bytes: &str) -> Vec<Event> {
        let mut events = Vec::new();
        let mut alt = KeyModifiers::NONE;
        for c in bytes.chars() {
            match c {
                '\x1b' => alt = KeyModifiers::ALT,
                '\x07' => events.push(key('g', KeyModifiers::CONTROL)),
                c if c.is_ascii_uppercase() => {
                    let alt = std::mem::replace(&mut alt, KeyModifiers::NONE);
                    events.push(key(c, alt | KeyModifiers::SHIFT));
                }
                c => events.push(key(c, std::mem::replace(&mut alt, KeyModifiers::NONE))),
            }
        }
        events
    }

    fn expecting(kinds: &[ReplyKind]) -> ReplyParser {
        let expected = kinds.iter().map(|kind| (*kind, Instant::now())).collect();
        ReplyParser { expected, asked: kinds.to_vec(), ..ReplyParser::default() }
    }

    fn waiting_parser() -> ReplyParser {
        expecting(&[ReplyKind::Background])
    }

    /// Returns the background and the keys that pass.
    fn feed_all(parser: &mut ReplyParser, bytes: &str) -> (Option<Background>, Vec<Event>) {
        let mut background = None;
        let mut keys = Vec::new();
        for event in events(bytes) {
            match parser.feed(event, Instant::now()) {
                ParseResult::Background(parsed) => background = Some(parsed),
                other @ (ParseResult::Graphics(_) | ParseResult::UnknownName) => {
                    panic!("{other:?} was not asked for")
                }
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
    fn name_or_reply_decides_on_the_graphics_protocol() {
        use GraphicsProtocol::{Iterm2, Kitty, KittyAtCursor, Sixel};
        let graphics = |protocol| Some(ParseResult::Graphics(protocol));
        for (reply, expected) in [
            ("\x1bP>|kitty(0.32.1)\x1b\\", graphics(Kitty)),
            ("\x1bP>|kitty(0.28.0)\x1b\\", graphics(Kitty)),
            ("\x1bP>|kitty(0.26.5)\x1b\\", graphics(KittyAtCursor)),
            ("\x1bP>|kitty(1.2)\x1b\\", graphics(Kitty)),
            ("\x1bP>|kitty(?)\x1b\\", graphics(KittyAtCursor)),
            ("\x1bP>|ghostty 1.1.0\x1b\\", graphics(Kitty)),
            ("\x1bP>|WezTerm 20240203\x1b\\", graphics(Iterm2)),
            ("\x1bP>|Konsole 23.08.4\x1b\\", graphics(Sixel)),
            ("\x1bP>|foot(1.16.2)\x1b\\", graphics(Sixel)),
            ("\x1bP>|Rio 0.2\x1b\\", Some(ParseResult::UnknownName)),
            ("\x1bP>|XTerm(390)\x1b\\", Some(ParseResult::UnknownName)),
            ("\x1bP>|tmux 3.3a\x1b\\", None),
            ("\x1b_Gi=31;OK\x1b\\", graphics(KittyAtCursor)),
            ("\x1b_Gi=31;ENOTSUPPORTED:no\x1b\\", None),
        ] {
            let mut parser = expecting(&[ReplyKind::Name, ReplyKind::Kitty]);
            let (mut found, mut keys) = (Vec::new(), Vec::new());
            for event in events(&["j", reply, "K"].concat()) {
                match parser.feed(event, Instant::now()) {
                    ParseResult::Events(more) => keys.extend(more),
                    other => found.push(other),
                }
            }
            assert_eq!((found, keys), (expected.into_iter().collect(), events("jK")), "{reply:?}");
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
    fn reply_that_was_not_asked_for_passes_as_keys() {
        let reply = "\x1b]11;rgb:ffff/ffff/ffff\x07";
        assert_eq!(feed_all(&mut ReplyParser::default(), reply), (None, events(reply)));
    }

    #[test]
    fn second_and_late_replies_are_neither_keys_nor_taken() {
        let reply = "\x1b]11;rgb:ffff/ffff/ffff\x07";
        let mut parser = waiting_parser();
        let (_, keys) = feed_all(&mut parser, &["j", reply, reply, "k"].concat());
        assert_eq!(keys, events("jk"));
        let mut parser = waiting_parser();
        let late = Instant::now() + REPLY_TIMEOUT * 2;
        for event in events(reply) {
            assert_eq!(parser.feed(event, late), ParseResult::Events(Vec::new()));
        }
        let long = ["\x1bP>|", &"q".repeat(500), "\x1b\\"].concat();
        let mut parser = expecting(&[ReplyKind::Name]);
        for event in events(&long) {
            assert!(
                !matches!(parser.feed(event, late), ParseResult::Events(keys) if !keys.is_empty())
            );
        }
    }

    #[test]
    fn key_that_may_begin_a_reply_waits_only_for_an_expected_one() {
        let key = events("\x1b]");
        for (delay, released) in [(Duration::ZERO, Vec::new()), (REPLY_TIMEOUT, key.clone())] {
            let mut parser = waiting_parser();
            let now = Instant::now() + delay;
            assert_eq!(parser.feed(key[0].clone(), now), ParseResult::Events(Vec::new()));
            assert_eq!(parser.release_unexpected(now), released);
        }
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

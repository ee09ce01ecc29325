//! Copying through the terminal (OSC 52), directly or through a terminal multiplexer.

use std::ffi::OsString;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::app_message::Multiplexer;
use crate::messages::system::ProgramError;

/// Maximum size of a text: several terminals silently drop an OSC 52 of more than 100 kB, and
/// base64 adds a third.
const MAX_TEXT_BYTES: usize = 74_000;
/// Size of a string for GNU screen: older versions drop more than 256 bytes, with four for its
/// ends.
const SCREEN_CHUNK_BYTES: usize = 252;

pub(super) fn multiplexer_from_env(variable: impl Fn(&str) -> Option<OsString>) -> Multiplexer {
    let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
    let term = variable("TERM").unwrap_or_default().to_string_lossy().into_owned();
    if is_set("TMUX") || term.starts_with("tmux") {
        Multiplexer::Tmux
    } else if is_set("STY") || term.starts_with("screen") {
        Multiplexer::Screen
    } else {
        Multiplexer::None
    }
}

/// Returns the escape sequence that copies a text, or the reason why it cannot be copied.
pub(super) fn sequence(text: &str, multiplexer: Multiplexer) -> Result<String, ProgramError> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(ProgramError::LongText { bytes: text.len() });
    }
    // Ends in ST rather than BEL, which rings in terminals without OSC 52.
    let plain = format!("\x1b]52;c;{}\x1b\\", BASE64_STANDARD.encode(text));
    Ok(passed_through(&plain, multiplexer))
}

/// Returns a sequence in the form that a multiplexer passes on to its terminal.
pub(super) fn passed_through(plain: &str, multiplexer: Multiplexer) -> String {
    match multiplexer {
        Multiplexer::None => plain.to_owned(),
        Multiplexer::Tmux => format!("\x1bPtmux;{}\x1b\\", plain.replace('\x1b', "\x1b\x1b")),
        Multiplexer::Screen => chunked(plain),
    }
}

/// Splits a sequence into strings that GNU screen passes on. A string ends at an ST, so the two
/// characters of the sequence's own ST are in different strings.
fn chunked(plain: &str) -> String {
    let (body, end) = plain.split_at(plain.len().saturating_sub(1));
    let chunks = body.as_bytes().chunks(SCREEN_CHUNK_BYTES).chain([end.as_bytes()]);
    chunks.fold(String::new(), |all, chunk| {
        all + "\x1bP" + &String::from_utf8_lossy(chunk) + "\x1b\\"
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn multiplexer_is_detected_from_the_environment() {
        let by = |set: &[(&str, &str)]| {
            multiplexer_from_env(|name| {
                set.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(v))
            })
        };
        assert_eq!(by(&[]), Multiplexer::None);
        assert_eq!(by(&[("TERM", "xterm-256color"), ("TMUX", "")]), Multiplexer::None);
        // tmux sets TERM to `screen…` by default.
        let tmux = [("TERM", "screen-256color"), ("TMUX", "/tmp/tmux-0/default,1,0")];
        assert_eq!(by(&tmux), Multiplexer::Tmux);
        assert_eq!(
            by(&[("TERM", "tmux-256color")]),
            Multiplexer::Tmux,
            "over ssh only TERM is set"
        );
        assert_eq!(by(&[("TERM", "xterm"), ("STY", "1.pts-0.host")]), Multiplexer::Screen);
        assert_eq!(by(&[("TERM", "screen.xterm-256color")]), Multiplexer::Screen);
    }

    #[test]
    fn sequences_match_byte_for_byte() {
        let sent = |through| sequence("hi", through).unwrap();
        assert_eq!(sent(Multiplexer::None), "\x1b]52;c;aGk=\x1b\\");
        assert_eq!(sent(Multiplexer::Tmux), "\x1bPtmux;\x1b\x1b]52;c;aGk=\x1b\x1b\\\x1b\\");
        assert_eq!(sent(Multiplexer::Screen), "\x1bP\x1b]52;c;aGk=\x1b\x1b\\\x1bP\\\x1b\\");
    }

    #[test]
    fn text_over_the_limit_is_refused() {
        let text = "x".repeat(MAX_TEXT_BYTES);
        assert_eq!(sequence(&text, Multiplexer::None).unwrap().len(), 98_668 + 9);
        let reason = sequence(&(text + "x"), Multiplexer::None).unwrap_err();
        assert_eq!(reason, ProgramError::LongText { bytes: 74_001 });
    }

    /// Returns the text that GNU screen passes on (its `STRESC` state: an Esc before the last Esc is a
    /// part of the string).
    fn passed_on(sent: &str) -> String {
        let mut out = String::new();
        for string in sent.split("\x1bP").skip(1) {
            let string = string.strip_suffix("\x1b\\").unwrap();
            assert!(!string.contains("\x1b\\"), "ends early: {string:?}");
            assert!(string.len() <= SCREEN_CHUNK_BYTES);
            out.push_str(string);
        }
        out
    }

    proptest! {
        #[test]
        fn screen_passes_on_the_whole_sequence(text in "[a-zé]{0,2000}") {
            let sent = sequence(&text, Multiplexer::Screen).unwrap();
            prop_assert_eq!(passed_on(&sent), sequence(&text, Multiplexer::None).unwrap());
        }
    }
}

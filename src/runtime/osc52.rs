//! The clipboard through the terminal (OSC 52), and through what may stand before it.

use std::env;
use std::ffi::OsString;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::msg::Multiplexer;

/// The most that is sent: several terminals drop an OSC 52 of more than 100 kB without a word, and
/// base64 adds a third.
const MAX_TEXT_BYTES: usize = 74_000;
/// Older GNU screens drop a string of more than 256 bytes; four of them are its two ends.
const SCREEN_CHUNK_BYTES: usize = 252;

/// What stands between this program and the terminal, as the environment says.
pub(super) fn detect_multiplexer() -> Multiplexer {
    multiplexer_from_env(|name| env::var_os(name))
}

fn multiplexer_from_env(variable: impl Fn(&str) -> Option<OsString>) -> Multiplexer {
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

/// The bytes that put a text on the clipboard; the error says why there are none.
pub(super) fn sequence(text: &str, through: Multiplexer) -> Result<String, String> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(format!("{} bytes are too many for the terminal (OSC 52)", text.len()));
    }
    // Ended by ST and not by BEL, which rings where the rest is not understood.
    let plain = format!("\x1b]52;c;{}\x1b\\", BASE64_STANDARD.encode(text));
    Ok(match through {
        Multiplexer::None => plain,
        Multiplexer::Tmux => format!("\x1bPtmux;{}\x1b\\", plain.replace('\x1b', "\x1b\x1b")),
        Multiplexer::Screen => chunked(&plain),
    })
}

/// As strings that GNU screen hands on. Its own would end at the ST within, so the two characters of
/// that one go in different strings.
fn chunked(plain: &str) -> String {
    let (body, end) = plain.split_at(plain.len().saturating_sub(1));
    let pieces = body.as_bytes().chunks(SCREEN_CHUNK_BYTES).chain([end.as_bytes()]);
    pieces.fold(String::new(), |all, piece| {
        all + "\x1bP" + &String::from_utf8_lossy(piece) + "\x1b\\"
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_environment_says_what_is_between() {
        let by = |set: &[(&str, &str)]| {
            multiplexer_from_env(|name| {
                set.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(v))
            })
        };
        assert_eq!(by(&[]), Multiplexer::None);
        assert_eq!(by(&[("TERM", "xterm-256color"), ("TMUX", "")]), Multiplexer::None);
        // tmux says `screen` of itself, if it is not told otherwise.
        let tmux = [("TERM", "screen-256color"), ("TMUX", "/tmp/tmux-0/default,1,0")];
        assert_eq!(by(&tmux), Multiplexer::Tmux);
        assert_eq!(
            by(&[("TERM", "tmux-256color")]),
            Multiplexer::Tmux,
            "over ssh only TERM is left"
        );
        assert_eq!(by(&[("TERM", "xterm"), ("STY", "1.pts-0.host")]), Multiplexer::Screen);
        assert_eq!(by(&[("TERM", "screen.xterm-256color")]), Multiplexer::Screen);
    }

    #[test]
    fn to_the_byte() {
        let of = |through| sequence("hi", through).unwrap();
        assert_eq!(of(Multiplexer::None), "\x1b]52;c;aGk=\x1b\\");
        assert_eq!(of(Multiplexer::Tmux), "\x1bPtmux;\x1b\x1b]52;c;aGk=\x1b\x1b\\\x1b\\");
        assert_eq!(of(Multiplexer::Screen), "\x1bP\x1b]52;c;aGk=\x1b\x1b\\\x1bP\\\x1b\\");
    }

    #[test]
    fn what_is_too_long_is_not_sent() {
        let text = "x".repeat(MAX_TEXT_BYTES);
        assert_eq!(sequence(&text, Multiplexer::None).unwrap().len(), 98_668 + 9);
        let why = sequence(&(text + "x"), Multiplexer::None).unwrap_err();
        assert_eq!(why, "74001 bytes are too many for the terminal (OSC 52)");
    }

    /// What GNU screen hands on of what it is sent (its `STRESC` state: an Esc before the last Esc is
    /// a part of the string).
    fn handed_on(sent: &str) -> String {
        let mut out = String::new();
        for string in sent.split("\x1bP").skip(1) {
            // A piece that ends in Esc, or one whose first character is the Esc of the sequence.
            let string = string.strip_suffix("\x1b\\").unwrap();
            assert!(!string.contains("\x1b\\"), "it would end here: {string:?}");
            assert!(string.len() <= SCREEN_CHUNK_BYTES);
            out.push_str(string);
        }
        out
    }

    proptest! {
        #[test]
        fn screen_hands_on_the_whole(text in "[a-zé]{0,2000}") {
            let sent = sequence(&text, Multiplexer::Screen).unwrap();
            prop_assert_eq!(handed_on(&sent), sequence(&text, Multiplexer::None).unwrap());
        }
    }
}

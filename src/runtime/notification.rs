//! Notifications by the terminal: its bell, or a desktop notification (OSC 9, OSC 777).

use std::env;
use std::io::Write;

use super::osc52::{multiplexer_from_env, passed_through};
use crate::app_message::{Multiplexer, NotificationMethod};
use crate::sanitize::SafeText;

/// Maximum size of a notification's text.
const MAX_TEXT_CHARS: usize = 200;

/// Notifies the user of a text.
pub fn notify(method: NotificationMethod, text: &str, terminal: &mut impl Write) {
    let multiplexer = multiplexer_from_env(|name| env::var_os(name));
    let sent = terminal.write_all(sequence(method, text, multiplexer).as_bytes());
    // A notification that cannot be sent is not a reason to end.
    let _ = sent.and_then(|()| terminal.flush());
}

/// Returns the characters that notify the user.
fn sequence(method: NotificationMethod, text: &str, multiplexer: Multiplexer) -> String {
    let text = SafeText::bounded(text, MAX_TEXT_CHARS);
    let plain = match method {
        NotificationMethod::Off => return String::new(),
        NotificationMethod::Bell => return "\x07".to_owned(),
        // A text that began with a digit could be another command of ConEmu.
        NotificationMethod::Osc9 => format!("\x1b]9;chainglass: {text}\x1b\\"),
        // A semicolon would begin another field.
        NotificationMethod::Osc777 => {
            format!("\x1b]777;notify;chainglass;{}\x1b\\", text.replace(';', ","))
        }
    };
    passed_through(&plain, multiplexer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_match_byte_for_byte() {
        let sent = |method, through| sequence(method, "4;1;Bob", through);
        assert_eq!(sent(NotificationMethod::Off, Multiplexer::None), "");
        assert_eq!(sent(NotificationMethod::Bell, Multiplexer::Tmux), "\x07");
        let osc9 = sent(NotificationMethod::Osc9, Multiplexer::None);
        assert_eq!(osc9, "\x1b]9;chainglass: 4;1;Bob\x1b\\");
        let osc777 = sent(NotificationMethod::Osc777, Multiplexer::None);
        assert_eq!(osc777, "\x1b]777;notify;chainglass;4,1,Bob\x1b\\");
        let in_tmux = sent(NotificationMethod::Osc9, Multiplexer::Tmux);
        assert_eq!(in_tmux, "\x1bPtmux;\x1b\x1b]9;chainglass: 4;1;Bob\x1b\x1b\\\x1b\\");
    }

    #[test]
    fn text_from_outside_cannot_end_the_sequence() {
        let hostile = format!("a\x1b\\\x07\u{9c}\n\u{202e}{}", "b".repeat(1_000));
        for method in [NotificationMethod::Osc9, NotificationMethod::Osc777] {
            let sent = sequence(method, &hostile, Multiplexer::None);
            let text = sent.strip_prefix('\x1b').unwrap().strip_suffix("\x1b\\").unwrap();
            assert!(!text.contains(|c: char| c.is_control() || c == '\u{202e}'), "{text:?}");
            assert!(text.chars().count() < MAX_TEXT_CHARS + 40, "{text}");
        }
    }
}

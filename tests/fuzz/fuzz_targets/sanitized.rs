//! Checks of all output.

/// Returns whether a character is allowed in output. This table is independent of the program's own, to compare
/// the two.
fn may_leave(c: char) -> bool {
    let acts = c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{d4e}' | '\u{1100}'..='\u{11ff}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffd}'
            | '\u{1d159}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0000}'..='\u{10ffff}'
        );
    !acts
}

/// Checks that a line has no character that acts on or hides in a terminal, and no tall stacks of marks.
#[track_caller]
pub fn assert_sanitized(line: &str) {
    let mut marks = 0;
    for c in line.chars() {
        assert!(may_leave(c), "{c:?} in {line:?}");
        marks = if matches!(c, '\u{300}'..='\u{36f}') { marks + 1 } else { 0 };
        assert!(marks <= 3, "a stack in {line:?}");
    }
}

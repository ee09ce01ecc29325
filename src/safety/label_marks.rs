//! Marks around the user's own labels, so that a name from the chain cannot pass for one.

use crate::sanitize::SafeText;

/// The marks around a label. No other name contains them.
const LABEL_MARKS: [char; 2] = ['«', '»'];
const MARK_REPLACEMENTS: [char; 2] = ['‹', '›'];

/// Formats one of the user's labels: `«Alice»`.
pub fn decorate(name: &str) -> String {
    let [open, close] = LABEL_MARKS;
    format!("{open}{name}{close}")
}

pub fn escape_label_marks(name: SafeText) -> SafeText {
    if !name.contains(LABEL_MARKS) {
        return name;
    }
    let marks = LABEL_MARKS.into_iter().zip(MARK_REPLACEMENTS);
    let replace = |name: String, (mark, by)| name.replace(mark, &String::from(by));
    marks.fold(name.to_string(), replace).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chain_names_cannot_spoof_labels() {
        assert_eq!(decorate("Alice"), "«Alice»");
        assert_eq!(escape_label_marks("«Alice»".into()), "‹Alice›".into());
        assert_eq!(escape_label_marks("alice.eth".into()), "alice.eth".into());
    }
}

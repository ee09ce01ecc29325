//! The names of labels as one text, so that a search looks at 100,000 of them at once.

use memchr::memmem::Finder;

/// Between two names, which have no control characters.
const SEPARATOR: char = '\n';

/// Names in lower case, including those that have changed since.
#[derive(Debug, Clone, Default)]
pub(super) struct NameText {
    text: String,
    /// The start of each name in the text, and the position of its label.
    starts: Vec<(usize, usize)>,
}

impl NameText {
    pub(super) fn add(&mut self, position: usize, name: &str) {
        self.starts.push((self.text.len(), position));
        self.text.push_str(&name.to_lowercase());
        self.text.push(SEPARATOR);
    }

    /// Returns the positions of the labels with a name that contains a text in lower case, each once.
    pub(super) fn containing(&self, text: &str) -> Vec<usize> {
        let finder = Finder::new(text);
        let (mut positions, mut next, mut starts) = (Vec::new(), 0, &*self.starts);
        while let Some(found) = self.text.as_bytes().get(next..).and_then(|rest| finder.find(rest))
        {
            let (before, after) =
                starts.split_at(starts.partition_point(|(at, _)| *at <= next + found));
            positions.extend(before.last().map(|(_, position)| *position));
            let Some((start, _)) = after.first() else { break };
            (next, starts) = (*start, after);
        }
        positions.sort_unstable();
        positions.dedup();
        positions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_once_each() {
        let mut names = NameText::default();
        for (position, name) in [(3, "Anna"), (1, "Hanna Han"), (2, "Bob"), (3, "Joanna")] {
            names.add(position, name);
        }
        assert_eq!(names.containing("an"), [1, 3]);
        assert_eq!(names.containing("bob"), [2]);
        assert_eq!(names.containing("han"), [1]);
        assert!(names.containing("nab").is_empty(), "never of two names");
        assert_eq!(names.containing(""), [1, 2, 3]);
    }
}

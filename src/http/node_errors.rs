//! Meanings of nodes' errors, whose texts differ. Explorers pass them on.

const REVERT_WORDS: [&str; 4] =
    ["execution reverted", "vm exception", "reverted with", "transaction reverted"];

const PRUNED_WORDS: [&str; 11] = [
    "block not found",
    "header not found",
    "historical state",
    "missing trie node",
    "no state available",
    "pruned",
    "required historical",
    "state is not available",
    "state not available",
    "unknown block",
    "world state unavailable",
];

/// Returns `true` if a call reverted. The rest of the message is a contract's, which must not be able
/// to pass for an error of the node.
pub fn is_revert(message: &str) -> bool {
    contains_any(message, &REVERT_WORDS)
}

/// Returns `true` if the node lacks the state of a block.
pub fn lacks_state(message: &str) -> bool {
    !is_revert(message) && contains_any(message, &PRUNED_WORDS)
}

fn contains_any(message: &str, parts: &[&str]) -> bool {
    let words = message.to_ascii_lowercase();
    parts.iter().any(|part| words.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reason_of_a_revert_is_no_error_of_the_node() {
        for (message, expected) in [
            ("Missing trie node 12ab (path )", true),
            ("State already pruned", true),
            ("execution reverted: unknown block", false),
            ("VM Exception while processing transaction: header not found", false),
            ("method not found", false),
        ] {
            assert_eq!(lacks_state(message), expected, "{message}");
        }
    }
}

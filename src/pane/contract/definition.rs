//! Finds the definition of a function in source code.

/// Lines that the head of a function may have.
const MAX_HEAD_LINES: usize = 40;

/// Returns the line where a function of a contract is defined: in the contract itself, else in the
/// first of the others, from which it is inherited. A declaration without a body is none.
pub(super) fn find_definition(lines: &[&str], contract: &str, function: &str) -> Option<usize> {
    let is_head = |line: &&str| {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
        words.any(|word| word == "contract" || word == "library") && words.next() == Some(contract)
    };
    let start = lines.iter().position(is_head).unwrap_or(0);
    let rest = lines.get(start..).unwrap_or_default();
    let end = rest.iter().position(|line| line.starts_with('}')).map_or(lines.len(), |n| start + n);
    let defines = |at: &usize| lines.get(*at..).is_some_and(|rest| is_definition(rest, function));
    (start..end).find(defines).or_else(|| (0..lines.len()).find(defines))
}

fn is_definition(lines: &[&str], function: &str) -> bool {
    let Some(line) = lines.first().map(|line| line.trim_start()) else { return false };
    let has_name = |rest: &str| rest.strip_prefix(function).is_some_and(|it| it.starts_with('('));
    let is_special = matches!(function, "constructor" | "receive" | "fallback");
    if line.strip_prefix("def ").is_some_and(has_name) {
        return true;
    }
    let is_named = line.strip_prefix("function ").is_some_and(has_name);
    let mut marks = lines.iter().take(MAX_HEAD_LINES).flat_map(|line| line.chars());
    (is_named || (is_special && has_name(line)))
        && marks.find(|c| matches!(c, '{' | ';')) == Some('{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_in_their_contract() {
        let lines = [
            "interface IVault {",
            "    function pay(uint256 amount) external;",
            "}",
            "abstract contract Base {",
            "    function pay(uint256 amount) external { pay(1); }",
            "    function base(",
            "        uint256 amount",
            "    ) public {",
            "    }",
            "}",
            "contract Vault is Base {",
            "    constructor() {}",
            "    function pay(uint256 amount) external override {",
            "    }",
            "}",
            "def vyper():",
        ];
        for (contract, function, line) in [
            ("Vault", "pay", Some(12)),
            ("Base", "pay", Some(4)),
            ("Vault", "base", Some(5)),
            ("Vault", "constructor", Some(11)),
            ("", "vyper", Some(15)),
            ("Vault", "receive", None),
            ("Vault", "pa", None),
        ] {
            assert_eq!(find_definition(&lines, contract, function), line, "{contract}.{function}");
        }
    }
}

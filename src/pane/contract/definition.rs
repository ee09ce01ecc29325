//! Finds the definition of a function, an event or an error in source code.

use std::ops::Range;

/// Lines that the head of a function may have.
const MAX_HEAD_LINES: usize = 40;
/// Contracts that a definition is searched in.
const MAX_CONTRACTS: usize = 64;

/// Returns the line that defines a name in one of these contracts: in one of them itself, else in the
/// contracts that it inherits from, else in the first of the others. A function without a body is only declared.
pub(super) fn find_definition(lines: &[&str], contracts: &[&str], name: &str) -> Option<usize> {
    let defines = |at: &usize| lines.get(*at..).is_some_and(|rest| is_definition(rest, name));
    let mut seen: Vec<String> = contracts.iter().map(|contract| (*contract).to_owned()).collect();
    let mut next = 0;
    while let Some(contract) = seen.get(next) {
        let range = lines_of_contract(lines, contract);
        if let Some(line) = range.clone().and_then(|mut range| range.find(defines)) {
            return Some(line);
        }
        let inherited = range.map(|range| bases(lines.get(range).unwrap_or_default()));
        for base in inherited.unwrap_or_default() {
            if seen.len() < MAX_CONTRACTS && !seen.contains(&base) {
                seen.push(base);
            }
        }
        next += 1;
    }
    (0..lines.len()).find(defines)
}

/// Returns the contracts that a contract with these lines inherits from, the most derived first.
fn bases(contract: &[&str]) -> Vec<String> {
    let head = contract.iter().take(MAX_HEAD_LINES).copied().collect::<Vec<_>>().join(" ");
    let head = head.split('{').next().unwrap_or_default();
    let Some((_, list)) = head.split_once(" is ") else { return Vec::new() };
    // Constructors' arguments stand after the names: `is Base(1, 2), Other`.
    let mut depth = 0_i32;
    let list: String = list
        .chars()
        .filter(|c| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth == 0 && *c != ')'
        })
        .collect();
    let names = list.rsplit(',').filter_map(|base| words(base).last());
    names.map(str::to_owned).collect()
}

/// Returns the lines of a contract, from its name on.
pub(super) fn lines_of_contract(lines: &[&str], contract: &str) -> Option<Range<usize>> {
    let start = lines.iter().position(|line| {
        let mut words = words(if line.contains(contract) { line } else { "" });
        words.any(|word| word == "contract" || word == "library") && words.next() == Some(contract)
    })?;
    let rest = lines.get(start..).unwrap_or_default();
    let end = rest.iter().position(|line| line.starts_with('}')).map_or(lines.len(), |n| start + n);
    Some(start..end)
}

/// Returns the words of a line.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    words.filter(|word| !word.is_empty())
}

fn is_definition(lines: &[&str], name: &str) -> bool {
    let line = lines.first().map_or("", |line| line.trim_start());
    if !line.contains(name) || line.starts_with(['/', '*', '#']) {
        return false;
    }
    let has_name = |rest: &str| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('('));
    let is_special = matches!(name, "constructor" | "receive" | "fallback");
    let after = |keyword| line.strip_prefix(keyword).is_some_and(has_name);
    if ["def ", "event ", "error "].into_iter().any(after) {
        return true;
    }
    if after("function ") || (is_special && has_name(line)) {
        let mut marks = lines.iter().take(MAX_HEAD_LINES).flat_map(|line| line.chars());
        return marks.find(|c| matches!(c, '{' | ';')) == Some('{');
    }
    is_public_variable(line, name)
}

/// Returns `true` if a line declares a variable whose getter has this name.
fn is_public_variable(line: &str, name: &str) -> bool {
    let statement = line.split(';').next().unwrap_or_default();
    let declared = statement.split(" = ").next().unwrap_or_default();
    let is_public = words(declared).any(|word| word == "public");
    let is_function = words(line).next() == Some("function");
    let is_named = words(declared).last() == Some(name)
        || declared.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(':'));
    is_public && !is_function && is_named && line.contains([';', '=', ':'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inherited_definitions_are_found_along_the_bases() {
        let lines = [
            "contract ERC20 {",
            "    function balanceOf(address owner) public {",
            "    }",
            "    function name() public {",
            "    }",
            "}",
            "contract ERC721 is Base {",
            "    function balanceOf(address owner) public {",
            "    }",
            "}",
            "contract Base {",
            "    function name() public {",
            "    }",
            "}",
            "contract Badge is",
            "    Ownable(msg.sender, (1)),",
            "    lib.ERC721(\"Badge\", \"BDG\")",
            "{",
            "}",
        ];
        let found = |name| find_definition(&lines, &["Badge"], name);
        assert_eq!([found("balanceOf"), found("name")], [Some(7), Some(11)]);
        assert_eq!(find_definition(&lines, &["Other"], "name"), Some(3), "of an unknown contract");
    }

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
            "    mapping(address => uint256) public balanceOf; // balance",
            "    // the public total;",
            "    uint256 public immutable total = sum(total);",
            "owner: public(address)",
            "    event Paid(address indexed to);",
            "error Unpaid(uint256);",
        ];
        for (contract, function, line) in [
            ("Vault", "pay", Some(12)),
            ("Base", "pay", Some(4)),
            ("Vault", "base", Some(5)),
            ("Vault", "constructor", Some(11)),
            ("", "vyper", Some(15)),
            ("Vault", "receive", None),
            ("Vault", "pa", None),
            ("", "balanceOf", Some(16)),
            ("", "total", Some(18)),
            ("", "sum", None),
            ("", "owner", Some(19)),
            ("", "Paid", Some(20)),
            ("Vault", "Unpaid", Some(21)),
        ] {
            assert_eq!(
                find_definition(&lines, &["Other", contract], function),
                line,
                "{contract}.{function}"
            );
        }
    }
}

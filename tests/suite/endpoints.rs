//! The manual's table of endpoints: all of the API, and all that the program uses.

use std::collections::HashSet;
use std::fs;
use std::io::Write as _;

use super::architecture::root;
use super::fault_cases::queries;

fn manual() -> String {
    fs::read_to_string(root().join("assets/manual/endpoints.md")).unwrap()
}

/// The endpoints in the first column of tables.
fn documented(tables: &str) -> HashSet<String> {
    let rows = tables.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.map(|row| row.split(" | ").next().unwrap());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// The paths with a GET of a specification, which has them in the form of `  /v2/blocks:`.
fn openapi_paths(file: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut path = "";
    for line in file.lines() {
        let is_path = line.starts_with("  /") && line.ends_with(':');
        if is_path {
            path = line.trim().trim_end_matches(':');
        } else if line == "    get:" {
            paths.push(path.to_owned());
        }
    }
    paths
}

/// Writes a path as the manual does: `addresses/{a}/logs`.
fn manual_name(path: &str) -> String {
    let (path, is_v2) = match path.strip_prefix("/v2/") {
        Some(path) => (path.trim_end_matches('/'), true),
        None => (path, false),
    };
    let short = |part: &str| match part {
        "{address_hash_param}" => "{a}".to_owned(),
        "{transaction_hash_param}" | "{operation_hash_param}" => "{h}".to_owned(),
        "{token_id_param}" | "{uuid_param}" => "{id}".to_owned(),
        part if part.starts_with('{') && part.contains("number") => "{n}".to_owned(),
        part => part.to_owned(),
    };
    assert!(is_v2 || path.starts_with('/'), "{path}");
    path.split('/').map(short).collect::<Vec<_>>().join("/")
}

#[test]
fn manual_lists_every_endpoint_of_the_api_and_no_other() {
    let manual = manual();
    let (of_api, _) = manual.split_once("\n## ").unwrap();
    let documented = documented(of_api);
    let mut names = HashSet::new();
    for chain in ["default", "ethereum", "optimism"] {
        let file = root().join(format!("../shared/spec/openapi/11.2.7/{chain}/swagger.yaml"));
        let Ok(text) = fs::read_to_string(&file) else {
            let skipped = format!("skipped: there is no {}\n", file.display());
            return std::io::stderr().write_all(skipped.as_bytes()).unwrap();
        };
        for path in openapi_paths(&text) {
            let name = manual_name(&path);
            assert!(documented.contains(&name), "{path} is not in assets/manual/endpoints.md");
            names.insert(name);
        }
    }
    assert!(names.len() > 100, "only {} paths found", names.len());
    let others: Vec<_> = documented.difference(&names).collect();
    assert!(others.is_empty(), "not in the specification: {others:?}");
}

#[test]
fn manual_lists_every_endpoint_of_the_program() {
    let documented = documented(&manual());
    let mut checked = 0;
    for (query, _) in queries().into_iter().filter(|(query, _)| query.method() == "GET") {
        let path = query.path();
        let Some(path) = path.strip_prefix("api/v2/") else { continue };
        let mut parts: Vec<&str> = path.split('/').collect();
        for n in 0..parts.len() {
            parts[n] = match parts[n] {
                part if part.starts_with("0x") && part.len() == 42 => "{a}",
                part if part.starts_with("0x") => "{h}",
                part if part.parse::<u64>().is_err() => part,
                _ if parts[n - 1] == "instances" => "{id}",
                _ => "{n}",
            };
        }
        let name = parts.join("/");
        assert!(documented.contains(&name), "{name} is not in assets/manual/endpoints.md");
        checked += 1;
    }
    assert!(checked > 50, "only {checked} endpoints found");
}

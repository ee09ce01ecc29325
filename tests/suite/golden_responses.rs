//! Compares the demo server's responses with bodies in the format of the real server.
//!
//! `tests/data/golden/index.json` has the request path of each body, with a page size of ten.

use std::{fs, path::Path};

use serde::Deserialize;
use serde_json::Value;

use crate::demo_server_client::{Page, demo_server};

#[derive(Deserialize)]
struct Entry {
    file: String,
    path: String,
    status: u16,
}

#[test]
fn demo_server_matches_recorded_responses() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden");
    let index = fs::read_to_string(folder.join("index.json")).unwrap();
    let entries: Vec<Entry> = serde_json::from_str(&index).unwrap();
    assert!(entries.len() > 70, "{}", entries.len());
    let server = demo_server(10);
    for Entry { file, path, status } in entries {
        let golden = fs::read_to_string(folder.join(&file)).unwrap();
        let (ours, body) = server.get(&path);
        assert_eq!(ours, status, "{file}: {body}");
        assert_same_json(&file, &golden, &body);
        assert_same_cursor(&file, &golden, &body);
    }
}

fn assert_same_json(file: &str, golden: &str, body: &str) {
    let golden: Value = serde_json::from_str(golden).unwrap();
    let mut body: Value = serde_json::from_str(body).unwrap();
    if file.starts_with("error_") {
        body.as_object_mut().map(|answer| answer.remove("code")); // of the embedded server alone
    }
    if let Some(difference) = difference("", &golden, &body) {
        panic!("{file}: {difference}");
    }
}

/// The path of the first difference, because whole bodies would be unreadable.
fn difference(at: &str, golden: &Value, ours: &Value) -> Option<String> {
    match (golden, ours) {
        (Value::Object(golden), Value::Object(ours)) => {
            let keys = golden.keys().chain(ours.keys());
            keys.into_iter().find_map(|key| match (golden.get(key), ours.get(key)) {
                (Some(golden), Some(ours)) => difference(&format!("{at}/{key}"), golden, ours),
                (golden, ours) => Some(format!("{at}/{key}: {golden:?} became {ours:?}")),
            })
        }
        (Value::Array(golden), Value::Array(ours)) if golden.len() == ours.len() => {
            let pairs = golden.iter().zip(ours).enumerate();
            pairs
                .into_iter()
                .find_map(|(row, (golden, ours))| difference(&format!("{at}/{row}"), golden, ours))
        }
        _ => (golden != ours).then(|| format!("{at}: {golden} became {ours}")),
    }
}

/// Compares cursors as text, because JSON values round numbers of 78 digits.
fn assert_same_cursor(file: &str, golden: &str, body: &str) {
    let (Ok(golden), Ok(body)) = (serde_json::from_str(golden), serde_json::from_str(body)) else {
        return;
    };
    let (golden, body): (Page, Page) = (golden, body);
    assert_eq!(golden.cursor(), body.cursor(), "{file}");
}

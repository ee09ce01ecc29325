//! The commands `serve` and `get`.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use super::demo_items::{BATCH_TRANSFER, RECURSOR, SWALLOW_ALL, SWAP, THROWER};
use super::fake_server::{fake_server, json, page};
use super::scripted_node::{node_with, recorded_answer};
use super::session::{ALICE, UNUSABLE_DIR};

const PROGRAM: &str = env!("CARGO_BIN_EXE_chainglass");

#[test]
fn serve_prints_its_address_and_shuts_down_cleanly() {
    for signal in ["TERM", "INT"] {
        let mut serve = Command::new(PROGRAM)
            .args(["serve", "--page-size", "7"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut base = String::new();
        BufReader::new(serve.stdout.take().unwrap()).read_line(&mut base).unwrap();
        let host = base.trim().strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        let request =
            format!("GET /api/v2/addresses/{ALICE}/transactions HTTP/1.1\r\nHost: {host}\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(
            answer.starts_with("HTTP/1.1 200") && answer.contains("\"items_count\":7"),
            "{answer}"
        );
        let pid = serve.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
        assert_eq!(serve.wait().unwrap().code(), Some(0), "{signal}");
    }
}

fn get(args: &[&str]) -> Vec<String> {
    let output =
        Command::new(PROGRAM).args(["--chain", "demo", "get"]).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn outcomes_are_a_column_of_tables() {
    for (list, title, failed, width) in [
        (["transactions", ALICE], "status  ", "✗ failed ", 9),
        (["internal", SWALLOW_ALL], "status  ", "✗ StateChangeDuringStaticCall ", 29),
    ] {
        let lines = get(&[&list[..], &["--all"]].concat());
        assert!(lines[0].starts_with(title), "{}", lines[0]);
        assert!(lines.iter().any(|line| line.starts_with(failed)), "{list:?}");
        assert!(lines.iter().all(|line| line.chars().nth(width) == Some(' ')), "{list:?}");
    }
}

#[test]
fn one_object_has_the_columns_of_lists() {
    let token = "0x712516e61C8B383dF4A63CFe83d7701Bce54B03e";
    for (object, subject, columns) in [
        ("transaction", SWAP, "status,"),
        ("address", ALICE, "address,address_name,balance_wei,is_contract,"),
        ("token", token, "token_symbol,token_name,token_contract,"),
        ("block", "5", "block_number,timestamp,"),
    ] {
        let csv = get(&[object, subject, "--format", "csv"]);
        assert!(csv.len() == 2 && csv[0].starts_with(columns), "{csv:?}");
        let jsonl = get(&[object, subject, "--format", "jsonl"]);
        assert!(jsonl.len() == 1 && jsonl[0].starts_with('{'), "{jsonl:?}");
        assert_eq!(get(&[object, subject]).len(), 2, "{object}");
    }
    let args = ["--chain", "demo", "get", "transactions", SWAP];
    let output = Command::new(PROGRAM).args(args).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("`get transaction`"), "{stderr}");
}

#[test]
fn approvals_stand_in_the_order_of_their_risk() {
    for limit in [&[][..], &["--limit", "4"]] {
        let lines = get(&[&["approvals", ALICE], limit].concat());
        let tokens = lines.iter().filter_map(|line| {
            line.split_whitespace().find(|word| ["WTH", "GLD", "SAT", "NIL", "RAY"].contains(word))
        });
        assert_eq!(tokens.collect::<Vec<_>>()[..4], ["WTH", "GLD", "GLD", "SAT"], "{lines:?}");
    }
}

#[test]
fn get_all_returns_every_row_once() {
    let gns = "0x712516e61C8B383dF4A63CFe83d7701Bce54B03e";
    for (list, rows) in [
        (vec!["transactions", ALICE], 826),
        (vec!["transactions", "0xbcd4042de499d14e55001ccbb24a551f3b954096"], 50),
        (vec!["transactions", "0x71be63f3384f5fb98995898a86b02fb2426c5788"], 51),
        (vec!["transactions", "0x9999999999999999999999999999999999999999"], 0),
        (vec!["activity", ALICE], 3089),
        (vec!["token-transfers", ALICE], 2238),
        (vec!["token-transfers"], 3563),
        (vec!["token-transfers", "0x5050505050505050505050505050505050505050"], 50),
        (vec!["token-transfers", "0x5151515151515151515151515151515151515151"], 51),
        (vec!["token-transfers", "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"], 100),
        (vec!["internal-transactions", "0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0"], 50),
        (vec!["internal-transactions", "0xb1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1"], 51),
        (vec!["internal-transactions", RECURSOR], 17_378),
        (vec!["transfers", SWAP], 5),
        (vec!["internal", SWAP], 25),
        (vec!["logs", SWAP], 14),
        (vec!["logs", RECURSOR], 0),
        (vec!["state", SWAP], 12),
        (vec!["instances", gns], 120),
        (vec!["nft-collections", ALICE], 58),
    ] {
        let lines = get(&[&list[..], &["--all", "--format", "jsonl"]].concat());
        assert_eq!(lines.len(), rows, "{list:?}");
        let different: std::collections::HashSet<&String> = lines.iter().collect();
        assert_eq!(different.len(), rows, "{list:?}: no row twice");
    }
}

#[test]
fn empty_list_is_a_sentence_instead_of_a_head() {
    for (format, head) in [("table", ""), ("jsonl", ""), ("csv", "status,")] {
        let args = ["--chain", "demo", "get", "pending", "--format", format];
        let output = Command::new(PROGRAM).args(args).output().unwrap();
        let [out, err] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        assert_eq!((err.as_str(), output.status.code()), ("no pending transactions\n", Some(0)));
        assert!(out.starts_with(head) && out.is_empty() == head.is_empty(), "{format}: {out}");
    }
}

#[test]
fn get_selects_rows_by_words() {
    let rows = |args: &[&str]| csv_column(&[&["transactions", ALICE], args].concat(), "status");
    let failed = rows(&[]).iter().filter(|status| *status == "failed").count();
    let found = rows(&["--matching", "status:failed"]);
    assert!(failed > 3 && found.len() == failed && found.iter().all(|status| status == "failed"));
    assert_eq!(rows(&["--limit", "3", "--matching", "status:failed"]).len(), 3);
    let args = ["--chain", "demo", "get", "transactions", ALICE, "--matching", "to:0xabcdef"];
    let output = Command::new(PROGRAM).args(args).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && output.stdout.is_empty());
    assert!(stderr.contains("no match for \"to:0xabcdef\" in 826 transactions"), "{stderr}");
}

/// Rows of holders lack the decimals of their token.
#[test]
fn all_formats_select_the_same_holders() {
    let gld = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
    let count = |format: &str, matching: &str| {
        let list = ["holders", gld, "--all", "--format", format, "--matching", matching];
        let heads = usize::from(matches!(format, "table" | "csv"));
        get(&list).len().saturating_sub(heads)
    };
    for matching in ["amount:>1000000", "share:>2"] {
        let selected = count("table", matching);
        let all = get(&["holders", gld, "--all", "--format", "jsonl"]).len();
        assert!(0 < selected && selected < all, "{matching}: {selected} of {all}");
        for format in ["csv", "jsonl"] {
            assert_eq!(count(format, matching), selected, "{matching} {format}");
        }
    }
}

#[test]
fn get_sorts_rows_by_a_column() {
    let values = |sort: &[&str]| -> Vec<u128> {
        let list = ["transactions", ALICE, "--limit", "60"];
        let column = csv_column(&[&list[..], sort].concat(), "value_wei");
        column.iter().map(|value| value.parse().unwrap()).collect()
    };
    let mut expected = values(&[]);
    expected.sort_unstable();
    assert!(expected.first() < expected.last());
    assert_eq!(values(&["--sort", "value:asc"]), expected);
    expected.reverse();
    assert_eq!(values(&["--sort", "value"]), expected);
    for option in [["--sort", "amout"], ["--matching", "fee:>x"]] {
        let list = ["--chain", "demo", "get", "transactions", ALICE];
        let output = Command::new(PROGRAM).args(list).args(option).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{option:?}");
    }
}

#[test]
fn rows_of_the_last_page_beyond_the_limit_are_more() {
    let server = fake_server(|_, _| {
        let row = |number: u8| format!(r#"{{"hash":"{number:#066x}","status":"error"}}"#);
        page(&(0..60).map(row).collect::<Vec<_>>().join(","), "null")
    });
    for (options, has_more) in [
        (&["--matching", "status:failed"][..], true),
        (&["--sort", "value"], true),
        (&[], true),
        (&["--matching", "status:ok"], false),
    ] {
        let output = Command::new(PROGRAM)
            .args(["--no-cache", "--chain", server.base().as_str(), "get", "transactions", ALICE])
            .args(options)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr.contains("50 rows"), has_more, "{options:?}: {stderr}");
    }
}

#[test]
fn pages_after_the_searched_times_are_not_requested() {
    let server = fake_server(|_, before| {
        let row = format!(r#"{{"hash":"{before:#066x}","timestamp":"2020-01-01T00:00:00Z"}}"#);
        page(&row, &format!(r#"{{"index":{before}}}"#))
    });
    let list = ["get", "transactions", ALICE, "--all", "--matching", "date:>2030-01-01"];
    let output = Command::new(PROGRAM)
        .args(["--no-cache", "--chain", server.base().as_str()])
        .args(list)
        .output()
        .unwrap();
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    let lists = server.requests().into_iter().filter(|one| one.path().ends_with("/transactions"));
    assert_eq!(lists.count(), 1);
}

#[test]
fn csv_without_rows_has_its_header() {
    let whole = get(&["blocks", "--format", "csv", "--limit", "1"]);
    let none = ["blocks", "--format", "csv", "--limit", "1", "--matching", "block:<0"];
    assert_eq!(get(&none), whole[..1]);
}

#[test]
fn csv_of_transactions_has_nonces_and_prices() {
    let lines = get(&["transactions", ALICE, "--limit", "1", "--format", "csv"]);
    assert!(lines[0].starts_with("status,error,has_inner_failures,"), "{}", lines[0]);
    assert!(lines[0].contains(",nonce,"), "{}", lines[0]);
    assert!(
        lines[0]
            .ends_with(",max_fee_per_gas_wei,gas_price_wei,gas_used,fee_token,token_fee,warnings"),
        "{}",
        lines[0]
    );
    let gas_price = lines[1].rsplit(',').nth(4).unwrap();
    assert!(gas_price.parse::<u64>().unwrap() > 0, "{}", lines[1]);
}

#[test]
fn csv_of_failed_transactions_has_their_reasons() {
    let errors = csv_column(&["transactions", THROWER], "error");
    for reason in ["Panic(0x01): assertion failed", "Bad instruction"] {
        assert!(errors.iter().any(|error| error == reason), "{reason}: {errors:?}");
    }
    assert!(errors.iter().any(|error| error.contains("0xda472023")), "{errors:?}");
}

#[test]
fn csv_has_the_same_reasons_with_and_without_a_filter() {
    let word = |digits: &str| format!("{digits:0>64}");
    let data = [word("1"), word("40"), word("4"), format!("{:0<64}", "41413231")].concat();
    let row = format!(
        r#"{{"hash":"0x{}","status":"error","result":"Reverted","block_number":5,
            "from":{{"hash":"{ALICE}"}},"to":{{"hash":"{ALICE}"}},
            "revert_reason":{{"raw":"0x220266b6{data}"}}}}"#,
        "5".repeat(64)
    );
    let server = fake_server(move |_, _| page(&row, "null"));
    let csv = |filter: &[&str]| {
        let output = Command::new(PROGRAM)
            .args(["--no-cache", "--chain", server.base().as_str(), "get", "transactions", ALICE])
            .args(["--format", "csv"])
            .args(filter)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let all = csv(&[]);
    assert!(all.contains("FailedOp?(1, "), "{all}");
    assert_eq!(all, csv(&["--matching", "reason:FailedOp"]));
}

/// Returns the values of a column of a list.
fn csv_column(list: &[&str], column: &str) -> Vec<String> {
    let all: &[&str] = if list.contains(&"--limit") { &[] } else { &["--all"] };
    let lines = get(&[list, all, &["--format", "csv"]].concat()).join("\n");
    let mut reader = csv::Reader::from_reader(lines.as_bytes());
    let place = reader.headers().unwrap().iter().position(|title| title == column);
    let place = place.unwrap_or_else(|| panic!("no {column} in {list:?}"));
    reader.records().map(|row| row.unwrap()[place].to_owned()).collect()
}

#[test]
fn csv_of_amounts_is_read_as_numbers() {
    for (list, column) in [("balance-history", "delta_wei"), ("state", "change")] {
        let subject = if list == "state" { SWAP } else { ALICE };
        let values = csv_column(&[list, subject], column);
        assert!(values.iter().any(|value| value.starts_with('-')), "{values:?}");
        assert!(values.iter().all(|value| value.parse::<i128>().is_ok()), "{values:?}");
    }
}

#[test]
fn tokens_of_a_batch_are_in_the_order_of_its_event() {
    assert_eq!(csv_column(&["token-transfers", BATCH_TRANSFER], "token_id"), ["92", "110", "116"]);
}

#[test]
fn csv_has_no_decimals_that_were_not_sent() {
    let rows = get(&["token-transfers", ALICE, "--all", "--format", "jsonl"]);
    let sent = rows.iter().map(|row| {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        let [amount, token] = [&row["total"]["decimals"], &row["token"]["decimals"]];
        amount.as_str().or(token.as_str()).unwrap_or_default().to_owned()
    });
    let decimals = csv_column(&["token-transfers", ALICE], "decimals");
    assert_eq!(decimals, sent.collect::<Vec<_>>());
    assert!(decimals.iter().any(String::is_empty) && decimals.iter().any(|sent| sent == "18"));
}

#[test]
fn csv_of_collections_counts_the_items_that_were_not_sent() {
    let [items, left_out, amounts] = ["items", "items_left_out", "amount"]
        .map(|column| csv_column(&["nft-collections", ALICE], column));
    let number = |text: &String| text.parse::<usize>().unwrap();
    for ((items, left_out), amount) in items.iter().zip(&left_out).zip(&amounts) {
        assert!(items.split(' ').all(|item| item.starts_with('#')), "{items}");
        assert_eq!(items.split(' ').count() + number(left_out), number(amount), "{items}");
    }
    assert!(left_out.iter().any(|count| number(count) > 0));
}

#[test]
fn csv_of_all_lists_has_the_same_outcomes() {
    assert!(!csv_column(&["activity", ALICE], "transaction_fee_wei").is_empty());
    for list in ["transactions", "internal-transactions", "activity"] {
        let [outcomes, errors] =
            ["status", "error"].map(|column| csv_column(&[list, ALICE], column));
        let is_known = |text: &String| ["ok", "failed"].contains(&&**text);
        assert!(outcomes.iter().all(is_known), "{list}: {outcomes:?}");
        for (outcome, error) in outcomes.iter().zip(&errors) {
            assert_eq!(outcome == "ok", error.is_empty(), "{list}: {error}");
        }
    }
}

#[test]
fn csv_has_names_as_other_programs_know_them() {
    let names = csv_column(&["token-transfers", ALICE], "from_name");
    assert!(names.iter().any(|name| name == "Pool"));
    assert!(names.iter().all(|name| !name.contains('·')), "no digits of the address");
}

#[test]
fn csv_has_names_after_addresses() {
    let list = |format| get(&["transactions", ALICE, "--limit", "50", "--format", format]);
    let rows: Vec<serde_json::Value> =
        list("jsonl").iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let csv = list("csv");
    assert!(csv[0].contains(",to_or_created,to_or_created_name,"), "{}", csv[0]);
    let named = rows.iter().zip(&csv[1..]).filter_map(|(row, line)| {
        let party = &row["to"];
        Some((party["hash"].as_str()?, party["name"].as_str()?, line))
    });
    let named: Vec<_> = named.collect();
    assert!(!named.is_empty());
    for (address, name, line) in named {
        assert!(line.contains(&format!("\"{address}\",\"")), "{name}: {line}");
    }
}

#[test]
fn filters_of_a_transaction_are_refused() {
    for args in [
        ["internal", SWAP, "--filter", "to"],
        ["transfers", SWAP, "--filter", "to"],
        ["transfers", SWAP, "--type", "erc-20"],
        ["transfers", SWAP, "--token", ALICE],
    ] {
        let output = Command::new(PROGRAM).args(["--chain", "demo", "get"]).args(args).output();
        let output = output.unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains(&format!("{} needs an address", args[2])), "{stderr}");
    }
}

#[test]
fn get_sends_filters() {
    let all = get(&["token-transfers", ALICE, "--all", "--format", "jsonl"]);
    let nfts = all.iter().filter(|line| line.contains("\"token_type\":\"ERC-721\"")).count();
    let asked = get(&["token-transfers", ALICE, "--type", "erc-721", "--all", "--format", "jsonl"]);
    assert_eq!((asked.len(), nfts > 0), (nfts, true));
    let from = get(&["token-transfers", ALICE, "--filter", "from", "--all", "--format", "csv"]);
    let to = get(&["token-transfers", ALICE, "--filter", "to", "--all", "--format", "csv"]);
    let both = all.iter().filter(|l| l.matches(ALICE).count() > 1 && is_self_transfer(l)).count();
    assert_eq!(from.len() - 1 + to.len() - 1, all.len() + both, "transfers to oneself are in both");
}

/// Returns whether Alice is both sender and recipient.
fn is_self_transfer(line: &str) -> bool {
    let row: serde_json::Value = serde_json::from_str(line).unwrap();
    row["from"]["hash"] == ALICE && row["to"]["hash"] == ALICE
}

#[test]
fn get_raw_trace_prints_one_entry_per_line() {
    let lines =
        get(&["raw-trace", "0xdfb1e46155218dee231ecdef3b29a02bcbcbc2f1b216450885f79f4a0c28166c"]);
    assert!(
        lines.len() > 5 && lines.iter().all(|line| line.contains("\"traceAddress\":")),
        "{lines:?}"
    );
}

#[test]
fn blocks_have_the_forms_of_json_rpc() {
    let jsonl = |block: &str| get(&["block", block, "--format", "jsonl"]).join("");
    assert_eq!(jsonl("earliest"), jsonl("0"));
    let transactions = |block: &str| {
        let args = ["--chain", "demo", "get", "transactions", block, "--format", "jsonl"];
        Command::new(PROGRAM).args(args).output().unwrap().stdout
    };
    assert_eq!(transactions("0x5"), transactions("5"));
    assert!(!transactions("0x5").is_empty());
    assert_eq!((jsonl("0x14e"), jsonl("now")), (jsonl("334"), jsonl("latest")));
    let block: serde_json::Value = serde_json::from_str(&jsonl("5")).unwrap();
    let hash = block["hash"].as_str().unwrap();
    assert_eq!(get(&["transactions", hash]), get(&["transactions", "5"]));
    let word = |block: &str| {
        let storage = "0x261d8c5e9742e6f7f1076fa1f560894524e19cad";
        get(&["storage", storage, "2", "--block", block]).join("")
    };
    assert_eq!((word("0x5"), word("latest")), (word("5"), word("334")));
    let args = ["--chain", "demo", "get", "block", "finalized"];
    let output = Command::new(PROGRAM).args(args).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let args = ["--chain", "demo", "get", "tokens", ALICE, "--block", "99999"];
    assert_eq!(Command::new(PROGRAM).args(args).output().unwrap().status.code(), Some(3));
}

#[test]
fn storage_of_a_proxy_has_its_parts() {
    let parts = get(&["storage", "0x261d8c5e9742e6f7f1076fa1f560894524e19cad"]);
    let parts: Vec<serde_json::Value> =
        parts.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let part = |name: &str| {
        let read = parts.iter().find(|part| part["name"] == format!("eip1967.proxy.{name}"));
        read.unwrap()["variables"][0]["value"].clone()
    };
    assert!(part("implementation").as_str().is_some_and(|value| value.len() == 42), "{parts:?}");
    assert!(part("beacon").is_null(), "{parts:?}");
}

#[test]
fn slots_have_labels_as_keys_and_one_that_is_invalid_stops_no_other() {
    let home = tempfile::tempdir().unwrap();
    let labels = home.path().join("chainglass/labels");
    fs::create_dir_all(&labels).unwrap();
    fs::write(labels.join("demo.csv"), format!("{ALICE},Alice\n")).unwrap();
    let key = format!("3[{ALICE}]");
    let args = ["storage", RECURSOR, "3[alice]", "3[Bob]", &key, "4[Eve]"];
    let output = Command::new(PROGRAM)
        .args(["--chain", "demo", "get"])
        .args(args)
        .env("XDG_CONFIG_HOME", home.path())
        .output()
        .unwrap();
    let [lines, notes] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let slots: Vec<_> = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| (line["slot"].clone(), line["number"].clone()))
        .collect();
    assert_eq!(slots.len(), 2, "{lines}");
    assert_eq!(slots[0], ("3[alice]".into(), slots[1].1.clone()));
    assert!(notes.contains("3[Bob]: ") && notes.contains("4[Eve]: "), "{notes}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn columns_are_as_wide_as_the_printed_rows() {
    let table = |limit: &str| get(&["transactions", ALICE, "--limit", limit]);
    let [one, all] =
        ["1", "50"].map(|limit| table(limit).iter().map(|line| line.trim_end().len()).max());
    assert!(one < all, "{one:?} {all:?}");
    assert_eq!(table("1").len(), 2);
}

#[test]
fn json_is_an_array_and_zero_a_digit() {
    let array = get(&["transactions", ALICE, "--limit", "3", "--format", "json"]).join("\n");
    let rows: Vec<serde_json::Value> = serde_json::from_str(&array).unwrap();
    let lines = get(&["transactions", ALICE, "--limit", "3", "--format", "jsonl"]);
    let lines: Vec<serde_json::Value> =
        lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows, lines);
    let unused = "0x9999999999999999999999999999999999999999";
    assert_eq!(get(&["transactions", unused, "--format", "json"]), ["[]"]);
    let genesis = get(&["block", "0"]).join(" ");
    assert!(genesis.contains(" 0 ") && !genesis.contains('⋅'), "{genesis}");
    for (option, tip) in [("--sort", false), ("--no-color", false), ("--formt", true)] {
        let args = ["get", "transactions", option, "x"];
        let output = Command::new(PROGRAM).args(args).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr.contains("tip:"), tip, "{stderr}");
    }
}

#[test]
fn warnings_in_csv_are_the_marks_of_tables() {
    let row = |symbol: &str, reputation: &str| {
        format!(
            r#"{{"type":"token_transfer","total":{{"value":"7","decimals":"6"}},"from":{{"hash":"{ALICE}"}},
                "to":{{"hash":"{ALICE}"}},"token":{{"address_hash":"0x0000000000000000000000000000000000000070",
                "symbol":"{symbol}","name":"Fake","type":"ERC-20","decimals":"6"{reputation}}}}}"#
        )
    };
    let rows = [row("U\u{405}DC", r#","reputation":"scam""#), row("FKE", "")].join(",");
    let server = fake_server(move |_, _| page(&rows, "null"));
    let lines = |format: &str| {
        let output = Command::new(PROGRAM)
            .args(["--no-cache", "--chain", server.base().as_str(), "get", "token-transfers"])
            .args([ALICE, "--format", format])
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let (csv, table) = (lines("csv"), lines("table"));
    assert!(csv.contains("the token's name U\u{405}DC imitates USDC"), "{csv}");
    assert_eq!(csv.matches("the explorer calls this token a scam").count(), 1, "{csv}");
    assert!(table.contains("!U\u{405}DC") && table.contains(" FKE"), "{table}");
    assert!(csv.trim_end().ends_with(','), "nothing is wrong with the last: {csv}");
}

#[test]
fn missing_list_of_a_known_token_is_no_missing_token() {
    for (is_known, why) in [(true, "not found"), (false, "is not a known token")] {
        let server = fake_server(move |request, _| {
            let is_token =
                request.path().ends_with("/tokens/0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
            if is_token && is_known {
                json(200, "{}")
            } else {
                json(404, r#"{"message":"Not found"}"#)
            }
        });
        let output = Command::new(PROGRAM)
            .args(["--no-cache", "--chain", server.base().as_str(), "get", "holders", ALICE])
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).to_lowercase();
        assert_eq!(output.status.code(), Some(3), "{stderr}");
        assert!(stderr.contains(why), "{is_known}: {stderr}");
    }
}

#[test]
fn missing_objects_exit_with_3() {
    let hash = format!("0x{}", "5".repeat(64));
    for (args, why) in [
        (&["get", "transaction", &hash][..], "no such transaction on demo"),
        (&["get", "logs", &hash], "no such transaction on demo"),
        (&["get", "raw-trace", &hash], "no such transaction on demo"),
        (&["get", "block", &hash], "no such block on demo"),
        (&["get", "block", "99999"], "no block 99,999"),
        (&["get", "holders", ALICE], "is not a known token"),
        (&["get", "contract", ALICE], "is not a verified contract"),
        (&["get", "transactions", "unused.eth"], "name not found"),
    ] {
        let output = Command::new(PROGRAM).args(["--chain", "demo"]).args(args).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {stderr}");
        assert!(stderr.contains(why), "{args:?}: {stderr}");
    }
}

#[test]
fn unknown_transaction_is_asked_for_once() {
    let server = fake_server(|_, _| json(404, r#"{"message":"Not found"}"#));
    let output = Command::new(PROGRAM)
        .args(["--no-cache", "--chain", server.base().as_str(), "get", "transaction", SWAP])
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("no such transaction"), "{stderr}");
    let asked = server.requests().into_iter().filter(|request| request.path().ends_with(SWAP));
    assert_eq!(asked.count(), 1);
}

#[test]
fn block_that_was_reorganised_away_is_missing() {
    let hash = format!("0x{}", "5".repeat(64));
    let server = fake_server(|_, _| json(404, r#"{"message":"Block lost consensus"}"#));
    let output = Command::new(PROGRAM)
        .args(["--no-cache", "--chain", server.base().as_str(), "get", "block", &hash])
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(3) && stderr.contains("no such block"), "{stderr}");
}

#[test]
fn missing_path_of_an_explorer_is_no_missing_object() {
    for (message, status, why) in [
        ("Not found", 3, "is not a verified contract"),
        ("Address not found", 3, "is not a verified contract"),
        ("Page not found", 1, "answered 404: Page not found\n"),
        ("Not Found", 1, "answered 404: Not Found\n"),
    ] {
        let server = fake_server(move |_, _| json(404, format!(r#"{{"message":"{message}"}}"#)));
        let output = Command::new(PROGRAM)
            .args(["--no-cache", "--chain", server.base().as_str(), "get", "contract", ALICE])
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{stderr}");
        assert!(stderr.contains(why), "{message}: {stderr}");
    }
}

#[test]
fn what_may_be_in_earlier_blocks_of_a_fork_is_not_missing() {
    let node = node_with(|method, params| {
        let mut response = recorded_answer("anvil", method, params);
        if method == "hardhat_metadata" {
            let fork = serde_json::json!({ "forkBlockNumber": 9, "chainId": 1 });
            response["result"]["forkedNetwork"] = fork;
        }
        response
    });
    let chain = format!("anvil:{}", node.base().port().unwrap());
    let get = |args: &[&str]| {
        let mut program = Command::new(PROGRAM);
        let output = program.args(["--no-cache", "--chain", &chain, "get"]).args(args).output();
        let output = output.unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (_, tokens) = get(&["tokens", ALICE, "--block", "5"]);
    assert!(tokens.contains("after block 5") && !tokens.contains("no block"), "{tokens}");
    let (status, why) = get(&["transaction", &format!("0x{}", "5".repeat(64))]);
    assert!(status == Some(1) && !why.contains("no such"), "{why}");
}

#[test]
fn ages_follow_the_clock_of_a_node_that_is_ahead() {
    let in_two_days = jiff::Timestamp::now().as_second() + 2 * 86_400;
    let node = node_with(move |method, params| {
        let mut answer = recorded_answer("anvil", method, params);
        if answer["result"]["timestamp"].is_string() {
            answer["result"]["timestamp"] = format!("{in_two_days:#x}").into();
        }
        answer
    });
    for chain in [node.base().to_string(), format!("anvil:{}", node.base().port().unwrap())] {
        let args = ["--no-cache", "--chain", &chain, "get", "blocks", "--limit", "1"];
        let output = Command::new(PROGRAM).args(args).output().unwrap();
        let lines = String::from_utf8(output.stdout).unwrap();
        assert_eq!((lines.lines().count(), lines.contains('+')), (2, false), "{lines}");
    }
}

#[test]
fn missing_list_of_a_known_transaction_is_no_missing_transaction() {
    let server = fake_server(|request, _| match request.path() {
        path if path.ends_with(SWAP) => json(200, "{}"),
        _ => json(404, r#"{"message":"Not found"}"#),
    });
    let output = Command::new(PROGRAM)
        .args(["--no-cache", "--chain", server.base().as_str(), "get", "logs", SWAP])
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("404: Not found") && !stderr.contains("no such"), "{stderr}");
}

#[test]
fn usage_errors_exit_with_2() {
    for args in [
        &["get", "transactions", "0xf39Fd6e51aad88"][..],
        &["--chain", "nowhere", "get", "token-transfers"],
        &["get", "token-transfers", "--filter", "to"],
        &["get", "transactions", ALICE, "--limit", "5", "--all"],
        &[ALICE, "serve"],
        &["hello"],
    ] {
        let output =
            Command::new(PROGRAM).args(args).env_remove("CHAINGLASS_CHAIN").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn invalid_variable_is_named() {
    let stderr = |args: &[&str]| {
        let mut program = Command::new(PROGRAM);
        let output = program.args(args).env("CHAINGLASS_UNIT", "xx").output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let of_variable = stderr(&["get", "blocks"]);
    assert!(of_variable.contains("'CHAINGLASS_UNIT'"), "{of_variable}");
    assert!(!of_variable.contains("--unit"), "{of_variable}");
    let of_option = stderr(&["get", "blocks", "--unit", "yy"]);
    assert!(of_option.contains("--unit"), "{of_option}");
}

#[test]
fn usage_is_the_same_with_a_chain_in_a_variable() {
    for (args, usage) in
        [(&["trace"][..], "trace <TRANSACTION>"), (&["get", "token"], "get token <TOKEN>")]
    {
        let stderr = |chain: Option<&str>| {
            let mut program = Command::new(PROGRAM);
            program.args(args).env_remove("CHAINGLASS_CHAIN");
            program.envs(chain.map(|chain| ("CHAINGLASS_CHAIN", chain)));
            String::from_utf8(program.output().unwrap().stderr).unwrap()
        };
        assert_eq!(stderr(Some("demo")), stderr(None), "{args:?}");
        assert!(stderr(None).contains(usage), "{}", stderr(None));
    }
}

#[test]
fn ranges_that_explorers_do_not_keep_are_refused() {
    for (range, refused) in [
        (["--min", "1", "--max", "1"], Some("--max")),
        (["--min", "0", "--max", "0"], Some("--max")),
        (["--since", "2023-11-15", "--until", "2023-11-14"], Some("--until")),
        (["--min", "1", "--max", "2"], None),
    ] {
        let list = ["get", "activity", ALICE, "--chain", "demo", "--limit", "1"];
        let output = Command::new(PROGRAM).args(list).args(range).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(if refused.is_some() { 2 } else { 0 }), "{stderr}");
        assert!(refused.is_none_or(|option| stderr.contains(option)), "{stderr}");
    }
}

#[test]
fn get_takes_links_and_names() {
    let bob = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    let rows = get(&["transactions", bob, "--limit", "2"]);
    for target in ["bob.eth", &format!("https://forum.example/?who={bob}")] {
        let named = get(&["transactions", target, "--limit", "2"]);
        assert_eq!(named, rows, "{target}");
    }
    for (typed, is_doubtful) in
        [(bob, false), (&*bob.to_lowercase(), false), (&*bob.replace('C', "c"), true)]
    {
        let args = ["get", "transactions", typed, "--chain", "demo", "--limit", "1"];
        let stderr = Command::new(PROGRAM).args(args).output().unwrap().stderr;
        let stderr = String::from_utf8_lossy(&stderr);
        assert_eq!(stderr.contains("checksum"), is_doubtful, "{typed}: {stderr}");
    }
    let args = ["get", "tokens", &format!("https://bscscan.com/address/{ALICE}")];
    // A link is on its own chain, whichever chain a script exports.
    let output = Command::new(PROGRAM).args(args).env("CHAINGLASS_CHAIN", "demo").output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("no explorer is known for chain 56"), "{message}");
    let named = [&args[..], &["--chain", "demo", "--limit", "1"]].concat();
    let output =
        Command::new(PROGRAM).args(named).env("CHAINGLASS_CHAIN", "base").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn table_of_tokens_has_their_balances_after_a_block() {
    let head = |args: &[&str]| get(&[&["tokens", ALICE, "--limit", "3"], args].concat())[0].clone();
    assert!(head(&["--block", "100"]).contains(" then"), "{}", head(&["--block", "100"]));
    assert!(!head(&[]).contains(" then"), "{}", head(&[]));
}

#[test]
fn get_takes_the_time_of_a_block() {
    let rows = get(&["block", "0", "--format", "jsonl"]);
    let genesis: serde_json::Value = serde_json::from_str(&rows[0]).unwrap();
    let time = genesis["timestamp"].as_str().unwrap();
    assert_eq!(get(&["block", time, "--format", "jsonl"]), rows);
    let latest = get(&["block", "latest", "--format", "jsonl"]);
    assert_eq!(latest, get(&["block", "334", "--format", "jsonl"]));
    for (time, why) in
        [("2999-01-01", "in the future"), ("1999-01-01", "is before the first block")]
    {
        let args = ["--chain", "demo", "get", "block", time];
        let output = Command::new(PROGRAM).args(args).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && message.contains(why), "{time}: {message}");
    }
}

#[test]
fn addresses_are_whole_where_the_output_is_no_terminal() {
    let is_short = |word: &str| word.starts_with("0x") && word.chars().nth(6) == Some('…');
    for list in ["transactions", "balance-history"] {
        let table = get(&[list, ALICE, "--limit", "5"]).join("\n");
        assert!(table.contains("0x") && !table.split_whitespace().any(is_short), "{table}");
    }
    let args = ["--chain", "demo", "trace", SWAP];
    let output = Command::new(PROGRAM).args(args).output().unwrap();
    let tree = String::from_utf8(output.stdout).unwrap();
    let callee = "0xCE3478A9E0167a6Bc5716DC39DbbbfAc38F27623";
    let words = |c: char| !c.is_alphanumeric() && c != '…';
    assert!(tree.contains(callee) && !tree.split(words).any(is_short), "{tree}");
}

#[test]
fn log_in_a_missing_folder_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("typo/chainglass.log");
    let output = Command::new(PROGRAM).arg("--log").arg(&log).args(["config"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!log.parent().unwrap().exists());
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("No such file"), "{message}");
}

/// Runs the program in a shell with a resource limit.
fn limited(limit: &str, args: &str, output: &str) -> (Option<i32>, String) {
    let script = format!("ulimit {limit} && exec '{PROGRAM}' {args}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).stdin(Stdio::null()).env("RUST_BACKTRACE", "0");
    shell.stdout(File::create(output).unwrap());
    shell.env("XDG_CACHE_HOME", UNUSABLE_DIR).env_remove("CHAINGLASS_CHAIN");
    let output = shell.output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn log_on_stderr_has_the_requests() {
    let server = fake_server(|_, _| page("", "null"));
    let output = Command::new(PROGRAM)
        .args(["--no-cache", "--log", "-", "--chain", server.base().as_str(), "get", "blocks"])
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && output.stdout.is_empty(), "{stderr}");
    assert!(stderr.contains("/api/v2/blocks"), "{stderr}");
}

#[test]
fn full_disks_and_quotas_are_failures() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("output");
    for (limit, output, reason) in [
        ("-c 0", "/dev/full", "No space left on device"),
        ("-f 0", file.to_str().unwrap(), "File too large"),
    ] {
        for args in [
            "config",
            "config --check",
            "cache",
            "chains",
            "completions bash",
            "man",
            "--help",
            "--version",
            "get --help",
            "serve",
            "get transactions 0x9999999999999999999999999999999999999999 --format csv",
            &format!("trace {SWAP}"),
        ] {
            let (status, message) = limited(limit, args, output);
            assert!(status == Some(1) && message.contains(reason), "{args}: {status:?} {message}");
        }
    }
}

#[test]
fn few_descriptors_end_with_a_sentence() {
    for limit in [4, 5, 6, 7, 8, 9, 10, 12, 20] {
        for args in ["get token-transfers --chain demo", "serve"] {
            let (status, message) = limited(&format!("-n {limit}"), args, "/dev/null");
            assert_eq!(status, Some(1), "{limit} {args}: {message}");
            assert!(!message.contains("panicked") && message.lines().count() == 1, "{message}");
            assert!(message.contains("ulimit -n"), "{limit}: {message}");
        }
    }
}

#[test]
fn empty_list_of_a_token_names_the_list_of_its_transfers() {
    const NOTE: &str = "is a token: `transfers-of-token` lists its transfers";
    for (address, is_token) in
        [("0x948b3c65b89df0b4894abe91e6d02fe579834f8f", true), (ALICE, false)]
    {
        let arguments = ["get", "token-transfers", address, "--type", "ERC-404"];
        let output =
            Command::new(PROGRAM).args(["--chain", "demo"]).args(arguments).output().unwrap();
        assert!(output.status.success());
        let notes = String::from_utf8(output.stderr).unwrap();
        assert_eq!(notes.contains(NOTE), is_token, "{notes}");
    }
}

#[test]
fn config_check_names_problems_of_user_data() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("chainglass");
    let file = |name: &str, text: &[u8]| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let run = |arguments: &[&str]| {
        let mut program = Command::new(PROGRAM);
        program.args(arguments).env("XDG_CONFIG_HOME", home.path());
        let output = program.output().unwrap();
        let texts = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (output.status.code(), texts.concat())
    };
    file("signatures.txt", b"transfer(address,uint256)\n\nno signature\n");
    file("labels/1.csv", b"0x12,short\n");
    file("abis/Broken.json", b"{");
    let (status, text) = run(&["config", "--check"]);
    assert_eq!(status, Some(1), "{text}");
    for problem in ["signatures.txt: line 3", "labels/1.csv: line 1", "Broken.json"] {
        assert!(text.contains(problem), "{problem}: {text}");
    }
    for (list, is_read) in [("transactions", true), ("blocks", false)] {
        let (_, text) = run(&["get", list, "--chain", "demo", "--limit", "1"]);
        assert_eq!(text.contains("Broken.json"), is_read, "{list}: {text}");
    }
    file("signatures.txt", b"\xff");
    let (_, text) = run(&["decode", "0xa9059cbb"]);
    assert!(text.contains("signatures.txt: "), "{text}");
}

use proptest::prelude::*;

use super::*;

const A: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const B: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

fn address(text: &str) -> Address {
    text.parse().unwrap()
}

fn named(file: &str, whose: &str, name: &str) -> String {
    apply_edit(file, &LabelEdit::name(address(whose), name).unwrap()).unwrap()
}

fn watched(file: &str, whose: &str, watched: bool) -> String {
    apply_edit(file, &LabelEdit::watch(address(whose), watched)).unwrap()
}

fn name_of(file: &str, whose: &str) -> Option<SafeText> {
    Labels::from_csv(file).name(&address(whose)).cloned()
}

#[test]
fn a_new_file_has_a_head_and_an_empty_row_goes() {
    let file = named("", A, "Alice");
    assert_eq!(file, format!("address,name,watch\n{A},Alice,\n"));
    let file = watched(&file, A, true);
    assert_eq!(file, format!("address,name,watch\n{A},Alice,yes\n"));
    let file = watched(&named(&file, A, " "), A, false);
    assert_eq!(file, "address,name,watch\n");
    assert_eq!(named("", A, ""), "");
}

#[test]
fn what_is_not_changed_stays_byte_for_byte() {
    let file = format!(
        "\u{feff}note,WATCH,Address,Name\r\n# mine\r\n\r\n\"two\nlines\",x,{A},\"Al, \"\"ice\"\"\"\r\n\
         what is this\r\n,,0xf39,Nobody\r\n,perhaps,{B},Bob"
    );
    let labels = Labels::from_csv(&file);
    assert_eq!(labels.name(&address(A)), Some(&"Al, \"ice\"".into()));
    assert!(labels.is_watched(&address(A)));
    let problems = format!("{:?}", labels.problems());
    for words in ["line 6: there is no address", "line 7: there is", "line 8: `watch` is neither"] {
        assert!(problems.contains(words), "{problems}");
    }
    let changed = named(&file, A, "Carol");
    assert_eq!(changed, file.replace("\"Al, \"\"ice\"\"\"", "Carol"));
    // A note is not lost with the name, and an unreadable row is not taken for Bob's.
    let changed = named(&watched(&file, A, false), A, "");
    assert!(changed.contains(&format!("\"two\nlines\",,{A},\r\n")), "{changed}");
    let changed = named(&file, B, "Bob");
    assert_eq!(changed, format!("{file}\r\n,,{B},Bob\r\n"));
    assert_eq!(name_of(&changed, B), Some("Bob".into()));
}

#[test]
fn spreadsheets_of_other_countries_and_files_without_a_head() {
    let file = format!("address;name;watch\n{A};Alice, the first;yes\n");
    assert_eq!(name_of(&file, A), Some("Alice, the first".into()));
    assert_eq!(named(&file, B, "x;y"), format!("{file}{B};\"x;y\";\n"));
    let file = format!("{A},Alice\n");
    assert_eq!(name_of(&file, A), Some("Alice".into()));
    assert_eq!(watched(&file, A, true), format!("{A},Alice,yes\n"));
    for head in ["name,watch\n", "{}", "address\n", "address,watch\n"] {
        let change = LabelEdit::name(address(A), "Alice").unwrap();
        assert!(apply_edit(head, &change).is_err(), "{head}");
    }
}

#[test]
fn a_quote_that_was_left_open_spoils_its_own_line_only() {
    let file = format!("address,name,watch\n{A},\"Alice,yes\n{B},Bob,yes\n");
    let labels = Labels::from_csv(&file);
    assert_eq!(labels.name(&address(B)), Some(&"Bob".into()));
    let changed = named(&file, B, "Rob");
    assert_eq!(changed, file.replace("Bob", "Rob"));
}

#[test]
fn a_quote_that_a_later_row_would_close_takes_that_row_not_with_it() {
    let file = format!("address,name,watch,note\n{A},Alice,,\"see below\n");
    let file = named(&file, B, "Bo\"b");
    assert_eq!(name_of(&file, B), Some("Bo\"b".into()));
    assert_eq!(name_of(&file, A), Some("Alice".into()));
}

#[test]
fn a_line_break_of_old_hides_nothing_that_is_then_lost() {
    let file = format!("address,name,watch\n{A},Alice,,\r{B},Bob,\n");
    let labels = Labels::from_csv(&file);
    assert_eq!((labels.problems().len(), labels.name(&address(A))), (1, None));
    assert!(named(&file, A, "Al").starts_with(&file));
}

#[test]
fn a_row_that_would_look_like_a_comment_is_quoted() {
    let file = named("name,address,watch\n", A, "#1");
    assert_eq!(name_of(&file, A), Some("#1".into()));
}

#[test]
fn what_a_spreadsheet_takes_for_a_formula_gets_an_apostrophe() {
    for name in ["=1+1", "@x", "-", "'=1", "''=1", "＝1"] {
        let file = named("", A, name);
        assert!(file.contains(&format!(",'{name},")), "{file}");
        assert_eq!(name_of(&file, A), Some(name.into()));
    }
    assert_eq!(name_of(&named("", A, "'tis"), A), Some("'tis".into()));
}

#[test]
fn a_wrong_digit_names_nobody_and_no_name_acts_on_the_terminal() {
    let wrong = A.replace("2266", "2267");
    let labels = Labels::from_csv(&format!("{wrong},Alice,\n{B},\u{1b}[2J\u{202e}Bob,\n"));
    assert!(labels.problems()[0].contains("checksum"));
    assert_eq!(labels.name(&address(B)), Some(&"␛[2J␦Bob".into()));
    let long = format!("{A},{},\n", "x".repeat(65));
    assert!(Labels::from_csv(&long).problems()[0].contains("more than 64"));
    assert_eq!(LabelEdit::name(address(A), &"x".repeat(65)), None);
}

#[test]
fn an_address_that_stands_twice_is_renamed_twice() {
    let file = format!("address,name,watch\n{A},One,\n{A},Two,yes\n");
    let labels = Labels::from_csv(&file);
    assert_eq!((labels.name(&address(A)), labels.problems().len()), (Some(&"One".into()), 1));
    assert_eq!(named(&file, A, ""), "address,name,watch\n");
}

#[test]
fn nobody_elses_name_passes_for_the_users() {
    assert_eq!(escape_label_marks("«Alice»".into()), "‹Alice›".into());
    assert_eq!(escape_label_marks("alice.eth".into()), "alice.eth".into());
    let mut labels = Labels::from_csv(&named(&named("", A, "Alice"), B, "Alice"));
    assert_eq!(labels.decorated_name(&address(A)), Some("«Alice»".into()));
    assert!(!labels.has_unique_name(&address(A)));
    labels.apply(&LabelEdit::name(address(B), "Bob").unwrap());
    assert!(labels.has_unique_name(&address(A)));
    assert!(!labels.has_unique_name(&Address::ZERO), "it has no name");
}

/// Changes of a few addresses, with names of all kinds.
fn changes() -> impl Strategy<Value = Vec<LabelEdit>> {
    let name = prop_oneof!["[=+'\"#,; «a-c]{0,6}", any::<String>(), Just(String::new())];
    let change = (0..4_u8, name, any::<Option<bool>>());
    prop::collection::vec(change, 0..20).prop_map(|all| {
        let change = |(n, name, watch): (u8, String, Option<bool>)| {
            let address = Address::repeat_byte(n);
            let name: String = name.chars().take(MAX_LABEL_CHARS).collect();
            match watch {
                Some(watched) => Some(LabelEdit::watch(address, watched)),
                None => LabelEdit::name(address, &name),
            }
        };
        all.into_iter().filter_map(change).collect()
    })
}

/// Files that somebody edited, badly.
fn files() -> impl Strategy<Value = String> {
    let row = (0..4_u8, "[=+'\"#,; a\r\n]{0,8}")
        .prop_map(|(n, rest)| format!("{},{rest}\n", Address::repeat_byte(n)));
    let line = prop_oneof![row, "[\"#,;a\r\n]{0,10}", Just("\n".to_owned())];
    let head = prop_oneof![
        Just("address,name,watch\n"),
        Just("name,address,watch,note\n"),
        Just("address,note,watch,name\r\n"),
    ];
    (head, prop::collection::vec(line, 0..12))
        .prop_map(|(head, lines)| [head, &lines.concat()].concat())
}

proptest! {
    #[test]
    fn what_is_written_is_what_is_known(changes in changes()) {
        for head in ["", "name;note;address;watch\r\n", "#\nwatch,name,address"] {
            let (mut file, mut labels) = (head.to_owned(), Labels::default());
            for change in &changes {
                file = apply_edit(&file, change).unwrap();
                labels.apply(change);
            }
            let read = Labels::from_csv(&file);
            for n in 0..4 {
                let address = Address::repeat_byte(n);
                prop_assert_eq!(read.of(&address), labels.of(&address), "{}", file);
            }
            prop_assert!(read.problems().is_empty(), "{:?} {}", read.problems(), file);
        }
    }

    #[test]
    fn whatever_the_file_is_a_change_changes_one_address(
        file in files(),
        n in 0..4_u8,
        name in "[a=']{0,3}",
    ) {
        let before = Labels::from_csv(&file);
        let change = LabelEdit::name(Address::repeat_byte(n), &name).unwrap();
        let after = Labels::from_csv(&apply_edit(&file, &change).unwrap());
        let mut expected = before.clone();
        expected.apply(&change);
        for n in 0..4 {
            let address = Address::repeat_byte(n);
            prop_assert_eq!(after.of(&address), expected.of(&address));
        }
        let lost = before.problems().iter().filter(|p| !p.contains("further up")).count();
        let left = after.problems().iter().filter(|p| !p.contains("further up")).count();
        prop_assert_eq!(left, lost, "unreadable rows stay");
    }
}

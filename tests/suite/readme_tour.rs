//! Presses every key of the README's "Five minutes on the demo chain", in its order.

use chainglass::test_api::app_message::Msg;
use chainglass::test_api::demo_server::HIGHLIGHTS;

use super::session::{Session, size};

const SWAP: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";

/// A code span or an emphasized name of the tour, what is pressed for it, and what is shown then.
type Step = (&'static str, &'static str, &'static [&'static str]);

const TOUR: &[Step] = &[
    ("Enter", "enter", &["alice.eth", "1 Tx 826", "counterparty"]),
    ("Alice", "", &["0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"]),
    ("G", "G", &["50 of 826"]),
    ("G", "G", &["826 of 826"]),
    ("Esc", "esc", &["826 of 826", "1 Tx 826"]),
    ("3", "3", &["counterparty", "amount"]),
    ("4", "4", &["GLD"]),
    ("5", "5", &["collection", "#9 #8"]),
    ("h", "h", &["alice.eth"]),
    ("l", "l", &["alice.eth"]),
    ("Enter", "enter", &["CP08 of alice.eth"]),
    ("H", "H", &["collection", "#9 #8"]),
    (SWAP, "paste", &["swapExactIn"]),
    ("2", "2", &["26 calls"]),
    ("Space", "space", &["▸"]),
    ("zR", "z R", &["balanceOf"]),
    ("i", "i", &["gas"]),
    ("f", "f", &["self gas"]),
    ("gh", "g h", &["the call with the most gas of its own"]),
    ("Reentrancy", "highlight", &["Bank.withdrawAll?()"]),
    ("V", "V", &["+5 ETH"]),
    ("Swallowed errors", "highlight", &["9 of 11 calls failed"]),
    ("]x", "] x", &["call 2 of 11"]),
    ("gr", "g r", &["call 2 of 11"]),
    ("a", "a", &["Label of"]),
    ("w", "esc w", &["watch"]),
    ("yy", "y y", &["copied: 0x"]),
    ("Y", "Y", &["copied: chainglass "]),
    ("?", "?", &["Keys and marks"]),
    (":", "esc :", &["Commands and places"]),
    (":icicle", "i c i c l e", &["icicle"]),
];

/// Returns the code spans and emphasized names of the tour, in their order.
fn marked_words() -> Vec<String> {
    let readme = include_str!("../../README.md");
    let tour = readme.split("## Five minutes on the demo chain").nth(1).unwrap();
    let mut rest = tour.split("\n## ").next().unwrap();
    let mut words = Vec::new();
    while let Some(start) = rest.find(['`', '*']) {
        let mark = &rest[start..=start];
        let (word, after) = rest[start + 1..].split_once(mark).unwrap();
        words.push(word.to_owned());
        rest = after;
    }
    words
}

async fn paste(session: &mut Session, text: &str) {
    let effects = session.app.update(Msg::Paste(text.into()));
    session.settle(effects).await;
}

/// Opens the trace of a transaction of the start page.
async fn open_trace(session: &mut Session, name: &str) {
    let place = HIGHLIGHTS.iter().find(|it| it.name == name).unwrap();
    paste(session, place.hash).await;
    session.keys("2").await;
}

#[tokio::test]
async fn every_key_of_the_tour_does_what_the_readme_says() {
    let words: Vec<&str> = TOUR.iter().map(|(word, ..)| *word).collect();
    assert_eq!(marked_words(), words);
    let mut session = Session::demo(size(120, 40), "").await;
    let mut problems = Vec::new();
    for (word, keys, shown) in TOUR {
        match *keys {
            "" => {}
            "paste" => paste(&mut session, word).await,
            "highlight" => open_trace(&mut session, word).await,
            keys => session.keys(keys).await,
        }
        let copied = session.copied().unwrap_or_default();
        let screen = format!("{}\ncopied: {copied}", session.screen());
        for text in *shown {
            if !screen.contains(text) {
                problems.push(format!("{word}: no {text}\n{screen}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

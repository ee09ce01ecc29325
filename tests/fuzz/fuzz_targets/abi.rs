//! Any bytes as a call, as what it returned and as why it failed; any text as a signature and as an
//! ABI. What stands before the first line feed is a signature, what follows its arguments.
#![no_main]

mod harmless;

use std::path::Path;
use std::sync::LazyLock;

use chainglass::abi::{Book, Decoded, Line, Mode};
use harmless::harmless;

/// Lines that are laid out.
const LIMIT: usize = 200;

static BOOK: LazyLock<Book> = LazyLock::new(|| {
    let mut book = Book::embedded();
    book.add_demo();
    book
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    call(&BOOK, data);
    harmless(&BOOK.reason(data).words());
    let text = String::from_utf8_lossy(data);
    let _ = Book::default().add_abi(Path::new("Token.json"), &text).map_err(|why| harmless(&why));
    let end = data.iter().position(|b| *b == b'\n').unwrap_or(data.len());
    let (signature, arguments) = data.split_at(end);
    typed(&String::from_utf8_lossy(signature), arguments.get(1..).unwrap_or_default());
});

/// A signature that somebody types, and a call of it.
fn typed(signature: &str, arguments: &[u8]) {
    let mut book = Book::default();
    match book.add_signature(signature) {
        Ok(selector) => {
            book.name(None, &[], selector).iter().for_each(|name| harmless(name));
            call(&book, &[&selector, arguments].concat());
            harmless(&book.reason(&[&selector, arguments].concat()).words());
        }
        Err(why) => harmless(&why),
    }
}

fn call(book: &Book, input: &[u8]) {
    let Some(decoded) = book.call(None, &["Token"], input) else { return };
    shown(&decoded);
    for output in [input, input.get(4..).unwrap_or_default()] {
        for argument in book.returned(&decoded, output).unwrap_or_default() {
            laid_out(&argument.lines(LIMIT));
        }
    }
}

fn shown(decoded: &Decoded) {
    let words = decoded.source.words();
    for text in [&decoded.name, &decoded.signature, &decoded.line(), &words] {
        harmless(text);
    }
    decoded.others.iter().for_each(|other| harmless(other));
    laid_out(&decoded.lines(LIMIT));
}

fn laid_out(lines: &[Line<'_>]) {
    assert!(lines.len() <= LIMIT);
    for line in lines {
        harmless(&line.label);
        harmless(&line.kind);
        for mode in Mode::ALL {
            harmless(&line.value.shown(mode));
            harmless(&line.value.whole(mode));
        }
    }
}

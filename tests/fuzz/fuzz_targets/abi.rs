//! Bytes as calldata, return data and revert data, and text as a signature and an ABI file. The text before
//! the first line feed is a signature, the bytes after it are its arguments.
#![no_main]

mod sanitized;

use std::path::Path;
use std::sync::LazyLock;

use chainglass::abi::{Book, Decoded, Line, Mode};
use sanitized::assert_sanitized;

/// The maximum number of lines.
const LIMIT: usize = 200;

static BOOK: LazyLock<Book> = LazyLock::new(|| {
    let mut book = Book::embedded();
    book.add_demo();
    book
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    call(&BOOK, data);
    assert_sanitized(&BOOK.reason(data).words());
    let text = String::from_utf8_lossy(data);
    let _ = Book::default().add_abi(Path::new("Token.json"), &text).map_err(|why| assert_sanitized(&why));
    let end = data.iter().position(|b| *b == b'\n').unwrap_or(data.len());
    let (signature, arguments) = data.split_at(end);
    typed(&String::from_utf8_lossy(signature), arguments.get(1..).unwrap_or_default());
});

/// Adds a signature and decodes a call of it.
fn typed(signature: &str, arguments: &[u8]) {
    let mut book = Book::default();
    match book.add_signature(signature) {
        Ok(selector) => {
            book.name(None, &[], selector).iter().for_each(|name| assert_sanitized(name));
            call(&book, &[&selector, arguments].concat());
            assert_sanitized(&book.reason(&[&selector, arguments].concat()).words());
        }
        Err(why) => assert_sanitized(&why),
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
        assert_sanitized(text);
    }
    decoded.others.iter().for_each(|other| assert_sanitized(other));
    laid_out(&decoded.lines(LIMIT));
}

fn laid_out(lines: &[Line<'_>]) {
    assert!(lines.len() <= LIMIT);
    for line in lines {
        assert_sanitized(&line.label);
        assert_sanitized(&line.kind);
        for mode in Mode::ALL {
            assert_sanitized(&line.value.shown(mode));
            assert_sanitized(&line.value.whole(mode));
        }
    }
}

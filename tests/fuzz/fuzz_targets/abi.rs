//! Bytes as calldata, return data and revert data, and text as a signature and an ABI file. The text before
//! the first line feed is a signature, the bytes after it are its arguments.
#![no_main]

mod sanitized;

use std::path::Path;
use std::sync::LazyLock;

use chainglass::test_api::abi::{DecodedCall, SignatureDb, ValueFormat, ValueLine};
use sanitized::assert_sanitized;

/// The maximum number of lines.
const MAX_LINES: usize = 200;

static SIGNATURES: LazyLock<SignatureDb> = LazyLock::new(SignatureDb::builtin);

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    call(&SIGNATURES, data);
    assert_sanitized(&SIGNATURES.revert_reason(data).describe());
    let text = String::from_utf8_lossy(data);
    let _ = SignatureDb::default()
        .add_abi(Path::new("Token.json"), &text)
        .map_err(|why| assert_sanitized(&why.to_string()));
    let end = data.iter().position(|b| *b == b'\n').unwrap_or(data.len());
    let (signature, arguments) = data.split_at(end);
    check_signature(&String::from_utf8_lossy(signature), arguments.get(1..).unwrap_or_default());
});

/// Adds a signature and decodes a call of it.
fn check_signature(signature: &str, arguments: &[u8]) {
    let mut book = SignatureDb::default();
    match book.add_signature(signature) {
        Ok(selector) => {
            book.function_name(None, &[], selector)
                .iter()
                .for_each(|(name, _)| assert_sanitized(name));
            call(&book, &[&selector, arguments].concat());
            assert_sanitized(&book.revert_reason(&[&selector, arguments].concat()).describe());
        }
        Err(why) => assert_sanitized(&why.to_string()),
    }
}

fn call(book: &SignatureDb, input: &[u8]) {
    let Some(decoded) = book.decode_call(None, &["Token"], input) else { return };
    check_call(&decoded);
    for output in [input, input.get(4..).unwrap_or_default()] {
        for argument in book.decode_output(&decoded, output).unwrap_or_default() {
            check_lines(&ValueLine::of_arguments(&[argument], MAX_LINES));
        }
    }
}

fn check_call(decoded: &DecodedCall) {
    let source = decoded.source.describe();
    for text in [&decoded.name, &decoded.signature, &decoded.summary(), &source] {
        assert_sanitized(text);
    }
    decoded.alternatives.iter().for_each(|other| assert_sanitized(other));
    check_lines(&ValueLine::of_arguments(&decoded.arguments, MAX_LINES));
}

fn check_lines(lines: &[ValueLine<'_>]) {
    assert!(lines.len() <= MAX_LINES);
    for line in lines {
        assert_sanitized(&line.label);
        assert_sanitized(&line.type_name);
        for format in ValueFormat::ALL {
            assert_sanitized(&line.value.format(*format));
            assert_sanitized(&line.value.format_full(*format));
        }
    }
}

//! Calls in calls, in pieces and at once; with the beginning that makes it one, and without.
#![no_main]

mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    checks::read_both_ways(data, b"");
    checks::read_both_ways(data, b"{\"type\":\"CALL\",");
});

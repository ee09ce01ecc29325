//! Geth's callTracer format, whole and in chunks, with and without a valid start.
#![no_main]

mod trace_checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trace_checks::parse_both_ways(data, b"");
    trace_checks::parse_both_ways(data, b"{\"type\":\"CALL\",");
});

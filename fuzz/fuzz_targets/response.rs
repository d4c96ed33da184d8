//! The reader of HTTP/1.1 answers.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| galo_load::fuzzing::response(data));

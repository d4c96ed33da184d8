//! The client's side of an HTTP/2 connection.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| galo_load::fuzzing::h2(data));

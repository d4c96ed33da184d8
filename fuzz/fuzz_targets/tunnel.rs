#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    tunnel::fuzzing::requests(data);
    tunnel::fuzzing::answer(data);
    tunnel::fuzzing::connect(data);
});

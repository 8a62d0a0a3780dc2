//! See `saltus_fuzz::description`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::description(data));

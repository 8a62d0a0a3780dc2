//! The fuzz target `definition`. It calls `saltus_fuzz::definition`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::definition(data));

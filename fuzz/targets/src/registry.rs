//! The fuzz target `registry`. It calls `saltus_fuzz::registry`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::registry(data));

//! The fuzz target `description`. It calls `saltus_fuzz::description`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::description(data));

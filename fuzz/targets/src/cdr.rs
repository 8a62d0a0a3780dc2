//! The fuzz target `cdr`. It calls `saltus_fuzz::cdr`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::cdr(data));

//! The fuzz target `tree`. It calls `saltus_fuzz::files::tree`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::files::tree(data));

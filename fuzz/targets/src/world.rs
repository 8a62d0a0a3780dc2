//! The fuzz target `world`. It calls `saltus_fuzz::files::world`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::files::world(data));

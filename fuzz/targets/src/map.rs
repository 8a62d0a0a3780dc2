//! The fuzz target `map`. It calls `saltus_fuzz::files::map`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::files::map(data));

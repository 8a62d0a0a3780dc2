//! The fuzz target `launch`. It calls `saltus_fuzz::launch::launch`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::launch::launch(data));

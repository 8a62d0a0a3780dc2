//! The fuzz target `urdf`. It calls `saltus_fuzz::files::urdf`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::files::urdf(data));

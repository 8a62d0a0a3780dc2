//! The fuzz target `xrce-client`. It calls `saltus_fuzz::xrce::client`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::xrce::client(data));

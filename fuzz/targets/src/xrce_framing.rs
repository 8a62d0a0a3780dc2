//! The fuzz target `xrce-framing`. It calls `saltus_fuzz::xrce::framing`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::xrce::framing(data));

//! The fuzz target `xrce-agent`. It calls `saltus_fuzz::xrce::agent`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::xrce::agent(data));

//! The fuzz target `rmw`. It calls `saltus_fuzz::rmw::rmw`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::rmw::rmw(data));

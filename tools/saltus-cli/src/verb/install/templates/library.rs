//! The components of the package `@package@`, as a shared library.

extern crate @crate@ as _;
extern crate saltus_runtime as _;

const TEXT: &str = env!("SALTUS_BUILD");

/// The build of Saltus that the library was linked with. A container reads it before it loads the library.
#[used]
#[unsafe(link_section = ".saltus_build")]
static BUILD: [u8; TEXT.len()] = {
    let mut bytes = [0; TEXT.len()];
    bytes.copy_from_slice(TEXT.as_bytes());
    bytes
};

//! The C programs of the tests.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::Once,
};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the path of a C program for this host, which is built first if it is not up to date.
///
/// # Panics
/// Panics if it can't be built.
pub fn host_program(name: &str) -> PathBuf {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| make("micro-host"));
    root().join("target/micro/host").join(name)
}

/// Returns the path of a firmware, which is built first if it is not up to date.
///
/// # Panics
/// Panics if it can't be built.
pub fn firmware(board: &str, name: &str) -> PathBuf {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| make("micro-firmware"));
    root().join("target/micro").join(board).join(format!("{name}.elf"))
}

/// Runs a target of the Makefile. Its lock lets only one process of the tests build at a time.
fn make(target: &str) {
    let output = Command::new("make").args(["--silent", target]).current_dir(root()).output();
    let output = output.expect("make must be installed");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "`make {target}` failed; `make micro-tools` installs what it needs:\n{text}"
    );
}
